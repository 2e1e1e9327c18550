"""Development near an airport.

What the rule asks: within 10,000 ft of the East Troy Airport "as depicted in Exhibit A", development must follow
the aviation authority's circular on wildlife attractants, and stormwater practices may not include a pond that does
not drain within 48 hours.

How it is judged: Exhibit A was not supplied. The distance is measured from the airport's own area where a layer gives
one, else from its runway, else from its reference point, and says which. The zone could begin nearer than from there:
runway ends lie more than 1,900 ft from the reference point, and the property reaches beyond the runway. So a site is
not near the airport where it lies farther than the limit and 2,000 ft more by a runway, 4,000 ft more by a reference
point, the map's accuracy more by an area. Nearer than the limit: the reviewer's, with every drawn pond named. Between:
the reviewer's, since Exhibit A could reach there.

Limits: a drain time is the applicant's figure (attribute `drain_hours` of the pond); without one the reviewer asks.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import finding, held, limit_words, untold
from siteplan_gis.model.comparison import compare, show
from siteplan_gis.model.controls import BASINS, control_kind
from siteplan_gis.model.place_names import names_by_place
from siteplan_gis.model.review import Status
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.measurement import Measurement, NearbyFeature
    from siteplan_gis.model.ordinance import Limit, Rule
    from siteplan_gis.model.plan import PlanFeature
    from siteplan_gis.model.review import Case, Finding

_BASES = ("reference point", "runway", "own area")
_EXHIBIT_DOUBT_FT = (4_000.0, 2_000.0, 0.0)
"""By what the airport is drawn as: a point, a line, an area."""


def judge_airport_distance(rule: Rule, case: Case) -> Sequence[Finding]:
    """Distance of the site from the airport."""
    (measured, base, beyond), limit = _distance(case, rule.limits["within"]), rule.limits["within"]
    if measured is None or measured.value is None:
        return [untold(rule, "airport", measured, "the distance to the airport")]
    distance = float(measured.value)
    text = f"The site lies {show(distance, 0, limit.value)} ft from the airport's {base} ({limit_words(limit)}; Exhibit A was not supplied)."
    status = Status.NOT_APPLICABLE if beyond else Status.NEEDS_REVIEW
    return [finding(rule, "airport", status, text, measured=measured, limit=limit)]


def judge_airport_ponds(rule: Rule, case: Case) -> Sequence[Finding]:
    """Drawn ponds near the airport."""
    (measured, _, beyond), limit = _distance(case, rule.limits["within"]), rule.limits["within"]
    ponds = [
        *case.site.plan.of("pond", "infiltration"),
        *(item for item in case.site.plan.of("control") if _holds_water(item)),
    ]
    if measured is None or measured.value is None:
        return [untold(rule, "ponds", measured, "the distance to the airport")]
    if beyond:
        return [
            finding(
                rule,
                "ponds",
                Status.NOT_APPLICABLE,
                "The site is not near the airport.",
                measured=measured,
                limit=limit,
            )
        ]
    if not ponds:
        return [
            finding(
                rule,
                "ponds",
                Status.PASS,
                "The plan draws no pond, basin or infiltration area.",
                measured=measured,
                limit=limit,
            )
        ]
    names = names_by_place(
        [item.name for item in ponds], [item.role for item in ponds], [item.geometry for item in ponds]
    )
    return [_judge_pond(rule, name, item, measured, limit) for name, item in zip(names, ponds, strict=True)]


def _distance(case: Case, limit: Limit) -> tuple[Measurement | None, str, bool]:
    """The distance to the airport that bears the village's name, from what, and whether it is surely beyond the zone.

    Another airport near the site is not meant. Of an airport drawn in several ways the largest counts.
    """
    measured, name = case.measured.values.get("airport_ft"), case.ordinance.municipality.casefold()
    if measured is None or measured.value is None:
        return measured, "", False
    ours = [airport for airport in case.measured.airports if name in airport.name.casefold()]
    if case.measured.airports and not ours:
        reason = f"no airport with the name {case.ordinance.municipality} is among those given"
        return replace(measured, value=None, reason=reason), "", False
    kind = 0
    if ours:
        kind = max(_dimension(airport) for airport in ours)
        one = min((a for a in ours if _dimension(a) == kind), key=lambda airport: airport.distance_m)
        method = f"to the {_BASES[kind]} of {one.name}"
        measured = replace(measured, value=feet(one.distance_m), method=method, where=one.geometry)
    accuracy_m = max((layer.source.accuracy_m or 0.0 for layer in case.site.layers.get("airports", ())), default=0.0)
    doubt = max(_EXHIBIT_DOUBT_FT[kind], feet(accuracy_m))
    assert isinstance(measured.value, int | float)
    return measured, _BASES[kind], float(measured.value) > limit.value + doubt


def _dimension(airport: NearbyFeature) -> int:
    return int(shapely.get_dimensions(airport.geometry))


def _holds_water(control: PlanFeature) -> bool:
    words = f"{control.kind} {control.name} {control.layer}".casefold()
    return control_kind(control) in BASINS or any(word in words for word in ("detention", "retention", "wet pool"))


def _judge_pond(rule: Rule, name: str, pond: PlanFeature, distance: Measurement, near: Limit) -> Finding:
    drained = rule.limits["drained"]
    hours = pond.attributes.get("drain_hours")
    if isinstance(hours, bool) or not isinstance(hours, int | float) or math.isnan(hours) or hours < 0:
        text = f"{name}: no drain time is given; show that it drains within {drained.value:g} hours."
        return finding(rule, name, Status.NEEDS_REVIEW, text, measured=distance, where=pond.geometry)
    if compare(float(hours), drained.operator, drained.value):
        text = f"{name}: drains in {show(float(hours), 1, drained.value)} hours, as stated."
        return finding(rule, name, Status.PASS, text, measured=distance, where=pond.geometry)
    text = f"{name}: drains in {show(float(hours), 1, drained.value)} hours, as stated, not within {drained.value:g}."
    existing = "existing" in f"{pond.kind} {pond.name} {pond.layer}".casefold()
    certain = held(distance, near) is True and not existing
    status = Status.FAIL if certain else Status.NEEDS_REVIEW
    remedy = f"Design it to drain within {drained.value:g} hours."
    return finding(rule, name, status, text, measured=distance, where=pond.geometry, remedy=remedy)
