"""`findings.gpkg`: one layer for every check, and the ground around it, styled when QGIS opens it.

Coordinates are NAD83(2011) / Wisconsin Transverse Mercator in metres (EPSG:6610) for a site in Wisconsin, so that GIS
tools measure sensibly; elsewhere longitude and latitude (EPSG:4326). A layer holds one kind of geometry. Where a check
has several, areas (else lines) keep the check's name and the others get `_lines` or `_points`; findings without a place
stand in the first, with no geometry.
"""

from __future__ import annotations

import errno
import sqlite3
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyogrio
import pyogrio.raw
import shapely
from pyogrio.errors import DataSourceError

from siteplan_gis.crs import georeference
from siteplan_gis.report.map_layers import MapItem, MapLayer, context_layers, finding_layers
from siteplan_gis.report.plain import lonlat, text
from siteplan_gis.report.qgis_project import PROJECTS_TABLE, project_row
from siteplan_gis.report.qgis_style import context_qml, status_qml
from siteplan_gis.report.records import review_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame
    from siteplan_gis.model.review import Review

WISCONSIN_CRS: Final = "EPSG:6610"
OTHER_CRS: Final = "EPSG:4326"
_OPEN_AT_ONCE: Final = 4
"""Files that SQLite may have open together: the database, its journal, their folder and a temporary one."""
_NO_PLACE_CRS: Final = (
    'ENGCRS["Coordinates of the plan itself, place not known",EDATUM["Unknown"],CS[Cartesian,2],'
    'AXIS["x",unspecified,ORDER[1]],AXIS["y",unspecified,ORDER[2]],LENGTHUNIT["metre",1]]'
)
_WISCONSIN: Final = (-93.2, 42.3, -86.2, 47.4)
_KINDS: Final = ("points", "lines", "areas")
_OGR_TYPES: Final = {"points": "MultiPoint", "lines": "MultiLineString", "areas": "MultiPolygon"}
_MULTI: Final = {"points": shapely.MultiPoint, "lines": shapely.MultiLineString, "areas": shapely.MultiPolygon}


@dataclass(frozen=True, slots=True)
class Table:
    """One table to write: `kind` is one of `_KINDS`."""

    name: str
    kind: str
    columns: Mapping[str, type]
    items: Sequence[MapItem]
    qml: str


_STYLES_TABLE: Final = """
CREATE TABLE layer_styles (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, f_table_catalog TEXT(256), f_table_schema TEXT(256),
  f_table_name TEXT(256), f_geometry_column TEXT(256), styleName TEXT(30), styleQML TEXT, styleSLD TEXT,
  useAsDefault BOOLEAN, description TEXT, owner TEXT(30), ui TEXT(30), update_time DATETIME DEFAULT CURRENT_TIMESTAMP)
"""


def write_geopackage(review: Review, path: Path, record: Mapping[str, Any] | None = None) -> None:
    """Write the findings and their ground to a new GeoPackage.

    `record` is `review_record(review)`, where it has been made already.

    Raises
    ------
    OSError
        If the disk is full.
    """
    context = context_layers(review)
    taken = {layer.key for layer in context}
    tables: list[Table] = []
    for layer in finding_layers(review, record or review_record(review)):
        tables += _tables(layer, f"{layer.key}_findings" if layer.key in taken else layer.key, status_qml)
    for layer in context:
        tables += _tables(layer, layer.key, partial(context_qml, layer.key))
    title = text(review.site.plan.name) or "Unnamed plan"
    write_tables(path, tables, review.site.frame, review.on.isoformat(), title)


def write_tables(path: Path, tables: Sequence[Table], frame: Frame, on: str, title: str) -> None:
    """Write tables with their styles, and a QGIS project of them all, to a new GeoPackage.

    `on` is the day (YYYY-MM-DD) that stands in for the clock, `title` the project's.

    Raises
    ------
    OSError
        If the disk is full, or the file cannot be begun for want of open files or rights.
    """
    path.unlink(missing_ok=True)
    crs = _crs(frame)
    moment = f"{on}T00:00:00.000Z"
    # No wait for the disk after every layer: an unfinished file is thrown away anyway. And no clock: it would change
    # even the number of times that the file was changed.
    try:
        with _gdal_options({"OGR_SQLITE_SYNCHRONOUS": "OFF", "OGR_CURRENT_DATE": moment}):
            for table in tables:
                _write_table(path, table, frame, crs)
        _finish(path, tables, moment, project_row(path.name, title, tables, crs, on))
    except (RuntimeError, sqlite3.Error) as problem:
        _write_more(path)
        if isinstance(problem, DataSourceError):  # its last words are why no file could be begun
            raise OSError(errno.EIO, str(problem).rpartition("failed: ")[2], str(path)) from None
        raise


def _write_more(path: Path) -> None:
    """Open the file as often as SQLite does and make it longer: that fails and says why, as GDAL does not."""
    with ExitStack() as opened:
        for _ in range(_OPEN_AT_ONCE):
            file = opened.enter_context(path.open("ab"))
        file.write(bytes(1 << 20))


@contextmanager
def _gdal_options(options: Mapping[str, str]) -> Iterator[None]:
    """GDAL with these options, and afterwards as it was."""
    before = {name: pyogrio.get_gdal_config_option(name) for name in options}
    pyogrio.set_gdal_config_options(options)
    try:
        yield
    finally:
        pyogrio.set_gdal_config_options(before)


def _crs(frame: Frame) -> str:
    if not frame.placed:
        return _NO_PLACE_CRS
    west, south, east, north = _WISCONSIN
    inside = west <= frame.longitude <= east and south <= frame.latitude <= north
    return WISCONSIN_CRS if inside else OTHER_CRS


def _tables(layer: MapLayer, name: str, qml: Callable[[str], str]) -> Iterator[Table]:
    """One table for every kind of geometry; `qml` gives the style of a kind."""
    by_kind: dict[str, list[MapItem]] = {kind: [] for kind in _KINDS}
    placeless: list[MapItem] = []
    for item in layer.items:
        parts = _by_kind(item.geometry)
        if not parts:
            placeless.append(MapItem(None, item.columns))
        for kind, geometry in parts.items():
            by_kind[kind].append(MapItem(geometry, item.columns))
    main, *others = [kind for kind in reversed(_KINDS) if by_kind[kind]] or ["areas"]
    yield Table(name, main, layer.columns, by_kind[main] + placeless, qml(main))
    for kind in others:
        yield Table(f"{name}_{kind}", kind, layer.columns, by_kind[kind], qml(kind))


def _by_kind(geometry: BaseGeometry | None) -> dict[str, BaseGeometry]:
    """The points, lines and areas of a geometry, each as one multi-geometry."""
    parts: dict[str, list[BaseGeometry]] = {}
    pending = [] if geometry is None else [geometry]
    while pending:
        part = pending.pop(0)
        if part.is_empty:
            continue
        if hasattr(part, "geoms"):
            pending = [*part.geoms, *pending]
            continue
        if part.geom_type == "LinearRing":
            part = shapely.LineString(part.coords)
        parts.setdefault(_KINDS[shapely.get_dimensions(part)], []).append(shapely.force_2d(part))
    return {kind: _MULTI[kind](found) for kind, found in parts.items()}


def _write_table(path: Path, table: Table, frame: Frame, crs: str) -> None:
    target = georeference(crs) if frame.placed else None

    def placed(xy: NDArray[np.float64]) -> NDArray[np.float64]:
        if target is None:
            return xy
        degrees = lonlat(xy, frame)
        return degrees if target.metres_per_unit is None else target.xy(degrees)

    geometries = np.array([item.geometry for item in table.items], dtype=object)
    data: list[NDArray[Any]] = []
    for name, kind_of_value in table.columns.items():
        values = [item.columns[name] for item in table.items]
        if kind_of_value is float:
            data.append(np.array([np.nan if value is None else value for value in values], dtype=np.float64))
        else:
            data.append(np.array(values, dtype=object))
    pyogrio.raw.write(
        str(path),
        shapely.to_wkb(shapely.transform(geometries, placed)),
        data,
        np.array(list(table.columns), dtype=object),
        layer=table.name,
        driver="GPKG",
        geometry_type=_OGR_TYPES[table.kind],
        crs=crs,
        # Tables of a few features need no spatial index; without it a file is half as large and made twice as fast.
        layer_options={"GEOMETRY_NAME": "geom", "FID": "fid_", "SPATIAL_INDEX": "NO"},
    )


def _finish(path: Path, tables: Sequence[Table], moment: str, project: tuple[str, str, str]) -> None:
    """Add the default styles and the project."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(_STYLES_TABLE)
        database.executemany(
            "INSERT INTO layer_styles (f_table_catalog, f_table_schema, f_table_name, f_geometry_column, styleName,"
            " styleQML, styleSLD, useAsDefault, description, owner, ui, update_time)"
            " VALUES ('', '', ?, 'geom', 'review', ?, '', 1, 'drawn by status', '', '', ?)",
            [(table.name, table.qml, moment) for table in tables],
        )
        database.execute(
            "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, last_change)"
            " VALUES ('layer_styles', 'attributes', 'layer_styles', '', ?)",
            (moment,),
        )
        database.execute(PROJECTS_TABLE)
        database.execute("INSERT INTO qgis_projects VALUES (?, ?, ?)", project)
