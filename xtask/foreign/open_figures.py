"""Evaluates skinned glTF figures by the equations of the glTF 2.0 specification, in NumPy and double precision.

usage: open_figures.py CONVERTED FIGURE.glb…
CONVERTED/NAME holds what `muslin convert FIGURE.glb CONVERTED/NAME --format npz --fps 24` has written; every vertex of
every frame must be where the specification puts it. The script also prints the reference values that
`crates/muslin_io/tests/mesh_files/gltf.rs` keeps: `open_figures.py --reference FIGURE.glb CLIP TIME`.
"""

import sys
from pathlib import Path

import numpy as np
from checks import close, report
from pygltflib import GLTF2

RATE = 24
KINDS = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
# Round-off of a product of a dozen matrices of single-precision numbers, at two metres [m].
ROUND_OFF = 1e-12


class Figure:
    def __init__(self, path):
        self.gltf = GLTF2().load(str(path))
        self.blob = self.gltf.binary_blob()
        self.parents = {}
        for number, node in enumerate(self.gltf.nodes):
            for child in node.children or []:
                self.parents[child] = number

    def array(self, number):
        """An accessor as doubles; whole numbers that stand for fractions are divided by their largest."""
        accessor = self.gltf.accessors[number]
        view = self.gltf.bufferViews[accessor.bufferView]
        kind, width = np.dtype(KINDS[accessor.componentType]), WIDTHS[accessor.type]
        start = (view.byteOffset or 0) + (accessor.byteOffset or 0)
        stride = view.byteStride or kind.itemsize * width
        rows = [np.frombuffer(self.blob, kind, width, start + k * stride) for k in range(accessor.count)]
        values = np.array(rows).astype(float)
        if accessor.normalized:
            values = np.maximum(values / np.iinfo(kind).max, -1)
        return values

    def poses(self, clip, time):
        """Translation, rotation and scale of every node at a time of an animation; or its matrix."""
        poses = []
        for node in self.gltf.nodes:
            poses.append({
                "translation": np.array(node.translation or [0, 0, 0], float),
                "rotation": np.array(node.rotation or [0, 0, 0, 1], float),
                "scale": np.array(node.scale or [1, 1, 1], float),
                "matrix": None if node.matrix is None else np.array(node.matrix, float).reshape(4, 4).T,
            })
        animation = self.gltf.animations[clip]
        # A clip begins at its first key, so that a loop has no pause in it.
        time += min(self.array(animation.samplers[c.sampler].input)[0, 0] for c in animation.channels)
        for channel in animation.channels:
            sampler = animation.samplers[channel.sampler]
            times, values = self.array(sampler.input)[:, 0], self.array(sampler.output)
            assert sampler.interpolation in (None, "LINEAR"), sampler.interpolation
            at = np.clip(time, times[0], times[-1])
            k = int(np.clip(np.searchsorted(times, at, side="right") - 1, 0, max(len(times) - 2, 0)))
            s = 0.0 if len(times) == 1 else (at - times[k]) / (times[k + 1] - times[k])
            a, b = values[k], values[min(k + 1, len(values) - 1)]
            turns = channel.target.path == "rotation"
            poses[channel.target.node][channel.target.path] = slerp(a, b, s) if turns else a + (b - a) * s
            poses[channel.target.node]["matrix"] = None
        return poses

    def worlds(self, clip, time):
        """Matrices from every node to the scene."""
        local = [matrix_of(pose) for pose in self.poses(clip, time)]
        worlds = {}

        def world(number):
            if number not in worlds:
                parent = self.parents.get(number)
                worlds[number] = local[number] if parent is None else world(parent) @ local[number]
            return worlds[number]

        return [world(number) for number in range(len(local))]

    def positions(self, clip, time):
        """Every vertex of every mesh, in the order of the scene's nodes, depth first; y is up."""
        worlds, found = self.worlds(clip, time), []
        for number in self.order():
            node = self.gltf.nodes[number]
            if node.mesh is None:
                continue
            for primitive in self.gltf.meshes[node.mesh].primitives:
                points = self.array(primitive.attributes.POSITION)
                points = np.hstack([points, np.ones((len(points), 1))])
                if node.skin is None:
                    found.append((points @ worlds[number].T)[:, :3])
                    continue
                skin = self.gltf.skins[node.skin]
                inverse = self.array(skin.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
                joints = np.array([worlds[j] @ inverse[k] for k, j in enumerate(skin.joints)])
                names = self.array(primitive.attributes.JOINTS_0).astype(int)
                weights = self.array(primitive.attributes.WEIGHTS_0)
                weights = weights / weights.sum(1, keepdims=True)
                blended = np.einsum("vk,vkij->vij", weights, joints[names])
                found.append(np.einsum("vij,vj->vi", blended, points)[:, :3])
        return np.concatenate(found)

    def order(self):
        stack, order = list(reversed(self.gltf.scenes[self.gltf.scene or 0].nodes)), []
        while stack:
            number = stack.pop()
            order.append(number)
            stack.extend(reversed(self.gltf.nodes[number].children or []))
        return order


def slerp(a, b, s):
    """The shortest way between two rotations, at a steady rate."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    cosine = a @ b
    if cosine < 0:
        b, cosine = -b, -cosine
    angle = np.arctan2(np.linalg.norm(b - a * cosine), cosine)
    if angle < 1e-9:
        mixed = a + (b - a) * s
    else:
        mixed = (np.sin((1 - s) * angle) * a + np.sin(s * angle) * b) / np.sin(angle)
    return mixed / np.linalg.norm(mixed)


def matrix_of(pose):
    if pose["matrix"] is not None:
        return pose["matrix"]
    x, y, z, w = pose["rotation"] / np.linalg.norm(pose["rotation"])
    turn = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])
    matrix = np.eye(4)
    matrix[:3, :3] = turn * pose["scale"]
    matrix[:3, 3] = pose["translation"]
    return matrix


def checks(converted, figures):
    for figure in map(Path, figures):
        with np.load(Path(converted) / figure.stem / "frames.npz", allow_pickle=False) as archive:
            X = archive["X"]
        mesh = Figure(figure)
        yield f"{figure.stem} moves", np.abs(X[1:] - X[0]).max() > 0.01, X.shape
        for k in range(0, len(X), max(1, len(X) // 10)):
            x, y, z = mesh.positions(0, k / RATE).T
            yield close(f"{figure.stem}: every vertex of frame {k}", X[k], np.stack([x, -z, y], 1), ROUND_OFF)


if sys.argv[1] == "--reference":
    points = Figure(sys.argv[2]).positions(int(sys.argv[3]), float(sys.argv[4]))
    for vertex in (0, len(points) // 2, len(points) - 1):
        print(*map(repr, points[vertex].tolist()))
    print(repr(float(np.abs(points).sum())))
else:
    report(checks(sys.argv[1], sys.argv[2:]))
