"""Every check by the name that an ordinance's file gives it, in reading order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from siteplan_gis.checks.adjacent_runoff import judge_adjacent_channels, judge_adjacent_sheet
from siteplan_gis.checks.airport import judge_airport_distance, judge_airport_ponds
from siteplan_gis.checks.applicability import (
    excluded_by_claim,
    excluded_maintenance,
    excluded_small_residence,
    reached_by_determination,
    reached_by_disturbance,
    reached_by_land,
    reached_by_length,
    reached_by_plat_or_lot,
    reached_for_plan_content,
)
from siteplan_gis.checks.basins import judge_basin_depths, judge_basin_sizes, judge_basins_required
from siteplan_gis.checks.contour_interval import judge_contour_interval
from siteplan_gis.checks.discharges import judge_discharges
from siteplan_gis.checks.dissipation import judge_dissipation, weigh_outlets
from siteplan_gis.checks.division_of_land import judge_division
from siteplan_gis.checks.grid_over_map import judge_grid
from siteplan_gis.checks.inlet_protection import judge_inlets
from siteplan_gis.checks.jurisdiction import judge_jurisdiction
from siteplan_gis.checks.map_items import judge_map_item
from siteplan_gis.checks.map_scale import judge_same_scale, judge_scale
from siteplan_gis.checks.nearby_waters import judge_nearby_waters
from siteplan_gis.checks.notices import judge_notices
from siteplan_gis.checks.perimeter_controls import judge_perimeter
from siteplan_gis.checks.permit_term import judge_permit_term
from siteplan_gis.checks.permits_first import judge_permits_first
from siteplan_gis.checks.practice_places import judge_drainageways, judge_places
from siteplan_gis.checks.rain_inspections import judge_rain_inspections
from siteplan_gis.checks.receiving_water import judge_listed_waters, judge_receiving_water
from siteplan_gis.checks.review_clock import judge_review_clock
from siteplan_gis.checks.runoff_leaves import judge_runoff_leaves
from siteplan_gis.checks.sediment import judge_sediment
from siteplan_gis.checks.sequence import judge_order, judge_pauses, weigh_bare_ground
from siteplan_gis.checks.stated_acreage import compare_stated
from siteplan_gis.checks.statement_items import judge_statement_items
from siteplan_gis.checks.steep_slopes import judge_steep_slopes
from siteplan_gis.checks.stockpiles import judge_stockpile_distance, judge_stockpile_standing
from siteplan_gis.checks.tracking import judge_tracking
from siteplan_gis.checks.village_inspections import judge_village_inspections
from siteplan_gis.checks.water_edges import weigh_top_of_channel, weigh_vegetation
from siteplan_gis.checks.waters_on_site import judge_waters_on_site
from siteplan_gis.checks.wetlands_on_site import judge_wetland_acreage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from siteplan_gis.model.ordinance import Ordinance, Rule
    from siteplan_gis.model.review import Case, Finding


@dataclass(frozen=True, slots=True)
class Check:
    """A check, and the measuring steps that it rests on: where one of them crashed, nothing can be judged.

    `needs` are roles of reference layers ("elevation" for a DEM) without which it cannot decide. `of_drawing` tells
    whether it looks at what the plan draws, so that it says less where parts of that could not be read.
    """

    judge: Callable[[Rule, Case], Sequence[Finding]]
    rests_on: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    of_drawing: bool = True


CHECKS: Final[Mapping[str, Check]] = {
    "jurisdiction": Check(judge_jurisdiction, ("ground", "places"), ("municipalities",)),
    "applicability_disturbed": Check(reached_by_disturbance, ("ground",)),
    "applicability_residential": Check(excluded_small_residence, ("ground",)),
    "applicability_maintenance": Check(excluded_maintenance, ("ground",)),
    "applicability_exempt": Check(excluded_by_claim, of_drawing=False),
    "applicability_determined": Check(reached_by_determination, of_drawing=False),
    "applicability_land": Check(reached_by_land, ("ground",)),
    "applicability_plat_or_lot": Check(reached_by_plat_or_lot, ("ground",)),
    "applicability_length": Check(reached_by_length, ("ground",)),
    "runoff_leaves": Check(judge_runoff_leaves, ("discharges",), ("elevation",)),
    "division_of_land": Check(judge_division),
    "plan_content_applies": Check(reached_for_plan_content, ("ground",)),
    "review_clock": Check(judge_review_clock, of_drawing=False),
    "permits_first": Check(judge_permits_first, of_drawing=False),
    "notices": Check(judge_notices, of_drawing=False),
    "rain_inspections": Check(judge_rain_inspections, of_drawing=False),
    "permit_term": Check(judge_permit_term, of_drawing=False),
    "village_inspections": Check(judge_village_inspections, of_drawing=False),
    "statement_items": Check(judge_statement_items, of_drawing=False),
    "pauses": Check(judge_pauses),
    "order_of_works": Check(judge_order),
    "bare_ground": Check(weigh_bare_ground, ("ground",)),
    "sediment": Check(judge_sediment, ("slopes",)),
    "stated_acreage": Check(compare_stated, ("ground",)),
    "steep_slopes": Check(judge_steep_slopes, ("ground", "slopes", "submitted"), ("elevation",)),
    "wetland_acreage": Check(judge_wetland_acreage, ("waters",), ("wetlands",)),
    "discharges_shown": Check(
        judge_discharges, ("waters", "discharges"), ("waters", "wetlands", "flowlines", "elevation")
    ),
    "waters_within_one_mile": Check(judge_nearby_waters, ("waters",), ("waters", "wetlands")),
    "waters_on_site_shown": Check(judge_waters_on_site, ("waters",), ("waters", "wetlands")),
    "perimeter_controls": Check(judge_perimeter, ("ground", "drainage", "waters"), ("elevation",)),
    "adjacent_channels": Check(judge_adjacent_channels, ("drainage",), ("elevation",)),
    "adjacent_sheet": Check(judge_adjacent_sheet, ("drainage", "slopes"), ("elevation",)),
    "basins_required": Check(judge_basins_required, ("ground", "drainage"), ("elevation",)),
    "basin_sizes": Check(judge_basin_sizes, ("drainage",), ("elevation",)),
    "basin_depths": Check(judge_basin_depths),
    "stockpile_distance": Check(judge_stockpile_distance, ("drainage",), ("elevation",)),
    "stockpile_standing": Check(judge_stockpile_standing),
    "inlet_protection": Check(judge_inlets, ("drainage",)),
    "tracking": Check(judge_tracking, ("ground",)),
    "dissipation": Check(judge_dissipation, ("discharges",)),
    "outlets": Check(weigh_outlets, ("discharges",)),
    "practice_places": Check(judge_places, ("discharges",), ("elevation", "waters", "wetlands", "floodplain")),
    "drainageways": Check(judge_drainageways, ("drainage",), ("elevation",)),
    "receiving_water": Check(judge_receiving_water, ("discharges", "receiving"), ("flowlines",)),
    "listed_waters": Check(judge_listed_waters, ("discharges", "receiving")),
    "vegetation_beside_water": Check(weigh_vegetation, ("waters",)),
    "top_of_channel": Check(weigh_top_of_channel, ("banks", "waters")),
    "map_scale": Check(judge_scale, ("drawing",)),
    "same_scale": Check(judge_same_scale, ("drawing",)),
    "contour_interval": Check(judge_contour_interval, ("drawing", "submitted", "agreement")),
    "grid_over_map": Check(judge_grid, ("drawing",)),
    "map_items": Check(judge_map_item, ("waters",)),
    "airport_distance": Check(judge_airport_distance, ("places",), ("airports",)),
    "airport_ponds": Check(judge_airport_ponds, ("places",), ("airports",)),
}

_NEEDED_FOR_ITEM: Final = {"surface_water": "waters", "wetland": "wetlands", "floodplain": "floodplain"}
"""Items of a site map that reference maps show too: without the map, "there is none" cannot be doubted."""


def needed_layers(ordinance: Ordinance) -> dict[str, tuple[str, ...]]:
    """Roles of reference layers ("elevation" for a DEM) that an ordinance's checks need, each with its rules."""
    needed: dict[str, list[str]] = {}
    for rule in ordinance.rules:
        if not rule.check:
            continue
        items = [item for option in ("roles", "each_of") for item in _listed(rule.options.get(option))]
        of_items = [_NEEDED_FOR_ITEM[item] for item in items if item in _NEEDED_FOR_ITEM and rule.check == "map_items"]
        for role in dict.fromkeys((*CHECKS[rule.check].needs, *of_items)):
            needed.setdefault(role, []).append(rule.id)
    return {role: tuple(rules) for role, rules in needed.items()}


def _listed(value: object) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
