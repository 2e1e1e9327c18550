"""Geometry as the page carries it: clipped, simplified for display, as differences of whole micro-degrees.

Only the picture is coarse: 1 m of simplification and 6 decimals (0.1 m). Every number is measured elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from siteplan_gis.report.plain import lonlat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame

SIMPLIFIED_M: Final = 1.0
_UNITS_PER_DEGREE: Final = 1_000_000

Shape = list[Any]
"""One simple part: [dimension, ring, ring ...]; a ring is [x, y, dx, dy ...], micro-degrees from the map's centre."""


def display_geometries(
    geometries: Sequence[BaseGeometry], window: tuple[float, float, float, float] | None = None
) -> NDArray[np.object_]:
    """Geometries in the frame, simplified by 1 m and clipped to `window` (metres) where one is given.

    What simplification would swallow is kept as it is.
    """
    exact = shapely.force_2d(np.array(geometries, dtype=object))
    if window is not None:
        exact = np.array([_clipped(geometry, window) for geometry in exact], dtype=object)
    coarse: NDArray[np.object_] = shapely.simplify(exact, SIMPLIFIED_M, preserve_topology=False)
    lost = shapely.is_empty(coarse)
    coarse[lost] = exact[lost]
    return coarse


def encoded(geometry: BaseGeometry, frame: Frame) -> list[Shape]:
    """The simple parts of a geometry in the coding that the page reads."""
    shapes: list[Shape] = []
    for part in shapely.get_parts(shapely.get_parts(shapely.get_parts(np.atleast_1d(geometry)))):
        if part.is_empty:
            continue
        dimension = int(shapely.get_dimensions(part))
        rings = [part.exterior, *part.interiors] if part.geom_type == "Polygon" else [part]
        shapes.append([dimension, *(_differences(shapely.get_coordinates(ring), frame) for ring in rings)])
    return shapes


def _differences(xy: NDArray[np.float64], frame: Frame) -> list[int]:
    degrees = lonlat(xy, frame) - (frame.longitude, frame.latitude)
    units = np.round(degrees * _UNITS_PER_DEGREE).astype(np.int64)
    steps = np.diff(units, axis=0, prepend=np.zeros((1, 2), dtype=np.int64))
    moved = np.any(steps != 0, axis=1)
    moved[0] = True
    flat: list[int] = steps[moved].ravel().tolist()
    return flat


def _clipped(geometry: BaseGeometry, window: tuple[float, float, float, float]) -> BaseGeometry:
    west, south, east, north = geometry.bounds if not geometry.is_empty else window
    if west >= window[0] and south >= window[1] and east <= window[2] and north <= window[3]:
        return geometry
    return geometry.intersection(shapely.box(*window))
