"""The reader of `sources.toml`: public services and their layers, as data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.reference.kinds import KINDS
from siteplan_gis.model.layers import LAYER_ROLES
from siteplan_gis.toml_files import read_toml

if TYPE_CHECKING:
    from collections.abc import Sequence

SOURCES_FILE: Final = "sources.toml"
ELEVATION: Final = "elevation"

Kind = Literal["arcgis", "ogc_features", "wfs", "image", "cog", "table"]
Geometry = Literal["point", "line", "polygon", "raster", "any", "none"]


@dataclass(frozen=True, slots=True)
class SourceLayer:
    """One layer of a public service.

    Attributes
    ----------
    roles
        Roles in a review; empty for a layer that no review uses, which `other` then names ("elevation" is a DEM).
    layer, number
        Words that must all be in the service's own name for it, and its number when this was written.
    needs, fields
        Fields that must be there, and fields taken where they are.
    codes
        Meaning of values, by field.
    name_field, kind_field
        For municipalities: the fields by which one is found.
    beyond_mi
        How far beyond the asked ground it is needed.
    cell_m, image_crs
        For elevations: the cells and the coordinate system to ask for, where the service's own are a mixture.
    """

    id: str
    roles: tuple[str, ...]
    other: str
    title: str
    owner: str
    kind: Kind
    url: str
    layer: str
    number: int | None
    geometry: Geometry
    needs: tuple[str, ...]
    fields: tuple[str, ...]
    codes: dict[str, dict[str, str]]
    feature_kind: str
    licence: str
    date: str
    covers: str
    note: str
    scale_denominator: float | None
    accuracy_ft: float | None
    beyond_mi: float
    units: str
    vertical_datum: str
    cell_m: float | None
    image_crs: str
    token_env: str
    preferred: bool
    name_field: str
    kind_field: str

    @property
    def uses(self) -> tuple[str, ...]:
        """Its roles, or what else it is."""
        return self.roles or (self.other,)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


_Text = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
_Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_]*$")]
_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Units = Literal["m", "ft", "us-ft", ""]
_Codes = dict[str, dict[str, _Text]]


class _Layer(_Strict):
    id: _Id
    roles: list[_Text] = []
    other: str = ""
    title: _Text
    layer: str = ""
    number: Annotated[int, Field(ge=0)] | None = None
    geometry: Geometry
    needs: list[_Text] = []
    fields: list[_Text] = []
    codes: _Codes = {}
    kind: str = ""
    note: str = ""
    beyond_mi: Annotated[float, Field(ge=0, le=50)] = 0.0
    units: _Units = ""
    cell_m: _Positive | None = None
    image_crs: Annotated[str, StringConstraints(pattern=r"^(EPSG:\d+)?$")] = ""
    preferred: bool = False
    name_field: str = ""
    kind_field: str = ""

    @model_validator(mode="after")
    def _is_of_some_use(self) -> _Layer:
        unknown = [role for role in self.roles if role not in LAYER_ROLES]
        if unknown:
            message = f"{unknown[0]!r} is no role of a reference layer; use one of {', '.join(LAYER_ROLES)}"
            raise ValueError(message)
        if bool(self.roles) == bool(self.other):
            message = "give roles, or say with other what it is"
            raise ValueError(message)
        if not {self.name_field, self.kind_field} - {""} <= {*self.needs}:
            message = "name_field and kind_field must be among needs"
            raise ValueError(message)
        if self.kind and any(self.kind not in KINDS.get(role, ()) for role in self.roles):
            message = f"{self.kind!r} is no kind of {', '.join(self.roles)}"
            raise ValueError(message)
        return self


class _Service(_Strict):
    id: _Id
    owner: _Text
    kind: Kind
    url: _Text
    covers: _Text
    licence: _Text
    date: str = ""
    note: str = ""
    scale_denominator: _Positive | None = None
    accuracy_ft: _Positive | None = None
    vertical_datum: str = ""
    token_env: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    codes: _Codes = {}
    layer: Annotated[list[_Layer], Field(min_length=1)]

    @model_validator(mode="after")
    def _can_be_found(self) -> _Service:
        for layer in self.layer:
            if self.kind == "arcgis" and not layer.layer and layer.number is None:
                message = f"{layer.id}: give the layer's name or number"
                raise ValueError(message)
            if self.kind in {"wfs", "ogc_features"} and not layer.layer:
                message = f"{layer.id}: give the layer's name"
                raise ValueError(message)
            if (self.kind in {"image", "cog"}) != (layer.geometry == "raster"):
                message = f"{layer.id}: geometry is raster for images and for nothing else"
                raise ValueError(message)
        if self.scale_denominator is not None and self.accuracy_ft is not None:
            message = "give scale_denominator or accuracy_ft, not both"
            raise ValueError(message)
        return self


class _File(_Strict):
    service: Annotated[list[_Service], Field(min_length=1)]


def shipped_sources() -> Path:
    """The file of sources that comes with the program: beside this module when installed, else in `layers/`."""
    beside = Path(__file__).with_name(SOURCES_FILE)
    return beside if beside.is_file() else Path(__file__).parents[2] / "layers" / SOURCES_FILE


def read_sources(path: Path | None = None) -> tuple[SourceLayer, ...]:
    """All layers of a file of sources, by default of the one that comes with the program.

    Raises
    ------
    InputError
        If there is no such file or it is no TOML.
    SeveralInputErrors
        If it says something unknown or wrong: all problems at once.
    """
    file = path or shipped_sources()
    if not file.is_file():
        raise InputError("there is no such file of sources", file=str(file), remedy="name one with --sources")
    described, _ = read_toml(file, _File)
    layers = tuple(_layer(service, layer) for service in described.service for layer in service.layer)
    ids = [layer.id for layer in layers]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise InputError(f"the id {twice[0]!r} is given twice", file=str(file))
    return layers


def chosen_sources(
    sources: Sequence[SourceLayer], only: Sequence[str], wanted: Sequence[str]
) -> tuple[SourceLayer, ...]:
    """The layers named in `only` (ids, or roles: then their preferred ones); without it the preferred of `wanted`.

    Raises
    ------
    InputError
        If a name is no id and no role, or has nothing to fetch.
    """
    by_id = {source.id: source for source in sources}
    found: dict[str, SourceLayer] = {}
    for name in only or wanted:
        if name in by_id:
            found[name] = by_id[name]
            continue
        of_use = [source for source in sources if name in source.uses]
        preferred = [source for source in of_use if source.preferred]
        if not preferred and only:
            ids = ", ".join(source.id for source in of_use) or ", ".join(
                dict.fromkeys(u for s in sources for u in s.uses)
            )
            what = f"none of {name} is preferred" if of_use else f"{name!r} is no layer and no role"
            raise InputError(what, remedy=f"name one or more of {ids}")
        found |= {source.id: source for source in preferred}
    unfetchable = [source.id for source in found.values() if source.kind == "table"]
    if unfetchable:
        raise InputError(f"{unfetchable[0]} is a table, which is not fetched")
    return tuple(found.values())


def _layer(service: _Service, layer: _Layer) -> SourceLayer:
    named = {name.rpartition(".")[2].upper() for name in (*layer.needs, *layer.fields)}
    shared = {field: meaning for field, meaning in service.codes.items() if field.upper() in named}
    return SourceLayer(
        layer.id, tuple(layer.roles), layer.other, layer.title, service.owner, service.kind, service.url.rstrip("/"),
        layer.layer, layer.number, layer.geometry, tuple(layer.needs), tuple(layer.fields), {**shared, **layer.codes},
        layer.kind, service.licence, service.date, service.covers, " ".join(filter(None, (service.note, layer.note))),
        service.scale_denominator, service.accuracy_ft, layer.beyond_mi, layer.units, service.vertical_datum,
        layer.cell_m, layer.image_crs, service.token_env or "", layer.preferred, layer.name_field, layer.kind_field,
    )  # fmt: skip


def sources_text(sources: Sequence[SourceLayer]) -> str:
    """The layers for people, those of one service together."""
    lines: list[str] = []
    for source in sources:
        if not any(line.endswith(source.url) for line in lines):
            lines += ["", source.owner, f"  {source.url}"]
        mark = "*" if source.preferred else " "
        lines.append(f"  {mark} {source.id} ({', '.join(source.uses)}): {source.title}")
    return "\n".join(lines[1:]) + "\n\n* is fetched where its role is asked for\n"
