"""Compiled kernels: the neighbour that every cell of a grid drains to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.runoff.allowances import depth_allowed
from siteplan_gis.measures.runoff.conditioning import (
    AT_EDGE,
    AT_GOAL,
    COL,
    GOAL,
    IN_DEPRESSION,
    ROW,
    SINK,
    TOO_DEEP,
    TOO_WIDE,
    falls_off,
    leave,
    steepest,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

UNTOLD: Final = -9


@compiled
def _level_ground(z: Floats, start: int, mark: int, seen: NDArray[np.int32], cell: Ints) -> int:
    """Put all cells of exactly level ground around a cell into `cell`; returns how many."""
    rows, cols = z.shape
    cell[0] = start
    seen[start // cols, start % cols] = mark
    size, done = 1, 0
    while done < size:
        row, col = cell[done] // cols, cell[done] % cols
        done += 1
        for k in range(8):
            r, c = row + ROW[k], col + COL[k]
            if 0 <= r < rows and 0 <= c < cols and seen[r, c] != mark and z[r, c] == z[row, col]:
                seen[r, c] = mark
                cell[size] = r * cols + c
                size += 1
    return size


@compiled
def _lead_level(z: Floats, receiver: Ints, cell: Ints, size: int, queue: Ints) -> None:
    """Lead the untold ones of some level cells to the nearest ones whose receiver is known."""
    rows, cols = z.shape
    filled, done = 0, 0
    for i in range(size):
        if receiver[cell[i]] != UNTOLD:
            queue[filled] = cell[i]
            filled += 1
    while done < filled:
        row, col = queue[done] // cols, queue[done] % cols
        done += 1
        for k in range(8):
            r, c = row + ROW[k], col + COL[k]
            if not (0 <= r < rows and 0 <= c < cols) or z[r, c] != z[row, col]:
                continue
            if receiver[r * cols + c] == UNTOLD:
                receiver[r * cols + c] = row * cols + col
                queue[filled] = r * cols + c
                filled += 1


@compiled
def receive(
    z: Floats, marks: Bytes, dx: Floats, dy: Floats, barrier_m: float, noise: Floats, noise_first: tuple[int, int],
    seen: NDArray[np.int32], came_from: NDArray[np.int8], height: Floats, far: Floats, cell: Ints, receiver: Ints, why: Bytes, order: Ints,
) -> int:  # fmt: skip
    """Find the neighbour that every cell drains to, and cut ways out of ponding up to `barrier_m` deep into `z`.

    By noise, and between the middles of coarse cells, it may look deeper (see `allowances.depth_allowed`).

    `marks` tells where water ends and what lets it through (see `conditioning`). `receiver`, `why` and `order` receive
    the answer, flat, of z's size: -1 with the reason (AT_GOAL, AT_EDGE, IN_DEPRESSION) where a cell drains to none.
    Returns how many cells stand in `order`, each before the one that it drains to.
    """
    rows, cols = z.shape
    for at in range(rows * cols):
        row, col = at // cols, at % cols
        receiver[at], why[at] = -1, 0
        if np.isnan(z[row, col]):
            continue
        if marks[row, col] & (GOAL | SINK):
            why[at] = AT_GOAL
            continue
        k, slope, _ = steepest(z, row, col, dx[row], dy[row], 0.0)
        if k < 0:
            receiver[at] = UNTOLD
        elif falls_off(z, row, col, dx[row], dy[row], slope):
            why[at] = AT_EDGE
        else:
            receiver[at] = at + ROW[k] * cols + COL[k]
    mark = 0
    for at in range(rows * cols):
        if receiver[at] != UNTOLD:
            continue
        mark += 1
        size = _level_ground(z, at, mark, seen, cell)
        told = False
        for i in range(size):
            told = told or receiver[cell[i]] != UNTOLD
        if not told:
            bottom = z[at // cols, at % cols]
            mark += 1
            row, col = at // cols, at % cols
            deep_m = depth_allowed(z, row, col, dx[row], barrier_m, noise, noise_first)
            how, end, water, mark = leave(
                z, marks, dx, dy, at, deep_m, deep_m, mark, seen, came_from, height, far, cell
            )
            if water - bottom > deep_m or how in (TOO_WIDE, TOO_DEEP):
                receiver[at], why[at] = -1, IN_DEPRESSION
            else:
                if how == AT_EDGE:
                    receiver[end], why[end] = -1, AT_EDGE
                    z[end // cols, end % cols] = min(z[end // cols, end % cols], bottom)
                while end != at:
                    k = came_from[end // cols, end % cols]
                    before = end + ROW[k] * cols + COL[k]
                    receiver[before], why[before] = end, 0
                    z[before // cols, before % cols] = bottom
                    end = before
            mark += 1
            size = _level_ground(z, at, mark, seen, cell)
        _lead_level(z, receiver, cell, size, order)
    return _ordered(receiver, z, seen, order)


@compiled
def _ordered(receiver: Ints, z: Floats, donors: NDArray[np.int32], order: Ints) -> int:
    """Fill `order` with the cells that have an elevation, each before its receiver; `donors` is scratch."""
    rows, cols = z.shape
    donors[:] = 0
    for at in range(rows * cols):
        if receiver[at] >= 0:
            donors[receiver[at] // cols, receiver[at] % cols] += 1
    size = 0
    for at in range(rows * cols):
        row, col = at // cols, at % cols
        if donors[row, col] != 0 or np.isnan(z[row, col]):
            continue
        while True:
            order[size] = at
            size += 1
            donors[at // cols, at % cols] = -1
            at = receiver[at]  # noqa: PLW2901
            if at < 0:
                break
            donors[at // cols, at % cols] -= 1
            if donors[at // cols, at % cols] != 0:
                break
    return size


@compiled
def gather(order: Ints, receiver: Ints, inside: Bytes, total: Floats) -> None:
    """Add to each inside cell the total of the inside cells that drain to it, in `order` (see `receive`)."""
    for place in range(order.size):
        to = receiver[place]
        if to >= 0 and inside[to] != 0:
            total[to] += total[order[place]]
