"""Paths against surfaces whose fall lines are known on paper; the window against the whole; runs that agree or not."""

from __future__ import annotations

import numpy as np
import pytest
from shapely import LineString, Point, Polygon, box

from siteplan_gis.measures.runoff.descent import descend
from siteplan_gis.measures.runoff.ensemble import repeat
from siteplan_gis.measures.runoff.flow import condition_around, trace

QUARTER_MILE = 402.336
COURSES = np.radians(np.arange(0, 360, 30) + 7.5)
EDGE = "leaves_elevation_data"


def course(angle):
    return np.array([np.sin(angle), np.cos(angle)])


@pytest.mark.parametrize("cell", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("angle", COURSES[::2])
def test_plane(ground, cell, angle):
    fall = course(angle)
    near = condition_around(
        ground(lambda x, y: 100 - 0.05 * (x * fall[0] + y * fall[1]), half_m=280, cell=(cell, cell)), Point(0, 0)
    )
    traced = trace(near, Point(-200 * fall), (), QUARTER_MILE)
    end = np.array(traced.path.coords[-1])
    assert traced.length_m == pytest.approx(np.hypot(*(end + 200 * fall)), rel=1e-4)
    assert np.hypot(*(end - 202.336 * fall)) < 0.01 * cell


@pytest.mark.parametrize("cell", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("sign", [1, -1], ids=["down a hill", "into a hollow"])
def test_cone(ground, cell, sign):
    near = condition_around(
        ground(lambda x, y: 100 - sign * 0.1 * np.hypot(x, y), half_m=480, cell=(cell, cell)), Point(0, 0)
    )
    for angle in COURSES:
        # The error of the first steps grows with the distance from the top.
        begins, limit = (20 * cell, 250) if sign > 0 else (450, 400)
        traced = trace(near, Point(begins * course(angle)), (), limit)
        wanted = (begins + sign * limit) * course(angle)
        assert np.hypot(*(np.array(traced.path.coords[-1]) - wanted)) < cell
        assert traced.length_m == pytest.approx(limit, rel=0.01)


@pytest.mark.parametrize(("begins", "off"), [(20.0, 0.2), (6.0, 1.0)])
def test_a_cone_from_near_its_top(ground, begins, off):
    """What the first steps err, a path down a cone errs twenty times, or seventy times, at its end."""
    rng = np.random.default_rng(2)
    for angle in np.radians([0.5, 30.5, 44.5, 91.0, 200.0, 315.5]):
        top = rng.uniform(-1, 1, 2)
        near = condition_around(
            ground(lambda x, y, top=top: 100 - 0.1 * np.hypot(x - top[0], y - top[1]), half_m=450), Point(0, 0)
        )
        traced = trace(near, Point(top + begins * course(angle)), (), QUARTER_MILE)
        wanted = top + (begins + QUARTER_MILE) * course(angle)
        assert np.hypot(*(np.array(traced.path.coords[-1]) - wanted)) < off


@pytest.mark.parametrize("cell", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("angle", COURSES[::3])
def test_valley(ground, cell, angle):
    along, aside = course(angle), course(angle + np.pi / 2)

    def surface(x, y):
        return 100 - 0.02 * (x * along[0] + y * along[1]) + 0.05 * np.abs(x * aside[0] + y * aside[1])

    near = condition_around(ground(surface, half_m=300, cell=(cell, cell)), Point(0, 0))
    traced = trace(near, Point(-200 * along), (), QUARTER_MILE)
    end = np.array(traced.path.coords[-1])
    assert traced.length_m == pytest.approx((end + 200 * along) @ along, rel=0.01)
    assert np.hypot(*(end - 202.336 * along)) < cell


@pytest.mark.parametrize("cell", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("angle", COURSES[::3])
def test_into_a_valley_from_its_side(ground, cell, angle):
    along, aside = course(angle), course(angle + np.pi / 2)

    def surface(x, y):
        return 100 - 0.02 * (x * along[0] + y * along[1]) + 0.05 * np.abs(x * aside[0] + y * aside[1])

    near = condition_around(ground(surface, half_m=300, cell=(cell, cell)), Point(0, 0))
    traced = trace(near, Point(-200 * along + 60 * aside), (), QUARTER_MILE)
    end = np.array(traced.path.coords[-1])
    # 60 m across and 24 m along on the side, then along the thalweg.
    true = np.hypot(60, 24) + end @ along + 176
    assert traced.length_m == pytest.approx(true, rel=0.01)
    assert abs(traced.length_m - true) <= traced.plus_minus_m
    assert abs(end @ aside) < cell


@pytest.mark.parametrize("cell", [1.0, 3.0, 10.0])
def test_noise_makes_no_way_longer_than_its_doubt(ground, cell):
    errors = []
    for seed, angle in enumerate(COURSES[::3]):
        fall, rng = course(angle), np.random.default_rng(seed)
        grid = ground(
            lambda x, y, fall=fall, rng=rng: 100 - 0.05 * (x * fall[0] + y * fall[1]) + rng.normal(0, 0.1, x.shape),
            half_m=280,
            cell=(cell, cell),
        )
        traced = trace(condition_around(grid, Point(0, 0)), Point(-200 * fall), (), QUARTER_MILE)
        true = float((np.array(traced.path.coords[-1]) + 200 * fall) @ fall)
        assert abs(traced.length_m - true) <= traced.plus_minus_m
        errors.append(traced.length_m / true - 1)
    assert max(errors) < 0.01


@pytest.mark.parametrize("degrees", [15.5, 335.5])
def test_a_valley_between_the_middles_of_coarse_cells_is_no_row_of_ponds(ground, degrees):
    """Sides of 10 % rise half a metre in half a cell of 10 m: the grid alone makes such dams, and noise adds."""
    rng = np.random.default_rng(0)
    along, aside = course(np.radians(degrees)), course(np.radians(degrees + 90))

    def surface(x, y):
        clean = 100 - 0.01 * (x * along[0] + y * along[1]) + 0.1 * np.abs(x * aside[0] + y * aside[1])
        return clean + rng.normal(0, 0.1, x.shape)

    near = condition_around(ground(surface, half_m=480, cell=(10.0, 10.0)), Point(0, 0))
    traced = trace(near, Point(-200 * along + 60 * aside), (), QUARTER_MILE)
    assert traced.ends_because == "farther_than_limit"


@pytest.mark.parametrize(("high_m", "ends"), [(1.1, "reached"), (1.4, "barrier")])
def test_a_barrier_over_a_coarse_valley_is_one_where_it_is_higher_than_the_grid_makes_it(ground, high_m, ends):
    """Sides of 10 %, cells of 10 m: ponds 0.55 m and 0.85 m deep, of which the grid may make half a metre."""

    def surface(x, y):
        valley = 100 + 0.01 * y + 0.1 * np.abs(x - 1)
        return np.where(np.abs(y + 100) < 9, np.maximum(valley, 99.1 + high_m), valley)

    near = condition_around(ground(surface, half_m=400, cell=(10.0, 10.0)), Point(0, 0))
    assert trace(near, Point(1, 20), [box(-200, -250, 200, -240)], QUARTER_MILE).ends_because == ends


def test_a_shallow_pond_is_crossed_at_its_surface(ground):
    """Not down to its bottom and up again."""

    def surface(x, y):
        return 100 + 0.02 * y - np.clip(0.4 - 0.02 * np.hypot(x - 25, y), 0, None)

    traced = trace(condition_around(ground(surface, half_m=200), Point(0, 0)), Point(6, 80), (), 150)
    assert len(traced.breached) <= 1
    # Straight to the dent's edge, along the parabola r - y = 13.8 to its axis, and straight on: 150 m for 140.45.
    assert traced.length_m / traced.straight_m == pytest.approx(1.068, abs=0.01)


def test_a_window_gives_the_path_of_the_whole_or_says_that_it_ends(ground):
    """Nothing outside a window changes a path that never meets its edge: neither by falling there nor by flooding."""
    rng = np.random.default_rng(8)
    frequency = np.hypot(np.fft.fftfreq(600)[:, None], np.fft.rfftfreq(600)[None])
    frequency[0, 0] = 1
    relief = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((600, 600))) * frequency**-2.2, s=(600, 600))
    rough = relief / relief.std() * 3 + rng.normal(0, 0.03, (600, 600))
    grid = ground(lambda x, _: rough[: x.shape[0], : x.shape[1]])
    whole = condition_around(grid, Point(0, 0), 900)
    cut = same = 0
    window = condition_around(grid, Point(0, 0), 220)
    for start in (Point(xy) for xy in rng.uniform(-60, 60, (300, 2))):
        known = trace(whole, start, (), 200, 3.0)
        traced = trace(window, start, (), 200, 3.0)
        if traced.ends_because == EDGE or (traced.depth_at_least and traced.ends_because == "closed_depression"):
            cut += 1
            continue
        same += 1
        assert traced.ends_because == known.ends_because
        assert traced.path is None or traced.path.equals_exact(known.path, 1e-6)
    assert cut + same == 300
    assert same >= 100


def test_runs_agree_on_a_slope_and_not_on_a_divide(ground):
    west, east = box(-120, -200, -100, 200), box(100, -200, 120, 200)
    near = condition_around(ground(lambda x, y: 100 - 0.03 * np.abs(x) + 0 * y), Point(0, 0))
    slope, divide = repeat(near, [Point(30, 0), Point(0.2, 0)], [west, east], 300, 0.1, 0.5, 0.0)
    assert {run.reached for run in slope} == {1}
    assert all(run.length_m == pytest.approx(70, abs=10) for run in slope)
    assert {run.reached for run in divide} == {0, 1}
    again, _ = repeat(near, [Point(30, 0), Point(0.2, 0)], [west, east], 300, 0.1, 0.5, 0.0)
    assert [run.length_m for run in again] == [run.length_m for run in slope]


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_length_or_a_place_that_is_no_number_is_no_way_past_the_water(ground, monkeypatch, number):
    near = condition_around(ground(lambda x, y: 100 - 0.03 * x + 0 * y), Point(0, 0))
    pond = box(50, -50, 80, 50)
    with monkeypatch.context() as lost:
        lost.setattr(Polygon, "distance", lambda *_: np.nan)
        with pytest.raises(ValueError, match="no number"):
            repeat(near, [Point(0, 0)], [pond], 402, 0.05, 0.5, 0.0)
    # A compiled loop would look it up beside the elevations, which ends the program.
    with pytest.raises(ValueError, match="not among"):
        descend(near, near.goal([pond], 0.0), number, 5.0, 402, 0.5)


def test_half_of_the_runs_assume_a_culvert_under_a_road(ground):
    def surface(x, y):
        valley = 100 + 0.02 * y + 0.05 * np.abs(x)
        return np.where(np.abs(y + 100) <= 4, np.maximum(valley, 101), valley)

    pond = box(-30, -220, 30, -200)
    near = condition_around(ground(surface), Point(0, 0))
    (runs,) = repeat(near, [Point(0, 0)], [pond], 402, 0.05, 0.5, 0.0)
    assert [run.reached for run in runs] == [None, 0] * 10
    assert {run.ends_because for run in runs[::2]} == {"barrier"}


def test_the_barrier_is_named_with_its_place(ground):
    def surface(x, y):
        valley = 100 + 0.02 * y + 0.05 * np.abs(x)
        return np.where(np.abs(y + 100) <= 4, np.maximum(valley, 101 + 0.1 * (4 - np.abs(y + 100))), valley)

    traced = trace(condition_around(ground(surface), Point(0, 0)), Point(0, 0), (), 402)
    assert traced.barrier.distance(LineString([(-5, -100), (5, -100)])) < 2
