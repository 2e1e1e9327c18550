"""`soil_loss.toml`: the factors of a soil loss computation, read strictly. No table is built in.

tables = "county erosion control manual, 2024, tables 2 and 5"    # where R, its course, K and C come from
r = 150.0
course = [["04-01", 0.08], ["07-01", 0.52], ["10-01", 0.91], ["12-31", 1.0]]   # share of R fallen by the end of

[[area]]
name = "north"
acres = 4.2
k = 0.32
slope_percent = 6.0       # leave out: the measured median slope of the site
length_ft = 150.0
cover = [
  { from = 2026-04-15, to = 2026-07-31, c = 1.0, kept = 0.6 },
  { from = 2026-08-01, to = 2026-10-31, c = 0.1 },
]
"""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from siteplan_gis.errors import InputError, SeveralInputErrors
from siteplan_gis.ingest.records.manifest import written_day
from siteplan_gis.model.soil_loss import CoverPeriod, LossArea, SoilLossInputs
from siteplan_gis.model.source import Source
from siteplan_gis.toml_files import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_DAY_OF_YEAR: Final = r"^(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$"

_Words = Annotated[str, StringConstraints(min_length=1, pattern=r"\S", max_length=1000)]
_Positive = Annotated[float, Field(gt=0)]
_Share = Annotated[float, Field(ge=0, le=1)]
_Day = Annotated[date, BeforeValidator(written_day)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class _CoverTable(_Strict):
    first: Annotated[_Day, Field(alias="from")]
    last: Annotated[_Day, Field(alias="to")]
    c: Annotated[float, Field(gt=0, le=1)]
    kept: _Share = 0.0
    delivered: _Share = 1.0


class _AreaTable(_Strict):
    name: _Words
    acres: _Positive
    k: Annotated[float, Field(gt=0, le=1)]
    slope_percent: Annotated[float, Field(ge=0)] | None = None
    length_ft: _Positive
    cover: Annotated[list[_CoverTable], Field(min_length=1)]


class _File(_Strict):
    tables: _Words
    r: Annotated[float, Field(gt=0, le=1000)]
    course: Annotated[list[Any], Field(min_length=1)]
    area: Annotated[list[_AreaTable], Field(min_length=1)]


def read_soil_loss_inputs(path: Path) -> SoilLossInputs:
    """Read the factors of a soil loss computation.

    Raises
    ------
    InputError
        If it is no TOML file at all.
    SeveralInputErrors
        If keys or values are wrong, or days do not follow each other: every one is named.
    """
    read, digest = read_toml(path, _File)
    problems = [InputError(text) for text in (*_course_problems(read.course), *_area_problems(read.area))]
    if problems:
        raise SeveralInputErrors(problems, file=path.name)
    areas = tuple(
        LossArea(
            area.name, area.acres, area.k, area.slope_percent, area.length_ft,
            tuple(CoverPeriod(one.first, one.last, one.c, one.kept, one.delivered) for one in area.cover),
        )
        for area in read.area
    )  # fmt: skip
    source = Source("soil loss factors: " + read.tables, file=path.name, sha256=digest)
    return SoilLossInputs(read.r, tuple(map(_step, read.course)), areas, read.tables, source)


def _step(entry: Any) -> tuple[int, float]:
    month, day = entry[0].split("-")
    return date(2023, int(month), int(day)).timetuple().tm_yday, float(entry[1])


def _course_problems(course: list[Any]) -> Iterator[str]:
    steps = []
    for entry in course:
        try:
            day, share = entry
            if not isinstance(day, str) or isinstance(share, bool) or not 0 <= float(share) <= 1:
                raise ValueError  # noqa: TRY301
            steps.append(_step(entry))
        except (TypeError, ValueError, AttributeError):
            yield f'course: {entry!r} is not a day of the year and a share, like ["07-01", 0.52]'
            return
    for (day, share), (later, more) in pairwise(steps):
        if later <= day or more < share:
            yield "course: days and shares must rise"
            return
    if steps[-1] != (365, 1.0):
        yield 'course: it ends with ["12-31", 1.0]'


def _area_problems(areas: list[_AreaTable]) -> Iterator[str]:
    names = [area.name for area in areas]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"area {name!r} is given twice"
    for area in areas:
        for cover in area.cover:
            if cover.last < cover.first:
                yield f"area {area.name!r}: a cover ends on {cover.last.isoformat()}, before it begins"
        for one, other in pairwise(area.cover):
            if other.first != one.last + timedelta(days=1):
                yield (
                    f"area {area.name!r}: the cover until {one.last.isoformat()} is followed by one from "
                    f"{other.first.isoformat()}: covers follow day by day from grading to final stabilisation"
                )
