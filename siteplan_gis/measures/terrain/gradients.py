"""The kernel of slopes: squared gradients along runs of cells, summed for each polygon. Nothing is kept of the cells.

Squared gradients are compared with squared limits: no root, no arctangent. Horn's weights (1981, Proc. IEEE 69(1),
14-47) decide; the formula of Zevenbergen and Thorne (1987, Earth Surf. Process. Landf. 12, 47-56) stands beside them.
All kernels of this kind are in this one module: a cached kernel does not notice a change in a module that it imports.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.measures.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

COVERED, UNKNOWN, FIRST_EDGE = 0, 1, 2
OTHER_TIE, OTHER, OWN_TIE, OWN = 7, 8, 9, 10
SUM, HIGHEST, TOTALS = 11, 12, 13
"""Columns of the totals. Weights of cells: all; without a slope; at or above each of five edges by Horn; by the other
formula at or above the tie and the limit; the same by Horn on the grid's own cells. Then the weighted sum of slopes and
the highest squared slope, which are only kept where a histogram is."""

TIE_EDGE, LIMIT_EDGE, EDGES = 1, 2, 5

_PIECE: Final = 1024
_OCTAVES: Final = 60
_LOWEST_EXPONENT: Final = -44
_PARTS_LOG2: Final = 12
BINS: Final = _OCTAVES << _PARTS_LOG2
"""A histogram of squared slopes has 4,096 bins to each doubling, from 2^-44 (a slope of 2e-7) on."""


@compiled
def add_slopes(
    z: NDArray[np.float64],
    corner: NDArray[np.int64],
    fx: NDArray[np.float64],
    fy: NDArray[np.float64],
    cell_m2: NDArray[np.float64],
    blocks: NDArray[np.int64],
    block_horn: NDArray[np.float64],
    block_other: NDArray[np.float64],
    row: NDArray[np.int64],
    first: NDArray[np.int64],
    end: NDArray[np.int64],
    polygon: NDArray[np.int64],
    share: NDArray[np.float64],
    span: NDArray[np.int64],
    edges: NDArray[np.float64],
    totals: NDArray[np.float64],
    bins: NDArray[np.float64],
    field: NDArray[np.float64],
    field_place: NDArray[np.int64],
) -> None:
    """Add the cells of runs to the totals of their polygons.

    Parameters
    ----------
    z, corner
        Elevations of a window, any real type, NaN for none; row and column of its first cell.
    fx, fy, cell_m2
        For each row of the window: one over eight spacings (times the elevations' unit), and square metres of a cell.
    blocks, block_horn, block_other
        Row and column of the first cell of the first block, columns and rows per block; squared slopes of the blocks.
        Empty: the grid's own cells are measured. Where a block has no slope, its cells' own decide.
    row, first, end, polygon, share
        Runs of cells (see `measures.terrain.cells.Runs`).
    span
        First and last run, and the columns to stay within.
    edges
        Five squared limits, rising: around the tie, the tie, the limit, and two above.
    bins
        Weights by squared slope, and their sums, shape (2, BINS); of no size: not kept.
    field, field_place
        Squared slopes of every n-th cell from (row, column) on: filled where of any size.
    """
    rows, columns = z.shape
    blocked, binned, kept = block_horn.size > 0, bins.size > 0, field.size > 0
    own, other = np.empty(_PIECE), np.empty(_PIECE)
    horn = np.empty(_PIECE) if blocked else own
    counts = np.zeros(TOTALS, dtype=np.int64)
    sampled = field_place[2]
    for i in range(span[0], span[1]):
        left, right = max(first[i], span[2]), min(end[i], span[3])
        if left >= right:
            continue
        r = row[i] - corner[0]
        weight = share[i] * cell_m2[r]
        sums = totals[polygon[i]]
        sums[COVERED] += weight * (right - left)
        if r < 1 or r > rows - 2:
            sums[UNKNOWN] += weight * (right - left)
            continue
        up, mid, low = z[r - 1], z[r], z[r + 1]
        kx, ky = fx[r], fy[r]
        for start in range(left, right, _PIECE):
            n = min(_PIECE, right - start)
            at = start - corner[1]
            # Cells at the window's sides have no neighbours there.
            a, b = min(max(1 - at, 0), n), max(min(n, columns - 1 - at), 0)
            for k in range(a):
                own[k] = other[k] = np.nan
            for k in range(b, n):
                own[k] = other[k] = np.nan
            if a < b:
                # Slices, because an index that cannot be negative is what the compiler makes fast.
                nw, no, ne = up[at + a - 1 : at + b - 1], up[at + a : at + b], up[at + a + 1 : at + b + 1]
                we, here, ea = mid[at + a - 1 : at + b - 1], mid[at + a : at + b], mid[at + a + 1 : at + b + 1]
                sw, so, se = low[at + a - 1 : at + b - 1], low[at + a : at + b], low[at + a + 1 : at + b + 1]
                by_horn, by_other = own[a:b], other[a:b]
                for k in range(b - a):
                    east, south = ea[k] - we[k], so[k] - no[k]
                    # Horn does not read the middle cell: a void there must not pass.
                    gx = kx * (((ne[k] - nw[k]) + (se[k] - sw[k])) + (east + east) + (here[k] - here[k]))
                    gy = ky * (((sw[k] - nw[k]) + (se[k] - ne[k])) + (south + south))
                    hx, hy = 4.0 * kx * east, 4.0 * ky * south
                    by_horn[k] = gx * gx + gy * gy
                    by_other[k] = hx * hx + hy * hy + (by_horn[k] - by_horn[k])
            if blocked:
                bi = (row[i] - blocks[0]) // blocks[3]
                for k in range(n):
                    bj = (start + k - blocks[1]) // blocks[2]
                    horn[k] = own[k]
                    if not np.isnan(block_horn[bi, bj]):
                        horn[k], other[k] = block_horn[bi, bj], block_other[bi, bj]
            known = e0 = e1 = e2 = e3 = e4 = o1 = o2 = w1 = w2 = 0
            for k in range(n):
                h, o = horn[k], other[k]
                known += h == h  # noqa: PLR0124
                e0 += h >= edges[0]
                e1 += h >= edges[1]
                e2 += h >= edges[2]
                e3 += h >= edges[3]
                e4 += h >= edges[4]
                o1 += o >= edges[1]
                o2 += o >= edges[2]
            if blocked:
                for k in range(n):
                    w1 += own[k] >= edges[1]
                    w2 += own[k] >= edges[2]
            else:
                w1, w2 = e1, e2
            counts[UNKNOWN] = n - known
            counts[2], counts[3], counts[4], counts[5], counts[6] = e0, e1, e2, e3, e4
            counts[OTHER_TIE], counts[OTHER], counts[OWN_TIE], counts[OWN] = o1, o2, w1, w2
            for k in range(UNKNOWN, SUM):
                sums[k] += weight * counts[k]
            if binned:
                for k in range(n):
                    value = horn[k]
                    if np.isnan(value):
                        continue
                    sums[SUM] += weight * math.sqrt(value)
                    sums[HIGHEST] = max(sums[HIGHEST], value)
                    j = _bin(value)
                    bins[0, j] += weight
                    bins[1, j] += weight * value
            if kept:
                down = row[i] - field_place[0]
                if down % sampled == sampled // 2:
                    for k in range(n):
                        over = start + k - field_place[1]
                        if over % sampled == sampled // 2:
                            field[down // sampled, over // sampled] = horn[k]


@compiled
def _bin(value: float) -> int:
    fraction, exponent = math.frexp(value)
    place = int((2.0 * fraction - 1.0) * (1 << _PARTS_LOG2))
    place += (exponent - 1 - _LOWEST_EXPONENT) << _PARTS_LOG2
    return min(max(place, 0), BINS - 1)


@compiled
def block_means(z: NDArray[np.float64], place: NDArray[np.int64], means: NDArray[np.float64]) -> None:
    """Mean elevation of blocks of whole cells, in the numbers' own unit; a void in a block leaves it void.

    `place`: row and column in `z` of the first block's first cell, columns and rows per block.
    """
    rows, columns = z.shape
    across, down = place[2], place[3]
    for i in range(means.shape[0]):
        for j in range(means.shape[1]):
            r0, c0 = place[0] + i * down, place[1] + j * across
            means[i, j] = np.nan
            if r0 < 0 or c0 < 0 or r0 + down > rows or c0 + across > columns:
                continue
            total = 0.0
            for r in range(r0, r0 + down):
                for c in range(c0, c0 + across):
                    total += z[r, c]
            means[i, j] = total / (down * across)


@compiled
def block_slopes(
    z: NDArray[np.float64],
    fx: NDArray[np.float64],
    fy: NDArray[np.float64],
    horn: NDArray[np.float64],
    other: NDArray[np.float64],
) -> None:
    """Squared slopes of blocks by both formulas; NaN at the sides and beside voids."""
    rows, columns = z.shape
    horn[:], other[:] = np.nan, np.nan
    for r in range(1, rows - 1):
        for c in range(1, columns - 1):
            nw, no, ne = z[r - 1, c - 1], z[r - 1, c], z[r - 1, c + 1]
            we, ea = z[r, c - 1], z[r, c + 1]
            sw, so, se = z[r + 1, c - 1], z[r + 1, c], z[r + 1, c + 1]
            void = (z[r, c] + nw + ne + sw + se) * 0.0
            gx = ((ne - nw) + (se - sw) + 2.0 * (ea - we)) * fx[r]
            gy = ((sw - nw) + (se - ne) + 2.0 * (so - no)) * fy[r]
            hx, hy = 4.0 * (ea - we) * fx[r], 4.0 * (so - no) * fy[r]
            horn[r, c] = gx * gx + gy * gy + void
            other[r, c] = hx * hx + hy * hy + void


def median_squared(bins: NDArray[np.float64]) -> float:
    """The squared slope with half of the weight below it, true to 1/8,192 of itself: its bin's mean."""
    half = bins[0].sum() / 2
    middle = int(np.searchsorted(np.cumsum(bins[0]), half * (1 - 1e-12)))
    return float(bins[1, middle] / bins[0, middle])
