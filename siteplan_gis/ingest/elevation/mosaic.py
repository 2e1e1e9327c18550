"""Tiles of one grid as one source of elevations, read by the window, with true ground spacing."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely
from affine import Affine
from pyproj import Geod

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.elevation.rasters import open_rasters
from siteplan_gis.ingest.elevation.tiles import apply, file_names, ground_bounds, read_stored, shifted
from siteplan_gis.ingest.elevation.vertical_units import refuse_other_measures
from siteplan_gis.ingest.elevation.voids import Look, kept_step
from siteplan_gis.measures.compiling import compiled
from siteplan_gis.model.terrain import ElevationGrid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.crs import Georeference
    from siteplan_gis.frame import Frame
    from siteplan_gis.ingest.elevation.rasters import Box
    from siteplan_gis.ingest.elevation.tiles import Tile

_ALIGNED: Final = 1e-3
"""Tiles may lie off one common grid by this share of a cell: writers round their origins."""

_SQUARE_ON_GROUND: Final = 0.02
_BASELINE_M: Final = 100.0
_CELLS_AT_ONCE: Final = 2_000_000
_SAMPLES: Final = 16
_SAMPLE_CELLS: Final = 256
_GEOD: Final = Geod(ellps="GRS80")


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A tile in the common grid, and how its numbers become elevations.

    Attributes
    ----------
    column, row
        Of the tile's first cell in the common grid.
    voids
        Numbers that mean no elevation, though the file does not declare them.
    gain, shift
        What a number is multiplied by, and what is then added, to be an elevation in the mosaic's unit.
    whole
        Elevations are whole numbers of that unit: rounded, they are exact.
    never_filled
        The file holds nothing but zeros.
    """

    tile: Tile
    column: int
    row: int
    voids: tuple[float, ...] = ()
    gain: float = 1.0
    shift: float = 0.0
    whole: bool = False
    never_filled: bool = False

    def window(self, column: int, row: int, columns: int, rows: int) -> tuple[int, int, int, int]:
        """First and last column, first and last row of the tile within a window of the common grid."""
        high, wide = self.tile.shape
        return (
            max(self.column, column), min(self.column + wide, column + columns),
            max(self.row, row), min(self.row + high, row + rows),
        )  # fmt: skip

    def read(self, dataset: Any, c0: int, r0: int, c1: int, r1: int) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """The tile's numbers as stored, in columns and rows of the common grid, and cells that were never stored."""
        pixels = read_stored(dataset, self.tile, (c0 - self.column, r0 - self.row, c1 - c0, r1 - r0))
        return pixels.raw, pixels.empty


@dataclass(frozen=True, slots=True, eq=False)
class Mosaic:
    """Tiles of one grid; where they overlap, the first that has an elevation counts.

    An elevation source for `measures.terrain.strips`: see `model.terrain.ElevationSource`.
    """

    tiles: tuple[Placed, ...]
    shape: tuple[int, int]
    block: tuple[int, int]
    transform: Affine
    georeference: Georeference
    frame: Frame
    unit_m: float = 1.0
    zero_m: float = 0.0
    """The elevation of the number 0: differences do not need it, and whole numbers stay whole without it."""

    def pixels(self, geometry: BaseGeometry) -> BaseGeometry:
        """A geometry of the frame in pixel coordinates of this grid."""

        def forward(xy: NDArray[np.float64]) -> NDArray[np.float64]:
            return apply(~self.transform, self.georeference.xy(self.frame.to_lonlat(xy)))

        return shapely.transform(geometry, forward)

    def placed(self, geometry: BaseGeometry) -> BaseGeometry:
        """A geometry in pixel coordinates brought into the frame, in metres."""

        def back(xy: NDArray[np.float64]) -> NDArray[np.float64]:
            return self.frame.from_lonlat(self.georeference.lonlat(apply(self.transform, xy)))

        return shapely.transform(geometry, back)

    def spacing_m(
        self, column: NDArray[np.float64], row: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """True ground spacing at points: a geodesic over a baseline, so that the rounding of coordinates is nothing."""
        a, b, _, d, e, _ = self.transform[:6]
        size = math.hypot(a, d), math.hypot(b, e)
        metres = self.georeference.metres_per_unit or 111_320.0
        spacing = []
        for axis in (0, 1):
            half = max(1, round(_BASELINE_M / (size[axis] * metres)))
            ends = []
            for sign in (-1, 1):
                x = column + sign * half * (axis == 0)
                y = row + sign * half * (axis == 1)
                ends.append(self.georeference.lonlat(apply(self.transform, np.column_stack((x, y)))))
            _, _, length = _GEOD.inv(ends[0][:, 0], ends[0][:, 1], ends[1][:, 0], ends[1][:, 1])
            spacing.append(np.asarray(length) / (2 * half))
        return spacing[0], spacing[1]

    def grid(self, window: Box, per_cell: tuple[int, int]) -> ElevationGrid:
        """A window in memory, in metres, so many columns and rows averaged to one cell.

        A cell with elevations on less than half of it has none. `window` begins at and is a whole number of such cells.
        """
        column, row, columns, rows = window
        across, down = per_cell
        z = np.empty((rows // down, columns // across))
        step = max(1, _CELLS_AT_ONCE // columns // down) * down
        with self.reader() as read:
            for top in range(0, rows, step):
                high = min(step, rows - top)
                part = read(column, row + top, columns, high)
                out = z[top // down : (top + high) // down]
                if across == down == 1:
                    out[:] = part
                else:
                    _average(part, out, across, down)
        if (self.unit_m, self.zero_m) != (1.0, 0.0):
            z *= self.unit_m
            z += self.zero_m
        place = self.transform @ Affine.translation(column, row) @ Affine.scale(across, down)
        middles = row + down * np.arange(0.5, z.shape[0])
        # Of each row where it passes the site: so a row has one spacing, whatever window it was read in.
        x = float(np.clip(shapely.get_coordinates(self.pixels(shapely.Point(0, 0)))[0, 0], 0, self.shape[1]))
        dx, dy = self.spacing_m(np.full(middles.size, x), middles)
        return ElevationGrid(z, place, self.georeference, self.frame, dx * across, dy * down)

    @contextmanager
    def reader(self) -> Iterator[Callable[[int, int, int, int], NDArray[Any]]]:
        """Open the tiles for one thread, each when it is needed."""
        with open_rasters() as dataset:

            def read(column: int, row: int, columns: int, rows: int) -> NDArray[Any]:
                whole: NDArray[Any] | None = None
                for placed in self.tiles:
                    c0, c1, r0, r1 = placed.window(column, row, columns, rows)
                    if c0 >= c1 or r0 >= r1:
                        continue
                    part, empty = placed.read(dataset(placed.tile.file.path), c0, r0, c1, r1)
                    part = self._elevations(placed, part, empty)
                    if whole is None and part.shape == (rows, columns):
                        whole = part
                        continue
                    if whole is None:
                        whole = np.full((rows, columns), np.nan, dtype=part.dtype)
                    inside = whole[r0 - row : r1 - row, c0 - column : c1 - column]
                    np.copyto(inside, part, where=np.isnan(inside), casting="same_kind")
                return np.full((rows, columns), np.nan) if whole is None else whole

            yield read

    def _elevations(self, placed: Placed, raw: NDArray[Any], empty: NDArray[np.bool_] | None) -> NDArray[Any]:
        """Stored numbers made elevations in `unit_m`, in place where they can be."""
        tile = placed.tile
        if empty is not None:
            raw[empty] = np.nan
        if raw.dtype == np.float32 and not placed.whole and (placed.gain, placed.shift) != (1.0, 0.0):
            raw = raw.astype(np.float64)
        if placed.never_filled:
            raw[:] = np.nan
        voids = np.array(placed.voids, dtype=raw.dtype)
        _make_elevations(
            raw.reshape(-1), voids, np.array([*ground_bounds(tile), placed.gain, placed.shift, placed.whole])
        )
        return raw


@compiled
def _make_elevations(numbers: NDArray[Any], voids: NDArray[Any], how: NDArray[np.float64]) -> None:
    low, high, gain, shift, whole = how[0], how[1], how[2], how[3], how[4] > 0.0
    if voids.size:
        for i in range(numbers.size):
            for k in range(voids.size):
                if numbers[i] == voids[k]:
                    numbers[i] = np.nan
    plain = gain == 1.0 and shift == 0.0
    for i in range(numbers.size):
        value = numbers[i]
        if not low <= value <= high:
            value = np.nan
        if whole:
            numbers[i] = np.floor(value * gain + 0.5)
        elif plain:
            numbers[i] = value
        else:
            numbers[i] = value * gain + shift


def lay_out(tiles: Sequence[Tile], frame: Frame) -> Mosaic:
    """Put tiles together.

    Raises
    ------
    InputError
        If they are not on one grid, or its rows and columns are not at right angles on the ground.
    """
    first = tiles[0]
    places = [_place(tile, first, frame) for tile in tiles]
    west, north = (min(place[axis] for place in places) for axis in (0, 1))
    placed = tuple(Placed(tile, c - west, r - north) for tile, (c, r) in zip(tiles, places, strict=True))
    columns = max(one.column + one.tile.shape[1] for one in placed)
    rows = max(one.row + one.tile.shape[0] for one in placed)
    whole = shifted(first, frame)
    x, y = apply(whole, np.array([[west, north]], dtype=np.float64))[0]
    transform = Affine(whole.a, whole.b, float(x), whole.d, whole.e, float(y))
    return Mosaic(placed, (rows, columns), first.block, transform, first.georeference, frame)


def refuse_leaning(mosaic: Mosaic, column: float, row: float) -> None:
    """Refuse a grid whose rows and columns are not at right angles on the ground, at a cell.

    Raises
    ------
    InputError
        If they are not.
    """
    corners = shapely.MultiPoint([(column, row), (column + 1, row), (column, row + 1)])
    cross = shapely.get_coordinates(mosaic.placed(corners))
    along, down = cross[1] - cross[0], cross[2] - cross[0]
    lean = abs(float(along @ down)) / float(np.linalg.norm(along) * np.linalg.norm(down))
    if not lean < _SQUARE_ON_GROUND:
        raise InputError(
            "the grid's rows and columns are not at right angles on the ground",
            file=file_names([one.tile for one in mosaic.tiles]),
            remedy="resample it to a north-up grid",
        )


def middles(mosaic: Mosaic, areas: Sequence[BaseGeometry]) -> list[Box]:
    """Windows in the middles of some of the areas, each within one block where it can be."""
    some = np.array(list(areas[:: max(1, len(areas) // _SAMPLES)]), dtype=object)
    windows = []
    for left, top, right, bottom in shapely.bounds(mosaic.pixels(some)):
        begin = []
        for middle, cells, block in zip(
            ((top + bottom) / 2, (left + right) / 2), mosaic.shape, mosaic.block, strict=True
        ):
            first = middle - _SAMPLE_CELLS / 2
            if block >= _SAMPLE_CELLS:
                edge = middle // block * block
                first = min(max(first, edge), edge + block - _SAMPLE_CELLS)
            begin.append(int(np.clip(first, 0, max(cells - _SAMPLE_CELLS, 0))))
        rows, columns = (min(_SAMPLE_CELLS, cells) for cells in mosaic.shape)
        windows.append((begin[1], begin[0], columns, rows))
    return windows


def looked_at(mosaic: Mosaic, windows: Sequence[Box]) -> tuple[Mosaic, list[Look]]:
    """Look through windows of every tile: what means no elevation there, and in what step numbers are kept.

    Raises
    ------
    InputError
        If the numbers are no elevations, or the file is damaged.
    """
    looks, treated = [], []
    with open_rasters() as dataset:
        for placed in mosaic.tiles:
            tile = placed.tile
            look = Look(*ground_bounds(tile))
            file = dataset(tile.file.path)
            for c0, r0, c1, r1 in (strip for window in windows for strip in _strips(placed, window)):
                raw, empty = placed.read(file, c0, r0, c1, r1)
                look.add(raw, empty)
            voids = tuple(look.voids())
            ends = sorted(value * tile.scale + tile.offset for value in (look.lowest, look.highest))
            refuse_other_measures(file, ends[0], ends[-1], tile.file.path.name)
            never = look.cells > 0 and look.lowest == look.highest == 0
            looks.append(look)
            treated.append(replace(placed, voids=voids, never_filled=never))
    facts = [(tile.scale, tile.offset, _metres(tile)) for tile in (one.tile for one in treated)]
    if len(set(facts)) > 1:
        tiles = tuple(
            replace(one, gain=scale * metres, shift=offset * metres)
            for one, (scale, offset, metres) in zip(treated, facts, strict=True)
        )
        return replace(mosaic, tiles=tiles), looks
    scale, offset, metres = facts[0]
    sample = np.concatenate([look.sample for look in looks]).astype(np.float64)
    step = kept_step(sample, min(one.tile.digits for one in treated), metres * abs(scale))
    tiles = tuple(replace(one, gain=1 / (step or 1.0), whole=bool(step)) for one in treated)
    return replace(mosaic, tiles=tiles, unit_m=(step or 1.0) * scale * metres, zero_m=offset * metres), looks


def _metres(tile: Tile) -> float:
    return tile.unit.metres if tile.unit is not None else 1.0


def _strips(placed: Placed, window: Box) -> Iterator[tuple[int, int, int, int]]:
    """A window's part in a tile, a few rows at a time, along the tile's blocks."""
    c0, c1, r0, r1 = placed.window(*window)
    if c0 >= c1:
        return
    high = placed.tile.block[0]
    step = max(1, _CELLS_AT_ONCE // (c1 - c0) // high) * high
    top = r0
    while top < r1:
        bottom = min((top - placed.row) // high * high + step + placed.row, r1)
        yield c0, top, c1, bottom
        top = bottom


@compiled
def _average(z: NDArray[Any], out: NDArray[np.float64], across: int, down: int) -> None:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total, count = 0.0, 0
            for r in range(i * down, i * down + down):
                for c in range(j * across, j * across + across):
                    if not np.isnan(z[r, c]):
                        total += z[r, c]
                        count += 1
            out[i, j] = total / count if 2 * count >= across * down else np.nan


def _place(tile: Tile, first: Tile, frame: Frame) -> tuple[int, int]:
    """Column and row of a tile's corner in the pixels of the first tile.

    Raises
    ------
    InputError
        If the two are not on one grid.
    """
    if tile is first:
        return 0, 0
    rows, columns = tile.shape
    corners = np.array([[0, 0], [columns, 0], [0, rows], [columns, rows]], dtype=np.float64)
    here = apply(shifted(tile, frame), corners)
    there = first.georeference.xy(tile.georeference.lonlat(here))
    if tile.georeference.crs == first.georeference.crs:
        there = here
    elif first.georeference.metres_per_unit is None:
        there[:, 0] += 360 * np.round((here[:, 0] - there[:, 0]) / 360)
    moved = apply(~shifted(first, frame), there) - corners
    corner = np.round(moved[0])
    if not np.abs(moved - corner).max() <= _ALIGNED:
        raise InputError(
            f"{tile.file.path.name} is not on one grid with {first.file.path.name} "
            f"(CRS {tile.georeference.name} and {first.georeference.name}, cells "
            f"{_cell(tile)} and {_cell(first)}, corners {np.abs(moved - corner).max():.3g} of a cell off)",
            file=file_names([first, tile]),
            remedy="give tiles of one grid, or one mosaic of them",
        )
    return int(corner[0]), int(corner[1])


def _cell(tile: Tile) -> str:
    a, b, _, d, e, _ = tile.transform[:6]
    return f"{math.hypot(a, d):.9g} x {math.hypot(b, e):.9g}"
