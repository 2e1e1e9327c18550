"""Stairs of resampling, seams of tiles and water made level, and natural ground that has none of them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import rasterio
import shapely
from affine import Affine

from siteplan_gis.crs import georeference
from siteplan_gis.frame import Frame
from siteplan_gis.measures.terrain.artefacts import LEVEL_M2, has_stairs, is_level, level_ground, seams
from siteplan_gis.model.terrain import ElevationGrid

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "dem"
LAEA = georeference("+proj=laea +lat_0=43 +lon_0=-88 +ellps=GRS80 +units=m +type=crs")


def rough(rows=320, columns=400, step=0.01, slope=0.05, noise=0.03, seed=3):
    """A hillside like lidar's: a plane, hills, noise, and heights kept in whole steps."""
    y, x = np.mgrid[:rows, :columns].astype(float)
    z = 250 + slope * x + 2 * np.sin(x / 40) + 3 * np.cos(y / 31)
    z += np.random.default_rng(seed).normal(0, noise, z.shape)
    return np.round(z / step) * step if step else z


@pytest.mark.parametrize("factor", [2, 3, 5, 10])
@pytest.mark.parametrize("step", [0.0, 0.01])
def test_heights_repeated_by_nearest_neighbour(factor, step):
    coarse = rough(60, 80, step, slope=0.05 * factor)
    assert has_stairs(coarse.repeat(factor, 0).repeat(factor, 1), step)


def test_cells_that_are_narrower_than_the_source_repeat_here_and_there():
    # 10.3 m by 7.5 m to 7.5 m squares: every third row twice.
    z = rough(300, 300, 0.01)
    assert has_stairs(z[(np.arange(400) * 0.73).astype(int)], 0.01)


@pytest.mark.parametrize("step", [0.0, 0.001, 0.01, 0.1])
@pytest.mark.parametrize("noise", [0.0, 0.03, 0.1])
@pytest.mark.parametrize("slope", [0.0, 0.003, 0.05, 0.3])
def test_natural_ground_and_planes_have_no_stairs(step, noise, slope):
    z = rough(step=step, noise=noise, slope=slope)
    assert not has_stairs(z, step)
    y, x = np.mgrid[:200, :200]
    for plane in (slope * x, slope * y, slope * (x + 2 * y)):
        stored = np.round(plane / step) * step if step else plane.astype(float)
        assert not has_stairs(stored, step)
    assert seams(z, step) == []
    assert seams(z, step, [("column", 200), ("row", 100)]) == []


@pytest.mark.skipif(not DATA.is_dir(), reason="the public data are not beside the project")
@pytest.mark.parametrize("name", ["wi_plainfield_10m/dem10m.tif", "mn_lidar_1m/dem.tif", "fr_alps_25m_3035/dem.tif",
                                  "nc_wake_30m/elev_ned_30m.tif", "wi_taylor_100m_4269/dem.tif"])  # fmt: skip
def test_real_elevation_models_have_neither(name):
    with rasterio.open(DATA / name) as file:
        z = file.read(1, masked=True).astype(float).filled(np.nan)
    assert not has_stairs(z, 0.0)
    assert seams(z, 0.0) == []


@pytest.mark.parametrize("axis", ["column", "row"])
@pytest.mark.parametrize(("offset", "found"), [(0.09, False), (0.13, True), (-0.4, True), (30.0, True)])
def test_a_step_at_a_joint_of_tiles(axis, offset, found):
    z = rough(noise=0.01)
    (z[:, 150:] if axis == "column" else z[150:])[:] += offset
    steps = seams(z, 0.01, [(axis, 150), (axis, 0), (axis, 400)])
    assert [(seam.axis, seam.place) for seam in steps] == ([(axis, 150)] if found else [])
    if found:
        assert steps[0].step_m == pytest.approx(offset, abs=0.03)


def test_a_step_elsewhere_must_run_through_the_whole_window():
    through, partly = rough(640, noise=0.01), rough(640, noise=0.01)
    through[:, 150:] += 0.5
    partly[:300, 150:160] += 0.5
    assert [seam.place for seam in seams(through, 0.01)] == [150]
    assert seams(partly, 0.01) == []


def test_a_break_of_slope_is_no_seam():
    _, x = np.mgrid[:640, :400].astype(float)
    for z in (0.3 * np.maximum(x - 200, 0), 0.3 * np.abs(x - 200), 0.4 * x - 0.1 * np.maximum(x - 200, 0)):
        assert seams(z, 0.0, [("column", 200), ("column", 201)]) == []


@pytest.mark.parametrize(("side_m", "found"), [(20, False), (30, True), (60, True)])
def test_water_made_level(side_m, found):
    z = rough(200, 200, step=0.0)
    z[60 : 60 + side_m, 70 : 70 + side_m] = 251.5
    place = Affine(1, 0, -100, 0, -1, 100)
    level = level_ground(ElevationGrid(z, place, LAEA, Frame(-88, 43), np.ones(200), np.ones(200)))
    assert int(is_level(z).sum()) == (side_m - 2) ** 2
    assert level.area == pytest.approx(side_m**2 if found else 0, rel=1e-6)
    assert (side_m**2 >= LEVEL_M2) == found
    if found:
        assert level.symmetric_difference(shapely.box(-30, 40 - side_m, -30 + side_m, 40)).area < 0.1


def test_too_small_to_tell():
    for shape in ((2, 2), (3, 3), (1, 50)):
        z = np.arange(math.prod(shape), dtype=float).reshape(shape)
        assert not has_stairs(z, 0.0)
        assert seams(z, 0.0) == []
        assert not is_level(z).any()
