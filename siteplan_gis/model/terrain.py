"""Elevation around the site, in its own grid."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import shapely

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from affine import Affine
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.crs import Georeference
    from siteplan_gis.frame import Frame
    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.source import Source


class ElevationSource(Protocol):
    """Elevations of any extent that are read by the window, in rows and columns of one grid.

    Pixel coordinates are those of `ElevationGrid`. What is read counts in units of `unit_m` metres: heights stored as
    whole hundredths stay whole numbers, so that ties at a limit are exact.
    """

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def block(self) -> tuple[int, int]:
        """Rows and columns that are stored together: what reading one cell costs."""

    @property
    def unit_m(self) -> float:
        """Metres in one unit of what is read."""

    @property
    def transform(self) -> Affine:
        """From pixel coordinates to the CRS of the grid."""

    def spacing_m(
        self, column: NDArray[np.float64], row: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """True ground spacing at points of the grid: between neighbours in a row, and in a column."""

    def pixels(self, geometry: BaseGeometry) -> BaseGeometry:
        """A geometry of the frame (or an array of them) in pixel coordinates."""

    def placed(self, geometry: BaseGeometry) -> BaseGeometry:
        """A geometry in pixel coordinates (or an array of them) brought into the frame."""

    def reader(self) -> AbstractContextManager[Callable[[int, int, int, int], NDArray[np.float64]]]:
        """Open the elevations: gives a function of column, row, columns and rows. Each thread needs its own."""


class ElevationFile(ElevationSource, Protocol):
    """A source that gives any window of itself as a grid in memory."""

    def grid(self, window: tuple[int, int, int, int], per_cell: tuple[int, int]) -> ElevationGrid:
        """A window (column, row, columns, rows) with so many columns and rows averaged to one cell.

        It begins at a whole number of such cells.
        """


@dataclass(frozen=True, slots=True, eq=False)
class ElevationGrid:
    """A window of a DEM, in its own rows and columns, elevations in metres.

    Pixel coordinates are (column, row), counted from the outer corner of the first cell: the middle of the first cell
    is (0.5, 0.5). Rows run from the top of the window; a grid stored south-up is turned when it is read.

    Attributes
    ----------
    z_m
        Elevations in metres, shape (rows, columns), float64; NaN means no elevation.
    transform
        From pixel coordinates to the DEM's CRS.
    row_dx_m, row_dy_m
        True ground spacing in metres, each of shape (rows,): between neighbours in a row, and between neighbours in a
        column. (On the ellipsoid for degrees; by the scale factor for a projected CRS.)
    rim
        Columns and rows at the west, north, east and south side that runoff only looks at: the data go on there.
    """

    z_m: NDArray[np.float64]
    transform: Affine
    georeference: Georeference
    frame: Frame
    row_dx_m: NDArray[np.float64]
    row_dy_m: NDArray[np.float64]
    rim: tuple[int, int, int, int] = (0, 0, 0, 0)

    def pixels(self, geometry: BaseGeometry) -> BaseGeometry:
        """A geometry of the frame in pixel coordinates of this grid."""

        def forward(xy: NDArray[np.float64]) -> NDArray[np.float64]:
            own = self.georeference.xy(self.frame.to_lonlat(xy))
            return _apply(~self.transform, own)

        return shapely.transform(geometry, forward)

    def placed(self, geometry: BaseGeometry) -> BaseGeometry:
        """A geometry in pixel coordinates brought into the frame, in metres."""

        def back(xy: NDArray[np.float64]) -> NDArray[np.float64]:
            return self.frame.from_lonlat(self.georeference.lonlat(_apply(self.transform, xy)))

        return shapely.transform(geometry, back)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.z_m.shape[0], self.z_m.shape[1]

    @property
    def block(self) -> tuple[int, int]:
        """Whole rows."""
        return 1, self.z_m.shape[1]

    @property
    def unit_m(self) -> float:
        """One: the elevations are in metres."""
        return 1.0

    def spacing_m(
        self, column: NDArray[np.float64], row: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The spacing of the rows; the same along each of them."""
        del column
        near = np.clip(np.floor(row).astype(np.int64), 0, self.row_dx_m.size - 1)
        return self.row_dx_m[near], self.row_dy_m[near]

    @contextmanager
    def reader(self) -> Iterator[Callable[[int, int, int, int], NDArray[np.float64]]]:
        """Give parts of the window."""
        yield lambda column, row, columns, rows: np.ascontiguousarray(
            self.z_m[row : row + rows, column : column + columns]
        )

    def grid(self, window: tuple[int, int, int, int], per_cell: tuple[int, int] = (1, 1)) -> ElevationGrid:
        """A part of the window in its own cells.

        Raises
        ------
        ValueError
            If cells are to be averaged.
        """
        if per_cell != (1, 1):
            message = "a grid gives its own cells only"
            raise ValueError(message)
        column, row, columns, rows = window
        return replace(
            self,
            z_m=self.z_m[row : row + rows, column : column + columns],
            transform=self.transform @ self.transform.translation(column, row),
            row_dx_m=self.row_dx_m[row : row + rows],
            row_dy_m=self.row_dy_m[row : row + rows],
            rim=(0, 0, 0, 0),
        )

    @property
    def cell_m(self) -> float:
        """The larger side of the middle cell, in metres of ground."""
        middle = self.z_m.shape[0] // 2
        return float(max(self.row_dx_m[middle], self.row_dy_m[middle]))


@dataclass(frozen=True, slots=True, eq=False)
class Terrain:
    """The elevation model around the site.

    Attributes
    ----------
    grid
        The window that was read; None where the DEM cannot be used (`flags` and `reason` say why).
    reason
        Why there is no grid: one sentence, empty where there is one.
    coverage
        The ground with elevations inside the window, in the frame (nodata holes taken out).
    vertical_unit
        As read or given, e.g. "US survey foot", and where it was found: "band", "crs", "option", "catalogue".
    accuracy_m
        Stated vertical accuracy in metres, None where unknown.
    whole_units
        True where elevations are whole numbers of their unit, so that slopes are steps.
    """

    grid: ElevationGrid | None
    reason: str
    coverage: BaseGeometry | None
    vertical_unit: str
    vertical_unit_from: str
    sources: tuple[Source, ...]
    whole_units: bool = False
    accuracy_m: float | None = None
    invented: bool = False
    flags: tuple[Flag, ...] = ()
    source: ElevationFile | None = None
    """The whole data, read by the window: slopes are measured on it. None: on `grid`."""
    level: BaseGeometry | None = None
    """Ground around the site of one height to the last digit, as water is made in elevation models, in the frame."""


def _apply(transform: Affine, xy: NDArray[np.float64]) -> NDArray[np.float64]:
    a, b, c, d, e, f = transform[:6]
    return np.column_stack((a * xy[:, 0] + b * xy[:, 1] + c, d * xy[:, 0] + e * xy[:, 1] + f))
