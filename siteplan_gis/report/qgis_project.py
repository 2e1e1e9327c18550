"""A QGIS project inside the GeoPackage: every table in its style and order, by one double click.

QGIS keeps projects of a GeoPackage in the table `qgis_projects`: the project file, zipped, in hexadecimal digits.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from defusedxml.ElementTree import fromstring

from siteplan_gis.crs import georeference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.report.geopackage import Table

PROJECT_NAME: Final = "review"
PROJECTS_TABLE: Final = "CREATE TABLE qgis_projects (name TEXT PRIMARY KEY, metadata BLOB, content BLOB)"
_GEOMETRIES: Final = {"points": "Point", "lines": "Line", "areas": "Polygon"}
_HIDDEN: Final = {"uncovered", "municipality_shares", "plan_grid", "downstream_network", "contours"}


def project_row(file: str, title: str, tables: Sequence[Table], crs: str, on: str) -> tuple[str, str, str]:
    """The row of `qgis_projects` for a GeoPackage of this name: findings first, then the ground, as given.

    `crs` is an authority code or, where the plan has no place, WKT.
    """
    metadata = json.dumps({"last_modified_time": f"{on}T00:00:00", "last_modified_user": ""})
    return PROJECT_NAME, metadata, _packed(_project(file, title, tables, crs)).hex()


def _packed(project: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        entry = zipfile.ZipInfo(f"{PROJECT_NAME}.qgs")
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, project)
    return written.getvalue()


def _project(file: str, title: str, tables: Sequence[Table], crs: str) -> bytes:
    root = ET.Element("qgis", projectname=title, version="3.22.0")
    ET.SubElement(root, "title").text = title
    _reference(ET.SubElement(root, "projectCrs"), crs)
    tree, layers = ET.SubElement(root, "layer-tree-group"), ET.Element("projectlayers")
    order = ET.Element("layerorder")
    for table in tables:
        source = f"./{file}|layername={table.name}"
        ET.SubElement(
            tree, "layer-tree-layer", id=_identity(table), name=table.name.replace("_", " "), source=source,
            providerKey="ogr", checked="Qt::Unchecked" if table.name in _HIDDEN else "Qt::Checked", expanded="0",
        )  # fmt: skip
        layer = ET.SubElement(layers, "maplayer", type="vector", geometry=_GEOMETRIES[table.kind])
        ET.SubElement(layer, "id").text = _identity(table)
        ET.SubElement(layer, "datasource").text = source
        ET.SubElement(layer, "layername").text = table.name.replace("_", " ")
        _reference(ET.SubElement(layer, "srs"), crs)
        ET.SubElement(layer, "provider", encoding="UTF-8").text = "ogr"
        style = fromstring(table.qml)
        layer.extend(list(style))
        ET.SubElement(order, "layer", id=_identity(table))
    root.append(layers)
    root.append(order)
    system = ET.SubElement(ET.SubElement(root, "properties"), "SpatialRefSys")
    ET.SubElement(system, "ProjectionsEnabled", type="int").text = str(int(crs.startswith("EPSG:")))
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8")
    return b"<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n" + written


def _identity(table: Table) -> str:
    """QGIS replaces identifiers that are short."""
    return f"{table.name}_in_the_review"


def _reference(parent: ET.Element, crs: str) -> None:
    system = ET.SubElement(parent, "spatialrefsys")
    known = crs.startswith("EPSG:")
    ET.SubElement(system, "wkt").text = georeference(crs).crs.to_wkt() if known else crs
    if known:
        ET.SubElement(system, "authid").text = crs
