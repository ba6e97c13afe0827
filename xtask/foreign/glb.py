"""Arrays of a GLB file."""

import numpy as np
from pygltflib import GLTF2


class Glb:
    """Arrays of a GLB file, by the rules of the format."""

    KINDS = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
    WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}

    def __init__(self, path):
        self.file = GLTF2().load(str(path))
        self.blob = self.file.binary_blob()

    def raw(self, view, kind, count, width, offset=0):
        view = self.file.bufferViews[view]
        size = np.dtype(kind).itemsize * width
        stride = view.byteStride or size
        start = (view.byteOffset or 0) + offset
        rows = [np.frombuffer(self.blob, kind, width, start + k * stride) for k in range(count)]
        return np.array(rows)

    def array(self, index):
        accessor = self.file.accessors[index]
        kind, width = self.KINDS[accessor.componentType], self.WIDTHS[accessor.type]
        if accessor.bufferView is None:
            values = np.zeros((accessor.count, width), kind)
        else:
            values = self.raw(accessor.bufferView, kind, accessor.count, width, accessor.byteOffset or 0)
        if accessor.sparse is not None:
            sparse = accessor.sparse
            at = self.raw(sparse.indices.bufferView, self.KINDS[sparse.indices.componentType], sparse.count, 1)[:, 0]
            values[at] = self.raw(sparse.values.bufferView, kind, sparse.count, width)
        if accessor.normalized:
            values = np.maximum(values / np.iinfo(kind).max, -1.0)
        return values.astype(float) if kind != np.uint32 else values

    def bounds_hold(self, index):
        """Whether an accessor's least and largest values are those that it says."""
        accessor = self.file.accessors[index]
        values = self.raw(accessor.bufferView, self.KINDS[accessor.componentType], accessor.count, 3)
        return np.allclose(values.min(0), accessor.min) and np.allclose(values.max(0), accessor.max)
