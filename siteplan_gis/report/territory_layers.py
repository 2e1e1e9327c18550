"""Extraterritorial areas as layers: `etj.gpkg` with styles for QGIS, and `etj.geojson` for the web (RFC 7946)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from siteplan_gis.report.geopackage import Table, write_tables
from siteplan_gis.report.map_layers import MapItem
from siteplan_gis.report.plain import lonlat, text
from siteplan_gis.report.qgis_style import context_qml
from siteplan_gis.report.territory_records import OVERLAP_COLUMNS, ROW_COLUMNS, overlap_rows, territory_rows
from siteplan_gis.units import MILE_M, acres

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame
    from siteplan_gis.model.limits import TerritoryMap
    from siteplan_gis.report.plain import Plain

WEB_M: Final = 1.0
"""By how much shapes for the web are simplified, in metres."""

_LIMIT_COLUMNS: Final[Mapping[str, type]] = {
    "municipality": str, "name": str, "kind": str, "counties": str, "city_class": str, "acres": float, "rows": float,
}  # fmt: skip
_GROUND_COLUMNS: Final[Mapping[str, type]] = {"municipality": str, "acres": float}
_LINE_COLUMNS: Final[Mapping[str, type]] = {"first": str, "second": str, "miles": float}
_AREAS: Final = {"Polygon": "MultiPolygon", "LineString": "MultiLineString"}


def territory_tables(mapped: TerritoryMap) -> list[Table]:
    """Limits, reach, area after division, overlaps and division lines; then what a person has to look at."""
    rows = territory_rows(mapped)
    pairs = overlap_rows(mapped)
    limits = [
        MapItem(
            _multi(one.geometry),
            {
                "municipality": text(one.label), "name": text(one.name), "kind": one.kind,
                "counties": "; ".join(map(text, one.counties)), "city_class": one.city_class,
                "acres": acres(one.geometry.area), "rows": float(one.rows),
            },
        )
        for one in mapped.limits.municipalities
    ]  # fmt: skip
    lines = [
        MapItem(_multi(one.line), {"first": text(one.first), "second": text(one.second),
                                   "miles": one.line.length / MILE_M})
        for one in mapped.overlaps if not one.line.is_empty
    ]  # fmt: skip
    tables = [
        _table("limits", _LIMIT_COLUMNS, limits),
        _table("etj_reach", ROW_COLUMNS, _items([one.reached for one in mapped.territories], rows)),
        _table("jurisdiction", ROW_COLUMNS, _items([one.held for one in mapped.territories], rows)),
        _table("overlaps", OVERLAP_COLUMNS, _items([one.ground for one in mapped.overlaps], pairs)),
        _table("division_lines", _LINE_COLUMNS, lines, "lines"),
    ]
    marked: dict[str, list[tuple[str, BaseGeometry]]] = {
        "detached_only": [(one.municipality.label, one.detached_only) for one in mapped.territories],
        "undecided": [(one.municipality.label, one.undecided) for one in mapped.territories],
        "waived": [(one.label, one.geometry) for one in mapped.waived],
        "agreed": [(one.label, one.geometry) for one in mapped.agreed],
    }
    for name, grounds in marked.items():
        items = [
            MapItem(_multi(ground), {"municipality": text(label), "acres": acres(ground.area)})
            for label, ground in grounds
            if ground.area > 1.0
        ]
        if items:
            tables.append(_table(name, _GROUND_COLUMNS, items))
    return tables


def write_territory_geopackage(mapped: TerritoryMap, path: Path) -> None:
    """Write `etj.gpkg`.

    Raises
    ------
    OSError
        If the disk is full.
    """
    write_tables(path, territory_tables(mapped), mapped.limits.plane, mapped.on.isoformat(), "Extraterritorial areas")


def territory_geojson(mapped: TerritoryMap) -> dict[str, Any]:
    """The areas after division as GeoJSON: longitude and latitude, outer rings counterclockwise, for display."""
    rows = territory_rows(mapped)
    held = np.array([one.held for one in mapped.territories], dtype=object)
    features = [
        {"type": "Feature", "id": row["municipality"], "properties": row, "geometry": place}
        for row, place in zip(rows, _web(held, mapped.limits.plane), strict=True)
        if place is not None
    ]
    return {"type": "FeatureCollection", "features": features}


def write_territory_geojson(mapped: TerritoryMap, path: Path) -> None:
    """Write `etj.geojson`, a feature a line."""
    collection = territory_geojson(mapped)
    lines = [
        json.dumps(each, ensure_ascii=False, allow_nan=False, separators=(",", ":")) for each in collection["features"]
    ]
    path.write_text(
        '{"type":"FeatureCollection","features":[\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8", newline="\n"
    )


def _web(shapes: NDArray[np.object_], frame: Frame) -> list[dict[str, Any] | None]:
    coarse = shapely.simplify(shapes, WEB_M)

    def placed(xy: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.round(lonlat(xy, frame), 6)

    # On whole micro-degrees a needle may cross itself; what is drawn must be valid.
    degrees = shapely.make_valid(shapely.transform(coarse, placed), method="structure", keep_collapsed=False)
    return [
        None if shape.is_empty else json.loads(shapely.to_geojson(shape)) for shape in shapely.orient_polygons(degrees)
    ]


def _table(name: str, columns: Mapping[str, type], items: Sequence[MapItem], kind: str = "areas") -> Table:
    return Table(name, kind, columns, items, context_qml(name, kind))


def _items(grounds: Sequence[BaseGeometry], rows: Sequence[Mapping[str, Plain]]) -> list[MapItem]:
    return [MapItem(_multi(ground), row) for ground, row in zip(grounds, rows, strict=True) if not ground.is_empty]


def _multi(geometry: BaseGeometry) -> BaseGeometry:
    """The geometry as a collection of its parts, as a layer of one kind needs it."""
    if geometry.geom_type not in _AREAS:
        return geometry
    return (shapely.multipolygons if geometry.geom_type == "Polygon" else shapely.multilinestrings)([geometry])
