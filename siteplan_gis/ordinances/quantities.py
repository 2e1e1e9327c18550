"""Units as ordinances write them, and the dimension that each subject of a limit is measured in.

A subject's last part is its unit: `disturbed_acres` is an area, `drain_hours` a time. Business days and work days are
dimensions of their own: without a calendar they cannot be turned into days.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from siteplan_gis.errors import UnitError
from siteplan_gis.units import ACRE_M2, FOOT_M, INCH_M, MILE_M

if TYPE_CHECKING:
    from siteplan_gis.model.ordinance import Limit

UNITS: Final = {
    "acre": ("area", ACRE_M2),
    "sq ft": ("area", FOOT_M**2),
    "ft": ("length", FOOT_M),
    "in": ("length", INCH_M),
    "mile": ("length", MILE_M),
    "m": ("length", 1.0),
    "micron": ("length", 1e-6),
    "cu yd": ("volume", (3 * FOOT_M) ** 3),
    "%": ("ratio", 0.01),
    "ft/in": ("scale", 1.0),
    "ft/s": ("speed", FOOT_M),
    "in/h": ("rain intensity", 1.0),
    "hour": ("time", 3600.0),
    "day": ("time", 86_400.0),
    "calendar day": ("time", 86_400.0),
    "week": ("time", 604_800.0),
    "month": ("calendar", 1.0),
    "year": ("calendar", 12.0),
    "business day": ("business days", 1.0),
    "work day": ("work days", 1.0),
    "ton/acre/year": ("soil loss", 1.0),
    "dollar": ("money", 1.0),
    "count": ("count", 1.0),
}
"""Unit as written: its dimension, and how many SI units (or units of that dimension) it is."""

SUFFIXES: Final = {
    "_acres": "area",
    "_sqft": "area",
    "_ft": "length",
    "_in": "length",
    "_mi": "length",
    "_microns": "length",
    "_cuyd": "volume",
    "_percent": "ratio",
    "feet_per_inch": "scale",
    "_ft_per_s": "speed",
    "_in_per_h": "rain intensity",
    "_hours": "time",
    "_days": "time",
    "_weeks": "time",
    "_months": "calendar",
    "_years": "calendar",
    "_business_days": "business days",
    "_work_days": "work days",
    "_tons_per_acre_year": "soil loss",
    "_dollars": "money",
    "_count": "count",
}
"""Ending of a subject's name: the dimension it is measured in."""


def suffix_of_subject(subject: str) -> str:
    """The unit at the end of a subject's name, by the longest ending that fits; empty where no ending is known.

    Examples
    --------
    >>> suffix_of_subject("review_business_days")
    '_business_days'
    """
    return max((suffix for suffix in SUFFIXES if subject.endswith(suffix)), key=len, default="")


def dimension_of_subject(subject: str) -> str | None:
    """Dimension that `subject` is measured in; None where its ending names no unit.

    Examples
    --------
    >>> dimension_of_subject("disturbed_acres"), dimension_of_subject("review_business_days")
    ('area', 'business days')
    """
    return SUFFIXES.get(suffix_of_subject(subject))


def limit_in(limit: Limit, unit: str) -> float:
    """Return the value of `limit` in `unit`; exactly as written where that is the unit of the text.

    Raises
    ------
    UnitError
        If the limit is of another dimension, or either unit is unknown.

    Examples
    --------
    >>> from siteplan_gis.model.ordinance import Limit
    >>> round(limit_in(Limit("flow_distance_mi", "<=", 0.25, "mile"), "ft"), 9)
    1320.0
    """
    if limit.unit == unit:
        return limit.value
    dimension, per_unit = UNITS.get(limit.unit, (None, 1.0))
    wanted, per_wanted = UNITS.get(unit, (None, 1.0))
    if dimension is None or dimension != wanted:
        raise UnitError(f"a limit in {limit.unit!r} cannot be told in {unit!r}")
    return limit.value * (per_unit / per_wanted)
