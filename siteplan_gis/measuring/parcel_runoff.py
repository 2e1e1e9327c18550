"""Where runoff leaves each of many parcels, followed on ground that was made ready once for all of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.runoff.drainage_field import receivers
from siteplan_gis.measures.runoff.flow import BARRIER_M
from siteplan_gis.measures.runoff.leaving_places import drawn_on, parcel_exits, ranked
from siteplan_gis.measures.runoff.widening import Widening
from siteplan_gis.measures.waterways.drainage import Network
from siteplan_gis.measuring.conduits import find_conduits
from siteplan_gis.measuring.discharges import certain, targets
from siteplan_gis.measuring.doubt import error_of, weighed
from siteplan_gis.measuring.following import FOLLOWED, follow, heights_of
from siteplan_gis.measuring.mapped_ways import mapped_lines, ways_of
from siteplan_gis.measuring.parcel_downstream import Told, listings, waters_below
from siteplan_gis.measuring.parcel_ground import reason_without
from siteplan_gis.measuring.receiving import measure_receiving
from siteplan_gis.measuring.record import Taken
from siteplan_gis.measuring.spilling import with_spill
from siteplan_gis.measuring.waters import accuracy_m, counted_features

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from siteplan_gis.measures.runoff.ground import Conditioned
    from siteplan_gis.measuring.doubt import Followed, Target
    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.layers import ReferenceFeature
    from siteplan_gis.model.measurement import Discharge, Measurement, Method
    from siteplan_gis.model.screening import Asked
    from siteplan_gis.model.site import Site

RUNOFF_CELL_M: Final = 2.0
"""Runoff of a parcel is followed on cells of at least this size: how it leaves is asked, not its last foot."""

_FOLLOWED_M: Final = 1000.0


class RunoffOfParcels:
    """Discharges of each parcel, and why nothing is told.

    Attributes
    ----------
    shares
        Of each parcel and discharge: the share of the parcel's runoff that the place stands for.
    named
        The first named water below the largest discharge that has one, or the reason why there is none.
    below
        Every water and wetland downstream; only of parcels that are asked about alone.
    listing
        Listed waters on the parcel and downstream.
    """

    def __init__(self, site: Site, parcels: NDArray[np.object_], asked: Asked, method: Method) -> None:
        size = len(parcels)
        self.discharges: list[tuple[Discharge, ...]] = [()] * size
        self.shares: list[tuple[float, ...]] = [()] * size
        self.flags: list[list[Flag]] = [[] for _ in parcels]
        self.reason = reason_without(site) if asked.runoff else "runoff was not asked for"
        if not self.reason and (site.terrain is None or site.terrain.grid is None):
            self.reason = "the elevation model has no values there"
        listed = targets(site)
        if not self.reason and not listed and not site.layers.get("waters") and not site.layers.get("wetlands"):
            self.reason = "no layer of waters or wetlands was given"
        self.below = [Told(None, self.reason)] * size
        if self.reason:
            self.named = [("", self.reason)] * size
            self.listing = listings(site, parcels, self.discharges, {}, method)
            return
        self._follow(site, parcels, listed, asked, method)
        values = _downstream(site, self.discharges, method)
        self.named = [_named(i, len(each), values) for i, each in enumerate(self.discharges)]
        self.listing = listings(site, parcels, self.discharges, values, method)

    def _follow(
        self, site: Site, parcels: NDArray[np.object_], listed: list[Target], asked: Asked, method: Method
    ) -> None:
        assert site.terrain is not None
        assert site.terrain.grid is not None
        known = find_conduits(site, method)
        all_of_them = shapely.box(*shapely.total_bounds(parcels))
        near = [one for one in listed if shapely.dwithin(one.geometry, all_of_them, _FOLLOWED_M)]
        by_role = [site.layers.get(role, ()) for role in ("waters", "wetlands")]
        near_m = accuracy_m([layer for given in by_role for layer in given], method)
        source = site.terrain.source
        together = known.ready(site.terrain.grid, all_of_them, source, RUNOFF_CELL_M)
        ground = together.ground
        barrier_m = max(BARRIER_M, site.terrain.accuracy_m or 0.0)
        shapes = [one.geometry for one in near]
        drained = ranked(receivers(ground, barrier_m), shapes, _groups(near), method.downstream_m)
        lines = [feature for layer in site.layers.get("flowlines", ()) for feature in layer.features]
        ways = ways_of(mapped_lines(site), site, method, heights_of(ground))
        leading = ways.shapes if ways is not None else []
        tree = shapely.STRtree(shapes)
        for reach_m in (0.0, near_m):
            ground.goal([*shapes, *leading], reach_m)
        limit_m = FOLLOWED * method.downstream_m
        for i, (parcel, drawn) in enumerate(zip(parcels, drawn_on(drained, parcels), strict=True)):
            taken, found = Taken(), []
            around = shapely.box(*shapely.bounds(parcel) + _FOLLOWED_M * np.array([-1, -1, 1, 1]))
            own = [near[k] for k in sorted(tree.query(around).tolist())]
            beside = ways.near(around) if ways is not None else None
            met = beside.shapes if beside is not None else []
            wide = Widening(ground.narrowed([*(one.geometry for one in own), *met]), None, source)
            path_from = partial(
                follow, ways=beside, listed=own, method=method, accuracy_m=near_m, barrier_m=barrier_m, sinks=known.sinks,
                drawn=False, told=asked.listed,
            )  # fmt: skip
            places = parcel_exits(drained, parcel, drawn, asked.exits)
            for number, (place, _) in enumerate(places, 1):
                name, flagged = f"runoff exit {number}", Taken()
                each = path_from(name, place, wide, taken=flagged)
                if wide.ready is None and each.way is not None and each.discharge.plus_minus_m is None:
                    # It hangs on ground beyond the window: from here on as if the parcel were alone.
                    wide = known.ready(site.terrain.grid, shapely.box(*parcel.bounds), source, RUNOFF_CELL_M)
                    flagged = Taken()
                    each = path_from(name, place, wide, taken=flagged)
                found.append(each)
                taken.flags += flagged.flags
            if asked.listed:
                wide.ready = together.ready
                found = _weighed(found, wide, own, site, method, barrier_m, near_m)
            found = [certain(each, own, by_role, method, near_m) for each in found]
            if asked.listed:
                found = [with_spill(each, wide.ground, own, limit_m, method.downstream_m) for each in found]
                self.below[i] = _below(found, wide.ground, lines, site, method, barrier_m, near_m)
            self.discharges[i] = tuple(each.discharge for each in found)
            self.shares[i], self.flags[i] = tuple(share for _, share in places), taken.flags


def _groups(near: list[Target]) -> list[int]:
    """A number for each target: the pieces of one named water have the same."""
    known: dict[tuple[str, str], int] = {}
    return [
        known.setdefault((one.kind, one.name), k) if not one.name.startswith("unnamed ") else k
        for k, one in enumerate(near)
    ]


def _weighed(
    found: list[Followed], wide: Widening, near: list[Target], site: Site, method: Method, barrier_m: float, near_m: float
) -> list[Followed]:  # fmt: skip
    assert site.terrain is not None
    error_m, limit_m = error_of(site.terrain.accuracy_m, wide.ground.cell_m), FOLLOWED * method.downstream_m
    return weighed(found, wide, near, method.downstream_m, limit_m, error_m, barrier_m, near_m, method.shown_within_m)


def _below(
    found: list[Followed], ground: Conditioned, lines: list[ReferenceFeature], site: Site, method: Method,
    barrier_m: float, near_m: float,
) -> Told:  # fmt: skip
    around = shapely.union_all([each.start for each in found]).buffer(_FOLLOWED_M)
    features = [one for each in counted_features(site).values() for one in each if one.geometry.intersects(around)]
    close = [line for line in lines if line.geometry.intersects(around)]
    network = Network(close, method.network_gap_m) if lines else None
    why = site.missing_layers.get("flowlines", "no layer of drainage lines was given")
    return waters_below(
        found, ground, features, network, f"{why}: followed on the ground alone", method, barrier_m, near_m
    )  # fmt: skip


def _downstream(site: Site, discharges: list[tuple[Discharge, ...]], method: Method) -> Mapping[str, Measurement]:
    """What `measure_receiving` tells of all discharges, whose ids are PARCEL:NUMBER."""
    every = tuple(
        replace(one, id=f"{i}:{number}") for i, each in enumerate(discharges) for number, one in enumerate(each)
    )
    return measure_receiving(site, every, method).values


def _named(parcel: int, count: int, values: Mapping[str, Measurement]) -> tuple[str, str]:
    """The first named water below the largest exit of a parcel that has one, or why there is none."""
    told = [values[f"first_named_water[{parcel}:{number}]"] for number in range(count)]
    name = next((str(one.value) for one in told if one.value is not None), "")
    reason = next((one.reason for one in told), "the elevation model has no values on the parcel")
    return name, "" if name else reason
