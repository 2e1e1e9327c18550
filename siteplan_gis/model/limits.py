"""Municipal limits of a state, and the law that says how far a municipality reaches beyond them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import date

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame
    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.source import Source

UNINCORPORATED_KINDS: Final = frozenset({"town"})
"""Kinds whose ground is unincorporated: a civil town governs it, and a city or village nearby may reach into it."""


@dataclass(frozen=True, slots=True)
class Reaching:
    """How far municipalities of one kind, or of some classes of it, reach beyond their limits."""

    kind: str
    classes: tuple[str, ...]
    metres: float
    source: str


@dataclass(frozen=True, slots=True)
class StateProfile:
    """A state's law on extraterritorial areas, as data.

    Attributes
    ----------
    detached_parts
        "count": parts apart from the main one reach out too, and what only they reach is marked for review;
        "main_only": they do not reach out.
    sources
        By subject ("detached_parts", "overlaps", "class"): where the rule stands, in words.
    """

    id: str
    title: str
    reaches: tuple[Reaching, ...]
    detached_parts: str
    sources: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Municipality:
    """One municipality, dissolved over its counties, in the plane of its `Limits`.

    Attributes
    ----------
    kind
        "city", "village", "town", "incorporated_town", or "" where the data do not say.
    city_class, class_source
        Class of a city as proclaimed, with where that is written; empty where not known. Never from population.
    stated_reach_m
        The reach that the data themselves state; None where they state none.
    filled
        Hairs between its own pieces that were taken as its ground.
    """

    name: str
    kind: str
    counties: tuple[str, ...]
    geometry: BaseGeometry
    city_class: str = ""
    class_source: str = ""
    stated_reach_m: float | None = None
    rows: int = 1
    filled_m2: float = 0.0

    @property
    def label(self) -> str:
        """Name and kind: a town and a village may share a name.

        Examples
        --------
        >>> import shapely
        >>> Municipality("Saukville", "village", (), shapely.Point()).label
        'Village of Saukville'
        """
        return f"{self.kind.replace('incorporated_', '').title()} of {self.name}" if self.kind else self.name


@dataclass(frozen=True, slots=True, eq=False)
class SpecialGround:
    """Ground where a municipality has waived its reach, or that an agreement gives to it."""

    label: str
    geometry: BaseGeometry


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """Municipal limits as of a day, in one plane that is true to area (`plane`), by label."""

    municipalities: tuple[Municipality, ...]
    plane: Frame
    source: Source
    invented: bool = False
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Territory:
    """What one municipality has outside its limits, in the plane of the limits.

    Attributes
    ----------
    reach_m, reach_source
        How far it reaches and why.
    reached, held, shared
        Unincorporated ground within its reach; what of it is its own after division; what others reach too.
    detached_only
        What of `held` only parts apart from the main one reach.
    undecided
        Unincorporated ground beyond its reach that it would reach if its class were the highest; empty where the class
        is known.
    towns, counties
        Labels of the towns, and the counties, that `held` touches; None where the limits hold no town.
    """

    municipality: Municipality
    reach_m: float
    reach_source: str
    reached: BaseGeometry
    held: BaseGeometry
    shared: BaseGeometry
    detached_only: BaseGeometry
    undecided: BaseGeometry
    towns: tuple[str, ...] | None
    counties: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """Unincorporated ground within the reach of two municipalities, and the line that divides it where they hold it."""

    first: str
    second: str
    ground: BaseGeometry
    line: BaseGeometry


@dataclass(frozen=True, slots=True, eq=False)
class TerritoryMap:
    """The extraterritorial areas of some municipalities (`territories`) among all of the limits."""

    limits: Limits
    profile: StateProfile
    territories: tuple[Territory, ...]
    overlaps: tuple[Overlap, ...]
    on: date
    waived: tuple[SpecialGround, ...] = ()
    agreed: tuple[SpecialGround, ...] = ()
    flags: tuple[Flag, ...] = ()
