"""`permit.toml`: the village's file on an application, with its rain table and inspection log, read strictly.

    received = 2026-04-01
    complete = 2026-04-03
    issued = 2026-04-28
    began = 2026-05-10T07:00:00
    rain = "rain.csv"        # columns: ended, inches, runoff (yes, no or empty)
    log = "log.csv"          # columns: when, name, location, assessment, phase, maintenance

    [[notice]]
    of = "start"             # or the name of a practice
    happened = 2026-05-10T07:00:00
    given = 2026-05-08

    [[visit]]
    day = 2026-05-20
    found = "ok"             # or "sediment" or "inadequate"

The file and its tables are the village's own; times carry no time zone and are local.
"""

from __future__ import annotations

import csv
import io
import math
from datetime import date, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from siteplan_gis.errors import InputError, SeveralInputErrors
from siteplan_gis.ingest.records.manifest import written_day
from siteplan_gis.model.permit import Extension, LogEntry, Moment, Notice, PermitRecord, Rain, Visit
from siteplan_gis.model.source import Source
from siteplan_gis.toml_files import read_toml, text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_LARGEST_BYTES: Final = 16 << 20
_RAIN_COLUMNS: Final = ("ended", "inches", "runoff")
_LOG_COLUMNS: Final = ("when", "name", "location", "assessment", "phase", "maintenance")
_TRUTH: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "": None}
_MOST_PROBLEMS: Final = 20


def _moment(value: Any) -> Any:
    if isinstance(value, str):
        value = _time_of(value)
    if isinstance(value, datetime) and value.tzinfo is not None:
        raise ValueError("write local time without a time zone")
    if not isinstance(value, date):
        raise ValueError(f"{value!r} is not a date or time like 2026-05-01 or 2026-05-01T07:00:00")  # noqa: TRY004
    return Moment.of(value)


def _time_of(text: str) -> date | datetime:
    text = text.strip()
    try:
        return date.fromisoformat(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a date or time like 2026-05-01 or 2026-05-01 07:00") from None


_Day = Annotated[date | None, BeforeValidator(written_day)]
_SureDay = Annotated[date, BeforeValidator(written_day)]
_Moment = Annotated[Moment, BeforeValidator(_moment)]
_Words = Annotated[str, StringConstraints(min_length=1, pattern=r"\S", max_length=400)]


class _Strict(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, allow_inf_nan=False, arbitrary_types_allowed=True
    )


class _NoticeTable(_Strict):
    of: _Words
    happened: _Moment
    given: _Moment


class _VisitTable(_Strict):
    day: _SureDay
    found: Literal["ok", "sediment", "inadequate"] = "ok"
    corrected: bool = False


class _ExtensionTable(_Strict):
    granted: _SureDay
    days: Annotated[int, Field(ge=1, le=3660)]


class _File(_Strict):
    received: _Day = None
    complete: _Day = None
    more_received: _Day = None
    decided: _Day = None
    decision: Literal["", "approved", "disapproved"] = ""
    issued: _Day = None
    building_permit_until: _Day = None
    extension: list[_ExtensionTable] = Field(default_factory=list)
    post_construction_permit: _Day = None
    began: _Moment | None = None
    stabilised: _Day = None
    closed: list[_SureDay] = Field(default_factory=list)
    rain: str = ""
    log: str = ""
    notice: list[_NoticeTable] = Field(default_factory=list)
    visit: list[_VisitTable] | None = None


def read_permit_record(path: Path) -> PermitRecord:
    """Read the village's file on an application.

    Raises
    ------
    InputError
        If a file is missing, damaged, or no TOML or CSV at all.
    SeveralInputErrors
        If keys, values or dates are wrong: every one is named.
    """
    read, digest = read_toml(path, _File)
    problems = [InputError(text) for text in _contradictions(read)]
    if problems:
        raise SeveralInputErrors(problems, file=path.name)
    sources = [Source("the village's permit record", file=path.name, sha256=digest)]
    rains = log = None
    if read.rain:
        text, table = _content(path.parent / read.rain, "the rain record")
        rains = tuple(_rows(text, read.rain, _RAIN_COLUMNS, _rain))
        sources.append(table)
    if read.log:
        text, table = _content(path.parent / read.log, "the site erosion control log")
        log = tuple(_rows(text, read.log, _LOG_COLUMNS, _entry))
        sources.append(table)
    return PermitRecord(
        received=read.received,
        complete=read.complete,
        more_received=read.more_received,
        decided=read.decided,
        decision=read.decision,
        issued=read.issued,
        building_permit_until=read.building_permit_until,
        extensions=tuple(Extension(one.granted, one.days) for one in read.extension),
        post_construction_permit=read.post_construction_permit,
        began=read.began,
        stabilised=read.stabilised,
        closed=frozenset(read.closed),
        notices=tuple(Notice(one.of, one.happened, one.given) for one in read.notice),
        rains=None if rains is None else tuple(sorted(rains, key=lambda rain: (rain.ended.first, rain.inches))),
        log=None if log is None else tuple(sorted(log, key=lambda entry: (entry.when.first, entry.name))),
        visits=None
        if read.visit is None
        else tuple(Visit(one.day, one.found, one.corrected) for one in sorted(read.visit, key=lambda one: one.day)),
        sources=tuple(sources),
    )


def _contradictions(read: _File) -> list[str]:
    """Days that cannot follow each other."""
    order = (
        ("received", read.received), ("complete", read.complete), ("decided", read.decided), ("issued", read.issued)
    )  # fmt: skip
    known = [(name, day) for name, day in order if day is not None]
    found = [
        f"{later} ({after.isoformat()}) is before {earlier} ({before.isoformat()})"
        for (earlier, before), (later, after) in pairwise(known)
        if after < before
    ]
    if read.began is not None and read.stabilised is not None and read.stabilised < read.began.day:
        found.append(f"stabilised ({read.stabilised.isoformat()}) is before began ({read.began})")
    return found


def _content(path: Path, title: str) -> tuple[str, Source]:
    text, digest = text_of(path, _LARGEST_BYTES)
    return text, Source(title, file=path.name, sha256=digest)


def _rows(
    text: str, name: str, columns: tuple[str, ...], build: Callable[[dict[str, str]], Rain | LogEntry]
) -> list[Any]:
    reader = csv.DictReader(io.StringIO(text), skipinitialspace=True, strict=True)
    found, problems = [], []
    try:
        header = [(column or "").strip().lower() for column in reader.fieldnames or ()]
        missing = [column for column in columns if column not in header]
        if missing:
            raise InputError(
                f"the columns {', '.join(missing)} are missing", file=name, remedy=f"name them {', '.join(columns)}"
            )
        for row in reader:
            values = {(key or "").strip().lower(): (value or "").strip() for key, value in row.items() if key}
            if not any(values.values()):
                continue
            try:
                found.append(build(values))
            except ValueError as error:
                problems.append(InputError(f"line {reader.line_num}: {error}"))
    except csv.Error as error:
        raise InputError(f"is not a CSV table (line {reader.line_num}: {error})", file=name) from None
    if problems:
        raise SeveralInputErrors(problems[:_MOST_PROBLEMS], file=name)
    return found


def _rain(row: dict[str, str]) -> Rain:
    try:
        inches = float(row["inches"])
    except ValueError:
        raise ValueError(f"inches {row['inches']!r} is not a number") from None
    if not (math.isfinite(inches) and inches >= 0):
        raise ValueError(f"inches {row['inches']!r} is no depth of rain")
    if row["runoff"].lower() not in _TRUTH:
        raise ValueError(f"runoff {row['runoff']!r} is not yes, no or empty")
    return Rain(Moment.of(_time_of(row["ended"])), inches, _TRUTH[row["runoff"].lower()])


def _entry(row: dict[str, str]) -> LogEntry:
    return LogEntry(Moment.of(_time_of(row["when"])), *(row[column] for column in _LOG_COLUMNS[1:]))
