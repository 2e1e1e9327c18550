from __future__ import annotations

import pytest

from siteplan_gis.model.ordinance import OPERATORS
from siteplan_gis.model.review import Status
from siteplan_gis.report.colours import CONTEXT_INK, STATUS_INK, Ink
from siteplan_gis.report.wording import (
    STATUS_SIGNS,
    STATUS_WORDS,
    VERDICTS,
    citation,
    figure,
    limit_words,
    margin_words,
    quantity,
    quantity_name,
)


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("status", list(Status))
def test_white_text_on_a_status_is_readable(status: Status) -> None:
    assert (1 + 0.05) / (luminance(STATUS_INK[status].line) + 0.05) >= 4.5


def test_every_status_has_a_word_a_sign_an_ink_and_a_verdict_of_its_own() -> None:
    for table in (STATUS_WORDS, STATUS_SIGNS, STATUS_INK, VERDICTS):
        assert list(table) == list(Status)
        assert len(set(table.values())) == len(Status)
    # Without colour the lines still differ.
    assert len({(ink.width, ink.dash) for ink in STATUS_INK.values()}) == len(Status)


def test_inks_are_colours() -> None:
    for ink in (*STATUS_INK.values(), *CONTEXT_INK.values()):
        assert isinstance(ink, Ink)
        assert all(len(colour) == 7 and int(colour[1:], 16) >= 0 for colour in (ink.line, ink.fill))


@pytest.mark.parametrize(
    ("value", "unit", "limit", "shown"),
    [
        (0.9996, "acre", 1.0, "0.9996 acres"), (1.0, "acre", 1.0, "1 acre"), (1.0004, "acre", 1.0, "1.0004 acres"),
        (4.996, "acre", 5.0, "4.996 acres"), (5.0, "acre", 5.0, "5 acres"), (100.04, "ft/in", 100.0, "100.04 ft per inch"),
        (1320.3, "ft", 1320.0, "1,320.3 ft"), (1319.8, "ft", 1320.0, "1,319.8 ft"), (19.98, "%", 20.0, "19.98 %"),
        (0, "count", None, "0"), (12, "count", None, "12"), (-0.0001, "acre", None, "0.00 acres"),
    ],
)  # fmt: skip
def test_a_shown_value_stays_on_its_side_of_the_limit(value: float, unit: str, limit: float | None, shown: str) -> None:
    assert quantity(value, unit, limit=limit) == shown


def test_doubts_margins_and_limits_in_words() -> None:
    assert quantity(2.857, "acre", 0.0123) == "2.86 acres \u00b1 0.012"
    assert quantity(2.857, "acre", 0.0049) == "2.86 acres"
    assert quantity(2.857, "acre", 0.005) == "2.86 acres \u00b1 0.005"
    assert quantity(1296.2, "ft", 98.4) == "1,296 ft \u00b1 98"
    assert quantity(True, "") == "yes"
    assert quantity("Saukville", "") == "Saukville"
    assert margin_words(-0.0004, "acre") == "0.0004 acres beyond the limit"
    assert margin_words(0.0, "acre") == "0 acres within"
    limit = {"subject": "x", "value": 2.5, "unit": "acre"}
    shown = {limit_words({**limit, "operator": operator}) for operator in OPERATORS}
    assert len(shown) == len(OPERATORS)
    assert "at least 2.50 acres" in shown
    assert limit_words(None) == ""


def test_names_and_citations() -> None:
    assert citation("205-118", inferred=True) == "\u00a7 205-118 (number inferred)"
    assert citation("", inferred=True) == ""
    assert quantity_name("phase_acres[Phase 2]") == "Phase: Phase 2"
    assert figure(2, "ft") == "2"
