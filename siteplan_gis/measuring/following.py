"""Runoff followed from one place: over the ground, along mapped lines that it meets, to the first water."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.runoff.flow import NOISE_M, Trace
from siteplan_gis.measures.runoff.ground import Conditioned
from siteplan_gis.measures.runoff.widening import Widening
from siteplan_gis.measures.waterways.network import follow_network
from siteplan_gis.measuring.doubt import Followed, Target, profile
from siteplan_gis.measuring.mapped_ways import gone_on
from siteplan_gis.model.comparison import compare, show
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
    from siteplan_gis.measuring.conduits import Sink
    from siteplan_gis.measuring.mapped_ways import MappedWays
    from siteplan_gis.measuring.record import Taken
    from siteplan_gis.model.measurement import Method

DATUM_DOUBT_M: Final = 1.5

FOLLOWED: Final = 2.0
"""Runoff is followed this many times as far as the law asks, so that the distance itself is told."""

_LARGEST_DOUBT: Final = 0.15
"""A path whose length is more doubtful than this share of it (on level ground) tells nothing about what it misses."""


def follow(
    name: str,
    start: Point,
    ground: Conditioned | Widening | None,
    ways: MappedWays | None,
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

    Where the start lies at a mapped line, that is followed; else the ground, and from where the path meets a mapped
    line on, the line. The network of `ways` knows the heights of `ground` (see `heights_of`). The profile of the path
    is made where it is `told`.
    """
    geometries = [target.geometry for target in listed]
    limit_m = FOLLOWED * method.downstream_m
    wide = Widening(ground) if isinstance(ground, Conditioned) else ground
    found: list[Trace | NetworkTrace] = []
    met: Trace | None = None
    if ways is not None:
        along = follow_network(ways.network, start, geometries, method.network_snap_m, limit_m)
        if along.snapped:
            found.append(along)
            _flag_network(name, along, taken)
            ways = None
    if wide is not None and not any(way.reached is not None for way in found):
        goals = geometries if ways is None else [*geometries, *ways.shapes]
        overland = _over_the_ground(wide, start, goals, limit_m, barrier_m, accuracy_m)
        led = ways.led(overland, start, geometries, limit_m) if ways is not None else None
        if led is not None and ways is not None:
            met = overland
            _flag_network(name, led, taken)
            if (high := ways.through_m(overland, led)) > NOISE_M:
                taken.flags.append(_through_barrier(name, high))
            if led.ends_because == "network_ends" and led.path is not None:
                end = shapely.get_point(led.path, -1)
                met = _over_the_ground(wide, end, geometries, limit_m - led.length_m, barrier_m, accuracy_m)
                _flag_ground(name, met, taken)
                led = gone_on(led, met, start, geometries, limit_m)
            found.append(led)
            taken.flags.append(Flag("mapped_line_followed", f"{name}: {_for_reviewers(led.explanation)}", feature=name))
        elif overland.reached is not None and overland.reached >= len(geometries):
            overland = _over_the_ground(wide, start, geometries, limit_m, barrier_m, accuracy_m)
        if led is None:
            found.append(overland)
        _flag_ground(name, overland, taken)
    if not found:
        text = "no elevation model was given and no drainage line lies near it"
        lost = Discharge(name, drawn, "", None, None, None, None, "no_elevation", start, None, explanation=text)
        return Followed(lost, None, None, start)
    way = min(found, key=lambda item: (item.reached is None, item.length_m))
    reached = listed[way.reached] if way.reached is not None else None
    over = met or (way if isinstance(way, Trace) else None)
    plus_minus = way.plus_minus_m + DATUM_DOUBT_M
    within: bool | None = None
    if reached is not None:
        within = compare(way.length_m, "<=", method.downstream_m, plus_minus)
    elif way.ends_because == "farther_than_limit" and plus_minus <= _LARGEST_DOUBT * way.length_m:
        within = False
    explanation = _for_reviewers(way.explanation)
    if over is not None and over.sink is not None:
        explanation = f"{explanation.rstrip('.')}: {sinks[over.sink].name}."
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
        None if over is not None and over.at_window else plus_minus,
        drawn,
        explanation,
        profile=profile(wide.ground, way.path) if wide is not None and told else (),
    )
    each = Followed(discharge, reached, way, start, over=over, ways=ways)
    if met is None or within is True or wide is None:
        return each
    return _with_ground_alone(
        each, _over_the_ground(wide, start, geometries, limit_m, barrier_m, accuracy_m), listed, method
    )


def _over_the_ground(
    wide: Widening, start: Point, goals: Sequence[BaseGeometry], limit_m: float, barrier_m: float, accuracy_m: float
) -> Trace:
    overland = wide.follow(start, goals, limit_m, barrier_m)
    if overland.reached is None:
        # A path in the stream's true bed never touches the stream's line on a map that lies beside it.
        beside = wide.follow(start, goals, limit_m, barrier_m, accuracy_m)
        overland = beside if beside.reached is not None else overland
    return overland


def _with_ground_alone(each: Followed, alone: Trace, listed: Sequence[Target], method: Method) -> Followed:
    """Where a mapped line leads to no water and the ground alone does, it cannot be told which is right."""
    if alone.reached is None or not compare(alone.length_m, "<=", method.downstream_m):
        return each
    text = (
        f"{each.discharge.explanation.rstrip('.')}; down the ground alone, past the line, it reaches "
        f"{listed[alone.reached].name} after {show(feet(alone.length_m), 0)} ft."
    )
    rivals = (alone.path,) if alone.path is not None else ()
    return each._replace(discharge=replace(each.discharge, within_quarter_mile=None, explanation=text, rivals=rivals))


def _flag_ground(name: str, way: Trace, taken: Taken) -> None:
    if way.culverts:
        text = f"{name}: the runoff path was carried through {len(way.culverts)} drawn culvert{'s' * (len(way.culverts) > 1)}"
        taken.flags.append(Flag("culvert_assumed", text, feature=name))
    taken.flags.extend(_through_barrier(name, high) for _, high in way.led)
    taken.flags.extend(
        Flag(
            "depression_breached",
            f"{name}: the runoff path was carried through ponding {show(feet(depth), 1)} ft deep",
            feature=name,
        )
        for _, depth, _ in way.breached
    )


def _through_barrier(name: str, high_m: float) -> Flag:
    text = f"{name}: a mapped line led the runoff path through ground {show(feet(high_m), 1)} ft high"
    return Flag("line_through_barrier", text, feature=name)


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

    told = re.sub(r"(\d+(?:\.\d+)?) m\b", in_feet, sentence)
    return told.replace("No target", "No water or wetland").replace("reaching a target", "reaching a water or wetland")


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
