"""Opens every format of a run of `formats.toml` with readers that are not ours.

usage: open_formats.py RUN_DIRECTORY
The reference is `frames.npz` as NumPy reads it, and that is checked against the scene's closed forms first. Blender
has a script of its own.
"""

import csv
import struct
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import trimesh
from checks import bodies, close, equal, report, single_precision
from glb import Glb
from plyfile import PlyData
from pxr import Usd, UsdGeom
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

GRAVITY = 9.81
RATE = 24
STEPS_PER_FRAME = 2
# Positions are solved to a part of an edge length; a free fall is far better [m].
SOLVED = 1e-9


def closed_forms(cast):
    """Free fall by backward Euler, and an obstacle carried by keyframes."""
    sheet, tube, ball, floor = (next(b for b in cast if b.name == n) for n in ("sheet", "tube", "ball", "floor"))
    frames = np.arange(len(sheet.positions))
    h, n = 1 / (RATE * STEPS_PER_FRAME), frames * STEPS_PER_FRAME
    fall = -GRAVITY * h * h * n * (n + 1) / 2
    for body, speed in ((sheet, 0.5), (tube, 0.0)):
        shift = np.stack([speed * frames / RATE, 0 * fall, fall], 1)[:, None, :]
        yield close(f"{body.name} falls freely", body.positions, body.positions[0] + shift, SOLVED)
    ends = ball.positions[-1] - ball.positions[0]
    yield close("ball is carried", ends, np.tile([0, 0, 3 * frames[-1] / RATE], (len(ends), 1)), 1e-12)
    yield equal("floor stands", floor.positions, np.tile(floor.positions[0], (len(frames), 1, 1)))
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, 5), np.linspace(-0.4, 0.4, 4), indexing="ij")
    expected = np.stack([x, y, 0 * x], -1).reshape(-1, 3)
    yield close("the sheet starts as the scene says", sheet.positions[0], expected, 1e-15)


def joined(cast, kind):
    """Positions, triangles, uv per corner and normals of all bodies of a kind, as one mesh."""
    chosen = [b for b in cast if b.kind == kind]
    starts = np.cumsum([0] + [b.positions.shape[1] for b in chosen])
    X = np.concatenate([b.positions for b in chosen], 1)
    F = np.concatenate([b.triangles + s for b, s in zip(chosen, starts)])
    UV = np.concatenate([b.uv for b in chosen]) if chosen[0].uv is not None else None
    return X, F, UV, lambda k: np.concatenate([b.normals(k) for b in chosen])


def names(folder, extension, digits=4):
    return sorted(p.name for p in folder.iterdir() if p.suffix == extension)


def ply_checks(run, cast, frames):
    folder = run / "ply"
    X, F, UV, normals = joined(cast, "cloth")
    expected = [f"{g}_{k:04}.ply" for g in ("cloth", "obstacles") for k in range(frames)]
    yield "ply: a padded file per frame", names(folder, ".ply") == expected, names(folder, ".ply")[:3]
    for k in range(frames):
        ply = PlyData.read(folder / f"cloth_{k:04}.ply")
        vertex, face = ply["vertex"], ply["face"]
        points = np.stack([vertex[c] for c in "xyz"], 1)
        yield close(f"plyfile: positions of frame {k}", points, X[k], single_precision(X))
        turned = np.stack([vertex["n" + c] for c in "xyz"], 1)
        yield close(f"plyfile: normals of frame {k}", turned, normals(k), 1e-6)
    yield equal("plyfile: triangles", np.vstack(face["vertex_indices"]), F)
    owners = np.repeat([0, 1, 2], [len(b.triangles) for b in cast[:3]])
    yield equal("plyfile: body of every triangle", face["body"], owners)
    named = [f"body {k} is {b.name}" for k, b in enumerate(cast[:3])]
    yield "plyfile: names of the bodies", [c for c in ply.comments if c.startswith("body")] == named, ply.comments
    yield close("plyfile: uv of every corner", np.vstack(face["texcoord"]).reshape(-1, 3, 2), UV, 1e-6)
    mesh = trimesh.load_mesh(folder / f"cloth_{frames - 1:04}.ply", process=False)
    # trimesh repeats the vertices of a seam, so corners are compared, in the order of triangles.
    yield close("trimesh: every corner of a PLY file", mesh.vertices[mesh.faces], X[-1][F], single_precision(X))
    O, OF, _, _ = joined(cast, "obstacle")
    mesh = trimesh.load_mesh(folder / f"obstacles_{frames - 1:04}.ply", process=False)
    yield close("trimesh: obstacles of a PLY file", mesh.vertices, O[-1], single_precision(O))


def obj_checks(run, cast, frames):
    X, F, UV, normals = joined(cast, "cloth")
    # Shortest digits name a number of single precision, and reading them in double precision adds as much again.
    tolerance = 2 * single_precision(X)
    for k in (0, frames - 1):
        path = run / f"obj/cloth_{k:04}.obj"
        mesh = trimesh.load_mesh(path, process=False, maintain_order=True)
        yield close(f"trimesh: positions of OBJ frame {k}", mesh.vertices, X[k], tolerance)
        yield equal(f"trimesh: triangles of OBJ frame {k}", mesh.faces, F)
        lines = [line.split() for line in path.read_text().splitlines()]
        table = lambda word: np.array([line[1:] for line in lines if line[0] == word], float)
        corners = np.array([[c.split("/") for c in line[1:]] for line in lines if line[0] == "f"], int) - 1
        yield close(f"obj: normals of frame {k}", table("vn")[corners[:, :, 2]], normals(k)[F], 1e-6)
        yield close(f"obj: uv of frame {k}", table("vt")[corners[:, :, 1]], UV, 1e-6)
        objects = [line[1] for line in lines if line[0] == "o"]
        yield f"obj: one object per body in frame {k}", objects == ["sheet", "tube", "ribbon"], objects


def vtk_checks(run, cast, frames):
    X, F, UV, normals = joined(cast, "cloth")
    entries = ElementTree.parse(run / "vtk/frames.pvd").findall("Collection/DataSet")
    cloth = [e for e in entries if e.get("part") == "0"]
    yield equal("pvd: the time of every frame", [float(e.get("timestep")) for e in cloth], np.arange(frames) / RATE)
    yield "pvd: every file is there", all((run / "vtk" / e.get("file")).exists() for e in entries), "missing"
    for k, entry in enumerate(cloth):
        reader = vtkXMLPolyDataReader()
        reader.SetFileName(str(run / "vtk" / entry.get("file")))
        reader.Update()
        data = reader.GetOutput()
        yield equal(f"vtk: positions of frame {k}", vtk_to_numpy(data.GetPoints().GetData()), X[k])
        time = vtk_to_numpy(data.GetFieldData().GetArray("TimeValue"))
        yield equal(f"vtk: time of frame {k}", time, [k / RATE])
        found = vtk_to_numpy(data.GetPointData().GetNormals())
        yield close(f"vtk: normals of frame {k}", found, normals(k), 1e-6)
    yield equal("vtk: triangles", vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3), F)
    cells, points = data.GetCellData(), data.GetPointData()
    field = lambda data, name: vtk_to_numpy(data.GetArray(name)).astype(float)
    yield close("vtk: uv of every corner", field(cells, "uv").reshape(-1, 3, 2), UV, 1e-6)
    labels = data.GetFieldData().GetAbstractArray("body_names")
    labels = [labels.GetValue(k) for k in range(labels.GetNumberOfValues())]
    yield "vtk: names of the bodies", labels == [b.name for b in cast[:3]], labels
    yield equal("vtk: body of every triangle", field(cells, "body"), np.repeat([0, 1, 2], [len(b.triangles) for b in cast[:3]]))
    velocity = field(points, "velocity")
    n = STEPS_PER_FRAME * (frames - 1)
    expected = np.tile([0.5, 0, -GRAVITY * n / (RATE * STEPS_PER_FRAME)], (20, 1))
    yield close("vtk: velocity in free fall", velocity[:20], expected, 1e-5)
    falling = len(cast[0].triangles)
    yield close("vtk: no strain in free fall", field(cells, "strain")[:falling], np.zeros((falling, 3)), 1e-6)
    ribbon = cast[2]
    first = len(F) - len(ribbon.triangles)
    e, s, k = (field(cells, name)[first:] for name in ("strain", "stress", "curvature"))
    yield close("vtk: strain of the ribbon", e, green_strain(ribbon, frames - 1), 1e-6)
    yield "vtk: the ribbon is stretched along its length", np.abs(e[:, 0]).max() > 1e-7, e
    yield close("vtk: stress over strain is the shear stiffness", s[:, 2], s[0, 2] / e[0, 2] * e[:, 2], 1e-4 * np.abs(s).max())
    yield "vtk: a ribbon held at one end bends downwards", k[:, 0].min() < -1e-3, k
    with open(run / "totals.csv", newline="") as file:
        last = list(csv.DictReader(file))[-1]
    energy = field(points, "elastic_energy")
    area = np.zeros(len(energy))
    np.add.at(area, F.ravel(), np.repeat(triangle_areas(UV) / 3, 3))
    total = float(last["elastic_energy_J"])
    yield "vtk: density of energy sums up to the energy", abs((energy * area).sum() - total) < 1e-5 * total, (energy * area).sum()


def triangle_areas(uv):
    a, b = uv[:, 1] - uv[:, 0], uv[:, 2] - uv[:, 0]
    return 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def green_strain(body, frame):
    """½(FᵀF − 1) of every triangle: along warp, along weft, twice the mixed component."""
    x, uv = body.positions[frame][body.triangles], body.uv
    d = np.stack([x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]], -1)
    p = np.stack([uv[:, 1] - uv[:, 0], uv[:, 2] - uv[:, 0]], -1)
    f = d @ np.linalg.inv(p)
    c = np.swapaxes(f, 1, 2) @ f
    return np.stack([(c[:, 0, 0] - 1) / 2, (c[:, 1, 1] - 1) / 2, c[:, 0, 1]], -1)


def cache_checks(run, cast, frames):
    for body in (b for b in cast if b.name != "floor"):
        stem = body.name if body.kind == "cloth" else f"obstacle-{body.name}"
        count = body.positions.shape[1]
        data = (run / f"pc2/{stem}.pc2").read_bytes()
        header = struct.unpack_from("<12siiffi", data)
        yield f"pc2: header of {body.name}", header == (b"POINTCACHE2\0", 1, count, 0.0, 1.0, frames), header
        points = np.frombuffer(data, "<f4", offset=32).reshape(frames, count, 3)
        yield close(f"pc2: all frames of {body.name}", points, body.positions, single_precision(body.positions))
        data = (run / f"mdd/{stem}.mdd").read_bytes()
        header = struct.unpack_from(">ii", data)
        yield f"mdd: header of {body.name}", header == (frames, count), header
        times = np.frombuffer(data, ">f4", frames, 8)
        yield equal(f"mdd: times of {body.name}", times, (np.arange(frames) / RATE).astype(np.float32))
        points = np.frombuffer(data, ">f4", offset=8 + 4 * frames).reshape(frames, count, 3)
        yield close(f"mdd: all frames of {body.name}", points, body.positions, single_precision(body.positions))


def usd_checks(run, cast, frames):
    stage = Usd.Stage.Open(str(run / "frames.usda"))
    yield "usd: z is up", UsdGeom.GetStageUpAxis(stage) == "Z", UsdGeom.GetStageUpAxis(stage)
    yield "usd: metres", UsdGeom.GetStageMetersPerUnit(stage) == 1.0, UsdGeom.GetStageMetersPerUnit(stage)
    yield "usd: time codes per second", stage.GetTimeCodesPerSecond() == RATE, stage.GetTimeCodesPerSecond()
    span = (stage.GetStartTimeCode(), stage.GetEndTimeCode())
    yield "usd: first and last frame", span == (0, frames - 1), span
    for body in cast:
        mesh = UsdGeom.Mesh(stage.GetPrimAtPath(f"/World/{body.name}"))
        codes = mesh.GetPointsAttr().GetTimeSamples()
        yield equal(f"usd: samples of {body.name}", codes, [] if body.name == "floor" else np.arange(frames))
        valid, why = UsdGeom.Mesh.ValidateTopology(mesh.GetFaceVertexIndicesAttr().Get(), mesh.GetFaceVertexCountsAttr().Get(), len(mesh.GetPointsAttr().Get(0)))
        yield f"usd: topology of {body.name} is valid", valid, why
        yield equal(f"usd: triangles of {body.name}", np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3), body.triangles)
        for k in range(frames):
            yield close(f"usd: positions of {body.name} at {k}", mesh.GetPointsAttr().Get(k), body.positions[k], single_precision(body.positions))
        yield close(f"usd: normals of {body.name}", mesh.GetNormalsAttr().Get(frames - 1), body.normals(frames - 1), 1e-6)
        yield f"usd: normals of {body.name} sit on vertices", mesh.GetNormalsInterpolation() == "vertex", mesh.GetNormalsInterpolation()
        box = np.array(mesh.GetExtentAttr().Get(frames - 1))
        yield close(f"usd: extent of {body.name}", box, [body.positions[-1].min(0), body.positions[-1].max(0)], single_precision(body.positions))
        if body.uv is not None:
            st = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
            values = np.array(st.ComputeFlattened(0))
            corners = values[body.triangles] if st.GetInterpolation() == "vertex" else values.reshape(-1, 3, 2)
            yield close(f"usd: uv of {body.name}", corners, body.uv, 1e-6)


def gltf_checks(run, cast, frames):
    glb = Glb(run / "frames.glb")
    file = glb.file
    animation = file.animations[0]
    times = glb.array(animation.samplers[0].input)[:, 0]
    yield equal("gltf: times", times, (np.arange(frames) / RATE).astype(np.float32))
    weights = glb.array(animation.samplers[0].output)[:, 0].reshape(frames, frames - 1)
    yield equal("gltf: weights", weights, np.eye(frames, frames - 1, -1))
    yield "gltf: interpolation", animation.samplers[0].interpolation == "LINEAR", animation.samplers[0].interpolation
    z_up = lambda a: np.stack([a[..., 0], -a[..., 2], a[..., 1]], -1)
    animated = {channel.target.node for channel in animation.channels}
    for b, body in enumerate(cast):
        node = file.nodes[b]
        primitive = file.meshes[node.mesh].primitives[0]
        corners = glb.array(primitive.indices).reshape(-1, 3)
        yield f"gltf: {body.name} is named", node.name == body.name, node.name
        yield f"gltf: {body.name} is animated if it moves", (b in animated) == (body.name != "floor"), animated
        base, turned = glb.array(primitive.attributes.POSITION), glb.array(primitive.attributes.NORMAL)
        yield f"gltf: bounds of {body.name}", glb.bounds_hold(primitive.attributes.POSITION), "others"
        if body.uv is not None:
            uv = glb.array(primitive.attributes.TEXCOORD_0)
            found = np.stack([uv[..., 0], 1 - uv[..., 1]], -1)[corners]
            yield close(f"gltf: uv of {body.name}", found, body.uv, 1e-6)
        scale = node.scale[0] if node.scale else 1.0
        tolerance = scale / 65534 + 4 * single_precision(body.positions)
        for k in range(frames):
            target = (primitive.targets or [None] * frames)[k - 1] if k else None
            shift = glb.array(target["POSITION"]) if target else 0
            turn = glb.array(target["NORMAL"]) if target else 0
            if target:
                yield f"gltf: bounds of {body.name} at frame {k}", glb.bounds_hold(target["POSITION"]), "others"
            found = z_up(scale * (base + shift))
            # Vertices come in their order; a seam repeats some of them at the end.
            count = body.positions.shape[1]
            yield close(f"gltf: positions of {body.name} at frame {k}", found[:count], body.positions[k], tolerance)
            yield close(f"gltf: corners of {body.name} at frame {k}", found[corners], body.positions[k][body.triangles], tolerance)
            yield close(f"gltf: normals of {body.name} at frame {k}", z_up(turned + turn)[:count], body.normals(k), 0.02)
    scene = trimesh.load(run / "frames.glb", process=False)
    for body in cast:
        found = z_up(scene.geometry[body.name].vertices * (scene.graph.get(body.name)[0][0, 0]))
        count = body.positions.shape[1]
        yield close(f"trimesh: {body.name} of the GLB file", found[:count], body.positions[0], 1e-6)


def csv_checks(run, cast, frames):
    with open(run / "totals.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    column = lambda name: np.array([float(row[name]) for row in rows])
    X, F, _, _ = joined(cast, "cloth")
    yield equal("csv: frames", column("frame"), np.arange(frames))
    yield equal("csv: times", column("time_s"), np.arange(frames) / RATE)
    yield equal("csv: steps", column("steps"), STEPS_PER_FRAME * np.arange(frames))
    a, b, c = (X[:, F[:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=-1) / 2
    yield close("csv: area", column("area_m2"), areas.sum(1), 1e-12)
    yield close("csv: lowest point", column("low_z_m"), X[:, :, 2].min(1), 0.0)


def main():
    run = Path(sys.argv[1])
    cast, rate = bodies(run)
    frames = len(cast[0].positions)

    def checks():
        yield "the archives know the rate", rate == RATE, rate
        yield "the archives know the bodies", [b.name for b in cast] == ["sheet", "tube", "ribbon", "ball", "floor"], [b.name for b in cast]
        yield from closed_forms(cast)
        for part in (ply_checks, obj_checks, vtk_checks, cache_checks, usd_checks, gltf_checks, csv_checks):
            yield from part(run, cast, frames)

    report(checks())


main()
