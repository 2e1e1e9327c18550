"""Noise of elevations: how large it is around each place, and the ground without it.

A place's elevation becomes the mean of the widest square around it that the noise allows: squares are widened as long
as all their means agree within their own errors (intersection of confidence intervals: Goldenshluger and Nemirovski
1997; Katkovnik 1999, doi:10.1109/78.782208). So a plane is smoothed far, and a bank, ditch or road that stands out of
the noise is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.measures.compiling import compiled

if TYPE_CHECKING:
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


def noise_of(z: Floats) -> Floats:
    """Tell the standard deviation of the independent errors in each block of `BLOCK` rows and columns, in metres.

    The roughness is what no quadratic surface explains in three by three cells (Immerkaer 1996,
    doi:10.1006/cviu.1996.0060), once of neighbours and once of every second cell; of ground it grows with the
    distance, of independent errors it does not.

    Examples
    --------
    >>> z = np.random.default_rng(1).normal(0, 0.1, (256, 256)) + np.arange(256) ** 2 / 1e3
    >>> noise_of(z).round(1).tolist()
    [[0.1, 0.1], [0.1, 0.1]]
    >>> noise_of(np.hypot(*np.indices((128, 128)) + 90)).tolist()
    [[0.0]]
    """
    rows, cols = z.shape
    blocks = -(-rows // BLOCK), -(-cols // BLOCK)
    near, far = (_roughness(z, apart, blocks) for apart in (1, 2))
    square = (_GROWS * near**2 - far**2) / (_GROWS - 1)
    with np.errstate(invalid="ignore"):
        noise: Floats = np.sqrt(np.where(square > _TRIFLE_M**2, square, 0.0))
    return noise


def _roughness(z: Floats, apart: int, blocks: tuple[int, int]) -> Floats:
    """Median size of the differences of second differences in each block, as a deviation of independent errors."""
    rows, cols = z.shape
    whole = np.full((blocks[0] * BLOCK // _STEP, blocks[1] * BLOCK // _STEP), np.nan)
    if min(rows, cols) > 2 * apart:
        twice = z[: -2 * apart : _STEP] - 2 * z[apart : rows - apart : _STEP] + z[2 * apart :: _STEP]
        found = (
            twice[:, : -2 * apart : _STEP] - 2 * twice[:, apart : cols - apart : _STEP] + twice[:, 2 * apart :: _STEP]
        )
        whole[: found.shape[0], : found.shape[1]] = np.abs(found)
    side = BLOCK // _STEP
    parts = whole.reshape(blocks[0], side, blocks[1], side).swapaxes(1, 2).reshape(*blocks, -1)
    if np.isnan(parts).any():
        known = ~np.isnan(parts)
        filled = np.sort(parts, axis=2)
        middle = np.maximum(known.sum(axis=2) // 2, 0)
        typical = np.nan_to_num(np.take_along_axis(filled, middle[..., None], axis=2)[..., 0])
    else:
        typical = np.median(parts, axis=2)
    deviation: Floats = typical * _TO_DEVIATION / 6
    return deviation


def without_noise(z: Floats, rows: slice, cols: slice) -> tuple[Floats, Floats]:
    """Smooth a part of elevations; all of `z` is looked at. Returns it, and the noise of each block of `z`.

    Cells beside a missing elevation and on exactly level ground stay as they are.
    """
    noise = noise_of(z)
    if not noise.any():
        return np.ascontiguousarray(z[rows, cols]), noise
    holes = np.isnan(z)
    some_holes = bool(holes.any())
    base = float(np.nanmean(z))
    sums = _sums(np.where(holes, 0.0, z - base) if some_holes else z - base)
    missing = _sums(holes.astype(np.float64)) if some_holes else np.zeros((0, 0))
    out = np.empty((rows.stop - rows.start, cols.stop - cols.start))
    _smooth(z, sums, missing, base, noise, RADII, rows.start, cols.start, out)
    return out, noise


def _sums(values: Floats) -> Floats:
    sums = np.zeros((values.shape[0] + 1, values.shape[1] + 1))
    np.cumsum(values, axis=0, out=sums[1:, 1:])
    np.cumsum(sums[1:, 1:], axis=1, out=sums[1:, 1:])
    return sums


@compiled
def _fits(z: Floats, row: int, col: int, noise: float) -> bool:
    """Whether the deviations of five by five cells from a plane are those of noise."""
    here = z[row, col]
    total = right = down = square = 0.0
    for i in range(-_REACH, _REACH + 1):
        for j in range(-_REACH, _REACH + 1):
            height = z[row + i, col + j] - here
            total += height
            right += j * height
            down += i * height
            square += height * height
    unexplained = square - total**2 / _PLACES - (right**2 + down**2) / (2 * _PLACES)
    return bool(square > 0 and unexplained < _UNFIT * (_PLACES - 3) * noise**2)


@compiled
def _smooth(
    z: Floats, sums: Floats, missing: Floats, base: float, noise: Floats, radii: NDArray[np.int64],
    first_row: int, first_col: int, out: Floats,
) -> None:  # fmt: skip
    rows, cols = z.shape
    for i in range(out.shape[0]):
        r = first_row + i
        for j in range(out.shape[1]):
            c = first_col + j
            out[i, j] = z[r, c]
            noisy = noise[r // BLOCK, c // BLOCK]
            if noisy == 0 or not (_REACH <= r < rows - _REACH and _REACH <= c < cols - _REACH):
                continue
            # Not a number compares as false: what lies beside a hole stays.
            if not _fits(z, r, c, noisy):
                continue
            low, high = -np.inf, np.inf
            for radius in radii:
                r1, r2, c1, c2 = r - radius, r + radius + 1, c - radius, c + radius + 1
                if r1 < 0 or c1 < 0 or r2 > rows or c2 > cols:
                    break
                if missing.size and missing[r2, c2] - missing[r1, c2] - missing[r2, c1] + missing[r1, c1] > 0:
                    break
                side = 2 * radius + 1
                mean = base + (sums[r2, c2] - sums[r1, c2] - sums[r2, c1] + sums[r1, c1]) / side**2
                error = _SURE * noisy / side
                low, high = max(low, mean - error), min(high, mean + error)
                if low > high:
                    break
                out[i, j] = mean
