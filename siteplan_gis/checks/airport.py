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

What is drawn in another role, or as a control of no known kind, is taken as a pond where nothing excludes it, so that
no word of the applicant's makes "no pond".

Limits: a drain time is the applicant's figure (attribute `drain_hours` of the pond); without one the reviewer asks.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.checks.verdict import finding, held, limit_words, untold
from siteplan_gis.model.comparison import compare, show
from siteplan_gis.model.controls import BASINS, control_kind
from siteplan_gis.model.place_names import names_by_place
from siteplan_gis.model.review import Status
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.measurement import Measurement, NearbyFeature
    from siteplan_gis.model.ordinance import Limit, Rule
    from siteplan_gis.model.plan import PlanFeature
    from siteplan_gis.model.review import Case, Finding

_SHORTEST_HOURS: Final = 0.1
"""Six minutes, the smallest figure that is shown: what drains sooner holds nothing back, or its field was left at 0."""

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
    ponds = [item for item in case.site.plan.features if _may_hold_water(item, case.measured.shape["disturbed"])]
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


def _undrained(pond: PlanFeature, hours: object) -> str:
    """Why a stated drain time tells nothing of a pond, in words; "" where it does."""
    if pond.role == "control" and not control_kind(pond):
        return "nothing says what it is; it may be a pond"
    if isinstance(hours, bool) or not isinstance(hours, int | float) or math.isnan(hours) or hours < 0:
        return "no drain time is given"
    if hours < _SHORTEST_HOURS:
        return f"its drain time is given as {hours:g} hours, and no pond drains at once"
    return ""


def _may_hold_water(item: PlanFeature, disturbed: BaseGeometry) -> bool:
    """Whether a drawn thing is a pond, or nothing excludes it: the applicant chooses roles and words.

    A control of no known kind may be one. So may what lies in the ground that is dug up, where it is drawn as a water
    or its words speak of one, whatever its role.
    """
    if item.role in {"pond", "infiltration"}:
        return True
    if item.role == "control":
        kind = control_kind(item)
        return not kind or kind in BASINS or bool(_DETAINS.search(_words(item)))
    if item.role in _NO_POND or not shapely.area(shapely.intersection(item.geometry, disturbed)):
        return False
    within = shapely.intersection(item.geometry, disturbed).area / item.geometry.area
    return bool(_POND.search(_words(item))) or (item.role in {"surface_water", "wetland"} and within >= _DUG)


def _words(item: PlanFeature) -> str:
    return re.sub(r"[_\W]+", " ", f"{item.kind} {item.name} {item.layer.rpartition('/')[2]}".casefold())


_DETAINS: Final = re.compile("detention|retention|wet pool")
_POND: Final = re.compile(
    r"detention|retention|wet pool|\b(?:(?<!catch )basins?|ponds?|lakes?|lagoons?|(?:rain|water) gardens?|infiltrat\w*|dry wells?)\b"
)
_NO_POND: Final = frozenset({"site", "construction_site", "lot", "disturbed_area", "grid", "floodplain"})
_DUG: Final = 0.5
"""Share of a drawn water within the disturbed ground from which on it is taken as one that is made."""


def _judge_pond(rule: Rule, name: str, pond: PlanFeature, distance: Measurement, near: Limit) -> Finding:
    drained = rule.limits["drained"]
    hours = pond.attributes.get("drain_hours")
    if why := _undrained(pond, hours):
        text = f"{name}: {why}; show that it drains within {drained.value:g} hours."
        return finding(rule, name, Status.NEEDS_REVIEW, text, measured=distance, where=pond.geometry)
    assert isinstance(hours, int | float)
    if compare(float(hours), drained.operator, drained.value):
        text = f"{name}: drains in {show(float(hours), 1, drained.value)} hours, as stated."
        return finding(rule, name, Status.PASS, text, measured=distance, where=pond.geometry)
    text = f"{name}: drains in {show(float(hours), 1, drained.value)} hours, as stated, not within {drained.value:g}."
    existing = "existing" in f"{pond.kind} {pond.name} {pond.layer}".casefold()
    certain = held(distance, near) is True and not existing
    status = Status.FAIL if certain else Status.NEEDS_REVIEW
    remedy = f"Design it to drain within {drained.value:g} hours."
    return finding(rule, name, status, text, measured=distance, where=pond.geometry, remedy=remedy)
