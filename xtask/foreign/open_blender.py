"""Opens a run of `formats.toml` with Blender: point caches through their script, USD, glTF, OBJ and PLY.

usage: open_blender.py RUN_DIRECTORY
Blender evaluates each body at each frame; what it shows is compared with `frames.npz` as NumPy reads it.
"""

import runpy
import sys
from pathlib import Path

import numpy as np
from blender import empty, quietly, uv_of_corners
from checks import bodies, close, equal, report, single_precision

import bpy

RATE = 24


def shown(thing):
    """World positions of an object as Blender evaluates it at the current frame."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", points)
    evaluated.to_mesh_clear()
    matrix = np.array(evaluated.matrix_world)
    return points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def triangles(thing):
    corners = np.empty(len(thing.data.loops), int)
    thing.data.loops.foreach_get("vertex_index", corners)
    return corners.reshape(-1, 3)


def at_frames(label, found, body, tolerance, frames):
    """Positions at every frame, and halfway between two."""
    scene = bpy.context.scene
    for k in frames:
        scene.frame_set(k)
        yield close(f"{label}: {body.name} at frame {k}", shown(found)[: body.positions.shape[1]], body.positions[k], tolerance)
    scene.frame_set(frames[-1] - 1, subframe=0.5)
    between = 0.5 * (body.positions[frames[-1] - 1] + body.positions[frames[-1]])
    yield close(f"{label}: {body.name} between two frames", shown(found)[: body.positions.shape[1]], between, 4 * tolerance)


def cache_checks(run, cast, frames):
    for kind in ("pc2", "mdd"):
        empty()
        quietly(lambda: runpy.run_path(str(run / kind / "import_muslin.py")))
        scene = bpy.context.scene
        clock = (scene.frame_start, scene.frame_end, scene.render.fps / scene.render.fps_base)
        yield f"blender {kind}: clock", clock == (0, frames - 1, RATE), clock
        for body in cast:
            found = bpy.data.objects[body.name if body.kind == "cloth" else f"obstacle-{body.name}"]
            yield equal(f"blender {kind}: triangles of {body.name}", triangles(found), body.triangles)
            if body.uv is not None:
                yield close(f"blender {kind}: uv of {body.name}", uv_of_corners(found), body.uv, 1e-6)
            yield from at_frames(f"blender {kind}", found, body, 2 * single_precision(body.positions), range(frames))


def usd_checks(run, cast, frames):
    empty()
    quietly(lambda: bpy.ops.wm.usd_import(filepath=str(run / "frames.usda")))
    scene = bpy.context.scene
    yield "blender usd: last frame", scene.frame_end == frames - 1, scene.frame_end
    for body in cast:
        found = bpy.data.objects[body.name]
        yield equal(f"blender usd: triangles of {body.name}", triangles(found), body.triangles)
        if body.uv is not None:
            yield close(f"blender usd: uv of {body.name}", uv_of_corners(found), body.uv, 1e-6)
        yield from at_frames("blender usd", found, body, 2 * single_precision(body.positions), range(frames))


def gltf_checks(run, cast, frames):
    empty()
    bpy.context.scene.render.fps = RATE
    quietly(lambda: bpy.ops.import_scene.gltf(filepath=str(run / "frames.glb"), merge_vertices=False))
    for body in cast:
        found = bpy.data.objects[body.name]
        largest = np.abs(body.positions - body.positions[0]).max()
        tolerance = largest / 65534 + 8 * single_precision(body.positions)
        if body.uv is not None:
            yield close(f"blender gltf: uv of {body.name}", uv_of_corners(found), body.uv, 1e-6)
        yield from at_frames("blender gltf", found, body, tolerance, range(frames))


def still_checks(run, cast, frames):
    """One frame of each sequence."""
    k = frames - 1
    cloth = [b for b in cast if b.kind == "cloth"]
    tolerance = 2 * single_precision(np.concatenate([b.positions[k] for b in cloth]))
    empty()
    path = str(run / f"obj/cloth_{k:04}.obj")
    quietly(lambda: bpy.ops.wm.obj_import(filepath=path, forward_axis="Y", up_axis="Z"))
    for body in cloth:
        found = bpy.data.objects[body.name]
        yield close(f"blender obj: {body.name}", shown(found), body.positions[k], tolerance)
        yield close(f"blender obj: uv of {body.name}", uv_of_corners(found), body.uv, 1e-6)
    empty()
    path = str(run / f"ply/cloth_{k:04}.ply")
    quietly(lambda: bpy.ops.wm.ply_import(filepath=path, forward_axis="Y", up_axis="Z"))
    found = bpy.context.selected_objects[0]
    yield close("blender ply: all cloths", shown(found), np.concatenate([b.positions[k] for b in cloth]), tolerance)


def main():
    run = Path(sys.argv[1]).resolve()
    cast, _ = bodies(run)
    frames = len(cast[0].positions)

    def checks():
        yield "blender is 5.0.1", bpy.app.version == (5, 0, 1), bpy.app.version
        for part in (cache_checks, usd_checks, gltf_checks, still_checks):
            yield from part(run, cast, frames)

    report(checks())


main()
