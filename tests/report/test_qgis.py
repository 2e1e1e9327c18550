"""The GeoPackage in Debian's QGIS, where that is installed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import synthetic

from siteplan_gis.frame import Frame
from siteplan_gis.report.colours import STATUS_INK
from siteplan_gis.report.geopackage import write_geopackage

SYSTEM_PYTHON = Path("/usr/bin/python3")
SETTINGS = {"QT_QPA_PLATFORM": "offscreen", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}


def has_qgis() -> bool:
    asked = [str(SYSTEM_PYTHON), "-c", "import qgis.core"]
    return SYSTEM_PYTHON.is_file() and subprocess.run(asked, env=SETTINGS, capture_output=True, check=False).returncode == 0  # fmt: skip


pytestmark = pytest.mark.skipif(not has_qgis(), reason="no QGIS on this machine")


def seen(package: Path, home: Path) -> dict[str, Any]:
    command = [str(SYSTEM_PYTHON), str(Path(__file__).parent / "in_qgis.py"), str(package), str(home / "qgis.png")]
    ran = subprocess.run(
        command, env={**SETTINGS, "HOME": str(home)}, capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.stdout, ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return told


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("qgis home")
    write_geopackage(synthetic.make_review(), home / "findings.gpkg")
    return seen(home / "findings.gpkg", home)


def test_project_opens_with_every_layer(told: dict[str, Any]) -> None:
    assert told["opened"]
    assert told["title"] == synthetic.make_review().site.plan.name
    assert told["crs"] == "EPSG:6610"
    assert len(told["layers"]) > 20
    assert all(layer["valid"] and layer["features"] > 0 and layer["crs"] == "EPSG:6610" for layer in told["layers"])
    assert told["order"].index("waters shown") < told["order"].index("site") < told["order"].index("one mile")


def test_styles_are_those_of_the_page(told: dict[str, Any]) -> None:
    by_name = {layer["name"]: layer for layer in told["layers"]}
    assert by_name["waters_shown"]["renderer"] == "categorizedSymbol"
    assert by_name["waters_shown"]["colours"] == [ink.fill for ink in STATUS_INK.values()]
    assert by_name["site"]["renderer"] == "singleSymbol"
    for layer in told["layers"]:
        assert (layer["alone"], layer["colours_alone"]) == (layer["renderer"], layer["colours"]), layer["name"]


def test_it_draws_a_map(told: dict[str, Any]) -> None:
    assert told["inked"] > 500


def test_a_plan_without_a_place_opens_too(tmp_path: Path) -> None:
    write_geopackage(synthetic.make_review(Frame(0.0, 0.0, placed=False)), tmp_path / "findings.gpkg")
    told = seen(tmp_path / "findings.gpkg", tmp_path)
    assert told["opened"]
    assert all(layer["valid"] for layer in told["layers"])
    assert told["inked"] > 500
