"""Shapes of a few inches, which no map shows, do not count as drawn."""

import sys
from pathlib import Path

import pytest
import shapely
from shapely import LineString, Point, box

from siteplan_gis.ingest.plan.dots import PEN_M, without_dots
from siteplan_gis.ingest.plan.vectors import read_plan
from siteplan_gis.model.plan import PlanFeature

sys.path.insert(0, str(Path(__file__).parent))
from plans import FOOT, X, Y, geojson, rectangle
from plans import feature as drawn

ANY_WHERE = 12.5


def kept(role, *shapes):
    features = [PlanFeature(role, shape, "plan/it", str(number)) for number, shape in enumerate(shapes)]
    left, flags = without_dots(features)
    assert len(left) + len(flags) == len(shapes)
    assert {flag.code for flag in flags} <= {"feature_too_small"}
    return [int(item.id) for item in left]


def test_the_limit_is_the_line_of_a_pen_on_a_map_of_100_ft_to_the_inch():
    assert pytest.approx(0.0005 * 100 * 12) == PEN_M


@pytest.mark.parametrize(("length_m", "stays"), [(0.0254, False), (0.599, False), (0.6, True), (0.601, True)])
@pytest.mark.parametrize("role", ["drainage_pattern", "control", "surface_water", "street_work", "pipe_work", "road"])
def test_a_line_shorter_than_a_pen_is_wide_is_not_drawn(role, length_m, stays):
    assert kept(role, LineString([(ANY_WHERE, 0), (ANY_WHERE, length_m)])) == [0] * stays


@pytest.mark.parametrize(("side_m", "stays"), [(0.1, False), (0.42, False), (0.7, True)])
@pytest.mark.parametrize("role", ["stockpile", "lot", "disturbed_area", "site", "infiltration", "structure", "wetland"])
def test_an_area_smaller_than_a_pens_dot_is_not_drawn(role, side_m, stays):
    assert kept(role, box(0, 0, side_m, side_m)) == [0] * stays


@pytest.mark.parametrize(("width_m", "stays"), [(0.05, False), (0.59, False), (0.61, True)])
def test_an_area_that_is_a_line_is_no_pile_pad_or_lot(width_m, stays):
    for role in ("stockpile", "entrance", "lot", "stabilization", "pond"):
        assert kept(role, box(0, 0, 80, width_m)) == [0] * stays
    for role in ("disturbed_area", "control", "street_work"):  # a trench, a fence drawn as an area, a trench
        assert kept(role, box(0, 0, 80, width_m)) == [0]


def test_pieces_of_one_thing_are_not_dots():
    curve = [LineString([(step / 10, 0), ((step + 1) / 10, 0)]) for step in range(12)]
    assert kept("control", *curve) == list(range(12))
    assert kept("drainage_pattern", *curve[:4]) == []
    tail = LineString([(30, 0), (30.1, 0)])
    assert kept("control", LineString([(0, 0), (30, 0)]), tail) == [0, 1]
    assert kept("control", LineString([(0, 0), (29, 0)]), tail) == [0]
    strips = [box(0, step / 4, 20, (step + 1) / 4) for step in range(4)]
    assert kept("stabilization", *strips) == [0, 1, 2, 3]
    assert kept("stabilization", *strips[:2]) == []


def test_a_dot_of_one_role_is_no_piece_of_another():
    arrow = PlanFeature("drainage_pattern", LineString([(0, 0), (0.1, 0)]), "plan/a", "1")
    road = PlanFeature("road", LineString([(0, 0), (50, 0)]), "plan/r", "1")
    assert without_dots([arrow, road])[0] == [road]


def test_symbols_contours_and_grids_stay():
    assert kept("control", Point(0, 0)) == [0]
    for role in ("outfall", "inlet", "contour_existing", "grid", "surface_proposed"):
        assert kept(role, box(0, 0, 0.1, 0.1)) == [0]
    assert kept("road", shapely.Polygon()) == [0]


def test_a_plan_tells_of_the_dots_that_it_draws(tmp_path):
    geojson(tmp_path / "site.geojson", drawn([rectangle(X, Y, 300, 300)]))
    geojson(tmp_path / "stockpile.geojson", drawn([rectangle(X + 50, Y + 50, 0.3, 0.3)]))
    plan, _ = read_plan((tmp_path,))
    assert {item.role for item in plan.features} == {"site"}
    (flag,) = (flag for flag in plan.flags if flag.code == "feature_too_small")
    assert "stockpile of 0.42 ft" in flag.text
    assert FOOT * 0.42 < PEN_M


def test_days_that_are_not_read_are_told(tmp_path):
    days = {"OPEN": "after Easter", "CLOSED": "31/5/2026"}
    path = tmp_path / "disturbed.geojson"
    geojson(
        path, drawn([rectangle(X, Y, 300, 300)], **days), drawn([rectangle(X, Y, 300, 300)], OPEN="5/1/2026", CLOSED="")
    )
    (tmp_path / "siteplan.toml").write_text(
        '[roles]\ndisturbed = "disturbed_area"\n[layer."disturbed"]\nstart_field = "OPEN"\nend_field = "CLOSED"\n'
    )
    plan, _ = read_plan((tmp_path,))
    told = [flag.text for flag in plan.flags if flag.code == "date_unreadable"]
    assert [text.split(":")[0] for text in told] == ["OPEN is 'after Easter'", "CLOSED is '31/5/2026'"]
