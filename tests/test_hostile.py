"""Plans that are made to hurt, hang or fool the program, handed in as users would."""

import json
import shutil
import socket
import threading
from datetime import date
from pathlib import Path

import pytest

from siteplan_gis.checks.table import CHECKS
from siteplan_gis.checks.verdict import LOSSES
from siteplan_gis.ingest.vector_files.landxml import root_name
from siteplan_gis.model.flag import FLAG_CODES
from siteplan_gis.pipeline import Inputs, exit_code, review_inputs
from tests.campaigns import attacks
from tests.campaigns.running import siteplan

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases"
SAMPLE = ROOT / "sample_plans" / "pass-saukville-subdivision"
VERTICES = 4000


@pytest.fixture(scope="module")
def listener():
    """A place on this machine that no file may make the program call, and who called."""
    calls = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen():
            while True:
                try:
                    caller, _ = server.accept()
                except OSError:
                    return
                calls.append(caller.recv(200))
                caller.close()

        threading.Thread(target=listen, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}", calls
        server.shutdown(socket.SHUT_RDWR)


def test_every_attack_is_told_by_name_and_the_good_file_is_read(tmp_path, listener):
    host, calls = listener
    files = attacks.everything(host, VERTICES)
    folder = attacks.write(tmp_path / "plan", {**files, "lod.geojson": json.dumps(attacks.GOOD)})
    attacks.raster_beside(folder, host)
    done = siteplan("inspect", folder, "--json", seconds=120, PROJ_NETWORK="ON", CPL_CURL_VERBOSE="YES")
    assert done.fault == "", done.stderr
    assert done.code == 0
    seen = json.loads(done.stdout)
    told = {layer["file"] for layer in seen["layers"]}
    told |= {flag[part].partition(" is ")[0] for flag in seen["flags"] for part in ("layer", "text")}
    shown = json.dumps(seen, ensure_ascii=False)
    for name in files:
        assert name in told or Path(name).stem in shown or "\\" in json.dumps(name), name
    assert "lod.geojson" in {layer["file"] for layer in seen["layers"]}
    assert not set("\x1b\u202e\x07") & set(done.stdout)
    assert calls == []


@pytest.mark.parametrize("name", ["far.dxf", "far.xml", "star.geojson", "rings.dxf"])
def test_dirty_geometry_is_measured_or_refused_in_time(tmp_path, name):
    folder = attacks.write(tmp_path / "plan", {name: attacks.geometry(VERTICES)[name]})
    (folder / "siteplan.toml").write_text(
        f'[drawing."{name}"]\nunits = "us-ft"\ncrs = "EPSG:2289"\n' * ("geojson" not in name)
    )
    done = siteplan("measure", folder, "--role", "*=disturbed_area", "--json", seconds=60)
    assert done.fault == "", done.stderr
    assert done.code in {0, 2}


def test_a_head_without_end_is_looked_through_once(tmp_path):
    heads = [b"<!--", b"<?", b"<!DOCTYPE", b"<!DOCTYPE[", b"<!DOCTYPE a [ ]", b"<", b"<!", b"\xef\xbb\xbf<!--a-->"]
    for head in heads:
        path = tmp_path / "head.xml"
        path.write_bytes(head * (65_536 // len(head)))
        assert root_name(path) == ""
    path.write_text('<?xml version="1.0"?>\n<!-- > --><!DOCTYPE a [<!ENTITY b "c">]>\n<x:LandXML a=">">')
    assert root_name(path) == "LandXML"


def test_every_loss_is_a_flag():
    assert set(FLAG_CODES) >= LOSSES


def status_of(reviewed):
    return {(item.rule.id, item.subject): item.status.value for item in reviewed.findings}


def test_a_plan_of_which_a_file_cannot_be_read_is_reviewed_and_clean_of_nothing_drawn(tmp_path):
    whole = status_of(review_inputs(Inputs((SAMPLE,), ROOT / "layers" / "saukville"), None, date(2026, 5, 1)))
    folder = shutil.copytree(SAMPLE, tmp_path / "plan")
    (folder / "more.gpkg").write_bytes(b"SQLite format 3\0" + bytes(300))
    reviewed = review_inputs(Inputs((folder,), ROOT / "layers" / "saukville"), None, date(2026, 5, 1))
    dirty = status_of(reviewed)
    assert dirty.keys() == whole.keys()
    clean = {"pass", "not_applicable"}
    drawn = {rule.id for rule in reviewed.ordinance.rules if rule.check and CHECKS[rule.check].of_drawing}
    assert {rule for (rule, _), status in whole.items() if status in clean} & drawn
    assert not {rule for (rule, _), status in dirty.items() if status in clean} & drawn
    assert all(whole[key] in clean for key, status in dirty.items() if status in clean)
    assert any("more.gpkg" in item.message for item in reviewed.findings)
    assert exit_code(reviewed, "needs_review") == 1


def test_a_crash_of_a_decoder_leaves_the_rest_of_the_plan(tmp_path):
    folder = tmp_path / "plan"
    folder.mkdir()
    shutil.copy(CASES / "H15" / "lod.gpkg", folder / "lod.gpkg")
    shutil.copy(CASES / "gdal_crash" / "submittal.zip", folder / "more.zip")
    done = siteplan("measure", folder, "--role", "*=disturbed_area", "--json")
    assert done.fault == "", done.stderr
    record = json.loads(done.stdout)
    assert record["measurements"]["disturbed_acres"]["value"] == pytest.approx(2.3416, rel=1e-3)
    assert [flag["code"] for flag in record["flags"] if "more.zip" in flag["layer"]] == ["file_unreadable"]


def test_names_from_files_cannot_write_a_second_line_or_over_the_terminal(tmp_path):
    name = "LOD\x1b[2J\nsiteplan-gis: all is well\u202e.geojson"
    (tmp_path / name).write_text(json.dumps({"type": "Polygon", "coordinates": [[[0, 0]]], "crs": None}))
    done = siteplan("measure", tmp_path / name, "--role", "*=site")
    assert done.code == 2
    assert done.fault == ""
    assert not set("\x1b\u202e") & set(done.stderr)
    done = siteplan("measure", tmp_path / "no\nsuch\x1bplan")
    assert (done.code, done.fault) == (2, "")
