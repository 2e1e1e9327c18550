"""Where runoff leaves each of many parcels, followed on ground that was made ready once for all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.drainage_field import receivers
from siteplan_gis.measures.flow import BARRIER_M
from siteplan_gis.measures.ground import condition_around
from siteplan_gis.measures.leaving_places import parcel_exits, ranked
from siteplan_gis.measuring.discharges import certain, follow, targets
from siteplan_gis.measuring.parcel_ground import reason_without
from siteplan_gis.measuring.receiving import measure_receiving
from siteplan_gis.measuring.record import Taken
from siteplan_gis.measuring.waters import accuracy_m

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.layers import ReferenceFeature
    from siteplan_gis.model.measurement import Discharge, Method
    from siteplan_gis.model.screening import Asked
    from siteplan_gis.model.site import Site

_AROUND_M: Final = 900.0
_CELL_M: Final = 2.0
"""Runoff of a parcel is followed on cells of at least this size: how it leaves is asked, not its last foot."""

_FOLLOWED_M: Final = 1000.0


class RunoffOfParcels:
    """Discharges of each parcel, the name of the first named water below each, and why nothing is told.

    `named` maps the id of a discharge to the name, or to the reason why there is none after a colon.
    """

    def __init__(self, site: Site, parcels: NDArray[np.object_], asked: Asked, method: Method) -> None:
        size = len(parcels)
        self.discharges: list[tuple[Discharge, ...]] = [()] * size
        self.flags: list[list[Flag]] = [[] for _ in parcels]
        self.named: list[tuple[str, str]] = [("", "")] * size
        self.reason = reason_without(site) if asked.runoff else "runoff was not asked for"
        if not self.reason and (site.terrain is None or site.terrain.grid is None):
            self.reason = "the elevation model has no values there"
        listed = targets(site)
        if not self.reason and not listed and not site.layers.get("waters") and not site.layers.get("wetlands"):
            self.reason = "no layer of waters or wetlands was given"
        if self.reason:
            self.named = [("", self.reason)] * size
            return
        assert site.terrain is not None
        assert site.terrain.grid is not None
        culverts = [feature.geometry for layer in site.layers.get("culverts", ()) for feature in layer.features]
        all_of_them = shapely.box(*shapely.total_bounds(parcels))
        near = [one for one in listed if shapely.dwithin(one.geometry, all_of_them, _FOLLOWED_M)]
        ground = condition_around(site.terrain.grid, all_of_them, _AROUND_M, culverts, finest_m=_CELL_M)
        barrier_m = max(BARRIER_M, site.terrain.accuracy_m or 0.0)
        drained = ranked(receivers(ground, barrier_m))
        lines = [feature for layer in site.layers.get("flowlines", ()) for feature in layer.features]
        tree = shapely.STRtree([line.geometry for line in lines])
        by_role = [site.layers.get(role, ()) for role in ("waters", "wetlands")]
        near_m = accuracy_m([layer for given in by_role for layer in given], method)
        for i, parcel in enumerate(parcels):
            taken, found = Taken(), []
            for number, place in enumerate(parcel_exits(drained, parcel, asked.exits), 1):
                along: list[ReferenceFeature] = []
                if lines and len(tree.query(place, predicate="dwithin", distance=method.network_snap_m)):
                    window = shapely.box(*shapely.bounds(place) + _FOLLOWED_M * np.array([-1, -1, 1, 1]))
                    along = [lines[k] for k in sorted(tree.query(window).tolist())]
                way = follow(
                    f"runoff exit {number}", place, ground, along, near, method, near_m, barrier_m, taken, drawn=False
                )
                found.append(certain(way, near, by_role, method, near_m).discharge)
            self.discharges[i], self.flags[i] = tuple(found), taken.flags
        self.named = _named(site, self.discharges, method)


def _named(site: Site, discharges: list[tuple[Discharge, ...]], method: Method) -> list[tuple[str, str]]:
    """The first named water below the largest exit of each parcel that has one, or why there is none."""
    every = tuple(
        replace(one, id=f"{i}:{number}") for i, each in enumerate(discharges) for number, one in enumerate(each)
    )
    values = measure_receiving(site, every, method).values
    found = []
    for i, each in enumerate(discharges):
        told = [values[f"first_named_water[{i}:{number}]"] for number in range(len(each))]
        name = next((str(one.value) for one in told if one.value is not None), "")
        reason = next((one.reason for one in told), "the elevation model has no values on the parcel")
        found.append((name, "" if name else reason))
    return found
