"""The top of a channel against profiles worked out on paper."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import LineString, box

from siteplan_gis.measures.terrain.transects import first_gentle, top_of_channel

RUN = 15.24
LIMIT = 0.12


def profile(*stretches, step=0.5):
    """Heights every half metre from (length, slope) stretches."""
    slopes = np.concatenate([np.full(round(length / step), slope) for length, slope in stretches])
    return np.concatenate([[100.0], 100 + np.cumsum(slopes) * step])


@pytest.mark.parametrize(
    ("stretches", "top"),
    [
        ([(60, 0.05)], 0.0),
        ([(60, 0.12)], 0.0),  # "12 % or less" for the first run: the mark itself
        ([(60, 0.1199)], 0.0),
        ([(60, 0.1201)], None),
        ([(15.5, 0.12), (40, 0.5)], 0.0),  # only the first run counts
        ([(15.0, 0.12), (5, 0.5), (40, 0.05)], 20.0),  # 24 cm too short
        ([(6, 0.3), (60, 0.1199)], 6.0),
        ([(6, 0.3), (60, 0.12)], None),  # beyond it has to be "less than 12 %"
        ([(6, 0.3), (60, 0.1201)], None),
        ([(6, 0.3), (20, 0.12), (40, 0.11)], 26.0),
        ([(6, 0.3), (15, 0.05), (1, 0.2), (40, 0.05)], 22.0),  # a bench of 15 m is no run of 50 ft
        ([(6, 0.3), (15.5, 0.05), (1, 0.2), (40, 0.05)], 6.0),
        ([(6, 0.3), (20, -0.05)], 6.0),
        ([(6, 0.3), (10, 0.05), (4, -0.2), (40, 0.0)], 20.0),  # steep is steep, up or down
        ([(6, 0.3), (10, 0.05)], None),  # the run has to fit in
    ],
)
def test_profiles(stretches, top):
    assert first_gentle(profile(*stretches), 0.5, LIMIT, RUN) == top


def test_unknown_ground_ends_what_is_known():
    heights = profile((6, 0.3), (60, 0.05))
    for missing, top in ((0, None), (20, None), (43, None), (44, 6.0), (100, 6.0)):
        torn = heights.copy()
        torn[missing] = np.nan
        assert first_gentle(torn, 0.5, LIMIT, RUN) == top
    gentle = profile((60, 0.05))
    gentle[10] = np.nan
    assert first_gentle(gentle, 0.5, LIMIT, RUN) is None


def bank(x, y):
    """Water below x = 0, a bank of 30 % for 8 m, then 5 %."""
    return 100 + np.where(x < 0, 0.0, np.where(x < 8, 0.3 * x, 2.4 + 0.05 * (x - 8))) + 0 * y


@pytest.mark.parametrize("turned", [0.0, 30.0, 200.0])
@pytest.mark.parametrize("water", [box(-30, -200, 0, 200), None])
def test_a_straight_bank(ground, turned, water):
    """One cell may straddle the foot of the slope and the break."""
    found = top_of_channel(ground(bank, half_m=150, turned=turned), LineString([(0, -60), (0, 60)]), water, LIMIT, RUN)
    assert len(found.transects) == 12
    for transect in found.transects:
        assert transect.top_m == pytest.approx(8, abs=1.5)
        assert abs(transect.top_m - 8) <= transect.plus_minus_m
        assert transect.line.coords[-1][0] > 90
    assert found.told_m == pytest.approx(120)
    assert found.untold_m == 0
    assert shapely.hausdorff_distance(found.line, LineString([(8, -55), (8, 55)])) < 1.6


def test_a_pond_has_its_bank_all_around(ground):
    def crater(x, y):
        far = np.hypot(x, y)
        return 100 + np.where(far < 40, 0.0, np.where(far < 50, 0.25 * (far - 40), 2.5 + 0.04 * (far - 50)))

    pond = shapely.Point(0, 0).buffer(40, quad_segs=45)
    found = top_of_channel(ground(crater, half_m=200), pond, None, LIMIT, RUN)
    assert all(abs(transect.top_m - 10) <= transect.plus_minus_m for transect in found.transects)
    assert found.line.distance(pond) == pytest.approx(10, abs=1.5)
    assert found.told_m == pytest.approx(2 * np.pi * 40, rel=0.01)


def test_ground_that_stays_steep_is_not_told(ground):
    steep = ground(lambda x, y: 100 + 0.2 * np.abs(x) + 0 * y, half_m=150)
    found = top_of_channel(steep, LineString([(0, -60), (0, 60)]), box(-30, -200, 0, 200), LIMIT, RUN)
    assert {transect.reason for transect in found.transects} == {"the land stays steep as far as was looked"}
    assert (found.told_m, found.line.is_empty) == (0, True)
    assert found.untold_m == pytest.approx(120)


def test_elevations_that_end_are_not_told(ground):
    found = top_of_channel(
        ground(bank, half_m=150), LineString([(140, -60), (140, 60)]), box(100, -200, 140, 200), LIMIT, RUN
    )
    assert {transect.reason for transect in found.transects} == {"the elevations end first"}


def test_water_that_is_met_again_is_not_told(ground):
    steep = ground(lambda x, y: 100 + 0.2 * np.abs(x) + 0 * y, half_m=150)
    waters = box(-30, -200, 0, 200) | box(25, -200, 40, 200)
    found = top_of_channel(steep, LineString([(0, -60), (0, 60)]), waters, LIMIT, RUN)
    assert {transect.reason for transect in found.transects} == {"the water is met again first"}


def test_without_water_or_slope_the_land_is_not_known(ground):
    level = ground(lambda x, y: 100 + 0 * x * y, half_m=150)
    found = top_of_channel(level, LineString([(0, -60), (0, 60)]), None, LIMIT, RUN)
    assert {transect.reason for transect in found.transects} == {"which side is landward cannot be told"}


def test_a_slope_near_the_limit_has_no_bound(ground):
    def near(x, y):
        return 100 + np.where(x < 8, 0.3 * np.maximum(x, 0), 2.4 + 0.115 * (x - 8)) + 0 * y

    found = top_of_channel(ground(near, half_m=150), LineString([(0, -60), (0, 60)]), box(-9, -99, 0, 99), LIMIT, RUN)
    for transect in found.transects:
        assert transect.top_m == pytest.approx(8, abs=1.5)
        assert transect.plus_minus_m is None
        assert "too near the limit" in transect.reason
