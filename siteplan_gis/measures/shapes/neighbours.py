"""What lies near each of many parcels: counts, the nearest, and pairs with their distances.

Geometries are taken apart once (see `flat_shapes`); a kernel looks at boxes first and measures only where a
box leaves the answer open, so a mile full of wetlands costs little more than the few that decide. Distances are those
of the geometries themselves (0 where they meet or one holds the other). All lengths in metres in the site frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.model.comparison import RELATIVE_EPSILON

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from siteplan_gis.measures.shapes.flat_shapes import Shapes

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


_BLOCK: Final = 32
"""Features of one block: those side by side in strips, so that most parcels look at the box of the block alone."""

_HAIR: Final = 1e-12
"""Share by which rounding may put a squared distance below that of the boxes."""


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """For each parcel, shape (parcels,).

    Attributes
    ----------
    count
        Features at most the asked distance away (exactly at it counts).
    nearest
        Index of the nearest feature (the first of several), -1 where there is none.
    nearest_m
        Its distance; infinite where there is none.
    """

    count: Ints
    nearest: Ints
    nearest_m: Floats


def find_neighbours(parcels: Shapes, features: Shapes, within_m: float) -> Neighbours:
    """Count the features within `within_m` of every parcel and find the nearest one, however far.

    Examples
    --------
    >>> import shapely
    >>> from siteplan_gis.measures.shapes.flat_shapes import take_apart
    >>> homes = take_apart([shapely.box(0, 0, 10, 10), shapely.box(900, 0, 910, 10)])
    >>> ponds = take_apart([shapely.Point(5, 110), shapely.Point(5, 5), shapely.box(-50, -50, -20, -20)])
    >>> found = find_neighbours(homes, ponds, 100.0)
    >>> found.count.tolist(), found.nearest.tolist(), found.nearest_m.round(3).tolist()
    ([3, 0], [1, 1], [0.0, 895.0])
    """
    size = len(parcels)
    count, nearest, away = np.zeros(size, np.int64), np.full(size, -1, np.int64), np.full(size, np.inf)
    reach = within_m * (1 + RELATIVE_EPSILON)
    if len(features):
        _count_and_nearest(
            *_arrays(parcels), parcels.boxes, *_arrays(features), *_in_blocks(features), reach, count, nearest, away
        )
    return Neighbours(count, nearest, away)


def near_pairs(parcels: Shapes, features: Shapes, within_m: float) -> tuple[Ints, Ints, Floats]:
    """Every parcel and feature at most `within_m` apart: both indices and the distance, parcel by parcel.

    Examples
    --------
    >>> import shapely
    >>> from siteplan_gis.measures.shapes.flat_shapes import take_apart
    >>> homes, ponds = take_apart([shapely.box(0, 0, 10, 10)]), take_apart([shapely.Point(5, 110), shapely.Point(5, 5)])
    >>> [each.tolist() for each in near_pairs(homes, ponds, 100.0)]
    [[0, 0], [0, 1], [100.0, 0.0]]
    """
    reach = within_m * (1 + RELATIVE_EPSILON)
    room = 4 * len(parcels) + 1024 if len(features) else 0
    blocks = _in_blocks(features) if len(features) else None
    while True:
        parcel, feature, away = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
        found = (
            _pairs(*_arrays(parcels), parcels.boxes, *_arrays(features), *blocks, reach, parcel, feature, away)
            if blocks is not None
            else 0
        )
        if found <= room:
            order = np.lexsort((feature[:found], parcel[:found]))
            return parcel[order], feature[order], away[order]
        room = found


def _in_blocks(shapes: Shapes) -> tuple[Ints, Floats, Floats, Floats]:
    """Geometries in blocks of `_BLOCK` that lie together (there is at least one).

    Returns which geometry stands at each place (-1 to fill the last block); the sides of their boxes (west, south,
    east, north; shape (4, places)), infinitely far for nothing; those of the blocks, shape (4, blocks); and where each
    geometry begins, shape (places, 2).
    """
    sides = np.where(np.isnan(shapes.boxes), np.inf, shapes.boxes).T
    blocks = -(-len(shapes) // _BLOCK)
    strip = np.empty(len(shapes), np.int64)
    strip[np.argsort(sides[0], kind="stable")] = np.arange(len(shapes)) // (_BLOCK * round(np.sqrt(blocks)))
    place = np.full(blocks * _BLOCK, -1)
    place[: len(shapes)] = np.lexsort((sides[1], strip))
    placed = np.full((4, len(place)), np.inf)
    placed[:, : len(shapes)] = sides[:, place[: len(shapes)]]
    each = placed.reshape(4, blocks, _BLOCK)
    around = np.concatenate([each[:2].min(axis=2), each[2:].max(axis=2)])
    known = np.flatnonzero(np.isfinite(placed[0]))
    begins = np.full((len(place), 2), np.inf)
    begins[known] = shapes.xy[shapes.lines[shapes.first_line[place[known]]]]
    return place, placed, around, begins


def _arrays(shapes: Shapes) -> tuple[Floats, Ints, Ints, NDArray[np.bool_], NDArray[np.bool_]]:
    return shapes.xy, shapes.lines, shapes.first_line, shapes.outer, shapes.areal


@compiled
def _box_gaps2(box: Floats, boxes: Floats, first: int, gaps2: Floats) -> None:
    """Squared distances of a box to others (their sides in rows) from the first on; infinite for those of nothing.

    Without a branch, so that it is done for several boxes at once.
    """
    west, south, east, north = box
    for k in range(len(gaps2)):
        dx = max(boxes[0, first + k] - east, west - boxes[2, first + k], 0.0)
        dy = max(boxes[1, first + k] - north, south - boxes[3, first + k], 0.0)
        gaps2[k] = dx * dx + dy * dy


@compiled
def _to_piece(x: float, y: float, x1: float, y1: float, x2: float, y2: float) -> float:
    """Squared distance of a place to a straight piece."""
    dx, dy = x2 - x1, y2 - y1
    along = dx * dx + dy * dy
    t = 0.0
    if along > 0:
        t = min(1.0, max(0.0, ((x - x1) * dx + (y - y1) * dy) / along))
    ex, ey = x - (x1 + t * dx), y - (y1 + t * dy)
    return ex * ex + ey * ey


@compiled
def _crossing(
    ax: float, ay: float, bx: float, by: float, cx: float, cy: float, dx: float, dy: float
) -> bool:  # fmt: skip
    """Whether two straight pieces cross properly (touching ends have distance zero anyway)."""
    one = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    two = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    three = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    four = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    return ((one > 0) != (two > 0)) and ((three > 0) != (four > 0))


@compiled
def _inside(x: float, y: float, xy: Floats, lines: Ints, first: int, last: int) -> bool:
    """Whether a place lies in a polygon (even-odd over all of its rings)."""
    odd = False
    for line in range(first, last):
        for k in range(lines[line], lines[line + 1] - 1):
            y1, y2 = xy[k, 1], xy[k + 1, 1]
            if (y1 > y) != (y2 > y) and x < xy[k, 0] + (y - y1) / (y2 - y1) * (xy[k + 1, 0] - xy[k, 0]):
                odd = not odd
    return odd


@compiled
def _holds_a_part(
    xy: Floats, lines: Ints, first: int, last: int,
    other_xy: Floats, other_lines: Ints, other_outer: NDArray[np.bool_], other_first: int, other_last: int,
) -> bool:  # fmt: skip
    """Whether a polygon holds the beginning of any part of another geometry."""
    for line in range(other_first, other_last):
        if other_outer[line]:
            k = other_lines[line]
            if _inside(other_xy[k, 0], other_xy[k, 1], xy, lines, first, last):
                return True
    return False


@compiled
def _apart2(
    xy: Floats, lines: Ints, first: int, last: int,
    other_xy: Floats, other_lines: Ints, other_first: int, other_last: int, best2: float, enough2: float,
) -> float:  # fmt: skip
    """Squared distance of the outlines of two geometries where it is less than `best2`, else `best2`.

    Anything up to `enough2` is near enough to look no further.
    """
    for one in range(first, last):
        start, end = lines[one], lines[one + 1]
        for i in range(start, max(end - 1, start + 1)):
            ax, ay = xy[i, 0], xy[i, 1]
            j = min(i + 1, end - 1)
            bx, by = xy[j, 0], xy[j, 1]
            west, east, south, north = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
            for two in range(other_first, other_last):
                begin, stop = other_lines[two], other_lines[two + 1]
                for k in range(begin, max(stop - 1, begin + 1)):
                    cx, cy = other_xy[k, 0], other_xy[k, 1]
                    m = min(k + 1, stop - 1)
                    dx, dy = other_xy[m, 0], other_xy[m, 1]
                    gap_x = max(west - max(cx, dx), min(cx, dx) - east, 0.0)
                    gap_y = max(south - max(cy, dy), min(cy, dy) - north, 0.0)
                    if gap_x * gap_x + gap_y * gap_y >= best2:
                        continue
                    if _crossing(ax, ay, bx, by, cx, cy, dx, dy):
                        return 0.0
                    best2 = min(
                        best2,
                        _to_piece(ax, ay, cx, cy, dx, dy),
                        _to_piece(bx, by, cx, cy, dx, dy),
                        _to_piece(cx, cy, ax, ay, bx, by),
                        _to_piece(dx, dy, ax, ay, bx, by),
                    )
                    if best2 <= enough2:
                        return best2
    return best2


@compiled
def _distance(
    xy: Floats, lines: Ints, first_line: Ints, outer: NDArray[np.bool_], areal: NDArray[np.bool_], i: int,
    f_xy: Floats, f_lines: Ints, f_first: Ints, f_outer: NDArray[np.bool_], f_areal: NDArray[np.bool_], k: int,
    gap2: float, most: float, enough: float,
) -> float:  # fmt: skip
    """Distance of a parcel and a feature where it is less than `most`, else `most`; see `_apart2` for `enough`.

    Where their boxes lie apart (`gap2` is the square of it), neither holds the other.
    """
    one, two, three, four = first_line[i], first_line[i + 1], f_first[k], f_first[k + 1]
    if gap2 == 0.0 and areal[i] and _holds_a_part(xy, lines, one, two, f_xy, f_lines, f_outer, three, four):
        return 0.0
    if gap2 == 0.0 and f_areal[k] and _holds_a_part(f_xy, f_lines, three, four, xy, lines, outer, one, two):
        return 0.0
    apart2 = _apart2(xy, lines, one, two, f_xy, f_lines, three, four, most * most, enough * enough)
    return most if apart2 >= most * most else float(np.sqrt(apart2))


@compiled
def _likeliest(box: Floats, sides: Floats, around: Floats, block_gaps2: Floats, gaps2: Floats) -> int:
    """The place of a feature whose box is nearest to another; -1 where there is none. Fills `block_gaps2`."""
    _box_gaps2(box, around, 0, block_gaps2)
    likely, least2 = -1, np.inf
    begin = int(np.argmin(block_gaps2))
    for turn in range(-1, len(block_gaps2)):
        block = begin if turn < 0 else turn
        if block_gaps2[block] >= least2:
            continue
        _box_gaps2(box, sides, block * _BLOCK, gaps2)
        for k in range(_BLOCK):
            if gaps2[k] < least2:
                likely, least2 = block * _BLOCK + k, gaps2[k]
    return likely


@compiled
def _count_and_nearest(
    xy: Floats, lines: Ints, first_line: Ints, outer: NDArray[np.bool_], areal: NDArray[np.bool_], boxes: Floats,
    f_xy: Floats, f_lines: Ints, f_first: Ints, f_outer: NDArray[np.bool_], f_areal: NDArray[np.bool_],
    place: Ints, sides: Floats, around: Floats, begins: Floats, reach: float, count: Ints, nearest: Ints, away: Floats,
) -> None:  # fmt: skip
    """Count within `reach` and find the nearest; see `find_neighbours`, and `_in_blocks` for the features' places."""
    gaps2, block_gaps2 = np.empty(_BLOCK), np.empty(around.shape[1])
    reach2 = reach * reach
    for i in range(len(boxes)):
        if boxes[i, 0] != boxes[i, 0]:
            continue
        likely = _likeliest(boxes[i], sides, around, block_gaps2, gaps2)
        if likely < 0:
            continue
        # From the likeliest on, then all whose box may hold something nearer: of equals the first in the list.
        found = place[likely]
        best = _distance(
            xy, lines, first_line, outer, areal, i, f_xy, f_lines, f_first, f_outer, f_areal, found, 0.0, np.inf, 0.0
        )  # fmt: skip
        best2 = best * best * (1 + _HAIR)
        start_x, start_y = xy[lines[first_line[i]], 0], xy[lines[first_line[i]], 1]
        most2 = max(reach2, best2)
        for block in range(len(block_gaps2)):
            if block_gaps2[block] > most2:
                continue
            first = block * _BLOCK
            _box_gaps2(boxes[i], sides, first, gaps2)
            for at in range(_BLOCK):
                gap2, k = gaps2[at], place[first + at]
                if gap2 > most2 or k < 0:
                    continue
                if gap2 <= best2 and first + at != likely:
                    # A hair more, so that what is equally far is told from what is farther.
                    apart = _distance(
                        xy, lines, first_line, outer, areal, i, f_xy, f_lines, f_first, f_outer, f_areal, k,
                        gap2, best + 1e-9, 0.0,
                    )  # fmt: skip
                    if apart < best or (apart == best and k < found):
                        best, found = apart, k
                        best2 = best * best * (1 + _HAIR)
                if gap2 > reach2:
                    continue
                if (begins[first + at, 0] - start_x) ** 2 + (begins[first + at, 1] - start_y) ** 2 <= reach2:
                    count[i] += 1
                    continue
                apart = _distance(
                    xy, lines, first_line, outer, areal, i, f_xy, f_lines, f_first, f_outer, f_areal, k,
                    gap2, reach + 1e-9, reach,
                )  # fmt: skip
                if apart <= reach:
                    count[i] += 1
        nearest[i], away[i] = found, best


@compiled
def _pairs(
    xy: Floats, lines: Ints, first_line: Ints, outer: NDArray[np.bool_], areal: NDArray[np.bool_], boxes: Floats,
    f_xy: Floats, f_lines: Ints, f_first: Ints, f_outer: NDArray[np.bool_], f_areal: NDArray[np.bool_],
    place: Ints, sides: Floats, around: Floats, _begins: Floats, reach: float, parcel: Ints, feature: Ints, away: Floats,
) -> int:  # fmt: skip
    """Pairs within `reach`, as many as there is room for, in any order; returns how many there are."""
    found, gaps2, block_gaps2 = 0, np.empty(_BLOCK), np.empty(around.shape[1])
    for i in range(len(boxes)):
        if boxes[i, 0] != boxes[i, 0]:
            continue
        _box_gaps2(boxes[i], around, 0, block_gaps2)
        for block in range(len(block_gaps2)):
            if block_gaps2[block] > reach * reach:
                continue
            _box_gaps2(boxes[i], sides, block * _BLOCK, gaps2)
            for at in range(_BLOCK):
                k = place[block * _BLOCK + at]
                if gaps2[at] > reach * reach or k < 0:
                    continue
                apart = _distance(
                    xy, lines, first_line, outer, areal, i, f_xy, f_lines, f_first, f_outer, f_areal, k,
                    gaps2[at], reach + 1e-9, 0.0,
                )  # fmt: skip
                if apart <= reach:
                    if found < len(parcel):
                        parcel[found], feature[found], away[found] = i, k, apart
                    found += 1
    return found
