from __future__ import annotations

import copy
from datetime import date
from typing import TYPE_CHECKING

import docx
import synthetic

from siteplan_gis.report.letter import letter_of
from siteplan_gis.report.letter_formats import letter_markdown, write_docx
from siteplan_gis.report.records import review_record
from siteplan_gis.report.rounds import compare_reviews

if TYPE_CHECKING:
    from pathlib import Path

ON = date(2026, 3, 12)


def test_a_section_tells_what_changed_since_the_last_round(tmp_path: Path) -> None:
    new = review_record(synthetic.make_review())
    old = copy.deepcopy(new)
    new["on"] = "2026-04-01"
    scale = next(row for row in new["findings"] if row["id"] == "SAU-MAP-scale:C-101")
    scale["status"], scale["message"] = "pass", "Sheet C-101 is drawn at 100 feet per inch."
    old["findings"] = [row for row in old["findings"] if row["id"] != "SAU-CRASH:site"]
    letter = letter_of(new, ON, rounds=compare_reviews(old, new))
    states = {change.title: change.state for change in letter.changes}
    assert letter.since == "2026-03-10"
    assert states["Scale of the site map"] == "Resolved"
    assert states["Contour interval"] == "New"
    assert states["Waters within one mile"] == "Still open"
    text = letter_markdown(letter)
    assert "Since the review of 2026" in text
    assert "<script>" not in text
    write_docx(letter, tmp_path / "letter.docx")
    tables = docx.Document(str(tmp_path / "letter.docx")).tables
    rows = [[cell.text for cell in row.cells] for row in tables[-1].rows]
    assert rows[0] == ["Since then", "Requirement", "Finding"]
    assert ["Resolved", "\u00a7 205-118.2A(4) Scale of the site map", scale["message"]] in rows


def test_without_a_last_round_there_is_no_such_section() -> None:
    letter = letter_of(review_record(synthetic.make_review()), ON)
    assert letter.changes == ()
    assert "Since the review" not in letter_markdown(letter)
