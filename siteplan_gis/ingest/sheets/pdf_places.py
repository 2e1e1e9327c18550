"""Scales that a PDF's own dictionaries tell: viewports with a measure (ISO 32000) and the older map dictionaries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from siteplan_gis.ingest.sheets.pdf_drawn import POINTS_PER_INCH
from siteplan_gis.measures.sheets.ground_scale import GRID_TO_GROUND, scale_between
from siteplan_gis.measures.sheets.sheet import feet_per_inch
from siteplan_gis.model.sheet import ScaleEvidence
from siteplan_gis.units import FOOT_M, INCH_M, MILE_M, US_SURVEY_FOOT_M

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from siteplan_gis.ingest.sheets.pdf_drawn import PageFrame

_MOST_DICTIONARIES: Final = 200
_DEEPEST: Final = 8
_WHOLE: Final = (0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0)
_UNITS_M: Final = {
    **dict.fromkeys(("ft", "feet", "foot", "'", "int ft"), FOOT_M),
    **dict.fromkeys(("us ft", "us-ft", "ftus", "sft", "us survey foot", "us survey feet"), US_SURVEY_FOOT_M),
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(("km", "kilometers", "kilometres"), 1000.0),
    **dict.fromkeys(("mi", "mile", "miles"), MILE_M),
    **dict.fromkeys(("in", "inch", "inches", '"'), INCH_M),
    **dict.fromkeys(("yd", "yard", "yards"), 3 * FOOT_M),
    **dict.fromkeys(("mm", "millimeters", "millimetres"), 0.001),
    **dict.fromkeys(("cm", "centimeters", "centimetres"), 0.01),
}
_LOCATION_WORDS: Final = ("vicinity", "location", "locator", "overview", "key map", "index map", "inset")
_DETAIL_WORDS: Final = ("detail", "section", "profile", "legend")
_COARSER: Final = 5.0
_SMALLER: Final = 0.25


def viewport_scales(page: Mapping[str, Any], frame: PageFrame, where: str) -> tuple[list[ScaleEvidence], list[str]]:
    """Evidence of every viewport and map dictionary of a page, and what could not be used."""
    found: list[tuple[ScaleEvidence, float]] = []
    notes: list[str] = []
    for number, viewport in enumerate(_dictionaries(page.get("/VP")), start=1):
        name = _text(viewport.get("/Name")) or str(number)
        place = f"{where}, viewport {name!r}"
        box = _numbers(viewport.get("/BBox"))
        measure = _plain(viewport.get("/Measure"))
        if not isinstance(measure, dict):
            continue
        if len(box) != 4 or not _area(box):  # noqa: PLR2004
            notes.append(f"{place} has no usable place on the page")
            continue
        kind = str(measure.get("/Subtype", "/RL"))
        told = _geospatial(measure, box, frame, place) if kind == "/GEO" else _rectilinear(measure, frame, place)
        if told is None:
            notes.append(f"the measure of {place} gives no scale")
            continue
        found += [(evidence, _area(box)) for evidence in _named(told, name)]
    for number, dictionary in enumerate(_dictionaries(page.get("/LGIDict")), start=1):
        name = _text(dictionary.get("/Description")) or str(number)
        place = f"{where}, map dictionary {name!r}"
        evidence = _map_dictionary(dictionary, frame, place)
        if evidence is None:
            notes.append(f"{place} gives no scale")
            continue
        line = _numbers(dictionary.get("/Neatline"))
        corners = np.array(line[: len(line) // 2 * 2]).reshape(-1, 2)
        area = float(np.ptp(corners[:, 0]) * np.ptp(corners[:, 1])) if len(corners) else 0.0
        found += [(item, area) for item in _named([evidence], name)]
    return _main_one(found), notes


def _named(evidence: Sequence[ScaleEvidence], name: str) -> list[ScaleEvidence]:
    low = name.lower()
    subject = (
        "location"
        if any(word in low for word in _LOCATION_WORDS)
        else "detail"
        if any(word in low for word in _DETAIL_WORDS)
        else ""
    )
    return [_about(item, subject) for item in evidence]


def _main_one(found: Sequence[tuple[ScaleEvidence, float]]) -> list[ScaleEvidence]:
    """The largest viewport is the site map; a much smaller one at a much coarser scale is its location map."""
    unnamed = [(item, area) for item, area in found if not item.subject and item.kind != "stated"]
    if not unnamed:
        return [item for item, _ in found]
    main, largest = max(unnamed, key=lambda one: one[1])
    told = []
    for item, area in found:
        subject = item.subject
        if not subject and area == largest:
            subject = "site_map"
        elif not subject and (
            area <= _SMALLER * largest and (item.feet_per_inch or 0) >= _COARSER * (main.feet_per_inch or math.inf)
        ):
            subject = "location"
        told.append(_about(item, subject))
    return told


def _about(evidence: ScaleEvidence, subject: str) -> ScaleEvidence:
    return ScaleEvidence(
        evidence.kind, evidence.feet_per_inch, evidence.plus_minus, evidence.where, subject, evidence.paper
    )


def _geospatial(
    measure: Mapping[str, Any], box: Sequence[float], frame: PageFrame, where: str
) -> list[ScaleEvidence] | None:
    written = _plain(measure.get("/GPTS"))
    latlon = _numbers(written)
    local = _numbers(measure.get("/LPTS")) or list(_WHOLE)
    count = min(len(latlon), len(local)) // 2
    if count < 2:  # noqa: PLR2004
        return None
    lonlat = np.array(latlon[: 2 * count]).reshape(-1, 2)[:, ::-1]
    west, south, east, north = min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])
    page = np.array(local[: 2 * count]).reshape(-1, 2) * [east - west, north - south] * frame.inches_per_unit
    scale = scale_between(page, lonlat, _rounding(written))
    return None if scale is None else [ScaleEvidence("geospatial", *scale, where)]


def _rectilinear(measure: Mapping[str, Any], frame: PageFrame, where: str) -> list[ScaleEvidence] | None:
    """Units of ground in a unit of the page: the first conversion along x, and along y where it differs."""
    x, y = (_conversion(measure.get(key)) for key in ("/X", "/Y"))
    told: list[ScaleEvidence] = []
    if x is not None:
        factor, unit_m, rounding = x
        per_inch = POINTS_PER_INCH / frame.user_unit * unit_m / FOOT_M
        value, doubt = factor * per_inch, rounding * per_inch
        if y is not None:
            between = _numbers([measure.get("/CYX", 1)]) or [1.0]
            upright = y[0] * (between[0] or 1.0) * per_inch
            doubt += abs(upright - value)
        if math.isfinite(value) and value > 0:
            told.append(ScaleEvidence("viewport", value, doubt or None, where))
    words = _text(measure.get("/R"))
    stated = feet_per_inch(words)
    if stated is not None:
        told.append(ScaleEvidence("stated", stated, None, f"{where}, ratio {words!r}"))
    return told or None


def _conversion(formats: Any) -> tuple[float, float, float] | None:
    """Factor, metres in its unit and half its rounding, of the first of some number formats."""
    listed = _plain(formats)
    first = _plain(listed[0]) if isinstance(listed, list) and listed else listed
    if not isinstance(first, dict):
        return None
    factor = _numbers([first.get("/C")])
    unit_m = _UNITS_M.get(_text(first.get("/U")).strip().lower().rstrip("."))
    if not factor or unit_m is None:
        return None
    return factor[0], unit_m, _rounding([first.get("/C")]) / 2


def _map_dictionary(dictionary: Mapping[str, Any], frame: PageFrame, where: str) -> ScaleEvidence | None:
    """The older map dictionary: a matrix, or points, from the page to the map's own coordinates."""
    projection = _plain(dictionary.get("/Projection"))
    if not isinstance(projection, dict):
        return None
    degrees = _text(projection.get("/ProjectionType")).upper() == "GEOGRAPHIC"
    matrix = _numbers(dictionary.get("/CTM"))
    if len(matrix) == 6:  # noqa: PLR2004
        box = np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]]) * [frame.width, frame.height] + [frame.left, frame.bottom]
        page, ground = box, box @ np.array([matrix[0:2], matrix[2:4]]) + np.array(matrix[4:6])
    else:
        rows = [_numbers(row) for row in _plain(dictionary.get("/Registration")) or [] if isinstance(_plain(row), list)]
        full = np.array([row[:4] for row in rows if len(row) >= 4])  # noqa: PLR2004
        if len(full) < 2:  # noqa: PLR2004
            return None
        page, ground = full[:, :2], full[:, 2:]
    page = page * frame.inches_per_unit
    if degrees:
        scale = scale_between(page, ground)
        return None if scale is None else ScaleEvidence("geospatial", *scale, where)
    unit_m = _UNITS_M.get((_text(projection.get("/Units")) or "m").strip().lower())
    first, second = np.triu_indices(len(page), k=1)
    inches = np.hypot(*(page[first] - page[second]).T)
    if unit_m is None or not inches.max() > 0:
        return None
    kept = inches >= inches.max() / 4
    with np.errstate(all="ignore"):
        scales = np.hypot(*(ground[first] - ground[second]).T)[kept] * unit_m / FOOT_M / inches[kept]
    if not (np.isfinite(scales).all() and scales.min() > 0):
        return None
    value = float(scales.mean())
    return ScaleEvidence("geospatial", value, float(np.ptp(scales)) / 2 + GRID_TO_GROUND * value, where)


def _dictionaries(value: Any) -> Iterator[dict[str, Any]]:
    """Every dictionary in a value, in arrays within arrays too, as far as a sound file goes."""
    waiting, seen = [(value, 0)], 0
    while waiting and seen < _MOST_DICTIONARIES:
        item, depth = waiting.pop(0)
        plain = _plain(item)
        seen += 1
        if isinstance(plain, dict):
            yield plain
        elif isinstance(plain, list) and depth < _DEEPEST:
            waiting += [(member, depth + 1) for member in plain[:_MOST_DICTIONARIES]]


def _plain(value: Any) -> Any:
    """The object that a reference stands for."""
    get = getattr(value, "get_object", None)
    return get() if get is not None else value


def _numbers(value: Any) -> list[float]:
    """The numbers of an array, some of which are written as text in older files; none where one is no number."""
    plain = _plain(value)
    if not isinstance(plain, list):
        return []
    numbers = []
    for item in plain[:_MOST_DICTIONARIES]:
        try:
            number = float(_plain(item))
        except (TypeError, ValueError, OverflowError):
            return []
        numbers.append(number)
    return numbers if all(math.isfinite(number) for number in numbers) else []


def _rounding(value: Any) -> float:
    """The last place to which the numbers of an array are written."""
    plain = _plain(value)
    written = [str(_plain(item)).rstrip("0") for item in plain] if isinstance(plain, list) else []
    places = [len(text.partition(".")[2]) for text in written]
    return 10.0 ** -max(places, default=0)


def _text(value: Any) -> str:
    plain = _plain(value)
    text = plain.decode("latin-1") if isinstance(plain, bytes) else str(plain) if plain is not None else ""
    return " ".join(text.replace("\x00", "").lstrip("/").split())[:200]


def _area(box: Sequence[float]) -> float:
    return abs((box[2] - box[0]) * (box[3] - box[1]))
