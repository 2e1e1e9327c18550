"""How a check words its answer: the only place where a severity or a gap in the text changes a status."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from siteplan_gis.model.comparison import compare, show
from siteplan_gis.model.review import Finding, Status
from siteplan_gis.ordinances.quantities import limit_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.measurement import Measurement
    from siteplan_gis.model.ordinance import Limit, Rule
    from siteplan_gis.model.source import Source


def capped(rule: Rule, status: Status) -> Status:
    """The status that the rule's words allow.

    Only "shall" fails by itself; words that are missing from the supplied text decide nothing either way.
    """
    if rule.source_status in {"assumed", "missing"} and status in {Status.PASS, Status.FAIL}:
        return Status.NEEDS_REVIEW
    if status is Status.FAIL and rule.severity != "shall":
        return Status.NEEDS_REVIEW
    return status


def finding(
    rule: Rule,
    subject: str,
    status: Status,
    message: str,
    *,
    remedy: str = "",
    measured: Measurement | None = None,
    limit: Limit | None = None,
    where: BaseGeometry | None = None,
    sources: tuple[Source, ...] = (),
) -> Finding:
    """A finding with its status capped by the rule's words and its margin computed."""
    margin = None
    if measured is not None and limit is not None and isinstance(measured.value, int | float):
        sign = 1 if limit.operator in {">=", ">"} else -1
        margin = sign * (float(measured.value) - limit_in(limit, measured.unit))
    return Finding(
        rule,
        subject,
        capped(rule, status),
        message,
        remedy,
        measured,
        limit,
        margin,
        where if where is not None or measured is None else measured.where,
        sources or (measured.sources if measured is not None else ()),
    )


LOSSES: Final = frozenset({
    "archive_entry_skipped", "cad_object_unread", "drawing_damaged", "feature_empty", "feature_unreadable",
    "feature_wrong_kind", "file_unreadable", "layer_truncated", "lines_not_closed", "link_not_followed", "xref_unbound",
})  # fmt: skip
"""Flags that tell that something which the plan draws was not read."""

SEND_AGAIN: Final = "Send the plan again so that all of it can be read."

_SHOWN: Final = 3


def as_far_as_read(found: Sequence[Finding], flags: Sequence[Flag]) -> Sequence[Finding]:
    """Findings on what a plan draws, none of them clean where parts of the drawing could not be read.

    What was lost may be the very ground that breaks the rule, or that makes the ordinance apply.
    """
    lost = [flag for flag in flags if flag.code in LOSSES]
    if not lost:
        return found
    named = "; ".join(" ".join(filter(None, (flag.layer, flag.feature, flag.text))) for flag in lost[:_SHOWN])
    more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
    why = f" But parts of the plan could not be read ({named}{more}): look whether they change this."
    clean = {Status.PASS, Status.NOT_APPLICABLE}
    return [
        replace(item, status=Status.NEEDS_REVIEW, message=item.message + why, remedy=item.remedy or SEND_AGAIN)
        if item.counted and item.status in clean
        else item
        for item in found
    ]


def checklist(
    rule: Rule,
    subject: str,
    message: str,
    *,
    measured: Measurement | None = None,
    where: BaseGeometry | None = None,
    sources: tuple[Source, ...] = (),
) -> Finding:
    """A line of the reviewer's checklist: what the program can tell, and that a person decides."""
    made = finding(rule, subject, Status.NEEDS_REVIEW, message, measured=measured, where=where, sources=sources)
    return replace(made, counted=False)


def listed(words: Sequence[str], most: int = 8) -> str:
    """Some sentences in a row, no more than a reader can take in."""
    return "; ".join(words[:most]) + f"; and {len(words) - most} more" * (len(words) > most)


def untold(rule: Rule, subject: str, measured: Measurement | None, name: str) -> Finding:
    """The finding for a value that cannot be told: not checked, with the reason."""
    reason = measured.reason if measured is not None and measured.reason else f"{name} was not measured"
    return finding(rule, subject, Status.NOT_CHECKED, f"Not checked: {reason}.", measured=measured)


def unseen(rule: Rule, subject: str) -> Finding:
    """The finding for something drawn, where only sheets were given: the program sees no drawing on a sheet."""
    text = "Not checked: only sheets were given; what they show has to be looked at."
    remedy = "Give the drawing (DXF) or GIS layers, too."
    return finding(rule, subject, Status.NOT_CHECKED, text, remedy=remedy)


def held(measured: Measurement, limit: Limit) -> bool | None:
    """Whether the measured value satisfies the limit; None where its doubt reaches across.

    Raises
    ------
    TypeError
        If the value is not a number: ask `untold` first.
    """
    if isinstance(measured.value, bool) or not isinstance(measured.value, int | float):
        message = f"{measured.name} is no number"
        raise TypeError(message)
    return compare(float(measured.value), limit.operator, limit_in(limit, measured.unit), measured.plus_minus)


def contradiction(stated: float | None, measured: Measurement, limit: Limit) -> str:
    """Words for a stated figure that lies on the other side of a limit than the measured one; "" where none does."""
    if stated is None or compare(stated, limit.operator, limit_in(limit, measured.unit)) == held(measured, limit):
        return ""
    unit = _UNIT_WORDS.get(measured.unit, measured.unit)
    shown = show(stated, 2, limit_in(limit, measured.unit))
    return f" The application states {shown} {unit}, which lies on the other side of {limit.value:g}: one of the two is wrong."


def amount(measured: Measurement, limit: Limit | None = None, decimals: int = 2) -> str:
    """A measured value in words, with its doubt, never rounded across the limit."""
    assert isinstance(measured.value, int | float)
    text = show(float(measured.value), decimals, limit_in(limit, measured.unit) if limit else None)
    doubt = (
        f" ± {show(measured.plus_minus, decimals)}"
        if measured.plus_minus and measured.plus_minus >= 0.5 * 10**-decimals
        else ""
    )
    return f"{text}{doubt} {_UNIT_WORDS.get(measured.unit, measured.unit)}".rstrip()


def limit_words(limit: Limit) -> str:
    """A limit in words, e.g. "at most 100 ft per inch"."""
    words = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than", "==": "exactly"}[limit.operator]
    unit = limit.unit if limit.value == 1 else _UNIT_WORDS.get(limit.unit, limit.unit)
    return f"{words} {limit.value:,g} {unit}".rstrip()


_UNIT_WORDS = {"acre": "acres", "ft/in": "ft per inch", "count": "", "mile": "miles"}
