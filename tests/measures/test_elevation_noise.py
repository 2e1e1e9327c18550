"""Noise told apart from ground, and smoothed without what stands out of it."""

from __future__ import annotations

import numpy as np
import pytest

from siteplan_gis.measures.terrain.elevation_noise import looked_at, noise_of, without_noise

DOWN, ACROSS = np.indices((300, 300)).astype(float)
ALL = slice(0, 300), slice(0, 300)


def noise(deviation, seed=1):
    return np.random.default_rng(seed).normal(0, deviation, DOWN.shape)


@pytest.mark.parametrize("deviation", [0.02, 0.1, 0.5])
@pytest.mark.parametrize(
    "shape",
    [0 * DOWN, 0.05 * ACROSS, 0.05 * np.abs(DOWN - ACROSS), 0.002 * (DOWN - 150) ** 2, 3 * np.sin(DOWN / 15)],
    ids=["level", "plane", "valley", "bowl", "waves"],
)
def test_independent_errors_are_told_whatever_the_ground(shape, deviation):
    assert noise_of(shape + noise(deviation)).ravel()[[0, 1, 3, 4]] == pytest.approx(deviation, rel=0.2)


def test_rough_ground_is_no_noise():
    rng = np.random.default_rng(4)
    frequency = np.hypot(np.fft.fftfreq(300)[:, None], np.fft.rfftfreq(300)[None])
    frequency[0, 0] = 1
    relief = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((300, 300))) * frequency**-2.5, s=(300, 300))
    assert not noise_of(relief / relief.std() * 10).any()


def test_clean_ground_stays_to_the_last_bit():
    for shape in (0.05 * np.abs(DOWN - ACROSS), np.hypot(DOWN - 150, ACROSS - 150), np.round(0.03 * DOWN, 2)):
        smooth, found = without_noise(shape, *ALL)
        assert np.array_equal(smooth, shape)
        assert not found.any()


def test_a_plane_loses_its_noise():
    plane = 100 - 0.03 * ACROSS + 0.04 * DOWN
    smooth, _ = without_noise(plane + noise(0.1), *ALL)
    assert np.abs(smooth - plane)[20:-20, 20:-20].std() < 0.01


@pytest.mark.parametrize(("depth", "wide"), [(0.4, 1), (0.3, 3), (0.2, 9)])
def test_a_ditch_that_stands_out_is_kept(depth, wide):
    """At least four fifths of its depth, and nowhere beside it."""
    ditch = np.where(np.abs(ACROSS - 150) <= wide / 2, -depth, 0.0)
    smooth, _ = without_noise(0.02 * DOWN + ditch + noise(0.05), *ALL)
    level = (smooth - 0.02 * DOWN)[20:-20].mean(axis=0)
    assert level[150] < -0.8 * depth
    assert level[150 - wide // 2 - 4] > -0.2 * depth


def test_level_water_stays_level_and_holes_stay_holes():
    rough = 100 + noise(0.1)
    rough[100:160, 100:160] = 99.5
    rough[200:203, 200:203] = np.nan
    smooth, _ = without_noise(rough, *ALL)
    assert (smooth[102:158, 102:158] == 99.5).all()
    assert np.array_equal(np.isnan(smooth), np.isnan(rough))


def test_nothing_but_holes():
    holes = np.full((50, 50), np.nan)
    smooth, found = without_noise(holes, slice(0, 50), slice(0, 50))
    assert np.isnan(smooth).all()
    assert not found.any()


def test_a_part_gets_the_same_elevations_whatever_else_is_read():
    """To the last bit, beside a hole too, and not where less is looked at than is told."""
    rough = 0.02 * DOWN + 2 * np.sin(ACROSS / 40) + noise(1) * np.where(ACROSS < 150, 0.03, 0.1)
    rough[60, 70:74] = np.nan
    whole, _ = without_noise(rough, *ALL)
    for r1, r2, c1, c2 in ((20, 100, 40, 127), (127, 129, 128, 250), (0, 300, 201, 202), (30, 90, 0, 130)):
        (r0, r3), (c0, c3) = (looked_at(*ends) for ends in ((r1, r2), (c1, c2)))
        r0, c0 = max(r0, 0), max(c0, 0)
        part, _ = without_noise(rough[r0:r3, c0:c3], slice(r1 - r0, r2 - r0), slice(c1 - c0, c2 - c0), (c0, r0))
        assert np.array_equal(part, whole[r1:r2, c1:c2], equal_nan=True)
    bare, _ = without_noise(rough[20:100, 40:127], slice(0, 80), slice(0, 87), (40, 20))
    assert not np.array_equal(bare, whole[20:100, 40:127], equal_nan=True)
