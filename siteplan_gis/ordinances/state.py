"""A state's law on extraterritorial areas, read from its file and refused where it is not whole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from siteplan_gis.errors import InputError
from siteplan_gis.model.limits import Reaching, StateProfile
from siteplan_gis.toml_files import read_toml
from siteplan_gis.units import MILE_M

_FOLDER: Final = Path(__file__).parent / "states"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Reach(_Strict):
    kind: Literal["city", "village", "incorporated_town"]
    classes: list[Literal["1", "2", "3", "4"]] = []
    miles: Annotated[float, Field(ge=0, le=20)]
    source: str


class _State(_Strict):
    id: str
    title: str
    detached_parts: Literal["count", "main_only"]
    reach: Annotated[list[_Reach], Field(min_length=1)]
    sources: dict[str, str]


def shipped_states() -> tuple[str, ...]:
    """Names of the state profiles that come with the program.

    Examples
    --------
    >>> shipped_states()
    ('wisconsin',)
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def read_state(which: str | Path) -> StateProfile:
    """Read a shipped state profile by name, or a file.

    Raises
    ------
    InputError
        If there is no such profile, or it is not whole; every problem at once.

    Examples
    --------
    >>> [(rule.kind, rule.classes, round(rule.metres, 3)) for rule in read_state("wisconsin").reaches]
    [('city', ('1', '2', '3'), 4828.032), ('city', ('4',), 2414.016), ('village', (), 2414.016)]
    """
    path = _FOLDER / f"{which}.toml" if which in shipped_states() else Path(which)
    if not path.is_file():
        raise InputError(
            f"there is no state profile {str(which)!r}", remedy=f"use {', '.join(shipped_states())}, or a .toml file"
        )
    told, _ = read_toml(path, _State)
    told_for = [(rule.kind, each) for rule in told.reach for each in map(str, rule.classes or ("",))]
    for kind, each in told_for:
        if told_for.count((kind, each)) > 1:
            raise InputError(f"{kind} {each} has two reaches", file=path.name, remedy="keep one")
    reaches = tuple(Reaching(one.kind, tuple(one.classes), one.miles * MILE_M, one.source) for one in told.reach)
    return StateProfile(told.id, told.title, reaches, told.detached_parts, tuple(sorted(told.sources.items())))
