"""Vector files, elevation models and TOML, written so that the same input gives the same bytes."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
import pyogrio
import rasterio
import shapely
from pyogrio.raw import write
from pyproj import CRS, Transformer
from rasterio.transform import from_origin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    Feature = tuple[BaseGeometry, dict[str, Any]]

FIXED_DAY = "2025-01-01T00:00:00.000Z"
DRIVERS = {".gpkg": "GPKG", ".fgb": "FlatGeobuf", ".shp": "ESRI Shapefile", ".geojson": "GeoJSON", ".kml": "KML"}
FINEST_FT = 1.0 / 32.0
"""Elevations are multiples of this: a third of an inch, which float32 holds exactly and which packs well."""


def write_vector(path: Path, features: Sequence[Feature], crs: str, layer: str = "") -> None:
    """Write one layer; a GeoPackage that exists gets it added."""
    geometry = np.array([_plain(shape) for shape, _ in features], dtype=object)
    kinds = {shape.geom_type for shape in geometry}
    if len(kinds) > 1:
        geometry = np.array([_many(shape) for shape in geometry], dtype=object)
    (kind,) = {shape.geom_type for shape in geometry}
    names = list(features[0][1])
    columns = [np.array([values[name] for _, values in features]) for name in names]
    columns = [column.astype(object) if column.dtype.kind == "U" else column for column in columns]
    driver = DRIVERS[path.suffix]
    options: dict[str, str] = {}
    if driver == "GPKG":
        options = {"SPATIAL_INDEX": "NO"}
    elif driver == "GeoJSON":
        options = {"COORDINATE_PRECISION": "8", "RFC7946": "YES"}
    elif driver == "ESRI Shapefile":
        options = {"ENCODING": "UTF-8"}
    pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": FIXED_DAY, "SHAPE_DBF_LAST_UPDATE": "2025-01-01"})
    write(
        path, shapely.to_wkb(geometry), columns, names, driver=driver, layer=layer or path.stem, crs=crs,
        geometry_type=kind, append=path.exists() and driver == "GPKG", layer_options=options
    )  # fmt: skip
    if driver == "ESRI Shapefile":
        table = path.with_suffix(".dbf")
        content = bytearray(table.read_bytes())
        content[1:4] = bytes((125, 1, 1))  # the day of writing, which the format always holds
        table.write_bytes(content)


def write_archive(path: Path, layers: Mapping[str, Sequence[Feature]], crs: str, suffix: str) -> None:
    """Write one file for each layer into a zip archive; GeoJSON in longitude and latitude."""
    to_lonlat = Transformer.from_crs(crs, "OGC:CRS84", always_xy=True)

    def turned(xy: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.column_stack(to_lonlat.transform(xy[:, 0], xy[:, 1]))

    with TemporaryDirectory() as name, ZipFile(path, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        folder = Path(name)
        for layer, features in layers.items():
            if suffix == ".geojson":
                degrees = [(shapely.transform(shape, turned), values) for shape, values in features]
                write_vector(folder / f"{layer}{suffix}", degrees, "OGC:CRS84")
            else:
                write_vector(folder / f"{layer}{suffix}", features, crs)
        for file in sorted(folder.iterdir()):
            archive.writestr(ZipInfo(f"plan/{file.name}", (2025, 1, 1, 0, 0, 0)), file.read_bytes(), ZIP_DEFLATED)


def pack(path: Path) -> None:
    """Give a finished GeoPackage small pages: most of its tables hold a few rows."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA page_size = 1024")
        database.execute("VACUUM")


def write_elevations(path: Path, feet: NDArray[np.float64], west: float, north: float, cell: float, epsg: int, *,
                     with_unit: bool = True) -> None:  # fmt: skip
    """Write a DEM in US survey feet; its unit in the band and its datum in a compound CRS, unless not `with_unit`."""
    crs = CRS.from_epsg(epsg)
    if with_unit:
        crs = CRS.from_user_input(f"EPSG:{epsg}+6360")
    quantised = (np.round(feet / FINEST_FT) * FINEST_FT).astype(np.float32)
    rows, columns = quantised.shape
    with rasterio.open(
        path, "w", driver="GTiff", width=columns, height=rows, count=1, dtype="float32", crs=rasterio.crs.CRS.from_wkt(crs.to_wkt()),
        transform=from_origin(west, north, cell, cell), compress="deflate", predictor=3, zlevel=9, tiled=True,
        blockxsize=256, blockysize=256, nodata=-9999.0
    ) as file:  # fmt: skip
        file.write(quantised, 1)
        file.set_band_description(1, "invented ground")
        if with_unit:
            file.units = ("US survey foot",)


def toml_text(tables: Sequence[tuple[str, dict[str, Any]]], heading: str = "") -> str:
    """Tables of plain values as TOML; a name in double brackets is one of an array of tables."""
    parts = [f"# {line}" for line in heading.splitlines()]
    for name, values in tables:
        parts.append(f"\n{name}" if name.startswith("[[") else f"\n[{name}]" if name else "")
        parts += [f"{key} = {_value(value)}" for key, value in values.items() if value is not None]
    return "\n".join(parts).strip() + "\n"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(one) for one in value) + "]"
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(str(value), ensure_ascii=False)


def _plain(shape: BaseGeometry) -> BaseGeometry:
    parts = shapely.get_parts(shape)
    return parts[0] if shape.geom_type.startswith("Multi") and len(parts) == 1 else shape


def _many(shape: BaseGeometry) -> BaseGeometry:
    if shape.geom_type.startswith("Multi"):
        return shape
    kind = {"Polygon": shapely.MultiPolygon, "LineString": shapely.MultiLineString, "Point": shapely.MultiPoint}
    return kind[shape.geom_type]([shape])
