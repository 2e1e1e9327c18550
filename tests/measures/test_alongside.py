"""Stretches of a line along which nothing runs: answers by hand."""

from __future__ import annotations

from itertools import pairwise

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import LineString, MultiLineString, Point, box

from siteplan_gis.measures.shapes.alongside import bare_stretches

EDGE = LineString([(0, 0), (100, 0)])


def spans(bare):
    return [(round(part.coords[0][0], 6), round(part.coords[-1][0], 6)) for part in bare.geoms]


@pytest.mark.parametrize(
    ("things", "left"),
    [
        ([], [(0, 100)]),
        ([LineString([(0, 3), (100, 3)])], []),
        ([LineString([(20, 3), (60, 3)])], [(0, 20), (60, 100)]),
        ([LineString([(60, -3), (20, -3)])], [(0, 20), (60, 100)]),
        ([LineString([(0, 5), (100, 5)])], []),
        ([LineString([(0, 5.01), (100, 5.01)])], [(0, 100)]),
        ([LineString([(50, -20), (50, 20)])], [(0, 100)]),  # across it: covers one point
        ([LineString([(0, 3), (49, 3)]), LineString([(48, 3), (100, 3)])], []),
        ([MultiLineString([[(0, 3), (40, 3)], [(60, 3), (100, 3)]])], [(40, 60)]),
        ([Point(50, 3)], [(0, 46), (54, 100)]),  # 3-4-5
        ([Point(50, 5.01)], [(0, 100)]),
        ([box(30, 2, 70, 40)], [(0, 30), (70, 100)]),
        ([LineString([(-30, 3), (-1, 3)])], [(0, 100)]),
        ([shapely.Polygon(), Point()], [(0, 100)]),
    ],
)
def test_answers_by_hand(things, left):
    assert spans(bare_stretches(EDGE, things, 5.0)) == left


def test_one_side_only():
    fence = [LineString([(0, 3), (100, 3)])]
    assert spans(bare_stretches(EDGE, fence, 5.0, 1)) == []
    assert spans(bare_stretches(EDGE, fence, 5.0, -1)) == [(0, 100)]


def test_around_the_corners_of_a_ring():
    ring = box(0, 0, 50, 50).exterior
    outside = box(-3, -3, 53, 53).exterior
    inside = box(3, 3, 47, 47).exterior
    assert bare_stretches(ring, [outside], 5.0).length == 0
    assert bare_stretches(ring, [inside], 5.0).length == 0
    three = LineString([(-3, 53), (-3, -3), (53, -3), (53, 53)])
    assert bare_stretches(ring, [three], 5.0).length == pytest.approx(50.0, abs=0.01)


def test_short_gaps_can_be_left_out():
    fences = [LineString([(0, 3), (48, 3)]), LineString([(52, 3), (100, 3)])]
    assert spans(bare_stretches(EDGE, fences, 5.0)) == [(48, 52)]
    assert spans(bare_stretches(EDGE, fences, 5.0, least_m=4.01)) == []
    assert spans(bare_stretches(EDGE, fences, 5.0, least_m=3.99)) == [(48, 52)]


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), max_size=5))
def test_more_fence_never_leaves_more_bare(pairs):
    things = [LineString([(a, 2), (b, 2)]) for a, b in pairs if abs(a - b) > 0.01]
    lengths = [bare_stretches(EDGE, things[:n], 5.0, least_m=0.0).length for n in range(len(things) + 1)]
    assert all(later <= earlier + 1e-6 for earlier, later in pairwise(lengths))
    whole = shapely.union_all([LineString([(a, 0), (b, 0)]) for a, b in pairs if abs(a - b) > 0.01])
    assert lengths[-1] == pytest.approx(100 - whole.length, abs=1e-3)
