"""`layers list`, `layers check` and `layers fetch` as a user runs them."""

from __future__ import annotations

import json
import logging
import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyogrio
import pytest
import shapely
from orders import BOX, catalogue, fetched, sources_file
from services import Reply, Service
from typer.testing import CliRunner

from siteplan_gis.cli import app
from siteplan_gis.errors import InputError
from siteplan_gis.fetching.ground import box_from_text, box_in
from siteplan_gis.frame import Frame
from siteplan_gis.ingest.reference.catalogue import read_catalogue
from siteplan_gis.ingest.reference.layers import read_layer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.testing import Result

ROOT = Path(__file__).resolve().parents[2]
TEXT = ",".join(map(str, BOX))


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["layers", *map(str, arguments)])


def _fetch(folder: Path, service: Service, *more: str, **keys: str) -> Result:
    file = sources_file(folder, service, **keys)
    return _run(
        "fetch", TEXT, "--sources", file, "--out", folder / "layers", "--only", "waters", "--timeout", "1", *more
    )


def test_a_layer_is_fetched_listed_checked_and_read_by_a_review(service: Service, tmp_path: Path) -> None:
    done = _fetch(tmp_path, service)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("small_streams: 779 of 779, ")
    layers = tmp_path / "layers"
    listed = json.loads(_run("list", layers, "--json").stdout)
    (layer,) = listed[0]["layers"]
    stamp = layer["fetched"]
    assert (stamp["expected"], stamp["got"], stamp["edited"]) == (779, 779, "2024-06-01")
    assert stamp["extent"] == list(BOX)
    assert stamp["url"].endswith("/Test/MapServer/5")
    assert "envelope" in stamp["query"]
    assert (layer["date"], layer["licence"]) == ("2024-06-01", "CC0-1.0")
    text = _run("list", layers).stdout
    assert all(
        word in text for word in (stamp["sha256"], "779 of 779", "CC0-1.0", "2024-06-01", "waters: Small streams")
    )
    checked = _run("check", layers, "--on", "2026-12-30", "--json")
    assert checked.exit_code == 0, checked.stdout
    (found,) = json.loads(checked.stdout)[0]["layers"]
    assert found["problems"] == []
    assert found["features"] == 779
    (entry,) = read_catalogue(layers).layers
    frame = Frame(-87.9, 43.42)
    read = read_layer(entry, frame, shapely.box(-50, -50, 50, 50), 400)
    assert read.source.date.startswith("2024-06-01, fetched 20")
    assert read.source.sha256 == stamp["sha256"]
    assert read.coverage_declared
    assert {feature.kind for feature in read.features} == {"intermittent_stream", "river"}


def test_the_program_itself_fetches(service: Service, tmp_path: Path) -> None:
    """As from a shell: the program keeps some libraries from being loaded, and what it uses must do without them."""
    command = [
        sys.executable,
        "-m",
        "siteplan_gis",
        "layers",
        "fetch",
        TEXT,
        "--only",
        "waters",
        "--out",
        str(tmp_path / "layers"),
    ]
    sources = ["--sources", str(sources_file(tmp_path, service))]
    done = subprocess.run([*command, *sources], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("small_streams: 779 of 779, ")


def test_fetching_again_replaces_the_layer_and_keeps_what_a_person_wrote(service: Service, tmp_path: Path) -> None:
    assert _fetch(tmp_path, service).exit_code == 0
    file = tmp_path / "layers" / "layers.toml"
    file.write_text(
        file.read_text(encoding="utf-8")
        + '\n# mine\n[[layer]]\npath = "own.fgb"\nrole = "roads" # by hand\ndate = "2020-01-01"\ncoverage = "extent"\n',
        encoding="utf-8",
    )
    shutil.copy(next((tmp_path / "layers").glob("small*.fgb")), tmp_path / "layers" / "own.fgb")
    before = sorted(path.name for path in (tmp_path / "layers").glob("small*.fgb"))
    service.layer.count = 1500
    assert _fetch(tmp_path, service).exit_code == 0
    text = file.read_text(encoding="utf-8")
    assert "# mine" in text
    assert "# by hand" in text
    assert [layer["role"] for layer in catalogue(tmp_path)["layer"]] == ["waters", "roads"]
    after = sorted(path.name for path in (tmp_path / "layers").glob("small*.fgb"))
    assert len(before) == len(after) == 1
    assert before != after


def test_a_layer_that_was_touched_is_found_out_and_no_review_rests_on_it(service: Service, tmp_path: Path) -> None:
    assert _fetch(tmp_path, service).exit_code == 0
    layers = tmp_path / "layers"
    (file,) = layers.glob("*.fgb")
    meta, _, wkb, data = pyogrio.raw.read(file, max_features=700)
    file.unlink()
    pyogrio.raw.write(
        file,
        geometry=wkb,
        field_data=data,
        fields=meta["fields"],
        driver="FlatGeobuf",
        geometry_type="Unknown",
        crs="EPSG:3071",
    )
    checked = _run("check", layers)
    assert checked.exit_code == 1
    assert "WRONG     the file is not the one that was fetched: its hash differs" in checked.stdout
    assert "WRONG     it holds 700 features, not the 779 that were fetched" in checked.stdout
    (entry,) = read_catalogue(layers).layers
    with pytest.raises(InputError, match="its hash differs; fetch it again"):
        read_layer(entry, Frame(-87.9, 43.42), shapely.box(-50, -50, 50, 50), 400)
    file.unlink()
    assert _run("check", layers).exit_code == 2


def test_what_an_ordinance_needs_and_the_folder_lacks_is_listed(service: Service, tmp_path: Path) -> None:
    assert _fetch(tmp_path, service).exit_code == 0
    done = _run("check", tmp_path / "layers", "--ordinance", "saukville")
    assert done.exit_code == 1
    lacking = {line.split()[1].rstrip(":") for line in done.stdout.splitlines() if line.startswith("LACKING")}
    assert {"wetlands", "floodplain", "elevation", "municipalities", "flowlines"} <= lacking
    assert "waters" not in lacking
    assert "airports" not in lacking
    assert "SAU-" in done.stdout
    whole = _run("check", ROOT / "layers" / "saukville", "--ordinance", "saukville", "--on", "2025-06-01")
    assert whole.exit_code == 0, whole.stdout
    assert "its data are 457 days old" in whole.stdout


def test_a_fetch_that_was_cut_short_is_told(service: Service, tmp_path: Path) -> None:
    assert _fetch(tmp_path, service).exit_code == 0
    service.faults, service.layer.page = {"withholds"}, 100
    done = _fetch(tmp_path, service)
    assert done.exit_code == 2
    assert "1 of 779 features did not come" in done.stderr
    checked = _run("check", tmp_path / "layers")
    assert "UNFINISHED small_streams" in checked.stdout
    assert checked.exit_code == 0


def _village(service: Service, folder: Path) -> Path:
    """Municipalities under their published names, on the server of the tests."""

    def municipal(asked: dict[str, str], _: dict[str, str]) -> Reply:
        fields = [{"name": "OBJECTID", "type": "esriFieldTypeOID"}] + [
            {"name": name, "type": "esriFieldTypeString"} for name in ("MCD_NAME", "CTV", "CNTY_NAME")
        ]
        world = {"xmin": -93, "ymin": 42, "xmax": -86, "ymax": 47, "spatialReference": {"wkid": 4326}}
        if not asked["path"].endswith(("query", "MapServer")):
            about = {"name": "Limits", "geometryType": "esriGeometryPolygon", "fields": fields, "extent": world,
                     "objectIdField": "OBJECTID", "type": "Feature Layer"}  # fmt: skip
            return Reply(json.dumps(about).encode())
        if asked["path"].endswith("MapServer"):
            return Reply(b'{"layers": [{"id": 0, "name": "Limits"}]}')
        known = asked["where"] in {"1=1", "UPPER(MCD_NAME) = 'SAUKVILLE' AND CTV = 'V'"}
        if asked.get("returnCountOnly"):
            return Reply(json.dumps({"count": int(known)}).encode())
        if asked.get("returnIdsOnly"):
            return Reply(b'{"objectIds": [7]}')
        ring = [[-87.96, 43.37], [-87.96, 43.4], [-87.92, 43.4], [-87.92, 43.37], [-87.96, 43.37]]
        values = {"OBJECTID": 7, "MCD_NAME": "SAUKVILLE", "CTV": "V", "CNTY_NAME": "OZAUKEE"}
        features = [{"attributes": values, "geometry": {"rings": [ring]}}] if known else []
        return Reply(json.dumps({"spatialReference": {"wkid": 4326}, "fields": fields, "features": features}).encode())

    service.routes["/limits"] = municipal
    file = sources_file(folder, service)
    file.write_text(
        file.read_text(encoding="utf-8")
        + f"""
[[service]]
id = "limits"
owner = "Nobody"
kind = "arcgis"
url = "{service.url}/limits/MapServer"
covers = "Wisconsin"
licence = "CC0-1.0"
codes.CTV = {{ "V" = "village" }}
[[service.layer]]
id = "limits"
roles = ["municipalities"]
title = "Limits"
number = 0
geometry = "polygon"
needs = ["MCD_NAME", "CTV"]
name_field = "MCD_NAME"
kind_field = "CTV"
beyond_mi = 6
preferred = true
""",
        encoding="utf-8",
    )
    return file


def test_a_village_is_found_by_its_name(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = _run("fetch", "saukville", "--sources", _village(service, tmp_path), "--timeout", "1")
    assert done.exit_code == 0, done.stderr
    assert {line.split(":")[0] for line in done.stdout.splitlines()} == {"limits", "small_streams"}
    layers = {layer.role: layer for layer in read_catalogue(tmp_path / "layers" / "saukville").layers}
    assert layers["waters"].stamp is not None
    assert layers["municipalities"].stamp is not None
    west, south, east, north = layers["waters"].stamp.extent
    # Three miles beyond the village's own limits: 0.0434 degrees of latitude, 0.0597 of longitude at 43.4 degrees.
    assert (west, south, east, north) == pytest.approx((-88.0197, 43.3266, -87.8603, 43.4434), abs=3e-4)
    assert layers["municipalities"].stamp.extent[1] == pytest.approx(43.3266 - 6 * 1609.344 / 111_100, abs=1e-3)
    unknown = _run("fetch", "fairwater", "--sources", tmp_path / "sources.toml", "--timeout", "1")
    assert unknown.exit_code == 2
    assert "there is no village of Fairwater in it" in unknown.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["atlantis"], "'atlantis' is no village that is known here and no box; use east_troy, fairwater, saukville"),
        (["-88,43.5,-87.9,43.4"], "is no box"),
        (["-98,43,-87.9,44"], "is larger than 4 degrees"),
        (["-88,43.4,-87.9,43.5"], "name one with --out"),
        (["-88,43.4,-87.9,43.5", "--out", "x", "--only", "rivers"], "'rivers' is no layer and no role"),
        (["-88,43.4,-87.9,43.5", "--out", str(ROOT / "layers" / "saukville")], "show invented ground"),
    ],
)
def test_a_slip_is_told_before_anything_is_asked(
    arguments: Sequence[str], problem: str, service: Service, tmp_path: Path
) -> None:
    done = _run("fetch", *arguments, "--sources", sources_file(tmp_path, service))
    assert done.exit_code == 2
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1
    assert service.questions == []


def test_two_fetches_do_not_work_in_one_folder(service: Service, tmp_path: Path) -> None:
    from siteplan_gis.fetching.folder import working_in

    with working_in(tmp_path / "layers"):
        done = _fetch(tmp_path, service)
    assert done.exit_code == 2
    assert "another fetch is at work there" in done.stderr


# ------------------------------------------------------------------------------------------------------------ secrets

SECRET = secrets.token_hex(12)


@pytest.mark.parametrize("fault", ["", "asks_token", "redirects_away", "error_200_always", "withholds"])
def test_a_token_is_sent_and_never_seen(
    fault: str, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("TEST_TOKEN", SECRET)
    service.faults = {fault}
    done = fetched(tmp_path, service, service_keys='token_env = "TEST_TOKEN"')
    assert (done.path is None) == bool(fault)
    assert all(headers["X-Esri-Authorization"] == f"Bearer {SECRET}" for headers in service.headers)
    assert SECRET not in json.dumps(service.questions)
    assert SECRET not in caplog.text + str(done) + repr(done)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert not any(SECRET.encode() in path.read_bytes() for path in written)


def test_a_crash_with_a_token_shows_nothing_of_it(service: Service, tmp_path: Path) -> None:
    """The program is made to crash in the middle of a question: its traceback is searched."""
    script = (
        "import httpx, runpy, sys\n"
        "def crash(*a, **k): raise RuntimeError('made to crash')\n"
        "httpx.Client.stream = crash\n"
        "sys.argv[0] = 'siteplan-gis'\n"
        "runpy.run_module('siteplan_gis', run_name='__main__')\n"
    )
    file = sources_file(tmp_path, service, service_keys='token_env = "TEST_TOKEN"')
    arguments = ["layers", "fetch", TEXT, "--sources", str(file), "--out", str(tmp_path / "layers"), "--only", "waters"]
    environment = {**os.environ, "TEST_TOKEN": SECRET}
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 3
    assert "made to crash" in done.stderr
    assert SECRET not in done.stdout + done.stderr


def test_a_token_that_is_not_there_and_one_over_http_are_refused(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEST_TOKEN", raising=False)
    done = fetched(tmp_path, service, service_keys='token_env = "TEST_TOKEN"')
    assert "its token is not there; put it in TEST_TOKEN" in str(done.problem)
    assert service.questions == []
    monkeypatch.setenv("TEST_TOKEN", SECRET)
    file = sources_file(tmp_path, service, service_keys='token_env = "TEST_TOKEN"')
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("127.0.0.1", "gis.example.org"), encoding="utf-8")
    refused = _run("fetch", TEXT, "--sources", file, "--out", tmp_path / "layers", "--only", "waters")
    assert "a token is sent over https only" in refused.stderr
    file.write_text(text.replace("http://", "http://me:hunter2@"), encoding="utf-8")
    refused = _run("fetch", TEXT, "--sources", file, "--out", tmp_path / "layers", "--only", "waters")
    assert "the address holds a name or a password" in refused.stderr
    assert "hunter2" not in refused.stderr + refused.stdout


def test_a_token_comes_from_the_keyring_where_the_environment_has_none(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Keyring:
        class errors:  # noqa: N801
            class KeyringError(Exception): ...

        @staticmethod
        def get_password(service: str, entry: str) -> str | None:
            return {("siteplan-gis", "TEST_TOKEN"): SECRET}.get((service, entry))

    monkeypatch.setitem(sys.modules, "keyring", Keyring)  # type: ignore[arg-type]
    monkeypatch.delenv("TEST_TOKEN", raising=False)
    assert fetched(tmp_path, service, service_keys='token_env = "TEST_TOKEN"').path is not None
    assert service.headers[0]["Authorization"] == f"Bearer {SECRET}"


# ------------------------------------------------------------------------------------------------------------ reviews


def test_a_review_asks_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No socket is opened in a review, and nothing that could is loaded."""
    script = (
        "import socket, sys\n"
        "def refuse(*a, **k): raise AssertionError('a review asked the network')\n"
        "socket.socket.connect = refuse\n"
        "from siteplan_gis.cli import app\n"
        "try: app(sys.argv[1:])\n"
        "except SystemExit as end: print('loaded', sorted({'httpx', 'tenacity', 'psycopg'} & set(sys.modules)), end.code)\n"
    )
    arguments = [
        "review",
        "sample_plans/pass-saukville-subdivision",
        "--on",
        "2025-06-01",
        "--out",
        str(tmp_path / "out"),
    ]
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.stdout.splitlines()[-1] == "loaded [] 0", done.stderr


def test_a_box_is_four_numbers_and_is_asked_with_room_to_spare() -> None:
    assert box_from_text("saukville") is None
    assert box_from_text("1,2,3") is None
    with pytest.raises(InputError, match="is no box"):
        box_from_text("nan,1,2,3")
    for definition in ("EPSG:3071", "EPSG:2289", "EPSG:3857", "EPSG:26916"):
        ground = shapely.box(*box_in(definition, BOX))
        from siteplan_gis.crs import georeference

        ring: Any = shapely.segmentize(shapely.box(*BOX).exterior, 0.0001)
        assert ground.covers(shapely.LinearRing(georeference(definition).xy(shapely.get_coordinates(ring))))
