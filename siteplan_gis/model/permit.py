"""What the village has on file about an application and its permit: dates, notices, rain, inspections."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from siteplan_gis.model.source import Source


@dataclass(frozen=True, slots=True)
class Moment:
    """A time that is known to the minute, or to the day only: from `first` to `last`, both included.

    Examples
    --------
    >>> Moment.of(date(2026, 5, 4)).last
    datetime.datetime(2026, 5, 4, 23, 59)
    """

    first: datetime
    last: datetime

    @classmethod
    def of(cls, written: date | datetime) -> Moment:
        """A time as written: a day alone may be any minute of it."""
        if isinstance(written, datetime):
            return cls(written, written)
        begins = datetime.combine(written, time())
        return cls(begins, begins + timedelta(hours=23, minutes=59))

    @property
    def day(self) -> date:
        """The day it begins on."""
        return self.first.date()

    def __str__(self) -> str:
        return self.first.strftime("%Y-%m-%d %H:%M") if self.first == self.last else self.day.isoformat()


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice to the village: of the "start" of work, or of the installation of a practice named by `of`."""

    of: str
    happened: Moment
    given: Moment


@dataclass(frozen=True, slots=True)
class Rain:
    """One rain: when it ended, its depth in inches, and whether it ran off (None where not noted)."""

    ended: Moment
    inches: float
    runoff: bool | None


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the site erosion control log; what a line leaves out is ""."""

    when: Moment
    name: str
    location: str
    assessment: str
    phase: str
    maintenance: str


@dataclass(frozen=True, slots=True)
class Visit:
    """An inspection by the village: `found` is "ok", "sediment" or "inadequate"."""

    day: date
    found: str = "ok"
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Extension:
    """An extension of the permit: the day it was granted and for how many days."""

    granted: date
    days: int


@dataclass(frozen=True, slots=True, eq=False)
class PermitRecord:
    """The village's file on one application; None or empty where it says nothing.

    Attributes
    ----------
    received, complete, more_received
        Days on which the application came in, was complete, and on which additional information came in.
    decided, decision
        Day on which the applicant was informed, and "approved" or "disapproved".
    issued, building_permit_until, extensions
        Of the erosion control permit; the last day of the building permit or other authorisation.
    began, stabilised
        Start of land disturbance; day of final stabilisation.
    closed
        Days on which the village's office was closed beside its calendar.
    """

    received: date | None = None
    complete: date | None = None
    more_received: date | None = None
    decided: date | None = None
    decision: str = ""
    issued: date | None = None
    building_permit_until: date | None = None
    extensions: tuple[Extension, ...] = ()
    post_construction_permit: date | None = None
    began: Moment | None = None
    stabilised: date | None = None
    closed: frozenset[date] = frozenset()
    notices: tuple[Notice, ...] = ()
    rains: tuple[Rain, ...] | None = None
    log: tuple[LogEntry, ...] | None = None
    visits: tuple[Visit, ...] | None = None
    sources: tuple[Source, ...] = ()
