"""Steep ground inside a polygon, from an elevation grid.

Slope is rise over run of the surface at each cell by Horn's weights (Horn 1981, Proc. IEEE 69(1), 14-47); the doubt
comes from a second formula (Zevenbergen and Thorne 1987, Earth Surf. Process. Landf. 12, 47-56) and from the grid's
own cells. A cell without all of its nine elevations has no slope: it is "no elevation", never flat.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.cells import covered_shares
from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.medians import weighted_median
from siteplan_gis.measures.patches import SlopePatch, steep_patches

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.terrain import ElevationGrid

TIE_SHARE: Final = 4.5e-4
"""Where slopes heap up at the limit, those below it by up to this share of it count as equal to it.

A graded plane of exactly 20 % must not be judged by noise: elevations stored as 32-bit feet move its slope by 1e-4 of
itself, and a plane drawn in state-plane or UTM coordinates leaves the true ground by up to 4e-4. Ground that merely
passes through 20 % has no heap there and is compared as it stands, so nothing is added to it.
"""

_HEAP: Final = 5.0
"""A heap is so many times as dense as its surroundings, and holds at least a hundredth of the ground."""

_LONGEST_EDGE_M: Final = 100.0


@dataclass(frozen=True, slots=True, eq=False)
class SteepGround:
    """Steep ground inside an area; areas in square metres, slopes as rise over run.

    Attributes
    ----------
    area_m2
        The whole area asked about. `no_elevation_m2` of it has no slope.
    median_ratio, mean_ratio, max_ratio
        Of the ground that has a slope, weighted by area; None where there is none.
    cell_m
        Side of the cells whose slope was taken (the longer one).
    native
        True where these are the grid's own cells.
    plus_minus_m2
        The farthest that `steep_m2` moves with the other formula, or with the grid's own cells.
    patches
        Connected steep ground of at least one cell, largest first.
    """

    area_m2: float
    steep_m2: float
    no_elevation_m2: float
    median_ratio: float | None
    mean_ratio: float | None
    max_ratio: float | None
    cell_m: float
    native: bool
    plus_minus_m2: float
    patches: tuple[SlopePatch, ...]


def steep_ground(
    grid: ElevationGrid, area: BaseGeometry, steep_ratio: float, cell_m: float | None, *, outlined: bool = True
) -> SteepGround:
    """How much of an area is at least so steep, and where.

    Parameters
    ----------
    area
        Valid, in the site frame.
    steep_ratio
        The limit, rise over run; a slope equal to it is steep, see `TIE_SHARE`.
    cell_m
        Side of the cells to measure slopes on: the grid's own cells are averaged over as many as come nearest to it,
        never refined. None: the grid's own cells. Where voids cut an averaged cell, the grid's own cells decide.
    outlined
        False leaves the patches out, for many sites at once.

    Examples
    --------
    >>> from affine import Affine
    >>> from siteplan_gis.crs import georeference
    >>> from siteplan_gis.frame import Frame
    >>> from siteplan_gis.model.terrain import ElevationGrid
    >>> z = np.add.outer(np.zeros(40), 0.25 * np.arange(40.0))
    >>> laea = georeference("+proj=laea +lat_0=43 +lon_0=-88 +ellps=GRS80 +type=crs")
    >>> place = Affine(1, 0, -20, 0, -1, 20)
    >>> grid = ElevationGrid(z, place, laea, Frame(-88, 43), np.ones(40), np.ones(40))
    >>> found = steep_ground(grid, shapely.box(-10, -10, 10, 5), 0.20, None)
    >>> round(found.steep_m2, 3), round(found.median_ratio, 6)
    (300.0, 0.25)
    """
    rows, columns = grid.z_m.shape
    middle = rows // 2
    dx, dy = float(grid.row_dx_m[middle]), float(grid.row_dy_m[middle])
    across, down = _cells_per_block(dx, cell_m), _cells_per_block(dy, cell_m)
    side_m = max(across * dx, down * dy)
    native = across == down == 1
    whole = float(area.area)
    ground = grid.pixels(shapely.segmentize(area, _LONGEST_EDGE_M)) if whole else shapely.Polygon()
    inside_m2 = whole
    left, top, right, bottom = ground.bounds if whole else (math.nan,) * 4
    if whole and not (left >= 0 and top >= 0 and right <= columns and bottom <= rows):
        ground = shapely.intersection(ground, shapely.box(0, 0, columns, rows))
        long = max(_LONGEST_EDGE_M / side_m, 1.0)
        inside_m2 = min(float(grid.placed(shapely.segmentize(ground, long)).area), whole) if ground.area else 0.0
    if not inside_m2:
        return SteepGround(whole, 0.0, whole, None, None, None, side_m, native, 0.0, ())
    left, top, right, bottom = ground.bounds
    c0, c1 = int(left), min(math.ceil(right), columns)
    r0, r1 = int(top), min(math.ceil(bottom), rows)
    share = covered_shares(ground, c0, r0, c1 - c0, r1 - r0)
    if not share.any():
        return SteepGround(whole, 0.0, whole, None, None, None, side_m, native, 0.0, ())
    weights = share * (grid.row_dx_m * grid.row_dy_m)[r0:r1, None]
    # The cells share out exactly the area that the polygon has: steep ground can never exceed it.
    weights *= inside_m2 / weights.sum()

    horn, other = own_horn, _ = _native_slopes(grid, r0, r1, c0, c1)
    if not native:
        block_horn, block_other, origin = _block_slopes(grid, (r0, r1, c0, c1), (across, down))
        horn = own_horn.copy()
        _spread(block_horn, block_other, np.array([*origin, across, down]), horn, other)
    limit2 = _limit(horn, weights, steep_ratio) ** 2
    steep, none, mean, highest = _totals(horn, weights, limit2)
    alternatives = {_totals(values, weights, limit2)[0] for values in (other, own_horn)}
    known = inside_m2 - none
    has_slope = known > 1e-9 * whole
    found = (
        steep_patches(grid, ground, horn, weights, share, (r0, c0), limit2, across * down * dx * dy)
        if steep and outlined
        else ()
    )
    return SteepGround(
        whole,
        min(steep, whole),
        min(none + whole - inside_m2, whole),
        math.sqrt(weighted_median(horn.ravel(), weights.ravel())) if has_slope else None,
        mean / known if has_slope else None,
        math.sqrt(highest) if has_slope else None,
        side_m,
        native,
        max(abs(alternative - steep) for alternative in alternatives),
        found,
    )


def _limit(squared: NDArray[np.float64], weights: NDArray[np.float64], ratio: float) -> float:
    """The limit, lowered by `TIE_SHARE` where slopes heap up at it."""
    edges = (ratio * (1 + TIE_SHARE * np.array([-3.0, -1.0, 1.0, 3.0]))) ** 2
    below, near, above, known = _bands(squared, weights, edges)
    heap = near > 0.01 * known and near > _HEAP * (below + above) / 2
    return ratio * (1 - (TIE_SHARE if heap else 1e-9))


def _cells_per_block(size_m: float, cell_m: float | None) -> int:
    return 1 if cell_m is None else max(1, round(cell_m / size_m))


def _native_slopes(
    grid: ElevationGrid, r0: int, r1: int, c0: int, c1: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Squared slopes of the grid's own cells of a window by both formulas."""
    rows, columns = grid.z_m.shape
    high, wide = min(r0, 1), min(c0, 1)
    window = slice(r0 - high, min(r1 + 1, rows)), slice(c0 - wide, min(c1 + 1, columns))
    z = np.ascontiguousarray(grid.z_m[window])
    horn, other = np.full(z.shape, np.nan), np.full(z.shape, np.nan)
    _squared_slopes(z, grid.row_dx_m[window[0]], grid.row_dy_m[window[0]], horn, other)
    inner = slice(high, high + r1 - r0), slice(wide, wide + c1 - c0)
    return np.ascontiguousarray(horn[inner]), np.ascontiguousarray(other[inner])


def _block_slopes(
    grid: ElevationGrid, window: tuple[int, int, int, int], per_block: tuple[int, int]
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[int, int]]:
    """Squared slopes of blocks of cells, and where the first block begins, counted from the window's corner.

    Blocks are counted from the origin of the CRS, so that they do not depend on the window that was read.
    """
    r0, r1, c0, c1 = window
    across, down = per_block
    rows = len(grid.row_dx_m)
    a, b, c, d, e, f = grid.transform[:6]
    turn = a * e - b * d
    first_column = math.floor(round((e * c - b * f) / turn, 3) + 0.5)
    first_row = math.floor(round((a * f - d * c) / turn, 3) + 0.5)
    # The first block that reaches into the window, and one more around it.
    column = (first_column + c0) // across * across - first_column - across
    row = (first_row + r0) // down * down - first_row - down
    wide, high = (c1 - column) // across + 2, (r1 - row) // down + 2
    z = np.full((high, wide), np.nan)
    _average(grid.z_m, np.array([row, column, down, across]), z)
    middles = np.clip(row + down * np.arange(high) + down // 2, 0, rows - 1)
    horn, other = np.full(z.shape, np.nan), np.full(z.shape, np.nan)
    _squared_slopes(z, grid.row_dx_m[middles] * across, grid.row_dy_m[middles] * down, horn, other)
    return horn, other, (row - r0, column - c0)


@compiled
def _average(z: NDArray[np.float64], place: NDArray[np.int64], out: NDArray[np.float64]) -> None:
    row, column, down, across = place[0], place[1], place[2], place[3]
    rows, columns = z.shape
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            r0, c0 = row + i * down, column + j * across
            if r0 < 0 or c0 < 0 or r0 + down > rows or c0 + across > columns:
                continue
            total = 0.0
            for r in range(r0, r0 + down):
                for c in range(c0, c0 + across):
                    total += z[r, c]
            out[i, j] = total / (down * across)


@compiled
def _squared_slopes(
    z: NDArray[np.float64],
    dx: NDArray[np.float64],
    dy: NDArray[np.float64],
    horn: NDArray[np.float64],
    other: NDArray[np.float64],
) -> None:
    rows, columns = z.shape
    for r in range(1, rows - 1):
        fx, fy = 1.0 / (8.0 * dx[r]), 1.0 / (8.0 * dy[r])
        for c in range(1, columns - 1):
            nw, n, ne = z[r - 1, c - 1], z[r - 1, c], z[r - 1, c + 1]
            w, e = z[r, c - 1], z[r, c + 1]
            sw, s, se = z[r + 1, c - 1], z[r + 1, c], z[r + 1, c + 1]
            # Neither formula reads the middle cell: a void there must not pass, nor one in a corner.
            void = (z[r, c] + nw + ne + sw + se) * 0.0
            gx = (ne - nw + 2.0 * (e - w) + se - sw) * fx
            gy = (sw - nw + 2.0 * (s - n) + se - ne) * fy
            horn[r, c] = gx * gx + gy * gy + void
            hx, hy = 4.0 * (e - w) * fx, 4.0 * (s - n) * fy
            other[r, c] = hx * hx + hy * hy + void


@compiled
def _spread(
    block_horn: NDArray[np.float64],
    block_other: NDArray[np.float64],
    place: NDArray[np.int64],
    horn: NDArray[np.float64],
    other: NDArray[np.float64],
) -> None:
    row, column, across, down = place[0], place[1], place[2], place[3]
    for r in range(horn.shape[0]):
        i = (r - row) // down
        for c in range(horn.shape[1]):
            j = (c - column) // across
            if not np.isnan(block_horn[i, j]):
                horn[r, c] = block_horn[i, j]
                other[r, c] = block_other[i, j]


@compiled
def _bands(
    squared: NDArray[np.float64], weights: NDArray[np.float64], edges: NDArray[np.float64]
) -> tuple[float, float, float, float]:
    """Weight of the cells between each two edges, and of all cells that have a slope."""
    known = below = near = above = 0.0
    for r in range(squared.shape[0]):
        for c in range(squared.shape[1]):
            value, weight = squared[r, c], weights[r, c]
            if weight == 0.0 or np.isnan(value):
                continue
            known += weight
            if edges[0] <= value < edges[3]:
                if value < edges[1]:
                    below += weight
                elif value < edges[2]:
                    near += weight
                else:
                    above += weight
    return below, near, above, known


@compiled
def _totals(
    squared: NDArray[np.float64], weights: NDArray[np.float64], limit2: float
) -> tuple[float, float, float, float]:
    """Weight of steep cells, of cells without a slope, sum of weighted slopes, highest square."""
    steep = none = mean = highest = 0.0
    for r in range(squared.shape[0]):
        for c in range(squared.shape[1]):
            weight = weights[r, c]
            if weight == 0.0:
                continue
            value = squared[r, c]
            if np.isnan(value):
                none += weight
                continue
            if value >= limit2:
                steep += weight
            mean += weight * math.sqrt(value)
            highest = max(highest, value)
    return steep, none, mean, highest
