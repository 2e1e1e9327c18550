"""How a measuring step hands over what it took."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from siteplan_gis.measuring.vocabulary import VOCABULARY
from siteplan_gis.model.measurement import Measurement

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.measurement import Value
    from siteplan_gis.model.source import Source


@dataclass(slots=True)
class Taken:
    """Measurements by name, and the flags met on the way."""

    values: dict[str, Measurement] = field(default_factory=dict)
    flags: list[Flag] = field(default_factory=list)

    def add(self, measurement: Measurement) -> None:
        """Keep one measurement."""
        self.values[measurement.name] = measurement


def measured(
    name: str,
    value: Value,
    plus_minus: float | None,
    method: str,
    where: BaseGeometry | None = None,
    sources: tuple[Source, ...] = (),
    reason: str = "",
) -> Measurement:
    """A measurement with the unit of its name."""
    unit = VOCABULARY[name.split("[", 1)[0]][0]
    return Measurement(name, value, unit, plus_minus, method, where, sources, reason)


def cannot(name: str, reason: str, sources: tuple[Source, ...] = ()) -> Measurement:
    """A measurement whose value cannot be told, with the reason."""
    return measured(name, None, None, "", None, sources, reason)
