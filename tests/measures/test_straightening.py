"""Lines that stand for a path meet where they cross: against bends that are known."""

import numpy as np
import pytest

from siteplan_gis.measures.runoff.straightening import straightened


@pytest.mark.parametrize("turn", np.radians([20.0, 75.0, 140.0, -60.0]))
def test_two_lines_meet_where_the_best_ones_through_their_places_cross(turn):
    along = np.arange(0.0, 41.0)
    first = along[:, None] * [np.cos(0.4), np.sin(0.4)]
    second = first[-1] + along[1:, None] * [np.cos(0.4 + turn), np.sin(0.4 + turn)]
    # Within the twentieth of a cell that a fall line is kept to: a start, a bend, an end.
    joints = straightened(np.vstack([first, second]) + 0.31)
    assert len(joints) == 3
    assert joints[1] == pytest.approx(first[-1] + 0.31, abs=1e-9)
