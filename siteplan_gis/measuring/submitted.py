"""The ground as the plan itself gives it: slopes of its surfaces and contours, before and after grading."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.surfaces.contour_tin import surface_of_contours
from siteplan_gis.measures.surfaces.tin import heights_at, joined, tin_contours, tin_slopes
from siteplan_gis.measures.terrain.medians import weighted_median
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.model.comparison import show
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.measurement import SteepPatch
from siteplan_gis.units import FOOT_M, acres, feet

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.surfaces.tin import TinSlopes
    from siteplan_gis.model.measurement import Measurement, Method
    from siteplan_gis.model.plan import Plan
    from siteplan_gis.model.site import Site
    from siteplan_gis.model.surface import Tin

SURFACE_DOUBT: Final = 0.01
"""A surveyed or designed triangle's slope is taken as good to one percentage point."""
CONTOUR_DOUBT: Final = 0.01
"""The slope between drawn contours to one percentage point for each foot of their interval."""

_REACH_M: Final = 60.0
_MOST_COMPARED: Final = 5000
_ODD_FILL_M: Final = 30.48
_MOST_LEVELS: Final = 40
_LEAST_PATCH_M2: Final = 9.0
_STANDS_FOR: Final = {
    "slope_percent_median": "existing_slope_percent_median",
    "steep_site_acres": "existing_steep_site_acres",
    "steep_disturbed_acres": "existing_steep_disturbed_acres",
    "no_elevation_acres": "existing_untold_site_acres",
    "no_elevation_disturbed_acres": "existing_untold_disturbed_acres",
}
_EXISTING: Final = tuple(_STANDS_FOR.values())
_PROPOSED: Final = ("proposed_slope_percent_median", "proposed_steep_acres", "proposed_untold_acres")


@dataclass(frozen=True, slots=True, eq=False)
class SubmittedGround:
    """One ground that the plan gives, by a surface or by contours.

    Attributes
    ----------
    words
        What it was taken from.
    tin
        Its triangles.
    untold
        Ground between contours whose slope cannot be told.
    slope_doubt
        How far its slopes may be wrong, rise over run.
    outline
        The ground that it covers.
    """

    words: str
    tin: Tin
    untold: BaseGeometry
    slope_doubt: float
    outline: BaseGeometry


@dataclass(frozen=True, slots=True, eq=False)
class Submitted:
    """What was measured on the plan's own ground: values, steep patches, and the ground itself."""

    taken: Taken
    patches: tuple[SteepPatch, ...] = ()
    existing: SubmittedGround | None = None


def measure_submitted(site: Site, shape: dict[str, BaseGeometry], method: Method) -> Submitted:
    """Slopes of the existing ground on the site, and of the proposed ground where it is disturbed."""
    taken, plan = Taken(), site.plan
    existing = submitted_ground(plan, "existing", shape["site"], taken)
    proposed = submitted_ground(plan, "proposed", shape["disturbed"], taken)
    patches: tuple[SteepPatch, ...] = ()
    if existing is None:
        for name in _EXISTING:
            taken.add(cannot(name, "the plan gives no surface and no two levels of existing contours"))
    else:
        ground = shape["site"] if not shape["site"].is_empty else existing.outline
        found = _add(existing, ground, method, plan, taken, _EXISTING[0], _EXISTING[1], _EXISTING[3])
        if shape["disturbed"].is_empty:
            for name in (_EXISTING[2], _EXISTING[4]):
                taken.add(cannot(name, "the plan draws no disturbed area"))
        else:
            _add(existing, shape["disturbed"], method, plan, taken, "", _EXISTING[2], _EXISTING[4])
        patches = _patches(found, shape["disturbed"])
    if proposed is None:
        for name in _PROPOSED:
            taken.add(cannot(name, "the plan gives no surface and no two levels of proposed contours"))
    else:
        ground = shape["disturbed"] if not shape["disturbed"].is_empty else proposed.outline
        _add(proposed, ground, method, plan, taken, *_PROPOSED)
        if existing is not None:
            _flag_cut_and_fill(existing, proposed, taken)
    return Submitted(taken, patches, existing)


def _flag_cut_and_fill(existing: SubmittedGround, proposed: SubmittedGround, taken: Taken) -> None:
    """Nobody cuts or fills a whole site by a hundred feet: its two grounds count from different levels."""
    used = np.unique(proposed.tin.triangles)
    used = used[:: max(1, len(used) // _MOST_COMPARED)]
    rise = proposed.tin.z_m[used] - heights_at(existing.tin, proposed.tin.xy[used])
    rise = rise[np.isfinite(rise)]
    if len(rise) and abs(middle := float(np.median(rise))) > _ODD_FILL_M:
        side = "above" if middle > 0 else "below"
        text = f"{proposed.words} lies {show(abs(feet(middle)), 0)} ft {side} {existing.words}: they do not count from the same level"
        taken.flags.append(Flag("ground_heights_off", text))


def submitted_ground(plan: Plan, state: str, area: BaseGeometry, taken: Taken) -> SubmittedGround | None:
    """The "existing" or the "proposed" ground: the surface that covers most of an area, else the contours."""
    surfaces = [surface for surface in plan.surfaces if surface.role == f"surface_{state}"]
    if surfaces:
        reach = area if not area.is_empty else shapely.union_all([surface.outline for surface in surfaces])
        best = max(surfaces, key=lambda surface: surface.outline.intersection(reach).area)
        for other in surfaces:
            if other is not best:
                text = f"several surfaces are {state}; slopes are those of {best.name}, which covers most of the ground"
                taken.flags.append(Flag("surface_note", text, other.layer))
        words = f"the submitted surface {best.name}"
        return SubmittedGround(words, best.tin, shapely.Polygon(), SURFACE_DOUBT, best.outline)
    drawn = [line for line in plan.of(f"contour_{state}") if line.elevation_m is not None]
    if not drawn:
        return None
    lines = [line.geometry for line in drawn]
    if not area.is_empty:
        west, south, east, north = area.bounds
        lines = list(shapely.clip_by_rect(lines, west - _REACH_M, south - _REACH_M, east + _REACH_M, north + _REACH_M))
    kept = [(line, feature.elevation_m) for line, feature in zip(lines, drawn, strict=True) if line.length > 0]
    levels = [float(level) for _, level in kept if level is not None]
    made = surface_of_contours([line for line, _ in kept], levels)
    if made is None:
        return None
    outline = joined(made.tin.polygons)
    words = f"the {state} contours that the plan draws"
    interval_ft = feet(float(np.median(np.diff(np.unique(levels)))))
    return SubmittedGround(words, made.tin, made.untold, CONTOUR_DOUBT * max(interval_ft, 1.0), outline)


def _add(
    ground: SubmittedGround,
    area: BaseGeometry,
    method: Method,
    plan: Plan,
    taken: Taken,
    median_name: str,
    steep_name: str,
    untold_name: str,
) -> TinSlopes:
    inside = area.intersection(ground.outline) if not ground.outline.covers(area) else area
    found = tin_slopes(ground.tin, inside, method.steep_ratio, ground.slope_doubt)
    how = f"slopes of the triangles of {ground.words}"
    sources = plan.sources
    uncovered = max(area.area - found.covered_m2, 0.0)
    untold = uncovered if uncovered > 1e-6 * area.area else 0.0
    partly = f"on {show(acres(untold), 3)} acres no slope can be told" if untold > method.steep_noise_m2 else ""
    taken.add(measured(untold_name, acres(untold), None, f"ground without a triangle of {ground.words}", None, sources))
    if not found.covered_m2:
        for name in filter(None, (median_name, steep_name)):
            taken.add(cannot(name, f"{ground.words} does not reach this ground", sources))
        return found
    if median_name:
        median = 100 * (found.median_ratio or 0.0)
        taken.add(
            measured(median_name, median, 100 * ground.slope_doubt, how + ", median by area", None, sources, partly)
        )
    doubt = found.plus_minus_m2 + ground.untold.intersection(area).area
    taken.add(measured(steep_name, acres(found.steep_m2), acres(doubt), how, found.steep, sources, partly))
    return found


def _patches(found: TinSlopes, disturbed: BaseGeometry) -> tuple[SteepPatch, ...]:
    """Connected steep ground, largest first."""
    parts = sorted(shapely.get_parts(found.steep), key=lambda part: -part.area)
    parts = [part for part in parts if part.geom_type == "Polygon" and part.area >= _LEAST_PATCH_M2]
    sizes = shapely.area(found.pieces)
    piece, owner = shapely.STRtree(parts).query(shapely.point_on_surface(found.pieces), predicate="intersects")
    made = []
    for place, part in enumerate(parts):
        own = piece[owner == place]
        middle = weighted_median(found.ratios[own], sizes[own])
        in_disturbed = part.intersection(disturbed).area
        made.append(SteepPatch(part, part.area, 100 * middle, in_disturbed))
    return tuple(made)


def or_submitted(slopes: Taken, patches: tuple[SteepPatch, ...], own: Submitted) -> tuple[SteepPatch, ...]:
    """Let the plan's own ground stand in where no elevation model tells slopes; gives the steep patches that hold."""
    steep = slopes.values.get("steep_site_acres")
    given = own.taken.values.get("existing_steep_site_acres")
    if steep is None or steep.value is not None or given is None or given.value is None or own.existing is None:
        return patches
    for name, source in _STANDS_FOR.items():
        measurement = own.taken.values[source]
        if measurement.value is not None:
            slopes.add(_renamed(measurement, name))
    text = f"{steep.reason}: slopes are those of {own.existing.words}, which nobody else has measured"
    slopes.flags.append(Flag("slopes_from_plan", text))
    return own.patches


def _renamed(measurement: Measurement, name: str) -> Measurement:
    return replace(measurement, name=name)


def isolines(plan: Plan) -> dict[str, BaseGeometry]:
    """Contours of the submitted surfaces, to draw: the smallest usual interval that gives forty levels or fewer."""
    drawn = {}
    for surface in plan.surfaces:
        relief_ft = float(surface.tin.z_m.max() - surface.tin.z_m.min()) / FOOT_M
        interval_ft = next((step for step in (1, 2, 5, 10, 20, 50) if relief_ft / step <= _MOST_LEVELS), 100)
        _, lines = tin_contours(surface.tin, interval_ft * FOOT_M)
        drawn[surface.layer] = shapely.union_all(lines) if lines else shapely.MultiLineString()
    return drawn
