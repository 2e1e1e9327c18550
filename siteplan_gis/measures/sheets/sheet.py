"""Scale and contour notes of a sheet, as people write them. What is not written is not guessed.

Scales are compared as feet of ground per inch of paper, never as fractions: 1:600 is 50 feet per inch.
"""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Final, NamedTuple

from siteplan_gis.units import FOOT_M, INCH_M, MILE_M

_LONGEST_NOTE: Final = 4000
_SAME_SCALE: Final = 0.002

_FRACTIONS: Final = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8"}
_SIGNS: Final = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u2032\u00b4\u0060\u02b9\u02bc\u201b"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u2033\u201e\u201f\u02ba\u3003"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-"),
    0x2044: "/",
    0xD7: "x",
}
"""Typographic primes, quotes, dashes and slashes, in plain characters."""

_WORDS: Final = {
    word: value
    for value, word in enumerate(
        (
            "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "ELEVEN", "TWELVE",
            "THIRTEEN", "FOURTEEN", "FIFTEEN", "SIXTEEN", "SEVENTEEN", "EIGHTEEN", "NINETEEN", "TWENTY",
        ),
        start=1,
    )
} | {
    "THIRTY": 30, "FORTY": 40, "FIFTY": 50, "SIXTY": 60, "SEVENTY": 70, "EIGHTY": 80, "NINETY": 90,
    "HUNDRED": 100, "THOUSAND": 1000,
}  # fmt: skip

_NUMBER: Final = r"(?<![\d.,/])(?:\d+[ -]\d+/\d+|\d+/\d+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?![\d/])"
_PAPER: Final = r"INCH(?:ES)?\b|IN\b\.?|CM\b\.?|MM\b\.?|CENTIMET(?:ER|RE)S?\b|MILLIMET(?:ER|RE)S?\b|\""
_GROUND: Final = (
    r"FEET\b|FOOT\b|FT\b\.?|MILES?\b|MI\b\.?|YARDS?\b|YDS?\b\.?|KILOMET(?:ER|RE)S?\b|KM\b|MET(?:ER|RE)S?\b|M\b|"
    r"INCHES\b|CENTIMET(?:ER|RE)S\b|CM\b|'"
)
_UNIT_M: Final = {
    "INCH": INCH_M, "INCHES": INCH_M, "IN": INCH_M, '"': INCH_M,
    "CM": 0.01, "CENTIMETER": 0.01, "CENTIMETRE": 0.01, "MM": 0.001, "MILLIMETER": 0.001, "MILLIMETRE": 0.001,
    "FEET": FOOT_M, "FOOT": FOOT_M, "FT": FOOT_M, "'": FOOT_M, "MILE": MILE_M, "MI": MILE_M,
    "YARD": 3 * FOOT_M, "YD": 3 * FOOT_M, "KILOMETER": 1000.0, "KILOMETRE": 1000.0, "KM": 1000.0,
    "METER": 1.0, "METRE": 1.0, "M": 1.0,
}  # fmt: skip

_EQUATION: Final = re.compile(
    rf"(?P<paper>{_NUMBER})[ -]?(?P<paper_unit>{_PAPER})? ?(?P<sign>=|\bEQUALS?\b|\bIS\b|\bTO\b|\bREPRESENTS\b) ?"
    rf"(?P<ground>{_NUMBER})[ -]?(?P<ground_unit>{_GROUND})(?:[ -]{{0,2}}(?P<inches>{_NUMBER}) ?\"(?! ?=))?(?!\")"
)
_PER_INCH: Final = re.compile(
    rf"(?P<ground>{_NUMBER})[ -]?(?P<ground_unit>{_GROUND}) ?(?:/|\bPER\b|\bTO(?: THE| ONE| AN)?\b) ?"
    rf"(?:1[ -]?)?(?P<paper_unit>INCH\b|IN\b\.?|CM\b)"
)
_RATIO: Final = re.compile(
    r"(?<![\d.,:/'\"])1 ?: ?(?P<ratio>\d{1,3}(?:[, ]\d{3})+(?! ?[\dX])|\d+)(?![\d:'\"]|[.,]\d| ?[AP]\.?M\b)"
)
_FRACTION_RATIO: Final = re.compile(
    r"(?:\bSCALE|\bR\.?F\.?) ?[:=]? ?1/(?P<ratio>\d{1,3}(?:,\d{3})+|\d{2,})(?![\d/'\"]| ?I)"
)
_NO_ONE_SCALE: Final = re.compile(
    r"\bN\.? ?T\.? ?S\b|\bNOT (?:DRAWN )?TO (?:ANY )?SCALE\b|\bNO SCALE\b|\bAS (?:NOTED|SHOWN|INDICATED)\b|"
    r"\bVAR(?:IES|IABLE|YING)\b|"
    r"\bHALF[ -]?(?:SIZE|SCALE)\b|\bREDUCED\b|\b1/2[ -]?SIZE\b|\bAPPROX"
)
_SLOPE: Final = re.compile(r"\bSLOPES?\b|\bGRADES?\b|\bEXAG")
_DIRECTION: Final = re.compile(
    r"\b(?P<h>HORIZONTAL(?:LY)?|HORIZ|HOR|H)\b|\b(?P<v>VERTICAL(?:LY)?|VERT|VER|V)\b(?!\.? ?EXAG)"
)

_INTERVAL_UNIT: Final = r"FEET\b|FOOT\b|FT\b\.?|MET(?:ER|RE)S?\b|M\b|CM\b|INCH(?:ES)?\b|IN\b\.?|'|\""
_INTERVAL: Final = re.compile(
    rf"\b(?:INTERVALS?|C\.? ?I\b\.?|CONTOURS?) ?(?:\((?:TYP\.?|MINOR)\) ?)?(?:[:=@-]|IS\b|OF\b|AT\b|EQUALS?\b)? ?"
    rf"(?P<a>{_NUMBER})[ -]?(?P<au>{_INTERVAL_UNIT})"
    rf"|(?P<b>{_NUMBER})[ -]?(?P<bu>{_INTERVAL_UNIT}) ?-?(?:MINOR |EXISTING |PROPOSED )?(?:CONTOUR|INTERVAL|C\.? ?I\b)"
    rf"|^ ?(?P<c>{_NUMBER})[ -]?(?P<cu>{_INTERVAL_UNIT}) ?$"
)
_INDEX: Final = re.compile(r"\b(?:INDEX|MAJOR) (?:CONTOURS? )?$")
_COARSEST_FT: Final = 200.0
"""A figure above this is the elevation of a contour, not an interval."""


class NotedScale(NamedTuple):
    """A scale within a note, where it stands in the note's plain capitals, and its words there."""

    start: int
    end: int
    feet_per_inch: float
    words: str


def feet_per_inch(note: str) -> float | None:
    r"""Feet of ground per inch of paper that a scale note states; None where it states none, or several.

    Of a two-way scale the horizontal one counts. A note without units ("1=50") and a note that contradicts itself
    ("1"=50', N.T.S.") tell nothing.

    Examples
    --------
    >>> feet_per_inch("SCALE: 1\" = 50'"), feet_per_inch("1 : 1,200"), feet_per_inch("AS NOTED")
    (50.0, 100.0, None)
    """
    text = _plain(note)
    if _NO_ONE_SCALE.search(text):
        return None
    scales = _horizontal(text, _scales(text))
    if not scales:
        return None
    values = [scale.feet_per_inch for scale in scales]
    if not all(math.isfinite(value) and value > 0 for value in values):
        return None
    # One scale written twice, as an equation and as a rounded ratio.
    return values[0] if max(values) <= min(values) * (1 + _SAME_SCALE) else None


def scales_in(note: str) -> list[NotedScale]:
    r"""Every horizontal scale that a note states, in order, each once.

    Examples
    --------
    >>> [scale.feet_per_inch for scale in scales_in("1\" = 50' (24x36), 1\" = 100' (12x18)")]
    [50.0, 100.0]
    """
    text = _plain(note)
    found: list[NotedScale] = []
    for scale in sorted(_horizontal(text, _scales(text))):
        overlaps = any(scale.start < other.end for other in found)
        if not overlaps and math.isfinite(scale.feet_per_inch) and scale.feet_per_inch > 0:
            found.append(scale)
    return found


def says_no_scale(note: str) -> bool:
    """Whether a note says that there is no one scale: "NTS", "AS NOTED".

    Examples
    --------
    >>> says_no_scale("SCALE: N.T.S."), says_no_scale("1:600")
    (True, False)
    """
    return _NO_ONE_SCALE.search(_plain(note)) is not None


def stated_contour_interval_ft(note: str) -> float | None:
    """The contour interval in feet that a note states; None where it states none, or several.

    Examples
    --------
    >>> stated_contour_interval_ft("CONTOUR INTERVAL = 2'"), stated_contour_interval_ft("5-FT INDEX CONTOURS")
    (2.0, None)
    """
    text = _plain(note)
    found = set()
    for match in _INTERVAL.finditer(text):
        figure, unit = (match["a"] or match["b"] or match["c"]), (match["au"] or match["bu"] or match["cu"])
        if not _INDEX.search(text, 0, match.start()):
            found.add(round(_number(figure) * _metres(unit) / FOOT_M, 9))
    interval = found.pop() if len(found) == 1 else math.nan
    return interval if 0 < interval <= _COARSEST_FT else None


def _plain(note: str) -> str:
    """Capitals, plain quotes, figures for number words, single blanks."""
    text = note[:_LONGEST_NOTE]
    for sign, plain in _FRACTIONS.items():
        text = text.replace(sign, f" {plain}")
    text = unicodedata.normalize("NFKC", text).upper()
    text = text.translate(_SIGNS).replace("''", '"')
    text = re.sub(rf"\b(?:{'|'.join(_WORDS)})(?:(?: AND |[ -])(?:{'|'.join(_WORDS)}))*\b", _figures, text)
    return " ".join(text.split())


def _figures(words: re.Match[str]) -> str:
    total = current = 0
    for word in re.findall("[A-Z]+", words[0]):
        value = _WORDS.get(word, 0)
        if value == 1000:  # noqa: PLR2004
            total, current = total + max(current, 1) * value, 0
        elif value == 100:  # noqa: PLR2004
            current = max(current, 1) * value
        else:
            current += value
    return str(total + current)


def _scales(text: str) -> list[NotedScale]:
    found = []
    for match in _EQUATION.finditer(text):
        ground_m = _number(match["ground"]) * _metres(match["ground_unit"]) + _number(match["inches"] or "0") * INCH_M
        # In "1=50'" the bare 1 before feet is an inch; any other bare number may be anything.
        bare = match["paper_unit"] is None
        if bare and not (match["paper"] == "1" and match["sign"] == "=" and _metres(match["ground_unit"]) == FOOT_M):
            continue
        found.append(_scale(match, ground_m, _number(match["paper"]) * _metres(match["paper_unit"] or "IN")))
    for match in _PER_INCH.finditer(text):
        ground_m = _number(match["ground"]) * _metres(match["ground_unit"])
        found.append(_scale(match, ground_m, _metres(match["paper_unit"])))
    for pattern in () if _SLOPE.search(text) else (_RATIO, _FRACTION_RATIO):
        found += [_scale(match, float(re.sub("[, ]", "", match["ratio"])), 1.0) for match in pattern.finditer(text)]
    return found


def _scale(match: re.Match[str], ground_m: float, paper_m: float) -> NotedScale:
    value = ground_m / paper_m * INCH_M / FOOT_M if paper_m > 0 else math.inf
    return NotedScale(match.start(), match.end(), round(value, 9), match[0])


def _horizontal(text: str, scales: list[NotedScale]) -> list[NotedScale]:
    """The scales that are not marked as vertical only; marks stand before or after their scales."""
    marks = [mark for mark in _DIRECTION.finditer(text) if not any(s.start <= mark.start() < s.end for s in scales)]
    if not marks or not scales:
        return scales
    in_order = sorted(scales)
    before = marks[0].start() < in_order[0].start
    kept = []
    for place, scale in enumerate(in_order):
        if before:
            low, high = (in_order[place - 1].end if place else 0), scale.start
        else:
            low, high = scale.end, (in_order[place + 1].start if place + 1 < len(in_order) else len(text))
        own = [mark for mark in marks if low <= mark.start() < high]
        if not own or any(mark["h"] for mark in own):
            kept.append(scale)
    return kept


def _metres(unit: str) -> float:
    plain = unit.rstrip(".")
    return _UNIT_M[plain] if plain in _UNIT_M else _UNIT_M[plain.removesuffix("S")]


def _number(text: str) -> float:
    """A decimal, a fraction or a whole number with a fraction; not a number where a fraction is of nothing."""
    total = 0.0
    for part in re.split(r"[ -]", text.replace(",", "")):
        upper, _, lower = part.partition("/")
        divisor = float(lower or 1)
        total += float(upper) / divisor if divisor else math.nan
    return total
