"""Ground of a known shape, for the tests of runoff."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from affine import Affine
from shapely import Point

from siteplan_gis.crs import georeference
from siteplan_gis.frame import Frame
from siteplan_gis.model.terrain import ElevationGrid

if TYPE_CHECKING:
    from collections.abc import Callable

HOME = Frame(-87.9446, 43.3814)


def _ground(
    surface: Callable,
    *,
    half_m: float = 300.0,
    cell: tuple[float, float] = (1.0, 1.0),
    turned: float = 0.0,
    crs: str = "EPSG:26916",
) -> ElevationGrid:
    """Elevations `surface(east, north)` of metres in the frame around its origin, in cells of any shape and course."""
    geo = georeference(crs)
    cols, rows = round(2 * half_m / cell[0]), round(2 * half_m / cell[1])
    unit = 1.0
    if geo.metres_per_unit is None:
        unit = 1 / 111_000
    x0, y0 = geo.xy(np.array([[HOME.longitude, HOME.latitude]]))[0]
    course = np.radians(turned)
    a, d = cell[0] * unit * np.cos(course), cell[0] * unit * np.sin(course)
    b, e = cell[1] * unit * np.sin(course), -cell[1] * unit * np.cos(course)
    transform = Affine(a, b, x0 - a * cols / 2 - b * rows / 2, d, e, y0 - d * cols / 2 - e * rows / 2)
    col, row = np.meshgrid(np.arange(cols) + 0.5, np.arange(rows) + 0.5)
    col, row = col.ravel(), row.ravel()
    x, y = a * col + b * row + transform.c, d * col + e * row + transform.f
    placed = HOME.from_lonlat(geo.lonlat(np.column_stack((x, y)))).reshape(rows, cols, 2)
    z = np.asarray(surface(placed[..., 0], placed[..., 1]), dtype=float)
    dx = np.linalg.norm(np.diff(placed, axis=1), axis=2).mean(axis=1)
    down = np.linalg.norm(np.diff(placed, axis=0), axis=2).mean(axis=1)
    return ElevationGrid(z, transform, geo, HOME, dx, np.append(down, down[-1]))


@pytest.fixture
def ground():
    return _ground


@pytest.fixture
def home():
    return Point(0, 0)
