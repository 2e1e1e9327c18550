"""Nothing that reads a file reaches the network, whatever the file asks for."""

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from siteplan_gis.ingest.isolated import close, read_isolated
from siteplan_gis.ingest.offline import SETTINGS
from tests.campaigns import attacks
from tests.campaigns.running import ROOT, siteplan

LOD = Path(__file__).parents[1] / "cases" / "H14" / "lod.gpkg"
BY_PYTHON = "import socket; socket.create_connection(({host!r}, {port})).sendall(b'hello')"
BY_GDAL = """
import rasterio
try:
    rasterio.open('/vsicurl/http://{host}:{port}/a.tif')
except rasterio.errors.RasterioIOError:
    pass
"""
UNSET = "import os; [os.environ.pop(name, None) for name in ('GDAL_HTTP_PROXY', 'CPL_VSIL_CURL_ALLOWED_EXTENSIONS')]\n"
LEFT = "from siteplan_gis.ingest.offline import leave_network; alone = leave_network()\n"
KEPT = "from siteplan_gis.ingest.offline import keep_libraries_offline; keep_libraries_offline()\n"


@pytest.fixture
def listener():
    """A place on this machine that no file may make the program call, and what it heard."""
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen():
            while True:
                try:
                    caller, _ = server.accept()
                except OSError:
                    return
                with caller:
                    heard.append(caller.recv(200))

        threading.Thread(target=listen, daemon=True).start()
        yield server.getsockname()[1], heard
        server.shutdown(socket.SHUT_RDWR)


def run(code, port):
    command = [
        sys.executable,
        "-c",
        code.replace("{host!r}", "'127.0.0.1'").replace("{host}", "127.0.0.1").replace("{port}", str(port)),
    ]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("call", [BY_PYTHON, BY_GDAL])
def test_the_listener_hears_a_process_that_may_call(listener, call):
    port, heard = listener
    run(call, port)
    assert heard


@pytest.mark.parametrize("call", [BY_PYTHON, BY_GDAL])
def test_a_process_that_left_the_network_is_not_heard(listener, call):
    port, heard = listener
    done = run(LEFT + call, port)
    assert heard == []
    assert "may not reach the network" in done.stderr or call is BY_GDAL


def test_where_the_system_cuts_it_off_no_setting_brings_it_back(listener):
    port, heard = listener
    done = run(LEFT + UNSET + BY_GDAL + "\nprint(alone)", port)
    assert done.stdout.strip() in {"True", "False"}
    assert heard == [] or done.stdout.strip() == "False"


def test_gdal_of_the_main_process_is_kept_offline_by_its_environment(listener):
    port, heard = listener
    run(KEPT + BY_GDAL, port)
    assert heard == []


def test_the_reading_process_is_offline_and_still_reads():
    close()
    assert read_isolated("vector_files.databases.read_database", LOD, "lod.gpkg")[0].features
    assert SETTINGS["PROJ_NETWORK"] == "OFF"


def test_files_that_point_to_a_server_are_read_and_it_is_never_called(tmp_path, listener):
    port, heard = listener
    host = f"127.0.0.1:{port}"
    files = {**attacks.disguised(host), **attacks.links(host), "lod.geojson": json.dumps(attacks.GOOD)}
    files |= {name: body for name, body in attacks.xml(host).items() if name.startswith(("links", "outside", "gml"))}
    folder = attacks.write(tmp_path / "plan", files)
    attacks.raster_beside(folder, host)
    settings = {"PROJ_NETWORK": "ON", "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": "", "http_proxy": "", "GDAL_HTTP_PROXY": ""}
    options = ("--role", "lod.geojson=disturbed_area", "--ordinance", "saukville", "--on", "2026-05-01")
    done = siteplan("review", folder, *options, "--json", seconds=120, **settings)
    assert done.fault == "", done.stderr
    assert done.code in {0, 1, 3}, done.stderr
    assert heard == []


@pytest.mark.parametrize("option", ["--layers", "--dem", "--layer"])
def test_a_reviewers_file_that_is_a_virtual_one_is_not_followed_either(tmp_path, listener, option):
    port, heard = listener
    files = attacks.disguised(f"127.0.0.1:{port}")
    attacks.write(tmp_path, {"a.tif": files["vrt0.tif"], "b.gpkg": files["vrt.gpkg"], "b.fgb": files["vrt.fgb"]})
    (tmp_path / "lod.geojson").write_text(json.dumps(attacks.GOOD))
    (tmp_path / "layers.toml").write_text(
        'name = "x"\n[[layer]]\npath = "b.fgb"\nrole = "waters"\ntitle = "b"\ndate = "2026-01-01"\n'
    )
    given = {"--layers": tmp_path, "--dem": tmp_path / "a.tif", "--layer": f"waters={tmp_path / 'b.gpkg'}"}[option]
    settings = {"CPL_VSIL_CURL_ALLOWED_EXTENSIONS": "", "GDAL_HTTP_PROXY": "", "PROJ_NETWORK": "ON"}
    done = siteplan("measure", tmp_path / "lod.geojson", "--role", "*=site", option, given, seconds=60, **settings)
    assert done.fault == "", done.stderr
    assert heard == []


def test_settings_are_read_by_the_libraries():
    code = KEPT + "import pyproj.network, rasterio; print(pyproj.network.is_network_enabled())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True,
        env={**os.environ, "PROJ_NETWORK": "ON"},
    )  # fmt: skip
    assert done.stdout.strip() == "False"
