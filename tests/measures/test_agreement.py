"""Drawn ground against an elevation grid of the same formula: slopes that differ, heights that are off."""

import numpy as np
import pytest
import shapely
from affine import Affine

from siteplan_gis.crs import georeference
from siteplan_gis.frame import Frame
from siteplan_gis.measures.surfaces.agreement import grid_heights, height_agreement, slope_disagreement
from siteplan_gis.model.surface import Tin
from siteplan_gis.model.terrain import ElevationGrid

LAEA = georeference("+proj=laea +lat_0=43 +lon_0=-88 +ellps=GRS80 +type=crs")


def grid(height, cell=3.0, half=150.0):
    count = int(2 * half / cell)
    middle = -half + cell * (np.arange(count) + 0.5)
    x, y = np.meshgrid(middle, middle[::-1])
    side = np.full(count, cell)
    return ElevationGrid(height(x, y), Affine(cell, 0, -half, 0, -cell, half), LAEA, Frame(-88, 43), side, side)


def net(height, half=140.0, step=7.0):
    axis = np.arange(-half, half + step / 2, step)
    x, y = (values.ravel() for values in np.meshgrid(axis, axis))
    count = len(axis)
    corner = (np.arange(count - 1)[:, None] * count + np.arange(count - 1)).ravel()
    lower = np.column_stack((corner, corner + 1, corner + count + 1))
    upper = np.column_stack((corner, corner + count + 1, corner + count))
    return Tin(np.column_stack((x, y)), height(x, y), np.vstack((lower, upper)))


def test_heights_of_a_grid_lie_on_its_plane():
    ground = grid(lambda x, y: 200 + 0.1 * x - 0.05 * y)
    points = np.random.default_rng(1).uniform(-140, 140, (500, 2))
    assert grid_heights(ground, points) == pytest.approx(200 + 0.1 * points[:, 0] - 0.05 * points[:, 1], abs=1e-4)
    assert np.isnan(grid_heights(ground, np.array([[151.0, 0.0], [149.9, 0.0]]))).all()
    assert len(grid_heights(ground, np.empty((0, 2)))) == 0


@pytest.mark.parametrize(("difference", "told"), [(0.045, False), (0.055, True), (-0.055, True), (0.0, False)])
def test_slopes_that_differ_by_more_than_five_points_are_told(difference, told):
    ground = grid(lambda x, y: 200 + 0.12 * x + 0 * y)
    drawn = net(lambda x, y: 200 + 0.12 * x + difference * np.clip(x - 20, 0, None) + 0 * y)
    where = slope_disagreement(drawn, ground, shapely.box(-100, -100, 100, 100), 3.0, 0.05, 400.0)
    assert where.area == pytest.approx(80 * 200 if told else 0, rel=0.08)
    if told:
        assert where.bounds == pytest.approx((20, -100, 100, 100), abs=7)


@pytest.mark.parametrize(("side", "told"), [(18.0, False), (24.0, True)])
def test_ground_below_a_tenth_of_an_acre_is_not_told(side, told):
    ground = grid(lambda x, y: 200 + 0.02 * x + 0 * y)
    half = side / 2
    drawn = net(lambda x, y: 200 + 0.02 * x + np.where(np.abs(y) < 200, 0.2 * np.clip(x, -half, half), 0.0), step=2.0)
    where = slope_disagreement(drawn, ground, shapely.box(-60, -half, 60, half), 3.0, 0.05, 404.7)
    assert bool(where.area) is told


def test_ground_without_elevation_disagrees_with_nothing():
    ground = grid(lambda x, y: np.where(x > 0, np.nan, 200 + 0.0 * y))
    drawn = net(lambda x, y: 200 + 0.3 * x + 0 * y)
    where = slope_disagreement(drawn, ground, shapely.box(-100, -100, 100, 100), 3.0, 0.05, 400.0)
    assert where.bounds[2] < 0


@pytest.mark.parametrize(
    ("drawn", "offset", "scale"),
    [
        (lambda z: z, 0.0, 1.0),
        (lambda z: z + 30.48, 30.48, 1.0),
        (lambda z: z * 0.3048, -145.0, 0.3048),
        (lambda z: z / 0.3048, 477.0, 1 / 0.3048),
        (lambda z: 1.2 * (z - 200) + 200, None, 1.2),
    ],
)
def test_offset_and_scale_of_heights(drawn, offset, scale):
    random = np.random.default_rng(5)
    levels = np.repeat(np.arange(200.0, 220.0, 0.6096), 30)
    found = height_agreement(drawn(levels), levels + random.normal(0, 0.15, len(levels)))
    assert found.scale == pytest.approx(scale, rel=0.01)
    if offset is not None:
        assert found.offset_m == pytest.approx(offset, abs=3.0 if abs(offset) > 100 else 0.05)


def test_a_few_typing_errors_do_not_move_the_medians():
    levels = np.repeat(np.arange(200.0, 220.0, 1.0), 30)
    wrong = np.where(levels == 207.0, 270.0, levels)
    found = height_agreement(wrong, levels)
    assert (found.offset_m, found.scale) == (0.0, pytest.approx(1.0))


def test_too_little_in_common():
    assert height_agreement(np.full(19, 5.0), np.full(19, 5.0)) is None
    assert height_agreement(np.full(30, 5.0), np.full(30, np.nan)) is None
    assert height_agreement(np.full(30, 5.0), np.full(30, 5.0)).scale is None
