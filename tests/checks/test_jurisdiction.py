import pytest
import shapely

from siteplan_gis.model.layers import ReferenceFeature
from siteplan_gis.model.measurement import JurisdictionShare
from siteplan_gis.model.review import Status
from tests.checks.conftest import SQUARE, layer, make_case


def share(kind, part, name="Saukville", sort="village"):
    return JurisdictionShare(name, sort, kind, part * 10_000, part, SQUARE)


def limits(*names):
    features = [
        ReferenceFeature(name, name, kind, "", shapely.box(9e3, 0, 9e3 + 1, 1), "limits") for name, kind in names
    ]
    return {"municipalities": layer("municipalities", features)}


LIMITS = limits(("SAUKVILLE", "village"), ("Fairwater", "village"), ("East Troy", "village"))


@pytest.mark.parametrize(
    ("ordinance", "shares", "status"),
    [
        ("saukville", [("inside", 1.0, "Saukville", "village")], "pass"),
        ("saukville", [("inside", 0.5, "Saukville", "village"), ("etj", 0.5, "Saukville", "village")], "needs_review"),
        ("saukville", [("etj", 1.0, "Saukville", "village")], "needs_review"),
        ("saukville", [("inside", 1.0, "Saukville", "town")], "not_applicable"),
        ("saukville", [("inside", 1.0, "Grafton", "village")], "not_applicable"),
        ("saukville", [], "not_applicable"),
        ("saukville", [("inside", 1.0, "Saukville", "")], "needs_review"),
        ("saukville", [("inside", 0.4, "Grafton", "village")], "not_applicable"),
        ("fairwater", [("etj", 1.0, "Fairwater", "village")], "needs_review"),
        ("east_troy", [("etj", 1.0, "East Troy", "village")], "not_applicable"),
    ],
)
def test_each_village_and_its_reach(judge, ordinance, shares, status):
    rule = {"saukville": "SAU-JUR-1", "fairwater": "FAI-JUR-1", "east_troy": "ETR-JUR-1"}[ordinance]
    found = tuple(share(kind, part, name, sort) for kind, part, name, sort in shares)
    case = make_case(ordinance, layers=LIMITS, jurisdiction=found)
    assert judge(case, rule) == [("site", status)]


def test_no_boundaries_is_not_checked(judge):
    assert judge(make_case("saukville"), "SAU-JUR-1") == [("site", Status.NOT_CHECKED.value)]


def test_uncovered_site_is_the_reviewers(judge):
    case = make_case("saukville", layers=LIMITS, uncovered={"municipalities": shapely.box(50, 0, 100, 100)})
    assert judge(case, "SAU-JUR-1") == [("site", "needs_review")]


@pytest.mark.parametrize("known", [(), (("Saukville", "town"),), (("Grafton", "village"),)])
def test_a_boundary_layer_without_the_village_says_nothing_about_it(judge, known):
    assert judge(make_case("saukville", layers=limits(*known)), "SAU-JUR-1") == [("site", "needs_review")]
    elsewhere = (share("inside", 1.0, "Grafton", "village"),)
    case = make_case("saukville", layers=limits(*known), jurisdiction=elsewhere)
    assert judge(case, "SAU-JUR-1") == [("site", "not_applicable")]


def test_the_words_are_those_of_each_ordinance_and_name_another_s_area():
    from siteplan_gis.checks.jurisdiction import judge_jurisdiction

    words = {
        ("saukville", "Saukville"): "The village applies its ordinance there to sites that it selects.",
        ("fairwater", "Fairwater"): "The village may apply its ordinance there.",
        ("east_troy", "East Troy"): "The ordinance does not reach beyond the village.",
    }
    for (ordinance, village), told in words.items():
        shares = (share("etj", 0.6, village), share("etj", 0.4, "Harbor", "city"))
        case = make_case(ordinance, layers=LIMITS, jurisdiction=shares)
        rule = next(rule for rule in case.ordinance.rules if rule.check == "jurisdiction")
        (found,) = judge_jurisdiction(rule, case)
        assert told in found.message
        assert "40.0% in the extraterritorial area of the City of Harbor" in found.message
        assert f"60.0% of the site lies in the extraterritorial area of the Village of {village}" in found.message
    elsewhere = make_case("saukville", layers=LIMITS, jurisdiction=(share("etj", 1.0, "Harbor", "city"),))
    rule = next(rule for rule in elsewhere.ordinance.rules if rule.check == "jurisdiction")
    (found,) = judge_jurisdiction(rule, elsewhere)
    assert "100.0% in the extraterritorial area of the City of Harbor" in found.message
    assert found.status == Status.NOT_APPLICABLE
