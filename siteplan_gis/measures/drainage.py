"""Drawn drainage lines as a network: which lines lie near a place, and which take the water of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import LineString, Point

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from siteplan_gis.model.layers import ReferenceFeature

JOINED_M: Final = 0.5
"""Lines nearer than this meet: coordinates of one network differ by rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One drawn line, in the direction of flow."""

    id: str
    line: LineString
    downstream: tuple[str, ...]


class Network:
    """Drawn lines with an index."""

    def __init__(self, lines: Sequence[ReferenceFeature], gap_m: float) -> None:
        self.gap_m = gap_m
        self.parts: list[Part] = []
        self.by_id: dict[str, list[int]] = {}
        for feature in lines:
            for part in shapely.get_parts(shapely.line_merge(shapely.force_2d(feature.geometry), directed=True)):
                if isinstance(part, LineString) and part.length > 0:
                    self.by_id.setdefault(feature.id, []).append(len(self.parts))
                    self.parts.append(Part(feature.id, part, feature.downstream))
        self.lines = np.array([part.line for part in self.parts], dtype=object)
        self.tree = shapely.STRtree(self.lines)
        self.starts = shapely.STRtree(shapely.get_point(self.lines, 0))

    def near(self, place: Point, within_m: float) -> list[tuple[int, float]]:
        """Lines within a distance, nearest first."""
        found = self.tree.query(place, predicate="dwithin", distance=within_m)
        away = shapely.distance(self.lines[found], place)
        return sorted(
            ((int(i), float(d)) for i, d in zip(found, away, strict=True)), key=lambda pair: (pair[1], pair[0])
        )

    def onward(self, part: int) -> list[int]:
        """Lines that take the water at the end of a line."""
        this = self.parts[part]
        end = Point(this.line.coords[-1])
        meeting = [i for i, _ in self.near(end, JOINED_M) if i != part and self._goes_on(i, end)]
        if this.downstream:
            own = [i for i in meeting if self.parts[i].id == this.id]
            named = [i for name in this.downstream for i in self._entrance(name, end)]
            if own or named:
                return own or named
        if meeting:
            return meeting
        for i, away in self.near(end, self.gap_m):
            if i != part and away > JOINED_M and self._goes_on(i, end):
                return [i]
        return []

    def leaving(self, part: int, from_m: float) -> Iterator[tuple[float, int]]:
        """Lines that begin along the course of a line, not at its end, with their place in metres."""
        line = self.parts[part].line
        for i in self.starts.query(line, predicate="dwithin", distance=JOINED_M):
            if i == part:
                continue
            place = float(shapely.line_locate_point(line, Point(self.lines[i].coords[0])))
            if from_m <= place < line.length - JOINED_M:
                yield place, int(i)

    def _entrance(self, name: str, end: Point) -> list[int]:
        """Of a feature in several pieces, the one that begins nearest to `end`."""
        return sorted(self.by_id.get(name, ()), key=lambda i: Point(self.parts[i].line.coords[0]).distance(end))[:1]

    def _goes_on(self, part: int, place: Point) -> bool:
        line = self.parts[part].line
        return bool(shapely.line_locate_point(line, place) < line.length - JOINED_M)
