"""What the scripts for Blender share."""

import os
import sys

import numpy as np

import bpy


def empty():
    """A fresh Blender without any object."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


def quietly(action):
    """Runs an action without the lines that Blender prints."""
    sys.stdout.flush()
    kept, null = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    try:
        return action()
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(null)


def uv_of_corners(thing):
    layer = thing.data.uv_layers[0]
    values = np.empty(2 * len(thing.data.loops))
    layer.uv.foreach_get("vector", values)
    return values.reshape(-1, 3, 2)
