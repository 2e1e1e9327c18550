"""Sediment that leaves the site.

What the rules ask: Saukville, practices that by design discharge no more than five tons per acre per year, or to the
maximum extent practicable, from initial grading to final stabilisation; the location, the period and a rainfall
factor must be considered.

How it is judged: A = R x %R x K x LS x C for each drainage area, less what practices keep back and what is not
delivered, over every twelve months of its covers; the worst twelve months are compared with the limit. Factors come
from a file that the reviewer gives, with the tables they were read from; none is built in. A slope may be left out:
then the measured median slope of the site is taken, with its doubt. A shorter time or a smaller area lowers the sum by
itself. What the applicant states is set beside it.

Limits: the equation is for sheet and rill erosion, not for channels, and not for slopes steeper than 33 %: such an
area is not checked. "To the maximum extent practicable" is the reviewer's. LS follows Agriculture Handbook 537; the
state's own spreadsheet may round otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from siteplan_gis.checks.verdict import amount, checklist, finding, held, limit_words
from siteplan_gis.measures.soil_loss import STEEPEST_RATIO, Cover, Erosivity, length_slope, worst_year
from siteplan_gis.model.comparison import show
from siteplan_gis.model.measurement import Measurement
from siteplan_gis.model.review import Status
from siteplan_gis.units import FOOT_M

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding
    from siteplan_gis.model.soil_loss import LossArea, SoilLossInputs

_SAME = 0.05
"""A stated value within this share of the computed one (or 0.1 ton) agrees with it."""


def judge_sediment(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding a drainage area, and one for what the applicant states."""
    inputs, stated = case.soil_loss, case.site.plan.stated.sediment_tons_per_acre_year
    if inputs is None:
        told = (
            "" if stated is None else f" The applicant states {show(stated, 2)} tons per acre per year, not verified."
        )
        text = f"The factors of the soil loss equation were not given (--soil-loss); no table is built in.{told}"
        return [checklist(rule, "sediment", text)]
    computed = [_area(rule, case, inputs, area) for area in inputs.areas]
    found = [made for made, _ in computed]
    values = [value for _, value in computed if value is not None]
    if stated is not None and len(values) == len(inputs.areas):
        found.append(_compare_stated(rule, stated, max(values)))
    return found


def _area(rule: Rule, case: Case, inputs: SoilLossInputs, area: LossArea) -> tuple[Finding, float | None]:
    limit, slope, doubt, told = rule.limits["most"], area.slope_percent, 0.0, "given"
    if slope is None:
        measured = case.measured.values.get("slope_percent_median")
        if measured is None or not isinstance(measured.value, int | float):
            text = f"Area {area.name}: not checked, no slope is given and none was measured."
            return finding(rule, area.name, Status.NOT_CHECKED, text, remedy="Give slope_percent."), None
        slope, doubt, told = float(measured.value), measured.plus_minus or 0.0, "the measured median"
    if (slope + doubt) / 100 > STEEPEST_RATIO:
        text = f"Area {area.name}: not checked, the equation is not for slopes steeper than 33 % ({show(slope, 1)} %, {told})."
        return finding(
            rule, area.name, Status.NOT_CHECKED, text, remedy="Divide the area, or use another method."
        ), None
    rain = Erosivity(inputs.r, tuple(day for day, _ in inputs.course), tuple(share for _, share in inputs.course))
    covers = [Cover(one.first, one.last, one.c, one.kept, one.delivered) for one in area.covers]
    length_m = area.length_ft * FOOT_M
    low, middle, high = (
        worst_year(rain, area.k, length_slope(length_m, max(slope + sign * doubt, 0.0) / 100), covers)
        for sign in (-1, 0, 1)
    )
    assert low is not None
    assert middle is not None
    assert high is not None
    spread = max(high.tons_per_acre - middle.tons_per_acre, middle.tons_per_acre - low.tons_per_acre)
    factor = length_slope(length_m, slope / 100)
    method = (
        f"R {inputs.r:g} x %R x K {area.k:g} x LS {factor:.2f} x C, {show(area.length_ft, 0)} ft at {show(slope, 1)} % "
        f"({told}), less what is kept back; worst twelve months {middle.first.isoformat()} to {middle.last.isoformat()}"
    )
    value = Measurement(
        f"sediment_tons_per_acre_year[{area.name}]", middle.tons_per_acre, "ton/acre/year", spread or None, method,
        sources=(inputs.source,),
    )  # fmt: skip
    kept = held(value, limit)
    total = show(middle.tons_per_acre * area.acres, 1)
    text = (
        f"Area {area.name} ({show(area.acres, 2)} acres): {amount(value, limit)} ({total} tons) in the twelve months "
        f"from {middle.first.isoformat()}; {limit_words(limit)} asked for."
    )
    status = Status.NEEDS_REVIEW if kept is None else Status.PASS if kept else Status.FAIL
    remedy = "" if kept else "Shorten the time the ground is bare, disturb less at once, or keep back more sediment."
    return finding(rule, area.name, status, text, remedy=remedy, measured=value, limit=limit), middle.tons_per_acre


def _compare_stated(rule: Rule, stated: float, computed: float) -> Finding:
    text = f"The applicant states {show(stated, 2)} tons per acre per year; {show(computed, 2)} is computed for the worst area."
    if abs(stated - computed) <= max(_SAME * computed, 0.1):
        return finding(rule, "stated", Status.PASS, text)
    return finding(rule, "stated", Status.NEEDS_REVIEW, text, remedy="Explain the difference.")
