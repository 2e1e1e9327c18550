"""Slopes of each of many parcels, and what is left of them when steep and wet ground is taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from siteplan_gis.measures.shapes.coverage import in_one
from siteplan_gis.measures.terrain.even_ground import evenness_of_parcels
from siteplan_gis.measures.terrain.patches import without_stairs
from siteplan_gis.measures.terrain.slope import steep_ground, steep_shares
from siteplan_gis.model.comparison import show
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.screening import Amount
from siteplan_gis.units import acres, feet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.terrain.even_ground import Evenness
    from siteplan_gis.model.measurement import Method
    from siteplan_gis.model.screening import Asked
    from siteplan_gis.model.site import Site

_GRID_SCALE = 1.001
_ALMOST_ALL = 0.5
_ROUNDING_M2 = 1e-4
"""Ground smaller than this is left by rounding alone where all of a parcel is taken."""


class Slopes:
    """Steep ground of parcels and of what is left of them, or the reason why it cannot be told."""

    def __init__(self, site: Site, parcels: NDArray[np.object_], rest: NDArray[np.object_], method: Method) -> None:
        size = len(parcels)
        self.flags: list[list[Flag]] = [[] for _ in parcels]
        self.no_elevation_m2: list[float | None] = [None] * size
        self.reason = reason_without(site)
        if self.reason:
            self.steep = [Amount(None, None, self.reason)] * size
            self.rest = [Amount(None, None, self.reason)] * size
            return
        assert site.terrain is not None
        source = site.terrain.source or site.terrain.grid
        assert source is not None
        smaller = np.flatnonzero([a is not b for a, b in zip(rest, parcels, strict=True)])
        found = steep_shares(source, [*parcels, *rest[smaller]], method.steep_ratio, method.slope_cell_m)
        even = evenness_of_parcels(source, parcels)
        native_m = _native_cell_m(site)
        coarse = native_m > method.coarsest_cell_m * _GRID_SCALE
        of_rest = np.arange(size)
        of_rest[smaller] = size + np.arange(len(smaller))
        self.steep, self.rest = [], []
        for i in range(size):
            self.no_elevation_m2[i] = float(found.no_elevation_m2[i])
            reason = self._doubts(i, even[i], float(found.area_m2[i]), method)
            if coarse:
                text = f"the elevation cells of {show(feet(native_m), 1)} ft are too coarse for the rule ({show(feet(method.coarsest_cell_m), 1)} ft at most): they can measure but never clear a site"
                self.flags[i].append(Flag("dem_cell_too_coarse", text))
                reason = "; ".join(filter(None, (reason, "elevation cells too coarse to clear ground")))
            for k, into in ((i, self.steep), (int(of_rest[i]), self.rest)):
                none = float(found.no_elevation_m2[k])
                if found.area_m2[k] - none <= 0 < found.area_m2[k]:
                    into.append(Amount(None, None, "the elevation model has no values there"))
                    continue
                partly = f"{show(acres(none), 3)} acres have no elevation" if none > method.steep_noise_m2 else ""
                into.append(
                    Amount(
                        float(found.steep_m2[k]),
                        float(found.plus_minus_m2[k]),
                        "; ".join(filter(None, (partly, reason))),
                    )
                )

    def _doubts(self, i: int, even: Evenness, area_m2: float, method: Method) -> str:
        """Flags for what the elevations cannot prove, and the same in a few words."""
        words = []
        if even.level_m2 > method.steep_noise_m2:
            text = f"{show(acres(even.level_m2), 2)} acres of the site have one exact elevation, as water is made in an elevation model: that proves nothing of its slope"
            self.flags[i].append(Flag("dem_level_water", text, feature="site"))
            words.append(f"{show(acres(even.level_m2), 2)} acres have one exact elevation, which proves no slope")
            if even.level_m2 > _ALMOST_ALL * area_m2:
                share = show(100 * min(even.level_m2 / area_m2, 1.0), 0)
                self.flags[i].append(Flag("dem_flat", f"the elevation is exactly equal over {share} % of the site"))
        if even.stairs:
            text = (
                "heights repeat in whole rows or columns (nearest-neighbour resampling): slopes between them are stairs"
            )
            self.flags[i].append(Flag("dem_stairs", text))
            words.append("the elevations come in stairs")
        return "; ".join(words)


def reason_without(site: Site) -> str:
    """Why slopes and runoff cannot be told; empty where they can."""
    terrain = site.terrain
    if terrain is None or (terrain.source is None and terrain.grid is None):
        return (terrain.reason if terrain is not None else "") or site.missing_layers.get(
            "dem", "no elevation model was given"
        )
    return "the elevations are whole units: their slopes are steps" if terrain.whole_units else ""


def steep_drawn(site: Site, parcel: BaseGeometry, method: Method) -> tuple[BaseGeometry, ...]:
    """The steep ground of one parcel, to draw it."""
    assert site.terrain is not None
    source = site.terrain.source or site.terrain.grid
    assert source is not None
    found = steep_ground(source, parcel, method.steep_ratio, method.slope_cell_m)
    return tuple(without_stairs([patch.geometry for patch in found.patches], found.cell_m))


def _native_cell_m(site: Site) -> float:
    assert site.terrain is not None
    source = site.terrain.source or site.terrain.grid
    assert source is not None
    rows, columns = source.shape
    dx, dy = source.spacing_m(np.array([columns / 2]), np.array([rows / 2]))
    return float(max(dx[0], dy[0]))


def taken_ground(
    taken: Mapping[str, Sequence[BaseGeometry | None]], asked: Asked, parcels: NDArray[np.object_]
) -> tuple[NDArray[np.object_], list[dict[str, BaseGeometry]]]:
    """What of each parcel is left, without its steep ground taken out, and what was taken, by what takes it."""
    rest = parcels.copy()
    drawn: list[dict[str, BaseGeometry]] = []
    for i, parcel in enumerate(parcels):
        here = {name: shape for name, of in taken.items() if name in asked.taken_out and (shape := of[i]) is not None}
        drawn.append(here)
        if here:
            left = shapely.difference(parcel, in_one(list(here.values())))
            areas = [part for part in shapely.get_parts(left) if part.area > _ROUNDING_M2]
            rest[i] = in_one(areas) if areas else shapely.Polygon()
    return rest, drawn


def one_by_one(parcel: BaseGeometry, taken: Mapping[str, BaseGeometry], steep: Amount | None) -> dict[str, float]:
    """Square metres that each takes of what those before it left, steep ground last: with the remainder, all of it.

    `steep` is the steep ground of what the others left, None where it is not taken out.
    """
    left, found = parcel, {}
    for name, shape in taken.items():
        rest = shapely.difference(left, shape)
        found[name], left = float(left.area - rest.area), rest
    if steep is not None and steep.area_m2 is not None:
        found["steep"] = steep.area_m2 if left.area > 0 else 0.0
    return found


def remainder(
    rest: BaseGeometry, steep: Amount, others: Mapping[str, Amount], asked: Asked, unseen: Mapping[str, str]
) -> Amount:  # fmt: skip
    """The buildable remainder: `rest` without its steep ground; its doubt is the sum of the doubts of what was taken.

    Unknown where something that is to be taken out is not known, or not of the whole parcel (`unseen`: why, by what is
    taken out): ground that nobody looked at is not left to build on.
    """
    wanted = {name: amount for name, amount in others.items() if name in asked.taken_out}
    if "steep" in asked.taken_out:
        wanted["steep"] = steep if rest.area > 0 else Amount(0.0, 0.0)
    untold = [f"{name}: {one.reason}" for name, one in wanted.items() if one.area_m2 is None]
    untold += [f"{name}: {why}" for name, why in unseen.items() if name in wanted and wanted[name].area_m2 is not None]
    if untold:
        return Amount(None, None, "; ".join(untold))
    gone = wanted["steep"].area_m2 if "steep" in wanted else 0.0
    reasons = dict.fromkeys(one.reason for one in wanted.values() if one.reason)
    doubt = sum(one.plus_minus_m2 or 0.0 for one in wanted.values())
    return Amount(max(rest.area - (gone or 0.0), 0.0), doubt, "; ".join(reasons))
