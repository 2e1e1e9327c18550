"""The lie of the land as a shaded picture that a page carries: only to look at, nothing is measured on it."""

from __future__ import annotations

import base64
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.report.plain import lonlat

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from siteplan_gis.frame import Frame
    from siteplan_gis.model.terrain import ElevationGrid

_SUN_AZIMUTH_DEG: Final = 315.0
_SUN_HEIGHT_DEG: Final = 45.0
_MOST_PIXELS: Final = 700
_EXAGGERATION: Final = 3.0


@dataclass(frozen=True, slots=True)
class ReliefPicture:
    """A picture to lay between two corners in degrees: (west, south, east, north); rows as Web Mercator spaces them."""

    href: str
    bounds: tuple[float, float, float, float]


def relief_picture(grid: ElevationGrid, frame: Frame) -> ReliefPicture | None:
    """The shaded ground of a window of elevations as a WebP inside a data link; None where it holds no elevation.

    Ground without elevation is transparent. Heights are exaggerated three times, so that gentle land shows.
    """
    if not np.isfinite(grid.z_m).any():
        return None
    rows, columns = grid.shape
    outline = grid.placed(shapely.segmentize(shapely.box(0, 0, columns, rows), max(1.0, columns / 20)))
    degrees = lonlat(shapely.get_coordinates(outline), frame)
    (west, south), (east, north) = degrees.min(axis=0), degrees.max(axis=0)
    top, bottom = _mercator(north), _mercator(south)
    wide, high = math.radians(east - west), top - bottom
    scale = min(_MOST_PIXELS, max(rows, columns)) / max(wide, high)
    across, down = max(2, round(wide * scale)), max(2, round(high * scale))
    longitudes = west + (np.arange(across) + 0.5) / across * (east - west)
    latitudes = np.degrees(2 * np.arctan(np.exp(top - (np.arange(down) + 0.5) / down * high)) - math.pi / 2)
    places = np.column_stack([axis.ravel() for axis in np.meshgrid(longitudes, latitudes)])
    own = grid.georeference.xy(places)
    a, b, c, d, e, f = (~grid.transform)[:6]
    column = np.floor(a * own[:, 0] + b * own[:, 1] + c).astype(np.int64)
    row = np.floor(d * own[:, 0] + e * own[:, 1] + f).astype(np.int64)
    inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
    light = np.full(places.shape[0], np.nan)
    light[inside] = _light(grid, row[inside], column[inside])
    return ReliefPicture(_webp(light.reshape(down, across)), (float(west), float(south), float(east), float(north)))


def _light(grid: ElevationGrid, row: NDArray[np.int64], column: NDArray[np.int64]) -> NDArray[np.float64]:
    """Light that falls on cells, 0 to 1, NaN without elevation; the sun stands in the north-west (Lambert).

    Directions are those of the grid: its rows run from north to south but for a few degrees.
    """
    rows, columns = grid.shape
    above, below = np.maximum(row - 1, 0), np.minimum(row + 1, rows - 1)
    left, right = np.maximum(column - 1, 0), np.minimum(column + 1, columns - 1)
    across = _rise(grid.z_m[row, left], grid.z_m[row, right]) / np.maximum(right - left, 1)
    down = _rise(grid.z_m[above, column], grid.z_m[below, column]) / np.maximum(below - above, 1)
    to_east = _EXAGGERATION * across / grid.row_dx_m[row]
    to_north = -_EXAGGERATION * down / grid.row_dy_m[row]
    azimuth, height = math.radians(_SUN_AZIMUTH_DEG), math.radians(_SUN_HEIGHT_DEG)
    sun = (math.sin(azimuth) * math.cos(height), math.cos(azimuth) * math.cos(height), math.sin(height))
    lit = (-to_east * sun[0] - to_north * sun[1] + sun[2]) / np.sqrt(1 + to_east**2 + to_north**2)
    shaded: NDArray[np.float64] = np.where(np.isfinite(grid.z_m[row, column]), np.clip(lit, 0, 1), np.nan)
    return shaded


def _rise(one_m: NDArray[np.float64], other_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """From one elevation to another; beside a hole the ground is drawn level."""
    return np.nan_to_num(other_m - one_m, nan=0.0, posinf=0.0, neginf=0.0)


def _mercator(latitude: float) -> float:
    return math.log(math.tan(math.pi / 4 + math.radians(latitude) / 2))


def _webp(light: NDArray[np.float64]) -> str:
    from PIL import Image, WebPImagePlugin  # noqa: F401, PLC0415 - a format not imported makes Pillow import them all

    known = np.isfinite(light)
    # Never darker than a light grey: lines and text over it keep their contrast.
    grey = np.where(known, 150 + 105 * np.nan_to_num(light), 255).astype(np.uint8)
    written = io.BytesIO()
    picture = Image.merge("LA", (Image.fromarray(grey), Image.fromarray((known * 255).astype(np.uint8))))
    picture.convert("RGBA").save(written, "WEBP", quality=45, method=4)
    return f"data:image/webp;base64,{base64.b64encode(written.getvalue()).decode()}"
