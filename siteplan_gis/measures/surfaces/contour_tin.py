"""A surface of triangles from contour lines, without the terraces that such surfaces are known for.

Where a contour bends around a spur or a valley, or two contours of one level face each other, a triangulation joins
points of one level: flat triangles that are no flat ground. They are undone by the method of skeletons: the middles
of their inner edges follow the ridge or the valley between the two arms of the line; heights along it run evenly from
the tip, where the line turns, to the next contour, and the triangles are divided there (after Thibault and Gold 2000,
Terrain reconstruction from contours by skeleton construction, GeoInformatica 4(4), 349-373). Flat ground that no
other level faces (inside the highest or lowest ring, at the edge of the drawing) has no slope that anybody could tell:
it is returned apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.shapes.simplifying import simplified
from siteplan_gis.measures.surfaces.skeletons import Skeleton, edges_of, keys_of
from siteplan_gis.model.surface import Tin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    Pairs = NDArray[np.int64]

_SPACING_M: Final = 1.5
_MOST_POINTS: Final = 80_000
_ROUNDS: Final = 4
_SAME_POINT_M: Final = 1e-4
_LONGEST_EDGE_M: Final = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class ContourTin:
    """A surface of contour lines.

    Attributes
    ----------
    tin
        Its triangles, those of flat ground that cannot be told left out.
    untold
        Ground between lines of one level whose slope cannot be told.
    flat_m2
        Area of the flat triangles that a plain triangulation has.
    """

    tin: Tin
    untold: BaseGeometry
    flat_m2: float


def surface_of_contours(lines: Sequence[BaseGeometry], levels_m: Sequence[float]) -> ContourTin | None:
    """The surface that contour lines describe; None where they have fewer than two levels.

    Parameters
    ----------
    lines
        In the site frame, in metres.
    levels_m
        The level of each line in metres.

    Raises
    ------
    ValueError
        If the sequences are not of one length.
    """
    if len(lines) != len(levels_m):
        message = "lines and levels must be of one length"
        raise ValueError(message)
    if len(set(levels_m)) < 2:  # noqa: PLR2004
        return None
    xy, z, segments = _vertices(lines, levels_m)
    triangles = np.empty((0, 3), dtype=np.int64)
    for _ in range(_ROUNDS):
        triangles = _delaunay(xy)
        missing = _absent(segments, triangles)
        if not len(missing) or len(xy) > _MOST_POINTS:
            break
        xy, z, segments = _divided(xy, z, segments, missing)
    triangles = _within_lines(xy, triangles, segments)
    if not len(triangles):
        return None
    return _without_terraces(xy, z, triangles, segments)


def _vertices(
    lines: Sequence[BaseGeometry], levels: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64], Pairs]:
    """Points on the lines not farther apart than the spacing, their levels, and the pairs that follow each other."""
    spacing = max(_SPACING_M, float(shapely.length(list(lines)).sum()) / (_MOST_POINTS / 2))
    parts, owner = shapely.get_parts(
        [line.boundary if "Polygon" in line.geom_type else line for line in lines], return_index=True
    )
    courses = shapely.segmentize(_thinned(parts), spacing)
    xy, part = shapely.get_coordinates(courses, return_index=True)
    # Points of a straight line that leave it by the last digit of a float would make slivers along it.
    xy = np.round(xy / _SAME_POINT_M) * _SAME_POINT_M
    z = np.asarray(levels, dtype=np.float64)[owner[part]]
    following = np.nonzero(part[1:] == part[:-1])[0]
    segments = np.column_stack((following, following + 1))
    _, first, same = np.unique(xy, axis=0, return_index=True, return_inverse=True)
    segments = np.sort(same.ravel()[segments], axis=1)
    return xy[first], z[first], np.unique(segments[segments[:, 0] != segments[:, 1]], axis=0)


def _thinned(parts: NDArray[np.object_]) -> NDArray[np.object_]:
    """The lines without vertices that they do not need, so that it says nothing how densely they were digitized.

    Where that leaves more points than a surface is made of, they are thinned further, up to the spacing of points.
    """
    tolerance = _SAME_POINT_M
    thinned = simplified(parts, tolerance)
    while shapely.get_num_coordinates(thinned).sum() > _MOST_POINTS and tolerance < _SPACING_M:
        tolerance *= 4
        thinned = simplified(parts, tolerance)
    return thinned


def _delaunay(xy: NDArray[np.float64]) -> NDArray[np.int64]:
    corners = shapely.get_coordinates(shapely.delaunay_triangles(shapely.multipoints(xy))).reshape(-1, 4, 2)[:, :3]
    key = xy[:, 0] + 1j * xy[:, 1]
    order = np.argsort(key)
    found: NDArray[np.int64] = order[np.searchsorted(key[order], corners[..., 0] + 1j * corners[..., 1])]
    (ux, uy), (vx, vy) = (xy[found[:, 1]] - xy[found[:, 0]]).T, (xy[found[:, 2]] - xy[found[:, 0]]).T
    proper: NDArray[np.int64] = found[ux * vy - uy * vx != 0]
    return proper


def _absent(segments: Pairs, triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.nonzero(~np.isin(keys_of(segments), keys_of(edges_of(triangles)).ravel()))[0]


def _divided(
    xy: NDArray[np.float64], z: NDArray[np.float64], segments: Pairs, missing: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], Pairs]:
    """Segments that the triangulation crosses, divided in their middles."""
    a, b = segments[missing].T
    new = len(xy) + np.arange(len(missing))
    halves = np.vstack((np.column_stack((a, new)), np.column_stack((b, new))))
    kept = np.delete(segments, missing, axis=0)
    return np.vstack((xy, (xy[a] + xy[b]) / 2)), np.append(z, z[a]), np.vstack((kept, halves))


def _within_lines(xy: NDArray[np.float64], triangles: NDArray[np.int64], segments: Pairs) -> NDArray[np.int64]:
    """The triangles without those that only span a bay of the drawing's outer edge.

    An outer edge longer than 60 m (200 ft) that no contour runs along joins lines that have nothing to do with each
    other; its triangle goes, and what it laid open is looked at again.
    """
    edges = edges_of(triangles)
    keys, first, where, counts = np.unique(
        keys_of(edges).ravel(), return_index=True, return_inverse=True, return_counts=True
    )
    one, other = edges.reshape(-1, 2)[first].T
    removable = (np.hypot(*(xy[one] - xy[other]).T) > _LONGEST_EDGE_M) & ~np.isin(keys, keys_of(segments))
    of_triangle = where.reshape(-1, 3)
    kept = np.ones(len(triangles), dtype=np.bool_)
    waiting = np.nonzero(removable[of_triangle].any(axis=1))[0]
    while True:
        loose = (removable[of_triangle[waiting]] & (counts[of_triangle[waiting]] == 1)).any(axis=1)
        if not loose.any():
            break
        kept[waiting[loose]] = False
        counts -= np.bincount(of_triangle[waiting[loose]].ravel(), minlength=len(counts))
        waiting = waiting[~loose]
    return triangles[kept]


def _without_terraces(
    xy: NDArray[np.float64], z: NDArray[np.float64], triangles: NDArray[np.int64], segments: Pairs
) -> ContourTin:
    levels = z[triangles]
    flat = (levels[:, 0] == levels[:, 1]) & (levels[:, 1] == levels[:, 2])
    polygons = shapely.polygons(xy[triangles[flat][:, [0, 1, 2, 0]]]) if flat.any() else np.empty(0, dtype=object)
    skeleton = Skeleton(xy, z, triangles, flat, segments)
    chords, heights, told = skeleton.heights()
    number = {int(key): len(xy) + place for place, key in enumerate(chords)}
    divided = np.isin(keys_of(edges_of(triangles)), chords).any(axis=1)
    pieces: list[list[int]] = triangles[~divided & (told | ~flat)].tolist()
    for corners in triangles[divided].tolist():
        pieces += _split(corners, number)
    middles = np.column_stack((chords >> 32, chords & 0xFFFFFFFF))
    points = np.vstack((xy, xy[middles].mean(axis=1))) if len(chords) else xy
    all_z = np.append(z, heights)
    found = np.array(pieces, dtype=np.int64).reshape(-1, 3)
    (ux, uy), (vx, vy) = (points[found[:, 1]] - points[found[:, 0]]).T, (points[found[:, 2]] - points[found[:, 0]]).T
    found = found[ux * vy - uy * vx != 0]
    return ContourTin(
        Tin(points, all_z, found),
        shapely.union_all(polygons[~told[flat]]),
        float(shapely.area(polygons).sum()),
    )


def _split(corners: list[int], number: dict[int, int]) -> list[list[int]]:
    """A triangle divided at the middles of its edges that have one."""
    a, b, c = corners
    ab, bc, ca = (number.get((min(p, q) << 32) + max(p, q)) for p, q in ((a, b), (b, c), (c, a)))
    count = sum(middle is not None for middle in (ab, bc, ca))
    if count == 0:
        return [corners]
    # Turned so that the first edge has a middle and, where only one has none, the last edge is that one.
    while ab is None or (count == 2 and ca is not None):  # noqa: PLR2004
        (a, b, c), (ab, bc, ca) = (b, c, a), (bc, ca, ab)
    if bc is None:
        return [[a, ab, c], [ab, b, c]]
    if ca is None:
        return [[ab, b, bc], [a, ab, bc], [a, bc, c]]
    return [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
