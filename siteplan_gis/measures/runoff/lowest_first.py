"""Compiled kernels: a heap of cells, the lowest first and of equal ones the nearest, in three arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from siteplan_gis.measures.compiling import compiled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@compiled
def _before(level: Floats, far: Floats, a: int, b: int) -> bool:
    return bool(level[a] < level[b] or (level[a] == level[b] and far[a] < far[b]))


@compiled
def push(level: Floats, far: Floats, cell: Ints, size: int) -> None:
    """Let the last of `size` entries rise to its place in the heap."""
    at = size - 1
    while at > 0:
        above = (at - 1) // 2
        if not _before(level, far, at, above):
            return
        level[at], level[above] = level[above], level[at]
        far[at], far[above] = far[above], far[at]
        cell[at], cell[above] = cell[above], cell[at]
        at = above


@compiled
def pop(level: Floats, far: Floats, cell: Ints, last: int) -> None:
    """Swap the first entry of the heap with number `last`, its last one, and let the moved one sink."""
    level[0], level[last] = level[last], level[0]
    far[0], far[last] = far[last], far[0]
    cell[0], cell[last] = cell[last], cell[0]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= last:
            return
        if below + 1 < last and _before(level, far, below + 1, below):
            below += 1
        if not _before(level, far, below, at):
            return
        level[at], level[below] = level[below], level[at]
        far[at], far[below] = far[below], far[at]
        cell[at], cell[below] = cell[below], cell[at]
        at = below
