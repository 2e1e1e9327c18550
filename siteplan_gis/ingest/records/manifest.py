"""`siteplan.toml`: what the applicant says about the plan, read strictly, every problem named at once.

It names and dates the plan, states figures, describes sheets and tells which layer plays which role. It never names
reference layers or an elevation model: the applicant does not choose the evidence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from siteplan_gis.crs import georeference
from siteplan_gis.errors import InputError
from siteplan_gis.ingest.roles import require_role
from siteplan_gis.model.plan import ROLES, Activity, Stated
from siteplan_gis.model.sheet import Sheet
from siteplan_gis.toml_files import read_toml
from siteplan_gis.units import metres_per

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MANIFEST_NAME: Final = "siteplan.toml"

_EVIDENCE: Final = frozenset(
    {
        "layers",
        "reference",
        "reference_layers",
        "references",
        "catalogue",
        "catalog",
        "dem",
        "dem_units",
        "terrain",
        "elevation",
    }
)


@dataclass(frozen=True, slots=True)
class LayerSettings:
    """What the manifest says of one layer; None where it says nothing.

    Attributes
    ----------
    crs, axis_order
        Coordinate system that outranks the file's own, and "yx" where the file writes latitude or northing first.
    elevation_field, elevation_units
        Field and unit of contour elevations ("m", "ft", "us-ft").
    assume_closed
        Close open lines of a polygon role with a straight line.
    phase, start, end, kind
        What holds for all of the layer, where its features do not say it themselves (a CAD layer for each phase).
    """

    crs: str | None = None
    axis_order: Literal["xy", "yx"] | None = None
    elevation_field: str | None = None
    elevation_units: str | None = None
    phase_field: str | None = None
    start_field: str | None = None
    end_field: str | None = None
    name_field: str | None = None
    kind_field: str | None = None
    assume_closed: bool = False
    phase: str = ""
    start: date | None = None
    end: date | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class DrawingSettings:
    """What the manifest says of one CAD drawing or survey file; None where it says nothing.

    Attributes
    ----------
    units
        Unit of the drawing's numbers, which outranks its header ("us-ft", "ft", "in", "m", ...).
    crs
        Coordinate system of the drawing.
    add_east, add_north
        What was cut off the coordinates, in the drawing's unit: added to them first.
    combined_factor
        Grid distance over ground distance, for drawings in ground (surface) coordinates: multiplied in afterwards.
    """

    units: str | None = None
    crs: str | None = None
    add_east: float = 0.0
    add_north: float = 0.0
    combined_factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Manifest:
    """A plan's `siteplan.toml`; without one, the defaults."""

    name: str = ""
    applicant: str = ""
    submitted: date | None = None
    ordinance: str = ""
    invented: bool = False
    none: frozenset[str] = frozenset()
    stated: Stated = field(default_factory=Stated)
    activity: Activity = field(default_factory=Activity)
    sheets: tuple[Sheet, ...] = ()
    narrative: Mapping[str, str] = field(default_factory=dict)
    sheet_crs: Mapping[str, str] = field(default_factory=dict)
    """By the file of a sheet: the coordinate system of a picture that is placed by a world file."""
    roles: Mapping[str, str] = field(default_factory=dict)
    layers: Mapping[str, LayerSettings] = field(default_factory=dict)
    drawings: Mapping[str, DrawingSettings] = field(default_factory=dict)


def written_day(value: Any) -> Any:
    """A day as TOML or a text writes it, for pydantic."""
    if isinstance(value, datetime):
        raise ValueError("write the day alone, like 2026-05-01")  # noqa: TRY004
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise ValueError(f"{value!r} is not a date like 2026-05-01") from None
    return value


def _checked_role(role: str) -> str:
    try:
        return require_role(role)
    except InputError as error:
        raise ValueError(str(error)) from None


def _declared_absent(role: str) -> str:
    if role not in ROLES:
        raise ValueError(f"{role!r} is not a role; use one of {', '.join(ROLES)}")
    return role


def _checked_crs(text: str) -> str:
    try:
        georeference(text)
    except InputError as error:
        raise ValueError(str(error)) from None
    return text


def _checked_unit(text: str) -> str:
    try:
        metres_per(text)
    except InputError as error:
        raise ValueError(str(error)) from None
    return text


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


_Day = Annotated[date | None, BeforeValidator(written_day)]
_Amount = Annotated[float | None, Field(ge=0)]
_Role = Annotated[str, BeforeValidator(lambda value: _checked_role(value) if isinstance(value, str) else value)]
_AbsentRole = Annotated[
    str, BeforeValidator(lambda value: _declared_absent(value) if isinstance(value, str) else value)
]
_Crs = Annotated[str, BeforeValidator(lambda value: _checked_crs(value) if isinstance(value, str) else value)]
_Unit = Annotated[str, BeforeValidator(lambda value: _checked_unit(value) if isinstance(value, str) else value)]


class _PlanTable(_Strict):
    name: str = ""
    applicant: str = ""
    submitted: _Day = None
    ordinance: str = ""
    invented: bool = False
    none: list[_AbsentRole] = Field(default_factory=list)


class _StatedTable(_Strict):
    site_acres: _Amount = None
    disturbed_acres: _Amount = None
    wetland_acres: _Amount = None
    disturbed_max_concurrent_acres: _Amount = None
    receiving_water: str = ""
    listed_waters: list[str] | None = None
    sediment_tons_per_acre_year: _Amount = None


class _ActivityTable(_Strict):
    land_use: Literal[
        "", "one_family", "two_family", "multi_family", "residential_subdivision", "commercial", "industrial",
        "institutional", "street", "utility", "other",
    ] = ""  # fmt: skip
    needs_plat: bool | None = None
    state_funded: bool | None = None
    state_agency: bool | None = None
    exemption: Literal[
        "", "npdes_exempt", "agricultural", "silviculture", "no_disturbance", "routine_maintenance"
    ] = ""  # fmt: skip
    street_work_ft: _Amount = None
    pipe_work_ft: _Amount = None


class _SheetTable(_Strict):
    name: str
    shows: Literal["", "site_map", "existing", "final", "control", "location", "detail"] = ""
    scale: str = ""
    contour_interval_ft: Annotated[float | None, Field(gt=0)] = None
    paper: str = ""
    number: str = ""
    title: str = ""
    file: str = ""
    page: Annotated[int, Field(ge=0)] = 0
    crs: _Crs | None = None


class _LayerTable(_Strict):
    crs: _Crs | None = None
    axis_order: Literal["xy", "yx"] | None = None
    elevation_field: str | None = None
    elevation_units: _Unit | None = None
    phase_field: str | None = None
    start_field: str | None = None
    end_field: str | None = None
    name_field: str | None = None
    kind_field: str | None = None
    assume_closed: bool = False
    phase: str = ""
    start: _Day = None
    end: _Day = None
    kind: str = ""


class _DrawingTable(_Strict):
    units: _Unit | None = None
    crs: _Crs | None = None
    add_east: float = 0.0
    add_north: float = 0.0
    combined_factor: Annotated[float, Field(gt=0.99, lt=1.01)] = 1.0


def _item(value: Any) -> Any:
    if value is True:
        return "declared present"
    if value is False:
        return ""
    if isinstance(value, str) and not value.strip():
        raise ValueError("say where it stands, or write true or false")
    return value


_Item = Annotated[str, BeforeValidator(_item)]
_ItemName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]


class _File(_Strict):
    plan: _PlanTable = Field(default_factory=_PlanTable)
    stated: _StatedTable = Field(default_factory=_StatedTable)
    activity: _ActivityTable = Field(default_factory=_ActivityTable)
    narrative: dict[_ItemName, _Item] = Field(default_factory=dict)
    sheet: list[_SheetTable] = Field(default_factory=list)
    roles: dict[str, _Role] = Field(default_factory=dict)
    layer: dict[str, _LayerTable] = Field(default_factory=dict)
    drawing: dict[str, _DrawingTable] = Field(default_factory=dict)


def _stated(table: _StatedTable) -> Stated:
    told = table.model_dump()
    told["listed_waters"] = None if table.listed_waters is None else tuple(table.listed_waters)
    return Stated(**told)


def read_manifest(path: Path) -> Manifest:
    """Read a `siteplan.toml`.

    Raises
    ------
    InputError
        If it is no TOML file at all.
    SeveralInputErrors
        If keys or values are wrong: every one of them is named.
    """
    read, _ = read_toml(path, _File, _not_for_a_plan)
    plan = read.plan
    return Manifest(
        name=plan.name,
        applicant=plan.applicant,
        submitted=plan.submitted,
        ordinance=plan.ordinance,
        invented=plan.invented,
        none=frozenset(plan.none),
        stated=_stated(read.stated),
        activity=Activity(**read.activity.model_dump()),
        sheets=tuple(
            Sheet(
                sheet.name,
                sheet.shows,
                sheet.scale,
                sheet.contour_interval_ft,
                sheet.paper,
                number=sheet.number,
                title=sheet.title,
                file=sheet.file,
                page=sheet.page,
            )
            for sheet in read.sheet
        ),
        narrative=read.narrative,
        sheet_crs={sheet.file: sheet.crs for sheet in read.sheet if sheet.file and sheet.crs},
        roles=read.roles,
        layers={name: LayerSettings(**table.model_dump()) for name, table in read.layer.items()},
        drawings={name: DrawingSettings(**table.model_dump()) for name, table in read.drawing.items()},
    )


def _not_for_a_plan(key: str) -> str:
    if key.lower() not in _EVIDENCE:
        return ""
    return "a plan must not name reference layers or elevation models: the reviewer gives them with --layers and --dem"
