"""Addresses of PostGIS databases as `layers.toml` writes them: `postgresql://user@host:port/database`, no password."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

from siteplan_gis.errors import InputError

_SCHEMES: Final = frozenset({"postgresql", "postgres"})
_TAKEN: Final = frozenset({"sslmode", "sslrootcert", "connect_timeout", "application_name"})


def is_database(path: str) -> bool:
    """Whether a path of `layers.toml` is the address of a database.

    Examples
    --------
    >>> is_database("postgresql://reader@gis.example.org/county"), is_database("waters.fgb")
    (True, False)
    """
    return urlsplit(path).scheme in _SCHEMES and "://" in path


def database_path(address: str, table: str) -> Path:
    """What a database is called where it stands beside files: its host and name.

    Raises
    ------
    InputError
        If the address holds a password or names no database, or no table is named.

    Examples
    --------
    >>> database_path("postgresql://reader@gis.example.org:5433/county", "hydro.streams").as_posix()
    'gis.example.org/county'
    """
    parts = urlsplit(address)
    asked = parse_qs(parts.query)
    name = f"{parts.hostname or 'localhost'}/{parts.path.strip('/')}"
    if parts.password is not None or "password" in asked:
        raise InputError(
            "the address holds a password, which does not belong in a file", file=name,
            remedy="take it out; give it in PGPASSWORD, in ~/.pgpass or in the keyring",
        )  # fmt: skip
    if set(asked) - _TAKEN:
        raise InputError(
            f"{min(set(asked) - _TAKEN)} is not taken in an address",
            file=name,
            remedy=f"use {', '.join(sorted(_TAKEN))}",
        )
    if not parts.path.strip("/"):
        raise InputError("the address names no database", file=name, remedy="write postgresql://user@host/database")
    if not table:
        raise InputError("no table is named", file=name, remedy='write layer = "schema.table"')
    return Path(name)
