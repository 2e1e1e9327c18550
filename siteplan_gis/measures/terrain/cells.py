"""How much of each cell of a grid polygons cover, exactly, as runs of cells along rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Runs of cells of one row that one polygon covers by the same share; sorted by row, polygon and column.

    Attributes
    ----------
    row, first, end
        The cells of a run: columns `first` to `end` (exclusive) of a row.
    polygon
        Number of the polygon.
    share
        Covered share of each of the run's cells, above 0 and up to 1.
    """

    row: NDArray[np.int64]
    first: NDArray[np.int64]
    end: NDArray[np.int64]
    polygon: NDArray[np.int64]
    share: NDArray[np.float64]


def covered_runs(ground: NDArray[np.object_], rows: int, columns: int) -> Runs:
    """The covered share of every cell that polygons touch.

    Whole cells inside a polygon make one run for each row, so the size goes with the outlines, not with the area.
    Every edge adds its signed area to the cells that it crosses; sums along rows give the shares, exact but for
    rounding. (The scheme of font rasterizers: Levien, font-rs.)

    Parameters
    ----------
    ground
        Valid polygons in pixel coordinates (the first cell reaches from (0, 0) to (1, 1)), within the grid; shape (n,).

    Examples
    --------
    >>> runs = covered_runs(np.array([shapely.box(0.5, 0.0, 4.0, 1.0)]), 1, 5)
    >>> runs.first.tolist(), runs.end.tolist(), runs.share.tolist()
    ([0, 1], [1, 4], [0.5, 1.0])
    """
    parts, polygon = shapely.get_parts(ground, return_index=True)
    areal = (shapely.get_type_id(parts) == 3) & ~shapely.is_empty(parts)  # noqa: PLR2004
    # Outlines counter-clockwise, holes clockwise: an edge that goes up has the ground on its left.
    rings, part = shapely.get_rings(shapely.orient_polygons(parts[areal]), return_index=True)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    x, y = np.ascontiguousarray(xy[:, 0]), np.ascontiguousarray(xy[:, 1])
    owner = polygon[areal][part][ring] if ring.size else np.empty(0, dtype=np.int64)
    many = max(len(ground), 1)
    keys = np.empty(_edge_cells(x, y, ring, rows, columns, owner, many, _NO_KEYS, _NO_SHARES), dtype=np.int64)
    steps = np.empty(keys.size)
    _edge_cells(x, y, ring, rows, columns, owner, many, keys, steps)
    order = np.argsort(keys, kind="stable")
    row, first, end, which = np.empty((4, keys.size), dtype=np.int64)
    share = np.empty(keys.size)
    count = _join(keys[order], steps[order], columns, many, row, first, end, which, share)
    return Runs(row[:count], first[:count], end[:count], which[:count], share[:count])


_NO_KEYS: Final = np.empty(0, dtype=np.int64)
_NO_SHARES: Final = np.empty(0)


@compiled
def _edge_cells(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    ring: NDArray[np.int64],
    rows: int,
    columns: int,
    owner: NDArray[np.int64],
    many: int,
    keys: NDArray[np.int64],
    steps: NDArray[np.float64],
) -> int:
    """By how much the covered share steps from one cell of a row to the next; only counts where `keys` is empty."""
    n = 0
    writing = keys.size > 0
    for i in range(x.size - 1):
        if ring[i] != ring[i + 1] or y[i] == y[i + 1]:
            continue
        sign = -1.0
        x0, y0, x1, y1 = x[i], y[i], x[i + 1], y[i + 1]
        if y0 > y1:
            sign = 1.0
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
            c0 = int(np.floor(left))
            c1 = max(int(np.ceil(right)), c0 + 1)
            if not writing:
                n += c1 - c0 + 1
                continue
            key = (r * many + owner[i]) * (columns + 2)
            share = sign * height
            before = 0.0
            for c in range(c0, c1):
                if c1 == c0 + 1:
                    part = 1.0 - (0.5 * (left + right) - c0)
                else:
                    a, b = max(left, float(c)), min(right, float(c + 1))
                    # Mean covered width in this cell: none left of the edge, all of it where the edge has passed.
                    part = ((b - a) * (c + 1 - 0.5 * (a + b)) + (a - left)) / (right - left)
                keys[n], steps[n] = key + c, share * (part - before)
                before = part
                n += 1
            keys[n], steps[n] = key + c1, share * (1.0 - before)
            n += 1
    return n


@compiled
def _join(
    keys: NDArray[np.int64],
    steps: NDArray[np.float64],
    columns: int,
    many: int,
    row: NDArray[np.int64],
    first: NDArray[np.int64],
    end: NDArray[np.int64],
    polygon: NDArray[np.int64],
    shares: NDArray[np.float64],
) -> int:
    """Sum the steps along each row of each polygon; returns the number of runs."""
    n = i = 0
    wide = columns + 2
    while i < keys.size:
        line = keys[i] // wide
        running = 0.0
        fresh = True
        while i < keys.size and keys[i] // wide == line:
            key = keys[i]
            while i < keys.size and keys[i] == key:
                running += steps[i]
                i += 1
            c = key - line * wide
            following = keys[i] - line * wide if i < keys.size and keys[i] // wide == line else columns
            share = min(running, 1.0)
            if share > 1.0 - ROUNDING:
                share = 1.0
            if share < ROUNDING or c >= columns:
                continue
            if not fresh and end[n - 1] == c and shares[n - 1] == share:
                end[n - 1] = min(following, columns)
                continue
            row[n], polygon[n] = line // many, line % many
            first[n], end[n], shares[n] = c, min(following, columns), share
            fresh = False
            n += 1
    return n
