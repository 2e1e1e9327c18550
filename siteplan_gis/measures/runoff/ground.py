"""Ground made ready for paths of runoff: a window of the elevations, fine cells averaged, culverts cut through."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from affine import Affine
from shapely import LineString, Point

from siteplan_gis.measures.runoff.conditioning import LINE, SINK, Scratch
from siteplan_gis.measures.runoff.marking import cells_touched
from siteplan_gis.measures.terrain.elevation_noise import BLOCK, looked_at, without_noise
from siteplan_gis.measures.terrain.lattice import first_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.terrain import ElevationFile, ElevationGrid, ElevationSource

    Box = tuple[int, int, int, int]

FINEST_CELL_M: Final = 1.0
"""Finer cells are averaged to at least this size: below it a grid shows clods and tyre tracks."""

_CULVERT_REACH_M: Final = 4.0
_BARRIER_REACH_M: Final = 25.0
_LONGEST_EDGE_M: Final = 100.0


@dataclass(frozen=True, slots=True, eq=False)
class Conditioned:
    """A window of ground made ready for paths: fine cells averaged, culverts cut. Several paths share one.

    Attributes
    ----------
    z_m
        Elevations, shape (rows, columns), metres; NaN means none.
    dx_m, dy_m
        Ground spacing in metres, each of shape (rows,).
    first
        Column and row of `grid` where the window begins.
    factor
        Columns and rows of `grid` averaged into one cell.
    culverts
        The pipes that were cut, in the frame.
    sinks
        What keeps its water, in the frame.
    kept
        Cells of sinks and of mapped lines (bits SINK and LINE of `conditioning`); None where there are none.
    noise
        Standard deviation of the noise that was taken out of the elevations in each block of `BLOCK` rows and columns.
    noise_first
        Column and row, counted from where `noise`'s first block begins, where the window begins.
    """

    grid: ElevationGrid
    z_m: NDArray[np.float64]
    dx_m: NDArray[np.float64]
    dy_m: NDArray[np.float64]
    first: tuple[int, int]
    factor: tuple[int, int]
    culverts: tuple[LineString, ...] = ()
    sinks: tuple[BaseGeometry, ...] = ()
    kept: NDArray[np.uint8] | None = None
    noise: NDArray[np.float64] = field(default_factory=lambda: np.zeros((1, 1)))
    noise_first: tuple[int, int] = (0, 0)
    _goals: dict[float, tuple[tuple[BaseGeometry, ...], NDArray[np.uint8]]] = field(default_factory=dict, repr=False)
    _scratch: list[Scratch] = field(default_factory=list, repr=False)

    def goal(self, targets: Sequence[BaseGeometry], near_m: float = 0.0) -> NDArray[np.uint8]:
        """Marks of cells within `near_m` of a target (see `cells_touched`), and of sinks and lines; remembered."""
        if near_m in self._goals:
            known, goal = self._goals[near_m]
            if known == tuple(targets):
                return goal
        wide = shapely.buffer(np.asarray(targets, dtype=object), near_m) if near_m and len(targets) else targets
        goal = cells_touched(self, wide)
        if self.kept is not None:
            goal |= self.kept
        self._goals[near_m] = tuple(targets), goal
        return goal

    def narrowed(self, targets: Sequence[BaseGeometry]) -> Conditioned:
        """The same ground for some of the targets: those of a path's reach. Its goals stay the cells of all of them."""
        return replace(self, _goals={near_m: (tuple(targets), goal) for near_m, (_, goal) in self._goals.items()})

    @property
    def scratch(self) -> Scratch:
        """Scratch for floods, shared by all paths over this ground."""
        if not self._scratch:
            self._scratch.append(Scratch(self.z_m.shape))
        return self._scratch[0]

    def pixels(self, geometry: BaseGeometry) -> BaseGeometry:
        """A geometry of the frame in pixel coordinates of the window."""
        return shapely.transform(self.grid.pixels(geometry), lambda xy: (xy - self.first) / self.factor)

    def placed(self, geometry: BaseGeometry) -> BaseGeometry:
        """A geometry in pixel coordinates of the window brought into the frame."""
        return self.grid.placed(shapely.transform(geometry, lambda xy: xy * self.factor + self.first))

    def noise_m(self, x: float, y: float) -> float:
        """Standard deviation of the noise that was taken out around a place (pixel coordinates of the window)."""
        return float(self.noise_at(np.array([[x, y]]))[0])

    def noise_at(self, pixels: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same around many places, shape (n, 2)."""
        place = (np.trunc(pixels).astype(np.int64) + self.noise_first) // BLOCK
        rows, cols = self.noise.shape
        found: NDArray[np.float64] = self.noise[np.clip(place[:, 1], 0, rows - 1), np.clip(place[:, 0], 0, cols - 1)]
        return found

    @property
    def cell_m(self) -> float:
        """The larger side of the middle cell in metres."""
        middle = self.dx_m.size // 2
        return float(max(self.dx_m[middle], self.dy_m[middle])) if self.dx_m.size else 0.0


def condition_around(
    grid: ElevationGrid,
    centre: BaseGeometry,
    half_window_m: float = 900.0,
    culverts: Sequence[BaseGeometry] = (),
    lines: Sequence[BaseGeometry] = (),
    sinks: Sequence[BaseGeometry] = (),
    finest_m: float = FINEST_CELL_M,
) -> Conditioned:
    """Make the ground within `half_window_m` of a geometry ready, in cells of at least `finest_m`.

    `culverts` are pipes: each is cut from its higher to its lower end, at an even fall between the lowest ground at
    the ends; one given as a point or an area is laid across the barrier there. `lines` are open or piped ways (mapped
    streams, storm sewers): they lead out of a depression whatever lies on them. `sinks` keep their water.
    """
    rows, cols = grid.z_m.shape
    wide = shapely.box(*shapely.bounds(centre) + half_window_m * np.array([-1, -1, 1, 1]))
    left, top, right, bottom = shapely.bounds(
        grid.pixels(shapely.segmentize(wide, max(half_window_m / 4, _LONGEST_EDGE_M)))
    )
    west, north, east, south = grid.rim
    c1, c2 = (int(np.clip(np.floor(v), west, cols - east)) for v in (left, right + 1))
    r1, r2 = (int(np.clip(np.floor(v), north, rows - south)) for v in (top, bottom + 1))
    across, down = (_factor(spacing[r1:r2], finest_m) for spacing in (grid.row_dx_m, grid.row_dy_m))
    # The same cells are averaged together, whatever window they lie in.
    c1, r1 = (
        min(_aligned(begin, per, first), end)
        for begin, per, first, end in zip((c1, r1), (across, down), first_cell(grid.transform), (c2, r2), strict=True)
    )
    ready = _even(grid, (r1, r2, c1, c2), (across, down), tuple(sinks))
    z = ready.z_m
    if not z.size:
        return ready
    if lines or sinks:
        kept = LINE * (cells_touched(ready, _lines(lines)) > 0) + SINK * (cells_touched(ready, sinks) > 0)
        ready = replace(ready, kept=kept.astype(np.uint8))
    if not culverts:
        return ready
    z = z.copy()
    pipes = tuple(line for line in _pipes(z, ready, culverts) if _cut(z, ready, line))
    return replace(ready, z_m=z, culverts=pipes)


def _even(
    grid: ElevationGrid, window: tuple[int, int, int, int], factor: tuple[int, int], sinks: tuple[BaseGeometry, ...]
) -> Conditioned:
    """A window (its first and last row and column) averaged and without noise.

    All in one piece of memory, as each layout has its kernels compiled anew. So much around the window is looked at
    that each cell gets the same elevation in every window.
    """
    (r1, r2, c1, c2), (across, down) = window, factor
    firsts = first_cell(grid.transform)
    (c0, c3), (r0, r3) = (
        _around(begin, end, per, first)
        for begin, end, per, first in zip((c1, r1), (c2, r2), factor, firsts, strict=True)
    )
    c0, r0 = (max(low, -first % per) for low, per, first in zip((c0, r0), factor, firsts, strict=True))
    z, dx, dy = np.ascontiguousarray(grid.z_m[r0:r3, c0:c3]), grid.row_dx_m[r1:r2], grid.row_dy_m[r1:r2]
    rows, cols = (r2 - r1) // down, (c2 - c1) // across
    if across > 1 or down > 1:
        z = _averaged(z, across, down)
        spacing = (v[: rows * down].reshape(rows, down) for v in (dx, dy))
        widths, heights = spacing
        dx, dy = widths.mean(axis=1) * across, heights.sum(axis=1)
    top, left = (r1 - r0) // down, (c1 - c0) // across
    first = (firsts[0] + c0) // across, (firsts[1] + r0) // down
    smooth, noise = without_noise(z, slice(top, top + rows), slice(left, left + cols), first)
    begins = first[0] % BLOCK + left, first[1] % BLOCK + top
    return Conditioned(grid, smooth, dx, dy, (c1, r1), factor, sinks=sinks, noise=noise, noise_first=begins)


def _aligned(begin: int, per: int, first: int) -> int:
    """The last column (or row) of a grid up to one where cells begin that are averaged; else the first of all."""
    back = (first + begin) % per
    return begin - back if begin >= back else begin - back + per


def _around(begin: int, end: int, per: int, first: int) -> tuple[int, int]:
    """The columns (or rows) that some are smoothed by, `per` of them averaged to one; also beyond the grid's sides."""
    low, high = looked_at((first + begin) // per, (first + end) // per)
    return low * per - first, high * per - first


def with_rim(source: ElevationFile, window: Box, per_cell: tuple[int, int]) -> ElevationGrid:
    """Read a window (see `ElevationFile.grid`) and its rim (see `rimmed`)."""
    wide, rim = rimmed(source, window, per_cell)
    return replace(source.grid(wide, per_cell), rim=rim)


def rimmed(source: ElevationSource, window: Box, per_cell: tuple[int, int]) -> tuple[Box, Box]:
    """Widen a window by what its cells are smoothed by, as far as there are data; and `ElevationGrid.rim` of it.

    So its cells get the same elevations as in any other window.
    """
    column, row, columns, rows = window
    high, wide = source.shape
    across, down = per_cell
    size = source.spacing_m(np.array([column + columns / 2]), np.array([row + rows / 2]))
    place = source.transform @ Affine.translation(column, row) @ Affine.scale(across, down)
    (left, right), (top, bottom) = (
        _rim(cells // per, (begin // per, (all_cells - begin - cells) // per), _factor(one * per, FINEST_CELL_M), first)
        for begin, cells, all_cells, per, one, first in zip(
            (column, row), (columns, rows), (wide, high), per_cell, size, first_cell(place), strict=True
        )
    )
    wider = columns + (left + right) * across, rows + (top + bottom) * down
    return (column - left * across, row - top * down, *wider), (left, top, right, bottom)


def _rim(cells: int, room: tuple[int, int], averaged: int, first: int) -> tuple[int, int]:
    """How many columns (or rows) more are looked at before and after so many, where there is so much room."""
    low, high = _around(0, cells, averaged, first)
    return min(-low, room[0]), max(0, min(high - cells, room[1]))


def _factor(spacing_m: NDArray[np.float64], finest_m: float) -> int:
    if not spacing_m.size:
        return 1
    # A cell of 0.9999 m is a metre.
    return max(1, int(np.ceil(finest_m / float(np.median(spacing_m)) - 0.01)))


def _averaged(z: NDArray[np.float64], across: int, down: int) -> NDArray[np.float64]:
    """Means over blocks; a block with too few elevations (less than half) has none."""
    rows, cols = z.shape[0] // down, z.shape[1] // across
    blocks = z[: rows * down, : cols * across].reshape(rows, down, cols, across)
    known = ~np.isnan(blocks)
    count = known.sum(axis=(1, 3))
    total = np.where(known, blocks, 0.0).sum(axis=(1, 3))
    mean = np.full((rows, cols), np.nan)
    np.divide(total, count, out=mean, where=2 * count >= down * across)
    return mean


def _lines(geometries: Sequence[BaseGeometry]) -> list[LineString]:
    parts = shapely.get_parts(np.asarray(geometries, dtype=object)) if len(geometries) else []
    return [part for part in parts if isinstance(part, LineString) and part.length > 0]


def _pipes(z: NDArray[np.float64], ground: Conditioned, culverts: Sequence[BaseGeometry]) -> list[LineString]:
    """Culverts as lines. One known only as a place is laid across the barrier there, between the lowest ground."""
    parts = shapely.get_parts(np.asarray(culverts, dtype=object)) if len(culverts) else []
    places = [part.centroid for part in parts if not isinstance(part, LineString)]
    laid = [_across(z, ground, shapely.get_coordinates(ground.pixels(place))[0]) for place in places]
    return _lines(culverts) + [pipe for pipe in laid if pipe is not None]


def _across(z: NDArray[np.float64], ground: Conditioned, place: NDArray[np.float64]) -> LineString | None:
    """The course through a place (in pixel coordinates) whose higher end is the lowest, in the frame."""
    rows, cols = z.shape
    if not (0 <= place[0] < cols and 0 <= place[1] < rows):
        return None
    row = int(place[1])
    away = np.arange(1.0, _BARRIER_REACH_M + 1)
    best, pipe = np.inf, None
    for course in np.radians(np.arange(0, 180, 10)):
        ends, heights = [], []
        for side in (away, -away):
            col = place[0] + side * np.cos(course) / ground.dx_m[row]
            down = place[1] + side * np.sin(course) / ground.dy_m[row]
            inside = (col >= 0) & (col < cols) & (down >= 0) & (down < rows)
            along = np.where(
                inside, z[np.clip(down, 0, rows - 1).astype(int), np.clip(col, 0, cols - 1).astype(int)], np.nan
            )
            if np.isnan(along).all():
                break
            lowest = int(np.nanargmin(along))
            ends.append((col[lowest], down[lowest]))
            heights.append(float(along[lowest]))
        if len(ends) == 2 and max(heights) < best:  # noqa: PLR2004
            best, pipe = max(heights), LineString(ends)
    return ground.placed(pipe) if pipe is not None else None


def _cut(z: NDArray[np.float64], ground: Conditioned, pipe: LineString) -> bool:
    """Lower the cells over a pipe so that water runs along it; False where the elevations do not cover it."""
    rows, cols = z.shape
    dense = shapely.get_coordinates(shapely.segmentize(ground.pixels(pipe), 0.45))
    if not ((dense >= 0).all() and (dense < [cols, rows]).all()):
        return False
    cells = dense.astype(np.int64)
    cells = cells[np.r_[True, (np.diff(cells, axis=0) != 0).any(axis=1)]]
    cells = np.vstack([_to_lowest(z, ground, cells[0])[::-1], cells, _to_lowest(z, ground, cells[-1])])
    heights = z[cells[:, 1], cells[:, 0]]
    if np.isnan(heights).any():
        return False
    if heights[0] < heights[-1]:
        cells, heights = cells[::-1], heights[::-1]
    lowered = np.minimum(heights, np.linspace(heights[0], heights[-1], len(heights)))
    np.minimum.at(z, (cells[:, 1], cells[:, 0]), lowered)
    return True


def _to_lowest(z: NDArray[np.float64], ground: Conditioned, cell: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cells from one end of a pipe to the lowest ground near it: drawn ends stop short of the ditch."""
    col, row = int(cell[0]), int(cell[1])
    wide = max(1, round(_CULVERT_REACH_M / float(ground.dx_m[row])))
    high = max(1, round(_CULVERT_REACH_M / float(ground.dy_m[row])))
    r1, c1 = max(0, row - high), max(0, col - wide)
    near = z[r1 : row + high + 1, c1 : col + wide + 1]
    if np.isnan(near).all():
        return np.array([[col, row]])
    r, c = np.unravel_index(np.nanargmin(near), near.shape)
    steps = max(abs(r1 + int(r) - row), abs(c1 + int(c) - col), 1)
    parts = np.linspace(0, 1, steps + 1)[:, None]
    ends = np.array([[col, row], [c1 + int(c), r1 + int(r)]])
    cells: NDArray[np.int64] = np.round(ends[0] + parts * (ends[1] - ends[0])).astype(np.int64)
    return cells


def away_from(place: Point, targets: Sequence[BaseGeometry], within_m: float = np.inf) -> NDArray[np.float64]:
    """Distance of each target in metres; infinite for an empty one, and for one whose box lies beyond `within_m`.

    Examples
    --------
    >>> away_from(Point(0, 0), [Point(3, 4), Point()]).tolist()
    [5.0, inf]
    """
    if not len(targets):
        return np.empty(0)
    shapes = np.asarray(targets, dtype=object)
    distances = np.full(len(shapes), np.inf)
    if np.isinf(within_m):
        near = np.arange(len(shapes))
    else:
        x, y = place.x, place.y
        west, south, east, north = shapely.bounds(shapes).T
        near = np.flatnonzero(
            (west - within_m <= x) & (x <= east + within_m) & (south - within_m <= y) & (y <= north + within_m)
        )
    found = shapely.distance(shapes[near], place)
    distances[near] = np.where(np.isnan(found), np.inf, found)
    return distances
