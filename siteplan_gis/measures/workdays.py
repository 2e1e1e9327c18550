"""Days that count: business days of an office with its holidays.

The day of the event is not counted and the last day is (the rule of Wis. Stat. 990.001(4)(a) for the state's own
statutes; the ordinances are silent).
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

_ONE: Final = timedelta(days=1)
_WEEK: Final = 7


def is_open(day: date, office_days: Collection[int], calendar: str, closed: Collection[date] = ()) -> bool:
    """Whether an office is open on a day.

    Parameters
    ----------
    office_days
        Weekdays on which it is routinely open, Monday 0 to Sunday 6.
    calendar
        Its holidays: a country, or a country and a state, as in "US-WI"; "" for none.
    closed
        Further days on which it is closed.

    Examples
    --------
    >>> is_open(date(2026, 9, 7), range(5), "US-WI")  # Labor Day
    False
    """
    if day.weekday() not in office_days or day in closed:
        return False
    if not calendar:
        return True
    return day not in _holidays(calendar, day.year)


@lru_cache(maxsize=256)
def _holidays(calendar: str, year: int) -> frozenset[date]:
    import holidays  # noqa: PLC0415 - loaded only where an office's days are counted

    country, _, state = calendar.partition("-")
    return frozenset(holidays.country_holidays(country, subdiv=state or None, years=[year]))


def nth_business_day(
    after: date, count: int, office_days: Collection[int], calendar: str, closed: Collection[date] = ()
) -> date:
    """The `count`-th business day after a day, which itself is not counted.

    Raises
    ------
    ValueError
        If the office is open on no day of the week, or `count` is below one.

    Examples
    --------
    Twenty business days after Wednesday 1 April 2026, without a holiday between:

    >>> nth_business_day(date(2026, 4, 1), 20, range(5), "US-WI")
    datetime.date(2026, 4, 29)
    """
    if count < 1 or not set(office_days) & set(range(_WEEK)):
        message = "business days need an open weekday and a count of at least one"
        raise ValueError(message)
    day = after
    while count:
        day += _ONE
        count -= is_open(day, office_days, calendar, closed)
    return day


def business_days_between(
    after: date, until: date, office_days: Collection[int], calendar: str, closed: Collection[date] = ()
) -> int:
    """Business days after one day up to another, the last one included; 0 where it is not later.

    Examples
    --------
    >>> business_days_between(date(2026, 4, 3), date(2026, 4, 6), range(5), "US-WI")
    1
    """
    days = (after + _ONE * number for number in range(1, max((until - after).days, 0) + 1))
    return sum(is_open(day, office_days, calendar, closed) for day in days)
