"""DXF drawings made entity by entity, each with an answer on paper."""

import itertools
import math

import ezdxf
import numpy as np
import pytest
import shapely
from ezdxf.math import Vec3

from siteplan_gis.crs import georeference
from siteplan_gis.errors import InputError
from siteplan_gis.ingest.cad.model_space import read_cad
from siteplan_gis.ingest.cad.opening import opened_drawing
from siteplan_gis.ingest.plan.vectors import inspect_plan, read_plan

X, Y = 2050000.0, 750000.0
NC = "EPSG:2264"
US_FOOT = 1200 / 3937
SQUARE = [(X, Y), (X + 330, Y), (X + 330, Y + 264), (X, Y + 264)]
LOD = {"layer": "C-LOD"}


def drawing(units=21, **options):
    doc = ezdxf.new("R2010", units=units, **options)
    doc.header["$MEASUREMENT"] = 0
    return doc


def saved(doc, tmp_path, name="plan.dxf"):
    doc.saveas(tmp_path / name)
    return tmp_path / name


def ground(doc, tmp_path, role="disturbed_area", **options):
    """Square feet of a role in the state plane's own numbers (grid area, as the drawing has it), and the plan."""
    path = saved(doc, tmp_path)
    plan, frame = read_plan([path], assume_crs=NC, **options)
    local, _ = read_plan([path], **{k: v for k, v in options.items() if k != "assume_crs"})
    areas = [feature.geometry for feature in local.of(role)]
    return shapely.union_all(areas).area / US_FOOT**2, plan, frame


def lines_of(doc, tmp_path, layer):
    found = {one.layer: one for one in read_cad(saved(doc, tmp_path), "plan.dxf")}
    return [line for feature in found[layer].features for line in feature.drawing.lines]


def codes(plan):
    return {flag.code for flag in plan.flags}


@pytest.mark.parametrize("radius", [1.0, 25.0, 400.0, 5000.0])
def test_arcs_stay_within_a_hundredth_of_a_foot(radius, tmp_path):
    doc = drawing()
    doc.modelspace().add_circle((X, Y), radius, dxfattribs=LOD)
    doc.modelspace().add_arc((X, Y), radius, 30, 200, dxfattribs={"layer": "ARC"})
    doc.modelspace().add_lwpolyline([(X, Y, 0.3), (X + radius, Y, 0)], format="xyb", dxfattribs={"layer": "BULGE"})
    for layer in ("C-LOD", "ARC"):
        (line,) = lines_of(doc, tmp_path, layer)
        away = np.hypot(*(np.vstack((line, (line[1:] + line[:-1]) / 2)) - (X, Y)).T)
        assert abs(away - radius).max() < 0.01
    (line,) = lines_of(doc, tmp_path, "BULGE")
    bulge_radius = radius * (1 + 0.09) / (4 * 0.3)
    centre = (X + radius / 2, Y + radius * (1 - 0.09) / (4 * 0.3))
    away = np.hypot(*((line[1:] + line[:-1]) / 2 - centre).T)
    assert abs(away - bulge_radius).max() < 0.01
    assert line[:, 1].min() == pytest.approx(Y - 0.3 * radius / 2, abs=0.01)


def test_a_closed_and_a_nearly_closed_polyline_are_ground_and_an_open_one_is_not(tmp_path):
    doc = drawing()
    doc.modelspace().add_lwpolyline(SQUARE, close=True, dxfattribs=LOD)
    shifted = [(x + 400, y) for x, y in SQUARE]
    doc.modelspace().add_lwpolyline([*shifted, (X + 400, Y + 0.2)], dxfattribs=LOD)
    further = [(x + 800, y) for x, y in SQUARE]
    doc.modelspace().add_lwpolyline(further, dxfattribs=LOD)
    area, plan, _ = ground(doc, tmp_path)
    assert area == pytest.approx(2 * 330 * 264, rel=1e-5)
    texts = [flag.text for flag in plan.flags if flag.code == "lines_closed"]
    assert any("gap of 0.061 m" in text for text in texts)
    (left,) = [flag.text for flag in plan.flags if flag.code == "lines_not_closed"]
    assert "80.4" in left or "80.47" in left


def test_a_boundary_of_lines_and_arcs_is_joined(tmp_path):
    doc = drawing()
    space = doc.modelspace()
    space.add_line((X, Y), (X + 300, Y), dxfattribs=LOD)
    space.add_line((X, Y + 160), (X + 300, Y + 160), dxfattribs=LOD)
    space.add_arc((X + 300, Y + 80), 80, -90, 90, dxfattribs=LOD)
    space.add_arc((X, Y + 80), 80, 90, 270, dxfattribs=LOD)
    area, plan, _ = ground(doc, tmp_path)
    assert area == pytest.approx(300 * 160 + math.pi * 80**2, rel=1e-4)
    assert len(plan.of("disturbed_area")) == 1


def test_lines_that_fork_are_not_joined(tmp_path):
    doc = drawing()
    corners = [*SQUARE, SQUARE[0]]
    for one, other in itertools.pairwise(corners):
        doc.modelspace().add_line(one, other, dxfattribs=LOD)
    doc.modelspace().add_line(SQUARE[0], SQUARE[2], dxfattribs=LOD)
    with pytest.raises(InputError, match="open line set aside"):
        read_plan([saved(doc, tmp_path)], assume_crs=NC)


def test_a_hatch_with_two_shells_an_island_and_ground_in_the_island(tmp_path):
    doc = drawing()
    hatch = doc.modelspace().add_hatch(dxfattribs=LOD)
    for west, south, wide, tall, flag in (
        (0, 0, 300, 200, 1), (400, 0, 150, 100, 16), (50, 50, 100, 100, 0), (80, 80, 20, 20, 0), (400, 0, 150, 100, 1),
    ):  # fmt: skip
        x, y = X + west, Y + south
        hatch.paths.add_polyline_path([(x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall)], flags=flag | 2)
    area, plan, _ = ground(doc, tmp_path)
    assert area == pytest.approx(300 * 200 + 150 * 100 - 100 * 100 + 20 * 20, rel=1e-6)
    (feature,) = plan.of("disturbed_area")
    assert len(feature.geometry.geoms) == 3


@pytest.mark.parametrize(("style", "area"), [(0, 60000 - 10000 + 400), (1, 60000 - 10000), (2, 60000)])
def test_the_style_of_a_hatch_says_which_islands_count(style, area, tmp_path):
    doc = drawing()
    hatch = doc.modelspace().add_hatch(dxfattribs={**LOD, "hatch_style": style})
    for west, south, wide, tall in ((0, 0, 300, 200), (50, 50, 100, 100), (80, 80, 20, 20)):
        x, y = X + west, Y + south
        hatch.paths.add_polyline_path([(x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall)], flags=1)
    assert ground(doc, tmp_path)[0] == pytest.approx(area, rel=1e-6)


@pytest.mark.parametrize("backward", [False, True])
def test_a_hatch_bounded_by_edges(backward, tmp_path):
    doc = drawing()
    edges = doc.modelspace().add_hatch(dxfattribs=LOD).paths.add_edge_path(flags=1)
    edges.add_line((X, Y), (X + 300, Y))
    edges.add_arc((X + 300, Y + 80), 80, 270, 90)
    if backward:
        edges.add_line((X, Y + 160), (X + 300, Y + 160))
    else:
        edges.add_line((X + 300, Y + 160), (X, Y + 160))
    edges.add_ellipse((X, Y + 80), (0, 80), 0.5, 0, 180)
    area = ground(doc, tmp_path)[0]
    assert area == pytest.approx(300 * 160 + math.pi * 80**2 / 2 + math.pi * 80 * 40 / 2, rel=1e-4)


def test_blocks_nested_turned_mirrored_and_stretched(tmp_path):
    """An obround in a block, mirrored, in a block, turned and stretched differently along its axes."""
    doc = drawing()
    inner = doc.blocks.new("INNER", base_point=(10, 0))
    inner.add_lwpolyline([(10, 0, 0), (110, 0, 1), (110, 40, 0), (10, 40, 0)], format="xyb", close=True, dxfattribs=LOD)
    outer = doc.blocks.new("OUTER")
    outer.add_blockref("INNER", (5, 5), dxfattribs={"xscale": -1, "rotation": 20})
    doc.modelspace().add_blockref(
        "OUTER", (X, Y), dxfattribs={"xscale": 2, "yscale": 3, "rotation": 30, "layer": "BASE"}
    )
    area, plan, _ = ground(doc, tmp_path)
    assert area == pytest.approx(6 * (100 * 40 + math.pi * 20**2 / 2), rel=1e-4)
    (line,) = lines_of(doc, tmp_path, "C-LOD")
    # The corner (110, 0) by hand: base point, mirror, turn by 20 degrees, place; stretch, turn by 30 degrees, place.
    mirrored = complex(-100, 0) * complex(math.cos(math.radians(20)), math.sin(math.radians(20))) + complex(5, 5)
    placed = complex(2 * mirrored.real, 3 * mirrored.imag) * complex(math.cos(math.pi / 6), math.sin(math.pi / 6))
    assert np.hypot(*(line - (X + placed.real, Y + placed.imag)).T).min() < 1e-6
    assert [feature.id.split()[0] for feature in plan.of("disturbed_area")] == ["LWPOLYLINE"]


def test_an_array_of_inserts_is_unfolded(tmp_path):
    doc = drawing()
    doc.blocks.new("LOT").add_lwpolyline(
        [(0, 0), (80, 0), (80, 100), (0, 100)], close=True, dxfattribs={"layer": "C-LOT"}
    )
    doc.modelspace().add_blockref(
        "LOT",
        (X, Y),
        dxfattribs={"column_count": 4, "row_count": 2, "column_spacing": 90, "row_spacing": 120, "layer": "0"},
    )
    path = saved(doc, tmp_path)
    plan, _ = read_plan([path])
    lots = plan.of("lot")
    assert len(lots) == 8
    assert shapely.union_all([lot.geometry for lot in lots]).area == pytest.approx(8 * 8000 * US_FOOT**2, rel=1e-8)


def test_what_a_block_holds_on_layer_0_is_one_symbol_where_it_stands(tmp_path):
    doc = drawing()
    block = doc.blocks.new("OUTFALL")
    block.add_circle((0, 0), 5)
    block.add_line((-5, 0), (5, 0))
    block.add_attdef("NAME", (0, 0))
    insert = doc.modelspace().add_blockref("OUTFALL", (X + 30, Y + 40), dxfattribs={"layer": "C-STRM-OUTFALL"})
    insert.add_auto_attribs({"NAME": "OF-1"})
    doc.modelspace().add_lwpolyline(SQUARE, close=True, dxfattribs=LOD)
    path = saved(doc, tmp_path)
    plan, frame = read_plan([path], assume_crs=NC)
    (outfall,) = plan.of("outfall")
    assert (outfall.geometry.geom_type, outfall.name) == ("Point", "OF-1")
    at = frame.unproject(outfall.geometry, georeference(NC))
    assert (at.x, at.y) == pytest.approx((X + 30, Y + 40), abs=0.01)


def test_splines_ellipses_and_faces(tmp_path):
    doc = drawing()
    space = doc.modelspace()
    space.add_ellipse((X, Y), (200, 0), 0.5, dxfattribs=LOD)
    assert ground(doc, tmp_path)[0] == pytest.approx(math.pi * 200 * 100, rel=1e-4)
    doc = drawing()
    around = [(X + 100 * math.cos(a), Y + 100 * math.sin(a)) for a in np.radians(range(0, 361, 10))]
    doc.modelspace().add_spline(around, dxfattribs=LOD).closed = False
    assert ground(doc, tmp_path)[0] == pytest.approx(math.pi * 100**2, rel=1e-3)
    doc = drawing()
    for west in (0, 100):
        corners = [(X + west, Y, 1), (X + west + 100, Y, 2), (X + west + 100, Y + 50, 3), (X + west, Y + 50, 2)]
        doc.modelspace().add_3dface(corners, dxfattribs=LOD)
    area, plan, _ = ground(doc, tmp_path)
    assert area == pytest.approx(200 * 50, rel=1e-6)
    assert len(plan.of("disturbed_area")) == 1


def test_a_drawing_turned_over_by_its_extrusion_comes_right(tmp_path):
    doc = drawing()
    mirrored = [(-x, y) for x, y in SQUARE]
    doc.modelspace().add_lwpolyline(mirrored, close=True, dxfattribs={**LOD, "extrusion": (0, 0, -1), "elevation": -7})
    (line,) = lines_of(doc, tmp_path, "C-LOD")
    assert np.allclose(line[:4], SQUARE)
    (layer,) = read_cad(tmp_path / "plan.dxf", "plan.dxf")
    assert np.allclose(layer.features[0].drawing.line_z[0], 7)


def test_frozen_and_switched_off_layers_count_only_where_told(tmp_path):
    doc = drawing()
    space = doc.modelspace()
    space.add_lwpolyline(SQUARE, close=True, dxfattribs=LOD)
    doc.layers.add("C-LOD-OLD").freeze()
    doc.layers.add("C-SITE").off()
    for layer in ("C-LOD-OLD", "C-SITE"):
        space.add_lwpolyline([(x + 1000, y) for x, y in SQUARE], close=True, dxfattribs={"layer": layer})
    area, plan, _ = ground(doc, tmp_path)
    assert area == pytest.approx(330 * 264, rel=1e-6)
    told = {flag.layer: flag.text for flag in plan.flags if flag.code == "cad_layer_hidden"}
    assert "is frozen: its 1 objects" in told["plan.dxf/C-LOD-OLD"]
    assert "is switched off" in told["plan.dxf/C-SITE"]
    assert not plan.of("site")
    area, plan, _ = ground(doc, tmp_path, roles={"C-LOD-OLD": "disturbed_area"})
    assert area == pytest.approx(2 * 330 * 264, rel=1e-6)


def test_an_insert_on_a_frozen_layer_hides_what_it_holds(tmp_path):
    doc = drawing()
    doc.layers.add("XREF").freeze()
    doc.blocks.new("BASE").add_lwpolyline(SQUARE, close=True, dxfattribs=LOD)
    doc.modelspace().add_blockref("BASE", (0, 0), dxfattribs={"layer": "XREF"})
    doc.modelspace().add_lwpolyline([(x + 1000, y) for x, y in SQUARE[:4]], close=True, dxfattribs=LOD)
    area, plan, _ = ground(doc, tmp_path)
    assert area == pytest.approx(330 * 264, rel=1e-6)
    assert any("1 hidden objects" in flag.text for flag in plan.flags)


def test_an_unbound_reference_is_named_and_no_acreage_given(tmp_path):
    doc = drawing()
    doc.add_xref_def("..\\base\\limits.dwg", "LIMITS")
    doc.modelspace().add_blockref("LIMITS", (0, 0), dxfattribs={"layer": "X-LIMITS"})
    with pytest.raises(InputError, match=r"no layer .*limits\.dwg' as an external reference"):
        read_plan([saved(doc, tmp_path)], assume_crs=NC)


def test_proxies_are_counted_and_named(tmp_path):
    doc = drawing()
    doc.modelspace().add_lwpolyline(SQUARE, close=True, dxfattribs=LOD)
    text = saved(doc, tmp_path).read_text()
    proxy = "  0\nACAD_PROXY_ENTITY\n  5\n{}\n330\n1F\n100\nAcDbEntity\n  8\nC-TOPO\n100\nAcDbProxyEntity\n 90\n498\n 91\n500\n"
    head, entities, tail = text.partition("ENTITIES\n")
    (tmp_path / "plan.dxf").write_text(head + entities + proxy.format("FFA1") + proxy.format("FFA2") + tail)
    plan, _ = read_plan([tmp_path / "plan.dxf"], assume_crs=NC)
    (flag,) = [flag for flag in plan.flags if flag.code == "cad_object_unread"]
    assert flag.text.startswith("2 proxy objects")
    assert "LandXML" in flag.text


def test_a_block_that_holds_itself_comes_to_an_end(tmp_path):
    doc = drawing()
    one, other = doc.blocks.new("ONE"), doc.blocks.new("OTHER")
    one.add_lwpolyline(SQUARE, close=True, dxfattribs=LOD)
    one.add_blockref("OTHER", (0, 0))
    other.add_blockref("ONE", (0, 0))
    doc.modelspace().add_blockref("ONE", (0, 0))
    area, plan, _ = ground(doc, tmp_path)
    assert area == pytest.approx(330 * 264, rel=1e-6)
    assert any("hold themselves" in flag.text for flag in plan.flags)


def test_blocks_that_unfold_without_measure_are_refused(tmp_path):
    doc = drawing()
    doc.blocks.new("B0").add_line((0, 0), (1, 1))
    for level in range(1, 9):
        block = doc.blocks.new(f"B{level}")
        for column in range(10):
            block.add_blockref(f"B{level - 1}", (column, 0))
    doc.modelspace().add_blockref("B8", (X, Y))
    path = saved(doc, tmp_path)
    from siteplan_gis.ingest.cad import blocks

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_MOST_ENTITIES", 5000)
        with pytest.raises(InputError, match="unfold into more than 5,000"):
            read_cad(path, "plan.dxf")


def test_a_small_program_that_leaves_out_the_header_is_read_right(tmp_path):
    doc = drawing()
    doc.modelspace().add_lwpolyline(SQUARE, close=True, dxfattribs={"layer": "TOPO", "elevation": 702})
    text = saved(doc, tmp_path).read_text()
    entities = text[text.index("  0\nSECTION\n  2\nENTITIES") : text.index("  0\nSECTION\n  2\nOBJECTS")]
    (tmp_path / "bare.dxf").write_text(entities + "  0\nEOF\n")
    (layer,) = read_cad(tmp_path / "bare.dxf", "bare.dxf")
    (line,), (heights,) = layer.features[0].drawing.lines, layer.features[0].drawing.line_z
    assert (line[0] == line[-1]).all()
    assert (heights == 702).all()
    assert layer.cad.unit_m is None
    with pytest.raises(InputError, match=r"there is no \$INSUNITS"):
        read_plan([tmp_path / "bare.dxf"])


def test_old_polylines_keep_their_elevation_in_group_38(tmp_path):
    vertex = "  0\nVERTEX\n  8\nTOPO\n 10\n{}\n 20\n{}\n"
    text = "  0\nSECTION\n  2\nENTITIES\n"
    for number in range(5):
        text += f"  0\nPOLYLINE\n  8\nTOPO\n 66\n1\n 38\n{700 + 2 * number}.0\n"
        text += vertex.format(X, Y + 20 * number) + vertex.format(X + 200, Y + 20 * number) + "  0\nSEQEND\n"
    (tmp_path / "topo.dxf").write_text(text + "  0\nENDSEC\n  0\nEOF\n")
    plan, _ = read_plan([tmp_path / "topo.dxf"], assume_crs=NC)
    levels = [feature.elevation_m / 0.3048 for feature in plan.of("contour_existing")]
    assert levels == pytest.approx([700, 702, 704, 706, 708])


@pytest.mark.parametrize(
    "rest", ["", "  9\n$ACADVER\n  1\nAC1027\n", "  9\n$ACADVER\n  1\nAC1027\n  9\n$DWGCODEPAGE\n"]
)
def test_a_drawing_cut_off_in_its_header_is_damaged(tmp_path, rest):
    path = tmp_path / "cut.dxf"
    path.write_text(f"  0\nSECTION\n  2\nHEADER\n{rest}", encoding="ascii")
    assert opened_drawing(path, "cut.dxf").damaged


def test_a_damaged_drawing_is_mended_and_said_so(tmp_path):
    doc = drawing()
    doc.modelspace().add_lwpolyline(SQUARE, close=True, dxfattribs=LOD)
    text = saved(doc, tmp_path).read_text()
    (tmp_path / "plan.dxf").write_text(text.replace("$INSUNITS\n 70\n21", "$INSUNITS\n 70\n21x7", 1))
    with pytest.raises(InputError, match=r"no layer .*the drawing is damaged"):
        read_plan([saved_bytes(tmp_path, text[: len(text) // 3])], assume_crs=NC)
    (layer, *_) = read_cad(tmp_path / "plan.dxf", "plan.dxf")
    assert "drawing_damaged" in {flag.code for flag in layer.flags}


def saved_bytes(tmp_path, text):
    (tmp_path / "cut.dxf").write_text(text)
    return tmp_path / "cut.dxf"


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 200, b"PK\x03\x04zip", b"%PDF-1.4", b"  0\nSECTION\n  2\n", b"AC1032\x00\x00"]
)
def test_what_is_no_drawing_is_refused_in_one_line(content, tmp_path):
    (tmp_path / "plan.dxf").write_bytes(content)
    with pytest.raises(InputError) as refused:
        read_plan([tmp_path / "plan.dxf"], assume_crs=NC)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["plan.dwg", "plan.dgn"])
def test_other_cad_files_are_refused_with_what_to_do(name, tmp_path):
    (tmp_path / name).write_bytes(b"AC1032")
    with pytest.raises(InputError, match="save the drawing as DXF"):
        read_plan([tmp_path / name])


def test_inspect_shows_kinds_counts_roles_and_texts(tmp_path):
    doc = drawing()
    space = doc.modelspace()
    space.add_lwpolyline(SQUARE, close=True, dxfattribs=LOD)
    space.add_circle((X, Y), 30, dxfattribs=LOD)
    space.add_text("LIMITS OF DISTURBANCE", height=5, dxfattribs={"layer": "C-ANNO-TEXT", "insert": (X, Y)})
    layers, _ = inspect_plan([saved(doc, tmp_path)], assume_crs=NC)
    found = {layer.layer: layer for layer in layers}
    assert set(found["C-LOD"].geometry_types) == {"1 LWPOLYLINE", "1 CIRCLE"}
    assert (found["C-LOD"].role, found["C-LOD"].role_from) == ("disturbed_area", "name")
    assert found["C-ANNO-TEXT"].geometry_types == ("1 TEXT",)
    assert found["C-ANNO-TEXT"].sample == ("LIMITS OF DISTURBANCE",)


def test_a_georeferenced_drawing_lands_where_it_says(tmp_path):
    """A drawing in inches, turned by 30 degrees, its GEODATA in a system of feet."""
    definition = """<?xml version="1.0" encoding="UTF-16" standalone="no" ?>
<Dictionary version="1.0" xmlns="http://www.osgeo.org/mapguide/coordinatesystem">
<ProjectedCoordinateSystem id="NC83F"><Name>NC83F</Name><Axis uom="Foot_US">
<CoordinateSystemAxis><AxisOrder>1</AxisOrder><AxisName>Easting</AxisName><AxisAbbreviation>E</AxisAbbreviation></CoordinateSystemAxis>
<CoordinateSystemAxis><AxisOrder>2</AxisOrder><AxisName>Northing</AxisName><AxisAbbreviation>N</AxisAbbreviation></CoordinateSystemAxis>
</Axis></ProjectedCoordinateSystem>
<Alias id="2264" type="CoordinateSystem"><ObjectId>NC83F</ObjectId><Namespace>EPSG Code</Namespace></Alias></Dictionary>"""
    doc = drawing(units=1)
    corners = [(100, 50), (100 + 3960, 50), (100 + 3960, 50 + 3168), (100, 50 + 3168)]
    doc.modelspace().add_lwpolyline(corners, close=True, dxfattribs=LOD)
    geodata = doc.modelspace().new_geodata()
    geodata.coordinate_system_definition = definition
    geodata.dxf.coordinate_type = 1
    geodata.dxf.design_point = Vec3(100, 50)
    geodata.dxf.reference_point = Vec3(X, Y)
    geodata.dxf.horizontal_unit_scale = 0.0254
    geodata.dxf.horizontal_units = 1
    geodata.dxf.north_direction = (math.sin(math.radians(30)), math.cos(math.radians(30)))
    plan, frame = read_plan([saved(doc, tmp_path)])
    (area,) = plan.of("disturbed_area")
    landed = shapely.get_coordinates(frame.unproject(area.geometry, georeference(NC)))
    far = 330 / (US_FOOT / 0.3048)  # inches are international, the system's feet are not
    # North is 30 degrees right of the sheet's top, so the sheet's right runs 30 degrees left of east.
    east = (X + far * math.cos(math.radians(30)), Y + far * math.sin(math.radians(30)))
    for wanted in ((X, Y), east):
        assert np.hypot(*(landed - wanted).T).min() < 0.01
    assert plan.sources[0].crs == "EPSG:2264"


def test_a_hatch_that_fills_a_closed_line_is_no_second_ground(tmp_path):
    doc = drawing()
    doc.modelspace().add_lwpolyline(SQUARE, close=True, dxfattribs=LOD)
    doc.modelspace().add_hatch(dxfattribs=LOD).paths.add_polyline_path(SQUARE, flags=1)
    other = [(x + 400, y) for x, y in SQUARE]
    doc.modelspace().add_hatch(dxfattribs=LOD).paths.add_polyline_path(other, flags=1)
    area, plan, _ = ground(doc, tmp_path)
    assert area == pytest.approx(2 * 330 * 264, rel=1e-6)
    assert [feature.id.split()[0] for feature in plan.of("disturbed_area")] == ["LWPOLYLINE", "HATCH"]
    assert "duplicate_features_merged" in codes(plan)


@pytest.mark.parametrize("words", ["COORDINATES ARE GROUND (SURFACE). COMBINED FACTOR 0.99988", "SUBTRACTED: N 700000"])
def test_a_note_on_ground_coordinates_is_told(words, tmp_path):
    doc = drawing()
    doc.modelspace().add_lwpolyline(SQUARE, close=True, dxfattribs=LOD)
    doc.modelspace().add_text(words, height=5, dxfattribs={"layer": "C-ANNO", "insert": (X, Y)})
    _, plan, _ = ground(doc, tmp_path)
    assert any(words[:20] in flag.text and "combined_factor" in flag.text for flag in plan.flags)


def test_what_the_manifest_says_of_a_layer_holds_for_its_entities(tmp_path):
    doc = drawing()
    for number in (1, 2):
        corners = [(x, y + 300 * number) for x, y in SQUARE]
        doc.modelspace().add_lwpolyline(corners, close=True, dxfattribs={"layer": f"C-LOD-PH{number}"})
    saved(doc, tmp_path)
    (tmp_path / "siteplan.toml").write_text(
        f'[drawing."plan.dxf"]\ncrs = "{NC}"\n'
        '[layer."C-LOD-PH1"]\nphase = "1"\nstart = 2025-04-01\nend = "2025-05-31"\nkind = "grading"\n'
    )
    plan, _ = read_plan([tmp_path / "plan.dxf"])
    one, two = plan.of("disturbed_area")
    assert (one.phase, str(one.start), str(one.end), one.kind) == ("1", "2025-04-01", "2025-05-31", "grading")
    assert (two.phase, two.start) == ("", None)


def test_a_text_in_a_closed_line_is_its_name(tmp_path):
    doc = drawing()
    for number in range(3):
        corners = [(x + 400 * number, y) for x, y in SQUARE]
        doc.modelspace().add_lwpolyline(corners, close=True, dxfattribs={"layer": "C-PROP-LOTS"})
        at = (X + 150 + 400 * number, Y + 100)
        doc.modelspace().add_text(f"LOT {number + 1}", height=5, dxfattribs={"layer": "C-PROP-LOTS-TEXT", "insert": at})
    doc.modelspace().add_text(
        "SEE NOTE 4", height=5, dxfattribs={"layer": "C-PROP-LOTS-TEXT", "insert": (X + 20, Y + 20)}
    )
    plan, _ = read_plan([saved(doc, tmp_path)])
    assert [lot.name for lot in plan.of("lot")] == ["", "LOT 2", "LOT 3"]


def test_a_grid_of_closed_lines_is_cells_with_their_labels(tmp_path):
    from siteplan_gis.pipeline import Inputs, measure_inputs

    doc = drawing()
    doc.modelspace().add_lwpolyline(SQUARE, close=True, dxfattribs=LOD)
    for row, letter in enumerate("AB"):
        for column in range(2):
            x, y = X + 200 * column, Y + 200 * row
            corners = [(x, y), (x + 200, y), (x + 200, y + 200), (x, y + 200)]
            doc.modelspace().add_lwpolyline(corners, close=True, dxfattribs={"layer": "C-GRID"})
            text = doc.modelspace().add_text(f"{letter}{column + 1}", height=8, dxfattribs={"layer": "C-GRID-TEXT"})
            text.set_placement((x + 100, y + 100))
    measured, _ = measure_inputs(Inputs((saved(doc, tmp_path),), assume_crs=NC))
    assert measured.values["grid_uncovered_acres"].value == pytest.approx(0, abs=1e-6)
    assert measured.values["grid_label_faults"].value == 0


def test_an_array_without_end_is_refused(tmp_path):
    doc = drawing()
    doc.blocks.new("NOTHING")
    doc.modelspace().add_blockref(
        "NOTHING", (X, Y), dxfattribs={"column_count": 32767, "row_count": 32767, "column_spacing": 1, "row_spacing": 1}
    )
    path = saved(doc, tmp_path)
    from siteplan_gis.ingest.cad import blocks

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_MOST_ENTITIES", 5000)
        with pytest.raises(InputError, match="unfold into more than 5,000"):
            read_cad(path, "plan.dxf")


def test_geodata_that_declares_entities_is_not_read(tmp_path):
    doc = drawing()
    doc.modelspace().add_lwpolyline(SQUARE, close=True, dxfattribs=LOD)
    geodata = doc.modelspace().new_geodata()
    geodata.coordinate_system_definition = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    _, plan, _ = ground(doc, tmp_path)
    assert any("declares entities" in flag.text for flag in plan.flags)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1e300])
def test_a_coordinate_that_is_no_place_is_set_aside_with_its_entity(bad, tmp_path):
    doc = drawing()
    doc.modelspace().add_lwpolyline(SQUARE, close=True, dxfattribs=LOD)
    doc.modelspace().add_line((X, Y), (X + 5, Y + 7), dxfattribs=LOD)
    text = saved(doc, tmp_path).read_text()
    line = text.rindex("AcDbLine")
    text = text[:line] + text[line:].replace(str(X + 5), str(bad), 1)
    (tmp_path / "plan.dxf").write_text(text)
    try:
        plan, _ = read_plan([tmp_path / "plan.dxf"], assume_crs=NC)
    except InputError as refused:
        told = str(refused)
    else:
        told = " ".join(flag.text for flag in plan.flags if flag.feature.startswith("LINE"))
        assert len(plan.of("disturbed_area")) == 1
    assert "LINE" in told or "finite" in told or "set aside" in told
