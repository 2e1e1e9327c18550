"""Where runoff goes: the path down the ground, and where it leaves a disturbed area.

The ground carries water through noise and shallow ponding, never through a barrier deeper than a stated depth: behind
one the path ends and says so, because lidar shows a road over a culvert as a dam. A drawn culvert is cut through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import LineString, Point
from shapely.ops import substring

from siteplan_gis.measures import conditioning, receiving
from siteplan_gis.measures.conditioning import AT_EDGE, AT_GOAL, AT_LIMIT, IN_DEPRESSION, TOO_WIDE
from siteplan_gis.measures.drainage_field import EDGE, receivers
from siteplan_gis.measures.ground import Conditioned, away_from, condition_around
from siteplan_gis.measures.marking import cells_touched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.terrain import ElevationGrid

__all__ = ["BARRIER_M", "NOISE_M", "Conditioned", "Trace", "condition_around", "runoff_exits", "trace", "trace_terrain"]

NOISE_M: Final = 0.3
"""Ponding up to this depth is noise of the elevations and is not reported."""

BARRIER_M: Final = 0.5
"""A path is not carried through ponding deeper than this."""

_ROAD_REACH_M: Final = 60.0
_SMOOTHED_OVER: Final = 5
_LESS_AND_MORE: Final = (3, 9)
_LEVEL_DOUBT: Final = 0.25
_WORTH_SAYING_M: Final = 10.0
_PLACES_TRACED: Final = 160
_VALLEY: Final = 4.0
_TRIFLE: Final = 0.002


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A path of runoff.

    Attributes
    ----------
    path
        From the start downstream, in the frame; None where there is none (the start touches a target or has no
        elevation).
    length_m
        Along the path, smoothed over five cells: steps in eight directions alone are 5 to 10 % too long. Channels of
        known length are met within 3 % where a bend is at least 30 cells long.
    straight_m
        From the start to the target reached, or else to the end of the path.
    reached
        Index of the target reached, None where none was.
    ends_because
        "reached" or one of "farther_than_limit", "leaves_elevation_data", "closed_depression", "no_elevation".
    plus_minus_m
        Half the width of the doubt about the length: how much it hangs on the smoothing, a cell for the ends, and a
        quarter of the way over exactly level ground.
    depression_depth_m
        Depth of the depression the path ends in, in metres; 0 elsewhere. With `depth_at_least` it is a lower bound.
    barrier_width_m
        Distance to lower ground behind a narrow, road-like barrier below the depression; None where there is none.
    breached
        Every ponding deeper than noise that the path was carried through: where, its depth and its length in metres.
    explanation
        One sentence.
    culverts
        The drawn pipes that the path runs through.
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
    barrier_width_m: float | None = None
    depth_at_least: bool = False
    culverts: tuple[LineString, ...] = ()


def trace(
    ground: Conditioned,
    start: Point,
    targets: Sequence[BaseGeometry],
    limit_m: float,
    barrier_m: float = BARRIER_M,
    near_m: float = 0.0,
) -> Trace:
    """Follow runoff from `start` until it touches a target, or says why not.

    A path that comes within `near_m` of a target has reached it and is led straight there: the true ground and the
    map of the waters may be that far apart, so that a path down the stream itself never touches the stream's line.

    Pass a limit beyond the one of the law, and compare afterwards, where the distance itself is wanted.
    """
    distances = away_from(start, targets)
    if distances.size and distances.min() == 0:
        return Trace(None, 0.0, 0.0, int(distances.argmin()), "reached", 0.0, explanation="The runoff starts in it.")
    rows, cols = ground.z_m.shape
    x, y = shapely.get_coordinates(ground.pixels(start))[0]
    inside = 0 <= x < cols and 0 <= y < rows
    if not inside or np.isnan(ground.z_m[int(y), int(x)]):
        return Trace(None, 0.0, 0.0, None, "no_elevation", 0.0, explanation="There is no elevation where it starts.")
    goal = ground.goal(targets, near_m)
    first = int(y) * cols + int(x)
    mark, follow_m, scratch = 0, limit_m * 1.1 + 2 * ground.cell_m, conditioning.scratch((rows, cols))
    while True:
        cells, how, depth, ponds, mark = _descend(ground, goal, first, follow_m, barrier_m, mark, scratch)
        stepped = _stepped(cells, cols, x, y)
        path = ground.placed(LineString(_smoothed(stepped, _SMOOTHED_OVER))) if len(stepped) > 1 else None
        if how != AT_LIMIT or path is None or path.length > limit_m:
            break
        follow_m *= 1.25
    breached = tuple(
        (ground.placed(_middle(cells[int(place)], cols)), float(deep), float(long))
        for place, deep, long in ponds
        if deep > NOISE_M
    )
    level_m = float(ponds[ponds[:, 1] == 0, 2].sum())
    doubt = _doubt(ground, stepped, path) + _LEVEL_DOUBT * level_m + near_m
    led_m = near_m + 2 * ground.cell_m if how == AT_GOAL else -1.0
    found = _first_touch(path if path is not None else start, targets, distances, led_m)
    if found is not None and found[1].length <= limit_m:
        index, path = found
        return Trace(
            path, path.length, float(distances[index]), index, "reached", doubt, breached=breached,
            explanation=f"The runoff reaches it after {path.length:.0f} m{_through(breached, level_m)}.",
            culverts=_pipes(ground, path),
        )  # fmt: skip
    if found is not None or (path is not None and path.length > limit_m):
        how = AT_LIMIT
        path = substring(path, 0, limit_m) if path is not None else None
    length = path.length if path is not None else 0.0
    end = path.interpolate(length) if path is not None else start
    depth = depth if how in {IN_DEPRESSION, TOO_WIDE} else 0.0
    narrow = _barrier_width(ground, int(cells[-1])) if depth else None
    why, sentence = _ending(how, length, depth, narrow, limit_m)
    return Trace(
        path, length, start.distance(end), None, why, doubt, depth, breached,
        sentence + _through(breached, level_m) + ".", narrow, how == TOO_WIDE, _pipes(ground, path),
    )  # fmt: skip


def trace_terrain(
    grid: ElevationGrid,
    start: Point,
    targets: Sequence[BaseGeometry],
    limit_m: float,
    culverts: Sequence[BaseGeometry] = (),
    drainage: Sequence[BaseGeometry] = (),
    barrier_m: float = BARRIER_M,
) -> Trace:
    """Follow runoff over a grid from one point (see `condition_around` and `trace`)."""
    ground = condition_around(grid, start, max(900.0, 2 * limit_m), culverts, drainage)
    return trace(ground, start, targets, limit_m, barrier_m)


def runoff_exits(
    grid: ElevationGrid,
    disturbed: BaseGeometry,
    limit: int = 12,
    targets: Sequence[BaseGeometry] = (),
    limit_m: float = 402.336,
    culverts: Sequence[BaseGeometry] = (),
    drainage: Sequence[BaseGeometry] = (),
    barrier_m: float = BARRIER_M,
) -> tuple[Point, ...]:
    """Places on the boundary of a disturbed area where its runoff leaves, the largest part of it first.

    A slope that leaves along a whole side is stood for by a few places apart from each other; a valley gets its own.
    Every target that runoff reaches within `limit_m` (of cell steps), or that touches the area, is reached from one of
    the places, even beyond `limit`. Where no runoff leaves, the lowest place of the largest closed depression
    stands alone. Empty where there are no elevations.
    """
    ground = condition_around(grid, disturbed, max(900.0, 2 * limit_m), culverts, drainage)
    rows, cols = ground.z_m.shape
    scratch = conditioning.scratch((rows, cols))
    inside = cells_touched(ground, [disturbed])
    inside[np.isnan(ground.z_m)] = 0
    inside = inside.ravel()
    if not inside.any():
        return ()
    field = receivers(ground, barrier_m)
    order = field.order[inside[field.order] != 0]
    to = field.receiver[order]
    area = np.zeros(rows * cols)
    area[order] = (ground.dx_m * ground.dy_m)[order // cols]
    receiving.gather(order, to, inside, area)
    leaves = np.where(to >= 0, inside[np.maximum(to, 0)] == 0, field.ended_by[order] == EDGE)
    touching = _touching(disturbed, targets)
    if not leaves.any():
        pits = order[to == -1]
        return touching or tuple(ground.placed(_middle(int(p), cols)) for p in pits[np.argsort(-area[pits])][:1])
    edge = disturbed.boundary
    crossing, onto = order[leaves], to[leaves]
    middles = ground.placed(shapely.multipoints(np.column_stack((crossing % cols + 0.5, crossing // cols + 0.5))))
    along = shapely.line_locate_point(edge, shapely.get_parts(middles))
    step_m = max(2 * ground.cell_m, edge.length / _PLACES_TRACED)
    places = _busiest(along, area[crossing], step_m)
    goal = ground.goal(targets)
    mark = 0
    nearest: dict[int, tuple[float, int]] = {}
    tree = shapely.STRtree(np.asarray(targets, dtype=object))
    for place, _ in places if len(targets) else ():
        first = int(onto[place]) if onto[place] >= 0 else int(crossing[place])
        cells, how, _, _, mark = _descend(ground, goal, first, limit_m * 1.1, barrier_m, mark, scratch)
        if how == AT_GOAL:
            target = int(tree.nearest(ground.placed(_middle(int(cells[-1]), cols))))
            nearest[target] = min(nearest.get(target, (np.inf, 0)), (float(len(cells)), place))
    chosen = [place for _, place in nearest.values()]
    typical = float(np.median([total for _, total in places]))
    apart_m = edge.length / max(limit, 1)
    for place, total in places:
        if len(chosen) >= limit or total < max(typical / 2, _TRIFLE * area[crossing].sum()):
            break
        away = min((abs(along[place] - along[other]) for other in chosen), default=np.inf)
        if away >= apart_m or (total > _VALLEY * typical and away > 3 * step_m):
            chosen.append(place)
    share = dict(places)
    chosen = sorted(set(chosen), key=lambda place: (-share[place], place))
    return touching + tuple(edge.interpolate(float(along[place])) for place in chosen)


def _touching(disturbed: BaseGeometry, targets: Sequence[BaseGeometry]) -> tuple[Point, ...]:
    """A place of the disturbed area in each target that it touches."""
    return tuple(
        disturbed.intersection(target).representative_point() for target in targets if disturbed.intersects(target)
    )


def _busiest(along_m: NDArray[np.float64], area_m2: NDArray[np.float64], step_m: float) -> list[tuple[int, float]]:
    """Of every stretch of a boundary the crossing with most ground behind it, with the ground behind the stretch."""
    stretch = (along_m // step_m).astype(int)
    totals = np.bincount(stretch, area_m2)
    best: dict[int, int] = {}
    for place in np.argsort(area_m2, kind="stable"):
        best[int(stretch[place])] = int(place)
    return sorted(((place, float(totals[s])) for s, place in best.items()), key=lambda pair: (-pair[1], pair[0]))


def _descend(
    ground: Conditioned,
    goal: NDArray[np.uint8],
    first: int,
    follow_m: float,
    barrier_m: float,
    mark: int,
    scratch: tuple[NDArray[np.int32], NDArray[np.int8], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]],
) -> tuple[NDArray[np.int64], int, float, NDArray[np.float64], int]:
    """Cells of a path, how it ends, the depth there, the pondings passed and the last mark (`conditioning.descend`)."""
    most = int(follow_m / min(ground.dx_m.min(), ground.dy_m.min())) + 2
    path, ponds = np.empty(goal.size + most, np.int64), np.empty((most, 3))
    size, how, depth, ponded, mark = conditioning.descend(
        ground.z_m, goal, ground.dx_m, ground.dy_m, first, follow_m, barrier_m, mark, *scratch, path, ponds
    )
    return path[:size].copy(), how, depth, ponds[:ponded].copy(), mark


def _ending(how: int, length_m: float, depth_m: float, width_m: float | None, limit_m: float) -> tuple[str, str]:
    """The word for how a path ends short of every target, and a sentence without its full stop."""
    if how == AT_EDGE:
        return "leaves_elevation_data", f"The runoff leaves the elevation data after {length_m:.0f} m"
    if how == AT_LIMIT:
        return "farther_than_limit", f"No target is met within {limit_m:.0f} m along the path"
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
    return "closed_depression", sentence


def _pipes(ground: Conditioned, path: LineString | None) -> tuple[LineString, ...]:
    """The pipes whose middle a path runs over."""
    if path is None:
        return ()
    near_m = 1.5 * ground.cell_m
    return tuple(pipe for pipe in ground.culverts if path.distance(pipe.interpolate(0.5, normalized=True)) <= near_m)


def _through(breached: tuple[tuple[Point, float, float], ...], level_m: float) -> str:
    said = ""
    if breached:
        deepest = max(depth for _, depth, _ in breached)
        said = f", carried through {len(breached)} ponding{'s' * (len(breached) > 1)} up to {deepest:.1f} m deep"
    if level_m >= _WORTH_SAYING_M:
        said += f", over {level_m:.0f} m of exactly level ground where its course is a guess"
    return said


def _stepped(cells: NDArray[np.int64], cols: int, x: float, y: float) -> NDArray[np.float64]:
    """The path over cell middles, from the true start, in pixel coordinates, shape (n, 2)."""
    middles = np.column_stack((cells % cols + 0.5, cells // cols + 0.5))
    return np.vstack([[[x, y]], middles[1:]])


def _smoothed(stepped: NDArray[np.float64], over: int) -> NDArray[np.float64]:
    """The path at even steps, each place the mean of the `over` places around it; the ends stay."""
    line = LineString(stepped)
    count = max(2, round(line.length) + 1)
    even = shapely.get_coordinates(shapely.line_interpolate_point(line, np.linspace(0, line.length, count)))
    sums = np.vstack([np.zeros((1, 2)), np.cumsum(even, axis=0)])
    place = np.arange(count)
    # Towards the ends the window narrows evenly, so that it never leans to one side.
    reach = np.minimum(np.minimum(place, count - 1 - place), over // 2)
    smooth: NDArray[np.float64] = (sums[place + reach + 1] - sums[place - reach]) / (2 * reach + 1)[:, None]
    return smooth


def _doubt(ground: Conditioned, stepped: NDArray[np.float64], path: LineString | None) -> float:
    """How much the length hangs on the smoothing, and one cell for the ends, in metres."""
    if path is None:
        return ground.cell_m
    less, more = (LineString(_smoothed(stepped, over)).length for over in _LESS_AND_MORE)
    return float(path.length * (less / more - 1)) + ground.cell_m


def _middle(cell: int, cols: int) -> Point:
    return Point(cell % cols + 0.5, cell // cols + 0.5)


def _first_touch(
    path: LineString | Point,
    targets: Sequence[BaseGeometry],
    distances: NDArray[np.float64],
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
        touched = np.flatnonzero((distances <= path.length) & shapely.intersects(shapes, path))
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
    away = away_from(end, targets)
    index = int(away.argmin())
    if away[index] > led_m:
        return None
    last = shapely.get_coordinates(shapely.shortest_line(end, shapes[index]))[1:]
    along = path.coords if isinstance(path, LineString) else start.coords
    return index, LineString(np.vstack([np.asarray(along), last]))


def _barrier_width(ground: Conditioned, pit: int) -> float | None:
    """Distance to the nearest ground lower than a pit, across a barrier narrow enough to be a road."""
    cols = ground.z_m.shape[1]
    row, col = pit // cols, pit % cols
    dx, dy = float(ground.dx_m[row]), float(ground.dy_m[row])
    wide, high = int(_ROAD_REACH_M / dx), int(_ROAD_REACH_M / dy)
    r1, c1 = max(0, row - high), max(0, col - wide)
    near = ground.z_m[r1 : row + high + 1, c1 : col + wide + 1]
    down, across = np.indices(near.shape)
    away = np.hypot((across + c1 - col) * dx, (down + r1 - row) * dy)
    away[~(near < ground.z_m[row, col])] = np.inf
    nearest = float(away.min())
    return nearest if nearest <= _ROAD_REACH_M else None
