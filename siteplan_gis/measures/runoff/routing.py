"""Runoff cell by cell: where the water of each cell goes, in which order, and how much ground each has gathered.

The receivers come from the conditioning of the ground (pits, culverts, flat ground). Where a receiver is an end of a
downhill facet (Tarboton 1997, doi:10.1029/96WR03137), the water takes the end that keeps the sum of its sideways
departures least, counted on from where most of it comes (Orlandini et al. 2003, doi:10.1029/2002WR001639): ways
follow the fall line, and the ground above a place leans to none of eight directions. (Sharing water between both ends
would spread it: a pond beside a slope would draw water from ways that pass it.) All kernels stand in this one module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.runoff.conditioning import COL, ROW
from siteplan_gis.measures.runoff.drainage_field import EDGE
from siteplan_gis.measures.runoff.marking import cells_touched, fill, mark_right
from siteplan_gis.measures.shapes.width import wider_than

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.drainage_field import Receivers
    from siteplan_gis.measures.runoff.ground import Conditioned

    Floats = NDArray[np.float64]
    Parts = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Cells = NDArray[np.int32]
    Bytes = NDArray[np.uint8]

NOWHERE: Final = -1
"""The receiver of a cell where the water stays or leaves the data."""

_NARROW_CELLS: Final = 0.75


@dataclass(frozen=True, slots=True, eq=False)
class Runoff:
    """Where the water of every cell of a window goes. All arrays are flat; several measures share one.

    Attributes
    ----------
    field
        The conditioned ground.
    receivers
        The cell that takes the water of each; NOWHERE at an end.
    course
        The fall line as a unit vector along columns and rows, shape (cells, 2).
    step_m
        What the step to the receiver gains along the fall line, in metres: a staircase of eight directions is longer.
    order
        Every cell with an elevation, upstream before downstream.
    gathered_m2
        The ground above each cell with the cell itself, in square metres.
    open_above
        Non-zero where water may come in from beyond the data: what is gathered there is a lower bound.
    cell_m2
        Ground of each cell, in square metres, shape (rows,).
    """

    field: Receivers
    receivers: Cells
    step_m: Parts
    course: Parts
    order: Cells
    gathered_m2: Floats
    open_above: Bytes
    cell_m2: Floats

    @property
    def ground(self) -> Conditioned:
        """The window, for its cells' place and size."""
        return self.field.ground

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, cols = self.ground.z_m.shape
        return rows, cols

    @property
    def flat_m2(self) -> Floats:
        """Ground of each cell, flat."""
        return np.repeat(self.cell_m2, self.shape[1])

    def cover(self, area: BaseGeometry) -> Floats:
        """1 for cells whose middle lies in the area, flat; for what is narrower than cells, for all that it touches.

        (Shares of cells along a side that water runs beside would take from it again and again.)
        """
        rows, cols = self.shape
        parts = shapely.get_parts(shapely.get_parts([area]))
        parts = parts[~shapely.is_empty(parts)]
        broad = wider_than(parts, 2 * _NARROW_CELLS * self.ground.cell_m)
        wide, narrow = parts[broad], parts[~broad]
        marks = np.zeros((rows, cols), np.uint8)
        for part in wide:
            pixels = self.ground.pixels(part)
            for ring in shapely.get_rings(pixels):
                mark_right(marks, shapely.get_coordinates(ring))
            left, top, right, bottom = np.clip(pixels.bounds, 0, [cols, rows, cols, rows]).astype(int).tolist()
            fill(marks, max(top - 1, 0), min(bottom + 2, rows), max(left - 1, 0), min(right + 2, cols))
        covered = marks > 0
        if narrow.size:
            covered |= tight(cells_touched(self.ground, narrow) > 0)
        return np.where(np.isnan(self.ground.z_m), 0.0, covered).ravel()

    def drained(self, cover: Floats) -> NDArray[np.bool_]:
        """Cells whose water comes to what `cover` covers, flat, with the covered cells."""
        reached = cover > 0
        _upstream(self.order, self.receivers, reached)
        return reached

    def first_met(self, cover: Floats) -> Cells:
        """For each cell the covered cell that its water meets first, itself if covered; NOWHERE if none, flat."""
        met = np.where(cover > 0, np.arange(cover.size, dtype=np.int32), np.int32(NOWHERE))
        _meeting(self.order, self.receivers, met)
        return met

    def leaves(self, cells: Ints) -> NDArray[np.bool_]:
        """Whether the water of each of some cells leaves the elevations."""
        gone = (self.field.ended_by == EDGE).astype(float)
        return self.drained(gone)[cells]


def tight(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Close a line of cells so that no diagonal step slips through between two of them."""
    closed = cells.copy()
    nw, ne, sw, se = cells[:-1, :-1], cells[:-1, 1:], cells[1:, :-1], cells[1:, 1:]
    closed[:-1, 1:] |= nw & se & ~ne & ~sw
    closed[:-1, :-1] |= ne & sw & ~nw & ~se
    return closed


def route(field: Receivers) -> Runoff:
    """Make ready to measure on ground whose cells drain to known receivers.

    Raises
    ------
    ValueError
        If the receivers run in a circle.
    """
    ground, z = field.ground, field.z_m
    to = field.receiver.astype(np.int32)
    known = ~np.isnan(z.ravel())
    second, order = np.full(z.size, NOWHERE, np.int32), np.empty(int(known.sum()), np.int32)
    step, course = np.zeros(z.size, np.float32), np.zeros((z.size, 2), np.float32)
    _other_ends(z, ground.dx_m, ground.dy_m, to, second, course)
    if _sorted(to, second, known, order) != order.size:
        message = "the receivers run in a circle"
        raise ValueError(message)
    cell_m2 = ground.dx_m * ground.dy_m
    gathered = np.where(known, np.repeat(cell_m2, z.shape[1]), 0.0)
    _least_aside(order, z.shape[1], ground.dx_m, ground.dy_m, to, second, course, step, gathered)
    open_above = np.zeros(z.size, np.uint8)
    _open(z, open_above)
    return Runoff(field, to, step, course, order, gathered, open_above, cell_m2)


@compiled
def _sorted(to: Cells, second: Cells, known: NDArray[np.bool_], order: Cells) -> int:
    """Fill `order` with the known cells, upstream first; returns how many have a place."""
    above = np.zeros(to.size, np.int32)
    for i in range(to.size):
        if known[i]:
            if to[i] >= 0:
                above[to[i]] += 1
            if second[i] >= 0:
                above[second[i]] += 1
    size = 0
    for i in range(to.size):
        if known[i] and above[i] == 0:
            # Follow each way down as far as it is ready: near cells stay near in memory.
            order[size] = i
            size += 1
            place = size - 1
            while place < size:
                at = order[place]
                place += 1
                for k in range(2):
                    r = to[at] if k == 0 else second[at]
                    if r >= 0:
                        above[r] -= 1
                        # Cells later in the loop find their own turn; earlier ones are taken now.
                        if above[r] == 0 and r <= i:
                            order[size] = r
                            size += 1
    return size


@compiled
def _other_ends(z: Floats, dx: Floats, dy: Floats, to: Cells, second: Cells, course: Parts) -> None:
    """Find the other end of the steeper of the two facets that a receiver ends, and the fall line of each cell."""
    rows, cols = z.shape
    for i in range(z.size):
        if to[i] < 0:
            continue
        row, col = i // cols, i % cols
        down, across = to[i] // cols - row, to[i] % cols - col
        x, y = across * dx[row], down * dy[row]
        best = (z[row, col] - z[row + down, col + across]) / np.hypot(x, y)
        k = 0
        for n in range(8):
            if down == ROW[n] and across == COL[n]:
                k = n
        to_x, to_y = x, y
        for turn in (-1, 1):
            n = (k + turn) % 8
            r, c = row + ROW[n], col + COL[n]
            if not (0 <= r < rows and 0 <= c < cols) or np.isnan(z[r, c]):
                continue
            side, corner = (k, n) if k % 2 == 0 else (n, k)
            d1, d2 = (dx[row], dy[row]) if side % 4 == 0 else (dy[row], dx[row])
            z1 = z[row + ROW[side], col + COL[side]]
            s1, s2 = (z[row, col] - z1) / d1, (z1 - z[row + ROW[corner], col + COL[corner]]) / d2
            # Else the facet falls along an edge, and nothing goes to its other end.
            if s1 > 0 and s2 > 0 and s2 * d1 < s1 * d2 and np.hypot(s1, s2) > best and z[r, c] < z[row, col]:
                best = np.hypot(s1, s2)
                second[i] = r * cols + c
                part = s2 / s1 * d1 / d2
                part = part if k == side else 1.0 - part
                to_x, to_y = x + part * (COL[n] * dx[row] - x), y + part * (ROW[n] * dy[row] - y)
        length = np.hypot(to_x, to_y)
        course[i, 0], course[i, 1] = to_x / length, to_y / length


@compiled
def _least_aside(
    order: Cells, cols: int, dx: Floats, dy: Floats, to: Cells, second: Cells, course: Parts, step: Parts,
    gathered: Floats,
) -> None:  # fmt: skip
    """Choose between both ends of each facet, and gather the ground above each cell."""
    drift = np.zeros(to.size, np.float32)
    most = np.zeros(to.size, np.float32)
    for place in range(order.size):
        i = order[place]
        if to[i] < 0:
            continue
        row, col = i // cols, i % cols
        aside, best, gain = np.inf, to[i], 0.0
        for n in range(2):
            r = to[i] if n == 0 else second[i]
            if r < 0:
                continue
            x, y = (r % cols - col) * dx[row], (r // cols - row) * dy[row]
            off = drift[i] + x * course[i, 1] - y * course[i, 0]
            if abs(off) < abs(aside):
                aside, best = off, r
                gain = x * course[i, 0] + y * course[i, 1]
        to[i], step[i] = best, gain
        gathered[best] += gathered[i]
        if gathered[i] > most[best]:
            most[best] = gathered[i]
            drift[best] = aside


@compiled
def _open(z: Floats, open_above: Bytes) -> None:
    """Mark cells at the edge of the data, but not where the ground seems to fall towards all that is missing."""
    rows, cols = z.shape
    for row in range(rows):
        for col in range(cols):
            if np.isnan(z[row, col]) or (0 < row < rows - 1 and 0 < col < cols - 1 and not _beside_hole(z, row, col)):
                continue
            for k in range(8):
                r, c = row + ROW[k], col + COL[k]
                if 0 <= r < rows and 0 <= c < cols and not np.isnan(z[r, c]):
                    continue
                r, c = row - ROW[k], col - COL[k]
                falls = 0 <= r < rows and 0 <= c < cols and z[r, c] > z[row, col]
                if not falls:
                    open_above[row * cols + col] = 1


@compiled
def _beside_hole(z: Floats, row: int, col: int) -> bool:
    # Cell by cell: a part of the array takes the compiler three times as long.
    for r in range(row - 1, row + 2):
        for c in range(col - 1, col + 2):
            if np.isnan(z[r, c]):
                return True
    return False


@compiled
def _upstream(order: Cells, to: Cells, reached: NDArray[np.bool_]) -> None:
    for place in range(order.size - 1, -1, -1):
        i = order[place]
        if to[i] >= 0 and reached[to[i]]:
            reached[i] = True


@compiled
def _meeting(order: Cells, to: Cells, met: Cells) -> None:
    for place in range(order.size - 1, -1, -1):
        i = order[place]
        if met[i] < 0 and to[i] >= 0:
            met[i] = met[to[i]]


@compiled
def ways_down(
    order: Cells, to: Cells, step: Parts, course: Parts, goal: Cells, offset: Floats, most_m: float, length: Floats
) -> None:
    """Find the length of the way from each cell to a goal, in metres; infinite where none is met.

    `offset` leads from the middle of a goal cell to the nearest place of the goal, in metres along columns and rows,
    and `most_m` bounds what it may change. `goal` numbers the goal cells' rows in `offset`, negative elsewhere.
    """
    for place in range(order.size - 1, -1, -1):
        i = order[place]
        length[i] = np.inf
        if goal[i] >= 0:
            length[i] = 0.0
        elif to[i] >= 0:
            length[i] = length[to[i]] + step[i]
            g = goal[to[i]]
            if g >= 0:
                along = offset[g, 0] * course[i, 0] + offset[g, 1] * course[i, 1]
                if along != 0:
                    more = (offset[g, 0] ** 2 + offset[g, 1] ** 2) / along
                    length[i] += min(max(more, -most_m), most_m)
