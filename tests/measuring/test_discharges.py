"""Discharges of a site: a second one to the same water, and the certain no of the straight line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from shapely import LineString, Point, box

from siteplan_gis.measuring.discharges import DATUM_DOUBT_M, certain, measure_discharges
from siteplan_gis.measuring.doubt import Followed, Target
from siteplan_gis.measuring.ground import shapes
from siteplan_gis.model.layers import ReferenceFeature, ReferenceLayer
from siteplan_gis.model.measurement import Discharge, Method
from siteplan_gis.model.plan import Plan, PlanFeature
from siteplan_gis.model.site import Site
from siteplan_gis.model.source import Source
from tests.measuring.test_drainage import FRAME, WINDOW, terrain

QUARTER_MILE = 1320 * 0.3048
NEAR = 12.0


def waters(*lines, coverage=WINDOW, accuracy_m=1.0):
    listed = tuple(
        ReferenceFeature(f"w{number}", "Mill Creek", "stream", "", line, "waters") for number, line in enumerate(lines)
    )
    source = Source("waters", "waters.fgb", accuracy_m=accuracy_m)
    return ReferenceLayer("waters", "waters", listed, WINDOW, coverage, True, source)


# --- two discharges to one water --------------------------------------------------------------------------------------


def valleys(*bottoms):
    """Ground that falls 3 % to the south, with a valley at each place."""

    def surface(x, y):
        return 100 + 0.03 * y + 0.08 * np.minimum.reduce([np.abs(x - bottom) for bottom in bottoms])

    return surface


def exits(ground, *outfalls, creek=((-190, -150), (190, -150))):
    """Names of the discharges of a site of 160 by 80 m to a creek 110 m below it, drawn ones first."""
    drawn = [PlanFeature("outfall", place, "plan/outfall", str(i), f"OF-{i}") for i, place in enumerate(outfalls, 1)]
    drawn.append(PlanFeature("disturbed_area", box(-80, -40, 80, 40), "plan/disturbed", "1"))
    plan = Plan("test", tuple(drawn), ())
    site = Site(FRAME, plan, {"waters": (waters(LineString(creek)),)}, terrain(ground), {})
    _, found = measure_discharges(site, shapes(plan), Method())
    return found


def test_a_second_concentrated_discharge_to_the_same_water_is_told():
    found = exits(valleys(-40, 40), Point(-40, -45))
    assert [each.drawn for each in found] == [True, False]
    assert found[1].receiving == found[0].receiving == "Mill Creek"
    assert found[1].start.distance(Point(40, -40)) < 5
    assert len(exits(valleys(-40, 40), Point(-40, -45), Point(40, -45))) == 2


@pytest.mark.parametrize(("beside", "told"), [(10.0, 1), (14.0, 1), (18.0, 2)])
def test_an_outfall_within_fifty_feet_of_the_runoff_shows_it(beside, told):
    found = exits(valleys(0), Point(beside, -150))
    assert len(found) == told


def test_an_outfall_below_on_the_same_path_shows_the_runoff_that_joins_it():
    assert [each.drawn for each in exits(valleys(0), Point(0, -120))] == [True]


def test_runoff_along_a_whole_side_is_no_second_discharge():
    found = exits(lambda _, y: 100 + 0.03 * y, Point(-40, -45))
    assert [each.drawn for each in found] == [True]


# --- the certain no ---------------------------------------------------------------------------------------------------


def asked(away_m, given, *, within=None):
    target = Target(Point(0, away_m), "Mill Creek", "water")
    start = Point(0, 0)
    lost = Discharge("OF-1", True, "", None, None, None, within, "closed_depression", start, None)
    done = certain(Followed(lost, None, None, start), [target], given, Method(), NEAR)
    return done.discharge.within_quarter_mile


@pytest.mark.parametrize(("beyond_m", "answer"), [(-0.01, None), (0.0, None), (0.01, False)])
def test_farther_than_a_quarter_mile_in_a_straight_line_is_a_certain_no(beyond_m, answer):
    assert Method().downstream_m == QUARTER_MILE
    away = QUARTER_MILE + NEAR + DATUM_DOUBT_M + beyond_m
    assert asked(away, [[waters()]]) is answer


def test_no_water_at_all_is_a_certain_no_only_where_the_maps_cover_the_circle():
    start = Point(0, 0)
    lost = Discharge("OF-1", True, "", None, None, None, None, "closed_depression", start, None)
    for radius, answer in ((QUARTER_MILE - 2.0, None), (QUARTER_MILE, False)):
        # A square around the circle; a little of the circle itself lies outside the smaller one.
        cover = box(-radius, -radius, radius, radius)
        done = certain(Followed(lost, None, None, start), [], [[waters(coverage=cover)], []], Method(), NEAR)
        assert done.discharge.within_quarter_mile is answer


def test_each_kind_of_map_must_cover_the_circle_but_several_may_share_it():
    west, east = box(-2000, -2000, 0, 2000), box(0, -2000, 2000, 2000)
    both = [waters(coverage=west), waters(coverage=east)]
    assert asked(900, [both, both]) is False
    assert asked(900, [both, both[:1]]) is None
    assert asked(900, [both[1:], both]) is None


@pytest.mark.parametrize("known", [True, False])
def test_an_answer_that_is_known_stays(known):
    assert asked(900, [[waters()]], within=known) is known


def test_nothing_is_certain_about_a_path_into_a_hollow_beside_uncovered_ground():
    """The whole of it: a kettle, and a map of waters that ends 300 m from the outfall."""

    def kettle(x, y):
        return 100 + 0.05 * np.hypot(x, y + 20)

    for cover, answer in ((WINDOW, False), (box(-300, -2000, 2000, 2000), None)):
        outfall = PlanFeature("outfall", Point(0, -20), "plan/outfall", "1", "OF-1")
        plan = Plan("test", (outfall, PlanFeature("disturbed_area", box(-10, -10, 10, 10), "plan/d", "1")), ())
        given = replace(waters(LineString([(1500, -900), (1500, 900)])), coverage=cover)
        site = Site(FRAME, plan, {"waters": (given,)}, terrain(kettle), {})
        _, (first, *_) = measure_discharges(site, shapes(plan), Method())
        assert first.within_quarter_mile is answer
        assert shapely.equals(first.start, Point(0, -20))


# --- barriers ---------------------------------------------------------------------------------------------------------


def dam(x, y):
    """A valley to the south with a road 8 m wide and 3 m high across it, 60 m south of the middle."""
    valley = 100 + 0.02 * y + 0.05 * np.abs(x)
    return np.where(np.abs(y + 60) <= 4, np.maximum(valley, 102.0), valley)


@pytest.mark.parametrize(
    ("away_m", "name", "said"),
    [(15.0, "County Road W", "at County Road W"), (15.0, "", "an unnamed road"), (22.0, "County Road W", None)],
)
def test_the_road_that_stops_a_path_is_named_with_its_place(away_m, name, said):
    outfall = PlanFeature("outfall", Point(0, 0), "plan/outfall", "1", "OF-1")
    road = PlanFeature("road", LineString([(-90, -60 - away_m), (90, -60 - away_m)]), "plan/road", "1", name)
    plan = Plan("test", (outfall, road, PlanFeature("disturbed_area", box(-10, -5, 10, 5), "plan/d", "1")), ())
    creek = waters(LineString([(-190, -150), (190, -150)]))
    _, (found, *_) = measure_discharges(
        Site(FRAME, plan, {"waters": (creek,)}, terrain(dam), {}), shapes(plan), Method()
    )
    assert found.ends_because == "barrier"
    assert found.within_quarter_mile is None
    assert found.barrier.distance(Point(0, -60)) < 5
    assert "ft south of where it starts" in found.explanation
    assert said in found.explanation if said else "road W" not in found.explanation
