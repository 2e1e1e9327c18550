"""The letter: its decision, what it asserts, how it looks in both formats."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from datetime import date

import docx
import pytest
from typer.testing import CliRunner

from siteplan_gis.cli import app
from siteplan_gis.errors import InputError
from siteplan_gis.report.json_report import json_text
from siteplan_gis.report.letter import letter_of
from siteplan_gis.report.letter_formats import letter_markdown, write_docx
from siteplan_gis.report.records import review_record
from tests.report.synthetic import PAYLOADS, make_review

ON = date(2026, 5, 5)


@pytest.fixture(scope="module")
def whole():
    return review_record(make_review())


def with_statuses(whole, *statuses, decided=None):
    """The record with one finding for each status; `decided` gives the reviewer's answers, None for none."""
    record = deepcopy(whole)
    rows = [row for row in record["findings"] if row["severity"] == "shall"]
    record["findings"] = [
        {**row, "status": status, "override": None, "id": f"X-{number}:site", "rule": f"X-{number}"}
        for number, (row, status) in enumerate(zip(rows, statuses, strict=False))
    ]
    record["faults"] = {}
    record["decisions_from"] = None
    if decided is not None:
        record["decisions_from"] = {
            "title": "", "file": "overrides.toml", "date": "", "licence": "", "crs": "", "accuracy_m": None, "sha256": ""
        }  # fmt: skip
        for row, answer in zip(record["findings"], decided, strict=True):
            if answer:
                row["override"] = {"status": answer, "who": "J. Smith", "when": "2026-05-04", "why": "seen"}
    return record


@pytest.mark.parametrize(
    ("statuses", "decided", "outcome", "draft"),
    [
        (["pass", "pass"], None, "approval", True),
        (["pass", "fail"], None, "disapproval", True),
        (["pass", "needs_review"], None, "more_information", True),
        (["pass", "not_checked"], None, "more_information", True),
        (["pass", "error"], None, "more_information", True),
        (["not_applicable", "not_applicable"], None, "not_applicable", True),
        ([], None, "undecided", True),
        (["pass", "fail"], [None, "fail"], "disapproval", False),
        (["pass", "fail"], [None, None], "undecided", True),
        (["pass", "fail"], [None, "pass"], "approval", False),
        (["pass", "pass"], ["fail", None], "disapproval", False),
        (["needs_review", "needs_review"], ["pass", None], "undecided", True),
        (["needs_review", "needs_review"], ["needs_review", "pass"], "more_information", False),
        (["fail", "fail"], ["fail", None], "disapproval", False),
    ],
)
def test_the_decision(whole, statuses, decided, outcome, draft):
    letter = letter_of(with_statuses(whole, *statuses, decided=decided), ON)
    assert (letter.outcome, letter.draft) == (outcome, draft)


@pytest.mark.parametrize("status", ["needs_review", "not_checked", "error"])
def test_nothing_is_approved_while_only_the_village_can_answer_something(whole, status):
    """A finding on what the text leaves open is no question to the applicant, and no approval either."""

    def told(severity, check="applicability_disturbed", decided=None):
        record = with_statuses(whole, "pass", status, decided=decided)
        record["findings"][1] |= {"severity": severity, "check": check}
        return letter_of(record, ON)

    letter = told("inform")
    assert (letter.outcome, letter.draft) == ("undecided", True)
    assert not letter.questions
    assert any("X-1:site" in note for note in letter.notes)
    assert told("inform", decided=["pass", None]).outcome == "undecided"
    assert told("inform", decided=[None, "pass"]).outcome == "approval"
    assert told("shall").outcome == "more_information"
    assert told("inform", "review_clock").outcome == "approval"  # the village's own time, which runs until it answers


def test_only_what_a_reviewer_confirmed_is_asserted(whole):
    letter = letter_of(with_statuses(whole, "fail", "fail", "needs_review", decided=["fail", None, None]), ON)
    assert [reason.number for reason in letter.reasons] == [1]
    assert letter.questions == ()
    assert letter.reasons[0].confirmed == ("J. Smith: seen",)
    assert sum("Not confirmed, so not in the letter" in note for note in letter.notes) == 2


def test_the_clock_is_told_to_the_village_only(whole):
    record = with_statuses(whole, "fail")
    record["findings"].append(
        {
            **record["findings"][0],
            "check": "review_clock",
            "status": "pass",
            "due": "2026-05-08",
            "message": "Deemed approved.",
        }
    )
    letter = letter_of(record, ON)
    assert "decide by 2026-05-08 (3 days from the date of this letter)" in letter.clock[0]
    assert all(reason.citation for reason in letter.reasons)
    record["findings"][-1].update(status="needs_review", due="2026-05-01")
    late = letter_of(record, ON)
    assert "4 days ago" in late.clock[0]
    assert any("run out on 2026-05-01" in note for note in late.notes)
    assert late.questions == ()


def test_both_formats_hold_every_reason_and_hostile_text_stays_text(whole, tmp_path):
    letter = letter_of(whole, ON)
    assert letter.outcome == "disapproval"
    write_docx(letter, tmp_path / "letter.docx")
    document = docx.Document(str(tmp_path / "letter.docx"))
    rows = [[cell.text for cell in row.cells] for table in document.tables for row in table.rows]
    body = "\n".join(paragraph.text for paragraph in document.paragraphs)
    text = letter_markdown(letter)
    for reason in (*letter.reasons, *letter.questions):
        (row,) = (cells for cells in rows if cells[0] == str(reason.number))
        assert reason.title in row[1]
        assert row[3] == ""
        assert f"| {reason.number} | **" in text
    assert "DRAFT" in body
    assert letter.opening in body
    assert any(PAYLOADS[0] in cells[1] for cells in rows)
    assert re.search(r"(?<!\\)<img", text) is None
    assert "\\<img src=x" in text
    for line in text.splitlines():
        if line.startswith("| ") and line[2].isdigit():
            assert line.replace("\\|", "").count("|") == 5


def test_the_same_review_is_the_same_letter(whole, tmp_path):
    for name in ("one.docx", "two.docx"):
        write_docx(letter_of(whole, ON), tmp_path / name)
    assert (tmp_path / "one.docx").read_bytes() == (tmp_path / "two.docx").read_bytes()


def test_a_village_has_its_own_words_and_letterhead(whole, tmp_path):
    words = tmp_path / "words.toml"
    words.write_text(
        'salutation = "Dear $applicant ($unknown),"\n[opening]\ndisapproval = "No, $plan."\n', encoding="utf-8"
    )
    letter = letter_of(whole, ON, words)
    assert letter.salutation.startswith("Dear ")
    assert "$unknown" in letter.salutation
    assert letter.opening.startswith("No, ")
    base = docx.Document()
    base.sections[0].header.paragraphs[0].text = "Village of Somewhere"
    base.save(str(tmp_path / "base.docx"))
    write_docx(letter, tmp_path / "letter.docx", tmp_path / "base.docx")
    assert docx.Document(str(tmp_path / "letter.docx")).sections[0].header.paragraphs[0].text == "Village of Somewhere"
    for wrong, told in (
        ("salutations = 'x'", "no part of a letter"),
        ("[opening]\nrefusal = 'x'", "opening.refusal is no part"),
        ("salutation = 5", "no part of a letter"),
        ("salutation", "not a TOML file"),
    ):
        words.write_text(wrong, encoding="utf-8")
        with pytest.raises(InputError, match=told):
            letter_of(whole, ON, words)
    with pytest.raises(InputError, match="no Word document"):
        write_docx(letter, tmp_path / "x.docx", words)


def test_the_command_writes_beside_the_review(whole, tmp_path):
    path = tmp_path / "review.json"
    path.write_text(json_text(whole), encoding="utf-8")
    done = CliRunner().invoke(app, ["letter", str(path), "--on", "2026-05-05"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "letter.docx").is_file()
    assert "Disapproval (draft)" in done.stdout
    done = CliRunner().invoke(app, ["letter", str(path), "--on", "2026-05-05", "--out", str(tmp_path / "l.md")])
    assert done.exit_code == 0
    assert "# " not in (tmp_path / "l.md").read_text(encoding="utf-8")[:2]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "is not a JSON file"),
        ("[]", "is no review of this version"),
        ('{"schema": "siteplan-gis/review/0"}', "is no review of this version"),
        ('{"schema": "siteplan-gis/review/1"}', "is damaged"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_review_is_refused_in_one_line(tmp_path, content, told):
    path = tmp_path / "review.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    done = CliRunner().invoke(app, ["letter", str(path)])
    assert done.exit_code == 2
    assert told in done.output
    assert len(done.output.strip().splitlines()) == 1


def test_another_ending_is_refused(whole, tmp_path):
    path = tmp_path / "review.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    done = CliRunner().invoke(app, ["letter", str(path), "--out", str(tmp_path / "letter.pdf")])
    assert done.exit_code == 2
