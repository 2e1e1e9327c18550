"""GeoJSON, feature by feature: a bad feature is named and set aside, the rest are read.

Longitude comes first (RFC 7946), or the `crs` member of the older standard counts. Numbers that cannot be degrees and
come without a `crs` are never guessed at.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.drawn.attributes import plain_value
from siteplan_gis.ingest.drawn.drawing import Drawing, DrawnFeature, DrawnLayer
from siteplan_gis.model.flag import Flag

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

GEOJSON_SUFFIXES: Final = frozenset({".geojson", ".json", ".geojsonl", ".geojsons"})

_LARGEST_BYTES: Final = 512 << 20
_GEOMETRIES: Final = frozenset(
    {"Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection"}
)
_DEEPEST: Final = 20
_LONLAT: Final = "OGC:CRS84"


def read_geojson(path: Path, label: str) -> list[DrawnLayer]:
    """Read the one layer of a file.

    Raises
    ------
    InputError
        If the file is no GeoJSON at all.
    """
    document = _parsed(path, label)
    kind = document.get("type") if isinstance(document, dict) else None
    if kind == "Topology":
        raise InputError("is TopoJSON, which is not read", file=label, remedy="export it as GeoJSON or GeoPackage")
    if isinstance(document, dict) and kind is None and ("rings" in document or "geometryType" in document):
        raise InputError("is Esri JSON, which is not read", file=label, remedy="export it as GeoJSON or GeoPackage")
    members: Any
    if kind == "FeatureCollection":
        members = document.get("features")
    elif kind == "Feature" or kind in _GEOMETRIES:
        members = [document]
    else:
        raise InputError("is JSON but not GeoJSON", file=label, remedy="export the layer as GeoJSON")
    if not isinstance(members, list):
        raise InputError("its `features` is not a list", file=label, remedy="export the layer as GeoJSON")
    features = [_feature(member, number) for number, member in enumerate(members)]
    fields = tuple(dict.fromkeys(key for feature in features for key in feature.attributes))
    flags: list[Flag] = []
    crs, why = _crs(document, label, flags)
    if not crs and not why:
        crs, why = _lonlat_if_possible(features)
    name = document.get("name")
    stem = path.name.rsplit(".", 1)[0]
    layer = name if isinstance(name, str) and name.strip() else stem
    return [DrawnLayer(label, layer, True, crs, fields, features, flags, why)]


def is_geojson(path: Path) -> bool:
    """Whether a `.json` file found in a folder is meant as GeoJSON, TopoJSON or Esri JSON at all."""
    with path.open("rb") as file:
        start = file.read(4096)
    return any(word in start for word in (b"Feature", b'"Topology"', b'"coordinates"', b'"geometryType"'))


def _parsed(path: Path, label: str) -> Any:
    if path.stat().st_size > _LARGEST_BYTES:
        raise InputError("is larger than 512 MB", file=label, remedy="send it as a GeoPackage")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        # RFC 8259 asks for UTF-8; Windows programs write their own code page.
        text = path.read_text(encoding="cp1252", errors="replace")
    try:
        return json.loads(text)
    except RecursionError:
        raise InputError("is nested too deeply for GeoJSON", file=label, remedy="export it again") from None
    except ValueError as error:
        lines = _lines(text)
        if lines is not None:
            return {"type": "FeatureCollection", "features": lines}
        raise InputError(f"is not valid JSON ({error})", file=label, remedy="export it again") from None


def _lines(text: str) -> list[Any] | None:
    """Features of a newline-delimited file; None if it is none."""
    try:
        found = [json.loads(line) for line in text.replace("\x1e", "\n").splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None
    return found if found and all(isinstance(one, dict) for one in found) else None


def _feature(member: Any, number: int) -> DrawnFeature:
    if not isinstance(member, dict):
        return DrawnFeature(str(number), None, {}, "is not a JSON object")
    id_ = member.get("id")
    name = str(id_) if isinstance(id_, (str, int, float)) and str(id_) else str(number)
    geometry = member if member.get("type") in _GEOMETRIES else member.get("geometry")
    properties = member.get("properties") if member.get("type") == "Feature" else {}
    attributes = (
        {str(key): plain_value(value) for key, value in properties.items()} if isinstance(properties, dict) else {}
    )
    if geometry is None:
        return DrawnFeature(name, None, attributes)
    drawing = Drawing()
    try:
        for kind, coordinates in _geometries(geometry, 0):
            drawing.add(kind, coordinates)
    except (ValueError, TypeError, OverflowError) as error:
        return DrawnFeature(name, None, attributes, str(error))
    return DrawnFeature(name, drawing, attributes)


def _geometries(geometry: Any, depth: int) -> Iterator[tuple[str, Any]]:
    if not isinstance(geometry, dict) or depth > _DEEPEST:
        raise ValueError("its geometry is not a GeoJSON geometry")
    if geometry.get("type") == "GeometryCollection":
        parts = geometry.get("geometries")
        for part in parts if isinstance(parts, list) else []:
            yield from _geometries(part, depth + 1)
    else:
        yield str(geometry.get("type")), geometry.get("coordinates")


def _crs(document: dict[str, Any], label: str, flags: list[Flag]) -> tuple[str, str]:
    """The definition of the `crs` member, or why there is none (both empty without the member)."""
    if "crs" not in document:
        return "", ""
    member = document["crs"]
    if member is None:
        return "", "its `crs` member is null"
    properties = member.get("properties") if isinstance(member, dict) else None
    if isinstance(properties, dict):
        if member.get("type") == "name" and isinstance(properties.get("name"), str):
            return properties["name"].strip(), ""
        if member.get("type") == "EPSG" and isinstance(properties.get("code"), int):
            return f"EPSG:{properties['code']}", ""
        if member.get("type") == "link":
            link = str(properties.get("href", ""))[:200]
            flags.append(
                Flag("link_not_followed", f"the coordinate system is a link to {link}; it was not fetched", label)
            )
            return "", "its `crs` member is only a link"
    return "", "its `crs` member names no coordinate system"


def _lonlat_if_possible(features: Iterable[DrawnFeature]) -> tuple[str, str]:
    for feature in features:
        for array in feature.drawing.arrays() if feature.drawing else ():
            outside = (abs(array[:, 0]) > 360) | (abs(array[:, 1]) > 90)  # noqa: PLR2004
            if outside.any():
                x, y = array[outside][0]
                return "", (
                    f"it has no `crs` member, so its numbers must be longitude and latitude, but ({x:.6g}, {y:.6g}) "
                    f"of feature {feature.id} is not"
                )
    return _LONLAT, ""
