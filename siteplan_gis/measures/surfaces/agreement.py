"""Whether a drawn surface agrees with an elevation grid: in slope, cell by cell, and in height.

Both surfaces are sampled at the same points, smoothed alike over three by three cells and differentiated alike, so
that what differs is the ground and not the method. A height that is off by the same amount everywhere, or by the same
share, is a datum or a unit and not a typing error here and there: the medians tell it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.surfaces.tin import heights_at

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.surface import Tin
    from siteplan_gis.model.terrain import ElevationGrid

_MOST_CELLS: Final = 200_000
_FEWEST_LEVELS: Final = 4
_FEWEST_POINTS: Final = 20


@dataclass(frozen=True, slots=True)
class HeightAgreement:
    """How heights lie against an elevation grid.

    Attributes
    ----------
    offset_m
        Median of height minus grid.
    scale
        Rise of the heights for one metre of rise of the grid (median over all pairs of levels, Theil and Sen); None
        where they span too little.
    relief_m
        Range of the grid at the points.
    points
        How many points were compared.
    """

    offset_m: float
    scale: float | None
    relief_m: float
    points: int


def grid_heights(grid: ElevationGrid, xy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Elevations in metres at points of the frame, bilinear between the middles of cells; NaN next to voids."""
    if not len(xy):
        return np.empty(0)
    place = shapely.get_coordinates(grid.pixels(shapely.multipoints(xy))) - 0.5
    column, row = np.floor(place).astype(np.int64).T
    rows, columns = grid.z_m.shape
    inside = (column >= 0) & (row >= 0) & (column < columns - 1) & (row < rows - 1)
    found = np.full(len(xy), np.nan)
    c, r = column[inside], row[inside]
    u, v = (place[inside] - np.column_stack((c, r))).T
    z = grid.z_m
    above = z[r, c] * (1 - u) + z[r, c + 1] * u
    below = z[r + 1, c] * (1 - u) + z[r + 1, c + 1] * u
    found[inside] = above * (1 - v) + below * v
    return found


def slope_disagreement(
    tin: Tin, grid: ElevationGrid, area: BaseGeometry, cell_m: float, difference: float, least_m2: float
) -> BaseGeometry:
    """Connected ground of at least `least_m2` inside an area where the slopes differ by more than `difference`.

    Parameters
    ----------
    cell_m
        Side of the cells that are compared; larger where the area would have too many.
    difference
        Rise over run: 0.05 is five percentage points.
    """
    west, south, east, north = area.bounds
    cell_m = max(cell_m, float(np.sqrt((east - west) * (north - south) / _MOST_CELLS)))
    x = np.arange(west - 2 * cell_m, east + 3 * cell_m, cell_m)
    y = np.arange(south - 2 * cell_m, north + 3 * cell_m, cell_m)
    points = np.column_stack([axis.ravel() for axis in np.meshgrid(x, y)])
    shape = (len(y), len(x))
    slopes = [
        _slopes(heights.reshape(shape), cell_m) for heights in (heights_at(tin, points), grid_heights(grid, points))
    ]
    with np.errstate(invalid="ignore"):
        differ = np.abs(slopes[0] - slopes[1]) > difference
    row, column = np.nonzero(differ)
    # Neighbours share the very same numbers, or hairlines would part them.
    across, up = np.append(x, x[-1] + cell_m) - cell_m / 2, np.append(y, y[-1] + cell_m) - cell_m / 2
    cells = shapely.box(across[column], up[row], across[column + 1], up[row + 1])
    ground = shapely.intersection(shapely.union_all(cells), area)
    return shapely.union_all([part for part in shapely.get_parts(ground) if part.area >= least_m2])


def _slopes(z: NDArray[np.float64], cell_m: float) -> NDArray[np.float64]:
    """Slopes of the smoothed surface at every cell, rise over run; NaN at the rim and next to unknown heights."""
    smooth = np.full(z.shape, np.nan)
    rows, columns = z.shape
    total = sum(z[1 + i : rows - 1 + i, 1 + j : columns - 1 + j] for i in (-1, 0, 1) for j in (-1, 0, 1))
    smooth[1:-1, 1:-1] = total / 9
    slopes = np.full(z.shape, np.nan)
    east = (smooth[1:-1, 2:] - smooth[1:-1, :-2]) / (2 * cell_m)
    north = (smooth[2:, 1:-1] - smooth[:-2, 1:-1]) / (2 * cell_m)
    slopes[1:-1, 1:-1] = np.hypot(east, north)
    return slopes


def height_agreement(heights_m: NDArray[np.float64], grid_m: NDArray[np.float64]) -> HeightAgreement | None:
    """Compare heights with those of a grid at the same points; None where fewer than twenty can be compared.

    Examples
    --------
    >>> ground = np.repeat(np.linspace(200.0, 220.0, 11), 5)
    >>> found = height_agreement(ground + 30.48, ground)
    >>> round(found.offset_m, 6), round(found.scale, 6)
    (30.48, 1.0)
    """
    known = np.isfinite(heights_m) & np.isfinite(grid_m)
    if int(known.sum()) < _FEWEST_POINTS:
        return None
    heights, ground = heights_m[known], grid_m[known]
    # Heights of a surface are grouped in steps, contours are grouped by themselves.
    step = max(float(np.ptp(heights)) / 200, 1e-6)
    levels, which = np.unique(np.round(heights / step), return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    starts = np.searchsorted(which.ravel()[order], np.arange(len(levels)))
    middles = np.array([np.median(part) for part in np.split(ground[order], starts[1:])])
    drawn = np.array([np.median(part) for part in np.split(heights[order], starts[1:])])
    scale = None
    if len(levels) >= _FEWEST_LEVELS:
        first, second = np.triu_indices(len(levels), 1)
        rise = middles[second] - middles[first]
        # Neighbouring levels say little: their rise drowns in the noise of the ground.
        wide = np.abs(rise) >= max(float(np.abs(rise).max()) / 3, 1e-9)
        scale = float(np.median((drawn[second] - drawn[first])[wide] / rise[wide]))
    relief = float(np.ptp(ground))
    return HeightAgreement(float(np.median(heights - ground)), scale, relief, int(known.sum()))
