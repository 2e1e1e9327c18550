"""The time that the village has to review an application.

What the rules ask: Saukville, a decision within 20 business days of a complete application, or within seven of
additional information, or the application is deemed approved; Fairwater, a review within 10 work days.

How it is judged: the day on which the clock starts comes from the village's permit record, never from the date
that the application bears. Business days are those of the village's
calendar in the ordinance's file, less the days that the record names as closed; the first day is not counted, the
last one is. A decision in time passes; a clock still running passes and tells the last day; a missed day is for the
reviewer, with its consequence.

Limits: the village's real office days and holidays are the user's to put in; the calendar shipped is assumed. What
the clock misses is the village's matter: it never makes a plan fail.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from siteplan_gis.checks.verdict import checklist, finding
from siteplan_gis.measures.workdays import business_days_between, nth_business_day
from siteplan_gis.model.permit import PermitRecord
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding


def judge_review_clock(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding: the last day, and whether the decision came by then."""
    days, calendar = int(rule.limits["most"].value), case.ordinance.calendar
    record = case.permit or PermitRecord()
    began, why = _start(rule, case)
    if began is None:
        return [checklist(rule, "clock", why)]
    arguments = calendar.office_days, calendar.holidays, record.closed
    due = nth_business_day(began, days, *arguments)
    assumed = " The village's calendar is assumed." if calendar.assumed else ""
    told = f"{days} business days after {why} ({began.isoformat()}) end on {due.isoformat()}."
    more = record.more_received
    if rule.options.get("clock") != "more_received" and more is not None and more > began:
        text = (
            f"{told} Additional information came in on {more.isoformat()}: the time to decide runs from there.{assumed}"
        )
        return [finding(rule, "clock", Status.NOT_APPLICABLE, text)]
    consequence = " Without a decision by then the application is deemed approved." * bool(
        rule.options.get("deemed_approved")
    )
    decided = record.decided
    if decided is not None and decided < began:
        text = f"{told} The decision of {decided.isoformat()} came before that.{assumed}"
        return [finding(rule, "clock", Status.NOT_APPLICABLE, text)]
    if decided is not None and decided <= due:
        return [
            finding(rule, "clock", Status.PASS, f"{told} The applicant was informed on {decided.isoformat()}.{assumed}")
        ]
    if decided is not None or case.on > due:
        late = f"The applicant was informed on {decided.isoformat()}" if decided else "No decision is on record"
        text = f"{told} {late}.{consequence}{assumed}"
        made = finding(rule, "clock", Status.NEEDS_REVIEW, text, remedy="Ask the village attorney what this means.")
        return [replace(made, due=due)]
    left = business_days_between(case.on, due, *arguments)
    text = f"{told} {left} business day{'s are' if left != 1 else ' is'} left.{consequence}{assumed}"
    return [replace(finding(rule, "clock", Status.PASS, text), due=due)]


def _start(rule: Rule, case: Case) -> tuple[date | None, str]:
    """The day on which the clock starts and what happened on it, or None and why it is not known."""
    record, kind = case.permit or PermitRecord(), rule.options.get("clock")
    if kind == "more_received":
        if record.more_received is None:
            return None, "No additional information is on record; a reviewer keeps this clock."
        return record.more_received, "the additional information was received"
    if kind == "complete":
        if record.complete is not None:
            return record.complete, "the application was complete"
        return None, "The day on which the application was complete is not on record (give --permit)."
    if record.received is not None:
        return record.received, "the application was received"
    return None, "The day on which the application was received is not on record (give --permit)."
