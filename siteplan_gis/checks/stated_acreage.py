"""Stated against measured acreage.

What the rule asks: an estimate of the site's area and of the area to be disturbed.

How it is judged: the stated figure agrees when it differs from the measured one by no more than the tolerance in
the ordinance's file (in percent, and a floor in acres for small sites). Up to the second, wider tolerance the
reviewer decides; beyond, the statement is wrong. Overlapping phases count once.

Limits: a figure that was not given cannot be compared: not checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from siteplan_gis.checks.verdict import amount, finding, untold
from siteplan_gis.model.comparison import show
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding


def compare_stated(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for the site, one for the disturbed ground, one for disturbed ground outside the site."""
    stated = case.site.plan.stated
    found = [
        judge_stated(rule, case, "site_acres", stated.site_acres, "site"),
        judge_stated(rule, case, "disturbed_acres", stated.disturbed_acres, "disturbed"),
    ]
    outside = case.measured.values.get("disturbed_outside_site_acres")
    if outside is not None and isinstance(outside.value, int | float) and outside.value > 0:
        text = f"{amount(outside, None, 3)} of the disturbed ground lie outside the site: the site, the disturbance or both are drawn wrong."
        remedy = "Draw the site around all ground of the project, or move the limits of disturbance."
        found.append(finding(rule, "outside", Status.NEEDS_REVIEW, text, measured=outside, remedy=remedy))
    return found


def judge_stated(rule: Rule, case: Case, name: str, stated: float | None, subject: str) -> Finding:
    """Compare one stated acreage with the measured one."""
    measured = case.measured.values.get(name)
    if measured is None or measured.value is None:
        return untold(rule, subject, measured, name.replace("_", " "))
    if stated is None:
        text = f"Not checked: the application's stated acreage ({subject}) was not given. Measured: {amount(measured)}."
        return finding(rule, subject, Status.NOT_CHECKED, text, measured=measured,
                       remedy=f"State {name} in siteplan.toml under [stated].")  # fmt: skip
    value = float(measured.value)
    close = _tolerance(rule, value, "agrees_percent", 1.0)
    wide = _tolerance(rule, value, "wrong_percent", 5.0)
    difference = stated - value
    text = f"Stated {show(stated)} acres, measured {amount(measured)}: {show(abs(difference))} acres too {'much' if difference > 0 else 'little'}."
    if stated == 0 < value:
        # Within the floor's 0.05 acre "none" would agree with a small piece of ground, but some is not none.
        close = -1.0
    if abs(difference) <= close and not measured.reason:
        return finding(
            rule,
            subject,
            Status.PASS,
            f"Stated {show(stated)} acres, measured {amount(measured)}: they agree.",
            measured=measured,
        )
    status = Status.NEEDS_REVIEW if abs(difference) <= wide or measured.reason else Status.FAIL
    text += f" But {measured.reason}." if measured.reason else ""
    return finding(
        rule,
        subject,
        status,
        text,
        measured=measured,
        remedy="State the measured figure, or correct the drawing.",
    )


def _tolerance(rule: Rule, value: float, percent_option: str, percent: float) -> float:
    share, floor = rule.options.get(percent_option, percent), rule.options.get("floor_acres", 0.05)
    assert isinstance(share, int | float)
    assert isinstance(floor, int | float)
    return max(value * share / 100, float(floor))
