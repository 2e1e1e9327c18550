"""The page of two rounds with the network off, and what axe says of it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import axe
import pytest
import synthetic

from siteplan_gis.report.records import review_record
from siteplan_gis.report.rounds import compare_reviews
from siteplan_gis.report.rounds_page import page_of_rounds

if TYPE_CHECKING:
    from pathlib import Path

    from devtools import Browser

pytestmark = pytest.mark.browser


def test_two_rounds_open_offline_and_axe_finds_nothing(browser: Browser, pages: Path) -> None:
    new = review_record(synthetic.make_review())
    old = copy.deepcopy(new)
    old["findings"] = old["findings"][2:]
    path = pages / "rounds.html"
    path.write_text(page_of_rounds(compare_reviews(old, new), old, new), encoding="utf-8")
    browser.open(path)
    assert browser.run("document.querySelectorAll('svg path').length") > 2
    assert browser.complaints() == []
    assert browser.requests() == []
    assert axe.violations(browser) == []
