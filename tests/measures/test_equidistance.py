from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Point, box
from shapely.affinity import rotate, scale, translate

from siteplan_gis.measures.territory.equidistance import nearer_part


def test_between_two_squares_the_line_is_halfway():
    left, right = box(-100, -50, 0, 50), box(60, -50, 200, 50)
    part = nearer_part(box(0, -20, 60, 20), left, right)
    assert part.area == pytest.approx(30 * 40, rel=1e-6)
    assert nearer_part(box(0, -20, 60, 20), right, left).area == pytest.approx(30 * 40, rel=1e-6)


def test_between_a_point_and_a_line_it_is_a_parabola():
    # Equally far from (0, 1000) and from y = 0: y = x^2 / 2000 + 500.
    small, wide = box(-0.5, 1000, 0.5, 1001), box(-50_000, -10, 50_000, 0)
    ground = box(-400, 100, 400, 900)
    part = nearer_part(ground, wide, small)
    under = np.trapezoid(np.linspace(-400, 400, 4001) ** 2 / 2000 + 500 - 100, dx=0.2)
    assert part.area == pytest.approx(under, rel=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_no_point_is_given_to_the_farther_body(seed):
    rng = np.random.default_rng(seed)
    one = rotate(scale(Point(0, 0).buffer(300, quad_segs=4), 1, rng.uniform(0.3, 3)), rng.uniform(0, 90))
    other = translate(rotate(box(0, 0, 500, 900), rng.uniform(0, 90)), rng.uniform(500, 1500), 0).difference(one)
    ground = box(-900, -900, 1800, 1200).difference(one.union(other))
    part = nearer_part(ground, one, other)
    for xy in rng.uniform((-900, -900), (1800, 1200), (300, 2)):
        point = Point(xy)
        if ground.contains(point):
            gain = point.distance(other) - point.distance(one)
            assert part.contains(point) is bool(gain > 0) or abs(gain) < 0.3


def test_ends_of_a_common_border_share_the_wedge_beyond():
    left, right = box(-100, -100, 0, 0), box(0, -100, 100, 0)
    part = nearer_part(box(-20, 0, 20, 40), left, right)
    assert part.area == pytest.approx(20 * 40, rel=0.03)
    assert shapely.intersection(part, box(-20, 0, 0, 40)).area == pytest.approx(part.area, rel=0.03)


def test_all_or_nothing():
    ground = box(0, 0, 10, 10)
    near, far = box(-10, 0, 0, 10), box(5_000, 0, 6_000, 10)
    assert nearer_part(ground, near, far).area == pytest.approx(100)
    assert nearer_part(ground, far, near).area == 0
