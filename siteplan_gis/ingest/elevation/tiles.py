"""One elevation raster's header: where it lies, in what unit it is, and its cells in metres."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely
from affine import Affine
from pyproj import CRS
from pyproj.exceptions import CRSError as PyprojCRSError
from rasterio.errors import RasterioError

from siteplan_gis.crs import Georeference, georeference
from siteplan_gis.errors import CrsError, InputError, UnitError
from siteplan_gis.ingest.elevation.rasters import Pixels, open_raster, read_window, refuse_picture
from siteplan_gis.ingest.elevation.vertical_units import VerticalUnit, same_unit, stated_unit
from siteplan_gis.ingest.elevation.voids import HIGHEST_M, LOWEST_M
from siteplan_gis.model.flag import Flag
from siteplan_gis.units import FOOT_M, metres_per

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame
    from siteplan_gis.ingest.elevation.rasters import Box

UNKNOWN_UNIT: Final = "the unit of the elevations is not known; give --dem-units m, ft or us-ft"


@dataclass(frozen=True, slots=True)
class DemFile:
    """An elevation raster, and what is known about it besides.

    Attributes
    ----------
    units, units_from
        Vertical unit as given ("m", "ft", "us-ft") and who gave it ("option" or "catalogue"); None: as the file says.
    crs
        Used where the file has none.
    accuracy_m
        Stated vertical accuracy in metres.
    """

    path: Path
    units: str | None = None
    units_from: str = ""
    crs: str | None = None
    title: str = ""
    source: str = ""
    date: str = ""
    licence: str = ""
    accuracy_m: float | None = None
    invented: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """One file's place: `transform` belongs to the turned raster (first row on top, first column left).

    An elevation is a stored number times `scale` plus `offset`, in `unit`. `block` holds the rows and columns that are
    stored together; numbers have `digits` binary digits.
    """

    file: DemFile
    shape: tuple[int, int]
    transform: Affine
    flip_rows: bool
    flip_columns: bool
    georeference: Georeference
    unit: VerticalUnit | None
    unit_problem: str
    flags: tuple[Flag, ...]
    block: tuple[int, int] = (1, 1)
    scale: float = 1.0
    offset: float = 0.0
    digits: int = 53


def read_header(file: DemFile) -> Tile:
    """Read a file's header; refuse what is no elevation raster or lies nowhere.

    A file that has not changed is not opened again: of many sites on a county's tiles each looks at all of them.
    """
    try:
        state = file.path.stat()
    except OSError:
        raise InputError("there is no such file", file=file.path.name) from None
    return _header(file, (state.st_mtime_ns, state.st_size))


@lru_cache(maxsize=4096)
def _header(file: DemFile, _state: tuple[int, int]) -> Tile:
    name = file.path.name
    with open_raster(file.path) as dataset:
        refuse_picture(dataset, name)
        own = _own_crs(dataset, name)
        flags = []
        if own is None and file.crs is None:
            raise CrsError("the file has no coordinate system", file=name, remedy="give its CRS as EPSG:n")
        try:
            reference = georeference(own if own is not None else file.crs)
        except CrsError as error:
            raise CrsError(error.problem, file=name, remedy=error.remedy) from None
        if own is None:
            flags.append(Flag("crs_assumed", f"{name} has no CRS; {reference.name} was given", layer=name))
        flags += [Flag("crs_note", note, layer=name) for note in reference.notes]
        if dataset.transform.is_identity or dataset.transform.determinant == 0:
            raise CrsError("the raster is not georeferenced", file=name, remedy="give a georeferenced grid")
        unit, problem, unit_flags = _unit(dataset, own if own is not None else reference.crs, file)
        transform, flip_rows, flip_columns = _turned(dataset.transform, dataset.height, dataset.width)
        shape = (dataset.height, dataset.width)
        block, scale, offset = dataset.block_shapes[0], float(dataset.scales[0]), float(dataset.offsets[0])
        digits = 24 if dataset.dtypes[0] == "float32" else 53
        if not (math.isfinite(scale) and math.isfinite(offset)) or scale == 0:
            raise InputError(f"a scale of {scale} and offset of {offset} make no elevations", file=name)
    if reference.metres_per_unit is None and not -90.1 <= transform.f <= 90.1:  # noqa: PLR2004
        raise CrsError("the coordinates are no degrees, though the CRS says so", file=name, remedy="check the CRS")
    flags += unit_flags
    return Tile(
        file, shape, transform, flip_rows, flip_columns, reference, unit, problem, tuple(flags),
        block=block, scale=scale, offset=offset, digits=digits,
    )  # fmt: skip


def _own_crs(dataset: Any, name: str) -> CRS | None:
    if dataset.crs is None:
        return None
    try:
        return CRS.from_wkt(dataset.crs.to_wkt(version="WKT2_2019"))
    except (RasterioError, PyprojCRSError, ValueError):
        raise CrsError("the file's coordinate system is not understood", file=name, remedy="reproject it") from None


def _unit(dataset: Any, crs: CRS, file: DemFile) -> tuple[VerticalUnit | None, str, list[Flag]]:
    """The vertical unit, or why it is not known."""
    name = file.path.name
    own, contradiction = None, ""
    try:
        own = stated_unit(dataset, crs, name)
    except UnitError as error:
        contradiction = error.problem
    if file.units is None:
        return own, "" if own else UNKNOWN_UNIT + f" ({contradiction})" * bool(contradiction), []
    try:
        given = VerticalUnit(metres_per(file.units), file.units_from or "option")
    except UnitError as error:
        raise UnitError(error.problem, file=name, remedy=error.remedy) from None
    if contradiction:
        text = f"{contradiction}; {given.name} was given and used"
    elif own is not None and not same_unit(own.metres, given.metres):
        text = f"the file says {own.name} ({own.found_in}), but {given.name} was given ({given.found_in}) and used"
    elif own is None and given.found_in == "option":
        text = f"the file does not tell the unit of its elevations; {given.name} was given"
    else:
        return given, "", []
    return given, "", [Flag("unit_assumed", text, layer=name)]


def _turned(transform: Affine, rows: int, columns: int) -> tuple[Affine, bool, bool]:
    """The transform with rows from the top and columns from the left, and what must be turned for it."""
    upright = abs(transform.a) >= abs(transform.b)
    flip_columns = upright and transform.a < 0
    if flip_columns:
        a, b, c, d, e, f = transform[:6]
        transform = Affine(-a, b, c + columns * a, -d, e, f + columns * d)
    flip_rows = transform.determinant > 0
    if flip_rows:
        a, b, c, d, e, f = transform[:6]
        transform = Affine(a, -b, c + rows * b, d, -e, f + rows * e)
    return transform, flip_rows, flip_columns


def searched(tile: Tile, frame: Frame, around: BaseGeometry, margin_m: float) -> tuple[float, float, float, float]:
    """Pixel bounds (columns, rows) of the searched rectangle in a tile's own pixels; NaN where it lies nowhere."""
    left, bottom, right, top = around.bounds
    ring = shapely.box(left - margin_m, bottom - margin_m, right + margin_m, top + margin_m).exterior
    outline = shapely.get_coordinates(shapely.segmentize(ring, max(ring.length / 128, 1.0)))
    own = tile.georeference.xy(frame.to_lonlat(outline))
    own = own[np.isfinite(own).all(axis=1)]
    if not own.size:
        return math.nan, math.nan, math.nan, math.nan
    pixels = apply(~shifted(tile, frame), own)
    return (*pixels.min(axis=0).tolist(), *pixels.max(axis=0).tolist())


def shifted(tile: Tile, frame: Frame) -> Affine:
    """A tile's transform; longitudes counted from 0 to 360 are brought near the site's."""
    if tile.georeference.metres_per_unit is not None:
        return tile.transform
    middle = apply(tile.transform, np.array([[tile.shape[1] / 2, tile.shape[0] / 2]]))[0, 0]
    turns = round((middle - frame.longitude) / 360)
    a, b, c, d, e, f = tile.transform[:6]
    return Affine(a, b, c - 360 * turns, d, e, f)


def file_names(tiles: Sequence[Tile]) -> str:
    """The names of the tiles' files, for people."""
    return ", ".join(tile.file.path.name for tile in tiles)


def apply(transform: Affine, xy: NDArray[np.float64]) -> NDArray[np.float64]:
    """An affine transform of coordinates, shape (n, 2)."""
    a, b, c, d, e, f = transform[:6]
    return np.column_stack((a * xy[:, 0] + b * xy[:, 1] + c, d * xy[:, 0] + e * xy[:, 1] + f))


def read_stored(dataset: Any, tile: Tile, window: Box) -> Pixels:
    """The numbers of a window (in the turned raster's pixels), in the file's own unit, turned."""
    column, row, columns, rows = window
    if tile.flip_columns:
        column = tile.shape[1] - column - columns
    if tile.flip_rows:
        row = tile.shape[0] - row - rows
    pixels = read_window(dataset, (column, row, columns, rows), tile.file.path.name)
    if not (tile.flip_rows or tile.flip_columns):
        return pixels
    down, across = (slice(None, None, -1 if flip else 1) for flip in (tile.flip_rows, tile.flip_columns))
    empty = None if pixels.empty is None else pixels.empty[down, across]
    return Pixels(np.ascontiguousarray(pixels.raw[down, across]), empty)


def ground_bounds(tile: Tile) -> tuple[float, float]:
    """The least and the greatest number that can be ground, in the file's own numbers.

    Where the unit is not known, the smaller foot gives the wider bounds.
    """
    unit = tile.unit.metres if tile.unit is not None else FOOT_M
    ends = [(metres / unit - tile.offset) / tile.scale for metres in (LOWEST_M, HIGHEST_M)]
    return min(ends), max(ends)
