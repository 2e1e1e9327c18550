"""Acreages of the plan: site, disturbed ground, phases, lots, lengths of work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.measures.shapes.area import (
    common_ground,
    most_open_at_once,
    open_by_day,
    outside,
    separate_parts,
    union_area,
)
from siteplan_gis.measures.shapes.runs import connected_runs
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.model.comparison import show
from siteplan_gis.model.flag import Flag
from siteplan_gis.units import FOOT_M, acres, feet

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.measurement import Method
    from siteplan_gis.model.plan import Plan, PlanFeature
    from siteplan_gis.model.site import Site

AREA_DOUBT: Final = 1e-4
"""Ground, grid and ellipsoid areas differ by up to 0.8e-4 at the villages: acreages are told to 1e-4 of themselves."""

_TOUCHING_M: Final = 0.3
_DRAFTING_M: Final = 0.1


def shapes(plan: Plan) -> dict[str, BaseGeometry]:
    """The ground that rules speak of: "site", "construction_site" and "disturbed", empty polygons where not drawn."""
    disturbed = union_area([feature.geometry for feature in _disturbed(plan)])[0]
    site = union_area([feature.geometry for feature in plan.of("site")])[0]
    lots = union_area([feature.geometry for feature in plan.of("lot")])[0]
    construction = union_area([feature.geometry for feature in plan.of("construction_site")])[0]
    # Where the ground is disturbed is construction site, however small the site is drawn.
    construction = union_area([construction, disturbed])[0]
    site = next((shape for shape in (site, lots, construction) if not shape.is_empty), site)
    construction = construction if not construction.is_empty else site
    if construction.is_empty:
        # No ground at all is drawn: distances run from the outfalls.
        construction = shapely.union_all([feature.geometry for feature in plan.of("outfall")])
    return {"site": site, "construction_site": construction, "disturbed": disturbed}


def _disturbed(plan: Plan) -> tuple[PlanFeature, ...]:
    """What is drawn as disturbed ground; where nothing is, the ground that is to be graded stands in for it."""
    return plan.of("disturbed_area") or plan.of("surface_proposed")


def measure_ground(site: Site, shape: dict[str, BaseGeometry], method: Method) -> Taken:
    """Every acreage that the plan's own polygons allow."""
    plan, taken = site.plan, Taken()
    sources = plan.sources
    stand_in = _stand_in(plan, shape)
    graded = _graded(plan)
    reasons = {"site": stand_in, "construction_site": graded, "disturbed": graded}
    for name, key in (
        ("site_acres", "site"),
        ("construction_site_acres", "construction_site"),
        ("disturbed_acres", "disturbed"),
    ):
        ground = shape[key]
        if ground.area == 0:
            taken.add(cannot(name, f"the plan draws no {key.replace('_', ' ')}{' area' * (key == 'disturbed')}"))
        else:
            taken.add(
                measured(
                    name,
                    acres(ground.area),
                    acres(ground.area) * AREA_DOUBT,
                    "area of the union in the site frame",
                    ground,
                    sources,
                    reasons[key],
                )
            )
    if stand_in:
        taken.flags.append(Flag("site_from_disturbed", stand_in))
    if graded:
        taken.flags.append(Flag("disturbed_from_surface", graded))
    taken.flags.extend(_drawn_twice(plan))
    _measure_phases(plan, shape, method, taken)
    _measure_surfaces(plan, taken)
    lots = [feature.geometry for feature in plan.of("lot")]
    if lots:
        largest = max(lots, key=lambda lot: lot.area)
        taken.add(
            measured(
                "lot_largest_acres",
                acres(largest.area),
                acres(largest.area) * AREA_DOUBT,
                "area of the largest lot",
                largest,
                sources,
            )
        )
    _measure_length(plan, "street_work", plan.activity.street_work_ft, taken)
    _measure_length(plan, "pipe_work", plan.activity.pipe_work_ft, taken)
    return taken


def _stand_in(plan: Plan, shape: dict[str, BaseGeometry]) -> str:
    """What stands in for a site boundary that is not drawn, in words: the site is at least that large."""
    if union_area([feature.geometry for feature in plan.of("site")])[1] or shape["site"].is_empty:
        return ""
    role = next(
        role
        for role in ("lot", "construction_site", "disturbed_area", "surface_proposed")
        if union_area([feature.geometry for feature in plan.of(role)])[1]
    )
    return f"no site boundary is drawn; the {role.replace('_', ' ')} stands in for it"


def _drawn_twice(plan: Plan) -> list[Flag]:
    """Boundaries inside others: one of the two is not the site, and every acreage and edge hangs on which."""
    drawn = [feature for feature in plan.of("site") if feature.geometry.area > 0]
    flags = []
    for inner in drawn:
        outer = next((each for each in drawn if _holds(each, inner)), None)
        if outer is not None:
            text = f"this boundary of {show(acres(inner.geometry.area), 2)} acres lies inside that of {outer.layer} {outer.id} with {show(acres(outer.geometry.area), 2)} acres; the larger was taken: which is the site?"
            flags.append(Flag("site_drawn_twice", text, inner.layer, inner.id))
    return flags


def _holds(outer: PlanFeature, inner: PlanFeature) -> bool:
    """Whether a boundary holds another, smaller one; the same boundary sent twice is no doubt."""
    smaller = inner.geometry.area < (1 - AREA_DOUBT) * outer.geometry.area
    return smaller and bool(outer.geometry.buffer(_DRAFTING_M).covers(inner.geometry))


def _graded(plan: Plan) -> str:
    """What stands in for a disturbed area that is not drawn, in words: the work may reach farther, or less far."""
    if plan.of("disturbed_area") or not plan.of("surface_proposed"):
        return ""
    names = ", ".join(sorted({surface.name for surface in plan.surfaces if surface.role == "surface_proposed"}))
    return f"no disturbed area is drawn; the outline of the proposed surface {names} stands in for it"


def _measure_surfaces(plan: Plan, taken: Taken) -> None:
    for surface in plan.surfaces:
        area = acres(surface.outline.area)
        how = "ground of the visible triangles, without voids"
        name = f"surface_acres[{surface.layer}]"
        taken.add(measured(name, area, area * AREA_DOUBT, how, surface.outline, plan.sources))


def _measure_phases(plan: Plan, shape: dict[str, BaseGeometry], method: Method, taken: Taken) -> None:
    areas, sources = plan.of("disturbed_area"), plan.sources
    if not areas:
        for name in (
            "disturbed_overlap_acres",
            "disturbed_outside_site_acres",
            "disturbed_max_concurrent_acres",
            "separate_disturbed_areas",
        ):
            taken.add(cannot(name, "the plan draws no disturbed area"))
        return
    phases = _phases(plan)
    groups = {name: [feature.geometry for feature in features] for name, features in phases.items()}
    for name, geometries in groups.items():
        ground, area = union_area(geometries)
        taken.add(
            measured(
                f"phase_acres[{name}]",
                acres(area),
                acres(area) * AREA_DOUBT,
                "area of the phase's union",
                ground,
                sources,
            )
        )
    common, common_m2 = common_ground(groups, method.overlap_noise_m2)
    taken.add(
        measured(
            "disturbed_overlap_acres",
            acres(common_m2),
            acres(common_m2) * AREA_DOUBT,
            "ground of more than one phase, without slivers",
            common,
            sources,
        )
    )
    if common_m2 > 0:
        taken.flags.append(
            Flag(
                "phases_overlap",
                f"phases overlap on {show(acres(common_m2), 3)} acres; the common ground was counted once",
            )
        )
    beyond, beyond_m2 = outside(shape["disturbed"], shape["site"], _DRAFTING_M)
    taken.add(
        measured(
            "disturbed_outside_site_acres",
            acres(beyond_m2),
            acres(beyond_m2) * AREA_DOUBT,
            "disturbed ground outside the site",
            beyond,
            sources,
        )
    )
    if beyond_m2 > 0:
        taken.flags.append(
            Flag(
                "disturbed_outside_site",
                f"{show(acres(beyond_m2), 3)} acres of the disturbed ground lie outside the site",
            )
        )
    dated = _dated(phases)
    most = most_open_at_once(dated)
    names = list(phases)
    taken.flags.extend(
        Flag("phase_dates_contradict", f"phase {names[place]} ends before it starts; it was taken as always open")
        for place in most.contradictory
    )
    how = (
        f"largest union open on one day ({most.day.isoformat()})"
        if most.day
        else "no phase has dates: everything taken as open at once"
    )
    taken.add(
        measured(
            "disturbed_max_concurrent_acres",
            acres(most.area_m2),
            acres(most.area_m2) * AREA_DOUBT,
            how,
            most.geometry,
            sources,
        )
    )
    count = separate_parts(shape["disturbed"], _TOUCHING_M)
    taken.add(
        measured("separate_disturbed_areas", count, None, "parts more than 1 ft apart", shape["disturbed"], sources)
    )


def open_ground(plan: Plan) -> tuple[tuple[date, float], ...]:
    """From each day on, the square metres of disturbed ground that are open; empty where no phase has both dates."""
    return tuple(open_by_day(_dated(_phases(plan))))


def _phases(plan: Plan) -> dict[str, list[PlanFeature]]:
    """The disturbed areas by the name of their phase; each without one is a phase of its own."""
    phases: dict[str, list[PlanFeature]] = {}
    for number, feature in enumerate(plan.of("disturbed_area"), 1):
        phases.setdefault(feature.phase or str(number), []).append(feature)
    return phases


def _dated(phases: Mapping[str, list[PlanFeature]]) -> list[tuple[BaseGeometry, date | None, date | None]]:
    return [
        (union_area([feature.geometry for feature in features])[0], _start(features), _end(features))
        for features in phases.values()
    ]


def _start(features: list[PlanFeature]) -> date | None:
    days = [feature.start for feature in features]
    return None if None in days else min(day for day in days if day is not None)


def _end(features: list[PlanFeature]) -> date | None:
    days = [feature.end for feature in features]
    return None if None in days else max(day for day in days if day is not None)


def _measure_length(plan: Plan, role: str, stated_ft: float | None, taken: Taken) -> None:
    drawn_m = [feature.geometry for feature in plan.of(role) if feature.geometry.length > 0]
    name, longest = f"{role}_ft", f"{role}_longest_ft"
    if drawn_m:
        runs = connected_runs(drawn_m, _TOUCHING_M)
        course = shapely.union_all([run.course for run in runs])
        drawn, doubt = feet(sum(run.length_m for run in runs)), feet(sum(run.doubt_m for run in runs))
        how = "length of the drawn lines, each stretch once" + "; of an area, that of a strip of its size" * bool(doubt)
        taken.add(measured(name, drawn, drawn * AREA_DOUBT + doubt, how, course, plan.sources))
        most = max(runs, key=lambda run: run.length_m)
        most_ft = feet(most.length_m)
        how = f"longest of {len(runs)} stretches that lie apart" if len(runs) > 1 else "one connected stretch"
        taken.add(measured(longest, most_ft, most_ft * AREA_DOUBT + feet(most.doubt_m), how, most.course, plan.sources))
        if stated_ft is not None and abs(stated_ft - drawn) > max(0.01 * drawn, 1 / FOOT_M):
            taken.flags.append(
                Flag(
                    "stated_differs",
                    f"{role.replace('_', ' ')}: stated {show(stated_ft, 0)} ft, drawn {show(drawn, 0)} ft",
                )
            )
    elif stated_ft is not None:
        taken.add(measured(name, stated_ft, None, "as stated; not drawn", None, ()))
    else:
        taken.add(cannot(name, f"{role.replace('_', ' ')} is neither drawn nor stated"))
