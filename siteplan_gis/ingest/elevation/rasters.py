"""Raster files, opened only as what their name says, and read by the window."""

from __future__ import annotations

import threading
import warnings
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import rasterio
from rasterio.enums import ColorInterp, MaskFlags
from rasterio.errors import NotGeoreferencedWarning, RasterioError
from rasterio.windows import Window

from siteplan_gis.errors import HostileInputError, InputError
from siteplan_gis.ingest.offline import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

Box = tuple[int, int, int, int]
"""Column, row, columns, rows of a window."""

_TIFF: Final = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_DRIVERS: Final = {
    **dict.fromkeys((".tif", ".tiff", ".gtif", ".gtiff"), ("GTiff",)),
    ".img": ("HFA",),
    ".asc": ("AAIGrid", "GRASSASCIIGrid"),
    ".dem": ("USGSDEM",),
    ".hgt": ("SRTMHGT",),
    **dict.fromkeys((".dt0", ".dt1", ".dt2"), ("DTED",)),
    **dict.fromkeys((".flt", ".bil"), ("EHdr",)),
    ".adf": ("AIG",),
    ".grd": ("GSAG", "GSBG", "GS7BG"),
    ".nc": ("netCDF",),
    ".gpkg": ("GPKG",),
}
"""What a file may be, by the end of its name. A VRT is in no row: it can read any other file."""

_FIT_32_BITS: Final = frozenset({"float32", "int16", "uint16", "int8", "uint8"})
_MOST_OPEN: Final = 16
_opening: Final = threading.Lock()
_ENVIRONMENT: Final = {
    # Without it a GeoTIFF 1.0 hides the vertical half of its CRS.
    "GTIFF_REPORT_COMPD_CS": True,
    "GDAL_CACHEMAX": 32 << 20,
    # No file may make GDAL fetch another.
    **{name: value for name, value in SETTINGS.items() if name != "PROJ_NETWORK"},
}


@contextmanager
def open_raster(path: Path, drivers: Mapping[str, tuple[str, ...]] = _DRIVERS) -> Iterator[Any]:
    """Open a raster with the one driver its name calls for, by default that of an elevation grid.

    Raises
    ------
    HostileInputError
        If the content is not what the name says.
    InputError
        If there is no such file, its kind is not read here, or it is damaged.
    """
    with rasterio.Env(**_ENVIRONMENT), _dataset(path, drivers) as dataset:
        yield dataset


@contextmanager
def open_rasters() -> Iterator[Callable[[Path], Any]]:
    """Several rasters for one thread: each is opened when it is first asked for, as `open_raster` does.

    Enter this in the main thread. Only the last few rasters stay open.
    """
    opened: OrderedDict[Path, Any] = OrderedDict()

    def dataset(path: Path) -> Any:
        if path not in opened:
            if len(opened) >= _MOST_OPEN:
                opened.popitem(last=False)[1].close()
            with _opening:
                opened[path] = _dataset(path)
        opened.move_to_end(path)
        return opened[path]

    with rasterio.Env(**_ENVIRONMENT):
        try:
            yield dataset
        finally:
            for each in opened.values():
                each.close()


def _dataset(path: Path, kinds: Mapping[str, tuple[str, ...]] = _DRIVERS) -> Any:
    name = path.name or str(path)
    if not path.exists():
        raise InputError("there is no such file", file=name)
    if path.is_dir() and (path / "hdr.adf").is_file():
        path = path / "hdr.adf"
    if path.is_dir():
        raise InputError("is a folder", file=name, remedy="name each GeoTIFF in it with its own --dem")
    suffix = path.suffix.lower()
    if suffix not in kinds:
        raise InputError(
            f"{suffix or 'a name without an ending'} is not a kind of elevation grid that is read here",
            file=name,
            remedy="give a GeoTIFF",
        )
    if kinds[suffix] == ("GTiff",) and not _is_tiff(path):
        raise HostileInputError("the content is not a TIFF, though the name says so", file=name)
    for ending in (".msk", ".ovr"):
        # GDAL opens these beside any raster, with any driver, a VRT among them.
        beside = path.with_name(path.name + ending)
        if beside.exists() and not _is_tiff(beside):
            raise HostileInputError("the content is not a TIFF, as a mask or overview must be", file=beside.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        dataset = _opened(path, kinds[suffix])
    if dataset is None:
        fault = InputError if kinds[suffix] == ("GTiff",) else HostileInputError
        drivers = " or ".join(kinds[suffix])
        raise fault(f"the content cannot be read as {drivers}", file=name, remedy="send the file again")
    return dataset


def _is_tiff(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) in _TIFF


def _opened(path: Path, drivers: tuple[str, ...]) -> Any:
    """The dataset, or None. What GDAL says about a failure may quote the file's bytes, so it is not passed on."""
    for driver in drivers:
        try:
            return rasterio.open(path.resolve(), driver=driver)
        except RasterioError:
            continue
    return None


def refuse_picture(dataset: Any, name: str) -> None:
    """Refuse what holds colours or bytes instead of elevations.

    Raises
    ------
    InputError
        If the raster has several bands, a palette, complex numbers or bytes.
    """
    bands = dataset.count
    interpretations = dataset.colorinterp
    if bands == 2 and interpretations[1] is ColorInterp.alpha:  # noqa: PLR2004
        bands = 1
    if bands != 1:
        picture = ColorInterp.red in interpretations
        what = "a colour picture" if picture else f"a raster of {bands} bands"
        raise InputError(f"{what} is no elevation grid", file=name, remedy="give one band of elevations")
    if interpretations[0] is ColorInterp.palette:
        raise InputError("a picture with a palette is no elevation grid", file=name, remedy="give elevations")
    kind = np.dtype(dataset.dtypes[0])
    if kind.kind == "c" or kind.itemsize == 1:
        raise InputError(
            f"cells of type {kind.name} are a picture or whole-unit steps, no elevations",
            file=name,
            remedy="give a grid of 16-bit, 32-bit or floating-point elevations",
        )


@dataclass(frozen=True, slots=True, eq=False)
class Pixels:
    """Cells of a window as stored: `raw` is real (32 bits where they hold the numbers), NaN where none is declared.

    `empty` marks cells of blocks that the file never stored (and for which it declares no nodata value); None: none.
    """

    raw: NDArray[Any]
    empty: NDArray[np.bool_] | None


def read_window(dataset: Any, window: Box, name: str) -> Pixels:
    """Read a window of the first band, block by block where blocks are missing.

    A missing block is never decoded: a file of a few kilobytes may claim blocks of any size.

    Raises
    ------
    InputError
        If the file is damaged.
    """
    column, row, columns, rows = window
    kind = np.float32 if dataset.dtypes[0] in _FIT_32_BITS else np.float64
    missing, stored = _blocks(dataset, window)
    if not missing:
        return Pixels(_read(dataset, Window(column, row, columns, rows), kind, name), None)
    raw = np.full((rows, columns), np.nan, dtype=kind)
    empty = np.zeros((rows, columns), dtype=bool) if dataset.nodata is None else None
    for r0, r1, c0, c1 in missing if empty is not None else ():
        empty[r0:r1, c0:c1] = True  # type: ignore[index]
    for r0, r1, c0, c1 in stored:
        raw[r0:r1, c0:c1] = _read(dataset, Window(column + c0, row + r0, c1 - c0, r1 - r0), kind, name)
    return Pixels(raw, empty)


def _read(dataset: Any, place: Window, kind: type, name: str) -> NDArray[Any]:
    flags = dataset.mask_flag_enums[0]
    try:
        raw: NDArray[Any] = dataset.read(1, window=place, out_dtype=kind)
        if flags == [MaskFlags.nodata]:
            with np.errstate(over="ignore"):
                raw[raw == kind(dataset.nodata)] = np.nan
        elif flags != [MaskFlags.all_valid]:
            raw[dataset.read_masks(1, window=place) == 0] = np.nan
        if dataset.count > 1:
            # GDAL masks by an alpha band only where it holds bytes.
            raw[dataset.read(2, window=place) == 0] = np.nan
    except RasterioError:
        raise InputError("the file is damaged: its cells cannot be read", file=name, remedy="send it again") from None
    return raw


def _blocks(dataset: Any, window: Box) -> tuple[list[Box], list[Box]]:
    """Blocks of a window that a TIFF never stored, and those it did, as (r0, r1, c0, c1) within the window."""
    if dataset.driver != "GTiff":
        return [], []
    column, row, columns, rows = window
    high, wide = dataset.block_shapes[0]
    missing: list[Box] = []
    stored: list[Box] = []
    for i in range(row // high, (row + rows - 1) // high + 1):
        for j in range(column // wide, (column + columns - 1) // wide + 1):
            box = (
                max(i * high - row, 0),
                min((i + 1) * high - row, rows),
                max(j * wide - column, 0),
                min((j + 1) * wide - column, columns),
            )
            offset = dataset.get_tag_item(f"BLOCK_OFFSET_{j}_{i}", "TIFF", bidx=1)
            (stored if offset not in {None, "0"} else missing).append(box)
    return missing, stored
