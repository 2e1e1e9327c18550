from dataclasses import replace

import pytest

from siteplan_gis.measures.sheets.scale import settled_scale
from siteplan_gis.model.comparison import compare
from siteplan_gis.model.sheet import SCALE_KINDS, ScaleEvidence, Sheet

FULL = {"width_in": 36.0, "height_in": 24.0}
HALF = {"width_in": 18.0, "height_in": 12.0}


def sheet(*evidence, note="", **facts):
    return Sheet("C-1", "site_map", note, evidence=evidence, **facts)


def seen(kind, value, doubt=None, **more):
    return ScaleEvidence(kind, value, doubt, f"{kind} on page 1", **more)


@pytest.mark.parametrize("kind", SCALE_KINDS)
@pytest.mark.parametrize(("value", "holds"), [(99.999, True), (100.0, True), (100.001, False)])
def test_each_kind_at_the_limit(kind, value, holds):
    scale = settled_scale(sheet(seen(kind, value), **FULL))
    assert (scale.printed, scale.kind) == (value, kind)
    assert compare(scale.printed, "<=", 100.0, scale.plus_minus) is holds


@pytest.mark.parametrize("kind", [kind for kind in SCALE_KINDS if kind != "stated"])
@pytest.mark.parametrize(("value", "holds"), [(99.4, True), (99.6, None), (100.0, None), (100.4, None), (100.6, False)])
def test_doubt_of_what_is_measured(kind, value, holds):
    scale = settled_scale(sheet(seen(kind, value, 0.5), **FULL))
    assert compare(scale.printed, "<=", 100.0, scale.plus_minus) is holds


@pytest.mark.parametrize(("value", "holds"), [(99.6, True), (100.4, True), (100.6, False), (99.4, True)])
def test_a_note_that_the_measured_figure_confirms_is_the_exact_one(value, holds):
    scale = settled_scale(sheet(seen("bar", value, 0.5), note="1 in = 100 ft", **FULL))
    assert compare(scale.printed, "<=", 100.0, scale.plus_minus) is holds
    assert not scale.disagreements


def test_half_size_doubles_the_note():
    scale = settled_scale(sheet(note="1\" = 60'", paper="24x36", **HALF))
    assert (scale.printed, scale.full_size, scale.reduced, scale.stated) == (120.0, 60.0, 2.0, (60.0,))
    assert compare(scale.printed, "<=", 100.0, scale.plus_minus) is False
    scale = settled_scale(sheet(note="1\" = 60'", paper="24x36", **FULL))
    assert (scale.printed, scale.full_size, scale.reduced) == (60.0, 60.0, 1.0)


def test_half_size_by_its_own_word():
    scale = settled_scale(sheet(note="1\" = 60'", half_size=True, **HALF))
    assert (scale.printed, scale.full_size) == (120.0, 60.0)
    # It names the paper that it is printed on: for which paper the note holds is open.
    scale = settled_scale(sheet(note="1\" = 60'", paper="12x18", half_size=True, **HALF))
    assert compare(scale.printed, "<=", 100.0, scale.plus_minus) is None
    assert scale.disagreements


@pytest.mark.parametrize(("note", "holds"), [("1\" = 50'", True), ("1\" = 51'", None), ("1\" = 120'", None)])
def test_a_small_page_of_unknown_origin_clears_only_what_would_pass_at_half_size(note, holds):
    scale = settled_scale(sheet(note=note, width_in=17.0, height_in=11.0))
    assert compare(scale.printed, "<=", 100.0, scale.plus_minus) is holds
    assert scale.full_size is None


def test_a_page_of_another_shape_than_the_stated_paper():
    scale = settled_scale(sheet(note="1\" = 80'", paper="24x36", width_in=30.0, height_in=30.0))
    assert "no copy" in scale.disagreements[0]
    assert compare(scale.printed, "<=", 100.0, scale.plus_minus) is None


@pytest.mark.parametrize(("other", "told"), [(50.9, False), (51.1, True), (49.1, False), (48.9, True)])
def test_two_per_cent(other, told):
    scale = settled_scale(sheet(seen("viewport", 50.0), note=f"1 in = {other} ft", **FULL))
    assert bool(scale.disagreements) is told
    assert scale.printed == 50.0
    scale = settled_scale(sheet(seen("viewport", 50.0), seen("bar", other), **FULL))
    assert bool(scale.disagreements) is told
    if told:
        assert "viewport on page 1" in scale.disagreements[0]
        assert "bar on page 1" in scale.disagreements[0]


def test_measured_before_stated_and_both_named():
    scale = settled_scale(sheet(seen("bar", 10.0, 0.02), note="SCALE 1\" = 20'", **FULL))
    assert (scale.printed, scale.kind) == (10.0, "bar")
    assert "10 ft per inch by bar" in scale.disagreements[0]
    assert "20 by as stated" in scale.disagreements[0]


def test_measured_figures_that_differ_are_doubt():
    scale = settled_scale(sheet(seen("bar", 120.0), seen("viewport", 60.0), **FULL))
    assert scale.printed == 60.0
    assert compare(scale.printed, "<=", 100.0, scale.plus_minus) is None


def test_notes_that_differ():
    both = sheet(seen("stated", 40.0), seen("stated", 10.0), **FULL)
    scale = settled_scale(both)
    assert scale.printed == 40.0
    assert scale.disagreements
    assert compare(scale.printed, "<=", 100.0, scale.plus_minus) is True
    scale = settled_scale(replace(both, evidence=(seen("stated", 40.0), seen("stated", 200.0))))
    assert (scale.printed, scale.finest) == (200.0, 40.0)


def test_of_several_viewports_the_coarsest_counts():
    scale = settled_scale(sheet(seen("viewport", 20.0), seen("viewport", 60.0), note="1 in = 60 ft", **FULL))
    assert (scale.printed, scale.finest, scale.disagreements) == (60.0, 20.0, ())
    assert "coarsest of 2" in settled_scale(sheet(seen("viewport", 20.0), seen("viewport", 60.0), **FULL)).basis


def test_notes_for_two_papers():
    notes = (seen("stated", 50.0, paper="24x36"), seen("stated", 100.0, paper="12x18"))
    assert settled_scale(sheet(*notes, **FULL)).printed == 50.0
    half = settled_scale(sheet(*notes, **HALF))
    assert half.printed == 100.0
    assert not half.disagreements
    assert settled_scale(sheet(notes[0], **HALF)).printed == 100.0


def test_a_doubtful_note_stays_doubtful():
    scale = settled_scale(sheet(seen("stated", 60.0, 60.0), **FULL))
    assert compare(scale.printed, "<=", 100.0, scale.plus_minus) is None
    assert compare(settled_scale(sheet(seen("stated", 50.0, 50.0), **FULL)).printed, "<=", 100.0, 50.0) is True


def test_vicinity_and_details_do_not_count_for_the_site_map():
    parts = (seen("viewport", 2000.0, subject="location"), seen("viewport", 5.0, subject="detail"))
    scale = settled_scale(sheet(*parts, **FULL))
    assert scale.printed is None
    assert settled_scale(sheet(*parts, seen("viewport", 60.0, subject="site_map"), **FULL)).printed == 60.0
    assert settled_scale(Sheet("C-0", "location", evidence=parts[:1], **FULL)).printed == 2000.0


def test_nothing_and_as_noted():
    assert settled_scale(sheet(**FULL)).reason == "nothing on the sheet tells its scale"
    assert "AS NOTED" in settled_scale(sheet(note="AS NOTED", **FULL)).reason
