"""Mapped lines that are no counted waters and take the runoff that meets them: ditches, artificial paths, streams.

Storm sewers and other buried lines take no runoff from the ground above; what comes to them along the network does.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import LineString, Point

from siteplan_gis.measures.waterways.drainage import Network
from siteplan_gis.measures.waterways.network import follow_network
from siteplan_gis.measuring.conduits import NO_WAY
from siteplan_gis.measuring.waters import accuracy_m
from siteplan_gis.model.layers import UNCOUNTED_KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.ensemble import Run
    from siteplan_gis.measures.runoff.flow import Trace
    from siteplan_gis.measures.waterways.drainage import Heights
    from siteplan_gis.measures.waterways.network import NetworkTrace
    from siteplan_gis.model.layers import ReferenceFeature
    from siteplan_gis.model.measurement import Method
    from siteplan_gis.model.site import Site

_BURIED: Final = frozenset({"underground", "connector", "pipeline"})
_ON_LINE_M: Final = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class MappedWays:
    """Mapped lines as a network, and those of them that runoff can come to over the ground.

    Attributes
    ----------
    entered
        The lines that take runoff from the ground beside them.
    near_m
        A line that is met so near to a counted water is taken for that water: maps are no truer.
    every, tree
        All lines that take runoff, of which `entered` may be some (see `near`), and an index of them.
    """

    network: Network
    entered: tuple[ReferenceFeature, ...]
    near_m: float
    every: tuple[ReferenceFeature, ...] = field(repr=False)
    tree: shapely.STRtree = field(repr=False)

    @property
    def shapes(self) -> list[BaseGeometry]:
        """The geometries of the lines that take runoff."""
        return [feature.geometry for feature in self.entered]

    def near(self, around: BaseGeometry) -> MappedWays:
        """Those that runoff can come to within some ground; the same network."""
        return replace(self, entered=tuple(self.every[k] for k in np.sort(self.tree.query(around))))

    def led(
        self, over: Trace, start: Point, waters: Sequence[BaseGeometry], limit_m: float
    ) -> NetworkTrace | None:  # fmt: skip
        """The whole way of runoff that comes over the ground to a line; None where it comes to none.

        `over` was followed to `waters` and, after them, `shapes`.
        """
        if over.reached is None or over.reached < len(waters):
            return None
        line = self.entered[over.reached - len(waters)]
        place = Point(over.path.coords[-1]) if over.path is not None else start
        along = self._along(place, waters, limit_m - over.length_m)
        if along is None:
            return None
        paths = [path for path in (over.path, along.path) if path is not None]
        path = LineString(np.vstack([shapely.get_coordinates(each) for each in paths])) if paths else None
        what = line.kind.replace("_", " ") or "line"
        sentence = along.explanation[:1].lower() + along.explanation[1:]
        return replace(
            along,
            path=path,
            length_m=over.length_m + along.length_m,
            straight_m=_straight_m(start, along.reached, waters, path),
            plus_minus_m=over.plus_minus_m + along.plus_minus_m,
            explanation=f"The runoff meets the mapped {what} {line.name or line.id} after {over.length_m:.0f} m and was "
            f"followed along it: from there, {sentence}",
        )

    def through_m(self, over: Trace, led: NetworkTrace) -> float:
        """How high the ground on the lines is above the place where runoff came to them, at the most, in metres."""
        if self.network.height is None or led.path is None:
            return 0.0
        count = max(2, int(led.path.length - over.length_m) + 1)
        along = np.linspace(over.length_m, led.path.length, count)
        heights = self.network.height(shapely.line_interpolate_point(led.path, along))
        return float(np.nanmax(heights) - heights[0]) if np.isfinite(heights).all() else 0.0

    def run_led(
        self, run: Run, start: Point, waters: Sequence[BaseGeometry], limit_m: float
    ) -> tuple[Run, Point | None]:  # fmt: skip
        """A run that may come to a line, with the end that the line leads to (see `led`), and where the line ends.

        The place is None where the line leads to a water, or farther than the limit.
        """
        if run.reached is None or run.reached < len(waters):
            return run, None
        place = run.ground.placed(Point(run.path.coords[-1])) if run.path is not None else start
        place = shapely.shortest_line(place, self.entered[run.reached - len(waters)].geometry).coords[1]
        along = self._along(Point(place), waters, limit_m - run.length_m)
        if along is None:
            away = shapely.distance(np.asarray(waters, dtype=object), Point(place))
            return run._replace(reached=int(np.nanargmin(away)), length_m=run.length_m + float(np.nanmin(away))), None
        end = Point(along.path.coords[-1]) if along.path is not None else Point(place)
        led = run._replace(
            reached=along.reached, ends_because=along.ends_because, length_m=run.length_m + along.length_m
        )
        return led, end if along.ends_because == "network_ends" else None

    def _along(self, place: Point, waters: Sequence[BaseGeometry], limit_m: float) -> NetworkTrace | None:
        """Down the network from a place on it; None where a counted water lies as near as the maps are sure."""
        if len(waters) and shapely.dwithin(np.asarray(waters, dtype=object), place, self.near_m).any():
            return None
        return follow_network(self.network, place, waters, _ON_LINE_M, max(limit_m, 0.0))


def gone_on(
    led: NetworkTrace, tail: Trace, start: Point, waters: Sequence[BaseGeometry], limit_m: float
) -> NetworkTrace:  # fmt: skip
    """A way along mapped lines, and from their end on over the ground."""
    paths = [path for path in (led.path, tail.path) if path is not None]
    path = LineString(np.vstack([shapely.get_coordinates(each) for each in paths])) if paths else None
    length_m = led.length_m + tail.length_m
    reached = tail.reached if length_m <= limit_m else None
    sentence = tail.explanation[:1].lower() + tail.explanation[1:]
    return replace(
        led,
        path=path,
        length_m=length_m,
        straight_m=_straight_m(start, reached, waters, path),
        reached=reached,
        ends_because=tail.ends_because if reached == tail.reached else "farther_than_limit",
        plus_minus_m=led.plus_minus_m + tail.plus_minus_m,
        explanation=f"{led.explanation.rstrip('.')}; from their end on over the ground, {sentence}",
    )


def mapped_lines(site: Site) -> list[ReferenceFeature]:
    """All drainage lines given, with those of the waters that are no waters by themselves."""
    lines = [feature for layer in site.layers.get("flowlines", ()) for feature in layer.features]
    return lines + [
        feature
        for layer in site.layers.get("waters", ())
        for feature in layer.features
        if feature.kind in UNCOUNTED_KINDS and feature.kind not in NO_WAY and feature.geometry.length > 0
    ]


def ways_of(
    lines: Sequence[ReferenceFeature], site: Site, method: Method, heights: Heights | None
) -> MappedWays | None:  # fmt: skip
    """The network of `lines`; None where there are none. It knows the heights of the ground (see `heights_of`)."""
    if not lines:
        return None
    maps = [layer for role in ("waters", "wetlands", "flowlines") for layer in site.layers.get(role, ())]
    entered = tuple(
        one for one in lines if one.kind not in NO_WAY and one.kind not in _BURIED and one.geometry.length > 0
    )
    near_m = max(accuracy_m(maps, method), method.network_gap_m)
    tree = shapely.STRtree([one.geometry for one in entered])
    return MappedWays(Network(lines, method.network_gap_m, heights), entered, near_m, entered, tree)


def _straight_m(start: Point, reached: int | None, waters: Sequence[BaseGeometry], path: LineString | None) -> float:
    if reached is not None:
        return float(shapely.distance(start, waters[reached]))
    return float(start.distance(Point(path.coords[-1]))) if path is not None else 0.0
