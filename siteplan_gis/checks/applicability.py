"""Which rules reach the project at all.

What the rules ask: each ordinance names its own quantity. Saukville and East Troy speak of disturbed ground,
Fairwater of the area of the land or lot, of feet of street and of feet of pipe. The four are never exchanged.

How it is judged: "pass" means that the trigger is met and the ordinance applies; "not applicable" that it is not
met; "needs review" that the text is missing, the value lies within its doubt of the limit, the project states acres
or feet that would meet the trigger where those drawn do not, land beside the drawn lots would meet it, or it claims an
exemption, which the program never grants by itself. A small area is "below the threshold", never "exempt": the
administrator may reach any site.

Limits: exemptions and land use are the applicant's own words.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import amount, checklist, contradiction, finding, held, limit_words, untold
from siteplan_gis.model.comparison import compare, show
from siteplan_gis.model.review import Status
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.measurement import Measurement
    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding


def reached_by_disturbance(rule: Rule, case: Case) -> Sequence[Finding]:
    """Whether the disturbed acreage reaches the limit; any disturbance where the text gives no limit."""
    measured = case.measured.values.get("disturbed_acres")
    if measured is None or measured.value is None:
        return [untold(rule, "disturbed", measured, "the disturbed acreage")]
    limit = rule.limits.get("least")
    if limit is None:
        text = f"{amount(measured)} are disturbed. The supplied text names no threshold: any disturbance counts."
        return [finding(rule, "disturbed", Status.PASS, text, measured=measured)]
    reached = held(measured, limit)
    note = "" if rule.source_status == "text" else f" The threshold is {rule.source_status}: {rule.note}"
    if reached is None:
        text = f"{amount(measured, limit)} are disturbed: too near the threshold of {limit_words(limit)} to tell.{note}"
        return [finding(rule, "disturbed", Status.NEEDS_REVIEW, text, measured=measured, limit=limit)]
    if reached:
        text = f"{amount(measured, limit)} are disturbed: the threshold of {limit_words(limit)} is reached.{note}"
        return [finding(rule, "disturbed", Status.PASS, text, measured=measured, limit=limit)]
    text = (
        f"{amount(measured, limit)} are disturbed: below the threshold of {limit_words(limit)}. That is no exemption: "
        f"the {case.ordinance.administrator} may apply the ordinance to a site of any size.{note}"
        f"{contradiction(case.site.plan.stated.disturbed_acres, measured, limit)}"
    )
    return [finding(rule, "disturbed", Status.NEEDS_REVIEW, text, measured=measured, limit=limit)]


def excluded_small_residence(rule: Rule, case: Case) -> Sequence[Finding]:
    """One- and two-family sites under the limit are regulated elsewhere."""
    limit, measured = rule.limits["below"], case.measured.values.get("site_acres")
    use = case.site.plan.activity.land_use
    if use and use not in {"one_family", "two_family"}:
        return [finding(rule, "site", Status.NOT_APPLICABLE, f"Stated land use: {use.replace('_', ' ')}.")]
    if measured is None or measured.value is None:
        return [untold(rule, "site", measured, "the site's acreage")]
    below = held(measured, limit)
    if below is False:
        text = f"The site has {amount(measured, limit)}: not {limit_words(limit)}, so the exclusion does not reach it."
        return [finding(rule, "site", Status.NOT_APPLICABLE, text, measured=measured, limit=limit)]
    who = "One- or two-family" if use else "The land use is not stated; if it is one- or two-family, the"
    text = (
        f"{who} site of {amount(measured, limit)} ({limit_words(limit)}): regulated by the state's building code "
        "instead, if the reviewer agrees."
    )
    return [finding(rule, "site", Status.NEEDS_REVIEW, text, measured=measured, limit=limit)]


def excluded_maintenance(rule: Rule, case: Case) -> Sequence[Finding]:
    """Routine maintenance below the limit is excluded when it keeps line, grade and capacity."""
    if case.site.plan.activity.exemption != "routine_maintenance":
        text = "The application does not claim routine maintenance."
        return [finding(rule, "disturbed", Status.NOT_APPLICABLE, text)]
    limit, measured = rule.limits["below"], case.measured.values.get("disturbed_acres")
    if measured is None or measured.value is None:
        return [untold(rule, "disturbed", measured, "the disturbed acreage")]
    if held(measured, limit) is False and not measured.reason:
        text = f"Routine maintenance is claimed, but {amount(measured, limit)} are disturbed: not {limit_words(limit)}."
        return [finding(rule, "disturbed", Status.FAIL, text, measured=measured, limit=limit,
                        remedy="Apply for a permit; the exclusion does not reach this much ground.")]  # fmt: skip
    text = f"Routine maintenance of {amount(measured, limit)} is claimed; the reviewer decides whether it is that."
    return [finding(rule, "disturbed", Status.NEEDS_REVIEW, text, measured=measured, limit=limit)]


def excluded_by_claim(rule: Rule, case: Case) -> Sequence[Finding]:
    """Exemptions that rest on a declaration: never granted by the program."""
    activity = case.site.plan.activity
    asked = rule.options.get("exemptions", ())
    assert isinstance(asked, tuple)
    claims = {activity.exemption} if activity.exemption else set()
    claims |= {"state_funded"} if activity.state_funded else set()
    claims |= {"state_agency"} if activity.state_agency else set()
    claimed = [exemption.replace("_", " ") for exemption in asked if exemption in claims]
    if not claimed:
        return [finding(rule, "claim", Status.NOT_APPLICABLE, "The application claims no exemption of this kind.")]
    text = f"The application claims an exemption ({', '.join(claimed)}): the reviewer decides."
    return [finding(rule, "claim", Status.NEEDS_REVIEW, text)]


def reached_by_land(rule: Rule, case: Case) -> Sequence[Finding]:
    """Whether the land itself (not the disturbed part) reaches the limit."""
    land, stated = case.measured.values.get("site_acres"), case.site.plan.stated.site_acres
    return [_trigger(rule, "land", land, "The land has", "the land's acreage", stated=stated)]


def reached_by_plat_or_lot(rule: Rule, case: Case) -> Sequence[Finding]:
    """Platted land over one limit, or a lot for commercial, industrial or institutional buildings at another."""
    activity, found = case.site.plan.activity, []
    land, lot = case.measured.values.get("site_acres"), case.measured.values.get("lot_largest_acres")
    if activity.needs_plat is None:
        found.append(
            finding(rule, "plat", Status.NEEDS_REVIEW, "The application does not say whether a plat is needed.")
        )
    elif activity.needs_plat:
        stated = case.site.plan.stated.site_acres
        found.append(_trigger(rule, "plat", land, "Land to be platted:", "the land's acreage", "plat", stated))
    else:
        found.append(finding(rule, "plat", Status.NOT_APPLICABLE, "No subdivision plat is needed, as stated."))
    if activity.land_use in {"commercial", "industrial", "institutional"}:
        largest = lot if lot is not None and lot.value is not None else land
        made = _trigger(rule, "lot", largest, f"Lot for {activity.land_use} buildings:", "the lot's acreage", "lot")
        found.append(_with_undivided_land(made, case))
    else:
        use = activity.land_use.replace("_", " ")
        text = f"Stated land use: {use}." if use else "The application does not state the land use."
        status = Status.NOT_APPLICABLE if use else Status.NEEDS_REVIEW
        found.append(finding(rule, "lot", status, text))
    return found


def _with_undivided_land(made: Finding, case: Case) -> Finding:
    """The finding on the largest lot; the reviewer's where land that no lot is drawn on would reach the limit."""
    limit = made.limit
    lots = shapely.union_all([item.geometry for item in case.site.plan.of("lot")])
    rest = acres(shapely.difference(case.measured.shape["site"], lots).area)
    if made.status is not Status.NOT_APPLICABLE or limit is None or not compare(rest, limit.operator, limit.value):
        return made
    text = f"{made.message} But {show(rest, 2, limit.value)} acres of the site are in no lot: whether they are one is the reviewer's."
    return replace(made, status=Status.NEEDS_REVIEW, message=text)


def reached_by_length(rule: Rule, case: Case) -> Sequence[Finding]:
    """Feet of street or of pipe, drawn or stated; only in stretches that lie apart: the reviewer's."""
    quantity = str(rule.options.get("quantity", "street"))
    total, longest = (case.measured.values.get(f"{quantity}_work_{name}") for name in ("ft", "longest_ft"))
    activity = case.site.plan.activity
    stated = {"street": activity.street_work_ft, "pipe": activity.pipe_work_ft}[quantity]
    made = _trigger(
        rule, quantity, total, f"Length of {quantity} work:", f"the length of {quantity} work", stated=stated
    )
    limit = rule.limits["least"]
    if made.status is Status.PASS and longest is not None and longest.value is not None and not held(longest, limit):
        text = (
            f"{made.message} But the longest of the stretches that lie apart has {amount(longest, limit)}: whether "
            "they are one project is the reviewer's."
        )
        return [finding(rule, quantity, Status.NEEDS_REVIEW, text, measured=total, limit=limit)]
    return [made]


def reached_for_plan_content(rule: Rule, case: Case) -> Sequence[Finding]:
    """Whether the listed content of the control plan is asked of a disturbance of this size."""
    measured, stated = case.measured.values.get("disturbed_acres"), case.site.plan.stated.disturbed_acres
    return [_trigger(rule, "disturbed", measured, "Disturbed ground:", "the disturbed acreage", stated=stated)]


def _trigger(
    rule: Rule,
    subject: str,
    measured: Measurement | None,
    opening: str,
    name: str,
    limit_name: str = "least",
    stated: float | None = None,
) -> Finding:
    if measured is None or measured.value is None:
        return untold(rule, subject, measured, name)
    limit = rule.limits[limit_name]
    reached = held(measured, limit)
    status = {True: Status.PASS, False: Status.NOT_APPLICABLE, None: Status.NEEDS_REVIEW}[reached]
    words = {True: "reached", False: "not reached", None: "too near to tell"}[reached]
    if measured.reason and reached is False:
        # What stands in for the land is a part of it: the whole may reach the limit.
        status, words = Status.NEEDS_REVIEW, f"cannot be told ({measured.reason})"
    other = contradiction(stated, measured, limit) if reached is False else ""
    if other:
        status = Status.NEEDS_REVIEW
    text = f"{opening} {amount(measured, limit)}; {limit_words(limit)}: {words}.{other}"
    return finding(rule, subject, status, text, measured=measured, limit=limit)


def reached_by_determination(rule: Rule, case: Case) -> Sequence[Finding]:
    """Whether the administrator reaches a site of any size: never by itself, only by a decision written down."""
    text = (
        f"The opinion of the {case.ordinance.administrator} decides, and nothing on a map can show it; a decision 'pass' "
        "about this line in the file of --overrides records it and opens every other rule."
    )
    return [checklist(rule, "site", text)]
