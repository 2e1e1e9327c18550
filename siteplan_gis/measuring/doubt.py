"""How sure it is where runoff goes: the paths over elevations that are wrong by their error."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import shapely

from siteplan_gis.measures.runoff.ensemble import RUNS, repeat
from siteplan_gis.measures.runoff.flow import Trace
from siteplan_gis.model.comparison import compare, show
from siteplan_gis.model.measurement import AGREEING
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shapely import Point
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.ensemble import Run
    from siteplan_gis.measures.runoff.ground import Conditioned
    from siteplan_gis.measures.runoff.widening import Widening
    from siteplan_gis.measures.waterways.network import NetworkTrace
    from siteplan_gis.measuring.mapped_ways import MappedWays
    from siteplan_gis.model.measurement import Discharge

FEW_RUNS: Final = 10
"""Runs for each place where runoff leaves, beside those of the drawn outfalls: all of them must agree."""

_MOST_RIVALS: Final = 4
_DRAWN_CELLS: Final = 0.3
_UNSTATED_M: Final = 0.1
_OF_CELL: Final = 0.03


class Target(NamedTuple):
    """A water or wetland where a path ends."""

    geometry: BaseGeometry
    name: str
    kind: str


class Followed(NamedTuple):
    """A discharge, the water or wetland that it reaches, and the way that was found."""

    discharge: Discharge
    target: Target | None
    way: Trace | NetworkTrace | None
    start: Point
    also: tuple[Target, ...] = ()
    """Everything that any run reaches within the quarter mile."""
    over: Trace | None = None
    """The part of the way that runs over the ground; None where none does."""
    ways: MappedWays | None = None
    """The mapped lines that take the runoff where it meets them."""


def error_of(accuracy_m: float | None, cell_m: float) -> float:
    """Standard error of elevations in metres: the stated one, else 0.1 m (lidar of quality level 2), more where coarse.

    Examples
    --------
    >>> error_of(None, 1.0), error_of(0.3, 1.0), error_of(None, 10.0)
    (0.1, 0.3, 0.3)
    """
    return accuracy_m or max(_UNSTATED_M, _OF_CELL * cell_m)


def weighed(
    followed: Sequence[Followed],
    ground: Conditioned | Widening,
    listed: Sequence[Target],
    within_m: float,
    limit_m: float,
    error_m: float,
    barrier_m: float,
    near_m: float,
    same_m: float,
) -> list[Followed]:
    """Each discharge with how many runs end as it does; without an answer where too few do (see `ensemble.repeat`).

    What runs over drawn drainage lines does not hang on the elevations and stays as it is.
    """
    overland = [i for i, item in enumerate(followed) if item.over is not None and item.discharge.path is not None]
    found = list(followed)
    geometries = [target.geometry for target in listed]
    for ways in dict.fromkeys(followed[i].ways for i in overland):
        chosen = [i for i in overland if followed[i].ways is ways]
        starts = [followed[i].start for i in chosen]
        runs = [RUNS if followed[i].discharge.drawn else FEW_RUNS for i in chosen]
        goals = geometries if ways is None else [*geometries, *ways.shapes]
        ended = repeat(ground, starts, goals, limit_m, error_m, barrier_m, near_m, runs)
        if ways is not None:
            again = partial(
                repeat, ground, targets=geometries, limit_m=limit_m, error_m=error_m, barrier_m=barrier_m, near_m=near_m
            )
            ended = _led(ended, starts, ways, geometries, limit_m, again)
        for i, each in zip(chosen, ended, strict=True):
            found[i] = followed[i]._replace(
                discharge=_with_runs(followed[i], each, listed, within_m, same_m, error_m),
                also=tuple(
                    listed[index]
                    for index in sorted(
                        {run.reached for run in each if run.reached is not None and run.length_m <= within_m}
                    )
                ),
            )
    return found


def _led(
    ended: Sequence[Sequence[Run]],
    starts: Sequence[Point],
    ways: MappedWays,
    waters: Sequence[BaseGeometry],
    limit_m: float,
    again: Callable[..., list[list[Run]]],
) -> list[list[Run]]:
    """Runs with the ends that the mapped lines lead to which they meet; where those end, over the same ground on."""
    led = [
        [ways.run_led(run, start, waters, limit_m) for run in each] for each, start in zip(ended, starts, strict=True)
    ]
    places = dict.fromkeys(end.wkb for each in led for _, end in each if end is not None)
    if not places:
        return [[run for run, _ in each] for each in led]
    most = max(len(each) for each in led)
    on = dict(zip(places, again([shapely.from_wkb(place) for place in places], runs=[most] * len(places)), strict=True))
    return [
        [_gone_on(run, on[end.wkb][k], limit_m) if end else run for k, (run, end) in enumerate(each)] for each in led
    ]


def _gone_on(run: Run, tail: Run, limit_m: float) -> Run:
    length_m = run.length_m + tail.length_m
    if length_m > limit_m:
        return run._replace(reached=None, ends_because="farther_than_limit", length_m=length_m)
    return run._replace(reached=tail.reached, ends_because=tail.ends_because, length_m=length_m)


def _with_runs(
    each: Followed,
    runs: Sequence[Run],
    listed: Sequence[Target],
    within_m: float,
    same_m: float,
    error_m: float,
) -> Discharge:
    discharge = each.discharge
    own = _OTHERWISE.get(discharge.ends_because, discharge.receiving)
    if discharge.ends_because == "leaves_elevation_data" and isinstance(each.way, Trace) and each.way.at_window:
        own = _OTHERWISE["leaves_window"]
    if discharge.flow_distance_m is not None and compare(discharge.flow_distance_m, ">", within_m):
        own = _BEYOND
    ends = [_end(run, each.target, listed, within_m, same_m) for run in runs]
    agreeing = ends.count(own)
    lengths = [run.length_m for run, end in zip(runs, ends, strict=True) if end == own and run.reached is not None]
    spread, plus_minus = None, discharge.plus_minus_m
    sure = agreeing >= AGREEING * len(runs)
    if lengths and discharge.flow_distance_m is not None and plus_minus is not None:
        spread = min(lengths), max(lengths)
        plus_minus = max(plus_minus, *(abs(length - discharge.flow_distance_m) for length in spread))
        if own != _BEYOND:
            # Which water it is may be open; that it is one within the quarter mile is what the law asks.
            sure = sum(end not in _OTHERWISE.values() for end in ends) >= AGREEING * len(runs)
    within = discharge.within_quarter_mile
    if within is not None and discharge.flow_distance_m is not None and plus_minus is not None:
        within = compare(discharge.flow_distance_m, "<=", within_m, plus_minus)
    said = _said(own, ends, agreeing, spread, error_m)
    explanation = f"{discharge.explanation.rstrip('.')}; {said}." if discharge.explanation else f"{said}."
    if not sure:
        within, explanation = None, f"{said}."
    elif within is None and discharge.within_quarter_mile is not None:
        explanation = f"{said}: too near the limit to tell."
    others = (runs[ends.index(end)] for end in dict.fromkeys(ends) if end != own)
    return replace(
        discharge,
        within_quarter_mile=within,
        plus_minus_m=plus_minus,
        explanation=explanation,
        runs=len(runs),
        runs_agreeing=agreeing,
        flow_range_m=spread,
        rivals=discharge.rivals
        + tuple(run.ground.placed(run.path.simplify(_DRAWN_CELLS)) for run in others if run.path is not None)[
            :_MOST_RIVALS
        ],
    )


_BEYOND: Final = "go on beyond the quarter mile"
_OTHERWISE: Final = {
    "farther_than_limit": _BEYOND,
    "closed_depression": "stop in a closed depression",
    "barrier": "stop in a closed depression behind a road-like barrier",
    "leaves_elevation_data": "leave the elevation data",
    "network_ends": "are led along mapped lines that end without reaching a water",
    "at_edge_of_coverage": "are led along mapped lines that leave the ground of their map",
    "no_line": "meet a mapped line that leads nowhere",
    "leaves_window": "leave the elevation data that are read at once, which go on",
}


def _end(run: Run, own: Target | None, listed: Sequence[Target], within_m: float, same_m: float) -> str:
    """Where a run ends, in words: the water's name, or what it does instead.

    One water is often mapped twice, in pieces, or drawn on the plan too: what has the same kind and no other name and
    lies within `same_m` of the discharge's own water is the same.
    """
    if run.reached is None:
        return _OTHERWISE[run.ends_because]
    if run.length_m > within_m:
        return _BEYOND
    target = listed[run.reached]
    if own is None or target is own or target.kind != own.kind:
        return target.name
    named = not (target.name.startswith("unnamed ") or own.name.startswith("unnamed "))
    other = (named and target.name != own.name) or target.geometry.distance(own.geometry) > same_m
    return target.name if other else own.name


def _said(own: str, ends: Sequence[str], agreeing: int, spread: tuple[float, float] | None, error_m: float) -> str:
    def does(end: str) -> str:
        return end if end in _OTHERWISE.values() else f"reach {end}"

    runs = f"{agreeing} of {len(ends)} runs over elevations wrong by {show(feet(error_m), 1)} ft {does(own)}"
    if spread is not None:
        runs += f", at {show(feet(spread[0]), 0)} to {show(feet(spread[1]), 0)} ft"
    others = Counter(end for end in ends if end != own).most_common()
    return "; ".join([runs, *(f"{count} {does(end)}" for end, count in others)])


def profile(ground: Conditioned, path: BaseGeometry | None, places: int = 100) -> tuple[tuple[float, float], ...]:
    """Distance along a path and elevation there, both in metres; places without an elevation are left out."""
    if path is None or path.geom_type != "LineString" or path.length == 0:
        return ()
    along = [path.length * i / (places - 1) for i in range(places)]
    xy = shapely.get_coordinates(ground.pixels(shapely.multipoints(shapely.line_interpolate_point(path, along))))
    rows, cols = ground.z_m.shape
    told = []
    for distance, (x, y) in zip(along, xy, strict=True):
        if 0 <= x < cols and 0 <= y < rows and ground.z_m[int(y), int(x)] == ground.z_m[int(y), int(x)]:
            told.append((distance, float(ground.z_m[int(y), int(x)])))
    return tuple(told)
