"""Lines and outlines without points that they do not need, however many they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

_MOST_POINTS: Final = 1000


def simplified(
    geometries: NDArray[np.object_], tolerance: float, *, preserve_topology: bool = False
) -> NDArray[np.object_]:
    """As `shapely.simplify`, which ends the process over a line of 60,000 points to and fro.

    GEOS looks for the points that are needed half by half, each within the last: a line drawn to and fro has as many
    halves as points, for which there is no room, and takes the square of their number in time. So the longest lines
    and rings are simplified in stretches of 1,000 points, to within a few times the tolerance.

    Examples
    --------
    >>> line = shapely.LineString([(x, 0.0) for x in range(2_500)])
    >>> simplified(np.array([line], dtype=object), 0.1)[0].coords[:]
    [(0.0, 0.0), (2499.0, 0.0)]
    """
    long = shapely.get_num_coordinates(geometries) > _MOST_POINTS
    found = np.empty(len(geometries), dtype=object)
    found[~long] = shapely.simplify(geometries[~long], tolerance, preserve_topology=preserve_topology)
    for place in np.flatnonzero(long):
        found[place] = _in_stretches(geometries[place], tolerance)
    return found


def _in_stretches(geometry: BaseGeometry, tolerance: float) -> BaseGeometry:
    """One geometry, whose parts may be of any kind; what becomes nothing is left out."""
    if geometry.geom_type == "Polygon":
        rings = [_thinned(shapely.get_coordinates(ring), tolerance) for ring in shapely.get_rings(geometry)]
        if len(rings[0]) < 4:  # noqa: PLR2004
            return shapely.Polygon()
        return shapely.Polygon(rings[0], [ring for ring in rings[1:] if len(ring) > 3])  # noqa: PLR2004
    if geometry.geom_type in {"LineString", "LinearRing"}:
        return shapely.LineString(_thinned(shapely.get_coordinates(geometry), tolerance))
    if "Point" in geometry.geom_type:
        return geometry
    parts = [_in_stretches(part, tolerance) for part in shapely.get_parts(geometry)]
    whole: BaseGeometry = type(geometry)([part for part in parts if not part.is_empty])
    return whole


def _thinned(xy: NDArray[np.float64], tolerance: float) -> NDArray[np.float64]:
    """A line in stretches, and again while it gets shorter, so that ends of stretches do not stay for themselves."""
    while True:
        before = len(xy)
        stretches = [shapely.LineString(xy[at : at + _MOST_POINTS]) for at in range(0, before - 1, _MOST_POINTS - 1)]
        kept = [shapely.get_coordinates(one) for one in shapely.simplify(stretches, tolerance, preserve_topology=False)]
        xy = np.concatenate([kept[0], *(one[1:] for one in kept[1:])])
        if len(xy) == before or before <= _MOST_POINTS:
            return xy
