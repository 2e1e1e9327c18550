"""`overrides.toml`: the reviewer's own decisions, read strictly, every problem named at once.

The file is the reviewer's and is named by an option: what lies inside or beside a plan may have come
with it. Each entry names a finding by its fingerprint, as the review prints it:

    [[override]]
    fingerprint = "0123456789abcdef"
    finding = "SAU-SLOPE:disturbed"      # optional: tells a stale decision from a mistyped one
    value = 0.42                         # optional: the measured value that was looked at
    decision = "pass"                    # pass, fail, needs_review or not_applicable
    who = "J. Smith, Superintendent"
    when = 2026-05-04
    reason = "The slope is an existing road bank that stays as it is."
"""

from __future__ import annotations

from collections import Counter
from datetime import date  # noqa: TC003 - pydantic reads it
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.records.manifest import written_day
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.review import Decision, Override, Status
from siteplan_gis.model.source import Source
from siteplan_gis.toml_files import read_toml

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

OVERRIDES_NAME: Final = "overrides.toml"


_Words = Annotated[str, StringConstraints(min_length=1, pattern=r"\S", max_length=4000)]


class _OverrideTable(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    fingerprint: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
    finding: str = ""
    value: float | None = None
    decision: Literal["pass", "fail", "needs_review", "not_applicable"]
    reason: _Words
    who: _Words
    when: Annotated[date, BeforeValidator(written_day)]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    override: list[_OverrideTable] = Field(default_factory=list)


def read_overrides(path: Path) -> tuple[tuple[Decision, ...], Source]:
    """Read the decisions of a reviewer, and what file they stand in.

    Raises
    ------
    InputError
        If it is no TOML file at all.
    SeveralInputErrors
        If keys or values are wrong, or one finding is decided twice: every one is named.
    """
    read, digest = read_toml(path, _File)
    tables = read.override
    twice = [name for name, count in Counter(table.fingerprint for table in tables).items() if count > 1]
    if twice:
        raise InputError(f"decides {', '.join(twice)} twice", file=path.name, remedy="keep one decision")
    decisions = tuple(
        Decision(
            table.fingerprint, table.finding, table.value,
            Override(Status(table.decision), table.who, table.when, table.reason),
        )
        for table in tables
    )  # fmt: skip
    return decisions, Source("the reviewer's decisions", file=path.name, sha256=digest)


def overrides_beside(plan: Sequence[Path]) -> Path | None:
    """`overrides.toml` beside a submitted folder or archive; None where none lies there.

    Never one inside what was submitted, nor beside a single file: what lies there may have come with it.

    Raises
    ------
    InputError
        If several lie beside the parts of a plan.
    """
    given = [path.resolve() for path in plan]
    whole = [path for path in given if path.is_dir() or path.suffix.lower() == ".zip"]
    beside = dict.fromkeys(path.parent / OVERRIDES_NAME for path in whole if path.parent not in given)
    found = [path for path in beside if path.is_file()]
    if len(found) > 1:
        raise InputError(
            f"several {OVERRIDES_NAME} lie beside the plan ({', '.join(str(path) for path in found)})",
            remedy="name one with --overrides",
        )
    return found[0] if found else None


def ignored_overrides(plan: Sequence[Path], given: Path | None = None) -> tuple[Flag, ...]:
    """A warning for each `overrides.toml` inside or beside what was submitted, but for the one that is used, `given`.

    What lies there may have come with the plan: an applicant would decide on the application.
    """
    given_paths = [path.resolve() for path in plan]
    folders = dict.fromkeys(folder for path in given_paths for folder in (path, path.parent) if folder.is_dir())
    found = [folder / OVERRIDES_NAME for folder in folders if (folder / OVERRIDES_NAME).is_file()]
    return tuple(
        Flag(
            "file_ignored",
            f"{path.name} lies {'inside' if path.parent in given_paths else 'beside'} what was submitted and was not "
            "used; a reviewer's decisions are given with --overrides",
            path.name,
        )
        for path in found
        if given is None or not path.samefile(given)
    )
