"""Loads the scene "@SCENE@" into Blender: every body as a mesh, animated by its point cache.

From a shell:    blender --python import_muslin.py
Inside Blender:  open this file in the text editor and press "Run Script".

Frame 0 is the start of the simulation. Units are metres and z is up, as in Blender.
"""

import math
import struct
from pathlib import Path

import bpy

CACHE = "@CACHE@"
FRAMES_PER_SECOND = @FRAMES_PER_SECOND@


def folder():
    """The directory of this script, whether it was run from a shell or from the text editor."""
    text = getattr(getattr(bpy.context, "space_data", None), "text", None)
    path = text.filepath if text is not None and text.filepath else globals().get("__file__", "")
    return Path(bpy.path.abspath(path)).resolve().parent


def frames_in(cache):
    """How many frames a cache holds."""
    with open(cache, "rb") as file:
        header = file.read(32)
    return struct.unpack_from("<i", header, 28)[0] if CACHE == "pc2" else struct.unpack_from(">i", header, 0)[0]


def load_body(mesh_file):
    """Loads a mesh, and its cache if it has one; returns the object and the cache's frames."""
    bpy.ops.wm.obj_import(filepath=str(mesh_file), forward_axis="Y", up_axis="Z")
    body = bpy.context.selected_objects[0]
    body.name = mesh_file.stem
    cache = mesh_file.with_suffix("." + CACHE)
    if not cache.exists():
        return body, 0
    modifier = body.modifiers.new("Muslin", "MESH_CACHE")
    modifier.cache_format = CACHE.upper()
    modifier.filepath = str(cache)
    modifier.interpolation = "LINEAR"
    modifier.time_mode = "FRAME"
    modifier.play_mode = "SCENE"
    modifier.frame_start = 0.0
    modifier.frame_scale = 1.0
    return body, frames_in(cache)


def set_clock(scene, frames):
    """Blender's frame k is the simulation's frame k."""
    whole = max(1, math.ceil(FRAMES_PER_SECOND))
    scene.render.fps = whole
    scene.render.fps_base = whole / FRAMES_PER_SECOND
    scene.frame_start = 0
    scene.frame_end = max(frames - 1, 0)
    scene.frame_set(0)


def main():
    bodies = [load_body(path) for path in sorted(folder().glob("*.obj"))]
    set_clock(bpy.context.scene, max((frames for _, frames in bodies), default=1))
    print(f"muslin: {len(bodies)} bodies, frames 0 to {bpy.context.scene.frame_end}")


main()
