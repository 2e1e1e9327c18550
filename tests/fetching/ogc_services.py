"""OGC API Features and WFS on the server of the tests: small squares in degrees, faults that can be switched on."""

from __future__ import annotations

import json
from typing import Any
from xml.sax.saxutils import escape

import shapely
from services import Reply, Service

COUNT = 2300
BOX = (-87.95, 43.40, -87.91, 43.44)


def square(number: int) -> list[list[float]]:
    x, y = -87.98 + (number % 50) * 0.0013 + number / 9e9, 43.38 + (number // 50) * 0.0017
    return [[x, y], [x + 0.0004, y], [x + 0.0004, y + 0.0005], [x, y + 0.0005], [x, y]]


def meeting(box: tuple[float, ...]) -> list[int]:
    """Numbers of the squares that meet a box in degrees."""
    west, south, east, north = box
    found = []
    for number in range(COUNT):
        (x, y), _, (right, top), *_ = square(number)
        if x <= east and right >= west and y <= north and top >= south:
            found.append(number)
    return found


def truth(box: tuple[float, ...] = BOX) -> dict[int, shapely.Polygon]:
    return {number: shapely.Polygon(square(number)) for number in meeting(box)}


def _feature(number: int, faults: set[str]) -> dict[str, Any]:
    ring = [[y, x] for x, y in square(number)] if "swapped" in faults else square(number)
    # A page whose numbers are all whole, and one whose numbers are not: types differ from page to page.
    values = {
        "OBJECTID": number,
        "NAME": f"No. {number}",
        "depth": number / 2 if number % 2 else number,
        "code": None if number < 1500 else "E2K",
    }
    geometry = None if "nothing" in faults and number == 1230 else {"type": "Polygon", "coordinates": [ring]}
    named = {} if "no_ids" in faults else {"id": f"squares.{number}"}
    return {"type": "Feature", **named, "properties": values, "geometry": geometry}


class OgcServer:
    """Both services over the same squares; `page` is the most that they send at once."""

    def __init__(self, service: Service, *, gml: bool = False) -> None:
        self.service, self.gml, self.page = service, gml, 150
        service.routes |= {"/ogc": self.ogc, "/wfs": self.wfs}

    # ------------------------------------------------------------------------------------------------ OGC API Features

    def ogc(self, asked: dict[str, str], _: dict[str, str]) -> Reply:
        faults, base = self.service.faults, f"{self.service.url}/ogc"
        if asked["path"] == "/ogc/collections":
            about = {"id": "squares", "title": "Small squares", "extent": {"spatial": {"bbox": [[-89, 43, -87, 44]]}}}
            links = [{"rel": "items", "type": "application/geo+json", "href": f"{base}/collections/squares/items"}]
            return _json({"collections": [{"id": "other"}, about | {"links": links}]})
        numbers = meeting(tuple(map(float, asked["bbox"].split(","))))
        start = int(asked.get("offset", 0))
        sent = numbers[start : start + min(self.page, int(asked.get("limit", 10)))]
        if int(asked.get("limit", 10)) > 1:
            self.service.count_pages += 1
            if self.service.once("error_500", 2):
                return Reply(b"", 500)
            if "drops_next" in faults and start:
                sent = sent[:-3]
        following = start + len(sent)
        if "circles" in faults and start:
            following = start
        document: dict[str, Any] = {
            "type": "FeatureCollection", "features": [_feature(number, faults) for number in sent], "links": [],
            "numberReturned": len(sent), "numberMatched": len(numbers),
        }  # fmt: skip
        if following < len(numbers) and not ("drops_next" in faults and start):
            host = "http://localhost:9" if "next_elsewhere" in faults else base
            address = f"{host}/collections/squares/items?bbox={asked['bbox']}&limit={asked.get('limit', 10)}&offset={following}"
            document["links"] = [
                {"rel": "next", "type": "text/html", "href": "http://nowhere"},
                {"rel": "next", "href": address},
            ]
        if "no_count" in faults:
            document.pop("numberMatched")
        if "told_wrong" in faults:
            document["numberReturned"] = len(sent) + 1
        crs = {"Content-Crs": "<http://www.opengis.net/def/crs/EPSG/0/3071>"} if "other_crs" in faults else {}
        reply = _json(document)
        reply.headers |= crs
        if self.service.once("json_cut"):
            reply.body = reply.body[:-30]
        return reply

    # -------------------------------------------------------------------------------------------------------------- WFS

    def wfs(self, asked: dict[str, str], _: dict[str, str]) -> Reply:
        faults = self.service.faults
        if asked["request"] == "GetCapabilities":
            return self._capabilities()
        south, west, north, east, crs = asked["bbox"].split(",")
        assert crs == "urn:ogc:def:crs:EPSG::4326"
        numbers = meeting((float(west), float(south), float(east), float(north)))
        if asked.get("resultType") == "hits":
            matched = "unknown" if "no_count" in faults else len(numbers)
            return _xml(f'<wfs:FeatureCollection {SPACES} numberMatched="{matched}" numberReturned="0"/>')
        self.service.count_pages += 1
        if self.service.once("exception", 2):
            return _xml(
                '<ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows/1.1"><ows:Exception><ows:ExceptionText>Busy &amp; tired</ows:ExceptionText></ows:Exception></ows:ExceptionReport>'
            )
        start = 0 if "ignores_start" in faults else int(asked["startIndex"])
        limit = int(asked["count"]) if "no_limit" in faults else min(self.page, int(asked["count"]))
        sent = numbers[start : start + limit]
        if "overlaps" in faults and start:
            sent = numbers[start - 7 : start - 7 + self.page]
        if "withholds" in faults:
            sent = [number for number in sent if number != numbers[40]]
        if asked.get("outputFormat") == "application/json":
            return _json({
                "type": "FeatureCollection", "numberReturned": len(sent), "features": [_feature(number, faults) for number in sent],
                "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::" + ("3071" if "other_crs" in faults else "4326")}},
            })  # fmt: skip
        members = "".join(self._member(number) for number in sent)
        told = len(sent) + 1 if "told_wrong" in faults else len(sent)
        kind = '<!DOCTYPE a [<!ENTITY e "x">]>' if "entities" in faults else ""
        reply = _xml(
            f'{kind}<wfs:FeatureCollection {SPACES} numberMatched="{len(numbers)}" numberReturned="{told}">{members}</wfs:FeatureCollection>'
        )
        if self.service.once("xml_cut"):
            reply.body = reply.body[: len(reply.body) // 2]
        return reply

    def _member(self, number: int) -> str:
        ring = square(number) if "swapped" in self.service.faults else [[y, x] for x, y in square(number)]
        places = " ".join(f"{one!r} {other!r}" for one, other in ring)
        values = f"<t:OBJECTID>{number}</t:OBJECTID><t:NAME>{escape(f'No. {number}')}</t:NAME>"
        shape = (
            f'<t:geom><gml:Polygon gml:id="p{number}" srsName="urn:ogc:def:crs:EPSG::4326"><gml:exterior><gml:LinearRing>'
            f"<gml:posList>{places}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></t:geom>"
        )
        nothing = "nothing" in self.service.faults and number == 1230
        return f'<wfs:member><t:squares gml:id="squares.{number}">{values}{"" if nothing else shape}</t:squares></wfs:member>'

    def _capabilities(self) -> Reply:
        version = "1.1.0" if "old" in self.service.faults else "2.0.0"
        form = "" if self.gml else "<ows:Value>application/json</ows:Value>"
        return _xml(
            f'<wfs:WFS_Capabilities {SPACES} version="{version}"><ows:OperationsMetadata><ows:Operation name="GetFeature">'
            f'<ows:Parameter name="outputFormat"><ows:AllowedValues><ows:Value>application/gml+xml; version=3.2</ows:Value>{form}'
            "</ows:AllowedValues></ows:Parameter></ows:Operation></ows:OperationsMetadata><wfs:FeatureTypeList>"
            "<wfs:FeatureType><wfs:Name>t:other</wfs:Name></wfs:FeatureType><wfs:FeatureType><wfs:Name>t:squares</wfs:Name>"
            "<wfs:DefaultCRS>urn:ogc:def:crs:EPSG::4326</wfs:DefaultCRS><ows:WGS84BoundingBox><ows:LowerCorner>-89 43"
            "</ows:LowerCorner><ows:UpperCorner>-87 44</ows:UpperCorner></ows:WGS84BoundingBox></wfs:FeatureType>"
            "</wfs:FeatureTypeList></wfs:WFS_Capabilities>"
        )


SPACES = (
    'xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:ows="http://www.opengis.net/ows/1.1" '
    'xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:t="http://example.org/t"'
)


def _json(document: dict[str, Any]) -> Reply:
    return Reply(json.dumps(document).encode(), headers={"Content-Type": "application/geo+json"})


def _xml(text: str) -> Reply:
    return Reply(text.encode(), headers={"Content-Type": "text/xml"})
