"""Names, kinds, phases, days and elevations in the attribute fields of plan layers."""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.units import FOOT_M

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from siteplan_gis.model.plan import AttributeValue

NAME_FIELDS: Final = (
    "name",
    "label",
    "title",
    "waterbody",
    "gnis_name",
    "river_name",
    "nombre",
    "outfall",
    "id_name",
    "tag",
)
KIND_FIELDS: Final = ("kind", "type", "bmp_type", "bmp", "control", "practice", "class", "category", "descriptio",
    "description", "desc")  # fmt: skip
PHASE_FIELDS: Final = ("phase", "phase_name", "phase_id", "phase_no", "phasename", "ph", "stage", "fase")
START_FIELDS: Final = (
    "start",
    "start_date",
    "startdate",
    "date_start",
    "begin",
    "begin_date",
    "open",
    "opened",
    "from_date",
)
END_FIELDS: Final = ("end", "end_date", "enddate", "date_end", "finish", "finish_date", "close", "closed", "to_date")
ELEVATION_FIELDS: Final = ("elevation", "elev", "contour", "elev_ft", "elevation_ft", "contour_ft", "contourelevation",
    "contour_el", "contourele", "elevft", "elev_m", "elevation_m", "elevm", "z", "zvalue", "z_value", "height", "el", "lvl", "level", "msl")  # fmt: skip

_NUMBER: Final = re.compile(
    r"\s*(?:el(?:ev(?:ation)?)?[.:= ]*)?([-+]?(?:\d+(?:,\d{3})*(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)\s*([a-z.'\u2019\u2032 -]*)\s*",
    re.IGNORECASE,
)
_FEET: Final = frozenset(
    {"'", "\u2019", "\u2032", "ft", "feet", "foot", "ft.", "usft", "us ft", "us-ft", "ft msl", "ft navd"}
)
_METRES: Final = frozenset({"m", "m.", "metre", "metres", "meter", "meters", "m msl"})


def plain_value(value: Any) -> AttributeValue:
    """An attribute as text, number, truth or day; numbers that are not finite become text, so that JSON stays valid.

    Examples
    --------
    >>> plain_value(float("nan")), plain_value([1, 2]), plain_value(b"ab")
    ('NaN', '[1, 2]', '<2 bytes>')
    """
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, date):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"<{len(value)} bytes>"
    return str(value)


def field_of(fields: Iterable[str], wanted: str | None, guesses: tuple[str, ...]) -> str | None:
    """The field to use: the wanted one, or the first of the guesses that the layer has; case does not matter."""
    by_name: dict[str, str] = {}
    for name in fields:
        by_name.setdefault(name.strip().lower(), name)
    if wanted is not None:
        return by_name.get(wanted.strip().lower())
    return next((by_name[guess] for guess in guesses if guess in by_name), None)


def text_of(attributes: Mapping[str, AttributeValue], name: str | None) -> str:
    """An attribute as text without outer blanks; whole floats lose their `.0`."""
    value = attributes.get(name) if name else None
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def day_of(attributes: Mapping[str, AttributeValue], name: str | None) -> date | None:
    """An attribute as a day: ISO (2026-05-01, 20260501, with or without a time) or US month first (5/1/2026).

    Examples
    --------
    >>> day_of({"START": "5/1/2026"}, "START"), day_of({"START": "2026-05-01T00:00:00"}, "START")
    (datetime.date(2026, 5, 1), datetime.date(2026, 5, 1))
    """
    value = attributes.get(name) if name else None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = text_of(attributes, name)
    iso = re.match(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)|(\d{4})(\d{2})(\d{2})$", text)
    american = re.match(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?!\d)", text)
    try:
        if iso:
            year, month, day = (int(part) for part in iso.groups() if part)
            return date(year, month, day)
        if american:
            return date(int(american[3]), int(american[1]), int(american[2]))
    except ValueError:
        return None
    return None


def elevation_of(value: AttributeValue) -> tuple[float, float | None] | None:
    """A level and the metres of its unit (None where the value does not say), of a number or text like `704.00 ft`.

    A foot mark means the international foot; at village heights the survey foot differs by half a millimetre.

    Examples
    --------
    >>> elevation_of(" 702'"), elevation_of("704.00 ft"), elevation_of(706), elevation_of("n/a")
    ((702.0, 0.3048), (704.0, 0.3048), (706.0, None), None)
    """
    if isinstance(value, bool) or value is None or isinstance(value, date):
        return None
    if isinstance(value, (int, float)):
        return (float(value), None) if math.isfinite(value) else None
    match = _NUMBER.fullmatch(value)
    if match is None:
        return None
    level, unit = float(match[1].replace(",", "")), " ".join(match[2].lower().split())
    if not math.isfinite(level):  # hundreds of digits
        return None
    if not unit:
        return level, None
    if unit in _FEET:
        return level, FOOT_M
    return (level, 1.0) if unit in _METRES else None


def unit_in_field_name(name: str) -> float | None:
    """Metres of the unit that a field's name tells; None where it tells none.

    Examples
    --------
    >>> unit_in_field_name("ELEV_FT"), unit_in_field_name("elev_m"), unit_in_field_name("ELEV")
    (0.3048, 1.0, None)
    """
    words = re.findall(r"[a-z]+", name.lower())
    last = words[-1] if words else ""
    if last in ("ft", "feet", "foot", "elevft"):
        return FOOT_M
    if last in ("m", "metres", "meters", "elevm") and len(words) + (last == "elevm") > 1:
        return 1.0
    return None
