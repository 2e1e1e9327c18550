"""The table of many parcels: rows as Arrow, and the files it is written to."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyogrio.raw
import shapely

from siteplan_gis.errors import InputError
from siteplan_gis.report.screening_records import ROW_COLUMNS, screening_row
from siteplan_gis.report.spreadsheet import write_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from siteplan_gis.frame import Frame
    from siteplan_gis.model.screening import Screening

SUFFIXES: Final = (".parquet", ".gpkg", ".csv")
_TYPES: Final = {str: pa.string(), float: pa.float64(), int: pa.int64()}
_GEOMETRY: Final = "geometry"
SCHEMA: Final = pa.schema([*((name, _TYPES[kind]) for name, kind in ROW_COLUMNS.items()), (_GEOMETRY, pa.binary())])


def table_of(screenings: Sequence[Screening]) -> pa.Table:
    """One row a parcel, with its geometry as WKB in longitude and latitude."""
    rows = [screening_row(one) for one in screenings]
    shapes: list[bytes | None] = [None] * len(screenings)
    by_frame: dict[Frame, list[int]] = defaultdict(list)
    for i, one in enumerate(screenings):
        if one.parcel.frame.placed and not one.parcel.geometry.is_empty:
            by_frame[one.parcel.frame].append(i)
    for frame, rows_there in by_frame.items():
        placed = shapely.transform(np.array([screenings[i].parcel.geometry for i in rows_there]), frame.to_lonlat)
        for i, wkb in zip(rows_there, shapely.to_wkb(placed), strict=True):
            shapes[i] = wkb
    columns: dict[str, list[Any]] = {
        name: [_typed(row[name], kind) for row in rows] for name, kind in ROW_COLUMNS.items()
    }
    return pa.table({**columns, _GEOMETRY: shapes}, schema=SCHEMA)


def table_bytes(screenings: Sequence[Screening]) -> bytes:
    """The table as the bytes of a Parquet file."""
    sink = io.BytesIO()
    pq.write_table(table_of(screenings), sink, compression="zstd")
    return sink.getvalue()


def write_table(parts: Sequence[Path], path: Path) -> None:
    """Write the table of many parts (Parquet files of `table_bytes`) one part after the other, by the suffix of `path`.

    Raises
    ------
    InputError
        If the suffix is none of `SUFFIXES`.
    """
    writers = {".parquet": _parquet, ".gpkg": _geopackage, ".csv": _csv}
    if path.suffix.lower() not in writers:
        raise InputError(
            f"a {path.suffix or 'nameless'} table is not written", file=path.name, remedy=f"use {', '.join(SUFFIXES)}"
        )
    writers[path.suffix.lower()](parts, path)


def read_parts(parts: Iterable[Path]) -> Iterator[pa.Table]:
    """The parts one by one."""
    for part in parts:
        yield pq.read_table(part, schema=SCHEMA)


def _parquet(parts: Sequence[Path], path: Path) -> None:
    geo = {"version": "1.1.0", "primary_column": _GEOMETRY, "columns": {_GEOMETRY: _about_geometry(parts)}}
    schema = SCHEMA.with_metadata({"geo": json.dumps(geo)})
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for table in read_parts(parts):
            writer.write_table(table.cast(schema))


def _about_geometry(parts: Sequence[Path]) -> dict[str, Any]:
    """What GeoParquet says of the geometries: their kinds, their extent, and that they are in degrees."""
    bounds, kinds = np.array([np.inf, np.inf, -np.inf, -np.inf]), set[str]()
    for part in parts:
        shapes = shapely.from_wkb(pq.read_table(part, columns=[_GEOMETRY]).column(0).to_pylist())
        found = shapely.total_bounds(shapes)
        if np.isfinite(found).all():
            bounds = np.array([*np.minimum(bounds[:2], found[:2]), *np.maximum(bounds[2:], found[2:])])
        kinds |= {shape.geom_type for shape in shapes if shape is not None}
    about: dict[str, Any] = {"encoding": "WKB", "geometry_types": sorted(kinds), "crs": json.loads(_CRS84)}
    return {**about, "bbox": bounds.tolist()} if np.isfinite(bounds).all() else about


def _geopackage(parts: Sequence[Path], path: Path) -> None:
    first = True
    for table in read_parts(parts):
        wkb = np.array(table.column(_GEOMETRY).to_pylist(), dtype=object)
        fields, values, masks = [], [], []
        for name, kind in ROW_COLUMNS.items():
            column = table.column(name)
            mask = np.asarray(column.is_null())
            fields.append(name)
            masks.append(mask)
            if kind is str:
                values.append(np.array(column.to_pylist(), dtype=object))
            else:
                values.append(np.asarray(column.fill_null(0)))
        pyogrio.raw.write(
            path, wkb, values, fields, field_mask=masks, layer="parcels", driver="GPKG", geometry_type="Unknown",
            crs="EPSG:4326", append=not first,
        )  # fmt: skip
        first = False


def _csv(parts: Sequence[Path], path: Path) -> None:
    def rows() -> Iterator[tuple[Any, ...]]:
        for table in read_parts(parts):
            yield from zip(*(table.column(name).to_pylist() for name in ROW_COLUMNS), strict=True)

    with path.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, ROW_COLUMNS, rows(), "\n")


def _typed(value: Any, kind: type) -> Any:
    return None if value is None else kind(value)


_CRS84: Final = (
    '{"$schema": "https://proj.org/schemas/v0.7/projjson.schema.json", "type": "GeographicCRS", "name": "WGS 84 (CRS84)", '
    '"datum": {"type": "GeodeticReferenceFrame", "name": "World Geodetic System 1984", "ellipsoid": {"name": "WGS 84", '
    '"semi_major_axis": 6378137, "inverse_flattening": 298.257223563}}, "coordinate_system": {"subtype": "ellipsoidal", '
    '"axis": [{"name": "Geodetic longitude", "abbreviation": "Lon", "direction": "east", "unit": "degree"}, '
    '{"name": "Geodetic latitude", "abbreviation": "Lat", "direction": "north", "unit": "degree"}]}, '
    '"id": {"authority": "OGC", "code": "CRS84"}}'
)
