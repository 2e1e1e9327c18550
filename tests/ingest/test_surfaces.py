"""LandXML: surfaces, parcels, contours and plan features, against areas by formula and areas that files declare."""

import json
import math
import time
from pathlib import Path

import numpy as np
import pytest
import shapely
from pyproj import CRS, Transformer

from siteplan_gis.errors import HostileInputError, InputError
from siteplan_gis.ingest.plan.vectors import inspect_plan, read_plan
from siteplan_gis.ingest.vector_files.courses import arc
from siteplan_gis.ingest.vector_files.landxml import root_name
from siteplan_gis.ingest.vector_files.surfaces import read_landxml
from siteplan_gis.units import FOOT_M, US_SURVEY_FOOT_M

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
CAD = ROOT.parent / "shared" / "data" / "cad"
E, N = 2_500_000.0, 450_000.0


def grid(east, north):
    """Nine points, 100 apart, rising 20 to a row northward."""
    return "".join(
        f'<P id="{3 * row + column + 1}">{north + 100 * row} {east + 100 * column} {700 + 20 * row}</P>'
        for row in range(3)
        for column in range(3)
    )


GRID = grid(E, N)
FACES = ["1 2 5", "1 5 4", "2 3 6", "2 6 5", "4 5 8", "4 8 7", "5 6 9", "5 9 8"]


def faces(*rows, hidden=()):
    return "".join(f"<F i='1'>{row}</F>" if row in hidden else f"<F>{row}</F>" for row in rows)


def surface(name="EG", rows=FACES, *, hidden=(), points=GRID, source="", declared=""):
    area = f' area2DSurf="{declared}"' * bool(declared)
    return (
        f'<Surface name="{name}">{source}<Definition surfType="TIN"{area}><Pnts>{points}</Pnts>'
        f"<Faces>{faces(*rows, hidden=hidden)}</Faces></Definition></Surface>"
    )


def landxml(path, *surfaces, unit="USSurveyFoot", crs='<CoordinateSystem epsgCode="2289"/>', more="", head=""):
    system = "Metric" if "eter" in unit else "Imperial"
    units = f'<Units><{system} areaUnit="x" linearUnit="{unit}"/></Units>' if unit else ""
    inside = f"<Surfaces>{''.join(surfaces)}</Surfaces>" if surfaces else ""
    path.write_text(
        f'<?xml version="1.0"?>{head}<LandXML xmlns="http://www.landxml.org/schema/LandXML-1.2" version="1.2">'
        f"{units}{crs}{inside}{more}</LandXML>"
    )
    return path


def parcel(name, body, area="", inside=""):
    declared = f' area="{area}"' * bool(area)
    return f'<Parcel name="{name}"{declared}><CoordGeom>{body}</CoordGeom>{inside}</Parcel>'


def ring(*corners):
    """Lines through (easting, northing), back to the first."""
    ends = zip(corners, [*corners[1:], corners[0]], strict=True)
    return "".join(f"<Line><Start>{b} {a}</Start><End>{d} {c}</End></Line>" for (a, b), (c, d) in ends)


def square(x, y, side):
    return ring((x, y), (x + side, y), (x + side, y + side), (x, y + side))


def texts(layers, code):
    return [flag.text for layer in layers for flag in layer.flags if flag.code == code]


def drawn_area(layer):
    return sum(
        shapely.Polygon(rings[0], rings[1:]).area for feature in layer.features for rings in feature.drawing.polygons
    )


def test_northing_comes_first_and_hidden_faces_are_no_ground(tmp_path):
    (layer,) = read_landxml(landxml(tmp_path / "s.xml", surface(hidden=FACES[4:])), "s.xml")
    assert layer.guessed_role == "surface_existing"
    assert layer.mesh.xy[0].tolist() == [E, N]
    assert layer.mesh.z.tolist() == [700, 700, 700, 720, 720, 720, 740, 740, 740]
    assert drawn_area(layer) == 20_000
    assert texts([layer], "surface_note") == ["4 invisible faces were left out"]


def test_case_h05():
    plan, frame = read_plan([CASES / "H05" / "eg.xml"])
    wanted = {check["quantity"]: check for check in json.loads((CASES / "H05" / "expected.json").read_text())["checks"]
              if check["kind"] != "must_flag"}  # fmt: skip
    (ground,) = plan.surfaces
    assert ground.role == "surface_existing"
    area_sqft = ground.outline.area / US_SURVEY_FOOT_M**2
    assert area_sqft == pytest.approx(90_000, rel=1e-3)
    south_west = frame.to_lonlat(ground.tin.xy[:1])[0]
    off_m = (south_west - wanted["south_west_vertex_lonlat"]["value"]) * [90_000, 111_000]
    assert np.hypot(*off_m) < 0.3
    assert any("foot" in flag.text for flag in plan.flags if flag.code == "crs_note")
    a, b, c = (np.column_stack((ground.tin.xy, ground.tin.z_m))[ground.tin.triangles[:, corner]] for corner in range(3))
    x, y, z = np.cross(b - a, c - a).T
    assert 100 * np.hypot(x / z, y / z) == pytest.approx(22.0, abs=0.05)


def test_case_h71_entities_are_refused():
    with pytest.raises(HostileInputError, match="DOCTYPE") as caught:
        read_plan([CASES / "H71" / "eg.xml"])
    assert "CANARY" not in str(caught.value)


BOMB = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "lol"}">' for n in range(9))


@pytest.mark.parametrize(
    "head",
    [
        f"<!DOCTYPE LandXML [{BOMB}]>",
        '<!DOCTYPE LandXML SYSTEM "http://127.0.0.1:9/x.dtd">',
        '<!DOCTYPE LandXML [<!ENTITY % p SYSTEM "canary.txt"> %p;]>',
        "<!DOCTYPE LandXML>",
    ],
    ids=["expanding", "outside", "parameter", "bare"],
)
def test_every_doctype_is_refused(tmp_path, head):
    path = landxml(tmp_path / "s.xml", surface(), head=head)
    with pytest.raises(HostileInputError, match="DOCTYPE"):
        read_plan([tmp_path])
    assert root_name(path) == "LandXML"


def test_deep_nesting_is_refused(tmp_path):
    landxml(tmp_path / "s.xml", more="<a>" * 500 + "</a>" * 500)
    with pytest.raises(InputError, match="deep"):
        read_plan([tmp_path / "s.xml"])


@pytest.mark.parametrize("content", ["", "<LandXML", "<LandXML></Land>", "\x00\x01", "<LandXML>&nbsp;</LandXML>"])
def test_damaged_files_are_refused_in_one_line(tmp_path, content):
    (tmp_path / "s.xml").write_text(content)
    with pytest.raises(InputError) as caught:
        read_plan([tmp_path / "s.xml"])
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("s.xml: ")


def test_other_xml_is_named_and_ignored(tmp_path):
    landxml(tmp_path / "s.xml", surface(), surface("FG", FACES[:2]))
    (tmp_path / "about.xml").write_text('<?xml version="1.0"?><!-- <LandXML> --><metadata><title>x</title></metadata>')
    (tmp_path / "lod.shp.xml").write_text("<metadata/>")
    plan, _ = read_plan([tmp_path])
    assert [flag.text for flag in plan.flags if flag.code == "file_ignored"] == [
        "about.xml is not LandXML: it begins with <metadata>"
    ]
    assert [surface.role for surface in plan.surfaces] == ["surface_existing", "surface_proposed"]
    with pytest.raises(InputError, match="not LandXML"):
        read_plan([tmp_path / "about.xml"])


@pytest.mark.parametrize(
    ("unit", "crs", "note"),
    [("USSurveyFoot", "2289", False), ("foot", "2289", True), ("meter", "26916", False)],
)
def test_one_foot_for_the_other_moves_nothing_and_is_told(tmp_path, unit, crs, note):
    points = grid(430_000, 4_800_000) if unit == "meter" else GRID
    plan, frame = read_plan(
        [landxml(tmp_path / "s.xml", surface(points=points), unit=unit, crs="")], assume_crs=f"EPSG:{crs}"
    )
    assert any("linear unit" in flag.text for flag in plan.flags if flag.code == "crs_note") is note
    ground = plan.surfaces[0].tin
    metres = {"USSurveyFoot": US_SURVEY_FOOT_M, "foot": FOOT_M, "meter": 1.0}[unit]
    assert np.ptp(ground.z_m) == pytest.approx(40 * metres, rel=1e-12)
    east, north = Transformer.from_crs(4269, int(crs), always_xy=True).transform(*frame.to_lonlat(ground.xy[:1])[0])
    assert (east, north) == pytest.approx((430_000, 4_800_000) if unit == "meter" else (E, N), abs=0.005)


def test_a_unit_that_carries_the_file_out_of_its_coordinate_system_is_refused(tmp_path):
    path = landxml(tmp_path / "s.xml", surface(), unit="inch", crs="")
    with pytest.raises(InputError, match="the file's unit is inch"):
        read_plan([path], assume_crs="EPSG:2289")


def test_unknown_units_are_refused_or_taken_from_the_crs_with_a_flag(tmp_path):
    with pytest.raises(InputError, match="unknown unit 'furlong'"):
        read_plan([landxml(tmp_path / "a.xml", surface(), unit="furlong")])
    plan, _ = read_plan([landxml(tmp_path / "b.xml", surface(), unit="")])
    assert "unit_assumed" in {flag.code for flag in plan.flags}
    with pytest.raises(InputError, match="does not tell its unit"):
        read_plan([landxml(tmp_path / "c.xml", surface(), unit="", crs="")])


@pytest.mark.parametrize("crs", ['<CoordinateSystem desc="Site grid, assumed"/>', ""])
def test_local_coordinates_give_acreage_and_no_place(tmp_path, crs):
    plan, frame = read_plan([landxml(tmp_path / "s.xml", surface(), crs=crs)])
    assert not frame.placed
    assert "place_unknown" in {flag.code for flag in plan.flags}
    assert plan.surfaces[0].outline.area / US_SURVEY_FOOT_M**2 == pytest.approx(40_000, rel=1e-8)


def test_wkt_tells_the_place(tmp_path):
    wkt = CRS.from_epsg(2289).to_wkt("WKT1_GDAL").replace('"', "&quot;")
    path = landxml(tmp_path / "s.xml", surface(), crs=f'<CoordinateSystem desc="WI South" ogcWktCode="{wkt}"/>')
    plan, _ = read_plan([path])
    assert plan.layers[0].crs == "EPSG:2289"


@pytest.mark.parametrize(
    ("declared", "bounded", "flagged"),
    [("", True, False), ("32500", True, False), ("40000", False, False), ("36000", True, True)],
)
def test_boundaries_and_voids_cut_the_ground_unless_the_declared_area_says_otherwise(
    tmp_path, declared, bounded, flagged
):
    void = f"{N + 50} {E + 50} {N + 50} {E + 150} {N + 150} {E + 150} {N + 150} {E + 50}"
    island = f"{N + 75} {E + 75} 0 {N + 75} {E + 125} 0 {N + 125} {E + 125} 0 {N + 125} {E + 75} 0"
    source = (
        f"<SourceData><Boundaries><Boundary bndType='void'><PntList2D>{void}</PntList2D></Boundary>"
        f"<Boundary bndType='island'><PntList3D>{island}</PntList3D></Boundary></Boundaries></SourceData>"
    )
    (layer,) = read_landxml(landxml(tmp_path / "s.xml", surface(source=source, declared=declared)), "s.xml")
    assert drawn_area(layer) == pytest.approx(32_500 if bounded else 40_000)
    assert bool(texts([layer], "declared_area_differs")) is flagged


def test_broken_faces_are_told(tmp_path):
    rows = [*FACES, FACES[0], "1 2 99", "1 2", "1 1 2"]
    (layer,) = read_landxml(landxml(tmp_path / "s.xml", surface(rows=rows)), "s.xml")
    assert len(layer.mesh.triangles) == 8
    assert texts([layer], "surface_note") == [
        "2 faces name no valid points and were left out",
        "1 faces are there twice and count once",
    ]


def test_ground_under_folded_triangles_counts_once(tmp_path):
    (layer,) = read_landxml(landxml(tmp_path / "s.xml", surface(rows=["1 3 9", "1 3 5"])), "s.xml")
    assert drawn_area(layer) == pytest.approx(20_000)
    assert "10,000.0" in texts([layer], "surface_note")[0]


def test_a_surface_without_faces_is_named(tmp_path):
    landxml(tmp_path / "s.xml", surface(rows=[]))
    with pytest.raises(InputError, match="no visible faces"):
        read_plan([tmp_path / "s.xml"])
    layers = read_landxml(landxml(tmp_path / "t.xml", surface(rows=[]), surface("FG")), "t.xml")
    assert [layer.layer for layer in layers] == ["FG"]
    assert "surface EG: it has no visible faces" in texts(layers, "surface_note")[0]


def test_contours_of_a_surface_have_their_levels(tmp_path):
    lines = "".join(
        f"<Contour elev='{700 + 2 * n}'><PntList2D>{N} {E + 9 * n} {N + 90} {E + 9 * n}</PntList2D></Contour>"
        for n in range(5)
    )
    source = f"<SourceData><Contours>{lines}</Contours></SourceData>"
    plan, _ = read_plan([landxml(tmp_path / "s.xml", surface(source=source))])
    levels = [feature.elevation_m / FOOT_M for feature in plan.of("contour_existing")]
    assert levels == pytest.approx([700, 702, 704, 706, 708])


@pytest.mark.parametrize("turn", ["cw", "ccw"])
@pytest.mark.parametrize("angle", [0.01, 1.0, math.pi, 5.5, 2 * math.pi])
def test_arcs_keep_their_area(turn, angle):
    radius, centre = 320.0, np.array([E, N])
    sign = 1 if turn == "ccw" else -1
    start = centre + radius * np.array([1.0, 0.0])
    end = centre + radius * np.array([math.cos(angle), sign * math.sin(angle)])
    drawn = arc(start, start if angle == 2 * math.pi else end, centre, turn)
    x, y = (np.vstack((drawn, centre)) - centre).T
    area = (x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
    assert area == pytest.approx(sign * radius**2 * angle / 2, rel=1e-7)
    distance = np.hypot(*(drawn - centre).T)
    middles = np.hypot(*((drawn[1:] + drawn[:-1]) / 2 - centre).T)
    assert abs(distance - radius).max() < 0.01
    assert abs(middles - radius).max() < 0.01
    if angle == 1.0:
        assert arc(start, end, None, turn, str(radius)) == pytest.approx(drawn, abs=1e-4)


def test_a_curve_bulges_to_the_side_of_its_turn(tmp_path):
    def lot(turn):
        curve = (
            f"<Curve rot='{turn}' radius='50'><Start>{N} {E + 100}</Start><Center>{N + 50} {E + 100}</Center>"
            f"<End>{N + 100} {E + 100}</End></Curve>"
        )
        lines = "".join(
            f"<Line><Start>{a}</Start><End>{b}</End></Line>"
            for a, b in ((f"{N + 100} {E + 100}", f"{N + 100} {E}"), (f"{N + 100} {E}", f"{N} {E}"),
                         (f"{N} {E}", f"{N} {E + 100}"))
        )  # fmt: skip
        return parcel(f"lot {turn}", curve + lines)

    more = f"<Parcels>{lot('ccw')}{lot('cw')}</Parcels>"
    (layer,) = read_landxml(landxml(tmp_path / "p.xml", more=more), "p.xml")
    areas = [shapely.Polygon(feature.drawing.polygons[0][0]).area for feature in layer.features]
    half = math.pi * 50**2 / 2
    assert areas == pytest.approx([10_000 + half, 10_000 - half], abs=0.01)


def test_parcels_are_lots_the_one_around_them_is_the_site_and_easements_are_neither(tmp_path):
    lots = "".join(parcel(f"Lot {n}", square(E + 100 * n, N, 100), "10000" if n else "10900") for n in range(3))
    inside = f"<Parcels>{lots}{parcel('Utility Easement', square(E, N, 10))}</Parcels>"
    more = f"<Parcels>{parcel('Oak Hill', square(E, N, 300), '', inside)}</Parcels>"
    plan, _ = read_plan([landxml(tmp_path / "p.xml", more=more)])
    assert [feature.id for feature in plan.of("site")] == ["Oak Hill"]
    assert [feature.id for feature in plan.of("lot")] == ["Lot 0", "Lot 1", "Lot 2"]
    assert [flag.feature for flag in plan.flags if flag.code == "declared_area_differs"] == ["Lot 0"]
    assert "p.xml/Easements and rights of way" in {layer.label for layer in plan.layers if not layer.role}


def test_one_parcel_alone_is_the_site(tmp_path):
    more = f"<Parcels>{parcel('12', square(E, N, 300))}</Parcels>"
    plan, _ = read_plan([landxml(tmp_path / "p.xml", more=more)])
    assert [feature.id for feature in plan.of("site")] == ["12"]


def test_open_parcels_and_spirals_are_told(tmp_path):
    open_lot = square(E, N, 300).rsplit("<Line>", 1)[0]
    spiral = f"<Spiral><Start>{N} {E}</Start><PI>{N} {E + 50}</PI><End>{N + 20} {E + 100}</End></Spiral>"
    lines = "".join(
        f"<Line><Start>{a}</Start><End>{b}</End></Line>"
        for a, b in ((f"{N + 20} {E + 100}", f"{N + 90} {E}"), (f"{N + 90} {E}", f"{N} {E}"))
    )
    more = f"<Parcels>{parcel('1', open_lot)}{parcel('2', spiral + lines)}</Parcels>"
    plan, _ = read_plan([landxml(tmp_path / "p.xml", more=more)])
    codes = {(flag.code, flag.feature) for flag in plan.flags}
    assert {("lines_not_closed", "1"), ("curve_linearised", "2")} <= codes
    assert len(plan.of("lot")) == 1


def test_courses_may_refer_to_survey_points(tmp_path):
    corners = [(E, N), (E + 100, N), (E + 100, N + 100)]
    points = "".join(f'<CgPoint name="{n}">{y} {x} 700</CgPoint>' for n, (x, y) in enumerate(corners, 1))
    body = "".join(f'<Line><Start pntRef="{a}"/><End pntRef="{b}"/></Line>' for a, b in ((1, 2), (2, 3), (3, 1)))
    more = f"<Parcels>{parcel('1', body)}</Parcels><CgPoints>{points}</CgPoints>"
    plan, _ = read_plan([landxml(tmp_path / "p.xml", more=more)])
    assert plan.of("site")[0].geometry.area / US_SURVEY_FOOT_M**2 == pytest.approx(5000, rel=1e-3)


@pytest.mark.skipif(not CAD.is_dir(), reason="the collection of real files is not here")
class TestRealFiles:
    def test_subdivision(self):
        layers = read_landxml(CAD / "landxml_subdivision" / "subdivision.xml", "subdivision.xml")
        by_name = {layer.layer: layer for layer in layers}
        assert drawn_area(by_name["EG"]) == pytest.approx(9_742_293.95, abs=0.01)
        assert drawn_area(by_name["FG"]) == pytest.approx(2_768_515.77, abs=0.01)
        parcels = [*by_name["Parcels"].features, *by_name["Site parcels"].features]
        areas = [shapely.Polygon(one.drawing.polygons[0][0]).area for one in parcels]
        assert len(areas) == 83
        assert sum(areas) == pytest.approx(8_475_233.93, abs=0.01)
        assert [layer.guessed_role for layer in layers] == ["surface_existing", "surface_proposed", "lot", "site"]
        assert not texts(layers, "declared_area_differs")

    @pytest.mark.parametrize(("name", "area"), [("S1", 3_031_369), ("S3", 3_031_776), ("S4", 3_033_986), ("S5", 3_031_114)])  # fmt: skip
    def test_bridgeton(self, name, area):
        (layer,) = read_landxml(CAD / "landxml_bridgeton_ftUS" / f"{name}.xml", name)
        assert drawn_area(layer) == pytest.approx(area, abs=0.5)
        plan, _ = read_plan([CAD / "landxml_bridgeton_ftUS" / f"{name}.xml"], assume_crs="ESRI:102696")
        assert plan.surfaces

    @pytest.mark.parametrize("path", sorted(CAD.rglob("*.xml")), ids=lambda path: path.name)
    def test_every_file_opens_or_is_refused_in_one_line(self, path):
        began = time.monotonic()
        try:
            layers, _ = inspect_plan([path])
        except InputError as error:
            layers = str(error).splitlines()
            lines = len(layers)
        else:
            lines = 1
        assert layers
        assert lines == 1
        assert time.monotonic() - began < 10
