"""Downstream along drawn drainage: stream lines, ditches and storm sewers, each drawn in the direction of flow."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import LineString, MultiLineString, Point
from shapely.ops import substring

from siteplan_gis.measures.runoff.ground import away_from
from siteplan_gis.measures.waterways.drainage import JOINED_M, UPHILL_M, Network, stretch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.waterways.drainage import Heights
    from siteplan_gis.model.layers import ReferenceFeature

_BENT: Final = 2**0.5 - 1


@dataclass(frozen=True, slots=True, eq=False)
class NetworkTrace:
    """A path along drawn drainage.

    Attributes
    ----------
    path
        To the target reached, or else the longest way followed, cut at the limit; None where there is none.
    length_m
        Along the path, with the way from the start to the first line and with bridged gaps.
    straight_m
        From the start to the target reached, or else to the end of the path.
    reached
        Index of the nearest target over all branches, None where none was reached.
    ends_because
        "reached", "farther_than_limit", "network_ends", "at_edge_of_coverage", or "no_line" where no line is near.
    plus_minus_m
        Doubt about the straight pieces assumed: they may be bent (a right angle is 41 % longer).
    snapped
        Id of the first line; empty where no line is near enough.
    candidates
        Every line near enough to the start: id and distance in metres, nearest first.
    gaps
        Every bridged gap of the path: its line and its length in metres.
    followed
        All that was followed, every branch of every divergence.
    others
        Further targets that other branches reach within the limit: index and length in metres, nearest first.
    doubts
        Sentences: lines of doubtful direction, several candidates, lines passed over because the ground rises towards
        them.
    explanation
        One sentence.
    """

    path: LineString | None
    length_m: float
    straight_m: float
    reached: int | None
    ends_because: str
    plus_minus_m: float
    snapped: str = ""
    candidates: tuple[tuple[str, float], ...] = ()
    gaps: tuple[tuple[LineString, float], ...] = ()
    followed: MultiLineString | None = None
    doubts: tuple[str, ...] = ()
    explanation: str = ""
    others: tuple[tuple[int, float], ...] = ()

    @property
    def gaps_m(self) -> tuple[float, ...]:
        """Lengths of the bridged gaps in metres."""
        return tuple(length for _, length in self.gaps)


@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """A piece of a way: a straight bridge to `entry_m` along a line, then the line up to `exit_m`."""

    before: Leg | None
    bridge: LineString | None
    part: int
    entry_m: float
    exit_m: float
    length_m: float
    """Of the whole way before the line is entered."""


def trace_network(
    lines: Sequence[ReferenceFeature],
    start: Point,
    targets: Sequence[BaseGeometry],
    snap_m: float,
    gap_m: float,
    limit_m: float,
    height: Heights | None = None,
    coverage: BaseGeometry | None = None,
) -> NetworkTrace:
    """Follow drainage lines downstream from `start` along every branch to the nearest target.

    Pass a limit beyond the one of the law, and compare afterwards, where the distance itself is wanted.

    Parameters
    ----------
    lines
        Where a line names the ids downstream of it, these are followed; else the lines that its end meets, or the
        nearest one within `gap_m`.
    snap_m
        Farthest that the start may lie from a line.
    height
        Elevations in metres at points, NaN where unknown. With it, a line that the ground rises towards is not
        taken, and a line drawn uphill is named.
    coverage
        Ground that the lines cover: a network that ends at its edge goes on unseen.
    """
    return follow_network(Network(lines, gap_m, height), start, targets, snap_m, limit_m, coverage)


def follow_network(
    network: Network,
    start: Point,
    targets: Sequence[BaseGeometry],
    snap_m: float,
    limit_m: float,
    coverage: BaseGeometry | None = None,
) -> NetworkTrace:
    """As `trace_network`, on a network that many starts share."""
    shapes = np.asarray(targets, dtype=object)
    distances = away_from(start, targets, 0.0)
    if distances.size and distances.min() == 0:
        index = int(distances.argmin())
        return NetworkTrace(None, 0.0, 0.0, index, "reached", 0.0, explanation="The runoff starts in it.")
    gap_m, height = network.gap_m, network.height
    near = network.near(start, snap_m)
    candidates = tuple((network.parts[i].id, away) for i, away in near)
    open_ways, doubts = downhill(network, start, near, height)
    if not open_ways:
        why = f"No drainage line lies within {snap_m:.0f} m of the start"
        if near:
            why = f"The ground rises towards every drainage line within {snap_m:.0f} m of the start"
        return NetworkTrace(
            None, 0.0, 0.0, None, "no_line", 0.0, candidates=candidates, doubts=doubts, explanation=why + "."
        )
    nearest = open_ways[0][1]
    search = Search(network, shapes, start, gap_m, limit_m)
    for i, away in open_ways:
        if away <= nearest + 0.01:
            search.enter(None, start, i, 0.0)
    search.run()
    doubts += _others(search, network, open_ways, snap_m)
    return _answer(search, network, start, targets, candidates, doubts, coverage, gap_m, limit_m)


def downhill(
    network: Network, start: Point, near: list[tuple[int, float]], height: Heights | None
) -> tuple[list[tuple[int, float]], tuple[str, ...]]:
    """The lines that water can reach from the start, and a sentence on each that it cannot."""
    if height is None:
        return near, ()
    if not near:
        return [], ()
    legs = shapely.shortest_line(start, network.lines[[i for i, _ in near]])
    places = [
        shapely.line_interpolate_point(leg, np.linspace(0, leg.length, max(2, int(leg.length) + 1))) for leg in legs
    ]
    told = height(np.concatenate([[start], *places]))
    here = float(told[0])
    along = np.split(told[1:], np.cumsum([len(each) for each in places])[:-1])
    kept, doubts = [], []
    for (i, away), heights in zip(near, along, strict=True):
        rise = float(np.nanmax(heights)) - here if np.isfinite(heights).any() else np.nan
        if rise > UPHILL_M:
            name = network.parts[i].id
            doubts.append(
                f"The line {name}, {away:.0f} m away, was not taken: the ground rises {rise:.1f} m towards it"
            )
        else:
            kept.append((i, away))
    return kept, tuple(doubts)


def _others(search: Search, network: Network, open_ways: list[tuple[int, float]], snap_m: float) -> tuple[str, ...]:
    """A sentence if lines of other drainage than the one followed lie near the start too."""
    followed = {leg.part for leg in search.legs}
    apart = {network.parts[i].id for i, _ in open_ways if i not in followed and not followed & set(network.onward(i))}
    if not apart:
        return ()
    return (f"Other drainage lines lie within {snap_m:.0f} m of the start too: {', '.join(sorted(apart))}",)


class Search:
    """Ways downstream, the shortest first."""

    def __init__(
        self, network: Network, targets: np.ndarray[tuple[int], np.dtype[np.object_]], start: Point, gap_m: float,
        limit_m: float,
    ) -> None:  # fmt: skip
        self.network, self.targets, self.gap_m, self.limit_m = network, targets, gap_m, limit_m
        self.start = start
        self.tree = shapely.STRtree(targets) if targets.size else None
        self.queue: list[tuple[float, int, Leg]] = []
        self.order = count()
        self.entered: set[tuple[int, int]] = set()
        self.hits: dict[int, tuple[float, Leg, LineString | None]] = {}
        self.legs: list[Leg] = []
        self.ends: list[Leg] = []

    @property
    def hit(self) -> tuple[float, int, Leg, LineString | None] | None:
        """The nearest target met: length, index, the last leg, and a bridge after it."""
        if not self.hits:
            return None
        index = min(self.hits, key=lambda i: (self.hits[i][0], i))
        length, leg, bridge = self.hits[index]
        return length, index, leg, bridge

    def enter(self, before: Leg | None, place: Point, part: int, length_m: float) -> None:
        """Go from a place to the nearest point of a line, and along it every way that water may run there."""
        for way in self.network.ways(part):
            line = self.network.parts[way].line
            entry = float(shapely.line_locate_point(line, place))
            if before is not None and line.length - entry <= JOINED_M < line.length:
                continue
            bridge = shapely.shortest_line(place, line)
            if bridge.length > 0:
                last = Leg(before, bridge, way, entry, entry, length_m + bridge.length)
                if self._meet(bridge, length_m, last, bridge):
                    continue
            crossed = bridge if bridge.length > 0 else None
            leg = Leg(before, crossed, way, entry, line.length, length_m + bridge.length)
            heapq.heappush(self.queue, (leg.length_m, next(self.order), leg))

    def run(self) -> None:
        """Follow every way until it ends, meets a target, or is farther than the limit."""
        while self.queue:
            length, _, leg = heapq.heappop(self.queue)
            key = (leg.part, round(leg.entry_m * 10))
            if length > self.limit_m:
                self.ends.append(leg)
                continue
            if key in self.entered:
                continue
            self.entered.add(key)
            line = self.network.parts[leg.part].line
            piece = stretch(line, leg.entry_m, line.length) if self.tree is not None else None
            met = self._meet(piece, length, leg, None) if isinstance(piece, LineString) else None
            stop = line.length if met is None else leg.entry_m + met
            self.legs.append(leg if met is None else Leg(leg.before, leg.bridge, leg.part, leg.entry_m, stop, length))
            for place, i in self.network.leaving(leg.part, leg.entry_m):
                if place <= stop:
                    cut = Leg(leg.before, leg.bridge, leg.part, leg.entry_m, place, length)
                    self.enter(cut, line.interpolate(place), i, length + place - leg.entry_m)
            if met is not None:
                self.ends += [leg] if length + met > self.limit_m else []
                continue
            end = Point(line.coords[-1])
            so_far = length + line.length - leg.entry_m
            onward = self.network.onward(leg.part)
            for i in onward:
                self.enter(leg, end, i, so_far)
            if not onward:
                self.ends.append(leg)
            if not onward or all(self.network.parts[i].line.distance(end) > JOINED_M for i in onward):
                self._bridge_to_target(end, so_far, leg)

    def _bridge_to_target(self, end: Point, length_m: float, leg: Leg) -> None:
        """A network that ends just short of a target reaches it."""
        if self.tree is None:
            return
        for index in self.tree.query(end, predicate="dwithin", distance=self.gap_m):
            bridge = shapely.shortest_line(end, self.targets[index])
            total = length_m + bridge.length
            if bridge.length > 0:
                self._note(int(index), total, leg, bridge)

    def _meet(self, piece: LineString, length_m: float, leg: Leg, bridge: LineString | None) -> float | None:
        """Note the first target that a piece touches; returns how far along the piece, None where it touches none."""
        if self.tree is None:
            return None
        found = sorted(self.tree.query(piece, predicate="intersects").tolist())
        if not found:
            return None
        at = {}
        for index in found:
            touch = shapely.get_coordinates(piece.intersection(self.targets[index]))
            at[index] = float(shapely.line_locate_point(piece, shapely.points(touch)).min())
        index = min(found, key=lambda i: (at[i], i))
        along = at[index]
        if bridge is None:
            cut = Leg(leg.before, leg.bridge, leg.part, leg.entry_m, leg.entry_m + along, leg.length_m)
            self._note(index, length_m + along, cut, None)
        else:
            cut = Leg(leg.before, None, leg.part, 0.0, -1.0, length_m)
            self._note(index, length_m + along, cut, substring(bridge, 0, along))
        return along

    def _note(self, index: int, length_m: float, leg: Leg, bridge: LineString | None) -> None:
        if length_m <= self.limit_m and (index not in self.hits or length_m < self.hits[index][0]):
            self.hits[index] = (length_m, leg, bridge)


def _answer(
    search: Search,
    network: Network,
    start: Point,
    targets: Sequence[BaseGeometry],
    candidates: tuple[tuple[str, float], ...],
    doubts: tuple[str, ...],
    coverage: BaseGeometry | None,
    gap_m: float,
    limit_m: float,
) -> NetworkTrace:
    reached, last, tail = None, None, None
    if search.hit is not None:
        _, reached, last, tail = search.hit
        why, sentence = "reached", "The drainage reaches it after {:.0f} m"
    else:
        last = max(search.ends or search.legs, key=lambda leg: leg.length_m + leg.exit_m - leg.entry_m)
        why, sentence = short_of_targets(search, network, coverage, gap_m, limit_m)
    way = _way(last)
    pieces = _pieces(way, network, tail)
    path = _joined(pieces)
    if path is not None and reached is None and path.length > limit_m:
        path = substring(path, 0, limit_m)
    length = path.length if path is not None else 0.0
    bridges = [leg.bridge for leg in way[1:] if leg.bridge is not None and leg.bridge.length > JOINED_M]
    bridges += [tail] if tail is not None and tail.length > JOINED_M else []
    gaps = tuple((bridge, bridge.length) for bridge in bridges)
    assumed = sum(length for _, length in gaps) + (way[0].bridge.length if way[0].bridge is not None else 0.0)
    followed = [stretch(network.parts[leg.part].line, leg.entry_m, leg.exit_m) for leg in search.legs]
    doubts = (*doubts, *dict.fromkeys(doubt for leg in search.legs if (doubt := network.doubt(leg.part))))
    others = sorted((length, index) for index, (length, *_) in search.hits.items() if index != reached)
    said = sentence.format(length)
    if gaps:
        said += f", over {len(gaps)} bridged gap{'s' * (len(gaps) > 1)} ({', '.join(f'{g:.0f} m' for _, g in gaps)})"
    end = path.interpolate(length) if path is not None else start
    return NetworkTrace(
        path, length, float(shapely.distance(start, targets[reached])) if reached is not None else start.distance(end), reached, why,
        assumed * _BENT, network.parts[way[0].part].id, candidates, gaps,
        MultiLineString([line for line in followed if isinstance(line, LineString)]), doubts,
        "; ".join((said, *doubts)) + ".", tuple((index, length) for length, index in others),
    )  # fmt: skip


def short_of_targets(
    search: Search, network: Network, coverage: BaseGeometry | None, gap_m: float, limit_m: float
) -> tuple[str, str]:
    """Why no way reached a target: the branch that leaves most open decides."""
    ends = [leg for leg in search.ends if leg.length_m + leg.exit_m - leg.entry_m <= limit_m]
    if coverage is not None:
        for leg in ends:
            end = Point(network.parts[leg.part].line.coords[-1])
            if not coverage.contains(end) or coverage.boundary.distance(end) <= gap_m:
                return "at_edge_of_coverage", "The drainage lines leave the ground they cover after {:.0f} m"
    if len(ends) < len(search.ends):
        return "farther_than_limit", f"No target is met within {limit_m:.0f} m along the drainage lines"
    return "network_ends", "The drainage lines end after {:.0f} m without reaching a target"


def _way(last: Leg) -> list[Leg]:
    legs = []
    leg: Leg | None = last
    while leg is not None:
        legs.append(leg)
        leg = leg.before
    return legs[::-1]


def _pieces(way: list[Leg], network: Network, tail: LineString | None) -> list[LineString]:
    pieces = []
    for leg in way:
        pieces += [leg.bridge] if leg.bridge is not None else []
        if leg.exit_m > leg.entry_m:
            pieces.append(stretch(network.parts[leg.part].line, leg.entry_m, leg.exit_m))
    return pieces + ([tail] if tail is not None else [])


def _joined(pieces: list[LineString]) -> LineString | None:
    if not pieces:
        return None
    xy = np.vstack([shapely.get_coordinates(piece) for piece in pieces])
    kept = np.r_[True, (np.diff(xy, axis=0) != 0).any(axis=1)]
    return LineString(xy[kept]) if kept.sum() > 1 else None
