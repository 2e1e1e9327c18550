"""CAD drawings that go wrong in practice, each measured as a user would, against its right answer."""

import json
import sys
from pathlib import Path

import numpy as np
import pyogrio
import pytest
import shapely
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from siteplan_gis.cli import app
from siteplan_gis.crs import georeference
from siteplan_gis.errors import InputError
from siteplan_gis.ingest.plan.vectors import read_plan
from siteplan_gis.pipeline import Inputs, measure_inputs
from siteplan_gis.report.schema import review_schema

sys.path.insert(0, str(Path(__file__).parent))
from test_cases import CASES, flags, hold, run, value

NC = {"assume_crs": "EPSG:2264"}
PLACE_DEPENDENT = (
    "waters_within_one_mile",
    "wetlands_within_one_mile",
    "nearest_water_ft",
    "jurisdiction",
    "airport_ft",
)


def with_manifest(folder, case, file, text):
    folder = folder / case
    folder.mkdir()
    (folder / file).write_bytes((CASES / case / file).read_bytes())
    (folder / "siteplan.toml").write_text(text)
    return folder


@pytest.mark.parametrize("case", ["H20", "H21", "H22", "H23", "H24"])
def test_drawn_ground_is_measured(case):
    record = run(case, "lod.dxf", roles={"C-LOD*": "disturbed_area"}, **NC)
    hold(case, {"disturbed_acres": value(record, "disturbed_acres")})


def test_a_block_lies_where_it_is_inserted():
    plan, frame = read_plan([CASES / "H23" / "lod.dxf"], **NC)
    (area,) = plan.of("disturbed_area")
    centre = frame.unproject(area.geometry.centroid, georeference("EPSG:2264"))
    hold("H23", {"centroid_easting": centre.x, "centroid_northing": centre.y})


def test_paper_space_is_no_ground():
    plan, _ = read_plan([CASES / "H24" / "lod.dxf"], **NC)
    hold("H24", {"polygons": len(plan.of("disturbed_area"))})
    west, south, east, north = shapely.total_bounds([feature.geometry for feature in plan.features])
    assert max(east - west, north - south) < 110


def test_a_drawing_without_units_is_asked_for():
    record = run("H03", "lod_unitless.dxf", **NC)
    hold("H03", {"disturbed_acres_when_crs_given": value(record, "disturbed_acres")})
    assert "unit_assumed" in flags(record)
    with pytest.raises(InputError, match=r"does not tell its unit.*units ="):
        run("H03", "lod_unitless.dxf")


@pytest.mark.parametrize(("units", "acres"), [("us-ft", 1.2), ("ft", 1.2), ("m", 12.917), ("in", 1.2 / 144)])
def test_a_unit_given_in_the_manifest_counts(tmp_path, units, acres):
    text = f'[drawing."lod_unitless.dxf"]\nunits = "{units}"\n'
    folder = with_manifest(tmp_path, "H03", "lod_unitless.dxf", text)
    measured, site = measure_inputs(Inputs((folder,)))
    assert measured.values["disturbed_acres"].value == pytest.approx(acres, rel=1e-3)
    assert not site.frame.placed


def test_local_coordinates_give_acreage_and_no_place():
    record = run("H04", "lod_inches.dxf", layer=[("waters", "lod_inches.dxf")])
    hold("H04", {"disturbed_acres": value(record, "disturbed_acres")})
    assert "place_unknown" in flags(record)
    for name in PLACE_DEPENDENT:
        entry = record["measurements"][name]
        assert entry["value"] is None, name
        assert "not known" in entry["reason"]


def test_a_header_unit_that_leads_out_of_the_zone_is_named(tmp_path):
    """State plane feet in a drawing whose header says inches, as the template of the program does."""
    import ezdxf

    doc = ezdxf.new(units=1)
    doc.modelspace().add_lwpolyline(
        [(2050000, 750000), (2050330, 750000), (2050330, 750264), (2050000, 750264)], close=True,
        dxfattribs={"layer": "C-LOD"},
    )  # fmt: skip
    doc.saveas(tmp_path / "lod.dxf")
    with pytest.raises(InputError, match=r"INSUNITS = 1.*lies outside EPSG:2264.*lies inside.*units ="):
        read_plan([tmp_path / "lod.dxf"], **NC)
    (tmp_path / "siteplan.toml").write_text('[drawing."*.dxf"]\nunits = "us-ft"\n')
    measured, _ = measure_inputs(Inputs((tmp_path,), **NC))
    assert measured.values["disturbed_acres"].value == pytest.approx(2.0, rel=1e-3)
    assert "unit_assumed" in {flag.code for flag in measured.flags}


def test_ground_coordinates_are_brought_to_the_grid(tmp_path):
    with pytest.raises(InputError, match=r"outside EPSG:2264.*add_east.*combined_factor"):
        run("H12", "lod_ground.dxf", **NC)
    text = """[drawing."lod_ground.dxf"]
crs = "EPSG:2264"
add_east = 2000000.0
add_north = 700000.0
combined_factor = 0.99988
"""
    folder = with_manifest(tmp_path, "H12", "lod_ground.dxf", text)
    measured, site = measure_inputs(Inputs((folder,)))
    hold("H12", {"disturbed_acres_ground": measured.values["disturbed_acres"].value})
    (area,) = site.plan.of("disturbed_area")
    corners = shapely.get_coordinates(site.frame.unproject(area.geometry))
    at = site.frame.from_lonlat(corners)[corners.sum(axis=1).argmin()]
    wanted = site.frame.from_lonlat(np.array([[-78.83136244783735, 35.810607194160895]]))[0]
    assert ((at - wanted) ** 2).sum() ** 0.5 < 0.5


def test_elevations_in_group_38():
    record = run("H25", "topo.dxf", **NC)
    names = ("contour_interval_ft", "contour_count")
    answers = {name: value(record, name) for name in names}
    answers["index_interval_ft"] = value(record, "contour_index_interval_ft")
    answers |= {f"elevation_{end}_ft": value(record, f"contour_elevation_{end}_ft") for end in ("min", "max")}
    hold("H25", answers)


def test_contours_flat_at_zero_are_read_by_their_labels():
    record = run("H26", "topo_labels.dxf", **NC)
    hold("H26", {"contour_interval_ft": value(record, "contour_interval_ft")})
    (source,) = [flag for flag in record["flags"] if flag["code"] == "contour_elevation_source"]
    assert "text labels" in source["text"]
    assert value(record, "contour_elevation_min_ft") == pytest.approx(612)
    assert value(record, "contour_elevation_max_ft") == pytest.approx(630)


def test_labels_alone_at_zero_without_text_mean_unknown(tmp_path):
    import ezdxf

    doc = ezdxf.readfile(CASES / "H26" / "topo_labels.dxf")
    for text in doc.modelspace().query("TEXT"):
        doc.modelspace().delete_entity(text)
    doc.saveas(tmp_path / "topo.dxf")
    measured, _ = measure_inputs(Inputs((tmp_path / "topo.dxf",), **NC))
    assert measured.values["contour_interval_ft"].value is None
    assert "contour_elevation_missing" in {flag.code for flag in measured.flags}


def test_a_viewport_tells_the_scale_of_its_sheet():
    measured, site = measure_inputs(Inputs((CASES / "H62" / "sheet.dxf",), roles={"0": "site"}, **NC))
    (sheet,) = site.plan.sheets
    assert (sheet.width_in, sheet.height_in) == (pytest.approx(36), pytest.approx(24))
    hold("H62", {"scale_ft_per_inch": measured.values[f"feet_per_inch[{sheet.name}]"].value})


def test_a_review_without_a_place_says_so_everywhere(tmp_path):
    arguments = ["review", str(CASES / "H04" / "lod_inches.dxf"), "--ordinance", "saukville", "--on", "2025-03-20"]
    done = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "out")])
    assert done.exit_code == 1, done.stderr
    review = json.loads((tmp_path / "out" / "review.json").read_text())
    Draft202012Validator(review_schema()).validate(review)
    assert (review["frame"]["longitude"], review["frame"]["latitude"]) == (None, None)
    assert all(finding["place"] is None for finding in review["findings"])
    by_rule = {finding["rule"]: finding["status"] for finding in review["findings"]}
    for rule in ("SAU-JUR-1", "SAU-SLOPE", "SAU-MAP-i", "SAU-MAP-h2", "SAU-MAP-a"):
        assert by_rule[rule] == "not_checked", rule
    assert by_rule["SAU-APP-0"] == "needs_review"
    page = (tmp_path / "out" / "review.html").read_text()
    assert "street-map" not in page.split("<script", 1)[0]
    assert "is not known" in page
    meta = pyogrio.read_info(tmp_path / "out" / "findings.gpkg", layer=0)
    assert "EPSG" not in (meta["crs"] or "")
    west, south, east, north = meta["total_bounds"]
    assert (east - west, north - south) == pytest.approx((400 * 0.3048, 300 * 0.3048), rel=1e-3)
    assert west <= 0 <= east


def test_a_drawing_without_a_place_is_no_common_plan_with_others(tmp_path):
    for name in ("H04/lod_inches.dxf", "H03/lod_unitless.dxf"):
        (tmp_path / Path(name).name).write_bytes((CASES / name).read_bytes())
    (tmp_path / "siteplan.toml").write_text('[drawing."lod_unitless.dxf"]\ncrs = "EPSG:2264"\n')
    with pytest.raises(InputError, match=r"lod_inches.dxf: names no coordinate system.*lod_unitless"):
        measure_inputs(Inputs((tmp_path,)))
