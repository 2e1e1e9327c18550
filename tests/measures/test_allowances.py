"""How deep a depression may look: a dam just below, at and just above what noise and coarse cells allow."""

from types import SimpleNamespace

import numpy as np
import pytest

from siteplan_gis.measures.runoff.allowances import NOISE_IN_DEPTH, depth_allowed
from siteplan_gis.measures.runoff.drainage_field import DEPRESSION, receivers

NO_NOISE = np.zeros((1, 1))


@pytest.mark.parametrize(("deviation", "allowed_m"), [(0.0, 0.5), (0.1, np.hypot(0.5, 3 * np.sqrt(2) * 0.1))])
@pytest.mark.parametrize(("over_m", "passes"), [(-1e-6, True), (0.0, True), (1e-6, False)])
def test_a_dam_higher_than_the_barrier_and_the_noise_keeps_the_water(deviation, allowed_m, over_m, passes):
    z = np.array([[9.0] * 5, [3.0, 0.0, allowed_m + over_m, -1.0, -2.0], [9.0] * 5])
    valley = SimpleNamespace(
        z_m=z, dx_m=np.ones(3), dy_m=np.ones(3), kept=None, noise=np.array([[deviation]]), noise_first=(0, 0)
    )
    found = receivers(valley, 0.5)
    assert (found.receiver[6] == 7) == passes
    assert (found.ended_by[6] == DEPRESSION) != passes


@pytest.mark.parametrize(("cell_m", "more_m"), [(4.99, 0.0), (5.0, 1.0)])
def test_only_coarse_cells_miss_the_bottom_of_a_valley(cell_m, more_m):
    z = np.array([[9.0] * 3, [2.0, 0.0, 3.0], [9.0] * 3])
    z[0], z[2] = 2.0, 2.0
    assert depth_allowed(z, 1, 1, cell_m, 0.5, NO_NOISE, (0, 0)) == pytest.approx(np.hypot(0.5, more_m))


def test_the_noise_is_that_of_the_block_a_cell_lies_in_wherever_the_window_begins():
    z, noise = np.zeros((300, 300)), np.array([[0.0, 0.1], [0.2, 0.3]])
    for row, col, first, deviation in (
        (0, 0, (0, 0), 0.0), (127, 128, (0, 0), 0.1), (128, 127, (0, 0), 0.2), (128, 128, (0, 0), 0.3),
        (27, 28, (100, 100), 0.1), (28, 27, (100, 100), 0.2), (290, 290, (0, 0), 0.3),
    ):  # fmt: skip
        allowed_m = depth_allowed(z, row, col, 1.0, 0.0, noise, first)
        assert allowed_m == pytest.approx(NOISE_IN_DEPTH * deviation)
