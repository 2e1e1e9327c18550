"""The planners' workbench: municipal limits to a map of extraterritorial areas, each place with one holder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.reference.limits import read_limits
from siteplan_gis.ingest.reference.parcels import read_parcels
from siteplan_gis.ingest.reference.special_ground import read_special_ground
from siteplan_gis.measures.territory.division import Body, divide, main_part, reach_of
from siteplan_gis.measures.territory.holding import parcel_shares
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.limits import (
    UNINCORPORATED_KINDS,
    Limits,
    Municipality,
    SpecialGround,
    Territory,
    TerritoryMap,
)
from siteplan_gis.ordinances.state import read_state
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.ingest.reference.limits import LimitsAsked
    from siteplan_gis.measures.territory.division import Holding
    from siteplan_gis.model.limits import StateProfile
    from siteplan_gis.model.parcels import ParcelShare

Progress = Callable[[str, float], None]

_NOTHING: Final = shapely.Polygon()
_TOUCHED_M2: Final = 100.0
"""Common ground of an area and a town below this is two drawings of one boundary."""
_NEAR: Final = 1.01


@dataclass(frozen=True, slots=True)
class TerritoriesAsked:
    """What the command was given besides the limits.

    Attributes
    ----------
    names
        Municipalities to map, "Saukville" or "Village of Saukville"; all where empty.
    detached_parts
        "count" or "main_only" in place of the profile's rule; empty: the profile's.
    """

    limits: LimitsAsked
    state: str | Path = "wisconsin"
    names: tuple[str, ...] = ()
    detached_parts: str = ""
    waivers: Path | None = None
    agreements: Path | None = None


def map_territories(
    asked: TerritoriesAsked,
    on: date,
    tell: Progress | None = None,
    pieces: dict[tuple[Any, ...], Any] | None = None,
) -> TerritoryMap:
    """Read the limits as of a day and divide the unincorporated ground that their municipalities reach.

    `pieces` (a dict, filled here) keeps finished steps from one call to the next.

    Raises
    ------
    InputError
        If an input cannot be used, or a name fits no municipality.
    """
    tell = tell or _quiet
    tell("reading the limits", 0.0)
    profile = read_state(asked.state)
    if asked.detached_parts:
        profile = replace(profile, detached_parts=asked.detached_parts)
    limits = read_limits(asked.limits, on)
    crs = asked.limits.assume_crs
    waived, agreed = (
        read_special_ground(path, limits.municipalities, limits.plane, what, crs) if path is not None else ()
        for path, what in ((asked.waivers, "waiver"), (asked.agreements, "agreement"))
    )
    chosen = _chosen(limits, asked.names)
    return divide_limits(limits, profile, on, chosen, waived, agreed, tell, pieces)


def divide_limits(
    limits: Limits,
    profile: StateProfile,
    on: date,
    chosen: Sequence[Municipality] | None = None,
    waived: Sequence[SpecialGround] = (),
    agreed: Sequence[SpecialGround] = (),
    tell: Progress | None = None,
    pieces: dict[tuple[Any, ...], Any] | None = None,
) -> TerritoryMap:
    """The extraterritorial areas of the `chosen` municipalities (all where None) under a state's law."""
    _refuse_contradiction(agreed)
    reaching = {one.label: _reach(one, profile) for one in limits.municipalities}
    governing = [one for one in limits.municipalities if one.kind not in UNINCORPORATED_KINDS]
    wanted = {one.label for one in governing} if chosen is None else {one.label for one in chosen}
    if chosen is not None:
        governing = _around(governing, wanted, {name: reach[0] for name, reach in reaching.items()})
    counts_all = profile.detached_parts == "count"
    parts = {one.label: main_part(one.geometry) for one in governing}
    cores = {one.label: one.geometry if counts_all else parts[one.label][0] for one in governing}
    given = _given(agreed, cores, reaching, limits)
    bodies = [
        Body(
            one.label,
            one.geometry,
            parts[one.label][0],
            reaching[one.label][0],
            parts[one.label][1] if counts_all else _NOTHING,
            _withheld(one, waived, given),
        )
        for one in governing
    ]
    divided = divide(bodies, limits.plane, pieces, tell)
    if pieces is not None:
        pieces.clear()
        pieces.update(divided.pieces)
    holding = {one.key: one for one in divided.holdings}
    towns = [one for one in limits.municipalities if one.kind in UNINCORPORATED_KINDS]
    tree = shapely.STRtree([town.geometry for town in towns])
    incorporated = shapely.STRtree([one.geometry for one in governing])
    territories = []
    mapped = [one for one in governing if one.label in wanted and reaching[one.label][0] > 0]
    for number, one in enumerate(mapped):
        (tell or _quiet)("towns and counties", (number + 1) / len(mapped))
        reach_m, source, doubt_m = reaching[one.label]
        held = holding[one.label]
        undecided = _NOTHING
        if doubt_m > reach_m:
            undecided = _undecided(one, held, doubt_m, limits, incorporated)
        touched = _touching(held.held, towns, tree)
        territories.append(
            Territory(
                one, reach_m, source, held.reached, held.held, held.shared, held.detached_only, undecided,
                tuple(town.label for town in touched) if towns else None,
                tuple(sorted({county for town in touched for county in town.counties})) if towns else None,
            )
        )  # fmt: skip
    overlaps = tuple(one for one in divided.overlaps if one.first in wanted or one.second in wanted)
    flags = (*limits.flags, *_doubts(territories, limits.source.title))
    if limits.invented:
        flags = (*flags, Flag("invented_ground", f"invented to demonstrate the program: {limits.source.title}"))
    return TerritoryMap(
        limits, profile, tuple(territories), overlaps, on, tuple(waived), tuple(agreed), tuple(sorted(flags))
    )


def list_parcels(
    path: Path,
    mapped: TerritoryMap,
    id_field: str | None = None,
    assume_crs: str | None = None,
    tell: Progress | None = None,
) -> tuple[ParcelShare, ...]:
    """Who has each parcel of a file: municipality, holder of the extraterritorial area, distance to the limits.

    Raises
    ------
    InputError
        If the file cannot be used.
    """
    (tell or _quiet)("reading the parcels", 0.0)
    ids, parcels = read_parcels(path, mapped.limits.plane, id_field, assume_crs)
    (tell or _quiet)("parcels", 0.5)
    return parcel_shares(ids, parcels, mapped)


def _reach(one: Municipality, profile: StateProfile) -> tuple[float, str, float]:
    """How far it reaches, why, and how far it might where its class is not known."""
    if one.kind in UNINCORPORATED_KINDS:
        return 0.0, "a town is unincorporated ground", 0.0
    if one.stated_reach_m is not None:
        return one.stated_reach_m, "stated with the limits", 0.0
    rules = [rule for rule in profile.reaches if rule.kind == one.kind]
    for rule in rules:
        if not rule.classes:
            return rule.metres, rule.source, 0.0
        if one.city_class in rule.classes:
            return rule.metres, f"{rule.source}; class {one.city_class} after {one.class_source}", 0.0
    if not rules:
        return 0.0, f"the law of {profile.title} gives none to its kind", 0.0
    least = min(rules, key=lambda rule: rule.metres)
    most = max(rule.metres for rule in rules)
    return least.metres, f"{least.source}; its class is not known, so the smaller reach", most


def _given(
    agreed: Sequence[SpecialGround],
    cores: Mapping[str, BaseGeometry],
    reaching: Mapping[str, tuple[float, str, float]],
    limits: Limits,
) -> list[SpecialGround]:
    """What of the agreements takes effect: nobody is given ground beyond its own reach."""
    return [
        SpecialGround(
            ground.label,
            shapely.intersection(
                ground.geometry, reach_of(cores[ground.label], reaching[ground.label][0], limits.plane)
            ),
        )
        for ground in agreed
        if ground.label in cores
    ]


def _withheld(one: Municipality, waived: Sequence[SpecialGround], given: Sequence[SpecialGround]) -> BaseGeometry:
    """Ground that it has waived, and ground that an agreement gives to another."""
    grounds = [ground.geometry for ground in waived if ground.label == one.label]
    grounds += [ground.geometry for ground in given if ground.label != one.label]
    return shapely.union_all(grounds) if grounds else _NOTHING


def _refuse_contradiction(agreed: Sequence[SpecialGround]) -> None:
    for i, one in enumerate(agreed):
        for other in agreed[i + 1 :]:
            common = shapely.intersection(one.geometry, other.geometry).area
            if common > _TOUCHED_M2:
                raise InputError(
                    f"the agreements give {acres(common):.2f} acres both to the {one.label} and to the {other.label}",
                    remedy="draw them apart",
                )


def _around(governing: Sequence[Municipality], wanted: set[str], reach: Mapping[str, float]) -> list[Municipality]:
    """The wanted ones and all whose limits or reach come near their reach."""
    centre = [one for one in governing if one.label in wanted]
    near = []
    for one in governing:
        far = max((reach[each.label] for each in centre), default=0.0) + reach[one.label]
        if any(shapely.dwithin(one.geometry, each.geometry, far * _NEAR) for each in centre):
            near.append(one)
    return near


def _chosen(limits: Limits, names: Sequence[str]) -> list[Municipality] | None:
    if not names:
        return None
    found = []
    for name in names:
        fits = [
            one
            for one in limits.municipalities
            if one.kind not in UNINCORPORATED_KINDS and name.casefold() in {one.name.casefold(), one.label.casefold()}
        ]
        if len(fits) != 1:
            near = ", ".join(one.label for one in fits) or ", ".join(
                one.label
                for one in limits.municipalities
                if one.kind not in UNINCORPORATED_KINDS and one.name[:3].casefold() == name[:3].casefold()
            )
            raise InputError(
                f"--name {name!r} is {'several municipalities' if fits else 'no city or village of the limits'}",
                remedy=f"one of: {near}" if near else "see etj.csv of all of them for their names",
            )
        found += fits
    return found


def _undecided(
    one: Municipality, held: Holding, most_m: float, limits: Limits, incorporated: shapely.STRtree
) -> BaseGeometry:
    wide = reach_of(one.geometry, most_m, limits.plane)
    near = incorporated.geometries[incorporated.query(wide, predicate="intersects")]
    return shapely.difference(wide, shapely.union_all([held.reached, *near]))


def _touching(held: BaseGeometry, towns: Sequence[Municipality], tree: shapely.STRtree) -> list[Municipality]:
    if held.is_empty or not towns:
        return []
    shapely.prepare(held)
    found = [int(k) for k in tree.query(held, predicate="intersects")]
    shapes = np.array([towns[k].geometry for k in found], dtype=object)
    common = shapely.area(shapely.intersection(held, shapes))
    return sorted(
        (towns[k] for k, area in zip(found, common, strict=True) if area > _TOUCHED_M2), key=lambda t: t.label
    )


def _doubts(territories: Sequence[Territory], label: str) -> list[Flag]:
    flags = []
    for one in territories:
        name = one.municipality.label
        if not one.undecided.is_empty:
            flags.append(
                Flag("city_class_unknown", f"the class of the {name} is not known: the smaller reach was mapped, and "
                     f"{acres(one.undecided.area):,.0f} acres more are undecided", label)
            )  # fmt: skip
        if one.detached_only.area > _TOUCHED_M2:
            flags.append(
                Flag("detached_part", f"{acres(one.detached_only.area):,.1f} acres of the area of the {name} are "
                     "reached from detached parts only", label)
            )  # fmt: skip
    return flags


def _quiet(_text: str, _share: float) -> None:
    return None
