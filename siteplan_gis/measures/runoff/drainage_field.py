"""The neighbour that every cell of a window drains to, and where its water ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.measures.runoff import receiving
from siteplan_gis.measures.runoff.conditioning import AT_EDGE, AT_GOAL, IN_DEPRESSION, Scratch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from siteplan_gis.measures.runoff.ground import Conditioned

SINK: Final = AT_GOAL
EDGE: Final = AT_EDGE
DEPRESSION: Final = IN_DEPRESSION


@dataclass(frozen=True, slots=True, eq=False)
class Receivers:
    """Where every cell of a window of ground drains to.

    Attributes
    ----------
    ground
        The window, for its cells' place and size.
    receiver
        Flat number of the neighbour that each cell drains to, -1 where its water ends; shape (rows * columns,).
    ended_by
        Why water ends in a cell: SINK (a mapped one), EDGE (it leaves the elevations or the window), DEPRESSION (one
        deeper than the barrier height), 0 where it goes on or where there is no elevation.
    order
        Cells with an elevation, each before the one that it drains to.
    z_m
        Elevations with the ways out of shallow ponding cut into them, shape (rows, columns): no receiver is higher.
    """

    ground: Conditioned
    receiver: NDArray[np.int64]
    ended_by: NDArray[np.uint8]
    order: NDArray[np.int64]
    z_m: NDArray[np.float64]


def receivers(ground: Conditioned, barrier_m: float) -> Receivers:
    """Find the receiver of every cell of a window (made by `ground.condition_around`, with its culverts and sinks).

    Ponding up to `barrier_m` deep is noise: a way out is cut through it. A deeper depression keeps its water, as does
    each of the ground's sinks.

    Examples
    --------
    A valley that falls to the east, with a noisy cell in its bottom:

    >>> from types import SimpleNamespace
    >>> z = np.array([[9.0, 8.0, 7.0, 6.0], [8.0, 6.9, 7.0, 5.0], [9.0, 8.0, 7.0, 6.0]])
    >>> valley = SimpleNamespace(z_m=z, dx_m=np.ones(3), dy_m=np.ones(3), kept=None,
    ...                          noise=np.zeros((1, 1)), noise_first=(0, 0))
    >>> receivers(valley, 0.5).receiver.reshape(3, 4)[1].tolist()
    [5, 6, 7, -1]
    """
    rows, cols = ground.z_m.shape
    z = ground.z_m.copy()
    marks = ground.kept if ground.kept is not None else np.zeros((rows, cols), np.uint8)
    receiver, order = np.empty(z.size + 1, np.int64), np.empty(z.size + 1, np.int64)
    why = np.empty(z.size + 1, np.uint8)
    size = receiving.receive(
        z, marks, ground.dx_m, ground.dy_m, barrier_m, ground.noise, ground.noise_first,
        *Scratch((rows, cols)).arrays[:5], receiver, why, order,
    )  # fmt: skip
    return Receivers(ground, receiver[: z.size], why[: z.size], order[:size], z)
