from __future__ import annotations

import json
import math
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import fiona
import pytest
import shapely
import synthetic
from defusedxml import ElementTree
from pyproj import Geod, Transformer

from siteplan_gis.frame import Frame
from siteplan_gis.model.review import Status
from siteplan_gis.report.geopackage import write_geopackage

if TYPE_CHECKING:
    from pathlib import Path

    from siteplan_gis.model.review import Review

CHECKS = {
    "applicability",
    "steep_ground",
    "wetland_acreage",
    "discharge",
    "waters_shown",
    "scale",
    "jurisdiction",
    "contours",
    "payload",
}
CONTEXT = {
    "site",
    "disturbed_area",
    "waters",
    "wetlands",
    "runoff_paths",
    "steep_patches",
    "uncovered",
    "one_mile",
    "quarter_mile",
    "municipality_shares",
    "plan_outfall",
    "plan_surface_water",
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gpkg") / "findings.gpkg"
    write_geopackage(synthetic.make_review(), path)
    return path


def rows(path: Path, sql: str) -> list[tuple]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(sql).fetchall()


def test_one_layer_for_every_check_and_the_ground_around(written: Path) -> None:
    assert set(fiona.listlayers(written)) >= CHECKS | CONTEXT
    assert rows(written, "PRAGMA integrity_check") == [("ok",)]
    assert rows(written, "PRAGMA foreign_key_check") == []


def test_every_finding_is_there_once_by_fingerprint(written: Path, review: Review) -> None:
    found = []
    for layer in CHECKS:
        with fiona.open(written, layer=layer) as source:
            found += [(f.properties["fingerprint"], f.properties["status"]) for f in source]
    assert sorted(found) == sorted((each.fingerprint, each.status.value) for each in review.findings)
    assert {status for _, status in found} == {status.value for status in Status}


def test_a_layer_holds_one_kind_of_geometry(written: Path) -> None:
    for layer in fiona.listlayers(written):
        if layer == "layer_styles":
            continue
        with fiona.open(written, layer=layer) as source:
            kinds = {f.geometry.type for f in source if f.geometry is not None}
            assert kinds <= {source.schema["geometry"]}, layer
            assert source.schema["geometry"] in {"MultiPoint", "MultiLineString", "MultiPolygon"}
    with fiona.open(written, layer="payload_points") as source:
        assert len(source) == 1


def test_findings_without_a_place_are_kept(written: Path) -> None:
    with fiona.open(written, layer="scale") as source:
        (row,) = list(source)
    assert row.geometry is None
    assert row.properties["measured"] == 150.0
    assert row.properties["limit_operator"] == "<="
    assert row.properties["margin"] == -50.0


def test_coordinates_are_wisconsin_transverse_mercator(written: Path) -> None:
    # Independent way: forward geodesics from the frame's centre, then PROJ's own projection.
    with fiona.open(written, layer="plan_outfall") as source:
        assert source.crs.to_epsg() == 6610
        ((x, y),) = next(iter(source)).geometry.coordinates
    azimuth, distance = math.degrees(math.atan2(200, -100)), math.hypot(200, -100)
    longitude, latitude, _ = Geod(ellps="GRS80").fwd(-87.9446, 43.3814, azimuth, distance)
    expected = Transformer.from_crs("EPSG:6318", "EPSG:6610", always_xy=True).transform(longitude, latitude)
    assert (x, y) == pytest.approx(expected, abs=0.005)


def test_areas_survive(written: Path, review: Review) -> None:
    with fiona.open(written, layer="disturbed_area") as source:
        area = sum(shapely.geometry.shape(f.geometry).area for f in source)
    # The scale of the projection at the place: area ratio 0.9998843 (published table of distortions).
    assert area / review.measured.shape["disturbed"].area == pytest.approx(0.99988, abs=2e-5)


def test_elsewhere_coordinates_are_degrees_in_one_piece(tmp_path: Path) -> None:
    write_geopackage(synthetic.make_review(Frame(180.0, 52.0)), tmp_path / "f.gpkg")
    with fiona.open(tmp_path / "f.gpkg", layer="one_mile") as source:
        assert source.crs.to_epsg() == 4326
        west, south, east, north = source.bounds
    assert 0.03 < east - west < 0.1
    assert south < 52 < north


def test_hostile_text_is_kept_as_text(written: Path) -> None:
    with fiona.open(written, layer="disturbed_area") as source:
        features = list(source)
    # What turns the direction of writing, or begins a line, is shown as a replacement character.
    plain = [re.sub("[\u2028\u2029\u202a-\u202e]", "\ufffd", payload) for payload in synthetic.PAYLOADS[:9]]
    assert [f.properties["name"] for f in features[:9]] == plain
    assert features[9].properties["name"] == "NaN Infinity NaT \ufffd\ufffd[31m [red]bold[/red] [link=x]"
    told = [json.loads(f.properties["attributes"]) for f in features]
    assert all(each["acres"] is None and each["nothing"] is None for each in told)
    assert told[0]["when"] == "2026-03-01"


def test_unknown_numbers_are_null(written: Path) -> None:
    with fiona.open(written, layer="payload") as source:
        (row,) = list(source)
    assert row.properties["measured"] is row.properties["margin"] is row.properties["plus_minus"] is None


def test_every_layer_has_a_default_style(written: Path) -> None:
    styles = rows(written, "SELECT f_table_name, f_geometry_column, useAsDefault, styleQML FROM layer_styles")
    tables = rows(written, "SELECT table_name, column_name FROM gpkg_geometry_columns")
    assert sorted((name, column) for name, column, _, _ in styles) == sorted(tables)
    assert all(default == 1 for _, _, default, _ in styles)
    assert rows(written, "SELECT data_type FROM gpkg_contents WHERE table_name = 'layer_styles'") == [("attributes",)]
    symbols = {"MULTIPOINT": "marker", "MULTILINESTRING": "line", "MULTIPOLYGON": "fill"}
    kinds = dict(rows(written, "SELECT table_name, geometry_type_name FROM gpkg_geometry_columns"))
    for name, _, _, qml in styles:
        renderer = ElementTree.fromstring(qml).find("renderer-v2")
        assert renderer is not None
        assert {symbol.get("type") for symbol in renderer.iter("symbol")} == {symbols[kinds[name]]}
        if name in CHECKS:
            assert renderer.get("attr") == "status"
            categories = {category.get("value"): category.get("symbol") for category in renderer.iter("category")}
            assert set(categories) == {status.value for status in Status}
            assert set(categories.values()) == {symbol.get("name") for symbol in renderer.iter("symbol")}


def test_the_same_review_gives_the_same_bytes(tmp_path: Path, written: Path) -> None:
    write_geopackage(synthetic.make_review(), tmp_path / "findings.gpkg")
    assert (tmp_path / "findings.gpkg").read_bytes() == written.read_bytes()
    moments = rows(written, "SELECT DISTINCT last_change FROM gpkg_contents")
    assert moments == [("2026-03-10T00:00:00.000Z",)]


def test_a_file_that_stands_there_is_replaced(tmp_path: Path, review: Review) -> None:
    path = tmp_path / "findings.gpkg"
    path.write_bytes(b"something else")
    write_geopackage(synthetic.without_findings(review), path)
    assert not CHECKS & set(fiona.listlayers(path)) - {"jurisdiction"}


def test_a_check_named_like_the_ground_gets_a_layer_of_its_own(tmp_path: Path, review: Review) -> None:
    finding = next(f for f in review.findings if f.rule.check == "waters_shown")
    named = replace(finding, rule=replace(finding.rule, check="waters"))
    write_geopackage(replace(review, findings=(named,)), tmp_path / "f.gpkg")
    layers = fiona.listlayers(tmp_path / "f.gpkg")
    assert {"waters", "waters_findings"} <= set(layers)
