"""The ground that drains to a place, and what comes into an area from outside: as a sheet or in channels.

Areas are sums of cells, told to half a cell along their rim.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely.ops import substring

from siteplan_gis.measures.runoff.marking import cells_touched
from siteplan_gis.measures.runoff.routing import NOWHERE
from siteplan_gis.measures.shapes.area import union_area
from siteplan_gis.measures.terrain.patches import label_steep, outlines

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.ground import Conditioned
    from siteplan_gis.measures.runoff.routing import Cells, Runoff

    Floats = NDArray[np.float64]

_HALF: Final = 0.5
_WANDER_CELLS: Final = 1.5
_BED_M2: Final = 5000.0
_WANDER_M: Final = 5.0
"""Noise of 0.1 m on a slope of 5 % leads paths so far aside."""
_LONGEST_EDGE_M: Final = 100.0
_APART_CELLS: Final = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Catchment:
    """The ground that drains to a place.

    Attributes
    ----------
    area_m2
        Of all ground that drains to it, the ground of the place itself included; None where it has no elevation.
    own_m2
        Of the place itself.
    plus_minus_m2
        Half a cell along its rim, and the ground whose water passes the place by a few metres.
    polygon
        The cells that drain to it, in the frame.
    at_least
        True where water may come in from beyond the data: the area is then a lower bound.
    reason
        Why the area cannot be told, or why it is a lower bound; else empty.
    """

    area_m2: float | None
    own_m2: float
    plus_minus_m2: float
    polygon: BaseGeometry
    at_least: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A place where water comes in from outside.

    Attributes
    ----------
    channelised
        True where it comes in a channel (a point), False where as a sheet (a stretch of the boundary).
    area_m2
        The outside ground whose water comes in here.
    """

    channelised: bool
    area_m2: float
    where: BaseGeometry


@dataclass(frozen=True, slots=True, eq=False)
class Upslope:
    """Ground outside that drains into an area.

    Attributes
    ----------
    area_m2, sheet_m2, channel_m2
        All of it, what comes in as a sheet, and what comes in channels: where at least `threshold_m2` have gathered.
    plus_minus_m2
        Doubt about `area_m2`.
    sheet_range_m2
        `sheet_m2` for half and for twice the threshold.
    sheet, channel
        Where it comes from, either way.
    entries
        Places where it comes in, the largest first.
    at_least
        True where water may come in from beyond the data: every area is then a lower bound.
    """

    area_m2: float
    sheet_m2: float
    channel_m2: float
    plus_minus_m2: float
    threshold_m2: float
    sheet_range_m2: tuple[float, float]
    sheet: BaseGeometry
    channel: BaseGeometry
    entries: tuple[Entry, ...]
    at_least: bool
    reason: str = ""


def contributing_area(runoff: Runoff, place: BaseGeometry) -> Catchment:
    """The ground that drains to a point, a line or a polygon (a pond), in the frame."""
    rows, cols = runoff.shape
    nothing = shapely.Polygon()
    cover = runoff.cover(place)
    own_m2, cells_m2 = float(place.area), float((cover * runoff.flat_m2).sum())
    if cells_m2 == 0:
        return Catchment(None, 0.0, 0.0, nothing, at_least=True, reason="it lies where there is no elevation")
    drained = runoff.drained(cover)
    # Of the cells under a line or a point half lies above it.
    under_m2 = 0.0 if own_m2 > 0 else cells_m2 / 2
    upslope_m2 = float(runoff.flat_m2[drained & (cover == 0)].sum()) + under_m2
    polygon = mask_polygon(runoff.ground, drained.reshape(rows, cols))
    at_least, why = _openness(runoff, place, drained)
    doubt = _rim_doubt(runoff, polygon) + _passing_by(runoff, place, drained)
    return Catchment(upslope_m2 + own_m2, own_m2, doubt, polygon, at_least, why)


def upslope_area(
    runoff: Runoff,
    area: BaseGeometry,
    threshold_m2: float,
    beyond: BaseGeometry | None = None,
    least_m2: float = 100.0,
    led_around: BaseGeometry | None = None,
) -> Upslope:
    """The ground outside that drains into an area.

    Parameters
    ----------
    threshold_m2
        Runoff is channelised where at least this much ground drains through one cell; else it is a sheet.
    beyond
        Count only ground outside of this, too (the site around a disturbed area).
    least_m2
        Entries of less ground are not listed, but counted.
    led_around
        Diversions: water that meets one before it meets the area does not come in.
    """
    rows, cols = runoff.shape
    cover = runoff.cover(area)
    led = runoff.cover(led_around) if led_around is not None else np.zeros_like(cover)
    outside = cover == 0
    if beyond is not None:
        outside &= runoff.cover(beyond) == 0
    met = runoff.first_met(np.maximum(cover, led))
    comes = outside & (met != NOWHERE)
    around = comes & (led[met] > 0)
    comes &= ~around
    at_cell = np.where(met != NOWHERE, runoff.gathered_m2[met], 0.0)
    flat_m2 = runoff.flat_m2
    total = float(flat_m2[comes].sum())
    sheet_m2, half_m2, twice_m2 = (
        float(flat_m2[comes & (at_cell < factor * threshold_m2)].sum()) for factor in (1.0, 0.5, 2.0)
    )
    channel = comes & (at_cell >= threshold_m2)
    sheet_where, channel_where = (
        mask_polygon(runoff.ground, mask.reshape(rows, cols)) for mask in (comes & ~channel, channel)
    )
    at_least, why = _openness(runoff, area, comes)
    return Upslope(
        total, sheet_m2, total - sheet_m2,
        _rim_doubt(runoff, shapely.union_all([sheet_where, channel_where]))
        + _passing_by(runoff, area, comes | around | (cover > 0), outside), threshold_m2, (half_m2, twice_m2),
        sheet_where, channel_where,
        _entries(runoff, area, first_met_m2(runoff, met, comes), threshold_m2, least_m2),
        at_least, why,
    )  # fmt: skip


def first_met_m2(runoff: Runoff, met: Cells, comes: NDArray[np.bool_]) -> Floats:
    """Square metres of the cells of `comes` by the cell where their water is first met (see `Runoff.first_met`)."""
    gathered: Floats = np.bincount(met[comes], runoff.flat_m2[comes], met.size).astype(np.float64)
    return gathered


def _passing_by(
    runoff: Runoff, place: BaseGeometry, drained: NDArray[np.bool_], counted: NDArray[np.bool_] | None = None
) -> float:
    """Ground whose water passes a place so near that noise of the elevations decides whether it comes there."""
    met = runoff.first_met(runoff.cover(place.buffer(max(_WANDER_CELLS * runoff.ground.cell_m, _WANDER_M))))
    # More water has a bed of its own, which noise does not move.
    near = (met != NOWHERE) & ~drained & (runoff.gathered_m2[met] < _BED_M2)
    return float(runoff.flat_m2[near if counted is None else near & counted].sum())


def _rim_doubt(runoff: Runoff, polygon: BaseGeometry) -> float:
    """Half a cell along the rim, in steps as it is."""
    return float(polygon.length) * runoff.ground.cell_m / 2


def _openness(runoff: Runoff, place: BaseGeometry, drained: NDArray[np.bool_]) -> tuple[bool, str]:
    """Whether more ground than is known may drain to a place, and why."""
    if not has_elevations(runoff, place):
        return True, "part of it lies where there is no elevation: a lower bound"
    if runoff.open_above[drained].any():
        return True, "water may come in from beyond the elevations: a lower bound"
    return False, ""


def has_elevations(runoff: Runoff, place: BaseGeometry) -> bool:
    """Whether every cell that a place touches has an elevation."""
    rows, cols = runoff.shape
    if not shapely.box(0, 0, cols, rows).contains(runoff.ground.pixels(place)):
        return False
    return not bool(np.isnan(runoff.ground.z_m[cells_touched(runoff.ground, [place]) > 0]).any())


def mask_polygon(ground: Conditioned, mask: NDArray[np.bool_]) -> BaseGeometry:
    """The union of the true cells of a window, in the frame."""
    down, across = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not down.size:
        return shapely.Polygon()
    r, c = int(down[0]), int(across[0])
    near = mask[r : down[-1] + 1, c : across[-1] + 1]
    labels, _ = label_steep(near.astype(float), np.ones(near.shape), _HALF)
    shape = shapely.multipolygons(shapely.transform(outlines(labels), lambda xy: xy + np.array([c, r])))
    placed = ground.placed(shapely.segmentize(shape, max(_LONGEST_EDGE_M / ground.cell_m, 1.0)))
    return placed if placed.is_valid else shapely.make_valid(placed)


def along_rings(area: BaseGeometry, points: NDArray[np.object_]) -> tuple[NDArray[np.object_], Cells, Floats]:
    """The rings of an area, and for each point the number of its nearest ring and its place on it in metres."""
    rings = shapely.get_rings(shapely.orient_polygons(shapely.get_parts(union_area([area])[0])))
    ring = shapely.STRtree(rings).query_nearest(points, all_matches=False)[1]
    return rings, ring, shapely.line_locate_point(rings[ring], points)


def _entries(
    runoff: Runoff, area: BaseGeometry, met_m2: Floats, threshold_m2: float, least_m2: float
) -> tuple[Entry, ...]:
    """Entering water in stretches of the boundary without gaps; what comes in channels apart."""
    cols = runoff.shape[1]
    cells = np.flatnonzero(met_m2 > 0)
    if not cells.size:
        return ()
    middles = runoff.ground.placed(shapely.multipoints(np.column_stack((cells % cols + 0.5, cells // cols + 0.5))))
    rings, ring, along = along_rings(area, shapely.get_parts(middles))
    channelised = runoff.gathered_m2[cells] >= threshold_m2
    found = []
    for kind in (True, False):
        own = np.flatnonzero(channelised == kind)
        own = own[np.lexsort((along[own], ring[own]))]
        apart = (np.diff(along[own]) > _APART_CELLS * runoff.ground.cell_m) | (np.diff(ring[own]) != 0)
        for group in np.split(own, np.flatnonzero(apart) + 1):
            total = float(met_m2[cells[group]].sum()) if group.size else 0.0
            if total < least_m2:
                continue
            line = rings[ring[group[0]]]
            if kind:
                where = shapely.line_interpolate_point(line, along[group[met_m2[cells[group]].argmax()]])
            else:
                where = substring(line, along[group[0]], along[group[-1]])
            found.append(Entry(kind, total, where))
    return tuple(sorted(found, key=lambda entry: -entry.area_m2))
