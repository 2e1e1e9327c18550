"""How far a path of runoff hangs on what nobody knows: the elevations' error, shallow barriers, undrawn culverts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely
from affine import Affine
from shapely import LineString, Point

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.runoff.conditioning import AT_EDGE, AT_GOAL, AT_LIMIT
from siteplan_gis.measures.runoff.descent import descend
from siteplan_gis.measures.runoff.straightening import straightened, tube_cells
from siteplan_gis.measures.runoff.widening import Widening
from siteplan_gis.measures.terrain.lattice import first_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.ground import Conditioned

RUNS: Final = 20
ALIKE_OVER: Final = ((5, 0.25), (40, 0.97))
"""Cells over which errors of the elevations are alike, and their share of it: a little from point to point,
most of it over the width of a strip of flight or a patch of one cover (the sum of their squares is one)."""

_SPILLS_OVER: Final = 2.0
_SEED: Final = 402
_TILE: Final = 64
"""Rows and columns of knots whose errors are drawn together."""

_FAR: Final = 2**31
"""Tiles are numbered from so far off that no number is negative."""


class Run(NamedTuple):
    """One run.

    Attributes
    ----------
    reached
        Index of the target reached, None where none was.
    ends_because
        As `flow.Trace`'s, or "leaves_window" where the elevations go on beyond what is read at once.
    path
        In pixel coordinates of `ground`; None where there is none.
    edge
        A place at the edge of `ground` beyond which lies what may change the end; None where there is none.
    """

    reached: int | None
    ends_because: str
    length_m: float
    path: LineString | None
    ground: Conditioned
    edge: Point | None = None


def repeat(
    ground: Conditioned | Widening,
    starts: Sequence[Point],
    targets: Sequence[BaseGeometry],
    limit_m: float,
    error_m: float,
    barrier_m: float,
    near_m: float,
    runs: Sequence[int] = (),
) -> list[list[Run]]:
    """Follow runoff from each start over so many of the shaken grounds as `runs` tells; one list of runs for each.

    By default over all `RUNS` of them. Each ground carries a normal error of standard deviation `error_m`, alike over
    some cells and the same in every call, whatever the window. Every second run leads on behind road-like barriers, as
    if a culvert lay there, and in two of four water spills over barriers up to twice `barrier_m` high.
    A path that comes within `near_m` of a target and meets none has reached it. Runs that end at the rim of the window
    are followed again on wider ground.
    """
    wide = ground if isinstance(ground, Widening) else Widening(ground)
    tree = shapely.STRtree(np.asarray(targets, dtype=object)) if len(targets) else None
    runs = runs or [RUNS] * len(starts)
    found: dict[tuple[int, int], Run] = {}
    todo = {run: [i for i, most in enumerate(runs) if run < most] for run in range(max(runs, default=0))}
    while todo:
        z = np.empty(wide.ground.z_m.shape)
        shaken = replace(wide.ground, z_m=z)
        for run, places in todo.items():
            _shake(wide.ground, run, error_m, z)
            depth_m = barrier_m * (_SPILLS_OVER if run % 4 > 1 else 1.0)
            for i in places:
                ended = _follow(shaken, starts[i], targets, tree, limit_m, depth_m, 0.0, culverts=run % 2 == 1)
                if ended.reached is None and near_m > 0 and tree is not None:
                    beside = _follow(shaken, starts[i], targets, tree, limit_m, depth_m, near_m, culverts=run % 2 == 1)
                    ended = beside if beside.reached is not None else ended
                found[i, run] = ended
        open_ = {
            run: [i for i in places if (edge := found[i, run].edge) is not None and wide.goes_on(edge)]
            for run, places in todo.items()
        }
        todo = {run: places for run, places in open_.items() if places}
        if todo and not wide.widen():
            for run, places in todo.items():
                for i in places:
                    found[i, run] = found[i, run]._replace(reached=None, ends_because="leaves_window")
            break
    return [[found[i, run] for run in range(most)] for i, most in enumerate(runs)]


def _follow(
    ground: Conditioned,
    start: Point,
    targets: Sequence[BaseGeometry],
    tree: shapely.STRtree | None,
    limit_m: float,
    barrier_m: float,
    near_m: float,
    *,
    culverts: bool,
) -> Run:
    x, y = shapely.get_coordinates(ground.pixels(start))[0]
    goal = ground.goal(targets, near_m)
    way = descend(ground, goal, x, y, 1.25 * limit_m, barrier_m, assume_culverts=culverts)
    xy = np.vstack([[[x, y]], way.xy])
    raw_m = _length_m(ground, xy, int(y))
    sure_m = _length_m(ground, xy[: way.sure + 1], int(y)) / raw_m if raw_m else 1.0
    xy = xy[np.r_[True, (np.diff(xy, axis=0) != 0).any(axis=1)]]
    if len(xy) > 1:
        xy = straightened(xy, tube_cells(ground.z_m, way.xy, ground.noise_m(x, y)))
    length = _length_m(ground, xy, int(y))
    sure_m *= length
    edge = None
    if way.edge is not None and (sure_m < min(length, limit_m) or (way.how == AT_EDGE and length <= limit_m)):
        edge = ground.placed(Point(np.array(way.edge) + 0.5))
    path = LineString(xy) if len(xy) > 1 else None
    if way.how == AT_GOAL and tree is not None:
        end = ground.placed(Point(xy[-1]))
        index = int(tree.nearest(end))
        length += float(targets[index].distance(end))
        if np.isnan(length):
            message = "the length of a path is no number"
            raise ValueError(message)
        if length <= limit_m:
            return Run(index, "reached", length, path, ground, edge)
    if way.how == AT_EDGE and edge is not None:
        return Run(None, "leaves_elevation_data", length, path, ground, edge)
    if way.how in {AT_GOAL, AT_LIMIT} or length > limit_m:
        return Run(None, "farther_than_limit", length, path, ground, edge)
    return Run(None, "closed_depression" if way.barrier is None else "barrier", length, path, ground, edge)


def _length_m(ground: Conditioned, xy: NDArray[np.float64], row: int) -> float:
    steps = np.diff(xy, axis=0)
    return float(np.hypot(steps[:, 0] * ground.dx_m[row], steps[:, 1] * ground.dy_m[row]).sum())


def _shake(ground: Conditioned, run: int, error_m: float, out: NDArray[np.float64]) -> None:
    """The elevations with the errors of a run, which belong to places on the ground: every window has the same."""
    rows, cols = out.shape
    column, row = first_cell(
        ground.grid.transform @ Affine.translation(*ground.first) @ Affine.scale(*ground.factor)
    )  # fmt: skip
    before = ground.z_m
    for cells, share in ALIKE_OVER:
        (i, down), (j, right) = divmod(row, cells), divmod(column, cells)
        knots = _knots(run, cells, (i, i + (down + rows) // cells + 2), (j, j + (right + cols) // cells + 2))
        _shaken(before, share * error_m * knots, cells, down, right, out)
        before = out


def _knots(run: int, cells: int, rows: tuple[int, int], cols: tuple[int, int]) -> NDArray[np.float64]:
    """Normal errors of some rows and columns of knots (first, and after the last), counted from the CRS's origin."""
    (top, bottom), (left, right) = rows, cols
    return np.block([
        [
            np.random.default_rng([_SEED, run, cells, i + _FAR, j + _FAR]).standard_normal((_TILE, _TILE))[
                max(top - i * _TILE, 0) : bottom - i * _TILE, max(left - j * _TILE, 0) : right - j * _TILE
            ]
            for j in range(left // _TILE, -(-right // _TILE))
        ]
        for i in range(top // _TILE, -(-bottom // _TILE))
    ])  # fmt: skip


@compiled
def _shaken(
    z: NDArray[np.float64], knots: NDArray[np.float64], spacing: int, first_row: int, first_col: int, out: NDArray[np.float64]
) -> None:  # fmt: skip
    """Elevations with what lies between knots some cells apart; the weights keep the knots' variance everywhere."""
    rows, cols = z.shape
    # One by one: whole arrays take the compiler a second longer.
    near, far = np.empty(spacing), np.zeros(spacing)
    for i in range(spacing):
        share = 1 - i / spacing
        near[i] = share / np.hypot(share, 1 - share)
    for i in range(1, spacing):
        far[i] = near[spacing - i]
    line = np.empty(knots.shape[1])
    for row in range(rows):
        i, down = (first_row + row) // spacing, (first_row + row) % spacing
        for j in range(line.size):
            line[j] = near[down] * knots[i, j] + far[down] * knots[i + 1, j]
        for col in range(cols):
            j, right = (first_col + col) // spacing, (first_col + col) % spacing
            out[row, col] = z[row, col] + near[right] * line[j] + far[right] * line[j + 1]
