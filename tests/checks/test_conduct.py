"""Clocks and records: each limit just below, at and just above, and what no record tells."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest
import shapely

from siteplan_gis.model.permit import Extension, LogEntry, Moment, Notice, PermitRecord, Rain, Visit
from siteplan_gis.model.plan import PlanFeature
from siteplan_gis.reviewing import run
from tests.checks.conftest import make_case, rule_of

ISSUED = date(2026, 4, 28)


def moment(*parts):
    return Moment.of(datetime(*parts) if len(parts) > 3 else date(*parts))


def outcome(rule, *, on=date(2026, 6, 1), features=(), narrative=None, **record):
    village = {"SAU": "saukville", "FAI": "fairwater", "ETR": "east_troy"}[rule[:3]]
    case = make_case(village)
    plan = replace(case.site.plan, features=(*case.site.plan.features, *features), narrative=narrative or {})
    permit = PermitRecord(**record) if record else None
    case = replace(case, site=replace(case.site, plan=plan), on=on, permit=permit)
    return [
        (item.subject, item.status.value if item.counted else "checklist") for item in run(rule_of(case, rule), case)
    ]


# ------------------------------------------------------------------------------------------------------- review clock

COMPLETE = date(
    2026, 4, 1
)  # the twentieth business day after it is 29 April, the tenth is 15 April, the seventh 10 April


@pytest.mark.parametrize(
    ("rule", "facts", "on", "status"),
    [
        ("SAU-20BD", {"complete": COMPLETE}, date(2026, 4, 28), "pass"),
        ("SAU-20BD", {"complete": COMPLETE}, date(2026, 4, 29), "pass"),
        ("SAU-20BD", {"complete": COMPLETE}, date(2026, 4, 30), "needs_review"),
        ("SAU-20BD", {"complete": COMPLETE, "decided": date(2026, 4, 29)}, date(2026, 9, 1), "pass"),
        ("SAU-20BD", {"complete": COMPLETE, "decided": date(2026, 4, 30)}, date(2026, 9, 1), "needs_review"),
        ("SAU-20BD", {"complete": COMPLETE, "closed": frozenset({date(2026, 4, 29)})}, date(2026, 4, 30), "pass"),
        ("SAU-20BD", {"complete": COMPLETE, "more_received": date(2026, 4, 20)}, date(2026, 9, 1), "not_applicable"),
        ("SAU-20BD", {"received": COMPLETE}, date(2026, 4, 2), "checklist"),
        ("SAU-7BD", {"more_received": COMPLETE}, date(2026, 4, 10), "pass"),
        ("SAU-7BD", {"more_received": COMPLETE}, date(2026, 4, 11), "needs_review"),
        ("SAU-7BD", {"more_received": COMPLETE, "decided": date(2026, 3, 1)}, date(2026, 4, 11), "not_applicable"),
        ("SAU-7BD", {"complete": COMPLETE}, date(2026, 4, 11), "checklist"),
        ("FAI-10WD", {"received": COMPLETE}, date(2026, 4, 15), "pass"),
        ("FAI-10WD", {"received": COMPLETE}, date(2026, 4, 16), "needs_review"),
        ("FAI-10WD", {}, date(2026, 4, 16), "checklist"),
    ],
)
def test_review_clock(rule, facts, on, status):
    assert outcome(rule, on=on, **facts) == [("clock", status)]


# ------------------------------------------------------------------------------------------------------------ notices


@pytest.mark.parametrize("rule", ["SAU-48H", "FAI-48H", "ETR-48H"])
@pytest.mark.parametrize(
    ("given", "status"),
    [
        ((2026, 5, 12, 7, 0), "pass"),
        ((2026, 5, 12, 7, 1), "fail"),
        ((2026, 5, 8, 7, 0), "pass"),
        ((2026, 5, 8, 6, 59), "needs_review"),
        ((2026, 5, 11), "pass"),
        ((2026, 5, 12), "needs_review"),  # any minute of the day: before or after seven
        ((2026, 5, 13), "fail"),
    ],
)
def test_notice_of_the_start(rule, given, status):
    began = moment(2026, 5, 10, 7, 0)
    assert outcome(rule, issued=ISSUED, began=began, notices=(Notice("start", began, moment(*given)),)) == [
        ("start", status)
    ]


@pytest.mark.parametrize(("rule", "days"), [("SAU-3D", 3), ("FAI-14D", 14), ("ETR-14D", 14)])
def test_notice_of_a_practice(rule, days):
    for late, status in ((-1, "needs_review"), (0, "pass"), (days - 1, "pass"), (days, "pass"), (days + 1, "fail")):
        given = Moment.of(date(2026, 5, 10) + timedelta(days=late))
        notices = (Notice("silt fence", moment(2026, 5, 10), given),)
        assert outcome(rule, issued=ISSUED, notices=notices) == [("silt fence", status)]


def test_notices_that_nobody_recorded():
    assert outcome("SAU-48H") == [("notice", "checklist")]
    assert outcome("SAU-48H", issued=ISSUED) == [("notice", "checklist")]
    assert outcome("SAU-48H", issued=ISSUED, began=moment(2026, 5, 10)) == [("start", "needs_review")]
    assert outcome("SAU-3D", issued=ISSUED, began=moment(2026, 5, 10)) == [("notice", "checklist")]


# ------------------------------------------------------------------------------------------------------------- permit


@pytest.mark.parametrize(
    ("facts", "on", "status"),
    [
        ({}, date(2026, 10, 25), "pass"),  # 180 days after 28 April
        ({}, date(2026, 10, 26), "fail"),
        ({"building_permit_until": date(2027, 3, 1)}, date(2027, 3, 1), "pass"),
        ({"building_permit_until": date(2027, 3, 1)}, date(2027, 3, 2), "fail"),
        ({"building_permit_until": date(2026, 6, 1)}, date(2026, 10, 25), "pass"),
        ({"extensions": (Extension(date(2026, 10, 25), 180),)}, date(2027, 4, 23), "pass"),
        ({"extensions": (Extension(date(2026, 10, 25), 180),)}, date(2027, 4, 24), "fail"),
        ({"extensions": (Extension(date(2026, 10, 25), 181),)}, date(2026, 11, 1), "needs_review"),
        ({"extensions": (Extension(date(2026, 10, 26), 180),)}, date(2026, 11, 1), "needs_review"),
        ({"stabilised": date(2026, 10, 25)}, date(2027, 6, 1), "pass"),
        ({"stabilised": date(2026, 10, 26)}, date(2027, 6, 1), "fail"),
    ],
)
@pytest.mark.parametrize("rule", ["SAU-180", "FAI-180", "ETR-180"])
def test_term_of_the_permit(rule, facts, on, status):
    assert outcome(rule, on=on, issued=ISSUED, **facts) == [("permit", status)]


@pytest.mark.parametrize("rule", ["SAU-180", "SAU-PERMIT", "FAI-PERMIT", "ETR-POST-1"])
def test_without_a_record_it_is_the_reviewer_s(rule):
    assert outcome(rule) == [("permit", "checklist")]


def test_a_permit_comes_first():
    began = moment(2026, 5, 10, 7, 0)
    for issued, status in ((date(2026, 5, 10), "pass"), (date(2026, 5, 11), "fail"), (None, "fail")):
        assert outcome("SAU-PERMIT", began=began, issued=issued) == [("permit", status)]
        assert outcome("ETR-POST-1", began=began, issued=ISSUED, post_construction_permit=issued) == [
            ("permit", status)
        ]


# ------------------------------------------------------------------------------------------------- rain and inspections


def entry(*parts, **more):
    facts = {"name": "J. Doe", "location": "all", "assessment": "good", "phase": "grading", "maintenance": "none"}
    return LogEntry(moment(*parts), **{**facts, **more})


WEEKLY = tuple(entry(2026, 5, day, 12, 0) for day in (10, 17, 24, 31))
BEGAN = moment(2026, 5, 10, 7, 0)


def rains(rule, rain, *extra, log=WEEKLY):
    found = dict(outcome(rule, began=BEGAN, issued=ISSUED, rains=(rain,) if rain else (), log=(*log, *extra)))
    return found["rains"]


@pytest.mark.parametrize(
    ("rule", "rain", "extra", "status"),
    [
        ("SAU-RAIN", Rain(moment(2026, 5, 19, 6, 0), 0.5, True), entry(2026, 5, 20, 6, 0), "pass"),
        ("SAU-RAIN", Rain(moment(2026, 5, 19, 6, 0), 0.5, True), entry(2026, 5, 20, 6, 1), "fail"),
        ("SAU-RAIN", Rain(moment(2026, 5, 19, 6, 0), 0.49, True), None, "pass"),
        ("SAU-RAIN", Rain(moment(2026, 5, 19, 6, 0), 0.5, False), None, "pass"),
        ("SAU-RAIN", Rain(moment(2026, 5, 19, 6, 0), 0.5, None), None, "needs_review"),
        ("SAU-RAIN", Rain(moment(2026, 5, 19, 6, 0), 0.5, True), entry(2026, 5, 20), "needs_review"),
        ("SAU-RAIN", Rain(moment(2026, 5, 19, 6, 0), 0.5, True), entry(2026, 5, 19, 5, 0), "fail"),
        ("SAU-RAIN", Rain(moment(2026, 6, 1, 12, 0), 0.5, True), None, "needs_review"),  # the day is not over
        ("SAU-RAIN", Rain(moment(2026, 5, 1, 12, 0), 2.0, True), None, "pass"),  # before work began
        ("ETR-RAIN", Rain(moment(2026, 5, 19, 6, 0), 0.5, True), None, "fail"),
        ("FAI-RAIN", Rain(moment(2026, 5, 19, 6, 0), 0.5, False), None, "pass"),  # the weekly one follows it
        ("FAI-RAIN", Rain(moment(2026, 5, 24, 13, 0), 0.5, False), None, "pass"),
    ],
)
def test_inspection_after_rain(rule, rain, extra, status):
    assert rains(rule, rain, *([extra] if extra else [])) == status


def test_two_rains_need_two_inspections_in_fairwater():
    two = (Rain(moment(2026, 5, 18, 6, 0), 0.6, None), Rain(moment(2026, 5, 20, 6, 0), 0.6, None))
    found = dict(outcome("FAI-RAIN", began=BEGAN, issued=ISSUED, rains=two, log=WEEKLY))
    assert found["rains"] == "fail"
    found = dict(outcome("FAI-RAIN", began=BEGAN, issued=ISSUED, rains=two, log=(*WEEKLY, entry(2026, 5, 19, 8, 0))))
    assert found["rains"] == "pass"


@pytest.mark.parametrize(("days", "status"), [((17, 24, 31), "pass"), ((18, 25, 31), "fail"), ((17, 25, 31), "fail")])
def test_every_week(days, status):
    log = tuple(entry(2026, 5, day, 12, 0) for day in days)
    assert dict(outcome("FAI-RAIN", began=BEGAN, issued=ISSUED, rains=(), log=log))["weeks"] == status


def test_the_log_tells_what_the_text_asks_for():
    bare = (*WEEKLY[:3], entry(2026, 5, 31, 12, 0, assessment="", maintenance=""))
    facts = {"began": BEGAN, "issued": ISSUED, "rains": (), "log": bare}
    assert dict(outcome("SAU-RAIN", **facts))["log"] == "fail"
    assert dict(outcome("ETR-RAIN", **facts))["log"] == "pass"  # its text asks for date, name and phase
    assert "log" not in dict(outcome("FAI-RAIN", **facts))


def test_inspections_without_tables_are_not_checked():
    assert outcome("SAU-RAIN") == [("inspections", "checklist")]
    assert outcome("SAU-RAIN", began=BEGAN, issued=ISSUED, rains=()) == [("inspections", "not_checked")]
    assert outcome("SAU-RAIN", began=BEGAN, issued=ISSUED, log=()) == [("inspections", "not_checked")]


# ------------------------------------------------------------------------------------------------ the village's visits


def visits(*days):
    return tuple(day if isinstance(day, Visit) else Visit(day) for day in days)


@pytest.mark.parametrize(
    ("days", "status"),
    [
        ((date(2026, 5, 12), date(2026, 5, 26)), "pass"),
        ((date(2026, 5, 13), date(2026, 5, 27)), "needs_review"),
        ((date(2026, 5, 12), date(2026, 5, 27)), "needs_review"),
        ((), "needs_review"),
    ],
)
def test_every_two_weeks_in_summer(days, status):
    assert outcome("SAU-INSP", on=date(2026, 6, 9), issued=ISSUED, visits=visits(*days))[0] == ("visits", status)


def test_once_a_month_in_east_troy():
    may, june = date(2026, 5, 31), date(2026, 6, 1)
    assert outcome("ETR-INSP", on=date(2026, 6, 30), issued=ISSUED, visits=visits(may, june)) == [("visits", "pass")]
    assert outcome("ETR-INSP", on=date(2026, 6, 30), issued=ISSUED, visits=visits(may)) == [("visits", "needs_review")]
    assert outcome("ETR-INSP", on=date(2026, 6, 29), issued=ISSUED, visits=visits(may)) == [("visits", "pass")]


def test_twice_in_winter_and_the_gap_of_february_29():
    autumn = date(2027, 11, 1)
    leap = date(2028, 2, 29)
    for days, status in (
        ((date(2027, 11, 1), date(2028, 2, 28)), "pass"),
        ((date(2027, 11, 1), leap), "needs_review"),
        ((date(2027, 10, 31), date(2028, 2, 28)), "needs_review"),
    ):
        found = outcome("ETR-INSP", on=date(2028, 2, 29), issued=autumn, visits=visits(*days))
        assert found == [("visits", status)]


@pytest.mark.parametrize(
    ("later", "status"), [(date(2026, 5, 12), "pass"), (date(2026, 5, 13), "needs_review"), (None, "needs_review")]
)
def test_follow_up_within_seven_days(later, status):
    seen = [Visit(date(2026, 5, 5), "sediment"), *([Visit(later)] if later else [])]
    assert outcome("SAU-INSP", on=date(2026, 5, 19), issued=ISSUED, visits=visits(*seen))[1] == ("follow_up", status)


def test_no_follow_up_where_it_was_corrected_or_is_not_due():
    corrected = visits(Visit(date(2026, 5, 5), "inadequate", corrected=True))
    assert len(outcome("SAU-INSP", on=date(2026, 5, 12), issued=ISSUED, visits=corrected)) == 1
    due = visits(Visit(date(2026, 5, 5), "inadequate"))
    assert outcome("SAU-INSP", on=date(2026, 5, 12), issued=ISSUED, visits=due)[1] == ("follow_up", "pass")
    assert outcome("SAU-INSP") == [("visits", "checklist")]


# ------------------------------------------------------------------------------------------------------------ sequence


def ground(number=1, **facts):
    attributes = {key: facts.pop(key) for key in ("paused", "resumes") if key in facts}
    box = shapely.box(0, 0, 100, 100)
    return PlanFeature("disturbed_area", box, "lod", f"g{number}", attributes=attributes, **facts)


def cover(start, width=100.0):
    return PlanFeature("stabilization", shapely.box(0, 0, width, 100), "seed", "s", start=start)


PAUSED = date(2026, 6, 1)


@pytest.mark.parametrize(
    ("resumes", "covers", "status"),
    [
        (date(2026, 6, 15), (), "pass"),  # fourteen days
        (date(2026, 6, 16), (), "fail"),  # fifteen
        (None, (), "fail"),
        (date(2026, 7, 1), (cover(date(2026, 6, 15)),), "pass"),
        (date(2026, 7, 1), (cover(date(2026, 6, 16)),), "fail"),
        (date(2026, 7, 1), (cover(date(2026, 6, 1), 99.0),), "fail"),
        (date(2026, 7, 1), (cover(None),), "needs_review"),
        (date(2026, 5, 1), (), "needs_review"),
    ],
)
def test_ground_that_rests_is_stabilised(resumes, covers, status):
    piece = ground(paused=PAUSED, **({"resumes": resumes} if resumes else {}))
    assert outcome("SAU-14D", features=(piece, *covers)) == [("ground 1", status)]
    as_text = ground(paused="2026-06-01", **({"resumes": resumes.isoformat()} if resumes else {}))
    assert outcome("SAU-14D", features=(as_text, *covers)) == [("ground 1", status)]


def test_a_plan_without_pauses_is_the_reviewer_s():
    assert outcome("SAU-14D") == [("pauses", "checklist")]


def fence(start, end=None, y=-5.0):
    line = shapely.LineString([(0, y), (100, y)])
    return PlanFeature("control", line, "controls", "c", kind="silt_fence", start=start, end=end)


@pytest.mark.parametrize(
    ("control", "expected"),
    [
        (fence(date(2026, 5, 1), date(2026, 9, 1)), [("order", "pass")]),
        (fence(date(2026, 5, 2), date(2026, 9, 1)), [("before", "fail")]),
        (fence(date(2026, 5, 1), date(2026, 8, 31)), [("until", "fail")]),
        (fence(date(2026, 5, 2), date(2026, 8, 31)), [("before", "fail"), ("until", "fail")]),
        (fence(date(2026, 7, 1), y=-500.0), [("order", "pass")]),  # it serves other ground
        (fence(None, date(2026, 9, 1)), [("order", "needs_review")]),
    ],
)
def test_practices_before_work_and_until_its_end(control, expected):
    phase = ground(start=date(2026, 5, 1), end=date(2026, 9, 1))
    assert outcome("SAU-ORDER", features=(phase, control)) == expected


def test_an_order_without_dates_is_the_reviewer_s():
    assert outcome("SAU-ORDER") == [("order", "checklist")]
    assert outcome("SAU-STAGE") == [("bare_ground", "checklist")]
    assert outcome("FAI-SEQ") == [("bare_ground", "checklist")]


# ----------------------------------------------------------------------------------------------------- plan statement


def test_declared_items_of_the_statement():
    assert outcome("SAU-GW") == [("statement", "checklist")]
    declared = {"surface_soils": "page 3", "subsoils": ""}
    assert outcome("SAU-GW", narrative=declared) == [
        ("surface_soils", "pass"),
        ("subsoils", "fail"),
        ("depth_to_groundwater", "needs_review"),
    ]
    # words that name no place declare nothing
    for said in ("TBD", "none", "N/A", "not provided", "to be determined", "-", "?", "Not available yet"):
        assert ("subsoils", "needs_review") in outcome("SAU-GW", narrative={"subsoils": said}), said
    for said in ("declared present", "none found: borings B-1 to B-4, page 9", "Appendix N"):
        assert ("subsoils", "pass") in outcome("SAU-GW", narrative={"subsoils": said}), said
    # "where appropriate": an item that is not given is the reviewer's
    assert ("dust_control", "needs_review") in outcome("SAU-CONTROLS", narrative={"dust_control": ""})
