"""A PostGIS server of our own for these tests: Debian's postgresql and postgis, in a folder of its own."""

from __future__ import annotations

import getpass
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pyogrio
from psycopg import sql

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
INVENTED = ROOT / "layers" / "saukville"
SRID = 7613


@dataclass
class Server:
    """A running server: `reader` may read and needs `password`; `admin` is its owner's connection."""

    port: int
    password: str
    log: Path
    admin: Any

    def address(self, user: str = "reader", database: str = "county") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def statements(self) -> list[str]:
        """Every statement that the reader sent."""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return [part.partition(": ")[2].split("\nreader ")[0] for part in text.split("reader LOG:  ") if ": " in part]

    def load(self, table: str, file: Path) -> None:
        """Put a vector file into a table with a spatial index."""
        meta, _, wkb, data = pyogrio.raw.read(file)
        names = [str(name) for name in meta["fields"]]
        kinds = ["double precision" if str(kind).startswith("float") else "bigint" if str(kind).startswith("int") else "text"
                 for kind in meta["dtypes"]]  # fmt: skip
        columns = sql.SQL(", ").join(
            sql.SQL("{} " + kind).format(sql.Identifier(name)) for name, kind in zip(names, kinds, strict=True)
        )
        place = sql.Identifier(*table.split("."))
        geometry = sql.SQL(f"geometry(Geometry, {SRID})")
        with self.admin.cursor() as cursor:
            cursor.execute(
                sql.SQL("CREATE TABLE {} (gid serial PRIMARY KEY, geom {}, {})").format(place, geometry, columns)
            )
            marks = sql.SQL(", ").join([sql.SQL("%s")] * len(names))
            insert = sql.SQL("INSERT INTO {} (geom, {}) VALUES (ST_GeomFromWKB(%s, {}), {})").format(
                place, sql.SQL(", ").join(map(sql.Identifier, names)), sql.Literal(SRID), marks
            )
            rows = zip(wkb, *(values.tolist() for values in data), strict=True)
            cursor.executemany(insert, list(rows))
            cursor.execute(sql.SQL("CREATE INDEX ON {} USING gist (geom)").format(place))
            cursor.execute(sql.SQL("GRANT SELECT ON {} TO reader").format(place))


def is_installed() -> bool:
    """Whether the machine has PostgreSQL and PostGIS."""
    there = (_programs() / "initdb").is_file()
    return there and any(Path("/usr/share/postgresql").glob("*/extension/postgis.control"))


def _programs() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [Path(shutil.which("initdb") or "initdb")]
    return found[-1].parent


def _as_nobody_special() -> tuple[list[str], str]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return [], getpass.getuser()
    user = next(name for name in ("postgres", "nobody") if name in {one.pw_name for one in pwd.getpwall()})
    about = pwd.getpwnam(user)
    return ["setpriv", f"--reuid={about.pw_uid}", f"--regid={about.pw_gid}", "--clear-groups"], user


@contextmanager
def running_server() -> Iterator[Server]:
    """The server, which ends with the block."""
    become, user = _as_nobody_special()
    with tempfile.TemporaryDirectory(prefix="postgis-") as name, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        folder, programs = Path(name), _programs()
        folder.chmod(0o755)
        data, log = folder / "data", folder / "log"
        data.mkdir()
        if become:
            shutil.chown(data, user)
            shutil.chown(folder, user)
        subprocess.run(
            [*become, programs / "initdb", "-D", data, "-U", "owner", "-A", "trust", "--no-sync", "-E", "UTF8"],
            check=True,
            capture_output=True,
            cwd=folder,
        )
        (data / "pg_hba.conf").write_text(
            "local all owner trust\nhost all all 127.0.0.1/32 scram-sha-256\n", encoding="utf-8"
        )
        options = (
            f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off -c log_statement=all "
            "-c log_line_prefix='%u ' -c shared_buffers=16MB"
        )
        start = [*become, programs / "pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start"]
        subprocess.run(start, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
        try:
            with psycopg.connect(host=name, port=port, user="owner", dbname="postgres", autocommit=True) as first:
                first.execute("CREATE DATABASE county")
            with psycopg.connect(host=name, port=port, user="owner", dbname="county", autocommit=True) as admin:
                password = secrets.token_hex(12)
                admin.execute("CREATE EXTENSION postgis")
                admin.execute(f"CREATE ROLE reader LOGIN PASSWORD '{password}'")  # type: ignore[arg-type]
                admin.execute("CREATE SCHEMA maps")
                admin.execute("GRANT USAGE ON SCHEMA maps TO reader")
                yield Server(port, password, log, admin)
        finally:
            subprocess.run(
                [*become, programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"],
                check=False,
                capture_output=True,
                cwd=folder,
            )
