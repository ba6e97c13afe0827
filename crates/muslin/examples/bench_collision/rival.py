"""Times IPC Toolkit on one step of a mesh: its broad phases, and its earliest time of impact.

usage: rival.py FILE VERTICES THREADS; prints one JSON object. The file holds the positions at the start and at the
end as doubles, then the triangles as 32-bit indices.
"""
import json
import sys
import time

import ipctk
import numpy as np

RUNS = 3
count = int(sys.argv[2])
data = open(sys.argv[1], "rb").read()
points = np.frombuffer(data, "<f8", 6 * count).reshape(2, count, 3)
start, end = np.asfortranarray(points[0]), np.asfortranarray(points[1])
faces = np.frombuffer(data, "<u4", offset=48 * count).reshape(-1, 3).astype(np.int32)
ipctk.set_num_threads(int(sys.argv[3]))
sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
mesh = ipctk.CollisionMesh(start, np.unique(sides, axis=0).astype(np.int32), faces)


def timed(work, runs=RUNS):
    """Result, and medians of wall and CPU milliseconds."""
    wall, cpu = [], []
    for _ in range(runs):
        w, c = time.perf_counter(), time.process_time()
        result = work()
        wall.append(1e3 * (time.perf_counter() - w))
        cpu.append(1e3 * (time.process_time() - c))
    return result, {"wall_ms": float(np.median(wall)), "cpu_ms": float(np.median(cpu))}


def search(method):
    candidates = ipctk.Candidates()
    candidates.build(mesh, start, end, 0.0, method())
    return candidates


report = {"version": ipctk.__version__, "broad": {}, "narrow": {}}
candidates = None
# Its fastest; HashGrid and SweepAndPrune take three times as long and more on these scenes.
for name in ("LBVH",):
    found, cost = timed(lambda: search(getattr(ipctk, name)))
    cost["vf"], cost["ee"] = len(found.fv_candidates), len(found.ee_candidates)
    report["broad"][name] = cost
    candidates = candidates or found
# Tight inclusion takes twice as long as the other: once is enough to see it.
methods = (("additive", ipctk.AdditiveCCD(), RUNS), ("tight inclusion", ipctk.TightInclusionCCD(), 1))
for name, method, runs in methods:
    earliest, cost = timed(lambda: candidates.compute_collision_free_stepsize(mesh, start, end, 0.0, method), runs)
    cost["earliest"] = earliest
    report["narrow"][name] = cost
print(json.dumps(report))
