"""Compiled kernels: how water finds its way over a grid of elevations.

From cell to cell water takes the steepest of eight triangular facets (Tarboton 1997, doi:10.1029/96WR03137). Of the two
cells that end a facet it takes the one that keeps the sum of its sideways departures least (Orlandini et al. 2003,
doi:10.1029/2002WR001639). Where nothing is lower, the ground is flooded from that cell, lowest first, until the water
meets lower ground: a short way out over the lowest pass is noise, cut through. Where that way is long or high, one is
cut where least ground is to be cut away (Lindsay and Dhun 2015, doi:10.1002/hyp.10648), no deeper and no longer than
stated; mapped drainage lines lead out whatever lies on them. Where there is no such way, the water fills the ground.
So only the ground that a path needs is looked at: unless the search meets the edge of the elevations, no ground outside
the window can change how a depression is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.runoff.lowest_first import pop, push

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

AT_GOAL: Final = 1
AT_EDGE: Final = 2
IN_DEPRESSION: Final = 3
AT_LIMIT: Final = 4
SPILLS: Final = 5
TOO_WIDE: Final = 6
TOO_DEEP: Final = 7
AT_SINK: Final = 8

GOAL: Final = 3
"""Bits of a cell's mark: what is looked for. (The marks of `marking` are 1 and 2; 4 is its scratch.)"""

SINK: Final = 8
"""The bit of a cell whose water stays: a mapped sink, a pond without an outlet."""

LINE: Final = 16
"""The bit of a cell on a mapped drainage line: it lets water through, however high the ground on it."""

LONGEST_BREACH_M: Final = 60.0
"""A way out is cut over at most this length (the reach of a road's embankment), and over at least some cells."""

_FEWEST_CELLS: Final = 6.0
_ON_LINE = 1e-6

SHALLOW_M: Final = 0.5
"""Ponding up to this depth is crossed at its surface."""

MOST_FLOODED: Final = 1_000_000
"""Cells flooded at most from one place: a wider depression is closed, its depth a lower bound."""


# Neighbours counter-clockwise from the next column: even numbers share a side.
ROW = np.array([0, -1, -1, -1, 0, 1, 1, 1])
COL = np.array([1, 1, 0, -1, -1, -1, 0, 1])
# Facets: the neighbour across a side, the one across a corner, and whether the corner lies counter-clockwise.
_SIDE = np.array([0, 2, 2, 4, 4, 6, 6, 0])
_CORNER = np.array([1, 1, 3, 3, 5, 5, 7, 7])
_TURN = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])


@compiled
def steepest(z: Floats, row: int, col: int, dx: float, dy: float, drift: float) -> tuple[int, float, float]:
    """The neighbour (0 to 7) that the steepest facet leads to, its slope and the new sum of sideways departures.

    The neighbour is -1 where no ground around the cell is lower.
    """
    rows, cols = z.shape
    here = z[row, col]
    best, chosen, angle = 0.0, -1, 0.0
    for facet in range(8):
        side, corner = _SIDE[facet], _CORNER[facet]
        r1, c1 = row + ROW[side], col + COL[side]
        if not (0 <= r1 < rows and 0 <= c1 < cols) or np.isnan(z[r1, c1]):
            continue
        d1, d2 = (dx, dy) if side % 4 == 0 else (dy, dx)
        s1 = (here - z[r1, c1]) / d1
        turn, slope = 0.0, s1
        r2, c2 = row + ROW[corner], col + COL[corner]
        if 0 <= r2 < rows and 0 <= c2 < cols and not np.isnan(z[r2, c2]):
            s2 = (z[r1, c1] - z[r2, c2]) / d2
            widest = np.arctan2(d2, d1)
            turn = np.arctan2(s2, s1)
            if turn <= 0:
                turn = 0.0
            elif turn >= widest:
                turn, slope = widest, (here - z[r2, c2]) / np.hypot(d1, d2)
            else:
                slope = np.hypot(s1, s2)
        if slope > best:
            best, chosen, angle = slope, facet, turn
    if chosen < 0:
        return -1, 0.0, drift
    side = _SIDE[chosen]
    d1, d2 = (dx, dy) if side % 4 == 0 else (dy, dx)
    by_side = drift + _TURN[chosen] * d1 * np.sin(angle)
    by_corner = drift - _TURN[chosen] * np.hypot(d1, d2) * np.sin(np.arctan2(d2, d1) - angle)
    lowers_corner = angle > 0
    lowers_side = angle < np.arctan2(d2, d1)
    if lowers_side and (not lowers_corner or abs(by_side) <= abs(by_corner)):
        return side, best, by_side
    return _CORNER[chosen], best, by_corner


@compiled
def falls_off(z: Floats, row: int, col: int, dx: float, dy: float, slope: float) -> bool:
    """Whether the ground seems to fall towards a missing neighbour at least as steeply as `slope`."""
    rows, cols = z.shape
    for k in range(8):
        r, c = row + ROW[k], col + COL[k]
        if 0 <= r < rows and 0 <= c < cols and not np.isnan(z[r, c]):
            continue
        r, c = row - ROW[k], col - COL[k]
        if not (0 <= r < rows and 0 <= c < cols) or np.isnan(z[r, c]):
            continue
        rise = (z[r, c] - z[row, col]) / np.hypot(COL[k] * dx, ROW[k] * dy)
        if rise > 0 and rise >= slope:
            return True
    return False


@compiled
def spill(
    z: Floats, marks: Bytes, dx: Floats, dy: Floats, start: int, most_cells: int, most_m: float, mark: int,
    seen: NDArray[np.int32], came_from: NDArray[np.int8], height: Floats, far: Floats, cell: Ints,
) -> tuple[int, int, float]:  # fmt: skip
    """Flood from the flat cell number `start` until water meets lower ground, a goal, a sink or an edge.

    The lowest ground that water stands at is taken next, and of equal ground the nearest: so the way out runs over
    the lowest pass, and beyond it down the valley, as in the least-cost search of Ehlschlaeger (1989). It is given up
    (TOO_WIDE) over more than `most_cells`, or (TOO_DEEP) once the water stands more than `most_m` deep.

    `seen` to `cell` are scratch of z's size (see `scratch`); `mark` is new at every call, and `came_from` then holds
    the neighbour number back towards the start.

    Returns how it ends (SPILLS, AT_GOAL, AT_SINK, AT_EDGE, TOO_WIDE, TOO_DEEP), the cell there, and the water level.
    """
    rows, cols = z.shape
    bottom = z[start // cols, start % cols]
    water = bottom
    height[0], far[0], cell[0] = bottom, 0.0, start
    seen[start // cols, start % cols] = mark
    size, flooded = 1, 0
    while size > 0:
        size -= 1
        pop(height, far, cell, size)
        away, last = far[size], cell[size]
        row, col = last // cols, last % cols
        water = max(water, z[row, col])
        if marks[row, col] & GOAL:
            return AT_GOAL, last, water
        if marks[row, col] & SINK:
            return AT_SINK, last, water
        if z[row, col] < bottom:
            return SPILLS, last, water
        if water - bottom > most_m:
            return TOO_DEEP, last, water
        flooded += 1
        if flooded > most_cells:
            return TOO_WIDE, last, water
        for k in range(8):
            r, c = row + ROW[k], col + COL[k]
            if not (0 <= r < rows and 0 <= c < cols) or np.isnan(z[r, c]):
                return AT_EDGE, last, water
            if seen[r, c] == mark:
                continue
            seen[r, c] = mark
            came_from[r, c] = (k + 4) % 8
            height[size] = z[r, c]
            far[size] = away + np.hypot(COL[k] * dx[row], ROW[k] * dy[row])
            cell[size] = r * cols + c
            size += 1
            push(height, far, cell, size)
    return AT_EDGE, start, water


@compiled
def breach(
    z: Floats, marks: Bytes, dx: Floats, dy: Floats, start: int, deep_m: float, long_m: float, mark: int,
    seen: NDArray[np.int32], came_from: NDArray[np.int8], height: Floats, far: Floats, cell: Ints,
) -> tuple[int, int, float]:  # fmt: skip
    """Find the way out of the flat cell number `start` over which least ground is to be cut away.

    It ends at lower ground, a goal, a sink or the edge of the data. No cell of it is cut deeper than `deep_m`, and it
    is no longer than `long_m`; cells on a LINE cost nothing and count in neither. Arguments and answer as `spill`'s;
    the water level is the height of the highest cell that is cut off the lines. TOO_DEEP where there is no such way.
    """
    rows, cols = z.shape
    bottom = z[start // cols, start % cols]
    height[0], far[0], cell[0] = 0.0, 0.0, start
    seen[start // cols, start % cols] = mark
    size = 1
    while size > 0:
        size -= 1
        pop(height, far, cell, size)
        cost, away, last = height[size], far[size], cell[size]
        row, col = last // cols, last % cols
        how = 0
        if marks[row, col] & GOAL:
            how = AT_GOAL
        elif marks[row, col] & SINK:
            how = AT_SINK
        elif z[row, col] < bottom:
            how = SPILLS
        for k in range(8):
            r, c = row + ROW[k], col + COL[k]
            if how != 0:
                break
            if not (0 <= r < rows and 0 <= c < cols) or np.isnan(z[r, c]):
                how = AT_EDGE
                break
            if seen[r, c] == mark:
                continue
            step = np.hypot(COL[k] * dx[row], ROW[k] * dy[row])
            rise = max(z[r, c] - bottom, 0.0)
            if marks[r, c] & LINE:
                rise, more, step = 0.0, _ON_LINE * step, 0.0
            else:
                more = rise
            if rise > deep_m or away + step > long_m:
                continue
            seen[r, c] = mark
            came_from[r, c] = (k + 4) % 8
            height[size], far[size], cell[size] = cost + more, away + step, r * cols + c
            size += 1
            push(height, far, cell, size)
        if how != 0:
            water, at = bottom, last
            while at != start:
                row, col = at // cols, at % cols
                if not marks[row, col] & LINE:
                    water = max(water, z[row, col])
                k = came_from[row, col]
                at += ROW[k] * cols + COL[k]
            return how, last, water
    return TOO_DEEP, start, bottom


@compiled
def leave(
    z: Floats, marks: Bytes, dx: Floats, dy: Floats, start: int, deep_m: float, most_m: float, mark: int,
    seen: NDArray[np.int32], came_from: NDArray[np.int8], height: Floats, far: Floats, cell: Ints,
) -> tuple[int, int, float, int]:  # fmt: skip
    """Find how water leaves a cell that nothing around is lower than.

    Over the lowest pass where the way there is at most `deep_m` high and LONGEST_BREACH_M long: so through all that is
    noise. Else through a `breach` within the same limits, or along a mapped line; else over the lowest pass. Where
    `deep_m` is infinite every depression fills and spills there, and only noise is cut through.

    Returns what `spill` does, and the last mark used.
    """
    cols = z.shape[1]
    row = start // cols
    how, end, water = spill(z, marks, dx, dy, start, MOST_FLOODED, most_m, mark, seen, came_from, height, far, cell)
    shallow = water - z[row, start % cols] <= deep_m
    if shallow and how == AT_EDGE:
        return how, end, water, mark
    long_m = max(LONGEST_BREACH_M, _FEWEST_CELLS * max(dx[row], dy[row]))
    if shallow and how not in (TOO_DEEP, TOO_WIDE):
        length, at = 0.0, end
        while at != start and length <= long_m:
            k = came_from[at // cols, at % cols]
            length += np.hypot(COL[k] * dx[row], ROW[k] * dy[row])
            at += ROW[k] * cols + COL[k]
        if length <= long_m:
            return how, end, water, mark
    mark += 1
    cut_m = deep_m if deep_m < np.inf else SHALLOW_M
    cut, cut_end, top = breach(z, marks, dx, dy, start, cut_m, long_m, mark, seen, came_from, height, far, cell)
    if cut != TOO_DEEP:
        return cut, cut_end, top, mark
    if shallow and how not in (TOO_DEEP, TOO_WIDE):
        # The search for a breach has overwritten the way.
        mark += 1
        how, end, water = spill(z, marks, dx, dy, start, MOST_FLOODED, most_m, mark, seen, came_from, height, far, cell)
    return how, end, water, mark


@compiled
def _in_sight(z: Floats, r1: int, c1: int, r2: int, c2: int, water: float) -> bool:
    """Whether the straight line between two cells stays on ground not above `water`."""
    steps = 2 * max(abs(r2 - r1), abs(c2 - c1))
    for step in range(1, steps):
        # In whole numbers: what lies halfway between two cells falls to the same one wherever cells are counted from.
        r = r1 + (2 * step * (r2 - r1) + steps) // (2 * steps)
        c = c1 + (2 * step * (c2 - c1) + steps) // (2 * steps)
        if not z[r, c] <= water:
            return False
    return True


@compiled
def way_out(
    z: Floats, start: int, end: int, water: float, came_from: NDArray[np.int8], seen: NDArray[np.int32], mark: int,
    course: Floats, size: int, chain: Ints, way: Ints,
) -> tuple[int, int, int]:  # fmt: skip
    """Put the way from a flooded cell to the end of its flood into `way`.

    Shallow ponding is crossed at its surface: from where the course so far (its first `size` places, in columns and
    rows) enters the water, straight to the pass where it spills over. Deeper ponding is crossed over its lowest ground,
    as if a way out were cut; so is what lies beyond the pass. `chain` is scratch.

    Returns
    -------
    How many cells the way has, how many of them lie in the pond, and how many places of the course are left.
    """
    cols = z.shape[1]
    count, at, spills = 1, end, 0
    chain[0] = end
    while at != start:
        k = came_from[at // cols, at % cols]
        at += ROW[k] * cols + COL[k]
        chain[count] = at
        if spills == 0 and z[at // cols, at % cols] == water:
            spills = count
        count += 1
    if z[end // cols, end % cols] >= water:
        spills = 0
    shallow = water - z[start // cols, start % cols] <= SHALLOW_M
    left = size
    while shallow and left > 1 and count < chain.size:
        row, col = int(np.floor(course[left - 2, 1] + 0.5)), int(np.floor(course[left - 2, 0] + 0.5))
        if seen[row, col] != mark or not z[row, col] <= water:
            break
        if row * cols + col != chain[count - 1]:
            chain[count] = row * cols + col
            count += 1
        left -= 1
    place, steps, ponded = count - 1, 0, 0
    while place > 0:
        ahead = place - 1
        if place > spills:
            if shallow:
                ahead = max(place - 256, spills)
                here = chain[place]
                while ahead < place - 1:
                    there = chain[ahead]
                    if _in_sight(z, here // cols, here % cols, there // cols, there % cols, water):
                        break
                    ahead = place - max(1, (place - ahead) * 3 // 4)
            ponded = steps + 1
        place = ahead
        way[steps] = chain[place]
        steps += 1
    return steps, ponded, left


class Scratch:
    """Scratch of `spill` and `way_out` for a grid of some rows and columns; memory is taken only where it is written.

    Attributes
    ----------
    mark
        The last mark that was used: a new flood takes the next.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        size = shape[0] * shape[1] + 1
        self.mark = 0
        self.seen, self.came_from = np.zeros(shape, np.int32), np.zeros(shape, np.int8)
        self.height, self.far = np.empty(size), np.empty(size)
        self.cell, self.way = np.empty(size, np.int64), np.empty(size, np.int64)

    @property
    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int8], Floats, Floats, Ints, Ints]:
        """What `spill` writes on, and the way that `way_out` finds."""
        return self.seen, self.came_from, self.height, self.far, self.cell, self.way
