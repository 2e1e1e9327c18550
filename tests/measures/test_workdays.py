"""Business days against a calendar on paper: April 2026 begins on a Wednesday."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from siteplan_gis.measures.workdays import business_days_between, is_open, nth_business_day

WEEK = range(5)


@pytest.mark.parametrize(
    ("after", "count", "closed", "due"),
    [
        (date(2026, 4, 1), 1, (), date(2026, 4, 2)),
        (date(2026, 4, 3), 1, (), date(2026, 4, 6)),  # Friday
        (date(2026, 4, 4), 1, (), date(2026, 4, 6)),  # Saturday
        (date(2026, 4, 1), 20, (), date(2026, 4, 29)),
        (date(2026, 4, 1), 20, (date(2026, 4, 29),), date(2026, 4, 30)),
        (date(2026, 5, 22), 1, (), date(2026, 5, 26)),  # over Memorial Day
        (date(2026, 12, 23), 2, (), date(2026, 12, 29)),  # Christmas Eve and Day are state holidays
    ],
)
def test_the_nth_business_day(after, count, closed, due):
    assert nth_business_day(after, count, WEEK, "US-WI", closed) == due
    assert business_days_between(after, due, WEEK, "US-WI", closed) == count
    assert business_days_between(after, due - timedelta(days=1), WEEK, "US-WI", closed) == count - 1


def test_an_office_that_opens_on_three_days():
    assert nth_business_day(date(2026, 4, 1), 4, (0, 2, 4), "") == date(2026, 4, 10)
    assert not is_open(date(2026, 4, 7), (0, 2, 4), "")


@pytest.mark.parametrize(("count", "days"), [(0, WEEK), (1, ()), (1, (9,))])
def test_what_never_ends_is_refused(count, days):
    with pytest.raises(ValueError, match="business days need"):
        nth_business_day(date(2026, 4, 1), count, days, "")


@settings(deadline=None)
@given(st.dates(date(2000, 1, 1), date(2080, 1, 1)), st.integers(1, 60))
def test_a_due_day_is_open_and_later_counts_come_later(after, count):
    due = nth_business_day(after, count, WEEK, "US-WI")
    assert is_open(due, WEEK, "US-WI")
    assert nth_business_day(after, count + 1, WEEK, "US-WI") > due > after
