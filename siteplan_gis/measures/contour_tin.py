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

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

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


def contour_tin(lines: Sequence[BaseGeometry], levels_m: Sequence[float]) -> ContourTin | None:
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
    courses = shapely.segmentize(parts, spacing)
    xy, part = shapely.get_coordinates(courses, return_index=True)
    z = np.asarray(levels, dtype=np.float64)[owner[part]]
    following = np.nonzero(part[1:] == part[:-1])[0]
    segments = np.column_stack((following, following + 1))
    _, first, same = np.unique(np.round(xy / _SAME_POINT_M), axis=0, return_index=True, return_inverse=True)
    segments = np.sort(same.ravel()[segments], axis=1)
    return xy[first], z[first], np.unique(segments[segments[:, 0] != segments[:, 1]], axis=0)


def _delaunay(xy: NDArray[np.float64]) -> NDArray[np.int64]:
    corners = shapely.get_coordinates(shapely.delaunay_triangles(shapely.multipoints(xy))).reshape(-1, 4, 2)[:, :3]
    key = xy[:, 0] + 1j * xy[:, 1]
    order = np.argsort(key)
    found: NDArray[np.int64] = order[np.searchsorted(key[order], corners[..., 0] + 1j * corners[..., 1])]
    (ux, uy), (vx, vy) = (xy[found[:, 1]] - xy[found[:, 0]]).T, (xy[found[:, 2]] - xy[found[:, 0]]).T
    return found[ux * vy - uy * vx != 0]


def _edges(triangles: NDArray[np.int64]) -> Pairs:
    """The three edges of every triangle, each opposite to the corner of its column, shape (m, 3, 2), sorted."""
    return np.sort(triangles[:, [[1, 2], [2, 0], [0, 1]]], axis=2)


def _keys(pairs: Pairs) -> NDArray[np.int64]:
    keys: NDArray[np.int64] = pairs[..., 0] * (1 << 32) + pairs[..., 1]
    return keys


def _absent(segments: Pairs, triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.nonzero(~np.isin(_keys(segments), _keys(_edges(triangles)).ravel()))[0]


def _divided(
    xy: NDArray[np.float64], z: NDArray[np.float64], segments: Pairs, missing: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], Pairs]:
    """Segments that the triangulation crosses, divided in their middles."""
    a, b = segments[missing].T
    new = len(xy) + np.arange(len(missing))
    halves = np.vstack((np.column_stack((a, new)), np.column_stack((b, new))))
    kept = np.delete(segments, missing, axis=0)
    return np.vstack((xy, (xy[a] + xy[b]) / 2)), np.append(z, z[a]), np.vstack((kept, halves))


def _without_terraces(
    xy: NDArray[np.float64], z: NDArray[np.float64], triangles: NDArray[np.int64], segments: Pairs
) -> ContourTin:
    levels = z[triangles]
    flat = (levels[:, 0] == levels[:, 1]) & (levels[:, 1] == levels[:, 2])
    polygons = shapely.polygons(xy[triangles[flat][:, [0, 1, 2, 0]]]) if flat.any() else np.empty(0, dtype=object)
    skeleton = _Skeleton(xy, z, triangles, flat, segments)
    chords, heights, told = skeleton.heights()
    number = {int(key): len(xy) + place for place, key in enumerate(chords)}
    pieces: list[list[int]] = []
    for place, corners in enumerate(triangles.tolist()):
        if flat[place] and not told[place]:
            continue
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


class _Skeleton:
    """The middles of the inner edges of flat ground, joined through its triangles."""

    def __init__(
        self,
        xy: NDArray[np.float64],
        z: NDArray[np.float64],
        triangles: NDArray[np.int64],
        flat: NDArray[np.bool_],
        segments: Pairs,
    ) -> None:
        self.xy, self.z = xy, z
        drawn = set(_keys(segments).tolist())
        self.flat = flat
        self.chords: list[int] = []
        place: dict[int, int] = {}
        keys = _keys(_edges(triangles)).tolist()
        self.of_triangle: dict[int, list[int]] = {}
        self.tips: list[tuple[int, int]] = []
        for t in np.nonzero(flat)[0].tolist():
            inner = []
            for key in keys[t]:
                if key not in drawn:
                    if key not in place:
                        place[key] = len(self.chords)
                        self.chords.append(key)
                    inner.append(place[key])
            self.of_triangle[t] = inner
            if len(inner) == 1:
                apex = keys[t].index(self.chords[inner[0]])
                self.tips.append((inner[0], int(triangles[t][apex])))
        self.openings = [
            (place[key], int(triangles[t][corner]))
            for t in np.nonzero(~flat)[0].tolist()
            for corner, key in enumerate(keys[t])
            if key in place
        ]

    def _middle(self, chord: int) -> NDArray[np.float64]:
        key = self.chords[chord]
        middle: NDArray[np.float64] = (self.xy[key >> 32] + self.xy[key & 0xFFFFFFFF]) / 2
        return middle

    def heights(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]:
        """Keys of the chords, the heights of their middles, and which triangles have a height that can be told."""
        count = len(self.chords)
        told = np.ones(len(self.flat), dtype=np.bool_)
        told[self.flat] = False
        if not count:
            return np.empty(0, dtype=np.int64), np.empty(0), told
        middles = np.array([self._middle(chord) for chord in range(count)])
        level = self.z[np.array(self.chords) >> 32]
        joined: list[list[tuple[int, float]]] = [[] for _ in range(count)]
        for inner in self.of_triangle.values():
            for i, first in enumerate(inner):
                for second in inner[i + 1 :]:
                    away = float(np.hypot(*(middles[first] - middles[second]))) + _SAME_POINT_M
                    joined[first].append((second, away))
                    joined[second].append((first, away))
        fixed: dict[int, list[tuple[float, float]]] = {}
        for chord, corner in self.openings:
            away = float(np.hypot(*(middles[chord] - self.xy[corner]))) + _SAME_POINT_M
            fixed.setdefault(chord, []).append((float(self.z[corner]), away))
        tip_of: dict[int, float] = {}
        for chord, corner in self.tips:
            away = float(np.hypot(*(middles[chord] - self.xy[corner]))) + _SAME_POINT_M
            tip_of[chord] = max(tip_of.get(chord, 0.0), away)
        heights = level.copy()
        seen = np.zeros(count, dtype=np.bool_)
        for start in range(count):
            if seen[start]:
                continue
            members = _component(start, joined, seen)
            if any(chord in fixed for chord in members):
                _solve(members, joined, fixed, tip_of, level, heights)
        for t, inner in self.of_triangle.items():
            told[t] = any(heights[chord] != level[chord] for chord in inner)
        changed = np.nonzero(heights != level)[0]
        return np.array(self.chords, dtype=np.int64)[changed], heights[changed], told


def _component(start: int, joined: list[list[tuple[int, float]]], seen: NDArray[np.bool_]) -> list[int]:
    members, waiting = [], deque([start])
    seen[start] = True
    while waiting:
        chord = waiting.popleft()
        members.append(chord)
        for other, _ in joined[chord]:
            if not seen[other]:
                seen[other] = True
                waiting.append(other)
    return members


def _solve(
    members: list[int],
    joined: list[list[tuple[int, float]]],
    fixed: dict[int, list[tuple[float, float]]],
    tip_of: dict[int, float],
    level: NDArray[np.float64],
    heights: NDArray[np.float64],
) -> None:
    """Heights of one connected skeleton: even from its farthest tip to the contours that it faces.

    Its side branches run evenly from the trunk down (or up) to their own tips, where the line turns.
    """
    far = _distances(members, joined, {chord: min(away for _, away in ends) for chord, ends in fixed.items()})
    tips = [chord for chord in members if chord in tip_of]
    trunk_tip = max(tips, key=lambda chord: far[chord] + tip_of[chord], default=None)
    anchored = {chord: list(fixed[chord]) for chord in members if chord in fixed}
    if trunk_tip is not None:
        anchored.setdefault(trunk_tip, []).append((float(level[trunk_tip]), tip_of[trunk_tip]))
    order, parent, below = _pruned(members, joined, set(anchored), tip_of)
    branches = set(order)
    trunk = [chord for chord in members if chord not in branches]
    _even(trunk, joined, anchored, heights)
    for chord in reversed(order):
        other, away = parent[chord]
        share = below[chord] / (below[chord] + away)
        heights[chord] = level[chord] + (heights[other] - level[chord]) * share


def _distances(
    members: list[int], joined: list[list[tuple[int, float]]], starts: dict[int, float]
) -> dict[int, float]:
    """Shortest way along the skeleton from each chord to an opening."""
    import heapq  # noqa: PLC0415

    inside = set(members)
    best = {chord: away for chord, away in starts.items() if chord in inside}
    heap = [(away, chord) for chord, away in best.items()]
    heapq.heapify(heap)
    while heap:
        away, chord = heapq.heappop(heap)
        if away > best[chord]:
            continue
        for other, step in joined[chord]:
            if away + step < best.get(other, np.inf):
                best[other] = away + step
                heapq.heappush(heap, (away + step, other))
    return best


def _pruned(
    members: list[int], joined: list[list[tuple[int, float]]], anchored: set[int], tip_of: dict[int, float]
) -> tuple[list[int], dict[int, tuple[int, float]], dict[int, float]]:
    """Dead ends from their tips inward: their order, the neighbour that each hangs on, the way down to its tip."""
    neighbours = {chord: dict(joined[chord]) for chord in members}
    below = {chord: tip_of.get(chord, 0.0) for chord in members}
    ends = deque(chord for chord in members if len(neighbours[chord]) == 1 and chord not in anchored)
    order: list[int] = []
    parent: dict[int, tuple[int, float]] = {}
    while ends:
        chord = ends.popleft()
        if len(neighbours[chord]) != 1:
            continue
        ((other, away),) = neighbours[chord].items()
        order.append(chord)
        parent[chord] = (other, away)
        below[other] = max(below[other], below[chord] + away)
        del neighbours[other][chord]
        neighbours[chord] = {}
        if len(neighbours[other]) == 1 and other not in anchored:
            ends.append(other)
    return order, parent, below


def _even(
    trunk: list[int],
    joined: list[list[tuple[int, float]]],
    anchored: dict[int, list[tuple[float, float]]],
    heights: NDArray[np.float64],
) -> None:
    """Heights in balance: each the mean of its neighbours, weighted by nearness (conjugate gradients)."""
    place = {chord: number for number, chord in enumerate(trunk)}
    rows, columns, weights = [], [], []
    diagonal, right = np.zeros(len(trunk)), np.zeros(len(trunk))
    for chord, number in place.items():
        for other, away in joined[chord]:
            if other in place:
                rows.append(number)
                columns.append(place[other])
                weights.append(1 / away)
                diagonal[number] += 1 / away
        for height, away in anchored.get(chord, ()):
            diagonal[number] += 1 / away
            right[number] += height / away
    i, j, w = np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64), np.array(weights)

    def times(x: NDArray[np.float64]) -> NDArray[np.float64]:
        product: NDArray[np.float64] = diagonal * x - np.bincount(i, w * x[j], minlength=len(x))
        return product

    x = np.full(len(trunk), float(np.mean([height for ends in anchored.values() for height, _ in ends])))
    residual = right - times(x)
    step = residual / diagonal
    energy = float(residual @ step)
    for _ in range(4 * len(trunk) + 50):
        if energy <= 1e-18:  # noqa: PLR2004
            break
        along = times(step)
        share = energy / float(step @ along)
        x += share * step
        residual -= share * along
        scaled = residual / diagonal
        energy, before = float(residual @ scaled), energy
        step = scaled + energy / before * step
    heights[trunk] = x
