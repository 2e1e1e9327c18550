"""What runs on to and off the disturbed ground: upslope ground, channels, kinds of its boundary, basins, stockpiles.

All on the existing ground. Areas that may take water from beyond the elevations are lower bounds: they have no
plus-minus, and their reason says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.measures.runoff.catchments import contributing_area, has_elevations, upslope_area
from siteplan_gis.measures.runoff.channels import find_channels
from siteplan_gis.measures.runoff.downslope import drainage_length, ways_to
from siteplan_gis.measures.runoff.drainage_field import receivers
from siteplan_gis.measures.runoff.flow import BARRIER_M
from siteplan_gis.measures.runoff.ground import condition_around
from siteplan_gis.measures.runoff.perimeter import DOWN, KINDS, SIDE, UP, classify_boundary, lengths
from siteplan_gis.measures.runoff.routing import route
from siteplan_gis.measuring.conduits import find_conduits
from siteplan_gis.measuring.ground import AREA_DOUBT
from siteplan_gis.measuring.protection import measure_bare_channels, measure_bare_edge, measure_inlets, piped_inlets
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.model.comparison import show
from siteplan_gis.model.controls import basins, controls_of, labels
from siteplan_gis.units import FOOT_M, acres, feet

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.channels import Channels
    from siteplan_gis.measures.runoff.perimeter import Piece
    from siteplan_gis.measures.runoff.routing import Runoff
    from siteplan_gis.model.measurement import Measurement, Method
    from siteplan_gis.model.plan import PlanFeature
    from siteplan_gis.model.site import Site
    from siteplan_gis.model.source import Source

_AROUND_M: Final = 900.0
_CELL_M: Final = 2.0
"""Areas are told to a few cells of their rim, so 2 m are fine enough; ways of a few feet take the finest cells."""

_PILE_REACH_M: Final = 150.0

_OF_DISTURBED: Final = (
    "offsite_upslope_acres", "offsite_sheet_flow_sqft", "offsite_channel_acres", "undiverted_sheet_flow_sqft",
    "undiverted_channel_acres", "channel_heads_in_disturbed",
    "channel_through_disturbed_ft", "channel_edge_bare_ft", "channel_open_ft", "perimeter_down_bare_ft",
    "perimeter_side_bare_ft", *(f"perimeter_{kind}_ft" for kind in KINDS),
)  # fmt: skip
_WORDS: Final = {
    DOWN: "the ground falls outward, or more than its share of the runoff leaves",
    SIDE: "the ground falls along it",
    UP: "the ground falls inward",
}


def measure_drainage(site: Site, shape: dict[str, BaseGeometry], method: Method) -> Taken:
    """Measure everything that needs the way of the water over the site's ground."""
    taken = Taken()
    ponds, piles = basins(site.plan), [pile for pile in site.plan.of("stockpile") if not pile.geometry.is_empty]
    disturbed = shape["disturbed"]
    for name, pond in zip(labels(ponds), ponds, strict=True):
        drawn = acres(pond.geometry.area)
        taken.add(
            measured(f"basin_acres[{name}]", drawn, drawn * AREA_DOUBT, "drawn area", pond.geometry, site.plan.sources)
        )
    reason = _unfit(site)
    if disturbed.area == 0:
        _cannot_disturbed(taken, "the plan draws no disturbed area")
    if reason:
        if disturbed.area > 0:
            _cannot_disturbed(taken, reason)
        for name in labels(ponds):
            taken.add(cannot(f"basin_drainage_acres[{name}]", reason))
            taken.add(cannot(f"basin_percent[{name}]", reason))
        for name in labels(piles):
            taken.add(cannot(f"stockpile_drainage_ft[{name}]", reason))
            taken.add(cannot(f"stockpile_drains_to[{name}]", reason))
        return taken
    around = [disturbed, *(feature.geometry for feature in (*ponds, *piles))]
    if all(area.is_empty for area in around):
        return taken
    runoff = _runoff(site, method, shapely.union_all(around), _AROUND_M, _CELL_M)
    if disturbed.area > 0 and not runoff.cover(disturbed).any():
        _cannot_disturbed(taken, "the elevation model has no values on the disturbed ground")
    elif disturbed.area > 0:
        _measure_upslope(site, shape, method, runoff, taken)
        partly = "" if has_elevations(runoff, disturbed) else "part of the disturbed ground has no elevation"
        channels, pieces = find_channels(runoff, disturbed, method.channel_m2), classify_boundary(runoff, disturbed)
        _measure_channels(site, channels, partly, taken)
        _measure_perimeter(site, pieces, taken)
        taken.values.update(measure_bare_channels(site, channels, method).values)
        taken.values.update(measure_bare_edge(site, pieces, method).values)
        taken.values.update(measure_inlets(site, disturbed, runoff).values)
    for name, pond in zip(labels(ponds), ponds, strict=True):
        ground = _basin(site, name, pond, runoff)
        taken.add(ground)
        taken.add(_share(name, pond, ground))
    for name, pile in zip(labels(piles), piles, strict=True):
        _measure_pile(site, name, pile, method, runoff, taken)
    return taken


def _unfit(site: Site) -> str:
    """Why the elevations cannot tell where water runs; empty where they can."""
    terrain = site.terrain
    if terrain is None or terrain.grid is None:
        return (
            terrain.reason
            if terrain is not None and terrain.reason
            else site.missing_layers.get("dem", "no elevation model was given")
        )
    return "the elevations are whole units: where water runs on their steps cannot be told" * terrain.whole_units


def _cannot_disturbed(taken: Taken, reason: str) -> None:
    for name in _OF_DISTURBED:
        taken.add(cannot(name, reason))


def _runoff(site: Site, method: Method, around: BaseGeometry, half_window_m: float, finest_m: float) -> Runoff:
    assert site.terrain is not None
    assert site.terrain.grid is not None
    known = find_conduits(site, method)
    ground = condition_around(
        site.terrain.grid, around, half_window_m, known.culverts, known.lines, known.kept, finest_m=finest_m
    )
    return route(receivers(ground, max(BARRIER_M, site.terrain.accuracy_m or 0.0)))


def _sources(site: Site) -> tuple[Source, ...]:
    return site.terrain.sources if site.terrain is not None else ()


def _measure_upslope(site: Site, shape: dict[str, BaseGeometry], method: Method, runoff: Runoff, taken: Taken) -> None:
    found = upslope_area(runoff, shape["disturbed"], method.channel_m2, shape["site"])
    diversions = [feature.geometry for feature in controls_of(site.plan, {"diversion"})]
    left = found
    if diversions:
        around = shapely.union_all(diversions)
        left = upslope_area(runoff, shape["disturbed"], method.channel_m2, shape["site"], led_around=around)
    how = f"ground outside the site that drains to the disturbed ground, on {show(feet(runoff.ground.cell_m), 1)}-ft cells"
    split = f"; channelised where {show(acres(method.channel_m2), 2)} acres or more drain through a cell (assumed)"
    sqft = FOOT_M**2
    every = shapely.union_all([found.sheet, found.channel])
    past = "; less what meets a drawn diversion first"
    acre = acres(1.0) ** -1
    for name, of, value_m2, unit_m2, where, said in (
        ("offsite_upslope_acres", found, found.area_m2, acre, every, how),
        ("offsite_sheet_flow_sqft", found, found.sheet_m2, sqft, found.sheet, how + split),
        ("offsite_channel_acres", found, found.channel_m2, acre, found.channel, how + split),
        ("undiverted_sheet_flow_sqft", left, left.sheet_m2, sqft, left.sheet, how + past + split),
        ("undiverted_channel_acres", left, left.channel_m2, acre, left.channel, how + past + split),
    ):
        # Half and twice the threshold tell how far the split hangs on it.
        split_m2 = max(abs(value - of.sheet_m2) for value in of.sheet_range_m2) if said != how else 0.0
        plus_minus = (of.plus_minus_m2 + split_m2) / unit_m2 if not of.at_least else None
        taken.add(measured(name, value_m2 / unit_m2, plus_minus, said, where, _sources(site), of.reason))


def _measure_channels(site: Site, found: Channels, partly: str, taken: Taken) -> None:
    how = f"channels where {show(acres(found.threshold_m2), 2)} acres or more drain through a cell (assumed)"
    count, (least, most) = len(found.heads), found.heads_range
    open_above = any(channel.at_least for channel in found.channels)
    reason = partly or ("a channel may begin farther up, beyond the elevations" if open_above else "")
    taken.add(
        measured(
            "channel_heads_in_disturbed",
            count,
            None if reason else float(max(count - least, most - count)),
            f"{how}; {least} to {most} for half to twice that",
            shapely.union_all(list(found.heads)) if found.heads else None,
            _sources(site),
            reason,
        )
    )
    lines = [channel.line for channel in found.channels]
    total_m = float(sum(line.length for line in lines))
    taken.add(
        measured(
            "channel_through_disturbed_ft",
            feet(total_m),
            None if reason else feet(0.05 * total_m),
            how,
            shapely.MultiLineString(lines) if lines else None,
            _sources(site),
            reason,
        )
    )


def _measure_perimeter(site: Site, pieces: tuple[Piece, ...], taken: Taken) -> None:
    for kind, (length_m, doubt_m) in lengths(pieces).items():
        own = [piece.line for piece in pieces if piece.kind == kind]
        taken.add(
            measured(
                f"perimeter_{kind}_ft",
                feet(length_m),
                feet(doubt_m),
                f"boundary of the disturbed ground where {_WORDS.get(kind, 'it is level or has no elevation')}",
                shapely.MultiLineString(own) if own else None,
                _sources(site),
            )
        )


def _basin(site: Site, name: str, pond: PlanFeature, runoff: Runoff) -> Measurement:
    piped = piped_inlets(site.plan, pond.geometry)
    found = contributing_area(runoff, shapely.union_all([pond.geometry, *piped]))
    key = f"basin_drainage_acres[{name}]"
    by_pipe = f", {len(piped)} inlets piped to it included" * bool(piped)
    if found.area_m2 is None:
        return cannot(key, found.reason, _sources(site))
    return measured(
        key,
        acres(found.area_m2),
        None if found.at_least else acres(found.plus_minus_m2),
        f"existing ground that drains to it, on and off the site, with its own{by_pipe}",
        found.polygon,
        _sources(site),
        found.reason,
    )


def _share(name: str, pond: PlanFeature, ground: Measurement) -> Measurement:
    """The surface of a basin in per cent of what drains to it; the most that it may be, where more may drain to it."""
    key = f"basin_percent[{name}]"
    if not isinstance(ground.value, float) or ground.value <= 0:
        return cannot(key, ground.reason or "no ground drains to it", ground.sources)
    surface, doubt = acres(pond.geometry.area), ground.plus_minus
    percent = 100.0 * surface / ground.value
    # The wider side: of less ground the surface is a larger share.
    least = max(ground.value - doubt, surface) if doubt is not None else ground.value
    plus_minus = 100.0 * surface / least - percent if doubt is not None else None
    how = "drawn surface over the existing ground that drains to it"
    return measured(key, percent, plus_minus, how, ground.where, ground.sources, ground.reason)


def _measure_pile(site: Site, name: str, pile: PlanFeature, method: Method, wide: Runoff, taken: Taken) -> None:
    length_key, meets_key = f"stockpile_drainage_ft[{name}]", f"stockpile_drains_to[{name}]"
    near = pile.geometry.buffer(_PILE_REACH_M)
    goals = _roads_and_channels(site, near, method, wide)
    finest = _runoff(site, method, pile.geometry, _PILE_REACH_M, 0.0)
    found = drainage_length(ways_to(finest, [goal for _, goal in goals]), pile.geometry)
    how = "shortest way down the existing ground from the edge of the pile"
    within = f"within {show(feet(_PILE_REACH_M), 0)} ft"
    if found.length_m is not None and found.goal is not None:
        kind = goals[found.goal][0]
        doubt = feet(found.plus_minus_m or 0.0)
        said = f"{how} to a {kind}"
        taken.add(measured(length_key, feet(found.length_m), doubt, said, found.path or pile.geometry, _sources(site)))
        taken.add(measured(meets_key, kind, None, how, found.path or pile.geometry, _sources(site)))
        return
    coverage = site.terrain.coverage if site.terrain is not None else None
    whole = coverage is not None and coverage.buffer(1.0).contains(pile.geometry.buffer(_PILE_REACH_M / 2))
    if found.at_edge and not whole:
        why = f"{found.reason or 'its runoff leaves the elevations'}: what it meets cannot be told"
        taken.add(cannot(length_key, why, _sources(site)))
        taken.add(cannot(meets_key, why, _sources(site)))
        return
    taken.add(cannot(length_key, f"its runoff meets no drawn or mapped road or channel {within}", _sources(site)))
    taken.add(measured(meets_key, "nothing", None, f"{how}, {within}", pile.geometry, _sources(site)))


def _roads_and_channels(site: Site, near: BaseGeometry, method: Method, wide: Runoff) -> list[tuple[str, BaseGeometry]]:
    """Roads, waters and channels near a place: drawn, mapped, and by the ground."""
    listed = [("road", feature.geometry) for feature in site.plan.of("road")]
    listed += [("water", feature.geometry) for feature in site.plan.of("surface_water")]
    for kind, roles in (("road", ("roads",)), ("water", ("waters", "flowlines"))):
        listed += [
            (kind, feature.geometry)
            for role in roles
            for layer in site.layers.get(role, ())
            for feature in layer.features
        ]
    listed = [(kind, shape) for kind, shape in listed if not shape.is_empty and shape.intersects(near)]
    channels = find_channels(wide, near, method.channel_m2).channels
    return listed + [("channel", channel.line) for channel in channels]
