"""Compiled kernels: how much deeper a depression may look than what dams it is high, by noise and by coarse cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.runoff.conditioning import COL, ROW
from siteplan_gis.measures.terrain.elevation_noise import BLOCK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NOISE_IN_DEPTH = 3 * 2**0.5
"""A depth is the difference of two elevations; three of its standard deviations are noise."""

COARSE_M = 5.0
"""Cells at least so wide may miss the bottom of a valley by more than the height of a barrier."""


@compiled
def between_cells(z: Floats, row: int, col: int, cell_m: float) -> float:
    """How much higher than its bottom a valley may look where that runs between the middles of cells, in metres.

    A valley whose sides rise by s from one cell to the next looks s / 2 higher halfway between two cells than where
    its bottom meets a middle, and t s less where it passes the lowest cell at t of a cell: half of what the lower of
    the two sides rises to the next cell there. It adds to the noise that is allowed for by squares, as errors do. Of
    cells finer than `COARSE_M` it is nothing: a barrier over them is seen as high as it is.
    """
    rows, cols = z.shape
    most = 0.0
    if cell_m < COARSE_M:
        return most
    if 0 < row < rows - 1 and 0 < col < cols - 1:
        for k in range(4):
            one, other = z[row + ROW[k], col + COL[k]], z[row - ROW[k], col - COL[k]]
            # Not a number compares as false.
            if one - z[row, col] > most and other - z[row, col] > most:
                most = min(one, other) - z[row, col]
    return most / 2


@compiled
def depth_allowed(
    z: Floats, row: int, col: int, cell_m: float, barrier_m: float, noise: Floats, noise_first: tuple[int, int]
) -> float:  # fmt: skip
    """How deep the depression around a cell may look and yet be dammed by nothing higher than `barrier_m`, in metres.

    What the grid (`between_cells`) and the noise of the elevations make of it add by squares, as errors do. `noise` and
    `noise_first` are those of `ground.Conditioned`.

    Examples
    --------
    >>> z = np.zeros((3, 3))
    >>> depth_allowed(z, 1, 1, 1.0, 0.5, np.array([[0.0]]), (0, 0))
    0.5
    >>> round(depth_allowed(z, 1, 1, 1.0, 0.5, np.array([[0.1]]), (0, 0)), 3)
    0.656
    """
    across, down = (col + noise_first[0]) // BLOCK, (row + noise_first[1]) // BLOCK
    deviation = noise[min(max(down, 0), noise.shape[0] - 1), min(max(across, 0), noise.shape[1] - 1)]
    return float(np.hypot(np.hypot(barrier_m, between_cells(z, row, col, cell_m)), NOISE_IN_DEPTH * deviation))
