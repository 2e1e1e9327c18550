"""The reviewer's decisions set beside the program's findings, which they never erase."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from siteplan_gis.model.flag import Flag
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from siteplan_gis.model.review import Decision, Finding

_SAME: Final = 0.01
"""A measured value within this share of the one that was looked at (or within its doubt) is still the same."""


def decide(findings: Iterable[Finding], decisions: Sequence[Decision]) -> list[Finding]:
    """The findings, each with the reviewer's decision that still holds for it.

    A crash is not decided away.
    """
    by_fingerprint = {decision.fingerprint: decision for decision in decisions}
    decided = []
    for finding in findings:
        decision = by_fingerprint.get(finding.fingerprint)
        holds = decision is not None and finding.status is not Status.ERROR and not _changed(finding, decision)
        decided.append(replace(finding, override=decision.override) if holds and decision is not None else finding)
    return decided


def unused(findings: Sequence[Finding], decisions: Sequence[Decision]) -> tuple[Flag, ...]:
    """A warning for each decision that was not applied, and why."""
    fingerprints = {finding.fingerprint: finding for finding in findings}
    ids = {finding.id: finding for finding in findings}
    flags = []
    for decision in decisions:
        finding, named = fingerprints.get(decision.fingerprint), decision.finding or decision.fingerprint
        told = f"the decision of {decision.override.who} ({decision.override.when.isoformat()}) on {named}"
        if finding is not None and finding.override is decision.override:
            continue
        if finding is not None and finding.status is Status.ERROR:
            text, code = f"{told} was not applied: the check crashed", "override_stale"
        elif finding is not None:
            now = "nothing" if finding.measured is None else finding.measured.value
            text = f"{told} was made at {decision.value:g}, but {now} is measured now"
            code = "override_stale"
        elif decision.finding in ids:
            now = ids[decision.finding].status.value.replace("_", " ")
            text, code = f"{told} was made about another answer: it is now {now!r}", "override_stale"
        else:
            text, code = f"{told} is about no finding of this review", "override_unknown"
        flags.append(Flag(code, text, feature=named))
    return tuple(flags)


def _changed(finding: Finding, decision: Decision) -> bool:
    """Whether another value is measured now than the one that the reviewer looked at."""
    if decision.value is None:
        return False
    measured = finding.measured
    if measured is None or isinstance(measured.value, bool) or not isinstance(measured.value, int | float):
        return True
    return abs(measured.value - decision.value) > max(_SAME * abs(decision.value), measured.plus_minus or 0.0)
