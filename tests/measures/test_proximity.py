from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from geographiclib.geodesic import Geodesic
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import LineString, MultiPoint, Point, Polygon, box

from siteplan_gis.frame import Frame
from siteplan_gis.measures.shapes.proximity import nearby, nearest, part_within, shown_on_plan
from siteplan_gis.model.layers import ReferenceFeature
from siteplan_gis.units import MILE_M

SITE = box(-50, -50, 50, 50)


def _feature(identity, geometry, name=""):
    return ReferenceFeature(identity, name, "pond", "39004", geometry, "waters")


def _east(distance_m, identity=""):
    return _feature(identity or str(distance_m), Point(50 + distance_m, 0))


def test_a_mile_is_counted_just_below_at_and_not_just_above():
    found = nearby(SITE, [_east(MILE_M - 0.001), _east(MILE_M), _east(MILE_M + 0.001)], MILE_M)
    assert [feature.id for feature in found] == [str(MILE_M - 0.001), str(MILE_M)]


def test_no_ground_is_lost_between_the_corners_of_a_circle():
    # A buffer of 8 segments a quarter is 7.75 m short halfway between its corners.
    angle = math.pi / 32
    point = Point(MILE_M * math.cos(angle) * 0.9999, MILE_M * math.sin(angle) * 0.9999)
    assert len(nearby(Point(0, 0), [_feature("p", point)], MILE_M)) == 1
    assert not Point(0, 0).buffer(MILE_M, quad_segs=8).contains(point)


def test_distance_is_between_edges_and_zero_inside():
    pond = _feature("p", box(150, -10, 160, 10))
    around = _feature("a", box(-1000, -1000, 1000, 1000))
    found = nearby(SITE, [pond, around], MILE_M)
    assert [(feature.id, feature.distance_m) for feature in found] == [("a", 0.0), ("p", 100.0)]


def test_equally_near_features_are_ordered_by_name_then_id():
    ponds = [_feature("2", Point(100, 0), "B"), _feature("3", Point(-100, 0), "A"), _feature("1", Point(0, 100), "B")]
    assert [feature.id for feature in nearby(SITE, ponds, 100)] == ["3", "1", "2"]
    assert nearest(SITE, ponds).id == "3"
    assert nearest(SITE, ponds[::-1]).id == "3"


def test_nothing_near_nothing():
    assert nearby(SITE, [], MILE_M) == ()
    assert nearest(SITE, []) is None
    assert nearest(Polygon(), [_east(1)]) is None
    assert nearby(Polygon(), [_east(1)], MILE_M) == ()
    assert nearest(SITE, [_feature("e", Point())]) is None


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-3000, 3000), st.floats(-3000, 3000)), min_size=1, max_size=20),
    st.floats(0, 2000),
)
def test_the_tree_finds_what_every_distance_finds(places, within_m):
    ponds = [_feature(str(i), Point(xy)) for i, xy in enumerate(places)]
    by_hand = {pond.id for pond in ponds if pond.geometry.distance(SITE) <= within_m * (1 + 1e-9)}
    assert {feature.id for feature in nearby(SITE, ponds, within_m)} == by_hand
    assert nearest(SITE, ponds).distance_m == min(pond.geometry.distance(SITE) for pond in ponds)


def test_distances_are_those_of_the_ellipsoid():
    frame, earth = Frame(-89.5, 44.2), Geodesic(6_378_137.0, 1 / 298.257222101)
    origin = Point(frame.from_lonlat(np.array([[-89.51, 44.19]]))[0])
    for azimuth in range(0, 360, 30):
        for length in (50.0, MILE_M, 8_000.0):
            end = earth.Direct(44.19, -89.51, azimuth, length)
            there = Point(frame.from_lonlat(np.array([[end["lon2"], end["lat2"]]]))[0])
            assert nearest(origin, [_feature("p", there)]).distance_m == pytest.approx(length, rel=1e-6)


# --- drawn or not ----------------------------------------------------------------------------------------------------

CREEK = LineString([(0, 0), (1000, 0)])


@pytest.mark.parametrize(("end", "shown"), [(0.0, False), (785.0, False), (784.7 + 0.5, True), (1000.0, True)])
def test_a_creek_is_shown_when_four_fifths_of_it_are_drawn(end, shown):
    # The drawn line reaches sqrt(15.24^2 - 2^2) = 15.1 m beyond its end.
    end = end if shown else end - 0.5
    drawn = [LineString([(0, 2), (end, 2)])] if end > 0 else [Point(0, 2)]
    result = shown_on_plan(CREEK, drawn, 15.24)
    assert result.shown is shown
    assert result.share == pytest.approx(min((max(end, 0.0) + 15.108) / 1000, 1), abs=1e-3)


def test_a_line_drawn_elsewhere_shows_nothing():
    assert shown_on_plan(CREEK, [LineString([(0, 16), (1000, 16)])], 15.24) == (False, 0.0)
    assert shown_on_plan(CREEK, [LineString([(0, 15), (1000, 15)])], 15.24) == (True, 1.0)
    assert shown_on_plan(CREEK, [], 15.24) == (False, 0.0)
    assert shown_on_plan(CREEK, [LineString()], 15.24) == (False, 0.0)


def test_pieces_of_a_drawing_add_up():
    pieces = [LineString([(x, 0), (x + 200, 0)]) for x in range(0, 1000, 200)]
    assert shown_on_plan(CREEK, pieces, 5) == (True, 1.0)
    assert shown_on_plan(CREEK, pieces[:3], 5).share == pytest.approx(0.605)


def test_a_lake_is_shown_by_its_area_or_by_its_shore():
    lake = box(0, 0, 500, 500)
    assert shown_on_plan(lake, [lake.exterior], 15.24) == (True, 1.0)
    assert shown_on_plan(lake, [box(5, 5, 495, 495)], 15.24) == (True, 1.0)
    assert not shown_on_plan(lake, [box(0, 0, 100, 500)], 15.24).shown
    assert not shown_on_plan(lake, [Point(250, 250)], 15.24).shown


def test_points_are_shown_by_number():
    assert shown_on_plan(Point(0, 0), [box(10, 0, 20, 10)], 10) == (True, 1.0)
    assert shown_on_plan(Point(0, 0), [box(10.01, 0, 20, 10)], 10) == (False, 0.0)
    assert shown_on_plan(MultiPoint([(0, 0), (500, 0)]), [Point(0, 5)], 10) == (False, 0.5)


def test_only_the_part_within_the_mile_has_to_be_drawn():
    river = LineString([(-10_000, 100), (10_000, 100)])
    part = part_within(river, SITE, MILE_M)
    # Half a chord of a mile round the site: 50 + sqrt(mile^2 - 50^2) each way.
    assert part.length == pytest.approx(2 * (50 + math.sqrt(MILE_M**2 - 50**2)), rel=1e-3)
    drawn = [LineString([(-1_700, 100), (1_700, 100)])]
    assert shown_on_plan(part, drawn, 15.24).shown
    assert not shown_on_plan(river, drawn, 15.24).shown
    assert shapely.length(part_within(river, box(0, 5_000, 10, 5_010), MILE_M)) == 0
