"""Geometry as the page carries it: clipped, simplified for display, as differences of whole micro-degrees.

Only the picture is coarse: 1 m of simplification (more where a page would grow too large) and 6 decimals (0.1 m).
Every number is measured elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from siteplan_gis.measures.shapes.simplifying import simplified
from siteplan_gis.report.plain import lonlat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame

SIMPLIFIED_M: Final = 1.0
_UNITS_PER_DEGREE: Final = 1_000_000
_UNITS_PER_METRE: Final = 100

Shape = list[Any]
"""One simple part: [dimension, ring, ring ...]; a ring is [x, y, dx, dy ...] in drawing units from the map's centre."""


def drawing_units(frame: Frame) -> int:
    """Units to the degree; to the metre where nobody knows where the frame lies."""
    return _UNITS_PER_DEGREE if frame.placed else _UNITS_PER_METRE


def display_geometries(
    geometries: Sequence[BaseGeometry],
    window: tuple[float, float, float, float] | None = None,
    simplified_m: float = SIMPLIFIED_M,
) -> NDArray[np.object_]:
    """Geometries in the frame, simplified and clipped to `window` (metres) where one is given.

    What simplification would swallow is kept as it is.
    """
    exact: NDArray[np.object_] = shapely.force_2d(np.array(geometries, dtype=object))
    if window is not None:
        west, south, east, north = shapely.bounds(exact).T
        outside = (west < window[0]) | (south < window[1]) | (east > window[2]) | (north > window[3])
        exact[outside] = shapely.intersection(exact[outside], shapely.box(*window))
    coarse = simplified(exact, simplified_m)
    lost = shapely.is_empty(coarse)
    coarse[lost] = exact[lost]
    return coarse


def coded(geometries: NDArray[np.object_], frame: Frame) -> list[list[Shape]]:
    """For each geometry of the frame its simple parts, in the coding that the page reads."""

    def units(xy: NDArray[np.float64]) -> NDArray[np.float64]:
        if not frame.placed:
            return np.round(xy * _UNITS_PER_METRE)
        return np.round((lonlat(xy, frame) - (frame.longitude, frame.latitude)) * _UNITS_PER_DEGREE)

    return [_shapes(geometry) for geometry in shapely.transform(geometries, units)]


def _shapes(geometry: BaseGeometry) -> list[Shape]:
    shapes: list[Shape] = []
    pending = [geometry]
    while pending:
        part = pending.pop(0)
        if part.is_empty:
            continue
        if hasattr(part, "geoms"):
            pending = [*part.geoms, *pending]
            continue
        rings = [part.exterior, *part.interiors] if part.geom_type == "Polygon" else [part]
        shapes.append([int(shapely.get_dimensions(part)), *(_differences(ring) for ring in rings)])
    return shapes


def _differences(ring: BaseGeometry) -> list[int]:
    units = shapely.get_coordinates(ring).astype(np.int64)
    steps = np.diff(units, axis=0, prepend=np.zeros((1, 2), dtype=np.int64))
    moved = np.any(steps != 0, axis=1)
    moved[0] = True
    flat: list[int] = steps[moved].ravel().tolist()
    return flat
