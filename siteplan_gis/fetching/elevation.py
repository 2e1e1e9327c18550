"""Elevations in pieces into one tiled, cloud-optimised GeoTIFF, with the unit of height told or refused."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import rasterio
import rasterio.shutil
from rasterio.windows import Window

from siteplan_gis.errors import InputError, UnitError
from siteplan_gis.ingest.elevation.vertical_units import same_unit, unit_name
from siteplan_gis.units import FOOT_M, US_SURVEY_FOOT_M

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from affine import Affine
    from numpy.typing import NDArray

    from siteplan_gis.fetching.ground import Box

NODATA: Final = -9999.0
MOST_CELLS: Final = 250_000_000
_METRES: Final = {"m": 1.0, "ft": FOOT_M, "us-ft": US_SURVEY_FOOT_M}
_BAND_UNITS: Final = {"m": "metre", "ft": "foot", "us-ft": "US survey foot"}
_BEYOND: Final = 1e30
"""Larger numbers mark voids wherever they stand."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells that are asked for, in the coordinate system `crs`, row 0 in the north."""

    crs: str
    transform: Affine
    columns: int
    rows: int

    @property
    def cells(self) -> int:
        """How many."""
        return self.columns * self.rows

    @property
    def box(self) -> Box:
        """West, south, east, north."""
        return self.box_of(Window(0, 0, self.columns, self.rows))

    def box_of(self, window: Window) -> Box:
        """West, south, east, north of some of its cells."""
        west, north = (
            self.transform.c + window.col_off * self.transform.a,
            self.transform.f + window.row_off * self.transform.e,
        )
        return west, north + window.height * self.transform.e, west + window.width * self.transform.a, north

    def pieces(self, edge: int) -> Iterator[Window]:
        """Windows of at most `edge` cells a side that cover it."""
        for row in range(0, self.rows, edge):
            for column in range(0, self.columns, edge):
                yield Window(column, row, min(edge, self.columns - column), min(edge, self.rows - row))


@dataclass(frozen=True, slots=True)
class Heights:
    """What was learnt of a source: its grid, its unit "m", "ft" or "us-ft", and notes."""

    url: str
    query: str
    grid: Grid
    units: str
    notes: tuple[str, ...] = ()

    def key(self, edge: int) -> dict[str, Any]:
        """What must be the same for pieces of `edge` cells a side that were kept to be of use."""
        numbers = [float(number) for number in tuple(self.grid.transform)[:6]]
        return {"url": self.url, "query": self.query, "transform": numbers, "units": self.units, "edge": edge}


def refuse_too_many(grid: Grid, place: str) -> None:
    """Refuse what no site needs."""
    if grid.cells > MOST_CELLS:
        raise InputError(
            f"the box holds {grid.cells / 1e6:.0f} million cells, more than {MOST_CELLS / 1e6:.0f} million", file=place,
            remedy="ask for the box of a site and half a mile around it",
        )  # fmt: skip


def unit_of_height(stated_m: float | None, known: str, given: str, place: str) -> str:
    """The unit as the service states it in metres, as the file of sources knows it, or as the user gives it.

    Raises
    ------
    UnitError
        If nothing tells it, or two contradict each other.
    """
    by_service = None
    if stated_m is not None:
        by_service = min(_METRES, key=lambda name: abs(_METRES[name] / stated_m - 1))
        if not same_unit(_METRES[by_service], stated_m):
            raise UnitError(f"heights are in a {unit_name(stated_m)}", file=place, remedy="use another source")
    told = {"the service": by_service or "", "the file of sources": known, "--dem-units": given}
    found = {who: unit for who, unit in told.items() if unit}
    if not found:
        raise UnitError(
            "nothing tells the unit of height", file=place, remedy="ask the owner, then give --dem-units m, ft or us-ft"
        )
    (_, first), *others = found.items()
    for _, unit in others:
        if not same_unit(_METRES[first], _METRES[unit]):
            words = ", ".join(f"{who} says {unit}" for who, unit in found.items())
            raise UnitError(f"the unit of height is told in two ways: {words}", file=place, remedy="ask the owner")
    return first


class Mosaic:
    """A file of elevations that pieces are put into, one at a time."""

    def __init__(self, path: Path, heights: Heights, place: str) -> None:
        self._path, self._heights, self._place = path, heights, place
        self.cells = self.voids = 0
        self._lowest, self._highest = np.inf, -np.inf
        self._target: Any = None

    @contextmanager
    def filling(self) -> Iterator[Mosaic]:
        """While pieces are put in; at the end the file is there, or an error says why not."""
        grid, raw = self._heights.grid, self._path.with_suffix(".raw.tif")
        profile = {
            "driver": "GTiff", "width": grid.columns, "height": grid.rows, "count": 1, "dtype": "float32",
            "crs": grid.crs, "transform": grid.transform, "nodata": NODATA, "tiled": True, "blockxsize": 256,
            "blockysize": 256, "BIGTIFF": "IF_SAFER",
        }  # fmt: skip
        with rasterio.open(raw, "w", **profile) as target:
            target.units = (_BAND_UNITS.get(self._heights.units, ""),)
            self._target = target
            yield self
        self._refuse()
        rasterio.shutil.copy(raw, self._path, driver="COG", compress="DEFLATE", predictor="YES", blocksize=512)
        raw.unlink()

    def put(self, piece: NDArray[np.float32], window: Window) -> None:
        """One piece, voids as NaN."""
        self.cells += piece.size
        valid = piece[np.isfinite(piece)]
        self.voids += piece.size - valid.size
        if valid.size:
            self._lowest = min(self._lowest, float(valid.min()))
            self._highest = max(self._highest, float(valid.max()))
        self._target.write(np.where(np.isfinite(piece), piece, NODATA).astype(np.float32), 1, window=window)

    def _refuse(self) -> None:
        if self.cells != self._heights.grid.cells:
            raise InputError(
                f"{self.cells} of {self._heights.grid.cells} cells came", file=self._place, remedy="fetch again"
            )
        if self.voids == self.cells:
            raise InputError("no cell has an elevation", file=self._place, remedy="use another source")
        if self._lowest == self._highest == 0:
            raise InputError("every elevation is 0: an empty picture", file=self._place, remedy="fetch again later")


def piece_of(dataset: Any, window: Window | None, place: str) -> NDArray[np.float32]:
    """Elevations of a window of an open raster, voids as NaN.

    Raises
    ------
    InputError
        If the raster is a picture.
    RasterioError
        If it cannot be read to its end.
    """
    if dataset.count != 1:
        raise InputError(f"the raster holds {dataset.count} bands: a picture, no elevations", file=place)
    if np.dtype(dataset.dtypes[0]) == np.uint8:
        raise InputError("the values are bytes: a picture, no elevations", file=place)
    values = dataset.read(1, window=window, masked=True).astype(np.float64).filled(np.nan)
    values[~np.isfinite(values) | (np.abs(values) > _BEYOND) | (values == NODATA)] = np.nan
    piece: NDArray[np.float32] = values.astype(np.float32)
    return piece
