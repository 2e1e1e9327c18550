"""Development near an airport.

What the rule asks: within 10,000 ft of the East Troy Airport "as depicted in Exhibit A", development must follow
the aviation authority's circular on wildlife attractants, and stormwater practices may not include a pond that does
not drain within 48 hours.

How it is judged: the distance is measured from the airport's reference point, since Exhibit A was not supplied; its
runway ends lie more than 1,900 ft from there. Nearer than the limit: the reviewer's, with every drawn pond named.
Farther than the limit by more than 4,000 ft: not applicable. Between: the reviewer's, since Exhibit A could reach
there.

Limits: a drain time is the applicant's figure (attribute `drain_hours` of the pond); without one the reviewer asks.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from siteplan_gis.checks.verdict import finding, held, limit_words, untold
from siteplan_gis.model.comparison import compare, show
from siteplan_gis.model.review import Status
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.measurement import Measurement
    from siteplan_gis.model.ordinance import Limit, Rule
    from siteplan_gis.model.plan import PlanFeature
    from siteplan_gis.model.review import Case, Finding

_EXHIBIT_DOUBT_FT = 4_000.0


def judge_airport_distance(rule: Rule, case: Case) -> Sequence[Finding]:
    """Distance of the site from the airport's reference point."""
    measured, limit = _distance(case), rule.limits["within"]
    if measured is None or measured.value is None:
        return [untold(rule, "airport", measured, "the distance to the airport")]
    distance = float(measured.value)
    text = f"The site lies {show(distance, 0, limit.value)} ft from the airport's reference point ({limit_words(limit)}; Exhibit A was not supplied)."
    status = Status.NOT_APPLICABLE if distance > limit.value + _EXHIBIT_DOUBT_FT else Status.NEEDS_REVIEW
    return [finding(rule, "airport", status, text, measured=measured, limit=limit)]


def judge_airport_ponds(rule: Rule, case: Case) -> Sequence[Finding]:
    """Drawn ponds near the airport."""
    measured, limit = _distance(case), rule.limits["within"]
    ponds = [
        *case.site.plan.of("pond", "infiltration"),
        *(item for item in case.site.plan.of("control") if _holds_water(item)),
    ]
    if measured is None or measured.value is None:
        return [untold(rule, "ponds", measured, "the distance to the airport")]
    if float(measured.value) > limit.value + _EXHIBIT_DOUBT_FT:
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
    return [_judge_pond(rule, item, measured, limit) for item in ponds]


def _distance(case: Case) -> Measurement | None:
    """The distance to the airport that bears the village's name: another one near the site is not meant."""
    measured, name = case.measured.values.get("airport_ft"), case.ordinance.municipality.casefold()
    airports = case.measured.airports
    ours = next((airport for airport in airports if name in airport.name.casefold()), None)
    if measured is None or measured.value is None or not airports or ours is airports[0]:
        return measured
    if ours is None:
        reason = f"no airport with the name {case.ordinance.municipality} is among those given"
        return replace(measured, value=None, reason=reason)
    method = f"to the reference point of {ours.name}"
    return replace(measured, value=feet(ours.distance_m), method=method, where=ours.geometry)


def _holds_water(control: PlanFeature) -> bool:
    words = f"{control.kind} {control.name} {control.layer}".casefold()
    return any(word in words for word in ("basin", "pond", "detention", "retention", "wet pool"))


def _judge_pond(rule: Rule, pond: PlanFeature, distance: Measurement, near: Limit) -> Finding:
    name, drained = pond.name or f"{pond.layer} {pond.id}", rule.limits["drained"]
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
