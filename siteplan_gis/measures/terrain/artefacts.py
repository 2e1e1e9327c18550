"""Marks in an elevation grid that no ground has: stairs of resampling, seams of tiles, water made level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.terrain.patches import label_steep, outlines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.terrain import ElevationGrid

LEVEL_M2: Final = 500.0
"""Ground of one height to the last digit is called level from this size on."""

_BLOCK: Final = 16
_IN_LINE: Final = 4
_RELIEF_M: Final = 0.25
_ALIGNED_SHARE: Final = 0.05
_LEAST_SEAM_M: Final = 0.2
_LEAST_JOINT_M: Final = 0.1
_PIECE: Final = 128
_ROWS_LOOKED_AT: Final = 32
_FEWEST_PIECES: Final = 3


def is_level(z: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Cells that equal all eight neighbours to the last digit; shape as `z`, the rim False."""
    level = np.zeros(z.shape, dtype=bool)
    _mark_level(np.ascontiguousarray(z, dtype=np.float64), level)
    return level


@compiled
def _mark_level(z: NDArray[np.float64], level: NDArray[np.bool_]) -> None:
    rows, columns = z.shape
    for row in range(1, rows - 1):
        for column in range(1, columns - 1):
            middle = z[row, column]
            alike = True
            for i in range(-1, 2):
                for j in range(-1, 2):
                    alike = alike and z[row + i, column + j] == middle
            level[row, column] = alike


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
    own = np.ascontiguousarray(z, dtype=np.float64)
    return bool(_stairs(own, step_m, turned=False) or _stairs(own, step_m, turned=True))


@compiled
def _stairs(z: NDArray[np.float64], step_m: float, turned: bool) -> bool:  # noqa: FBT001
    """Stairs along the rows, or along the columns where the grid is `turned`."""
    found = looked = 0
    most = _BLOCK * (_BLOCK - 1)
    heights = np.empty((_BLOCK, _BLOCK))
    for top in range(0, z.shape[0] - _BLOCK + 1, _BLOCK):
        for left in range(0, z.shape[1] - _BLOCK + 1, _BLOCK):
            part = z[top : top + _BLOCK, left : left + _BLOCK]
            least, highest = np.inf, -np.inf
            known = True
            for i in range(_BLOCK):
                for j in range(_BLOCK):
                    height = part[j, i] if turned else part[i, j]
                    known = known and not np.isnan(height)
                    least, highest = min(least, height), max(highest, height)
                    heights[i, j] = height
            if not known or highest - least < max(_RELIEF_M, 16 * step_m):
                continue
            equal = in_line = 0
            rise = 0.0
            for j in range(_BLOCK - 1):
                run = 0
                for i in range(_BLOCK):
                    jump = abs(heights[i, j + 1] - heights[i, j])
                    rise += jump
                    run = run + 1 if jump == 0 else 0
                    equal += jump == 0
                    in_line += run >= _IN_LINE
            looked += 1
            large = rise / max(most - equal, 1) > 2.5 * step_m
            in_step = in_line / ((_BLOCK - _IN_LINE + 1) * (_BLOCK - 1)) > _ALIGNED_SHARE
            found += in_step and equal / most < 1 - _ALIGNED_SHARE and large
    return 2 * found > looked


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
        # The middle of a column's steps is no larger than their largest; of most columns that is enough to know.
        for k in np.flatnonzero(np.fmax.reduce(np.abs(steps)) >= _LEAST_JOINT_M):
            here = steps[:, k][~np.isnan(steps[:, k])]
            size = float(np.median(here))
            joint = int(k) + 2 in known
            least = max(_LEAST_JOINT_M if joint else _LEAST_SEAM_M, 8 * usual, 2.5 * step_m)
            whole = here.size == len(steps) >= _FEWEST_PIECES and np.ptp(here) < 0.3 * abs(size)
            if abs(size) >= least and (joint or whole) and np.median(alike[:, k]) > 0.8:  # noqa: PLR2004
                found.append(Seam(axis, int(k) + 2, size))
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
        size, bend = _middles(beyond), np.abs(_middles(rise[:, 2:] - rise[:, :-2]))
        same = np.abs(beyond - size) < np.abs(size) / 2
        size[bend > np.abs(size) / 2] = 0.0
        steps.append(size)
        alike.append(same.mean(axis=0))
    return np.array(steps), np.array(alike)


def _middles(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The median of each column, not a number where one of it is none: sorting takes a fifth of numpy's own."""
    ordered = np.sort(values, axis=0)
    middle: NDArray[np.float64] = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    # What is not a number comes last.
    return np.where(np.isnan(ordered[-1]), np.nan, middle)
