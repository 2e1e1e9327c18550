"""One thing, one feature: rows delivered twice are dropped and pieces cut at tile edges are put together."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely.geometry import MultiLineString, MultiPolygon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.layers import ReferenceFeature

_GRID_M: Final = 0.001
_EDGE_TOLERANCE_M: Final = 0.05
_SHORTEST_EDGE_M: Final = 0.5


def without_copies(features: Sequence[ReferenceFeature]) -> list[ReferenceFeature]:
    """Keep one of several features that have the same name, kind, code and (to a millimetre) geometry."""
    kept: dict[tuple[str, str, str, bytes], ReferenceFeature] = {}
    shapes = shapely.to_wkb(shapely.normalize(_rounded([feature.geometry for feature in features])))
    for feature, shape in zip(features, shapes, strict=True):
        kept.setdefault((feature.name, feature.kind, feature.code, shape), feature)
    return list(kept.values())


def one_per_id(features: Sequence[ReferenceFeature]) -> list[ReferenceFeature]:
    """Put together features of the same permanent id; the order of first appearance is kept."""
    groups: dict[str, list[ReferenceFeature]] = defaultdict(list)
    for feature in features:
        groups[feature.id].append(feature)
    return [_together(group) for group in groups.values()]


def pieces_joined(
    features: Sequence[ReferenceFeature], alike: Callable[[ReferenceFeature], object]
) -> list[ReferenceFeature]:
    """Put together polygons that are `alike` and share an edge (or overlap), as the pieces of a tiled map do.

    Points and lines, and polygons for which `alike` gives None, stay as they are.
    """
    groups: dict[object, list[int]] = defaultdict(list)
    for number, feature in enumerate(features):
        key = alike(feature)
        if key is not None and isinstance(feature.geometry, (shapely.Polygon, MultiPolygon)):
            groups[key].append(number)
    owner = list(range(len(features)))

    def root(number: int) -> int:
        while owner[number] != number:
            owner[number] = owner[owner[number]]
            number = owner[number]
        return number

    for numbers in groups.values():
        shapes = np.array([features[number].geometry for number in numbers], dtype=object)
        tree = shapely.STRtree(shapes)
        first, second = tree.query(shapes, predicate="dwithin", distance=_EDGE_TOLERANCE_M)
        first, second = first[first < second], second[first < second]
        joined = _share_an_edge(shapes, first, second)
        for a, b in zip(first[joined].tolist(), second[joined].tolist(), strict=True):
            owner[root(numbers[b])] = root(numbers[a])
    pieces: dict[int, list[ReferenceFeature]] = defaultdict(list)
    for number, feature in enumerate(features):
        pieces[root(number)].append(feature)
    return [_together(group) for group in pieces.values()]


def _share_an_edge(
    shapes: NDArray[np.object_], first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.bool_]:
    others, which = np.unique(second, return_inverse=True)
    wide = shapely.buffer(shapes[others], _EDGE_TOLERANCE_M)
    common = shapely.intersection(shapely.boundary(shapes[first]), wide[which])
    return np.asarray(shapely.length(common) >= _SHORTEST_EDGE_M)


def _together(group: Sequence[ReferenceFeature]) -> ReferenceFeature:
    if len(group) == 1:
        return group[0]
    downstream = tuple(dict.fromkeys(one for feature in group for one in feature.downstream))
    return replace(group[0], geometry=_united([feature.geometry for feature in group]), downstream=downstream)


def _united(geometries: Sequence[BaseGeometry]) -> BaseGeometry:
    parts = [part for geometry in geometries for part in shapely.get_parts(geometry)]
    polygons = [part for part in parts if isinstance(part, shapely.Polygon)]
    if polygons:
        return shapely.union_all(polygons)
    lines = [part for part in parts if isinstance(part, shapely.LineString)]
    if lines:
        # Not a union: that would forget which way the lines run.
        once = list(dict.fromkeys(shapely.to_wkb(_rounded(lines))))
        return shapely.line_merge(MultiLineString(list(shapely.from_wkb(once))), directed=True)
    return shapely.union_all(parts)


def _rounded(geometries: Iterable[BaseGeometry]) -> NDArray[np.object_]:
    shapes = np.array(list(geometries), dtype=object)
    rounded: NDArray[np.object_] = shapely.transform(shapes, lambda xy: np.round(xy / _GRID_M) * _GRID_M)
    return rounded
