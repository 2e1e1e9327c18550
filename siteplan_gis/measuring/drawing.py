"""The drawing itself: sheets' scales, contours, grid."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import shapely

from siteplan_gis.measures.sheets.grid import grid_facts
from siteplan_gis.measures.surfaces.contours import contour_facts
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.measuring.sheets import measure_sheets
from siteplan_gis.model.comparison import show
from siteplan_gis.model.flag import Flag
from siteplan_gis.units import acres, feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.surfaces.contours import ContourFacts
    from siteplan_gis.model.plan import Plan, PlanFeature
    from siteplan_gis.model.site import Site

_MOST_NAMED = 8
_MUCH_UNREAD = 0.2
_INDEX = re.compile(r"index|(?<![a-z])(?:majr|major|indx)(?![a-z])", re.IGNORECASE)
_GRID_NOISE_M = 0.1


def measure_drawing(site: Site, shape: dict[str, BaseGeometry]) -> Taken:
    """Scale notes, contours and grid of the plan."""
    taken = Taken()
    measure_sheets(site.plan.sheets, taken)
    _measure_contours(site.plan, taken)
    _measure_grid(site.plan, shape, taken)
    return taken


def _measure_contours(plan: Plan, taken: Taken) -> None:
    names = (
        "contour_interval_ft",
        "contour_coarsest_interval_ft",
        "contour_index_interval_ft",
        "contour_elevation_min_ft",
        "contour_elevation_max_ft",
        "contour_missing_levels",
    )
    drawn = plan.of("contour_existing")
    if not drawn:
        taken.add(measured("contour_count", 0, None, "lines of the existing contours", None, plan.sources))
        for name in names:
            taken.add(cannot(name, "no existing contours are drawn"))
        return
    marked = [_is_index(feature) for feature in drawn]
    facts = contour_facts(
        [feature.elevation_m for feature in drawn],
        [feature.geometry for feature in drawn],
        is_index=marked if any(marked) else None,
    )
    where, sources = shapely.union_all([feature.geometry for feature in drawn]), plan.sources
    taken.add(measured("contour_count", facts.lines, None, "lines of some length, each once", None, sources))
    unread = _unread_share(drawn, facts)
    lengths = {
        "contour_interval_ft": facts.interval_m,
        "contour_coarsest_interval_ft": max((facts.interval_m, *facts.further_intervals_m))
        if facts.interval_m
        else None,
        "contour_index_interval_ft": facts.index_interval_m,
        "contour_elevation_min_ft": facts.lowest_m,
        "contour_elevation_max_ft": facts.highest_m,
    }
    for name, value in lengths.items():
        if value is None:
            reason = "no index contours are told apart" if "index" in name and not facts.reason else facts.reason
            taken.add(cannot(name, reason or "no contour has a readable elevation", sources))
        else:
            ground = where if name == "contour_interval_ft" else None
            # Where much of what is drawn has no level (only index contours are labelled), the steps may be finer.
            doubt = feet(value) if unread and "interval" in name and "index" not in name else None
            taken.add(measured(name, feet(value), doubt, f"from the drawn levels{unread}", ground, sources))
    missing = [f"{show(feet(level), 1)} ft" for level in facts.missing_levels_m]
    words = ", ".join(missing[:_MOST_NAMED]) + (
        f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
    )
    taken.add(measured("contour_missing_levels", len(missing), None, words or "none", None, sources))
    layer = drawn[0].layer
    mistyped = ", ".join(
        f"{drawn[place].id} at {show(feet(drawn[place].elevation_m or 0.0), 2)} ft"
        for place in facts.misplaced[:_MOST_NAMED]
    )
    _flag_contours(facts, plan, layer, words, mistyped, taken)


def _unread_share(drawn: Sequence[PlanFeature], facts: ContourFacts) -> str:
    """How much of the drawn contours has no level, in words; empty where it is little."""
    lost = sum(drawn[place].geometry.length for place in facts.without_elevation)
    share = lost / (sum(feature.geometry.length for feature in drawn) or 1.0)
    return f"; {share:.0%} of the length drawn has no readable level" if share > _MUCH_UNREAD else ""


def _is_index(feature: PlanFeature) -> bool:
    """Whether a contour is marked as an index contour, by its kind, an attribute or its layer ("C-TOPO-MAJR")."""
    texts = (feature.kind, feature.layer, *(value for value in feature.attributes.values() if isinstance(value, str)))
    return any(_INDEX.search(text) for text in texts)


def _flag_contours(facts: ContourFacts, plan: Plan, layer: str, missing: str, mistyped: str, taken: Taken) -> None:
    if missing:
        taken.flags.append(Flag("contour_level_missing", f"levels missing between contours: {missing}", layer))
    if facts.odd_levels_m:
        odd = ", ".join(f"{show(feet(level), 2)} ft" for level in facts.odd_levels_m[:_MOST_NAMED])
        taken.flags.append(Flag("contour_level_odd", f"levels off the contour interval: {odd}", layer))
    if facts.far_levels_m:
        far = ", ".join(f"{show(feet(level), 2)} ft" for level in facts.far_levels_m[:_MOST_NAMED])
        text = f"levels far from all others, left out as typing errors: {far}"
        taken.flags.append(Flag("contour_level_odd", text, layer))
    if facts.misplaced:
        text = f"{len(facts.misplaced)} lines have a level that fits none of the lines around them, as a typing error would: {mistyped}"
        taken.flags.append(Flag("contour_level_odd", text, layer))
    counts = (
        ("contour_duplicate", facts.duplicates, "duplicate contour lines, counted once"),
        ("contour_zero_length", facts.without_length, "zero-length contour lines, left out"),
        ("contour_elevation_missing", facts.without_elevation, "contour lines with a missing or blank elevation"),
    )
    taken.flags.extend(Flag(code, f"{len(lines)} {words}", layer) for code, lines, words in counts if lines)
    if facts.interval_m is not None:
        interval = feet(facts.interval_m)
        for sheet in plan.sheets:
            if (
                sheet.contour_interval_ft is not None
                and sheet.shows != "location"
                and abs(sheet.contour_interval_ft - interval) > 0.005 * interval
            ):
                text = f"sheet {sheet.name} states {sheet.contour_interval_ft:g} ft, but contours are drawn every {interval:g} ft"
                taken.flags.append(Flag("contour_interval_mismatch", text, layer))


def _measure_grid(plan: Plan, shape: dict[str, BaseGeometry], taken: Taken) -> None:
    drawn = plan.of("grid")
    if not drawn:
        taken.add(cannot("grid_uncovered_acres", "no grid is drawn"))
        taken.add(cannot("grid_label_faults", "no grid is drawn"))
        return
    ground = shapely.union_all([shape["site"], shape["construction_site"]])
    facts = grid_facts(
        [feature.geometry for feature in drawn], [feature.name for feature in drawn], ground, _GRID_NOISE_M
    )
    taken.add(
        measured(
            "grid_uncovered_acres",
            acres(facts.uncovered_m2),
            None,
            "site outside every grid cell",
            facts.uncovered,
            plan.sources,
        )
    )
    faults = [
        *(f"{label!r} twice" for label in facts.duplicate_labels),
        *(f"{label!r} is not letter and number" for label in facts.odd_labels),
    ]
    if len(facts.cells) == 1:
        faults.append("one cell alone is no grid")
    if facts.unlabelled_cells:
        faults.append(f"{facts.unlabelled_cells} cells without a label")
    taken.add(
        measured("grid_label_faults", len(faults), None, "; ".join(faults[:_MOST_NAMED]) or "none", None, plan.sources)
    )
