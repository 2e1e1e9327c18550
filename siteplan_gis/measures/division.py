"""The extraterritorial areas of many municipalities, divided among them so that each place has one holder.

Two planes are used. Distances are measured in frames of their own, one for every half degree, within which they are
true to 1e-5; areas are cut and measured in one plane for all, which is true to area everywhere. Each step depends on
a municipality and what is near it only, and can be taken over from an earlier run (`Division.pieces`).
"""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import shapely

from siteplan_gis.frame import Frame
from siteplan_gis.measures.equidistance import apart, dividing_lines, nearer_faces, reach_outline, segments
from siteplan_gis.model.limits import Overlap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.equidistance import Segments

T = TypeVar("T")

SLIVER_M: Final = 0.3
"""Strips nowhere wider than this lie between two drawings of one boundary and are nobody's ground."""

_NOTHING: Final = shapely.Polygon()
_WORKERS: Final = 2
_LATTICE_DEGREES: Final = 0.5
_NOISE_M2: Final = 1.0
_AREA: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """One incorporated municipality, in the common plane.

    Attributes
    ----------
    key
        Tells it from all others.
    whole, core
        All of it, and the part whose reach counts.
    withheld
        Ground within its reach that it has waived, or that an agreement gives to another.
    """

    key: str
    whole: BaseGeometry
    core: BaseGeometry
    reach_m: float
    withheld: BaseGeometry = _NOTHING


@dataclass(frozen=True, slots=True, eq=False)
class Holding:
    """What one municipality has outside its limits: the ground it reaches, and what of it is its own."""

    key: str
    reached: BaseGeometry
    held: BaseGeometry
    shared: BaseGeometry


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """Holdings in the order of the bodies, overlaps in the order of their names.

    `pieces` are finished steps: given to a later run, they are taken over wherever nothing near them has changed.
    `taken_over` counts how many were.
    """

    holdings: tuple[Holding, ...]
    overlaps: tuple[Overlap, ...]
    pieces: dict[tuple[Any, ...], Any] = field(repr=False)
    made: int = 0
    taken_over: int = 0


def divide(
    bodies: Sequence[Body],
    plane: Frame,
    pieces: dict[tuple[Any, ...], Any] | None = None,
    tell: Callable[[str, float], None] | None = None,
) -> Division:
    """Divide the unincorporated ground within the bodies' reaches on the lines equally far from their boundaries.

    Parameters
    ----------
    pieces
        `Division.pieces` of an earlier run in the same plane.
    tell
        Called with what is being done and how much of it is done, from 0 to 1.
    """
    return _Work(bodies, plane, pieces or {}, tell or (lambda _text, _share: None)).done()


def lattice_frame(lonlat: NDArray[np.float64]) -> Frame:
    """The frame for distances around a place: its origin is the nearest point of a lattice of half a degree."""
    longitude, latitude = (np.round(lonlat / _LATTICE_DEGREES) * _LATTICE_DEGREES).tolist()
    return Frame(longitude, latitude)


def frame_for(geometry: BaseGeometry, plane: Frame) -> Frame:
    """The frame for distances around a geometry of the plane."""
    west, south, east, north = geometry.bounds
    return lattice_frame(plane.to_lonlat(np.array([[(west + east) / 2, (south + north) / 2]]))[0])


def reach_of(core: BaseGeometry, reach_m: float, plane: Frame) -> BaseGeometry:
    """The ground of the plane within a distance on the ellipsoid of a body's boundary."""
    if reach_m <= 0 or core.is_empty:
        return _NOTHING
    frame = frame_for(core, plane)
    return _sound(between(reach_outline(between(core, plane, frame), reach_m), frame, plane))


def main_part(whole: BaseGeometry) -> BaseGeometry:
    """The largest part, with all that lie within a hair of it or of one another."""
    parts = shapely.get_parts(whole)
    if len(parts) == 1:
        return whole
    group = np.arange(len(parts))
    for i, j in zip(*shapely.STRtree(parts).query(parts, predicate="dwithin", distance=SLIVER_M), strict=True):
        group[group == group[j]] = group[i]
    areas = {int(one): float(shapely.area(parts[group == one]).sum()) for one in np.unique(group)}
    main = max(sorted(areas), key=lambda one: areas[one])
    return whole if len(areas) == 1 else shapely.multipolygons(parts[group == main])


def between(geometry: BaseGeometry, plane: Frame, other: Frame) -> BaseGeometry:
    """A geometry of one frame in another."""
    placed: BaseGeometry = shapely.transform(geometry, lambda xy: other.from_lonlat(plane.to_lonlat(xy)))
    return placed


def without_slivers(geometry: BaseGeometry, sliver_m: float = SLIVER_M) -> BaseGeometry:
    """The parts that are somewhere wider than `sliver_m`; lines are left out."""
    parts = shapely.get_parts(geometry)
    parts = parts[shapely.get_dimensions(parts) == _AREA]
    # A circle of the area over the perimeter fits into any shape.
    kept = shapely.area(parts) > shapely.length(parts) * sliver_m / 2
    for i in np.flatnonzero(~kept & (shapely.area(parts) > 0)):
        kept[i] = not shapely.buffer(parts[i], -sliver_m / 2).is_empty
    if kept.all() and len(parts) == shapely.get_num_geometries(geometry):
        return geometry
    return shapely.multipolygons(parts[kept]) if kept.any() else _NOTHING


class _Work:
    """One run: what is made once for each municipality and each pair."""

    def __init__(
        self,
        bodies: Sequence[Body],
        plane: Frame,
        pieces: dict[tuple[Any, ...], Any],
        tell: Callable[[str, float], None],
    ) -> None:
        self.plane, self.before, self.tell = plane, pieces, tell
        self.bodies = bodies
        self.pieces: dict[tuple[Any, ...], Any] = {}
        self.taken_over = 0
        self.mark = [_mark(body, plane) for body in bodies]
        self.local: dict[tuple[str, Frame], Segments] = {}

    def done(self) -> Division:
        bodies, mark = self.bodies, self.mark
        wholes = np.array([body.whole for body in bodies], dtype=object)
        outlines = self._each(
            "reach",
            [(mark[i],) for i in range(len(bodies))],
            [lambda i=i: self._outline(bodies[i]) for i in range(len(bodies))],  # type: ignore[misc]
        )
        shapes = np.array(outlines, dtype=object)
        near: list[list[int]] = [[] for _ in bodies]
        if len(bodies):
            for i, k in zip(*shapely.STRtree(wholes).query(shapes, predicate="intersects"), strict=True):
                near[int(i)].append(int(k))
        near = [sorted(each, key=lambda k: mark[k]) for each in near]
        beside = [tuple(mark[k] for k in each) for each in near]
        reached = self._each(
            "unincorporated ground",
            [(mark[i], beside[i]) for i in range(len(bodies))],
            [lambda i=i: self._open(shapes[i], wholes[near[i]]) for i in range(len(bodies))],  # type: ignore[misc]
        )
        pairs = self._pairs(reached)
        divided = self._each(
            "overlaps",
            [(mark[i], mark[j]) for i, j in pairs],
            [lambda i=i, j=j: self._pair(i, j, shapes[i], shapes[j]) for i, j in pairs],  # type: ignore[misc]
        )
        losses: list[list[tuple[str, BaseGeometry]]] = [[] for _ in bodies]
        commons: list[list[BaseGeometry]] = [[] for _ in bodies]
        for (i, j), (common, nearer, farther, _line) in zip(pairs, divided, strict=True):
            losses[i].append((mark[j], farther))
            losses[j].append((mark[i], nearer))
            commons[i].append(common)
            commons[j].append(common)
        held = self._each(
            "division",
            [(mark[i], beside[i], tuple(sorted(name for name, _ in losses[i]))) for i in range(len(bodies))],
            [lambda i=i: _holding(bodies[i].key, reached[i], losses[i], commons[i]) for i in range(len(bodies))],  # type: ignore[misc]
        )
        lines = self._each(
            "dividing lines",
            [(mark[i], mark[j], *(tuple(sorted(name for name, _ in losses[k])) for k in (i, j)), beside[i])
             for i, j in pairs],
            [lambda i=i, j=j, part=part: _overlap(self.bodies, self.mark, (i, j), part, reached[i], losses)  # type: ignore[misc]
             for (i, j), part in zip(pairs, divided, strict=True)],
        )  # fmt: skip
        overlaps = sorted(
            (one for one in lines if one.ground.area > _NOISE_M2), key=lambda one: (one.first, one.second)
        )
        made = len(self.pieces) - self.taken_over
        return Division(tuple(held), tuple(overlaps), self.pieces, made, self.taken_over)

    def _each(self, what: str, keys: Sequence[tuple[Any, ...]], make: Sequence[Callable[[], T]]) -> list[T]:
        """Every step once, several at a time; those that an earlier run has made are taken over."""

        def one(i: int) -> T:
            key = (what, *keys[i])
            if key in self.before:
                found: T = self.before[key]
                self.taken_over += 1
            else:
                found = make[i]()
            self.pieces[key] = found
            self.tell(what, (i + 1) / len(keys))
            return found

        if len(keys) == 1:
            return [one(0)]
        with ThreadPoolExecutor(_WORKERS) as pool:
            return list(pool.map(one, range(len(keys))))

    def _frame(self, geometry: BaseGeometry) -> Frame:
        return frame_for(geometry, self.plane)

    def _segments(self, i: int, frame: Frame) -> Segments:
        key = self.mark[i], frame
        if key not in self.local:
            self.local[key] = segments(between(self.bodies[i].core, self.plane, frame))
        return self.local[key]

    def _outline(self, body: Body) -> BaseGeometry:
        outline = reach_of(body.core, body.reach_m, self.plane)
        return outline if body.withheld.is_empty else _polygons(shapely.difference(outline, body.withheld))

    def _open(self, outline: BaseGeometry, incorporated: NDArray[np.object_]) -> BaseGeometry:
        if outline.is_empty:
            return _NOTHING
        return without_slivers(shapely.difference(outline, shapely.union_all(incorporated)))

    def _pairs(self, reached: Sequence[BaseGeometry]) -> list[tuple[int, int]]:
        """Bodies with common reach, the first of each pair being the same one whatever their names and order."""
        shapes = np.array(reached, dtype=object)
        if not len(shapes):
            return []
        first, second = shapely.STRtree(shapes).query(shapes, predicate="intersects")
        order = {i: (self.mark[i], i) for i in range(len(shapes))}
        return sorted(
            ((int(i), int(j)) for i, j in zip(first, second, strict=True) if order[int(i)] < order[int(j)]),
            key=lambda pair: (order[pair[0]], order[pair[1]]),
        )

    def _pair(
        self, i: int, j: int, one: BaseGeometry, other: BaseGeometry
    ) -> tuple[BaseGeometry, BaseGeometry, BaseGeometry, BaseGeometry]:
        """The common reach, the parts of it nearer to the first and to the second, and the lines between them."""
        common = _polygons(shapely.intersection(one, other))
        if common.is_empty:
            return common, _NOTHING, _NOTHING, _NOTHING
        frame = self._frame(common)
        whole = self._segments(i, frame)
        ours, theirs = apart(whole, self._segments(j, frame))
        ground = between(common, self.plane, frame)
        # Between the ends of a common boundary the line runs on inside the bodies, however far from what is left.
        reaches = (self.bodies[i].reach_m, self.bodies[j].reach_m) if ours is whole else (np.inf, np.inf)
        lines = dividing_lines(ours, theirs, ground, *reaches)
        nearer = _sound(between(nearer_faces(ground, lines, ours, theirs), frame, self.plane))
        farther = _polygons(shapely.difference(common, nearer))
        return common, nearer, farther, between(lines, frame, self.plane)


def _holding(
    key: str,
    reached: BaseGeometry,
    losses: Sequence[tuple[str, BaseGeometry]],
    commons: Sequence[BaseGeometry],
) -> Holding:
    lost = shapely.union_all([ground for _, ground in sorted(losses, key=lambda one: one[0])])
    held = without_slivers(shapely.difference(reached, lost)) if losses else reached
    shared = _polygons(shapely.intersection(reached, shapely.union_all(commons))) if commons else _NOTHING
    return Holding(key, reached, held, shared)


def _overlap(
    bodies: Sequence[Body],
    mark: Sequence[str],
    pair: tuple[int, int],
    part: tuple[BaseGeometry, BaseGeometry, BaseGeometry, BaseGeometry],
    reached: BaseGeometry,
    losses: Sequence[Sequence[tuple[str, BaseGeometry]]],
) -> Overlap:
    """The unincorporated common reach of a pair, and its line without what a third, nearer one holds."""
    i, j = pair
    ground = without_slivers(shapely.intersection(reached, part[0]))
    thirds = [lost for one, other in ((i, j), (j, i)) for name, lost in losses[one] if name != mark[other]]
    line = shapely.intersection(part[3], ground)
    if thirds:
        line = shapely.difference(line, shapely.union_all(thirds))
    pieces = shapely.get_parts(line)
    line = shapely.line_merge(shapely.multilinestrings(pieces[shapely.get_dimensions(pieces) == 1]))
    first, second = sorted((bodies[i].key, bodies[j].key))
    return Overlap(first, second, ground, line)


def _polygons(geometry: BaseGeometry) -> BaseGeometry:
    if geometry.geom_type in {"Polygon", "MultiPolygon"}:
        return geometry
    parts = shapely.get_parts(geometry)
    return shapely.union_all(parts[shapely.get_dimensions(parts) == _AREA])


def _sound(geometry: BaseGeometry) -> BaseGeometry:
    """Valid polygons: moving to another plane can turn a needle over."""
    return _polygons(geometry if geometry.is_valid else shapely.make_valid(geometry))


def _mark(body: Body, plane: Frame) -> str:
    """What tells that nothing about a body has changed; its name does not matter."""
    told = hashlib.sha256(f"{plane!r} {body.reach_m!r}".encode())
    for shape in (body.whole, body.core, body.withheld):
        told.update(shapely.to_wkb(shapely.normalize(shape)))
    return told.hexdigest()
