"""`inspect` shows what is in the files, even where it could not be measured."""

import sys
from pathlib import Path

import pytest

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.plan.vectors import inspect_plan

sys.path.insert(0, str(Path(__file__).parent))
from plans import CRS, X, Y, feature, geojson, rectangle, shapefile

CASES = Path(__file__).parents[1] / "cases"
RING = rectangle(X, Y, 330, 264)


def codes(flags):
    return {flag.code for flag in flags}


def test_a_layer_is_described(tmp_path):
    path = geojson(tmp_path / "LOD.geojson", feature([RING], NAME="a", PHASE=1), {"type": "Feature", "geometry": None})
    (layer,), flags = inspect_plan([path])
    assert (layer.label, layer.file, layer.layer, layer.role, layer.role_from, layer.crs) == (
        "LOD.geojson", "LOD.geojson", "LOD", "disturbed_area", "name", CRS,
    )  # fmt: skip
    assert (layer.geometry_types, layer.features, layer.set_aside, layer.fields) == (
        ("Polygon",),
        2,
        1,
        ("NAME", "PHASE"),
    )
    assert layer.sample == ("0: NAME=a, PHASE=1", "1: ")
    assert codes(flags) == {"role_guessed", "feature_empty"}


def test_a_missing_crs_is_shown_and_no_failure():
    (layer,), flags = inspect_plan([CASES / "H09" / "LOD.shp"])
    assert layer.crs == "none"
    assert "--assume-crs" in next(flag.text for flag in flags if flag.code == "crs_note")
    (layer,), flags = inspect_plan([CASES / "H09" / "LOD.shp"], assume_crs="EPSG:2264")
    assert layer.crs == "EPSG:2264"
    assert "crs_assumed" in codes(flags)


def test_swapped_axes_are_shown():
    _, flags = inspect_plan([CASES / "H10" / "lod_latlon.geojson"])
    assert "axis_order_suspect" in codes(flags)


def test_every_layer_of_a_database_is_shown():
    layers, _ = inspect_plan([CASES / "H75" / "plan.gpkg"], roles={"Bldg": "ignore"})
    assert [(layer.label, layer.role, layer.role_from) for layer in layers] == [
        ("plan.gpkg/EX_ROAD", "road", "name"),
        ("plan.gpkg/Bldg", "", "option"),
        ("plan.gpkg/Limits_of_Disturbance", "disturbed_area", "name"),
        ("plan.gpkg/waters", "surface_water", "name"),
    ]


def test_files_of_other_kinds_are_named_and_clutter_is_not(tmp_path):
    geojson(tmp_path / "lod.geojson", feature([RING]))
    for name in ("plan.dwg", "C-101.pdf", "surface.xml", "budget.xlsx", "settings.json"):
        (tmp_path / name).write_text("{}")
    for name in ("README.md", "notes.txt", "expected.toml", "siteplan.toml", "expected.json", "LICENSE", ".hidden", "lod.qml",
                 "lod.geojson.aux.xml"):  # fmt: skip
        (tmp_path / name).write_text("")
    (tmp_path / "__MACOSX").mkdir()
    (tmp_path / "__MACOSX" / "._lod.geojson").write_bytes(b"\x00\x05")
    _, flags = inspect_plan([tmp_path])
    ignored = {flag.layer: flag.text for flag in flags if flag.code == "file_ignored"}
    assert set(ignored) == {"plan.dwg", "surface.xml", "budget.xlsx", "settings.json"}
    assert any(flag.code == "sheet_unreadable" and "C-101.pdf" in flag.text for flag in flags)
    assert "save the drawing as DXF" in ignored["plan.dwg"]


def test_one_unreadable_file_does_not_hide_the_others(tmp_path):
    geojson(tmp_path / "lod.geojson", feature([RING]))
    (tmp_path / "streams.geojson").write_text("{")
    layers, flags = inspect_plan([tmp_path])
    assert [layer.label for layer in layers] == ["lod.geojson"]
    assert [(flag.code, flag.layer) for flag in flags if flag.code == "file_unreadable"] == [
        ("file_unreadable", "streams.geojson")
    ]
    with pytest.raises(InputError, match="not valid JSON"):
        inspect_plan([tmp_path / "streams.geojson"])


def test_roles_are_still_held_to_the_known_ones(tmp_path):
    path = shapefile(tmp_path / "lod", [RING])
    with pytest.raises(InputError, match="is not a role"):
        inspect_plan([path], roles={"lod": "mud"})


def test_a_crs_that_cannot_be_used_is_shown_by_name(tmp_path):
    path = geojson(tmp_path / "lod.geojson", feature([RING]), crs="EPSG:27700")
    (layer,), flags = inspect_plan([path])
    assert layer.crs == "OSGB36 / British National Grid"
    assert "another datum" in next(flag.text for flag in flags if flag.code == "crs_note")
