"""Layers in a real PostGIS: the same findings as from files, no row outside the box, and clear lines when it fails."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from database_server import INVENTED, ROOT, SRID, Server
from typer.testing import CliRunner

from siteplan_gis.cli import app
from siteplan_gis.errors import InputError
from siteplan_gis.ingest.reference.catalogue import read_catalogue
from siteplan_gis.ingest.reference.rows import find_layer, read_column, read_fids, read_rows


def _live(server: Server, folder: Path) -> Path:
    """A catalogue like that of the files, with the tables in their place."""
    shutil.copytree(INVENTED, folder / "live")
    text = (folder / "live" / "layers.toml").read_text(encoding="utf-8")
    text = re.sub(r'path = "(?!parcels)(\w+)\.fgb"', rf'path = "{server.address()}"\nlayer = "maps.\1"', text)
    (folder / "live" / "layers.toml").write_text(text, encoding="utf-8")
    for file in (folder / "live").glob("*.fgb"):
        if file.stem not in {"coverage", "parcels"}:
            file.unlink()
    return folder / "live"


def _review(story: str, layers: Path) -> dict[str, Any]:
    arguments = ["review", str(ROOT / "sample_plans" / story), "--on", "2025-06-01", "--layers", str(layers), "--json"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code < 2, done.stderr
    review: dict[str, Any] = json.loads(done.stdout)
    return review


@pytest.mark.parametrize("story", ["fail-missed-wetland", "unclear-partly-in-etj"])
def test_the_findings_are_those_from_files(
    story: str, loaded: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", loaded.password)
    live, files = _review(story, _live(loaded, tmp_path)), _review(story, INVENTED)
    keys = ("id", "status", "message", "value", "limit", "margin")
    assert [[one.get(key) for key in keys] for one in live["findings"]] == [
        [one.get(key) for key in keys] for one in files["findings"]
    ]
    assert _values(live["measurements"]) == _values(files["measurements"])
    assert loaded.password not in json.dumps(live)


def _values(measured: Any) -> Any:
    """All numbers and words of the measurements but the files that they come from."""
    if isinstance(measured, dict):
        return {key: _values(value) for key, value in measured.items() if key not in {"sources", "id"}}
    return [_values(one) for one in measured] if isinstance(measured, list) else measured


def test_only_the_box_is_read(loaded: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", loaded.password)
    loaded.admin.execute(
        "CREATE TABLE maps.many AS SELECT i AS gid, ST_SetSRID(ST_MakePoint(2300000 + (i % 300) * 1000, 400000 + (i / 300) * 1000), 7613)"
        "::geometry(Point, 7613) AS geom, 'no. ' || i AS name FROM generate_series(1, 30000) i"
    )
    loaded.admin.execute("CREATE INDEX ON maps.many USING gist (geom)")
    loaded.admin.execute("ANALYZE maps.many")
    loaded.admin.execute("GRANT SELECT ON maps.many TO reader")
    before = len(loaded.statements())
    found = find_layer(Path("county"), "maps.many", loaded.address(), extent=False)
    rows = read_rows(found, [(2300500, 400500, 2303500, 402500)], ("gid", "name"))
    assert sorted(rows.columns["gid"].tolist()) == [301, 302, 303, 601, 602, 603]
    asked = [one for one in loaded.statements()[before:] if '"many"' in one]
    assert len(asked) == 2
    assert "EXISTS" in asked[0]
    assert "&&" in asked[1]
    statement = re.sub(
        r"\$(\d+)", lambda found: ("2300500", "400500", "2303500", "402500", str(SRID))[int(found[1]) - 1], asked[1]
    )
    plan = " ".join(row[0] for row in loaded.admin.execute("EXPLAIN " + statement.split("\n")[0]).fetchall())
    assert "Index" in plan
    assert "Seq Scan" not in plan


def test_a_table_reads_as_its_file_does(loaded: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", loaded.password)
    table = find_layer(Path("county"), "maps.wetlands", loaded.address())
    file = find_layer(INVENTED / "wetlands.fgb")
    assert table.bounds == pytest.approx(file.bounds)
    assert table.crs == "EPSG:7613"
    assert set(file.fields) == set(table.fields) - {"gid"}
    everywhere = [file.bounds or (0, 0, 0, 0)]
    one, other = read_rows(table, everywhere, file.fields), read_rows(file, everywhere, file.fields)
    assert sorted(shape.wkb_hex for shape in one.geometries) == sorted(shape.wkb_hex for shape in other.geometries)
    for field in file.fields:
        assert sorted(map(str, one.columns[field])) == sorted(map(str, other.columns[field]))
    again = read_fids(table, one.fids[:2].tolist(), file.fields)
    assert [shape.wkb_hex for shape in again.geometries] == [shape.wkb_hex for shape in one.geometries[:2]]
    assert set(read_column(table, ("gid",))[0]) >= set(one.fids)


def _refused(server: Server, table: str = "maps.wetlands", address: str = "") -> str:
    with pytest.raises(InputError) as refusal:
        find_layer(Path("county"), table, address or server.address())
    text = str(refusal.value)
    assert "\n" not in text
    assert server.password not in text
    return text


def test_each_failure_is_one_clear_line(loaded: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    monkeypatch.setenv("PGPASSWORD", "not the password")
    assert "refuses the password; give it in PGPASSWORD" in _refused(loaded)
    monkeypatch.delenv("PGPASSWORD")
    assert "refuses the password; give it in PGPASSWORD" in _refused(loaded)
    monkeypatch.setenv("PGPASSWORD", loaded.password)
    missing = _refused(loaded, "maps.nothing")
    assert "no such table" in missing
    assert "maps.wetlands" in missing
    assert "no such database" in _refused(loaded, address=loaded.address(database="elsewhere"))
    assert "cannot be reached" in _refused(loaded, address="postgresql://reader@127.0.0.1:1/county")
    loaded.admin.execute("CREATE TABLE maps.closed (gid int PRIMARY KEY, geom geometry(Point, 7613))")
    assert "that this user may read" in _refused(loaded, "maps.closed")
    loaded.admin.execute("CREATE VIEW maps.unnumbered AS SELECT geom FROM maps.wetlands")
    loaded.admin.execute("GRANT SELECT ON maps.unnumbered TO reader")
    assert "no column that numbers its rows" in _refused(loaded, "maps.unnumbered")


def test_a_password_in_a_file_of_pgpass_is_used(
    loaded: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "pgpass"
    file.write_text(f"127.0.0.1:{loaded.port}:county:reader:{loaded.password}\n", encoding="utf-8")
    file.chmod(0o600)
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setenv("PGPASSFILE", str(file))
    assert find_layer(Path("county"), "maps.wetlands", loaded.address()).features == 1


def test_a_dropped_connection_is_one_clear_line(loaded: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", loaded.password)
    loaded.admin.execute("CREATE VIEW maps.slow AS SELECT gid AS id, geom, ''::text AS waited FROM maps.wetlands")
    loaded.admin.execute("GRANT SELECT ON maps.slow TO reader")
    found = find_layer(Path("county"), "maps.slow", loaded.address(), extent=False)
    slow = "SELECT gid AS id, geom, pg_sleep(20)::text AS waited FROM maps.wetlands"
    loaded.admin.execute("CREATE OR REPLACE VIEW maps.slow AS " + slow)

    def drop() -> None:
        for _ in range(200):
            time.sleep(0.02)
            query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader' AND query LIKE '%slow%&&%'"
            if loaded.admin.execute(query).fetchall():
                return

    thread = threading.Thread(target=drop)
    thread.start()
    with pytest.raises(
        InputError, match=r"county / layer maps\.slow: the connection to the database broke; run it again"
    ):
        read_rows(found, [(0, 0, 9e6, 9e6)], ("waited",))
    thread.join()


@pytest.mark.parametrize(
    ("address", "table", "problem"),
    [
        ("postgresql://reader:hunter2@db/county", "maps.a", "holds a password"),
        ("postgresql://reader@db/county?password=hunter2", "maps.a", "holds a password"),
        ("postgresql://reader@db/county?options=-csearch_path%3Da", "maps.a", "options is not taken"),
        ("postgresql://reader@db", "maps.a", "names no database"),
        ("postgresql://reader@db/county", "", "no table is named"),
    ],
)
def test_an_address_is_refused(address: str, table: str, problem: str, tmp_path: Path) -> None:
    text = f'name = "x"\n[[layer]]\npath = "{address}"\nlayer = "{table}"\nrole = "waters"\n'
    (tmp_path / "layers.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem) as refusal:
        read_catalogue(tmp_path)
    assert "hunter2" not in str(refusal.value)


def test_a_crash_of_the_program_shows_no_password(loaded: Server, tmp_path: Path) -> None:
    """As a user runs it: wrong and right password, output and traceback searched."""
    live = _live(loaded, tmp_path)
    command = [
        sys.executable,
        "-m",
        "siteplan_gis",
        "review",
        str(ROOT / "sample_plans/pass-saukville-subdivision"),
    ]
    environment = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "PGPASSWORD": "hunter2-wrong",
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        [*command, "--layers", str(live), "--json"], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "refuses the password" in done.stderr
    assert "hunter2" not in done.stdout + done.stderr


def test_check_reaches_the_tables(loaded: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live = _live(loaded, tmp_path)
    monkeypatch.setenv("PGPASSWORD", loaded.password)
    done = CliRunner().invoke(app, ["layers", "check", str(live), "--ordinance", "saukville", "--json"])
    assert done.exit_code == 0, done.stdout
    monkeypatch.setenv("PGPASSWORD", "wrong")
    done = CliRunner().invoke(app, ["layers", "check", str(live), "--ordinance", "saukville"])
    assert done.exit_code == 1
    assert "refuses the password" in done.stdout
