"""Elevation around the site, in its own grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely

if TYPE_CHECKING:
    from affine import Affine
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.crs import Georeference
    from siteplan_gis.frame import Frame
    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.source import Source


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
    """

    z_m: NDArray[np.float64]
    transform: Affine
    georeference: Georeference
    frame: Frame
    row_dx_m: NDArray[np.float64]
    row_dy_m: NDArray[np.float64]

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


def _apply(transform: Affine, xy: NDArray[np.float64]) -> NDArray[np.float64]:
    a, b, c, d, e, f = transform[:6]
    return np.column_stack((a * xy[:, 0] + b * xy[:, 1] + c, d * xy[:, 0] + e * xy[:, 1] + f))
