"""How much of each cell of a grid a polygon covers, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

ROUNDING: Final = 1e-12


def covered_shares(ground: BaseGeometry, column: int, row: int, columns: int, rows: int) -> NDArray[np.float64]:
    """The covered share of each cell of a window, shape (rows, columns), 0 to 1.

    `ground` is valid and in pixel coordinates (the first cell reaches from (0, 0) to (1, 1)); it must lie within the
    window. Every edge adds its signed area to the cells it crosses; sums along rows give the shares, exact but for
    rounding. (The scheme of font rasterizers: Levien, font-rs.)

    Examples
    --------
    >>> covered_shares(shapely.box(0.5, 0.0, 2.0, 1.0), 0, 0, 3, 1)
    array([[0.5, 1. , 0. ]])
    """
    polygons = [part for part in shapely.get_parts([ground]) if part.geom_type == "Polygon"]
    rings = shapely.get_rings(shapely.orient_polygons(np.array(polygons, dtype=object)))
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    sums = np.zeros((rows, columns + 2))
    _add_edges(xy[:, 0] - column, xy[:, 1] - row, ring, sums)
    _sum_rows(sums)
    return sums[:, :columns]


@compiled
def _add_edges(
    x: NDArray[np.float64], y: NDArray[np.float64], ring: NDArray[np.int64], sums: NDArray[np.float64]
) -> None:
    rows, columns = sums.shape[0], sums.shape[1] - 2
    for i in range(x.size - 1):
        if ring[i] != ring[i + 1] or y[i] == y[i + 1]:
            continue
        sign = 1.0
        x0, y0, x1, y1 = x[i], y[i], x[i + 1], y[i + 1]
        if y0 > y1:
            sign = -1.0
            x0, y0, x1, y1 = x1, y1, x0, y0
        lean = (x1 - x0) / (y1 - y0)
        at = x0
        first, last = max(int(np.floor(y0)), 0), min(int(np.ceil(y1)), rows)
        for r in range(first, last):
            low, high = max(y0, float(r)), min(y1, float(r + 1))
            height = high - low
            if height <= 0.0:
                continue
            after = x0 + lean * (high - y0)
            left, right = min(at, after), max(at, after)
            left, right = min(max(left, 0.0), float(columns)), min(max(right, 0.0), float(columns))
            at = after
            share = sign * height
            c0 = int(np.floor(left))
            c1 = int(np.ceil(right))
            if c1 <= c0 + 1:
                covered = 1.0 - (0.5 * (left + right) - c0)
                sums[r, c0] += share * covered
                sums[r, c0 + 1] += share * (1.0 - covered)
                continue
            # The edge crosses several cells of this row: the share to its right grows along a line.
            before = 0.0
            for c in range(c0, c1):
                a, b = max(left, float(c)), min(right, float(c + 1))
                # Mean covered width in this cell: nothing left of the edge, all of it where the edge has passed.
                part = ((b - a) * (c + 1 - 0.5 * (a + b)) + (a - left)) / (right - left)
                sums[r, c] += share * (part - before)
                before = part
            sums[r, c1] += share * (1.0 - before)


@compiled
def _sum_rows(sums: NDArray[np.float64]) -> None:
    # The sign of the whole tells which way the rings run on a grid whose rows go down.
    weight = 0.0
    for r in range(sums.shape[0]):
        running = 0.0
        for c in range(sums.shape[1]):
            running += sums[r, c]
            weight += running
    sign = -1.0 if weight < 0.0 else 1.0
    for r in range(sums.shape[0]):
        running = 0.0
        for c in range(sums.shape[1]):
            running += sums[r, c]
            share = sign * running
            if share < ROUNDING:
                share = 0.0
            elif share > 1.0 - ROUNDING:
                share = 1.0
            sums[r, c] = share
