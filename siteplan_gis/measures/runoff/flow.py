"""Where runoff goes: the path down the ground to the first target, its length, and why it ends.

The ground carries water through noise and shallow ponding, never through a barrier deeper than a stated depth: behind
one the path ends and says so, because lidar shows a road over a culvert as a dam. A drawn culvert is cut through it,
and a mapped line leads through it. What a map calls closed keeps its water.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import LineString, Point
from shapely.ops import substring

from siteplan_gis.measures.runoff.conditioning import AT_EDGE, AT_GOAL, AT_LIMIT, AT_SINK, IN_DEPRESSION, TOO_WIDE
from siteplan_gis.measures.runoff.descent import descend
from siteplan_gis.measures.runoff.ground import Conditioned, away_from, condition_around
from siteplan_gis.measures.runoff.straightening import TUBE_CELLS, straightened, tube_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.descent import Descent
    from siteplan_gis.model.terrain import ElevationGrid

__all__ = ["BARRIER_M", "NOISE_M", "Conditioned", "Trace", "condition_around", "trace", "trace_terrain"]

NOISE_M: Final = 0.3
"""Ponding up to this depth is noise of the elevations and is not reported."""

BARRIER_M: Final = 0.5
"""A path is not carried through ponding deeper than this."""

_LESS_AND_MORE: Final = (0.5, 2.0)
"""The length is told again with tubes so many times as wide."""

_LEVEL_DOUBT: Final = 0.25
_NOISE_DOUBT: Final = 0.03
"""Share of a length that noise makes doubtful where it swings a path by a cell (see `straightening.tube_cells`)."""

_BEND_DOUBT: Final = 1.0
"""Each bend of an angle a may lie a tube's half width off, which makes the length doubtful by that width and a / 2."""

_WORTH_SAYING_M: Final = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A path of runoff.

    Attributes
    ----------
    path
        From the start downstream, in the frame; None where there is none (the start touches a target or has no
        elevation).
    length_m
        Along the path, without the swings that only cells and noise make (see `straightening`).
    straight_m
        From the start to the target reached, or else to the end of the path.
    reached
        Index of the target reached, None where none was.
    ends_because
        "reached" or one of "farther_than_limit", "leaves_elevation_data", "closed_depression", "barrier" (a depression
        behind a narrow, road-like one), "no_elevation".
    plus_minus_m
        Half the width of the doubt about the length: how much it hangs on the smoothing, a cell for the ends, and a
        quarter of the way over exactly level ground.
    depression_depth_m
        Depth of the depression the path ends in, in metres; 0 elsewhere. With `depth_at_least` it is a lower bound.
    barrier
        The highest place of a narrow, road-like barrier below the depression; None where there is none.
    barrier_width_m
        Distance to lower ground behind a narrow, road-like barrier below the depression; None where there is none.
    breached
        Every ponding deeper than noise that the path was carried through: where, its depth and its length in metres.
    explanation
        One sentence.
    culverts
        The drawn pipes that the path runs through.
    led
        Every place where a mapped line led the path out of a depression, and how high the ground on the line is there
        above the depression, in metres.
    sink
        Index of the sink (see `condition_around`) that the path ends in; None where it ends in none.
    edge
        A place at the rim of the elevations beyond which lies what may change the path; None where none was met.
    at_window
        True where that is the rim of the window that was read, not of the data, and the answer hangs on it.
    """

    path: LineString | None
    length_m: float
    straight_m: float
    reached: int | None
    ends_because: str
    plus_minus_m: float
    depression_depth_m: float = 0.0
    breached: tuple[tuple[Point, float, float], ...] = ()
    explanation: str = ""
    barrier: Point | None = None
    barrier_width_m: float | None = None
    depth_at_least: bool = False
    culverts: tuple[LineString, ...] = ()
    led: tuple[tuple[Point, float], ...] = ()
    sink: int | None = None
    edge: Point | None = None
    at_window: bool = False


def trace(
    ground: Conditioned,
    start: Point,
    targets: Sequence[BaseGeometry],
    limit_m: float,
    barrier_m: float = BARRIER_M,
    near_m: float = 0.0,
    *,
    assume_culverts: bool = False,
) -> Trace:
    """Follow runoff from `start` until it touches a target, or says why not.

    A path that comes within `near_m` of a target has reached it and is led straight there: the true ground and the
    map of the waters may be that far apart, so that a path down the stream itself never touches the stream's line.
    With `assume_culverts` it is led on behind road-like barriers (see `descent.descend`).

    Pass a limit beyond the one of the law, and compare afterwards, where the distance itself is wanted.
    """
    distances = away_from(start, targets, 0.0)
    if distances.size and distances.min() == 0:
        return Trace(None, 0.0, 0.0, int(distances.argmin()), "reached", 0.0, explanation="The runoff starts in it.")
    rows, cols = ground.z_m.shape
    x, y = shapely.get_coordinates(ground.pixels(start))[0]
    inside = 0 <= x < cols and 0 <= y < rows
    if not inside or np.isnan(ground.z_m[int(y), int(x)]):
        return Trace(None, 0.0, 0.0, None, "no_elevation", 0.0, explanation="There is no elevation where it starts.")
    goal = ground.goal(targets, near_m)
    follow_m = limit_m * 1.1 + 2 * ground.cell_m
    while True:
        way = descend(ground, goal, x, y, follow_m, barrier_m, assume_culverts=assume_culverts)
        path = _path(ground, way, x, y)
        if way.how != AT_LIMIT or path is None or path.length > limit_m:
            break
        follow_m *= 1.25
    breached = tuple(
        (ground.placed(Point(way.xy[int(place)])), float(deep), float(long))
        for place, deep, long, _ in way.ponds
        if deep > NOISE_M
    )
    led = tuple(
        (ground.placed(Point(way.xy[int(place)])), float(high)) for place, *_, high in way.ponds if high > NOISE_M
    )
    level_m = float(way.ponds[way.ponds[:, 1] == 0, 2].sum())
    doubt = _doubt(ground, way, path, (x, y)) + _LEVEL_DOUBT * level_m + near_m
    led_m = near_m + 2 * ground.cell_m if way.how == AT_GOAL else -1.0
    found = _first_touch(path if path is not None else start, targets, led_m)
    edge = ground.placed(Point(np.array(way.edge) + 0.5)) if way.edge is not None else None
    at_rim = _at_rim(way.edge, ground.z_m.shape)
    sure_m = _sure_m(ground, way, (x, y)) if edge is not None else np.inf
    if found is not None and found[1].length <= limit_m:
        index, path = found
        return Trace(
            path, path.length, float(shapely.distance(start, targets[index])), index, "reached", doubt, breached=breached,
            explanation=f"The runoff reaches it after {path.length:.0f} m{_through(breached, led, level_m)}.",
            culverts=_pipes(ground, path), led=led, edge=edge, at_window=at_rim and sure_m < path.length,
        )  # fmt: skip
    how = way.how
    if found is not None or (path is not None and path.length > limit_m and min(sure_m, path.length) > limit_m):
        how = AT_LIMIT
        path = substring(path, 0, limit_m) if path is not None else None
    length = path.length if path is not None else 0.0
    end = path.interpolate(length) if path is not None else start
    stops = how in {IN_DEPRESSION, TOO_WIDE}
    narrow = way.barrier if stops else None
    why, sentence = _ending(how, length, way.depth_m, narrow.width_m if narrow else None, limit_m)
    return Trace(
        path, length, start.distance(end), None, why, doubt, way.depth_m if stops else 0.0, breached,
        sentence + _through(breached, led, level_m) + ".",
        ground.placed(Point(np.array(narrow.crest) + 0.5)) if narrow else None,
        narrow.width_m if narrow else None, how == TOO_WIDE, _pipes(ground, path), led,
        int(away_from(end, ground.sinks).argmin()) if how == AT_SINK else None,
        edge, at_rim and (stops or how == AT_EDGE or sure_m < length),
    )  # fmt: skip


def trace_terrain(
    grid: ElevationGrid,
    start: Point,
    targets: Sequence[BaseGeometry],
    limit_m: float,
    culverts: Sequence[BaseGeometry] = (),
    lines: Sequence[BaseGeometry] = (),
    sinks: Sequence[BaseGeometry] = (),
    barrier_m: float = BARRIER_M,
) -> Trace:
    """Follow runoff over a grid from one point (see `condition_around` and `trace`)."""
    ground = condition_around(grid, start, max(900.0, 2 * limit_m), culverts, lines, sinks)
    return trace(ground, start, targets, limit_m, barrier_m)


def _sure_m(ground: Conditioned, way: Descent, start: tuple[float, float]) -> float:
    """How far a way has gone where ground beyond an edge begins to tell, in metres."""
    path = _path(ground, replace(way, xy=way.xy[: way.sure]), *start) if way.sure else None
    return float(path.length) if path is not None else 0.0


def _at_rim(cell: tuple[int, int] | None, shape: tuple[int, ...]) -> bool:
    """Whether a cell lies in an outermost row or column."""
    return cell is not None and (cell[0] in {0, shape[1] - 1} or cell[1] in {0, shape[0] - 1})


def _ending(how: int, length_m: float, depth_m: float, width_m: float | None, limit_m: float) -> tuple[str, str]:
    """The word for how a path ends short of every target, and a sentence without its full stop."""
    if how == AT_EDGE:
        return "leaves_elevation_data", f"The runoff leaves the elevation data after {length_m:.0f} m"
    if how == AT_LIMIT:
        return "farther_than_limit", f"No target is met within {limit_m:.0f} m along the path"
    if how == AT_SINK:
        return "closed_depression", f"The runoff ends after {length_m:.0f} m in a closed depression that a map shows"
    if how == TOO_WIDE and depth_m <= NOISE_M:
        return (
            "closed_depression",
            f"The runoff stops after {length_m:.0f} m on level ground too wide to see its way out",
        )
    deep = f"{'at least ' * (how == TOO_WIDE)}{depth_m:.1f} m deep"
    sentence = f"The runoff stops after {length_m:.0f} m in a closed depression {deep}"
    if width_m is not None:
        sentence += (
            f" behind a narrow, road-like barrier (lower ground {width_m:.0f} m on): a culvert may lie there, "
            "and where the runoff goes from here cannot be told"
        )
    return "barrier" if width_m is not None else "closed_depression", sentence


def _pipes(ground: Conditioned, path: LineString | None) -> tuple[LineString, ...]:
    """The pipes whose middle a path runs over."""
    if path is None:
        return ()
    near_m = 1.5 * ground.cell_m
    return tuple(pipe for pipe in ground.culverts if path.distance(pipe.interpolate(0.5, normalized=True)) <= near_m)


def _through(
    breached: tuple[tuple[Point, float, float], ...], led: tuple[tuple[Point, float], ...], level_m: float
) -> str:
    said = ""
    if breached:
        deepest = max(depth for _, depth, _ in breached)
        said = f", carried through {len(breached)} ponding{'s' * (len(breached) > 1)} up to {deepest:.1f} m deep"
    if led:
        said += f", led by a mapped line through ground up to {max(high for _, high in led):.1f} m high"
    if level_m >= _WORTH_SAYING_M:
        said += f", over {level_m:.0f} m of exactly level ground where its course is a guess"
    return said


def _path(ground: Conditioned, way: Descent, x: float, y: float, share: float = 1.0) -> LineString | None:
    """A way from its true start, straightened, in the frame; None where it has no length."""
    xy = np.vstack([[[x, y]], way.xy])
    xy = xy[np.r_[True, (np.diff(xy, axis=0) != 0).any(axis=1)]]
    return (
        ground.placed(LineString(straightened(xy, share * tube_cells(ground.z_m, way.xy, ground.noise_m(x, y)))))
        if len(xy) > 1
        else None
    )


def _doubt(ground: Conditioned, way: Descent, path: LineString | None, start: tuple[float, float]) -> float:
    """How much the length hangs on the straightening, on noise and bends, and one cell for the ends, in metres."""
    if path is None:
        return ground.cell_m
    x, y = start
    others = (_path(ground, way, x, y, share) for share in _LESS_AND_MORE)
    spread = max(abs(other.length - path.length) for other in others if other is not None)
    swings = tube_cells(ground.z_m, way.xy, ground.noise_m(x, y)) - TUBE_CELLS
    noise = _NOISE_DOUBT * min(swings, 1.0) * float(path.length)
    steps = np.diff(shapely.get_coordinates(path), axis=0)
    courses = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    bends_m = _BEND_DOUBT * TUBE_CELLS * ground.cell_m * float(np.abs(np.diff(courses)).sum()) / 2
    return float(spread) + noise + bends_m + ground.cell_m


def _first_touch(
    path: LineString | Point,
    targets: Sequence[BaseGeometry],
    led_m: float,
) -> tuple[int, LineString] | None:
    """The target that a path meets first, and the path up to it.

    A path that ends in a cell of a target without touching it is led straight to the nearest place of it.
    """
    if not len(targets):
        return None
    shapes = np.asarray(targets, dtype=object)
    start = Point(path.coords[0])
    if isinstance(path, LineString):
        west, south, east, north = path.bounds
        boxes = shapely.bounds(shapes)
        near = (boxes[:, :2] <= (east, north)).all(axis=1) & (boxes[:, 2:] >= (west, south)).all(axis=1)
        touched = np.flatnonzero(near)
        touched = touched[shapely.intersects(shapes[touched], path)]
        if touched.size:
            meets = [
                shapely.line_locate_point(
                    path, shapely.points(shapely.get_coordinates(path.intersection(shapes[i])))
                ).min()
                for i in touched
            ]
            best = int(np.argmin(meets))
            return int(touched[best]), substring(path, 0, max(float(meets[best]), 1e-6))
    end = Point(path.coords[-1])
    away = away_from(end, targets, led_m)
    index = int(away.argmin())
    if away[index] > led_m:
        return None
    last = shapely.get_coordinates(shapely.shortest_line(end, shapes[index]))[1:]
    along = path.coords if isinstance(path, LineString) else start.coords
    return index, LineString(np.vstack([np.asarray(along), last]))
