"""Units as ordinances write them."""

from __future__ import annotations

import math

import pytest

from siteplan_gis.errors import UnitError
from siteplan_gis.model.ordinance import Limit
from siteplan_gis.ordinances.quantities import SUFFIXES, UNITS, dimension_of_subject, limit_in


@pytest.mark.parametrize(
    ("value", "unit", "wanted", "expected"),
    [
        (1, "mile", "ft", 5280.0),
        (0.25, "mile", "ft", 1320.0),
        (1.5, "mile", "ft", 7920.0),
        (5, "acre", "sq ft", 217_800.0),
        (43_560, "sq ft", "acre", 1.0),
        (4_000, "sq ft", "acre", 4_000 / 43_560),
        (2, "ft", "in", 24.0),
        (10_000, "ft", "m", 3048.0),
        (100, "micron", "in", 1 / 254),
        (48, "hour", "day", 2.0),
        (2, "week", "day", 14.0),
        (14, "calendar day", "day", 14.0),
        (5, "year", "month", 60.0),
        (20, "%", "%", 20.0),
    ],
)  # fmt: skip
def test_a_limit_is_told_in_another_unit_of_its_dimension(value, unit, wanted, expected):
    assert math.isclose(limit_in(Limit("any", "<=", value, unit), wanted), expected, rel_tol=1e-11)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 5.0, 0.9996])
def test_a_limit_in_its_own_unit_is_untouched(value):
    assert limit_in(Limit("disturbed_acres", ">=", value, "acre"), "acre") == value


@pytest.mark.parametrize(
    ("unit", "wanted"),
    [
        ("acre", "ft"), ("ft", "sq ft"), ("%", "ft"), ("ft/in", "ft"), ("business day", "day"), ("work day", "business day"),
        ("day", "work day"), ("month", "day"), ("acre", "hectare"), ("rod", "rod2"), ("rod", "ft"),
    ],
)  # fmt: skip
def test_dimensions_are_never_mixed(unit, wanted):
    with pytest.raises(UnitError, match=f"'{unit}' cannot be told in '{wanted}'"):
        limit_in(Limit("any", "<=", 1, unit), wanted)


def test_every_ending_of_a_subject_has_a_unit():
    assert set(SUFFIXES.values()) == {dimension for dimension, _ in UNITS.values()}


@pytest.mark.parametrize(
    ("subject", "dimension"),
    [
        ("disturbed_acres", "area"),
        ("feet_per_inch", "scale"),
        ("runoff_ft_per_s", "speed"),
        ("rain_in", "length"),
        ("rain_in_per_h", "rain intensity"),
        ("review_business_days", "business days"),
        ("review_work_days", "work days"),
        ("idle_days", "time"),
        ("slope", None),
        ("acres", None),
        ("", None),
    ],
)  # fmt: skip
def test_the_longest_ending_names_the_dimension(subject, dimension):
    assert dimension_of_subject(subject) == dimension
