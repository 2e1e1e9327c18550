"""Texts at lines: in gaps, and under a text so large that a whole drawing lies about it."""

import time

import numpy as np
import pytest

from siteplan_gis.ingest.cad.line_texts import texts_at_lines
from siteplan_gis.ingest.drawn.drawing import DrawnText


@pytest.mark.parametrize(("nearer", "labels"), [(0, {0, 1}), (98, {0, 1}), (99, {0})])
def test_a_gap_is_found_among_a_hundred_ends(nearer, labels):
    # The gap from -2 to 2.1; ends that are nearer lie all to one side, with their other ends far off.
    gap = [np.array([[-2.0, 0], [-900, 0]]), np.array([[2.1, 0], [900, 0]])]
    aside = np.linspace(-1.5, -1.2, nearer)
    others = [np.array([[x, 0.01 * i], [-400.0 - i, 90]]) for i, x in enumerate(aside)]
    found = texts_at_lines([*gap, *others], [DrawnText("700", (0.0, 0.0), 1.0, 0.0)])
    if nearer < 99:
        assert set(found) == labels
    else:
        assert 1 not in found


def test_a_text_over_a_whole_drawing_takes_no_time():
    chance = np.random.default_rng(1)
    lines = [np.add([[0, 0], [5, 1], [9, 3]], chance.uniform(0, 1000, 2)) for _ in range(10_000)]
    texts = [DrawnText("DRAFT", (500.0, 500.0), 400.0, 0.0)] * 20
    began = time.process_time()
    texts_at_lines(lines, texts)
    assert time.process_time() - began < 5
