"""All drainage lines downstream of a place to a stated distance, and the first named water on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from shapely import LineString

from siteplan_gis.measures.waterways.drainage import stretch
from siteplan_gis.measures.waterways.network import Search, downhill, short_of_targets

if TYPE_CHECKING:
    from shapely import Point
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.waterways.drainage import Network
    from siteplan_gis.model.layers import ReferenceFeature


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """A part of a line that takes the water of a place.

    Attributes
    ----------
    line
        The part that is followed, in the direction in which it is followed, cut at the distance.
    from_m
        Along the network from the place to where the reach begins, in metres.
    """

    feature: ReferenceFeature
    line: LineString
    from_m: float


@dataclass(frozen=True, slots=True, eq=False)
class Downstream:
    """What lies downstream of a place.

    Attributes
    ----------
    reaches
        Of every branch, nearest first.
    named
        Every name on the way and how far along it begins, in metres, nearest first: the first is the receiving water.
    ends_because
        "farther_than_limit" where the network goes on, "network_ends", "at_edge_of_coverage", or "no_line".
    gaps_m
        Lengths of all bridged gaps.
    doubts
        Sentences on doubtful directions, and on lines passed over.
    """

    reaches: tuple[Reach, ...]
    named: tuple[tuple[str, float], ...]
    ends_because: str
    gaps_m: tuple[float, ...] = ()
    doubts: tuple[str, ...] = ()


def downstream_reaches(
    network: Network, start: Point, distance_m: float, snap_m: float, coverage: BaseGeometry | None = None
) -> Downstream:
    """Follow drainage lines from a place along every branch for a distance (see `network.trace_network`)."""
    gap_m = network.gap_m
    open_ways, doubts = downhill(network, start, network.near(start, snap_m), network.height)
    if not open_ways:
        return Downstream((), (), "no_line", doubts=doubts)
    search = Search(network, np.empty(0, dtype=object), start, gap_m, distance_m)
    for i, away in open_ways:
        if away <= open_ways[0][1] + gap_m / 1000:
            search.enter(None, start, i, 0.0)
    search.run()
    first: dict[int, Reach] = {}
    for leg in search.legs:
        part = network.parts[leg.part]
        piece = stretch(part.line, leg.entry_m, min(leg.exit_m, leg.entry_m + distance_m - leg.length_m))
        known = first.get(leg.part)
        if isinstance(piece, LineString) and (known is None or piece.length > known.line.length):
            begins = leg.length_m if known is None else min(leg.length_m, known.from_m)
            first[leg.part] = Reach(part.feature, piece, begins)
    reaches = tuple(sorted(first.values(), key=lambda reach: (reach.from_m, reach.feature.id)))
    named: dict[str, float] = {}
    for reach in reaches:
        if reach.feature.name:
            named.setdefault(reach.feature.name, reach.from_m)
    gaps = [leg.bridge.length for leg in search.legs if leg.before is not None and leg.bridge is not None]
    told = tuple(dict.fromkeys(doubt for leg in search.legs if (doubt := network.doubt(leg.part))))
    return Downstream(
        reaches,
        tuple(sorted(named.items(), key=lambda pair: pair[1])),
        short_of_targets(search, network, coverage, gap_m, distance_m)[0],
        tuple(sorted(gaps)),
        doubts + told,
    )
