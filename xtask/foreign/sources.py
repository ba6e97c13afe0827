"""Texture coordinates of files, by the rules of their formats."""

import numpy as np
from glb import Glb


def obj_bodies(path):
    """Coordinates of each object's corners of an OBJ file, by the format's rules; None for an object without."""
    table, found, name = [], {}, None
    for line in path.read_text().splitlines():
        word, *rest = line.split() or [""]
        if word == "o":
            name = line[2:]
        elif word == "vt":
            table.append([float(x) for x in rest[:2]])
        elif word == "f":
            corners = [c.split("/") for c in rest]
            pairs = [table[int(c[1]) - 1] for c in corners] if all(len(c) > 1 and c[1] for c in corners) else None
            found.setdefault(name, []).append(pairs)
    return {n: None if all(p is None for p in pairs) else np.array(pairs, float) for n, pairs in found.items()}


def sources(data):
    """The coordinates of the corners of the source files."""
    (tee,) = obj_bodies(data / "garments/makehuman/tshirt_female.obj").values()
    (shirt,) = obj_bodies(data / "garments/garmentcode/shirt.obj").values()
    glb = Glb(data / "bodies/gltf/CesiumMan.glb")
    (primitive,) = glb.file.meshes[0].primitives
    uv = glb.array(primitive.attributes.TEXCOORD_0)
    corners = glb.array(primitive.indices).astype(int).reshape(-1, 3)
    # A picture's rows run downwards in glTF and upwards everywhere else.
    return tee, shirt, np.stack([uv[:, 0], 1 - uv[:, 1]], 1)[corners]
