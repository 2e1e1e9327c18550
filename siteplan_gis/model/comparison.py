"""The one place where a value meets a limit, and where a shown number is rounded."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from siteplan_gis.model.ordinance import Operator

RELATIVE_EPSILON: Final = 1e-9
"""Values closer to a limit than this share of it are equal to it: floating point decides nothing."""

_NOTHING: Final = 1e-12
_MOST_DECIMALS: Final = 12


def compare(value: float, operator: Operator, limit: float, plus_minus: float | None = None) -> bool | None:
    """Whether `value operator limit` holds; None ("borderline") where the doubt reaches across the limit.

    `plus_minus` is half the width of the doubt, in the unit of both. A value equal to the limit (within 1e-9 of it)
    satisfies >=, <= and ==. Without a doubt given, an exact comparison is made.

    Raises
    ------
    ValueError
        If a number is NaN or the doubt negative: what cannot be told must not be compared.

    Examples
    --------
    >>> compare(5.0, ">=", 5.0), compare(5.0, ">", 5.0)
    (True, False)
    >>> compare(5.004, "<", 5.0, plus_minus=0.01) is None
    True
    """
    doubt = plus_minus or 0.0
    if math.isnan(value) or math.isnan(limit) or not doubt >= 0:
        message = "a value, limit or doubt that is not a number cannot be compared"
        raise ValueError(message)
    held = _holds(value, operator, limit)
    if doubt and operator == "==" and abs(value - limit) <= doubt:
        return None
    if doubt and not _holds(value - doubt, operator, limit) == held == _holds(value + doubt, operator, limit):
        return None
    return held


def _holds(value: float, operator: Operator, limit: float) -> bool:
    equal = math.isclose(value, limit, rel_tol=RELATIVE_EPSILON, abs_tol=_NOTHING)
    if operator == "==":
        return equal
    if operator in {">=", "<="}:
        return equal or (value > limit if operator == ">=" else value < limit)
    return not equal and (value > limit if operator == ">" else value < limit)


def show(value: float, decimals: int = 2, limit: float | None = None) -> str:
    """A number for people, with as many decimals as keep it on its side of `limit`.

    Examples
    --------
    >>> show(0.9996, 2, limit=1.0)
    '0.9996'
    >>> show(12345.678, 1)
    '12,345.7'
    >>> show(-0.0001, 2)
    '0.00'
    """
    if limit is not None:
        if math.isclose(value, limit, rel_tol=RELATIVE_EPSILON, abs_tol=_NOTHING):
            value = limit
            while decimals < _MOST_DECIMALS and not math.isclose(
                round(value, decimals), value, rel_tol=RELATIVE_EPSILON
            ):
                decimals += 1
        else:
            while decimals < _MOST_DECIMALS and (round(value, decimals) - limit) * (value - limit) <= 0:
                decimals += 1
    shown = f"{value:,.{decimals}f}"
    return shown.lstrip("-") if float(shown.replace(",", "")) == 0 else shown


def show_share(share: float) -> str:
    """A share from 0 to 1 as a percentage that says 0 % or 100 % only where that is so.

    Examples
    --------
    >>> show_share(0.25), show_share(0.99997), show_share(1.0)
    ('25 %', '99.997 %', '100 %')
    """
    percent = 100 * share
    nearest_end = 0.0 if percent < 50 else 100.0  # noqa: PLR2004
    return f"{show(percent, 0, nearest_end)} %"
