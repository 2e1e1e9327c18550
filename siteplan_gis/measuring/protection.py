"""Where the edge of the disturbed ground and its channels lie bare of controls, and where water is led around.

A control counts along the stretch that it runs beside, within the method's distance (see `measures.shapes.alongside`).
A tracking pad, an outlet's riprap and a ditch check close the gap that a fence leaves for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.runoff.catchments import first_met_m2, has_elevations
from siteplan_gis.measures.runoff.perimeter import DOWN, SIDE, UP
from siteplan_gis.measures.runoff.routing import NOWHERE
from siteplan_gis.measures.shapes.alongside import bare_stretches
from siteplan_gis.measuring.record import Taken, cannot, measured
from siteplan_gis.model.comparison import show
from siteplan_gis.model.controls import BARRIERS, FENCES, IN_CHANNELS, controls_of, labels
from siteplan_gis.units import FOOT_M, acres, feet

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.channels import Channels
    from siteplan_gis.measures.runoff.perimeter import Piece
    from siteplan_gis.measures.runoff.routing import Runoff
    from siteplan_gis.model.measurement import Method
    from siteplan_gis.model.plan import Plan
    from siteplan_gis.model.site import Site

_CLOSES_GAP: Final = BARRIERS | IN_CHANNELS | {"tracking_pad"}
_GAP_M: Final = 10 * FOOT_M
"""Shorter gaps between drawn controls, and between a control and the pad or outlet beside it, are drafting."""
_JOINED_M: Final = 1.0
"""Drawn pipes and inlets this near to each other are joined."""
_INLET_M: Final = 5.0
"""Water that comes this near to an inlet runs into it: noise of the elevations leads it past a single cell."""


def measure_bare_edge(site: Site, pieces: tuple[Piece, ...], method: Method) -> Taken:
    """The stretches down and beside the slope without a control, and how far their kind is doubtful."""
    taken = Taken()
    near_m = method.control_near_m
    things = [feature.geometry for feature in controls_of(site.plan, _CLOSES_GAP)]
    things += [feature.geometry for feature in site.plan.of("entrance")]
    sources = site.terrain.sources if site.terrain is not None else ()
    lefts = _bare(pieces, things, near_m)
    for kind, name in ((DOWN, "perimeter_down_bare_ft"), (SIDE, "perimeter_side_bare_ft")):
        bare, less_m, more_m = [], 0.0, 0.0
        for piece, left in zip(pieces, lefts, strict=True):
            if piece.kind in {DOWN, SIDE} - {kind}:
                continue
            if piece.kind == kind:
                bare += list(left.geoms)
                less_m += min(left.length, piece.doubtful_m[2])
            elif piece.kind == UP:
                more_m += min(left.length, piece.doubtful_m[1 if kind == SIDE else 0])
            else:
                more_m += left.length
        total_m = float(sum(line.length for line in bare))
        how = f"boundary of that kind along which no barrier, pad or outlet is drawn within {show(feet(near_m), 0)} ft, gaps under 10 ft left out"
        where = shapely.MultiLineString(bare) if bare else None
        taken.add(measured(name, feet(total_m), feet(max(less_m, more_m)), how, where, sources))
    return taken


def _bare(pieces: tuple[Piece, ...], things: list[BaseGeometry], near_m: float) -> list[shapely.MultiLineString]:
    """What is bare of each piece: of thousands, as the edges of holes are, most have none of the things near."""
    lines = [piece.line for piece in pieces]
    near: list[list[BaseGeometry]] = [[] for _ in lines]
    for piece, thing in shapely.STRtree(things).query(lines, predicate="dwithin", distance=near_m).T.tolist():
        near[piece].append(things[thing])
    return [bare_stretches(line, own, near_m, least_m=_GAP_M) for line, own in zip(lines, near, strict=True)]


def measure_bare_channels(site: Site, found: Channels, method: Method) -> Taken:
    """Edges of channels that come in from outside without a fence, and channels without any control in them."""
    taken = Taken()
    near_m = method.channel_edge_m
    fences = [feature.geometry for feature in controls_of(site.plan, FENCES | {"diversion", "buffer_strip"})]
    inside = _shape(site.plan, IN_CHANNELS)
    sources = site.terrain.sources if site.terrain is not None else ()
    around = _shape(site.plan, frozenset({"diversion"}))
    through = [
        channel.line
        for channel in found.channels
        if channel.from_outside
        and (around.is_empty or not shapely.dwithin(shapely.get_point(channel.line, 0), around, method.control_near_m))
    ]
    bare = [part for line in through for side in (1, -1) for part in bare_stretches(line, fences, near_m, side).geoms]
    how = f"edges, left and right, of channels that come in over the boundary, with no fence within {show(feet(near_m), 0)} ft"
    where = shapely.MultiLineString(through) if bare else None
    taken.add(
        measured("channel_edge_bare_ft", feet(float(sum(part.length for part in bare))), None, how, where, sources)
    )
    open_ = [
        channel.line
        for channel in found.channels
        if inside.is_empty or not shapely.dwithin(channel.line, inside, method.control_near_m)
    ]
    how = "length of channels in the disturbed ground with no check, trap, basin or dissipator in them"
    total_ft = feet(float(sum(line.length for line in open_)))
    where = shapely.MultiLineString(open_) if open_ else None
    taken.add(measured("channel_open_ft", total_ft, None, how, where, sources))
    return taken


def measure_inlets(site: Site, disturbed: BaseGeometry, runoff: Runoff) -> Taken:
    """The disturbed ground whose water each drawn inlet takes first, of all inlets, on the existing ground."""
    taken = Taken()
    inlets = [feature for feature in site.plan.of("inlet") if not feature.geometry.is_empty]
    if not inlets:
        return taken
    covers = [runoff.cover(feature.geometry.buffer(_INLET_M)) for feature in inlets]
    met = runoff.first_met(np.maximum.reduce(covers))
    comes = (runoff.cover(disturbed) > 0) & (met != NOWHERE)
    gathered = first_met_m2(runoff, met, comes)
    sources = site.terrain.sources if site.terrain is not None else ()
    how = f"disturbed ground that drains to within {show(feet(_INLET_M), 0)} ft of it first, on the existing ground"
    for name, feature, cover in zip(labels(inlets), inlets, covers, strict=True):
        key = f"inlet_disturbed_acres[{name}]"
        if not has_elevations(runoff, feature.geometry):
            taken.add(cannot(key, "it lies where there is no elevation", sources))
            continue
        taken.add(measured(key, acres(float(gathered[cover > 0].sum())), None, how, feature.geometry, sources))
    return taken


def piped_inlets(plan: Plan, basin: BaseGeometry) -> list[BaseGeometry]:
    """The ground around the inlets that drawn storm sewers lead to a basin: its water comes there, too."""
    sewers = [item.geometry for item in plan.of("storm_sewer") if not item.geometry.is_empty]
    reached, grown = [basin], True
    while grown:
        near = [sewer for sewer in sewers if any(shapely.dwithin(sewer, one, _JOINED_M) for one in reached)]
        sewers = [sewer for sewer in sewers if not any(sewer is one for one in near)]
        reached, grown = [*reached, *near], bool(near)
    return [
        item.geometry.buffer(_INLET_M)
        for item in plan.of("inlet")
        if any(shapely.dwithin(item.geometry, sewer, _JOINED_M) for sewer in reached[1:])
    ]


def _shape(plan: Plan, kinds: frozenset[str]) -> BaseGeometry:
    return shapely.union_all([feature.geometry for feature in controls_of(plan, kinds)])
