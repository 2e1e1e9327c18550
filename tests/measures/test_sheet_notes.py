"""Scale notes as they may be written, and words that may stand anywhere."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from siteplan_gis.measures.sheets.lettering import set_lines
from siteplan_gis.measures.sheets.paper import paper_sizes, reduction
from siteplan_gis.measures.sheets.sheet import feet_per_inch, scales_in, stated_contour_interval_ft
from siteplan_gis.measures.sheets.sheet_notes import read_words, shown_by
from tests.measures.test_scale_bar import glyphs

STYLES = (
    "1\" = {}'", "1\"={}'", "SCALE: 1\" = {}'", "1 INCH = {} FEET", "1 inch = {} ft.", "1 IN. = {} FT", "SCALE 1\u201d = {}\u2019",
    "1 INCH EQUALS {} FEET", "{} FEET PER INCH", "{} ft/in", "1'' = {}'-0\"", "HORIZ. SCALE: 1\" = {}'", "1 inch to {} feet",
    "GRAPHIC SCALE 1 inch = {} ft.", "(1\" = {}')",
)  # fmt: skip


@given(st.integers(1, 5000), st.sampled_from(STYLES))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_every_style_of_every_scale(feet, style):
    assert feet_per_inch(style.format(feet)) == feet
    (scale,) = scales_in(style.format(feet))
    assert scale.feet_per_inch == feet


@given(st.integers(1, 5000))
@settings(max_examples=50, deadline=None, derandomize=True)
def test_ratios(feet):
    assert feet_per_inch(f"SCALE 1:{12 * feet}") == feet
    assert feet_per_inch(f"1 : {12 * feet:,}") == feet


WORDS = st.text("0123456789 .,:;/'\"=-xX()INCHFEETSCALEMRVTPQ\u00bd\u2033\u2032", max_size=60) | st.text(max_size=60)


@given(WORDS)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_note_gives_a_sound_scale_or_none(note):
    scale = feet_per_inch(note)
    assert scale is None or (math.isfinite(scale) and scale > 0)
    assert all(math.isfinite(one.feet_per_inch) and one.feet_per_inch > 0 for one in scales_in(note))
    interval = stated_contour_interval_ft(note)
    assert interval is None or 0 < interval <= 200
    for size in paper_sizes(note):
        assert 5 <= size[0] <= size[1] <= 200
        assert reduction(size, size) == 1


@given(st.lists(st.tuples(WORDS, st.floats(0, 36), st.floats(0, 24)), max_size=8))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_words_on_a_page(placed):
    lines = set_lines(glyph for text, x, y in placed for glyph in glyphs(text, x, y))
    words = read_words(lines, "page 1", (36, 24))
    for scale in words.scales:
        assert scale.feet_per_inch is None or (math.isfinite(scale.feet_per_inch) and scale.feet_per_inch > 0)


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("GRADING AND EROSION CONTROL PLAN", "control"),
        ("EXISTING CONDITIONS", "existing"),
        ("FINAL GRADING PLAN", "final"),
        ("CONSTRUCTION SITE MAP", "control"),
        ("SITE MAP", "site_map"),
        ("VICINITY MAP", "location"),
        ("USGS QUADRANGLE", "location"),
        ("COVER SHEET", "detail"),
        ("EROSION CONTROL DETAILS", "control"),
        ("CONSTRUCTION DETAILS", "detail"),
        ("PLAN AND PROFILE", "detail"),
        ("SHEET 3", ""),
        ("", ""),
    ],
)
def test_what_a_title_says_is_shown(title, kind):
    assert shown_by(title) == kind


def page(*placed):
    return read_words(set_lines(g for text, x, y in placed for g in glyphs(text, x, y)), "page 1", (36, 24))


def test_a_sheet_that_calls_itself_reduced_leaves_its_note_in_doubt():
    words = page(("SCALE: 1\" = 60'", 20, 2), ("REDUCED DRAWING - DO NOT SCALE", 20, 1))
    (note,) = words.scales
    assert note.plus_minus == 60
    assert "reduced" in words.notes[0]


def test_several_intervals_are_told():
    words = page(("CONTOUR INTERVAL = 2'", 20, 2), ("CONTOUR INTERVAL = 5'", 20, 1))
    assert words.contour_interval_ft is None
    assert "2 ft, 5 ft" in words.notes[0]
    assert page(("2' CONTOUR INTERVAL", 20, 2)).contour_interval_ft == 2
    assert page(("50'", 20, 2), ("CONTOUR 702'", 20, 1)).contour_interval_ft is None
