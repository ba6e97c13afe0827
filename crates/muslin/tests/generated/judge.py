"""python judge.py CHECKER DIRECTORY: judges every frame of a run by the foreign checker.

Prints the crossing pairs of two triangles of cloth, those of cloth and an obstacle, and the vertices of cloth that are inside
a closed obstacle but were not so in the first frame, or the other way round; all summed over frames.
"""
import ctypes, sys
import numpy as np

# Every so many frames, and in the last one, it is asked who is inside what: passing through takes longer than that.
INSIDE_EVERY = 10

# The checker refuses a face whose box has 100,000 cells.
MOST_CELLS = 20_000


def crossings(library, points, faces, cloth_faces):
    """Pairs of cloth and cloth, and of cloth and obstacle."""
    # In single precision as most files hold them: the checker's arithmetic of 113 bits is exact for such numbers, while of
    # nearly flat sheets in double precision it names pairs that do not cross.
    points, faces = split(points, faces, cloth_faces)
    room = 100_000
    pairs = np.zeros((room, 2), np.int32)
    count = library.self_intersections(
        points.ctypes.data_as(ctypes.c_void_p), len(points), faces.ctypes.data_as(ctypes.c_void_p), len(faces),
        pairs.ctypes.data_as(ctypes.c_void_p), room)
    if count < 0 or count > room:
        sys.exit(f"cannot judge: {count}")
    of_cloth = (pairs[:count] < cloth_faces).sum(axis=1)
    return int((of_cloth == 2).sum()), int((of_cloth == 1).sum())


def split(points, faces, first):
    """Cuts faces from one on in four until the checker, which sorts boxes into cells of the mean size, takes them. Halves of
    numbers in single precision are exact but for the last bit of very different ones, a millionth of the gaps."""
    points = points.astype(np.float32).astype(float)
    size = np.ptp(points[faces], axis=1)
    cell = max(1.5 * size.mean(), 1e-6)
    while True:
        large = np.prod(size / cell + 2, axis=1) > MOST_CELLS
        large[:first] = False
        if not large.any():
            return points, np.ascontiguousarray(faces, dtype=np.int32)
        a, b, c = faces[large].T
        count, n = len(a), len(points)
        p, q, r = (np.arange(n + k * count, n + (k + 1) * count) for k in range(3))
        points = np.concatenate([points, (points[a] + points[b]) / 2, (points[b] + points[c]) / 2, (points[c] + points[a]) / 2])
        new = np.stack([a, p, r, p, b, q, r, q, c, p, q, r], axis=1).reshape(-1, 3)
        faces = np.concatenate([faces[~large], new])
        size = np.ptp(points[faces], axis=1)


def winding(points, corners):
    """How often a surface goes around each point (the solid angles of Van Oosterom and Strackee 1983)."""
    total = np.zeros(len(points))
    for k, p in enumerate(points):
        a, b, c = corners[:, 0] - p, corners[:, 1] - p, corners[:, 2] - p
        la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
        along = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
        total[k] = np.arctan2((a * np.cross(b, c)).sum(1), along).sum() / (2 * np.pi)
    return total


def is_closed(faces):
    edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    return (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.self_intersections.restype = ctypes.c_int
    cloth, obstacles = (np.load(f"{sys.argv[2]}/{name}.npz") for name in ("frames", "obstacles"))
    cloth_x, cloth_f = cloth["X"], cloth["F"]
    frames = len(cloth_x)
    # What stands still is written once.
    still = obstacles["V0"] if len(obstacles["V0"]) else np.zeros((0, 3))
    moving = obstacles["X"] if "X" in obstacles and len(obstacles["X"]) == frames else np.broadcast_to(still, (frames, *still.shape))
    body_f = obstacles["F"].reshape(-1, 3)
    faces = np.ascontiguousarray(np.concatenate([cloth_f, body_f + cloth_x.shape[1]]), dtype=np.int32)
    starts = [int(n) for n in obstacles["body_starts"].reshape(-1, 2)[:, 1]] if len(body_f) else []
    bodies = [body_f[a:b] for a, b in zip(starts, starts[1:] + [len(body_f)])]
    bodies = [body for body in bodies if is_closed(body)]
    cloths, with_obstacles, changed, first = 0, 0, 0, None
    for number in range(frames):
        x, y = cloth_x[number].astype(float), np.asarray(moving[number], float)
        both = crossings(library, np.concatenate([x, y]), faces, len(cloth_f))
        cloths, with_obstacles = cloths + both[0], with_obstacles + both[1]
        if number % INSIDE_EVERY == 0 or number == frames - 1:
            inside = [np.abs(winding(x, y[body])) > 0.5 for body in bodies]
            first = inside if first is None else first
            changed += sum(int((a != b).sum()) for a, b in zip(first, inside))
    print(cloths, with_obstacles, changed)


main()
