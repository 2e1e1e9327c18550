"""The core of the pre-screening: parcels, what lies around them and the ordinances give a screening of each.

The same measures as a review, and no plan needed. No path, clock or network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from siteplan_gis.measuring.ground import AREA_DOUBT
from siteplan_gis.measuring.parcels import measure_each
from siteplan_gis.model.comparison import compare, show, show_share
from siteplan_gis.model.ordinance import Limit
from siteplan_gis.model.screening import Governing, MapItem, Screening, Threshold
from siteplan_gis.units import acres, feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.measurement import JurisdictionShare, Method
    from siteplan_gis.model.ordinance import Ordinance, Rule
    from siteplan_gis.model.screening import Asked, Nearby, Parcel, ParcelFacts
    from siteplan_gis.model.site import Site

_SLIVER: Final = 0.001
_WHOLE: Final = 0.999
_BEYOND: Final = {
    "select_sites": "there the village applies it to sites that it selects",
    "optional": "there the village may apply it",
    "none": "the ordinance does not reach there",
}
_QUANTITIES: Final = {
    "disturbed_acres": "disturbed ground", "disturbed_max_concurrent_acres": "ground open at one time",
    "site_acres": "the land", "lot_acres": "a lot", "street_work_ft": "street work", "pipe_work_ft": "pipe work",
}  # fmt: skip
_STATED: Final = frozenset({"disturbed_acres", "disturbed_max_concurrent_acres"})
_SHOWN: Final = frozenset({
    "map_items", "wetland_acreage", "discharges_shown", "waters_within_one_mile", "waters_on_site_shown", "map_scale",
    "same_scale", "contour_interval", "grid_over_map", "airport_distance",
})  # fmt: skip
"""Checks of what the site map shows."""


def screen(
    parcels: Sequence[Parcel],
    site: Site,
    place: BaseGeometry,
    ordinances: Sequence[Ordinance],
    asked: Asked,
    method: Method,
    named: str = "",
) -> tuple[Screening, ...]:
    """Screen parcels of one frame, each as if it were alone.

    Parameters
    ----------
    site
        Layers and elevations around all of them; its plan is not looked at.
    place
        The ground whose jurisdiction is settled once (see `measure_parcels`).
    named
        Id of an ordinance to be told of wherever the parcels lie; empty for those of their municipalities only.
    """
    told = [parcel for parcel in parcels if not parcel.left_out]
    facts = (
        dict(zip((parcel.id for parcel in told), measure_each(told, site, place, asked, method), strict=True))
        if told
        else {}
    )
    sources = {role: tuple(layer.source for layer in layers) for role, layers in site.layers.items()}
    if site.terrain is not None:
        sources["elevation"] = site.terrain.sources
    invented = any(flag.code == "invented_ground" for flag in site.flags)
    found = []
    for parcel in parcels:
        measured = facts.get(parcel.id)
        if measured is None or isinstance(measured, str):
            found.append(
                Screening(
                    parcel, None, sources=sources, missing=site.missing_layers, invented=invented, fault=measured or ""
                )
            )
            continue
        governing, words = _governing(measured, ordinances, asked, named)
        found.append(Screening(parcel, measured, governing, words, sources, site.missing_layers, invented))
    return tuple(found)


def _governing(
    facts: ParcelFacts, ordinances: Sequence[Ordinance], asked: Asked, named: str
) -> tuple[tuple[Governing, ...], str]:
    found = []
    for one in ordinances:
        extent, why = _reach(facts, one)
        if one.id == named and not extent:
            extent, why = "named", f"asked for by name; {why}"
        if extent:
            items = tuple(MapItem(rule, _here(rule, facts)) for rule in one.rules if rule.check in _SHOWN)
            found.append(Governing(one.id, one.title, extent, why, _thresholds(one, facts, asked), items))
    return tuple(found), _words(facts)


def _words(facts: ParcelFacts) -> str:
    """Who has the parcel, in a sentence without its full stop."""
    if facts.shares is None:
        return "not known: no municipal boundaries were given"
    told = [one for one in facts.shares if one.share > _SLIVER]
    words = "; ".join(
        f"{'extraterritorial area of ' * (one.kind == 'etj')}{_label(one)} {show_share(min(one.share, 1.0) if one.share < _WHOLE else 1.0)}"
        for one in told
    )
    if not words:
        words = "unincorporated, or outside the boundary layer" if "municipalities" in facts.gaps else "unincorporated"
    if sum(one.share for one in told if one.kind == "inside" and one.municipality_kind != "town") >= _WHOLE:
        return words  # nobody reaches into it, of whatever class
    return "; ".join((words, *facts.jurisdiction_doubts))


def _label(share: JurisdictionShare) -> str:
    return f"{share.municipality} ({share.municipality_kind})" if share.municipality_kind else share.municipality


def _reach(facts: ParcelFacts, ordinance: Ordinance) -> tuple[str, str]:
    """How far an ordinance reaches a parcel ("" for not at all), and why."""
    name = f"the {ordinance.municipality_kind.title()} of {ordinance.municipality}"
    if facts.shares is None:
        return "", "who has the parcel is not known: no municipal boundaries were given"
    ours = [
        one
        for one in facts.shares
        if one.municipality.casefold() == ordinance.municipality.casefold()
        and one.municipality_kind in {"", ordinance.municipality_kind}
    ]
    inside = sum(one.share for one in ours if one.kind == "inside")
    beyond = sum(one.share for one in ours if one.kind == "etj")
    doubt = "; the boundary layer does not cover the whole parcel" * ("municipalities" in facts.gaps)
    if inside >= _WHOLE:
        return "inside", f"the whole parcel lies in {name}{doubt}"
    if inside > _SLIVER:
        more = f", and {show_share(beyond)} in its extraterritorial area" if beyond > _SLIVER else ""
        return "partly", f"{show_share(inside)} of the parcel lies in {name}{more}{doubt}"
    if beyond > _SLIVER:
        why = f"{show_share(beyond)} of the parcel lies in the extraterritorial area of {name}: {_BEYOND[ordinance.extraterritorial]}{doubt}"
        return ("extraterritorial" if ordinance.extraterritorial != "none" else ""), why
    return "", f"the parcel lies outside {name} and its reach{doubt}"


def _thresholds(ordinance: Ordinance, facts: ParcelFacts, asked: Asked) -> tuple[Threshold, ...]:
    found = []
    for rule in ordinance.rules:
        limits = [limit for limit in rule.limits.values() if limit.subject in _QUANTITIES]
        if rule.check == "applicability_disturbed" and not limits:
            limits = [Limit("disturbed_acres", ">", 0.0, "acre")]
        found += [_threshold(rule, limit, facts, asked) for limit in limits]
    return tuple(found)


def _threshold(rule: Rule, limit: Limit, facts: ParcelFacts, asked: Asked) -> Threshold:
    what, asks = _QUANTITIES[limit.subject], rule.title[:1].lower() + rule.title[1:]
    measured = doubt = None
    if limit.subject in _STATED:
        measured = asked.disturb_acres
    elif limit.subject in {"site_acres", "lot_acres"}:
        measured = acres(facts.area_m2)
        doubt = measured * AREA_DOUBT
    unit = {"acre": "acre" if limit.value == 1 else "acres"}.get(limit.unit, limit.unit)
    amount = f"{limit.value:g} {unit}"
    reached = None if measured is None else compare(measured, limit.operator, limit.value, doubt)
    basis = "" if rule.source_status == "text" else f" (the limit is {rule.source_status}, not in the supplied text)"
    if limit.subject in _STATED:
        up_to = {
            ">=": f"less than {amount} before", ">": f"up to {amount} before" if limit.value else "nothing at all before",
        }.get(limit.operator)  # fmt: skip
        words = (
            f"you may disturb {up_to}: {asks}{basis}"
            if up_to
            else f"with {_side(limit)} {amount} of {what}: {asks}{basis}"
        )
        if limit.subject == "disturbed_max_concurrent_acres":
            words = f"with {_side(limit)} {amount} open at one time: {asks}{basis}"
        if measured is not None:
            answer = {True: "yes", False: "no", None: "too near to tell"}[reached]
            words += f". With the stated {show(measured, 2, limit.value)} acres: {answer}"
    elif measured is not None:
        answer = {True: "yes", False: "no", None: "too near to tell"}[reached]
        words = f"{_side(limit)} {amount} of land ({asks}){basis}: the parcel has {show(measured, 2, limit.value)}: {answer}"
    else:
        words = f"{_side(limit)} {amount} of {what}: {asks}{basis}"
    return Threshold(rule, limit, measured, reached, words[:1].upper() + words[1:])


def _side(limit: Limit) -> str:
    return {">=": "at least", ">": "more than", "<=": "at most", "<": "less than", "==": "exactly"}[limit.operator]


def _here(rule: Rule, facts: ParcelFacts) -> str:
    """What maps show here of an item of the site map; empty where they cannot tell."""
    roles = rule.options.get("roles", ())
    listed = roles if isinstance(roles, tuple) else ()
    if rule.check == "wetland_acreage" or "wetland" in listed:
        return _on_parcel(facts.wetlands, "wetland")
    if "surface_water" in listed or rule.check == "waters_on_site_shown":
        return _on_parcel(facts.waters, "water")
    if "floodplain" in listed:
        amount = facts.floodplain
        if amount.area_m2 is None:
            return f"not known: {amount.reason}"
        return f"{show(acres(amount.area_m2), 2, 0.0)} acres mapped" if amount.area_m2 else "none mapped"
    if rule.check == "waters_within_one_mile":
        return "; ".join(
            f"{word}: " + (f"{near.within_mile} mapped" if near.within_mile is not None else f"not known ({near.reason})")
            for word, near in (("waters", facts.waters), ("wetlands", facts.wetlands))
        )  # fmt: skip
    if rule.check == "airport_distance":
        if facts.airport is None:
            return facts.airport_reason
        return f"{facts.airport.name} at {show(feet(facts.airport.distance_m), 0)} ft"
    if rule.check == "discharges_shown":
        if facts.runoff_reason:
            return f"not known: {facts.runoff_reason}"
        names = [one.receiving for one in facts.runoff if one.within_quarter_mile]
        names += [
            one.name or f"unnamed {one.kind.replace('_', ' ')}"
            for one in (*(facts.downstream or ()), *facts.waters.on_site, *facts.wetlands.on_site)
        ]
        return (
            f"runoff reaches {', '.join(dict.fromkeys(names))}" if names else "no water or wetland reached as followed"
        )
    return ""


def _on_parcel(near: Nearby, word: str) -> str:
    if not near.known:
        return f"not known: {near.reason}"
    names = dict.fromkeys(one.name or f"unnamed {one.kind.replace('_', ' ')}" for one in near.on_site)
    if names:
        return f"mapped on the parcel: {', '.join(names)}"
    return f"no {word} mapped on the parcel" + (f" ({near.reason})" if near.reason else "")
