"""Where runoff leaves each of many areas on one window of ground whose receivers are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.runoff.drainage_field import EDGE
from siteplan_gis.measures.runoff.exits import busiest
from siteplan_gis.measures.runoff.marking import cells_touched, draw, fill, mark_right

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely import Point
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.drainage_field import Receivers

_PLACES: Final = 60
_VALLEY: Final = 4.0
_TRIFLE: Final = 0.02
_WATER: Final = 0.01
_MOST: Final = 12


class Leaving(NamedTuple):
    """A place on the boundary of an area where runoff leaves, and the share of the area's runoff that it stands for."""

    place: Point
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class Drained:
    """Receivers of a window, and what water leaving each cell meets first.

    Attributes
    ----------
    rank
        Place of each cell in the order from high to low (-1 without an elevation).
    meets
        Flat number of the first cell downstream that a target touches, within the distance asked for; -1 for none.
    tree, group
        The targets, and a number for each: those with the same number are one water.
    """

    field: Receivers
    rank: NDArray[np.int64]
    meets: NDArray[np.int64]
    tree: shapely.STRtree
    group: NDArray[np.int64]


def ranked(
    field: Receivers, targets: Sequence[BaseGeometry] = (), group: Sequence[int] = (), within_m: float = 402.336
) -> Drained:
    """The receivers with the rank of every cell, and the target (of one `group` each) that its water meets first."""
    ground = field.ground
    rank = np.full(field.receiver.size, -1, np.int64)
    rank[field.order] = np.arange(field.order.size)
    goal = cells_touched(ground, targets).ravel()
    meets = _met(field.order, field.receiver, goal, ground.dx_m, ground.dy_m, ground.z_m.shape[1], within_m)
    tree = shapely.STRtree(np.asarray(targets, dtype=object))
    return Drained(field, rank, meets, tree, np.asarray(group, dtype=np.int64))


def drawn_on(drained: Drained, areas: NDArray[np.object_]) -> NDArray[np.object_]:
    """Areas in pixel coordinates of the ground, as `parcel_exits` wants them."""
    return np.asarray(drained.field.ground.pixels(shapely.segmentize(areas, 100.0)), dtype=object)


def parcel_exits(drained: Drained, area: BaseGeometry, drawn: BaseGeometry, limit: int) -> tuple[Leaving, ...]:
    """Places on the boundary of an area where its runoff leaves, the largest part of it first.

    At most `limit` of them by what leaves there; after them one for each further target that a hundredth of the runoff
    meets, up to a dozen in all. Every place stands for the runoff that meets the same target as its own and is nearest
    to it. Where none leaves, the lowest place of the largest closed depression stands alone for all. Empty without
    elevations. `drawn` is the area in pixel coordinates of the ground (see `drawn_on`).
    """
    ground, field = drained.field.ground, drained.field
    rows, cols = ground.z_m.shape
    west, north, east, south = shapely.bounds(drawn)
    left, top = max(int(west) - 1, 0), max(int(north) - 1, 0)
    width, height = min(int(east) + 2, cols) - left, min(int(south) + 2, rows) - top
    if width <= 0 or height <= 0:
        return ()
    inside = _touched(drawn, left, top, width, height)
    local = np.flatnonzero(inside)
    cells = (local // width + top) * cols + local % width + left
    order = np.argsort(drained.rank[cells], kind="stable")
    order = order[drained.rank[cells[order]] >= 0]
    if not order.size:
        return ()
    inside.ravel()[local[drained.rank[cells] < 0]] = 0
    cells, local = cells[order], local[order]
    to = field.receiver[cells]
    size = np.zeros(width * height)
    size[local] = (ground.dx_m * ground.dy_m)[cells // cols]
    leaves = _gather(local, to, left, top, cols, inside, size)
    leaves |= (to < 0) & (field.ended_by[cells] == EDGE)
    if not leaves.any():
        pits = np.flatnonzero(to == -1)
        lowest = int(cells[pits[np.argmax(size[local[pits]])]])
        return (Leaving(ground.placed(shapely.Point(lowest % cols + 0.5, lowest // cols + 0.5)), 1.0),)
    crossing, amount = cells[leaves], size[local[leaves]]
    middles = ground.placed(shapely.multipoints(np.column_stack((crossing % cols + 0.5, crossing // cols + 0.5))))
    edge = area.boundary
    along = shapely.line_locate_point(edge, shapely.get_parts(middles))
    places = busiest(along, amount, max(2 * ground.cell_m, edge.length / _PLACES))
    typical = float(np.median([total for _, total in places]))
    chosen: list[int] = []
    for place, total in places:
        if len(chosen) >= limit or total < max(typical / 2, _TRIFLE * float(amount.sum())):
            break
        away = min((abs(along[place] - along[other]) for other in chosen), default=np.inf)
        if away >= edge.length / max(limit, 1) or (total > _VALLEY * typical and away > 4 * ground.cell_m):
            chosen.append(place)
    meets = _groups_met(drained, crossing)
    chosen += _further(meets, amount, chosen)
    stands_for = _shares(along, amount, meets, chosen, float(edge.length))
    return tuple(
        Leaving(edge.interpolate(float(along[place])), share) for place, share in zip(chosen, stands_for, strict=True)
    )


def _groups_met(drained: Drained, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The water that runoff of each cell meets first, -1 for none."""
    met, which = np.unique(drained.meets[cells], return_inverse=True)
    group = np.full(len(met), -1, np.int64)
    known = met >= 0
    if known.any():
        ground, cols = drained.field.ground, drained.field.ground.z_m.shape[1]
        points = ground.placed(
            shapely.multipoints(np.column_stack((met[known] % cols + 0.5, met[known] // cols + 0.5)))
        )
        # Of several that hold a place the first is taken, whatever the tree holds beside them.
        place, near = drained.tree.query_nearest(shapely.get_parts(points))
        first = np.full(np.count_nonzero(known), len(drained.group))
        np.minimum.at(first, place, near)
        group[known] = drained.group[first]
    return group[which]


def _further(meets: NDArray[np.int64], amount: NDArray[np.float64], chosen: Sequence[int]) -> list[int]:
    """The busiest crossing to each water that none of the chosen ones meets, those with most runoff first."""
    told = set(meets[list(chosen)].tolist()) | {-1}
    share = {
        group: float(amount[meets == group].sum()) for group in np.unique(meets).tolist() if group not in told
    }  # fmt: skip
    wanted = [
        group for group in sorted(share, key=lambda one: (-share[one], one)) if share[group] >= _WATER * amount.sum()
    ]
    return [
        int(np.flatnonzero(meets == g)[np.argmax(amount[meets == g])]) for g in wanted[: max(_MOST - len(chosen), 0)]
    ]


def _shares(
    along: NDArray[np.float64], amount: NDArray[np.float64], meets: NDArray[np.int64], chosen: Sequence[int], round_m: float
) -> list[float]:  # fmt: skip
    """The share of all runoff that each of the chosen crossings stands for."""
    if not chosen:
        return []
    places = np.asarray(chosen)
    apart = np.abs(along[:, None] - along[places][None, :])
    apart = np.minimum(apart, round_m - apart)
    apart[meets[:, None] != meets[places][None, :]] = np.inf
    nearest, known = apart.argmin(axis=1), np.isfinite(apart).any(axis=1)
    carried = np.bincount(nearest[known], amount[known], len(places)) / amount.sum()
    return [float(one) for one in carried]


def _touched(drawn: BaseGeometry, left: int, top: int, width: int, height: int) -> NDArray[np.uint8]:
    """Non-zero in the cells of a part of the window that an area (in pixel coordinates) touches."""
    inside = np.zeros((height, width), np.uint8)
    for ring in shapely.get_rings(shapely.get_parts(drawn)):
        xy = shapely.get_coordinates(ring) - (left, top)
        draw(inside, xy)
        mark_right(inside, xy)
    fill(inside, 0, height, 0, width)
    return inside


@compiled
def _gather(
    local: NDArray[np.int64], to: NDArray[np.int64], left: int, top: int, cols: int, inside: NDArray[np.uint8],
    size: NDArray[np.float64],
) -> NDArray[np.bool_]:  # fmt: skip
    """Add to every cell what drains through it from within, from high to low; True where it leaves the area."""
    height, width = inside.shape
    leaves = np.zeros(len(local), np.bool_)
    for k in range(len(local)):
        if to[k] < 0:
            continue
        row, col = to[k] // cols - top, to[k] % cols - left
        if 0 <= row < height and 0 <= col < width and inside[row, col] != 0:
            size[row * width + col] += size[local[k]]
        else:
            leaves[k] = True
    return leaves


@compiled
def _met(
    order: NDArray[np.int64], receiver: NDArray[np.int64], goal: NDArray[np.uint8], dx_m: NDArray[np.float64],
    dy_m: NDArray[np.float64], cols: int, within_m: float,
) -> NDArray[np.int64]:  # fmt: skip
    """The first marked cell that water of each cell meets within a distance, from low to high; -1 for none."""
    meets = np.full(receiver.size, -1, np.int64)
    away = np.zeros(receiver.size, np.float32)
    for k in range(order.size - 1, -1, -1):
        cell = order[k]
        to = receiver[cell]
        if goal[cell] != 0:
            meets[cell] = cell
        elif to >= 0 and meets[to] >= 0:
            row = cell // cols
            across, down = (to % cols - cell % cols) * dx_m[row], (to // cols - row) * dy_m[row]
            step = np.hypot(across, down)
            if away[to] + step <= within_m:
                away[cell] = away[to] + step
                meets[cell] = meets[to]
    return meets
