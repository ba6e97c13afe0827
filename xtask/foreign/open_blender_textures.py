"""Opens a run of `textures.toml` with Blender and compares each triangle's texture coordinates with the source's.

usage: open_blender_textures.py FOLDER DATA
"""

import runpy
import sys
from pathlib import Path

from blender import empty, quietly, uv_of_corners
from checks import close, report
from sources import sources

import bpy


def importers(run):
    """How each format is opened, and what its obstacles' names begin with."""
    for cache in ("pc2", "mdd"):
        yield cache, "obstacle-", lambda: runpy.run_path(str(run / cache / "import_muslin.py"))
    yield "usd", "", lambda: bpy.ops.wm.usd_import(filepath=str(run / "frames.usda"))
    yield "gltf", "", lambda: bpy.ops.import_scene.gltf(filepath=str(run / "frames.glb"), merge_vertices=False)

    def obj():
        for group in ("cloth", "obstacles"):
            bpy.ops.wm.obj_import(filepath=str(run / f"obj/{group}_0002.obj"), forward_axis="Y", up_axis="Z")

    yield "obj", "", obj


def checks(run, data):
    tee, shirt, man = sources(data)
    for kind, prefix, load in importers(run):
        empty()
        quietly(load)
        for name, expected in (("tee", tee), ("shirt", shirt), (prefix + "man", man)):
            thing = bpy.data.objects[name]
            yield f"blender {kind}: {name} has coordinates", len(thing.data.uv_layers) == 1, len(thing.data.uv_layers)
            yield close(f"blender {kind}: uv of {name}", uv_of_corners(thing), expected, 1e-6)
        plain = bpy.data.objects[prefix + "plain"].data.uv_layers
        yield f"blender {kind}: a sphere without coordinates has none", len(plain) == 0, len(plain)


report(checks(Path(sys.argv[1]).resolve() / "run", Path(sys.argv[2])))
