"""The shape of `layers.toml`: which tables and keys there are, and what kind of value each holds."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from siteplan_gis.ingest.reference.kinds import KINDS
from siteplan_gis.ingest.reference.stamps import StampTable  # noqa: TC001 - pydantic reads it
from siteplan_gis.model.layers import LAYER_ROLES


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Text = Annotated[str, Field(min_length=1)]
# TOML has dates of its own: 2024-05-01 without quotes is as good as with them.
_Date = Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, dt.date) else value)]


class WhereTable(_Strict):
    """A filter on one field."""

    field: _Text
    any_of: list[str | int | float] = []
    none_of: list[str | int | float] = []

    @model_validator(mode="after")
    def _asks_something(self) -> WhereTable:
        if not self.any_of and not self.none_of:
            message = "where needs any_of or none_of"
            raise ValueError(message)
        return self


class LayerTable(_Strict):
    """One `[[layer]]`: a reference layer."""

    path: _Text
    role: _Text
    layer: str = ""
    title: str = ""
    source: str = ""
    date: _Date = ""
    licence: str = ""
    scale_denominator: _Positive | None = None
    accuracy_ft: _Positive | None = None
    coverage: str | list[float] | None = None
    where: WhereTable | None = None
    crs: str = ""
    name_field: str = ""
    id_field: str = ""
    code_field: str = ""
    kind: str = ""
    fetched: StampTable | None = None

    @field_validator("role")
    @classmethod
    def _known_role(cls, role: str) -> str:
        if role not in LAYER_ROLES:
            message = f"{role!r} is no role of a reference layer; use one of {', '.join(LAYER_ROLES)}"
            raise ValueError(message)
        return role

    @field_validator("coverage")
    @classmethod
    def _box(cls, coverage: str | list[float] | None) -> str | list[float] | None:
        if isinstance(coverage, list) and not _is_box(coverage):
            message = "a box is [west, south, east, north] in degrees"
            raise ValueError(message)
        return coverage

    @field_validator("kind")
    @classmethod
    def _known_kind(cls, kind: str, info: ValidationInfo) -> str:
        role = info.data.get("role", "")
        kinds = KINDS.get(role, ())
        if kind and role and kind not in kinds:
            message = f"{kind!r} is no kind of {role}; use one of {', '.join(kinds) or 'none'}"
            raise ValueError(message)
        return kind

    @field_validator("accuracy_ft")
    @classmethod
    def _one_accuracy(cls, accuracy_ft: float | None, info: ValidationInfo) -> float | None:
        if accuracy_ft is not None and info.data.get("scale_denominator") is not None:
            message = "give scale_denominator or accuracy_ft, not both"
            raise ValueError(message)
        return accuracy_ft


class DemTable(_Strict):
    """One `[[dem]]`: an elevation model."""

    path: _Text
    title: str = ""
    source: str = ""
    date: _Date = ""
    licence: str = ""
    units: Literal["m", "ft", "us-ft", ""] = ""
    vertical_datum: str = ""
    vertical_accuracy_ft: _Positive | None = None
    crs: str = ""
    coverage: list[float] | None = None
    fetched: StampTable | None = None


class OtherTable(_Strict):
    """One `[[other]]`: a layer kept for people, which no review reads."""

    path: _Text
    use: _Text
    title: str = ""
    source: str = ""
    date: _Date = ""
    licence: str = ""
    coverage: list[float] | None = None
    fetched: StampTable | None = None


class CatalogueTable(_Strict):
    """The whole file."""

    name: _Text
    invented: bool = False
    proj_grids: str = ""
    layer: list[LayerTable] = []
    dem: list[DemTable] = []
    other: list[OtherTable] = []


def _is_box(numbers: list[float]) -> bool:
    if len(numbers) != 4:  # noqa: PLR2004
        return False
    west, south, east, north = numbers
    return -180 <= west < east <= 360 and -90 <= south < north <= 90  # noqa: PLR2004
