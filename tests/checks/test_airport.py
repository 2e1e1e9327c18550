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


NEAR = {"airport_ft": 5_000.0}


def pond_rows(judge, *features):
    return [status for _, status in judge(make_case("east_troy", NEAR, features=features), "ETR-AIR-2")]


@pytest.mark.parametrize("kind", ["rain garden", "BMP 4", "lake", "stormwater quality device", "basin (removed)", ""])
@pytest.mark.parametrize("hours", [{}, {"drain_hours": 12.0}])
def test_a_control_of_no_known_kind_may_be_a_pond(judge, kind, hours):
    assert pond_rows(judge, feature("control", kind=kind, attributes=hours)) == ["needs_review"]


@pytest.mark.parametrize("role", ["structure", "surface_water", "utility", "vegetation", "stabilization", "wetland"])
def test_a_pond_in_another_role_is_a_pond(judge, role):
    assert pond_rows(judge, feature(role, name="Pond P-1")) == ["needs_review"]
    assert pond_rows(judge, feature(role, kind="infiltration trench")) == ["needs_review"]


@pytest.mark.parametrize(("inside_m", "status"), [(49.0, "pass"), (50.0, "needs_review"), (51.0, "needs_review")])
def test_a_water_drawn_where_ground_is_dug_is_one_that_is_made(judge, inside_m, status):
    water = shapely.box(100 - inside_m, 0, 200 - inside_m, 100)
    assert pond_rows(judge, feature("surface_water", water)) == [status]


def test_what_cannot_be_a_pond_is_none(judge):
    beside = shapely.box(200, 0, 300, 100)
    others = (
        feature("control", kind="silt fence"),
        feature("control", kind="catch basin insert"),
        feature("structure", kind="warehouse"),
        feature("surface_water", beside, name="Lantern Pond"),
        feature("disturbed_area", name="Pond grading"),
        feature("drainage_pattern", shapely.LineString([(0, 0), (50, 50)]), name="to pond"),
    )
    assert pond_rows(judge, *others) == ["pass"]


@pytest.mark.parametrize(("hours", "status"), [(0.0, "needs_review"), (0.099, "needs_review"), (0.1, "pass"), (1, "pass"), (True, "needs_review"), ("12", "needs_review")])  # fmt: skip
def test_a_drain_time_of_nothing_is_none(judge, hours, status):
    assert pond_rows(judge, feature("pond", attributes={"drain_hours": hours})) == [status]
