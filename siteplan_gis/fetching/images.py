"""Elevations of ArcGIS image services, asked for cell by cell of one grid so that nothing is stretched on the way.

The service cuts a picture that is larger than it likes and shifts one whose shape does not fit: every piece that comes
is compared with the piece that was asked for.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from affine import Affine
from pyproj import CRS
from pyproj.exceptions import CRSError
from rasterio.errors import RasterioError
from rasterio.io import MemoryFile

from siteplan_gis.errors import InputError
from siteplan_gis.fetching.arcgis_layers import crs_of
from siteplan_gis.fetching.connection import PassingError, parsed, refuse_error, shown
from siteplan_gis.fetching.elevation import NODATA, Grid, Heights, piece_of, refuse_too_many, unit_of_height
from siteplan_gis.fetching.ground import box_in, box_of, common

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rasterio.windows import Window

    from siteplan_gis.fetching.connection import Answer, Connection
    from siteplan_gis.fetching.ground import Box
    from siteplan_gis.fetching.registry import SourceLayer

_EDGE: Final = 1024
_NEAR: Final = 1e-3
"""A piece may lie this part of a cell away from where it was asked."""


class ImageService:
    """One image service."""

    def __init__(self, connection: Connection, source: SourceLayer, given_units: str) -> None:
        self._connection, self._source, self._given = connection, source, given_units
        self.edge, self._wkid = _EDGE, ""

    def describe(self, box: Box) -> Heights:
        """Learn its cells and unit, and choose the grid over `box` (degrees)."""
        url, source = self._source.url, self._source
        about, _ = self._connection.json(url, {"f": "json"})
        place = shown(url)
        if about.get("bandCount", 1) != 1:
            raise InputError(f"it holds {about['bandCount']} bands: a picture, no elevations", file=place)
        extent = about.get("extent") or about.get("fullExtent") or {}
        reference = about.get("spatialReference") or extent.get("spatialReference")
        if not isinstance(reference, dict):
            raise InputError("the service does not say its coordinate system", file=place)
        crs, self._wkid = crs_of(reference, place)
        native = float(about.get("pixelSizeX") or 0)
        corner = (float(extent.get("xmin", 0)), float(extent.get("ymax", 0)))
        notes = []
        reach = box_of(crs, tuple(float(extent.get(key, math.nan)) for key in ("xmin", "ymin", "xmax", "ymax")))  # type: ignore[arg-type]
        if common(box, reach) is None:
            raise InputError("its data do not reach the asked ground", file=place, remedy="ask elsewhere")
        cell = native
        if source.image_crs:
            crs, self._wkid, corner = source.image_crs, source.image_crs.partition(":")[2], (0.0, 0.0)
            cell = source.cell_m or native
            notes.append(f"asked for in {crs} with cells of {cell:g}; the service resamples what it holds otherwise")
        if not cell > 0:
            raise InputError("the service does not say the size of its cells", file=place)
        largest = min(int(about.get("maxImageHeight") or _EDGE), int(about.get("maxImageWidth") or _EDGE))
        self.edge = min(largest, _EDGE)
        units = ""
        if source.other == "elevation":
            units = unit_of_height(_vertical_unit(reference), source.units, self._given, place)
        grid = _grid_over(crs, box_in(crs, box), cell, corner)
        refuse_too_many(grid, place)
        query = f"exportImage, {grid.columns} by {grid.rows} cells of {cell:g} in {crs}, bilinear"
        return Heights(place, query, grid, units, tuple(notes))

    def piece(self, heights: Heights, window: Window) -> NDArray[np.float32]:
        """One piece of the grid, compared with what was asked; voids as NaN."""
        west, south, east, north = heights.grid.box_of(window)
        url = f"{self._source.url}/exportImage"
        asked = {
            "f": "image", "format": "tiff", "pixelType": "F32", "bbox": f"{west!r},{south!r},{east!r},{north!r}",
            "bboxSR": self._wkid, "imageSR": self._wkid, "size": f"{window.width},{window.height}",
            "interpolation": "RSP_BilinearInterpolation", "noDataInterpretation": "esriNoDataMatchAny",
            "noData": f"{NODATA:g}", "adjustAspectRatio": "false", "compression": "LZ77",
        }  # fmt: skip
        found: list[NDArray[np.float32]] = []

        def check(answer: Answer) -> None:
            found[:] = [self._read(answer.content, window, (west, south, east, north), shown(url))]

        self._connection.ask(url, form=asked, check=check)
        return found[0]

    def _read(self, content: bytes, window: Window, box: Box, place: str) -> NDArray[np.float32]:
        if content.lstrip()[:1] == b"{":
            document = parsed(content)
            refuse_error(document, place)
            raise PassingError("a picture was asked for and JSON came")
        try:
            with MemoryFile(content) as file, file.open() as dataset:
                if dataset.driver != "GTiff":
                    raise InputError(f"a TIFF was asked for and {dataset.driver} came", file=place)
                if (dataset.width, dataset.height) != (window.width, window.height):
                    raise InputError(
                        f"{window.width} by {window.height} cells were asked and {dataset.width} by {dataset.height} came",
                        file=place, remedy="use another source: it resamples",
                    )  # fmt: skip
                shift = np.abs(np.subtract(dataset.bounds, box)).max() / abs(dataset.transform.a)
                if shift > _NEAR:
                    raise InputError(f"the picture lies {shift:.2f} cells from where it was asked", file=place,
                                     remedy="use another source: it resamples")  # fmt: skip
                return piece_of(dataset, None, place)
        except RasterioError as problem:
            raise PassingError(f"the answer is no whole picture: {problem}") from None


def _grid_over(crs: str, box: Box, cell: float, corner: tuple[float, float]) -> Grid:
    """The service's own cells (counted from `corner`) that cover `box`."""
    west, south, east, north = box
    first = math.floor((west - corner[0]) / cell)
    last = math.ceil((east - corner[0]) / cell)
    top = math.floor((corner[1] - north) / cell)
    bottom = math.ceil((corner[1] - south) / cell)
    transform = Affine(cell, 0, corner[0] + first * cell, 0, -cell, corner[1] - top * cell)
    return Grid(crs, transform, last - first, bottom - top)


def _vertical_unit(reference: dict[str, Any]) -> float | None:
    """Metres in the unit of the service's own vertical coordinate system, where it names one."""
    for number in (reference.get("latestVcsWkid"), reference.get("vcsWkid")):
        for authority in ("EPSG", "ESRI"):
            if number:
                try:
                    axis = CRS.from_authority(authority, int(number)).axis_info[0]
                except CRSError:
                    continue
                return float(axis.unit_conversion_factor)
    wkt = reference.get("wkt2") or reference.get("wkt") or ""
    try:
        crs = CRS.from_wkt(str(wkt))
    except CRSError:
        return None
    axes = [axis for axis in crs.axis_info if axis.direction in {"up", "down"}]
    return float(axes[0].unit_conversion_factor) if axes else None
