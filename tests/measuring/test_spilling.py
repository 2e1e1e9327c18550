"""A path that stops in a closed depression: the way over its rim is told and drawn; the reviewer decides."""

from __future__ import annotations

import numpy as np
import pytest
from shapely import LineString, Point, box

from tests.measuring.test_discharges import followed, layer_of, waters

CREEK = {"waters": (waters(LineString([(-190, -150), (190, -150)])),)}


def bowl(depth_m):
    """A slope of 3 % to the south with a round hollow in it, so deep below the lowest place of its rim."""

    def surface(x, y):
        away = np.hypot(x, y)
        return np.where(away < 40, 100 + 0.03 * -40 - depth_m * (1 - away / 40), 100 + 0.03 * y + 0.02 * np.abs(x))

    return surface


def test_a_deep_hollow_ends_the_path_and_its_spill_is_the_rival():
    found, codes = followed(bowl(4.0), Point(0, 90), CREEK)
    assert (found.ends_because, found.within_quarter_mile, found.receiving) == ("closed_depression", None, "")
    # Every run agrees that it stops: that water may spill over the rim is said all the same.
    assert (found.runs_agreeing, found.runs) == (20, 20)
    assert "If the depression fills, its water spills" in found.explanation
    assert "reaches Mill Creek after" in found.explanation
    assert found.rivals[0].distance(Point(0, -150)) < 30
    assert found.path.distance(Point(0, 0)) < 3
    assert "depression_closed" in codes


def test_the_spill_beyond_a_quarter_mile_is_told_without_a_water():
    far = {"waters": (waters(LineString([(-110, -270), (-100, -270)])),)}
    found, _ = followed(bowl(4.0), Point(0, 90), far, half_m=900)
    assert "goes on beyond the quarter mile without reaching a water" in found.explanation
    assert found.within_quarter_mile is None


def test_a_mapped_sink_does_not_spill():
    layers = {**CREEK, "flowlines": (layer_of("flowlines", "sink", box(-20, -20, 20, 20), name="Devils Kettle"),)}
    found, _ = followed(bowl(4.0), Point(0, 90), layers)
    assert "Devils Kettle" in found.explanation
    assert "spills" not in found.explanation
    assert found.rivals == ()


@pytest.mark.parametrize(("depth_m", "ends"), [(0.25, "reached_water"), (0.75, "closed_depression")])
def test_between_breach_and_fill_the_runs_differ_and_the_answer_is_the_reviewers(depth_m, ends):
    """A hollow deeper than half a metre stops the path, and two of four runs spill over what is less than a metre."""
    found, _ = followed(bowl(depth_m), Point(0, 90), CREEK)
    assert found.ends_because == ends
    if ends == "reached_water":
        assert found.within_quarter_mile is True
        assert found.runs_agreeing >= 0.95 * found.runs
        return
    assert 0 < found.runs_agreeing < 0.95 * found.runs
    assert found.within_quarter_mile is None
    assert "reach Mill Creek" in found.explanation
    # The way over the rim, and that of a run: both to the creek.
    assert all(rival.distance(Point(0, -150)) < 1 for rival in found.rivals[:2])
