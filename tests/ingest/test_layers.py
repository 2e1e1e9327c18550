from __future__ import annotations

import itertools
import json
import shutil
import zipfile
from pathlib import Path

import geopandas
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
from geographiclib.geodesic import Geodesic
from shapely import LineString, MultiPolygon, Point, Polygon, box

from siteplan_gis.crs import georeference
from siteplan_gis.errors import CrsError, HostileInputError, InputError
from siteplan_gis.frame import Frame, frame_around
from siteplan_gis.ingest.reference.airports import airports_near
from siteplan_gis.ingest.reference.catalogue import LayerEntry, Where, entries_from_options
from siteplan_gis.ingest.reference.layers import FARTHEST_SEARCH_M, read_layer
from siteplan_gis.measures.shapes.coverage import uncovered
from siteplan_gis.measures.shapes.proximity import nearby, nearest
from siteplan_gis.measures.territory.jurisdiction import territories
from siteplan_gis.units import FOOT_M, MILE_M, acres

CASES = Path(__file__).resolve().parents[1] / "cases"
UTM17 = georeference("EPSG:26917")
X0, Y0 = 690_000.0, 3_960_000.0
FRAME = frame_around(UTM17.lonlat(np.array([[X0, Y0], [X0 + 100, Y0 + 100]])))
SITE = FRAME.project(box(X0, Y0, X0 + 100, Y0 + 100), UTM17)


def _site(file: Path) -> tuple[Frame, object]:
    data = geopandas.read_file(file)
    source = georeference(data.crs)
    frame = frame_around(source.lonlat(shapely.get_coordinates(data.geometry.values)))
    return frame, frame.project(data.union_all(), source)


def _write(path: Path, shapes, crs="EPSG:26917", driver=None, **columns):
    data = geopandas.GeoDataFrame(columns, geometry=list(shapes), crs=crs)
    data.to_file(path, driver=driver) if driver else data.to_file(path)
    return path


def _moved(shape, dx, dy):
    return shapely.transform(shape, lambda xy: xy + np.array([X0 + dx, Y0 + dy]))


SQUARE = box(0, 0, 50, 50)


def _codes(layer):
    return sorted({flag.code for flag in layer.flags})


# --- the cases -------------------------------------------------------------------------------------------------------


def test_h07_a_mile_is_a_mile_in_a_crs_of_survey_feet():
    frame, site = _site(CASES / "H07" / "site.shp")
    layer = read_layer(LayerEntry(CASES / "H07" / "waters.shp", "waters"), frame, site, MILE_M)
    assert [feature.name for feature in nearby(site, layer.features, MILE_M)] == ["pond_3000", "pond_4660"]
    # The one 20 ft beyond is known too, since a map's accuracy might bring it within.
    by_name = {feature.name: feature.distance_m / FOOT_M for feature in nearby(site, layer.features, 2 * MILE_M)}
    assert by_name["pond_3000"] == pytest.approx(3000, abs=2)
    assert by_name["pond_5300"] == pytest.approx(5300, abs=2)


def test_h45_a_wetland_cut_at_a_tile_edge_and_delivered_twice_is_one():
    frame, site = _site(CASES / "H45" / "site.gpkg")
    layer = read_layer(LayerEntry(CASES / "H45" / "wetlands.gpkg", "wetlands"), frame, site, MILE_M)
    found = nearby(site, layer.features, MILE_M)
    assert len(found) == 2
    area = shapely.union_all([feature.geometry for feature in found]).area
    assert acres(area) == pytest.approx(3.212369959073149, rel=0.002)
    assert nearest(site, layer.features).distance_m == pytest.approx(200, abs=0.5)
    assert "duplicate_features_merged" in _codes(layer)


@pytest.mark.parametrize("declared", [True, False])
def test_h46_a_layer_that_ends_inside_the_mile_leaves_ground_uncovered(declared):
    frame, site = _site(CASES / "H46" / "site.gpkg")
    options = [("waters", CASES / "H46" / "waters.gpkg"), ("waters_coverage", CASES / "H46" / "waters_extent.gpkg")]
    (entry,) = entries_from_options(options[: 1 + declared])
    layer = read_layer(entry, frame, site, MILE_M)
    assert nearby(site, layer.features, MILE_M) == ()
    assert layer.coverage_declared is declared
    assert ("coverage_not_declared" in _codes(layer)) is not declared
    gap = uncovered(site.buffer(MILE_M), [layer.coverage], noise_m=1.0)
    assert gap is not None
    # The declared footprint ends 50 m east of the site's west edge; the mile reaches to 1,709 m.
    for east, known in ((49.9, True), (50.1, False), (1_700, False)):
        point = frame.project(Point(X0 + east, Y0 + 50), UTM17)
        assert gap.contains(point) is not (known and declared)


# --- formats ---------------------------------------------------------------------------------------------------------


PONDS = [_moved(SQUARE, 300, 0), _moved(SQUARE, 30_000, 0)]


def _gpkg(folder):
    return _write(folder / "w.gpkg", PONDS, name=["near", "far"])


def _geojson(folder):
    data = geopandas.GeoDataFrame({"name": ["near", "far"]}, geometry=PONDS, crs="EPSG:26917").to_crs(4326)
    data.to_file(folder / "w.geojson", driver="GeoJSON", COORDINATE_PRECISION=9)
    return folder / "w.geojson"


def _shp(folder):
    return _write(folder / "w.shp", PONDS, name=["near", "far"])


def _zip(folder):
    _shp(folder)
    with zipfile.ZipFile(folder / "w.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for part in ("shp", "shx", "dbf", "prj"):
            archive.write(folder / f"w.{part}", f"Data Set/GIS/w.{part}")
            archive.writestr(f"__MACOSX/Data Set/GIS/._w.{part}", b"mac")
    return folder / "w.zip"


def _gdb(folder):
    return _write(folder / "w.gdb", PONDS, driver="OpenFileGDB", name=["near", "far"])


def _zipped_gdb(folder):
    _gdb(folder)
    shutil.make_archive(str(folder / "ParksGDB"), "zip", folder, "w.gdb")
    return folder / "ParksGDB.zip"


def _fgb(folder):
    return _write(folder / "w.fgb", PONDS, driver="FlatGeobuf", name=["near", "far"])


def _parquet(folder, **kwargs):
    data = geopandas.GeoDataFrame({"name": ["near", "far"]}, geometry=PONDS, crs="EPSG:26917")
    data.to_parquet(folder / "w.parquet", **kwargs)
    return folder / "w.parquet"


def _parquet_with_boxes(folder):
    return _parquet(folder, write_covering_bbox=True, schema_version="1.1.0", row_group_size=1)


@pytest.mark.parametrize("make", [_gpkg, _geojson, _shp, _zip, _gdb, _zipped_gdb, _fgb, _parquet, _parquet_with_boxes])
def test_every_format_gives_the_same_pond(tmp_path, make):
    layer = read_layer(LayerEntry(make(tmp_path), "waters"), FRAME, SITE, MILE_M)
    (pond,) = layer.features
    assert pond.name == "near"
    # UTM's scale at the site shortens 200 m on the map to the ground's.
    scale = _ground_metres_per_utm_metre()
    assert shapely.distance(pond.geometry, SITE) == pytest.approx(200 * scale, abs=0.002)
    assert pond.geometry.area == pytest.approx(2500 * scale**2, rel=1e-4)
    assert layer.source.file == make(tmp_path).name
    assert len(layer.source.sha256) in {0, 64}


def _ground_metres_per_utm_metre() -> float:
    (lon, lat), (lon2, lat2) = UTM17.lonlat(np.array([[X0 + 100, Y0 + 25], [X0 + 300, Y0 + 25]]))
    return Geodesic(6_378_137.0, 1 / 298.257222101).Inverse(lat, lon, lat2, lon2)["s12"] / 200


def test_parquet_without_crs_member_is_longitude_and_latitude(tmp_path):
    file = _parquet(tmp_path)
    table = pq.read_table(file)
    geo = json.loads(table.schema.metadata[b"geo"])
    lonlat = geopandas.GeoSeries(PONDS, crs="EPSG:26917").to_crs(4326)
    geo["columns"]["geometry"] = {"encoding": "WKB", "geometry_types": []}
    table = pa.table({"name": ["near", "far"], "geometry": lonlat.to_wkb().tolist()})
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), file)
    layer = read_layer(LayerEntry(file, "waters"), FRAME, SITE, MILE_M)
    assert [feature.name for feature in layer.features] == ["near"]
    geo["columns"]["geometry"]["crs"] = None
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), file)
    with pytest.raises(CrsError):
        read_layer(LayerEntry(file, "waters"), FRAME, SITE, MILE_M)


VRT = (
    '<OGRVRTDataSource><OGRVRTLayer name="x"><SrcDataSource>secret.csv</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>'
)


@pytest.mark.parametrize("name", ["w.geojson", "w.json", "w.gpkg", "w.shp", "w.fgb", "w.parquet", "w.zip"])
def test_a_virtual_dataset_under_another_name_is_refused(tmp_path, name):
    (tmp_path / name).write_text(VRT)
    with pytest.raises(HostileInputError, match="content"):
        read_layer(LayerEntry(tmp_path / name, "waters"), FRAME, SITE, MILE_M)


def test_other_kinds_of_file_and_missing_ones_are_refused(tmp_path):
    (tmp_path / "w.vrt").write_text(VRT)
    (tmp_path / "w.gdb").mkdir()
    for name, told in (("w.vrt", "no reference layer"), ("w.gdb", "no file geodatabase"), ("none.shp", "no such file")):
        with pytest.raises(InputError, match=told):
            read_layer(LayerEntry(tmp_path / name, "waters"), FRAME, SITE, MILE_M)


def test_a_layer_is_asked_for_where_there_are_several(tmp_path):
    file = tmp_path / "several.gpkg"
    for layer in ("lakes", "streams"):
        data = geopandas.GeoDataFrame({"name": [layer]}, geometry=PONDS[:1], crs="EPSG:26917")
        data.to_file(file, layer=layer)
    with pytest.raises(InputError, match="2 layers: lakes, streams"):
        read_layer(LayerEntry(file, "waters"), FRAME, SITE, MILE_M)
    with pytest.raises(InputError, match="no layer 'ponds'"):
        read_layer(LayerEntry(file, "waters", "ponds"), FRAME, SITE, MILE_M)
    assert read_layer(LayerEntry(file, "waters", "streams"), FRAME, SITE, MILE_M).features[0].name == "streams"


def test_no_crs_no_layer_unless_the_catalogue_gives_one(tmp_path):
    file = _shp(tmp_path)
    file.with_suffix(".prj").unlink()
    with pytest.raises(CrsError, match=r"w\.shp.*no coordinate system"):
        read_layer(LayerEntry(file, "waters"), FRAME, SITE, MILE_M)
    layer = read_layer(LayerEntry(file, "waters", crs="EPSG:26917"), FRAME, SITE, MILE_M)
    assert len(layer.features) == 1
    assert "crs_assumed" in _codes(layer)


def test_a_missing_field_is_named(tmp_path):
    with pytest.raises(InputError, match=r"no field 'HYDROID'.*it has name"):
        read_layer(LayerEntry(_gpkg(tmp_path), "waters", id_field="HYDROID"), FRAME, SITE, MILE_M)
    entry = LayerEntry(tmp_path / "w.gpkg", "waters", where=Where("FTYPE", ("460",)))
    with pytest.raises(InputError, match="no field 'FTYPE'"):
        read_layer(entry, FRAME, SITE, MILE_M)


def test_a_filter_chooses_rows_by_value(tmp_path):
    shapes = [_moved(SQUARE, 300 + 100 * i, 0) for i in range(4)]
    file = _write(tmp_path / "w.gpkg", shapes, HYDROTYPE=[508, 706, 508, 900], name=list("abcd"))
    entry = LayerEntry(file, "waters", where=Where("hydrotype", ("508",)))
    assert [feature.name for feature in read_layer(entry, FRAME, SITE, MILE_M).features] == ["a", "c"]
    entry = LayerEntry(file, "waters", where=Where("HYDROTYPE", none_of=("508", "900")))
    assert [feature.name for feature in read_layer(entry, FRAME, SITE, MILE_M).features] == ["b"]


# --- each thing once -------------------------------------------------------------------------------------------------


def _read(path, role="waters", **kwargs):
    return read_layer(LayerEntry(path, role, **kwargs), FRAME, SITE, MILE_M)


LEFT, RIGHT = _moved(box(0, 0, 50, 50), 300, 0), _moved(box(50, 0, 100, 50), 300, 0)


@pytest.mark.parametrize(
    ("shapes", "columns", "count"),
    [
        ([LEFT, RIGHT], {"ATTRIBUTE": ["PEM1C", "PEM1C"]}, 1),
        ([LEFT, RIGHT], {"ATTRIBUTE": ["PEM1C", "PFO1A"]}, 2),
        ([LEFT, RIGHT], {"ATTRIBUTE": ["PEM1C", "PEM1C"], "GLOBALID": ["a", "b"]}, 1),
        # A corner is no edge.
        ([LEFT, _moved(box(50, 50, 100, 100), 300, 0)], {"ATTRIBUTE": ["PEM1C", "PEM1C"]}, 2),
        # A hair between the tiles, and a gap that is one.
        ([LEFT, _moved(box(50.02, 0, 100, 50), 300, 0)], {"ATTRIBUTE": ["PEM1C", "PEM1C"]}, 1),
        ([LEFT, _moved(box(50.5, 0, 100, 50), 300, 0)], {"ATTRIBUTE": ["PEM1C", "PEM1C"]}, 2),
        # Tiles with a common strip.
        ([_moved(box(0, 0, 60, 50), 300, 0), RIGHT], {"ATTRIBUTE": ["PEM1C", "PEM1C"]}, 1),
        # Three in a row, given out of order.
        ([LEFT, _moved(box(100, 0, 150, 50), 300, 0), RIGHT], {"ATTRIBUTE": ["PEM1C"] * 3}, 1),
        # The same polygon with its ring begun elsewhere and turned round.
        ([LEFT, Polygon(list(LEFT.exterior.coords)[:-1][::-1])], {"ATTRIBUTE": ["PEM1C"] * 2}, 1),
        # Far apart, but one by its permanent id.
        ([LEFT, _moved(box(0, 500, 50, 550), 300, 0)], {"ATTRIBUTE": ["PEM1C"] * 2, "NWI_ID": ["7", "7"]}, 1),
        # A row number that repeats from tile to tile is no identity.
        ([LEFT, _moved(box(0, 500, 50, 550), 300, 0)], {"ATTRIBUTE": ["PEM1C"] * 2, "OBJECTID": [7, 7]}, 2),
    ],
)  # fmt: skip
def test_wetland_pieces(tmp_path, shapes, columns, count):
    layer = _read(_write(tmp_path / "w.gpkg", shapes, **columns), "wetlands")
    assert len(layer.features) == count
    assert ("duplicate_features_merged" in _codes(layer)) is (count < len(shapes))
    assert len({feature.id for feature in layer.features}) == count
    ground = shapely.union_all([feature.geometry for feature in layer.features]).area
    assert ground == pytest.approx(shapely.union_all(shapes).area * _ground_metres_per_utm_metre() ** 2, rel=1e-3)


def test_two_lakes_with_their_own_ids_stay_two(tmp_path):
    file = _write(tmp_path / "w.gpkg", [LEFT, RIGHT], FCODE=[39004, 39004], COMID=[1, 2])
    assert len(_read(file).features) == 2
    file = _write(tmp_path / "v.gpkg", [LEFT, RIGHT], FCODE=[39004, 39004])
    assert len(_read(file).features) == 1


def test_parcels_are_never_put_together(tmp_path):
    file = _write(tmp_path / "p.gpkg", [LEFT, RIGHT, LEFT], OBJECTID=[1, 2, 3])
    assert len(_read(file, "parcels").features) == 3


def test_a_line_keeps_its_direction_when_pieces_are_put_together(tmp_path):
    start, middle, end = (X0 + 300, Y0), (X0 + 400, Y0 + 10), (X0 + 500, Y0)
    file = _write(tmp_path / "f.gpkg", [LineString([middle, end]), LineString([start, middle])], COMID=[5, 5])
    (line,) = _read(file, "flowlines").features
    first, last = (FRAME.unproject(Point(line.geometry.coords[i]), UTM17) for i in (0, -1))
    assert first.distance(Point(start)) < 0.002
    assert last.distance(Point(end)) < 0.002


# --- geometry --------------------------------------------------------------------------------------------------------


LOBES = [(0, 0), (100, 100), (100, 0), (0, 100)]


@pytest.mark.parametrize(
    ("drawn", "area"),
    [
        (Polygon(LOBES), 5_000),
        # A corner of the ring lies on the crossing.
        (Polygon([(0, 0), (50, 50), (100, 100), (100, 0), (50, 50), (0, 100)]), 5_000),
        # Long edges, which are divided on their way into the frame.
        (Polygon([(x * 10, y * 10) for x, y in LOBES]), 500_000),
        # Parts that overlap, a hole that pokes out, a hole drawn twice, a spike.
        (MultiPolygon([box(0, 0, 100, 100), box(50, 0, 150, 100)]), 15_000),
        (Polygon(box(0, 0, 100, 100).exterior, [box(50, 25, 150, 75).exterior]), 7_500),
        (Polygon(box(0, 0, 100, 100).exterior, [box(20, 20, 60, 60).exterior] * 2), 8_400),
        (Polygon([(0, 0), (100, 0), (100, 100), (0, 100), (0, 0), (-50, 0), (0, 0)]), 10_000),
    ],
)
def test_invalid_polygons_keep_their_ground(tmp_path, drawn, area):
    assert not drawn.is_valid
    layer = _read(_write(tmp_path / "w.gpkg", [_moved(drawn, 300, 0)], name=["x"]))
    (pond,) = layer.features
    assert pond.geometry.is_valid
    assert pond.geometry.area == pytest.approx(area * _ground_metres_per_utm_metre() ** 2, rel=1e-3)
    assert "geometry_repaired" in _codes(layer)


def test_a_line_of_one_point_is_set_aside(tmp_path):
    lines = [LineString([(X0 + 300, Y0), (X0 + 300, Y0)]), LineString([(X0 + 300, Y0), (X0 + 400, Y0)])]
    layer = _read(_write(tmp_path / "w.gpkg", lines, name=["dot", "line"]))
    assert [feature.name for feature in layer.features] == ["line"]
    assert "feature_empty" in _codes(layer)


def test_heights_that_are_no_numbers_do_no_harm(tmp_path):
    ring = [(x, y, z) for (x, y), z in zip(LEFT.exterior.coords, [np.nan, -9999, 1, 2, np.nan], strict=True)]
    wkb = shapely.to_wkb(shapely.polygons(shapely.linearrings(np.array(ring))), output_dimension=3)
    data = geopandas.GeoDataFrame({"name": ["z"]}, geometry=geopandas.GeoSeries.from_wkb([wkb]), crs="EPSG:26917")
    data.to_file(tmp_path / "w.gpkg")
    (pond,) = _read(tmp_path / "w.gpkg").features
    assert not pond.geometry.has_z
    assert pond.geometry.area == pytest.approx(2500, rel=1e-3)


def test_features_without_geometry_are_counted(tmp_path):
    data = geopandas.GeoDataFrame({"name": ["a", "b"]}, geometry=[LEFT, None], crs="EPSG:26917")
    data.to_parquet(tmp_path / "w.parquet")
    layer = _read(tmp_path / "w.parquet")
    assert [feature.name for feature in layer.features] == ["a"]


def test_text_in_another_encoding_is_read(tmp_path):
    file = _write(tmp_path / "w.shp", PONDS, name=["near", "far"])
    table = (tmp_path / "w.dbf").read_bytes().replace(b"near", b"Pe\xf1a")
    (tmp_path / "w.dbf").write_bytes(table)
    layer = _read(file)
    assert layer.features[0].name in {"Peña", "Pe�a"}


def test_kinds_names_and_codes_come_from_the_data(tmp_path):
    shapes = [_moved(SQUARE, 300 + 100 * i, 0) for i in range(4)]
    file = _write(
        tmp_path / "w.gpkg", shapes, FCODE=[39004, 46600, 55800, 46003],
        GNIS_NAME=["Mud Lake   ", "None", None, "Unnamed"], Permanent_Identifier=["a", "b", "c", "d"],
    )  # fmt: skip
    layer = _read(file)
    assert [(one.id, one.name, one.kind, one.code) for one in layer.features] == [
        ("a", "Mud Lake", "lake", "39004"),
        ("b", "", "wetland", "46600"),
        ("c", "", "artificial_path", "55800"),
        ("d", "", "intermittent_stream", "46003"),
    ]
    assert "wetlands_in_waters_layer" in _codes(layer)


def test_wetland_maps_tell_points_filled_ground_and_deep_water(tmp_path):
    file = _write(tmp_path / "w.gpkg", [PONDS[0], _moved(SQUARE, 500, 0)], ATTRIBUTE=["R2UBH", "PEM1C"])
    layer = _read(file, "wetlands")
    assert "waters_in_wetlands_layer" in _codes(layer)
    filled = _write(tmp_path / "WWI_Filled_Areas.gpkg", PONDS[:1], WETCODE=["E1K"])
    layer = _read(filled, "wetlands")
    assert [feature.kind for feature in layer.features] == ["filled_wetland"]
    assert "layer_kinds_not_counted" in _codes(layer)
    points = _write(tmp_path / "pts.gpkg", [Point(X0 + 300, Y0)], WETCODE=["E1K"])
    assert [feature.kind for feature in _read(points, "wetlands").features] == ["wetland_point"]


@pytest.mark.parametrize("crs", ["EPSG:2264", "EPSG:26917", "EPSG:3857", "EPSG:4269", "EPSG:5070", "EPSG:3358"])
def test_the_crs_of_a_file_changes_nothing(tmp_path, crs):
    source = georeference(crs)
    lonlat = UTM17.lonlat
    shapes = [_moved(SQUARE, 1_650, 30), LineString([(X0 + 300, Y0 - 50), (X0 + 340, Y0 - 90)])]
    stored = [shapely.transform(shape, lambda xy: source.xy(lonlat(xy))) for shape in shapes]
    layer = _read(_write(tmp_path / "w.fgb", stored, crs=crs, driver="FlatGeobuf", name=["pond", "ditch"]))
    truth = [FRAME.project(shape, UTM17).distance(SITE) for shape in shapes]
    found = {feature.name: feature.distance_m for feature in nearby(SITE, layer.features, MILE_M)}
    assert found == pytest.approx({"pond": truth[0], "ditch": truth[1]}, abs=0.001)
    assert layer.source.crs == crs


def test_a_crs_that_does_not_reach_the_site_finds_nothing(tmp_path):
    file = _write(tmp_path / "w.gpkg", [box(0, 0, 100, 100)], crs="EPSG:32660", name=["far"])
    assert _read(file).features == ()


# --- how far is looked -----------------------------------------------------------------------------------------------


def test_the_nearest_is_found_beyond_the_mile(tmp_path):
    shapes = [_moved(SQUARE, 5_000, 0), _moved(SQUARE, 30_000, 0)]
    layer = _read(_write(tmp_path / "w.gpkg", shapes, name=["near", "far"]))
    found = nearest(SITE, layer.features)
    assert found.name == "near"
    assert layer.window.bounds[2] - SITE.bounds[2] >= found.distance_m
    layer = _read(_write(tmp_path / "v.gpkg", shapes[1:], name=["far"]))
    assert layer.features == ()
    assert layer.window.bounds[2] - SITE.bounds[2] == pytest.approx(FARTHEST_SEARCH_M)


def test_a_feature_in_a_corner_does_not_hide_a_nearer_one_outside_a_side(tmp_path):
    corner, side = _moved(SQUARE, 1_790, 1_790), _moved(SQUARE, 1_950, 0)
    layer = _read(_write(tmp_path / "w.gpkg", [corner, side], name=["corner", "side"]))
    assert nearest(SITE, layer.features).name == "side"


def test_kinds_that_are_no_waters_do_not_end_the_search(tmp_path):
    shapes = [_moved(SQUARE, 300, 0), _moved(SQUARE, 3_000, 0)]
    layer = _read(_write(tmp_path / "w.gpkg", shapes, FCODE=[33400, 46006]))
    assert {feature.kind for feature in layer.features} == {"connector", "river"}


def test_only_what_meets_the_window_is_given(tmp_path):
    # The bounds of an L meet the window, its ground does not.
    west, north = -3_000, 3_000
    ell = _moved(Polygon([(west, -3_000), (west + 10, -3_000), (west + 10, north - 10), (3_000, north - 10),
                          (3_000, north), (west, north)]), 0, 0)  # fmt: skip
    layer = _read(_write(tmp_path / "w.gpkg", [ell, PONDS[0]], name=["ell", "pond"]))
    assert [feature.name for feature in layer.features] == ["pond"]


def test_a_layer_across_180_degrees(tmp_path):
    frame = Frame(180.0, 52.0)
    site = box(-50, -50, 50, 50)
    lonlat = georeference("OGC:CRS84")
    shapes = [frame.unproject(box(x, 0, x + 50, 50)) for x in (-400, 300)]
    turned = [shapely.transform(shape, lambda xy: np.column_stack([(xy[:, 0] + 180) % 360 - 180, xy[:, 1]]))
              for shape in shapes]  # fmt: skip
    file = _write(tmp_path / "w.gpkg", turned, crs="EPSG:4326", name=["west", "east"])
    layer = read_layer(LayerEntry(file, "waters"), frame, site, MILE_M)
    assert sorted(feature.name for feature in layer.features) == ["east", "west"]
    assert [feature.distance_m for feature in nearby(site, layer.features, MILE_M)] == pytest.approx(
        [250, 300], abs=0.01
    )
    assert lonlat.metres_per_unit is None


# --- coverage --------------------------------------------------------------------------------------------------------


def test_a_layer_far_away_covers_nothing(tmp_path):
    layer = _read(_write(tmp_path / "w.gpkg", [_moved(SQUARE, 500_000, 0)], name=["far"]))
    assert layer.features == ()
    assert layer.coverage.area == 0


def test_a_national_extent_covers_the_window(tmp_path):
    shapes = [Point(-125, 25), Point(-66, 49)]
    layer = _read(_write(tmp_path / "w.gpkg", shapes, crs="EPSG:4269", name=["a", "b"]))
    assert layer.coverage.area == pytest.approx(layer.window.area, rel=1e-9)


def test_declared_coverage_as_extent_and_as_a_box(tmp_path):
    file = _gpkg(tmp_path)
    layer = _read(file, coverage="extent")
    assert layer.coverage_declared
    assert "coverage_not_declared" not in _codes(layer)
    box_degrees = (FRAME.longitude - 1, FRAME.latitude - 1, FRAME.longitude + 1, FRAME.latitude)
    layer = _read(file, coverage=box_degrees)
    assert uncovered(SITE, [layer.coverage], 1.0) is not None
    assert uncovered(SITE, [_read(file, coverage=(-180, -80, 180, 80)).coverage], 1.0) is None


def test_an_empty_layer_is_flagged(tmp_path):
    data = geopandas.GeoDataFrame({"name": []}, geometry=[], crs="EPSG:26917")
    data.to_file(tmp_path / "w.gpkg", geometry_type="Polygon")
    layer = _read(tmp_path / "w.gpkg")
    assert layer.features == ()
    assert layer.coverage.is_empty
    assert "layer_empty" in _codes(layer)


# --- municipalities and airports -------------------------------------------------------------------------------------


def test_a_satellite_in_the_window_brings_its_main_part_along(tmp_path):
    satellite, main = _moved(SQUARE, 300, 0), _moved(box(0, 0, 2_000, 2_000), 20_000, 0)
    namesake = _moved(box(0, 0, 3_000, 3_000), 40_000, 0)
    file = _write(tmp_path / "m.gpkg", [satellite, main, namesake], MCD_NAME=["Alpha"] * 3, CTV=["V", "V", "T"])
    layer = _read(file, "municipalities")
    assert sorted(feature.geometry.area for feature in layer.features) == pytest.approx([2_500, 4e6], rel=1e-3)
    assert {feature.kind for feature in layer.features} == {"village"}
    # Where the kind is not told, a part may still be a satellite.
    file = _write(tmp_path / "n.gpkg", [satellite, main], NAME=["Alpha", "Alpha"])
    assert len(_read(file, "municipalities").features) == 2


def test_h50_a_reach_that_the_map_states_is_read_with_it():
    layer = read_layer(LayerEntry(CASES / "H50" / "municipalities.gpkg", "municipalities"), *_h50())
    assert [(place.name, place.kind, place.code) for place in layer.features] == [
        ("Alpha City", "city", "reach_m=1609.344"),
        ("Beta Town", "incorporated_town", "reach_m=0.0"),
    ]
    (etj,) = [one.etj for one in territories(layer.window, layer.features) if one.municipality == "Alpha City"]
    assert acres(etj.area) == pytest.approx(7130.619298297468, rel=1e-3)


def _h50():
    sites = geopandas.read_file(CASES / "H50" / "sites.gpkg")
    source = georeference(sites.crs)
    frame = frame_around(source.lonlat(shapely.get_coordinates(sites.geometry.values)))
    return frame, frame.project(sites.union_all(), source), MILE_M


def test_designated_places_are_left_out(tmp_path):
    file = _write(tmp_path / "m.gpkg", [*PONDS[:1], RIGHT], NAMELSAD=["Alpha CDP", "Beta village"])
    layer = _read(file, "municipalities")
    assert [(feature.name, feature.kind) for feature in layer.features] == [("Beta", "village")]
    assert "layer_kinds_not_counted" in _codes(layer)


def test_airports_are_where_the_sphere_says():
    frame = Frame(-88.4036, 42.7868)
    layer = airports_near(frame, 16_093.44)
    east_troy = next(feature for feature in layer.features if feature.id == "57C")
    lon, lat = frame.to_lonlat(shapely.get_coordinates(east_troy.geometry))[0]
    true_m = Geodesic.WGS84.Inverse(frame.latitude, frame.longitude, lat, lon)["s12"]
    assert east_troy.geometry.distance(Point(0, 0)) == pytest.approx(true_m, abs=0.01)
    assert 2_500 < true_m < 3_000
    assert all(feature.geometry.distance(Point(0, 0)) <= 16_093.44 for feature in layer.features)
    with pytest.raises(ValueError, match="true to"):
        airports_near(frame, 60_001)


def test_no_airport_is_lost_at_the_rim():
    frame = Frame(-88.4036, 42.7868)
    wide = airports_near(frame, 50_000)
    for radius, (a, b) in itertools.product((5_000, 20_000), [(0, 1)]):
        inner = {feature.id for feature in airports_near(frame, radius).features}
        assert inner == {one.id for one in wide.features if one.geometry.distance(Point(a, b - 1)) <= radius}


def test_multipolygons_stay_one_feature(tmp_path):
    lake = MultiPolygon([_moved(SQUARE, 300, 0), _moved(SQUARE, 300, 200)])
    layer = _read(_write(tmp_path / "w.gpkg", [lake], name=["lake"]))
    assert len(layer.features) == 1


@pytest.mark.parametrize("name", ["places.json", "places.geojson"])
def test_topojson_is_refused_whatever_its_name(tmp_path, name):
    # Its arcs are quantised and simplified, and it names no coordinate system.
    topology = {
        "type": "Topology",
        "objects": {"places": {"type": "GeometryCollection", "geometries": [{"type": "Polygon", "arcs": [[0]]}]}},
        "arcs": [[[-88.0, 43.0], [-87.9, 43.0], [-87.9, 43.1], [-88.0, 43.0]]],
    }
    (tmp_path / name).write_text(json.dumps(topology))
    with pytest.raises(HostileInputError, match="the content is TopoJSON"):
        read_layer(LayerEntry(tmp_path / name, "municipalities"), FRAME, SITE, MILE_M)
