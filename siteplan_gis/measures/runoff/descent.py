"""The way of water from one place: down the line of steepest descent, and through shallow ponding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from siteplan_gis.measures.runoff.conditioning import AT_EDGE, IN_DEPRESSION, SHALLOW_M, TOO_WIDE
from siteplan_gis.measures.runoff.fall_line import carry_down

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from siteplan_gis.measures.runoff.ground import Conditioned

ROAD_REACH_M: Final = 60.0
"""Lower ground within this distance of a depression lies behind a barrier that may be a road."""

_PLACES_A_CELL: Final = 6
_MIDDLE: Final = 1.5 + 1e-5
"""Nearer to a side than this, in cells, a way does not have all the ground around it that tells its course."""


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
        Column and row of a cell at the edge of the elevations beyond which lies what may change the way or its end;
        None where none was met.
    sure
        So many places of `xy` no ground beyond that edge can change.
    """

    xy: NDArray[np.float64]
    how: int
    depth_m: float
    ponds: NDArray[np.float64]
    barrier: Barrier | None = None
    assumed: tuple[int, ...] = ()
    edge: tuple[int, int] | None = None
    sure: int = 0


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

    Raises
    ------
    ValueError
        If the place is not in the window: the compiled loop would look it up beside the elevations.
    """
    rows, cols = ground.z_m.shape
    if not (0.0 <= x <= cols and 0.0 <= y <= rows):
        message = f"water cannot be followed from {x}, {y}, which is not among {cols} by {rows} cells"
        raise ValueError(message)
    scratch = ground.scratch
    most = _PLACES_A_CELL * int(limit_m / ground.cell_m + 2) + 1000
    room, passed = np.empty((most, 2)), np.empty((most, 4))
    u, v, length = x - 0.5, y - 0.5, 0.0
    pieces: list[NDArray[np.float64]] = []
    ponds: list[NDArray[np.float64]] = []
    assumed: list[int] = []
    sides: list[tuple[int, tuple[int, int] | None]] = []
    places = 0
    while True:
        size, how, length, depth, ponded, scratch.mark, edge = carry_down(
            ground.z_m, marks, ground.dx_m, ground.dy_m, u, v, length, limit_m, barrier_m, ground.noise,
            ground.noise_first, scratch.mark, *scratch.arrays, room, passed,
        )  # fmt: skip
        pieces.append(room[:size] + 0.5)
        ponds.append(passed[:ponded] + np.array([places, 0.0, 0.0, 0.0]))
        places += size
        barrier, side = None, None
        if how in {IN_DEPRESSION, TOO_WIDE}:
            barrier, side = _barrier(ground, int(room[size - 1, 1] + 0.5), int(room[size - 1, 0] + 0.5))
            sides.append((places, side))
            if assume_culverts and barrier is not None:
                assumed.append(places - 1)
                length += barrier.width_m
                u, v = barrier.beyond
                continue
        xy = np.vstack(pieces)
        met, sure = _edge(ground, xy, how, edge, sides)
        return Descent(xy, how, depth, np.vstack(ponds), barrier, tuple(assumed), met, sure)


def _edge(
    ground: Conditioned, xy: NDArray[np.float64], how: int, edge: int, sides: list[tuple[int, tuple[int, int] | None]]
) -> tuple[tuple[int, int] | None, int]:
    """`Descent.edge` and `Descent.sure`.

    A way may end at an edge or run along one, and a barrier behind a depression near it may lie beyond.
    """
    rows, cols = ground.z_m.shape
    met = (edge % cols, edge // cols) if edge >= 0 else None
    sure = len(xy)
    if how == AT_EDGE and met != tuple(int(v) for v in xy[-1]):
        # A pond that reaches beyond the edge is crossed at its surface, from where the way enters it.
        height = ground.z_m[tuple(np.minimum(xy.astype(np.int64), [cols - 1, rows - 1]).T[::-1])]
        dry = np.flatnonzero(height > height[-1] + SHALLOW_M)
        sure = int(dry[-1]) + 1 if dry.size else 0
    along = np.flatnonzero(((xy[:-1] <= _MIDDLE) | (xy[:-1] >= np.array([cols, rows]) - _MIDDLE)).any(axis=1))
    if along.size:
        sure = min(sure, int(along[0]))
        column, row = (int(v) for v in xy[along[0]])
        met = met or (min(column, cols - 1), min(row, rows - 1))
    for begun, side in sides:
        if side is not None:
            sure, met = min(sure, begun - 1), met or side
    return met, sure


def _barrier(ground: Conditioned, row: int, col: int) -> tuple[Barrier | None, tuple[int, int] | None]:
    """What lies between a depression and the nearest ground lower than it, where that is near enough for a road.

    And the column and row of a cell at the side of the window, where nearer ground may lie beyond it.
    """
    dx, dy = float(ground.dx_m[row]), float(ground.dy_m[row])
    wide, high = int(ROAD_REACH_M / dx), int(ROAD_REACH_M / dy)
    r1, c1 = max(0, row - high), max(0, col - wide)
    near = ground.z_m[r1 : row + high + 1, c1 : col + wide + 1]
    down, across = np.indices(near.shape)
    away = np.hypot((across + c1 - col) * dx, (down + r1 - row) * dy)
    away[~(near < ground.z_m[row, col])] = np.inf
    nearest = int(away.argmin())
    rows, cols = ground.z_m.shape
    beyond = [(col + 1) * dx, (cols - col) * dx, (row + 1) * dy, (rows - row) * dy]
    side = ((0, row), (cols - 1, row), (col, 0), (col, rows - 1))[int(np.argmin(beyond))]
    unseen = side if min(beyond) <= min(float(away.flat[nearest]), ROAD_REACH_M) else None
    if not away.flat[nearest] <= ROAD_REACH_M:
        return None, unseen
    to_row, to_col = r1 + nearest // near.shape[1], c1 + nearest % near.shape[1]
    parts = np.linspace(0, 1, 2 * max(abs(to_row - row), abs(to_col - col)) + 1)
    # Rounded before they are counted from the window's side, so that ties fall alike in every window.
    on_rows, on_cols = (
        begin + np.floor(parts * (end - begin) + 0.5).astype(int) for begin, end in ((row, to_row), (col, to_col))
    )
    highest = int(np.nanargmax(ground.z_m[on_rows, on_cols]))
    barrier = Barrier((to_col, to_row), (int(on_cols[highest]), int(on_rows[highest])), float(away.flat[nearest]))
    return barrier, unseen
