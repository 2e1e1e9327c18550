"""A common plan of development: phases handed in apart count together against the limit that neither reaches alone."""

import json
import math
from pathlib import Path

import geopandas as gpd
import pytest
import shapely
from typer.testing import CliRunner

from siteplan_gis.cli import app

ACRE_SQFT = 43_560
WIDTH_FT = 330.0
WEST, SOUTH = 590_000.0, 420_000.0


def phase(folder: Path, name: str, west: float, acres: float) -> Path:
    """A folder with one phase: its land, all of it disturbed, in US survey feet."""
    ground = shapely.box(west, SOUTH, west + WIDTH_FT, SOUTH + acres * ACRE_SQFT / WIDTH_FT)
    (folder / name).mkdir()
    for layer in ("site", "limits_of_disturbance"):
        frame = gpd.GeoDataFrame({"NAME": [name]}, geometry=[ground], crs="EPSG:7613")
        frame.to_file(folder / name / f"{layer}.geojson", driver="GeoJSON", RFC7946="NO")
    return folder / name


def reviewed(folder, monkeypatch, *plans):
    """The review's record of some plans handed in together, by the command line."""
    monkeypatch.chdir(folder)
    arguments = ["--ordinance", "fairwater", "--on", "2025-03-20", "--json", "--fail-on", "never"]
    done = CliRunner().invoke(app, ["review", *map(str, plans), *arguments])
    assert done.exit_code in {0, 3}, done.stderr
    record = json.loads(done.stdout)
    return record["measurements"], {found["id"]: found["status"] for found in record["findings"]}


@pytest.fixture
def first(tmp_path):
    return phase(tmp_path, "phase_1", WEST, 3.0)


def test_a_phase_of_three_acres_alone_is_below_five(tmp_path, first, monkeypatch):
    measured, found = reviewed(tmp_path, monkeypatch, first)
    assert measured["disturbed_acres"]["value"] == pytest.approx(3.0, rel=1e-3)
    assert found["FAI-APP-1:land"] != "pass"
    assert found["FAI-CPLAN:disturbed"] == "not_applicable"


@pytest.mark.parametrize("gap_ft", [0.0, 60.0])
def test_two_phases_of_three_acres_count_together(tmp_path, first, monkeypatch, gap_ft):
    second = phase(tmp_path, "phase_2", WEST + WIDTH_FT + gap_ft, 3.0)
    for plans in ((first, second), (second, first)):
        measured, found = reviewed(tmp_path, monkeypatch, *plans)
        assert measured["disturbed_acres"]["value"] == pytest.approx(6.0, rel=1e-3)
        assert found["FAI-APP-1:land"] == "pass"
        assert found["FAI-CPLAN:disturbed"] == "pass"


def test_ground_that_both_phases_draw_counts_once(tmp_path, first, monkeypatch):
    overlap_ft = math.ceil(WIDTH_FT / 2)
    second = phase(tmp_path, "phase_2", WEST + WIDTH_FT - overlap_ft, 3.0)
    measured, found = reviewed(tmp_path, monkeypatch, first, second)
    assert measured["disturbed_acres"]["value"] == pytest.approx(4.5, rel=1e-3)
    assert found["FAI-CPLAN:disturbed"] == "not_applicable"
