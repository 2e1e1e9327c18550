"""Elevations around the site, from one raster or from tiles of one grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import rasterio.features
import shapely

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.mosaic import read_mosaic
from siteplan_gis.ingest.tiles import DemFile, Tile, file_names, read_header, searched
from siteplan_gis.ingest.voids import in_whole_units
from siteplan_gis.model.comparison import show
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.source import Source
from siteplan_gis.model.terrain import Terrain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame
    from siteplan_gis.model.terrain import ElevationGrid

__all__ = ["DemFile", "read_terrain"]

_TINY_HOLE_CELLS: Final = 4
_LONGEST_EDGE_M: Final = 100.0
_FAR_FROM_SQUARE: Final = 2.0


def read_terrain(files: Sequence[DemFile], frame: Frame, around: BaseGeometry, margin_m: float) -> Terrain:
    """Read the elevations around a site, in metres, in the raster's own grid.

    Only the window of `around` (in the frame) and `margin_m` beyond is read. Several files must be tiles of one grid;
    each is brought to metres by its own unit. The unit is the given one, else that of the band, of the compound CRS,
    of the metadata; where none tells, there is no grid and `reason` says why.

    Raises
    ------
    InputError
        If a file is missing, damaged, no elevation raster, or not on one grid with the others.
    CrsError
        If it is not known where a file lies.
    """
    if not files:
        raise InputError("no elevation file is given")
    tiles = [read_header(file) for file in files]
    invented = any(file.invented for file in files)
    used = [tile for tile in tiles if _meets(tile, frame, around, margin_m)]
    sources = tuple(_source(tile) for tile in used or tiles)
    if not used:
        reason = "the elevation data lie elsewhere: the site is not on them"
        lost = Flag("dem_not_covering", reason, layer=file_names(tiles))
        return Terrain(None, reason, shapely.Polygon(), "", "", sources, invented=invented, flags=(lost,))
    flags = [flag for tile in used for flag in tile.flags]
    if invented:
        flags.append(Flag("invented_ground", "the elevations are invented", layer=file_names(used)))
    grid, empty, found = read_mosaic(used, frame, around, margin_m)
    flags += found
    problem = next((tile.unit_problem for tile in used if tile.unit is None), "")
    if problem:
        flags.append(Flag("dem_vertical_unit_unknown", problem, layer=file_names(used)))
    coverage = _coverage(grid)
    flags += _about_place(grid, coverage, empty, around, used)
    nothing = "the elevation grid has no values around the site" if np.isnan(grid.z_m).all() else ""
    whole = "" if problem else in_whole_units(grid.z_m)
    if whole:
        text = f"all elevations are whole numbers of a {whole} (integer steps): slopes between them are steps"
        flags.append(Flag("dem_whole_units", text, layer=file_names(used)))
    elif not nothing and (flat := _flat_share(grid, around)) > 0.5:  # noqa: PLR2004
        text = f"the elevation is exactly equal over {show(100 * flat, 0)} % of the site"
        flags.append(Flag("dem_flat", text, layer=file_names(used)))
    units = [] if problem else [tile.unit for tile in used if tile.unit is not None]
    reason = "; ".join(filter(None, (nothing, problem)))
    return Terrain(
        None if reason else grid,
        reason,
        coverage,
        " and ".join(dict.fromkeys(unit.name for unit in units)),
        " and ".join(dict.fromkeys(unit.found_in for unit in units)),
        sources,
        whole_units=bool(whole),
        accuracy_m=max((file.accuracy_m for file in files if file.accuracy_m is not None), default=None),
        invented=invented,
        flags=tuple(dict.fromkeys(flags)),
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
    grid: ElevationGrid, coverage: BaseGeometry, empty: NDArray[np.bool_], around: BaseGeometry, tiles: Sequence[Tile]
) -> list[Flag]:
    """What a reviewer must know about where the grid has no values, and about its cells."""
    names = file_names(tiles)
    flags = []
    if empty.any() or np.isnan(grid.z_m).all():
        share = 100 * float(np.isnan(grid.z_m).mean())
        text = f"empty blocks: {show(share, 0)} % of the cells around the site were never stored or hold only zeros"
        flags.append(Flag("dem_empty_blocks", text, layer=names))
    missing = around.difference(coverage).area
    if missing > max(1e-6 * around.area, 0.01) or not (around.area or coverage.covers(around)):
        share = 100 * missing / around.area if around.area else 100.0
        text = f"{show(share, 1, 0.0)} % of the site has no elevation"
        flags.append(Flag("dem_not_covering", text, layer=names))
    ratio = float(np.median(grid.row_dx_m / grid.row_dy_m))
    if not 1 / _FAR_FROM_SQUARE <= ratio <= _FAR_FROM_SQUARE:
        middle = len(grid.row_dx_m) // 2
        text = f"cells measure {grid.row_dx_m[middle]:.2f} m by {grid.row_dy_m[middle]:.2f} m on the ground"
        flags.append(Flag("dem_axis_exaggerated", text, layer=names))
    return flags


def _flat_share(grid: ElevationGrid, around: BaseGeometry) -> float:
    """The share of the site's cells that are exactly equal to all their neighbours."""
    rows, columns = grid.z_m.shape
    place = grid.pixels(around)
    left, top, right, bottom = place.bounds
    c0, c1 = max(int(left), 1), min(int(right) + 1, columns - 1)
    r0, r1 = max(int(top), 1), min(int(bottom) + 1, rows - 1)
    if c0 >= c1 or r0 >= r1:
        return 0.0
    middle = grid.z_m[r0:r1, c0:c1]
    flat = np.ones(middle.shape, dtype=bool)
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            flat &= grid.z_m[r0 + i : r1 + i, c0 + j : c1 + j] == middle
    shapely.prepare(place)
    x, y = np.meshgrid(np.arange(c0, c1) + 0.5, np.arange(r0, r1) + 0.5)
    inside = shapely.contains_xy(place, x.ravel(), y.ravel()).reshape(flat.shape)
    return float(flat[inside].mean() if inside.any() else flat.mean())
