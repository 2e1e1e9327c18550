"""Kinds of database files by the suffix that declares them."""

from __future__ import annotations

from typing import Final

DRIVERS: Final = {".shp": "ESRI Shapefile", ".gpkg": "GPKG", ".gdb": "OpenFileGDB", ".fgb": "FlatGeobuf"}
"""The one GDAL driver that may open each kind."""

SHAPEFILE_PARTS: Final = (".shp", ".shx", ".dbf", ".prj", ".cpg")
