"""Tables of features added to a GeoPackage as rows of SQLite, as GDAL lays them out.

GDAL opens a GeoPackage anew for each table that it adds and reads all those before it: of seventy tables that is half a
second. So GDAL makes the file with the first of them, and the others follow here in one transaction.
Source: OGC 12-128r19, GeoPackage Encoding Standard 1.4, clauses 1.1.2, 2.1.3 (header of geometries) and 2.1.5.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_WITH_BOX_LITTLE_ENDIAN: Final = 3
_HEADER: Final = struct.Struct("<2sBBi4d")
_TYPES: Final = {str: "TEXT", float: "REAL"}
_COUNTED: Final = (("insert", "+"), ("delete", "-"))


def add_table(
    database: sqlite3.Connection,
    name: str,
    geometry_type: str,
    geometries: NDArray[np.object_],
    columns: Mapping[str, type],
    values: Sequence[Sequence[str | float | None]],
    moment: str,
) -> None:
    """Add a table like those that are there already, in their CRS.

    Parameters
    ----------
    geometry_type
        Such as "MultiPolygon".
    geometries
        In the CRS of the other tables, shape (n,); None for a row without a place.
    columns
        Names of the columns and their type, `str` or `float`.
    values
        The columns' values, row by row.
    moment
        When the table was made, as GeoPackages write it.
    """
    (srs_id,) = database.execute("SELECT srs_id FROM gpkg_geometry_columns").fetchone()
    quoted = ", ".join(f"{_quoted(column)} {_TYPES[kind]}" for column, kind in columns.items())
    database.execute(
        f'CREATE TABLE {_quoted(name)} ( "fid_" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, '
        f'"geom" {geometry_type.upper()}{", " * bool(quoted)}{quoted})'
    )
    boxes = shapely.bounds(geometries)
    # Of no geometries and of none that has a place there is no box.
    known = boxes[np.isfinite(boxes).all(axis=1)]
    box = [*known[:, :2].min(axis=0).tolist(), *known[:, 2:].max(axis=0).tolist()] if len(known) else [None] * 4
    places = ", ".join("?" * (len(columns) + 1))
    blobs = [
        None if wkb is None else _HEADER.pack(b"GP", 0, _WITH_BOX_LITTLE_ENDIAN, srs_id, west, east, south, north) + wkb
        for wkb, (west, south, east, north) in zip(shapely.to_wkb(geometries), boxes.tolist(), strict=True)
    ]
    names = ", ".join(_quoted(column) for column in ("geom", *columns))
    insert = f"INSERT INTO {_quoted(name)} ({names}) VALUES ({places})"  # noqa: S608  (quoted)
    database.executemany(
        insert,
        [(blob, *row) for blob, row in zip(blobs, values, strict=True)],
    )
    database.execute(
        "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, last_change, min_x, min_y, max_x,"
        " max_y, srs_id) VALUES (?, 'features', ?, '', ?, ?, ?, ?, ?, ?)",
        (name, name, moment, *box, srs_id),
    )
    database.execute(
        "INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', ?, ?, 0, 0)", (name, geometry_type.upper(), srs_id)
    )
    database.execute("INSERT INTO gpkg_ogr_contents VALUES (?, ?)", (name, len(values)))
    for event, sign in _COUNTED:
        trigger, same = _quoted(f"trigger_{event}_feature_count_{name}"), name.replace("'", "''")
        count = f"UPDATE gpkg_ogr_contents SET feature_count = feature_count {sign} 1"  # noqa: S608  (our own signs)
        database.execute(
            f"CREATE TRIGGER {trigger} AFTER {event.upper()} ON {_quoted(name)} "
            f"BEGIN {count} WHERE lower(table_name) = lower('{same}'); END"
        )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
