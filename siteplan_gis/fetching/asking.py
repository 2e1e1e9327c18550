"""What every feature service is asked, and what it must be able to answer: count first, then pages, then compare."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from siteplan_gis.fetching.ground import Box

ROW: Final = "row_on_page"
"""GDAL gives features back in the order of their identifiers, and renumbers some: this tells which is which."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, counted before anything is fetched.

    Attributes
    ----------
    url, query
        The layer's address and the question in words, without any secret.
    expected
        How many features the service counts.
    ids
        Their identifiers; None where the service lists none before.
    crs
        Coordinate system of the answer.
    box
        The asked ground in that system.
    extent
        The ground in degrees that the answer covers.
    edited
        Date of the last edit by the service; empty where it does not say.
    """

    url: str
    query: str
    expected: int
    ids: frozenset[str] | None
    crs: str
    box: Box
    extent: Box
    edited: str = ""
    notes: tuple[str, ...] = ()

    def key(self) -> dict[str, Any]:
        """What must be the same for pages that were kept to be of use."""
        ids = sorted(self.ids) if self.ids is not None else None
        return {"url": self.url, "query": self.query, "expected": self.expected, "ids": ids, "edited": self.edited}


@dataclass(slots=True)
class Kept:
    """What is there already: identifiers (empty text where a feature has none), rows, and the last page."""

    ids: set[str] = field(default_factory=set)
    rows: int = 0
    last: bytes | None = None

    def take(self, page: bytes, ids: list[str]) -> None:
        """Count one page."""
        self.rows += sum(1 for one in ids if not one or one not in self.ids)
        self.ids.update(one for one in ids if one)
        self.last = page


class FeatureService(Protocol):
    """A layer of features that can be counted and paged."""

    def ask(self, box: Box) -> Asked:
        """Describe the layer, refuse what is not whole or not the one meant, and count what lies in `box` (degrees)."""

    def pages(self, asked: Asked, kept: Kept) -> Iterator[bytes]:
        """Pages, as they came, until everything that `kept` lacks is there. The caller counts each into `kept`."""

    def ids(self, page: bytes) -> list[str]:
        """Identifiers of a page's features in order; empty text where a feature has none."""

    def lie(self, page: bytes) -> list[bool]:
        """Whether each of a page's features has a geometry, as the service wrote it."""

    def count(self, asked: Asked) -> int:
        """Count once more."""

    def readable(self, page: bytes) -> tuple[bytes, dict[str, Any]]:
        """The page as GDAL reads it, each feature with its place on the page as `ROW`, and how it is to be opened."""
