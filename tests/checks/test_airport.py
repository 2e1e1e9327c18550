import pytest

from tests.checks.conftest import feature, make_case


@pytest.mark.parametrize(
    ("feet", "status"),
    [(9_999.0, "needs_review"), (10_000.0, "needs_review"), (13_999.0, "needs_review"), (14_001.0, "not_applicable")],
)
def test_distance_without_exhibit_a_is_the_reviewers(judge, feet, status):
    assert judge(make_case("east_troy", {"airport_ft": feet}), "ETR-AIR-1") == [("airport", status)]


@pytest.mark.parametrize(("hours", "status"), [(47.9, "pass"), (48.0, "pass"), (48.1, "fail"), (None, "needs_review")])
def test_ponds_near_the_airport(judge, hours, status):
    pond = feature("pond", attributes={"drain_hours": hours})
    assert judge(make_case("east_troy", {"airport_ft": 5_000.0}, features=[pond]), "ETR-AIR-2") == [
        ("plan.gpkg/pond 1", status)
    ]


def test_slow_pond_where_only_exhibit_a_could_reach_is_the_reviewers(judge):
    pond = feature("pond", attributes={"drain_hours": 72.0})
    assert judge(make_case("east_troy", {"airport_ft": 12_000.0}, features=[pond]), "ETR-AIR-2") == [
        ("plan.gpkg/pond 1", "needs_review")
    ]


def test_no_pond_and_far_away(judge):
    assert judge(make_case("east_troy", {"airport_ft": 5_000.0}), "ETR-AIR-2") == [("ponds", "pass")]
    case = make_case("east_troy", {"airport_ft": 20_000.0}, features=[feature("pond")])
    assert judge(case, "ETR-AIR-2") == [("ponds", "not_applicable")]
