"""The extraterritorial areas of many municipalities, divided among them so that each place has one holder.

Two planes are used. Distances are measured in frames of their own, one for every half degree, within which they are
true to 1e-5; areas are cut and measured in one plane for all, which is true to area everywhere. Each step depends on
a municipality and what is near it only, and can be taken over from an earlier run (`Division.pieces`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import shapely

from siteplan_gis.frame import Frame
from siteplan_gis.measures.territory.equidistance import apart, dividing_lines, faces_between, reach_outline, segments
from siteplan_gis.measures.territory.isolines import distances
from siteplan_gis.measures.threads import in_threads
from siteplan_gis.model.limits import Overlap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.territory.equidistance import Segments

T = TypeVar("T")
_Loss = tuple[str, "BaseGeometry"]
"""Whom a body loses ground to, and the ground."""

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
    whole, main
        All of it, and its main part.
    detached
        Parts apart from the main one whose reach counts too; empty where none does.
    withheld
        Ground within its reach that it has waived, or that an agreement gives to another.
    """

    key: str
    whole: BaseGeometry
    main: BaseGeometry
    reach_m: float
    detached: BaseGeometry = _NOTHING
    withheld: BaseGeometry = _NOTHING


@dataclass(frozen=True, slots=True, eq=False)
class Holding:
    """What one municipality has outside its limits: the ground it reaches, and what of it is its own.

    `shared` is what others reach too, `detached_only` what of `held` its main part does not reach.
    """

    key: str
    reached: BaseGeometry
    held: BaseGeometry
    shared: BaseGeometry
    detached_only: BaseGeometry


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


def reach_of(body: BaseGeometry, reach_m: float, plane: Frame) -> BaseGeometry:
    """The ground of the plane within a distance on the ellipsoid of a body's boundary."""
    if reach_m <= 0 or body.is_empty:
        return _NOTHING
    frame = frame_for(body, plane)
    return _sound(between(reach_outline(between(body, plane, frame), reach_m), frame, plane))


def main_part(whole: BaseGeometry) -> tuple[BaseGeometry, BaseGeometry]:
    """The largest part, with all that lie within a hair of it, and the detached parts."""
    parts = shapely.get_parts(whole)
    if len(parts) == 1:
        return whole, _NOTHING
    group = np.arange(len(parts))
    for i, j in zip(*shapely.STRtree(parts).query(parts, predicate="dwithin", distance=SLIVER_M), strict=True):
        group[group == group[j]] = group[i]
    areas = {int(one): float(shapely.area(parts[group == one]).sum()) for one in np.unique(group)}
    main = max(sorted(areas), key=lambda one: areas[one])
    if len(areas) == 1:
        return whole, _NOTHING
    return shapely.multipolygons(parts[group == main]), shapely.multipolygons(parts[group != main])


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
        every = range(len(bodies))
        outlines = self._each("reach", [(mark[i],) for i in every], [partial(self._outline, body) for body in bodies])
        shapes = np.array([shape for shape, _ in outlines], dtype=object)
        near: list[list[int]] = [[] for _ in bodies]
        if len(bodies):
            for i, k in zip(*shapely.STRtree(wholes).query(shapes, predicate="intersects"), strict=True):
                near[int(i)].append(int(k))
        near = [sorted(each, key=lambda k: mark[k]) for each in near]
        beside = [tuple(mark[k] for k in each) for each in near]
        reached = self._each(
            "unincorporated ground",
            [(mark[i], beside[i]) for i in every],
            [partial(_open, shapes[i], wholes[near[i]]) for i in every],
        )
        pairs = self._pairs(reached)
        divided = self._each(
            "overlaps",
            [(mark[i], mark[j]) for i, j in pairs],
            [partial(self._pair, i, j, shapes[i], shapes[j]) for i, j in pairs],
        )
        losses: list[list[_Loss]] = [[] for _ in bodies]
        commons: list[list[BaseGeometry]] = [[] for _ in bodies]
        for (i, j), (common, nearer, farther, _line) in zip(pairs, divided, strict=True):
            losses[i].append((mark[j], farther))
            losses[j].append((mark[i], nearer))
            commons[i].append(common)
            commons[j].append(common)
        losses = [sorted(each, key=lambda one: one[0]) for each in losses]
        beaten = [tuple(name for name, _ in each) for each in losses]
        held = self._each(
            "division",
            [(mark[i], beside[i], beaten[i]) for i in every],
            [partial(_holding, reached[i], losses[i], commons[i], outlines[i][1]) for i in every],
        )
        lines = self._each(
            "dividing lines",
            [(mark[i], mark[j], beside[i], beaten[i], beaten[j]) for i, j in pairs],
            [
                partial(_overlap, part, reached[i], _thirds(losses[i], mark[j]) + _thirds(losses[j], mark[i]))
                for (i, j), part in zip(pairs, divided, strict=True)
            ],
        )
        overlaps = []
        for (i, j), (ground, line) in zip(pairs, lines, strict=True):
            if ground.area > _NOISE_M2:
                first, second = sorted((bodies[i].key, bodies[j].key))
                overlaps.append(Overlap(first, second, ground, line))
        overlaps.sort(key=lambda one: (one.first, one.second))
        holdings = tuple(Holding(body.key, *each) for body, each in zip(bodies, held, strict=True))
        return Division(holdings, tuple(overlaps), self.pieces, len(self.pieces) - self.taken_over, self.taken_over)

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

        return in_threads(one, len(keys), _WORKERS)

    def _frame(self, geometry: BaseGeometry) -> Frame:
        return frame_for(geometry, self.plane)

    def _segments(self, i: int, frame: Frame) -> Segments:
        key = self.mark[i], frame
        if key not in self.local:
            body = self.bodies[i]
            edges = [segments(between(part, self.plane, frame)) for part in (body.main, body.detached) if part]
            self.local[key] = np.concatenate(edges)
        return self.local[key]

    def _outline(self, body: Body) -> tuple[BaseGeometry, BaseGeometry | None]:
        """The ground that it reaches, and what its main part reaches where others reach out too."""
        outline = reach_of(body.main, body.reach_m, self.plane)
        main = None
        if body.reach_m > 0 and body.detached:
            main = outline
            outline = shapely.union(outline, reach_of(body.detached, body.reach_m, self.plane))
        return outline if body.withheld.is_empty else _polygons(shapely.difference(outline, body.withheld)), main

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
        lines = between(lines, frame, self.plane)

        def is_nearer(at: NDArray[np.float64]) -> NDArray[np.bool_]:
            local = frame.from_lonlat(self.plane.to_lonlat(at))
            return distances(local, ours) < distances(local, theirs)

        # Cut in the common plane: every corner of the common reach stays where it is in both reaches.
        return common, *faces_between(common, lines, is_nearer), lines


def _open(outline: BaseGeometry, incorporated: NDArray[np.object_]) -> BaseGeometry:
    """What of the ground is unincorporated."""
    for body in incorporated:
        outline = shapely.difference(outline, body)
    return without_slivers(outline)


def _holding(
    reached: BaseGeometry,
    losses: Sequence[_Loss],
    commons: Sequence[BaseGeometry],
    main: BaseGeometry | None,
) -> tuple[BaseGeometry, BaseGeometry, BaseGeometry, BaseGeometry]:
    """What a body reaches, holds, shares, and holds by its detached parts only."""
    held, shared = reached, _NOTHING
    if losses:
        held = without_slivers(shapely.difference(reached, shapely.union_all([ground for _, ground in losses])))
        shared = _polygons(shapely.intersection(reached, shapely.union_all(commons)))
    detached = _NOTHING if main is None else _polygons(shapely.difference(held, main))
    return reached, held, shared, detached


def _thirds(losses: Sequence[_Loss], other: str) -> list[BaseGeometry]:
    """What a body loses to others than this one."""
    return [ground for name, ground in losses if name != other]


def _overlap(
    part: tuple[BaseGeometry, BaseGeometry, BaseGeometry, BaseGeometry],
    reached: BaseGeometry,
    thirds: Sequence[BaseGeometry],
) -> tuple[BaseGeometry, BaseGeometry]:
    """The unincorporated common reach of a pair, and its line without what a third, nearer one holds."""
    ground = without_slivers(shapely.intersection(reached, part[0]))
    line = shapely.intersection(part[3], ground)
    if thirds:
        line = shapely.difference(line, shapely.union_all(thirds))
    pieces = shapely.get_parts(line)
    return ground, shapely.line_merge(shapely.multilinestrings(pieces[shapely.get_dimensions(pieces) == 1]))


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
    for shape in (body.whole, body.main, body.detached, body.withheld):
        told.update(shapely.to_wkb(shapely.normalize(shape)))
    return told.hexdigest()
