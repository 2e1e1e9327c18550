import pytest
import shapely

from siteplan_gis.model.measurement import NearbyFeature
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


def airport(name, distance_m):
    return NearbyFeature(name, name, "", "", "airports", distance_m, shapely.Point(0, 0))


def test_only_the_village_airport_counts(judge):
    near, ours = airport("Hilltop Strip", 1_000.0), airport("EAST TROY MUNI", 6_000.0)
    values = {"airport_ft": 1_000 / 0.3048}
    case = make_case("east_troy", values, airports=(near, ours))
    assert judge(case, "ETR-AIR-1") == [("airport", "not_applicable")]
    case = make_case("east_troy", {"airport_ft": 20_000.0}, airports=(airport("Hilltop Strip", 6_096.0),))
    assert judge(case, "ETR-AIR-1") == [("airport", "not_checked")]
    assert judge(case, "ETR-AIR-2") == [("ponds", "not_checked")]


@pytest.mark.parametrize("words", [{"name": "Wet pond 2"}, {"kind": "Extended Detention"}, {"kind": "BASIN"}])
def test_a_control_that_holds_water_is_a_pond_whatever_it_is_called(judge, words):
    case = make_case("east_troy", {"airport_ft": 5_000.0}, features=[feature("control", **words)])
    assert [status for _, status in judge(case, "ETR-AIR-2")] == ["needs_review"]


def test_a_negative_drain_time_and_an_existing_pond_are_the_reviewers(judge):
    for words in (
        {"attributes": {"drain_hours": -5.0}},
        {"kind": "existing pond", "attributes": {"drain_hours": 72.0}},
    ):
        case = make_case("east_troy", {"airport_ft": 5_000.0}, features=[feature("pond", **words)])
        assert [status for _, status in judge(case, "ETR-AIR-2")] == ["needs_review"]
