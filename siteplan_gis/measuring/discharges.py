"""Runoff followed from each outfall, or from where it leaves the disturbed ground, to the first water."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.measures.runoff.exits import Exit, runoff_exits
from siteplan_gis.measures.runoff.flow import BARRIER_M
from siteplan_gis.measures.shapes.coverage import uncovered
from siteplan_gis.measuring.barriers import with_barrier
from siteplan_gis.measuring.conduits import closed_ponds, find_conduits
from siteplan_gis.measuring.doubt import Followed, Target, error_of, weighed
from siteplan_gis.measuring.following import DATUM_DOUBT_M, FOLLOWED, follow, heights_of
from siteplan_gis.measuring.mapped_ways import mapped_lines, ways_of
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.measuring.spilling import with_spill
from siteplan_gis.measuring.waters import COVERAGE_NOISE_M, accuracy_m, counted_features
from siteplan_gis.model.comparison import compare
from siteplan_gis.model.controls import labels
from siteplan_gis.model.flag import Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely import Point
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.widening import Widening
    from siteplan_gis.model.layers import ReferenceLayer
    from siteplan_gis.model.measurement import Discharge, Method
    from siteplan_gis.model.site import Site
    from siteplan_gis.model.terrain import ElevationGrid


_CONCENTRATED: Final = 0.05
"""Runoff of this share of the disturbed ground through one short stretch of its edge is a discharge of its own."""


def targets(site: Site) -> list[Target]:
    """Mapped and drawn waters and wetlands, each with the name a reviewer knows it by."""
    features = counted_features(site)
    listed = [
        Target(feature.geometry, feature.name or f"unnamed {feature.kind.replace('_', ' ')}", kind)
        for kind, role in (("water", "waters"), ("wetland", "wetlands"))
        for feature in features[role]
    ]
    drawn = [
        Target(feature.geometry, feature.name or f"unnamed {kind} that the plan draws", kind)
        for kind, role in (("water", "surface_water"), ("wetland", "wetland"))
        for feature in site.plan.of(role)
    ]
    return listed + drawn


def measure_discharges(
    site: Site, shape: dict[str, BaseGeometry], method: Method
) -> tuple[Taken, tuple[Discharge, ...]]:
    """Follow every outfall along mapped drainage lines and the ground."""
    taken = Taken()
    listed = targets(site)
    outfalls = site.plan.of("outfall")
    grid = site.terrain.grid if site.terrain is not None else None
    lines = mapped_lines(site)
    if not site.layers.get("waters") and not site.layers.get("wetlands") and not listed:
        taken.add(cannot("discharge_count", "no layer of waters or wetlands was given"))
        return taken, ()
    if grid is None and not (lines and outfalls):
        reason = (
            site.terrain.reason
            if site.terrain is not None and site.terrain.reason
            else site.missing_layers.get("dem", "no elevation model was given")
        )
        taken.add(cannot("discharge_count", f"runoff cannot be followed: {reason}"))
        return taken, ()
    mapped_only = find_conduits(site, method)
    known = mapped_only._replace(sinks=(*mapped_only.sinks, *closed_ponds(site, method)))
    starts: list[tuple[str, bool, Point]] = [
        (name, True, _start(feature.geometry)) for name, feature in zip(labels(outfalls), outfalls, strict=True)
    ]
    ground = shape["disturbed"] if not shape["disturbed"].is_empty else shape["construction_site"]
    near: Widening | None = None
    exits: list[tuple[str, bool, Point]] = []
    places: tuple[Exit, ...] = ()
    if grid is not None:
        geometries = [target.geometry for target in listed]
        if ground.area > 0:
            places = runoff_exits(
                grid, ground, targets=geometries, limit_m=method.downstream_m, culverts=known.culverts,
                lines=known.lines, sinks=mapped_only.kept,
            )  # fmt: skip
        exits = [(f"runoff exit {number}", False, place) for number, (place, _) in enumerate(places, 1)]
        if starts or exits:
            around = shapely.union_all([point for _, _, point in starts + exits])
            near = known.ready(grid, around, site.terrain.source if site.terrain is not None else None)
    if not starts:
        text = f"no outfall is drawn: runoff was followed from {len(exits)} places where it leaves the disturbed ground"
        taken.flags.append(Flag("discharge_assumed", text))
    by_role = [site.layers.get(role, ()) for role in ("waters", "wetlands")]
    mapped = [layer for given in by_role for layer in given]
    vertical_m = site.terrain.accuracy_m if site.terrain is not None else None
    near_m, barrier_m = accuracy_m(mapped, method), max(BARRIER_M, vertical_m or 0.0)
    followed_from = partial(
        follow,
        ground=near,
        ways=ways_of(lines, site, method, heights_of(near.ground if near else None)),
        listed=listed,
        method=method,
        accuracy_m=near_m,
        barrier_m=barrier_m,
        taken=taken,
        sinks=known.sinks,
    )
    followed = [followed_from(name, start, drawn=drawn) for name, drawn, start in starts + exits]
    limit_m = FOLLOWED * method.downstream_m
    if near is not None:
        error_m = error_of(vertical_m, near.ground.cell_m)
        followed = weighed(
            followed, near, listed, method.downstream_m, limit_m, error_m, barrier_m, near_m, method.shown_within_m
        )
    followed = [certain(each, listed, by_role, method, near_m) for each in followed]
    followed = [with_barrier(each, site) for each in followed]
    if near is not None:
        followed = [with_spill(each, near.ground, listed, limit_m, method.downstream_m) for each in followed]
    if starts:
        least_m2 = min(method.channel_m2, _CONCENTRATED * ground.area)
        concentrated = [place.area_m2 is not None and place.area_m2 >= least_m2 for place in places]
        drawn, undrawn = followed[: len(starts)], followed[len(starts) :]
        followed = drawn + _further(drawn, undrawn, concentrated, method.shown_within_m)
    found = [each.discharge for each in followed]
    _note_unfollowed(site, grid, ground, exits, method, taken)
    taken.add(
        measured(
            "discharge_count",
            len(found),
            None,
            "drawn outfalls" if outfalls else "places where runoff leaves the disturbed ground",
        )
    )
    return taken, tuple(found)


def _note_unfollowed(
    site: Site, grid: ElevationGrid | None, ground: BaseGeometry, exits: Sequence[object], method: Method, taken: Taken
) -> None:
    """Say where it is not known at all where the runoff of the disturbed ground leaves."""
    if ground.area == 0:
        reason = "the plan draws no ground that runoff could leave"
    elif grid is None:
        reason = site.missing_layers.get("dem", "no elevation model was given")
        reason = site.terrain.reason if site.terrain is not None and site.terrain.reason else reason
    elif not exits:
        reason = "the elevation model has no values on the disturbed ground"
    elif _without_elevation_m2(site, ground) > method.steep_noise_m2:
        reason = "part of the disturbed ground has no elevation"
    else:
        taken.add(measured("runoff_exit_count", len(exits), None, "places on the edge of the disturbed ground"))
        return
    taken.add(cannot("runoff_exit_count", reason))


def _without_elevation_m2(site: Site, ground: BaseGeometry) -> float:
    known = site.terrain.coverage if site.terrain is not None else None
    return float(ground.area if known is None else ground.difference(known).area)


def _further(
    drawn: Sequence[Followed], undrawn: Sequence[Followed], concentrated: Sequence[bool], shown_m: float
) -> list[Followed]:
    """Runoff that no drawn outfall stands for: it reaches another water, or cannot be followed to its end.

    Waters are told by their own geometry, since most have no name; what lies within `shown_m` of one is taken as the
    same. Concentrated runoff to the same water is a second discharge, unless it comes within `shown_m` of a drawn
    outfall or of its path; what runs off along a whole side is none,
    nor is a water that lies on the disturbed ground itself.
    """
    shown = [each for each in drawn if each.target is not None and each.discharge.within_quarter_mile is not False]
    reached = shapely.union_all([each.target.geometry for each in shown if each.target is not None])
    ways = shapely.union_all([_way(each) for each in shown])
    return [
        each
        for each, gathers in zip(undrawn, concentrated, strict=True)
        if each.discharge.within_quarter_mile is not False
        and (
            each.target is None
            or reached.is_empty
            or any(target.geometry.distance(reached) > shown_m for target in (each.target, *each.also))
            or (gathers and _way(each).distance(ways) > shown_m)
        )
    ]


def _way(each: Followed) -> BaseGeometry:
    path = each.discharge.path
    return each.start if path is None else shapely.union_all([each.start, path])


def certain(
    each: Followed, listed: Sequence[Target], layers: Sequence[Sequence[ReferenceLayer]], method: Method, near_m: float
) -> Followed:
    """A path is never shorter than the straight line: where every water lies farther off, the answer is no.

    Only where each kind of layer given (`layers`: those of each role together) covers the whole of that circle.
    """
    if each.discharge.within_quarter_mile is not None:
        return each
    away = min((target.geometry.distance(each.start) for target in listed), default=math.inf)
    if not compare(away - near_m - DATUM_DOUBT_M, ">", method.downstream_m):
        return each
    around = each.start.buffer(method.downstream_m)
    if any(uncovered(around, [layer.coverage for layer in given], COVERAGE_NOISE_M) for given in layers if given):
        return each
    text = "No water or wetland that was given lies within a quarter mile even in a straight line"
    return each._replace(discharge=replace(each.discharge, within_quarter_mile=False, explanation=text))


def _start(geometry: BaseGeometry) -> Point:
    """Where an outfall pours out: a point as it is, a line's last vertex, the middle of an area."""
    if geometry.geom_type == "Point":
        return geometry
    if geometry.geom_type in {"LineString", "MultiLineString"}:
        return shapely.get_point(shapely.get_geometry(geometry, -1), -1)
    return geometry.representative_point() if geometry.area else shapely.get_geometry(geometry, 0)
