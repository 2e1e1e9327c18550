import pytest
import shapely

from siteplan_gis.model.measurement import NearbyFeature
from siteplan_gis.reviewing import run
from tests.checks.conftest import feature, layer, make_case, rule_of


@pytest.mark.parametrize(
    ("feet", "status"),
    [(9_999.0, "needs_review"), (10_000.0, "needs_review"), (13_999.0, "needs_review"), (14_001.0, "not_applicable")],
)
def test_distance_without_exhibit_a_is_the_reviewers(judge, feet, status):
    assert judge(make_case("east_troy", {"airport_ft": feet}), "ETR-AIR-1") == [("airport", status)]


@pytest.mark.parametrize(("hours", "status"), [(47.9, "pass"), (48.0, "pass"), (48.1, "fail"), (None, "needs_review")])
def test_ponds_near_the_airport(judge, hours, status):
    pond = feature("pond", attributes={"drain_hours": hours})
    assert judge(make_case("east_troy", {"airport_ft": 5_000.0}, features=[pond]), "ETR-AIR-2") == [("pond 1", status)]


def test_slow_pond_where_only_exhibit_a_could_reach_is_the_reviewers(judge):
    pond = feature("pond", attributes={"drain_hours": 72.0})
    assert judge(make_case("east_troy", {"airport_ft": 12_000.0}, features=[pond]), "ETR-AIR-2") == [
        ("pond 1", "needs_review")
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


POINT, RUNWAY, AREA = shapely.Point(0, 0), shapely.LineString([(0, 0), (9, 9)]), shapely.box(0, 0, 9, 9)


@pytest.mark.parametrize(
    ("shape", "feet", "status", "base"),
    [
        (POINT, 14_000.0, "needs_review", "reference point"),
        (POINT, 14_001.0, "not_applicable", "reference point"),
        (RUNWAY, 12_000.0, "needs_review", "runway"),
        (RUNWAY, 12_001.0, "not_applicable", "runway"),
        (AREA, 9_999.0, "needs_review", "own area"),
        (AREA, 10_000.0, "needs_review", "own area"),
        (AREA, 10_001.0, "not_applicable", "own area"),
    ],
)
def test_what_the_distance_is_measured_from(shape, feet, status, base):
    ours = NearbyFeature("1", "East Troy Municipal", "", "", "airports", feet * 0.3048, shape)
    point = NearbyFeature("2", "East Troy Municipal", "", "", "airports", (feet + 3_000.0) * 0.3048, POINT)
    case = make_case("east_troy", {"airport_ft": 1.0}, airports=(ours, point))
    rule = rule_of(case, "ETR-AIR-1")
    (found,) = run(rule, case)
    assert found.status.value == status
    assert f"from the airport's {base}" in found.message


def test_an_area_is_no_more_certain_than_its_map():
    ours = NearbyFeature("1", "East Troy Municipal", "", "", "airports", 10_030.0 * 0.3048, AREA)
    case = make_case("east_troy", {"airport_ft": 1.0}, airports=(ours,), layers={"airports": layer("airports")})
    (found,) = run(rule_of(case, "ETR-AIR-1"), case)
    assert found.status.value == "needs_review"  # 10 m is 33 ft
