"""Sheets of drawings: scales of viewports on the paper as plotted, and which of them shows the site map."""

import ezdxf
import pytest

from siteplan_gis.ingest.plan.vectors import read_plan
from siteplan_gis.pipeline import Inputs, measure_inputs

X, Y = 2050000.0, 750000.0
SITE = [(X, Y), (X + 1200, Y), (X + 1200, Y + 900), (X, Y + 900)]
MIDDLE = (X + 600, Y + 450)
NC = "EPSG:2264"


def drawing(units=21):
    doc = ezdxf.new("R2010", units=units)
    doc.header["$MEASUREMENT"] = 0
    doc.layers.add("C-PROP-LINE")
    doc.modelspace().add_lwpolyline(SITE, close=True, dxfattribs={"layer": "C-PROP-LINE"})
    return doc


def sheet(doc, name="C-1", size=(36, 24), units="inch", plot_scale=(1, 1)):
    layout = doc.layouts.new(name)
    layout.page_setup(size=size, margins=(0, 0, 0, 0), units=units, scale=plot_scale)
    return layout


def window(layout, at, size, scale, middle=MIDDLE, **more):
    return layout.add_viewport(
        at, size, view_center_point=middle, view_height=size[1] * scale, status=2, dxfattribs=more
    )


def sheets_of(doc, tmp_path, **options):
    doc.saveas(tmp_path / "plan.dxf")
    plan, _ = read_plan([tmp_path / "plan.dxf"], **({"assume_crs": NC} | options))
    return {one.number: one for one in plan.sheets}


def told(one):
    return [(round(item.feet_per_inch, 3), item.subject) for item in one.evidence if item.kind == "viewport"]


@pytest.mark.parametrize("scale", [20, 60, 100, 200])
def test_feet_to_the_inch_of_a_viewport(scale, tmp_path):
    doc = drawing()
    window(sheet(doc), (14, 12), (26, 22), scale)
    found = sheets_of(doc, tmp_path)["C-1"]
    assert told(found) == [(scale, "site_map")]
    assert (found.width_in, found.height_in) == pytest.approx((36, 24))


def test_paper_in_millimetres_and_ground_in_metres(tmp_path):
    """1:600 is 50 feet to the inch, whatever the units."""
    doc = ezdxf.new("R2010", units=6)
    metres = [((x - X) * 0.3 + 650000, (y - Y) * 0.3 + 200000) for x, y in SITE]
    doc.modelspace().add_lwpolyline(metres, close=True, dxfattribs={"layer": "C-PROP-LINE"})
    window(sheet(doc, size=(841, 594), units="mm"), (400, 300), (700, 500), 0.6, (650180, 200135))
    found = sheets_of(doc, tmp_path, assume_crs="EPSG:32119")["C-1"]
    assert told(found) == [(50, "site_map")]
    assert found.width_in == pytest.approx(841 / 25.4)


def test_a_sheet_plotted_at_half_size_has_twice_the_feet_to_the_inch(tmp_path):
    doc = drawing()
    window(sheet(doc, size=(18, 12), plot_scale=(1, 2)), (14, 12), (26, 22), 60)
    assert told(sheets_of(doc, tmp_path)["C-1"]) == [(120, "site_map")]


def test_a_sheet_plotted_to_fit_tells_no_scale(tmp_path):
    doc = drawing()
    layout = sheet(doc)
    window(layout, (14, 12), (26, 22), 60)
    layout.dxf_layout.dxf.plot_layout_flags |= 16
    layout.dxf_layout.dxf.standard_scale_type = 0
    found = sheets_of(doc, tmp_path)["C-1"]
    assert told(found) == []
    assert any("to fit" in note for note in found.notes)


def test_the_vicinity_map_is_told_from_the_site_map(tmp_path):
    doc = drawing()
    layout = sheet(doc)
    window(layout, (14, 12), (26, 22), 60)
    window(layout, (32, 20), (6, 6), 2000)
    layout.add_text("VICINITY MAP", height=0.2, dxfattribs={"insert": (31, 16.6)})
    assert told(sheets_of(doc, tmp_path)["C-1"]) == [(60, "site_map"), (2000, "location")]


def test_a_coarse_site_map_is_not_spared_because_it_calls_itself_a_location_map_beside_nothing_better(tmp_path):
    """A detail of a corner at 20 ft to the inch does not turn the whole site's map at 200 into a vicinity map."""
    doc = drawing()
    window(sheet(doc), (14, 12), (26, 22), 200)
    window(sheet(doc, "C-2"), (14, 12), (4, 4), 20, (X + 40, Y + 40))
    found = sheets_of(doc, tmp_path)
    assert told(found["C-1"]) == [(200, "site_map")]
    doc.layouts.get("C-1").add_text("LOCATION MAP", height=0.2, dxfattribs={"insert": (13, 12)})
    assert told(sheets_of(doc, tmp_path)["C-1"])[0][1] == "location"
    measured, _ = measure_inputs(Inputs((tmp_path / "plan.dxf",), assume_crs=NC))
    assert measured.values["feet_per_inch[plan C-2]"].value == pytest.approx(20)


def test_a_viewport_that_looks_elsewhere_or_where_the_site_is_frozen_is_a_detail(tmp_path):
    doc = drawing()
    layout = sheet(doc)
    window(layout, (14, 12), (20, 18), 60)
    window(layout, (30, 20), (6, 4), 10, (X + 9000, Y))
    frozen = window(layout, (30, 8), (6, 4), 30)
    frozen.frozen_layers = ["C-PROP-LINE"]
    assert told(sheets_of(doc, tmp_path)["C-1"]) == [(60, "site_map"), (10, "detail"), (30, "detail")]


def test_a_viewport_that_looks_aslant_or_is_switched_off_tells_nothing(tmp_path):
    doc = drawing()
    layout = sheet(doc)
    window(layout, (14, 12), (20, 18), 60)
    aslant = window(layout, (30, 20), (6, 4), 60)
    aslant.dxf.view_direction_vector = (1, 1, 1)
    window(layout, (30, 8), (6, 4), 60, flags=0x20000)
    found = sheets_of(doc, tmp_path)["C-1"]
    assert told(found) == [(60, "site_map")]
    assert any("straight down" in note for note in found.notes)


def test_a_turned_view_sees_what_it_sees(tmp_path):
    doc = drawing()
    layout = sheet(doc)
    turned = window(layout, (14, 12), (26, 22), 60)
    turned.dxf.view_twist_angle = 90
    # In a view turned by 90 degrees the view's own axes are the ground's, turned: (x, y) is seen at (-y, x).
    turned.dxf.view_center_point = (-MIDDLE[1], MIDDLE[0])
    assert told(sheets_of(doc, tmp_path)["C-1"]) == [(60, "site_map")]


def test_a_survey_foot_sheet_of_100_feet_to_the_inch_is_one_of_100(tmp_path):
    doc = drawing()
    window(sheet(doc), (14, 12), (26, 22), 100)
    measured, _ = (sheets_of(doc, tmp_path), None)
    assert measured["C-1"].evidence[0].feet_per_inch == 100.0


def test_without_a_unit_no_scale_is_told(tmp_path):
    doc = drawing(units=0)
    window(sheet(doc), (14, 12), (26, 22), 60)
    doc.saveas(tmp_path / "plan.dxf")
    from siteplan_gis.ingest.cad.model_space import read_cad

    (layer, *_) = read_cad(tmp_path / "plan.dxf", "plan.dxf")
    assert layer.cad.unit_m is None
    assert [one.scale for one in layer.layouts[0].viewports] == pytest.approx([1 / 60])
    assert told(sheets_of(doc, tmp_path)["C-1"]) == [(60, "site_map")]  # the given system's unit


def test_words_of_the_sheet_are_read(tmp_path):
    doc = drawing()
    layout = sheet(doc)
    window(layout, (14, 12), (26, 22), 60)
    for words, x, y, height in (
        ("GRADING PLAN", 29, 4, 0.3), ("SCALE: 1\" = 50'", 29, 3.5, 0.15), ("CONTOUR INTERVAL: 2 FT", 29, 3, 0.15),
    ):  # fmt: skip
        layout.add_text(words, height=height, dxfattribs={"insert": (x, y)})
    found = sheets_of(doc, tmp_path)["C-1"]
    assert (found.shows, found.title, found.contour_interval_ft) == ("final", "GRADING PLAN", 2)
    assert [item.feet_per_inch for item in found.evidence if item.kind == "stated"] == [50]


def test_a_sheet_of_details_is_spared_and_its_title_spares_no_site_map(tmp_path):
    doc = drawing()
    for name, with_site in (("C-5", False), ("C-6", True)):
        layout = sheet(doc, name)
        layout.add_text("CONSTRUCTION DETAILS", height=0.3, dxfattribs={"insert": (29, 4)})
        if with_site:
            window(layout, (14, 12), (26, 22), 200)
    found = sheets_of(doc, tmp_path)
    assert found["C-5"].shows == "detail"
    assert (found["C-6"].shows, told(found["C-6"])) == ("", [(200, "site_map")])


def test_a_sheet_measured_in_pixels_tells_no_scale(tmp_path):
    doc = drawing()
    layout = sheet(doc)
    window(layout, (14, 12), (26, 22), 60)
    layout.dxf_layout.dxf.plot_paper_units = 2
    assert told(sheets_of(doc, tmp_path)["C-1"]) == []
