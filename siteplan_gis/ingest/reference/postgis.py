"""Layers in a PostGIS database, read live by bounding box: no row outside the asked boxes is fetched.

The password comes from PGPASSWORD or ~/.pgpass, as everywhere with PostgreSQL, or from the keyring.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

import numpy as np

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.reference.addresses import database_path
from siteplan_gis.ingest.reference.credentials import secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from siteplan_gis.ingest.reference.rows import Box

_CONNECT_S: Final = 10
_STATEMENT_MS: Final = 120_000
_SEGMENTS: Final = 128
"""Chords to a quarter circle where a true curve is stored."""

_USUAL_KEYS: Final = frozenset({"id", "gid", "fid", "objectid", "ogc_fid"})
_REFUSALS: Final = {
    "28P01": ("the database refuses the password", "give it in PGPASSWORD, in ~/.pgpass or in the keyring"),
    "28000": ("the database refuses this user", "correct the address"),
    "3D000": ("there is no such database on the server", "correct the address"),
    "42501": ("the user may not read the table", "ask for the right to SELECT"),
    "57014": (f"the database took longer than {_STATEMENT_MS // 1000} s", "make a spatial index on the geometry"),
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table with geometry, known but not read.

    Attributes
    ----------
    key
        A column of whole numbers that names each row once; empty where rows are numbered by their place.
    bounds
        Extent in `crs`, None where it is empty or was not asked for.
    """

    address: str
    schema: str
    name: str
    geometry: str
    key: str
    crs: str
    srid: int
    fields: tuple[str, ...]
    bounds: Box | None
    empty: bool

    @property
    def label(self) -> str:
        """Schema and table."""
        return f"{self.schema}.{self.name}"


def describe(address: str, table: str, *, extent: bool) -> Table:
    """Find a table, named as "table", "schema.table" or "schema.table.geometry"; compute its extent only if asked.

    Raises
    ------
    InputError
        If the database cannot be reached or read, or holds no such table with one geometry.
    """
    with _reading(address, table) as cursor:
        rows = _all(cursor, "SELECT f_table_schema, f_table_name, f_geometry_column, srid FROM geometry_columns")
        parts = table.split(".")
        found = [row for row in rows if _is_named(row, parts)]
        if not found:
            names = ", ".join(sorted(f"{row[0]}.{row[1]}" for row in rows)[:20])
            raise _problem(
                address,
                table,
                "there is no such table with geometry that this user may read",
                f"the database holds {names or 'none'}",
            )
        if len(found) > 1:
            names = ", ".join(".".join(map(str, row[:3])) for row in found)
            raise _problem(address, table, "several are meant", f"name one of {names}")
        schema, name, geometry, srid = found[0]
        crs = _crs(cursor, srid)
        columns = _all(
            cursor,
            "SELECT a.attname, t.typname, coalesce(i.indisprimary AND i.indnkeyatts = 1, false) FROM pg_attribute a "
            "JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary "
            "AND a.attnum = ANY(i.indkey) WHERE a.attrelid = format('%%I.%%I', %s::text, %s::text)::regclass "
            "AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
            (schema, name),
        )
        key = _key(cursor, address, schema, name, columns)
        fields = tuple(str(column) for column, kind, _ in columns if kind not in {"geometry", "geography", "raster"})
        bounds = None
        if extent:
            ((west, south, east, north),) = _composed(
                cursor, "SELECT ST_XMin(e), ST_YMin(e), ST_XMax(e), ST_YMax(e) FROM (SELECT ST_Extent({}) e FROM {}) x",
                (geometry,), (schema, name),
            )  # fmt: skip
            bounds = None if west is None else (west, south, east, north)
        ((holds,),) = _composed(cursor, "SELECT EXISTS (SELECT {} FROM {})", (geometry,), (schema, name))
        return Table(address, schema, name, geometry, key, crs, int(srid), fields, bounds, not holds)


def read(
    table: Table, boxes: Sequence[Box] | None, columns: Sequence[str], fids: Sequence[int] | None = None,
    *, geometry: bool = True,
) -> tuple[NDArray[np.object_], NDArray[np.int64], dict[str, NDArray[Any]]]:  # fmt: skip
    """Geometries as flat WKB, row numbers and columns of rows that meet one of `boxes`, or of `fids`, or of all.

    Raises
    ------
    InputError
        If the database cannot be reached or read to the end.
    """
    from psycopg import sql  # noqa: PLC0415

    if boxes is not None and not boxes:
        return np.empty(0, dtype=object), np.empty(0, dtype=np.int64), {name: np.empty(0, object) for name in columns}
    place = sql.Identifier(table.schema, table.name)
    shape = sql.Identifier(table.geometry)
    key = (
        sql.Identifier(table.key)
        if table.key
        else sql.SQL("(ctid::text::point)[0]::bigint * 65536 + (ctid::text::point)[1]::bigint")
    )
    flat = sql.SQL("ST_AsBinary(ST_Force2D(ST_CurveToLine({}, {})))").format(shape, sql.Literal(_SEGMENTS))
    wanted = [key, flat if geometry else sql.SQL("NULL::bytea"), *(sql.Identifier(name) for name in columns)]
    query = sql.SQL("SELECT {} FROM {}").format(sql.SQL(", ").join(wanted), place)
    values: list[Any] = []
    if fids is not None:
        query += sql.SQL(" WHERE {} = ANY(%s)").format(key)
        values = [list(fids)]
    elif boxes is not None:
        meets = sql.SQL("{} && ST_MakeEnvelope(%s, %s, %s, %s, %s)").format(shape)
        query += sql.SQL(" WHERE ") + sql.SQL(" OR ").join([meets] * len(boxes))
        values = [number for box in boxes for number in (*box, table.srid)]
    with _reading(table.address, table.label) as cursor:
        rows = _all(cursor, query + sql.SQL(" ORDER BY 1"), values)
    found: dict[str, NDArray[Any]] = {}
    for i, name in enumerate(columns):
        found[name] = np.empty(len(rows), dtype=object)
        found[name][:] = [row[i + 2] for row in rows]
    wkb = np.empty(len(rows), dtype=object)
    wkb[:] = [None if row[1] is None else bytes(row[1]) for row in rows]
    return wkb, np.array([row[0] for row in rows], dtype=np.int64), found


@contextmanager
def _reading(address: str, table: str) -> Iterator[Any]:
    """A cursor of a transaction that can only read; every failure as one line."""
    try:
        import psycopg  # noqa: PLC0415
    except ImportError:
        raise _problem(
            address, table, "the PostgreSQL client is not installed", "install siteplan-gis[postgis]"
        ) from None
    options = f"-c default_transaction_read_only=on -c statement_timeout={_STATEMENT_MS}"
    parts = urlsplit(address)
    given: dict[str, Any] = {
        "host": parts.hostname, "port": parts.port, "dbname": unquote(parts.path.strip("/")),
        "user": unquote(parts.username) if parts.username else None, "connect_timeout": _CONNECT_S, "options": options,
        **dict(parse_qsl(parts.query)),
    }  # fmt: skip
    given = {name: value for name, value in given.items() if value is not None}
    word = secret("PGPASSWORD", f"{parts.username or ''}@{parts.hostname}{parts.path}")
    if word is not None:
        given["password"] = word.reveal()
    try:
        with psycopg.connect(**given) as connection, connection.cursor() as cursor:
            yield cursor
    except psycopg.Error as error:
        raise _refusal(address, table, error) from None


def _refusal(address: str, table: str, error: Any) -> InputError:
    text = " ".join(str(error).split())
    known = _REFUSALS.get(getattr(error, "sqlstate", None) or "")
    if known is None and "password" in text:
        known = _REFUSALS["28P01"]
    if known is None and "does not exist" in text and "database" in text:
        known = _REFUSALS["3D000"]
    if known is None and (
        "closed the connection" in text or "connection is lost" in text or "terminating connection" in text
    ):
        known = ("the connection to the database broke", "run it again")
    if known is None and "connection" in text:
        known = (f"the database cannot be reached ({text[:160]})", "correct the address, or start the server")
    return _problem(address, table, *(known or (f"the database refuses: {text[:160]}", "")))


def _problem(address: str, table: str, problem: str, remedy: str) -> InputError:
    return InputError(problem, file=database_path(address, table).as_posix(), layer=table, remedy=remedy)


def _crs(cursor: Any, srid: int) -> str:
    rows = _all(cursor, "SELECT auth_name, auth_srid, srtext FROM spatial_ref_sys WHERE srid = %s", (srid,))
    if not rows:
        return ""
    authority, code, wkt = rows[0]
    return f"{authority}:{code}" if authority in {"EPSG", "ESRI"} and code else str(wkt or "")


def _key(cursor: Any, address: str, schema: str, name: str, columns: Sequence[Sequence[Any]]) -> str:
    """The column that numbers the rows; empty for a table without one, whose rows are told by their place."""
    whole = [(str(column), primary) for column, kind, primary in columns if kind in {"int2", "int4", "int8"}]
    key = next((column for column, primary in whole if primary), "")
    ((kind,),) = _all(
        cursor,
        "SELECT relkind::text FROM pg_class WHERE oid = format('%%I.%%I', %s::text, %s::text)::regclass",
        (schema, name),
    )
    if key or kind in {"r", "m"}:
        return key
    key = next((column for column, _ in whole if column.lower() in _USUAL_KEYS), "")
    if not key:
        raise _problem(
            address, f"{schema}.{name}", "the view has no column that numbers its rows",
            f"give it one of {', '.join(sorted(_USUAL_KEYS))}, or name the table behind it",
        )  # fmt: skip
    return key


def _is_named(row: Sequence[Any], parts: Sequence[str]) -> bool:
    schema, name, geometry = row[:3]
    return list(parts) in ([name], [schema, name], [schema, name, geometry])


def _all(cursor: Any, query: Any, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    cursor.execute(query, values or None)
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _composed(cursor: Any, query: str, *names: tuple[str, ...]) -> list[tuple[Any, ...]]:
    from psycopg import sql  # noqa: PLC0415

    return _all(cursor, sql.SQL(query).format(*(sql.Identifier(*name) for name in names)))
