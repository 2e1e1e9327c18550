"""Squares with letters and numbers over the site, by which people name a place: "the outfall in C4"."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.units import FOOT_M

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shapely.geometry.base import BaseGeometry

_STEPS_FT: Final = (10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000, 10_000)
_MOST_SQUARES: Final = 10
_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without I and O, which are read as numbers."""


@dataclass(frozen=True, slots=True)
class LetteredGrid:
    """Squares of `step_ft` in the site frame, lettered from west to east and numbered from north to south.

    `west` and `north` are metres in the frame.
    """

    west: float
    north: float
    step_ft: int
    columns: int
    rows: int

    @property
    def step_m(self) -> float:
        """Side of a square in metres."""
        return self.step_ft * FOOT_M

    def square(self, geometry: BaseGeometry | None) -> str:
        """The square, or the corner squares, in which a geometry lies; "" where it lies off the grid.

        Examples
        --------
        >>> grid = grid_over((0.0, 0.0, 300.0, 200.0))
        >>> grid.step_ft, grid.columns, grid.rows
        (100, 10, 7)
        >>> grid.square(shapely.Point(5, 195)), grid.square(shapely.box(5, 100, 95, 195)), grid.square(None)
        ('A1', 'A1 to D4', '')
        """
        if geometry is None or geometry.is_empty:
            return ""
        west, south, east, north = geometry.bounds
        left, right = (math.floor((x - self.west) / self.step_m) for x in (west, east))
        top, bottom = (math.floor((self.north - y) / self.step_m) for y in (north, south))
        if left >= self.columns or right < 0 or top >= self.rows or bottom < 0:
            return ""
        first = self._name(max(left, 0), max(top, 0))
        last = self._name(min(right, self.columns - 1), min(bottom, self.rows - 1))
        return first if first == last else f"{first} to {last}"

    def lines(self) -> Iterator[shapely.LineString]:
        """The lines of the grid."""
        east, south = self.west + self.columns * self.step_m, self.north - self.rows * self.step_m
        for column in range(self.columns + 1):
            x = self.west + column * self.step_m
            yield shapely.LineString([(x, self.north), (x, south)])
        for row in range(self.rows + 1):
            y = self.north - row * self.step_m
            yield shapely.LineString([(self.west, y), (east, y)])

    def labels(self) -> Iterator[tuple[str, shapely.Point]]:
        """Letters above the columns and numbers beside the rows, with the middles of their places."""
        for column in range(self.columns):
            x = self.west + (column + 0.5) * self.step_m
            yield _LETTERS[column], shapely.Point(x, self.north)
        for row in range(self.rows):
            y = self.north - (row + 0.5) * self.step_m
            yield str(row + 1), shapely.Point(self.west, y)

    @staticmethod
    def _name(column: int, row: int) -> str:
        return f"{_LETTERS[column]}{row + 1}"


def grid_over(bounds: tuple[float, float, float, float]) -> LetteredGrid:
    """The grid over `bounds` (west, south, east, north in metres): the finest step that makes ten squares or fewer."""
    west, south, east, north = bounds
    longest = max(east - west, north - south, 1.0)
    step_ft = next((step for step in _STEPS_FT if longest / (step * FOOT_M) <= _MOST_SQUARES), _STEPS_FT[-1])
    step_m = step_ft * FOOT_M
    columns, rows = (
        min(max(1, math.ceil(side / step_m - 1e-9)), len(_LETTERS)) for side in (east - west, north - south)
    )
    return LetteredGrid(west, north, step_ft, columns, rows)
