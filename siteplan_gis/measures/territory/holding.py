"""Whose a piece of ground is: its shares by municipality and by extraterritorial area, and how far the limits are."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.territory.division import between, frame_for
from siteplan_gis.model.limits import UNINCORPORATED_KINDS
from siteplan_gis.model.parcels import ParcelShare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.frame import Frame
    from siteplan_gis.model.limits import Municipality, TerritoryMap

_LEAST_SHARE: Final = 1e-3
_NEAREST_M: Final = 5_000.0


def parcel_shares(ids: Sequence[str], parcels: NDArray[np.object_], mapped: TerritoryMap) -> tuple[ParcelShare, ...]:
    """Who has each parcel, in the order given; parcels are polygons or points in the plane of the limits."""
    places = mapped.limits.municipalities
    inside = _shares(parcels, [one.geometry for one in places])
    outside = _shares(parcels, [one.held for one in mapped.territories])
    holders = [
        max(found, key=lambda k: (found[k], -k)) if (found := outside.get(i)) else None for i in range(len(parcels))
    ]
    towns = {k for k, one in enumerate(places) if one.kind in UNINCORPORATED_KINDS}
    limits_m = _to_limits(parcels, holders, inside, towns, mapped)
    told = []
    for i, parcel in enumerate(parcels):
        within = inside.get(i, {})
        # A town's drawing may run under a village: the village has the ground.
        taken = sum(share for k, share in within.items() if k not in towns)
        within = {k: min(share, max(1 - taken, 0.0)) if k in towns else share for k, share in within.items()}
        listed = [(places[k].label, share) for k, share in within.items()]
        reached = [(mapped.territories[k].municipality.label, share) for k, share in outside.get(i, {}).items()]
        largest = max(listed, key=lambda one: one[1], default=("", 0.0))
        holder = holders[i]
        told.append(
            ParcelShare(
                ids[i], float(parcel.area), largest[0] if largest[1] >= _LEAST_SHARE else "",
                largest[1] if largest[1] >= _LEAST_SHARE else 0.0,
                "" if holder is None else mapped.territories[holder].municipality.label,
                0.0 if holder is None else outside[i][holder],
                limits_m[i],
                tuple(
                    sorted(
                        [one for one in listed if one[1] >= _LEAST_SHARE]
                        + [(f"ETJ of {name}", share) for name, share in reached],
                        key=lambda one: (-one[1], one[0]),
                    )
                ),
            )
        )  # fmt: skip
    return tuple(told)


def _shares(parcels: NDArray[np.object_], grounds: Sequence[BaseGeometry]) -> dict[int, dict[int, float]]:
    """By parcel: which of `grounds` have a thousandth or more of it. A common edge is no share."""
    found: dict[int, dict[int, float]] = defaultdict(dict)
    if not len(parcels) or not grounds:
        return found
    shapes = np.array(grounds, dtype=object)
    shapely.prepare(shapes)
    tree = shapely.STRtree(parcels)
    ground, parcel = tree.query(shapes, predicate="intersects")
    whole = shapely.contains_properly(shapes[ground], parcels[parcel])
    areas = shapely.area(parcels[parcel])
    areas[~whole] = shapely.area(shapely.intersection(shapes[ground[~whole]], parcels[parcel[~whole]]))
    sizes = shapely.area(parcels[parcel])
    places = shapely.get_dimensions(parcels[parcel]) == 0
    areas[places] = shapely.contains(shapes[ground[places]], parcels[parcel[places]])
    sizes[places] = 1.0
    shares = areas / sizes
    for k, i, share in zip(ground.tolist(), parcel.tolist(), shares.tolist(), strict=True):
        if share >= _LEAST_SHARE:
            found[i][k] = min(share, 1.0)
    return found


def _to_limits(
    parcels: NDArray[np.object_],
    holders: Sequence[int | None],
    inside: Mapping[int, Mapping[int, float]],
    towns: set[int],
    mapped: TerritoryMap,
) -> list[float | None]:
    """Distances on the ellipsoid to the holder's limits, or to the nearest city's or village's; 0 in them."""
    plane, places = mapped.limits.plane, mapped.limits.municipalities
    index = {one.label: k for k, one in enumerate(places)}
    governing = [k for k in range(len(places)) if k not in towns]
    tree = shapely.STRtree([places[k].geometry for k in governing])
    asked: dict[int, list[int]] = defaultdict(list)
    told: list[float | None] = [None] * len(parcels)
    for i, parcel in enumerate(parcels):
        holder = holders[i]
        if any(k not in towns for k in inside.get(i, {})):
            told[i] = 0.0
        elif holder is not None:
            asked[index[mapped.territories[holder].municipality.label]].append(i)
        else:
            for k in tree.query(parcel, predicate="dwithin", distance=_NEAREST_M):
                asked[governing[int(k)]].append(i)
    for k, rows in asked.items():
        for i, metres in zip(rows, _distances(parcels[rows], places[k], plane), strict=True):
            before = told[i]
            told[i] = metres if before is None else min(before, metres)
    return told


def _distances(parcels: NDArray[np.object_], place: Municipality, plane: Frame) -> list[float]:
    frame = frame_for(place.geometry, plane)
    limits = between(place.geometry, plane, frame)
    shapely.prepare(limits)
    near = shapely.transform(parcels, lambda xy: frame.from_lonlat(plane.to_lonlat(xy)))
    distances: list[float] = shapely.distance(near, limits).tolist()
    return distances
