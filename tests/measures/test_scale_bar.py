"""Lines out of glyphs and bars out of lines: wherever they stand and whichever way they run."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from siteplan_gis.measures.sheets.lettering import Glyph, on_baseline, on_page, set_lines
from siteplan_gis.measures.sheets.scale_bar import bar_labels, measured_bar

WIDE = 0.6


def glyphs(text, x, y, size=0.15, angle=0):
    """Each character of a text, one behind the other, in the direction of `angle`."""
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    step = WIDE * size
    return [
        Glyph(character, x + i * step * cos, y + i * step * sin, x + (i + 1) * step * cos, y + (i + 1) * step * sin, angle, size)
        for i, character in enumerate(text)
    ]  # fmt: skip


def drawn_bar(numbers, part, unit="FEET", size=0.12):
    """Glyphs and ticks of a bar along the x axis."""
    found, ticks = [], []
    for place, number in enumerate(numbers):
        at = place * part
        found += glyphs(str(number), at - len(str(number)) * WIDE * size / 2, 0.2, size)
        ticks += [(at, 0.0), (at, 0.1)]
    found += glyphs(unit, (len(numbers) - 1) * part + 0.5, 0.2, size)
    return found, np.array(ticks)


def turned(found, ticks, angle, dx, dy):
    def move(x, y):
        a, b = on_page(x, y, angle)
        return a + dx, b + dy

    return (
        [Glyph(g.character, *move(g.x, g.y), *move(g.end_x, g.end_y), g.angle + angle, g.size) for g in found],
        np.array([move(x, y) for x, y in ticks]),
    )


@given(st.floats(-50, 50), st.floats(-50, 50), st.floats(-720, 720))
@settings(max_examples=50, deadline=None, derandomize=True)
def test_baselines_undo_themselves(x, y, angle):
    assert on_page(*on_baseline(x, y, angle), angle) == pytest.approx((x, y), abs=1e-9)


@given(
    st.sampled_from([0, 17, 45, 90, 180, 270, 359]),
    st.floats(-30, 30),
    st.floats(-30, 30),
    st.randoms(use_true_random=False),
)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_lines_do_not_depend_on_place_direction_or_order(angle, dx, dy, chance):
    found = [*glyphs("SCALE: 1\" = 50'", 1, 1), *glyphs("CONTOUR INTERVAL = 2'", 1, 0.7), *glyphs("NORTH", 9, 1)]
    moved, _ = turned(found, [(0, 0)], angle, dx, dy)
    chance.shuffle(moved)
    assert {line.text for line in set_lines(moved)} == {"SCALE: 1\" = 50'", "CONTOUR INTERVAL = 2'", "NORTH"}


def test_words_that_cross_or_stand_close_are_kept_apart():
    found = (
        glyphs("GRADING PLAN", 1, 1)
        + glyphs("702.5", 1.2, 0.5, angle=90)
        + glyphs("WEST", 1, 1.16)
        + glyphs("EAST", 5, 1.02)
    )
    found += [glyph for i in range(200) for glyph in glyphs(f"{600 + i}", 0.07 * i, 1.3 + 0.011 * i, 0.05)]
    texts = {line.text for line in set_lines(found)}
    assert {"GRADING PLAN", "702.5", "WEST", "EAST"} <= texts


def test_letters_printed_twice_are_read_once():
    twice = [glyph for glyph in glyphs("SCALE", 1, 1) for _ in range(2)]
    twice += [glyph._replace(x=glyph.x + 0.01) for glyph in glyphs("SCALE", 1, 1)]
    assert {line.text for line in set_lines(twice)} == {"SCALE"}


@given(st.lists(st.tuples(st.characters(), *[st.floats()] * 6), max_size=30))
@settings(max_examples=60, deadline=None, derandomize=True)
@example([("0", 1.0, 1.0, 1.1, 1.0, 0.0, math.inf), ("1", 1.0, 1.0, math.nan, 1.0, 0.0, 0.1)])
@example([("0", 0.0, 0.0, 0.0, 0.0, 0.0, 3e307)])
def test_any_glyphs_make_lines_and_no_crash(found):
    lines = set_lines(Glyph(*one) for one in found)
    for labels in bar_labels(lines):
        measured_bar(labels, np.zeros((1, 2)))


@given(
    st.sampled_from(
        [[0, 1, 2], [0, 10, 20, 30], [50, 0, 50, 100], [0, 100], [0, 25, 50], ["0", "1,000", "2,000"], [0, 0.5, 1]]
    ),
    st.floats(0.7, 2.5),
    st.sampled_from([0, 30, 90, 180, 270]),
    st.floats(-20, 20),
    st.floats(-20, 20),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_bars_anywhere(numbers, part, angle, dx, dy):
    found, ticks = turned(*drawn_bar(numbers, part), angle, dx, dy)
    (labels,) = bar_labels(set_lines(found))[:1] or [None]
    assert labels is not None
    bar = measured_bar(labels, ticks)
    assert bar is not None
    values = [float(str(number).replace(",", "")) for number in numbers]
    zero = values.index(0.0)
    wanted = (values[-1] - values[zero]) / ((len(values) - 1 - zero) * part)
    assert bar.feet_per_inch == pytest.approx(wanted, abs=bar.plus_minus)
    assert bar.plus_minus < 0.02 * wanted


def test_other_numbers_in_the_row_do_not_hide_a_bar():
    found, ticks = drawn_bar([0, 60, 120], 1.0)
    found += glyphs("702", 6.0, 0.2, 0.12) + glyphs("698", -4.0, 0.2, 0.12)
    (labels,) = bar_labels(set_lines(found))
    assert labels.values == (0, 60, 120)
    assert measured_bar(labels, ticks).feet_per_inch == pytest.approx(60, abs=0.3)


def test_a_frame_around_a_bar_and_a_double_line_widen_the_doubt_only():
    found, ticks = drawn_bar([0, 50, 100], 1.0)
    frame = np.array([(-0.3, -0.1), (2.9, -0.1), (-0.3, 0.5), (2.9, 0.5)])
    double = np.add(ticks, [0.02, 0.0])
    (labels,) = bar_labels(set_lines(found))
    assert measured_bar(labels, np.vstack([ticks, frame])).plus_minus < 0.3
    bar = measured_bar(labels, np.vstack([ticks, frame, double]))
    assert bar.feet_per_inch == pytest.approx(50, abs=bar.plus_minus)


def test_an_axis_of_a_profile_is_no_bar():
    found, ticks = drawn_bar([0, 50, 100], 1.0, unit="STATION")
    assert bar_labels(set_lines(found)) == []
    found, ticks = drawn_bar([0, 50, 100], 1.0)
    (labels,) = bar_labels(set_lines(found))
    assert measured_bar(labels, ticks[:4]) is None
    assert measured_bar(labels, np.empty((0, 2))) is None
