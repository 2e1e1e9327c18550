"""What a fetched layer says of its own making, as `layers.toml` keeps it, and whether its file is still that one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from siteplan_gis.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

HASHED_BYTES: Final = 200_000_000
"""A larger file is not hashed at every review; `layers check` hashes it."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """How and when a layer was fetched.

    Attributes
    ----------
    source
        Its id in the file of sources.
    extent
        The asked ground: west, south, east, north in degrees.
    expected, got
        Features (cells for elevations) that the service counted, and that came.
    without_geometry
        Of those that came: features that lie nowhere and are not in the file.
    when
        Time of the fetch, UTC, as 2026-11-30T14:05:00Z.
    edited
        Day of the last edit as the service tells it; empty where it does not.
    """

    source: str
    url: str
    query: str
    extent: tuple[float, float, float, float]
    expected: int
    got: int
    when: str
    sha256: str
    without_geometry: int = 0
    edited: str = ""
    notes: tuple[str, ...] = ()


class StampTable(BaseModel):
    """The table `fetched` of a layer."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: Annotated[str, Field(min_length=1)]
    url: Annotated[str, Field(min_length=1)]
    query: str
    extent: Annotated[list[float], Field(min_length=4, max_length=4)]
    expected: Annotated[int, Field(ge=0)]
    got: Annotated[int, Field(ge=0)]
    when: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    without_geometry: Annotated[int, Field(ge=0)] = 0
    edited: str = ""
    notes: list[str] = []

    def stamp(self) -> Stamp:
        """The same as a plain value."""
        west, south, east, north = self.extent
        return Stamp(
            self.source, self.url, self.query, (west, south, east, north), self.expected, self.got, self.when,
            self.sha256, self.without_geometry, self.edited, tuple(self.notes),
        )  # fmt: skip


def dated(date: str, stamp: Stamp | None) -> str:
    """The date of a layer for its readers: of the data as far as known, and of the fetch.

    Examples
    --------
    >>> one = Stamp("a", "https://a", "", (0, 0, 1, 1), 1, 1, "2026-11-30T14:05:00Z", "0" * 64)
    >>> dated("2024-05-01", one), dated("", one), dated("2024-05-01", None)
    ('2024-05-01, fetched 2026-11-30', 'unknown, fetched 2026-11-30', '2024-05-01')
    """
    return date if stamp is None else f"{date or 'unknown'}, fetched {stamp.when[:10]}"


def refuse_changed(path: Path, stamp: Stamp | None) -> None:
    """Refuse a file that is not the one that was fetched.

    Raises
    ------
    InputError
        If its hash, or the count of its features, is not the stamped one.
    """
    if stamp is None:
        return
    if stamp.got != stamp.expected:
        raise InputError(f"{stamp.got} of {stamp.expected} were fetched", file=path.name, remedy="fetch it again")
    if path.stat().st_size > HASHED_BYTES:
        return
    if file_hash(path) != stamp.sha256:
        raise InputError(
            "the file is not the one that was fetched: its hash differs", file=path.name,
            remedy="fetch it again, or take its `fetched` table out of layers.toml if you changed it on purpose",
        )  # fmt: skip


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    about = path.stat()
    return _hash(path, about.st_mtime_ns, about.st_size)


@cache
def _hash(path: Path, _changed: int, _size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
