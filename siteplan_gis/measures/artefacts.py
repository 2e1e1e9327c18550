"""Marks in an elevation grid that no ground has: stairs of resampling, seams of tiles, water made level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from siteplan_gis.measures.patches import label_steep, outlines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.terrain import ElevationGrid

LEVEL_M2: Final = 500.0
"""Ground of one height to the last digit is called level from this size on."""

_BLOCK: Final = 16
_RELIEF_M: Final = 0.25
_ALIGNED_SHARE: Final = 0.05
_LEAST_SEAM_M: Final = 0.2
_LEAST_JOINT_M: Final = 0.1
_PIECE: Final = 128
_ROWS_LOOKED_AT: Final = 32
_FEWEST_PIECES: Final = 3


def is_level(z: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Cells that equal all eight neighbours to the last digit; shape as `z`, the rim False."""
    rows, columns = z.shape
    level = np.zeros(z.shape, dtype=bool)
    if rows < 3 or columns < 3:  # noqa: PLR2004
        return level
    middle = z[1:-1, 1:-1]
    inner = level[1:-1, 1:-1]
    inner[:] = True
    for i in range(3):
        for j in range(3):
            inner &= z[i : rows - 2 + i, j : columns - 2 + j] == middle
    return level


def level_ground(grid: ElevationGrid) -> BaseGeometry:
    """Areas of one height to the last digit, as water is made in elevation models, in the frame.

    Each is at least `LEVEL_M2` large. Such ground was water, or was filled, when the model was made: it proves nothing
    of the slope of what lies there.
    """
    level = is_level(grid.z_m)
    if not level.any():
        return shapely.Polygon()
    labels, count = label_steep(level.astype(np.float64), level.astype(np.float64), 0.5)
    middle = grid.shape[0] // 2
    cell_m2 = float(grid.row_dx_m[middle] * grid.row_dy_m[middle])
    large = np.flatnonzero(np.bincount(labels.ravel(), minlength=count + 1) * cell_m2 >= LEVEL_M2)
    large = large[large > 0]
    if not large.size:
        return shapely.Polygon()
    number = np.zeros(count + 1, dtype=np.int64)
    number[large] = np.arange(1, large.size + 1)
    # The neighbours that the cells equal are level, too; they have one on the other side that is not.
    wide = shapely.buffer(outlines(number[labels]), 1.0, join_style="mitre")
    return shapely.make_valid(shapely.union_all(np.asarray(grid.placed(wide))))


def has_stairs(z: NDArray[np.float64], step_m: float) -> bool:
    """Whether heights repeat in whole columns or rows, as nearest-neighbour resampling repeats them.

    Looked for in blocks of 16 by 16 cells with some relief: neighbours are equal on four rows in line, others differ
    by more than the `step_m` that heights are kept in. More than half of such blocks decide.

    Examples
    --------
    >>> rough = np.random.default_rng(1).normal(0, 0.3, (64, 64)).cumsum(1)
    >>> has_stairs(rough, 0.0), has_stairs(rough.repeat(2, 0).repeat(2, 1), 0.0)
    (False, True)
    """
    return _has_stairs(z, step_m) or _has_stairs(z.T, step_m)


def _has_stairs(z: NDArray[np.float64], step_m: float) -> bool:
    rows, columns = (size // _BLOCK for size in z.shape)
    whole = z[: rows * _BLOCK, : columns * _BLOCK].reshape(rows, _BLOCK, columns, _BLOCK)
    blocks = whole.swapaxes(1, 2).reshape(-1, _BLOCK, _BLOCK)
    blocks = blocks[~np.isnan(blocks).any(axis=(1, 2))]
    blocks = blocks[np.ptp(blocks, axis=(1, 2)) >= max(_RELIEF_M, 16 * step_m)]
    if not len(blocks):
        return False
    jump = np.abs(np.diff(blocks, axis=2))
    equal = jump == 0
    in_line = equal[:, :-3] & equal[:, 1:-2] & equal[:, 2:-1] & equal[:, 3:]
    share = equal.mean(axis=(1, 2))
    size = jump.sum(axis=(1, 2)) / np.maximum((~equal).sum(axis=(1, 2)), 1)
    stairs = (in_line.mean(axis=(1, 2)) > _ALIGNED_SHARE) & (share < 1 - _ALIGNED_SHARE) & (size > 2.5 * step_m)
    return bool(stairs.mean() > 0.5)  # noqa: PLR2004


class Seam(NamedTuple):
    """A step along one line of cells: between `place` - 1 and `place`, a row or a column of the grid."""

    axis: str
    place: int
    step_m: float


def seams(z: NDArray[np.float64], step_m: float, joints: Sequence[tuple[str, int]] = ()) -> list[Seam]:
    """Steps that run straight along a column or row, as between tiles that do not fit.

    At a known joint of tiles a step of a decimetre counts. Elsewhere it must run through the whole window with one
    size: curbs and walls do not keep to one column of cells so far.

    Examples
    --------
    >>> z = np.random.default_rng(1).normal(0, 0.05, (400, 300)).cumsum(1)
    >>> seams(z, 0.0)
    []
    >>> z[:, 120:] += 0.4
    >>> [(seam.axis, seam.place, round(seam.step_m, 1)) for seam in seams(z, 0.0)]
    [('column', 120, 0.4)]
    """
    found = []
    for axis, heights in (("column", z), ("row", z.T)):
        if heights.shape[1] < 4:  # noqa: PLR2004
            continue
        known = {place for name, place in joints if name == axis}
        steps, alike = _steps(heights)
        if not len(steps):
            continue
        usual = 1.5 * np.nanmedian(np.abs(steps)) if np.isfinite(steps).any() else np.nan
        for k in range(steps.shape[1]):
            here = steps[:, k][~np.isnan(steps[:, k])]
            if not here.size:
                continue
            size = float(np.median(here))
            joint = k + 2 in known
            least = max(_LEAST_JOINT_M if joint else _LEAST_SEAM_M, 8 * usual, 2.5 * step_m)
            whole = here.size == len(steps) >= _FEWEST_PIECES and np.ptp(here) < 0.3 * abs(size)
            if abs(size) >= least and (joint or whole) and np.median(alike[:, k]) > 0.8:  # noqa: PLR2004
                found.append(Seam(axis, k + 2, size))
    return found


def _steps(z: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By pieces of rows: the step between columns k + 1 and k + 2 beyond the slopes beside it; on what share of rows.

    Not a number where the slope changes by half as much: a break of slope is no step.
    """
    steps, alike = [], []
    for top in range(0, len(z), _PIECE):
        piece = z[top : top + _PIECE]
        piece = piece[:: max(1, len(piece) // _ROWS_LOOKED_AT)]
        if len(piece) < _ROWS_LOOKED_AT // 2:
            continue
        rise = np.diff(piece, axis=1)
        beyond = rise[:, 1:-1] - (rise[:, :-2] + rise[:, 2:]) / 2
        known = ~np.isnan(beyond).any(axis=0)
        size, bend = np.full(beyond.shape[1], np.nan), np.full(beyond.shape[1], np.nan)
        size[known] = np.median(beyond[:, known], axis=0)
        bend[known] = np.abs(np.median((rise[:, 2:] - rise[:, :-2])[:, known], axis=0))
        same = np.abs(beyond - size) < np.abs(size) / 2
        size[bend > np.abs(size) / 2] = 0.0
        steps.append(size)
        alike.append(same.mean(axis=0))
    return np.array(steps), np.array(alike)
