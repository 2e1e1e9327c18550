"""How long a permit lasts.

What the rules ask: 180 days, or the length of the building permit or other authorisation, whichever is longer, from
the date of issuance; extensions of up to 180 days more, one or more times.

How it is judged: from the village's permit record. The day of issuance is not counted and the last day is. An
extension adds its days to the end; one of more than 180 days, or granted after the end, is the reviewer's. A permit
that has run out before the ground is stabilised fails.

Limits: whether extensions run from the end or from the day they are granted the texts do not say; from the end is
taken.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from siteplan_gis.checks.verdict import checklist, finding
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding


def judge_permit_term(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding: the last day of the permit and what it means on the day of the review."""
    record, days = case.permit, int(rule.limits["valid"].value)
    if record is None or record.issued is None:
        return [checklist(rule, "permit", "No permit is on record: its term begins with its date of issuance.")]
    most = int(rule.limits["extension"].value)
    end = record.issued + timedelta(days=days)
    why = f"{days} days from {record.issued.isoformat()}"
    if record.building_permit_until is not None and record.building_permit_until > end:
        end, why = record.building_permit_until, "the length of the building permit"
    doubts = []
    for extension in record.extensions:
        if extension.days > most:
            doubts.append(f"an extension of {extension.days} days is longer than the {most} that the text allows")
        if extension.granted > end:
            doubts.append(
                f"an extension was granted on {extension.granted.isoformat()}, after the end on {end.isoformat()}"
            )
        end += timedelta(days=extension.days)
        why += f", extended by {extension.days} days"
    text = f"The permit is valid through {end.isoformat()} ({why})."
    if doubts:
        return [finding(rule, "permit", Status.NEEDS_REVIEW, f"{text} But {'; '.join(doubts)}.")]
    done = record.stabilised
    if done is not None and done <= end:
        return [finding(rule, "permit", Status.PASS, f"{text} The ground was stabilised on {done.isoformat()}.")]
    if case.on > end or done is not None:
        return [finding(rule, "permit", Status.FAIL, f"{text} It has run out, and the ground was not stabilised by then.",
                        remedy="Ask for an extension before the permit ends.")]  # fmt: skip
    return [finding(rule, "permit", Status.PASS, f"{text} {(end - case.on).days} days are left.")]
