"""Channels by the ground that has gathered: where they begin, and their courses through an area."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import LineString, Point

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.runoff.routing import NOWHERE

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.routing import Cells, Floats, Ints, Runoff

_HALF_AND_TWICE: Final = (0.5, 2.0)
_SMOOTHED_OVER: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """A channel through an area, in the direction of flow.

    Attributes
    ----------
    from_outside
        True where it comes in over the boundary, False where it begins inside.
    gathered_m2
        The ground that has gathered at its lower end.
    at_least
        True where water may come in from beyond the data: it may carry more, and begin farther up.
    """

    line: LineString
    from_outside: bool
    gathered_m2: float
    at_least: bool


@dataclass(frozen=True, slots=True, eq=False)
class Channels:
    """Channels of an area.

    Attributes
    ----------
    heads
        Places inside the area where channels begin.
    heads_range
        The least and the largest number of heads at half, once and twice the threshold.
    channels
        Their courses inside the area, down to where each leaves it or joins another.
    threshold_m2
        A channel is where at least this much ground drains through one cell.
    """

    heads: tuple[Point, ...]
    heads_range: tuple[int, int]
    channels: tuple[Channel, ...]
    threshold_m2: float


def find_channels(runoff: Runoff, area: BaseGeometry, threshold_m2: float) -> Channels:
    """Channel heads in an area and the channels that run through it, for a threshold of gathered ground."""
    cover = runoff.cover(area)
    most = _largest_donor(runoff.order, runoff.receivers, runoff.gathered_m2)
    heads = _heads(runoff, cover, most, threshold_m2)
    counts = [heads.size, *(_heads(runoff, cover, most, f * threshold_m2).size for f in _HALF_AND_TWICE)]
    found = _courses(runoff, area, cover, heads, threshold_m2)
    points = tuple(runoff.ground.placed(Point(x, y)) for x, y in _middles(runoff, heads))
    return Channels(points, (min(counts), max(counts)), found, threshold_m2)


def _heads(runoff: Runoff, cover: Floats, most: Floats, threshold_m2: float) -> Ints:
    """Covered cells that are channels while none that drains into them is."""
    heads = np.flatnonzero((cover > 0) & (runoff.gathered_m2 >= threshold_m2) & (most < threshold_m2))
    return heads[np.argsort(-runoff.gathered_m2[heads], kind="stable")]


def _courses(
    runoff: Runoff, area: BaseGeometry, cover: Floats, heads: Ints, threshold_m2: float
) -> tuple[Channel, ...]:
    to, gathered = runoff.receivers, runoff.gathered_m2
    is_channel = gathered >= threshold_m2
    into = np.flatnonzero(is_channel & (cover == 0) & (to != NOWHERE))
    into = into[cover[to[into]] > 0]
    # From outside first: what begins inside and joins is a branch of it.
    starts = [(int(cell), True) for cell in into[np.argsort(-gathered[into], kind="stable")]]
    starts += [(int(cell), False) for cell in heads]
    taken: set[int] = set()
    found = []
    for start, outside in starts:
        cells, at = [start], start
        while to[at] != NOWHERE and at not in taken and (at == start or cover[at] > 0):
            taken.add(at)
            at = int(to[at])
            cells.append(at)
        if len(cells) < 2:  # noqa: PLR2004
            continue
        course = runoff.ground.placed(LineString(_smooth(_middles(runoff, np.array(cells)))))
        inside = shapely.line_merge(shapely.intersection(course, area))
        found += [
            Channel(part, outside, float(gathered[cells].max()), bool(runoff.open_above[_above(runoff, start)].any()))
            for part in shapely.get_parts(inside)
            if isinstance(part, LineString) and part.length > 0
        ]
    return tuple(found)


def _above(runoff: Runoff, cell: int) -> NDArray[np.bool_]:
    cover = np.zeros(runoff.receivers.size)
    cover[cell] = 1
    return runoff.drained(cover)


def _middles(runoff: Runoff, cells: Ints) -> Floats:
    cols = runoff.shape[1]
    return np.column_stack((cells % cols + 0.5, cells // cols + 0.5))


def _smooth(xy: Floats) -> Floats:
    """Means over five cells, fewer towards the ends: a staircase of cells is up to 8 % too long."""
    sums = np.vstack([np.zeros((1, 2)), np.cumsum(xy, axis=0)])
    place = np.arange(len(xy))
    reach = np.minimum(np.minimum(place, len(xy) - 1 - place), _SMOOTHED_OVER)
    smooth: Floats = (sums[place + reach + 1] - sums[place - reach]) / (2 * reach + 1)[:, None]
    return smooth


@compiled
def _largest_donor(order: Cells, to: Cells, gathered: Floats) -> Floats:
    """The most that any cell which drains into each has gathered."""
    most = np.zeros(gathered.size)
    for place in range(order.size):
        i = order[place]
        if to[i] >= 0:
            most[to[i]] = max(most[to[i]], gathered[i])
    return most
