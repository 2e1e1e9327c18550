"""Where runoff leaves a disturbed area."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely
from shapely import Point

from siteplan_gis.measures.runoff import receiving
from siteplan_gis.measures.runoff.conditioning import AT_GOAL
from siteplan_gis.measures.runoff.descent import descend
from siteplan_gis.measures.runoff.drainage_field import EDGE, receivers
from siteplan_gis.measures.runoff.flow import BARRIER_M
from siteplan_gis.measures.runoff.ground import condition_around
from siteplan_gis.measures.runoff.marking import cells_touched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.ground import Conditioned
    from siteplan_gis.model.terrain import ElevationGrid

_PLACES_TRACED: Final = 160
_VALLEY: Final = 4.0
_TRIFLE: Final = 0.002
_AROUND_CELLS: Final = 100


class Exit(NamedTuple):
    """A place where runoff leaves, and the disturbed ground in m2 that drains through the stretch of boundary there.

    The ground is None where a water itself touches the area, or nothing leaves.
    """

    place: Point
    area_m2: float | None


def runoff_exits(
    grid: ElevationGrid,
    disturbed: BaseGeometry,
    limit: int = 12,
    targets: Sequence[BaseGeometry] = (),
    limit_m: float = 402.336,
    culverts: Sequence[BaseGeometry] = (),
    lines: Sequence[BaseGeometry] = (),
    sinks: Sequence[BaseGeometry] = (),
    barrier_m: float = BARRIER_M,
) -> tuple[Exit, ...]:
    """Places on the boundary of a disturbed area where its runoff leaves, the largest part of it first.

    A slope that leaves along a whole side is stood for by a few places apart from each other; a valley gets its own.
    Every target that runoff reaches within `limit_m` (of cell steps), or that touches the area, is reached from one of
    the places, even beyond `limit`. Where no runoff leaves, the lowest place of the largest closed depression
    stands alone. Empty where there are no elevations.
    """
    ground = condition_around(grid, disturbed, max(900.0, 2 * limit_m), culverts, lines, sinks)
    rows, cols = ground.z_m.shape
    inside = cells_touched(ground, [disturbed])
    inside[np.isnan(ground.z_m)] = 0
    if not inside.any():
        return ()
    order, to, ended_by = _drained(ground, inside, barrier_m)
    inside = inside.ravel()
    area = np.zeros(rows * cols)
    area[order] = (ground.dx_m * ground.dy_m)[order // cols]
    receiving.gather(order, to, inside, area)
    leaves = np.where(to >= 0, inside[np.maximum(to, 0)] == 0, ended_by == EDGE)
    touching = _touching(disturbed, targets)
    if not leaves.any():
        pits = order[to == -1]
        return touching or tuple(
            Exit(ground.placed(_middle(int(p), cols)), None) for p in pits[np.argsort(-area[pits])][:1]
        )
    edge = disturbed.boundary
    crossing, onto = order[leaves], to[leaves]
    middles = ground.placed(shapely.multipoints(np.column_stack((crossing % cols + 0.5, crossing // cols + 0.5))))
    along = shapely.line_locate_point(edge, shapely.get_parts(middles))
    step_m = max(2 * ground.cell_m, edge.length / _PLACES_TRACED)
    places = busiest(along, area[crossing], step_m)
    goal = ground.goal(targets)
    nearest: dict[int, tuple[float, int]] = {}
    tree = shapely.STRtree(np.asarray(targets, dtype=object))
    for place, _ in places if len(targets) else ():
        first = int(onto[place]) if onto[place] >= 0 else int(crossing[place])
        way = descend(ground, goal, first % cols + 0.5, first // cols + 0.5, limit_m * 1.1, barrier_m)
        if way.how == AT_GOAL:
            target = int(tree.nearest(ground.placed(Point(way.xy[-1]))))
            nearest[target] = min(nearest.get(target, (np.inf, 0)), (float(len(way.xy)), place))
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
    return touching + tuple(Exit(edge.interpolate(float(along[place])), share[place]) for place in chosen)


def _drained(
    ground: Conditioned, inside: NDArray[np.uint8], barrier_m: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
    """The inside cells, each before its receiver, their receivers, and why water ends in them.

    Only the ground around them is looked at: what floods out of it has left the area anyway.
    """
    cols = ground.z_m.shape[1]
    marked = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    (r1, r2), (c1, c2) = ((max(0, int(at[0]) - _AROUND_CELLS), int(at[-1]) + _AROUND_CELLS + 1) for at in marked)
    near = replace(
        ground, z_m=np.ascontiguousarray(ground.z_m[r1:r2, c1:c2]), dx_m=ground.dx_m[r1:r2], dy_m=ground.dy_m[r1:r2],
        kept=np.ascontiguousarray(ground.kept[r1:r2, c1:c2]) if ground.kept is not None else None,
        _goals={}, _scratch=[],
    )  # fmt: skip
    field = receivers(near, barrier_m)
    wide = near.z_m.shape[1]

    def placed(cells: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.where(cells < 0, cells, (cells // wide + r1) * cols + cells % wide + c1)

    order = field.order[inside[r1:r2, c1:c2].ravel()[field.order] != 0]
    return placed(order), placed(field.receiver[order]), field.ended_by[order]


def _touching(disturbed: BaseGeometry, targets: Sequence[BaseGeometry]) -> tuple[Exit, ...]:
    """A place of the disturbed area in each target that it touches."""
    return tuple(
        Exit(disturbed.intersection(target).representative_point(), None)
        for target in targets
        if disturbed.intersects(target)
    )


def busiest(along_m: NDArray[np.float64], area_m2: NDArray[np.float64], step_m: float) -> list[tuple[int, float]]:
    """Of every stretch of a boundary the crossing with most ground behind it, with the ground behind the stretch."""
    stretch = (along_m // step_m).astype(int)
    totals = np.bincount(stretch, area_m2)
    best: dict[int, int] = {}
    for place in np.argsort(area_m2, kind="stable"):
        best[int(stretch[place])] = int(place)
    return sorted(((place, float(totals[s])) for s, place in best.items()), key=lambda pair: (-pair[1], pair[0]))


def _middle(cell: int, cols: int) -> Point:
    return Point(cell % cols + 0.5, cell // cols + 0.5)
