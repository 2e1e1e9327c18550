from __future__ import annotations

from string import ascii_uppercase
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely import LineString, MultiPolygon, Point, box
from shapely.affinity import rotate

from siteplan_gis.measures.sheets.grid import GridFacts, grid_facts

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

AREA = box(0, 0, 300, 200)


def _cells(columns: int = 3, rows: int = 2, side: float = 100.0) -> tuple[list[BaseGeometry], list[str]]:
    places = [(column, row) for row in range(rows) for column in range(columns)]
    cells = [box(x * side, y * side, (x + 1) * side, (y + 1) * side) for x, y in places]
    return cells, [f"{ascii_uppercase[row]}{column + 1}" for column, row in places]


def _lines(columns: int = 3, rows: int = 2, side: float = 100.0, over: float = 0.0) -> list[LineString]:
    across = [LineString([(-over, y * side), (columns * side + over, y * side)]) for y in range(rows + 1)]
    upward = [LineString([(x * side, -over), (x * side, rows * side + over)]) for x in range(columns + 1)]
    return across + upward


def _turned(geometries: list[BaseGeometry], angle: float) -> list[BaseGeometry]:
    return [rotate(geometry, angle, origin=(0, 0)) for geometry in geometries]


def _is_complete(facts: GridFacts) -> bool:
    return (
        facts.uncovered_m2 == 0
        and sorted(facts.labels) == ["A1", "A2", "A3", "B1", "B2", "B3"]
        and not facts.duplicate_labels
        and not facts.odd_labels
        and not facts.unlabelled_cells
    )


def test_cells_that_cover_the_map() -> None:
    assert _is_complete(grid_facts(*_cells(), AREA, noise_m=0.5))


def test_ground_beyond_the_cells_is_uncovered() -> None:
    facts = grid_facts(*_cells(), box(0, 0, 330, 200), noise_m=0.5)
    assert facts.uncovered_m2 == pytest.approx(6000)
    assert facts.uncovered.bounds == pytest.approx((300, 0, 330, 200))


@pytest.mark.parametrize(("gap_m", "uncovered_m2"), [(0.49, 0), (0.51, 102)])
def test_gaps_count_above_the_noise(gap_m: float, uncovered_m2: float) -> None:
    cells = [box(0, 0, 150 - gap_m / 2, 200), box(150 + gap_m / 2, 0, 300, 200)]
    assert grid_facts(cells, ["A1", "A2"], AREA, noise_m=0.5).uncovered_m2 == pytest.approx(uncovered_m2)


def test_a_missing_cell_inside_is_uncovered() -> None:
    cells, labels = _cells()
    assert grid_facts(cells[:4] + cells[5:], labels[:4] + labels[5:], AREA, noise_m=0.5).uncovered_m2 == pytest.approx(
        1e4
    )


def test_duplicate_odd_and_missing_labels_are_told() -> None:
    cells, _ = _cells()
    facts = grid_facts(cells, ["A1", "a-01", "North", "B2", "", "12"], AREA, noise_m=0.5)
    assert (facts.duplicate_labels, facts.odd_labels, facts.unlabelled_cells) == (("A1",), ("12", "NORTH"), 1)


@pytest.mark.parametrize("label", ["A1", "a-1", "AA12", "1A", "12 b", "A.1", "C_07"])
def test_letter_and_number_in_any_order(label: str) -> None:
    assert grid_facts([AREA], [label], AREA, noise_m=0.5).odd_labels == ()


@pytest.mark.parametrize("label", ["1", "A", "A1B2", "A-", "1-1", "ABC1", "A1234", "Ä1"])
def test_other_labels_are_odd_unless_declared_equivalent(label: str) -> None:
    assert len(grid_facts([AREA], [label], AREA, noise_m=0.5).odd_labels) == 1
    assert grid_facts([AREA], [label], AREA, noise_m=0.5, equivalent=True).odd_labels == ()


def test_a_cell_delivered_twice_is_no_duplicate() -> None:
    cells, labels = _cells()
    assert _is_complete(grid_facts(cells + cells[:2], labels + labels[:2], AREA, noise_m=0.5))


def test_parts_of_a_multipolygon_share_its_label() -> None:
    facts = grid_facts([MultiPolygon(_cells()[0])], ["A1"], AREA, noise_m=0.5)
    assert (len(facts.cells), facts.duplicate_labels) == (6, ("A1",))


@pytest.mark.parametrize("angle", [0, 17, -40])
@pytest.mark.parametrize("over", [0.0, 15.0, -0.3])
def test_crossing_lines_with_letters_and_numbers_make_labelled_cells(angle: float, over: float) -> None:
    lines = _turned(_lines(over=over), angle)
    labels = ["A", "B", "C", "1", "2", "3", "4"]
    assert _is_complete(grid_facts(lines, labels, *_turned([AREA], angle), noise_m=0.5))


def test_lettered_lines_may_run_upward() -> None:
    facts = grid_facts(_lines(), ["1", "2", "3", "A", "B", "C", "D"], AREA, noise_m=0.5)
    assert sorted(facts.labels) == ["A1", "A2", "B1", "B2", "C1", "C2"]


def test_lines_that_stop_too_short_make_no_cells() -> None:
    facts = grid_facts(_lines(over=-1.0), [""] * 7, AREA, noise_m=0.5)
    assert facts.uncovered_m2 == pytest.approx(60_000)


def test_lines_without_labels_leave_cells_unlabelled() -> None:
    facts = grid_facts(_lines(), [""] * 7, AREA, noise_m=0.5)
    assert (len(facts.cells), facts.unlabelled_cells, facts.uncovered_m2) == (6, 6, 0)


def test_labels_standing_in_the_cells_of_lines() -> None:
    cells, names = _cells()
    marks = [*_lines(), *(cell.representative_point() for cell in cells)]
    assert _is_complete(grid_facts(marks, [""] * 7 + names, AREA, noise_m=0.5))


@pytest.mark.parametrize("angle", [0, 25])
def test_labels_standing_in_the_margin(angle: float) -> None:
    margin = [Point(-20, 50), Point(-20, 150), Point(50, 220), Point(150, 220), Point(250, 220)]
    marks = _turned([*_lines(), *margin], angle)
    facts = grid_facts(marks, [""] * 7 + ["A", "B", "1", "2", "3"], *_turned([AREA], angle), noise_m=0.5)
    assert _is_complete(facts)


def test_a_margin_label_too_few_leaves_cells_unlabelled() -> None:
    margin = [Point(-20, 50), Point(50, 220), Point(150, 220), Point(250, 220)]
    facts = grid_facts([*_lines(), *margin], [""] * 7 + ["A", "1", "2", "3"], AREA, noise_m=0.5)
    assert (facts.unlabelled_cells, facts.duplicate_labels) == (3, ())


def test_lettered_and_numbered_bands_cross_to_cells() -> None:
    bands = [box(0, 0, 300, 100), box(0, 100, 300, 200), *(box(100 * n, 0, 100 * n + 100, 200) for n in range(3))]
    assert _is_complete(grid_facts(bands, ["A", "B", "1", "2", "3"], AREA, noise_m=0.5))


def test_two_rows_with_the_same_letter_repeat_labels() -> None:
    facts = grid_facts(_lines(), ["A", "A", "C", "1", "2", "3", "4"], AREA, noise_m=0.5)
    assert facts.duplicate_labels == ("A1", "A2", "A3")


def test_no_grid_leaves_all_uncovered() -> None:
    facts = grid_facts([], [], AREA, noise_m=0.5)
    assert (facts.cells, facts.uncovered_m2) == ((), pytest.approx(60_000))
    assert grid_facts([Point(1, 1)], ["A1"], AREA, noise_m=0.5).uncovered_m2 == pytest.approx(60_000)


def test_labels_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="label"):
        grid_facts([AREA], [], AREA, noise_m=0.5)


@given(st.floats(-180, 180), st.integers(1, 5), st.integers(1, 5))
def test_turning_a_grid_changes_nothing(angle: float, columns: int, rows: int) -> None:
    cells, labels = _cells(columns, rows)
    whole = box(0, 0, columns * 100 + 10, rows * 100)
    facts = grid_facts(_turned(cells, angle), labels, *_turned([whole], angle), noise_m=0.5)
    assert facts.uncovered_m2 == pytest.approx(rows * 1000)
    assert len(facts.cells) == columns * rows
    assert facts.duplicate_labels == ()
