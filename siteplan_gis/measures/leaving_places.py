"""Where runoff leaves each of many areas on one window of ground whose receivers are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.drainage_field import EDGE
from siteplan_gis.measures.exits import busiest
from siteplan_gis.measures.marking import draw, fill, mark_right

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely import Point
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.drainage_field import Receivers

_PLACES: Final = 60
_VALLEY: Final = 4.0
_TRIFLE: Final = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Drained:
    """Receivers of a window, and the place of each cell in the order from high to low (-1 without an elevation)."""

    field: Receivers
    rank: NDArray[np.int64]


def ranked(field: Receivers) -> Drained:
    """The receivers with the rank of every cell."""
    rank = np.full(field.receiver.size, -1, np.int64)
    rank[field.order] = np.arange(field.order.size)
    return Drained(field, rank)


def parcel_exits(drained: Drained, area: BaseGeometry, limit: int) -> tuple[Point, ...]:
    """At most `limit` places on the boundary of an area where its runoff leaves, the largest part of it first.

    Where none leaves, the lowest place of the largest closed depression stands alone. Empty without elevations.
    """
    ground, field = drained.field.ground, drained.field
    rows, cols = ground.z_m.shape
    drawn = ground.pixels(shapely.segmentize(area, 100.0))
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
        return (ground.placed(shapely.Point(lowest % cols + 0.5, lowest // cols + 0.5)),)
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
    return tuple(edge.interpolate(float(along[place])) for place in chosen)


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
