"""The village's own inspections.

What the rules ask: Saukville, every two weeks from March 1 to October 31 and at least two times from November 1 to
February 28, and a follow-up within seven days of a sediment discharge or inadequate measure; East Troy, at least once
a month in summer and two times in winter ("should").

How it is judged: from the visits in the village's permit record, between the issuance of the permit and final
stabilisation (or the day of the review). Two visits of a summer season more than 14 days apart, a whole calendar month
without one, a whole winter with fewer than two, or a missing follow-up are told to the reviewer. February 29 lies in
neither season: a visit on that day counts for none.

Limits: these are duties of the village. What it missed never makes a plan fail, and in East Troy it does not
invalidate enforcement.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from siteplan_gis.checks.verdict import checklist, finding
from siteplan_gis.model.review import Status
from siteplan_gis.ordinances.quantities import limit_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.permit import Visit
    from siteplan_gis.model.review import Case, Finding

_SPRING, _AUTUMN = 3, 11
_MOST_NAMED: Final = 6


def judge_village_inspections(rule: Rule, case: Case) -> Sequence[Finding]:
    """Findings about the seasons and the follow-ups."""
    record = case.permit
    if record is None or record.issued is None:
        return [checklist(rule, "visits", "No permit is on record: the village inspects sites that hold one.")]
    if record.visits is None:
        return [checklist(rule, "visits", "The permit record names no visits of the village.")]
    first, last = record.issued, min(case.on, record.stabilised or case.on)
    visits = [visit for visit in record.visits if first <= visit.day <= last]
    days = [visit.day for visit in visits]
    interval = rule.limits["interval"]
    if interval.unit == "month":
        gaps = list(_months(first, last, days))
    else:
        gaps = list(_too_far_apart(first, last, days, timedelta(days=limit_in(interval, "day"))))
    gaps += _winters(first, last, days, rule.limits["winter"].value)
    told = f"{len(visits)} visit{'s' * (len(visits) != 1)} from {first.isoformat()} to {last.isoformat()}"
    if gaps:
        named = "; ".join(gaps[:_MOST_NAMED]) + f"; and {len(gaps) - _MOST_NAMED} more" * (len(gaps) > _MOST_NAMED)
        found = [finding(rule, "visits", Status.NEEDS_REVIEW, f"{told}: {named}.")]
    else:
        found = [finding(rule, "visits", Status.PASS, f"{told}: as often as the text asks.")]
    return found + (_follow_ups(rule, visits, last) if "follow_up" in rule.limits else [])


def _summers(first: date, last: date) -> Iterator[tuple[date, date]]:
    """The part of each March 1 to October 31 within a span."""
    for year in range(first.year, last.year + 1):
        begins, ends = max(first, date(year, _SPRING, 1)), min(last, date(year, _AUTUMN, 1) - timedelta(days=1))
        if begins <= ends:
            yield begins, ends


def _too_far_apart(first: date, last: date, days: Sequence[date], apart: timedelta) -> Iterator[str]:
    for begins, ends in _summers(first, last):
        marks = [begins, *(day for day in days if begins <= day <= ends), ends]
        for one, other in pairwise(marks):
            if other - one > apart:
                yield f"none between {one.isoformat()} and {other.isoformat()}"


def _months(first: date, last: date, days: Sequence[date]) -> Iterator[str]:
    for begins, ends in _summers(first, last):
        for month in range(begins.month, ends.month + 1):
            opens = date(begins.year, month, 1)
            closes = opens.replace(day=monthrange(opens.year, month)[1])
            whole = begins <= opens and closes <= ends
            if whole and not any(opens <= day <= closes for day in days):
                yield f"none in {opens.strftime('%B %Y')}"


def _winters(first: date, last: date, days: Sequence[date], least: float) -> Iterator[str]:
    for year in range(first.year, last.year + 1):
        begins, ends = date(year, _AUTUMN, 1), date(year + 1, 2, 28)
        count = sum(begins <= day <= ends for day in days)
        if first <= begins and ends <= last and count < least:
            yield f"{count} from {begins.isoformat()} to {ends.isoformat()}"


def _follow_ups(rule: Rule, visits: Sequence[Visit], last: date) -> list[Finding]:
    within = timedelta(days=limit_in(rule.limits["follow_up"], "day"))
    due = [visit for visit in visits if visit.found != "ok" and not visit.corrected]
    missing = [
        visit for visit in due if not any(visit.day < other.day <= visit.day + within for other in visits)
        and visit.day + within < last
    ]  # fmt: skip
    if not due:
        return []
    if missing:
        named = ", ".join(visit.day.isoformat() for visit in missing)
        return [finding(rule, "follow_up", Status.NEEDS_REVIEW, f"No follow-up within {within.days} days of {named}.")]
    return [finding(rule, "follow_up", Status.PASS, f"{len(due)} follow-ups within {within.days} days, or still due.")]
