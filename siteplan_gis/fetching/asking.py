"""What every feature service is asked, and what it must be able to answer: count first, then pages, then compare."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


@dataclass(frozen=True, slots=True)
class Page:
    """One page of an answer.

    Attributes
    ----------
    ids
        What tells its features apart, in order: their identifiers, or what they hold.
    lie
        Whether each has a geometry, as the service wrote it.
    readable
        Makes the page as GDAL reads it, each feature with its place on the page as `ROW`, and says how it is opened.
    declared
        Whether every page has the same fields of the same types.
    """

    ids: list[str]
    lie: list[bool]
    readable: Callable[[], tuple[bytes, dict[str, Any]]]
    declared: bool = False


@dataclass(slots=True)
class Kept:
    """What is there already: different features, and the last page."""

    ids: set[str] = field(default_factory=set)
    last: bytes | None = None

    def take(self, page: bytes, ids: list[str]) -> None:
        """Count one page, whose features have these identifiers."""
        self.ids.update(ids)
        self.last = page

    @property
    def rows(self) -> int:
        """How many features."""
        return len(self.ids)


class FeatureService(Protocol):
    """A layer of features that can be counted and paged."""

    def ask(self, box: Box) -> Asked:
        """Describe the layer, refuse what is not whole or not the one meant, and count what lies in `box` (degrees)."""

    def pages(self, asked: Asked, kept: Kept) -> Iterator[bytes]:
        """Pages, as they came, until everything that `kept` lacks is there. The caller counts each into `kept`."""

    def read(self, page: bytes) -> Page:
        """What a page holds."""

    def count(self, asked: Asked) -> int:
        """Count once more."""
