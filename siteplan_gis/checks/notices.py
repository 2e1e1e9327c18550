"""Notices to the village about the start of work and about installed practices.

What the rules ask: a notice within 48 hours of commencing land disturbance; a notice of every installed practice
within three days (Saukville), 14 days (Fairwater) or 14 calendar days (East Troy).

How it is judged: from the notices of the village's permit record. "Within 48 hours of commencing" does not say
whether before or after: a notice up to 48 hours either way passes, a later one fails, an earlier one is the
reviewer's. A time known only to the day may be any minute of it; where that decides, the reviewer does. Days are
calendar days; the day of the installation is not counted.

Limits: a practice that was installed without any notice is seen only where the record tells of it; that nobody gave
notice of the start of recorded work is the reviewer's.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from siteplan_gis.checks.verdict import checklist, finding
from siteplan_gis.model.review import Status
from siteplan_gis.ordinances.quantities import limit_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.permit import Notice
    from siteplan_gis.model.review import Case, Finding

_LATE = "Give the notice now, and say why it is late."


def judge_notices(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding a notice; `options.of` is "start" or "practice"."""
    record, start = case.permit, rule.options["of"] == "start"
    if record is None or record.issued is None:
        return [checklist(rule, "notice", "No permit is on record: notices are due once work under it begins.")]
    notices = [notice for notice in record.notices if (notice.of == "start") is start]
    judge = _start if start else _installed
    found = [judge(rule, notice) for notice in notices]
    if found:
        return found
    if start and record.began is not None:
        text = f"Work began on {record.began}; no notice of it is on record."
        return [finding(rule, "start", Status.NEEDS_REVIEW, text, remedy="Look for the notice, or ask for it.")]
    text = "No start of work is on record yet." if start else "No notice of an installed practice is on record."
    return [checklist(rule, "notice", text)]


def _start(rule: Rule, notice: Notice) -> Finding:
    limit = rule.limits["most"]
    window = timedelta(hours=limit_in(limit, "hour"))
    earliest, latest = notice.given.first - notice.happened.last, notice.given.last - notice.happened.first
    text = f"Work began on {notice.happened}; the notice was given on {notice.given}."
    if -window <= earliest and latest <= window:
        return finding(rule, "start", Status.PASS, text)
    if earliest > window:
        return finding(
            rule, "start", Status.FAIL, f"{text} That is more than {limit.value:g} hours after.", remedy=_LATE
        )
    if latest < -window:
        return finding(rule, "start", Status.NEEDS_REVIEW,
                       f"{text} That is more than {limit.value:g} hours before; the text does not say whether it counts.")  # fmt: skip
    text = f"{text} The times are not exact enough to tell whether {limit.value:g} hours were kept."
    return finding(rule, "start", Status.NEEDS_REVIEW, text)


def _installed(rule: Rule, notice: Notice) -> Finding:
    limit = rule.limits["most"]
    days = (notice.given.day - notice.happened.day).days
    text = f"{notice.of}: installed on {notice.happened.day.isoformat()}, notice given on {notice.given.day.isoformat()} ({days} days after)."
    if days < 0:
        return finding(rule, notice.of, Status.NEEDS_REVIEW, f"{text} The notice came before the installation.")
    if days <= limit.value:
        return finding(rule, notice.of, Status.PASS, text)
    return finding(rule, notice.of, Status.FAIL, f"{text} {limit.value:g} days are allowed.", remedy=_LATE)
