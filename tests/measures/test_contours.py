from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely import LineString, MultiLineString, Point, Polygon

from siteplan_gis.measures.surfaces.contours import ContourFacts, contour_facts
from siteplan_gis.model.comparison import compare
from siteplan_gis.units import FOOT_M, US_SURVEY_FOOT_M, feet

CASES = Path(__file__).resolve().parents[1] / "cases"


def _level(text: Any) -> float | None:
    figure = re.search(r"-?\d+(?:\.\d+)?", str(text))
    return float(figure[0]) * FOOT_M if figure else None


def _case(name: str, file: str) -> tuple[list[float | None], list[Any]]:
    drawn = gpd.read_file(CASES / name / file)
    return [_level(value) for value in drawn["ELEV"]], list(drawn.geometry)


def _facts(levels_ft: list[float | None], unit_m: float = FOOT_M, **options: Any) -> ContourFacts:
    lines = [LineString([(0, 10.0 * n), (100, 10.0 * n)]) for n in range(len(levels_ft))]
    return contour_facts([None if z is None else z * unit_m for z in levels_ft], lines, unit_m, **options)


def _ft(facts: ContourFacts) -> float | None:
    return None if facts.interval_m is None else feet(facts.interval_m)


def test_text_levels_with_duplicates_and_blanks() -> None:
    facts = contour_facts(*_case("H27", "contours.shp"))
    assert _ft(facts) == pytest.approx(2, abs=1e-9)
    assert (facts.lowest_m, facts.highest_m) == pytest.approx((700 * FOOT_M, 720 * FOOT_M))
    assert (facts.duplicates, facts.without_length, facts.without_elevation) == ((11,), (12,), (13,))
    assert (facts.lines, facts.levels, facts.missing_levels_m, facts.odd_levels_m) == (12, 11, (), ())


def test_index_contours_alone_give_their_own_interval() -> None:
    levels, lines = _case("H28", "contours.geojson")
    facts = contour_facts(levels, lines, is_index=[True] * len(lines))
    assert _ft(facts) == pytest.approx(10, abs=1e-9)
    assert facts.index_interval_m == facts.interval_m


def test_a_forced_top_level_is_odd_and_changes_nothing() -> None:
    facts = _facts([*range(100, 120, 2), 119.3])
    assert _ft(facts) == pytest.approx(2)
    assert facts.odd_levels_m == pytest.approx((119.3 * FOOT_M,))
    assert facts.missing_levels_m == ()


def test_index_interval_from_marked_lines() -> None:
    levels = list(range(300, 322, 2))
    facts = _facts(levels, US_SURVEY_FOOT_M, is_index=[z % 10 == 0 for z in levels])
    assert (_ft(facts), feet(facts.index_interval_m or 0), facts.lines) == (pytest.approx(2), pytest.approx(10), 11)
    assert _facts(levels, is_index=[False] * 11).index_interval_m is None
    assert _facts(levels, is_index=[z == 300 for z in levels]).index_interval_m is None


@pytest.mark.parametrize("unit_m", [FOOT_M, US_SURVEY_FOOT_M])
@pytest.mark.parametrize(("interval", "holds"), [(1.99, True), (2.0, True), (2.01, False)])
def test_two_feet_are_two_feet_of_either_kind(unit_m: float, interval: float, holds: bool) -> None:
    value = _ft(_facts([700 + n * interval for n in range(12)], unit_m))
    assert value is not None
    assert compare(value, "<=", 2.0) is holds


@pytest.mark.parametrize(
    ("interval", "unit_m", "expected_m"),
    [(0.5, 1.0, 0.5), (1, 1.0, 1.0), (0.25, 1.0, 0.25), (0.5, FOOT_M, 0.1524), (1, FOOT_M, 0.3048), (5, FOOT_M, 1.524),
     (50, 0.01, 0.5), (0.1, 1.0, 0.1), (100, FOOT_M, 30.48), (1.7, FOOT_M, 1.7 * FOOT_M)],
)  # fmt: skip
def test_intervals_in_any_unit(interval: float, unit_m: float, expected_m: float) -> None:
    base = 700 * FOOT_M / unit_m
    facts = _facts([base + n * interval for n in range(9)], unit_m)
    assert facts.interval_m == pytest.approx(expected_m, rel=1e-9)
    assert (facts.odd_levels_m, facts.missing_levels_m, facts.interval_plus_minus_m) == ((), (), 0)


def test_metre_contours_handed_in_as_feet_are_told_from_feet() -> None:
    facts = _facts([n * 0.5 / FOOT_M for n in range(400, 420)])
    assert facts.interval_m == pytest.approx(0.5)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 2.0, 5.0]))
def test_centimetre_noise_does_not_move_the_interval(seed: int, interval: float) -> None:
    noise = np.random.default_rng(seed).uniform(-0.01, 0.01, 41) / FOOT_M
    facts = _facts((700 + interval * np.arange(41) + noise).tolist())
    assert _ft(facts) == pytest.approx(interval)
    assert 0 < facts.interval_plus_minus_m <= 0.02
    assert (facts.odd_levels_m, facts.missing_levels_m) == ((), ())


def test_the_same_level_with_noise_is_one_level() -> None:
    facts = _facts([700, 700.01, 702, 702.02, 704, 704, 706, 708])
    assert (facts.levels, _ft(facts)) == (5, pytest.approx(2))


def test_missing_levels_are_named() -> None:
    facts = _facts([700, 702, 704, 708, 710, 712, 714, 722, 724])
    assert _ft(facts) == pytest.approx(2)
    assert facts.missing_levels_m == pytest.approx([z * FOOT_M for z in (706, 716, 718, 720)])


def test_every_second_level_missing_in_places_keeps_the_finer_interval() -> None:
    facts = _facts([300, 302, 306, 308, 312, 314, 318])
    assert _ft(facts) == pytest.approx(2)
    assert facts.missing_levels_m == pytest.approx([z * FOOT_M for z in (304, 310, 316)])


def test_a_coarser_stretch_is_a_further_interval_not_a_list_of_gaps() -> None:
    facts = _facts([*range(700, 722, 2), 730, 740, 750, 760])
    assert _ft(facts) == pytest.approx(2)
    assert [feet(interval) for interval in facts.further_intervals_m] == pytest.approx([10])
    assert facts.odd_levels_m == ()


def _slope(west: float, step: int) -> tuple[list[float | None], list[LineString]]:
    """A plane that climbs 1 ft each 5 m, drawn every `step` feet from 700 ft to 740 ft, 100 m wide."""
    levels = range(700, 741, step)
    return [z * FOOT_M for z in levels], [
        LineString([(west, 5.0 * (z - 700)), (west + 100, 5.0 * (z - 700))]) for z in levels
    ]


def test_a_part_of_the_map_that_is_drawn_coarser_is_told() -> None:
    (fine, fine_lines), (coarse, coarse_lines) = _slope(0, 2), _slope(500, 10)
    facts = contour_facts(fine + coarse, fine_lines + coarse_lines)
    assert _ft(facts) == pytest.approx(2)
    assert [feet(interval) for interval in facts.further_intervals_m] == pytest.approx([10])
    assert (facts.missing_levels_m, facts.odd_levels_m, facts.duplicates) == ((), (), ())
    assert contour_facts(fine, fine_lines).further_intervals_m == ()


def test_hills_and_cut_lines_of_one_interval_are_not_told_as_coarser() -> None:
    """Rings around two hills and a hollow, some cut for their labels, some levels on one hill only."""
    levels, lines = [], []
    for east, low, high in ((0, 700, 730), (400, 700, 716), (800, 704, 720)):
        for z in range(low, high + 1, 2):
            ring = Point(east, 0).buffer(5.0 * (high + 2 - z)).exterior
            levels.append(z * FOOT_M)
            lines.append(LineString(ring.coords[3:-3]) if z % 10 == 0 else LineString(ring.coords))
    facts = contour_facts(levels, lines)
    assert (_ft(facts), facts.further_intervals_m) == (pytest.approx(2), ())


def test_order_and_repetition_do_not_matter() -> None:
    ordered = _facts([700, 702, 704, 706])
    mixed = _facts([706, 700, 704, 700, 702, 706, 704])
    assert (mixed.interval_m, mixed.levels, mixed.lines) == (ordered.interval_m, 4, 7)


@pytest.mark.parametrize("levels", [[0.0] * 20, [0.0], [0.0, None, 0.0], [None, None], [float("nan")] * 3])
def test_zero_everywhere_is_unknown(levels: list[float | None]) -> None:
    facts = _facts(levels)
    assert (facts.interval_m, facts.levels, facts.lowest_m) == (None, 0, None)
    assert facts.without_elevation == tuple(range(len(levels)))
    assert "no contour line has a known elevation" in facts.reason


def test_a_few_zeros_among_real_levels_are_unknown() -> None:
    facts = _facts([700, 702, 0, 704, 706, 0])
    assert (_ft(facts), facts.without_elevation, facts.lowest_m) == (pytest.approx(2), (2, 5), 700 * FOOT_M)
    assert facts.missing_levels_m == ()


def test_zero_by_the_sea_is_a_level() -> None:
    facts = _facts([-4, -2, 0, 2, 4, 6])
    assert (_ft(facts), facts.levels, facts.without_elevation) == (pytest.approx(2), 6, ())
    assert _facts([0, 2, 4, 6]).levels == 4


@pytest.mark.parametrize("sentinel", [-9999.0, -32768.0, -3.4e38, 1e20, float("inf"), float("-inf")])
def test_sentinels_are_no_levels(sentinel: float) -> None:
    facts = _facts([700, 702, sentinel, 704])
    assert (_ft(facts), facts.without_elevation) == (pytest.approx(2), (2,))


def test_one_level_has_no_interval_and_says_why() -> None:
    assert (_facts([700, 700, 700.01]).interval_m, _facts([700]).reason) == (None, "all contour lines are at one level")
    nothing = contour_facts([], [])
    assert (nothing.interval_m, nothing.reason, nothing.lines) == (None, "there are no contour lines", 0)


def test_duplicates_run_either_way_and_start_anywhere() -> None:
    ring = [(0, 0), (9, 0), (9, 9), (0, 9), (0, 0)]
    lines = [
        LineString([(0, 0), (5, 1), (9, 0)]),
        LineString([(9, 0), (5, 1), (0, 0)]),
        LineString(ring),
        LineString([(9, 9), (0, 9), (0, 0), (9, 0), (9, 9)]),
        LineString(ring[::-1]),
        MultiLineString([[(0, 0), (1, 1)], [(2, 2), (3, 3)]]),
        MultiLineString([[(3, 3), (2, 2)], [(0, 0), (1, 1)]]),
        LineString([(0, 0), (5, 1), (9, 0)]),
    ]
    facts = contour_facts([200.0] * 7 + [200.6096], lines)
    assert facts.duplicates == (1, 3, 4, 6)
    assert facts.lines == 4


def test_lines_without_length_are_left_out_whatever_their_type() -> None:
    lines = [Point(0, 0), LineString(), LineString([(5, 5), (5, 5)]), LineString([(0, 0), (0, 0.0005)]),
             Polygon([(0, 0), (9, 0), (9, 9)]), LineString([(0, 0), (1, 0)])]  # fmt: skip
    facts = contour_facts([100.0, 101.0, 102.0, 103.0, 200.0, 201.0], lines)
    assert facts.without_length == (0, 1, 2, 3)
    assert (facts.lines, facts.interval_m) == (2, 1.0)


def test_sequences_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        contour_facts([1.0], [])
    with pytest.raises(ValueError, match="one length"):
        contour_facts([1.0], [LineString([(0, 0), (1, 1)])], is_index=[])


def test_a_wide_range_of_levels_is_read_quickly() -> None:
    rng = np.random.default_rng(5)
    levels = np.round(rng.uniform(0, 8000, 4000), 2).tolist()
    lines = [LineString([(0, n), (1, n)]) for n in range(4000)]
    facts = contour_facts(levels, lines, 1.0)
    assert facts.lines == 4000
    assert facts.interval_m is not None
    assert 0.025 < facts.interval_m < 5
