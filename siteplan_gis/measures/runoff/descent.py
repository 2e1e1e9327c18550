"""The way of water from one place: down the line of steepest descent, and through shallow ponding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from siteplan_gis.measures.runoff.conditioning import IN_DEPRESSION, TOO_WIDE
from siteplan_gis.measures.runoff.fall_line import carry_down

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from siteplan_gis.measures.runoff.ground import Conditioned

ROAD_REACH_M: Final = 60.0
"""Lower ground within this distance of a depression lies behind a barrier that may be a road."""

_PLACES_A_CELL: Final = 6


class Barrier(NamedTuple):
    """What lies between a depression and the nearest lower ground: columns and rows of cells, and the distance."""

    beyond: tuple[int, int]
    crest: tuple[int, int]
    width_m: float


@dataclass(frozen=True, slots=True, eq=False)
class Descent:
    """A way of water in pixel coordinates of its window.

    Attributes
    ----------
    xy
        Places from the start on, shape (n, 2).
    how
        How it ends: AT_GOAL, AT_SINK, AT_EDGE, AT_LIMIT, IN_DEPRESSION, or TOO_WIDE (a depression whose depth is a
        lower bound).
    depth_m
        Of the depression it ends in; 0 elsewhere.
    ponds
        Every depression passed, shape (n, 4): its place in `xy`, depth and length in metres, and the height of the
        ground on a mapped line that was led through.
    barrier
        What a depression at the end lies behind; None where no lower ground is near.
    assumed
        Places in `xy` from which it was led through such a barrier.
    edge
        Column and row of a cell at the edge of the elevations beyond which the way may go on; None where none was met.
    """

    xy: NDArray[np.float64]
    how: int
    depth_m: float
    ponds: NDArray[np.float64]
    barrier: Barrier | None = None
    assumed: tuple[int, ...] = ()
    edge: tuple[int, int] | None = None


def descend(
    ground: Conditioned,
    marks: NDArray[np.uint8],
    x: float,
    y: float,
    limit_m: float,
    barrier_m: float,
    *,
    assume_culverts: bool = False,
) -> Descent:
    """Follow water from a place (pixel coordinates) to a goal of `marks`, for at most `limit_m`.

    It is carried through ponding up to `barrier_m` deep; behind deeper ponding it is led on to the lower ground behind
    a road-like barrier only with `assume_culverts`.
    """
    scratch = ground.scratch
    most = _PLACES_A_CELL * int(limit_m / ground.cell_m + 2) + 1000
    room, passed = np.empty((most, 2)), np.empty((most, 4))
    u, v, length = x - 0.5, y - 0.5, 0.0
    pieces: list[NDArray[np.float64]] = []
    ponds: list[NDArray[np.float64]] = []
    assumed: list[int] = []
    places = 0
    while True:
        size, how, length, depth, ponded, scratch.mark, edge = carry_down(
            ground.z_m, marks, ground.dx_m, ground.dy_m, u, v, length, limit_m, barrier_m, scratch.mark,
            *scratch.arrays, room, passed,
        )  # fmt: skip
        pieces.append(room[:size] + 0.5)
        ponds.append(passed[:ponded] + np.array([places, 0.0, 0.0, 0.0]))
        places += size
        barrier = None
        if how in {IN_DEPRESSION, TOO_WIDE}:
            barrier = _barrier(ground, int(room[size - 1, 1] + 0.5), int(room[size - 1, 0] + 0.5))
            if assume_culverts and barrier is not None:
                assumed.append(places - 1)
                length += barrier.width_m
                u, v = barrier.beyond
                continue
        met = (edge % ground.z_m.shape[1], edge // ground.z_m.shape[1]) if edge >= 0 else None
        return Descent(np.vstack(pieces), how, depth, np.vstack(ponds), barrier, tuple(assumed), met)


def _barrier(ground: Conditioned, row: int, col: int) -> Barrier | None:
    """What lies between a depression and the nearest ground lower than it, where that is near enough for a road."""
    dx, dy = float(ground.dx_m[row]), float(ground.dy_m[row])
    wide, high = int(ROAD_REACH_M / dx), int(ROAD_REACH_M / dy)
    r1, c1 = max(0, row - high), max(0, col - wide)
    near = ground.z_m[r1 : row + high + 1, c1 : col + wide + 1]
    down, across = np.indices(near.shape)
    away = np.hypot((across + c1 - col) * dx, (down + r1 - row) * dy)
    away[~(near < ground.z_m[row, col])] = np.inf
    nearest = int(away.argmin())
    if not away.flat[nearest] <= ROAD_REACH_M:
        return None
    to_row, to_col = r1 + nearest // near.shape[1], c1 + nearest % near.shape[1]
    parts = np.linspace(0, 1, 2 * max(abs(to_row - row), abs(to_col - col)) + 1)
    rows = np.round(row + parts * (to_row - row)).astype(int)
    cols = np.round(col + parts * (to_col - col)).astype(int)
    highest = int(np.nanargmax(ground.z_m[rows, cols]))
    return Barrier((to_col, to_row), (int(cols[highest]), int(rows[highest])), float(away.flat[nearest]))
