"""Every water and wetland downstream of a parcel to a distance, and which waters there are on the state's lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import shapely

from siteplan_gis.measures.runoff.flow import trace
from siteplan_gis.measures.waterways.reaches import downstream_reaches
from siteplan_gis.measuring.waters import accuracy_m
from siteplan_gis.model.measurement import NearbyFeature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.ground import Conditioned
    from siteplan_gis.measures.waterways.drainage import Network
    from siteplan_gis.measuring.doubt import Followed
    from siteplan_gis.model.layers import ReferenceFeature
    from siteplan_gis.model.measurement import Discharge, Measurement, Method
    from siteplan_gis.model.site import Site

_STEP_M = 2.0
_ON_LINE_M = 1.0
_ALONGSIDE = 3.0
"""A line is met where water runs along it for this many times the tolerance; one that only joins there is not."""


class Told(NamedTuple):
    """What was found, nearest first, None where nothing is known; and what of it is not known."""

    found: tuple[NearbyFeature, ...] | None
    reason: str = ""


def waters_below(
    followed: Sequence[Followed],
    ground: Conditioned,
    features: Sequence[ReferenceFeature],
    network: Network | None,
    no_lines: str,
    method: Method,
    barrier_m: float,
    near_m: float,
) -> Told:
    """All waters and wetlands that runoff of some places meets within the method's distance downstream.

    From each place the ground is followed on, through what is met first, and from the first drainage line on also the
    lines, every branch. A distance is along the way, from where the runoff leaves. What lies within `near_m` of the way
    over the ground counts as met: the maps are no truer. Of the pieces of a named water only the nearest is told.
    """
    shapes = np.array([one.geometry for one in features], dtype=object)
    tree = shapely.STRtree(shapes)
    away: dict[int, float] = {}
    reasons = [no_lines] if network is None else []

    for each in followed:
        here: dict[int, float] = {}

        def meet(k: int, along_m: float, here: dict[int, float] = here) -> None:
            here[k] = min(here.get(k, np.inf), along_m)

        free = trace(ground, each.start, (), method.downstream_m, barrier_m)
        if free.ends_because != "farther_than_limit" and network is None:
            reasons.append(f"{each.discharge.id}: {_sentence(free.ends_because)}")
        entries: list[tuple[BaseGeometry, float]] = []
        for way in (free.path, each.discharge.path):
            if way is None or way.length == 0:
                continue
            for k, along_m in _met(way, tree, shapes, near_m):
                meet(k, along_m)
            entries += _entries(way, network, near_m)
        entries += _entries(each.start, network, near_m)
        for place, base_m in entries:
            assert network is not None
            rest_m = method.downstream_m - base_m
            if rest_m <= 0:
                continue
            for reach in downstream_reaches(network, place, rest_m, method.network_snap_m).reaches:
                for k, along_m in _met(reach.line, tree, shapes, _ON_LINE_M):
                    meet(k, base_m + reach.from_m + along_m)
        if each.target is not None:
            here |= {
                k: each.discharge.flow_distance_m or 0.0
                for k in range(len(shapes))
                if shapes[k] is each.target.geometry
            }
        for k, along_m in here.items():
            if along_m <= method.downstream_m:
                away[k] = min(away.get(k, np.inf), along_m)
    order = sorted(away, key=lambda k: (away[k], features[k].name, features[k].id))
    waters: dict[object, int] = {}
    for k in order:
        waters.setdefault(_water(features[k]) or k, k)
    return Told(tuple(_at(features[k], away[k]) for k in waters.values()), "; ".join(dict.fromkeys(reasons)))


def listings(
    site: Site,
    parcels: NDArray[np.object_],
    discharges: Sequence[Sequence[Discharge]],
    values: Mapping[str, Measurement],
    method: Method,
) -> list[Told]:
    """Which outstanding, exceptional or impaired waters lie on each parcel or on the ways of its runoff downstream.

    `values` are those of `measuring.receiving` for the discharges, with ids `PARCEL:NUMBER`. Distances are straight,
    from the parcel.
    """
    layers = site.layers.get("listed_waters", ())
    if not layers:
        why = site.missing_layers.get("listed_waters", "no layer of listed waters was given")
        return [Told(None, why)] * len(parcels)
    listed = [one for layer in layers for one in layer.features]
    tree = shapely.STRtree([one.geometry for one in listed])
    coverage = shapely.union_all([layer.coverage for layer in layers])
    near_m = method.network_snap_m + accuracy_m(layers, method)
    told = []
    for i, each in enumerate(discharges):
        ways = [one.path for one in each if one.path is not None]
        lines = [values[f"downstream_network_ft[{i}:{number}]"] for number in range(len(each))]
        ways += [one.where for one in lines if one.where is not None]
        hits = {
            int(k) for shape in (parcels[i], *ways) for k in tree.query(shape, predicate="dwithin", distance=near_m)
        }
        found = [_at(listed[k], float(listed[k].geometry.distance(parcels[i]))) for k in hits]
        reason = ""
        if not each:
            reason = "runoff was not followed: only the parcel itself was looked at"
        elif any(one.value is None for one in lines):
            reason = "the way downstream is known in part only"
        elif any(one.reason for one in lines):
            reason = "the drainage lines go on beyond the map that was read"
        elif shapely.union_all(ways).difference(coverage).length > 1.0:
            reason = "the layer does not cover the whole way downstream"
        told.append(Told(tuple(sorted(found, key=lambda one: (one.distance_m, one.name, one.id))), reason))
    return told


def _water(feature: ReferenceFeature) -> tuple[str, bool] | None:
    """What the pieces of one named water have in common: maps draw a creek in many, and where it is wide as an area."""
    return (feature.name.casefold(), feature.kind.startswith("wetland")) if feature.name else None


def _entries(way: BaseGeometry, network: Network | None, near_m: float) -> list[tuple[BaseGeometry, float]]:
    """The first place of a way where a drainage line takes its water, with its distance along the way."""
    if network is None or not len(network.lines):
        return []
    points, along = _points(way)
    hit = network.tree.query(points, predicate="dwithin", distance=near_m)[0]
    return [(points[hit.min()], float(along[hit.min()]))] if hit.size else []


def _met(
    way: BaseGeometry, tree: shapely.STRtree, shapes: NDArray[np.object_], near_m: float
) -> list[tuple[int, float]]:
    """What a way meets, and how far along it."""
    found = []
    for k in tree.query(way, predicate="dwithin", distance=near_m).tolist():
        if shapely.get_dimensions(shapes[k]) == 1:
            common = shapely.intersection(shapes[k], shapely.buffer(way, near_m))
            if common.length < min(_ALONGSIDE * near_m, shapes[k].length):
                continue
        points, along = _points(way)
        beside_m = shapely.distance(points, shapes[k])
        first = int((beside_m <= max(beside_m.min(), _ON_LINE_M)).argmax())
        found.append((k, float(along[first] + beside_m[first])))
    return found


def _points(way: BaseGeometry) -> tuple[NDArray[np.object_], NDArray[np.float64]]:
    if way.length == 0:
        return np.array([way], dtype=object), np.zeros(1)
    along = np.linspace(0.0, way.length, int(way.length / _STEP_M) + 2)
    return shapely.line_interpolate_point(way, along), along


def _sentence(ends_because: str) -> str:
    return {
        "leaves_elevation_data": "it leaves the elevations",
        "no_elevation": "there is no elevation where it starts",
        "barrier": "it stops behind a narrow barrier, where a culvert may lie",
    }.get(ends_because, "it stops in a closed depression")


def _at(feature: ReferenceFeature, away_m: float) -> NearbyFeature:
    return NearbyFeature(
        feature.id, feature.name, feature.kind, feature.code, feature.layer, away_m, feature.geometry
    )  # fmt: skip
