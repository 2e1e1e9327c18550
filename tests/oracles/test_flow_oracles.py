"""Where runoff goes, against GRASS's r.watershed (a least-cost search too) on ground like that of lidar."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest
import rasterio
from affine import Affine
from shapely import LineString, Point, box

from siteplan_gis.crs import georeference
from siteplan_gis.frame import frame_around
from siteplan_gis.measures.runoff.flow import BARRIER_M, condition_around, trace
from siteplan_gis.model.terrain import ElevationGrid

SIZE, COUNT, QUARTER_MILE_M, NEAR_M = 2000, 200, 402.336, 20.0
MARGIN = 600
"""Starts lie so far from the rim that no path of a quarter mile comes near it."""

_LONGER = 1.7
"""So much longer than a path without swings may a staircase over noise be."""


def made(folder, seed=3):
    """The directions of GRASS, and our ground, made ready."""
    z = lidar_like(SIZE, seed)
    transform = Affine(1, 0, 400_000, 0, -1, 4_800_000 + SIZE)
    directions = grass_directions(z, transform, folder)
    geo = georeference("EPSG:26916")
    frame = frame_around(geo.lonlat(np.array([[400_000 + SIZE / 2, 4_800_000 + SIZE / 2]])))
    grid = ElevationGrid(z, transform, geo, frame, np.ones(SIZE), np.ones(SIZE))
    return directions, condition_around(grid, grid.placed(box(0, 0, SIZE, SIZE)), 0.0)


def apart(directions, near, row, col, barrier_m=BARRIER_M):
    """How far the end of our path lies from GRASS's course, or GRASS's end from our path, whichever is farther.

    Each end is held against the other's way, so the length of GRASS's staircase does not matter. Infinite where either
    is no quarter mile long: it stops in a depression, or meets the rim of the ground, which proves nothing.
    """
    course = grass_course(directions, row, col, _LONGER * QUARTER_MILE_M)
    traced = trace(near, near.placed(Point(col + 0.5, row + 0.5)), (), QUARTER_MILE_M, barrier_m)
    if course is None or traced.ends_because != "farther_than_limit":
        return np.inf
    path, end = near.pixels(traced.path), Point(grass_course(directions, row, col, QUARTER_MILE_M)[-1])
    return max(LineString(course).distance(Point(path.coords[-1])), path.distance(end))


def starts():
    return np.random.default_rng(5).integers(MARGIN, SIZE - MARGIN, (COUNT, 2)).tolist()


@pytest.mark.skipif(shutil.which("grass") is None, reason="GRASS is only an oracle")
def test_quarter_mile_paths_end_where_those_of_grass_do(tmp_path):
    """191 of 200 when this was written; more grounds: tests/campaigns/grass_paths.py."""
    directions, near = made(tmp_path)
    agree = sum(apart(directions, near, row, col) <= NEAR_M for row, col in starts())
    assert agree >= 0.9 * COUNT


def lidar_like(size, seed=3):
    """Rolling ground with 1/f**2.2 relief, tilted to the south, and 3 cm of noise two cells wide."""
    rng = np.random.default_rng(seed)
    frequency = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size)[None])
    frequency[0, 0] = 1
    relief = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((size, size))) * frequency**-2.2, s=(size, size))
    noise = rng.standard_normal((size + 2, size + 2))
    smooth = sum(noise[i : i + size, j : j + size] for i in range(3) for j in range(3)) / 3
    return relief / relief.std() * 4 + 0.02 * (size - np.arange(size))[:, None] + 0.03 * smooth


def grass_directions(z, transform, folder):
    with rasterio.open(
        folder / "z.tif", "w", driver="GTiff", height=z.shape[0], width=z.shape[1], count=1, dtype="float64",
        crs="EPSG:26916", transform=transform,
    ) as file:  # fmt: skip
        file.write(z, 1)
    script = folder / "run.sh"
    script.write_text(
        f"r.in.gdal -o input={folder}/z.tif output=z --q && g.region raster=z && r.watershed -s elevation=z drainage=d --q"
        f" && r.out.gdal input=d output={folder}/d.tif format=GTiff type=Int16 --q\n"
    )
    subprocess.run(
        ["grass", "-c", "EPSG:26916", str(folder / "place"), "--exec", "sh", str(script)],
        check=True,
        capture_output=True,
    )
    with rasterio.open(folder / "d.tif") as file:
        return file.read(1)


def grass_course(directions, row, col, length_m):
    """Cell middles (column, row) along GRASS's directions (1 is north-east, counter-clockwise); None off the grid."""
    steps = {1: (-1, 1), 2: (-1, 0), 3: (-1, -1), 4: (0, -1), 5: (1, -1), 6: (1, 0), 7: (1, 1), 8: (0, 1)}
    course, gone = [(col + 0.5, row + 0.5)], 0.0
    while gone < length_m:
        if directions[row, col] <= 0:
            return None
        down, right = steps[directions[row, col]]
        row, col, gone = row + down, col + right, gone + np.hypot(down, right)
        course.append((col + 0.5, row + 0.5))
    return course
