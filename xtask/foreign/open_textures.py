"""Opens every format with readers that are not ours and compares each triangle's texture coordinates with the source's.

usage: open_textures.py FOLDER DATA
FOLDER holds the run of `textures.toml`, what `muslin convert` made of each of its formats (`from-FORMAT`), and what it
made of two files of DATA (`tshirt`, `man`). Blender has a script of its own.
"""

import sys
from pathlib import Path

import numpy as np
import trimesh
from checks import close, report
from glb import Glb
from plyfile import PlyData
from pxr import Usd, UsdGeom
from sources import obj_bodies, sources
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

FRAMES = 3
# Files have single precision, and the largest coordinate is near 1.
TOLERANCE = 1e-6


def same(claim, found, expected):
    """A check that coordinates are there and right, or rightly absent."""
    if found is None or expected is None:
        return claim, found is None and expected is None, "none" if found is None else "some"
    return close(claim, found, expected, TOLERANCE)


def joined(bodies):
    """What bodies show that share a mesh: zeros where one has nothing, None if nobody has anything."""
    if all(uv is None for _, _, uv in bodies):
        return None
    return np.concatenate([np.zeros((count, 3, 2)) if uv is None else uv for _, count, uv in bodies])


def ply_uv(path):
    ply = PlyData.read(path)
    vertex, face = ply["vertex"], ply["face"]
    if "texcoord" in face:
        return np.vstack(face["texcoord"]).reshape(-1, 3, 2)
    if "s" in vertex:
        return np.stack([vertex["s"], vertex["t"]], 1)[np.vstack(face["vertex_indices"])]
    return None


def vtk_uv(path):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    data = reader.GetOutput()
    if data.GetCellData().HasArray("uv"):
        return vtk_to_numpy(data.GetCellData().GetArray("uv")).reshape(-1, 3, 2)
    if data.GetPointData().GetTCoords() is not None:
        corners = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
        return vtk_to_numpy(data.GetPointData().GetTCoords())[corners]
    return None


def usd_uv(mesh):
    st = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
    if not st.HasValue():
        return None
    values = np.array(st.ComputeFlattened(0))
    triangles = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    return values[triangles] if st.GetInterpolation() == "vertex" else values.reshape(-1, 3, 2)


def gltf_uv(glb, node):
    (primitive,) = glb.file.meshes[node.mesh].primitives
    if primitive.attributes.TEXCOORD_0 is None:
        return None
    uv = glb.array(primitive.attributes.TEXCOORD_0)
    return np.stack([uv[:, 0], 1 - uv[:, 1]], 1)[glb.array(primitive.indices).astype(int).reshape(-1, 3)]


def npz_uv(path):
    with np.load(path) as archive:
        return archive["texture"] if "texture" in archive else None


def files(directory, group):
    """The last file of a group in a folder: numbered if it moves, alone if not."""
    return lambda kind, ending: sorted((directory / kind).glob(f"{group}*.{ending}"))[-1]


def trimesh_uv(scene, name):
    """What trimesh shows at each corner of a GLB file's mesh."""
    mesh = scene.geometry[name]
    return np.asarray(mesh.visual.uv)[mesh.faces]


def directory_checks(label, directory, groups):
    """All formats of a directory; `groups` has (name, triangles, coordinates) of each body by kind."""
    stage = Usd.Stage.Open(str(directory / "frames.usda"))
    glb = Glb(directory / "frames.glb")
    nodes = {node.name: node for node in glb.file.nodes}
    scene = trimesh.load(directory / "frames.glb", process=False)
    for group, bodies in groups.items():
        last = files(directory, group)
        yield same(f"{label}: plyfile: {group}", ply_uv(last("ply", "ply")), joined(bodies))
        yield same(f"{label}: vtk: {group}", vtk_uv(last("vtk", "vtp")), joined(bodies))
        archive = directory / ("frames.npz" if group == "cloth" else "obstacles.npz")
        bare = [(n, c, np.full((c, 3, 2), np.nan) if uv is None else uv) for n, c, uv in bodies]
        found, wanted = npz_uv(archive), joined(bare)
        yield f"{label}: numpy: {group}", found is not None and np.allclose(found, wanted, 0, TOLERANCE, equal_nan=True), "others"
        texts = obj_bodies(last("obj", "obj"))
        for name, _, uv in bodies:
            yield same(f"{label}: obj: {name}", texts[name], uv)
            yield same(f"{label}: usd: {name}", usd_uv(UsdGeom.Mesh(stage.GetPrimAtPath(f"/World/{name}"))), uv)
            yield same(f"{label}: pygltflib: {name}", gltf_uv(glb, nodes[name]), uv)
            if uv is not None:
                yield same(f"{label}: trimesh: {name}", trimesh_uv(scene, name), uv)
            for cache in ("pc2", "mdd"):
                rest = directory / cache / f"{'' if group == 'cloth' else 'obstacle-'}{name}.obj"
                yield same(f"{label}: rest mesh of {cache}: {name}", *[next(iter(obj_bodies(rest).values())), uv])


def main():
    folder, data = Path(sys.argv[1]), Path(sys.argv[2])
    tee, shirt, man = sources(data)
    cloth = [("tee", len(tee), tee), ("shirt", len(shirt), shirt)]
    obstacles = [("man", len(man), man), ("plain", 80, None)]
    named = {"cloth": cloth, "obstacles": obstacles}
    # PLY and VTK files hold all bodies of a kind as one mesh.
    whole = {g: [(g, sum(c for _, c, _ in bodies), joined(bodies))] for g, bodies in named.items()}

    def checks():
        yield from directory_checks("run", folder / "run", named)
        for source in ("npz", "obj", "usd", "gltf"):
            yield from directory_checks(f"from {source}", folder / f"from-{source}", named)
        # Caches are found by their names, in the order of the alphabet.
        for source in ("pc2", "mdd"):
            sorted_cloth = {"cloth": sorted(cloth, key=lambda body: body[0]), "obstacles": obstacles}
            yield from directory_checks(f"from {source}", folder / f"from-{source}", sorted_cloth)
        for source in ("ply", "vtk"):
            yield from directory_checks(f"from {source}", folder / f"from-{source}", whole)
        yield from directory_checks("convert shirt", folder / "tshirt", {"cloth": [("tshirt_female", len(tee), tee)]})
        yield from directory_checks("convert man", folder / "man", {"cloth": [("Cesium_Man", len(man), man)]})

    report(checks())


main()
