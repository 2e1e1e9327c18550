"""Windows around a site, in the site's frame and in a layer's own CRS, and the ground that a box of a CRS covers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.crs import Georeference
    from siteplan_gis.frame import Frame
    from siteplan_gis.ingest.reference.rows import Box

_RING_POINTS: Final = 256
_MARGIN_M: Final = 50.0
_HALF_TURN: Final = 180.0


def window_around(around: BaseGeometry, reach_m: float) -> BaseGeometry:
    """The rectangle, in the frame, that reaches `reach_m` metres beyond the bounds of `around`."""
    west, south, east, north = around.bounds
    return shapely.box(west - reach_m, south - reach_m, east + reach_m, north + reach_m)


def boxes_of(window: BaseGeometry, source: Georeference, frame: Frame) -> list[Box]:
    """The bounds of `window` in the CRS `source`: two boxes across 180 degrees, none where the CRS does not reach."""
    ring = shapely.segmentize(window.exterior, window.exterior.length / _RING_POINTS)
    xy = source.xy(frame.to_lonlat(shapely.get_coordinates(ring)))
    if not np.isfinite(xy).all():
        return []
    geographic = source.metres_per_unit is None
    if geographic:
        column = 0 if source.axis_order == "xy" else 1
        away = xy[:, column] - frame.longitude
        xy[:, column] = frame.longitude + away - 360 * np.round(away / 360)
    (west, south), (east, north) = xy.min(axis=0).tolist(), xy.max(axis=0).tolist()
    if geographic and east > _HALF_TURN:
        # Some files count on beyond 180 degrees, others turn to -180.
        return [(west, south, east, north), (-_HALF_TURN, south, east - 360, north)]
    if geographic and west < -_HALF_TURN:
        return [(west, south, east, north), (west + 360, south, _HALF_TURN, north)]
    return [(west, south, east, north)]


def ground_of(bounds: Box | None, source: Georeference, frame: Frame, window: BaseGeometry) -> BaseGeometry:
    """The part of `window` within `bounds`, which are in the CRS `source`; empty without bounds."""
    if bounds is None:
        return shapely.Polygon()
    extent = shapely.box(*bounds)
    # Cut in that CRS first: the extent of a national layer cannot be drawn in the site's plane.
    parts = [
        frame.project(part, source)
        for box in boxes_of(shapely.buffer(window, _MARGIN_M, join_style="mitre"), source, frame)
        for part in shapely.get_parts(shapely.intersection(extent, shapely.box(*box)))
        if isinstance(part, shapely.Polygon)
    ]
    return shapely.intersection(shapely.union_all(parts), window)
