"""Steep ground inside a polygon, from an elevation grid.

Slope is rise over run of the surface at each cell by Horn's weights (Horn 1981, Proc. IEEE 69(1), 14-47); the doubt
comes from a second formula (Zevenbergen and Thorne 1987, Earth Surf. Process. Landf. 12, 47-56) and from the grid's
own cells. A cell without all of its nine elevations has no slope: it is "no elevation", never flat.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.terrain import gradients
from siteplan_gis.measures.terrain.cells import covered_runs
from siteplan_gis.measures.terrain.patches import SlopePatch, steep_patches
from siteplan_gis.measures.terrain.strips import sum_slopes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.terrain.strips import SlopeSums
    from siteplan_gis.model.terrain import ElevationSource

TIE_SHARE: Final = 4.5e-4
"""Where slopes heap up at the limit, those below it by up to this share of it count as equal to it.

A graded plane of exactly 20 % must not be judged by noise: elevations stored as 32-bit feet move its slope by 1e-4 of
itself, and a plane drawn in state-plane or UTM coordinates leaves the true ground by up to 4e-4. Ground that merely
passes through 20 % has no heap there and is compared as it stands, so nothing is added to it.
"""

_EQUAL: Final = 1e-9
"""Slopes below the limit by this share of it are equal to it: the rounding of arithmetic with whole hundredths."""

_HEAP: Final = 5.0
"""A heap is so many times as dense as its surroundings, and holds at least a hundredth of the ground."""

_LONGEST_EDGE_M: Final = 100.0
_MOST_OUTLINED: Final = 6_000_000


@dataclass(frozen=True, slots=True, eq=False)
class SteepShares:
    """Steep ground inside each of many areas, square metres, shape (n,).

    Attributes
    ----------
    area_m2
        The whole areas asked about. `no_elevation_m2` of them have no slope.
    plus_minus_m2
        The farthest that `steep_m2` moves with the other formula, or with the grid's own cells.
    cell_m
        Side of the cells whose slope was taken (the longer one).
    native
        True where these are the grid's own cells.
    """

    area_m2: NDArray[np.float64]
    steep_m2: NDArray[np.float64]
    no_elevation_m2: NDArray[np.float64]
    plus_minus_m2: NDArray[np.float64]
    cell_m: float
    native: bool


@dataclass(frozen=True, slots=True, eq=False)
class SteepGround:
    """Steep ground inside an area; areas in square metres, slopes as rise over run.

    Attributes
    ----------
    area_m2
        The whole area asked about. `no_elevation_m2` of it has no slope.
    median_ratio, mean_ratio, max_ratio
        Of the ground that has a slope, weighted by area; None where there is none.
    cell_m
        Side of the cells whose slope was taken (the longer one).
    native
        True where these are the grid's own cells.
    plus_minus_m2
        The farthest that `steep_m2` moves with the other formula, or with the grid's own cells.
    patches
        Connected steep ground of at least one cell, largest first. Of a very large site drawn from every n-th cell.
    """

    area_m2: float
    steep_m2: float
    no_elevation_m2: float
    median_ratio: float | None
    mean_ratio: float | None
    max_ratio: float | None
    cell_m: float
    native: bool
    plus_minus_m2: float
    patches: tuple[SlopePatch, ...]


def steep_shares(
    source: ElevationSource, areas: Sequence[BaseGeometry], steep_ratio: float, cell_m: float | None
) -> SteepShares:
    """How much of each of many areas is at least so steep, in one pass over the elevations.

    Only blocks that an area touches are read, each once; memory does not grow with the data.

    Parameters
    ----------
    areas
        Valid polygons in the site frame; they may overlap, and reach beyond the elevations.
    steep_ratio
        The limit, rise over run; a slope equal to it is steep, see `TIE_SHARE`.
    cell_m
        Side of the cells to measure slopes on: the grid's own cells are averaged over as many as come nearest to it,
        never refined. None: the grid's own cells. Where voids cut an averaged cell, the grid's own cells decide.

    Examples
    --------
    >>> from affine import Affine
    >>> from siteplan_gis.crs import georeference
    >>> from siteplan_gis.frame import Frame
    >>> from siteplan_gis.model.terrain import ElevationGrid
    >>> z = np.add.outer(np.zeros(40), 0.25 * np.arange(40.0))
    >>> laea = georeference("+proj=laea +lat_0=43 +lon_0=-88 +ellps=GRS80 +type=crs")
    >>> place = Affine(1, 0, -20, 0, -1, 20)
    >>> grid = ElevationGrid(z, place, laea, Frame(-88, 43), np.ones(40), np.ones(40))
    >>> steep_shares(grid, [shapely.box(-10, -10, 10, 5), shapely.box(0, 0, 2, 2)], 0.20, None).steep_m2.round(3)
    array([300.,   4.])
    """
    drawn = np.array(list(areas), dtype=object)
    ground, whole, inside = _ground(source, drawn)
    cell = _analysis_cell(source, ground, cell_m)
    runs = covered_runs(ground, *source.shape)
    sums = sum_slopes(source, runs, len(drawn), cell.per_block, _edges(steep_ratio))
    steep, none, doubt = _shared_out(sums, whole, inside)
    return SteepShares(whole, steep, none, doubt, cell.side_m, cell.native)


def steep_ground(
    source: ElevationSource, area: BaseGeometry, steep_ratio: float, cell_m: float | None, *, outlined: bool = True
) -> SteepGround:
    """How much of one area is at least so steep, how steep it is, and where.

    Parameters as for `steep_shares`; `outlined=False` leaves the patches out.

    Examples
    --------
    >>> from affine import Affine
    >>> from siteplan_gis.crs import georeference
    >>> from siteplan_gis.frame import Frame
    >>> from siteplan_gis.model.terrain import ElevationGrid
    >>> z = np.add.outer(np.zeros(40), 0.25 * np.arange(40.0))
    >>> laea = georeference("+proj=laea +lat_0=43 +lon_0=-88 +ellps=GRS80 +type=crs")
    >>> place = Affine(1, 0, -20, 0, -1, 20)
    >>> grid = ElevationGrid(z, place, laea, Frame(-88, 43), np.ones(40), np.ones(40))
    >>> found = steep_ground(grid, shapely.box(-10, -10, 10, 5), 0.20, None)
    >>> round(found.steep_m2, 3), round(found.median_ratio, 6)
    (300.0, 0.25)
    """
    ground, whole, inside = _ground(source, np.array([area], dtype=object))
    cell = _analysis_cell(source, ground, cell_m)
    runs = covered_runs(ground, *source.shape)
    most = _MOST_OUTLINED if outlined else 0
    edges = _edges(steep_ratio)
    sums = sum_slopes(source, runs, 1, cell.per_block, edges, detailed=True, most_field=most)
    steep, none, doubt = (float(values[0]) for values in _shared_out(sums, whole, inside))
    total = sums.totals[0]
    known = total[gradients.COVERED] - total[gradients.UNKNOWN]
    has_slope = known > 1e-9 * total[gradients.COVERED]
    patches: tuple[SlopePatch, ...] = ()
    if steep and outlined:
        limit2 = edges[gradients.TIE_EDGE if _heaps(sums.totals)[0] else gradients.LIMIT_EDGE]
        across, down = cell.per_block
        patches = steep_patches(source, ground[0], sums, runs, float(limit2), across * down * cell.dx_m * cell.dy_m)
    return SteepGround(
        float(whole[0]),
        steep,
        none,
        math.sqrt(gradients.median_squared(sums.bins)) if has_slope else None,
        float(total[gradients.SUM] / known) if has_slope else None,
        math.sqrt(total[gradients.HIGHEST]) if has_slope else None,
        cell.side_m,
        cell.native,
        doubt,
        patches,
    )


@dataclass(frozen=True, slots=True)
class _Cell:
    dx_m: float
    dy_m: float
    per_block: tuple[int, int]

    @property
    def native(self) -> bool:
        return self.per_block == (1, 1)

    @property
    def side_m(self) -> float:
        return max(self.per_block[0] * self.dx_m, self.per_block[1] * self.dy_m)


def _analysis_cell(source: ElevationSource, ground: NDArray[np.object_], cell_m: float | None) -> _Cell:
    """How many of the grid's cells come nearest to the cell that was asked for, in the middle of the areas."""
    rows, columns = source.shape
    left, top, right, bottom = shapely.total_bounds(ground)
    column, row = ((left + right) / 2, (top + bottom) / 2) if left <= right else (columns / 2, rows / 2)
    dx, dy = (float(size[0]) for size in source.spacing_m(np.array([column]), np.array([row])))
    across, down = (1 if cell_m is None else max(1, round(cell_m / size)) for size in (dx, dy))
    return _Cell(dx, dy, (across, down))


def _ground(
    source: ElevationSource, drawn: NDArray[np.object_]
) -> tuple[NDArray[np.object_], NDArray[np.float64], NDArray[np.float64]]:
    """Areas in pixel coordinates as far as the grid reaches, their square metres, and those of what the grid holds."""
    rows, columns = source.shape
    whole = shapely.area(drawn)
    ground = np.asarray(source.pixels(shapely.segmentize(drawn, _LONGEST_EDGE_M)))
    ground[whole == 0] = shapely.Polygon()
    inside = whole.copy()
    left, top, right, bottom = shapely.bounds(ground).T
    within = (left >= 0) & (top >= 0) & (right <= columns) & (bottom <= rows)
    for i in np.flatnonzero(~within & (whole > 0)):
        # An area that PROJ cannot bring to the grid lies nowhere on it.
        finite = np.isfinite([left[i], top[i], right[i], bottom[i]]).all()
        ground[i] = shapely.intersection(ground[i], shapely.box(0, 0, columns, rows)) if finite else shapely.Polygon()
        if ground[i].area:
            dx, dy = source.spacing_m(*(np.atleast_1d(v) for v in shapely.get_coordinates(ground[i].centroid)[0]))
            long = max(_LONGEST_EDGE_M / float(max(dx[0], dy[0])), 1.0)
            inside[i] = min(float(source.placed(shapely.segmentize(ground[i], long)).area), whole[i])
        else:
            inside[i] = 0.0
    return ground, whole, inside


def _edges(ratio: float) -> NDArray[np.float64]:
    """Squared limits: around the tie, the tie, the limit itself, and two above."""
    return (ratio * (1 + np.array([-3 * TIE_SHARE, -TIE_SHARE, -_EQUAL, TIE_SHARE, 3 * TIE_SHARE]))) ** 2


def _heaps(totals: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where slopes heap up at the limit, so that those just below it are equal to it."""
    first = gradients.FIRST_EDGE
    at = [totals[:, first + k] for k in range(gradients.EDGES)]
    near, around = at[1] - at[3], (at[0] - at[1]) + (at[3] - at[4])
    known = totals[:, gradients.COVERED] - totals[:, gradients.UNKNOWN]
    found: NDArray[np.bool_] = (near > 0.01 * known) & (near > _HEAP * around / 2)
    return found


def _shared_out(
    sums: SlopeSums, whole: NDArray[np.float64], inside: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Steep ground, ground without a slope, and the doubt, in square metres.

    The cells share out exactly the area that the polygon has: steep ground can never exceed it.
    """
    totals, heap = sums.totals, _heaps(sums.totals)
    covered = totals[:, gradients.COVERED]
    scale = np.divide(inside, covered, out=np.zeros_like(inside), where=covered > 0)
    inside = np.where(covered > 0, inside, 0.0)
    first = gradients.FIRST_EDGE
    pairs = (
        (first + gradients.TIE_EDGE, first + gradients.LIMIT_EDGE),
        (gradients.OTHER_TIE, gradients.OTHER),
        (gradients.OWN_TIE, gradients.OWN),
    )
    steep, *others = (np.where(heap, totals[:, tie], totals[:, limit]) * scale for tie, limit in pairs)
    doubt = np.max([np.abs(other - steep) for other in others], axis=0)
    none = totals[:, gradients.UNKNOWN] * scale + whole - inside
    return np.minimum(steep, whole), np.minimum(none, whole), doubt
