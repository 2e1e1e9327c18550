"""The course of a path without what only the grid and the noise of its elevations make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import LineString

from siteplan_gis.measures.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TUBE_CELLS: Final = 0.3
"""A path in a channel that runs between the middles of cells swings from side to side by half a cell at most."""

_ROUNDS: Final = 60
_AROUND: Final = 5
_PLACES: Final = 24
_MOST_CELLS: Final = 61
_CELLS_FOR_NOISE: Final = 12.0


def straightened(xy: Floats, over: int) -> Floats:
    """A path in pixel coordinates at even steps of about a cell, pulled taut and smoothed; both ends stay.

    It is pulled taut within half a cell of where it ran; then each place becomes the mean of the `over` places
    around it, fewer towards the ends, so that the mean never leans to one side.

    Examples
    --------
    A staircase is a straight line that lies between the middles of cells:

    >>> steps = np.array([[0, 0], [1, 0], [2, 1], [3, 1], [4, 2], [5, 2], [6, 3], [7, 3], [8, 4]], dtype=float)
    >>> bool(abs(LineString(straightened(steps, 1)).length - np.hypot(8, 4)) < 0.02)
    True
    """
    line = LineString(xy)
    count = max(2, round(line.length) + 1)
    even: Floats = shapely.get_coordinates(shapely.line_interpolate_point(line, np.linspace(0, line.length, count)))
    _pull(even, even.copy(), TUBE_CELLS, _ROUNDS)
    if over <= 1:
        return even
    sums = np.vstack([np.zeros((1, 2)), np.cumsum(even, axis=0)])
    place = np.arange(count)
    reach = np.minimum(np.minimum(place, count - 1 - place), over // 2)
    smooth: Floats = (sums[place + reach + 1] - sums[place - reach]) / (2 * reach + 1)[:, None]
    return smooth


@compiled
def _pull(places: Floats, held: Floats, tube: float, rounds: int) -> None:
    """Move places towards the middle of their neighbours, none farther than `tube` from where it is held."""
    for _ in range(rounds):
        for i in range(1, places.shape[0] - 1):
            dx = (places[i - 1, 0] + places[i + 1, 0]) / 2 - held[i, 0]
            dy = (places[i - 1, 1] + places[i + 1, 1]) / 2 - held[i, 1]
            away = np.hypot(dx, dy)
            share = 1.0 if away <= tube else tube / away
            places[i, 0] = held[i, 0] + share * dx
            places[i, 1] = held[i, 1] + share * dy


def cells_of_noise(z: Floats, xy: Floats) -> int:
    """Over how many cells a path must be smoothed so that the noise of the elevations no longer bends it: 1 for none.

    The noise is told from the second differences of the elevations around the path (for independent errors their
    variance is six times that of one), the strength that holds the path from the relief around it. On planes with
    noise of standard deviation s and a fall of f per cell, a mean over 12 s / f cells leaves the path 3 to 5 % long.
    """
    rows, cols = z.shape
    col, row = xy[:: max(1, len(xy) // _PLACES)].astype(np.int64).T
    far = (row >= _AROUND) & (row < rows - _AROUND) & (col >= _AROUND) & (col < cols - _AROUND)
    offsets = np.arange(-_AROUND, _AROUND + 1)
    near = z[row[far][:, None, None] + offsets[:, None], col[far][:, None, None] + offsets]
    near = near[~np.isnan(near).any(axis=(1, 2))]
    if not len(near):
        return 1
    noise = sum(np.median(np.abs(np.diff(near, 2, axis=axis)), axis=(1, 2)) for axis in (1, 2))
    relief = near.std(axis=(1, 2))
    error_m = float(np.median(noise)) / 2 * 1.4826 / np.sqrt(6)
    spread_m = np.sqrt(max(float(np.median(relief)) ** 2 - error_m**2, 0.0))
    fall_m = spread_m * np.sqrt(12) / (2 * _AROUND + 1)
    cells = _CELLS_FOR_NOISE * error_m / fall_m if fall_m > 0 else _MOST_CELLS * float(error_m > 0)
    return int(min(cells, _MOST_CELLS)) // 2 * 2 + 1
