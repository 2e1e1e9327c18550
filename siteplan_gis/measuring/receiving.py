"""What lies downstream of each discharge: the first named water, and every drainage line to a stated distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
import shapely.ops

from siteplan_gis.measures.waterways.drainage import Network
from siteplan_gis.measures.waterways.reaches import downstream_reaches
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.model.comparison import show
from siteplan_gis.model.flag import Flag
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from shapely import Point
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.layers import ReferenceFeature
    from siteplan_gis.model.measurement import Discharge, Method
    from siteplan_gis.model.site import Site

_AREA: Final = 2
_TOUCHES_M: Final = 1.0
_ENDS: Final = {
    "farther_than_limit": "",
    "network_ends": "the drainage lines end",
    "at_edge_of_coverage": "the drainage lines go on beyond the map that was read",
}


def measure_receiving(site: Site, discharges: tuple[Discharge, ...], method: Method) -> Taken:
    """Follow mapped drainage lines from the end of each discharge's path; nothing without discharges."""
    taken = Taken()
    layers = site.layers.get("flowlines", ())
    lines = [feature for layer in layers for feature in layer.features]
    sources = tuple(layer.source for layer in layers)
    coverage = shapely.union_all([layer.coverage for layer in layers]) if layers else None
    network = Network(lines, method.network_gap_m) if lines else None
    entering = _Entering(site, lines) if discharges else None
    for discharge in discharges:
        named, followed = f"first_named_water[{discharge.id}]", f"downstream_network_ft[{discharge.id}]"
        own = "" if discharge.receiving.startswith("unnamed ") else discharge.receiving
        if own and discharge.kind == "water":
            taken.add(measured(named, own, None, "the water that the runoff itself reaches", discharge.path, sources))
        if network is None or entering is None:
            why = site.missing_layers.get("flowlines", "no layer of drainage lines was given")
            taken.add(cannot(followed, why))
            taken.values.setdefault(named, cannot(named, why))
            continue
        start, through = entering.from_end(_end(discharge), method.network_snap_m)
        found = downstream_reaches(network, start, method.named_water_m, method.network_snap_m, coverage)
        if found.ends_because == "no_line":
            why = f"no drainage line lies within {show(feet(method.network_snap_m), 0)} ft of where the runoff was followed to"
            taken.add(cannot(followed, why, sources))
            taken.values.setdefault(named, cannot(named, why, sources))
            continue
        for doubt in found.doubts:
            taken.flags.append(Flag("network_doubt", f"{discharge.id}: {doubt}", feature=discharge.id))
        where = shapely.MultiLineString([reach.line for reach in found.reaches])
        ends = _ENDS[found.ends_because]
        how = f"drainage lines of every branch, {show(feet(method.named_water_m), 0)} ft downstream (assumed){through}"
        taken.add(measured(followed, feet(where.length), None, how, where, sources, ends))
        if found.named:
            name, away = found.named[0]
            others = ", ".join(other for other, _ in found.named[1:])
            said = f"{show(feet(away), 0)} ft along the drainage lines{through}" + (
                f"; then or beside it {others}" if others else ""
            )
            to = [reach.line for reach in found.reaches if reach.feature.name == name]
            taken.values.setdefault(named, measured(named, name, None, said, shapely.MultiLineString(to), sources))
        else:
            why = f"no line of {show(feet(where.length), 0)} ft followed has a name" + (f": {ends}" if ends else "")
            taken.values.setdefault(named, cannot(named, why, sources))
    return taken


class _Entering:
    """Where runoff enters the drainage lines: asked of many ends, so lines and areas are indexed once."""

    def __init__(self, site: Site, lines: list[ReferenceFeature]) -> None:
        self.lines = np.array([line.geometry for line in lines], dtype=object)
        features = [
            item.geometry
            for role in ("wetlands", "waters")
            for layer in site.layers.get(role, ())
            for item in layer.features
        ]
        self.areas = np.array([one for one in features if shapely.get_dimensions(one) == _AREA], dtype=object)
        self.line_tree, self.area_tree = shapely.STRtree(self.lines), shapely.STRtree(self.areas)
        self._met: dict[int, list[BaseGeometry]] = {}

    def from_end(self, end: Point, snap_m: float) -> tuple[Point, str]:
        """Where the drainage lines are entered, and in words by what way.

        Runoff that ends in a wetland or a pond goes on by the lines that meet it, from where they come nearest.
        """
        if not len(self.lines) or len(self.line_tree.query(end, predicate="dwithin", distance=snap_m)):
            return end, ""
        areas = sorted(self.area_tree.query(end, predicate="dwithin", distance=_TOUCHES_M).tolist())
        met = [part for k in areas for part in self._lines_of(k, snap_m)]
        if not met:
            return end, ""
        near = min(met, key=lambda part: float(shapely.distance(part, end)))
        return shapely.ops.nearest_points(near, end)[0], ", from where they meet the wetland or pond that it reaches"

    def _lines_of(self, k: int, snap_m: float) -> list[BaseGeometry]:
        """The parts of lines that meet an area; remembered, since many ends lie in one."""
        if k not in self._met:
            near = sorted(self.line_tree.query(self.areas[k], predicate="dwithin", distance=snap_m).tolist())
            wide = self.areas[k].buffer(snap_m) if near else None
            self._met[k] = [self.lines[i].intersection(wide) for i in near]
        return self._met[k]


def _end(discharge: Discharge) -> Point:
    """Where the runoff was followed to."""
    return shapely.get_point(discharge.path, -1) if discharge.path is not None else discharge.start
