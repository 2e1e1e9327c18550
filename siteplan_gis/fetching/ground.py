"""The asked ground as a box in degrees, in a service's own coordinates, and what of it the service reaches."""

from __future__ import annotations

from typing import Final

import numpy as np
import shapely

from siteplan_gis.crs import georeference
from siteplan_gis.errors import InputError

Box = tuple[float, float, float, float]
"""West, south, east, north."""

_EDGE_POINTS: Final = 64
_DEGREE_M: Final = 111_194.0
_MILE_M: Final = 1_609.344
_LARGEST_DEGREES: Final = 4.0
WHOLE_EARTH: Final[Box] = (-180.0, -90.0, 180.0, 90.0)


def box_from_text(text: str) -> Box | None:
    """The box of "west,south,east,north" in degrees; None where the text is no four numbers.

    Raises
    ------
    InputError
        If the numbers are no box on the earth, or one far larger than a county.

    Examples
    --------
    >>> box_from_text("-88.0,43.3,-87.8,43.4"), box_from_text("saukville")
    ((-88.0, 43.3, -87.8, 43.4), None)
    """
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        return None
    if len(numbers) != 4:  # noqa: PLR2004
        return None
    west, south, east, north = numbers
    if not (WHOLE_EARTH[0] <= west < east <= WHOLE_EARTH[2] and WHOLE_EARTH[1] <= south < north <= WHOLE_EARTH[3]):
        raise InputError(
            f"{text} is no box", remedy="write west,south,east,north in degrees, such as -88.0,43.3,-87.8,43.4"
        )
    if max(east - west, north - south) > _LARGEST_DEGREES:
        raise InputError(f"{text} is larger than {_LARGEST_DEGREES:g} degrees", remedy="ask for a smaller box")
    return west, south, east, north


def widened(box: Box, miles: float) -> Box:
    """The box that reaches at least so many miles farther on each side.

    Examples
    --------
    >>> [round(number, 3) for number in widened((-88.0, 43.0, -87.9, 43.1), 1)]
    [-88.02, 42.985, -87.88, 43.115]
    """
    west, south, east, north = box
    up = miles * _MILE_M / _DEGREE_M * 1.003
    highest = min(max(abs(south), abs(north)) + up, 89.0)
    aside = up / np.cos(np.radians(highest))
    return float(west - aside), float(south - up), float(east + aside), float(north + up)


def box_in(definition: str, box: Box) -> Box:
    """The bounds in another coordinate system of a box in degrees: never less ground than asked."""
    reference = georeference(definition)
    ring = shapely.segmentize(shapely.box(*box).exterior, max(box[2] - box[0], box[3] - box[1]) / _EDGE_POINTS)
    xy = reference.xy(shapely.get_coordinates(ring))
    if not np.isfinite(xy).all():
        raise InputError(
            f"the asked ground lies outside {reference.name}", remedy="ask for ground that the service covers"
        )
    (west, south), (east, north) = xy.min(axis=0).tolist(), xy.max(axis=0).tolist()
    room = max(east - west, north - south) / 1000
    return west - room, south - room, east + room, north + room


def box_of(definition: str, extent: Box) -> Box:
    """The bounds in degrees of a box in another coordinate system; the whole earth where it cannot be told."""
    if not np.isfinite(extent).all() or extent[0] >= extent[2] or extent[1] >= extent[3]:
        return WHOLE_EARTH
    reference = georeference(definition)
    ring = shapely.segmentize(shapely.box(*extent).exterior, max(extent[2] - extent[0], extent[3] - extent[1]) / 64)
    lonlat = reference.lonlat(shapely.get_coordinates(ring))
    if not np.isfinite(lonlat).all():
        return WHOLE_EARTH
    (west, south), (east, north) = lonlat.min(axis=0).tolist(), lonlat.max(axis=0).tolist()
    return west, south, east, north


def common(one: Box, other: Box) -> Box | None:
    """The ground that two boxes share; None where there is none.

    Examples
    --------
    >>> common((0, 0, 2, 2), (1, 1, 3, 3)), common((0, 0, 1, 1), (2, 2, 3, 3))
    ((1, 1, 2, 2), None)
    """
    west, south, east, north = (
        max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3]),
    )  # fmt: skip
    return (west, south, east, north) if west < east and south < north else None
