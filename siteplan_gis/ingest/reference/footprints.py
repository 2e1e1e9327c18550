"""Geometries of reference layers in the site frame: valid, flat, and with every drawn lobe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from siteplan_gis.frame import project_many

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.crs import Georeference
    from siteplan_gis.frame import Frame


def placed(geometries: NDArray[np.object_], source: Georeference, frame: Frame) -> tuple[NDArray[np.object_], int]:
    """Geometries in the frame, of one dimension each and empty where nothing is left, and how many were repaired.

    An invalid polygon is placed ring by ring: dividing the edges of the whole would silently drop lobes of it (GEOS
    rebuilds an invalid polygon while it does so).
    """
    sound = shapely.is_valid(geometries)
    found = np.empty(len(geometries), dtype=object)
    found[sound] = project_many(geometries[sound], source, frame)
    repaired = 0
    for i in np.flatnonzero(~(sound & shapely.is_valid(found))):
        found[i] = _repaired(geometries[i], source, frame)
        repaired += not found[i].is_empty
    for i in np.flatnonzero(shapely.get_type_id(found) == shapely.GeometryType.GEOMETRYCOLLECTION):
        parts = shapely.get_parts(found[i])
        dimensions = shapely.get_dimensions(parts)
        found[i] = shapely.union_all(parts[dimensions == dimensions.max(initial=0)])
    return found, repaired


def _repaired(geometry: BaseGeometry, source: Georeference, frame: Frame) -> BaseGeometry:
    """Polygons put together from their rings, else lines of some length; a ring or line of one point is nothing.

    Nor is a geometry anything of which a part lies nowhere on the earth.
    """
    parts = shapely.get_parts(geometry)
    polygons = [part for part in parts if isinstance(part, shapely.Polygon)]
    if polygons:
        drawn = []
        for polygon in polygons:
            rings = shapely.get_rings(polygon)
            with np.errstate(over="ignore"):
                rings = project_many(rings[shapely.length(rings) > 0], source, frame)
            if not np.isfinite(shapely.get_coordinates(rings)).all():
                return shapely.Polygon()
            if len(rings):
                drawn.append(shapely.Polygon(rings[0], list(rings[1:])))
        return shapely.union_all(shapely.make_valid(drawn, method="structure", keep_collapsed=False))
    lines = np.array([part for part in parts if shapely.get_dimensions(part) == 1 and part.length > 0], dtype=object)
    lines = project_many(lines, source, frame)
    finite = np.isfinite(shapely.get_coordinates(lines)).all()
    return shapely.MultiLineString(list(lines)) if len(lines) and finite else shapely.LineString()
