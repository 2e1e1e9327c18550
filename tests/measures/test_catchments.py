"""Ground that drains to a place, against arithmetic on planes, cones and valleys, and against GRASS."""

from __future__ import annotations

import time

import numpy as np
import pytest
import shapely
from shapely import LineString, Point, Polygon, box

from siteplan_gis.measures import conditioning
from siteplan_gis.measures.catchments import contributing_area, upslope_area
from siteplan_gis.measures.ground import condition_around
from siteplan_gis.measures.routing import route

HERE = Point(0, 0)
AZIMUTHS = [0, 10, 22.5, 30, 45, 60, 77, 135, 200, 301]


def nearest_of_eight(ready):
    """Receivers by the steepest facet's nearer end: no conditioning, since these surfaces need none."""
    rows, cols = ready.z_m.shape
    to = np.full(rows * cols, -1)
    for i in range(rows * cols):
        row, col = divmod(i, cols)
        if np.isnan(ready.z_m[row, col]):
            continue
        k, _, _ = conditioning.steepest(ready.z_m, row, col, ready.dx_m[row], ready.dy_m[row], 0.0)
        if k >= 0:
            to[i] = i + conditioning._ROW[k] * cols + conditioning._COL[k]
    return to


def runoff_of(grid, reach=300.0):
    ready = condition_around(grid, HERE, reach)
    return route(ready, nearest_of_eight(ready))


def plane(azimuth, percent=5.0):
    """Falls towards an azimuth."""
    down = np.radians(azimuth)
    return lambda x, y: 100 - percent / 100 * (x * np.sin(down) + y * np.cos(down))


def turned(shape, azimuth):
    return shapely.affinity.rotate(shape, -azimuth, origin=(0, 0))


@pytest.mark.parametrize("cell", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_a_pond_on_a_plane_has_the_strip_above_it(ground, azimuth, cell):
    """60 m wide, 30 m long down the fall line; the ground is cut off 80 m above it by a crest."""
    fall = plane(azimuth)
    down = np.radians(azimuth)

    def roof(x, y):
        along = x * np.sin(down) + y * np.cos(down)
        return np.where(along > -95, fall(x, y), 200 + fall(x, y) - 2 * fall(x, y) + 2 * 4.75)

    runoff = runoff_of(ground(roof, half_m=200, cell=(cell, cell)))
    found = contributing_area(runoff, turned(box(-30, -15, 30, 15), azimuth))
    assert found.own_m2 == pytest.approx(1800, rel=1e-3)
    assert found.area_m2 == pytest.approx(60 * 110, abs=60 * cell)
    assert abs(found.area_m2 - 6600) <= found.plus_minus_m2 + 60 * cell / 2
    exact = turned(box(-30, -95, 30, 15), azimuth)
    assert found.polygon.symmetric_difference(exact).area < 0.08 * exact.area + 60 * cell
    assert not found.at_least
