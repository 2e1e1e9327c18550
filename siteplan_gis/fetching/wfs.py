"""Feature types of a Web Feature Service 2.0: counted by `resultType=hits`, paged by `startIndex`.

Features come as GeoJSON where the service offers it, else as GML. XML with a document type or entities is refused.
The box and the answer are in the type's own coordinate system; in the long form of its name (`urn:`) the axes stand in
the order of the authority, and so the box is written.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET  # only writes; what comes from elsewhere is read by defusedxml

from defusedxml import ElementTree as SafeXml
from defusedxml.common import DefusedXmlException

from siteplan_gis.errors import HostileInputError, InputError
from siteplan_gis.fetching.asking import ROW, Asked, Page
from siteplan_gis.fetching.connection import PassingError, parsed, shown
from siteplan_gis.fetching.geojson_pages import features_of, fingerprint, is_made_up, page_of
from siteplan_gis.fetching.ground import box_in, common
from siteplan_gis.ingest.reference.codes import bare

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from siteplan_gis.fetching.asking import Kept
    from siteplan_gis.fetching.connection import Answer, Connection
    from siteplan_gis.fetching.ground import Box
    from siteplan_gis.fetching.registry import SourceLayer

_PAGE: Final = 1000
_VERSION: Final = "2.0.0"
_CODE: Final = re.compile(r"(?:EPSG|epsg)(?:/0/|::?|:[\d.]*:|\.xml#)(\d+)$")
_JSON_FORMATS: Final = ("application/json", "geojson", "json", "application/geo+json")
_GEOMETRIES: Final = frozenset(
    {"Point", "MultiPoint", "LineString", "Curve", "MultiCurve", "MultiLineString", "Polygon", "Surface",
     "MultiSurface", "MultiPolygon", "MultiGeometry"}
)  # fmt: skip
_GML_OPTIONS: Final = {"DOWNLOAD_SCHEMA": "NO", "FORCE_SRS_DETECTION": "YES"}


class WfsType:
    """One feature type, found by its name."""

    def __init__(self, connection: Connection, source: SourceLayer) -> None:
        self._connection = connection
        self._source = source
        self._asked: dict[str, str] = {}
        self._json = False
        self._code = 0

    def ask(self, box: Box) -> Asked:
        """Find the feature type and count what lies in `box` (degrees)."""
        root = self._xml({"request": "GetCapabilities"})
        place = shown(self._source.url)
        if not str(root.get("version", "")).startswith("2.0"):
            raise InputError(
                f"the service speaks WFS {root.get('version')}, not 2.0", file=place, remedy="use another source"
            )
        kind = self._feature_type(root)
        name, crs = _text(kind, "Name"), _text(kind, "DefaultCRS")
        code = _CODE.search(crs)
        if code is None:
            raise InputError(f"its coordinate system {crs!r} is not known", file=place, remedy="use another source")
        self._code = int(code[1])
        formats = [str(one.text).strip() for one in root.iter() if _local(one) == "Value"] + [
            str(one.text).strip() for one in kind.iter() if _local(one) == "Format"
        ]
        wanted = next((one for want in _JSON_FORMATS for one in formats if one.lower() == want), "")
        self._json = bool(wanted)
        definition = f"EPSG:{self._code}"
        ground = box_in(definition, box)
        reach = _reach(kind)
        extent = box if reach is None else common(box, reach)
        if extent is None:
            raise InputError("its data do not reach the asked ground", file=place, remedy="ask elsewhere")
        west, south, east, north = ground
        ordered = (
            (south, west, north, east) if _north_first(definition) and crs.lower() != definition.lower() else ground
        )
        bbox = ",".join([*(repr(number) for number in ordered), crs])
        self._asked = {"request": "GetFeature", "typeNames": name, "srsName": crs, "bbox": bbox}
        if wanted:
            self._asked["outputFormat"] = wanted
        query = f"{name}; bbox {bbox}"
        return Asked(place, query, self._count(), None, definition, ground, extent)

    def count(self, asked: Asked) -> int:  # noqa: ARG002
        """Count once more."""
        return self._count()

    def pages(self, asked: Asked, kept: Kept) -> Iterator[bytes]:
        """Pages by their first feature; then, where pages overlapped, all in one."""
        while kept.rows < asked.expected:
            before = kept.rows
            yield self._page({"startIndex": str(kept.rows), "count": str(_PAGE)})
            if kept.rows == before:
                break
        if kept.rows < asked.expected:
            yield self._page({"startIndex": "0", "count": str(asked.expected)})

    def read(self, page: bytes) -> Page:
        """What a page holds."""
        place = shown(self._source.url)
        if self._json:
            document = parsed(page)
            self._refuse_other_crs(document, place)
            return page_of(document, self._source.needs, place)
        root = _safely(page, place)
        members = _members(root)
        told = {bare(_local(one)) for member in members[:1] for one in member}
        missing = [want for want in self._source.needs if bare(want) not in told]
        if members and missing:
            raise InputError(
                f"there is no property {missing[0]}",
                file=place,
                remedy=f"it has {', '.join(sorted(told))}; correct the source",
            )
        ids = [_identity(one) for one in members]
        lie = [any(_local(part) in _GEOMETRIES for part in one.iter()) for one in members]
        return Page(ids, lie, lambda: (_numbered(root, members), dict(_GML_OPTIONS)))

    def _feature_type(self, root: Any) -> Any:
        kinds = [one for one in root.iter() if _local(one) == "FeatureType"]
        wanted = self._source.layer.casefold()
        found = [one for one in kinds if _text(one, "Name").casefold() == wanted]
        found = found or [one for one in kinds if _text(one, "Name").rpartition(":")[2].casefold() == wanted]
        found = found or [one for one in kinds if _text(one, "Title").casefold() == wanted]
        if len(found) != 1:
            names = ", ".join(_text(one, "Name") for one in kinds[:30])
            raise InputError(
                f"no single feature type is {self._source.layer!r}", file=shown(self._source.url),
                remedy=f"it offers {names or 'none'}; correct the source",
            )  # fmt: skip
        return found[0]

    def _count(self) -> int:
        hits = {key: value for key, value in self._asked.items() if key != "outputFormat"}
        told = str(self._xml({**hits, "resultType": "hits"}).get("numberMatched", ""))
        if not told.isdecimal():
            raise InputError("the service does not count its features (numberMatched)", file=shown(self._source.url),
                             remedy="use another source: a short answer could not be told from a whole one")  # fmt: skip
        return int(told)

    def _page(self, more: Mapping[str, str]) -> bytes:
        place = shown(self._source.url)

        def check(answer: Answer) -> None:
            if self._json and answer.content.lstrip()[:1] == b"{":
                features_of(parsed(answer.content))
                return
            root = _safely(answer.content, place)
            _refuse_exception(root)
            told = str(root.get("numberReturned", ""))
            if self._json:
                raise PassingError("the answer is XML where JSON was asked for")
            if told.isdecimal() and int(told) != len(_members(root)):
                raise PassingError(f"a page says that it holds {told} features and holds {len(_members(root))}")

        return self._connection.ask(self._source.url, self._params({**self._asked, **more}), check=check).content

    def _xml(self, params: Mapping[str, str]) -> Any:
        found: list[Any] = []

        def check(answer: Answer) -> None:
            found[:] = [_safely(answer.content, shown(self._source.url))]
            _refuse_exception(found[0])

        self._connection.ask(self._source.url, self._params(params), check=check)
        return found[0]

    def _params(self, params: Mapping[str, str]) -> dict[str, str]:
        return {"service": "WFS", "version": _VERSION, **params}

    def _refuse_other_crs(self, document: Mapping[str, Any], place: str) -> None:
        named = json.dumps(document.get("crs") or "")
        code = _CODE.search(named.strip('"{} ').rstrip('"} '))
        if code is not None and int(code[1]) != self._code:
            raise InputError(f"the service does not answer in EPSG:{self._code}, as it was asked", file=place)


def _safely(content: bytes, place: str) -> Any:
    try:
        return SafeXml.fromstring(content, forbid_dtd=True)
    except DefusedXmlException:
        raise HostileInputError(
            "the answer holds a document type or entities", file=place, remedy="do not use it"
        ) from None
    except ET.ParseError:
        raise PassingError("the answer is no whole XML") from None


def _refuse_exception(root: Any) -> None:
    if _local(root) in {"ExceptionReport", "ServiceExceptionReport"}:
        text = " ".join(" ".join(str(one.text or "") for one in root.iter()).split())
        raise PassingError(f"error: {text[:200]}")


def _members(root: Any) -> list[Any]:
    """The features of a collection: in `member` elements, or in one of `featureMembers`."""
    found = []
    for part in root:
        if _local(part) in {"member", "featureMember", "featureMembers"}:
            found += list(part)
    return found


def _identity(member: Any) -> str:
    told = next((value for key, value in member.attrib.items() if key.endswith("}id")), "")
    if told and not is_made_up(told):
        return told
    bare_copy = ET.Element(member.tag)
    bare_copy.extend(list(member))
    return fingerprint(ET.tostring(bare_copy))


def _numbered(root: Any, members: list[Any]) -> bytes:
    """The page with each feature's place on it."""
    for row, member in enumerate(members):
        space = member.tag[: member.tag.index("}") + 1] if "}" in member.tag else ""
        ET.SubElement(member, f"{space}{ROW}").text = str(row)
    content: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return content


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _text(element: Any, name: str) -> str:
    return next((str(one.text or "").strip() for one in element if _local(one) == name), "")


def _reach(kind: Any) -> Box | None:
    for box in kind:
        if _local(box) == "WGS84BoundingBox":
            try:
                west, south = (float(number) for number in _text(box, "LowerCorner").split())
                east, north = (float(number) for number in _text(box, "UpperCorner").split())
            except ValueError:
                return None
            return (west, south, east, north) if west < east and south < north else None
    return None


def _north_first(definition: str) -> bool:
    from pyproj import CRS  # noqa: PLC0415

    return bool(CRS.from_user_input(definition).axis_info[0].direction == "north")
