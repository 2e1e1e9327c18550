"""Repair keeps every drawn lobe: areas on paper, and random rectilinear rings counted cell by cell."""

from itertools import pairwise

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Polygon

from siteplan_gis.ingest.repair import as_drawn, repair_polygon, winding_number

FOOT = 0.3048
ACRE = 43_560 * FOOT**2


def ring(*corners, closed=True):
    corners = [*corners, corners[0]] if closed else list(corners)
    return np.array(corners, dtype=float)


def box(x0, y0, x1, y1, *, clockwise=False):
    corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    return ring(*(reversed(corners) if clockwise else corners))


def repaired(*parts):
    result = repair_polygon(parts)
    assert result.geometry.is_valid
    assert result.geometry.geom_type in ("Polygon", "MultiPolygon")
    return result


SHELL = box(0, 0, 100, 100)


@pytest.mark.parametrize("clockwise", [False, True])
@pytest.mark.parametrize(
    ("parts", "area", "word"),
    [
        ([[ring((0, 0), (4, 4), (4, 0), (0, 4))]], 8, "self-intersection"),  # bow-tie, lobes of 4
        (
            [[ring((0, 0), (2, 0), (2, 2), (4, 2), (4, 4), (2, 4), (2, 2), (0, 2))]],
            8,
            "touches",
        ),  # figure-eight at a point
        ([[ring((0, 0), (10, 0), (10, 10), (5, 10), (5, 20), (5, 10), (0, 10))]], 100, "runs over itself"),  # spike out
        ([[ring((0, 0), (5, 0), (5, 5), (5, 0), (10, 0), (10, 10), (0, 10))]], 100, "runs over itself"),  # spike in
        (
            [[ring((0, 0), (4, 0), (4, 4), (0, 4), (0, 0), (4, 0), (4, 4), (0, 4))]],
            16,
            "runs over itself",
        ),  # wound twice
        ([[SHELL, box(20, 20, 40, 40)]], 9600, ""),
        ([[SHELL, box(200, 0, 210, 10)]], 10_100, "outside its shell"),
        ([[SHELL, box(90, 0, 110, 10)]], 9900, "crosses the edge"),  # the part inside is a hole, the rest no ground
        ([[SHELL, box(20, 20, 60, 60), box(40, 40, 80, 80)]], 10_000 - 2800, "holes cross"),  # holes overlap
        ([[SHELL, box(20, 20, 60, 60), box(20, 20, 60, 60)]], 8400, "stored twice"),
        ([[SHELL, box(20, 20, 60, 60), box(30, 30, 40, 40)]], 8500, "island"),
        ([[box(20, 20, 60, 60), SHELL]], 8400, "out of order"),
        ([[SHELL], [box(50, 50, 150, 150)]], 17_500, "parts overlap"),
        ([[SHELL], [box(20, 20, 40, 40)]], 10_000, "inside another part"),
        ([[SHELL], [SHELL]], 10_000, "inside another part"),
        ([[SHELL], [box(100, 0, 200, 100)]], 20_000, "touch along a line"),
        ([[SHELL, box(20, 20, 60, 60)], [box(30, 30, 40, 40)]], 8500, ""),  # an island stored as its own part
    ],
)
def test_every_drawn_lobe_is_kept_once(parts, area, word, clockwise):
    turned = [[one[::-1] if clockwise else one for one in part] for part in parts]
    result = repaired(*turned)
    assert result.geometry.area == pytest.approx(area, rel=1e-12)
    assert word in " ".join(result.problems)
    assert bool(result.problems) == bool(word)


@pytest.mark.parametrize("hole_clockwise", [False, True])
@pytest.mark.parametrize("shell_clockwise", [False, True])
def test_a_hole_is_a_hole_whichever_way_it_winds(shell_clockwise, hole_clockwise):
    shell = box(0, 0, 100, 100, clockwise=shell_clockwise)
    hole = box(20, 20, 60, 60, clockwise=hole_clockwise)
    broken = ring((0, 0), (100, 0), (100, 100), (120, 100), (100, 100), (0, 100))  # the same shell with a spike
    for outer in (shell, broken[::-1] if shell_clockwise else broken):
        assert repaired([outer, hole]).geometry.area == pytest.approx(8400)


def test_a_hole_drawn_along_a_bridge_stays_a_hole():
    keyhole = ring((0, 0), (10, 0), (10, 10), (0, 10), (0, 5), (3, 5), (3, 7), (7, 7), (7, 3), (3, 3), (3, 5), (0, 5))
    assert repaired([keyhole]).geometry.area == pytest.approx(100 - 16)


def test_a_star_wound_through_its_middle_keeps_its_middle():
    points = [(np.cos(a), np.sin(a)) for a in np.radians(90 + 144 * np.arange(5))]
    # Pentagram of circumradius 1: ten triangles around the middle, area 10 * 1/2 * 1 * r * sin 36, r = cos 72 / cos 36.
    inner = np.cos(np.radians(72)) / np.cos(np.radians(36))
    assert repaired([ring(*points)]).geometry.area == pytest.approx(5 * inner * np.sin(np.radians(36)))


def test_areas_before_and_after_are_told():
    bow_tie = ring((0, 0), (4 * FOOT, 4 * FOOT), (4 * FOOT, 0), (0, 4 * FOOT)) * 100
    text = repaired([bow_tie]).text
    assert "self-intersection: a ring crosses" in text
    assert "0.0000 acres as stored" in text
    assert f"{80_000 / 43_560:.4f} acres" in text


@pytest.mark.parametrize("gap", [0.0, 0.05, 3.0])
def test_an_open_ring_is_closed_and_the_gap_told(gap):
    open_ring = ring((0, 0), (10, 0), (10, 10), (0, 10), (0, gap), closed=False)
    result = repaired([open_ring])
    assert result.geometry.area == pytest.approx(100)
    assert ("not closed" in " ".join(result.problems)) == (gap > 0)
    assert f"{gap:.3f} m" in " ".join(result.problems) or gap == 0


def test_repeated_positions_are_no_fault():
    assert repaired([np.repeat(SHELL, 3, axis=0)]).problems == ()


@pytest.mark.parametrize("flat", [ring((0, 0), (1, 1)), ring((0, 0), (1, 1), (2, 2)), ring((0, 0)), np.empty((0, 2))])
def test_what_encloses_nothing_is_empty_and_said(flat):
    result = repaired([flat])
    assert result.geometry.is_empty
    assert "encloses nothing" in " ".join(result.problems)


def test_valid_polygons_are_left_as_drawn():
    drawn = as_drawn([[SHELL, box(20, 20, 40, 40)]])
    assert drawn is not None
    assert drawn.equals_exact(Polygon(SHELL, [box(20, 20, 40, 40)]), 0)
    assert as_drawn([[ring((0, 0), (4, 4), (4, 0), (0, 4))]]) is None
    assert as_drawn([[SHELL[:-1]]]) is None


steps = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=2, max_size=9)


def rectilinear(turns):
    """A closed path along grid lines through some grid points, across first, then up."""
    path = []
    for (x0, y0), (x1, _) in zip(turns, [*turns[1:], turns[0]], strict=True):
        path += [(x0, y0), (x1, y0)]
    return ring(*path)


def cells_wound_around(path):
    """Unit cells around whose middle the path winds, by counting its upright edges to the right, one by one."""
    count = 0
    for cell_x in range(-1, 10):
        for cell_y in range(-1, 10):
            turns = 0
            for (x0, y0), (x1, y1) in pairwise(path):
                if x0 == x1 and x0 > cell_x + 0.5 and min(y0, y1) < cell_y + 0.5 < max(y0, y1):
                    turns += 1 if y1 > y0 else -1
            count += turns != 0
    return count


@settings(max_examples=80, deadline=None)
@given(steps)
def test_random_rings_enclose_the_cells_they_wind_around(turns):
    path = rectilinear(turns)
    assert repaired([path]).geometry.area == pytest.approx(cells_wound_around(path), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.lists(steps, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_order_direction_and_start_do_not_matter(paths, random):
    rings = [rectilinear(turns) for turns in paths]
    area = repaired(*[[one] for one in rings]).geometry.area
    shuffled = [np.roll(one[:-1], random.randrange(len(one)), axis=0)[:: random.choice((1, -1))] for one in rings]
    random.shuffle(shuffled)
    assert repaired(*[[np.vstack((one, one[:1]))] for one in shuffled]).geometry.area == pytest.approx(area, abs=1e-9)


@settings(max_examples=80, deadline=None)
@given(steps, st.floats(-1e5, 1e5), st.floats(-1e5, 1e5), st.floats(0, 6.3))
def test_moving_and_turning_keep_the_area(turns, dx, dy, angle):
    path = rectilinear(turns) * 10
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    area = repaired([path]).geometry.area
    assert repaired([path @ turn + (dx, dy)]).geometry.area == pytest.approx(area, rel=1e-6, abs=1e-4)


@settings(max_examples=40, deadline=None)
@given(steps)
def test_a_hole_never_adds_ground_inside_its_shell(turns):
    shell = box(-1, -1, 9, 9)
    hole = rectilinear(turns)
    result = repaired([shell, hole]).geometry
    assert result.area == pytest.approx(100 - cells_wound_around(hole), abs=1e-9)


def test_winding_counts_turns():
    square = box(0, 0, 2, 2)
    assert winding_number(square[::-1], 1, 1) == -1
    assert winding_number(square, 3, 1) == 0
    assert winding_number(np.vstack((square, square[::-1][1:])), 1, 1) == 0


def test_a_big_ragged_ring_is_repaired_in_time():
    generator = np.random.default_rng(1)
    angle = np.linspace(0, 2 * np.pi, 3000, endpoint=False)
    radius = 100 + generator.normal(0, 0.2, 3000)
    wild = ring(*zip(radius * np.cos(angle), radius * np.sin(angle), strict=True))
    result = repaired([wild])
    assert result.geometry.area == pytest.approx(np.pi * 100**2, rel=0.01)
    assert shapely.get_num_geometries(result.geometry) >= 1
