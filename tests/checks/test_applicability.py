import pytest

from siteplan_gis.model.plan import Activity, Stated
from tests.checks.conftest import make_case


@pytest.mark.parametrize(("acres", "status"), [(4.999, "not_applicable"), (5.0, "pass"), (5.001, "pass")])
def test_land_of_five_acres_or_more(judge, acres, status):
    assert judge(make_case("fairwater", {"site_acres": acres}), "FAI-APP-1") == [("land", status)]


def test_land_within_its_doubt_of_five_acres_is_the_reviewers(judge):
    assert judge(make_case("fairwater", {"site_acres": (4.9999, 0.0005)}), "FAI-APP-1") == [("land", "needs_review")]


@pytest.mark.parametrize(
    ("drawn", "stated", "status"),
    [
        (4.9, 4.999, "not_applicable"),
        (4.9, 5.0, "needs_review"),
        (4.9, 5.001, "needs_review"),
        (5.1, 4.9, "pass"),
    ],
)
def test_stated_acres_that_reach_where_the_drawn_do_not_are_the_reviewers(judge, drawn, stated, status):
    plan = {"stated": Stated(site_acres=stated), "activity": Activity(land_use="one_family", needs_plat=True)}
    assert judge(make_case("fairwater", {"site_acres": drawn}, plan=plan), "FAI-APP-1") == [("land", status)]


@pytest.mark.parametrize(
    ("acres", "plat", "lot"),
    [(4.99, "not_applicable", "not_applicable"), (5.0, "not_applicable", "pass"), (5.01, "pass", "pass")],
)
def test_plats_over_five_and_lots_of_five_acres_or_more(judge, acres, plat, lot):
    case = make_case(
        "fairwater", {"site_acres": acres}, plan={"activity": Activity(land_use="commercial", needs_plat=True)}
    )
    assert judge(case, "FAI-APP-3") == [("plat", plat), ("lot", lot)]


def test_unstated_use_and_plat_are_the_reviewers(judge):
    assert judge(make_case("fairwater", {"site_acres": 9.0}), "FAI-APP-3") == [
        ("plat", "needs_review"),
        ("lot", "needs_review"),
    ]


@pytest.mark.parametrize(("feet", "status"), [(99.9, "not_applicable"), (100.0, "pass"), (100.1, "pass")])
def test_hundred_feet_of_street_or_pipe(judge, feet, status):
    assert judge(make_case("fairwater", {"street_work_ft": feet}), "FAI-APP-2") == [("street", status)]
    assert judge(make_case("fairwater", {"pipe_work_ft": feet}), "FAI-APP-5") == [("pipe", status)]


def test_unknown_length_is_not_checked(judge):
    case = make_case("fairwater", {"street_work_ft": "street work is neither drawn nor stated"})
    assert judge(case, "FAI-APP-2") == [("street", "not_checked")]


@pytest.mark.parametrize("acres", [0.2, 0.999, 1.0, 40.0])
def test_missing_threshold_never_decides(judge, acres):
    assert judge(make_case("saukville", {"disturbed_acres": acres}), "SAU-APP-0") == [("disturbed", "needs_review")]


@pytest.mark.parametrize(
    ("acres", "use", "status"),
    [
        (0.999, "one_family", "needs_review"),
        (1.0, "one_family", "not_applicable"),
        (0.5, "commercial", "not_applicable"),
        (0.5, "", "needs_review"),
    ],
)
def test_small_residences_are_regulated_elsewhere(judge, acres, use, status):
    case = make_case("saukville", {"site_acres": acres}, plan={"activity": Activity(land_use=use)})
    assert judge(case, "SAU-APP-1") == [("site", status)]


@pytest.mark.parametrize(("acres", "status"), [(4.99, "needs_review"), (5.0, "needs_review"), (5.01, "needs_review")])
def test_maintenance_is_never_granted_by_the_program(judge, acres, status):
    case = make_case(
        "saukville", {"disturbed_acres": acres}, plan={"activity": Activity(exemption="routine_maintenance")}
    )
    assert judge(case, "SAU-APP-2") == [("disturbed", status)]
    assert judge(make_case("saukville", {"disturbed_acres": acres}), "SAU-APP-2") == [("disturbed", "not_applicable")]


def test_claimed_exemption_is_the_reviewers(judge):
    assert judge(make_case("saukville", plan={"activity": Activity(exemption="silviculture")}), "SAU-APP-3") == [
        ("claim", "needs_review")
    ]
    assert judge(make_case("saukville"), "SAU-APP-3") == [("claim", "not_applicable")]


@pytest.mark.parametrize(("acres", "status"), [(4.99, "not_applicable"), (5.0, "pass")])
def test_control_plan_content_is_asked_from_five_disturbed_acres(judge, acres, status):
    assert judge(make_case("fairwater", {"disturbed_acres": acres}), "FAI-CPLAN") == [("disturbed", status)]
