"""Contour lines of a grid of elevations, by marching squares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely
from shapely import MultiLineString

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely import LineString

    Array = NDArray[np.float64]

# Which sides of a cell (0 south, 1 east, 2 north, 3 west) a line joins, by the corners above the level:
# south-west 1, south-east 2, north-east 4, north-west 8. The two saddles are cut the same way everywhere.
_SIDES = {
    1: ((3, 0),), 2: ((0, 1),), 3: ((3, 1),), 4: ((1, 2),), 5: ((3, 0), (1, 2)), 6: ((0, 2),), 7: ((3, 2),),
    8: ((2, 3),), 9: ((0, 2),), 10: ((0, 1), (2, 3)), 11: ((1, 2),), 12: ((3, 1),), 13: ((0, 1),), 14: ((3, 0),),
}  # fmt: skip


def isolines(u: Array, v: Array, z: Array, level: float, tidy: float) -> list[LineString]:
    """Lines where `z`, shape (v, u), equals `level`; bends smaller than `tidy` are smoothed away."""
    above = z >= level
    with np.errstate(divide="ignore", invalid="ignore"):
        along = (level - z[:, :-1]) / (z[:, 1:] - z[:, :-1])
        up = (level - z[:-1]) / (z[1:] - z[:-1])
    on_row = np.stack((u[:-1] + along * np.diff(u), np.broadcast_to(v[:, None], along.shape)), axis=-1)
    on_column = np.stack((np.broadcast_to(u, up.shape), v[:-1, None] + up * np.diff(v)[:, None]), axis=-1)
    corners = above.astype(int)
    case = corners[:-1, :-1] + 2 * corners[:-1, 1:] + 4 * corners[1:, 1:] + 8 * corners[1:, :-1]
    side = (on_row[:-1], on_column[:, 1:], on_row[1:], on_column[:, :-1])
    pieces = [
        np.stack((side[first][case == number], side[second][case == number]), axis=1)
        for number, joins in _SIDES.items()
        for first, second in joins
    ]
    segments = np.concatenate(pieces)
    if not len(segments):
        return []
    merged = shapely.line_merge(MultiLineString(list(segments)))
    lines = shapely.simplify(shapely.get_parts(merged), tidy)
    return [line for line in lines if line.length > 20.0]


def contours(u: Array, v: Array, z: Array, interval: float, tidy: float = 0.4) -> list[tuple[float, LineString]]:
    """Every contour as (level, line), lowest first."""
    first, last = np.ceil(z.min() / interval), np.floor(z.max() / interval)
    levels = [float(number * interval) for number in np.arange(first, last + 1)]
    return [(level, line) for level in levels for line in isolines(u, v, z, level, tidy)]
