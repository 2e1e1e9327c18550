"""Old against new: each state, features that moved or were renamed, ground that grew."""

from __future__ import annotations

import json
import shutil
from copy import deepcopy
from pathlib import Path

import pytest
from typer.testing import CliRunner

from siteplan_gis.cli import app
from siteplan_gis.report.records import review_record
from siteplan_gis.report.rounds import compare_reviews
from siteplan_gis.report.rounds_page import page_of_rounds
from tests.report.synthetic import PAYLOADS, make_review

SAMPLES = Path(__file__).resolve().parents[2] / "sample_plans"


@pytest.fixture(scope="module")
def whole():
    return review_record(make_review())


def state_of(old, new, name):
    return next(row for row in compare_reviews(old, new)["findings"] if row["id"] == name)["state"]


@pytest.mark.parametrize(
    ("before", "after", "state"),
    [
        ("fail", "pass", "resolved"),
        ("fail", None, "resolved"),
        ("fail", "needs_review", "still_open"),
        ("needs_review", "fail", "still_open"),
        ("pass", "fail", "reopened"),
        ("not_applicable", "not_checked", "reopened"),
        (None, "fail", "new"),
        (None, "pass", "settled"),
        ("pass", "pass", "settled"),
        ("error", "pass", "resolved"),
    ],
)
def test_states(whole, before, after, state):
    template = whole["findings"][0]
    old, new = deepcopy(whole), deepcopy(whole)
    for record, status in ((old, before), (new, after)):
        record["findings"] = (
            [{**template, "id": "X:1", "rule": "X", "status": status, "override": None}] if status else []
        )
    assert state_of(old, new, "X:1") == state


def test_a_reviewer_s_decision_settles(whole):
    old, new = deepcopy(whole), deepcopy(whole)
    row = next(row for row in new["findings"] if row["status"] == "fail")
    row["override"] = {"status": "pass", "who": "J. Smith", "when": "2026-05-04", "why": "seen"}
    assert state_of(old, new, row["id"]) == "resolved"


def test_the_same_review_changes_nothing(whole):
    record = compare_reviews(whole, deepcopy(whole))
    assert record["counts"]["new"] == record["counts"]["reopened"] == record["counts"]["resolved"] == 0
    assert record["geometry_unchanged"] is True
    assert "Both reviews were made of the same files." in record["warnings"]


def test_a_renamed_feature_is_matched_by_its_place(whole):
    old, new = deepcopy(whole), deepcopy(whole)
    row = next(row for row in new["findings"] if row["status"] == "fail" and row["place"])
    name = row["id"]
    row["id"] = name + " renamed"
    record = compare_reviews(old, new)
    assert record["counts"]["new"] == 0
    assert record["counts"]["resolved"] == 0
    assert next(each for each in record["findings"] if each["id"] == row["id"])["state"] == "still_open"


def test_a_new_finding_on_unchanged_ground_is_flagged(whole):
    old, new = deepcopy(whole), deepcopy(whole)
    gone = next(row for row in old["findings"] if row["status"] == "fail")
    old["findings"].remove(gone)
    record = compare_reviews(old, new)
    assert next(row for row in record["findings"] if row["id"] == gone["id"])["new_on_unchanged_geometry"]
    assert any("although the drawing did not change" in warning for warning in record["warnings"])
    ring = new["shapes"]["disturbed"]["coordinates"]
    while not isinstance(ring[0][0], (int, float)):
        ring = ring[0]
    ring[1][0] += 0.001
    grown = compare_reviews(old, new)
    assert not grown["geometry_unchanged"]
    assert grown["geometry"]["disturbed"]["added_acres"] + grown["geometry"]["disturbed"]["removed_acres"] > 0
    assert not any("although the drawing did not change" in warning for warning in grown["warnings"])


def test_other_law_and_earlier_days_are_told(whole):
    new = deepcopy(whole)
    new["ordinance"]["id"] = "fairwater"
    new["on"] = "2001-01-01"
    told = " ".join(compare_reviews(whole, new)["warnings"])
    assert "different law" in told
    assert "earlier day" in told


def test_hostile_text_is_shown_as_text(whole):
    new = deepcopy(whole)
    page = page_of_rounds(compare_reviews(whole, new), whole, new)
    assert "<script" not in page
    assert "<img src=x" not in page
    assert PAYLOADS[0].replace("<", "&lt;").replace(">", "&gt;") in page


def test_from_a_plan_that_fails_to_one_that_does_not(tmp_path):
    """The corrected scale is resolved; nothing else is new."""
    second = tmp_path / "second"
    shutil.copytree(SAMPLES / "fail-scale-200", second)
    manifest = second / "siteplan.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace("200'", "100'"), encoding="utf-8")
    for plan, out in ((SAMPLES / "fail-scale-200", "one"), (second, "two")):
        CliRunner().invoke(app, ["review", str(plan), "--on", "2026-05-04", "--out", str(tmp_path / out)])
    files = [str(tmp_path / name / "review.json") for name in ("one", "two")]
    done = CliRunner().invoke(app, ["compare", *files, "--out", str(tmp_path / "rounds")])
    assert done.exit_code == 0, done.output
    record = json.loads((tmp_path / "rounds" / "rounds.json").read_text(encoding="utf-8"))
    assert {row["rule"] for row in record["findings"] if row["state"] == "resolved"} == {"SAU-SCALE"}
    assert record["counts"]["new"] == record["counts"]["reopened"] == 0
    assert record["geometry_unchanged"] is True
    assert (tmp_path / "rounds" / "rounds.html").is_file()
    as_json = CliRunner().invoke(app, ["compare", *files, "--json"])
    assert json.loads(as_json.stdout) == record
