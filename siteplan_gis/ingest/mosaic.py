"""Tiles of one grid put together around the site, with true ground spacing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from affine import Affine
from pyproj import Geod

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.tiles import apply, file_names, read_metres, searched, shifted
from siteplan_gis.model.comparison import show
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.terrain import ElevationGrid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame
    from siteplan_gis.ingest.rasters import Box
    from siteplan_gis.ingest.tiles import Tile

_MOST_CELLS: Final = 25_000_000
_RIM_CELLS: Final = 2
_ALIGNED: Final = 1e-3
"""Tiles may lie off one common grid by this share of a cell: writers round their origins."""

_SQUARE_ON_GROUND: Final = 0.02
_BASELINE_M: Final = 100.0
_GEOD: Final = Geod(ellps="GRS80")


def read_mosaic(
    tiles: Sequence[Tile], frame: Frame, around: BaseGeometry, margin_m: float
) -> tuple[ElevationGrid, NDArray[np.bool_], list[Flag]]:
    """One window of all tiles; where tiles overlap, the first that has an elevation counts."""
    flags = []
    places = [(tile, *_place(tile, tiles[0], frame)) for tile in tiles]
    window = _window(tiles[0], places, frame, around, margin_m)
    margin = margin_m
    while window[2] * window[3] > _MOST_CELLS:
        if margin <= margin_m / 64:
            raise InputError(
                f"the grid holds {window[2] * window[3] / 1e6:.0f} million cells where the site is",
                file=file_names(tiles),
                remedy="give a coarser elevation grid",
            )
        margin *= 0.8
        window = _window(tiles[0], places, frame, around, margin)
    if margin < margin_m:
        text = f"cells are so small that only {show(margin, 0)} m around the site were read"
        flags.append(Flag("dem_window_reduced", text, layer=file_names(tiles)))
    column, row, columns, rows = window
    z = np.full((rows, columns), np.nan)
    empty = np.zeros((rows, columns), dtype=bool)
    for tile, left, top in places:
        c0, c1 = max(left, column), min(left + tile.shape[1], column + columns)
        r0, r1 = max(top, row), min(top + tile.shape[0], row + rows)
        if c0 >= c1 or r0 >= r1:
            continue
        part, never_stored, found = read_metres(tile, (c0 - left, r0 - top, c1 - c0, r1 - r0))
        flags += found
        inside = slice(r0 - row, r1 - row), slice(c0 - column, c1 - column)
        np.copyto(z[inside], part, where=np.isnan(z[inside]))
        empty[inside] |= never_stored
    names = dict.fromkeys(tile.unit.name for tile in tiles if tile.unit is not None)
    if len(names) > 1:
        told = ", ".join(f"{tile.file.path.name} in {tile.unit.name}" for tile in tiles if tile.unit is not None)
        flags.append(Flag("dem_tiles_units_differ", f"tiles differ in their vertical unit: {told}", file_names(tiles)))
    whole = shifted(tiles[0], frame)
    x, y = apply(whole, np.array([[column, row]], dtype=np.float64))[0]
    return (
        _grid(z, Affine(whole.a, whole.b, float(x), whole.d, whole.e, float(y)), tiles[0], frame),
        empty & np.isnan(z),
        flags,
    )


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


def _window(
    first: Tile, places: Sequence[tuple[Tile, int, int]], frame: Frame, around: BaseGeometry, margin_m: float
) -> Box:
    """The searched rectangle as far as there are tiles, with the neighbours that slopes at its rim need."""
    left, top, right, bottom = searched(first, frame, around, margin_m)
    west = max(math.floor(left) - _RIM_CELLS, min(column for _, column, _ in places))
    east = min(math.ceil(right) + _RIM_CELLS, max(column + tile.shape[1] for tile, column, _ in places))
    north = max(math.floor(top) - _RIM_CELLS, min(row for _, _, row in places))
    south = min(math.ceil(bottom) + _RIM_CELLS, max(row + tile.shape[0] for tile, _, row in places))
    return west, north, max(east - west, 1), max(south - north, 1)


def _grid(z: NDArray[np.float64], transform: Affine, tile: Tile, frame: Frame) -> ElevationGrid:
    """The grid with the true ground spacing of each row.

    Spacing is a geodesic over a baseline of some cells around the middle column, so that the rounding of an inverse
    projection does not matter; along a row it changes by far less than 1e-4 within a window.
    """
    rows, columns = z.shape
    reference = tile.georeference
    middle_x, middle_y = columns / 2, np.arange(rows) + 0.5
    a, b, _, d, e, _ = transform[:6]
    size = math.hypot(a, d), math.hypot(b, e)
    metres = reference.metres_per_unit or 111_320.0
    spacing = []
    for axis in (0, 1):
        half = max(1, round(_BASELINE_M / (size[axis] * metres)))
        ends = []
        for sign in (-1, 1):
            x = np.full(rows, middle_x + sign * half * (axis == 0))
            y = middle_y + sign * half * (axis == 1)
            ends.append(reference.lonlat(apply(transform, np.column_stack((x, y)))))
        _, _, length = _GEOD.inv(ends[0][:, 0], ends[0][:, 1], ends[1][:, 0], ends[1][:, 1])
        spacing.append(np.asarray(length) / (2 * half))
    grid = ElevationGrid(z, transform, reference, frame, *spacing)
    cross = shapely.get_coordinates(grid.placed(shapely.MultiPoint([(0, 0), (1, 0), (0, 1)])))
    along, down = cross[1] - cross[0], cross[2] - cross[0]
    lean = abs(float(along @ down)) / float(np.linalg.norm(along) * np.linalg.norm(down))
    if not lean < _SQUARE_ON_GROUND:
        raise InputError(
            "the grid's rows and columns are not at right angles on the ground",
            file=tile.file.path.name,
            remedy="resample it to a north-up grid",
        )
    return grid
