"""The reviewer's decisions beside the program's: applied, stale, unknown; nothing is erased."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner

from siteplan_gis import reviewing
from siteplan_gis.checks.applicability import reached_by_determination
from siteplan_gis.checks.table import CHECKS, Check
from siteplan_gis.checks.verdict import finding
from siteplan_gis.cli import app
from siteplan_gis.ingest.records.overrides import ignored_overrides
from siteplan_gis.model.measurement import Measurement
from siteplan_gis.model.review import Decision, Override, Status
from siteplan_gis.model.source import Source
from siteplan_gis.report.letter import letter_of
from siteplan_gis.report.records import review_record
from tests.checks.conftest import make_case, rule_of

SAMPLES = Path(__file__).resolve().parents[1] / "sample_plans"
ON = date(2026, 5, 4)


def decision(about, status=Status.PASS, *, value=None, fingerprint=None, name=None):
    override = Override(status, "J. Smith", ON, "seen on the ground")
    return Decision(fingerprint or about.fingerprint, about.id if name is None else name, value, override)


def review(decisions=(), case=None):
    case = case or make_case("saukville")
    return reviewing.judge(case.site, case.ordinance, case.on, decisions=decisions)


def test_a_decision_stands_beside_the_finding():
    before = review()
    failed = next(item for item in before.findings if item.rule.id == "SAU-MAP-b")
    assert failed.status is Status.FAIL
    after = review([decision(failed)])
    again = next(item for item in after.findings if item.rule.id == "SAU-MAP-b")
    assert again.status is Status.FAIL
    assert again.decided is Status.PASS
    assert again.fingerprint == failed.fingerprint
    assert after.status is before.status
    assert after.flags == ()


def test_deciding_everything_changes_the_decided_status_only():
    before = review()
    after = review([decision(item) for item in before.findings])
    assert after.decided is Status.PASS
    assert after.status is before.status


def test_stale_and_unknown_decisions_are_named():
    failed = next(item for item in review().findings if item.rule.id == "SAU-MAP-b")
    after = review([
        decision(failed, fingerprint="0" * 16),
        decision(failed, fingerprint="1" * 16, name="SAU-NONE:site"),
        decision(failed, fingerprint="2" * 16, name=""),
    ])  # fmt: skip
    assert [flag.code for flag in after.flags] == ["override_stale", "override_unknown", "override_unknown"]
    assert "it is now 'fail'" in after.flags[0].text
    assert all(item.override is None for item in after.findings)


@pytest.mark.parametrize(
    ("looked_at", "measured", "doubt", "holds"),
    [
        (10.0, 10.1, None, True),
        (10.0, 10.11, None, False),
        (10.0, 10.5, 0.5, True),
        (10.0, 10.51, 0.5, False),
        (10.0, None, None, False),
        (0.0, 0.0, None, True),
    ],
)
def test_a_decision_about_another_number_is_stale(monkeypatch, looked_at, measured, doubt, holds):
    def judged(rule, _):
        value = None if measured is None else Measurement("steep_disturbed_acres", measured, "acre", doubt)
        return [finding(rule, "disturbed", Status.NEEDS_REVIEW, "text", measured=value)]

    monkeypatch.setattr(reviewing, "CHECKS", {**CHECKS, "steep_slopes": Check(judged)})
    about = next(item for item in review().findings if item.rule.id == "SAU-SLOPE")
    after = review([decision(about, value=looked_at)])
    (again,) = (item for item in after.findings if item.rule.id == "SAU-SLOPE")
    assert (again.override is not None) is holds
    assert [flag.code for flag in after.flags] == ([] if holds else ["override_stale"])


def test_a_crash_is_not_decided_away(monkeypatch):
    monkeypatch.setattr(reviewing, "CHECKS", {**CHECKS, "steep_slopes": Check(lambda rule, case: 1 / 0)})
    crashed = next(item for item in review().findings if item.rule.id == "SAU-SLOPE")
    after = review([decision(item) for item in review().findings])
    assert next(item for item in after.findings if item.rule.id == "SAU-SLOPE").override is None
    assert after.decided is Status.ERROR
    assert any(crashed.id in flag.text for flag in after.flags)


def _closed_gate(monkeypatch):
    def below(rule, _):
        return [finding(rule, "disturbed", Status.NOT_APPLICABLE, "Far below.")]

    monkeypatch.setattr(reviewing, "CHECKS", {**CHECKS, "applicability_disturbed": Check(below)})


def test_the_superintendent_opens_the_gate_of_size(monkeypatch):
    _closed_gate(monkeypatch)
    case = make_case("saukville")
    closed = review(case=case)
    assert next(item for item in closed.findings if item.rule.id == "SAU-MAP-b").status is Status.NOT_APPLICABLE
    (about,) = reached_by_determination(rule_of(case, "SAU-APP-4"), case)
    opened = review([decision(about)], case)
    assert next(item for item in opened.findings if item.rule.id == "SAU-MAP-b").status is Status.FAIL
    assert opened.flags == ()


def test_no_decision_closes_a_gate():
    case = make_case("fairwater")
    reached = [item for item in review(case=case).findings if item.rule.options.get("gate")]
    after = review([decision(item, Status.NOT_APPLICABLE) for item in reached], case)
    assert [item.status for item in after.findings] == [item.status for item in review(case=case).findings]


def test_a_decided_line_of_the_checklist_counts():
    """What the program leaves to a person decides as soon as the person has decided it, and not before."""
    open_rows = review()
    settled = [decision(item) for item in open_rows.findings]
    (line,) = (item for item in open_rows.checklist if item.rule.id == "SAU-STAGE")
    assert review(settled).decided is Status.PASS
    for status in (Status.NEEDS_REVIEW, Status.FAIL):
        after = review([*settled, decision(line, status)])
        assert after.decided is status
        assert after.status is open_rows.status
    confirmed = reviewing.judge(
        (case := make_case("saukville")).site, case.ordinance, case.on,
        decisions=[*settled, decision(line, Status.FAIL)], decisions_from=Source("decisions", "decisions.toml"),
    )  # fmt: skip
    letter = letter_of(review_record(confirmed), ON)
    assert letter.outcome == "disapproval"
    assert [reason.title for reason in letter.reasons] == [line.rule.title]
    assert letter.reasons[0].confirmed == ("J. Smith: seen on the ground",)


def test_a_file_of_decisions_inside_the_plan_is_named_unless_it_is_given(tmp_path):
    (tmp_path / "overrides.toml").write_text("", encoding="utf-8")
    assert [flag.code for flag in ignored_overrides([tmp_path])] == ["file_ignored"]
    assert ignored_overrides([tmp_path], tmp_path / "overrides.toml") == ()


def test_decisions_beside_a_plan_are_used_and_told(tmp_path):
    plan = shutil.copytree(SAMPLES / "fail-scale-200", tmp_path / "plan")
    command = [
        "review",
        str(plan),
        "--layers",
        str(SAMPLES.parent / "layers" / "saukville"),
        "--on",
        "2026-05-04",
        "--json",
    ]
    first = json.loads(CliRunner().invoke(app, command).stdout)
    assert first["decisions_from"] is None
    failed = next(item for item in first["findings"] if item["status"] == "fail")
    (tmp_path / "overrides.toml").write_text(
        f'[[override]]\nfingerprint = "{failed["fingerprint"]}"\ndecision = "pass"\nwho = "J. Smith"\nwhen = 2026-05-04\n'
        'reason = "seen at scale"\n',
        encoding="utf-8",
    )
    ran = CliRunner().invoke(app, command)
    again = json.loads(ran.stdout)
    assert ran.exit_code == 1
    assert again["decisions_from"]["file"] == "overrides.toml"
    assert "decisions_beside" in {flag["code"] for flag in again["flags"]}
    assert (
        next(item for item in again["findings"] if item["fingerprint"] == failed["fingerprint"])["override"]["who"]
        == "J. Smith"
    )


def test_review_takes_decisions_from_a_file(tmp_path):
    plan = ["review", str(SAMPLES / "fail-scale-200"), "--on", "2026-05-04", "--json"]
    first = CliRunner().invoke(app, plan)
    failed = next(item for item in json.loads(first.stdout)["findings"] if item["status"] == "fail")
    file = tmp_path / "decisions.toml"
    file.write_text(
        f'[[override]]\nfingerprint = "{failed["fingerprint"]}"\ndecision = "needs_review"\n'
        'who = "J. Smith"\nwhen = 2026-05-04\nreason = "A larger sheet is on its way."\n',
        encoding="utf-8",
    )
    second = CliRunner().invoke(app, [*plan, "--overrides", str(file), "--out", str(tmp_path / "out")])
    assert second.exit_code == first.exit_code == 1
    record = json.loads(second.stdout)
    (again,) = (item for item in record["findings"] if item["id"] == failed["id"])
    assert again["status"] == "fail"
    assert again["override"]["why"] == "A larger sheet is on its way."
    assert record["status"] == "fail"
    assert record["counts"] == json.loads(first.stdout)["counts"]
    assert record["decisions_from"]["file"] == "decisions.toml"
    page = (tmp_path / "out" / "review.html").read_text(encoding="utf-8")
    assert "A larger sheet is on its way." in page
    summary = CliRunner().invoke(app, [*plan[:-1], "--overrides", str(file), "--out", str(tmp_path / "out2")])
    assert "With the reviewer's decisions (decisions.toml)" in summary.stdout
