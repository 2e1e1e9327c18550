from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from siteplan_gis.model.comparison import compare, show
from siteplan_gis.model.ordinance import OPERATORS

BELOW, AT, ABOVE = 4.9999, 5.0, 5.0001


@pytest.mark.parametrize(
    ("operator", "below", "at", "above"),
    [
        (">=", False, True, True),
        (">", False, False, True),
        ("<=", True, True, False),
        ("<", True, False, False),
        ("==", False, True, False),
    ],
)
def test_every_operator_below_at_and_above(operator: str, below: bool, at: bool, above: bool) -> None:
    assert operator in OPERATORS
    assert [compare(value, operator, 5.0) for value in (BELOW, AT, ABOVE)] == [below, at, above]
    # Floating point decides nothing: a part in 1e10 is equal, a part in 1e8 is not.
    for nearly in (5.0 * (1 - 1e-10), 5.0 * (1 + 1e-10)):
        assert compare(nearly, operator, 5.0) == at
    assert [compare(5.0 * (1 + side * 1e-8), operator, 5.0) for side in (-1, 1)] == [below, above]


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_doubt_that_reaches_across_the_limit_decides_nothing(operator: str) -> None:
    assert compare(4.95, operator, 5.0, plus_minus=0.1) is None
    assert compare(5.05, operator, 5.0, plus_minus=0.1) is None
    for value in (4.85, 5.15):
        assert compare(value, operator, 5.0, plus_minus=0.1) == compare(value, operator, 5.0)


@pytest.mark.parametrize(
    ("value", "operator", "verdict"),
    [(4.9, ">=", None), (5.1, ">=", True), (4.9, ">", False), (5.1, ">", None), (5.1, "<=", None), (4.9, "<=", True),
     (5.1, "<", False), (4.9, "<", None), (5.0, "==", None)],
)  # fmt: skip
def test_a_doubt_that_just_touches_the_limit(value: float, operator: str, verdict: bool | None) -> None:
    assert compare(value, operator, 5.0, plus_minus=0.1) is verdict


@pytest.mark.parametrize("operator", OPERATORS)
def test_zero_doubt_is_an_exact_comparison(operator: str) -> None:
    assert compare(5.0, operator, 5.0, plus_minus=0.0) == compare(5.0, operator, 5.0)


@pytest.mark.parametrize(
    ("value", "limit", "doubt"), [(math.nan, 1, 0), (1, math.nan, 0), (1, 1, math.nan), (1, 1, -0.1)]
)
def test_what_is_no_number_is_not_compared(value: float, limit: float, doubt: float) -> None:
    with pytest.raises(ValueError, match="cannot be compared"):
        compare(value, ">=", limit, plus_minus=doubt)


def test_limits_at_zero() -> None:
    assert compare(0.0, "==", 0.0) is True
    assert compare(1e-9, ">", 0.0) is True
    assert compare(0.1 + 0.2 - 0.3, ">", 0.0) is False


numbers = st.floats(-1e5, 1e5, allow_nan=False).map(lambda x: round(x, 7))


@given(numbers, numbers, st.sampled_from(OPERATORS), st.floats(0, 10))
def test_a_decided_comparison_stays_decided_within_its_doubt(
    value: float, limit: float, operator: str, doubt: float
) -> None:
    verdict = compare(value, operator, limit, plus_minus=doubt)
    if verdict is not None:
        for share in (-0.999, -0.5, 0, 0.5, 0.999):
            assert compare(value + share * doubt, operator, limit) == verdict


@given(numbers, st.integers(-10_000, 10_000).map(lambda n: n / 100), st.integers(0, 4))
def test_a_shown_number_never_crosses_its_limit(value: float, limit: float, decimals: int) -> None:
    shown = float(show(value, decimals, limit).replace(",", ""))
    for operator in OPERATORS:
        assert compare(shown, operator, limit) == compare(value, operator, limit)


@given(st.floats(-1e-6, 1e-6, allow_nan=False), st.sampled_from([1.0, 5.0, 10.0, 20.0, 100.0, 1320.0, 0.41]))
def test_a_number_close_to_its_limit_never_crosses_it(off: float, limit: float) -> None:
    value = limit * (1 + off)
    assume(abs(off) > 2e-9 or abs(off) < 5e-10)
    shown = float(show(value, 2, limit).replace(",", ""))
    assert (shown < limit, shown == limit) == ((value < limit, False) if abs(off) > 1e-9 else (False, True))


@given(numbers, st.integers(0, 6))
def test_without_a_limit_a_number_is_rounded(value: float, decimals: int) -> None:
    assert float(show(value, decimals).replace(",", "")) == round(value, decimals)


@pytest.mark.parametrize(
    ("value", "limit", "expected"),
    [(0.9996, 1.0, "0.9996"), (0.994, 1.0, "0.99"), (0.996, 1.0, "0.996"), (1.0004, 1.0, "1.0004"), (1.0, 1.0, "1.00"),
     (4.99999999, 5.0, "4.99999999"), (0.125, 0.125, "0.125"), (-0.001, 0.0, "-0.001"), (-0.001, None, "0.00")],
)  # fmt: skip
def test_shown_examples(value: float, limit: float | None, expected: str) -> None:
    assert show(value, 2, limit) == expected
