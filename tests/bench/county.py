"""A generated county: parcels, elevations, wetlands and streams of any number, for the benchmarks.

    python -m tests.bench.county FOLDER PARCELS [CELLS]

Nothing of it is any real place. Elevations are rolling hills with valleys, 1 m cells stored as centimetres in tiled
deflate; they are written strip by strip, so that 10^9 cells and more need no memory.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pyogrio.raw
import rasterio
import shapely
from affine import Affine
from rasterio.crs import CRS

EPSG = "EPSG:6610"
WEST, NORTH = 680_000.0, 340_000.0
PER_KM2 = 200
TILE = 512


def side_of(parcels, cells):
    """Side of the county in metres: 200 parcels a square kilometre, or as many cells as were asked for."""
    return TILE * math.ceil(math.sqrt(cells or parcels / PER_KM2 * 1e6) / TILE)


def heights(column, row):
    """Metres: hills, valleys of three sizes, and a fall to the south-east."""
    z = 300 - 0.002 * column - 0.003 * row
    z = z + 14 * np.sin(column / 610) * np.cos(row / 540) + 5 * np.sin(column / 171 + np.sin(row / 210))
    return z + 1.6 * np.sin(row / 47 + column / 90) + 0.4 * np.sin(column / 11.0) * np.sin(row / 13.0)


def write_elevations(path, side):
    profile = {
        "driver": "GTiff", "width": side, "height": side, "count": 1, "dtype": "int32", "crs": CRS.from_string(EPSG),
        "transform": Affine(1, 0, WEST, 0, -1, NORTH), "tiled": True, "blockxsize": TILE, "blockysize": TILE,
        "compress": "deflate", "predictor": 2, "zlevel": 1, "bigtiff": "YES", "num_threads": 2,
    }  # fmt: skip
    with rasterio.open(path, "w", **profile) as out:
        out.scales = (0.01,)
        out.units = ("metre",)
        columns = np.arange(side, dtype=np.float64)[None, :]
        for row in range(0, side, TILE):
            rows = np.arange(row, row + TILE, dtype=np.float64)[:, None]
            z = np.round(100 * heights(columns, rows)).astype(np.int32)
            out.write(z, 1, window=((row, row + TILE), (0, side)))


def write(path, shapes, **fields):
    names = list(fields)
    pyogrio.raw.write(
        path, shapely.to_wkb(shapes), [np.asarray(fields[name], dtype=object) for name in names], names, layer=path.stem,
        driver=pyogrio.detect_write_driver(path), geometry_type="Unknown", crs=EPSG,
    )  # fmt: skip


def blobs(rng, count, side, corners, size_m):
    middle = rng.uniform(0, side, (count, 1, 2)) * (1, -1) + (WEST, NORTH)
    angle = np.sort(rng.uniform(0, 2 * np.pi, (count, corners)), axis=1)
    away = rng.uniform(0.6, 1.0, (count, corners)) * rng.lognormal(math.log(size_m), 0.7, (count, 1))
    ring = middle + np.stack([away * np.cos(angle), away * np.sin(angle)], axis=2)
    return shapely.polygons(np.concatenate([ring, ring[:, :1]], axis=1))


def make(folder, parcels, cells=0, wetlands=None, streams=None):
    """Write the county into a folder; by default 100 wetlands and 50 stream lines a square kilometre."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(20)
    side = side_of(parcels, cells)
    area_km2 = side * side / 1e6
    across = math.ceil(math.sqrt(parcels))
    step = side / across
    number = np.arange(parcels)
    west, south = WEST + number % across * step, NORTH - (number // across + 1) * step
    gap = 0.08 * step
    lots = shapely.box(west + gap, south + gap, west + step - gap * rng.uniform(0.2, 1, parcels), south + step - gap)
    write(folder / "parcels.gpkg", lots, PARCELID=[f"P{k:07d}" for k in number])
    drawn = blobs(rng, round(area_km2 * 100) if wetlands is None else wetlands, side, 34, 22)
    write(folder / "wetlands.fgb", drawn, WETLAND_TYPE=["PEM1C"] * len(drawn))
    count = round(area_km2 * 50) if streams is None else streams
    starts = rng.uniform(0, side, (count, 1, 2)) * (1, -1) + (WEST, NORTH)
    heading = rng.uniform(0, 2 * np.pi, (count, 1)) + np.cumsum(rng.normal(0, 0.25, (count, 25)), axis=1)
    courses = starts + np.cumsum(12 * np.stack([np.cos(heading), np.sin(heading)], axis=2), axis=1)
    write(folder / "streams.fgb", shapely.linestrings(courses), FCODE=[46006] * count,
          GNIS_NAME=[f"Creek {k}" if k % 5 == 0 else "" for k in range(count)])  # fmt: skip
    flood = blobs(rng, max(round(area_km2 / 4), 1), side, 60, 180)
    write(
        folder / "floodplain.fgb",
        flood,
        FLD_ZONE=["AE"] * len(flood),
        ZONE_SUBTY=["FLOODWAY" if k % 3 == 0 else "" for k in range(len(flood))],
    )
    limits = blobs(rng, max(round(area_km2 / 60), 1), side, 40, 1200)
    write(
        folder / "municipalities.fgb",
        limits,
        NAME=[f"Village {k}" for k in range(len(limits))],
        LSAD=["village"] * len(limits),
    )
    write_elevations(folder / "dem.tif", side)
    layers = [
        ("wetlands", "wetlands"), ("waters", "streams"), ("flowlines", "streams"), ("floodplain", "floodplain"),
        ("municipalities", "municipalities"),
    ]  # fmt: skip
    lines = ['name = "a generated county"', "invented = true"]
    for role, name in layers:
        lines += ["[[layer]]", f'role = "{role}"', f'path = "{name}.fgb"', 'coverage = "extent"', 'date = "2026-01-01"']
    lines += ["[[dem]]", 'path = "dem.tif"', 'units = "m"', "vertical_accuracy_ft = 0.3"]
    (folder / "layers.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return side


if __name__ == "__main__":
    where, how_many = Path(sys.argv[1]), int(float(sys.argv[2]))
    print(f"{make(where, how_many, int(float(sys.argv[3])) if len(sys.argv) > 3 else 0)} m a side")
