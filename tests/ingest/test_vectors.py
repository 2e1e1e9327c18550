"""Plans from files to the site frame: cases from practice, and their siblings."""

import hashlib
import json
import shutil
import sys
from datetime import date
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import shapely
from geographiclib.geodesic import Geodesic
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Transformer

from siteplan_gis.errors import CrsError, HostileInputError, InputError
from siteplan_gis.ingest.plan.vectors import read_plan
from siteplan_gis.units import acres, feet

sys.path.insert(0, str(Path(__file__).parent))
from plans import CRS, X, Y, database, feature, geojson, polygon, rectangle, shapefile

CASES = Path(__file__).parents[1] / "cases"
ACRE_FT2 = 43_560.0


def union_acres(plan, role="disturbed_area"):
    return acres(shapely.union_all([one.geometry for one in plan.of(role)]).area)


def codes(plan):
    return {flag.code for flag in plan.flags}


def texts(plan, code):
    return [flag.text for flag in plan.flags if flag.code == code]


def flawless(plan):
    assert all(one.geometry.is_valid and not one.geometry.is_empty and not one.geometry.has_z for one in plan.features)
    return plan


def read(*paths, **settings):
    plan, frame = read_plan(list(paths), **settings)
    return flawless(plan), frame


def on_paper(path, quantity="disturbed_acres"):
    checks = json.loads((CASES / path / "expected.json").read_text())["checks"]
    values = (check for check in checks if check["kind"] == "value")
    return next(check for check in values if check["quantity"].startswith(quantity))


@pytest.mark.parametrize(
    ("case", "file", "settings"),
    [
        ("H08", "lod_3857.geojson", {}),
        ("H09", "LOD.shp", {"assume_crs": "EPSG:2264"}),
        ("H14", "lod.gpkg", {}),
        ("H15", "lod.gpkg", {}),
        ("H16", "lod.gpkg", {}),
        ("H17", "lod.gpkg", {}),
        ("H19", "lod.gpkg", {}),
        ("H74", "sitio.shp", {"roles": {"sitio": "disturbed_area"}}),
        ("H75", "plan.gpkg", {}),
        ("H76", "submittal.zip", {}),
        ("H77", "lod.gpkg", {}),
        ("H78", "plan.kmz", {}),
        ("H79", "lod.geojson", {}),
    ],
)
def test_acreage_of_the_cases(case, file, settings):
    plan, _ = read(CASES / case / file, **settings)
    check = on_paper(case)
    assert union_acres(plan) == pytest.approx(check["value"], rel=check["tol_rel"])


def test_h09_without_a_crs_is_asked_for_and_never_assumed():
    with pytest.raises(CrsError, match=r"^LOD.shp: the shapefile has no .prj .*--assume-crs"):
        read_plan([CASES / "H09" / "LOD.shp"])
    plan, _ = read(CASES / "H09" / "LOD.shp", assume_crs="EPSG:2264")
    assert "crs_assumed" in codes(plan)


def test_h10_swapped_axes_are_named_and_the_manifest_turns_them(tmp_path):
    with pytest.raises(InputError, match=r"axes look swapped.*axis_order"):
        read_plan([CASES / "H10" / "lod_latlon.geojson"])
    (tmp_path / "lod_latlon.geojson").write_bytes((CASES / "H10" / "lod_latlon.geojson").read_bytes())
    (tmp_path / "siteplan.toml").write_text('[layer.lod_latlon]\naxis_order = "yx"\n')
    plan, frame = read(tmp_path / "lod_latlon.geojson")
    assert union_acres(plan) == pytest.approx(2.0, rel=0.002)
    assert (frame.longitude, frame.latitude) == pytest.approx((-78.8308, 35.811), abs=1e-3)


def test_swapped_projected_coordinates_are_named_too(tmp_path):
    swapped = [[y, x] for x, y in rectangle(X, Y, 330, 264)]
    path = geojson(tmp_path / "lod.geojson", feature([swapped]))
    with pytest.raises(InputError, match=r"axes look swapped|far outside the area"):
        read_plan([path])


def test_h14_names_the_crossing():
    plan, _ = read(CASES / "H14" / "lod.gpkg")
    (text,) = texts(plan, "geometry_repaired")
    assert "self-intersection" in text
    assert "0.7001 acres as stored, 1.7003 acres" in text


def test_h15_keeps_both_phases():
    plan, _ = read(CASES / "H15" / "lod.gpkg")
    assert [one.phase for one in plan.features] == ["1", "2"]
    assert acres(plan.features[0].geometry.area) == pytest.approx(1.3774, rel=1e-3)


def test_h18_heights_that_are_no_numbers_do_not_spread():
    plan, _ = read(CASES / "H18" / "lod.gpkg")
    assert union_acres(plan) == pytest.approx(1.37741, rel=1e-3)
    assert {"z_or_m_dropped", "z_sentinel"} <= codes(plan)


def test_h19_curves_are_followed_closely():
    plan, _ = read(CASES / "H19" / "lod.gpkg")
    radius = 120 * 1200 / 3937
    # A chord of 0.2 degrees leaves the arc by r (1 - cos 0.1 degrees); the state system's grid is 1.6e-4 off ground.
    assert plan.features[0].geometry.area == pytest.approx(np.pi * radius**2, rel=3e-4)
    assert "curve_linearised" in codes(plan)
    assert radius * (1 - np.cos(np.radians(0.1))) < 0.003
    assert len(plan.features[0].geometry.exterior.coords) >= 1800


def test_h27_levels_in_text():
    plan, _ = read(CASES / "H27" / "contours.shp")
    levels = [feet(one.elevation_m) for one in plan.of("contour_existing") if one.elevation_m is not None]
    assert sorted(set(np.round(levels, 9))) == list(range(700, 721, 2))
    assert {"contour_elevation_missing", "contour_zero_length"} <= codes(plan)


def test_h28_bare_numbers_are_feet_where_the_crs_counts_in_feet():
    plan, _ = read(CASES / "H28" / "contours.geojson")
    assert [feet(one.elevation_m) for one in plan.features] == pytest.approx([300, 310, 320, 330, 340], abs=1e-9)
    assert "EPSG:2264 counts in feet" in texts(plan, "unit_assumed")[0]


def test_h74_names_in_windows_1252():
    plan, _ = read(CASES / "H74" / "sitio.shp", roles={"sitio": "disturbed_area"})
    assert plan.features[0].attributes["NOMBRE"] == "Arroyo Peña \N{EN DASH} Río Señal"
    assert plan.features[0].name == "Arroyo Peña \N{EN DASH} Río Señal"


def test_h75_every_layer_is_seen():
    plan, _ = read(CASES / "H75" / "plan.gpkg")
    assert [layer.layer for layer in plan.layers] == ["EX_ROAD", "Bldg", "Limits_of_Disturbance", "waters"]


def test_h76_one_shapefile_is_found():
    plan, _ = read(CASES / "H76" / "submittal.zip")
    assert [layer.label for layer in plan.layers] == ["Plan Set/GIS/LOD.SHP"]
    assert not codes(plan) & {"file_ignored", "archive_entry_skipped"}


def test_h77_attributes_stay_valid_json():
    plan, _ = read(CASES / "H77" / "lod.gpkg")
    json.dumps([dict(one.attributes) for one in plan.features], allow_nan=False)
    assert [one.attributes["acres"] for one in plan.features] == [None, "Infinity"]


def test_h78_the_remote_link_is_named_and_not_followed():
    plan, _ = read(CASES / "H78" / "plan.kmz")
    (text,) = texts(plan, "link_not_followed")
    assert "http://127.0.0.1:9/remote.kml" in text


def test_h79_lies_at_the_180th_meridian():
    plan, frame = read(CASES / "H79" / "lod.geojson")
    assert abs(frame.longitude) == pytest.approx(180)
    assert plan.features[0].geometry.bounds[2] - plan.features[0].geometry.bounds[0] < 100


@pytest.mark.parametrize("shift", [0, 360])
def test_longitudes_beyond_180_are_the_same_place(tmp_path, shift):
    ring = [[lon + shift, lat] for lon, lat in rectangle(-87.9, 43.4, 0.001, 0.001)]
    plan, frame = read(geojson(tmp_path / "lod.geojson", feature([ring]), crs=None))
    area, _ = geodesic_area(rectangle(-87.9, 43.4, 0.001, 0.001))
    assert union_acres(plan) == pytest.approx(acres(area), rel=1e-6)
    assert frame.longitude == pytest.approx(-87.8995)


def geodesic_area(ring):
    """Area in square metres of a ring of degrees, edges divided, by GeographicLib on GRS 80."""
    figure = Geodesic(6378137, 1 / 298.257222101).Polygon()
    for (lon0, lat0), (lon1, lat1) in pairwise(ring):
        for step in np.linspace(0, 1, 50, endpoint=False):
            figure.AddPoint(lat0 + (lat1 - lat0) * step, lon0 + (lon1 - lon0) * step)
    _, perimeter, area = figure.Compute()
    return abs(area), perimeter


@pytest.mark.parametrize("crs", ["EPSG:3857", "EPSG:4326", "EPSG:26916", "EPSG:3071", "EPSG:7613", "EPSG:2289"])
def test_the_crs_of_the_file_does_not_matter(tmp_path, crs):
    ring = rectangle(-87.95, 43.38, 0.002, 0.001)
    dense = np.array(shapely.segmentize(shapely.Polygon(ring), 0.00005).exterior.coords)
    there = np.column_stack(Transformer.from_crs(4269, crs, always_xy=True).transform(*dense.T))
    plan, _ = read(geojson(tmp_path / "lod.geojson", feature([there.tolist()]), crs=crs))
    assert union_acres(plan) == pytest.approx(acres(geodesic_area(ring)[0]), rel=1e-6)


boxes = st.lists(
    st.tuples(st.integers(0, 900), st.integers(0, 900), st.integers(20, 90), st.integers(20, 90)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=15, deadline=None)
@given(boxes, st.randoms(use_true_random=False), st.sampled_from(["EPSG:2289", "EPSG:7613", "EPSG:4269"]))
def test_order_splitting_and_crs_change_no_area(tmp_path_factory, drawn, random, crs):
    folder = tmp_path_factory.mktemp("plan")
    whole = [feature([rectangle(X + x, Y + y, w, h)]) for x, y, w, h in drawn]
    plan, frame = read(geojson(folder / "whole" / "lod.geojson", *whole))
    pieces = [rectangle(X + x + part * w / 2, Y + y, w / 2, h) for x, y, w, h in drawn for part in (0, 1)]
    random.shuffle(pieces)
    move = Transformer.from_crs(CRS, crs, always_xy=True)
    moved = [feature([[list(move.transform(*corner)) for corner in piece]]) for piece in pieces]
    other, other_frame = read(geojson(folder / "pieces" / "lod.geojson", *moved, crs=crs))
    assert union_acres(other) == pytest.approx(union_acres(plan), rel=1e-6)
    assert frame == other_frame
    cells = {(x + i, y + j) for x, y, w, h in drawn for i in range(w) for j in range(h)}
    # Ground area of a survey foot's grid cell differs from the ellipsoid's by the scale of the zone, under 3e-4.
    assert union_acres(plan) == pytest.approx(len(cells) / ACRE_FT2, rel=3e-4)


def lod(tmp_path, geometry_kind, coordinates, role="disturbed_area", **settings):
    path = geojson(tmp_path / "drawing.geojson", feature(coordinates, geometry_kind))
    return read(path, roles={"drawing": role}, **settings)[0]


@pytest.mark.parametrize(("gap_ft", "closed"), [(0, True), (0.32, True), (0.34, False), (30, False)])
def test_lines_close_within_a_tenth_of_a_metre(tmp_path, gap_ft, closed):
    line = [*rectangle(X, Y, 330, 264)[:-1], [X, Y + gap_ft]]
    drawing = geojson(tmp_path / "drawing.geojson", feature(line, "LineString"))
    elsewhere = geojson(tmp_path / "site" / "site.geojson", feature([rectangle(X, Y, 500, 500)]))
    plan, _ = read_plan([drawing, elsewhere], roles={"drawing": "disturbed_area"})
    if closed:
        assert union_acres(plan) == pytest.approx(2.0, rel=2e-3)
        assert ("gap of" in texts(plan, "lines_closed")[0]) == (gap_ft > 0)
    else:
        assert plan.of("disturbed_area") == ()
        assert f"{gap_ft * 0.3048:.2f} m" in texts(plan, "lines_not_closed")[0]
        assert plan.layers[0].set_aside == 1


def test_the_manifest_may_close_open_lines(tmp_path):
    (tmp_path / "siteplan.toml").write_text("[layer.drawing]\nassume_closed = true\n")
    plan = lod(tmp_path, "LineString", [[X, Y], [X + 330, Y], [X + 330, Y + 264], [X, Y + 264]])
    assert union_acres(plan) == pytest.approx(2.0, rel=1e-3)


def test_a_wetland_may_be_a_line_or_a_point(tmp_path):
    assert lod(tmp_path, "LineString", [[X, Y], [X + 330, Y]], "wetland").features[0].geometry.geom_type == "LineString"
    assert lod(tmp_path, "Point", [X, Y], "wetland").features[0].geometry.geom_type == "Point"
    assert lod(tmp_path, "LineString", rectangle(X, Y, 9, 9), "wetland").features[0].geometry.geom_type == "Polygon"


def test_a_floodplain_may_be_drawn_by_its_limits(tmp_path):
    plan = lod(tmp_path, "LineString", [[X, Y], [X + 330, Y]], "floodplain")
    assert plan.features[0].geometry.geom_type == "LineString"
    assert "lines_not_closed" not in codes(plan)


@pytest.mark.parametrize(
    ("kind", "coordinates", "role"),
    [
        ("Point", [X, Y], "disturbed_area"),
        ("MultiPoint", [[X, Y], [X + 1, Y]], "site"),
        ("Polygon", [rectangle(X, Y, 9, 9)], "contour_existing"),
        ("Point", [X, Y], "contour_proposed"),
    ],
)
def test_geometry_that_does_not_fit_its_role_is_set_aside_and_named(tmp_path, kind, coordinates, role):
    usable = geojson(tmp_path / "usable" / "LOD.geojson", feature([rectangle(X, Y, 9, 9)]))
    drawing = geojson(tmp_path / "odd.geojson", feature(coordinates, kind))
    plan, _ = read_plan([usable, drawing], roles={"odd.geojson": role})
    assert [one.layer for one in plan.features] == ["LOD.geojson"]
    assert "feature_wrong_kind" in codes(plan)
    assert plan.layers[1].set_aside == 1


@pytest.mark.parametrize(
    ("kind", "coordinates", "role", "reason"),
    [
        ("Point", [X, Y], "site", "0 1 point where site asks for a polygon"),
        ("Polygon", [rectangle(X, Y, 9, 9)], "contour_existing", "0 1 polygon where contour_existing asks for lines"),
        ("LineString", [[X, Y], [X + 330, Y], [X + 330, Y + 264]], "disturbed_area", "open line set aside"),
    ],
)
def test_a_plan_of_nothing_that_fits_its_role_is_refused_with_the_reason(tmp_path, kind, coordinates, role, reason):
    drawing = geojson(tmp_path / "odd.geojson", feature(coordinates, kind))
    with pytest.raises(InputError, match=reason) as refusal:
        read_plan([drawing], roles={"odd.geojson": role})
    assert "another role" in refusal.value.remedy


def test_mixed_geometry_gives_one_feature_of_each_kind(tmp_path):
    path = tmp_path / "streams.geojson"
    parts = [
        {"type": "LineString", "coordinates": [[X, Y], [X + 50, Y]]},
        {"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [X, Y]}]},
        {"type": "Polygon", "coordinates": [rectangle(X, Y, 9, 9)]},
    ]
    geojson(
        path, {"type": "Feature", "properties": {}, "geometry": {"type": "GeometryCollection", "geometries": parts}}
    )
    plan, _ = read(path)
    assert [(one.id, one.geometry.geom_type) for one in plan.features] == [
        ("0", "Polygon"), ("0 (LineString)", "LineString"), ("0 (Point)", "Point"),
    ]  # fmt: skip


def test_bad_features_are_named_and_the_rest_are_read(tmp_path):
    bad = [
        {"type": "Feature", "properties": {}, "geometry": None},
        {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": []}},
        feature([[[X, Y], [X, "9"], [X, Y]]]),
        feature([[[X, Y], [X], [X, Y]]]),
        feature([[[X, Y], [float("nan"), Y], [X, Y]]]),
        feature([[[X, Y], [float("inf"), Y], [X, Y]]]),
        feature([[[X, Y], None]]),
        feature([[X, Y]]),
        feature([X, Y], "Circle"),
        "no feature",
        feature([[[X, Y], [X + 9, Y], [X, Y]]]),
    ]
    plan, _ = read(geojson(tmp_path / "lod.geojson", *bad, feature([rectangle(X, Y, 330, 264)])))
    assert union_acres(plan) == pytest.approx(2.0, rel=1e-3)
    named = {flag.feature for flag in plan.flags if flag.code in ("feature_empty", "feature_unreadable")}
    assert named == {str(number) for number in range(len(bad))}
    assert plan.layers[0].features == len(bad) + 1
    assert plan.layers[0].set_aside == len(bad)


def test_numbers_beyond_the_earth_do_not_spread(tmp_path):
    wild = feature([[[1e300, 1e300], [1e300, 2e300], [2e300, 1e300], [1e300, 1e300]]])
    geojson(tmp_path / "lod.geojson", feature([rectangle(X, Y, 330, 264)]))
    geojson(tmp_path / "wetlands.geojson", wild, feature([rectangle(X, Y, 330, 264)]))
    plan, _ = read(tmp_path)
    assert [(one.layer, one.id) for one in plan.features] == [("lod.geojson", "0"), ("wetlands.geojson", "1")]
    assert [flag.feature for flag in plan.flags if flag.code == "feature_unreadable"] == ["0"]
    geojson(tmp_path / "lod.geojson", feature([rectangle(X, Y, 330, 264)]), wild)
    with pytest.raises(InputError, match=r"feature 1: it reaches .* too far for one site"):
        read_plan([tmp_path])


def test_many_alike_flags_are_gathered(tmp_path):
    empty = [{"type": "Feature", "properties": {}, "geometry": None}] * 100
    plan, _ = read(geojson(tmp_path / "lod.geojson", *empty, feature([rectangle(X, Y, 9, 9)])))
    found = texts(plan, "feature_empty")
    assert len(found) == 21
    assert found[-1] == "... and 80 more of this kind in this layer"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"type": "Topology", "objects": {}}, "TopoJSON"),
        ({"rings": [], "spatialReference": {}}, "Esri JSON"),
        ({"type": "FeatureCollection"}, "not a list"),
        ({"hello": 1}, "not GeoJSON"),
        ([1, 2], "not GeoJSON"),
    ],
)
def test_other_json_is_refused_by_name(tmp_path, document, message):
    path = tmp_path / "lod.geojson"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=rf"^lod.geojson: .*{message}"):
        read_plan([path])


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[" * 100_000, b"\x00\xff", b'{"type": "FeatureCollection", "features": [1e']
)
def test_broken_json_is_one_clear_line(tmp_path, content):
    path = tmp_path / "lod.geojson"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"^lod.geojson: is (not valid JSON|nested too deeply)"):
        read_plan([path])


def test_lines_of_features_are_read(tmp_path):
    path = tmp_path / "lod.geojsonl"
    ring = rectangle(-87.9, 43.4, 0.001, 0.001)
    path.write_text("\x1e" + json.dumps(feature([ring])) + "\n\x1e" + json.dumps(feature([ring])) + "\n")
    assert len(read(path)[0].features) == 2


@pytest.mark.parametrize(
    ("member", "crs", "ring"),
    [
        ({"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::2289"}}, "EPSG:2289", rectangle(X, Y, 9, 9)),
        ({"type": "EPSG", "properties": {"code": 2289}}, "EPSG:2289", rectangle(X, Y, 9, 9)),
        ({"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}, "WGS 84 (CRS84)",
         rectangle(-87.9, 43.4, 0.001, 0.001)),
        ({"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::4326"}}, "EPSG:4326",
         rectangle(-87.9, 43.4, 0.001, 0.001)),
    ],
)  # fmt: skip
def test_the_crs_member_counts(tmp_path, member, crs, ring):
    path = tmp_path / "lod.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": member, "features": [feature([ring])]}))
    assert read(path)[0].layers[0].crs == crs


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (None, "null"),
        ({"type": "link", "properties": {"href": "http://127.0.0.1:9/crs"}}, "only a link"),
        ({"type": "name", "properties": {}}, "names no coordinate system"),
        ({"type": "name", "properties": {"name": "my feet"}}, "not a coordinate system"),
        ("EPSG:4326", "names no coordinate system"),
    ],
)
def test_a_crs_member_that_says_nothing_is_asked_about(tmp_path, member, message):
    path = tmp_path / "lod.geojson"
    path.write_text(
        json.dumps({"type": "FeatureCollection", "crs": member, "features": [feature([rectangle(X, Y, 9, 9)])]})
    )
    with pytest.raises(CrsError, match=message):
        read_plan([path])


def test_numbers_that_are_no_degrees_are_not_guessed_at(tmp_path):
    path = geojson(tmp_path / "lod.geojson", feature([rectangle(X, Y, 330, 264)]), crs=None)
    with pytest.raises(CrsError, match=r"no `crs` member.*\(2.3e\+06, 400000\) of feature 0"):
        read_plan([path])
    assert union_acres(read(path, assume_crs=CRS)[0]) == pytest.approx(2.0, rel=1e-3)


def test_degrees_under_a_crs_in_feet_are_refused(tmp_path):
    path = geojson(tmp_path / "lod.geojson", feature([rectangle(-87.9, 43.4, 0.001, 0.001)]))
    with pytest.raises(InputError, match=r"look like degrees, but EPSG:2289 counts in units of 0.3048"):
        read_plan([path])


def test_feet_under_a_crs_in_degrees_are_refused(tmp_path):
    path = geojson(tmp_path / "lod.geojson", feature([rectangle(X, Y, 9, 9)]), crs="EPSG:4269")
    with pytest.raises(InputError, match="cannot be degrees"):
        read_plan([path])


@pytest.mark.parametrize("number", [1e300, -1e300, -1e18, 1e12, 1e9])
@pytest.mark.parametrize("name", ["grid", "wetlands", "streams", "contours_existing", "silt_fence"])
@pytest.mark.parametrize("axis", [0, 1])
def test_one_vertex_off_the_earth_sets_its_feature_aside(tmp_path, name, number, axis):
    ring = rectangle(X, Y, 330, 264)
    ring[2] = [number, ring[2][1]] if axis == 0 else [ring[2][0], number]
    geojson(tmp_path / "lod.geojson", feature([rectangle(X, Y, 330, 264)]))
    drawn = ([ring], "Polygon") if name in ("grid", "wetlands") else (ring, "LineString")
    sound = ([rectangle(X, Y, 99, 99)], "Polygon") if drawn[1] == "Polygon" else (rectangle(X, Y, 99, 99), "LineString")
    geojson(tmp_path / f"{name}.geojson", feature(*sound), feature(*sound), feature(*drawn))
    plan, _ = read(tmp_path)
    told = [(flag.layer, flag.feature) for flag in plan.flags if flag.code == "feature_unreadable"]
    assert told == [(f"{name}.geojson", "2")]
    assert {one.id for one in plan.features if one.layer == f"{name}.geojson"} == {"0", "1"}


def test_a_vertex_on_the_earth_and_too_far_for_a_site_is_told(tmp_path):
    ring = rectangle(X, Y, 330, 264)
    geojson(tmp_path / "lod.geojson", feature([ring]))
    for away, told in ((-190_000, []), (-210_000, ["0"])):
        far = [*ring[:2], [X + away, Y], *ring[3:]]
        geojson(tmp_path / "grid.geojson", feature([far]))
        plan, _ = read(tmp_path)
        assert [flag.feature for flag in plan.flags if flag.code == "feature_reaches_far"] == told
        assert len(plan.features) == 2


def test_truncated_coordinates_are_refused(tmp_path):
    path = geojson(tmp_path / "lod.geojson", feature([rectangle(X - 2_000_000, Y - 400_000, 330, 264)]))
    with pytest.raises(InputError, match=r"far outside the area of EPSG:2289.*truncated"):
        read_plan([path])


def test_a_layer_far_away_is_named(tmp_path):
    geojson(tmp_path / "lod.geojson", feature([rectangle(X, Y, 330, 264)]))
    geojson(tmp_path / "wetlands.geojson", feature([rectangle(X - 200_000, Y, 330, 264)]))
    with pytest.raises(InputError, match=r"^wetlands.geojson: it lies 61 km from lod.geojson"):
        read_plan([tmp_path])
    geojson(tmp_path / "wetlands.geojson", feature([rectangle(X - 190_000, Y, 330, 264)]))
    assert len(read(tmp_path)[0].features) == 2


def test_a_disturbed_feature_far_away_is_named_and_another_one_is_set_aside(tmp_path):
    near, far = feature([rectangle(X, Y, 330, 264)]), feature([rectangle(X - 250_000, Y, 330, 264)])
    with pytest.raises(InputError, match=r"lod.geojson / layer lod / feature 2: it reaches 7\d km"):
        read_plan([geojson(tmp_path / "a" / "lod.geojson", near, near, far)])
    geojson(tmp_path / "b" / "lod.geojson", near)
    geojson(tmp_path / "b" / "wetlands.geojson", near, far)
    plan, _ = read(tmp_path / "b")
    assert [one.layer for one in plan.features] == ["lod.geojson", "wetlands.geojson"]
    assert "km from the plan and was set aside" in texts(plan, "feature_unreadable")[0]


def test_several_files_make_one_plan(tmp_path):
    paths = [geojson(tmp_path / f"lod_{n}.geojson", feature([rectangle(X + 200 * n, Y, 132, 132)])) for n in range(3)]
    plan, _ = read(*paths)
    assert union_acres(plan) == pytest.approx(1.2, rel=1e-3)
    assert [source.file for source in plan.sources] == ["lod_0.geojson", "lod_1.geojson", "lod_2.geojson"]


def test_layers_of_one_name_stay_apart(tmp_path):
    for name in ("a", "b"):
        database(tmp_path / name / "plan.gpkg" if (tmp_path / name).mkdir() is None else name, "lod",
                 (polygon(rectangle(X, Y, 330, 264)), {"name": name}))  # fmt: skip
    plan, _ = read(tmp_path)
    assert [layer.label for layer in plan.layers] == ["a/plan.gpkg", "b/plan.gpkg"]
    plan, _ = read(tmp_path / "a" / "plan.gpkg", tmp_path / "b" / "plan.gpkg")
    assert [layer.label for layer in plan.layers] == ["plan.gpkg", "plan.gpkg (2)"]


def test_the_option_outranks_the_manifest_which_outranks_the_name(tmp_path):
    path = geojson(tmp_path / "wetlands.geojson", feature([rectangle(X, Y, 9, 9)]))
    assert read(path)[0].layers[0].role_from == "name"
    (tmp_path / "siteplan.toml").write_text('[roles]\n"WET*" = "site"\n"other" = "road"\n')
    plan, _ = read(path)
    assert (plan.layers[0].role, plan.layers[0].role_from) == ("site", "manifest")
    assert texts(plan, "manifest_role_unmatched") == ["[roles] 'other' in siteplan.toml speaks of no layer of the plan"]
    plan, _ = read(path, roles={"wetlands": "disturbed_area"})
    assert (plan.layers[0].role, plan.layers[0].role_from) == ("disturbed_area", "option")


def test_roles_that_are_wrong_or_speak_of_nothing_are_errors(tmp_path):
    path = geojson(tmp_path / "lod.geojson", feature([rectangle(X, Y, 9, 9)]))
    with pytest.raises(InputError, match="'dirt' is not a role"):
        read_plan([path], roles={"lod": "dirt"})
    with pytest.raises(InputError, match=r"--role LDO: the plan has no such layer; its layers are lod.geojson"):
        read_plan([path], roles={"LDO": "disturbed_area"})
    with pytest.raises(InputError, match="no layer of the plan has a known role"):
        read_plan([path], roles={"lod": "ignore"})


@pytest.mark.parametrize(
    ("name", "role", "told"),
    [("lod_phase2", "ignore", True), ("Disturbed", "vegetation", True), ("lod", "disturbed_area", False), ("trees", "ignore", False)],
)  # fmt: skip
def test_a_manifest_that_takes_a_layer_out_of_the_disturbed_ground_is_told_on(tmp_path, name, role, told):
    geojson(tmp_path / "site.geojson", feature([rectangle(X, Y, 9, 9)]))
    geojson(tmp_path / f"{name}.geojson", feature([rectangle(X, Y, 9, 9)]))
    (tmp_path / "siteplan.toml").write_text(f'[roles]\n"{name}" = "{role}"\n')
    plan, _ = read(tmp_path)
    assert ("role_against_name" in codes(plan)) is told


def test_a_layer_without_a_role_is_flagged_and_needs_no_crs(tmp_path):
    geojson(tmp_path / "lod.geojson", feature([rectangle(X, Y, 9, 9)]))
    shapefile(tmp_path / "mystery", [rectangle(0, 0, 9, 9)])
    plan, _ = read(tmp_path)
    assert [(layer.role, layer.crs) for layer in plan.layers] == [("disturbed_area", CRS), ("", "none")]
    assert "no_role" in codes(plan)


def test_the_manifest_fills_the_plan(tmp_path):
    (tmp_path / "siteplan.toml").write_text(
        '[plan]\nname = "Quarry"\nsubmitted = 2026-05-01\nnone = ["wetland"]\n[stated]\nsite_acres = 2\n'
        '[[sheet]]\nname = "C-1"\n'
    )
    geojson(tmp_path / "lod.geojson", feature([rectangle(X, Y, 9, 9)]))
    plan, _ = read(tmp_path)
    assert (plan.name, plan.submitted, plan.declared_absent) == ("Quarry", date(2026, 5, 1), frozenset({"wetland"}))
    assert (plan.stated.site_acres, plan.sheets[0].name) == (2.0, "C-1")


def test_two_manifests_are_refused(tmp_path):
    for name in ("a", "b"):
        geojson(tmp_path / name / "lod.geojson", feature([rectangle(X, Y, 9, 9)]))
        (tmp_path / name / "siteplan.toml").write_text("")
    with pytest.raises(InputError, match="several manifests"):
        read_plan([tmp_path])
    with pytest.raises(InputError, match="2 manifests"):
        read_plan([tmp_path / "a", tmp_path / "b"])


def test_each_given_file_brings_the_manifest_beside_it(tmp_path):
    paths = [geojson(tmp_path / name / f"{name}.geojson", feature([rectangle(X, Y, 9, 9)])) for name in ("lod", "site")]
    (tmp_path / "site" / "siteplan.toml").write_text('[plan]\nname = "Quarry"\n')
    assert read(*paths)[0].name == "Quarry"
    (tmp_path / "lod" / "siteplan.toml").write_text("")
    with pytest.raises(InputError, match="2 manifests"):
        read_plan(paths)


def test_a_manifest_inside_an_archive_counts(tmp_path):
    folder = tmp_path / "plan"
    geojson(folder / "gis" / "lod.geojson", feature([rectangle(X, Y, 9, 9)]))
    (folder / "siteplan.toml").write_text('[plan]\nname = "Quarry"\n')
    shutil.make_archive(str(tmp_path / "submittal"), "zip", folder)
    (tmp_path / "siteplan.toml").write_text('[plan]\nname = "beside"\n')
    assert read(tmp_path / "submittal.zip")[0].name == "Quarry"


def test_no_path_is_no_plan():
    with pytest.raises(InputError, match="no plan was given"):
        read_plan([])


def test_a_field_that_the_manifest_names_must_be_there(tmp_path):
    (tmp_path / "siteplan.toml").write_text('[layer.contours]\nelevation_field = "HOEHE"\n')
    path = geojson(tmp_path / "contours.geojson", feature([[X, Y], [X + 9, Y]], "LineString", ELEV=700))
    with pytest.raises(
        InputError, match="elevation_field = 'HOEHE', which the layer does not have; its fields are ELEV"
    ):
        read_plan([path])


def contour(tmp_path, *values, crs=CRS, manifest="", field="ELEV", z=None):
    if manifest:
        (tmp_path / "siteplan.toml").write_text(manifest)
    xy = [[X, Y], [X + 90, Y]] if crs == CRS else [[-87.9, 43.4], [-87.9, 43.401]]
    lines = [[point if z is None else [*point, z] for point in xy] for _ in values]
    features = [
        feature(line, "LineString", **({} if value is None else {field: value}))
        for line, value in zip(lines, values, strict=True)
    ]
    plan, _ = read(geojson(tmp_path / "contours.geojson", *features, crs=crs))
    return plan


@pytest.mark.parametrize(
    ("value", "level_ft"),
    [
        (" 702'", 702), ("704.00 ft", 704), ("706 FEET", 706), ("EL 708", 708), ("Elev. = 710.5'", 710.5), ("1,002", 1002),
        ("-3", -3), (702, 702), (702.5, 702.5), ("7.02e2", 702), ("", None), ("n/a", None), ("702-704", None),
        ("702 yards", None), (True, None), ("NaN", None),
    ],
)  # fmt: skip
def test_levels_as_people_write_them(tmp_path, value, level_ft):
    plan = contour(tmp_path, value, 700)
    level = plan.features[0].elevation_m
    assert level is None if level_ft is None else feet(level) == pytest.approx(level_ft, abs=1e-9)
    assert ("contour_elevation_missing" in codes(plan)) == (level_ft is None)


def test_text_in_metres_is_metres(tmp_path):
    assert contour(tmp_path, "200 m").features[0].elevation_m == 200.0


@pytest.mark.parametrize(
    ("crs", "manifest", "field", "metres", "flags"),
    [
        (CRS, "", "ELEV", 0.3048, {"unit_assumed"}),
        (CRS, "[layer.contours]\nelevation_units = 'm'\n", "ELEV", 1.0, set()),
        (CRS, "[layer.contours]\nelevation_units = 'us-ft'\n", "ELEV", 1200 / 3937, set()),
        (CRS, "", "ELEV_M", 1.0, set()),
        ("EPSG:4269", "", "ELEV_FT", 0.3048, set()),
        ("EPSG:4269", "", "ELEV", None, {"contour_elevation_missing"}),
        ("EPSG:4269", "[layer.contours]\nelevation_units = 'ft'\n", "ELEV", 0.3048, set()),
    ],
)
def test_the_unit_of_levels(tmp_path, crs, manifest, field, metres, flags):
    plan = contour(tmp_path, 700, crs=crs, manifest=manifest, field=field)
    level = plan.features[0].elevation_m
    assert level is None if metres is None else level == pytest.approx(700 * metres, abs=1e-12)
    assert codes(plan) & {"unit_assumed", "contour_elevation_missing"} == flags


def test_heights_of_lines_count_where_there_is_no_field(tmp_path):
    assert feet(contour(tmp_path, None, z=702.0).features[0].elevation_m) == pytest.approx(702)
    assert contour(tmp_path, None, z=0.0).features[0].elevation_m is None
    assert contour(tmp_path, None, z=210.0, crs=None).features[0].elevation_m == 210.0


@pytest.mark.parametrize(
    ("start", "end", "days"),
    [
        ("2026-05-01", "2026-06-30", (date(2026, 5, 1), date(2026, 6, 30))),
        ("5/1/2026", "06/30/2026", (date(2026, 5, 1), date(2026, 6, 30))),
        ("2026/05/01", "20260630", (date(2026, 5, 1), date(2026, 6, 30))),
        ("2026-05-01T08:00:00", "2026-13-01", (date(2026, 5, 1), None)),
        ("May", None, (None, None)),
    ],
)
def test_phases_and_days(tmp_path, start, end, days):
    ring = [rectangle(X, Y, 9, 9)]
    plan, _ = read(geojson(tmp_path / "lod.geojson", feature(ring, PHASE=2.0, Start_Date=start, END=end, Name=" a ")))
    one = plan.features[0]
    assert (one.phase, one.name, (one.start, one.end)) == ("2", "a", days)


def test_sources_are_hashed(tmp_path):
    path = geojson(tmp_path / "lod.geojson", feature([rectangle(X, Y, 9, 9)]))
    plan, _ = read(path)
    assert plan.sources[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (plan.sources[0].file, plan.sources[0].crs) == ("lod.geojson", CRS)


def test_reading_twice_gives_the_same(tmp_path):
    for name in ("lod", "streams", "site"):
        geojson(tmp_path / f"{name}.geojson", feature([rectangle(X, Y, 9, 9)]))
    first, second = read(tmp_path)[0], read(tmp_path)[0]
    assert (first.layers, first.flags, first.sources) == (second.layers, second.flags, second.sources)
    assert [layer.file for layer in first.layers] == ["lod.geojson", "site.geojson", "streams.geojson"]


def test_progress_is_told(tmp_path):
    told = []
    path = geojson(tmp_path / "lod.geojson", feature([rectangle(X, Y, 9, 9)]))
    read(path, progress=lambda *step: told.append(step))
    assert told == [("lod.geojson", 0, 1), ("", 1, 1)]


def test_what_is_not_there_or_of_no_kind_is_named(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        read_plan([tmp_path / "nothing.gpkg"])
    (tmp_path / "plan.docx").write_bytes(b"x")
    with pytest.raises(InputError, match=r"plan.docx: is of no kind that is read here"):
        read_plan([tmp_path / "plan.docx"])
    with pytest.raises(InputError, match=r"holds no plan file that can be read.*plan.docx"):
        read_plan([tmp_path])


@pytest.mark.parametrize("suffix", [".shp", ".gpkg", ".fgb", ".geojson", ".kml", ".json"])
def test_a_vrt_behind_another_name_is_refused(tmp_path, suffix):
    (tmp_path / "canary.csv").write_text('WKT,name\n"POLYGON ((0 0, 1 0, 1 1, 0 0))",CANARY-91bd\n')
    vrt = f'<OGRVRTDataSource><OGRVRTLayer name="canary"><SrcDataSource>{tmp_path}/canary.csv</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>'
    path = tmp_path / f"lod{suffix}"
    path.write_text(vrt)
    with pytest.raises(InputError) as caught:
        read_plan([path])
    assert "CANARY" not in str(caught.value)
    assert suffix not in (".shp", ".gpkg", ".fgb") or isinstance(caught.value, HostileInputError)
