"""How sure the end of a path is."""

from __future__ import annotations

import numpy as np
import pytest
from shapely import Point, box

from siteplan_gis.measures.ensemble import _errors, agreement
from siteplan_gis.measures.flow import condition_around


def test_errors_have_the_stated_size():
    errors = _errors((403, 507), np.random.default_rng(1))
    assert errors.shape == (403, 507)
    assert errors.std() == pytest.approx(1, abs=0.03)
    assert errors.mean() == pytest.approx(0, abs=0.05)


def test_a_deep_valley_is_sure(ground):
    near = condition_around(ground(lambda x, y: 100 + 0.05 * y + 0.1 * np.abs(x)), Point(0, 0))
    assert agreement(near, Point(0, 0), [box(-20, -160, 20, -150)], 402, 0.1) == 1.0


def test_a_divide_is_a_toss_up(ground):
    # Water within a metre of the crest runs to either side.
    near = condition_around(ground(lambda x, y: 100 - 0.02 * np.abs(x) - 0.001 * y), Point(0, 0))
    ponds = [box(-140, -200, -100, 200), box(100, -200, 140, 200)]
    shares = [agreement(near, Point(0.6, north), ponds, 402, 0.15) for north in (-60, -30, 0, 30, 60)]
    assert 0.2 < np.mean(shares) < 0.9


def test_the_same_every_time_and_the_ground_left_alone(ground):
    near = condition_around(ground(lambda x, y: 100 - 0.02 * np.abs(x)), Point(0, 0))
    before = near.z_m.copy()
    shares = {agreement(near, Point(0.6, 0), [box(100, -200, 140, 200)], 402, 0.15, members=4) for _ in range(2)}
    assert len(shares) == 1
    assert np.array_equal(near.z_m, before)
