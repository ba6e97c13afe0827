"""Checks that no format loses time over the 10,000 frames of `drift.toml`.

usage: open_drift.py RUN_DIRECTORY
The sheet moves by 0.01 m/s without force, so frame k is at x₀ + 0.01 k/60: positions say which time a frame shows.
"""

import csv
import json
import struct
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
from checks import close, equal, report, single_precision
from pxr import Usd, UsdGeom

FRAMES = 10_001
TIMES = np.arange(FRAMES) / 60
SPEED = 0.01


def checks(run):
    with np.load(run / "frames.npz", allow_pickle=False) as archive:
        X, start = archive["X"], archive["V0"]
    expected = start + TIMES[:, None, None] * [SPEED, 0, 0]
    yield close("npz: 10,000 frames in their places", X, expected, 1e-9)
    tolerance = single_precision(expected) + 1e-9
    entries = ElementTree.parse(run / "vtk/frames.pvd").findall("Collection/DataSet")
    yield equal("pvd: 10,000 exact times", [float(e.get("timestep")) for e in entries], TIMES)
    files = [e.get("file") for e in entries]
    yield "vtk: numbers padded to five digits", files[-1] == "cloth_10000.vtp" and files[7] == "cloth_00007.vtp", files[7]
    yield "vtk: names sort by time", files == sorted(files), "another order"
    with open(run / "totals.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    yield equal("csv: 10,000 exact times", [float(row["time_s"]) for row in rows], TIMES)
    yield close("csv: the centroid at every time", [float(r["centroid_x_m"]) for r in rows], SPEED * TIMES, 1e-9)
    points = np.frombuffer((run / "pc2/sheet.pc2").read_bytes(), "<f4", offset=32).reshape(FRAMES, 4, 3)
    yield close("pc2: 10,000 frames in their places", points, expected, tolerance)
    data = (run / "mdd/sheet.mdd").read_bytes()
    yield equal("mdd: 10,000 times", np.frombuffer(data, ">f4", FRAMES, 8), TIMES.astype(np.float32))
    points = np.frombuffer(data, ">f4", offset=8 + 4 * FRAMES).reshape(FRAMES, 4, 3)
    yield close("mdd: 10,000 frames in their places", points, expected, tolerance)
    stage = Usd.Stage.Open(str(run / "frames.usda"))
    attribute = UsdGeom.Mesh(stage.GetPrimAtPath("/World/sheet")).GetPointsAttr()
    codes = np.array(attribute.GetTimeSamples())
    yield equal("usd: 10,000 exact times", codes / stage.GetTimeCodesPerSecond(), TIMES)
    points = [attribute.Get(float(code)) for code in codes]
    yield close("usd: 10,000 frames in their places", points, expected, tolerance)
    data = (run / "frames.glb").read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    # pygltflib takes half a minute for so many accessors; it reads a shorter file in `open_formats.py`.
    file, blob = json.loads(data[20 : 20 + length]), data[28 + length :]
    accessor = file["accessors"][file["animations"][0]["samplers"][0]["input"]]
    offset = file["bufferViews"][accessor["bufferView"]]["byteOffset"]
    times = np.frombuffer(blob, "<f4", accessor["count"], offset)
    yield equal("gltf: 10,000 times", times, TIMES.astype(np.float32))
    targets = file["meshes"][0]["primitives"][0]["targets"]
    yield "gltf: a target per frame", len(targets) == FRAMES - 1, len(targets)


report(checks(Path(sys.argv[1])))
