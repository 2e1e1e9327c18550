"""The core: the table of checks, crashes, gates and totals."""

from dataclasses import replace
from datetime import date

import pytest

from siteplan_gis import reviewing
from siteplan_gis.checks.table import CHECKS, Check
from siteplan_gis.model.review import Status, total
from siteplan_gis.ordinances.reader import read_ordinance, shipped
from siteplan_gis.pipeline import exit_code
from tests.checks.conftest import make_case, rule_of


def test_every_check_an_ordinance_names_exists_and_has_a_page():
    named = {rule.check for name in shipped() for rule in read_ordinance(name).rules if rule.check}
    assert named == set(CHECKS)
    for check in CHECKS.values():
        page = __import__(check.judge.__module__, fromlist=["_"]).__doc__
        assert "asks" in page or "rule" in page.lower()
        assert "How it is judged" in page
        assert "Limits" in page


def test_crashing_check_is_an_error_and_the_others_go_on(monkeypatch):
    def crash(rule, case):
        message = "deliberately"
        raise ZeroDivisionError(message)

    monkeypatch.setattr(reviewing, "CHECKS", {**CHECKS, "contour_interval": Check(crash)})
    case = make_case("saukville")
    review = reviewing.judge(case.site, case.ordinance, case.on)
    statuses = {item.rule.id: item.status for item in review.findings}
    assert statuses["SAU-CONTOUR"] is Status.ERROR
    assert statuses["SAU-MAP-b"] is Status.FAIL
    assert review.status is Status.ERROR
    assert exit_code(review) == 3
    assert exit_code(review, "never") == 3


def test_crashing_measurement_is_an_error_of_every_rule_that_rests_on_it(monkeypatch):
    from siteplan_gis.measuring import survey

    monkeypatch.setattr(survey, "measure_slopes", lambda *_: 1 / 0)
    case = make_case("saukville")
    review = reviewing.judge(case.site, case.ordinance, case.on)
    statuses = {item.rule.id: item.status for item in review.findings}
    assert "ZeroDivisionError" in review.measured.faults["slopes"]
    assert statuses["SAU-SLOPE"] is Status.ERROR
    assert exit_code(review) == 3


def test_silent_check_is_an_error(monkeypatch):
    monkeypatch.setattr(reviewing, "CHECKS", {**CHECKS, "map_items": Check(lambda rule, case: [])})
    case = make_case("saukville")
    assert reviewing.run(rule_of(case, "SAU-MAP-b"), case)[0].status is Status.ERROR


def test_unknown_check_is_an_error():
    case = make_case("saukville")
    rule = replace(rule_of(case, "SAU-MAP-b"), check="no_such_check")
    assert reviewing.run(rule, case)[0].status is Status.ERROR


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([], "not_checked"),
        (["pass", "not_applicable"], "pass"),
        (["pass", "needs_review"], "needs_review"),
        (["pass", "not_checked", "needs_review"], "not_checked"),
        (["fail", "not_checked"], "fail"),
        (["fail", "error", "pass"], "error"),
        (["not_applicable"], "not_applicable"),
    ],
)
def test_totals(statuses, expected):
    assert total(Status(status) for status in statuses).value == expected


def _statuses(review):
    return {item.rule.id: item.status.value for item in review.findings}


def test_land_below_every_trigger_closes_the_ordinance():
    from siteplan_gis.model.plan import Activity
    from tests.checks.conftest import feature

    small = Activity(land_use="residential_subdivision", needs_plat=False, street_work_ft=0.0, pipe_work_ft=0.0)
    case = make_case("fairwater", features=[feature("site"), feature("disturbed_area")], plan={"activity": small})
    statuses = _statuses(reviewing.judge(case.site, case.ordinance, case.on))
    assert statuses["FAI-APP-1"] == "not_applicable"
    assert statuses["FAI-SCALE"] == "not_applicable"
    assert set(statuses.values()) <= {"not_applicable", "not_checked"}


def test_street_work_opens_the_ordinance_but_not_the_listed_content():
    from siteplan_gis.model.plan import Activity
    from tests.checks.conftest import feature

    street = Activity(land_use="street", needs_plat=False, street_work_ft=150.0, pipe_work_ft=0.0)
    case = make_case("fairwater", features=[feature("site"), feature("disturbed_area")], plan={"activity": street})
    statuses = _statuses(reviewing.judge(case.site, case.ordinance, case.on))
    assert statuses["FAI-APP-2"] == "pass"
    assert statuses["FAI-CPLAN"] == "not_applicable"
    assert statuses["FAI-SCALE"] == "not_applicable"
    assert statuses["FAI-JUR-1"] == "not_checked"


def test_two_subjects_of_one_name_are_told_apart():
    from tests.checks.conftest import feature

    ponds = [feature("pond", name="P-1"), feature("pond", name="P-1")]
    case = make_case("east_troy", {"airport_ft": 5_000.0}, features=ponds)
    assert [item.subject for item in reviewing.run(rule_of(case, "ETR-AIR-2"), case)] == ["P-1", "P-1 (2)"]


def test_words_not_yet_in_force_on_the_day_are_not_checked():
    case = make_case("saukville")
    before = reviewing.judge(case.site, case.ordinance, date(2023, 3, 6))
    scale = [item for item in before.findings if item.rule.id == "SAU-MAP-b"]
    assert [(item.subject, item.status) for item in scale] == [("in_force", Status.NOT_CHECKED)]
    assert "2023-03-07" in scale[0].message
    since = reviewing.judge(case.site, case.ordinance, date(2023, 3, 7))
    assert [item.status for item in since.findings if item.rule.id == "SAU-MAP-b"] == [Status.FAIL]
