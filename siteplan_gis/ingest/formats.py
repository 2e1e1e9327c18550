"""Kinds of files by the suffix that declares them."""

from __future__ import annotations

from typing import Final

DRIVERS: Final = {".shp": "ESRI Shapefile", ".gpkg": "GPKG", ".gdb": "OpenFileGDB", ".fgb": "FlatGeobuf"}
"""The one GDAL driver that may open each kind."""

SHAPEFILE_PARTS: Final = (".shp", ".shx", ".dbf", ".prj", ".cpg")

CAD_SUFFIXES: Final = (".dxf",)
OTHER_CAD: Final = {".dwg": "AutoCAD's own format", ".dgn": "MicroStation's own format"}
"""Kinds of drawings that are refused, with what they are."""

SHEET_SUFFIXES: Final = (".pdf", ".tif", ".tiff", ".jpg", ".jpeg", ".png")

EXPORT_CAD: Final = "save the drawing as DXF (AutoCAD: SAVEAS, DXF 2010 or later; MicroStation: File, Export, DXF)"
