"""Slopes, heights and contours of a triangulated irregular network (TIN).

The slope of a triangle is that of its plane, rise over run; areas inside a polygon are exact: a triangle on the
polygon's edge counts with the part of it that lies inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.shapes.area import in_small_parts
from siteplan_gis.measures.terrain.medians import weighted_median

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.surface import Tin

TIE_SHARE: Final = 4.5e-4
"""Triangles below the limit by up to this share of it count as equal to it: a plane of exactly 20 % drawn in
state-plane coordinates leaves the true ground by up to 4e-4, and its heights are rounded to hundredths."""

_BLOCK: Final = 4096
_SAME_SHARE: Final = 1e-9
_NUDGE_M: Final = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class TinSlopes:
    """Slopes of a TIN inside an area; areas in square metres, slopes as rise over run.

    Attributes
    ----------
    area_m2, covered_m2
        The area asked about, and the part of it that triangles cover.
    steep_m2, steep
        Ground at or above the limit, and where it lies.
    median_ratio, max_ratio
        By area; None where nothing is covered.
    plus_minus_m2
        The farthest that `steep_m2` moves when the limit is moved by `slope_doubt`.
    pieces, ratios
        The parts of the steep triangles inside the area, and the slope of each.
    """

    area_m2: float
    covered_m2: float
    steep_m2: float
    steep: BaseGeometry
    median_ratio: float | None
    max_ratio: float | None
    plus_minus_m2: float
    pieces: NDArray[np.object_]
    ratios: NDArray[np.float64]


def tin_slopes(tin: Tin, area: BaseGeometry, steep_ratio: float, slope_doubt: float) -> TinSlopes:
    """Slopes of a TIN inside an area.

    Parameters
    ----------
    area
        Valid, in the site frame.
    steep_ratio
        The limit, rise over run; a slope equal to it is steep, see `TIE_SHARE`.
    slope_doubt
        How far the slope of a triangle may be wrong, rise over run: 0.01 is one percentage point.

    Examples
    --------
    >>> from siteplan_gis.model.surface import Tin
    >>> corners = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]])
    >>> plane = Tin(corners, 0.25 * corners[:, 0], np.array([[0, 1, 2], [0, 2, 3]]))
    >>> found = tin_slopes(plane, shapely.box(5, -5, 15, 5), 0.20, 0.01)
    >>> found.covered_m2, found.steep_m2, found.median_ratio
    (25.0, 25.0, 0.25)
    """
    places, pieces = clipped(tin, area)
    sizes = shapely.area(pieces)
    ratios = triangle_slopes(tin)[places]
    limit = steep_ratio * (1 - TIE_SHARE)
    steep = ratios >= limit
    steep_m2 = float(sizes[steep].sum())
    moved = [float(sizes[ratios >= limit + step].sum()) for step in (-slope_doubt, slope_doubt)]
    covered = float(sizes.sum())
    return TinSlopes(
        area_m2=float(area.area),
        covered_m2=covered,
        steep_m2=steep_m2,
        steep=_polygons_of(shapely.intersection(joined(tin.polygons[places[steep]]), area)),
        median_ratio=weighted_median(ratios, sizes) if covered else None,
        max_ratio=float(ratios.max()) if covered else None,
        plus_minus_m2=max(abs(other - steep_m2) for other in moved),
        pieces=pieces[steep],
        ratios=ratios[steep],
    )


def triangle_slopes(tin: Tin) -> NDArray[np.float64]:
    """Slope of every triangle, rise over run, shape (m,)."""
    gradients = triangle_gradients(tin)
    slopes: NDArray[np.float64] = np.hypot(gradients[:, 0], gradients[:, 1])
    return slopes


def triangle_gradients(tin: Tin) -> NDArray[np.float64]:
    """Rise to the east and to the north of every triangle, shape (m, 2)."""
    a, b, c = (tin.triangles[:, corner] for corner in range(3))
    (ux, uy), (vx, vy) = (tin.xy[b] - tin.xy[a]).T, (tin.xy[c] - tin.xy[a]).T
    uz, vz = tin.z_m[b] - tin.z_m[a], tin.z_m[c] - tin.z_m[a]
    turn = ux * vy - uy * vx
    return np.column_stack(((uz * vy - vz * uy) / turn, (vz * ux - uz * vx) / turn))


def joined(polygons: NDArray[np.object_]) -> BaseGeometry:
    """The union of polygons that meet edge to edge, as triangles do; of such that overlap too, only slower.

    Examples
    --------
    >>> halves = shapely.polygons([[(0, 0), (2, 0), (2, 2)], [(0, 0), (2, 2), (0, 2)]])
    >>> joined(halves).area, len(shapely.get_coordinates(joined(halves)))
    (4.0, 5)
    """
    whole = shapely.coverage_union_all(polygons)
    area = float(shapely.area(polygons).sum())
    if whole.is_valid and abs(whole.area - area) <= _SAME_SHARE * area:
        return _polygons_of(whole)
    return shapely.union_all(polygons)


def _polygons_of(geometry: BaseGeometry) -> BaseGeometry:
    """The polygons of a collection, without the points and lines in which shapes only touch."""
    if geometry.geom_type in {"Polygon", "MultiPolygon"}:
        return geometry
    parts = [part for part in shapely.get_parts(geometry) if part.geom_type in {"Polygon", "MultiPolygon"}]
    return shapely.union_all(parts) if parts else shapely.Polygon()


def clipped(tin: Tin, area: BaseGeometry) -> tuple[NDArray[np.int64], NDArray[np.object_]]:
    """Places of the triangles that reach into an area, and the parts of them inside it."""
    area = _polygons_of(area)
    near = np.sort(tin.tree.query(area))
    pieces = tin.polygons[near]
    if not len(near):
        return near, pieces
    # Only what the area's edge runs through has to be cut; of the rest one point tells for the whole triangle.
    xy, part = shapely.get_coordinates(shapely.get_parts(shapely.get_parts(area.boundary)), return_index=True)
    follows = part[1:] == part[:-1]
    edges = shapely.linestrings(np.stack((xy[:-1], xy[1:]), axis=1)[follows])
    cut = np.isin(near, tin.tree.query(edges, predicate="intersects")[1])
    shapely.prepare(area)
    kept = shapely.contains_xy(area, tin.xy[tin.triangles[near]].mean(axis=1))
    pieces[cut] = _cut_with(pieces[cut], area)
    kept[cut] = shapely.area(pieces[cut]) > 0
    return near[kept], pieces[kept]


def _cut_with(triangles: NDArray[np.object_], area: BaseGeometry) -> NDArray[np.object_]:
    """The part of each triangle inside an area, however many corners and holes that has."""
    parts = _small_parts(area)
    places, of = shapely.STRtree(parts).query(triangles, predicate="intersects")
    order = np.argsort(places, kind="stable")
    bits = shapely.intersection(triangles[places[order]], parts[of[order]])
    first, count = np.unique(places[order], return_index=True, return_counts=True)[1:]
    inside = np.full(len(triangles), shapely.Polygon(), dtype=object)
    inside[places[order][first]] = bits[first]
    for begin, many in zip(first[count > 1].tolist(), count[count > 1].tolist(), strict=True):
        inside[places[order[begin]]] = shapely.union_all(bits[begin : begin + many])
    return inside


@lru_cache(maxsize=1)
def _small_parts(area: BaseGeometry) -> NDArray[np.object_]:
    """The parts of the last area: the existing and the proposed ground are cut with the same one."""
    return np.array(in_small_parts(area), dtype=object)


def heights_at(tin: Tin, xy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Elevation in metres of points, shape (k,); NaN where no triangle lies. `xy` has the shape (k, 2).

    Examples
    --------
    >>> from siteplan_gis.model.surface import Tin
    >>> plane = Tin(np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]]), np.array([0.0, 10.0, 0.0]), np.array([[0, 1, 2]]))
    >>> heights_at(plane, np.array([[2.0, 2.0], [9.0, 9.0]]))
    array([ 2., nan])
    """
    found = np.full(len(xy), np.nan)
    gradients = triangle_gradients(tin)
    for start in range(0, len(xy), _BLOCK):
        block = xy[start : start + _BLOCK]
        which, where = tin.tree.query(shapely.points(block), predicate="intersects")
        base = tin.triangles[where, 0]
        found[start + which] = tin.z_m[base] + ((block[which] - tin.xy[base]) * gradients[where]).sum(axis=1)
    return found


def tin_contours(tin: Tin, interval_m: float) -> tuple[list[float], list[BaseGeometry]]:
    """Contour lines at the whole multiples of an interval: their levels and their courses, lowest first.

    Raises
    ------
    ValueError
        If the interval is not positive.
    """
    if not interval_m > 0:
        message = "the interval must be positive"
        raise ValueError(message)
    z = tin.z_m[tin.triangles]
    xy = tin.xy[tin.triangles]
    low, high = z.min(axis=1), z.max(axis=1)
    levels, lines = [], []
    for number in range(int(np.ceil(low.min() / interval_m)), int(np.floor(high.max() / interval_m)) + 1):
        # A corner exactly on the level would be met by many triangles: the level passes just above it.
        level = number * interval_m + _NUDGE_M
        crossed = (low < level) & (high > level)
        if not crossed.any():
            continue
        above = z[crossed] > level
        ends = np.full((int(crossed.sum()), 2, 2), np.nan)
        filled = np.zeros(len(ends), dtype=np.int64)
        for first, second in ((0, 1), (1, 2), (2, 0)):
            cut = above[:, first] != above[:, second]
            za, zb = z[crossed][cut, first], z[crossed][cut, second]
            # Always from the lower end, so that both triangles of an edge find the very same point.
            swap = za > zb
            a = np.where(swap[:, None], xy[crossed][cut, second], xy[crossed][cut, first])
            b = np.where(swap[:, None], xy[crossed][cut, first], xy[crossed][cut, second])
            share = (level - np.minimum(za, zb)) / np.abs(zb - za)
            ends[np.nonzero(cut)[0], filled[cut]] = a + share[:, None] * (b - a)
            filled[cut] += 1
        segments = shapely.linestrings(ends[(ends[:, 0] != ends[:, 1]).any(axis=1)])
        levels.append(number * interval_m)
        lines.append(shapely.line_merge(shapely.union_all(segments)))
    return levels, lines
