"""Discharges of a site: a second one to the same water, and the certain no of the straight line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from shapely import LineString, Point, box

from siteplan_gis.measures.runoff.ground import condition_around
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


# --- mapped sinks, ponds and lines of a review ------------------------------------------------------------------------


def layer_of(role, kind, *shapes, accuracy_m=1.0, name=""):
    listed = tuple(ReferenceFeature(f"{role}{i}", name, kind, "", shape, role) for i, shape in enumerate(shapes))
    return ReferenceLayer(role, role, listed, WINDOW, WINDOW, True, Source(role, "f.fgb", accuracy_m=accuracy_m))


def followed(ground, outfall, layers, *drawn, half_m=200):
    """The discharge of one outfall, and the codes of what was flagged."""
    features = [PlanFeature(role, shape, f"plan/{role}", "1", name) for role, shape, name in drawn]
    plan = Plan("test", (PlanFeature("outfall", outfall, "plan/outfall", "1", "OF-1"), *features), ())
    site = Site(FRAME, plan, layers, terrain(ground, half_m), {})
    taken, found = measure_discharges(site, shapes(plan), Method())
    return found[0], {flag.code for flag in taken.flags}


def south(x, y):
    return 100 + 0.03 * y + 0.06 * np.abs(x)


CREEK = {"waters": (waters(LineString([(-190, -150), (190, -150)])),)}
OUT = Point(0, 60)


def test_runoff_ends_in_a_mapped_sink_and_its_name_is_told():
    for shape in (Point(4, -50), box(-20, -70, 20, -50)):
        layers = {**CREEK, "flowlines": (layer_of("flowlines", "sink", shape, accuracy_m=6.0, name="Devils Kettle"),)}
        found, codes = followed(south, OUT, layers)
        assert (found.ends_because, found.within_quarter_mile) == ("closed_depression", None)
        assert "Devils Kettle" in found.explanation
        assert "depression_closed" in codes
    # As far from it as its map may be wrong.
    for away, reached in ((5.5, False), (6.5, True)):
        layers = {**CREEK, "flowlines": (layer_of("flowlines", "sink", Point(away + 0.5, -50), accuracy_m=6.0),)}
        found, _ = followed(south, OUT, layers)
        assert (found.receiving == "Mill Creek") == reached


def test_a_pond_of_the_plan_without_an_outlet_ends_the_path():
    pond = box(-20, -60, 20, -40)
    found, _ = followed(south, OUT, CREEK, ("pond", pond, "Basin 2"))
    assert (found.ends_because, found.within_quarter_mile) == ("closed_depression", None)
    assert "Basin 2" in found.explanation
    for away, ends in ((7.0, "reached_water"), (8.0, "closed_depression")):
        sewer = LineString([(0, -60 - away), (0, -120)])
        found, _ = followed(south, OUT, CREEK, ("pond", pond, "Basin 2"), ("storm_sewer", sewer, ""))
        assert found.ends_because == ends


def test_a_pond_that_an_outfall_lies_at_is_run_over():
    found, _ = followed(south, Point(0, -40), CREEK, ("pond", box(-20, -60, 20, -40), ""))
    assert found.receiving == "Mill Creek"


def test_a_mapped_line_leads_the_runoff_of_a_review_through_a_fill():
    def fill(x, y):
        valley = 100 + 0.03 * y + 0.05 * np.abs(x)
        return np.where(np.abs(y) < 6, np.maximum(valley, 104.0), valley)

    outfall, stream = Point(45, 60), LineString([(1, 40), (-1, -40)])
    stopped, _ = followed(fill, outfall, CREEK)
    assert (stopped.ends_because, stopped.within_quarter_mile) == ("barrier", None)
    for role, layers, drawn in (
        ("flowlines", {**CREEK, "flowlines": (layer_of("flowlines", "ditch", stream),)}, ()),
        ("storm_sewer", CREEK, (("storm_sewer", stream, ""),)),
    ):
        found, codes = followed(fill, outfall, layers, *drawn)
        assert found.receiving == "Mill Creek", role
        assert "line_through_barrier" in codes
    supply = {**CREEK, "flowlines": (layer_of("flowlines", "pipeline", stream),)}
    assert followed(fill, outfall, supply)[0].ends_because == "barrier"


# --- the rim of what was read -----------------------------------------------------------------------------------------


def test_where_the_elevations_go_on_unread_nothing_is_told_of_the_length(monkeypatch):
    def narrow(grid, around, *settings, **more):
        return condition_around(grid, around, 100.0, *settings, **more)

    creek = {"waters": (waters(LineString([(-190, -290), (190, -290)])),)}
    found, _ = followed(south, OUT, creek, half_m=500)
    assert (found.receiving, found.flow_distance_m) == ("Mill Creek", pytest.approx(350, abs=3))
    monkeypatch.setattr("siteplan_gis.measuring.conduits.condition_around", narrow)
    monkeypatch.setattr("siteplan_gis.measures.runoff.widening.Widening.widen", lambda _: False)
    found, codes = followed(south, OUT, creek, half_m=500)
    assert (found.ends_because, found.within_quarter_mile) == ("leaves_elevation_data", None)
    assert found.plus_minus_m is None
    assert "go on" in found.explanation
    assert "trace_leaves_elevation" in codes
