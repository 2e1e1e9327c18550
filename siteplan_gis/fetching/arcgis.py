"""Layers of ArcGIS feature and map services (ArcGIS REST API).

Asked are the layer's own coordinates, in which nothing is moved or thinned on the way: `maxAllowableOffset`,
`geometryPrecision` and quantization are never sent. All identifiers are listed first; pages are ordered by them, and go
on while `exceededTransferLimit` says so, even after an empty page; what is then still missing is asked for by name.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.errors import InputError
from siteplan_gis.fetching.arcgis_layers import LayerDescription, crs_of, described
from siteplan_gis.fetching.asking import ROW, Asked, Page
from siteplan_gis.fetching.connection import UnansweredError, parsed, shown
from siteplan_gis.fetching.ground import box_in, box_of, common

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from siteplan_gis.fetching.asking import Kept
    from siteplan_gis.fetching.connection import Connection
    from siteplan_gis.fetching.ground import Box
    from siteplan_gis.fetching.registry import SourceLayer

_SMALLEST_PAGE: Final = 10
_EMPTY_PAGES: Final = 5


class ArcgisLayer:
    """One layer, found by its name."""

    def __init__(self, connection: Connection, source: SourceLayer, where: str = "1=1") -> None:
        self._connection = connection
        self._source = source
        self._where = where
        self._found: LayerDescription | None = None
        self._last: tuple[bytes, dict[str, Any]] | None = None

    def ask(self, box: Box) -> Asked:
        """Describe the layer, refuse what is not the one meant, count and list what lies in `box` (degrees)."""
        layer = self._layer
        ground = box_in(layer.crs, box)
        extent = box if layer.extent is None else common(box, box_of(*layer.extent))
        if extent is None:
            raise InputError("its data do not reach the asked ground", file=shown(layer.url), remedy="ask elsewhere")
        query = self._query(ground)
        expected = self._count(query)
        if expected == 0 and self._count({"where": "1=1"}) == 0:
            raise InputError("the layer holds no feature at all", file=shown(layer.url), remedy="use another source")
        ids = self._ids(query)
        if len(ids) != expected:
            raise InputError(
                f"the service counts {expected} features and lists {len(ids)}", file=shown(layer.url),
                remedy="fetch again; if it stays so, use another source",
            )  # fmt: skip
        west, south, east, north = ground
        told = f"where {self._where}; envelope {west:.6f},{south:.6f},{east:.6f},{north:.6f} in {layer.crs}; fields {', '.join(layer.fields)}"
        return Asked(layer.url, told, expected, frozenset(ids), layer.crs, ground, extent, layer.edited, layer.notes)

    def count(self, asked: Asked) -> int:
        """Count once more."""
        return self._count(self._query(asked.box))

    def outline(self, where: str, meant: str) -> Box:
        """The bounds in degrees of the features that `where` chooses; `meant` says in words what they are."""
        layer, place = self._layer, shown(self._layer.url)
        document, _ = self._asked({"where": where, "outFields": layer.id_field, "outSR": layer.wkid})
        if _more(document):
            raise InputError(f"far too many features are {meant}", file=place, remedy="give a box")
        points = [
            point[:2]
            for feature in _features(document)
            for part in (feature.get("geometry") or {}).get("rings") or ()
            for point in part
        ]
        if not points:
            raise InputError(
                f"there is no {meant} in it", file=place, remedy="give a box: west,south,east,north in degrees"
            )
        x, y = zip(*points, strict=True)
        return box_of(layer.crs, (min(x), min(y), max(x), max(y)))

    def pages(self, asked: Asked, kept: Kept) -> Iterator[bytes]:
        """Pages by offset where the service has them, then whatever is missing by its identifiers."""
        assert asked.ids is not None
        if self._layer.pages and not kept.rows:
            yield from self._by_offset(asked)
        size = self._layer.page
        while missing := sorted(asked.ids - kept.ids, key=_in_order):
            before = len(missing)
            for start in range(0, before, size):
                part = [one for one in missing[start : start + size] if one not in kept.ids]
                if part:
                    yield self._page({**self._query(None), "objectIds": ",".join(part)}, size)
            if len(asked.ids - kept.ids) == before:
                if size <= _SMALLEST_PAGE:
                    return
                size = max(size // 2, _SMALLEST_PAGE)

    def read(self, page: bytes) -> Page:
        """Object ids and geometries of a page. Nothing is a null, an empty list, or a point that is no number."""
        document = self._document(page)
        features = _features(document)
        geometries = [feature.get("geometry") or {} for feature in features]
        lie = [
            any(one.get(key) for key in ("rings", "paths", "points")) or one.get("x") not in {None, "NaN"}
            for one in geometries
        ]
        ids = [_id(feature, self._layer.id_field) for feature in features]
        return Page(ids, lie, lambda: (_for_gdal(document), {}), declared=True)

    @property
    def _layer(self) -> LayerDescription:
        if self._found is None:
            self._found = described(self._connection, self._source)
        return self._found

    def _query(self, ground: Box | None) -> dict[str, str]:
        query = {"where": self._where}
        if ground is not None:
            west, south, east, north = ground
            query |= {
                "geometry": f"{west!r},{south!r},{east!r},{north!r}", "geometryType": "esriGeometryEnvelope",
                "inSR": self._layer.wkid, "spatialRel": "esriSpatialRelIntersects",
            }  # fmt: skip
        return query

    def _count(self, query: Mapping[str, str]) -> int:
        answer, _ = self._asked({**query, "returnCountOnly": "true"})
        count = answer.get("count")
        if not isinstance(count, int) or isinstance(count, bool):
            raise InputError("the service does not count its features", file=shown(self._layer.url),
                             remedy="use another source: a short answer could not be told from a whole one")  # fmt: skip
        return count

    def _ids(self, query: Mapping[str, str]) -> set[str]:
        answer, _ = self._asked({**query, "returnIdsOnly": "true"})
        return {str(one) for one in answer.get("objectIds") or ()}

    def _by_offset(self, asked: Asked) -> Iterator[bytes]:
        offset, empty, size = 0, 0, self._layer.page
        while True:
            order = {"orderByFields": f"{self._layer.id_field} ASC", "resultOffset": str(offset)}
            try:
                page = self._page({**self._query(asked.box), **order, "resultRecordCount": str(size)}, size)
            except UnansweredError:
                if size <= _SMALLEST_PAGE:
                    raise
                size = max(size // 4, _SMALLEST_PAGE)
                continue
            yield page
            document = self._document(page)
            count = len(_features(document))
            if not _more(document):
                return
            empty = 0 if count else empty + 1
            if empty >= _EMPTY_PAGES or offset > asked.expected + size:
                return  # Whatever it holds back is asked for by name.
            offset += count or size

    def _page(self, query: Mapping[str, str], size: int) -> bytes:
        """One page, checked. A page by identifiers that fails is asked for in halves by the caller."""
        layer = self._layer
        names = {"outFields": ",".join(layer.fields), "outSR": layer.wkid, "returnGeometry": "true"}
        flat = {"returnZ": "false", "returnM": "false", "returnTrueCurves": "false"}
        try:
            document, page = self._asked({**query, **names, **flat})
        except UnansweredError:
            if "objectIds" in query and size > _SMALLEST_PAGE:
                ids = query["objectIds"].split(",")
                if len(ids) > 1:
                    return self._page({**query, "objectIds": ",".join(ids[: max(len(ids) // 4, 1)])}, size // 4)
            raise
        self._refuse_thinned(document)
        self._last = page, document
        return page

    def _document(self, page: bytes) -> dict[str, Any]:
        """A page's content; that of the last one is still known."""
        if self._last is None or self._last[0] is not page:
            self._last = page, parsed(page)
        return self._last[1]

    def _asked(self, form: Mapping[str, str]) -> tuple[dict[str, Any], bytes]:
        return self._connection.json(f"{self._layer.url}/query", form={**form, "f": "json"})

    def _refuse_thinned(self, document: Mapping[str, Any]) -> None:
        layer, place = self._layer, shown(self._layer.url)
        features = _features(document)
        if "transform" in document:
            raise InputError("the service sends quantized coordinates, which are not the mapped ones", file=place)
        reference = document.get("spatialReference")
        if features and (not isinstance(reference, dict) or crs_of(reference, place)[0] != layer.crs):
            raise InputError(f"the service does not answer in {layer.crs}, as it was asked", file=place)
        for feature in features:
            geometry = feature.get("geometry") or {}
            if "curveRings" in geometry or "curvePaths" in geometry:
                raise InputError(
                    "the service sends true curves, which are not read", file=place, feature=_id(feature, layer.id_field)
                )  # fmt: skip


def _for_gdal(document: Mapping[str, Any]) -> bytes:
    """The page as GDAL keeps it apart: object ids as plain numbers, by which it would renumber and reorder."""
    fields = [
        {**field, "type": "esriFieldTypeBigInteger"} if field.get("type") == "esriFieldTypeOID" else field
        for field in document.get("fields") or ()
    ]
    features = [
        {**feature, "attributes": {**(feature.get("attributes") or {}), ROW: row}}
        for row, feature in enumerate(_features(document))
    ]
    fields.append({"name": ROW, "type": "esriFieldTypeInteger", "alias": ROW})
    kept = {key: value for key, value in document.items() if key != "objectIdFieldName"}
    return json.dumps({**kept, "fields": fields, "features": features}).encode()


def _features(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    features = document.get("features")
    return [one for one in features if isinstance(one, dict)] if isinstance(features, list) else []


def _more(document: Mapping[str, Any]) -> bool:
    """Whether the service holds more: the flag stands at the root or under `properties`."""
    properties = document.get("properties")
    inner = properties.get("exceededTransferLimit") if isinstance(properties, dict) else None
    return document.get("exceededTransferLimit") is True or inner is True


def _id(feature: Mapping[str, Any], field: str) -> str:
    value = (feature.get("attributes") or {}).get(field)
    return "" if value is None else str(value)


def _in_order(identity: str) -> tuple[int, str]:
    return (int(identity), "") if identity.lstrip("-").isdecimal() else (0, identity)
