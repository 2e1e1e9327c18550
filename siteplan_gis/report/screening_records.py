"""A pre-screening as plain data: the whole record for JSON and the page, and the one row of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.report.plain import feet_of, geojson_place, number, text
from siteplan_gis.report.records import source_records
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from siteplan_gis.model.measurement import Discharge, JurisdictionShare, NearbyFeature
    from siteplan_gis.model.screening import Amount, Governing, Nearby, ParcelFacts, Screening

Record = dict[str, Any]

SCREENING_SCHEMA: Final = "siteplan-gis/prescreen/1"

ROW_COLUMNS: Final[Mapping[str, type]] = {
    "parcel": str, "given_id": str, "file_row": int, "state": str, "reason": str, "governed_by": str, "ordinance": str,
    "ordinance_extent": str, "acres": float, "steep_acres": float, "steep_share": float, "steep_plus_minus_acres": float,
    "no_elevation_acres": float, "wetland_acres": float, "wetland_plus_minus_acres": float, "floodplain_acres": float,
    "floodway_acres": float, "waters_on_parcel": int, "wetlands_on_parcel": int, "waters_within_75_ft": int,
    "wetlands_within_75_ft": int, "waters_within_one_mile": int, "wetlands_within_one_mile": int,
    "nearest_water": str, "nearest_water_kind": str, "nearest_water_source": str, "nearest_water_ft": float,
    "nearest_wetland": str, "nearest_wetland_source": str, "nearest_wetland_ft": float, "airport": str,
    "airport_ft": float, "receiving_water": str, "listed_waters": str, "runoff_exits": int, "runoff_share": float,
    "runoff_reaches": str, "runoff_flow_ft": float,
    "runoff_plus_minus_ft": float, "runoff_within_quarter_mile": str, "runoff_longitude": float,
    "runoff_latitude": float, "buildable_acres": float, "buildable_plus_minus_acres": float, "buildable_share": float,
    "thresholds_reached": str, "not_known": str, "flags": str,
}  # fmt: skip
"""Columns of the table, in its order. What is not known is empty there, and named in `not_known`."""

_ANSWER: Final = {True: "yes", False: "no", None: "cannot be told"}


def screening_record(screening: Screening) -> Record:
    """A screening of one parcel as one plain record, as `prescreen.schema.json` describes it."""
    parcel, facts = screening.parcel, screening.facts
    return {
        "schema": SCREENING_SCHEMA,
        "parcel": {
            "id": text(parcel.id),
            "given_id": text(parcel.given_id),
            "file_row": parcel.row,
            "left_out": text(parcel.left_out),
            "place": geojson_place(parcel.geometry, parcel.frame),
        },
        "fault": text(screening.fault),
        "invented": screening.invented,
        "governed_by": text(screening.governing_words),
        "ordinances": [_governing(one) for one in screening.governing],
        "facts": None if facts is None else _facts(facts),
        "sources": {role: source_records(sources) for role, sources in sorted(screening.sources.items())},
        "missing": {role: text(why) for role, why in sorted(screening.missing.items())},
    }


def screening_row(screening: Screening) -> dict[str, Any]:
    """A screening as one row of `ROW_COLUMNS`."""
    parcel, facts = screening.parcel, screening.facts
    row: dict[str, Any] = dict.fromkeys(ROW_COLUMNS)
    row |= {
        "parcel": text(parcel.id), "given_id": text(parcel.given_id), "file_row": parcel.row,
        "state": "left out" if parcel.left_out else "failed" if facts is None else "screened",
        "reason": text(parcel.left_out or screening.fault),
    }  # fmt: skip
    if facts is None:
        return row
    waters, wetlands = facts.waters, facts.wetlands
    runoff = facts.runoff[0] if facts.runoff else None
    start = geojson_place(None if runoff is None else runoff.start, parcel.frame)
    land = acres(facts.area_m2)
    reached = [
        f"{one.ordinance}: {each.rule.id}" for one in screening.governing for each in one.thresholds if each.reached
    ]
    row |= {
        "governed_by": text(screening.governing_words),
        "ordinance": ", ".join(one.ordinance for one in screening.governing),
        "ordinance_extent": ", ".join(one.extent for one in screening.governing),
        "acres": number(land),
        "steep_acres": _acres(facts.steep.area_m2),
        "steep_share": None if facts.steep.area_m2 is None else number(facts.steep.area_m2 / facts.area_m2),
        "steep_plus_minus_acres": _acres(facts.steep.plus_minus_m2),
        "no_elevation_acres": _acres(facts.no_elevation_m2),
        "wetland_acres": _acres(facts.wetland.area_m2),
        "wetland_plus_minus_acres": _acres(facts.wetland.plus_minus_m2),
        "floodplain_acres": _acres(facts.floodplain.area_m2),
        "floodway_acres": _acres(facts.floodway.area_m2),
        "waters_on_parcel": len(waters.on_site) if waters.known else None,
        "wetlands_on_parcel": len(wetlands.on_site) if wetlands.known else None,
        "waters_within_75_ft": len(waters.beside) if waters.known else None,
        "wetlands_within_75_ft": len(wetlands.beside) if wetlands.known else None,
        "waters_within_one_mile": waters.within_mile,
        "wetlands_within_one_mile": wetlands.within_mile,
        **_nearest("nearest_water", waters.nearest),
        "nearest_water_kind": waters.nearest.kind if waters.nearest else None,
        **_nearest("nearest_wetland", wetlands.nearest),
        "airport": text(facts.airport.name or facts.airport.id) if facts.airport else None,
        "airport_ft": feet_of(facts.airport.distance_m) if facts.airport else None,
        "receiving_water": text(facts.receiving) or None,
        "listed_waters": listing_words(facts) if facts.listing is not None else None,
        "runoff_exits": None if facts.runoff_reason else len(facts.runoff),
        "runoff_share": number(sum(facts.runoff_shares)) if facts.runoff else None,
        "runoff_reaches": text(runoff.receiving) or None if runoff else None,
        "runoff_flow_ft": feet_of(runoff.flow_distance_m) if runoff else None,
        "runoff_plus_minus_ft": feet_of(runoff.plus_minus_m) if runoff else None,
        "runoff_within_quarter_mile": _ANSWER[runoff.within_quarter_mile] if runoff else None,
        "runoff_longitude": start["coordinates"][0] if start else None,
        "runoff_latitude": start["coordinates"][1] if start else None,
        "buildable_acres": _acres(facts.remainder.area_m2),
        "buildable_plus_minus_acres": _acres(facts.remainder.plus_minus_m2),
        "buildable_share": None if facts.remainder.area_m2 is None else number(facts.remainder.area_m2 / facts.area_m2),
        "thresholds_reached": "; ".join(reached),
        "not_known": "; ".join(f"{name}: {why}" for name, why in untold(facts).items()),
        "flags": ", ".join(dict.fromkeys(flag.code for flag in facts.flags)),
    }
    return row


def untold(facts: ParcelFacts) -> dict[str, str]:
    """What of a parcel is not known, or known in part only, and why."""
    listed = {
        "steep ground": facts.steep.reason,
        "waters": facts.waters.reason,
        "wetlands": facts.wetlands.reason,
        "wetland acres": facts.wetland.reason,
        "floodplain": facts.floodplain.reason,
        "jurisdiction": "no municipal boundaries were given"
        if facts.shares is None
        else facts.gaps.get("municipalities", ""),
        "airport": facts.airport_reason,
        "runoff": facts.runoff_reason or _unread(facts),
        "receiving water": facts.receiving_reason,
        "waters downstream": facts.downstream_reason,
        "its listing as outstanding, exceptional or impaired": facts.listing_reason,
        "buildable remainder": facts.remainder.reason,
    }
    return {name: text(why) for name, why in listed.items() if why}


def _unread(facts: ParcelFacts) -> str:
    """Places of runoff whose way hangs on elevations that go on beyond what was read: its length has no bounds."""
    places = [str(k) for k, one in enumerate(facts.runoff, 1) if one.plus_minus_m is None]
    if not places:
        return ""
    return f"the way from place {', '.join(places)} hangs on ground beyond the elevations that are read at once"


def listing_words(facts: ParcelFacts) -> str:
    """The listed waters on a parcel and downstream, or that the list given has none of them."""
    if not facts.listing:
        return "none of those in the list given"
    return "; ".join(dict.fromkeys(f"{one.kind or 'listed'}: {text(one.name or one.id)}" for one in facts.listing))


def _nearest(name: str, found: NearbyFeature | None) -> Record:
    if found is None:
        return {}
    return {
        name: text(found.name) or f"unnamed {found.kind.replace('_', ' ')}",
        f"{name}_source": text(found.layer),
        f"{name}_ft": feet_of(found.distance_m),
    }


def _acres(area_m2: float | None) -> float | int | None:
    return None if area_m2 is None else number(acres(area_m2))


def _of_rest(facts: ParcelFacts, name: str) -> float | None:
    """What one takes of the ground that is left by those before it; None where it is kept or not known."""
    known = name in facts.taken_out and facts.removed[name].area_m2 is not None and facts.remainder.area_m2 is not None
    return facts.taken_of_rest.get(name, 0.0) if known else None


def _amount(amount: Amount) -> Record:
    return {
        "acres": _acres(amount.area_m2), "plus_minus_acres": _acres(amount.plus_minus_m2), "reason": text(amount.reason),
    }  # fmt: skip


def _facts(facts: ParcelFacts) -> Record:
    return {
        "acres": _acres(facts.area_m2),
        "steep": _amount(facts.steep)
        | {"share": None if facts.steep.area_m2 is None else number(facts.steep.area_m2 / facts.area_m2)},
        "no_elevation_acres": _acres(facts.no_elevation_m2),
        "waters": _nearby(facts.waters),
        "wetlands": _nearby(facts.wetlands) | {"on_parcel_acres": _amount(facts.wetland)},
        "floodplain": _amount(facts.floodplain),
        "floodway": _amount(facts.floodway),
        "airport": None if facts.airport is None else _feature(facts.airport),
        "airport_reason": text(facts.airport_reason),
        "jurisdiction": None if facts.shares is None else [_share(one) for one in facts.shares],
        "runoff": [_discharge(one, share, facts) for one, share in zip(facts.runoff, facts.runoff_shares, strict=True)],
        "runoff_reason": text(facts.runoff_reason),
        "receiving_water": text(facts.receiving),
        "receiving_reason": text(facts.receiving_reason),
        "runoff_share": number(sum(facts.runoff_shares)) if facts.runoff else None,
        "downstream": None if facts.downstream is None else _features(facts.downstream),
        "downstream_reason": text(facts.downstream_reason),
        "listing": None if facts.listing is None else _features(facts.listing),
        "listing_reason": text(facts.listing_reason),
        "buildable": _amount(facts.remainder),
        "removed": {
            name: _amount(amount) | {"of_the_rest_acres": _acres(_of_rest(facts, name))}
            for name, amount in sorted(facts.removed.items())
        },
        "taken_out": list(facts.taken_out),
        "gaps": {role: text(why) for role, why in sorted(facts.gaps.items())},
        "not_known": untold(facts),
        "flags": [
            {"code": flag.code, "text": text(flag.text), "layer": text(flag.layer), "feature": text(flag.feature)}
            for flag in facts.flags
        ],
    }


def _nearby(near: Nearby) -> Record:
    return {
        "known": near.known,
        "reason": text(near.reason),
        "within_one_mile": near.within_mile,
        "plus_minus_ft": feet_of(near.plus_minus_m),
        "nearest": None if near.nearest is None else _feature(near.nearest),
        "on_parcel": _features(near.on_site),
        "within_75_ft": _features(near.beside),
        "listed": None if near.listed is None else _features(near.listed),
    }


def _features(found: Sequence[NearbyFeature]) -> list[Record]:
    return [_feature(one) for one in found]


def _feature(one: NearbyFeature) -> Record:
    return {
        "id": text(one.id), "name": text(one.name), "kind": one.kind, "code": text(one.code), "source": text(one.layer),
        "distance_ft": feet_of(one.distance_m),
    }  # fmt: skip


def _share(share: JurisdictionShare) -> Record:
    return {
        "municipality": text(share.municipality), "kind": share.municipality_kind, "reach": share.kind,
        "acres": _acres(share.area_m2), "share": number(share.share),
    }  # fmt: skip


def _discharge(one: Discharge, share: float, facts: ParcelFacts) -> Record:
    return {
        "id": one.id,
        "leaves_at": geojson_place(one.start, facts.parcel.frame),
        "share": number(share),
        "reaches": text(one.receiving),
        "kind": one.kind,
        "flow_distance_ft": feet_of(one.flow_distance_m),
        "straight_distance_ft": feet_of(one.straight_distance_m),
        "plus_minus_ft": feet_of(one.plus_minus_m),
        "runs": one.runs,
        "runs_agreeing": one.runs_agreeing,
        "flow_range_ft": None if one.flow_range_m is None else [feet_of(value) for value in one.flow_range_m],
        "within_quarter_mile": one.within_quarter_mile,
        "ends_because": one.ends_because,
        "explanation": text(one.explanation),
    }


def _governing(one: Governing) -> Record:
    return {
        "ordinance": one.ordinance,
        "title": text(one.title),
        "extent": one.extent,
        "why": text(one.why),
        "thresholds": [
            {
                "rule": each.rule.id, "section": text(each.rule.section), "source_status": each.rule.source_status,
                "subject": each.limit.subject, "operator": each.limit.operator, "value": number(each.limit.value),
                "unit": each.limit.unit, "measured": number(each.measured), "reached": each.reached,
                "words": text(each.words),
            }
            for each in one.thresholds
        ],
        "must_show": [
            {"rule": each.rule.id, "section": text(each.rule.section), "title": text(each.rule.title),
             "severity": each.rule.severity, "here": text(each.here)}
            for each in one.must_show
        ],
    }  # fmt: skip
