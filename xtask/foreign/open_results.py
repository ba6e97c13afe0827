"""Opens the files of a run with readers that are not ours and checks them against the scene's definition.

usage: open_results.py RUN_DIRECTORY RESOLUTION FRAMES
The run is the scene `hang`: a square metre of cloth in the xz plane, its upper edge at z = 0, held at the
two upper corners. One line is printed per check: `ok: claim` or `FAILED: claim: what was found`.
"""

import json
import sys
from pathlib import Path

import numpy as np
import trimesh
from plyfile import PlyData

# A PLY file may hold single precision: half a unit in the last place of a coordinate below 2 m [m].
SINGLE_PRECISION = 2.0**-24


def hanging_sheet(n):
    """Vertices and triangles of the scene, from its definition."""
    side = np.linspace(-0.5, 0.5, n)
    x, z = np.meshgrid(side, side - 0.5, indexing="ij")
    i, j = np.meshgrid(np.arange(n - 1), np.arange(n - 1), indexing="ij")
    a = (i * n + j).ravel()
    faces = np.concatenate([np.stack([a, a + n, a + n + 1], 1), np.stack([a, a + n + 1, a + 1], 1)])
    return np.stack([x, 0 * x, z], -1).reshape(-1, 3), faces


def checks(run, n, frames):
    """Yields (claim, held, found)."""
    vertices, faces = hanging_sheet(n)
    with np.load(run / "frames.npz", allow_pickle=False) as archive:
        X, F, V0 = archive["X"], archive["F"], archive["V0"]
    shape = (frames + 1, n * n, 3)
    yield "X holds the start and every frame", X.shape == shape, X.shape
    yield "X is double precision", X.dtype == np.float64, X.dtype
    yield "every position is finite", bool(np.isfinite(X).all()), "not finite"
    yield "the first frame is the start", np.array_equal(X[0], V0), np.abs(X[0] - V0).max()
    start = np.abs(V0 - vertices).max()
    yield "the start is the sheet of the definition", start <= 4 * np.finfo(float).eps, start
    yield "the triangles are those of the definition", np.array_equal(F, faces), F[:2]
    pins = [n - 1, n * n - 1]
    moved = np.abs(X[:, pins] - V0[pins]).max()
    yield "the pinned corners stay", moved == 0.0, moved
    fallen = X[0, :, 2].mean() - X[-1, :, 2].mean()
    yield "the sheet has sunk", fallen > 1e-4, fallen

    pictures = sorted(run.rglob("*.ply"))
    yield "there is one PLY file per frame", len(pictures) == frames + 1, len(pictures)
    lengths = {len(path.name) for path in pictures}
    yield "the numbers of the PLY files are padded", len(lengths) == 1, lengths
    for path, expected in ((pictures[0], X[0]), (pictures[-1], X[-1])):
        ply = PlyData.read(path)
        points = np.stack([np.asarray(ply["vertex"][axis], float) for axis in "xyz"], 1)
        error = np.abs(points - expected).max() if points.shape == expected.shape else points.shape
        yield f"plyfile reads the vertices of {path.name}", np.ndim(error) == 0 and error <= SINGLE_PRECISION, error
        read = np.vstack(list(ply["face"].data[ply["face"].data.dtype.names[0]]))
        yield f"plyfile reads the triangles of {path.name}", np.array_equal(read, faces), read[:2]
        mesh = trimesh.load_mesh(path, process=False)
        error = np.abs(mesh.vertices - expected).max() if mesh.vertices.shape == expected.shape else mesh.vertices.shape
        yield f"trimesh reads the vertices of {path.name}", np.ndim(error) == 0 and error <= SINGLE_PRECISION, error
        yield f"trimesh reads the triangles of {path.name}", np.array_equal(mesh.faces, faces), mesh.faces[:2]

    report = json.loads((run / "report.json").read_text())
    yield "the report counts the frames", report["frames"] == frames, report["frames"]
    error = abs(report["simulated_seconds"] - frames / 60)
    yield "the report knows the simulated time", error < 1e-9, error
    for key in ("wall_seconds", "cpu_seconds", "peak_memory_bytes", "steps", "max_strain", "worst_residual"):
        value = report.get(key)
        yield f"the report's {key} is a positive number", isinstance(value, (int, float)) and value > 0, value
    yield "the report has a hash of the state", len(report.get("state_hash", "")) >= 16, report.get("state_hash")
    yield "the report lists warnings", isinstance(report.get("warnings"), list), report.get("warnings")


def main():
    failed = 0
    for claim, held, found in checks(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])):
        print(f"ok: {claim}" if held else f"FAILED: {claim}: found {found}")
        failed += not held
    sys.exit(failed > 0)


main()
