"""The site frame: the one plane in which everything is measured.

Lambert azimuthal equal-area on GRS 80, in metres, with its origin at the site. Areas are exact; within five miles
distances differ from the ellipsoid's by less than 1e-7 of themselves. So no result depends on the CRS of a file.
Source: Snyder, Map Projections: A Working Manual (USGS PP 1395), pp. 182-190.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
import shapely
from pyproj import Transformer

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.crs import Georeference

G = TypeVar("G", bound="BaseGeometry")

FARTHEST_M: Final = 60_000.0
"""Beyond this distance from its origin the frame is not used: distances would err by more than 1e-5."""

PLACE_DEGREES: Final = 0.05
"""Side of the net of `frame_of_place`."""
_FARTHEST_DEGREES: Final = (540.0, 90.0)

_LONGEST_EDGE_M: Final = 100.0
_MOST_EDGES: Final = 1_000_000
_METRES_PER_DEGREE: Final = 111_320.0


@dataclass(frozen=True, slots=True)
class Frame:
    """A plane around `longitude`, `latitude` (degrees, NAD83 and WGS 84 as one), coordinates in metres.

    Where it is not `placed`, the plan's own coordinates in metres stand in it: lengths and areas are true, and nobody
    knows where they lie.

    Examples
    --------
    >>> from shapely import Point
    >>> from siteplan_gis.crs import georeference
    >>> frame = Frame(-87.9446, 43.3814)
    >>> frame.project(Point(-87.9446, 43.3814), georeference("EPSG:4326"))
    <POINT (0 0)>
    """

    longitude: float
    latitude: float
    placed: bool = True

    def project(self, geometry: G, source: Georeference) -> G:
        """Bring a geometry from its file's CRS into the frame.

        Long edges are divided first, so that an edge keeps the course that its own CRS gives it.
        """
        projected: G = project_many(np.array([geometry], dtype=object), source, self)[0]
        return projected

    def unproject(self, geometry: G, target: Georeference | None = None) -> G:
        """Bring a geometry from the frame to longitude and latitude, or to the CRS of `target`."""

        def back(xy: NDArray[np.float64]) -> NDArray[np.float64]:
            lonlat = self.to_lonlat(xy)
            return lonlat if target is None else target.xy(lonlat)

        placed: G = shapely.transform(geometry, back)
        return placed

    def from_lonlat(self, lonlat: NDArray[np.float64]) -> NDArray[np.float64]:
        """Frame coordinates in metres, shape (n, 2), of degrees."""
        return np.column_stack(_laea(self).transform(lonlat[:, 0], lonlat[:, 1]))

    def to_lonlat(self, xy: NDArray[np.float64]) -> NDArray[np.float64]:
        """Degrees, shape (n, 2), of frame coordinates in metres."""
        return np.column_stack(_laea(self).transform(xy[:, 0], xy[:, 1], direction="INVERSE"))


def project_many(geometries: NDArray[np.object_], source: Georeference, frame: Frame) -> NDArray[np.object_]:
    """Bring an array of geometries from their file's CRS into the frame (see `Frame.project`)."""
    geographic = source.metres_per_unit is None
    if geographic:
        geometries = shapely.transform(
            geometries, lambda xy: _unwrapped(xy, frame.longitude, latitude_first=source.axis_order == "yx")
        )
    longest = _LONGEST_EDGE_M / (source.metres_per_unit or _METRES_PER_DEGREE)
    flat = shapely.force_2d(geometries)
    # Numbers that no place on the earth has would be divided without end; they are left to be found far away.
    with np.errstate(over="ignore", invalid="ignore"):
        dividable = shapely.length(flat) < _MOST_EDGES * longest
    divided = flat.copy()
    divided[dividable] = shapely.segmentize(flat[dividable], longest)
    projected: NDArray[np.object_] = shapely.transform(divided, lambda xy: frame.from_lonlat(source.lonlat(xy)))
    return projected


def on_the_earth(lonlat: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether positions in degrees, shape (n, 2), can be places: a longitude may have gone round once more.

    Examples
    --------
    >>> on_the_earth(np.array([[-87.9, 43.4], [272.1, 43.4], [43.4, -91.0], [np.inf, 0.0]])).tolist()
    [True, True, False, False]
    """
    return np.asarray((np.abs(lonlat) <= _FARTHEST_DEGREES).all(axis=1))


def frame_around(lonlat: NDArray[np.float64]) -> Frame:
    """The frame whose origin is the middle of the extent of some positions in degrees, shape (n, 2).

    The 180th meridian is no edge: positions on both sides of it lie together.

    Examples
    --------
    >>> frame_around(np.array([[179.5, 52.0], [-179.5, 52.0]]))
    Frame(longitude=180.0, latitude=52.0, placed=True)
    """
    lon = _unwrapped(lonlat, float(lonlat[0, 0]), latitude_first=False)[:, 0]
    middle = (float(lon.min()) + float(lon.max())) / 2
    latitude = (float(lonlat[:, 1].min()) + float(lonlat[:, 1].max())) / 2
    # Rounded, so that the same plan in another CRS gets the very same frame.
    return Frame(180 - round((180 - middle) % 360, 4), round(latitude, 4))


def frame_of_place(longitude: float, latitude: float) -> Frame:
    """The frame of a fixed net, 0.05 degrees wide, whose origin is the nearest: neighbours share it.

    Examples
    --------
    >>> frame_of_place(-87.93, 43.384)
    Frame(longitude=-87.95, latitude=43.4, placed=True)
    """
    column, row = round(longitude / PLACE_DEGREES), round(latitude / PLACE_DEGREES)
    return Frame(round(column * PLACE_DEGREES, 4), round(row * PLACE_DEGREES, 4))


def _unwrapped(xy: NDArray[np.float64], longitude: float, *, latitude_first: bool) -> NDArray[np.float64]:
    """Longitudes turned to lie within 180 degrees of `longitude`."""
    column = 1 if latitude_first else 0
    turned = xy.copy()
    away = xy[:, column] - longitude
    turned[:, column] = longitude + away - 360 * np.round(away / 360)
    return turned


@cache
def _laea(frame: Frame) -> Transformer:
    geographic = "+proj=longlat +ellps=GRS80 +no_defs +type=crs"
    plane = f"+proj=laea +lat_0={float(frame.latitude)!r} +lon_0={float(frame.longitude)!r} +ellps=GRS80 +units=m +no_defs +type=crs"
    return Transformer.from_crs(geographic, plane, always_xy=True)
