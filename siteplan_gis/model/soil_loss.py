"""The factors of a soil loss computation, as someone gives them, with where each comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

    from siteplan_gis.model.source import Source


@dataclass(frozen=True, slots=True)
class CoverPeriod:
    """Cover factor, share kept back by practices and share delivered, from one day to another (both included)."""

    first: date
    last: date
    c: float
    kept: float
    delivered: float


@dataclass(frozen=True, slots=True)
class LossArea:
    """One drainage area; `slope_percent` None means the median slope that is measured on the site."""

    name: str
    acres: float
    k: float
    slope_percent: float | None
    length_ft: float
    covers: tuple[CoverPeriod, ...]


@dataclass(frozen=True, slots=True)
class SoilLossInputs:
    """Rainfall factor and its course over the year (day of the year, share fallen by its end), and the areas."""

    r: float
    course: tuple[tuple[int, float], ...]
    areas: tuple[LossArea, ...]
    tables: str
    source: Source
