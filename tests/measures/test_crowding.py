"""Drawings whose stretches lie beside each other so often that no measuring of them comes to an end."""

import numpy as np
import pytest
import shapely

from siteplan_gis.measures.shapes.crowding import MOST_PAIRS, crowded
from siteplan_gis.measures.shapes.proximity import stretches_within
from siteplan_gis.measures.shapes.width import wider_than


def _teeth(count, turn=0.0):
    xy = np.column_stack((np.linspace(0, 100, count), np.where(np.arange(count) % 2, 100.0, 0.0)))
    cos, sin = np.cos(turn), np.sin(turn)
    return xy @ np.array([[cos, sin], [-sin, cos]])


def test_pairs_are_counted_as_on_paper_just_below_and_above_the_limit():
    # Equal slanting strokes, far enough from each other or all beside each other: n (n - 1) / 2 pairs.
    strokes = int((1 + np.sqrt(1 + 8 * MOST_PAIRS)) / 2)
    for count, expected in ((strokes, False), (strokes + 1, True)):
        lines = [np.array([(0.001 * k, 0.0), (0.001 * k + 100, 100.0)]) for k in range(count)]
        assert crowded(lines) is expected
    apart = [np.array([(2.0 * k, 0.0), (2.0 * k, 100.0)]) for k in range(2 * strokes)]
    assert crowded(apart) is False


@pytest.mark.parametrize("turn", [0.0, 0.3, np.pi / 4])
def test_a_zigzag_of_very_many_teeth_is_crowded_however_it_is_turned(turn):
    assert crowded([_teeth(100_000, turn)])
    assert not crowded([_teeth(100, turn)])


def test_a_densely_drawn_curve_is_not_crowded():
    turn = np.linspace(0, 2 * np.pi, 1_000_000)
    assert not crowded([100 * np.column_stack((np.cos(turn), np.sin(turn)))])


def test_many_small_holes_are_not_crowded():
    x, y = (3.0 * values.ravel() for values in np.meshgrid(np.arange(70), np.arange(70)))
    assert not crowded([shapely.get_coordinates(box) for box in shapely.box(x, y, x + 1.5, y + 1.5)])


def test_width_is_that_of_the_eroded_shape():
    comb = shapely.union_all(
        [shapely.box(0, 0, 50, 1.9), *shapely.box(np.arange(0, 50, 2), 0, np.arange(1, 51, 2), 20)]
    )
    shapes = np.array([comb, shapely.Point(0, 0).buffer(3), shapely.box(0, 0, 40, 2.2), shapely.Polygon()], object)
    for width in (0.9, 1.1, 1.8, 2.0, 2.1, 2.3, 5.9, 6.1):
        assert wider_than(shapes, width).tolist() == [not shape.buffer(-width / 2).is_empty for shape in shapes]


def test_stretches_within_are_those_in_the_buffer():
    creek = shapely.MultiLineString([[(-80, 4), (0, 18), (90, -30)], [(-50, -50), (50, -51)]])
    ground = shapely.box(-20, -20, 30, 10).difference(shapely.box(-5, -20, 5, 0))
    for within_m in (0.5, 7.0, 15.24, 45.0):
        exact = creek.intersection(ground.buffer(within_m, quad_segs=512))
        found = stretches_within(creek, ground, within_m)
        assert found.length == pytest.approx(exact.length, abs=0.05)
        assert found.hausdorff_distance(exact) < 0.05
    assert stretches_within(creek, shapely.Point(900, 900), 15.0).is_empty
