"""Figures that a plan writes on its features, with their unit: a depth, a volume, a time."""

from __future__ import annotations

import math
import re
from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple

from siteplan_gis.units import FOOT_M, INCH_M

if TYPE_CHECKING:
    from siteplan_gis.model.plan import PlanFeature

FEET: Final = {
    "ft": 1.0, "feet": 1.0, "foot": 1.0, "'": 1.0, "in": INCH_M / FOOT_M, "inch": INCH_M / FOOT_M,
    "inches": INCH_M / FOOT_M, '"': INCH_M / FOOT_M, "m": 1 / FOOT_M, "meters": 1 / FOOT_M, "metres": 1 / FOOT_M,
}  # fmt: skip
_CUYD_M3: Final = (3 * FOOT_M) ** 3
CUBIC_YARDS: Final = {
    **dict.fromkeys(("cy", "cuyd", "cubicyards", "cubicyard", "yd3", "yards", "yds"), 1.0),
    **dict.fromkeys(("cf", "cuft", "cubicfeet", "ft3"), 1 / 27),
    **dict.fromkeys(("m3", "cum", "cubicmeters", "cubicmetres"), 1 / _CUYD_M3),
}
_NUMBER: Final = re.compile(r"^\s*([0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+)\s*([a-z'\" .0-9]*?)\s*$", re.IGNORECASE)


class Figure(NamedTuple):
    """A figure in the unit asked for; None with the reason where the plan does not tell it."""

    value: float | None
    reason: str = ""


def figure_of(feature: PlanFeature, stem: str, units: dict[str, float]) -> Figure:
    """The figure that a feature's attributes give for `stem` ("depth"), its unit in the key or beside the number.

    Examples
    --------
    >>> from siteplan_gis.model.plan import PlanFeature
    >>> basin = PlanFeature("control", None, "plan/basin", "1", attributes={"DEPTH_IN": 36})
    >>> figure_of(basin, "depth", FEET).value
    3.0
    >>> figure_of(PlanFeature("control", None, "", "1", attributes={"depth": 4.0}), "depth", FEET).reason
    'the depth 4.0 has no unit'
    >>> figure_of(PlanFeature("control", None, "", "1", attributes={"DEPTH_FT": "24 in"}), "depth", FEET).reason
    "the depth '24 in' in the field DEPTH_FT is told in two ways"
    """
    for key, value in feature.attributes.items():
        plain = re.sub(r"[^a-z0-9]+", "_", key.casefold()).strip("_")
        named = plain == stem or plain.startswith(f"{stem}_")
        of_unit = plain in units and units is CUBIC_YARDS
        if not (named or of_unit) or value is None or isinstance(value, bool | date):
            continue
        unit = plain.removeprefix(stem).replace("_", "") if named else plain
        read = _NUMBER.match(str(value))
        if read is None:
            return Figure(None, f"the {stem} {value!r} cannot be read")
        number = float(read[1].replace(",", ""))
        said = re.sub(r"[ .]|\b(?:min|minimum|deep)\b", "", read[2].casefold())
        if unit and said and units.get(said) != units.get(unit):
            return Figure(None, f"the {stem} {value!r} in the field {key} is told in two ways")
        unit = unit or said
        if unit not in units:
            return Figure(None, f"the {stem} {value} has no unit" if not unit else f"the {stem} {value} is in {unit!r}")
        return (
            Figure(round(number * units[unit], 9))
            if math.isfinite(number)
            else Figure(None, f"the {stem} is not finite")
        )
    return Figure(None, f"no {stem} is given")


def day_of(feature: PlanFeature, *keys: str) -> date | None:
    """The first of some attributes that is a day."""
    attributes = {key.casefold(): value for key, value in feature.attributes.items()}
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, date):
            return value
        if isinstance(value, str):
            try:
                return date.fromisoformat(value.strip()[:10])
            except ValueError:
                continue
    return None
