"""Runoff that comes over the ground to a mapped line that is no counted water is led along it, and this is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from shapely import LineString, Point

from siteplan_gis.model.layers import ReferenceFeature
from tests.measuring.test_discharges import QUARTER_MILE, followed, layer_of, waters


def to_the_south(_, y):
    """A slope of 3 % without any valley."""
    return 100 + 0.03 * y


FAR_CREEK = {"waters": (waters(LineString([(120, -190), (120, 190)])),)}


def met(*ditches, creek=FAR_CREEK, ground=to_the_south, kind="ditch", role="flowlines", start=(0, 150)):
    """The discharge of an outfall whose runoff comes to ditches."""
    layer = layer_of(role, kind, *ditches)
    layers = {**creek, role: (*creek.get(role, ()), layer)}
    return followed(ground, Point(start), layers)


DITCH = LineString([(-60, 50), (119.9, 50)])
"""It runs across the slope, 100 m below the outfall, and to the creek 120 m to the east."""


@pytest.mark.parametrize("ditch", [DITCH, DITCH.reverse()], ids=["drawn down", "drawn up"])
def test_runoff_that_meets_a_ditch_is_led_along_it(ditch):
    """Drawn against the flow, the ground tells the way: the ditch falls to the east."""
    found, codes = met(ditch, ground=lambda x, y: 100 + 0.03 * y - 0.012 * x + 0 * x)
    assert found.receiving == "Mill Creek"
    over = found.start.distance(DITCH)
    assert found.flow_distance_m == pytest.approx(over + 120, rel=0.25)
    assert shapely.intersection(found.path, DITCH.buffer(0.01)).length > 70
    assert found.within_quarter_mile is True
    assert "mapped ditch" in found.explanation
    assert "mapped_line_followed" in codes
    assert found.runs_agreeing == found.runs == 20


def test_where_the_ground_is_silent_a_ditch_is_followed_as_it_is_drawn():
    found, _ = met(DITCH)
    assert (found.receiving, found.within_quarter_mile) == ("Mill Creek", True)
    assert found.flow_distance_m == pytest.approx(100 + 120, abs=2)
    away, codes = met(DITCH.reverse())
    # To the ditch's end in the west, and from there down the slope on, off the elevations.
    assert (away.receiving, away.ends_because) == ("", "leaves_elevation_data")
    assert away.path.distance(Point(-60, 50)) < 0.01
    assert away.path.coords[-1] == pytest.approx((-60, -200), abs=5)
    assert "mapped_line_followed" in codes


@pytest.mark.parametrize(("kind", "led"), [("artificial_path", True), ("stream", True), ("underground", False), ("pipeline", False)])  # fmt: skip
def test_open_lines_take_runoff_and_buried_ones_do_not(kind, led):
    found, codes = met(DITCH, kind=kind)
    assert ("mapped_line_followed" in codes) == led
    assert (found.receiving == "Mill Creek") == led


def test_an_artificial_path_in_the_layer_of_the_waters_leads_too():
    path = ReferenceFeature("a1", "", "artificial_path", "55800", DITCH, "waters")
    creek = FAR_CREEK["waters"][0]
    found, codes = followed(
        to_the_south, Point(0, 150), {"waters": (replace(creek, features=(*creek.features, path)),)}
    )
    assert found.receiving == "Mill Creek"
    assert "mapped_line_followed" in codes


@pytest.mark.parametrize(("gap_m", "reached"), [(19.5, True), (20.5, False)])
def test_a_small_gap_in_the_ditch_is_bridged_and_flagged(gap_m, reached):
    found, codes = met(LineString([(-60, 50), (40, 50)]), LineString([(40 + gap_m, 50), (119.9, 50)]))
    assert (found.receiving == "Mill Creek") == reached
    assert ("network_gap_bridged" in codes) == reached
    if reached:
        assert found.flow_distance_m == pytest.approx(220, abs=2)


def test_both_branches_of_a_divergence_are_followed():
    fork = (40, 50)
    south, east = LineString([fork, (40, -100)]), LineString([fork, (119.9, 50)])
    found, _ = met(LineString([(-60, 50), fork]), south, east)
    assert (found.receiving, found.within_quarter_mile) == ("Mill Creek", True)
    assert found.flow_distance_m == pytest.approx(220, abs=2)


def test_a_ditch_is_followed_for_a_quarter_mile_and_no_farther():
    """100 m down the slope and 120 m or 500 m along the ditch: on either side of a quarter mile."""
    for bends, within in ((0, True), (24, False)):
        turns = [(x, 50 + 10 * (i % 2)) for i, x in enumerate(np.linspace(0, 119.9, 2 * bends + 2))]
        ditch = LineString([(-60, 50), *turns])
        found, _ = met(ditch)
        assert (found.flow_distance_m < QUARTER_MILE) == within
        assert found.within_quarter_mile is within


def test_a_ditch_beside_a_counted_water_is_that_water():
    """The same stream on two maps, 5 m apart: the path over the ground reaches it."""
    creek = {"waters": (waters(LineString([(-190, 0), (190, 0)])),)}
    found, codes = met(LineString([(-190, 5), (190, 5)]), creek=creek, kind="stream", start=(0, 90))
    assert found.receiving == "Mill Creek"
    assert found.flow_distance_m == pytest.approx(90, abs=2)
    assert "mapped_line_followed" not in codes


def test_where_a_ditch_ends_runoff_goes_on_over_the_ground():
    """The ditch ends in a field, 60 m above the creek."""
    creek = {"waters": (waters(LineString([(-190, -10), (190, -10)])),)}
    found, _ = met(LineString([(-60, 50), (40, 50)]), creek=creek)
    assert (found.receiving, found.within_quarter_mile) == ("Mill Creek", True)
    assert found.flow_distance_m == pytest.approx(100 + 40 + 60, abs=4)
    assert found.runs_agreeing == 20
    assert "from their end on over the ground" in found.explanation


def test_where_ditch_and_ground_lead_to_different_answers_it_is_the_reviewers():
    """The ditch leads around the creek's end and off the map; the ground alone leads across it to the creek."""
    creek = {"waters": (waters(LineString([(-30, 20), (30, 20)])),)}
    found, _ = met(LineString([(-60, 50), (90, 50), (90, -180)]), creek=creek)
    assert (found.receiving, found.within_quarter_mile) == ("", None)
    assert len(found.rivals) >= 1
    assert "down the ground alone" in found.explanation
    assert "Mill Creek" in found.explanation
