"""What an ArcGIS service says of a layer, and the refusal of one that is not the whole layer meant."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.errors import InputError
from siteplan_gis.fetching.connection import UnansweredError, shown
from siteplan_gis.ingest.reference.codes import bare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from siteplan_gis.fetching.connection import Connection
    from siteplan_gis.fetching.ground import Box
    from siteplan_gis.fetching.registry import SourceLayer

_GEOMETRIES: Final = {
    "esriGeometryPoint": "point", "esriGeometryMultipoint": "point", "esriGeometryPolyline": "line",
    "esriGeometryPolygon": "polygon",
}  # fmt: skip
_UNSTATED_PAGE: Final = 1000
_DETAILED: Final = 24_000.0


@dataclass(frozen=True, slots=True)
class LayerDescription:
    """A layer as its service describes it."""

    url: str
    name: str
    number: int
    id_field: str
    fields: tuple[str, ...]
    page: int
    pages: bool
    crs: str
    wkid: str
    extent: tuple[str, Box] | None
    edited: str
    notes: tuple[str, ...]


def described(connection: Connection, source: SourceLayer) -> LayerDescription:
    """Find the layer by name and refuse what is not one whole layer of the expected kind."""
    number, notes, cached = _number(connection, source)
    url = f"{source.url}/{number}"
    about, _ = connection.json(url, {"f": "json"})
    place, name = shown(url), str(about.get("name", ""))
    if "Group" in str(about.get("type", "")):
        inner = ", ".join(str(one.get("name")) for one in about.get("subLayers") or ())
        raise InputError(f"{name!r} is a group of layers", file=place, remedy=f"name one of {inner or 'its layers'}")
    if source.layer and not _named_so(name, source.layer):
        raise InputError(f"the layer is named {name!r}, not {source.layer!r}", file=place, remedy="correct the source")
    if about.get("type", "Feature Layer") != "Feature Layer":
        raise InputError(f"{name!r} is a {about['type']}, no layer of features", file=place)
    if "Query" not in str(about.get("capabilities", "Query")):
        raise InputError(f"{name!r} may be looked at but not queried", file=place, remedy="use another source")
    geometry = _GEOMETRIES.get(str(about.get("geometryType")), "none")
    if geometry == "none" or source.geometry not in {"any", geometry}:
        raise InputError(
            f"{name!r} holds {about.get('geometryType')}, not {source.geometry}s",
            file=place,
            remedy="correct the source",
        )
    hidden = float(about.get("maxScale") or 0)
    if cached or hidden > (source.scale_denominator or _DETAILED):
        why = "a cached map" if cached else f"not drawn at scales larger than 1:{hidden:.0f}"
        raise InputError(
            f"{name!r} is {why}: a copy with thinned lines", file=place, remedy="use the layer of full detail"
        )
    fields = [field for field in about.get("fields") or () if isinstance(field, dict)]
    names = [str(field.get("name")) for field in fields]
    id_field = str(about.get("objectIdField") or "") or next(
        (str(field["name"]) for field in fields if field.get("type") == "esriFieldTypeOID"), ""
    )
    if not id_field:
        raise InputError(f"{name!r} has no object ids: whether it came whole could not be told", file=place)
    chosen = _chosen_fields(source, names, place)
    reference = about.get("sourceSpatialReference") or (about.get("extent") or {}).get("spatialReference")
    if not isinstance(reference, dict):
        raise InputError(f"{name!r} does not say its coordinate system", file=place)
    crs, wkid = crs_of(reference, place)
    page = about.get("maxRecordCount")
    abilities = about.get("advancedQueryCapabilities") or {}
    edited = (about.get("editingInfo") or {}).get("lastEditDate")
    return LayerDescription(
        url, name, number, id_field, tuple(dict.fromkeys([id_field, *chosen])),
        page if isinstance(page, int) and page > 0 else _UNSTATED_PAGE, bool(abilities.get("supportsPagination")),
        crs, wkid, _extent(about.get("extent"), place), _day(edited), notes,
    )  # fmt: skip


def _number(connection: Connection, source: SourceLayer) -> tuple[int, tuple[str, ...], bool]:
    """The layer's number by its name, what is to be noted, and whether the service is a map drawn beforehand."""
    try:
        about, _ = connection.json(source.url, {"f": "json"})
    except UnansweredError:
        if source.number is None:
            raise
        about = {}
    listed = [one for one in about.get("layers") or () if isinstance(one, dict)]
    whole = [one for one in listed if "Group" not in str(one.get("type", "")) and not one.get("subLayerIds")]
    cached = bool(about.get("singleFusedMapCache"))
    numbers = {one.get("id") for one in listed}
    if not source.layer or not listed:
        # Some services list no layers; the name is then compared with what the layer says of itself.
        if source.number is None or (listed and source.number not in numbers):
            raise _no_layer(source, listed)
        return source.number, (), cached
    named = [one for one in whole if _named_so(str(one.get("name")), source.layer)]
    exact = [one for one in named if _words(str(one.get("name"))) == _words(source.layer)]
    found = exact if len(exact) == 1 else [one for one in named if one.get("id") == source.number] or named
    if not found and (groups := [one for one in listed if _named_so(str(one.get("name")), source.layer)]):
        raise InputError(
            f"{groups[0].get('name')!r} is a group of layers", file=shown(source.url),
            remedy=f"name one of {', '.join(str(one.get('name')) for one in whole) or 'its layers'}",
        )  # fmt: skip
    if len(found) != 1:
        raise _no_layer(source, found or whole)
    number = int(found[0]["id"])
    moved = source.number is not None and number != source.number
    return number, (f"layer {source.number} is now {number}",) * moved, cached


def _no_layer(source: SourceLayer, listed: Sequence[Mapping[str, Any]]) -> InputError:
    names = ", ".join(f"{one.get('id')} {one.get('name')}" for one in listed[:30])
    wanted = repr(source.layer) if source.layer else f"number {source.number}"
    return InputError(
        f"no single layer is {wanted}",
        file=shown(source.url),
        remedy=f"it offers {names or 'none'}; correct the source",
    )


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()


def _named_so(name: str, words: str) -> bool:
    return set(_words(words)) <= set(_words(name))


def _chosen_fields(source: SourceLayer, names: Sequence[str], place: str) -> list[str]:
    """The service's own names of the wanted fields, with their tables' names where it writes them."""
    exact = {name.lower(): name for name in names}
    plain: dict[str, str] = {}
    for name in names:
        plain.setdefault(bare(name), name)
    found = {want: exact.get(want.lower()) or plain.get(bare(want)) for want in (*source.needs, *source.fields)}
    missing = [want for want in source.needs if found[want] is None]
    if missing:
        raise InputError(
            f"there is no field {missing[0]}", file=place, remedy=f"it has {', '.join(names[:30])}; correct the source"
        )
    return [name for name in found.values() if name is not None]


def crs_of(reference: Mapping[str, Any], place: str) -> tuple[str, str]:
    """A coordinate system as PROJ knows it, and as the service does."""
    from pyproj import CRS  # noqa: PLC0415
    from pyproj.exceptions import CRSError  # noqa: PLC0415

    asked = str(reference.get("latestWkid") or reference.get("wkid") or "")
    for number in (reference.get("latestWkid"), reference.get("wkid")):
        for authority in ("EPSG", "ESRI"):
            if number:
                try:
                    code = CRS.from_authority(authority, int(number)).to_epsg(100)
                except (CRSError, ValueError):
                    continue
                return (f"EPSG:{code}" if code else f"{authority}:{number}"), asked
    wkt = reference.get("wkt2") or reference.get("wkt")
    if not wkt:
        raise InputError("the service's coordinate system is not known", file=place)
    return str(wkt), json.dumps({"wkt": reference.get("wkt") or wkt})


def _extent(extent: Any, place: str) -> tuple[str, Box] | None:
    if not isinstance(extent, dict) or not isinstance(extent.get("spatialReference"), dict):
        return None
    try:
        west, south, east, north = (float(extent[key]) for key in ("xmin", "ymin", "xmax", "ymax"))
    except (KeyError, TypeError, ValueError):
        return None
    return crs_of(extent["spatialReference"], place)[0], (west, south, east, north)


def _day(milliseconds: Any) -> str:
    if not isinstance(milliseconds, int | float) or isinstance(milliseconds, bool):
        return ""
    return dt.datetime.fromtimestamp(milliseconds / 1000, tz=dt.UTC).date().isoformat()
