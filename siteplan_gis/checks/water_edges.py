"""Edges of waters: vegetation kept beside them, the top of the channel, and the state's protective areas as advice.

What the rules ask: existing vegetation is kept, especially next to surface water; the top of the channel is the edge
of a high-water mark's bank, or where the land beyond begins to be flatter than 12 % for at least 50 ft.

How it is judged: it is not. The lengths and distances are gathered for the reviewer: how much of a water's edge has
disturbed ground beside it, how far the top of the channel lies from a drawn high-water mark. The two sentences on the
top of the channel differ at exactly 12 % ("less than" and "or less"); both are measured as they stand.

Advice, beyond the ordinances: the state's protective areas (Wis. Adm. Code NR 151.125) of 50 ft along streams, lakes
and most wetlands and 75 ft along outstanding or exceptional waters and highly susceptible wetlands, and a screening of
wetlands within 75 ft. They are measured to the closest impervious surface, from the top of the channel or the edge of
a delineated wetland: distances of mapped waters to the disturbed ground are a first look, never a verdict.

Limits: high-water marks and wetland edges are fixed in the field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import amount, checklist, listed
from siteplan_gis.measures.shapes.proximity import stretches_within
from siteplan_gis.model.comparison import show
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.measurement import NearbyFeature
    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding

_WIDTH_FT = 50.0
_SCREEN_FT = 75.0


def weigh_vegetation(rule: Rule, case: Case) -> Sequence[Finding]:
    """How much of a water's edge has disturbed ground beside it, and the protective areas."""
    disturbed, beside_m = case.measured.shape["disturbed"], case.ordinance.method.adjacent_m
    waters = [*case.measured.waters, *case.measured.adjoining.get("waters", ())]
    edges = shapely.union_all([_edge(item) for item in waters if shapely.dwithin(item.geometry, disturbed, beside_m)])
    beside = stretches_within(edges, disturbed, beside_m)
    within = f"within {show(feet(beside_m), 0)} ft of the disturbed ground (the text gives no distance)"
    text = f"{show(feet(beside.length), 0)} ft of mapped water's edge lie {within}."
    kept = [item.geometry for item in case.site.plan.of("vegetation")]
    if kept and not disturbed.is_empty:
        text += f" {len(kept)} areas of vegetation are drawn."
    first = checklist(rule, "beside_water", text, where=beside if beside.length else None)
    return [first, protective_areas(rule, case)]


def protective_areas(rule: Rule, case: Case) -> Finding:
    """The state's protective areas, as advice beyond the ordinance."""
    disturbed = case.measured.shape["disturbed"]
    near = []
    for items, width_ft in ((case.measured.waters, _WIDTH_FT), (case.measured.wetlands, _SCREEN_FT)):
        for item in items:
            away = feet(float(shapely.distance(item.geometry, disturbed)))
            if not disturbed.is_empty and away <= width_ft:
                near.append((away, f"{item.name or item.kind.replace('_', ' ')} {show(away, 0)} ft", item.geometry))
    opening = "Advice, beyond the ordinance (Wis. Adm. Code NR 151.125): impervious surfaces keep 50 ft from streams and lakes, 50 to 75 ft from wetlands, 75 ft from outstanding or exceptional waters."
    near.sort(key=lambda one: one[:2])
    told = (
        f" Nearer to disturbed ground by the maps: {listed([words for _, words, _ in near])}."
        if near
        else " None mapped is nearer to disturbed ground."
    )
    where = shapely.union_all([shape for _, _, shape in near]) if near else None
    return checklist(rule, "protective_areas", opening + told, where=where)


def _edge(item: NearbyFeature) -> shapely.Geometry:
    return item.geometry.boundary if item.geometry.area > 0 else item.geometry


def weigh_top_of_channel(rule: Rule, case: Case) -> Sequence[Finding]:
    """The top of the channel beside each drawn high-water mark, and the protective areas that start there."""
    return [_top_of_channel(rule, case), protective_areas(rule, case)]


def _top_of_channel(rule: Rule, case: Case) -> Finding:
    top, untold = (case.measured.values.get(name) for name in ("top_of_channel_ft", "top_of_channel_untold_ft"))
    if top is None:
        text = "The plan draws no ordinary high-water mark (role ohwm); it is fixed in the field."
        return checklist(rule, "top_of_channel", text)
    flat = rule.limits["flat"]
    if top.value is None:
        return checklist(rule, "top_of_channel", f"The top of the channel cannot be told: {top.reason}.", measured=top)
    text = f"The top of the channel lies up to {amount(top, decimals=0)} landward of the drawn high-water mark ({top.method}; at exactly {flat.value:g} % the two sentences of the text differ)."
    if untold is not None and isinstance(untold.value, int | float) and untold.value > 0:
        text += f" Beside {show(float(untold.value), 0)} ft of the mark it cannot be told: {untold.reason}."
    return checklist(rule, "top_of_channel", text, measured=top, where=top.where)
