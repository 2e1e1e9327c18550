"""Waters, wetlands and floodplain on and around each of many parcels, and what no layer covers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.shapes.coverage import in_one, uncovered
from siteplan_gis.measures.shapes.flat_shapes import take_apart
from siteplan_gis.measures.shapes.neighbours import find_neighbours, near_pairs
from siteplan_gis.measuring.waters import accuracy_m, counted_features
from siteplan_gis.model.comparison import show_share
from siteplan_gis.model.measurement import NearbyFeature
from siteplan_gis.model.screening import BESIDE_M, Amount, Nearby

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.shapes.flat_shapes import Shapes
    from siteplan_gis.model.layers import ReferenceFeature
    from siteplan_gis.model.measurement import Method
    from siteplan_gis.model.screening import Asked
    from siteplan_gis.model.site import Site

FARTHEST_M: Final = 8_000.0
"""A nearest water or wetland is told as far as this; farther off it is not looked for."""

DATUM_DOUBT_M: Final = 1.5
_COVERAGE_NOISE_M: Final = 1.0
_QUAD_SEGS: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """What was found of one role: for each parcel what lies near, and the ground it and its width take.

    `on_parcel` and `widths` hold geometries cut to the parcels, None where there is nothing.
    """

    near: list[Nearby]
    on_parcel: list[BaseGeometry | None]
    amount: list[Amount]
    widths: list[BaseGeometry | None]
    gaps: list[str]


def measure_around(
    site: Site, role: str, parcels: NDArray[np.object_], shapes: Shapes, width_m: float, asked: Asked, method: Method
) -> Around:
    """Waters or wetlands of the layers around some parcels."""
    features = sorted(counted_features(site)[role], key=lambda one: (one.name, one.id))
    layers = site.layers.get(role, ())
    size = len(parcels)
    if not layers and not features:
        reason = site.missing_layers.get(role, f"no layer of {role} was given")
        nothing = Nearby(known=False, reason=reason)
        return Around([nothing] * size, [None] * size, [Amount(None, None, reason)] * size, [None] * size, [""] * size)
    drawn = np.array([feature.geometry for feature in features], dtype=object)
    around = take_apart(drawn)
    found = find_neighbours(shapes, around, method.search_m)
    pairs = near_pairs(shapes, around, max(BESIDE_M, width_m))
    beside = _by_parcel(*pairs, features)
    within = pairs[2] <= width_m
    widths = _widths(parcels, drawn, pairs[0][within], pairs[1][within], width_m)
    listed = _by_parcel(*near_pairs(shapes, around, method.search_m), features) if asked.listed else None
    doubt_m = accuracy_m(layers, method) + DATUM_DOUBT_M
    gaps = gaps_around(site, role, parcels, method.search_m)
    own_gaps = gaps_around(site, role, parcels, 0.0) if any(gaps) else [""] * size
    near, on_parcel, amounts = [], [], []
    for i, parcel in enumerate(parcels):
        close = beside.get(i, ())
        counted: int | None = int(found.count[i])
        if gaps[i] and not counted:
            counted = None
        nearest = None
        if found.nearest[i] >= 0 and found.nearest_m[i] <= FARTHEST_M:
            nearest = _at(features[int(found.nearest[i])], float(found.nearest_m[i]))
        near.append(
            Nearby(
                True, gaps[i], counted, nearest,
                tuple(one for one in close if one.distance_m == 0),
                tuple(one for one in close if one.distance_m <= BESIDE_M),
                None if listed is None else listed.get(i, ()), doubt_m,
            )
        )  # fmt: skip
        here = _on(parcel, [one.geometry for one in close if one.distance_m == 0])
        on_parcel.append(here)
        amounts.append(_amount(parcel, here, doubt_m, own_gaps[i], [one for one in close if one.distance_m == 0]))
    return Around(near, on_parcel, amounts, widths, gaps if layers else [""] * size)


def measure_floodplain(
    site: Site, kinds: frozenset[str], parcels: NDArray[np.object_], gaps: Sequence[str], method: Method
) -> tuple[list[BaseGeometry | None], list[Amount]]:
    """Floodplain of some kinds on each parcel, whose `gaps` are those of the layer on it (see `gaps_around`)."""
    layers = site.layers.get("floodplain", ())
    if not layers:
        reason = site.missing_layers.get("floodplain", "no layer of floodplain was given")
        return [None] * len(parcels), [Amount(None, None, reason)] * len(parcels)
    drawn = [one.geometry for layer in layers for one in layer.features if one.kind in kinds and one.geometry.area > 0]
    met: dict[int, list[BaseGeometry]] = defaultdict(list)
    if drawn:
        for i, k in zip(*shapely.STRtree(drawn).query(parcels, predicate="intersects").tolist(), strict=True):
            met[i].append(drawn[k])
    doubt_m = accuracy_m(layers, method) + DATUM_DOUBT_M
    here = [_on(parcel, met.get(i, [])) for i, parcel in enumerate(parcels)]
    return here, [
        _amount(parcel, part, doubt_m, gap, ()) for parcel, part, gap in zip(parcels, here, gaps, strict=True)
    ]


def gaps_around(site: Site, role: str, parcels: NDArray[np.object_], reach_m: float) -> list[str]:
    """For each parcel, what of the ground within `reach_m` the layers of a role do not cover; empty where they do."""
    layers = site.layers.get(role, ())
    if not layers:
        return [f"no layer of {role} covers the ground"] * len(parcels)
    covered = shapely.union_all([layer.coverage for layer in layers])
    shapely.prepare(covered)
    boxes = shapely.box(*(shapely.bounds(parcels) + reach_m * np.array([-1, -1, 1, 1])).T)
    words = [""] * len(parcels)
    where = "the searched ground" if reach_m else "the parcel"
    partly = np.flatnonzero(~shapely.covers(covered, boxes))
    grounds = shapely.buffer(parcels[partly], reach_m, quad_segs=_QUAD_SEGS) if reach_m else parcels[partly]
    for i, ground in zip(partly.tolist(), grounds, strict=True):
        gap = uncovered(ground, [covered], _COVERAGE_NOISE_M)
        words[i] = "" if gap is None else f"{show_share(gap.area / ground.area)} of {where} is not covered"
    return words


def _by_parcel(
    parcel: NDArray[np.int64],
    feature: NDArray[np.int64],
    away_m: NDArray[np.float64],
    features: Sequence[ReferenceFeature],
) -> dict[int, tuple[NearbyFeature, ...]]:
    found: dict[int, list[NearbyFeature]] = defaultdict(list)
    order = np.lexsort((feature, away_m, parcel))
    for i, k, away in zip(parcel[order].tolist(), feature[order].tolist(), away_m[order].tolist(), strict=True):
        found[i].append(_at(features[k], away))
    return {i: tuple(each) for i, each in found.items()}


def _at(feature: ReferenceFeature, away_m: float) -> NearbyFeature:
    return NearbyFeature(
        feature.id, feature.name, feature.kind, feature.code, feature.layer, away_m, feature.geometry
    )  # fmt: skip


def _on(parcel: BaseGeometry, shapes: Sequence[BaseGeometry]) -> BaseGeometry | None:
    """The ground of a parcel that areas take, in one piece."""
    areas = [shapely.intersection(shape, parcel) for shape in shapes if shape.area > 0]
    taken = in_one(areas) if areas else None
    return taken if taken is not None and taken.area > 0 else None


def _widths(
    parcels: NDArray[np.object_], drawn: NDArray[np.object_], parcel: NDArray[np.int64], feature: NDArray[np.int64],
    width_m: float,
) -> list[BaseGeometry | None]:  # fmt: skip
    """The ground of each parcel within a width of the features beside it, to a decimetre: an area, and no verdict."""
    taken: list[BaseGeometry | None] = [None] * len(parcels)
    if width_m <= 0 or not len(parcel):
        return taken
    beside, which = np.unique(feature, return_inverse=True)
    # What lies far from all of the parcels need not be widened.
    west, south, east, north = shapely.total_bounds(parcels[parcel])
    reach = width_m + 1.0
    near = shapely.clip_by_rect(drawn[beside], west - reach, south - reach, east + reach, north + reach)
    wide = shapely.buffer(near, width_m, quad_segs=_QUAD_SEGS)
    cut = shapely.intersection(wide[which], parcels[parcel])
    parts: dict[int, list[BaseGeometry]] = defaultdict(list)
    for i, part in zip(parcel.tolist(), cut, strict=True):
        parts[i].append(part)
    for i, each in parts.items():
        whole = in_one(each)
        taken[i] = whole if whole.area > 0 else None
    return taken


def _amount(
    parcel: BaseGeometry, here: BaseGeometry | None, doubt_m: float, gap: str, found: Sequence[NearbyFeature]
) -> Amount:
    if gap and here is None:
        return Amount(None, None, f"none found in the part covered: {gap}")
    points = sum(one.geometry.area == 0 and one.kind in {"wetland", "wetland_point"} for one in found)
    reason = "; ".join(filter(None, (gap, f"{points} mapped without an area" * bool(points))))
    if here is None:
        return Amount(0.0, 0.0, reason)
    edge_m = shapely.intersection(here.boundary, parcel).length
    return Amount(here.area, min(edge_m * doubt_m, max(here.area, parcel.area - here.area)), reason)
