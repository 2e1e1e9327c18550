"""How far water runs down the ground from an area to a road or a channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import LineString

from siteplan_gis.measures.runoff.marking import cells_touched, draw
from siteplan_gis.measures.runoff.routing import NOWHERE, tight, ways_down

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.routing import Floats, Ints, Runoff

_BENDS: Final = 0.02
_DIAGONAL: Final = 2**0.5


@dataclass(frozen=True, slots=True, eq=False)
class WaysDown:
    """Ways down to some goals from every cell of a window: found once, asked for each area.

    Attributes
    ----------
    goals
        Roads, channels ...: in the frame.
    length_m
        From the middle of each cell along its fall lines to the nearest place of the goal that its water meets, flat;
        infinite where it meets none.
    """

    runoff: Runoff
    goals: tuple[BaseGeometry, ...]
    length_m: Floats


@dataclass(frozen=True, slots=True, eq=False)
class DrainageLength:
    """The shortest way that water runs from the edge of an area to a goal.

    Attributes
    ----------
    length_m
        None where no water of the area's edge meets a goal within the window.
    plus_minus_m
        Half a cell's diagonal, 2 %, and what the way is longer than the straight line between its ends: noise of the
        elevations may bend it. None without a length.
    goal
        Index of the goal met.
    path
        Along the cells of the way; None without one, or where the area touches the goal.
    at_edge
        True where water of the edge leaves the data before it meets a goal: a shorter way may be unknown.
    reason
        Why there is no length; else empty.
    """

    length_m: float | None
    plus_minus_m: float | None
    goal: int | None
    path: LineString | None
    at_edge: bool
    reason: str = ""


def ways_to(runoff: Runoff, goals: Sequence[BaseGeometry]) -> WaysDown:
    """Find the ways down to some goals (lines or polygons in the frame) from every cell."""
    shapes = tuple(goals)
    length = np.full(runoff.receivers.size, np.inf)
    number = np.full(length.size, NOWHERE, np.int32)
    cells = np.flatnonzero(_goal_cells(runoff, shapes))
    number[cells] = np.arange(cells.size)
    offset = _offsets(runoff, cells, _edges(shapes))
    ways_down(runoff.order, runoff.receivers, runoff.step_m, runoff.course, number, offset, _most(runoff), length)
    return WaysDown(runoff, shapes, length)


def drainage_length(ways: WaysDown, area: BaseGeometry) -> DrainageLength:
    """The shortest downslope drainage length from the edge of an area to a goal."""
    runoff, shapes = ways.runoff, np.asarray(ways.goals, dtype=object)
    if shapes.size and (away := shapely.distance(shapes, area)).min() == 0:
        return DrainageLength(0.0, 0.0, int(away.argmin()), None, at_edge=False)
    marks = np.zeros(runoff.shape, np.uint8)
    for ring in shapely.get_rings(shapely.get_parts([runoff.ground.pixels(area)])):
        draw(marks, shapely.get_coordinates(ring))
    edge = np.flatnonzero((marks > 0) & ~np.isnan(runoff.ground.z_m))
    if not edge.size:
        return DrainageLength(None, None, None, None, at_edge=True, reason="it lies where there is no elevation")
    reach = ways.length_m[edge]
    lost = ~np.isfinite(reach)
    at_edge = bool(lost.any() and runoff.leaves(edge[lost]).any())
    if lost.all():
        why = "its runoff leaves the elevations first" if at_edge else "its runoff meets none"
        return DrainageLength(None, None, None, None, at_edge, why)
    # From the edge itself, not from the middles of its cells.
    offset = _offsets(runoff, edge, shapely.boundary(area))
    along = (offset * runoff.course[edge]).sum(axis=1)
    most = _most(runoff)
    with np.errstate(divide="ignore", invalid="ignore"):
        before = np.where(along == 0, 0.0, np.clip((offset**2).sum(axis=1) / along, -most, most))
    reach = np.where(lost, np.inf, np.maximum(reach - before, 0.0))
    first = int(edge[reach.argmin()])
    length = float(reach.min())
    path = _path(runoff, first, area, ways.goals)
    goal = int(shapely.distance(shapes, shapely.get_point(path, -1)).argmin())
    # Where noise bends the way, its smoothed line is shorter, and the truth may be as short as the straight line.
    straight = path.length if len(path.coords) < 3 else LineString([path.coords[0], path.coords[-1]]).length  # noqa: PLR2004
    doubt = 0.5 * _DIAGONAL * runoff.ground.cell_m + _BENDS * length + max(length - straight, 0.0)
    return DrainageLength(length, doubt, goal, path, at_edge)


def _most(runoff: Runoff) -> float:
    """What the place of an edge within its cell may change."""
    return runoff.ground.cell_m / 2**0.5


def _edges(shapes: Sequence[BaseGeometry]) -> BaseGeometry:
    outlines = [shapely.boundary(shape) if shape.area > 0 else shape for shape in shapes]
    return shapely.union_all(outlines)


def _offsets(runoff: Runoff, cells: Ints, line: BaseGeometry) -> Floats:
    """From the middle of each cell to the nearest place of a line, in metres along columns and rows."""
    cols = runoff.shape[1]
    if not cells.size:
        return np.zeros((0, 2))
    middles = np.column_stack((cells % cols + 0.5, cells // cols + 0.5))
    shortest = shapely.shortest_line(shapely.points(middles), runoff.ground.pixels(line))
    ends = shapely.get_coordinates(shapely.get_point(shortest, -1))
    rows = cells // cols
    offsets: Floats = (ends - middles) * np.column_stack((runoff.ground.dx_m[rows], runoff.ground.dy_m[rows]))
    return offsets


def _goal_cells(runoff: Runoff, goals: Sequence[BaseGeometry]) -> NDArray[np.bool_]:
    return tight(cells_touched(runoff.ground, goals) > 0).ravel()


def _path(runoff: Runoff, first: int, area: BaseGeometry, goals: Sequence[BaseGeometry]) -> LineString:
    """From the area's edge along the middles of cells to the goal."""
    cols = runoff.shape[1]
    marks = _goal_cells(runoff, goals)
    cells, at = [first], first
    while not marks[at]:
        at = int(runoff.receivers[at])
        cells.append(at)
    middles = [((cell % cols) + 0.5, (cell // cols) + 0.5) for cell in cells]
    course = shapely.get_coordinates(runoff.ground.placed(shapely.multipoints(middles)))
    start = shapely.get_coordinates(shapely.shortest_line(shapely.boundary(area), shapely.points(course[0])))[0]
    near = shapely.get_coordinates(shapely.shortest_line(shapely.points(course[-1]), shapely.union_all(goals)))[-1]
    return LineString(np.vstack([start, course[1:-1], near]))
