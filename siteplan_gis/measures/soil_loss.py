"""Soil loss by the Universal Soil Loss Equation, A = R x %R x K x LS x C, over every twelve months of a schedule.

The factors R, K and C are those of the tables that counties and the state print, in US customary units: R in hundreds
of foot-tons inch per acre hour year, K to match, A in short tons per acre. The practice factor P is not used on
construction sites. The equation is for sheet and rill erosion, not for slopes steeper than 33 %.

Source of the length-slope factor: Wischmeier and Smith (1978), Agriculture Handbook 537.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

STEEPEST_RATIO: Final = 0.33
"""The equation is not for steeper slopes."""

_UNIT_PLOT_M: Final = 72.6 * 0.3048
_EXPONENTS: Final = ((0.05, 0.5), (0.035, 0.4), (0.01, 0.3))
_LEAST_EXPONENT: Final = 0.2


@dataclass(frozen=True, slots=True)
class Cover:
    """What the ground looks like from one day up to another, both included.

    Attributes
    ----------
    c
        Cover factor, 1 for bare ground.
    kept
        Share of the sediment that practices keep back, 0 to 1.
    delivered
        Share of the soil lost that reaches the edge at all, 0 to 1.
    """

    first: date
    last: date
    c: float = 1.0
    kept: float = 0.0
    delivered: float = 1.0


def length_slope(length_m: float, slope_ratio: float) -> float:
    """The length-slope factor LS of a uniform slope.

    Raises
    ------
    ValueError
        If the slope is steeper than the equation allows, or a number is not positive.

    Examples
    --------
    The unit plot, 72.6 ft long at 9 %, has the factor 1:

    >>> round(length_slope(72.6 * 0.3048, 0.09), 2)
    1.0
    """
    if not (length_m > 0 and math.isfinite(length_m)) or not (slope_ratio >= 0 and math.isfinite(slope_ratio)):
        message = "length and slope are positive numbers"
        raise ValueError(message)
    if slope_ratio > STEEPEST_RATIO:
        message = f"the equation is not for slopes steeper than {STEEPEST_RATIO:.0%}"
        raise ValueError(message)
    exponent = next((m for least, m in _EXPONENTS if slope_ratio >= least), _LEAST_EXPONENT)
    sine = math.sin(math.atan(slope_ratio))
    return float((length_m / _UNIT_PLOT_M) ** exponent * (65.41 * sine**2 + 4.56 * sine + 0.065))


@dataclass(frozen=True, slots=True)
class Erosivity:
    """The year's rainfall factor and how it spreads over the year.

    Attributes
    ----------
    r
        The annual factor R.
    days, shares
        Days of the year (1 to 365) and the share of R that has fallen by the end of each, rising from 0 to 1; linear
        between.
    """

    r: float
    days: tuple[int, ...]
    shares: tuple[float, ...]

    def fallen(self, before: date) -> float:
        """R fallen from the beginning of year 1 until the morning of a day, in years of R.

        Examples
        --------
        >>> even = Erosivity(150.0, (1, 365), (0.0, 1.0))
        >>> round(even.fallen(date(2027, 1, 1)) - even.fallen(date(2026, 1, 1)), 12)
        1.0
        """
        # February 29 shares the place of February 28.
        number = (before.replace(year=2023) if (before.month, before.day) != (2, 29) else date(2023, 2, 28)).timetuple()
        day = number.tm_yday - 1
        if day == 0:
            return float(before.year)
        place = bisect_right(self.days, day) - 1
        if place < 0:
            share = self.shares[0] * day / self.days[0]
        elif place >= len(self.days) - 1:
            share = self.shares[-1]
        else:
            part = (day - self.days[place]) / (self.days[place + 1] - self.days[place])
            share = self.shares[place] + part * (self.shares[place + 1] - self.shares[place])
        return before.year + share


@dataclass(frozen=True, slots=True)
class Loss:
    """The worst twelve months: from `first` to `last`, and the tons per acre that leave in them."""

    first: date
    last: date
    tons_per_acre: float


def worst_year(rain: Erosivity, k: float, ls: float, covers: Sequence[Cover]) -> Loss | None:
    """The twelve months in which most sediment leaves an acre; None without any cover.

    The sum over a window is piecewise linear in the day on which it begins, so that only windows that begin or end
    where something changes are looked at.
    """
    if not covers:
        return None
    changes = sorted({cover.first for cover in covers} | {cover.last + timedelta(days=1) for cover in covers})
    bends = {
        date(year, 1, 1) + timedelta(days=day)
        for year in range(changes[0].year - 1, changes[-1].year + 1)
        for day in (0, *rain.days)
    }
    days = {day for day in (*changes, *bends) if changes[0] <= day <= changes[-1]}
    starts = {day for day in days if day < changes[-1]} | {_a_year(day, -1) for day in days}
    worst = None
    for first in sorted(max(start, changes[0]) for start in starts):
        end = _a_year(first, 1)
        tons = sum(_leaves(rain, k, ls, cover, first, end) for cover in covers)
        if worst is None or tons > worst.tons_per_acre * (1 + 1e-12):
            worst = Loss(first, end - timedelta(days=1), tons)
    return worst


def _leaves(rain: Erosivity, k: float, ls: float, cover: Cover, first: date, end: date) -> float:
    """Tons per acre that leave under one cover, from `first` up to the morning of `end`."""
    begins, ends = max(cover.first, first), min(cover.last + timedelta(days=1), end)
    if begins >= ends:
        return 0.0
    share = rain.fallen(ends) - rain.fallen(begins)
    return rain.r * share * k * ls * cover.c * cover.delivered * (1 - cover.kept)


def _a_year(day: date, years: int) -> date:
    try:
        return day.replace(year=day.year + years)
    except ValueError:  # February 29
        return day.replace(year=day.year + years, day=28)
