"""Everything that layers and elevations tell of some parcels, measured together: no law."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.measures.shapes.coverage import in_one
from siteplan_gis.measures.shapes.flat_shapes import take_apart
from siteplan_gis.measures.territory.governing_map import shares_of_parcels
from siteplan_gis.measures.territory.jurisdiction import doubts_of_each
from siteplan_gis.measuring.parcel_ground import Slopes, one_by_one, remainder, steep_drawn, taken_ground
from siteplan_gis.measuring.parcel_runoff import RunoffOfParcels
from siteplan_gis.measuring.parcel_waters import gaps_around, measure_around, measure_floodplain
from siteplan_gis.model.comparison import show
from siteplan_gis.model.measurement import NearbyFeature
from siteplan_gis.model.screening import Amount, ParcelFacts
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.measurement import JurisdictionShare, Method
    from siteplan_gis.model.screening import Asked, Parcel
    from siteplan_gis.model.site import Site

_AIRPORT_M: Final = 16_093.44
_FLOODPLAIN: Final = frozenset({"floodway", "flood_fringe"})
_FLOODWAY: Final = frozenset({"floodway"})


def measure_parcels(
    parcels: Sequence[Parcel], site: Site, place: BaseGeometry, asked: Asked, method: Method
) -> list[ParcelFacts]:
    """Measure parcels of one frame with what `site` holds around them (its plan is not looked at).

    `place` is the ground whose jurisdiction is settled once, the same for every parcel there: it makes the answer for a
    parcel the same, whichever others are asked about with it.
    """
    drawn = np.array([parcel.geometry for parcel in parcels], dtype=object)
    shapes = take_apart(drawn)
    waters = measure_around(site, "waters", drawn, shapes, asked.water_width_m, asked, method)
    wetlands = measure_around(site, "wetlands", drawn, shapes, asked.wetland_width_m, asked, method)
    gaps = {"waters": waters.gaps, "wetlands": wetlands.gaps}
    gaps |= {
        role: gaps_around(site, role, drawn, 0.0) for role in ("floodplain", "municipalities") if site.layers.get(role)
    }
    of_flood = gaps.get("floodplain", [""] * len(drawn))
    flooded, floodplain = measure_floodplain(site, _FLOODPLAIN, drawn, of_flood, method)
    _, floodway = measure_floodplain(site, _FLOODWAY, drawn, of_flood, method)
    widths = [
        in_one(wide) if (wide := [one for one in each if one is not None]) else None
        for each in zip(waters.widths, waters.on_parcel, wetlands.widths, strict=True)
    ]
    taken = {"wetlands": wetlands.on_parcel, "floodplain": flooded, "widths": widths}
    rest, kept_out = taken_ground(taken, asked, drawn)
    slopes = Slopes(site, drawn, rest, method)
    runoff = RunoffOfParcels(site, drawn, asked, method)
    shares, doubts = _governed(site, drawn, place)
    airports = _airports(site, drawn)
    own_gaps = _own_gaps(site, drawn, gaps)
    facts = []
    for i, parcel in enumerate(parcels):
        by_widths = _width_amount(widths[i], waters.near[i].known, wetlands.near[i].known)
        removed = {
            "steep": slopes.steep[i], "wetlands": wetlands.amount[i], "floodplain": floodplain[i], "widths": by_widths,
        }  # fmt: skip
        name, why = runoff.named[i]
        own = next((one.name for one in waters.near[i].on_site if one.name), "")
        facts.append(
            ParcelFacts(
                parcel, float(drawn[i].area), slopes.steep[i], slopes.no_elevation_m2[i], waters.near[i],
                wetlands.near[i], wetlands.amount[i], floodplain[i], floodway[i], *airports[i], shares[i], doubts[i],
                runoff.discharges[i], runoff.reason, own or name, "" if own or name else why,
                remainder(
                    rest[i], slopes.rest[i], {k: v for k, v in removed.items() if k != "steep"}, asked,
                    _unseen(slopes.no_elevation_m2[i], {name: each[i] for name, each in own_gaps.items()}, method),
                ), removed,
                {role: each[i] for role, each in gaps.items() if each[i]},
                tuple(sorted({*slopes.flags[i], *runoff.flags[i]})), kept_out[i], asked.taken_out,
                _of_all(runoff.shares[i], slopes.no_elevation_m2[i], float(drawn[i].area)), *runoff.below[i], *runoff.listing[i],
                one_by_one(drawn[i], kept_out[i], slopes.rest[i] if "steep" in asked.taken_out else None)
                if asked.listed
                else {},
                steep_drawn(site, drawn[i], method) if asked.listed and slopes.steep[i].area_m2 else (),
            )
        )  # fmt: skip
    return facts


def measure_each(
    parcels: Sequence[Parcel], site: Site, place: BaseGeometry, asked: Asked, method: Method
) -> list[ParcelFacts | str]:
    """As `measure_parcels`; where that crashes, each parcel alone, so that only those that crash are lost.

    A parcel that crashes gives the reason as text.
    """
    try:
        return [*measure_parcels(parcels, site, place, asked, method)]
    except Exception as crash:  # noqa: BLE001
        if len(parcels) == 1:
            return [f"{type(crash).__name__}: {crash}"]
    return [measure_each([parcel], site, place, asked, method)[0] for parcel in parcels]


def _own_gaps(site: Site, parcels: NDArray[np.object_], gaps: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """By role and parcel: what of the parcel itself no layer covers; empty where it is all covered."""
    return {
        role: gaps_around(site, role, parcels, 0.0) if any(of) else [""] * len(parcels)
        for role, of in gaps.items()
        if role != "municipalities"
    }


def _unseen(no_elevation_m2: float | None, gaps: Mapping[str, str], method: Method) -> dict[str, str]:
    """By what is taken out of the remainder: why it is not known of the whole parcel."""
    found = {"wetlands": gaps.get("wetlands", ""), "floodplain": gaps.get("floodplain", "")}
    found["widths"] = gaps.get("waters", "") or gaps.get("wetlands", "")
    if no_elevation_m2 is not None and no_elevation_m2 > method.steep_noise_m2:
        found["steep"] = f"{show(acres(no_elevation_m2), 3)} acres have no elevation"
    return {name: why for name, why in found.items() if why}


def _of_all(shares: tuple[float, ...], no_elevation_m2: float | None, area_m2: float) -> tuple[float, ...]:
    """Shares of the runoff of a whole parcel: of ground without an elevation nobody knows where it runs off."""
    seen = 1.0 - min((no_elevation_m2 or 0.0) / area_m2, 1.0)
    return tuple(share * seen for share in shares)


def _width_amount(shape: BaseGeometry | None, *known: bool) -> Amount:
    if not all(known):
        return Amount(None, None, "no layer of waters, or none of wetlands, was given")
    return Amount(0.0 if shape is None else float(shape.area))


def _governed(
    site: Site, parcels: NDArray[np.object_], place: BaseGeometry
) -> tuple[list[tuple[JurisdictionShare, ...] | None], list[tuple[str, ...]]]:
    layers = site.layers.get("municipalities", ())
    if not layers:
        return [None] * len(parcels), [()] * len(parcels)
    features = [feature for layer in layers for feature in layer.features]
    ground = (
        place if shapely.covers(place, parcels).all() else shapely.box(*shapely.union_all([place, *parcels]).bounds)
    )
    return [*shares_of_parcels(ground, parcels, features)], doubts_of_each(parcels, features)


def _airports(site: Site, parcels: NDArray[np.object_]) -> list[tuple[NearbyFeature | None, str]]:
    """The nearest airport of each parcel within ten miles, or why there is none."""
    layers = site.layers.get("airports", ())
    if not layers:
        return [(None, site.missing_layers.get("airports", "no airports were given"))] * len(parcels)
    listed = sorted((one for layer in layers for one in layer.features), key=lambda one: (one.name, one.id))
    if not listed:
        return [(None, "no airport within 10 miles")] * len(parcels)
    places = np.array([one.geometry for one in listed], dtype=object)
    away = shapely.distance(parcels[:, None], places[None, :])
    found: list[tuple[NearbyFeature | None, str]] = []
    for row in away:
        k = int(row.argmin())
        one = listed[k]
        at = NearbyFeature(one.id, one.name, one.kind, one.code, one.layer, float(row[k]), one.geometry)
        found.append((at, "") if row[k] <= _AIRPORT_M else (None, "no airport within 10 miles"))
    return found
