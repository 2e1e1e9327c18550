"""How far features lie from a target, and whether a plan draws them. All lengths in metres in the site frame.

Decided by distances between the geometries themselves, never by a buffer polygon: one of 8 segments a quarter falls
7.75 m short of a mile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from siteplan_gis.model.comparison import RELATIVE_EPSILON
from siteplan_gis.model.measurement import NearbyFeature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.layers import ReferenceFeature

LEAST_SHARE: Final = 0.8
"""A feature is shown when the plan draws at least this share of it."""

_QUAD_SEGS: Final = 32
_END_M: Final = 0.005


class Shown(NamedTuple):
    """Whether a plan draws a feature, and what share of it."""

    shown: bool
    share: float


def nearby(target: BaseGeometry, features: Sequence[ReferenceFeature], within_m: float) -> tuple[NearbyFeature, ...]:
    """Features within `within_m` of `target` (exactly at it counts), nearest first, then by name and id.

    Examples
    --------
    >>> from shapely import Point
    >>> from siteplan_gis.model.layers import ReferenceFeature
    >>> ponds = [ReferenceFeature(str(x), "", "pond", "", Point(x, 0), "waters") for x in (300, 100, 101)]
    >>> [feature.distance_m for feature in nearby(Point(0, 0), ponds, 101.0)]
    [100.0, 101.0]
    """
    if not features or target.is_empty:
        return ()
    reach = within_m * (1 + RELATIVE_EPSILON)
    shapes = np.array([feature.geometry for feature in features], dtype=object)
    chosen = shapely.STRtree(shapes).query(target, predicate="dwithin", distance=reach)
    shapely.prepare(target)
    distances = shapely.distance(shapes[chosen], target)
    return _sorted([_at(features[i], float(distance)) for i, distance in zip(chosen, distances, strict=True)])


def nearest(target: BaseGeometry, features: Sequence[ReferenceFeature]) -> NearbyFeature | None:
    """The nearest feature, of several the first by name and id; None where there is none.

    Examples
    --------
    >>> from shapely import Point
    >>> nearest(Point(0, 0), []) is None
    True
    """
    if not features or target.is_empty:
        return None
    shapes = np.array([feature.geometry for feature in features], dtype=object)
    shapely.prepare(target)
    distances = shapely.distance(shapes, target)
    least = np.nanmin(distances) if not np.isnan(distances).all() else np.nan
    ties = np.flatnonzero(distances == least)
    found = _sorted([_at(features[int(i)], float(distances[i])) for i in ties])
    return found[0] if found else None


def part_within(geometry: BaseGeometry, target: BaseGeometry, within_m: float) -> BaseGeometry:
    """The part of `geometry` within `within_m` of `target`, to a centimetre in ten metres: for shares, not verdicts."""
    return shapely.intersection(geometry, shapely.buffer(target, within_m, quad_segs=_QUAD_SEGS))


def stretches_within(lines: BaseGeometry, target: BaseGeometry, within_m: float) -> BaseGeometry:
    """The stretches of some lines within `within_m` of a target, their ends to a centimetre.

    Found by halving what is neither wholly near nor wholly far: it costs little more beside an outline of thousands of
    corners, where a buffer of it takes minutes.

    Examples
    --------
    >>> from shapely import LineString, Point
    >>> round(stretches_within(LineString([(-9, 3), (9, 3)]), Point(0, 0), 5.0).length, 1)
    8.0
    """
    parts = shapely.get_parts(shapely.get_parts([shapely.segmentize(lines, within_m)]))
    xy, part = shapely.get_coordinates(parts, return_index=True)
    follows = part[1:] == part[:-1]
    first, last = xy[:-1][follows], xy[1:][follows]
    shapely.prepare(target)
    near = []
    while len(first):
        middle, half_m = (first + last) / 2, np.hypot(*(last - first).T) / 2
        away_m = shapely.distance(shapely.points(middle), target)
        short = half_m <= _END_M
        inside = (away_m + half_m <= within_m) | (short & (away_m <= within_m))
        near.append(np.stack((first[inside], last[inside]), axis=1))
        open_still = ~inside & ~short & (away_m - half_m <= within_m)
        first, middle, last = first[open_still], middle[open_still], last[open_still]
        first, last = np.concatenate((first, middle)), np.concatenate((middle, last))
    found = shapely.linestrings(np.concatenate(near)) if near else []
    return shapely.line_merge(shapely.MultiLineString(list(found)))


def shown_on_plan(
    feature: BaseGeometry, plan: Sequence[BaseGeometry], within_m: float, least_share: float = LEAST_SHARE
) -> Shown:
    """Whether the drawn geometries `plan` come within `within_m` of at least `least_share` of `feature`.

    The share is that of a line's length, of a polygon's outline, or of a number of points. Give the part of a feature
    that has to be shown (see `part_within`): a river is not missing because it goes on beyond the mile.

    Examples
    --------
    >>> from shapely import LineString
    >>> creek = LineString([(0, 0), (100, 0)])
    >>> shown_on_plan(creek, [LineString([(0, 5), (50, 5)])], within_m=15).shown
    False
    >>> shown_on_plan(creek, [LineString([(0, 5), (90, 5)])], within_m=15)
    Shown(shown=True, share=1.0)
    """
    drawn = np.array([geometry for geometry in plan if not geometry.is_empty], dtype=object)
    drawn = drawn[shapely.dwithin(drawn, feature, within_m)] if len(drawn) else drawn
    if not len(drawn) or feature.is_empty:
        return Shown(shown=False, share=0.0)
    traced = _outline(feature)
    near = shapely.union_all(shapely.buffer(drawn, within_m, quad_segs=_QUAD_SEGS))
    whole = float(shapely.length(traced))
    if whole > 0:
        share = float(shapely.length(shapely.intersection(traced, near))) / whole
    else:
        points = shapely.get_parts(traced)
        share = float(np.mean(shapely.dwithin(points, shapely.union_all(drawn), within_m)))
    share = min(share, 1.0)
    return Shown(share >= least_share - RELATIVE_EPSILON, share)


def _outline(feature: BaseGeometry) -> BaseGeometry:
    """Lines for lines and polygons, points where there is nothing else."""
    parts = shapely.get_parts(feature)
    lines = [shapely.boundary(part) if shapely.get_dimensions(part) == 2 else part for part in parts]  # noqa: PLR2004
    long = [line for line in lines if shapely.get_dimensions(line) == 1]
    return shapely.union_all(long) if long else feature


def _at(feature: ReferenceFeature, distance_m: float) -> NearbyFeature:
    return NearbyFeature(
        feature.id, feature.name, feature.kind, feature.code, feature.layer, distance_m, feature.geometry
    )


def _sorted(found: list[NearbyFeature]) -> tuple[NearbyFeature, ...]:
    return tuple(sorted(found, key=lambda feature: (feature.distance_m, feature.name, feature.id)))
