"""Elevations around the site, from one raster or from tiles of one grid."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import rasterio.features
import shapely

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.elevation.mosaic import lay_out, looked_at, middles, refuse_leaning
from siteplan_gis.ingest.elevation.tiles import DemFile, Tile, file_names, read_header, searched
from siteplan_gis.ingest.elevation.voids import in_whole_units
from siteplan_gis.measures.runoff.ground import FINEST_CELL_M, rimmed
from siteplan_gis.measures.terrain.artefacts import has_stairs, is_level, level_ground, seams
from siteplan_gis.measures.terrain.lattice import first_cell
from siteplan_gis.model.comparison import show
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.source import Source
from siteplan_gis.model.terrain import Terrain
from siteplan_gis.units import FOOT_M, feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame
    from siteplan_gis.ingest.elevation.mosaic import Mosaic
    from siteplan_gis.ingest.elevation.rasters import Box
    from siteplan_gis.ingest.elevation.voids import Look
    from siteplan_gis.model.terrain import ElevationGrid

__all__ = ["DemFile", "open_terrain", "read_terrain"]

_MOST_CELLS: Final = 400_000_000
_MOST_IN_MEMORY: Final = 9_000_000
_MOST_AS_THEY_ARE: Final = 6_000_000
_RIM_CELLS: Final = 2
_AROUND_CELLS: Final = 16
_FOOT_BY_METRE: Final = 0.02
_TINY_HOLE_CELLS: Final = 4
_LONGEST_EDGE_M: Final = 100.0
_FAR_FROM_SQUARE: Final = 2.0


def read_terrain(
    files: Sequence[DemFile], frame: Frame, around: BaseGeometry, margin_m: float, cell_m: float | None = None
) -> Terrain:
    """Read the elevations around a site, in metres, in the raster's own grid.

    Only the window of `around` (in the frame) and `margin_m` beyond is read. Several files must be tiles of one grid;
    each is brought to metres by its own unit. The unit is the given one, else that of the band, of the compound CRS,
    of the metadata; where none tells, there is no grid and `reason` says why. With `cell_m` finer cells are averaged to
    at least that size, however large the window; without, only where there are too many.

    Raises
    ------
    InputError
        If a file is missing, damaged, no elevation raster, or not on one grid with the others.
    CrsError
        If it is not known where a file lies.
    """
    tiles = _headers(files)
    used = [tile for tile in tiles if _meets(tile, frame, around, margin_m)]
    if not used:
        return _elsewhere(files, tiles)
    flags, problem = _about_files(files, used)
    mosaic = lay_out(used, frame)
    window, per_cell, reduced = _window(mosaic, around, margin_m, cell_m)
    flags += reduced
    window, rim = rimmed(mosaic, window, per_cell)
    mosaic, looks = looked_at(mosaic, [window])
    flags += _about_tiles(mosaic, looks)
    nothing = "the elevation grid has no values around the site"
    coverage: BaseGeometry = shapely.Polygon()
    grid, void = None, 1.0
    if any(look.cells and not one.never_filled for one, look in zip(mosaic.tiles, looks, strict=True)):
        grid = replace(mosaic.grid(window, per_cell), rim=rim)
        coverage = _coverage(grid)
        void = float(np.isnan(grid.z_m).mean())
        nothing = nothing if void == 1 else ""
    empty = void > 0 and any(look.empty or one.never_filled for one, look in zip(mosaic.tiles, looks, strict=True))
    flags += _about_place(mosaic, window, coverage, void, around, empty=empty)
    whole = "" if problem or nothing else in_whole_units(_sample_m(mosaic, looks))
    if whole:
        flags.append(_whole_units(whole, used))
    level: BaseGeometry = shapely.Polygon()
    if grid is not None and not (nothing or problem):
        near = _crop(grid, around)
        if not whole:
            flags += _about_steps(mosaic, near, around)
            level = level_ground(near)
        found, problem = _about_seams(mosaic, grid, window, per_cell)
        flags += found
    reason = "; ".join(filter(None, (nothing, problem)))
    return _terrain(files, used, mosaic, reason, flags, grid=grid, coverage=coverage, whole=whole, level=level)


def open_terrain(files: Sequence[DemFile], frame: Frame, areas: Sequence[BaseGeometry]) -> Terrain:
    """Open the elevations under many areas: only samples are read, so there is a `source` but no grid.

    What means no elevation and in what unit and step heights are kept is told from the middles of some of the areas.
    Raises as `read_terrain` does.
    """
    tiles = _headers(files)
    around = shapely.box(*shapely.total_bounds(np.array(list(areas), dtype=object)))
    used = [tile for tile in tiles if _meets(tile, frame, around, 0.0)]
    if not used:
        return _elsewhere(files, tiles)
    flags, problem = _about_files(files, used)
    mosaic = lay_out(used, frame)
    windows = middles(mosaic, areas)
    refuse_leaning(mosaic, windows[0][0], windows[0][1])
    mosaic, looks = looked_at(mosaic, windows)
    flags += _about_tiles(mosaic, looks)
    whole = "" if problem else in_whole_units(_sample_m(mosaic, looks))
    if whole:
        flags.append(_whole_units(whole, used))
    return _terrain(files, used, mosaic, problem, flags, grid=None, coverage=None, whole=whole)


def _headers(files: Sequence[DemFile]) -> list[Tile]:
    if not files:
        raise InputError("no elevation file is given")
    return [read_header(file) for file in files]


def _elsewhere(files: Sequence[DemFile], tiles: Sequence[Tile]) -> Terrain:
    reason = "the elevation data lie elsewhere: the site is not on them"
    lost = Flag("dem_not_covering", reason, layer=file_names(tiles))
    sources = tuple(_source(tile) for tile in tiles)
    invented = any(file.invented for file in files)
    return Terrain(None, reason, shapely.Polygon(), "", "", sources, invented=invented, flags=(lost,))


def _about_files(files: Sequence[DemFile], used: Sequence[Tile]) -> tuple[list[Flag], str]:
    """What the headers tell; and why the unit is not known, where it is not."""
    flags = [flag for tile in used for flag in tile.flags]
    if any(file.invented for file in files):
        flags.append(Flag("invented_ground", "the elevations are invented", layer=file_names(used)))
    problem = next((tile.unit_problem for tile in used if tile.unit is None), "")
    if problem:
        flags.append(Flag("dem_vertical_unit_unknown", problem, layer=file_names(used)))
    return flags, problem


def _whole_units(unit: str, tiles: Sequence[Tile]) -> Flag:
    text = f"all elevations are whole numbers of a {unit} (integer steps): slopes between them are steps"
    return Flag("dem_whole_units", text, layer=file_names(tiles))


def _terrain(
    files: Sequence[DemFile],
    used: Sequence[Tile],
    mosaic: Mosaic,
    reason: str,
    flags: Sequence[Flag],
    *,
    grid: ElevationGrid | None,
    coverage: BaseGeometry | None,
    whole: str,
    level: BaseGeometry | None = None,
) -> Terrain:
    units = [tile.unit for tile in used if tile.unit is not None] if all(tile.unit for tile in used) else []
    return Terrain(
        None if reason else grid,
        reason,
        coverage,
        " and ".join(dict.fromkeys(unit.name for unit in units)),
        " and ".join(dict.fromkeys(unit.found_in for unit in units)),
        tuple(_source(tile) for tile in used),
        whole_units=bool(whole),
        accuracy_m=max((file.accuracy_m for file in files if file.accuracy_m is not None), default=None),
        invented=any(file.invented for file in files),
        flags=tuple(dict.fromkeys(flags)),
        source=None if reason else mosaic,
        level=level,
    )


def _window(
    mosaic: Mosaic, around: BaseGeometry, margin_m: float, cell_m: float | None
) -> tuple[Box, tuple[int, int], list[Flag]]:
    """The searched rectangle as far as there are tiles; how many columns and rows of it are averaged to one cell.

    It is for runoff, which looks at no finer cells; slopes are measured on the grid's own, read anew.

    Raises
    ------
    InputError
        If the site itself holds too many cells.
    """
    first = mosaic.tiles[0].tile
    names = file_names([one.tile for one in mosaic.tiles])
    flags, margin = [], margin_m
    window = _rectangle(mosaic, first, around, margin)
    while window[2] * window[3] > _MOST_CELLS:
        if margin <= margin_m / 64:
            raise InputError(
                f"the grid holds {window[2] * window[3] / 1e6:.0f} million cells where the site is",
                file=names,
                remedy="give a coarser elevation grid",
            )
        margin *= 0.8
        window = _rectangle(mosaic, first, around, margin)
    if margin < margin_m:
        text = f"cells are so small that only {show(margin, 0)} m around the site were read"
        flags.append(Flag("dem_window_reduced", text, layer=names))
    column, row, columns, rows = window
    per_cell, finest = (1, 1), cell_m or FINEST_CELL_M
    dx, dy = mosaic.spacing_m(np.array([column + columns / 2]), np.array([row + rows / 2]))
    most = _MOST_IN_MEMORY if columns * rows > _MOST_AS_THEY_ARE else columns * rows
    while columns * rows > most * per_cell[0] * per_cell[1] or (cell_m and finest == cell_m):
        across, down = (max(1, math.ceil(finest / float(size[0]) - 0.01)) for size in (dx, dy))
        per_cell = min(across, columns), min(down, rows)
        finest *= 1.5
    # The same cells are averaged together, whatever window they lie in and whichever tiles it has.
    (column, columns), (row, rows) = (
        _whole_cells(begin, cells, per, first)
        for begin, cells, per, first in zip(
            (column, row), (columns, rows), per_cell, first_cell(mosaic.transform), strict=True
        )
    )
    return (column, row, columns, rows), per_cell, flags


def _whole_cells(begin: int, cells: int, per: int, first: int) -> tuple[int, int]:
    """Where columns (or rows) begin and how many they are, so that they are whole groups of `per`."""
    before = (first + begin) % per
    start = begin - before if begin >= before else begin - before + per
    start = start if start + per <= begin + cells else begin
    return start, (begin + cells - start) // per * per


def _rectangle(mosaic: Mosaic, first: Tile, around: BaseGeometry, margin_m: float) -> Box:
    """The searched rectangle within the grid, with the neighbours that slopes at its rim need."""
    left, top, right, bottom = searched(first, mosaic.frame, around, margin_m)
    placed = mosaic.tiles[0]
    rows, columns = mosaic.shape
    west = max(math.floor(left) - _RIM_CELLS + placed.column, 0)
    east = min(math.ceil(right) + _RIM_CELLS + placed.column, columns)
    north = max(math.floor(top) - _RIM_CELLS + placed.row, 0)
    south = min(math.ceil(bottom) + _RIM_CELLS + placed.row, rows)
    return west, north, max(east - west, 1), max(south - north, 1)


def _about_tiles(mosaic: Mosaic, looks: Sequence[Look]) -> list[Flag]:
    """Sentinels, and units that differ."""
    flags = []
    for placed, look in zip(mosaic.tiles, looks, strict=True):
        for value, count in look.voids().items():
            text = f"{count} cells hold {value:g}, a sentinel that the file does not declare as nodata: void"
            flags.append(Flag("dem_nodata_undeclared", text, layer=placed.tile.file.path.name))
    tiles = [placed.tile for placed in mosaic.tiles]
    if len({tile.unit.name for tile in tiles if tile.unit is not None}) > 1:
        told = ", ".join(f"{tile.file.path.name} in {tile.unit.name}" for tile in tiles if tile.unit is not None)
        flags.append(Flag("dem_tiles_units_differ", f"tiles differ in their vertical unit: {told}", file_names(tiles)))
    return flags


def _sample_m(mosaic: Mosaic, looks: Sequence[Look]) -> NDArray[np.float64]:
    """Some of the elevations, in metres."""
    return np.concatenate(
        [
            (look.sample * one.tile.scale + one.tile.offset) * (one.tile.unit.metres if one.tile.unit else 1.0)
            for one, look in zip(mosaic.tiles, looks, strict=True)
        ]
    )


def _source(tile: Tile) -> Source:
    file = tile.file
    return Source(
        file.title or file.source or file.path.name,
        file=file.path.name,
        date=file.date,
        licence=file.licence,
        crs=tile.georeference.name,
    )


def _meets(tile: Tile, frame: Frame, around: BaseGeometry, margin_m: float) -> bool:
    left, top, right, bottom = searched(tile, frame, around, margin_m)
    rows, columns = tile.shape
    return right > 0 and bottom > 0 and left < columns and top < rows


def _coverage(grid: ElevationGrid) -> BaseGeometry:
    """The ground with elevations, in the frame; voids of a few cells are not cut out."""
    valid = ~np.isnan(grid.z_m)
    rows, columns = valid.shape
    if not valid.any():
        return shapely.Polygon()
    if valid.all():
        ground: BaseGeometry = shapely.box(0, 0, columns, rows)
    else:
        parts = []
        for shape, _ in rasterio.features.shapes(valid.astype(np.uint8), mask=valid):
            outer, *holes = (shapely.Polygon(ring) for ring in shape["coordinates"])
            cut = [hole.exterior for hole in holes if hole.area >= _TINY_HOLE_CELLS]
            parts.append(shapely.Polygon(outer.exterior, cut))
        ground = shapely.union_all(parts)
    return grid.placed(shapely.segmentize(ground, max(_LONGEST_EDGE_M / grid.cell_m, 1.0)))


def _about_place(
    mosaic: Mosaic, window: Box, coverage: BaseGeometry, void: float, around: BaseGeometry, *, empty: bool
) -> list[Flag]:
    """What a reviewer must know about where the grid has no values, and about its cells."""
    names = file_names([one.tile for one in mosaic.tiles])
    flags = []
    if empty or void == 1:
        text = (
            f"empty blocks: {show(100 * void, 0)} % of the cells around the site were never stored or hold only zeros"
        )
        flags.append(Flag("dem_empty_blocks", text, layer=names))
    missing = around.difference(coverage).area
    if missing > max(1e-6 * around.area, 0.01) or not (around.area or coverage.covers(around)):
        share = 100 * missing / around.area if around.area else 100.0
        text = f"{show(share, 1, 0.0)} % of the site has no elevation"
        flags.append(Flag("dem_not_covering", text, layer=names))
    column, row = window[0] + window[2] / 2, window[1] + window[3] / 2
    refuse_leaning(mosaic, column, row)
    dx, dy = (float(size[0]) for size in mosaic.spacing_m(np.array([column]), np.array([row])))
    if not 1 / _FAR_FROM_SQUARE <= dx / dy <= _FAR_FROM_SQUARE:
        text = f"cells measure {dx:.2f} m by {dy:.2f} m on the ground"
        flags.append(Flag("dem_axis_exaggerated", text, layer=names))
    return flags


def _crop(grid: ElevationGrid, around: BaseGeometry) -> ElevationGrid:
    """The part of a grid under an area, and some cells around it."""
    rows, columns = grid.shape
    left, top, right, bottom = shapely.bounds(grid.pixels(shapely.segmentize(around, _LONGEST_EDGE_M)))
    c0, c1 = max(int(left) - _AROUND_CELLS, 0), min(int(right) + _AROUND_CELLS, columns)
    r0, r1 = max(int(top) - _AROUND_CELLS, 0), min(int(bottom) + _AROUND_CELLS, rows)
    return grid.grid((c0, r0, max(c1 - c0, 0), max(r1 - r0, 0)))


def _kept_m(mosaic: Mosaic) -> float:
    """The step in metres that heights are kept in; 0 where there is none."""
    return abs(mosaic.unit_m) if mosaic.tiles[0].whole else 0.0


def _about_steps(mosaic: Mosaic, near: ElevationGrid, around: BaseGeometry) -> list[Flag]:
    """Ground of one height over much of the site, and stairs of resampling."""
    names = file_names([one.tile for one in mosaic.tiles])
    flags = []
    if (flat := _flat_share(near, around)) > 0.5:  # noqa: PLR2004
        text = f"the elevation is exactly equal over {show(100 * flat, 0)} % of the site"
        flags.append(Flag("dem_flat", text, layer=names))
    if has_stairs(near.z_m, _kept_m(mosaic)):
        text = "heights repeat in whole rows or columns (nearest-neighbour resampling): slopes between them are stairs"
        flags.append(Flag("dem_stairs", text, layer=names))
    return flags


def _about_seams(mosaic: Mosaic, grid: ElevationGrid, window: Box, per_cell: tuple[int, int]) -> tuple[list[Flag], str]:
    """Steps along the joints of tiles, or across the whole window; and why nothing can be told where units differ."""
    names = file_names([one.tile for one in mosaic.tiles])
    joints = set()
    for one in mosaic.tiles[: len(mosaic.tiles) * (len(mosaic.tiles) > 1)]:
        for axis, first, size, k in (
            ("column", one.column, one.tile.shape[1], 0),
            ("row", one.row, one.tile.shape[0], 1),
        ):
            joints |= {(axis, round((place - window[k]) / per_cell[k])) for place in (first, first + size)}
    flags = []
    for seam in seams(grid.z_m, _kept_m(mosaic), sorted(joints)):
        where = "at the joint of two tiles" if (seam.axis, seam.place) in joints else "straight through the window"
        text = f"a step of {show(feet(abs(seam.step_m)), 2)} ft runs along a {seam.axis} of cells, {where}: no ground"
        flags.append(Flag("dem_seam", text, layer=names))
        z = grid.z_m if seam.axis == "column" else grid.z_m.T
        ratio = float(np.nanmedian(z[:, seam.place]) / np.nanmedian(z[:, seam.place - 1]))
        if any(abs(ratio * unit - 1) < _FOOT_BY_METRE for unit in (FOOT_M, 1 / FOOT_M)):
            return flags, (
                "the elevations on the two sides of a joint of tiles differ as feet and metres do, though they claim "
                "one unit; give each tile's own in the catalogue"
            )
    return flags, ""


def _flat_share(grid: ElevationGrid, around: BaseGeometry) -> float:
    """The share of the site's cells that are exactly equal to all their neighbours."""
    flat = is_level(grid.z_m)
    place = grid.pixels(around)
    shapely.prepare(place)
    rows, columns = flat.shape
    x, y = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5)
    inside = shapely.contains_xy(place, x.ravel(), y.ravel()).reshape(flat.shape)
    inside[[0, -1]] = inside[:, [0, -1]] = False
    middle = flat[1:-1, 1:-1]
    return float(flat[inside].mean() if inside.any() else middle.mean() if middle.size else 0.0)
