"""Checks what `muslin convert` made of a run of `formats.toml`: every input, converted into archives.

usage: open_converted.py DIRECTORY_OF_CONVERSIONS RUN_DIRECTORY
"""

import sys
from pathlib import Path

import numpy as np
from checks import close, equal, report, single_precision


def joined(directory):
    """Positions by body if bodies are named, else in all; the corners' material coordinates likewise."""
    with np.load(directory / "frames.npz") as cloth, np.load(directory / "obstacles.npz") as obstacles:
        X, F, UV = cloth["X"], cloth["F"], cloth["UV"]
        starts = np.vstack([cloth["body_starts"], [X.shape[1], len(F)]])
        order = np.argsort(cloth["body_names"], kind="stable")
        pieces = [(starts[b], starts[b + 1]) for b in order]
        vertices = np.concatenate([X[:, v:w] for (v, _), (w, _) in pieces], 1)
        corners = np.concatenate([X[-1][F[t:u]] for (_, t), (_, u) in pieces])
        uv = np.concatenate([UV[t:u] for (_, t), (_, u) in pieces]) if len(UV) else UV
        return list(cloth["body_names"][order]), float(cloth["fps"]), vertices, corners, uv, obstacles["X"]


def checks(conversions, run):
    names, rate, X, corners, UV, O = joined(run)
    with np.load(run / "frames.npz") as archive:
        plain = archive["X"], archive["X"][-1][archive["F"]], archive["UV"]
    exact = {"npz", "vtk"}
    # A GLB file has 16 bits of a body's largest motion along an axis.
    motion = max(float(np.abs(Y - Y[0]).max()) for Y in (X, O))
    for source in ("npz", "vtk", "ply", "obj", "pc2", "mdd", "usd", "gltf"):
        found, fps, x, c, uv, o = joined(conversions / source)
        tolerance = 0.0 if source in exact else 2 * single_precision(np.concatenate([X, O], 1))
        tolerance += motion / 65534 if source == "gltf" else 0.0
        # PLY and VTK files hold all cloths as one mesh, in the scene's order.
        named = source not in ("ply", "vtk")
        expected = (X, corners, UV) if named else plain
        yield f"from {source}: names", found == (names if named else ["cloth"]), found
        yield f"from {source}: rate", fps == rate, fps
        yield close(f"from {source}: all frames", x, expected[0], tolerance)
        yield close(f"from {source}: corners of all triangles", c, expected[1], tolerance)
        yield close(f"from {source}: uv", uv, expected[2], 0.0 if source == "npz" else 1e-6)
        yield close(f"from {source}: obstacles", o, O, tolerance)


report(checks(Path(sys.argv[1]), Path(sys.argv[2])))
