"""How far a path of runoff hangs on the error of the elevations: the same trace over ground shaken by that error."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.measures.flow import BARRIER_M, trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely import Point
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.ground import Conditioned

_ALIKE_OVER: Final = 5
"""Cells over which errors of lidar ground are alike: the spacing of its points and of its interpolation."""


def agreement(
    ground: Conditioned,
    start: Point,
    targets: Sequence[BaseGeometry],
    limit_m: float,
    accuracy_m: float,
    barrier_m: float = BARRIER_M,
    members: int = 8,
) -> float:
    """Share of `members` traces that end as the undisturbed one does: at the same target, or for the same reason.

    Each member runs over elevations with a normal error of standard deviation `accuracy_m`, alike over a few cells.
    The errors are the same in every run.
    """
    wanted = trace(ground, start, targets, limit_m, barrier_m)
    rng = np.random.default_rng(0)
    same = 0
    for _ in range(members):
        shaken = replace(ground, z_m=ground.z_m + accuracy_m * _errors(ground.z_m.shape, rng), _goals=ground._goals)  # noqa: SLF001
        found = trace(shaken, start, targets, limit_m, barrier_m)
        same += (found.reached, found.ends_because) == (wanted.reached, wanted.ends_because)
    return same / members


def _errors(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    """Normal errors of unit variance, shape (rows, columns), straight between knots `_ALIKE_OVER` cells apart."""
    rows, cols = shape
    knots = rng.standard_normal((rows // _ALIKE_OVER + 2, cols // _ALIKE_OVER + 2))
    return _between(_between(knots, rows).T, cols).T


def _between(knots: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """`count` rows between rows of knots; the weights keep the variance."""
    place = np.arange(count) / _ALIKE_OVER
    first = place.astype(int)
    part = (place - first)[:, None]
    mixed: NDArray[np.float64] = (1 - part) * knots[first] + part * knots[first + 1]
    mixed /= np.hypot(1 - part, part)
    return mixed
