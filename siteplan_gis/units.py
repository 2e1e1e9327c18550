"""Lengths and areas: metres inside, feet and acres in the law and in reports.

The acre, foot and mile are the international ones (foot = 0.3048 m exactly). The survey acre of older Wisconsin maps
is larger by 4 parts in a million, far below any tolerance here; a CRS's own foot is always read from its unit factor.
"""

from __future__ import annotations

from typing import Final

from siteplan_gis.errors import UnitError

FOOT_M: Final = 0.3048
US_SURVEY_FOOT_M: Final = 1200 / 3937
INCH_M: Final = FOOT_M / 12
MILE_M: Final = 5280 * FOOT_M
QUARTER_MILE_M: Final = MILE_M / 4
ACRE_M2: Final = 43_560 * FOOT_M**2

_LENGTHS: Final = {
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), 1.0),
    **dict.fromkeys(("ft", "foot", "feet", "international foot"), FOOT_M),
    **dict.fromkeys(
        ("us-ft", "us_ft", "ftus", "us survey foot", "us survey feet", "u.s. survey foot", "foot_us", "survey foot",
         "us foot", "us feet"),
        US_SURVEY_FOOT_M,
    ),
    **dict.fromkeys(("cm", "centimetre", "centimeter"), 0.01),
    **dict.fromkeys(("in", "inch", "inches"), INCH_M),
}  # fmt: skip


def metres_per(unit: str) -> float:
    """Metres in one `unit`.

    Raises
    ------
    UnitError
        If the name is not a length unit known here.

    Examples
    --------
    >>> metres_per("ft")
    0.3048
    >>> round(metres_per("US survey foot"), 10)
    0.3048006096
    """
    try:
        return _LENGTHS[" ".join(unit.strip().lower().split())]
    except KeyError:
        raise UnitError(f"{unit!r} is not a length unit", remedy="use m, ft or us-ft") from None


def acres(area_m2: float) -> float:
    """Square metres as international acres.

    Examples
    --------
    >>> round(acres(4046.8564224), 12)
    1.0
    """
    return area_m2 / ACRE_M2


def feet(length_m: float) -> float:
    """Metres as international feet.

    Examples
    --------
    >>> round(feet(1609.344), 9)
    5280.0
    """
    return length_m / FOOT_M
