"""Elevations of drawn contours: which of the ways to tell them was used, and what contradicts itself."""

from datetime import date

import ezdxf
import pytest

from siteplan_gis.ingest.plan.vectors import read_plan
from siteplan_gis.ordinances.reader import read_ordinance
from siteplan_gis.pipeline import Inputs, measure_inputs
from siteplan_gis.reviewing import judge

X, Y = 2050000.0, 750000.0
NC = "EPSG:2264"


def drawing(units=21):
    doc = ezdxf.new("R2010", units=units)
    doc.header["$MEASUREMENT"] = 0
    return doc


def course(number):
    return [(X, Y + 25 * number), (X + 100, Y + 25 * number + 3), (X + 200, Y + 25 * number)]


def contours(doc, levels, layer="V-TOPO", **more):
    for number, level in enumerate(levels):
        attributes = {"layer": layer.format(level=level), **({"elevation": level} if "{" not in layer else {}), **more}
        doc.modelspace().add_lwpolyline(course(number), dxfattribs=attributes)
    return doc


def text(doc, words, number, layer="V-TOPO-TEXT", dy=3.0, dx=100.0):
    at = (X + dx, Y + 25 * number + dy)
    added = doc.modelspace().add_text(words, height=4, dxfattribs={"layer": layer})
    added.set_placement(at, align=ezdxf.enums.TextEntityAlignment.MIDDLE_CENTER)


def read(doc, tmp_path, **options):
    doc.saveas(tmp_path / "topo.dxf")
    plan, _ = read_plan([tmp_path / "topo.dxf"], **({"assume_crs": NC} | options))
    levels = [None if f.elevation_m is None else round(f.elevation_m / 0.3048, 6) for f in plan.of("contour_existing")]
    return levels, plan


def sources(plan):
    return [flag.text for flag in plan.flags if flag.code == "contour_elevation_source"]


def odd(plan_or_measured):
    return [flag.text for flag in plan_or_measured.flags if flag.code == "contour_level_odd"]


def test_heights_of_three_dimensional_polylines(tmp_path):
    doc = drawing()
    for number in range(4):
        line = [(x, y, 700.0 + 2 * number) for x, y in course(number)]
        doc.modelspace().add_polyline3d(line, dxfattribs={"layer": "V-TOPO"})
    sloping = [(x + 400, y, 700.0 + place) for place, (x, y) in enumerate(course(0))]
    doc.modelspace().add_polyline3d(sloping, dxfattribs={"layer": "V-TOPO"})
    levels, plan = read(doc, tmp_path)
    assert levels == [700, 702, 704, 706, None]
    assert sources(plan) == ["elevations of 4 lines from heights of the lines"]
    assert "contour_elevation_missing" in {flag.code for flag in plan.flags}


@pytest.mark.parametrize("tags", [[(1040, 702.0)], [(1000, "ELEVATION"), (1040, 702.0)], [(1000, "ELEV=702.0")]])
def test_extended_data(tags, tmp_path):
    doc = drawing()
    doc.appids.add("CONTOUR_ELEV")
    line = doc.modelspace().add_lwpolyline(course(0), dxfattribs={"layer": "V-TOPO"})
    line.set_xdata("CONTOUR_ELEV", tags)
    levels, plan = read(doc, tmp_path)
    assert levels == [702]
    assert sources(plan) == ["elevations of 1 lines from extended data"]


def test_the_name_of_the_layer(tmp_path):
    levels, plan = read(contours(drawing(), [700, 702, 704, 706], "EX-CONTOUR-{level}"), tmp_path)
    assert levels == [700, 702, 704, 706]
    assert all("layer names" in source for source in sources(plan))


def test_an_interval_in_the_name_of_a_layer_is_no_level(tmp_path):
    levels, _ = read(contours(drawing(), [2, 10], "EX-CONTOUR-{level}"), tmp_path)
    assert levels == [None, None]


def test_texts_on_the_line_beside_it_and_in_its_gap(tmp_path):
    doc = contours(drawing(), [0, 0, 0])
    text(doc, "700", 0)
    text(doc, "702'", 1, dy=3.0 + 4)
    text(doc, "EL. 704.0", 2)
    for west, east in ((0, 90), (110, 200)):
        doc.modelspace().add_lwpolyline([(X + west, Y + 75), (X + east, Y + 75)], dxfattribs={"layer": "V-TOPO"})
    text(doc, "706", 3, dy=0)
    text(doc, '8" PVC', 1, dx=150)
    text(doc, "705.3", 2, layer="V-SPOT", dx=150)
    levels, plan = read(doc, tmp_path)
    assert levels == [700, 702, 704, 706, 706]
    assert sources(plan) == ["elevations of 5 lines from text labels"]


def test_a_text_labels_the_pieces_that_join_its_line(tmp_path):
    doc = drawing()
    for west in (0, 100, 200):
        doc.modelspace().add_line((X + west, Y), (X + west + 100, Y), dxfattribs={"layer": "V-TOPO"})
    text(doc, "700", 0, dx=50, dy=0)
    assert read(doc, tmp_path)[0] == [700, 700, 700]


def test_texts_that_contradict_each_other_tell_nothing(tmp_path):
    doc = contours(drawing(), [0])
    text(doc, "700", 0, dx=50, dy=1.5)
    text(doc, "710", 0, dx=150, dy=1.5)
    assert read(doc, tmp_path)[0] == [None]


def test_a_text_that_is_not_its_lines_height_is_named(tmp_path):
    doc = contours(drawing(), [700, 702, 704])
    text(doc, "720", 1)
    text(doc, "704", 2)
    levels, plan = read(doc, tmp_path)
    assert levels == [700, 702, 704]
    (told,) = odd(plan)
    assert "lies at 702, its text says 720" in told


@pytest.mark.parametrize(
    ("units", "crs", "factor"), [(6, "EPSG:32119", 1.0), (21, NC, 0.3048), (2, NC, 0.3048), (1, None, 0.0254)]
)
def test_heights_count_in_the_drawings_unit_and_texts_in_feet_or_metres(units, crs, factor, tmp_path):
    doc = ezdxf.new("R2010", units=units)
    scale = 12 if units == 1 else 1
    for number in range(3):
        line = [
            (650000 + 100 * scale, 200000 + 25 * scale * number),
            (650300 + 100 * scale, 200000 + 25 * scale * number),
        ]
        if crs == NC:
            line = [(X, Y + 25 * number), (X + 300, Y + 25 * number)]
        doc.modelspace().add_lwpolyline(
            line, dxfattribs={"layer": "V-TOPO", "elevation": 700 * scale + 2 * scale * number}
        )
    doc.saveas(tmp_path / "topo.dxf")
    plan, _ = read_plan([tmp_path / "topo.dxf"], assume_crs=crs)
    levels = [feature.elevation_m for feature in plan.of("contour_existing")]
    assert levels == pytest.approx([(700 + 2 * number) * factor * scale for number in range(3)])


def test_contours_that_exist_and_that_are_proposed_are_kept_apart(tmp_path):
    doc = contours(drawing(), [700, 702, 704, 706, 708])
    for number in range(5):
        line = [(x + 400, y) for x, y in course(number)]
        attributes = {"layer": "C-TOPO-MINR-N", "elevation": 700.5 + number}
        doc.modelspace().add_lwpolyline(line, dxfattribs=attributes)
    doc.saveas(tmp_path / "topo.dxf")
    measured, site = measure_inputs(Inputs((tmp_path / "topo.dxf",), assume_crs=NC))
    assert measured.values["contour_interval_ft"].value == pytest.approx(2)
    assert measured.values["contour_count"].value == 5
    assert len(site.plan.of("contour_proposed")) == 5


@pytest.mark.parametrize("wrong", [7040.0, 70.4, 7.04])
def test_a_digit_too_many_or_too_few_is_named_and_does_not_count(wrong, tmp_path):
    doc = contours(drawing(), [700, 702, wrong, 706, 708, 710, 712, 714])
    doc.saveas(tmp_path / "topo.dxf")
    measured, _ = measure_inputs(Inputs((tmp_path / "topo.dxf",), assume_crs=NC))
    values = measured.values
    assert values["contour_interval_ft"].value == pytest.approx(2)
    assert (values["contour_elevation_min_ft"].value, values["contour_elevation_max_ft"].value) == pytest.approx(
        (700, 714)
    )
    assert values["contour_missing_levels"].value == 1
    assert any("typing errors" in told and f"{wrong:.2f}"[:4] in told.replace(",", "") for told in odd(measured))


def test_two_digits_swapped_are_named(tmp_path):
    levels = [708, 710, 712, 714, 716, 718, 720, 722, 724, 726, 728, 730, 732]
    levels[2] = 721 + 1  # 712 typed as 722
    doc = contours(drawing(), levels)
    doc.saveas(tmp_path / "topo.dxf")
    measured, _ = measure_inputs(Inputs((tmp_path / "topo.dxf",), assume_crs=NC))
    assert measured.values["contour_interval_ft"].value == pytest.approx(2)
    (told,) = [told for told in odd(measured) if "lines around them" in told]
    assert "at 722" in told
    assert told.startswith("1 lines")


def test_supplementary_lines_on_flat_ground_do_not_hide_the_interval_elsewhere(tmp_path):
    doc = contours(drawing(), [700, 701, 702, 703, 704, 706, 708, 710, 712, 714, 716])
    doc.saveas(tmp_path / "topo.dxf")
    measured, _ = measure_inputs(Inputs((tmp_path / "topo.dxf",), assume_crs=NC))
    assert measured.values["contour_interval_ft"].value in (pytest.approx(1), pytest.approx(2))
    assert measured.values["contour_coarsest_interval_ft"].value == pytest.approx(2)
    assert measured.values["contour_missing_levels"].value == 0


def test_labels_on_index_contours_alone_make_the_interval_doubtful_not_wrong(tmp_path):
    """Eleven lines at height zero, every fifth labelled: 10 ft between the labelled, 2 ft between all."""
    doc = contours(drawing(), [0] * 11)
    for number in (0, 5, 10):
        text(doc, str(700 + 2 * number), number)
    doc.modelspace().add_lwpolyline(
        [(X, Y), (X + 200, Y), (X + 200, Y + 250), (X, Y + 250)], close=True, dxfattribs={"layer": "C-LOD"}
    )
    doc.saveas(tmp_path / "topo.dxf")
    measured, site = measure_inputs(Inputs((tmp_path / "topo.dxf",), assume_crs=NC))
    assert measured.values["contour_interval_ft"].value == pytest.approx(10)
    assert measured.values["contour_interval_ft"].plus_minus == pytest.approx(10)
    review = judge(site, read_ordinance("saukville"), date(2025, 3, 20))
    (finding,) = [one for one in review.findings if (one.rule.id, one.subject) == ("SAU-CONTOUR", "contours")]
    assert finding.status == "needs_review"
    assert "no readable level" in finding.message
