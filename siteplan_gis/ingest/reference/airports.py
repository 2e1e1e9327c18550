"""Airports from the table that comes with the package `airportsdata`: reference points only."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import airportsdata
import numpy as np
import shapely

from siteplan_gis.frame import FARTHEST_M
from siteplan_gis.model.layers import ReferenceFeature, ReferenceLayer
from siteplan_gis.model.source import Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from siteplan_gis.frame import Frame

LABEL = "airportsdata"


@cache
def _table() -> tuple[list[Any], NDArray[np.float64]]:
    """All rows, and their places in degrees."""
    table = list(airportsdata.load("LID").values())
    return table, np.array([(row["lon"], row["lat"]) for row in table], dtype=np.float64)


def airports_near(frame: Frame, radius_m: float) -> ReferenceLayer:
    """Airports with an FAA location identifier within `radius_m` metres of the frame's origin.

    Each is a point: the airport reference point as published, not a runway or the property. Runway ends may lie 600 m
    from it.

    Raises
    ------
    ValueError
        If `radius_m` is beyond the ground on which the frame measures true.
    """
    if radius_m > FARTHEST_M:
        message = f"the frame is true to {FARTHEST_M} m only"
        raise ValueError(message)
    table, lonlat = _table()
    # Degrees first: the other side of the earth has no place in the plane.
    degrees = 2 * radius_m / 111_000
    away = np.abs((lonlat[:, 0] - frame.longitude + 180) % 360 - 180) * np.cos(np.radians(frame.latitude))
    close = np.flatnonzero((np.abs(lonlat[:, 1] - frame.latitude) < degrees) & (away < degrees))
    xy = frame.from_lonlat(lonlat[close]) if len(close) else np.empty((0, 2))
    features = tuple(
        ReferenceFeature(table[i]["lid"], table[i]["name"], "", table[i]["lid"], shapely.Point(x, y), LABEL)
        for i, (x, y) in zip(close, xy, strict=True)
        if np.hypot(x, y) <= radius_m
    )
    ground = shapely.box(-radius_m, -radius_m, radius_m, radius_m)
    released = version("airportsdata")
    source = Source("Airports with FAA location identifiers (airportsdata)", LABEL, released, "MIT", "EPSG:4326")
    return ReferenceLayer("airports", LABEL, features, ground, shapely.Point(0, 0).buffer(radius_m), True, source)
