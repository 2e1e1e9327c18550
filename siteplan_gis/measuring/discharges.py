"""Runoff followed from each outfall, or from where it leaves the disturbed ground, to the first water."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.runoff.exits import Exit, runoff_exits
from siteplan_gis.measures.runoff.flow import BARRIER_M, Trace
from siteplan_gis.measures.runoff.ground import Conditioned
from siteplan_gis.measures.runoff.widening import Widening
from siteplan_gis.measures.shapes.coverage import uncovered
from siteplan_gis.measures.waterways.drainage import Network
from siteplan_gis.measures.waterways.network import follow_network
from siteplan_gis.measuring.barriers import with_barrier
from siteplan_gis.measuring.conduits import Sink, closed_ponds, find_conduits
from siteplan_gis.measuring.doubt import Followed, Target, error_of, profile, weighed
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.measuring.waters import COVERAGE_NOISE_M, accuracy_m, counted_features
from siteplan_gis.model.comparison import compare, show
from siteplan_gis.model.controls import labels
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.measurement import Discharge
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely import Point
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.waterways.drainage import Heights
    from siteplan_gis.measures.waterways.network import NetworkTrace
    from siteplan_gis.model.layers import ReferenceLayer
    from siteplan_gis.model.measurement import Method
    from siteplan_gis.model.site import Site
    from siteplan_gis.model.terrain import ElevationGrid


DATUM_DOUBT_M: Final = 1.5
_FOLLOWED: Final = 2.0
"""Runoff is followed this many times as far as the law asks, so that the distance itself is told."""

_CONCENTRATED: Final = 0.05
"""Runoff of this share of the disturbed ground through one short stretch of its edge is a discharge of its own."""

_LARGEST_DOUBT: Final = 0.15
"""A path whose length is more doubtful than this share of it (on level ground) tells nothing about what it misses."""


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
    lines = [feature for layer in site.layers.get("flowlines", ()) for feature in layer.features]
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
        network=Network(lines, method.network_gap_m, heights_of(near.ground if near else None)) if lines else None,
        listed=listed,
        method=method,
        accuracy_m=near_m,
        barrier_m=barrier_m,
        taken=taken,
        sinks=known.sinks,
    )
    followed = [followed_from(name, start, drawn=drawn) for name, drawn, start in starts + exits]
    if near is not None:
        error_m = error_of(vertical_m, near.ground.cell_m)
        limit_m = _FOLLOWED * method.downstream_m
        followed = weighed(
            followed, near, listed, method.downstream_m, limit_m, error_m, barrier_m, near_m, method.shown_within_m
        )
    followed = [certain(each, listed, by_role, method, near_m) for each in followed]
    followed = [with_barrier(each, site) for each in followed]
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


def follow(
    name: str,
    start: Point,
    ground: Conditioned | Widening | None,
    network: Network | None,
    listed: Sequence[Target],
    method: Method,
    accuracy_m: float,
    barrier_m: float,
    taken: Taken,
    sinks: Sequence[Sink] = (),
    *,
    drawn: bool,
    told: bool = True,
) -> Followed:
    """Follow runoff from one place along mapped drainage lines and the ground; what was met on the way is flagged.

    `network` knows the heights of `ground` (see `heights_of`). The profile of the path is made where it is `told`.
    """
    geometries = [target.geometry for target in listed]
    limit_m = _FOLLOWED * method.downstream_m
    wide = Widening(ground) if isinstance(ground, Conditioned) else ground
    ways: list[Trace | NetworkTrace] = []
    if network is not None:
        along = follow_network(network, start, geometries, method.network_snap_m, limit_m)
        if along.snapped:
            ways.append(along)
            _flag_network(name, along, taken)
    if wide is not None and not any(way.reached is not None for way in ways):
        overland = wide.follow(start, geometries, limit_m, barrier_m)
        if overland.reached is None:
            # A path in the stream's true bed never touches the stream's line on a map that lies beside it.
            beside = wide.follow(start, geometries, limit_m, barrier_m, accuracy_m)
            overland = beside if beside.reached is not None else overland
        ways.append(overland)
        _flag_ground(name, overland, taken)
    if not ways:
        text = "no elevation model was given and no drainage line lies near it"
        lost = Discharge(name, drawn, "", None, None, None, None, "no_elevation", start, None, explanation=text)
        return Followed(lost, None, None, start)
    way = min(ways, key=lambda item: (item.reached is None, item.length_m))
    reached = listed[way.reached] if way.reached is not None else None
    plus_minus = way.plus_minus_m + DATUM_DOUBT_M
    within: bool | None = None
    if reached is not None:
        within = compare(way.length_m, "<=", method.downstream_m, plus_minus)
    elif way.ends_because == "farther_than_limit" and plus_minus <= _LARGEST_DOUBT * way.length_m:
        within = False
    explanation = _for_reviewers(way.explanation)
    if isinstance(way, Trace) and way.sink is not None:
        explanation = f"{explanation.rstrip('.')}: {sinks[way.sink].name}."
    for ending, code in (
        ("closed_depression", "depression_closed"),
        ("barrier", "depression_closed"),
        ("leaves_elevation_data", "trace_leaves_elevation"),
    ):
        if way.ends_because == ending:
            taken.flags.append(Flag(code, f"{name}: {explanation}", feature=name))
    if within is None and reached is not None:
        explanation = (
            f"{reached.name} is reached after {show(feet(way.length_m), 0)} ± {show(feet(plus_minus), 0)} ft: "
            "too near the limit to tell"
        )
    ends = f"reached_{reached.kind}" if reached is not None else way.ends_because
    discharge = Discharge(
        name,
        drawn,
        reached.name if reached else "",
        reached.kind if reached else None,
        way.length_m if reached else None,
        way.straight_m if reached else None,
        within,
        ends,
        start,
        way.path,
        # Where the data go on unread, so may the path.
        None if isinstance(way, Trace) and way.at_window else plus_minus,
        drawn,
        explanation,
        profile=profile(wide.ground, way.path) if wide is not None and told else (),
    )
    return Followed(discharge, reached, way, start)


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


def _flag_ground(name: str, way: Trace, taken: Taken) -> None:
    if way.culverts:
        text = f"{name}: the runoff path was carried through {len(way.culverts)} drawn culvert{'s' * (len(way.culverts) > 1)}"
        taken.flags.append(Flag("culvert_assumed", text, feature=name))
    taken.flags.extend(
        Flag(
            "line_through_barrier",
            f"{name}: a mapped line led the runoff path through ground {show(feet(high), 1)} ft high",
            feature=name,
        )
        for _, high in way.led
    )
    taken.flags.extend(
        Flag(
            "depression_breached",
            f"{name}: the runoff path was carried through ponding {show(feet(depth), 1)} ft deep",
            feature=name,
        )
        for _, depth, _ in way.breached
    )


def _flag_network(name: str, along: NetworkTrace, taken: Taken) -> None:
    taken.flags.extend(
        Flag(
            "network_gap_bridged",
            f"{name}: a gap of {show(feet(gap), 0)} ft in the drainage lines was bridged",
            feature=name,
        )
        for _, gap in along.gaps
    )
    taken.flags.extend(
        Flag("network_doubt", f"{name}: {_for_reviewers(doubt)}", feature=name) for doubt in along.doubts
    )


def _for_reviewers(sentence: str) -> str:
    """A sentence of the measures in the reviewer's words: in feet, with waters for targets.

    Examples
    --------
    >>> _for_reviewers("No target is met within 805 m along the path, carried through 1 ponding up to 0.3 m deep.")
    'No water or wetland is met within 2,641 ft along the path, carried through 1 ponding up to 1.0 ft deep.'
    """

    def in_feet(length: re.Match[str]) -> str:
        return f"{show(feet(float(length[1])), int('.' in length[1]))} ft"

    return re.sub(r"(\d+(?:\.\d+)?) m\b", in_feet, sentence).replace("No target is met", "No water or wetland is met")


def heights_of(ground: Conditioned | None) -> Heights | None:
    """Elevations in metres of the cells below points, not a number where there is none; None without any ground."""
    if ground is None:
        return None
    rows, columns = ground.z_m.shape

    def heights(points: NDArray[np.object_]) -> NDArray[np.float64]:
        column, row = np.floor(shapely.get_coordinates(np.asarray(ground.pixels(points)))).T
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        told = np.full(len(points), np.nan)
        told[inside] = ground.z_m[row[inside].astype(np.int64), column[inside].astype(np.int64)]
        return told

    return heights


def _start(geometry: BaseGeometry) -> Point:
    """Where an outfall pours out: a point as it is, a line's last vertex, the middle of an area."""
    if geometry.geom_type == "Point":
        return geometry
    if geometry.geom_type in {"LineString", "MultiLineString"}:
        return shapely.get_point(shapely.get_geometry(geometry, -1), -1)
    return geometry.representative_point() if geometry.area else shapely.get_geometry(geometry, 0)
