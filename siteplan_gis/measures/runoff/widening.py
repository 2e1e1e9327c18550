"""Ground that is read wider where a path of runoff meets the rim of what was read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.runoff.flow import trace
from siteplan_gis.measures.runoff.ground import with_rim

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shapely import Point
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.flow import Trace
    from siteplan_gis.measures.runoff.ground import Conditioned
    from siteplan_gis.model.terrain import ElevationFile, ElevationGrid

MOST_CELLS: Final = 16_000_000
"""Cells of the elevations read at once at most: a square of 4 km in cells of 1 m."""

_WORTH_READING: Final = 1.1
_SQUARE: Final = 4

Box = tuple[int, int, int, int]


@dataclass(slots=True)
class Widening:
    """Ground for paths, read wider whenever one of them meets the rim of its window and the elevations go on beyond.

    Attributes
    ----------
    ground
        The ground as far as it was read by now.
    ready
        Makes a grid ready (see `ground.condition_around`: with its culverts, lines and sinks, the whole grid). None:
        the ground stays as it is.
    source
        The whole data; None: there is no more than the ground's own grid.
    """

    ground: Conditioned
    ready: Callable[[ElevationGrid], Conditioned] | None = None
    source: ElevationFile | None = None
    most_cells: int = MOST_CELLS
    _whole: ElevationFile = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._whole = self.source if self.source is not None else self.ground.grid

    def follow(
        self, start: Point, targets: Sequence[BaseGeometry], limit_m: float, barrier_m: float, near_m: float = 0.0
    ) -> Trace:
        """Follow runoff as `flow.trace` does. `Trace.at_window` is left True only where the elevations go on."""
        while True:
            way = trace(self.ground, start, targets, limit_m, barrier_m, near_m)
            if way.edge is None:
                return way
            if not self.goes_on(way.edge):
                ends = way.ends_because == "leaves_elevation_data" or way.depth_at_least
                way = replace(way, at_window=False)
                return _saying(way, "the elevation data end there") if ends else way
            if not self.widen():
                return _saying(way, "the elevation data go on, beyond what is read at once") if way.at_window else way

    def goes_on(self, edge: Point) -> bool:
        """Whether there are elevations beyond the sides of the window that a place at its rim lies on."""
        rows, cols = self.ground.z_m.shape
        x, y = (int(v) for v in shapely.get_coordinates(self.ground.pixels(edge))[0])
        west, north, east, south = self._room()
        return (
            (x == 0 and west > 0)
            or (y == 0 and north > 0)
            or (x == cols - 1 and east > 0)
            or (y == rows - 1 and south > 0)
        )

    def _place(self) -> tuple[Box, Box]:
        """The window in the grid's cells, and the grid in the source's: column, row, columns and rows of each."""
        ground, grid = self.ground, self.ground.grid
        rows, cols = ground.z_m.shape
        window = (*ground.first, cols * ground.factor[0], rows * ground.factor[1])
        a, _, c, _, e, f = (~self._whole.transform @ grid.transform)[:6]
        return window, (round(c), round(f), round(a), round(e))

    def _room(self) -> Box:
        """Whole cells of the window beyond each of its sides: west, north, east, south."""
        (column, row, columns, rows), (c, r, across, down) = self._place()
        high, wide = self._whole.shape
        x, y = self.ground.factor
        west, north = (c // across + column) // x, (r // down + row) // y
        east = (wide - c - across * (column + columns)) // (across * x)
        south = (high - r - down * (row + rows)) // (down * y)
        return west, north, east, south

    def widen(self) -> bool:
        """Read up to half the window's width more on every side; False where no more may be read."""
        if self.ready is None:
            return False
        (column, row, columns, rows), (c, r, across, down) = self._place()
        x, y = self.ground.factor
        wide, high = columns // x, rows // y
        # A margin m on every side makes (wide + 2 m) (high + 2 m) cells.
        total, most = wide + high, self.most_cells / (x * y)
        margin = int(min(max(wide, high) / 2, (np.sqrt(total**2 + _SQUARE * (most - wide * high)) - total) / 4))
        west, north, east, south = (max(0, min(margin, room)) for room in self._room())
        if (wide + west + east) * (high + north + south) < _WORTH_READING * wide * high:
            return False
        box = (column - west * x, row - north * y, (wide + west + east) * x, (high + north + south) * y)
        at = (c + box[0] * across, r + box[1] * down, box[2] * across, box[3] * down)
        self.ground = self.ready(with_rim(self._whole, at, (across, down)))
        return True


def _saying(way: Trace, why: str) -> Trace:
    return replace(way, explanation=f"{way.explanation.rstrip('.')}: {why}.")
