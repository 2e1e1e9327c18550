"""How far a path of runoff hangs on what nobody knows: the elevations' error, shallow barriers, undrawn culverts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely
from shapely import LineString, Point

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.runoff.conditioning import AT_EDGE, AT_GOAL, AT_LIMIT
from siteplan_gis.measures.runoff.descent import descend
from siteplan_gis.measures.runoff.straightening import straightened, tube_cells

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


class Run(NamedTuple):
    """One run: index of the target reached, or None and why the path ends (see `flow.Trace`); metres; the path."""

    reached: int | None
    ends_because: str
    length_m: float
    path: LineString | None


def repeat(
    ground: Conditioned,
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
    some cells and the same in every call. Every second run leads on behind road-like barriers, as if a culvert lay
    there, and in two of four water spills over barriers up to twice `barrier_m` high.
    A path that comes within `near_m` of a target and meets none has reached it.
    """
    found: list[list[Run]] = [[] for _ in starts]
    tree = shapely.STRtree(np.asarray(targets, dtype=object)) if len(targets) else None
    rng = np.random.default_rng(_SEED)
    rows, cols = ground.z_m.shape
    z = np.empty((rows, cols))
    shaken = replace(ground, z_m=z)
    runs = runs or [RUNS] * len(starts)
    for run in range(max(runs, default=0)):
        before = ground.z_m
        for cells, share in ALIKE_OVER:
            knots = rng.standard_normal((rows // cells + 2, cols // cells + 2))
            _shaken(before, share * error_m * knots, cells, z)
            before = z
        depth_m = barrier_m * (_SPILLS_OVER if run % 4 > 1 else 1.0)
        for place, start in enumerate(starts):
            if run >= runs[place]:
                continue
            ended = _follow(shaken, start, targets, tree, limit_m, depth_m, 0.0, culverts=run % 2 == 1)
            if ended.reached is None and near_m > 0 and tree is not None:
                beside = _follow(shaken, start, targets, tree, limit_m, depth_m, near_m, culverts=run % 2 == 1)
                ended = beside if beside.reached is not None else ended
            found[place].append(ended)
    return found


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
    xy = xy[np.r_[True, (np.diff(xy, axis=0) != 0).any(axis=1)]]
    if len(xy) > 1:
        xy = straightened(xy, tube_cells(ground.z_m, way.xy, ground.noise_m(x, y)))
    steps, row = np.diff(xy, axis=0), int(y)
    length = float(np.hypot(steps[:, 0] * ground.dx_m[row], steps[:, 1] * ground.dy_m[row]).sum())
    path = LineString(xy) if len(xy) > 1 else None
    if way.how == AT_GOAL and tree is not None:
        end = ground.placed(Point(xy[-1]))
        index = int(tree.nearest(end))
        length += float(targets[index].distance(end))
        if length <= limit_m:
            return Run(index, "reached", length, path)
    if way.how in {AT_GOAL, AT_LIMIT} or length > limit_m:
        return Run(None, "farther_than_limit", length, path)
    if way.how == AT_EDGE:
        return Run(None, "leaves_elevation_data", length, path)
    return Run(None, "closed_depression" if way.barrier is None else "barrier", length, path)


@compiled
def _shaken(z: NDArray[np.float64], knots: NDArray[np.float64], spacing: int, out: NDArray[np.float64]) -> None:
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
        i, down = row // spacing, row % spacing
        for j in range(line.size):
            line[j] = near[down] * knots[i, j] + far[down] * knots[i + 1, j]
        for col in range(cols):
            j, right = col // spacing, col % spacing
            out[row, col] = z[row, col] + near[right] * line[j] + far[right] * line[j + 1]
