"""What the words on a sheet tell: its scales, for which paper, of which part; interval, number, title, north."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from siteplan_gis.measures.sheets.lettering import Line, on_baseline
from siteplan_gis.measures.sheets.paper import paper_sizes
from siteplan_gis.measures.sheets.sheet import feet_per_inch, says_no_scale, scales_in, stated_contour_interval_ft
from siteplan_gis.model.sheet import ScaleEvidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LOCATION: Final = re.compile(
    r"\b(VICINITY|LOCATION|LOCATOR|KEY|INDEX|AREA|OVERVIEW|SITE LOCATION) (MAP|PLAN|SKETCH)\b|\bQUADRANGLE\b"
)
_DETAIL: Final = re.compile(r"\bDETAILS?\b|\bSECTIONS?\b|\bTYPICAL\b|\bPROFILE\b|\bELEVATION VIEW\b|\bSCHEMATIC\b")
_SITE: Final = re.compile(
    r"\b(SITE|GRADING|EROSION|CONTROL|DRAINAGE|DEMOLITION|UTILITY|LAYOUT|EXISTING|PROPOSED|FINAL|STORM ?WATER|"
    r"SEDIMENT|TOPOGRAPHIC|PLOT|DEVELOPMENT|LANDSCAPE|RESTORATION|CONDITIONS) "
    r"(?:[A-Z&/-]+ ){0,3}(PLANS?|MAPS?|SURVEYS?|CONDITIONS)\b"
)
_KINDS: Final = (
    ("control", re.compile(r"\bEROSION|\bSEDIMENT\b|\bSTORM ?WATER POLLUTION|\bSWPPP\b|\bCONSTRUCTION SITE MAP\b")),
    ("existing", re.compile(r"\bEXISTING (SITE )?(CONDITIONS?|MAP|PLAN|TOPO)|\bTOPOGRAPHIC SURVEY\b|\bSITE SURVEY\b")),
    (
        "final",
        re.compile(
            r"\bGRADING\b|\bFINAL (SITE )?(CONDITIONS?|PLAN|MAP)|\bPROPOSED (SITE )?(CONDITIONS?|PLAN|MAP)|\bSITE PLAN\b|\bDRAINAGE PLAN\b"
        ),
    ),
    ("site_map", re.compile(r"\bSITE MAP\b")),
)
_SPARED: Final = (
    ("location", re.compile(r"\b(VICINITY|LOCATION) MAP\b|\bQUADRANGLE\b|\bUSGS\b")),
    (
        "detail",
        re.compile(
            r"\bDETAILS?\b|\bCOVER\b|\bTITLE SHEET\b|\bGENERAL NOTES\b|\bPROFILES?\b|\bCROSS SECTIONS?\b|\bSPECIFICATIONS\b"
        ),
    ),
)
_NUMBER: Final = re.compile(r"[A-Z]{1,3}-?\d{1,4}(?:\.\d{1,2})?[A-Z]?|\d{1,3}")
_LETTERED: Final = re.compile(r"[A-Z]{1,3}-?\d{1,4}(?:\.\d{1,2})?[A-Z]?")
_SHEET_OF: Final = re.compile(
    r"\bSHEET(?: NO\.?| NUMBER| #)?:? ?([A-Z]{0,3}-?\d{1,4}(?:\.\d{1,2})?[A-Z]?)(?: (?:OF|/) ?\d+)?$"
)
_SHEET_LABEL: Final = re.compile(r"^(?:SHEET|DRAWING|DWG\.?)(?: NO\.?| NUMBER| #)?:?$")
_TITLE_LABEL: Final = re.compile(r"^(?:SHEET |DRAWING )?TITLE:?$")
_TITLE: Final = re.compile(r"\b(PLANS?|MAPS?|SURVEY|CONDITIONS|DETAILS?|PROFILES?|SHEET)\b")
_PAPER: Final = re.compile(
    r"\b(?:SHEET|PAPER|PLOT|PAGE|ORIGINAL|FULL|SIZE)\b|\bARCH(?:ITECTURAL)? (?:FULL BLEED |EXPAND )?(?:E1|[A-E])\b|\bANSI (?:FULL BLEED |EXPAND )?[A-E]\b|\bISO[ -]?A[0-4]\b"
)
_HALF: Final = re.compile(r"\b(?:HALF|1/2)[ -]?(?:SIZE|SCALE)\b")
_REDUCED: Final = re.compile(
    r"\bREDUCED (?:SIZE|SCALE|SET|PLOT|PRINT|DRAWINGS?|COPY)\b|\bNOT (?:PLOTTED |PRINTED )?(?:AT|TO) FULL (?:SIZE|SCALE)\b"
)
_CONDITION: Final = re.compile(r"\b(?:IF|WHEN|UNLESS|FULL|OTHERWISE|MAY|ADJUST)\b")
_NORTH: Final = re.compile(r"^(?:(?:TRUE|GRID|MAGNETIC|PLAN|PROJECT|STATE PLANE|ASSUMED) )?NORTH(?: ARROW)?$|^N$")
_OF_ONE_INCH: Final = re.compile(r"1(?![\d.,])|\d+/\d+|\d[ -]\d+/\d+|.*(?:PER|TO|/).*(?:INCH|IN|CM)\b\.?$")
_LEAST_SHARE: Final = 0.4
_LEAST_RATIO_FT: Final = 100 / 12
_FINEST_SITE_MAP_FT: Final = 10.0
_CAPTION_REACH: Final = 7.0
"""A scale note stands within this many letter sizes of the caption of its drawing."""
_LABEL_REACH_IN: Final = 2.5
_LONGEST_NOTE: Final = 160
_LONGEST_TITLE: Final = 80


@dataclass(frozen=True, slots=True)
class SheetWords:
    """What was read from a sheet's words; empty where nothing was."""

    scales: tuple[ScaleEvidence, ...] = ()
    contour_interval_ft: float | None = None
    paper: str = ""
    half_size: bool = False
    number: str = ""
    title: str = ""
    shows: str = ""
    north_arrow: str = ""
    notes: tuple[str, ...] = ()


def read_words(lines: Sequence[Line], where: str, size_in: tuple[float, float]) -> SheetWords:
    """Read a page's lines; `where` names the page, `size_in` is its width and height in inches."""
    joined = [*_with_values(lines)]
    texts = [text for text, _ in joined]
    reduced = any(_REDUCED.search(text) and not _CONDITION.search(text) for text in texts)
    scales = _stated_scales(joined, lines, where, reduced=reduced)
    intervals = dict.fromkeys(
        found
        for text in texts
        if re.search(r"\bINTERVAL\b|\bC\.? ?I\.", text) and (found := stated_contour_interval_ft(text)) is not None
    )
    notes = []
    if len(intervals) > 1:
        notes.append(f"several contour intervals are noted: {', '.join(f'{value:g} ft' for value in intervals)}")
    if reduced:
        notes.append("the sheet calls itself reduced")
    number, title = _number(lines, size_in), _title(lines)
    return SheetWords(
        scales=tuple(scales),
        contour_interval_ft=next(iter(intervals)) if len(intervals) == 1 else None,
        paper=_paper(texts),
        half_size=any(_HALF.search(text) and not _CONDITION.search(text) and not scales_in(text) for text in texts),
        number=number,
        title=title,
        shows=shown_by(title),
        north_arrow=next((text for text in sorted(set(texts), key=len, reverse=True) if _NORTH.match(text)), ""),
        notes=tuple(notes),
    )


def shown_by(title: str) -> str:
    """What kind of sheet a title names; "" where it names none. A plan among details is a plan.

    Examples
    --------
    >>> shown_by("GRADING PLAN AND DETAILS"), shown_by("CONSTRUCTION DETAILS"), shown_by("PLANS")
    ('final', 'detail', '')
    """
    upper = title.upper()
    for kind, pattern in (*_KINDS, *_SPARED):
        if pattern.search(upper):
            return kind
    return ""


def caption_of(place: tuple[float, float], size: float, lines: Iterable[Line]) -> str:
    """Of what part of the sheet the nearest caption speaks: "location", "detail", "site_map"; "" where none is near.

    Parameters
    ----------
    place
        Where on the page the note or bar stands, in inches.
    size
        The size of its letters.
    """
    nearest, subject = math.inf, ""
    for line in lines:
        upper = line.text.upper()
        if len(upper) > _LONGEST_TITLE:
            continue
        kind = (
            "location"
            if _LOCATION.search(upper)
            else "site_map"
            if _SITE.search(upper)
            else "detail"
            if _DETAIL.search(upper)
            else ""
        )
        if not kind:
            continue
        along, across = on_baseline(*place, line.angle)
        beside = max(line.along - along, along - line.end, 0.0)
        away = math.hypot(beside, across - line.across)
        if away <= _CAPTION_REACH * max(size, line.size) and away < nearest:
            nearest, subject = away, kind
    return subject


def _with_values(lines: Sequence[Line]) -> Iterable[tuple[str, Line]]:
    """Each line in capitals; one that only names a thing, with the line that stands right of it or under it."""
    for line in lines:
        text = line.text.upper()
        if len(text) > _LONGEST_NOTE:
            continue
        yield text, line
        if re.search(r"\b(?:SCALE|INTERVAL|C\.I\.)(?: ?\([A-Z ]+\))? ?[:=]?$|=$", text):
            value = _beside(line, lines)
            if value is not None:
                yield f"{text} {value.text.upper()}", line


def _beside(label: Line, lines: Sequence[Line]) -> Line | None:
    """The line right of a label, else the one under it."""
    best, least = None, math.inf
    for line in lines:
        if line.angle != label.angle or line is label or len(line.text) > _LONGEST_NOTE:
            continue
        down, right = label.across - line.across, line.along - label.end
        on_row = abs(down) <= 0.5 * max(label.size, line.size) and 0 <= right <= _LABEL_REACH_IN
        under = 0 < down <= 2.5 * max(label.size, line.size) and line.along < label.end and line.end > label.along
        away = right if on_row else _LABEL_REACH_IN + down if under else math.inf
        if away < least:
            best, least = line, away
    return best


def _stated_scales(
    joined: Sequence[tuple[str, Line]], lines: Sequence[Line], where: str, *, reduced: bool
) -> list[ScaleEvidence]:
    found: dict[tuple[float | None, str, str], ScaleEvidence] = {}
    silent: dict[str, ScaleEvidence] = {}
    for text, line in joined:
        told = _line_scales(text)
        subject = caption_of(line.centre, line.size, lines) if told or says_no_scale(text) else ""
        for value, paper in told:
            doubt = value if reduced else None
            note = ScaleEvidence("stated", value, doubt, f"{where}, note {line.text[:80]!r}", subject, paper)
            found.setdefault((value, subject, paper), note)
        if not told and "SCALE" in text and says_no_scale(text) and not (_HALF.search(text) or _REDUCED.search(text)):
            silent.setdefault(subject, ScaleEvidence("stated", None, None, f"{where}, note {text[:80]!r}", subject))
    scales = list(found.values())
    if any((item.feet_per_inch or 0) >= _FINEST_SITE_MAP_FT for item in scales):
        # Finer than any site map is drawn: the scale of a detail whose caption was not found.
        scales = [
            ScaleEvidence(item.kind, item.feet_per_inch, item.plus_minus, item.where, "detail", item.paper)
            if not item.subject and (item.feet_per_inch or 0) < _FINEST_SITE_MAP_FT
            else item
            for item in scales
        ]
    return [*scales, *silent.values()]


def _line_scales(text: str) -> list[tuple[float, str]]:
    """Scales that a line states, each with the paper that it names for it."""
    scales = scales_in(text)
    if not scales:
        return []
    labelled = "SCALE" in text
    if not labelled:
        share = sum(len(scale.words) for scale in scales) / max(len(text), 1)
        if share < _LEAST_SHARE and "=" not in text:
            return []
        # Without the word: one inch, or a part of one, for so much ground; no side slope, no pipe's diameter.
        scales = [
            one
            for one in scales
            if _OF_ONE_INCH.match(one.words) and (":" not in one.words or one.feet_per_inch >= _LEAST_RATIO_FT)
        ]
    if not scales:
        return []
    sizes = paper_sizes(text)
    values = [one.feet_per_inch for one in scales]
    if len(sizes) == len(values) > 1:
        return [(value, f"{short:g}x{long:g}") for value, (short, long) in zip(values, sizes, strict=True)]
    halves = [one for one in scales if _HALF.search(text, max(0, one.start - 24), one.end + 14)]
    if len(values) == 2 and len(halves) >= 1 and math.isclose(max(values), 2 * min(values), rel_tol=1e-3):  # noqa: PLR2004
        return [(min(values), "")]  # "1 in = 50 ft full size, 1 in = 100 ft half size": one scale, told for both
    if _HALF.search(text) or feet_per_inch(text) is None:
        return []
    return [(values[0], f"{sizes[0][0]:g}x{sizes[0][1]:g}" if sizes else "")]


def _paper(texts: Sequence[str]) -> str:
    """The paper size that the sheet names as its own; the larger of several."""
    sizes = [size for text in texts if _PAPER.search(text) for size in paper_sizes(text)]
    return "{:g}x{:g}".format(*max(sizes, key=lambda size: size[0] * size[1])) if sizes else ""


def _number(lines: Sequence[Line], size_in: tuple[float, float]) -> str:
    """The sheet's number: at its label, else the largest like "C-101" in the lower right of the page."""
    for line in lines:
        text = line.text.upper()
        if match := _SHEET_OF.search(text):
            return match[1]
        if _SHEET_LABEL.match(text):
            value = _beside(line, lines)
            if value is not None and _NUMBER.fullmatch(value.text.upper().split(" OF ")[0]):
                return value.text.upper().split(" OF ")[0]
    width, height = size_in
    corner = [
        line
        for line in lines
        if _LETTERED.fullmatch(line.text.upper()) and line.centre[0] > 0.8 * width and line.centre[1] < 0.25 * height
    ]
    return max(corner, key=lambda line: line.size).text.upper() if corner else ""


def _title(lines: Sequence[Line]) -> str:
    """The sheet's title: at its label, else the largest line that names a plan, a map or details."""
    for line in lines:
        if _TITLE_LABEL.match(line.text.upper()) and (value := _beside(line, lines)) is not None:
            return value.text[:_LONGEST_TITLE]
    named = [
        line
        for line in lines
        if len(line.text) <= _LONGEST_TITLE
        and line.text.upper() == line.text
        and _TITLE.search(line.text)
        and sum(character.isalpha() or character.isspace() for character in line.text) > 0.8 * len(line.text)
        and not _LOCATION.search(line.text)
    ]
    return max(named, key=lambda line: line.size).text if named else ""
