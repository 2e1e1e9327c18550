from __future__ import annotations

import pytest
from shapely import Polygon, box
from shapely.affinity import translate

from siteplan_gis.measures.shapes.coverage import uncovered

SEARCH = box(0, 0, 100, 100)


def test_nothing_covers_nothing():
    assert uncovered(SEARCH, [], 1.0).equals(SEARCH)
    assert uncovered(SEARCH, [Polygon()], 1.0).equals(SEARCH)


def test_layers_cover_together():
    halves = [box(-10, -10, 50, 110), box(50, -10, 110, 110)]
    assert uncovered(SEARCH, halves, 1.0) is None
    assert uncovered(SEARCH, halves[:1], 1.0).equals(box(50, 0, 100, 100))


@pytest.mark.parametrize(("gap", "covered"), [(0.5, True), (0.99, True), (1.01, False), (2.0, False)])
def test_a_hair_between_tiles_is_no_gap(gap, covered):
    tiles = [box(-10, -10, 50, 110), box(50 + gap, -10, 110, 110)]
    assert (uncovered(SEARCH, tiles, 1.0) is None) is covered


def test_only_the_real_gaps_are_given():
    tiles = [box(-10, -10, 50, 110), box(50.2, -10, 90, 110)]
    assert uncovered(SEARCH, tiles, 1.0).equals(box(90, 0, 100, 100))


def test_a_hole_in_the_coverage_is_found():
    ring = box(-10, -10, 110, 110).difference(box(40, 40, 60, 60))
    assert uncovered(SEARCH, [ring], 1.0).equals(box(40, 40, 60, 60))
    assert uncovered(translate(SEARCH, 1_000, 0), [ring], 1.0).area == pytest.approx(10_000)
