from datetime import date
from pathlib import Path

import pytest

import siteplan_gis

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def reviewed():
    plan = ROOT / "sample_plans" / "pass-fairwater-commercial"
    return siteplan_gis.review(plan, on=date(2026, 5, 1), layers=ROOT / "layers" / "fairwater")


def test_review_shows_itself_and_gives_a_table(reviewed):
    table = reviewed.to_geodataframe()
    assert len(table) == len(reviewed.review.findings)
    assert table.crs.to_epsg() == 4326
    west, south, east, north = table.total_bounds
    assert -89.1 < west < east < -88.7
    assert 43.6 < south < north < 43.9
    assert reviewed._repr_html_().startswith("<iframe srcdoc=")
    assert reviewed.record()["status"] == reviewed.status


def test_measurements_by_name():
    measured = siteplan_gis.measure(ROOT / "tests" / "cases" / "H15" / "lod.gpkg", roles={"*": "disturbed_area"})
    assert measured["disturbed_acres"] == pytest.approx(2.3415977961432506, rel=1e-3)
    assert measured["steep_site_acres"] is None
    table = measured.to_geodataframe()
    assert set(table["name"]) == set(measured.measurements.values)
    assert measured.to_json() == measured.to_json()
