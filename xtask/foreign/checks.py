"""What the scripts here share: printing of checks, comparing of arrays, the reference."""

import sys
from pathlib import Path

import numpy as np


def single_precision(values):
    """Half a unit in the last place of single precision, at the largest of some values."""
    return 2.0**-24 * max(1.0, float(np.abs(values).max()))


def distance(found, expected):
    """The largest difference of two arrays, or why there is none."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        return f"shape {found.shape} instead of {expected.shape}"
    return float(np.abs(found - expected).max()) if found.size else 0.0


def close(claim, found, expected, tolerance):
    """A check that two arrays agree."""
    apart = distance(found, expected)
    return claim, isinstance(apart, float) and apart <= tolerance, apart


def equal(claim, found, expected):
    """A check that two arrays are the same."""
    return close(claim, found, expected, 0.0)


def report(checks):
    """Prints one line per check: `ok: claim`, or `FAILED: claim: what was found`; ends the program."""
    failed = 0
    for claim, held, found in checks:
        print(f"ok: {claim}" if held else f"FAILED: {claim}: found {found}", flush=True)
        failed += not held
    sys.exit(failed > 0)


class Body:
    """A body of the run, as NumPy reads it."""

    def __init__(self, name, kind, positions, triangles, uv):
        self.name, self.kind, self.positions, self.triangles, self.uv = name, kind, positions, triangles, uv

    def normals(self, frame):
        """Unit normals of the vertices, weighted by area."""
        x = self.positions[frame]
        a, b, c = (x[self.triangles[:, k]] for k in range(3))
        faces = np.cross(b - a, c - a)
        normals = np.zeros_like(x)
        for k in range(3):
            np.add.at(normals, self.triangles[:, k], faces)
        return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def bodies(run):
    """All bodies of a run from its archives, and frames per second."""
    found = []
    for file, kind in (("frames.npz", "cloth"), ("obstacles.npz", "obstacle")):
        with np.load(Path(run) / file, allow_pickle=False) as archive:
            X, F, UV, rate = archive["X"], archive["F"], archive["UV"], float(archive["fps"])
            names, starts = archive["body_names"], archive["body_starts"]
        ends = np.vstack([starts[1:], [X.shape[1], F.shape[0]]]) if len(names) else starts
        for name, (v, t), (w, u) in zip(names, starts, ends):
            uv = UV[t:u] if len(UV) else None
            found.append(Body(str(name), kind, X[:, v:w], F[t:u] - v, uv))
    return found, rate
