"""A server on this machine that behaves as public services are documented to, with faults that can be switched on."""

from __future__ import annotations

import gzip
import json
import random
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import shapely

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WTM = {"wkid": 3071, "latestWkid": 3071}
WEST, SOUTH = 690_000.0, 330_000.0
"""A corner in EPSG:3071, north of Milwaukee."""
STEP = 20.0
BOX = (-87.91, 43.415, -87.893, 43.428)
"""Degrees that hold some hundreds of features, not all."""


def ring(number: int, across: int) -> list[list[float]]:
    """A small square, written clockwise as Esri's exteriors are, with coordinates that do not end."""
    x, y = WEST + STEP * (number % across) + number / 7_919, SOUTH + STEP * (number // across) + number / 104_729
    return [[x, y], [x, y + 9.1], [x + 8.3, y + 9.1], [x + 8.3, y], [x, y]]


@dataclass
class Layer:
    """What one layer of the service holds and how it answers."""

    count: int = 3000
    across: int = 60
    page: int = 400
    about: dict[str, Any] = field(default_factory=dict)
    prefix: str = ""
    nothing_at: frozenset[int] = frozenset()

    known: dict[Any, list[int]] = field(default_factory=dict)

    def numbers(self, envelope: tuple[float, ...] | None) -> list[int]:
        """Numbers of the features that meet an envelope, or of all."""
        key = (envelope, self.count, self.nothing_at)
        if key not in self.known:
            self.known[key] = self._numbers(envelope)
        return self.known[key]

    def _numbers(self, envelope: tuple[float, ...] | None) -> list[int]:
        if envelope is None:
            return list(range(1, self.count + 1))
        west, south, east, north = envelope
        found = []
        for number in range(1, self.count + 1):
            (x, y), _, (right, top), *_ = ring(number, self.across)
            if (x <= east and right >= west and y <= north and top >= south) or number in self.nothing_at:
                found.append(number)
        return found

    def feature(self, number: int, asked: set[str]) -> dict[str, Any]:
        values = {
            "OBJECTID": number,
            "FCODE": 46003 + 3 * (number % 2),
            "NAME": f"No. {number}",
            "EDITED": 1_700_000_000_000,
        }
        attributes = {self.prefix + name: value for name, value in values.items() if self.prefix + name in asked}
        geometry = None if number in self.nothing_at else {"rings": [ring(number, self.across)]}
        return {"attributes": attributes, "geometry": geometry}

    def fields(self, asked: set[str] | None = None) -> list[dict[str, Any]]:
        kinds = {"OBJECTID": "OID", "FCODE": "Integer", "NAME": "String", "EDITED": "Date"}
        named = {self.prefix + name: kind for name, kind in kinds.items()}
        return [
            {
                "name": name,
                "type": f"esriFieldType{kind}",
                "alias": name,
                **({"length": 80} if kind == "String" else {}),
            }
            for name, kind in named.items()
            if asked is None or name in asked
        ]


@dataclass
class Reply:
    """An answer before it goes out."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False


class Service:
    """One server: its layers, the faults that are on, and every question it was asked."""

    def __init__(self) -> None:
        self.layer = Layer()
        self.faults: set[str] = set()
        self.questions: list[dict[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.count_pages = 0
        self.withheld = 0
        self.told: dict[str, int] = {}
        self.before_page: Callable[[int], None] = lambda _: None
        self.routes: dict[str, Callable[[dict[str, str], dict[str, str]], Reply]] = {}
        self.url = ""
        self._lock = threading.Lock()
        self._luck = random.Random(9)

    def once(self, fault: str, times: int = 1) -> bool:
        """Whether the fault is on and strikes now: `times` times, then no more; for ever where it ends in "_always"."""
        if fault + "_always" in self.faults:
            return True
        if fault not in self.faults:
            return False
        with self._lock:
            self.told[fault] = self.told.get(fault, 0) + 1
            return self.told[fault] <= times

    # ------------------------------------------------------------------------------------------------ ArcGIS services

    def service(self) -> dict[str, Any]:
        layers = [
            {"id": 0, "name": "Other Things", "type": "Feature Layer", "subLayerIds": None},
            {"id": 4, "name": "Streams", "type": "Group Layer", "subLayerIds": [5]},
            {"id": 7 if "moved" in self.faults else 5, "name": "Small Streams 24K", "type": "Feature Layer"},
        ]
        if "group" in self.faults:
            layers = [layers[0], layers[1] | {"name": "Small Streams 24K"}]
        if "two_of_the_name" in self.faults:
            layers += [
                {"id": 8, "name": "Small Streams 24K copy", "type": "Feature Layer"},
                {"id": 9, "name": "Small Streams 24K old"},
            ]
            layers = [one for one in layers if one["id"] != 5]
        return {
            "currentVersion": 10.91, "layers": [] if "lists_nothing" in self.faults else layers,
            "singleFusedMapCache": "cached" in self.faults, "spatialReference": WTM,
        }  # fmt: skip

    def description(self, number: int) -> dict[str, Any]:
        layer, faults = self.layer, self.faults
        about: dict[str, Any] = {
            "id": number, "name": "Small Streams 24K", "type": "Feature Layer", "geometryType": "esriGeometryPolygon",
            "fields": layer.fields(), "objectIdField": layer.prefix + "OBJECTID", "maxRecordCount": layer.page,
            "capabilities": "Map,Query,Data", "advancedQueryCapabilities": {"supportsPagination": "no_paging" not in faults},
            "extent": {"xmin": WEST - 5e4, "ymin": SOUTH - 5e4, "xmax": WEST + 5e4, "ymax": SOUTH + 5e4, "spatialReference": WTM},
            "editingInfo": {"lastEditDate": 1_717_200_000_000},
        }  # fmt: skip
        changes: dict[str, dict[str, Any]] = {
            "renamed": {"name": "Wetlands"}, "line_layer": {"geometryType": "esriGeometryPolyline"},
            "no_field": {"fields": layer.fields()[:1]}, "no_query": {"capabilities": "Map"}, "table": {"type": "Table"},
            "group_layer": {"type": "Group Layer"}, "hidden_near": {"maxScale": 100_000, "minScale": 500_000},
            "no_ids": {"objectIdField": None, "fields": layer.fields()[1:]}, "no_crs": {"extent": None},
        }  # fmt: skip
        for name, change in changes.items():
            about |= change if name in faults else {}
        return about | layer.about

    def query(self, asked: dict[str, str]) -> Reply:
        layer, faults = self.layer, self.faults
        envelope = tuple(map(float, asked["geometry"].split(","))) if "geometry" in asked else None
        numbers = [] if "empty_layer" in faults else layer.numbers(envelope)
        if "outside" in faults and envelope is not None:
            numbers = layer.numbers((WEST + 1000, SOUTH + 800, 1e7, 1e7))
        if asked.get("returnCountOnly") == "true":
            changed = self.count_pages > 0 and "changes" in faults
            return _json({} if "no_count" in faults else {"count": len(numbers) + changed})
        if asked.get("returnIdsOnly") == "true":
            listed = numbers[:-3] if "ids_cut" in faults else numbers
            return _json({"objectIdFieldName": layer.prefix + "OBJECTID", "objectIds": listed or None})
        self.count_pages += 1
        self.before_page(self.count_pages)
        if struck := self._struck(asked, numbers):
            return struck
        if "objectIds" in asked:
            wanted = [int(one) for one in asked["objectIds"].split(",")]
            if "ids_reversed" in faults:
                wanted.reverse()
        else:
            wanted, start = numbers, int(asked.get("resultOffset", 0))
            if "orderByFields" not in asked or "disregards_order" in faults:
                wanted = self._luck.sample(numbers, len(numbers))
            if "no_paging" in faults:
                start = 0
            if "repeats" in faults and start:
                start -= 2
            wanted = wanted[start : start + int(asked.get("resultRecordCount", 10**9))]
        return self._page(asked, wanted, numbers)

    def _struck(self, asked: dict[str, str], numbers: list[int]) -> Reply | None:
        faults, large = self.faults, int(asked.get("resultRecordCount", asked.get("objectIds", "").count(",") + 1))
        if "fails_when_large" in faults and large > 60:
            return Reply(b"", 504)
        if "error_when_large" in faults and large > 60:
            return _json({"error": {"code": 500, "message": "Error performing query operation", "details": []}})
        if self.once("error_200", 2):
            return _json({"error": {"code": 400, "message": "Failed to execute query.", "details": ["a", "b"]}})
        if self.once("html"):
            return Reply(b"<html><body>Down for maintenance</body></html>", headers={"Content-Type": "text/html"})
        if self.once("busy", 2):
            return Reply(b"", 429, {"Retry-After": "0"})
        if self.once("busy_date"):
            return Reply(
                b"", 503, {"Date": "Mon, 30 Nov 2026 10:00:00 GMT", "Retry-After": "Mon, 30 Nov 2026 10:00:00 GMT"}
            )
        if "busy_long" in faults:
            return Reply(b"", 429, {"Retry-After": "86400"})
        if self.once("slow"):
            time.sleep(1.2)
        if "asks_token" in faults:
            return _json({"error": {"code": 499, "message": "Token Required", "details": []}})
        if "redirects_away" in faults:
            return Reply(b"", 302, {"Location": "http://localhost:1/elsewhere/query"})
        return None

    def _page(self, asked: dict[str, str], wanted: list[int], numbers: list[int]) -> Reply:
        layer, faults = self.layer, self.faults
        limit = layer.page if "silent_cut" not in faults else layer.page // 2
        if "short_pages" in faults:
            limit = self._luck.randint(1, layer.page)
        if "empty_page" in faults and self.count_pages in {2, 3}:
            limit = 0
        sent, last = wanted[:limit], int(asked.get("resultOffset", 0)) + len(wanted[:limit]) >= len(numbers)
        if "withholds" in faults:
            self.withheld = self.withheld or numbers[len(numbers) // 2]
            sent = [number for number in sent if number != self.withheld]
        if "more_than_listed" in faults:
            sent = [*sent, 999_999]
        if "twice" in faults:
            sent = [*sent, *sent[:5]]
        names = set(asked.get("outFields", "").split(","))
        document: dict[str, Any] = {
            "objectIdFieldName": layer.prefix + "OBJECTID", "geometryType": "esriGeometryPolygon",
            "spatialReference": {"wkid": 4326} if "other_crs" in faults else WTM,
            "fields": layer.fields(names), "features": [layer.feature(number, names) for number in sent],
        }  # fmt: skip
        if not sent:
            document.pop("fields")
        more = ("objectIds" not in asked and not last) or len(sent) < len(wanted[:limit])
        if more and "no_flag" not in faults:
            if "flag_in_properties" in faults:
                document["properties"] = {"exceededTransferLimit": True}
            else:
                document["exceededTransferLimit"] = True
        if "quantized" in faults:
            document["transform"] = {"scale": [0.1, 0.1], "translate": [0, 0]}
        if "curves" in faults:
            document["features"][0]["geometry"] = {"curveRings": [[[0, 0], {"a": [[1, 1], [0, 1], 0, 1]}]]}
        if "not_numbers" in faults:
            document["features"][0]["geometry"]["rings"][0][1] = ["NaN", "NaN"]
        if "points_among" in faults:
            document["features"][0]["geometry"] = {"x": WEST, "y": SOUTH}
        reply = _json(document)
        if self.once("cut_body"):
            reply.cut = True
        if "gzip" in faults:
            reply = Reply(gzip.compress(reply.body), headers={"Content-Encoding": "gzip"})
        if self.once("gzip_cut"):
            reply = Reply(gzip.compress(reply.body)[:-200], headers={"Content-Encoding": "gzip"})
        if self.once("json_cut"):
            reply = Reply(reply.body[: len(reply.body) // 2])
        return reply

    # ---------------------------------------------------------------------------------------------------------- routes

    def answer(self, path: str, asked: dict[str, str], headers: dict[str, str]) -> Reply:
        with self._lock:
            self.questions.append({"path": path, **asked})
            self.headers.append(headers)
        for start, route in self.routes.items():
            if path.startswith(start):
                return route({"path": path, **asked}, headers)
        if "redirects" in self.faults and not path.startswith("/new/"):
            return Reply(b"", 307, {"Location": f"/new{path}"})
        parts = path.removeprefix("/new").strip("/").split("/")
        if parts[-1] == "query":
            return self.query(asked)
        if parts[-1].isdecimal():
            number = int(parts[-1])
            if "moved" in self.faults and number == 5:
                return _json({"error": {"code": 400, "message": "Invalid or missing input parameters."}})
            return _json(self.description(number))
        if parts[-1] == "MapServer":
            return Reply(b"", 500) if "root_fails" in self.faults else _json(self.service())
        return Reply(b"", 404)

    def truth(
        self, box: tuple[float, float, float, float], *, with_nothing: bool = False
    ) -> dict[int, shapely.Polygon]:
        """What a whole answer to an envelope in EPSG:3071 holds."""
        found = self.layer.numbers(box)
        return {
            number: shapely.Polygon(ring(number, self.layer.across))
            for number in found
            if with_nothing or number not in self.layer.nothing_at
        }


def _json(document: dict[str, Any]) -> Reply:
    return Reply(json.dumps(document).encode(), headers={"Content-Type": "application/json"})


@contextmanager
def running() -> Iterator[Service]:
    """The server, on a free port of this machine."""
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self, asked: dict[str, str]) -> None:
            reply = service.answer(urlsplit(self.path).path, asked, dict(self.headers))
            try:
                self.send_response(reply.status)
                for name, value in ({"Content-Length": str(len(reply.body))} | reply.headers).items():
                    if name != "Date":
                        self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body[: len(reply.body) // 3] if reply.cut else reply.body)
                if reply.cut:
                    self.close_connection = True
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def do_GET(self) -> None:
            self._answer(dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True)))

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            self._answer(dict(parse_qsl(body, keep_blank_values=True)))

        def log_message(self, *_: Any) -> None:
            return

        def send_response(self, code: int, message: str | None = None) -> None:
            self.send_response_only(code, message)
            self.send_header("Date", "Mon, 30 Nov 2026 10:00:00 GMT")

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: Any) -> None:
            return

    server = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
