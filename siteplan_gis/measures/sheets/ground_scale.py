"""The scale of a map whose points are known both on paper and on the earth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.crs import ellipsoid_lengths_m
from siteplan_gis.units import FOOT_M

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRID_TO_GROUND: Final = 5e-4
"""How far lengths on a map grid may be from those on the ground: 1 part in 2,500 in UTM, less in state systems."""

_LONG_ENOUGH: Final = 0.25
_MOST_POINTS: Final = 60
_DEGREE_M: Final = 111_320.0


def scale_between(
    page_in: NDArray[np.float64], lonlat: NDArray[np.float64], rounded_degrees: float = 0.0
) -> tuple[float, float] | None:
    """Feet of ground per inch of page and half its doubt; None where the points tell none.

    Every pair of points at least a quarter as far apart as the farthest is measured along the ellipsoid (GRS 80). The
    doubt is what their scales differ by, what rounding of the positions (half of `rounded_degrees`) makes of the
    length, and the difference of grid and ground.

    Parameters
    ----------
    page_in, lonlat
        Places on the page in inches and on the earth in degrees, shape (n, 2).

    Examples
    --------
    >>> corners = np.array([[0, 0], [10, 0], [10, 10], [0, 10.0]])
    >>> lonlat = np.array([[-88, 43], [-87.9962625, 43], [-87.9962625, 43.0027429], [-88, 43.0027429]])
    >>> value, doubt = scale_between(corners, lonlat, 1e-7)
    >>> round(value, 2), round(doubt, 2)
    (99.98, 0.06)
    """
    page_in, lonlat = page_in[:_MOST_POINTS], lonlat[:_MOST_POINTS]
    if len(page_in) < 2 or not (np.isfinite(page_in).all() and np.isfinite(lonlat).all()):  # noqa: PLR2004
        return None
    if (abs(lonlat[:, 1]) > 90).any() or (abs(lonlat[:, 0]) > 360).any():  # noqa: PLR2004
        return None
    first, second = np.triu_indices(len(page_in), k=1)
    inches = np.hypot(*(page_in[first] - page_in[second]).T)
    long = inches >= _LONG_ENOUGH * inches.max()
    if not inches.max() > 0:
        return None
    first, second, inches = first[long], second[long], inches[long]
    scales = ellipsoid_lengths_m(lonlat[first], lonlat[second]) / FOOT_M / inches
    if not (np.isfinite(scales).all() and scales.min() > 0):
        return None
    value = float(np.average(scales, weights=inches))
    rounding = rounded_degrees / 2 * _DEGREE_M * 2**0.5 / FOOT_M / float(inches.min())
    return value, float(max(scales.max() - value, value - scales.min())) + rounding + GRID_TO_GROUND * value
