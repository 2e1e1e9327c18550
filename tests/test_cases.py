"""Inputs that go wrong in practice, each measured by the pipeline as a user would, against its right answer.

The answers stand in `expected.json` beside each input: analytic, by GeographicLib, or counted.
"""

import json
from pathlib import Path

import pytest

from siteplan_gis.errors import InputError
from siteplan_gis.pipeline import Inputs, measure_inputs
from siteplan_gis.report.records import measurements_record

CASES = Path(__file__).parent / "cases"


def run(case, *plan, layer=(), dem=(), **settings):
    folder = CASES / case
    inputs = Inputs(
        tuple(folder / name for name in plan),
        layer=tuple((role, folder / name) for role, name in layer),
        dem=tuple(folder / name for name in dem),
        **settings,
    )
    measured, site = measure_inputs(inputs)
    assert not measured.faults
    record = measurements_record(measured, site)
    json.dumps(record, allow_nan=False)
    return record


def value(record, name, index=None):
    entry = record["measurements"][name]
    return (entry[index] if index else entry)["value"]


def flags(record):
    return {flag["code"] for flag in record["flags"]}


def checks_of(case):
    return json.loads((CASES / case / "expected.json").read_text())["checks"]


def hold(case, answers):
    """Every numeric check of the case holds for the answer of its quantity."""
    held = set()
    for check in checks_of(case):
        name = check.get("quantity")
        if name not in answers:
            continue
        held.add(name)
        answer = answers[name]
        if check["kind"] == "value":
            wanted = check["value"]
            assert answer == pytest.approx(wanted, abs=check.get("tol_abs", 0), rel=check.get("tol_rel", 0)), name
        elif check["kind"] == "equals":
            assert (sorted(answer) if isinstance(answer, list) else answer) == (
                sorted(check["value"]) if isinstance(check["value"], list) else check["value"]
            ), name
        elif check["kind"] == "must_not_equal" and isinstance(check["value"], float) and isinstance(answer, float):
            assert abs(answer - check["value"]) > min(check["tol_rel"], 0.5) * abs(check["value"]), name
    assert held == set(answers)


LOD = {"roles": {"*": "disturbed_area"}}


@pytest.mark.parametrize("case", ["H14", "H15", "H16", "H17", "H18", "H19"])
def test_rings(case):
    record = run(case, "lod.gpkg", **LOD)
    if case != "H18":
        hold(case, {"disturbed_acres": value(record, "disturbed_acres")})
    else:
        assert value(record, "disturbed_acres") == pytest.approx(1.3774104683195592, rel=1e-3)
    if case == "H14":
        assert "geometry_repaired" in flags(record)
    if case == "H15":
        hold(
            case,
            {
                "overlap_acres": value(record, "disturbed_overlap_acres"),
                "phase_acres[1]": value(record, "phase_acres", "1"),
            },
        )
        assert "phases_overlap" in flags(record)
    if case == "H17":
        hold(
            case,
            {
                "separate_sites": value(record, "separate_disturbed_areas"),
                "overlap_reported": "phases_overlap" in flags(record),
            },
        )


def test_foot_elevations_on_a_metre_grid():
    record = run("H01", "site.geojson", dem=["dem_m_xy_ft_z.tif"], **LOD)
    hold(
        "H01",
        {
            "slope_percent_median": value(record, "slope_percent_median"),
            "acres_slope_ge_20pct_in_site": value(record, "steep_site_acres"),
        },
    )


def test_mile_in_survey_feet():
    record = run("H07", "site.shp", layer=[("waters", "waters.shp")], roles={"*": "site"})
    ponds = {
        item["id"].rsplit(":", 1)[-1] if not item["name"] else item["name"]: item["distance_ft"]
        for item in record["measurements"]["waters_within_one_mile"]["features"]
    }
    assert value(record, "waters_within_one_mile") == 2
    assert sorted(ponds.values()) == pytest.approx([3000, 4660], abs=2)


def test_web_mercator_acreage():
    hold("H08", {"disturbed_acres": value(run("H08", "lod_3857.geojson", **LOD), "disturbed_acres")})


def test_no_crs_is_asked_for():
    with pytest.raises(InputError, match="coordinate system"):
        run("H09", "LOD.shp", **LOD)
    record = run("H09", "LOD.shp", assume_crs="EPSG:2264", **LOD)
    hold("H09", {"disturbed_acres_when_crs_given": value(record, "disturbed_acres")})


def test_latitude_first_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"swap|latitude"):
        run("H10", "lod_latlon.geojson", layer=[("waters", "pond.geojson")], **LOD)
    for name in ("lod_latlon.geojson",):
        (tmp_path / name).write_bytes((CASES / "H10" / name).read_bytes())
    (tmp_path / "siteplan.toml").write_text(
        '[plan]\nname = "x"\n[roles]\n"lod*" = "disturbed_area"\n[layer."lod*"]\naxis_order = "yx"\n'
    )
    measured, _ = measure_inputs(Inputs((tmp_path,)))
    hold("H10", {"disturbed_acres_after_swap": measured["disturbed_acres"].value})


def test_text_elevations_with_duplicates_and_blanks():
    record = run("H27", "contours.shp", roles={"*": "contour_existing"})
    hold(
        "H27",
        {
            "contour_interval_ft": value(record, "contour_interval_ft"),
            "elevation_min_ft": value(record, "contour_elevation_min_ft"),
            "elevation_max_ft": value(record, "contour_elevation_max_ft"),
        },
    )
    assert flags(record) >= {"contour_duplicate", "contour_elevation_missing", "contour_zero_length"}


def test_only_index_contours(tmp_path):
    (tmp_path / "contours.geojson").write_bytes((CASES / "H28" / "contours.geojson").read_bytes())
    manifest = '[plan]\nname = "x"\n[[sheet]]\nname = "C-1"\nshows = "site_map"\nscale = "1\\" = 50\'"\ncontour_interval_ft = 2\n'
    (tmp_path / "siteplan.toml").write_text(manifest + '[roles]\n"contours*" = "contour_existing"\n')
    measured, site = measure_inputs(Inputs((tmp_path,)))
    hold("H28", {"contour_interval_ft": measured["contour_interval_ft"].value})
    assert "contour_interval_mismatch" in flags(measurements_record(measured, site))


def test_undeclared_sentinel():
    record = run("H30", "site.gpkg", dem=["dem.tif"], dem_units="m", **LOD)
    hold("H30", {"acres_slope_ge_20pct_in_site": value(record, "steep_site_acres")})
    # The cells and the ring around them, whose neighbourhood is not whole: both have no slope.
    assert 0.0373 < value(record, "no_elevation_acres") < 0.0373 + 0.035
    assert "dem_nodata_undeclared" in flags(record)


@pytest.mark.parametrize("place", ["site_north", "site_south"])
def test_south_up_grid(place):
    record = run("H31", f"{place}.gpkg", dem=["dem_southup.tif"], dem_units="m", **LOD)
    hold("H31", {f"acres_slope_ge_20pct[{place}]": value(record, "steep_site_acres")})
    if place == "site_north":
        hold("H31", {"slope_percent[site_north]": value(record, "slope_percent_median")})


def test_exactly_twenty_percent_is_steep():
    record = run("H32", "site.gpkg", dem=["dem_20.tif"], dem_units="ft", **LOD)
    hold("H32", {"acres_slope_ge_20pct_in_site": value(record, "steep_site_acres")})


def test_whole_metres_cannot_tell():
    record = run("H33", "site.gpkg", dem=["dem_int.tif"], dem_units="m", **LOD)
    assert value(record, "steep_site_acres") is None
    assert "steps" in record["measurements"]["steep_site_acres"]["reason"]
    assert "dem_whole_units" in flags(record)


def test_tiles_in_two_units():
    record = run("H34", "site.gpkg", dem=["tile_west.tif", "tile_east.tif"], **LOD)
    hold(
        "H34",
        {
            "acres_slope_ge_20pct_in_site": value(record, "steep_site_acres"),
            "slope_percent_median": value(record, "slope_percent_median"),
        },
    )
    assert "dem_tiles_units_differ" in flags(record)


def test_steep_acres_by_exact_cell_coverage():
    record = run("H35", "site.gpkg", dem=["dem10.tif"], dem_units="m", **LOD)
    hold("H35", {"acres_slope_ge_20pct_in_site": value(record, "steep_site_acres")})
    assert value(record, "steep_site_acres") <= value(record, "site_acres") * (1 + 1e-9)
    assert "dem_cell_too_coarse" in flags(record)


OUTFALL = {"roles": {"*": "outfall"}}


def only(record):
    (discharge,) = record["measurements"]["discharges"]
    return discharge


def test_culvert_carries_runoff_through_the_road():
    layers = [("waters", "waters.gpkg"), ("culverts", "culverts.gpkg")]
    found = only(run("H40", "outfall.geojson", layer=layers, dem=["dem.tif"], dem_units="m", **OUTFALL))
    hold(
        "H40",
        {
            "discharge_to_water_within_quarter_mile": found["within_quarter_mile"],
            "receiving_water": found["receiving"],
            "flow_distance_m": found["flow_distance_ft"] * 0.3048,
        },
    )


def test_road_without_a_culvert_is_no_answer():
    found = only(
        run("H40", "outfall.geojson", layer=[("waters", "waters.gpkg")], dem=["dem.tif"], dem_units="m", **OUTFALL)
    )
    assert found["within_quarter_mile"] is None
    assert found["ends_because"] == "barrier"
    assert "depression" in found["explanation"]


def test_quarter_mile_is_measured_along_the_ditch():
    record = run("H41", "outfall.geojson", layer=[("waters", "waters.gpkg"), ("flowlines", "ditch.gpkg")], **OUTFALL)
    found = only(record)
    hold("H41", {
        "flow_distance_ft": found["flow_distance_ft"], "straight_distance_ft": found["straight_distance_ft"],
        "discharge_to_water_within_quarter_mile_downstream": found["within_quarter_mile"],
        "water_within_one_mile": any(item["name"] == "Swift Pond" for item in record["measurements"]["waters_within_one_mile"]["features"]),
    })  # fmt: skip


def test_flat_pad_drains_through_its_gap():
    found = only(
        run("H42", "outfall.geojson", layer=[("waters", "waters.gpkg")], dem=["dem.tif"], dem_units="m", **OUTFALL)
    )
    hold(
        "H42",
        {
            "receiving_water": found["receiving"],
            "discharge_to_water_within_quarter_mile": found["within_quarter_mile"],
            "flow_distance_m": found["flow_distance_ft"] * 0.3048,
        },
    )


def test_gap_in_the_network_is_bridged_and_said():
    record = run(
        "H43", "outfall.geojson", layer=[("waters", "waters.gpkg"), ("flowlines", "flowlines.gpkg")], **OUTFALL
    )
    found = only(record)
    hold("H43", {"receiving_water": found["receiving"], "flow_distance_m": found["flow_distance_ft"] * 0.3048})
    assert "network_gap_bridged" in flags(record)


def test_both_branches_of_a_divergence_are_followed():
    found = only(
        run("H44", "outfall.geojson", layer=[("wetlands", "wetlands.gpkg"), ("flowlines", "flowlines.gpkg")], **OUTFALL)
    )
    hold(
        "H44",
        {
            "wetland_reached_downstream": found["kind"] == "wetland",
            "flow_distance_m": found["flow_distance_ft"] * 0.3048,
        },
    )


def test_wetland_cut_at_a_tile_edge_and_delivered_twice():
    record = run("H45", "site.gpkg", layer=[("wetlands", "wetlands.gpkg")], **LOD)
    hold("H45", {
        "wetlands_within_one_mile": value(record, "wetlands_within_one_mile"),
        "wetland_acres_within_one_mile": value(record, "wetland_within_one_mile_acres"),
        "nearest_wetland_m": value(record, "nearest_wetland_ft") * 0.3048,
    })  # fmt: skip


def test_layer_that_stops_short_is_never_none():
    record = run(
        "H46", "site.gpkg", layer=[("waters", "waters.gpkg"), ("waters_coverage", "waters_extent.gpkg")], **LOD
    )
    entry = record["measurements"]["waters_within_one_mile"]
    assert entry["value"] is None
    assert "covered" in entry["reason"]
    assert "coverage_short" in flags(record)


def test_smooth_hillslope_falls_due_south():
    found = only(
        run("H47", "outfall.geojson", layer=[("waters", "waters.gpkg")], dem=["dem.tif"], dem_units="m", **OUTFALL)
    )
    hold("H47", {"receiving_water": found["receiving"], "flow_distance_m": found["flow_distance_ft"] * 0.3048})


def test_windows_names_without_codepage():
    hold("H74", {"disturbed_acres": value(run("H74", "sitio.shp", **LOD), "disturbed_acres")})


def test_every_layer_of_a_geopackage():
    record = run("H75", "plan.gpkg")
    hold("H75", {"disturbed_acres": value(record, "disturbed_acres")})


def test_zip_from_a_mac():
    record = run("H76", "submittal.zip")
    hold("H76", {"disturbed_acres": value(record, "disturbed_acres")})


def test_kmz_of_links():
    record = run("H78", "plan.kmz")
    hold("H78", {"disturbed_acres": value(record, "disturbed_acres")})
    assert "link_not_followed" in flags(record)


def test_site_across_the_antimeridian():
    record = run("H79", "lod.geojson", **LOD)
    hold("H79", {"disturbed_acres": value(record, "disturbed_acres")})
    assert abs(abs(record["frame"]["longitude"]) - 180) < 0.01


def test_huge_sparse_grid_is_read_by_window_only():
    record = run("H80", "site.gpkg", dem=["dem_huge.tif"], dem_units="m", **LOD)
    assert flags(record) & {"dem_empty_blocks", "dem_flat"}


def test_raster_that_is_no_tiff_is_refused():
    with pytest.raises(InputError) as refusal:
        run("H73", "../H30/site.gpkg", dem=["dem.tif"], dem_units="m", **LOD)
    assert "CANARY" not in str(refusal.value)


def test_plan_without_ground_tells_nothing_of_the_site():
    record = run(
        "H44", "outfall.geojson", layer=[("wetlands", "wetlands.gpkg"), ("flowlines", "flowlines.gpkg")], **OUTFALL
    )
    for name in (
        "site_acres",
        "construction_site_acres",
        "disturbed_acres",
        "wetland_on_site_acres",
        "wetland_drawn_on_site_acres",
    ):
        assert value(record, name) is None, name
        assert record["measurements"][name]["reason"]
