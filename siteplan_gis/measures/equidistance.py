"""Where the line runs that is equally far from the boundaries of two bodies: cells of points set along both.

All lengths in metres in the site frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

_FINEST_M: Final = 1.0
_COARSEST_M: Final = 25.0
_PER_DISTANCE: Final = 40
_SAME_M: Final = 0.01
_GRID_M: Final = 1e-4


def nearer_part(ground: BaseGeometry, to: BaseGeometry, than: BaseGeometry) -> BaseGeometry:
    """The part of `ground` (outside both) nearer to the body `to` than to the body `than`.

    Points `s` apart put the dividing line at most s^2 / (8 d) wrong at the distance d. A point as far as f from the
    other body has its part of the line at f / 2 or more, so f / 40 apart keeps the line within d / 3200.

    Examples
    --------
    >>> from shapely import box
    >>> round(nearer_part(box(0, 0, 10, 1), box(-5, 0, 0, 1), box(10, 0, 15, 1)).area, 6)
    5.0
    """
    west, south, east, north = ground.bounds
    farthest = max(float(shapely.distance(ground, to)), float(shapely.distance(ground, than)))
    reach = farthest + float(np.hypot(east - west, north - south))
    around = shapely.box(west - reach, south - reach, east + reach, north + reach)
    edges = [shapely.intersection(shapely.boundary(body), around) for body in (to, than)]
    ours, theirs = _points(edges[0], edges[1]), _points(edges[1], edges[0])
    # Where both boundaries run as one there is no nearer; the points beside it decide.
    own, other = (points[:, 0] + 1j * points[:, 1] for points in (ours, theirs))
    ours, theirs = ours[~np.isin(own, other)], theirs[~np.isin(other, own)]
    if not len(ours):
        return shapely.Polygon()
    if not len(theirs):
        return ground
    cells = shapely.voronoi_polygons(shapely.MultiPoint(np.concatenate([ours, theirs])), extend_to=ground, ordered=True)
    own = shapely.get_parts(cells)[: len(ours)]
    touching = own[shapely.STRtree(own).query(ground, predicate="intersects")]
    # Cells may be invalid by rounding; on a grid their union cannot fail.
    near = shapely.union_all(shapely.make_valid(touching), grid_size=_GRID_M)
    return shapely.intersection(ground, near)


def _points(edge: BaseGeometry, other: BaseGeometry) -> NDArray[np.float64]:
    """Points along `edge`, shape (n, 2), the denser the nearer `other` is; each once, none where both run as one."""
    starts, ends = _segments(shapely.segmentize(edge, _COARSEST_M))
    if not len(starts):
        return np.empty((0, 2))
    tree = shapely.STRtree(shapely.linestrings(np.stack(_segments(other), axis=1)))
    length = np.hypot(*(ends - starts).T)
    at_start, amid, at_end = (_distance(points, tree) for points in (starts, (starts + ends) / 2, ends))
    spacing = np.clip((amid - length / 2) / _PER_DISTANCE, _FINEST_M, _COARSEST_M)
    pieces = np.maximum(np.ceil(length / spacing), 1).astype(np.int64)
    pieces[np.maximum(np.maximum(at_start, amid), at_end) < _SAME_M] = 0
    segment = np.repeat(np.arange(len(pieces)), pieces)
    along = (np.arange(len(segment)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) / pieces[segment]
    found = np.concatenate([starts[segment] + along[:, None] * (ends - starts)[segment], ends[pieces > 0]])
    rounded: NDArray[np.float64] = np.unique(np.round(found, 3), axis=0)
    return rounded


def _segments(edge: BaseGeometry) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the straight pieces of lines start and end, each of shape (n, 2)."""
    xy, line = shapely.get_coordinates(shapely.get_parts(edge), return_index=True)
    within = line[1:] == line[:-1]
    return xy[:-1][within], xy[1:][within]


def _distance(points: NDArray[np.float64], tree: shapely.STRtree) -> NDArray[np.float64]:
    if not len(tree.geometries):
        return np.full(len(points), np.inf)
    distances: NDArray[np.float64] = tree.query_nearest(
        shapely.points(points), return_distance=True, all_matches=False
    )[1]
    return distances
