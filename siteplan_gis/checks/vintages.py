"""Dates of reference layers that the law turns on, against the date of the application.

What the texts ask: land lies inside a municipal boundary, which annexations and detachments change; the lists of
outstanding, exceptional and impaired waters are updated every two years.

How it is told: a boundary layer that is older or newer than the application, or bears no date, and a list more than two
years older, are named in a warning. A date of a year or a month alone counts as older where its first day is. The
application's date is that of the village's record, else the applicant's; where neither is known, the day of the review.

Limits: dates are those that the layers' owners state. A warning changes no verdict.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from typing import TYPE_CHECKING, Final

from siteplan_gis.model.flag import Flag

if TYPE_CHECKING:
    from siteplan_gis.model.layers import ReferenceLayer
    from siteplan_gis.model.review import Case

_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?!\d)")
_LIST_YEARS: Final = 2


def warn_of_vintages(case: Case) -> tuple[Flag, ...]:
    """A warning for each layer whose date is not that of the application."""
    told = [_boundary(layer, case) for layer in case.site.layers.get("municipalities", ())]
    told += [_list(layer, case) for layer in case.site.layers.get("listed_waters", ())]
    return tuple(flag for flag in told if flag is not None)


def applied_on(case: Case) -> tuple[date, str]:
    """The day that boundaries are to be those of, and what day it is."""
    record = case.permit
    days = (record.complete, record.received) if record is not None else ()
    known = next((day for day in (*days, case.site.plan.submitted) if day is not None), None)
    return (known, "the application") if known is not None else (case.on, "the review")


def span_of(text: str) -> tuple[date, date] | None:
    """First and last day of a date as a catalogue writes it: a day, a month or a year; None for anything else.

    Examples
    --------
    >>> span_of("2024-02")
    (datetime.date(2024, 2, 1), datetime.date(2024, 2, 29))
    >>> span_of("spring")
    """
    match = _DATE.match(text.strip())
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    assert year is not None
    try:
        last = date(year, month or 12, day or monthrange(year, month or 12)[1])
        return date(year, month or 1, day or 1), last
    except ValueError:
        return None


def _boundary(layer: ReferenceLayer, case: Case) -> Flag | None:
    day, of = applied_on(case)
    source, span = layer.source, span_of(layer.source.date)
    title = source.title or layer.label
    if span is None:
        text = f"{title}: no date is given, so that it cannot be told whether these are the limits on the day of {of}, {day.isoformat()}"
    elif span[0] < day:
        older = "older" if span[1] < day else "may be older"
        text = f"{title}, dated {source.date}: {older} than {of} of {day.isoformat()}; annexations and detachments since then are unknown to it"
    elif span[0] > day:
        text = f"{title}, dated {source.date}: newer than {of} of {day.isoformat()}; what was annexed or detached in between is in it"
    else:
        return None
    return Flag("layer_not_of_date", text, layer.label)


def _list(layer: ReferenceLayer, case: Case) -> Flag | None:
    day, of = applied_on(case)
    source, span = layer.source, span_of(layer.source.date)
    title = source.title or layer.label
    if span is None:
        text = f"{title}: no date is given; the lists of waters are updated every two years"
    elif _years_later(span[1]) < day:
        text = f"{title}, dated {source.date}: more than two years older than {of} of {day.isoformat()}; the lists are updated every two years"
    else:
        return None
    return Flag("layer_not_of_date", text, layer.label)


def _years_later(day: date) -> date:
    try:
        return day.replace(year=day.year + _LIST_YEARS)
    except ValueError:  # 29 February
        return date(day.year + _LIST_YEARS, 3, 1)
