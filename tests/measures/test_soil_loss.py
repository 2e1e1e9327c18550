"""Soil loss against Agriculture Handbook 537, table 3, sums on paper and a day-by-day sum."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from siteplan_gis.measures.soil_loss import Cover, Erosivity, length_slope, worst_year

FOOT = 0.3048
EVEN = Erosivity(150.0, (365,), (1.0,))
SUMMER = Erosivity(150.0, (90, 181, 273, 365), (0.08, 0.52, 0.91, 1.0))


@pytest.mark.parametrize(
    ("percent", "feet", "factor"),
    [  # AH-537, table 3
        (0.5, 25, 0.073), (2, 100, 0.201), (3, 300, 0.400), (4, 100, 0.400), (5, 100, 0.536), (6, 150, 0.824),
        (8, 200, 1.41), (10, 100, 1.37), (12, 300, 3.13), (16, 100, 2.84), (20, 200, 5.77),
    ],
)  # fmt: skip
def test_length_slope_is_the_handbook_s(percent, feet, factor):
    assert length_slope(feet * FOOT, percent / 100) == pytest.approx(factor, rel=0.015)


@pytest.mark.parametrize(
    ("ratio", "exponent"), [(0.0099, 0.2), (0.01, 0.3), (0.0349, 0.3), (0.035, 0.4), (0.0499, 0.4), (0.05, 0.5)]
)
def test_the_exponent_changes_at_its_limits(ratio, exponent):
    assert length_slope(4 * 72.6 * FOOT, ratio) / length_slope(72.6 * FOOT, ratio) == pytest.approx(4**exponent)


@pytest.mark.parametrize(("feet", "ratio"), [(100, 0.3301), (0, 0.1), (-5, 0.1), (float("nan"), 0.1), (100, -0.1)])
def test_what_the_equation_is_not_for_is_refused(feet, ratio):
    with pytest.raises(ValueError, match="slope"):
        length_slope(feet * FOOT, ratio)


def test_steepest_ground_is_still_taken():
    assert length_slope(100 * FOOT, 0.33) > 0


def test_a_year_of_bare_ground_on_paper():
    worst = worst_year(EVEN, 0.32, 0.824, [Cover(date(2026, 1, 1), date(2026, 12, 31))])
    assert worst.tons_per_acre == pytest.approx(150 * 0.32 * 0.824)
    half = worst_year(EVEN, 0.32, 0.824, [Cover(date(2026, 1, 1), date(2026, 12, 31), c=0.5, kept=0.8, delivered=0.9)])
    assert half.tons_per_acre == pytest.approx(150 * 0.32 * 0.824 * 0.5 * 0.2 * 0.9)


def test_only_the_rain_that_falls_counts():
    spring = worst_year(SUMMER, 0.3, 1.0, [Cover(date(2026, 4, 1), date(2026, 6, 30))])
    assert spring.tons_per_acre == pytest.approx(150 * 0.3 * (0.52 - 0.08))
    over_new_year = worst_year(SUMMER, 0.3, 1.0, [Cover(date(2026, 10, 1), date(2027, 3, 31))])
    assert over_new_year.tons_per_acre == pytest.approx(150 * 0.3 * (0.09 + 0.08))


def test_longer_works_are_held_to_their_worst_twelve_months():
    covers = [Cover(date(2026, 1, 1), date(2026, 12, 31), c=0.1), Cover(date(2027, 1, 1), date(2028, 12, 31))]
    worst = worst_year(EVEN, 0.3, 1.0, covers)
    assert worst.tons_per_acre == pytest.approx(45.0)
    assert worst.first >= date(2027, 1, 1)
    assert worst_year(EVEN, 0.3, 1.0, []) is None


days = st.integers(0, 700)
covers = st.lists(st.tuples(st.integers(1, 300), st.floats(0.01, 1.0)), min_size=1, max_size=5)


@settings(max_examples=25, deadline=None)
@given(st.dates(date(2025, 1, 1), date(2028, 3, 1)), covers)
def test_no_other_window_loses_more(begin, pieces):
    """Against a sum day by day over every window."""
    listed, first = [], begin
    for length, c in pieces:
        last = first + timedelta(days=length - 1)
        listed.append(Cover(first, last, c=c))
        first = last + timedelta(days=1)
    worst = worst_year(SUMMER, 0.3, 1.0, listed)
    daily = {}
    for cover in listed:
        day = cover.first
        while day <= cover.last:
            daily[day] = 45.0 * cover.c * (SUMMER.fallen(day + timedelta(days=1)) - SUMMER.fallen(day))
            day += timedelta(days=1)
    most = 0.0
    start = begin
    while start < first:
        try:
            end = start.replace(year=start.year + 1)
        except ValueError:
            end = start.replace(year=start.year + 1, day=28)
        most = max(most, sum(tons for day, tons in daily.items() if start <= day < end))
        start += timedelta(days=7)
    assert worst.tons_per_acre >= most - 1e-9
    assert worst.tons_per_acre <= sum(daily.values()) + 1e-9
