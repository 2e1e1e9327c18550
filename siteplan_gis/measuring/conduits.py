"""What maps and the plan tell of the ways of runoff: pipes, lines through barriers, what keeps its water."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import shapely

from siteplan_gis.measures.runoff.ground import FINEST_CELL_M, condition_around
from siteplan_gis.measures.runoff.widening import Widening
from siteplan_gis.measures.waterways.outlets import without_outlet
from siteplan_gis.model.layers import SINK_KIND

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.ground import Conditioned
    from siteplan_gis.model.measurement import Method
    from siteplan_gis.model.site import Site
    from siteplan_gis.model.terrain import ElevationFile, ElevationGrid

NO_WAY: Final = frozenset({"coastline", "flow_direction", "pipeline", "other", SINK_KIND})
"""Kinds of lines that carry no surface runoff: supply pipelines run uphill."""

_OUTLETS: Final = ("outfall", "storm_sewer", "culvert", "drainage_pattern")


class Sink(NamedTuple):
    """What keeps its water, and the name a reviewer knows it by."""

    geometry: BaseGeometry
    name: str


class Conduits(NamedTuple):
    """Culverts (lines, places or areas), lines that lead through barriers, and mapped sinks, in the frame."""

    culverts: tuple[BaseGeometry, ...] = ()
    lines: tuple[BaseGeometry, ...] = ()
    sinks: tuple[Sink, ...] = ()

    @property
    def kept(self) -> tuple[BaseGeometry, ...]:
        """The geometries of the sinks."""
        return tuple(sink.geometry for sink in self.sinks)

    def ready(
        self, grid: ElevationGrid, around: BaseGeometry, source: ElevationFile | None, finest_m: float = FINEST_CELL_M
    ) -> Widening:
        """The ground around some places, made ready for paths, that is read wider where they need it."""

        def whole(wider: ElevationGrid) -> Conditioned:
            rows, cols = wider.shape
            everything = wider.placed(shapely.segmentize(shapely.box(0, 0, cols, rows), max(rows, cols) / 8))
            return condition_around(wider, everything, 0.0, self.culverts, self.lines, self.kept, finest_m)

        near = condition_around(
            grid, around, culverts=self.culverts, lines=self.lines, sinks=self.kept, finest_m=finest_m
        )
        return Widening(near, whole, source)


def find_conduits(site: Site, method: Method) -> Conduits:
    """Find culverts, leading lines and mapped sinks of a site; the plan's own ponds are told by `closed_ponds`.

    A mapped lake or pond without an outlet keeps its water where the drainage lines given cover the ground around it.
    """
    culverts = [feature.geometry for layer in site.layers.get("culverts", ()) for feature in layer.features]
    culverts += [feature.geometry for feature in site.plan.of("culvert")]
    flowlines = site.layers.get("flowlines", ())
    lines = [feature for layer in flowlines for feature in layer.features if feature.kind not in NO_WAY]
    sinks = []
    for role in ("waters", "flowlines"):
        for layer in site.layers.get(role, ()):
            reach = layer.source.accuracy_m if layer.source.accuracy_m is not None else method.unstated_accuracy_m
            for feature in layer.features:
                if feature.kind == SINK_KIND:
                    at = feature.geometry if feature.geometry.area else feature.geometry.buffer(reach)
                    sinks.append(Sink(at, feature.name or "a mapped sink"))
    areas = [
        feature
        for layer in site.layers.get("waters", ())
        for feature in layer.features
        if feature.kind in {"lake", "pond", "reservoir", "water"} and feature.geometry.area
    ]
    if flowlines and areas:
        covered = shapely.union_all([layer.coverage for layer in flowlines])
        shapely.prepare(covered)
        closed = without_outlet(
            [feature.geometry for feature in areas],
            [feature.geometry for feature in lines],
            method.network_gap_m,
            [feature.flow_known for feature in lines],
        )
        sinks += [
            Sink(feature.geometry, feature.name or f"unnamed {feature.kind}")
            for feature, alone in zip(areas, closed, strict=True)
            if alone and covered.contains(feature.geometry.buffer(method.network_gap_m))
        ]
    ways = [feature.geometry for feature in lines]
    ways += [feature.geometry for feature in site.plan.of("storm_sewer")]
    return Conduits(tuple(culverts), tuple(ways), tuple(sinks))


def closed_ponds(site: Site, method: Method) -> tuple[Sink, ...]:
    """Ponds of the plan that no drawn outlet is near to: runoff that comes to one is not followed over its rim."""
    outlets = shapely.union_all([feature.geometry for feature in site.plan.of(*_OUTLETS)])
    return tuple(
        Sink(feature.geometry, feature.name or "a pond that the plan draws")
        for feature in site.plan.of("pond")
        if feature.geometry.area and (outlets.is_empty or feature.geometry.distance(outlets) > method.control_near_m)
    )
