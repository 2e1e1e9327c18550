"""Dates of the boundary layer and of the lists of waters beside the application's, and lengths that lie apart."""

from __future__ import annotations

from datetime import date

import pytest
from shapely import LineString, box

from siteplan_gis.checks.vintages import applied_on, warn_of_vintages
from siteplan_gis.measures.shapes.runs import connected_runs
from siteplan_gis.model.permit import PermitRecord
from siteplan_gis.model.review import Case
from siteplan_gis.reviewing import judge as review
from siteplan_gis.units import FOOT_M
from tests.checks.conftest import layer, make_case

APPLIED = date(2025, 3, 10)


def case_of(role, dated, submitted=APPLIED):
    return make_case("east_troy", layers={role: layer(role, date=dated)}, plan={"submitted": submitted})


@pytest.mark.parametrize(
    ("dated", "words"),
    [
        ("2025-03-09", "older than the application of 2025-03-10"),
        ("2025-03-10", ""),
        ("2025-03-11", "newer than the application of 2025-03-10"),
        ("2025-02", "older than"),
        ("2025-03", "may be older than"),
        ("2025-04", "newer than"),
        ("2024", "older than"),
        ("2025", "may be older than"),
        ("2026", "newer than"),
        ("", "no date is given"),
        ("spring", "no date is given"),
        ("2025-13", "no date is given"),
    ],
)
def test_limits_of_another_day_than_the_application_are_named(dated, words):
    flags = warn_of_vintages(case_of("municipalities", dated))
    assert [flag.code for flag in flags] == (["layer_not_of_date"] if words else [])
    assert all(words in flag.text for flag in flags)
    assert ("may be" in "".join(flag.text for flag in flags)) is ("may be" in words)


@pytest.mark.parametrize(
    ("dated", "warned"),
    [("2023-03-09", True), ("2023-03-10", False), ("2023-03-11", False), ("2022", True), ("2023", False), ("", True)],
)
def test_a_list_of_waters_is_old_after_two_years(dated, warned):
    flags = warn_of_vintages(case_of("listed_waters", dated))
    assert [flag.code for flag in flags] == ["layer_not_of_date"] * warned


def test_a_list_of_a_leap_day_is_old_from_the_second_of_march():
    old = [bool(warn_of_vintages(case_of("listed_waters", "2024-02-29", date(2026, 3, day)))) for day in (1, 2)]
    assert old == [False, True]


def test_the_villages_record_dates_the_application_before_the_applicant_does():
    given = case_of("municipalities", "2025-03-10", date(2025, 3, 1))

    def with_record(**days):
        return Case(given.site, given.measured, given.ordinance, given.on, PermitRecord(**days))

    assert applied_on(given) == (date(2025, 3, 1), "the application")
    assert applied_on(with_record(received=date(2025, 3, 5)))[0] == date(2025, 3, 5)
    assert applied_on(with_record(received=date(2025, 3, 5), complete=APPLIED))[0] == APPLIED
    assert applied_on(case_of("municipalities", "2025", None)) == (given.on, "the review")


def test_the_review_carries_the_warning():
    given = case_of("municipalities", "2025-01-01")
    codes = [flag.code for flag in review(given.site, given.ordinance, given.on).flags]
    assert codes == ["layer_not_of_date"]


# Lengths of streets and trenches


def measured_ft(*drawn):
    runs = connected_runs([shape for shape in drawn], 0.3)  # noqa: C416
    return [round(run.length_m / FOOT_M, 6) for run in runs]


def feet_line(*xy):
    return LineString([(x * FOOT_M, y * FOOT_M) for x, y in xy])


def test_a_trench_is_one_run_however_it_is_cut_and_drawn_twice():
    pieces = [feet_line((0, 0), (60, 0)), feet_line((60, 0), (105, 0)), feet_line((40, 0), (80, 0))]
    assert measured_ft(*pieces) == [105.0]
    assert measured_ft(*pieces, feet_line((0, 90), (50, 90))) == [105.0, 50.0]


def test_a_street_drawn_as_an_area_has_the_length_of_its_strip():
    """60 ft of a lane 30 ft wide are 60 ft, not the 180 ft around it; a bend changes nothing."""
    lane = box(0, 0, 60 * FOOT_M, 30 * FOOT_M)
    assert measured_ft(lane) == [60.0]
    bent = box(0, 0, 60 * FOOT_M, 10 * FOOT_M).union(box(0, 0, 10 * FOOT_M, 60 * FOOT_M))
    assert measured_ft(bent) == [110.0]


@pytest.mark.parametrize(
    ("total", "longest", "status"),
    [(99.9, 99.9, "not_applicable"), (100.0, 100.0, "pass"), (120.0, 99.9, "needs_review"), (220.0, 100.0, "pass"),
     (120.0, (99.9, 0.2), "needs_review"), (99.9, 60.0, "not_applicable")],
)  # fmt: skip
def test_short_stretches_that_lie_apart_are_the_reviewers(judge, total, longest, status):
    case = make_case("fairwater", {"pipe_work_ft": total, "pipe_work_longest_ft": longest})
    assert judge(case, "FAI-APP-5") == [("pipe", status)]
