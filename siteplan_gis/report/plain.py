"""Values as they may stand in JSON, HTML and SQLite: plain, finite, printable, the same in every run."""

from __future__ import annotations

import json
import math
from datetime import date
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from siteplan_gis.errors import UNPRINTABLE
from siteplan_gis.units import FOOT_M

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame

Plain = str | int | float | bool | None

_DIGITS: Final = 10
_COORDINATE_DECIMALS: Final = 7


def number(value: float | None, digits: int = _DIGITS) -> float | int | None:
    """A number with at most `digits` significant digits; None for what is not finite.

    Examples
    --------
    >>> number(0.1 + 0.2), number(float("nan")), number(7), number(-0.0)
    (0.3, None, 7, 0.0)
    """
    if value is None:
        return None
    if isinstance(value, (int, np.integer)):
        return int(value)
    if not math.isfinite(value):
        return None
    return float(f"{float(value):.{digits}g}") + 0.0


def text(value: object) -> str:
    r"""Text in which control characters and the like are replaced by U+FFFD; line ends and tabs stay.

    Examples
    --------
    >>> text("a\x1b[31m\tb") == "a\ufffd[31m\tb"
    True
    """
    return UNPRINTABLE.sub("\ufffd", str(value).replace("\r\n", "\n").replace("\r", "\n"))


def plain_value(value: object) -> Plain:
    """Any attribute or measured value as text, number, truth or None.

    Examples
    --------
    >>> plain_value(date(2026, 3, 1)), plain_value(float("inf")), plain_value(np.float64(1.5)), plain_value(True)
    ('2026-03-01', None, 1.5, True)
    """
    if value is None or isinstance(value, (bool, np.bool_)):
        return None if value is None else bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return number(float(value))
    return day(value) if isinstance(value, date) else text(value)


def day(value: date | None) -> str | None:
    """A date as ISO 8601, None for none (pandas' NaT is none).

    Examples
    --------
    >>> day(date(2026, 3, 1)), day(None)
    ('2026-03-01', None)
    """
    # NaT passes for a datetime, yet is not equal to itself.
    return None if value is None or value != value else value.isoformat()  # noqa: PLR0124


def feet_of(length_m: float | None) -> float | int | None:
    """Metres as feet, ready for a record."""
    return None if length_m is None else number(length_m / FOOT_M)


def geojson_place(geometry: BaseGeometry | None, frame: Frame) -> dict[str, Any] | None:
    """A geometry of the frame as GeoJSON in degrees, rounded to 7 decimals (1 cm); None for an empty one.

    None, too, where nobody knows where the frame lies.

    Longitudes run on past 180 degrees rather than jump, so that a site across the 180th meridian stays in one piece.

    Examples
    --------
    >>> from siteplan_gis.frame import Frame
    >>> geojson_place(shapely.Point(0, 0), Frame(-87.9446, 43.3814))
    {'type': 'Point', 'coordinates': [-87.9446, 43.3814]}
    """
    if geometry is None or geometry.is_empty or not frame.placed:
        return None
    flat = shapely.force_2d(geometry)
    if flat.geom_type == "LinearRing":
        flat = shapely.LineString(flat.coords)
    placed = shapely.transform(flat, lambda xy: np.round(lonlat(xy, frame), _COORDINATE_DECIMALS) + 0.0)
    drawn: dict[str, Any] = json.loads(shapely.to_geojson(placed))
    return drawn


def lonlat(xy: NDArray[np.float64], frame: Frame) -> NDArray[np.float64]:
    """Degrees, shape (n, 2), of frame coordinates; longitudes within 180 degrees of the frame's origin."""
    degrees = frame.to_lonlat(xy)
    away = degrees[:, 0] - frame.longitude
    degrees[:, 0] = frame.longitude + away - 360 * np.round(away / 360)
    return degrees
