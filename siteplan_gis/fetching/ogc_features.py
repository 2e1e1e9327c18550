"""Collections of OGC API Features: counted by `numberMatched`, paged by the links that the service gives.

Longitude and latitude (CRS84) are asked and answered: the standard's default, in which the axes have one order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from siteplan_gis.errors import InputError
from siteplan_gis.fetching.asking import Asked, Page
from siteplan_gis.fetching.connection import parsed, shown
from siteplan_gis.fetching.geojson_pages import features_of, page_of
from siteplan_gis.fetching.ground import common

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from siteplan_gis.fetching.asking import Kept
    from siteplan_gis.fetching.connection import Connection
    from siteplan_gis.fetching.ground import Box
    from siteplan_gis.fetching.registry import SourceLayer

_CRS84: Final = "OGC:CRS84"
_PAGE: Final = 1000
_JSON: Final = {"Accept": "application/geo+json, application/json"}


class OgcCollection:
    """One collection, found by its identifier or title."""

    def __init__(self, connection: Connection, source: SourceLayer) -> None:
        self._connection = connection
        self._source = source
        self._items = ""

    def ask(self, box: Box) -> Asked:
        """Find the collection and count what lies in `box` (degrees)."""
        collection = self._collection()
        self._items = self._link(collection, "items") or f"{self._source.url}/collections/{collection['id']}/items"
        place = shown(self._items)
        reach = _reach(collection)
        extent = box if reach is None else common(box, reach)
        if extent is None:
            raise InputError("its data do not reach the asked ground", file=place, remedy="ask elsewhere")
        bbox = ",".join(repr(number) for number in box)
        query = f"bbox={bbox}; CRS84"
        return Asked(place, query, self._count(bbox), None, _CRS84, box, extent)

    def count(self, asked: Asked) -> int:
        """Count once more."""
        return self._count(",".join(repr(number) for number in asked.box))

    def pages(self, asked: Asked, kept: Kept) -> Iterator[bytes]:
        """Pages from link to link."""
        seen: set[str] = set()
        if kept.last is None:
            bbox = ",".join(repr(number) for number in asked.box)
            document, page = self._page(self._items, {"bbox": bbox, "limit": str(_PAGE)})
            yield page
        else:
            document = parsed(kept.last)
        while following := self._link(document, "next"):
            if following in seen or len(seen) > asked.expected:
                raise InputError("its pages go round in circles", file=asked.url, remedy="use another source")
            seen.add(following)
            document, page = self._page(following, None)
            yield page

    def read(self, page: bytes) -> Page:
        """What a page holds."""
        return page_of(parsed(page), self._source.needs, shown(self._items))

    def _collection(self) -> Mapping[str, Any]:
        url = f"{self._source.url}/collections"
        about, _ = self._connection.json(url, {"f": "json"}, headers=_JSON)
        listed = [one for one in about.get("collections") or () if isinstance(one, dict) and one.get("id")]
        wanted = self._source.layer.casefold()
        found = [one for one in listed if str(one["id"]).casefold() == wanted]
        found = found or [one for one in listed if str(one.get("title", "")).casefold() == wanted]
        if len(found) != 1:
            names = ", ".join(str(one["id"]) for one in listed[:30])
            raise InputError(
                f"no single collection is {self._source.layer!r}", file=shown(url), remedy=f"it offers {names or 'none'}; correct the source"
            )  # fmt: skip
        return found[0]

    def _count(self, bbox: str) -> int:
        document, _ = self._page(self._items, {"bbox": bbox, "limit": "1"})
        count = document.get("numberMatched")
        if not isinstance(count, int) or isinstance(count, bool):
            raise InputError("the service does not count its features (numberMatched)", file=shown(self._items),
                             remedy="use another source: a short answer could not be told from a whole one")  # fmt: skip
        return count

    def _page(self, url: str, params: Mapping[str, str] | None) -> tuple[Mapping[str, Any], bytes]:
        found: list[dict[str, Any]] = []

        def check(answer: Any) -> None:
            found[:] = [parsed(answer.content)]
            features_of(found[0])
            crs = answer.headers.get("content-crs", "").strip("<> ")
            if crs and not crs.endswith("/CRS84"):
                raise InputError(f"the service answers in {crs}, not in CRS84 as it was asked", file=shown(url))

        answer = self._connection.ask(url, params, headers=_JSON, check=check)
        return found[0], answer.content

    def _link(self, document: Mapping[str, Any], relation: str) -> str:
        """Where a link of this relation leads; of several, the one to JSON."""
        links = [one for one in document.get("links") or () if isinstance(one, dict) and one.get("rel") == relation]
        links.sort(key=lambda one: "json" not in str(one.get("type", "json")))
        return urljoin(self._items or f"{self._source.url}/", str(links[0].get("href", ""))) if links else ""


def _reach(collection: Mapping[str, Any]) -> Box | None:
    """The ground of a collection in degrees, where it tells it."""
    spatial = (collection.get("extent") or {}).get("spatial") or {}
    boxes = spatial.get("bbox") or ()
    if not boxes or not str(spatial.get("crs", _CRS84)).endswith("CRS84"):
        return None
    numbers = [float(number) for number in boxes[0]]
    half = len(numbers) // 2
    west, south, east, north = numbers[0], numbers[1], numbers[half], numbers[half + 1]
    return (west, south, east, north) if west < east and south < north else None
