"""Ways out of depressions: breaches up to a depth and a length, mapped lines through barriers, what keeps its water."""

from __future__ import annotations

import numpy as np
import pytest
from shapely import LineString, Point, box

from siteplan_gis.measures.runoff.conditioning import LINE, LONGEST_BREACH_M, SPILLS, TOO_DEEP, Scratch, breach
from siteplan_gis.measures.runoff.drainage_field import DEPRESSION, SINK, receivers
from siteplan_gis.measures.runoff.flow import BARRIER_M, condition_around, trace, trace_terrain
from siteplan_gis.measures.waterways.outlets import without_outlet

POND = box(-60, -290, 60, -260)
LENGTH, DEPTH = LONGEST_BREACH_M, BARRIER_M


def basin(x, y, *, dam_m, wide_m, far_sill_m):
    """A valley falling 2 % to the south, dammed at y = 0, with a ditch out of it over a sill 200 m to the east.

    The dam is `dam_m` high over the lowest ground and `wide_m` wide; the sill of the ditch is `far_sill_m` high.
    """
    floor = 100 + 0.02 * np.abs(y) * np.sign(y)
    valley = np.where(np.abs(x) < 6, floor, floor + 4)
    foot = 100.0
    z = np.where((y > -wide_m) & (y <= 0) & (np.abs(x) < 6), foot + dam_m, valley)
    ditch = (x > 0) & (x < 200) & (np.abs(y - 3) < 3)
    z = np.where(ditch, foot + 0.06 + (far_sill_m - 0.06) * np.clip(x / 190, 0, 1), z)
    return np.where((x >= 200) & (np.abs(y) < 60) & (x < 206), foot - 0.5 - 0.02 * (60 - y), z)


def runs_east(traced):
    return np.array(traced.path.coords)[:, 0].max() > 150


@pytest.mark.parametrize(("wide", "east"), [(LENGTH - 3, False), (LENGTH + 3, True)])
def test_a_longer_dam_sends_the_water_over_the_sill_far_away(ground, wide, east):
    grid = ground(lambda x, y: basin(x, y, dam_m=0.45, wide_m=wide, far_sill_m=0.37))
    traced = trace_terrain(grid, Point(0, 90), (), 330)
    assert runs_east(traced) == east
    assert traced.breached[0][1] == pytest.approx(0.37 if east else 0.45, abs=0.02)


def trough(length, high):
    """A pit, `length` - 1 cells of a dam `high` above it, and lower ground, between walls."""
    z = np.full((5, length + 9), 9.0)
    z[2, 4 : length + 5] = [1.0, *[1.0 + high] * (length - 1), 0.5]
    return z


@pytest.mark.parametrize(
    ("length", "high", "leads"),
    [(59, 0.5, True), (60, 0.5, True), (61, 0.5, False), (9, 0.4999, True), (9, 0.5, True), (9, 0.5001, False)],
)
def test_a_breach_just_below_at_and_above_its_limits(length, high, leads):
    z = trough(length, high)
    marks, spacing = np.zeros(z.shape, np.uint8), np.ones(5)
    start = 2 * z.shape[1] + 4
    how, end, water = breach(z, marks, spacing, spacing, start, 0.5, LENGTH, 1, *Scratch(z.shape).arrays[:5])
    assert (how, end) == ((SPILLS, start + length) if leads else (TOO_DEEP, start))
    assert water == (1 + high if leads else 1.0)


@pytest.mark.parametrize(("length", "high"), [(61, 0.5), (9, 3.0), (200, 3.0)])
def test_a_line_counts_in_neither_limit(length, high):
    z = trough(length, high)
    marks, spacing = np.zeros(z.shape, np.uint8), np.ones(5)
    start = 2 * z.shape[1] + 4
    marks[2, 6 : length + 4] = LINE
    found = breach(z, marks, spacing, spacing, start, 0.5, LENGTH, 1, *Scratch(z.shape).arrays[:5])
    # One cell of the dam lies before the line.
    assert found == ((SPILLS, start + length, 1.5) if high == 0.5 else (TOO_DEEP, start, 1.0))
    marks[2, 5] = LINE
    found = breach(z, marks, spacing, spacing, start, 0.5, LENGTH, 1, *Scratch(z.shape).arrays[:5])
    assert found == (SPILLS, start + length, 1.0)


@pytest.mark.parametrize(
    ("high", "ends"), [(DEPTH - 0.02, "farther_than_limit"), (DEPTH, "farther_than_limit"), (DEPTH + 0.02, "barrier")]
)
def test_a_breach_is_no_deeper_than_the_limit(ground, high, ends):
    traced = trace_terrain(
        ground(lambda x, y: basin(x, y, dam_m=high, wide_m=8, far_sill_m=2.0)), Point(0, 90), (), 200
    )
    assert traced.ends_because == ends
    if ends == "barrier":
        assert traced.depression_depth_m == pytest.approx(high, abs=0.01)


def test_water_shallower_than_the_barrier_height_fills_what_it_cannot_breach(ground):
    grid = ground(lambda x, y: basin(x, y, dam_m=3.0, wide_m=8, far_sill_m=0.37))
    traced = trace_terrain(grid, Point(0, 90), (), 330)
    assert runs_east(traced)
    assert traced.breached[0][1] == pytest.approx(0.37, abs=0.02)


# --- mapped lines -----------------------------------------------------------------------------------------------------


def fill(x, y, high=4.0):
    """A valley falling 2 % to the south behind a fill too high to breach."""
    return np.where(
        (y > -20) & (y <= 0),
        np.maximum(104.0 + high - 4, 100 + 0.02 * y + 0.05 * np.abs(x)),
        100 + 0.02 * y + 0.05 * np.abs(x),
    )


STREAM = LineString([(1, 150), (-1, 60), (2, 0), (-2, -40), (0, -250)])


@pytest.mark.parametrize("course", [STREAM, STREAM.reverse(), LineString([(4, 8), (4, -35)])])
def test_a_mapped_line_leads_through_a_fill_too_high_to_breach(ground, course):
    grid = ground(fill)
    assert trace_terrain(grid, Point(30, 120), [POND], 600).ends_because == "barrier"
    traced = trace_terrain(grid, Point(30, 120), [POND], 600, lines=[course])
    assert traced.reached == 0
    assert traced.led[0][1] == pytest.approx(4.0, abs=0.2)
    assert "led by a mapped line" in traced.explanation
    assert traced.breached == ()
    # Through the fill where the line lies, and down the bottom of the valley beside it.
    assert (
        traced.path.intersection(box(-300, -18, 300, -2)).hausdorff_distance(
            course.intersection(box(-300, -18, 300, -2))
        )
        < 4
    )


def test_a_line_that_leads_nowhere_lower_frees_nothing(ground):
    for line in (
        LineString([(0, 150), (0, 10)]),
        LineString([(100, 20), (100, -40)]),
        LineString([(-80, -10), (80, -10)]),
    ):
        assert trace_terrain(ground(fill), Point(30, 120), [POND], 600, lines=[line]).ends_because == "barrier"


def test_the_field_of_receivers_honours_the_same_lines(ground):
    grid, behind = ground(fill), Point(0, 40)
    for lines, passes in (((), False), ((STREAM,), True)):
        near = condition_around(grid, Point(0, 0), lines=lines)
        field = receivers(near, BARRIER_M)
        col, row = (int(v) for v in near.pixels(behind).coords[0])
        at = row * near.z_m.shape[1] + col
        while field.receiver[at] >= 0:
            at = int(field.receiver[at])
        y = near.placed(Point(at % near.z_m.shape[1] + 0.5, at // near.z_m.shape[1] + 0.5)).y
        assert (y < -200) == passes
        assert (field.ended_by[at] == DEPRESSION) != passes


# --- what keeps its water ---------------------------------------------------------------------------------------------


def kettle(x, y):
    """A kettle 0.4 m deep, so shallow that water would be carried through, on a slope of 2 % to the south."""
    away = np.hypot(x, y)
    return np.where(away < 40, 99.2 - 0.4 * (1 - away / 40), 100 + 0.02 * y)


KETTLE = Point(0, 0).buffer(38)


def test_a_mapped_kettle_keeps_its_water_whose_rim_is_low(ground):
    grid = ground(kettle)
    assert trace_terrain(grid, Point(0, 90), [POND], 600).reached == 0
    traced = trace_terrain(grid, Point(0, 90), [POND], 600, sinks=[box(200, 0, 210, 9), KETTLE])
    assert (traced.ends_because, traced.reached, traced.sink) == ("closed_depression", None, 1)
    assert Point(traced.path.coords[-1]).distance(KETTLE.boundary) < 2
    assert "that a map shows" in traced.explanation


def test_a_water_that_is_also_a_sink_is_reached(ground):
    traced = trace_terrain(ground(kettle), Point(0, 90), [KETTLE], 600, sinks=[KETTLE])
    assert (traced.reached, traced.sink) == (0, None)


def test_a_start_in_a_sink_goes_nowhere(ground, home):
    traced = trace_terrain(ground(kettle), home, [POND], 600, sinks=[KETTLE])
    assert (traced.ends_because, traced.length_m) == ("closed_depression", pytest.approx(0, abs=1))


def test_a_deep_kettle_is_left_only_by_a_mapped_outlet(ground):
    def deep(x, y):
        away = np.hypot(x, y)
        return np.where(away < 60, 92 + 0.08 * away, 97 - 0.02 * (away - 60))

    grid, outlet = ground(deep), LineString([(0, -5), (3, -60), (0, -280)])
    assert trace_terrain(grid, Point(30, 20), [POND], 600).ends_because == "closed_depression"
    # The outlet drains no ground lower than the kettle's bottom before the pond.
    traced = trace_terrain(grid, Point(30, 20), [POND], 600, lines=[outlet])
    assert traced.reached == 0
    assert traced.led[0][1] == pytest.approx(4.8, abs=0.3)


def test_the_field_of_receivers_keeps_what_sinks_gather(ground):
    near = condition_around(ground(kettle), Point(0, 0), sinks=[KETTLE])
    field = receivers(near, BARRIER_M)
    col, row = (int(v) for v in near.pixels(Point(0, 90)).coords[0])
    at = row * near.z_m.shape[1] + col
    while field.receiver[at] >= 0:
        at = int(field.receiver[at])
    assert field.ended_by[at] == SINK


# --- waters without an outlet -----------------------------------------------------------------------------------------

LAKE = box(0, 0, 100, 80)


@pytest.mark.parametrize(
    ("line", "closed"),
    [
        (LineString([(300, 40), (90, 40)]), True),
        (LineString([(90, 40), (300, 40)]), False),
        (LineString([(-200, 40), (300, 40)]), False),
        (LineString([(10, 10), (90, 70)]), True),
        (LineString([(104.9, 40), (300, 40)]), False),
        (LineString([(105.1, 40), (300, 40)]), True),
        (LineString([(0, -20), (300, -20)]), True),
    ],
    ids=["in", "out", "through", "inside", "from near by", "from farther", "past"],
)
def test_a_water_has_an_outlet_where_a_line_leads_away(line, closed):
    assert without_outlet([LAKE], [line], 5.0).tolist() == [closed]


def test_a_line_of_unknown_direction_may_lead_away():
    inflow = LineString([(300, 40), (90, 40)])
    assert without_outlet([LAKE, Point(0, 0)], [inflow], 5.0, [False]).tolist() == [False, False]
    assert without_outlet([LAKE], [], 5.0).tolist() == [True]


def test_the_path_after_a_line_goes_on_from_lower_ground(ground):
    """On the far side of a fill the path is again the valley's own."""
    near = condition_around(ground(fill), Point(0, 0), lines=[STREAM])
    traced = trace(near, Point(0, 120), [POND], 600)
    assert traced.length_m == pytest.approx(380, rel=0.03)
