"""The permit holder's inspections after rain, every week, and the log of them.

What the rules ask: Saukville and East Troy, an inspection within 24 hours after each rain of 0.5 inch or more which
results in runoff during active construction; Fairwater, after each such rain, without a time and whether or not it
runs off; all three at least once each week; Saukville and East Troy, in a log with listed facts.

How it is judged: from the rain table and the log of the village's permit record, between the start of work and final
stabilisation (or the day of the review). A time known only to the day may be any minute of it. A rain whose runoff
nobody noted and that no inspection followed is the reviewer's. Two inspections more than seven days apart break the
week. Without a limit of hours, an inspection before the next such rain, at the latest within a week, is taken.

Limits: a rain that is not in the table is not seen; whether what was found was repaired within 24 hours is read by a
person from the log's words.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from siteplan_gis.checks.verdict import checklist, finding
from siteplan_gis.model.permit import Moment
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.permit import LogEntry, PermitRecord, Rain
    from siteplan_gis.model.review import Case, Finding

_WEEK: Final = timedelta(days=7)
_MOST_NAMED: Final = 10


def judge_rain_inspections(rule: Rule, case: Case) -> Sequence[Finding]:
    """Findings about the rains, the weeks and the log's columns."""
    record = case.permit
    if record is None or record.began is None:
        return [
            checklist(rule, "inspections", "No start of work is on record: inspections are due while it is active.")
        ]
    missing = [name for name, table in (("rain table", record.rains), ("inspection log", record.log)) if table is None]
    if missing:
        text = f"Not checked: the permit record names no {' and no '.join(missing)}."
        return [
            finding(rule, "inspections", Status.NOT_CHECKED, text, remedy="Name rain and log in the permit record.")
        ]
    assert record.log is not None
    until = datetime.combine(min(case.on, record.stabilised or case.on), time(23, 59))
    entries = [entry for entry in record.log if entry.when.last >= record.began.first and entry.when.first <= until]
    return [
        _rains(rule, record, entries, until),
        _weeks(rule, record.began, entries, until),
        *_columns(rule, entries),
    ]


def _rains(rule: Rule, record: PermitRecord, entries: Sequence[LogEntry], until: datetime) -> Finding:
    assert record.rains is not None
    assert record.began is not None
    least = rule.limits["rain"].value
    heavy = [rain for rain in record.rains
             if rain.inches >= least and rain.ended.last >= record.began.first and rain.ended.first <= until]  # fmt: skip
    if rule.options.get("only_runoff"):
        heavy = [rain for rain in heavy if rain.runoff is not False]
    hours = rule.limits.get("after_rain")
    missed, doubtful = [], []
    for place, rain in enumerate(heavy):
        window = timedelta(hours=hours.value) if hours is not None else _WEEK
        if hours is None and place + 1 < len(heavy):
            window = min(window, heavy[place + 1].ended.first - rain.ended.first)
        sure, possible = _followed(rain, entries, window)
        if sure:
            continue
        if possible or (rule.options.get("only_runoff") and rain.runoff is None) or rain.ended.first + window > until:
            doubtful.append(rain)
        else:
            missed.append(rain)
    told = f"{len(heavy)} rain{'s' * (len(heavy) != 1)} of {least:g} inch or more while work was active"
    if missed:
        text = f"{told}; no inspection followed in time that of {_named(missed)}."
        return finding(rule, "rains", Status.FAIL, text, remedy="Inspect after every such rain and log it.")
    if doubtful:
        text = (
            f"{told}; whether an inspection followed in time, or had to, cannot be told of that of {_named(doubtful)}."
        )
        return finding(rule, "rains", Status.NEEDS_REVIEW, text)
    return finding(rule, "rains", Status.PASS, f"{told}; an inspection followed each in time.")


def _followed(rain: Rain, entries: Sequence[LogEntry], window: timedelta) -> tuple[bool, bool]:
    """Whether an entry surely follows a rain within the window, and whether one possibly does."""
    sure = any(
        rain.ended.last <= entry.when.first and entry.when.last <= rain.ended.first + window for entry in entries
    )
    possible = any(
        rain.ended.first <= entry.when.last and entry.when.first <= rain.ended.last + window for entry in entries
    )
    return sure, possible


def _weeks(rule: Rule, began: Moment, entries: Sequence[LogEntry], until: datetime) -> Finding:
    times = [began, *(entry.when for entry in entries), Moment(until, until)]
    gaps = [(one.day, other.day) for one, other in pairwise(times) if (other.day - one.day) > _WEEK]
    if gaps:
        named = "; ".join(f"{one.isoformat()} to {other.isoformat()}" for one, other in gaps[:_MOST_NAMED])
        text = f"More than seven days passed without an inspection in the log: {named}."
        return finding(rule, "weeks", Status.FAIL, text, remedy="Inspect at least once each week and log it.")
    return finding(rule, "weeks", Status.PASS, f"{len(entries)} inspections; never more than seven days apart.")


def _columns(rule: Rule, entries: Sequence[LogEntry]) -> list[Finding]:
    columns = rule.options.get("log_columns", ())
    assert isinstance(columns, tuple)
    if not columns or not entries:
        return []
    empty = {column: sum(not getattr(entry, column) for entry in entries) for column in columns}
    lacking = [f"{column} in {count} of {len(entries)}" for column, count in empty.items() if count]
    if lacking:
        text = f"Entries of the log lack what the text asks for: {', '.join(lacking)}."
        return [finding(rule, "log", Status.FAIL, text, remedy="Complete the log.")]
    return [finding(rule, "log", Status.PASS, f"All {len(entries)} entries tell {', '.join(columns)}.")]


def _named(rains: Sequence[Rain]) -> str:
    named = ", ".join(f"{rain.ended} ({rain.inches:g} in)" for rain in rains[:_MOST_NAMED])
    return named + f" and {len(rains) - _MOST_NAMED} more" * (len(rains) > _MOST_NAMED)
