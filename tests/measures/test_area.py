from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import GeometryCollection, LineString, MultiPolygon, Point, Polygon, box
from shapely.affinity import rotate

from siteplan_gis.crs import georeference
from siteplan_gis.frame import Frame, frame_around, project_many
from siteplan_gis.measures.shapes.area import (
    common_ground,
    most_open_at_once,
    outside,
    polygons_of,
    separate_parts,
    union_area,
    without_slivers,
)
from siteplan_gis.units import ACRE_M2, FOOT_M

CASES = Path(__file__).resolve().parents[1] / "cases"


def _drawn(case: str) -> list[Polygon]:
    plan = gpd.read_file(CASES / case / "lod.gpkg")
    source = georeference(plan.crs.to_wkt())
    shapes = plan.geometry.to_numpy()
    frame: Frame = frame_around(source.lonlat(shapely.get_coordinates(shapes)))
    return list(project_many(shapes, source, frame))


def test_overlapping_phases_count_once() -> None:
    phases = _drawn("H15")
    _, area_m2 = union_area(phases)
    _, common_m2 = common_ground({str(n): [phase] for n, phase in enumerate(phases)}, noise_m2=1.0)
    assert area_m2 / ACRE_M2 == pytest.approx(102_000 / 43_560, rel=1e-3)
    assert common_m2 / ACRE_M2 == pytest.approx(0.41322, rel=2e-3)
    assert phases[0].area / ACRE_M2 == pytest.approx(60_000 / 43_560, rel=1e-3)


def test_slivers_between_neighbours_are_neither_overlap_nor_gap() -> None:
    phases = _drawn("H17")
    union, area_m2 = union_area(phases)
    assert area_m2 / ACRE_M2 == pytest.approx(120_000 / 43_560, rel=5e-4)
    for noise_m2 in (0.0, 1.0):
        shape, common_m2 = common_ground({"1": phases[:1], "2": phases[1:]}, noise_m2)
        assert (shape.is_empty, common_m2) == (True, 0.0)
    assert separate_parts(union, gap_m=0.05) == 1


def test_overlap_within_one_phase_is_not_common_ground() -> None:
    assert common_ground({"1": [box(0, 0, 10, 10), box(5, 0, 15, 10)]}, noise_m2=0)[1] == 0


def test_three_phases_share_ground_counted_once() -> None:
    groups = {"1": [box(0, 0, 10, 10)], "2": [box(5, 0, 15, 10)], "3": [box(5, 0, 10, 10)]}
    assert common_ground(groups, noise_m2=1)[1] == pytest.approx(50)


@pytest.mark.parametrize(("width_m", "expected_m2"), [(0.0499, 0), (0.0501, 5.01)])
def test_common_ground_vanishes_below_the_sliver_width(width_m: float, expected_m2: float) -> None:
    groups = {"1": [box(0, 0, 10, 100)], "2": [box(10 - width_m, 0, 20, 100)]}
    assert common_ground(groups, noise_m2=1)[1] == pytest.approx(expected_m2)


@pytest.mark.parametrize(("side_m", "reported"), [(0.999, False), (1.0, True), (1.001, True)])
def test_common_ground_vanishes_below_the_noise_area(side_m: float, reported: bool) -> None:
    groups = {"1": [box(0, 0, 10, 10)], "2": [box(10 - side_m, 0, 20, side_m)]}
    assert (common_ground(groups, noise_m2=side_m**2 if side_m == 1 else 1)[1] > 0) is reported


def test_lines_and_points_have_no_area_and_collections_are_taken_apart() -> None:
    bag = GeometryCollection([box(0, 0, 1, 1), LineString([(0, 0), (9, 9)]), GeometryCollection([box(5, 5, 6, 6)])])
    union, area_m2 = union_area([bag, Point(3, 3)])
    assert area_m2 == pytest.approx(2)
    assert union.geom_type == "MultiPolygon"
    assert union_area([]) == (Polygon(), 0.0)
    assert union_area([LineString([(0, 0), (1, 1)])])[1] == 0


@pytest.mark.parametrize(("gap_m", "parts"), [(0.99, 3), (1.0, 2), (1.01, 2), (5.0, 1)])
def test_parts_join_at_the_gap(gap_m: float, parts: int) -> None:
    ground = MultiPolygon([box(0, 0, 10, 10), box(11, 0, 20, 10), box(25, 0, 30, 10)])
    assert separate_parts(ground, gap_m) == parts


def test_parts_join_through_a_chain() -> None:
    squares = MultiPolygon([box(3 * n, 0, 3 * n + 2, 2) for n in range(50)])
    assert (separate_parts(squares, 1.0), separate_parts(squares, 0.5)) == (1, 50)
    assert separate_parts(Polygon(), 1.0) == 0


APRIL, MAY, JUNE = date(2025, 4, 1), date(2025, 5, 1), date(2025, 6, 1)


def test_the_last_open_day_is_open() -> None:
    touching = [(box(0, 0, 1, 1), APRIL, MAY), (box(5, 0, 6, 1), MAY, JUNE)]
    apart = [(box(0, 0, 1, 1), APRIL, MAY - timedelta(days=1)), (box(5, 0, 6, 1), MAY, JUNE)]
    assert (most_open_at_once(touching).area_m2, most_open_at_once(touching).day) == (2, MAY)
    assert (most_open_at_once(apart).area_m2, most_open_at_once(apart).day) == (1, APRIL)


def test_open_ground_counts_overlaps_once() -> None:
    phases = [(box(0, 0, 10, 1), APRIL, JUNE), (box(5, 0, 15, 1), MAY, JUNE), (box(40, 0, 53, 1), None, APRIL)]
    found = most_open_at_once(phases)
    assert (found.area_m2, found.day) == (23, APRIL)
    assert found.undated == (2,)


def test_without_any_date_all_ground_may_be_open() -> None:
    found = most_open_at_once([(box(0, 0, 1, 1), None, None), (box(1, 0, 3, 1), None, None)])
    assert (found.area_m2, found.day, found.undated) == (3, None, (0, 1))
    assert most_open_at_once([]).area_m2 == 0


def test_unknown_starts_are_open_from_the_beginning() -> None:
    phases = [(box(0, 0, 5, 1), None, APRIL), (box(5, 0, 9, 1), None, MAY), (box(20, 0, 21, 1), JUNE, None)]
    found = most_open_at_once(phases)
    assert (found.area_m2, found.day) == (9, APRIL)


def test_a_phase_that_ends_before_it_starts_is_taken_as_open_and_named() -> None:
    found = most_open_at_once([(box(0, 0, 5, 1), JUNE, APRIL), (box(5, 0, 9, 1), MAY, MAY)])
    assert (found.area_m2, found.day, found.contradictory) == (9, MAY, (0,))


phase = st.tuples(st.integers(0, 20), st.integers(1, 9), st.none() | st.integers(0, 30), st.none() | st.integers(0, 30))


@given(st.lists(phase, min_size=1, max_size=8))
def test_the_sweep_finds_what_every_single_day_shows(drawn: list[tuple[int, int, int | None, int | None]]) -> None:
    """Cells of one metre are counted day by day: arithmetic that knows no geometry."""
    day = [APRIL + timedelta(days=n) for n in range(-1, 33)]
    phases, cells = [], []
    for west, width, first, last in drawn:
        start, end = (None if n is None else APRIL + timedelta(days=n) for n in (first, last))
        phases.append((box(west, 0, west + width, 1), start, end))
        cells.append((set(range(west, west + width)), start, end))
    most = 0
    for today in day:
        is_open = [
            ground
            for ground, start, end in cells
            if (start is not None and end is not None and end < start)
            or ((start is None or start <= today) and (end is None or today <= end))
        ]
        most = max(most, len(set().union(*is_open)))
    assert most_open_at_once(phases).area_m2 == pytest.approx(most)


def test_most_open_ground_of_many_phases_is_found_quickly() -> None:
    phases = [(box(n, 0, n + 3, 1), APRIL + timedelta(days=n), APRIL + timedelta(days=n + 10)) for n in range(400)]
    assert most_open_at_once(phases).area_m2 == pytest.approx(13)


@pytest.mark.parametrize(("beyond_m", "expected_m2"), [(0.099, 0), (0.101, 10.1), (3, 300)])
def test_ground_outside_counts_from_where_it_reaches_out(beyond_m: float, expected_m2: float) -> None:
    turned = [rotate(box(0, 0, east, 100), 33, origin=(0, 0)) for east in (50, 50 + beyond_m)]
    assert outside(turned[1], turned[0], noise_m=0.1)[1] == pytest.approx(expected_m2, rel=1e-6)


def test_ground_outside_a_hole_and_away_from_the_boundary_counts() -> None:
    lot = box(0, 0, 100, 100) - box(40, 40, 60, 60)
    shape, area_m2 = outside(box(0, 0, 100, 100).union(box(200, 0, 201, 1)), lot, noise_m=0.5)
    assert area_m2 == pytest.approx(401)
    assert len(polygons_of(shape)) == 2
    assert outside(box(0, 0, 2, 1), Polygon(), noise_m=0.5)[1] == pytest.approx(2)


def test_a_filled_notch_counts_though_its_corners_touch_the_boundary() -> None:
    lot = box(0, 0, 100, 100) - box(45, 90, 55, 100)
    assert outside(box(0, 0, 100, 100), lot, noise_m=0.5)[1] == pytest.approx(100)


@given(st.floats(0, 360), st.floats(0.001, 0.2))
def test_slivers_vanish_by_width_whatever_their_direction(angle: float, width_m: float) -> None:
    strip = rotate(box(0, 0, 200, width_m), angle)
    kept = without_slivers(strip, 0.05)
    if abs(width_m - 0.05) > 1e-6:
        assert kept.is_empty == (width_m < 0.05)
        assert kept.is_empty or kept.area == pytest.approx(strip.area)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(1, 20)), min_size=2, max_size=6))
def test_common_ground_agrees_with_counting_cells(squares: list[tuple[int, int, int]]) -> None:
    count = np.zeros((80, 80), dtype=int)
    for x, y, side in squares:
        count[x : x + side, y : y + side] += 1
    groups = {str(n): [box(x, y, x + side, y + side)] for n, (x, y, side) in enumerate(squares)}
    assert common_ground(groups, noise_m2=0)[1] == pytest.approx(int((count > 1).sum()))


def test_more_ground_never_lowers_an_area() -> None:
    squares = [box(n % 7, n % 5, n % 7 + 2, n % 5 + 2) for n in range(20)]
    areas = [union_area(squares[:n])[1] for n in range(len(squares) + 1)]
    assert all(before <= after + 1e-9 for before, after in pairwise(areas))


def test_a_foot_square_is_a_foot_square() -> None:
    assert union_area([box(0, 0, 300 * FOOT_M, 200 * FOOT_M)])[1] / ACRE_M2 == pytest.approx(60_000 / 43_560)
