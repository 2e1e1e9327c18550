"""Shapefiles, databases and KML as they come from offices: parts missing, odd names, odd bytes, odd nesting."""

import contextlib
import os
import shutil
import sqlite3
import sys
import zipfile
from pathlib import Path

import pytest
import shapely

from siteplan_gis.errors import HostileInputError, InputError
from siteplan_gis.ingest.plan.vectors import inspect_plan, read_plan
from siteplan_gis.units import acres

sys.path.insert(0, str(Path(__file__).parent))
from plans import CRS, X, Y, database, feature, geojson, polygon, rectangle, shapefile

CASES = Path(__file__).parents[1] / "cases"
DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
LON, LAT = -87.9, 43.4
RING = rectangle(X, Y, 330, 264)


def union_acres(plan):
    return acres(shapely.union_all([one.geometry for one in plan.of("disturbed_area")]).area)


def codes(plan):
    return {flag.code for flag in plan.flags}


def texts(plan, code):
    return [flag.text for flag in plan.flags if flag.code == code]


def folder_of_h76(tmp_path):
    with zipfile.ZipFile(CASES / "H76" / "submittal.zip") as archive:
        for suffix in ("SHP", "SHX", "DBF", "PRJ"):
            (tmp_path / f"LOD.{suffix}").write_bytes(archive.read(f"Plan Set/GIS/LOD.{suffix}"))
    return tmp_path


@pytest.mark.parametrize(
    "names",
    [
        {"SHP": "LOD.shp", "SHX": "LOD.shx", "DBF": "LOD.dbf", "PRJ": "LOD.prj"},
        {"SHP": "LOD.shp", "SHX": "LOD.SHX", "DBF": "lod.dbf", "PRJ": "Lod.Prj"},
        {"SHP": "LOD.Shp", "SHX": "LOD.shx", "DBF": "LOD.DBF", "PRJ": "LOD.PRJ"},
    ],
)
def test_the_case_of_names_does_not_matter(tmp_path, names):
    folder_of_h76(tmp_path)
    for suffix, name in names.items():
        (tmp_path / f"LOD.{suffix}").rename(tmp_path / f"moving.{suffix}")
        (tmp_path / f"moving.{suffix}").rename(tmp_path / name)
    before = sorted(os.listdir(tmp_path))  # noqa: PTH208
    plan, _ = read_plan([tmp_path])
    assert union_acres(plan) == pytest.approx(2.0, rel=1e-3)
    assert plan.layers[0].crs == "EPSG:2264"
    assert plan.features[0].name == "LOD"
    assert sorted(os.listdir(tmp_path)) == before  # noqa: PTH208


@pytest.mark.parametrize(("missing", "word"), [("SHX", "index"), ("DBF", "no attributes")])
def test_a_missing_part_is_said_and_the_rest_is_read(tmp_path, missing, word):
    (folder_of_h76(tmp_path) / f"LOD.{missing}").unlink()
    plan, _ = read_plan([tmp_path])
    assert union_acres(plan) == pytest.approx(2.0, rel=1e-3)
    assert word in texts(plan, "file_part_missing")[0]
    assert len(os.listdir(tmp_path)) == 3  # noqa: PTH208  (no .shx was written beside the plan)


def test_parts_without_their_shapes_are_named(tmp_path):
    (folder_of_h76(tmp_path) / "LOD.SHP").rename(tmp_path / "LOD.SHP.bak")
    with pytest.raises(InputError, match=r"its shapes are missing"):
        read_plan([tmp_path])


def test_a_prj_that_proj_cannot_carry_out_is_named(tmp_path):
    prj = folder_of_h76(tmp_path) / "LOD.PRJ"
    prj.write_text(prj.read_text().replace('"Latitude_Of_Origin",33.75', '"Latitude_Of_Origin",1e99'))
    assert "1e99" in prj.read_text()
    with pytest.raises(InputError, match=r"^LOD.SHP: "):
        read_plan([tmp_path])


def test_an_unreadable_prj_is_no_crs(tmp_path):
    (folder_of_h76(tmp_path) / "LOD.PRJ").write_text("GEOGCS[nonsense")
    with pytest.raises(InputError, match=r"LOD.SHP: the coordinate system in LOD.PRJ cannot be read"):
        read_plan([tmp_path])


@pytest.mark.parametrize(
    ("codec", "cpg", "name", "replaced"),
    [
        ("cp1252", None, "Peña \N{EN DASH} Río", False),
        ("utf-8", None, "Peña \N{EN DASH} Río", False),
        ("utf-8", "UTF-8", "Peña \N{EN DASH} Río", False),
        ("cp1252", "ANSI 1252", "Peña \N{EN DASH} Río", False),
        ("cp437", "437", "Peña", False),
        ("iso8859-1", "88591", "Peña", False),
        ("cp1252", "UTF-8", "Peña", True),
        ("cp1252", "\x00\x01", "Peña", False),
    ],
)
def test_text_in_any_code_page(tmp_path, codec, cpg, name, replaced):
    for suffix in ("shp", "shx", "prj"):
        shutil.copy(CASES / "H74" / f"sitio.{suffix}", tmp_path / f"lod.{suffix}")
    table = bytearray((CASES / "H74" / "sitio.dbf").read_bytes())
    start = int.from_bytes(table[8:10], "little") + 1
    table[start : start + 40] = name.encode(codec).ljust(40)
    (tmp_path / "lod.dbf").write_bytes(table)
    if cpg:
        (tmp_path / "lod.cpg").write_text(cpg)
    plan, _ = read_plan([tmp_path / "lod.shp"])
    assert plan.features[0].name == (name.replace("ñ", "�") if replaced else name)
    assert ("attribute_text_replaced" in codes(plan)) == replaced


def test_text_in_a_geopackage_is_utf_8(tmp_path):
    path = database(tmp_path / "lod.gpkg", "lod", (polygon(RING), {"name": "Peña \N{EN DASH} 河"}))
    assert read_plan([path])[0].features[0].name == "Peña \N{EN DASH} 河"


def test_text_in_a_geopackage_that_is_not_utf_8_is_said(tmp_path):
    path = database(tmp_path / "lod.gpkg", "lod", (polygon(RING), {"name": "Pena"}))
    with contextlib.closing(sqlite3.connect(path)) as opened:
        for (trigger,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            opened.execute(f'DROP TRIGGER "{trigger}"')
        opened.execute("UPDATE lod SET name = CAST(x'5065f161' AS TEXT)")
        opened.commit()
    plan, _ = read_plan([path])
    assert union_acres(plan) == pytest.approx(2.0, rel=1e-3)
    assert "1 texts are not UTF-8" in texts(plan, "attribute_text_replaced")[0]


def test_rings_of_shapefiles_nest_by_what_lies_in_what(tmp_path):
    hole = rectangle(X + 100, Y + 100, 66, 66)
    for turned in (hole, hole[::-1]):
        path = shapefile(tmp_path / "lod", [RING[::-1], turned])
        plan, _ = read_plan([path], assume_crs=CRS)
        # Wound against its shell the inner ring is a hole; wound with it, a second part that lies inside the first.
        expected = (330 * 264 - 66 * 66 * (turned == hole)) / 43_560
        assert union_acres(plan) == pytest.approx(expected, rel=1e-3)
        assert ("geometry_repaired" in codes(plan)) == (turned != hole)


def test_a_table_without_geometry_holds_nothing_to_place(tmp_path):
    path = database(tmp_path / "plan.gpkg", "lod", (polygon(RING), {"name": "a"}))
    database(path, "notes", (None, {"name": "b"}), kind="None", crs=None)
    plan, _ = read_plan([path])
    assert [(layer.layer, layer.set_aside) for layer in plan.layers] == [("lod", 0), ("notes", 1)]


def test_a_geopackage_that_says_it_does_not_know_its_crs(tmp_path):
    path = database(tmp_path / "lod.gpkg", "lod", (polygon(RING), {"name": "a"}), crs=None)
    with pytest.raises(InputError, match=r"names no coordinate system.*--assume-crs"):
        read_plan([path])


def geodatabase(tmp_path, name="Parks.gdb"):
    parts = {"type": "MultiPolygon", "coordinates": [[RING]]}
    layer = "Limits_of_Disturbance"
    return database(tmp_path / name, layer, (parts, {"name": "a"}), driver="OpenFileGDB", kind="MultiPolygon")


def zip_folder(target, folder, prefix):
    with zipfile.ZipFile(target, "w") as archive:
        for member in sorted(folder.iterdir()):
            archive.write(member, prefix + member.name)
    return target


@pytest.mark.parametrize("prefix", ["Parks.gdb/", "GIS/Parks.gdb/", "Parks/", ""])
@pytest.mark.parametrize("name", ["ParksGDB.zip", "Parks.gdb.zip"])
def test_h86_a_zipped_geodatabase_is_opened_whatever_its_name(tmp_path, name, prefix):
    path = zip_folder(tmp_path / name, geodatabase(tmp_path), prefix)
    plan, _ = read_plan([path])
    assert union_acres(plan) == pytest.approx(2.0, rel=1e-3)
    assert [layer.layer for layer in plan.layers] == ["Limits_of_Disturbance"]


def test_a_geodatabase_folder_is_one_file(tmp_path):
    plan, _ = read_plan([geodatabase(tmp_path)])
    assert [layer.file for layer in plan.layers] == ["Parks.gdb"]
    assert len(plan.sources[0].sha256) == 64
    assert read_plan([tmp_path])[0].layers == plan.layers
    empty = tmp_path / "other" / "empty.gdb"
    empty.mkdir(parents=True)
    with pytest.raises(InputError, match="not a file geodatabase"):
        read_plan([empty])


def test_flatgeobuf(tmp_path):
    path = database(tmp_path / "lod.fgb", None, (polygon(RING), {"name": "a"}), driver="FlatGeobuf")
    assert union_acres(read_plan([path])[0]) == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize("name", ["lod.shp", "lod.gpkg", "lod.fgb"])
def test_files_that_are_not_what_they_say(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"PK\x03\x04 something else")
    with pytest.raises(HostileInputError, match=f"{name}: is not what its name says"):
        read_plan([path])
    path.write_bytes(b"")
    with pytest.raises(InputError, match=f"{name}: is an empty file"):
        read_plan([path])


def test_a_cut_geopackage_is_one_clear_line(tmp_path):
    path = database(tmp_path / "lod.gpkg", "lod", (polygon(RING), {"name": "a"}))
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(InputError, match=r"^lod.gpkg"):
        read_plan([path])


def test_a_cut_shapefile_says_what_is_missing(tmp_path):
    path = shapefile(tmp_path / "lod", [RING], [rectangle(X + 400, Y, 330, 264)])
    path.write_bytes(path.read_bytes()[:-60])
    plan, _ = read_plan([path], assume_crs=CRS)
    assert union_acres(plan) == pytest.approx(2.0, rel=1e-3)
    assert {flag.feature for flag in plan.flags if flag.code in ("feature_empty", "feature_unreadable")} == {"1"}


def kml(body, path, *, header="", wrap=True):
    text = f"<kml xmlns='http://www.opengis.net/kml/2.2'>{body}</kml>" if wrap else body
    path.write_text(f"<?xml version='1.0'?>{header}{text}")
    return path


def coordinates(x=0.0, y=0.0, size=0.001, separator=",", z=""):
    ring = rectangle(LON + x, LAT + y, size, size)
    return " ".join(f"{lon:.6f}{separator}{lat:.6f}{z}" for lon, lat in ring)


def placemark(*rings, more=""):
    inner = "".join(
        f"<innerBoundaryIs><LinearRing><coordinates>{ring}</coordinates></LinearRing></innerBoundaryIs>"
        for ring in rings[1:]
    )
    outer = f"<outerBoundaryIs><LinearRing><coordinates>{rings[0]}</coordinates></LinearRing></outerBoundaryIs>"
    return f"<Placemark>{more}<Polygon>{outer}{inner}</Polygon></Placemark>"


def area_of(plan):
    return sum(one.geometry.area for one in plan.features)


UNIT = 0.001 * 0.001  # square degrees of one square


def test_folders_are_layers_and_holes_are_holes(tmp_path):
    body = (
        f"<Document><Folder><name>LOD</name>{placemark(coordinates(), coordinates(0.00025, 0.00025, 0.0005))}</Folder>"
        f"<Folder><name>wetlands</name>{placemark(coordinates(0.002))}</Folder></Document>"
    )
    plan, _ = read_plan([kml(body, tmp_path / "plan.kml")])
    assert [(layer.label, layer.role) for layer in plan.layers] == [
        ("plan.kml/LOD", "disturbed_area"), ("plan.kml/wetlands", "wetland"),
    ]  # fmt: skip
    whole, part = plan.of("wetland")[0].geometry.area, plan.of("disturbed_area")[0].geometry.area
    assert part / whole == pytest.approx(0.75, rel=1e-5)


@pytest.mark.parametrize(
    "text",
    [
        coordinates(separator=" , "),
        coordinates(z=",17"),
        coordinates(z=", 0").replace(" -87", "\n\t-87"),
        coordinates().replace(" ", "\t"),
    ],
)
def test_coordinates_as_programs_write_them(tmp_path, text):
    plan, _ = read_plan([kml(placemark(text), tmp_path / "lod.kml")])
    square, _ = read_plan([kml(placemark(coordinates()), tmp_path / "lod.kml")])
    assert area_of(plan) == pytest.approx(area_of(square))


def test_attributes_and_days_of_placemarks(tmp_path):
    more = (
        "<name>Phase A</name><TimeSpan><begin>2026-05-01</begin><end>2026-06-30</end></TimeSpan>"
        "<ExtendedData><Data name='PHASE'><value>1</value></Data><SchemaData>"
        "<SimpleData name='TYPE'>grading</SimpleData></SchemaData></ExtendedData>"
    )
    plan, _ = read_plan([kml(placemark(coordinates(), more=more), tmp_path / "lod.kml")])
    one = plan.features[0]
    assert (one.name, one.phase, one.kind) == ("Phase A", "1", "grading")
    assert (str(one.start), str(one.end)) == ("2026-05-01", "2026-06-30")


def test_what_kml_holds_that_is_not_read_is_named(tmp_path):
    body = (
        "<Document><name>LOD</name>"
        "<Placemark id='t'><gx:Track xmlns:gx='http://www.google.com/kml/ext/2.2'><gx:coord>1 2 3</gx:coord></gx:Track></Placemark>"
        "<Placemark id='bad'><Point><coordinates>west,north</coordinates></Point></Placemark>"
        "<Placemark id='far'><Point><coordinates>500,43</coordinates></Point></Placemark>"
        "<Placemark id='none'/>"
        "<GroundOverlay><name>photo</name><Icon><href>a.png</href></Icon></GroundOverlay>"
        f"<Placemark><MultiGeometry>{placemark(coordinates())[11:-12]}"
        f"{placemark(coordinates(0.002))[11:-12]}</MultiGeometry></Placemark></Document>"
    )
    plan, _ = read_plan([kml(body, tmp_path / "lod.kml")])
    assert len(plan.features) == 1
    assert plan.features[0].geometry.geom_type == "MultiPolygon"
    named = {flag.feature for flag in plan.flags if flag.code in ("feature_empty", "feature_unreadable")}
    assert named == {"t", "bad", "far", "none"}
    assert "photo" in texts(plan, "file_ignored")[0]


@pytest.mark.parametrize(
    "header",
    [
        "<!DOCTYPE kml>",
        "<!DOCTYPE kml [<!ENTITY x SYSTEM 'canary.txt'>]>",
        "<!DOCTYPE kml [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]>",
        "<!DOCTYPE kml SYSTEM 'http://127.0.0.1:9/kml.dtd'>",
    ],
)
def test_a_doctype_is_refused(tmp_path, header):
    (tmp_path / "canary.txt").write_text("CANARY-7f3a")
    path = kml(placemark(coordinates()), tmp_path / "lod.kml", header=header)
    with pytest.raises(HostileInputError, match=r"lod.kml: has a DOCTYPE"):
        read_plan([path])


def test_a_damaged_end_keeps_what_stands_before(tmp_path):
    path = tmp_path / "lod.kml"
    path.write_text(f"<kml><Document><name>LOD</name>{placemark(coordinates())}<Placemark><name>cut")
    plan, _ = read_plan([path])
    assert len(plan.features) == 1
    assert "layer_truncated" in codes(plan)


@pytest.mark.parametrize("text", ["", "<kml>", "<html></html>", "<kml><Placemark>", "plain"])
def test_what_is_no_kml_is_one_clear_line(tmp_path, text):
    path = tmp_path / "lod.kml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"^lod.kml: is not"):
        read_plan([path])


def test_very_deep_nesting_is_one_bad_feature(tmp_path):
    deep = "<MultiGeometry>" * 5000 + "</MultiGeometry>" * 5000
    path = kml(
        f"<Document>{placemark(coordinates())}<Placemark id='deep'>{deep}</Placemark></Document>", tmp_path / "lod.kml"
    )
    plan, _ = read_plan([path])
    assert len(plan.features) == 1
    assert [flag.feature for flag in plan.flags if flag.code == "feature_unreadable"] == ["deep"]


def link(href):
    return f"<NetworkLink><Link><href>{href}</href></Link></NetworkLink>"


def kmz(path, **documents):
    with zipfile.ZipFile(path, "w") as archive:
        for name, body in documents.items():
            archive.writestr(name.replace("__", "/") + ".kml", f"<kml><Document>{body}</Document></kml>")
    return path


def test_links_inside_a_kmz_are_followed_once_and_no_others(tmp_path):
    (tmp_path / "outside.kml").write_text(f"<kml>{placemark(coordinates(0.004))}</kml>")
    others = ["http://127.0.0.1:9/a.kml", "file:///etc/passwd", "../outside.kml", "//host/a.kml", "missing.kml", "files\\lod.kml",
              str(tmp_path / "outside.kml")]  # fmt: skip
    path = kmz(
        tmp_path / "plan.kmz",
        doc=link("files/lod.kml") + link("files/lod.kml") + "".join(map(link, others)),
        files__lod="<name>LOD</name>" + placemark(coordinates()) + link("../doc.kml") + link("more.kml"),
        files__more="<name>LOD more</name>" + placemark(coordinates(0.002)),
    )
    plan, _ = read_plan([path])
    assert len(plan.features) == 2
    assert {layer.layer for layer in plan.layers} == {"LOD", "LOD more"}
    unfollowed = " ".join(texts(plan, "link_not_followed"))
    assert all(href in unfollowed for href in others)


def test_a_plain_kml_follows_no_link(tmp_path):
    (tmp_path / "other.kml").write_text(f"<kml>{placemark(coordinates(0.002))}</kml>")
    plan, _ = read_plan(
        [kml(f"<Document>{placemark(coordinates())}{link('other.kml')}</Document>", tmp_path / "lod.kml")]
    )
    assert len(plan.features) == 1
    assert "other.kml" in texts(plan, "link_not_followed")[0]


def test_documents_of_a_kmz_that_nothing_links_to_are_named(tmp_path):
    path = kmz(tmp_path / "lod.kmz", doc=placemark(coordinates()), old=placemark(coordinates(0.002)))
    plan, _ = read_plan([path])
    assert len(plan.features) == 1
    assert "old.kml" in texts(plan, "file_ignored")[0]


def test_a_kmz_without_kml_is_refused(tmp_path):
    path = tmp_path / "lod.kmz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    with pytest.raises(InputError, match="holds no KML"):
        read_plan([path])


@pytest.mark.skipif(not DATA.is_dir(), reason="the collection of real files is not here")
@pytest.mark.parametrize("folder", ["dirty/gdal_shp", "dirty/gdal_gpkg", "dirty/gdal_geojson", "dirty/gdal_kml",
    "dirty/gdal_fgb_invalid", "dirty/libpysal_noprj", "dirty/wi_plss_missing_dbf", "dirty/hidden_name_shp"])  # fmt: skip
def test_every_dirty_file_is_read_or_refused_in_one_line(folder):
    suffixes = {".shp", ".gpkg", ".geojson", ".json", ".kml", ".fgb", ".zip"}
    paths = [path for path in sorted((DATA / folder).rglob("*")) if path.suffix.lower() in suffixes]
    assert paths
    for path in paths:
        seen, refusal = attempt(lambda path=path: inspect_plan([path]))
        assert refusal.startswith(path.name) or seen
        layers, flags = seen or ((), ())
        named = sum(flag.code in ("feature_empty", "feature_unreadable") for flag in flags)
        assert named >= min(sum(layer.set_aside for layer in layers), 1)
        for role in ("disturbed_area", "surface_water", "contour_existing") if layers else ():
            read, refusal = attempt(
                lambda path=path, role=role: read_plan([path], roles={"*": role}, assume_crs="EPSG:4269")
            )
            assert "\n" not in refusal
            if read:
                plan = read[0]
                assert all(one.geometry.is_valid and not one.geometry.is_empty for one in plan.features)
                assert sum(layer.features - layer.set_aside for layer in plan.layers) <= len(plan.features)


def attempt(action):
    """What an action gives, or the one line with which it refuses; anything else fails."""
    try:
        return action(), ""
    except InputError as error:
        return None, str(error)


def test_symbolic_links_out_of_the_folder_are_left_alone(tmp_path):
    outside = geojson(tmp_path / "outside" / "lod.geojson", feature([RING]))
    plan_folder = tmp_path / "plan"
    geojson(plan_folder / "site.geojson", feature([RING]))
    (plan_folder / "lod.geojson").symlink_to(outside)
    (plan_folder / "more").symlink_to(outside.parent)
    assert [layer.label for layer in read_plan([plan_folder])[0].layers] == ["site.geojson"]
