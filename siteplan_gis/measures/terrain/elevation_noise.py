"""Noise of elevations: how large it is around each place, and the ground without it.

A place's elevation becomes the mean of the widest square around it that the noise allows: squares are widened as long
as all their means agree within their own errors (intersection of confidence intervals: Goldenshluger and Nemirovski
1997; Katkovnik 1999, doi:10.1109/78.782208). So a plane is smoothed far, and a bank, ditch or road that stands out of
the noise is kept.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.threads import in_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BLOCK: Final = 128
"""Rows and columns of cells whose noise is told together."""

RADII: Final = np.array([1, 2, 3, 5, 7, 10, 15])

_STEP: Final = 2
_GROWS: Final = 3.0
"""How much the square of the roughness of ground grows over twice the distance, at the least; noise does not grow."""

_TO_DEVIATION: Final = 1.4826
_SURE: Final = 2.5
"""Means agree within this many of their deviations."""

_UNFIT: Final = 2.5
"""Five by five cells whose squared deviations from a plane exceed those of noise this many times hold more than it."""

_REACH: Final = 2
_PLACES: Final = (2 * _REACH + 1) ** 2
_TRIFLE_M: Final = 1e-4
_APART: Final = 2
_WIDEST: Final = 15

_GRAINS_IN_1_M: Final = 2.0**20
"""Elevations are summed as whole grains: sums of them are exact, so that none depends on where summing began."""

_THREADS: Final = 2


def looked_at(begin: int, end: int) -> tuple[int, int]:
    """The rows (or columns) that some of them are smoothed by, both counted where blocks begin at 0.

    Examples
    --------
    >>> looked_at(130, 250)
    (115, 265)
    >>> looked_at(200, 300)
    (128, 388)
    """
    last = -(-end // BLOCK) * BLOCK + 2 * _APART
    return min(begin // BLOCK * BLOCK, begin - _WIDEST), max(last, end + _WIDEST)


def noise_of(z: Floats, first: tuple[int, int] = (0, 0)) -> Floats:
    """Tell the standard deviation of the independent errors in each block of `BLOCK` rows and columns, in metres.

    The roughness is what no quadratic surface explains in three by three cells (Immerkaer 1996,
    doi:10.1006/cviu.1996.0060), once of neighbours and once of every second cell; of ground it grows with the
    distance, of independent errors it does not. Blocks begin at column and row 0, where `z` begins at `first`.

    Examples
    --------
    >>> z = np.random.default_rng(1).normal(0, 0.1, (256, 256)) + np.arange(256) ** 2 / 1e3
    >>> noise_of(z).round(1).tolist()
    [[0.1, 0.1], [0.1, 0.1]]
    >>> noise_of(np.hypot(*np.indices((128, 128)) + 90)).tolist()
    [[0.0]]
    """
    rows, cols = z.shape
    left, top = (v % BLOCK for v in first)
    noise = np.zeros((-(-(top + rows) // BLOCK), -(-(left + cols) // BLOCK)))
    _shared_out(partial(_tell_noise, z, top, left, noise), len(noise))
    return noise


def _shared_out(kernel: Callable[[int], None], rows: int) -> None:
    """Have two threads treat rows of blocks; what has to be compiled is so before."""
    if rows:
        kernel(0)
    if rows > 1:
        in_threads(lambda row: kernel(row + 1), rows - 1, _THREADS)


def _tell_noise(z: Floats, off_row: int, off_col: int, noise: Floats, k: int) -> None:
    """The noise of one row of blocks."""
    found = np.empty((BLOCK // _STEP) ** 2)
    for m in range(noise.shape[1]):
        near, far = (
            (
                _median(found[: _roughness(z, k * BLOCK - off_row, m * BLOCK - off_col, apart, found)])
                * _TO_DEVIATION
                / 6
            )
            ** 2
            for apart in (1, _APART)
        )
        square = (_GROWS * near - far) / (_GROWS - 1)
        noise[k, m] = np.sqrt(square) if square > _TRIFLE_M**2 else 0.0


def _median(values: Floats) -> float:
    # Not in a kernel: compiling it takes a second.
    return float(np.median(values)) if values.size else 0.0


@compiled
def _roughness(z: Floats, top: int, left: int, apart: int, found: Floats) -> int:
    """What no quadratic surface explains in the squares of a block, of cells so far apart; how many there are."""
    rows, cols = z.shape
    count = 0
    for r in range(top if top >= 0 else top % _STEP, min(top + BLOCK, rows - 2 * apart), _STEP):
        for c in range(left if left >= 0 else left % _STEP, min(left + BLOCK, cols - 2 * apart), _STEP):
            rough = (
                z[r, c] - 2 * z[r, c + apart] + z[r, c + 2 * apart]
                - 2 * (z[r + apart, c] - 2 * z[r + apart, c + apart] + z[r + apart, c + 2 * apart])
                + z[r + 2 * apart, c] - 2 * z[r + 2 * apart, c + apart] + z[r + 2 * apart, c + 2 * apart]
            )  # fmt: skip
            if not np.isnan(rough):
                found[count] = abs(rough)
                count += 1
    return count


def without_noise(z: Floats, rows: slice, cols: slice, first: tuple[int, int] = (0, 0)) -> tuple[Floats, Floats]:
    """Smooth a part of elevations; all of `z` is looked at. Returns it, and the noise of each block (see `noise_of`).

    Cells beside a missing elevation and on exactly level ground stay as they are. A part gets the same elevations
    whatever else `z` holds, if that is as much as `looked_at` tells.
    """
    noise = noise_of(z, first)
    if not noise.any():
        return np.ascontiguousarray(z[rows, cols]), noise
    out = np.empty((rows.stop - rows.start, cols.stop - cols.start))
    left, top = (v % BLOCK for v in first)
    _shared_out(partial(_smooth, z, noise, top, left, RADII, rows.start, cols.start, out), len(noise))
    return out, noise


@compiled
def _smooth(
    z: Floats, noise: Floats, off_row: int, off_col: int, radii: NDArray[np.int64],
    first_row: int, first_col: int, out: Floats, k: int,
) -> None:  # fmt: skip
    """One row of blocks."""
    rows, cols = z.shape
    side = BLOCK + 2 * _WIDEST + 1
    sums, gaps = np.zeros((side, side)), np.zeros((side, side), dtype=np.int32)
    edges = np.empty((2, BLOCK))
    top = k * BLOCK - off_row
    r1, r2 = max(top, first_row), min(top + BLOCK, first_row + out.shape[0])
    for m in range(noise.shape[1]):
        left = m * BLOCK - off_col
        c1, c2 = max(left, first_col), min(left + BLOCK, first_col + out.shape[1])
        if r1 >= r2 or c1 >= c2:
            continue
        noisy = noise[k, m]
        north, west = max(0, r1 - _WIDEST), max(0, c1 - _WIDEST)
        holes = noisy > 0 and _sum_up(z[north : min(rows, r2 + _WIDEST), west : min(cols, c2 + _WIDEST)], sums, gaps)
        for r in range(r1, r2):
            smooth = out[r - first_row, c1 - first_col : c2 - first_col]
            for j in range(c2 - c1):
                smooth[j] = z[r, c1 + j]
            if noisy == 0 or not _REACH <= r < rows - _REACH:
                continue
            low, high = edges[0, : c2 - c1], edges[1, : c2 - c1]
            _find_fitting(z, r, c1, noisy, low, high)
            for radius in radii:
                if r < radius or r + radius >= rows:
                    break
                i1, i2 = r - radius - north, r + radius + 1 - north
                begin, end = max(c1, radius), min(c2, cols - radius)
                if begin >= end:
                    break
                at = begin - radius - west
                if holes:
                    for j in range(end - begin):
                        j1, j2 = at + j, at + j + 2 * radius + 1
                        if gaps[i2, j2] - gaps[i1, j2] - gaps[i2, j1] + gaps[i1, j1] > 0:
                            low[begin - c1 + j] = np.inf
                _widen(sums[i1, at:], sums[i2, at:], radius, noisy, low[begin - c1 : end - c1],
                       high[begin - c1 : end - c1], smooth[begin - c1 : end - c1])  # fmt: skip


@compiled
def _widen(above: Floats, below: Floats, radius: int, noisy: float, low: Floats, high: Floats, smooth: Floats) -> None:
    """Take the means of wider squares where they agree with those of narrower ones: between `low` and `high`."""
    side = 2 * radius + 1
    share, error = 1 / (side * side * _GRAINS_IN_1_M), _SURE * noisy / side
    for j in range(smooth.size):
        mean = (below[j + side] - below[j] - above[j + side] + above[j]) * share
        low[j] = max(low[j], mean - error)
        high[j] = min(high[j], mean + error)
        smooth[j] = mean if low[j] <= high[j] else smooth[j]


@compiled
def _sum_up(z: Floats, sums: Floats, gaps: NDArray[np.int32]) -> bool:
    """Sums of all grains, and numbers of all holes, above and left of each corner; whether there is a hole."""
    holes = False
    for i in range(z.shape[0]):
        total, missing = 0.0, 0
        for j in range(z.shape[1]):
            if np.isnan(z[i, j]):
                missing += 1
                holes = True
            else:
                total += np.rint(z[i, j] * _GRAINS_IN_1_M)
            sums[i + 1, j + 1] = sums[i, j + 1] + total
            gaps[i + 1, j + 1] = gaps[i, j + 1] + missing
    return holes


@compiled
def _find_fitting(z: Floats, r: int, c1: int, noisy: float, low: Floats, high: Floats) -> None:
    """Where the deviations of five by five cells from a plane are those of noise, any mean will do; else none."""
    cols = z.shape[1]
    most = _UNFIT * (_PLACES - 3) * noisy**2
    total, down, square = (
        np.empty(low.size + 2 * _REACH),
        np.empty(low.size + 2 * _REACH),
        np.empty(low.size + 2 * _REACH),
    )
    for j in range(total.size):
        c = min(max(c1 - _REACH + j, 0), cols - 1)
        a, b, d, e, f = z[r - 2, c], z[r - 1, c], z[r, c], z[r + 1, c], z[r + 2, c]
        total[j] = a + b + d + e + f
        down[j] = 2 * (f - a) + e - b
        square[j] = a * a + b * b + d * d + e * e + f * f
    for j in range(low.size):
        every = total[j] + total[j + 1] + total[j + 2] + total[j + 3] + total[j + 4]
        right = 2 * (total[j + 4] - total[j]) + total[j + 3] - total[j + 1]
        fall = down[j] + down[j + 1] + down[j + 2] + down[j + 3] + down[j + 4]
        squares = square[j] + square[j + 1] + square[j + 2] + square[j + 3] + square[j + 4]
        unexplained = squares - every * every / _PLACES - (right * right + fall * fall) / (2 * _PLACES)
        # Not a number compares as false: what lies beside a hole stays.
        low[j] = -np.inf if unexplained < most else np.inf
        high[j] = np.inf
    for j in range(low.size):
        c = c1 + j
        if not _REACH <= c < cols - _REACH or (square[j + 2] == square[j + 3] and _level(z, r, c)):
            low[j] = np.inf


@compiled
def _level(z: Floats, row: int, col: int) -> bool:
    for i in range(-_REACH, _REACH + 1):
        for j in range(-_REACH, _REACH + 1):
            if z[row + i, col + j] != z[row, col]:
                return False
    return True
