"""What is drawn: the evidence of each check, and the ground around it. GeoPackage and map draw the same layers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import shapely

from siteplan_gis.model.plan import ROLES
from siteplan_gis.report.plain import day, feet_of, number, plain_value, text
from siteplan_gis.report.records import sorted_findings
from siteplan_gis.report.wording import humanised
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.measurement import NearbyFeature
    from siteplan_gis.model.plan import PlanFeature
    from siteplan_gis.model.review import Review
    from siteplan_gis.report.plain import Plain

_ARC_SEGMENTS: Final = 64
_AROUND_M: Final = 400.0
"""Parcels, roads and contours of reference maps are drawn this far around the construction site."""


@dataclass(frozen=True, slots=True)
class MapItem:
    """One drawn thing with its columns; geometry in the site frame, None for a finding without a place."""

    geometry: BaseGeometry | None
    columns: Mapping[str, Plain]


@dataclass(frozen=True, slots=True)
class MapLayer:
    """Things of one kind.

    Attributes
    ----------
    key, title
        Name for machines and for people, neither from applicant's text.
    columns
        Names of the items' columns with their type: every item has all of them.
    """

    key: str
    title: str
    columns: Mapping[str, type]
    items: tuple[MapItem, ...]


_EVIDENCE: Final[Mapping[str, str]] = {
    "perimeter_down_ft": "Edge of the disturbed ground: falls outward",
    "perimeter_side_ft": "Edge of the disturbed ground: falls along it",
    "perimeter_up_ft": "Edge of the disturbed ground: falls inward",
    "offsite_upslope_acres": "Ground that drains into the disturbed ground",
    "channel_through_disturbed_ft": "Channels through the disturbed ground",
    "channel_heads_in_disturbed": "Where channels begin on the disturbed ground",
    "basin_drainage_acres": "Ground that drains to a basin",
    "stockpile_drainage_ft": "Way of runoff from a stockpile",
    "top_of_channel_ft": "Top of the channel",
    "downstream_network_ft": "Drainage lines downstream",
}
"""Measurements whose place explains them, beside those that other layers show."""

_REFERENCE: Final[Mapping[str, str]] = {
    "parcels": "Parcels (reference map)",
    "roads": "Roads (reference map)",
    "contours": "Contours (reference map)",
    "culverts": "Culverts (reference map)",
}

FOR_REVIEWER: Final = "for_reviewer"
"""Stands where findings have a status, for lines of the reviewer's checklist: it is none."""

FINDING_COLUMNS: Final[Mapping[str, type]] = {
    "finding": str, "fingerprint": str, "rule": str, "title": str, "section": str, "severity": str, "subject": str,
    "status": str, "message": str, "remedy": str, "measured": float, "unit": str, "plus_minus": float,
    "limit_operator": str, "limit_value": float, "limit_unit": str, "margin": float, "override": str,
}  # fmt: skip
_NEARBY_COLUMNS: Final[Mapping[str, type]] = {
    "id": str, "name": str, "kind": str, "code": str, "layer": str, "distance_ft": float, "shown_on_plan": str,
}  # fmt: skip
_STEEP_COLUMNS: Final[Mapping[str, type]] = {"acres": float, "median_percent": float, "in_disturbed_acres": float}
_RUNOFF_COLUMNS: Final[Mapping[str, type]] = {
    "id": str, "drawn_on_plan": str, "receiving": str, "kind": str, "flow_distance_ft": float,
    "straight_distance_ft": float, "within_quarter_mile": str, "ends_because": str, "explanation": str,
}  # fmt: skip
_PLAN_COLUMNS: Final[Mapping[str, type]] = {
    "layer": str, "id": str, "name": str, "kind": str, "phase": str, "start": str, "end": str, "elevation_ft": float,
    "attributes": str,
}  # fmt: skip


def finding_layers(review: Review, record: Mapping[str, Any]) -> tuple[MapLayer, ...]:
    """One layer for every check that found something, in the ordinance's order of rules."""
    by_check: dict[str, list[MapItem]] = {}
    for rule in review.ordinance.rules:
        by_check.setdefault(rule.check or rule.id, [])
    for finding, row in zip(sorted_findings(review), record["findings"], strict=True):
        by_check.setdefault(row["check"] or row["rule"], []).append(MapItem(finding.where, _finding_columns(row)))
    return tuple(
        MapLayer(key, humanised(key), FINDING_COLUMNS, tuple(items)) for key, items in by_check.items() if items
    )


def checklist_layer(review: Review, record: Mapping[str, Any]) -> MapLayer:
    """The places of what the reviewer decides alone, as findings are drawn."""
    items = tuple(
        MapItem(line.where, {"finding": row["id"], "status": FOR_REVIEWER})
        for line, row in zip(review.checklist, record["not_checked"], strict=True)
        if line.where is not None
    )
    return MapLayer("left_to_the_reviewer", "Left to the reviewer", {"finding": str, "status": str}, items)


def context_layers(review: Review) -> tuple[MapLayer, ...]:
    """The plan, the searched ground and what lies in it; empty layers are left out."""
    measured, plan = review.measured, review.site.plan
    method = review.ordinance.method
    reach = measured.shape.get("construction_site")
    shapes = {
        "site": measured.shape.get("site"),
        "quarter_mile": None if reach is None else reach.buffer(method.downstream_m, quad_segs=_ARC_SEGMENTS),
        "one_mile": None if reach is None else reach.buffer(method.search_m, quad_segs=_ARC_SEGMENTS),
    }
    drawn_roles = [role for role in ROLES if role not in {"site", "disturbed_area"}]
    layers = [
        _shape("site", "Site", shapes["site"]),
        _plan("disturbed_area", "Disturbed area", plan.of("disturbed_area")),
        *(_plan(f"plan_{role}", f"Plan: {humanised(role).lower()}", plan.of(role)) for role in drawn_roles),
        MapLayer("steep_patches", "Steep ground", _STEEP_COLUMNS,
                 tuple(MapItem(patch.outline or patch.geometry, {"acres": number(acres(patch.area_m2)),
                                                "median_percent": number(patch.median_percent),
                                                "in_disturbed_acres": number(acres(patch.in_disturbed_m2))})
                       for patch in measured.steep_patches)),
        MapLayer("slope_disagreement", "Slopes of plan and elevation model differ", {"difference": str},
                 _disagreement(review)),
        MapLayer("isolines", "Contours of submitted surfaces", {"layer": str},
                 tuple(MapItem(lines, {"layer": text(layer)}) for layer, lines in sorted(measured.isolines.items()))),
        _runoff(review),
        _nearby("waters", "Surface waters (reference map)", measured.waters),
        _nearby("wetlands", "Wetlands (reference map)", measured.wetlands),
        _nearby("floodplain", "Floodplain (reference map)", measured.floodplain),
        _nearby("airports", "Airports", measured.airports),
        *(_evidence(key, title, review) for key, title in _EVIDENCE.items()),
        *(_reference(role, title, review) for role, title in _REFERENCE.items()),
        MapLayer("municipality_shares", "Jurisdiction over the site",
                 {"municipality": str, "kind": str, "acres": float, "share": float},
                 tuple(MapItem(share.where, {"municipality": text(share.municipality), "kind": share.kind,
                                             "acres": number(acres(share.area_m2)), "share": number(share.share)})
                       for share in measured.jurisdiction)),
        MapLayer("uncovered", "Ground that a layer does not cover", {"role": str},
                 tuple(MapItem(ground, {"role": role}) for role, ground in sorted(measured.uncovered.items()))),
        _shape("quarter_mile", "A quarter mile from the construction site", shapes["quarter_mile"]),
        _shape("one_mile", "One mile from the construction site", shapes["one_mile"]),
    ]  # fmt: skip
    return tuple(layer for layer in layers if layer.items)


def _disagreement(review: Review) -> tuple[MapItem, ...]:
    where = getattr(review.measured.values.get("slope_disagreement_acres"), "where", None)
    if where is None or where.is_empty:
        return ()
    return (MapItem(where, {"difference": "more than 5 percentage points"}),)


def _evidence(name: str, title: str, review: Review) -> MapLayer:
    """A measurement's place with its value; of an indexed one, every place."""
    found = [
        each
        for key, each in review.measured.values.items()
        if key.partition("[")[0] == name and each.where is not None and not each.where.is_empty
    ]
    columns: dict[str, type] = {"about": str, "value": float, "unit": str, "plus_minus": float}
    items = tuple(
        MapItem(
            each.where,
            {
                "about": text(each.name.partition("[")[2][:-1]),
                "value": number(each.value) if isinstance(each.value, (int, float)) else None,
                "unit": each.unit,
                "plus_minus": number(each.plus_minus),
            },
        )
        for each in found
    )
    return MapLayer(name.rpartition("_")[0] if name.endswith(("_ft", "_acres")) else name, title, columns, items)


def _reference(role: str, title: str, review: Review) -> MapLayer:
    """What a reference map shows on and next to the construction site."""
    ground = review.measured.shape.get("construction_site")
    if ground is None or ground.is_empty:
        return MapLayer(role, title, {"layer": str, "name": str}, ())
    near = shapely.box(*ground.bounds).buffer(_AROUND_M, join_style="mitre")
    items = tuple(
        MapItem(each.geometry, {"layer": text(each.layer), "name": text(each.name)})
        for layer in review.site.layers.get(role, ())
        for each in layer.features
        if each.geometry.intersects(near)
    )
    return MapLayer(role, title, {"layer": str, "name": str}, items)


def _shape(key: str, title: str, geometry: BaseGeometry | None) -> MapLayer:
    items = () if geometry is None or geometry.is_empty else (MapItem(geometry, {"title": title}),)
    return MapLayer(key, title, {"title": str}, items)


def _plan(key: str, title: str, features: Iterable[PlanFeature]) -> MapLayer:
    return MapLayer(key, title, _PLAN_COLUMNS, tuple(MapItem(each.geometry, _plan_columns(each)) for each in features))


def _plan_columns(feature: PlanFeature) -> dict[str, Plain]:
    told = {text(name): plain_value(value) for name, value in feature.attributes.items()}
    return {
        "layer": text(feature.layer),
        "id": text(feature.id),
        "name": text(feature.name),
        "kind": text(feature.kind),
        "phase": text(feature.phase),
        "start": day(feature.start),
        "end": day(feature.end),
        "elevation_ft": feet_of(feature.elevation_m),
        "attributes": json.dumps(told, ensure_ascii=False, allow_nan=False),
    }


def _nearby(key: str, title: str, features: Iterable[NearbyFeature]) -> MapLayer:
    shown = {True: "yes", False: "no", None: "not compared"}
    items = tuple(
        MapItem(
            each.geometry,
            {
                "id": text(each.id), "name": text(each.name), "kind": each.kind, "code": text(each.code),
                "layer": text(each.layer), "distance_ft": feet_of(each.distance_m), "shown_on_plan": shown[each.shown],
            },
        )
        for each in features
    )  # fmt: skip
    return MapLayer(key, title, _NEARBY_COLUMNS, items)


def _runoff(review: Review) -> MapLayer:
    """Each discharge as its path, or as its start where it could not be followed; rival courses; barriers."""
    answer = {True: "yes", False: "no", None: "cannot be told"}
    items = tuple(
        MapItem(
            each.start if each.path is None or each.path.is_empty else each.path,
            {
                "id": text(each.id), "drawn_on_plan": answer[each.drawn], "receiving": text(each.receiving),
                "kind": each.kind or "", "flow_distance_ft": feet_of(each.flow_distance_m),
                "straight_distance_ft": feet_of(each.straight_distance_m),
                "within_quarter_mile": answer[each.within_quarter_mile], "ends_because": each.ends_because,
                "explanation": text(each.explanation),
            },
        )
        for each in review.measured.discharges
    )  # fmt: skip
    items += tuple(
        MapItem(
            path,
            {
                "id": f"{text(each.id)}, another course", "drawn_on_plan": answer[each.drawn], "receiving": "",
                "kind": "", "flow_distance_ft": None, "straight_distance_ft": None, "within_quarter_mile": answer[None],
                "ends_because": "", "explanation": "Where the runoff may go instead: the discharge's explanation tells why.",
            },
        )
        for each in review.measured.discharges
        for path in each.rivals
    )  # fmt: skip
    items += tuple(
        MapItem(
            each.barrier,
            {
                "id": f"{text(each.id)}, barrier", "drawn_on_plan": answer[each.drawn], "receiving": "", "kind": "",
                "flow_distance_ft": None, "straight_distance_ft": feet_of(each.start.distance(each.barrier)),
                "within_quarter_mile": answer[None], "ends_because": "barrier",
                "explanation": "The crest of the road-like barrier that the runoff stops behind.",
            },
        )
        for each in review.measured.discharges
        if each.barrier is not None
    )  # fmt: skip
    return MapLayer("runoff_paths", "Runoff paths", _RUNOFF_COLUMNS, items)


def _finding_columns(row: Mapping[str, Any]) -> dict[str, Plain]:
    measured, limit, override = row["measured"] or {}, row["limit"] or {}, row["override"]
    value = measured.get("value")
    return {
        "finding": row["id"], "fingerprint": row["fingerprint"], "rule": row["rule"], "title": row["title"],
        "section": row["section"], "severity": row["severity"], "subject": row["subject"], "status": row["status"],
        "message": row["message"], "remedy": row["remedy"],
        "measured": value if isinstance(value, (int, float)) and not isinstance(value, bool) else None,
        "unit": measured.get("unit"), "plus_minus": measured.get("plus_minus"),
        "limit_operator": limit.get("operator"), "limit_value": limit.get("value"), "limit_unit": limit.get("unit"),
        "margin": row["margin"],
        "override": None if override is None
        else f"{override['status']} by {override['who']} on {override['when']}: {override['why']}",
    }  # fmt: skip
