"""The submitted plan: features with a role, in the site frame, and what the applicant states."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.sheet import Sheet
    from siteplan_gis.model.source import Source
    from siteplan_gis.model.surface import Surface

ROLES: Final = (
    "site", "construction_site", "lot", "disturbed_area", "contour_existing", "contour_proposed", "surface_water",
    "wetland", "floodplain", "vegetation", "drainage_pattern", "storm_sewer", "inlet", "outfall", "road", "structure",
    "utility", "control", "stabilization", "revegetation", "infiltration", "grid", "stockpile", "entrance",
    "street_work", "pipe_work", "culvert", "ohwm", "pond", "surface_existing", "surface_proposed",
)  # fmt: skip
"""Roles that a layer of a plan can play."""

POLYGON_ROLES: Final = frozenset({"site", "construction_site", "lot", "disturbed_area", "floodplain", "wetland",
    "stockpile", "infiltration", "stabilization", "revegetation", "pond", "grid", "surface_existing", "surface_proposed"})  # fmt: skip
"""Roles whose closed lines mean the ground inside. A `wetland`, `floodplain` or `grid` may be lines or points, too."""

POINT_ROLES: Final = frozenset({"outfall", "inlet"})
"""Roles of things that stand at one place: of a drawn symbol, its insertion point counts."""

AttributeValue = str | int | float | bool | date | None


@dataclass(frozen=True, slots=True, eq=False)
class PlanFeature:
    """One drawn thing.

    Attributes
    ----------
    role
        One of `ROLES`.
    geometry
        Flat and valid, in the site frame, in metres.
    layer, id
        The layer's label (`file` or `file/layer`) and the feature's name within it, as a reviewer would find it.
    phase, start, end
        Name of its construction phase and the days it is open, where the plan tells; `end` is the last open day.
    name, kind
        From the attributes, for outfalls, waters, controls and other things that people name; empty where unknown.
    elevation_m
        For contours: the level in metres; None where it cannot be read.
    """

    role: str
    geometry: BaseGeometry
    layer: str
    id: str
    name: str = ""
    kind: str = ""
    phase: str = ""
    start: date | None = None
    end: date | None = None
    elevation_m: float | None = None
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlanLayer:
    """What was found in one layer of the plan; `inspect` shows it.

    `role` is empty where no role is known; `role_from` is "manifest", "option", "name" or "".
    """

    label: str
    file: str
    layer: str
    role: str
    role_from: str
    crs: str
    geometry_types: tuple[str, ...]
    features: int
    set_aside: int
    fields: tuple[str, ...]
    sample: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stated:
    """Figures that the application states; None where it does not."""

    site_acres: float | None = None
    disturbed_acres: float | None = None
    wetland_acres: float | None = None
    disturbed_max_concurrent_acres: float | None = None
    receiving_water: str = ""
    listed_waters: tuple[str, ...] | None = None
    sediment_tons_per_acre_year: float | None = None


@dataclass(frozen=True, slots=True)
class Activity:
    """What is to be built, for the applicability rules; None or "" where the application does not say.

    Attributes
    ----------
    land_use
        "one_family", "two_family", "multi_family", "residential_subdivision", "commercial", "industrial",
        "institutional", "street", "utility" or "other".
    exemption
        "" or one of "npdes_exempt", "agricultural", "silviculture", "no_disturbance", "routine_maintenance".
    """

    land_use: str = ""
    needs_plat: bool | None = None
    state_funded: bool | None = None
    state_agency: bool | None = None
    exemption: str = ""
    street_work_ft: float | None = None
    pipe_work_ft: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A submitted plan, read and placed in the site frame."""

    name: str
    features: tuple[PlanFeature, ...]
    layers: tuple[PlanLayer, ...]
    flags: tuple[Flag, ...] = ()
    sources: tuple[Source, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    stated: Stated = Stated()
    activity: Activity = Activity()
    applicant: str = ""
    submitted: date | None = None
    ordinance: str = ""
    invented: bool = False
    declared_absent: frozenset[str] = frozenset()
    """Roles that the manifest declares not to exist on the ground (`none = ["infiltration", ...]`)."""
    surfaces: tuple[Surface, ...] = ()
    narrative: Mapping[str, str] = field(default_factory=dict)
    """Items of the plan statement that the manifest declares: where each stands, or "" where it is absent."""

    @property
    def only_sheets(self) -> bool:
        """Whether all that was given are sheets: what they show is for eyes, and no ground can be measured."""
        return bool(self.sheets) and not self.features

    def of(self, *roles: str) -> tuple[PlanFeature, ...]:
        """Features that play one of `roles`, in reading order."""
        return tuple(feature for feature in self.features if feature.role in roles)
