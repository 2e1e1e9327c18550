"""Values of the record in words for people: numbers with units, statuses, verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.model.comparison import show
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Mapping

STATUS_WORDS: Final[Mapping[str, str]] = {
    Status.ERROR: "check crashed",
    Status.FAIL: "fail",
    Status.NOT_CHECKED: "not checked",
    Status.NEEDS_REVIEW: "needs review",
    Status.PASS: "pass",
    Status.NOT_APPLICABLE: "does not apply",
}
STATUS_SIGNS: Final[Mapping[str, str]] = {
    Status.ERROR: "!",
    Status.FAIL: "\u2715",
    Status.NOT_CHECKED: "\u2013",
    Status.NEEDS_REVIEW: "?",
    Status.PASS: "\u2713",
    Status.NOT_APPLICABLE: "\u25cb",
}
"""Signs beside the colours, so that no one has to tell colours apart."""

VERDICTS: Final[Mapping[str, str]] = {
    Status.ERROR: "The review is not complete: a check crashed.",
    Status.FAIL: "The plan does not meet the ordinance as submitted.",
    Status.NOT_CHECKED: "The review is not complete: an input is missing.",
    Status.NEEDS_REVIEW: "Nothing fails by measurement alone; a reviewer must decide.",
    Status.PASS: "The plan meets every requirement that was checked.",
    Status.NOT_APPLICABLE: "No requirement that was checked applies to this plan.",
}

SOURCE_STATUS_WORDS: Final[Mapping[str, str]] = {
    "text": "",
    "inferred": "The wording's place in the ordinance is inferred from its order.",
    "assumed": "The ordinance's words are missing; a state default is assumed.",
    "missing": "The ordinance's words are missing from the supplied text.",
}

SEVERITY_WORDS: Final[Mapping[str, str]] = {
    "shall": "shall",
    "should": "should",
    "minimise": "minimize",
    "where_appropriate": "where appropriate",
    "practicable": "to the maximum extent practicable",
    "as_necessary": "as necessary",
    "inform": "a fact the law turns on",
}

_OPERATOR_WORDS: Final = {
    ">=": "at least",
    ">": "more than",
    "<=": "at most",
    "<": "less than",
    "==": "exactly",
}
_UNIT_WORDS: Final = {
    "acre": ("acre", "acres"),
    "ft": ("ft", "ft"),
    "ft/in": ("ft per inch", "ft per inch"),
    "count": ("", ""),
}  # fmt: skip
_WHOLE: Final = {"count", "ft/in"}


def quantity(value: Any, unit: str, plus_minus: float | None = None, limit: float | None = None) -> str:
    """A value with its unit and doubt; it is never rounded across `limit`.

    A doubt too small to change a digit is not shown.

    Examples
    --------
    >>> quantity(0.9996, "acre", 0.002, limit=1.0)
    '0.9996 acres \u00b1 0.002'
    >>> quantity(1, "acre"), quantity(150.0, "ft/in"), quantity(None, "acre")
    ('1 acre', '150 ft per inch', '')
    >>> quantity(8.78, "acre", 0.00088)
    '8.78 acres'
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return f"{value} {unit}".strip()
    one, many = _UNIT_WORDS.get(unit, (unit, unit))
    digits = figure(value, unit, limit)
    shown = f"{digits} {one if value == 1 else many}".strip()
    last_place = 10.0 ** -len(digits.partition(".")[2])
    return shown if not plus_minus or plus_minus < last_place / 2 else f"{shown} \u00b1 {_doubt(plus_minus)}"


def figure(value: float, unit: str, limit: float | None = None) -> str:
    """A number as people write it in `unit`.

    Examples
    --------
    >>> figure(1296.2, "ft"), figure(20.04, "%"), figure(0.25, "acre"), figure(3, "count")
    ('1,296', '20.0', '0.25', '3')
    """
    if isinstance(value, int) or (float(value).is_integer() and (unit in _WHOLE or value == limit)):
        return show(value, 0)
    decimals = {"acre": 2, "%": 1, "ft": 0 if abs(value) >= 100 else 1, "sq ft": 0}.get(unit, 2)  # noqa: PLR2004
    return show(value, decimals, limit)


def limit_words(limit: Mapping[str, Any] | None) -> str:
    """A limit in words.

    Examples
    --------
    >>> limit_words({"subject": "feet_per_inch", "operator": "<=", "value": 100.0, "unit": "ft/in"})
    'at most 100 ft per inch'
    """
    if limit is None:
        return ""
    value = limit["value"]
    whole = float(value).is_integer()
    return f"{_OPERATOR_WORDS[limit['operator']]} {quantity(int(value) if whole else value, limit['unit'])}"


def margin_words(margin: float | None, unit: str, *, at_least: bool = False) -> str:
    """How far a value is on the right or the wrong side of its limit, which may be one that must be reached.

    Examples
    --------
    >>> margin_words(-50.0, "ft/in"), margin_words(0.0004, "acre"), margin_words(None, "acre")
    ('50 ft per inch beyond the limit', '0.0004 acres within', '')
    >>> margin_words(-0.5, "ft", at_least=True), margin_words(0.5, "ft", at_least=True)
    ('0.5 ft short of the limit', '0.5 ft over the limit')
    """
    if margin is None:
        return ""
    amount = f"{figure(abs(margin), unit, 0.0)} {_UNIT_WORDS.get(unit, (unit, unit))[1]}".strip()
    if at_least:
        return f"{amount} short of the limit" if margin < 0 else f"{amount} over the limit"
    return f"{amount} beyond the limit" if margin < 0 else f"{amount} within"


def citation(section: str, *, inferred: bool) -> str:
    """A citation, with a mark where its number is inferred."""
    if not section:
        return ""
    return f"\u00a7 {section}" + " (number inferred)" * inferred


def humanised(name: str) -> str:
    """A name of the program as words.

    Examples
    --------
    >>> humanised("nearby_waters"), humanised("SAU-GW")
    ('Nearby waters', 'SAU-GW')
    """
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def quantity_name(name: str) -> str:
    """A measured name as words, without the unit at its end, which its value has.

    Examples
    --------
    >>> quantity_name("disturbed_acres"), quantity_name("nearest_water_ft"), quantity_name("feet_per_inch[C-1]")
    ('Disturbed', 'Nearest water', 'Feet per inch: C-1')
    """
    base, bracket, index = name.partition("[")
    words = humanised(base.removesuffix("_acres").removesuffix("_sqft").removesuffix("_ft")).replace("percent ", "")
    return f"{words}: {index[:-1]}" if bracket else words


def _doubt(plus_minus: float) -> str:
    return f"{plus_minus:.2g}" if plus_minus < 10 else f"{plus_minus:,.0f}"  # noqa: PLR2004
