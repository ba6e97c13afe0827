"""python judge_peers.py PEERS RUN SCENE RESOLUTION: judges a run by the real check.py in a copy of ../shared/peers.

The frames go there twice, as its README says: the archive of the run as it is, in double precision, and in single precision as
the archives of other simulators are. What the checker names in double precision is asked again with fractions, by its own
criterion: its arithmetic of 113 bits is exact for numbers in single precision only. Prints one line of JSON.

python judge_peers.py PEERS: feeds the checker and the fractions a crossing and a near miss; prints `ok` if both are told.
"""
import json, os, subprocess, sys
from fractions import Fraction
import numpy as np


def orient(a, b, c, d):
    """Sign of the volume, without rounding."""
    a, b, c, d = ([Fraction(float(x)) for x in p] for p in (a, b, c, d))
    p, q, r = ([x - y for x, y in zip(point, d)] for point in (a, b, c))
    det = p[2] * (q[0] * r[1] - r[0] * q[1]) + q[2] * (r[0] * p[1] - p[0] * r[1]) + r[2] * (p[0] * q[1] - q[0] * p[1])
    return (det > 0) - (det < 0)


def pierces(p, q, a, b, c):
    if orient(a, b, c, p) * orient(a, b, c, q) >= 0:
        return False
    turns = [orient(p, q, a, b), orient(p, q, b, c), orient(p, q, c, a)]
    return all(t >= 0 for t in turns) or all(t <= 0 for t in turns)


def cross(points, one, other):
    """Whether an edge of one triangle, without a vertex of the other, strictly goes through that."""
    for own, face in ((one, other), (other, one)):
        for k in range(3):
            u, v = own[k], own[(k + 1) % 3]
            if u not in face and v not in face and pierces(points[u], points[v], *(points[w] for w in face)):
                return True
    return False


def judge(peers, tag, points, faces, rest):
    """What check.py says of some frames."""
    out = os.path.join(peers, "out")
    os.makedirs(out, exist_ok=True)
    np.savez_compressed(os.path.join(out, tag + ".npz"), X=points, F=faces, V0=rest)
    subprocess.run([sys.executable, "check.py", tag], cwd=peers, check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(out, tag + ".check.json")) as file:
        return json.load(file)


def confirmed(peers, points, faces):
    """Pairs that the checker names in double precision, and those of them that cross by fractions."""
    sys.path.insert(0, peers)
    from common import n_self_intersections
    named = real = 0
    for frame in points:
        count, pairs = n_self_intersections(frame, faces, pairs=True)
        named += count
        real += sum(cross(frame, list(faces[a]), list(faces[b])) for a, b in pairs)
    return named, real


def control(peers):
    faces = np.array([[0, 1, 2], [3, 4, 5]], np.int32)
    flat = [[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]
    through = np.array([flat + [[0.25, 0.25, -0.1], [0.25, 0.25, 0.1], [2, 2, 0.1]]] * 2)
    beside = np.array([flat + [[0.25, 0.25, 1e-9], [0.25, 0.25, 0.1], [2, 2, 0.1]]] * 2)
    found = [judge(peers, "muslin_control_2", x, faces, x[0])["self_int_max"] for x in (through, beside)]
    exact = [cross(x[0], [0, 1, 2], [3, 4, 5]) for x in (through, beside)]
    print("ok" if found == [1, 0] and exact == [True, False] else f"the control fails: {found}, {exact}")


def main():
    peers = sys.argv[1]
    if len(sys.argv) == 2:
        return control(peers)
    run, scene, resolution = sys.argv[2:]
    frames = np.load(os.path.join(run, "frames.npz"))
    points, faces, rest = frames["X"], np.ascontiguousarray(frames["F"], np.int32), frames["V0"]
    tag = f"muslin_{scene}_{resolution}"
    double = judge(peers, tag, points, faces, rest)
    named, real = confirmed(peers, points, faces) if double["self_int_frames"] else (0, 0)
    single = judge(peers, tag, points.astype(np.float32), faces, rest)
    depths = [single[key] for key in ("pen_max_mm", "pen_vert_max_mm", "ground_pen_mm") if key in single]
    print(json.dumps(dict(
        frames=len(points), finite=single["finite"] and double["finite"], single=single["self_int_max"], double=named, crossing=real,
        deepest=max(depths) if depths else None, clamps=single.get("edge_error_max_mm"))))


main()
