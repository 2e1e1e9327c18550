"""Areas of unions: ground counts once, however often it is drawn, and drafting slivers are no ground.

All geometry is in the site frame (equal-area, metres), so planar areas are true areas.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon, STRtree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shapely.geometry.base import BaseGeometry

SLIVER_M: Final = 0.05
"""Ground nowhere wider than this is drafting noise: two drawings of one edge, not an overlap or a gap."""

MOST_CORNERS: Final = 256
"""Of a polygon that many shapes are cut with."""

_SAME_AREA: Final = 1 + 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class OpenGround:
    """The most ground that lies open on one day.

    Attributes
    ----------
    day
        The first such day; None where no phase has a date, so that all ground may lie open together.
    undated, contradictory
        Places in the given sequence of the phases without a start or an end, and of those that end before they
        start; both kinds of unknown are taken as open.
    """

    area_m2: float
    day: date | None
    geometry: BaseGeometry
    undated: tuple[int, ...] = ()
    contradictory: tuple[int, ...] = ()


def union_area(geometries: Iterable[BaseGeometry]) -> tuple[BaseGeometry, float]:
    """The ground covered by any of some geometries and its area in square metres; points and lines have none.

    Examples
    --------
    >>> union_area([shapely.box(0, 0, 3, 1), shapely.box(2, 0, 4, 1)])[1]
    4.0
    """
    parts = [polygon for geometry in geometries for polygon in polygons_of(geometry)]
    union = _ground(shapely.union_all(parts)) if parts else Polygon()
    return union, float(union.area)


def common_ground(
    groups: Mapping[str, Sequence[BaseGeometry]], noise_m2: float, sliver_m: float = SLIVER_M
) -> tuple[BaseGeometry, float]:
    """The ground that more than one group (phase) covers, and its area in square metres.

    Pieces nowhere wider than `sliver_m` are left out; where the rest is below `noise_m2`, nothing is common.

    Examples
    --------
    >>> common_ground({"1": [shapely.box(0, 0, 9, 9)], "2": [shapely.box(6, 0, 20, 9)]}, noise_m2=1.0)[1]
    27.0
    >>> common_ground({"1": [shapely.box(0, 0, 9, 9)], "2": [shapely.box(8.99, 0, 20, 9)]}, noise_m2=0.0)[1]
    0.0
    """
    covered: BaseGeometry = Polygon()
    common: list[BaseGeometry] = []
    for members in groups.values():
        ground, _ = union_area(members)
        common.extend(polygons_of(covered.intersection(ground)))
        covered = covered.union(ground)
    shared = without_slivers(union_area(common)[0], sliver_m)
    return (shared, float(shared.area)) if shared.area >= noise_m2 else (Polygon(), 0.0)


def separate_parts(geometry: BaseGeometry, gap_m: float) -> int:
    """How many pieces of ground lie farther than `gap_m` metres from each other.

    Examples
    --------
    >>> pair = MultiPolygon([shapely.box(0, 0, 1, 1), shapely.box(1.5, 0, 2, 1)])
    >>> separate_parts(pair, gap_m=0.4), separate_parts(pair, gap_m=0.5)
    (2, 1)
    """
    parts = np.array(polygons_of(geometry), dtype=object)
    if len(parts) < 2:  # noqa: PLR2004
        return len(parts)
    leader = list(range(len(parts)))

    def lead(member: int) -> int:
        while leader[member] != member:
            leader[member] = leader[leader[member]]
            member = leader[member]
        return member

    one, other = STRtree(parts).query(parts, predicate="dwithin", distance=gap_m)
    for first, second in zip(one.tolist(), other.tolist(), strict=True):
        leader[lead(first)] = lead(second)
    return sum(lead(member) == member for member in range(len(parts)))


def most_open_at_once(phases: Sequence[tuple[BaseGeometry, date | None, date | None]]) -> OpenGround:
    """The largest union of ground that is open on one day.

    Each phase is its ground, its first open day and its last open day; an unknown day is taken as far away, so that
    the phase is open. Ground grows only on a start: looking at the starts and at the earliest day named at all is
    an exact sweep over every day.

    Examples
    --------
    >>> from datetime import date
    >>> most_open_at_once([
    ...     (shapely.box(0, 0, 10, 1), date(2025, 4, 1), date(2025, 5, 31)),
    ...     (shapely.box(8, 0, 14, 1), date(2025, 5, 31), date(2025, 8, 1)),
    ... ]).area_m2
    14.0
    """
    contradictory = tuple(
        place for place, (_, start, end) in enumerate(phases) if start is not None and end is not None and end < start
    )
    undated = tuple(place for place, (_, start, end) in enumerate(phases) if start is None or end is None)
    spans: dict[tuple[date | None, date | None], list[BaseGeometry]] = {}
    for place, (geometry, start, end) in enumerate(phases):
        spans.setdefault((None, None) if place in contradictory else (start, end), []).append(geometry)
    named = [day for span in spans for day in span if day is not None]
    if not named:
        everything, area_m2 = union_area(geometry for geometry, _, _ in phases)
        return OpenGround(area_m2, None, everything, undated, contradictory)

    ground = {span: union_area(members) for span, members in spans.items()}
    best: OpenGround | None = None
    tried: set[frozenset[tuple[date | None, date | None]]] = set()
    for day in sorted({start for start, _ in spans if start is not None} | {min(named)}):
        is_open = frozenset(
            (start, end) for start, end in spans if (start is None or start <= day) and (end is None or day <= end)
        )
        at_most = sum(ground[span][1] for span in is_open)
        if is_open in tried or (best is not None and at_most <= best.area_m2 * _SAME_AREA):
            continue
        tried.add(is_open)
        union, area_m2 = union_area(ground[span][0] for span in is_open)
        if best is None or area_m2 > best.area_m2 * _SAME_AREA:
            best = OpenGround(area_m2, day, union, undated, contradictory)
    if best is None:
        message = "a named day is always looked at"
        raise AssertionError(message)
    return best


def open_by_day(
    phases: Sequence[tuple[BaseGeometry, date | None, date | None]],
) -> list[tuple[date, float]]:
    """How much ground is open from each day on: every day on which it changes, and the area in square metres.

    Only phases with both days count; the first and the last day are open. Overlaps count once.

    Examples
    --------
    >>> open_by_day([
    ...     (shapely.box(0, 0, 10, 1), date(2025, 4, 1), date(2025, 5, 31)),
    ...     (shapely.box(8, 0, 14, 1), date(2025, 5, 31), date(2025, 8, 1)),
    ... ])[:3]
    [(datetime.date(2025, 4, 1), 10.0), (datetime.date(2025, 5, 31), 14.0), (datetime.date(2025, 6, 1), 6.0)]
    """
    dated = [(ground, start, end) for ground, start, end in phases if start and end and start <= end]
    days = sorted({start for _, start, _ in dated} | {end + timedelta(days=1) for _, _, end in dated if end < date.max})
    curve, known = [], dict[frozenset[int], float]()
    for day in days:
        is_open = frozenset(place for place, (_, start, end) in enumerate(dated) if start <= day <= end)
        if is_open not in known:
            known[is_open] = union_area(dated[place][0] for place in sorted(is_open))[1]
        curve.append((day, known[is_open]))
    return curve


def outside(geometry: BaseGeometry, boundary: BaseGeometry, noise_m: float) -> tuple[BaseGeometry, float]:
    """The ground of `geometry` outside `boundary`, and its area in square metres.

    A piece that nowhere reaches farther out than `noise_m` metres is drafting noise and left out.

    Examples
    --------
    >>> outside(shapely.box(0, 0, 12, 10), shapely.box(0, 0, 10, 10), noise_m=0.1)[1]
    20.0
    """
    inside, _ = union_area([boundary])
    ground, _ = union_area([geometry])
    pieces = polygons_of(ground.difference(inside))
    near = inside.buffer(noise_m, join_style="mitre")
    kept = [piece for piece in pieces if _reaches_out(piece, inside, near, noise_m)]
    return union_area(kept)


def _reaches_out(piece: Polygon, inside: BaseGeometry, near: BaseGeometry, noise_m: float) -> bool:
    """Whether some point of a piece is farther than `noise_m` from the ground inside."""
    corners = shapely.points(shapely.get_coordinates(piece))
    if bool((shapely.distance(corners, inside) > noise_m).any()):
        return True
    # A piece around a notch may be farthest out between its corners.
    return not piece.difference(near).buffer(-noise_m / 100).is_empty


def without_slivers(geometry: BaseGeometry, width_m: float) -> BaseGeometry:
    """The polygons of a geometry that are somewhere wider than `width_m` metres, unchanged.

    Examples
    --------
    >>> without_slivers(shapely.box(0, 0, 100, 0.04), 0.05).is_empty
    True
    >>> without_slivers(shapely.box(0, 0, 100, 0.06), 0.05).area
    6.0
    """
    wide = [polygon for polygon in polygons_of(geometry) if not polygon.buffer(-width_m / 2).is_empty]
    return union_area(wide)[0]


def polygons_of(geometry: BaseGeometry) -> list[Polygon]:
    """The polygons within any geometry, collections included; empty ones are left out."""
    if geometry.geom_type == "GeometryCollection":
        return [polygon for part in geometry.geoms for polygon in polygons_of(part)]
    return [part for part in shapely.get_parts(geometry) if part.geom_type == "Polygon" and not part.is_empty]


def in_small_parts(area: BaseGeometry, most: int = MOST_CORNERS) -> list[Polygon]:
    """An area cut into polygons of at most `most` corners, by halves of their boxes: each is quick to cut with.

    Examples
    --------
    >>> ring = shapely.Point(0, 0).buffer(10, quad_segs=64)
    >>> parts = in_small_parts(ring, 100)
    >>> len(parts), max(len(part.exterior.coords) for part in parts)
    (4, 67)
    >>> abs(sum(part.area for part in parts) - ring.area) < 1e-9
    True
    """
    pending, done = polygons_of(area), []
    while pending:
        part = pending.pop()
        west, south, east, north = part.bounds
        if shapely.get_num_coordinates(part) <= most or max(east - west, north - south) < SLIVER_M:
            done.append(part)
            continue
        if east - west > north - south:
            middle = (west + east) / 2
            halves = shapely.box(west, south, middle, north), shapely.box(middle, south, east, north)
        else:
            middle = (south + north) / 2
            halves = shapely.box(west, south, east, middle), shapely.box(west, middle, east, north)
        pending += [one for half in halves for one in polygons_of(shapely.intersection(part, half))]
    return done


def _ground(geometry: BaseGeometry) -> BaseGeometry:
    """Polygons only."""
    if geometry.geom_type in {"Polygon", "MultiPolygon"}:
        return geometry
    polygons = polygons_of(geometry)
    return polygons[0] if len(polygons) == 1 else MultiPolygon(polygons)
