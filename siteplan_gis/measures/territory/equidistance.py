"""Where the line runs that is equally far from the boundaries of two bodies, and the line at a distance from one.

All lengths in metres in a plane that is true to distance there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.shapes.chaining import chained
from siteplan_gis.measures.territory.isolines import distances, zero_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    Segments = NDArray[np.float64]

TOUCH_M: Final = 0.1
"""Boundaries nearer than this run as one. There is no nearer one: what lies beside the common part decides."""

_SIMPLIFIED_M: Final = 0.03
_MARGIN_M: Final = 40.0


def segments(body: BaseGeometry) -> Segments:
    """The straight pieces x1, y1, x2, y2 of a body's boundary, or of lines, shape (n, 4)."""
    parts = shapely.get_parts(body)
    rings = shapely.get_rings(parts) if shapely.get_dimensions(body) == 2 else parts  # noqa: PLR2004
    xy, line = shapely.get_coordinates(rings, return_index=True)
    within = line[1:] == line[:-1]
    return np.ascontiguousarray(np.column_stack([xy[:-1][within], xy[1:][within]]))


def apart(ours: Segments, theirs: Segments) -> tuple[Segments, Segments]:
    """Both boundaries without what they share.

    Of two bodies that touch, all ground beyond the end of their common boundary may be equally far from both, being
    nearest to that very corner. Taking the common part away a hair beyond the corner leaves a line there: the one that
    halves the angle between the two boundaries.

    Examples
    --------
    >>> left, right = np.array([[0.0, 5, 0, 0], [0, 0, -9, 0]]), np.array([[0.0, 0, 0, 5], [9, 0, 0, 0]])
    >>> [side.tolist() for side in apart(left, right)]
    [[[-0.1, 0.0, -9.0, 0.0]], [[9.0, 0.0, 0.1, 0.0]]]
    """
    near, far = (_meeting(one, _bounds(other), 2 * TOUCH_M) for one, other in ((ours, theirs), (theirs, ours)))
    lines, others = (shapely.linestrings(each.reshape(-1, 2, 2)) for each in (ours[near], theirs[far]))
    pairs = shapely.STRtree(others).query(lines, predicate="dwithin", distance=TOUCH_M)
    if not pairs.shape[1]:
        return ours, theirs
    left = _without(ours[near], lines, others, pairs[0], pairs[1])
    right = _without(theirs[far], others, lines, pairs[1], pairs[0])
    return np.concatenate([ours[~near], left]), np.concatenate([theirs[~far], right])


def _without(
    kept: Segments,
    lines: NDArray[np.object_],
    others: NDArray[np.object_],
    mine: NDArray[np.int64],
    theirs: NDArray[np.int64],
) -> Segments:
    # A piece with both ends near one and the same other piece is near it as a whole.
    starts, ends = shapely.points(kept[mine, :2]), shapely.points(kept[mine, 2:])
    common = np.maximum(shapely.distance(starts, others[theirs]), shapely.distance(ends, others[theirs])) <= TOUCH_M
    gone = np.unique(mine[common])
    partly = np.setdiff1d(mine, gone)
    near = [shapely.union_all(shapely.buffer(others[theirs[mine == one]], TOUCH_M, quad_segs=8)) for one in partly]
    left = shapely.get_parts(shapely.difference(lines[partly], np.array(near, dtype=object)))
    left = left[~shapely.is_empty(left)]
    untouched = np.delete(kept, np.union1d(gone, partly), axis=0)
    return np.concatenate([untouched, segments(shapely.multilinestrings(left))]) if len(left) else untouched


def dividing_lines(
    ours: Segments, theirs: Segments, window: BaseGeometry, reach_m: float = np.inf, their_reach_m: float = np.inf
) -> BaseGeometry:
    """The lines within the bounds of `window` that are equally far from both boundaries (which are `apart`).

    Every point of them is equally far within 0.1 m; ground beyond either reach is left out.
    """
    if not (len(ours) and len(theirs)):
        return shapely.MultiLineString()
    bounds = np.array(window.bounds) + np.array((-1, -1, 1, 1)) * _MARGIN_M
    near, far = _within(ours, bounds, reach_m), _within(theirs, bounds, their_reach_m)
    if not (len(near) and len(far)):
        return shapely.MultiLineString()
    return _joined(zero_line(near, far, 0.0, float(reach_m), float(their_reach_m), bounds))


def reach_outline(body: BaseGeometry, reach_m: float) -> BaseGeometry:
    """The ground within `reach_m` of the body's boundary, never short or wide of it by more than 0.1 m.

    A buffer of GEOS leaves out shallow bays of its input first and may so be wide by 1 % of its distance.

    Examples
    --------
    >>> from shapely import box
    >>> round(reach_outline(box(0, 0, 1000, 1000), 500).area / (3_000_000 + np.pi * 500**2), 4)
    1.0
    """
    bounds = np.array(body.bounds) + np.array((-1, -1, 1, 1)) * (reach_m + _MARGIN_M)
    rings = _joined(zero_line(segments(body), np.empty((0, 4)), float(reach_m), reach_m + _MARGIN_M, np.inf, bounds))
    faces = shapely.get_parts(shapely.polygonize(list(shapely.get_parts(rings))))
    inside = shapely.point_on_surface(faces)
    shapely.prepare(body)
    return shapely.union_all(faces[shapely.dwithin(inside, body, reach_m)])


def _within(edges: Segments, bounds: NDArray[np.float64], reach_m: float) -> Segments:
    """The segments that may be the nearest, and near enough, to a point within `bounds`."""
    if not np.isfinite(reach_m):
        return edges
    return edges[_meeting(edges, bounds, reach_m + _MARGIN_M)]


def _bounds(edges: Segments) -> NDArray[np.float64]:
    if not len(edges):
        return np.full(4, np.nan)
    ends = edges.reshape(-1, 2)
    return np.concatenate([ends.min(axis=0), ends.max(axis=0)])


def _meeting(edges: Segments, bounds: NDArray[np.float64], margin_m: float) -> NDArray[np.bool_]:
    """Which segments come within `margin_m` of a box (west, south, east, north) by their own boxes."""
    west, south, east, north = bounds + np.array((-1, -1, 1, 1)) * margin_m
    low, high = np.minimum(edges[:, :2], edges[:, 2:]), np.maximum(edges[:, :2], edges[:, 2:])
    meets: NDArray[np.bool_] = (high[:, 0] >= west) & (low[:, 0] <= east) & (high[:, 1] >= south) & (low[:, 1] <= north)
    return meets


def _joined(pieces: Segments) -> BaseGeometry:
    if not len(pieces):
        return shapely.MultiLineString()
    points, starts = chained(pieces)
    which = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    lines = shapely.linestrings(points, indices=which)
    return shapely.multilinestrings(shapely.simplify(lines, _SIMPLIFIED_M, preserve_topology=False))


def nearer_part(ground: BaseGeometry, to: BaseGeometry, than: BaseGeometry) -> BaseGeometry:
    """The part of `ground` (outside both) nearer to the body `to` than to the body `than`.

    Where both boundaries run as one, what lies beside the common part decides; where nothing does, the ground is no
    nearer to `to`.

    Examples
    --------
    >>> from shapely import box
    >>> round(nearer_part(box(0, 0, 10, 1), box(-5, 0, 0, 1), box(10, 0, 15, 1)).area, 6)
    5.0
    """
    ours, theirs = apart(segments(to), segments(than))
    if not len(ours) or ground.is_empty:
        return shapely.Polygon()
    if not len(theirs):
        return ground
    farthest = float(np.hypot(*(np.array(ground.bounds[2:]) - ground.bounds[:2])))
    reach = farthest + max(float(shapely.distance(ground, to)), float(shapely.distance(ground, than)))
    around = shapely.box(*ground.bounds).buffer(1.0, join_style="mitre")
    lines = dividing_lines(ours, theirs, around, reach, reach)
    nearer, _ = faces_between(around, lines, lambda at: distances(at, ours) < distances(at, theirs))
    return shapely.intersection(ground, nearer)


def faces_between(
    ground: BaseGeometry, lines: BaseGeometry, is_nearer: Callable[[NDArray[np.float64]], NDArray[np.bool_]]
) -> tuple[BaseGeometry, BaseGeometry]:
    """The parts into which `lines` cut polygons: those that are nearer by a point of each, and the others."""
    cut = shapely.union_all([shapely.boundary(ground), lines])
    faces = shapely.get_parts(shapely.polygonize(list(shapely.get_parts(cut))))
    at = shapely.point_on_surface(faces)
    shapely.prepare(ground)
    within = shapely.contains(ground, at)
    faces, at = faces[within], at[within]
    nearer = is_nearer(shapely.get_coordinates(at))
    return shapely.union_all(faces[nearer]), shapely.union_all(faces[~nearer])
