"""Invalid polygons made valid under one rule: every drawn lobe is kept, every hole stays a hole, nothing counts twice.

A ring stands for the ground that it winds around at least once in total (nonzero winding): both lobes of a bow-tie
count, and a lobe walked around twice counts once and never turns into a hole. Rings of one polygon nest: ground,
hole, island. Parts of a multipolygon are united. `buffer(0)` would drop a lobe, the even-odd rule would empty doubled
ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import LineString, MultiPolygon, Polygon
from shapely.validation import explain_validity

from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    Vertices = NDArray[np.float64]

DUST_M2: Final = 1e-6
"""Pieces below this area, in square metres, are rounding and not ground."""

_GRID_M: Final = 1e-6
"""Where edges of an invalid ring cross, corners are placed on a grid of a thousandth of a millimetre."""

_MOST_CORNERS: Final = 1_000_000
_MOST_RINGS: Final = 2000
_MOST_CROSSINGS: Final = 3000
_MOST_WORK: Final = 200_000_000
"""What a repair may take: corners and crossings of an invalid ring and their product, rings of an invalid polygon."""

_EDGES_AT_ONCE: Final = 64
_SAME_RATIO: Final = 1e-9
_FEWEST_POSITIONS: Final = 4


class TangledError(ValueError):
    """Rings that cross so often that nobody drew them, and that no repair comes to an end over."""


@dataclass(frozen=True, slots=True, eq=False)
class Repaired:
    """A polygon after repair.

    Attributes
    ----------
    geometry
        Valid `Polygon` or `MultiPolygon` in metres; empty where nothing is enclosed.
    problems
        What was wrong, one sentence part each; empty where nothing was.
    area_before_m2
        Area of the shells less that of the holes, as the stored rings give it (signed loops cancel).
    """

    geometry: BaseGeometry
    problems: tuple[str, ...]
    area_before_m2: float

    @property
    def text(self) -> str:
        """One line for the reviewer: what was wrong and what the repair did to the area."""
        before, after = acres(self.area_before_m2), acres(self.geometry.area)
        return (
            f"{'; '.join(self.problems)}: {before:.4f} acres as stored, {after:.4f} acres with every drawn lobe kept "
            "and counted once"
        )


def repair_polygon(parts: Sequence[Sequence[Vertices]]) -> Repaired:
    """Build the ground that rings enclose, valid whatever is wrong with them.

    Parameters
    ----------
    parts
        Polygons, each a sequence of rings, shell first; rings of shape (n, 2) in metres, closed or not, finite.

    Raises
    ------
    TangledError
        If the rings are too many, or cross each other too often.

    Examples
    --------
    >>> bow_tie = np.array([(0, 0), (4, 4), (4, 0), (0, 4), (0, 0)], dtype=float)
    >>> repaired = repair_polygon([[bow_tie]])
    >>> repaired.geometry.area, repaired.area_before_m2, repaired.problems
    (8.0, 0.0, ('self-intersection: a ring crosses or runs over itself near (2, 2)',))
    """
    problems: list[str] = []
    before = 0.0
    grounds: list[BaseGeometry] = []
    for part in parts:
        rings = [ring for ring in (_closed(ring, problems) for ring in part) if ring is not None]
        if rings:
            areas = [abs(_shoelace(ring)) for ring in rings]
            before += areas[0] - sum(areas[1:])
            grounds.append(_ground(rings, problems))
    united = _polygons(shapely.union_all(grounds)) if len(grounds) > 1 else _polygons(*grounds)
    _note_overlap(grounds, united, problems)
    return Repaired(united, tuple(dict.fromkeys(problems)), before)


def as_drawn(parts: Sequence[Sequence[Vertices]]) -> BaseGeometry | None:
    """The polygon exactly as drawn, or None where the rings do not make a valid one."""
    if any(len(ring) < _FEWEST_POSITIONS or (ring[0] != ring[-1]).any() for part in parts for ring in part):
        return None
    polygons = [Polygon(part[0], part[1:]) for part in parts if part]
    if not polygons:
        return None
    drawn = polygons[0] if len(polygons) == 1 else MultiPolygon(polygons)
    return drawn if drawn.is_valid else None


def _closed(ring: Vertices, problems: list[str]) -> Vertices | None:
    """The ring closed, without repeated positions; None where it encloses nothing."""
    if len(ring):
        ring = ring[np.concatenate(([True], (np.diff(ring, axis=0) != 0).any(axis=1)))]
        gap = float(np.hypot(*(ring[0] - ring[-1])))
        if gap:
            problems.append(f"a ring is not closed (gap of {gap:.3f} m, closed by a straight line)")
            ring = np.vstack((ring, ring[:1]))
    if len(ring) < _FEWEST_POSITIONS:
        problems.append("a ring of fewer than three corners encloses nothing")
        return None
    return ring


def _ground(rings: list[Vertices], problems: list[str]) -> BaseGeometry:
    """What one polygon's rings enclose."""
    drawn = Polygon(rings[0], rings[1:])
    if drawn.is_valid:
        return drawn
    if len(rings) > _MOST_RINGS:
        raise TangledError(f"its {len(rings):,} rings cross or touch")
    regions = [_region(ring, problems) for ring in rings]
    if len(regions) == 1:
        return regions[0]
    return _nested(regions, problems)


def _region(ring: Vertices, problems: list[str]) -> BaseGeometry:
    """The ground that one ring winds around at least once in total."""
    simple = Polygon(ring)
    if simple.is_valid:
        return simple
    _refuse_tangled(ring)
    # Edges that run over each other all but exactly are noded safely only on a grid; without one a lobe may be lost.
    noded = shapely.union_all([LineString(ring)], grid_size=_GRID_M)
    faces = shapely.get_parts(shapely.polygonize([noded]))
    points = [face.representative_point() for face in faces]
    kept = [
        face for face, point in zip(faces, points, strict=True) if winding_number(ring, point.x, point.y)
    ]  # fmt: skip
    region = _polygons(shapely.union_all(kept))
    problems.append(_named(simple, region))
    return region


def _refuse_tangled(ring: Vertices) -> None:
    """Count where edges meet, and stop when they are too many."""
    corners = len(ring) - 1
    if corners > _MOST_CORNERS:
        raise TangledError(f"a ring of {corners:,} corners crosses itself")
    edges = shapely.linestrings(np.stack((ring[:-1], ring[1:]), axis=1))
    tree = shapely.STRtree(edges)
    # Each edge meets itself and both its neighbours, and each crossing is met from both sides.
    most = 3 * corners + 2 * min(_MOST_CROSSINGS, _MOST_WORK / corners)
    met = 0
    for first in range(0, corners, _EDGES_AT_ONCE):
        met += tree.query(edges[first : first + _EDGES_AT_ONCE], predicate="intersects").shape[1]
        if met > most:
            raise TangledError(f"a ring of {corners:,} corners crosses itself many thousand times")


def _named(drawn: Polygon, region: BaseGeometry) -> str:
    if region.is_empty:
        return "a ring folds back on itself and encloses nothing"
    reason = explain_validity(drawn)
    name, _, place = reason.partition("[")
    at = ""
    if place:
        x, y = (float(number) for number in place.rstrip("]").split()[:2])
        at = f" near ({x:.3g}, {y:.3g})"
    if name.startswith("Self-intersection"):
        return f"self-intersection: a ring crosses or runs over itself{at}"
    return f"{name.strip().lower()}: a ring touches or runs over itself{at}"


def _nested(regions: list[BaseGeometry], problems: list[str]) -> BaseGeometry:
    """Ground, holes and islands of one polygon, told by what lies in what; the stored order decides only the rest."""
    unique: list[tuple[BaseGeometry, bool]] = []
    for number, region in enumerate(regions):
        if region.is_empty:
            continue
        if any(_covers(region, other) and _covers(other, region) for other, _ in unique):
            problems.append("a ring is stored twice")
        else:
            unique.append((region, number == 0))
    unique.sort(key=lambda pair: -pair[0].area)
    signs: list[bool] = []
    ground: BaseGeometry = Polygon()
    shell = next((region for region, first in unique if first), None)
    for number, (region, first) in enumerate(unique):
        around = [index for index in range(number) if _covers(unique[index][0], region)]
        if around:
            sign = not signs[around[-1]]
            if first or sign:
                problems.append("rings are nested out of order" if first else "an island is stored as a hole")
        elif first or shell is None or _covers(region, shell):
            sign = True
        elif region.intersection(shell).area > DUST_M2:
            sign = False
            problems.append("a hole crosses the edge of its shell or of another hole")
        else:
            sign = True
            problems.append("a hole lies outside its shell and was kept as ground")
        signs.append(sign)
        ground = ground.union(region) if sign else ground.difference(region)
    if not problems:
        problems.append("holes cross or touch along a line")
    return _polygons(ground)


def _covers(outer: BaseGeometry, inner: BaseGeometry) -> bool:
    return bool(inner.difference(outer).area <= DUST_M2 + _SAME_RATIO * inner.area)


def _note_overlap(grounds: list[BaseGeometry], united: BaseGeometry, problems: list[str]) -> None:
    if len(grounds) < 2:  # noqa: PLR2004
        return
    twice = sum(ground.area for ground in grounds) - united.area
    if twice > DUST_M2 + _SAME_RATIO * united.area:
        inside = len(grounds) <= _MOST_RINGS and any(
            _covers(outer, inner) for outer in grounds for inner in grounds if outer is not inner and inner.area
        )
        what = "a part lies inside another part" if inside else "parts overlap"
        problems.append(f"{what}: {acres(twice):.4f} acres drawn more than once were counted once")
    elif not problems and not MultiPolygon([p for g in grounds for p in shapely.get_parts(g)]).is_valid:
        problems.append("parts touch along a line and were joined")


def winding_number(ring: Vertices, x: float, y: float) -> int:
    """How often a closed ring goes round a point, counter-clockwise positive.

    Source: Sunday, Inclusion of a Point in a Polygon (2001).

    Examples
    --------
    >>> square = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)], dtype=float)
    >>> winding_number(square, 0.5, 0.5), winding_number(np.vstack((square, square[1:])), 0.5, 0.5)
    (1, 2)
    """
    x0, y0 = ring[:-1, 0], ring[:-1, 1]
    x1, y1 = ring[1:, 0], ring[1:, 1]
    left = (x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)
    up = (y0 <= y) & (y1 > y) & (left > 0)
    down = (y0 > y) & (y1 <= y) & (left < 0)
    return int(np.count_nonzero(up)) - int(np.count_nonzero(down))


def _shoelace(ring: Vertices) -> float:
    x, y = (ring - ring[0]).T
    return float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2


def _polygons(*geometries: BaseGeometry) -> BaseGeometry:
    """Polygons of the geometries, without dust."""
    parts = [
        part
        for geometry in geometries
        for part in shapely.get_parts(shapely.get_parts(geometry))
        if part.geom_type == "Polygon" and part.area > DUST_M2
    ]
    return parts[0] if len(parts) == 1 else MultiPolygon(parts)
