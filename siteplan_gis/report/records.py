"""The one record of a review: JSON, GeoPackage, page and terminal all read it.

Everything in it is plain (text, numbers, truth, None, lists, dicts), in a fixed order and without a clock: the same
review gives the same bytes. What cannot be told is None with a reason, never NaN.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.model.review import Status
from siteplan_gis.report.plain import day, feet_of, geojson_place, number, plain_value, text
from siteplan_gis.report.plan_parts import sheet_records
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Iterable

    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.layers import ReferenceLayer
    from siteplan_gis.model.measurement import (
        Discharge,
        JurisdictionShare,
        Measurement,
        Measurements,
        NearbyFeature,
        SteepPatch,
    )
    from siteplan_gis.model.ordinance import Limit, Ordinance
    from siteplan_gis.model.plan import Plan
    from siteplan_gis.model.review import Finding, Override, Review
    from siteplan_gis.model.site import Site
    from siteplan_gis.model.source import Source
    from siteplan_gis.model.terrain import Terrain

Record = dict[str, Any]

REVIEW_SCHEMA: Final = "siteplan-gis/review/1"
MEASUREMENTS_SCHEMA: Final = "siteplan-gis/measurements/1"

_INDEXED: Final = re.compile(r"^(?P<name>[a-z_]+)\[(?P<index>.*)\]$", re.DOTALL)
_NOT_A_NUMBER: Final = "the value is not a number"


def review_record(review: Review) -> Record:
    """A review as one plain record, as `review.schema.json` describes it."""
    site, ordinance = review.site, review.ordinance
    findings = sorted_findings(review)
    return {
        "schema": REVIEW_SCHEMA,
        "software": {text(key): text(value) for key, value in sorted(review.software.items())},
        "ordinance": _ordinance(ordinance),
        "plan": plan_record(site),
        "sheets": sheet_records(site.plan),
        "shapes": _shapes(review),
        "on": day(review.on),
        "status": review.status.value,
        "decided_status": review.decided.value,
        "decisions_from": None if review.decisions_from is None else _source(review.decisions_from),
        "counts": {status.value: sum(finding.status is status for finding in findings) for status in Status},
        "findings": [_finding(finding, site) for finding in findings],
        "not_checked": [_left_to_reviewer(line, site) for line in review.checklist],
        "measurements": _measurements(review.measured),
        "faults": _faults(review.measured),
        "flags": flag_records(review.measured, site, review.flags),
        "sources": _sources(site),
        "frame": _frame(site),
    }


def measurements_record(measured: Measurements, site: Site) -> Record:
    """What was measured, before any law, as `measurements.schema.json` describes it."""
    return {
        "schema": MEASUREMENTS_SCHEMA,
        "plan": plan_record(site),
        "measurements": _measurements(measured),
        "faults": _faults(measured),
        "flags": flag_records(measured, site),
        "sources": _sources(site),
        "frame": _frame(site),
    }


def sorted_findings(review: Review) -> list[Finding]:
    """The findings, worst status first, then in the ordinance's order, then by subject."""
    statuses = list(Status)
    rules = {rule.id: position for position, rule in enumerate(review.ordinance.rules)}
    return sorted(
        review.findings,
        key=lambda found: (
            statuses.index(found.status), rules.get(found.rule.id, len(rules)), found.rule.id, found.subject
        ),
    )  # fmt: skip


def invented(site: Site) -> bool:
    """Whether the plan, a layer or the elevation shows invented ground."""
    layers = [layer for role in site.layers.values() for layer in role]
    return (
        site.plan.invented
        or any(layer.invented for layer in layers)
        or (site.terrain is not None and site.terrain.invented)
    )


def plan_record(site: Site) -> Record:
    """Who submitted what."""
    plan: Plan = site.plan
    return {
        "name": text(plan.name),
        "applicant": text(plan.applicant),
        "submitted": day(plan.submitted),
        "invented": invented(site),
        "files": source_records(plan.sources),
    }


def flag_records(measured: Measurements, site: Site, more: Iterable[Flag] = ()) -> list[Record]:
    """Every flag once, wherever it was raised."""
    raised: set[Flag] = {*measured.flags, *site.flags, *site.plan.flags, *more}
    for layers in site.layers.values():
        for layer in layers:
            raised.update(layer.flags)
    if site.terrain is not None:
        raised.update(site.terrain.flags)
    return [
        {"code": flag.code, "text": text(flag.text), "layer": text(flag.layer), "feature": text(flag.feature)}
        for flag in sorted(raised)
    ]


def source_records(sources: Iterable[Source]) -> list[Record]:
    """Sources, each once, in the order given."""
    return [_source(source) for source in dict.fromkeys(sources)]


def _source(source: Source) -> Record:
    return {
        "title": text(source.title),
        "file": text(source.file),
        "date": text(source.date),
        "licence": text(source.licence),
        "crs": text(source.crs),
        "accuracy_m": number(source.accuracy_m),
        "sha256": source.sha256,
    }


def _ordinance(ordinance: Ordinance) -> Record:
    return {
        "id": ordinance.id,
        "title": text(ordinance.title),
        "municipality": text(ordinance.municipality),
        "administrator": text(ordinance.administrator),
        "amended": [text(amendment) for amendment in ordinance.amended],
        "source": text(ordinance.source),
        "missing_text": [text(part) for part in ordinance.missing_text],
    }


def _finding(finding: Finding, site: Site) -> Record:
    rule = finding.rule
    return {
        "id": text(finding.id),
        "fingerprint": finding.fingerprint,
        "rule": rule.id,
        "check": rule.check,
        "title": text(rule.title),
        "section": text(rule.section),
        "section_inferred": rule.section_inferred,
        "quote": text(rule.quote),
        "note": text(rule.note),
        "severity": rule.severity,
        "mode": rule.mode,
        "source_status": rule.source_status,
        "subject": text(finding.subject),
        "status": finding.status.value,
        "message": text(finding.message),
        "remedy": text(finding.remedy),
        "measured": None if finding.measured is None else _measured(finding.measured),
        "limit": None if finding.limit is None else _limit(finding.limit),
        "margin": number(finding.margin),
        "due": day(finding.due),
        "place": geojson_place(finding.where, site.frame),
        "sources": source_records(finding.sources),
        "override": None if finding.override is None else _override(finding.override),
    }


def _shapes(review: Review) -> Record:
    """The ground that rules speak of, for a comparison with the next round."""
    shape = review.measured.shape
    return {
        part: geojson_place(shape.get(part), review.site.frame) for part in ("site", "construction_site", "disturbed")
    }


def _left_to_reviewer(line: Finding, site: Site) -> Record:
    """A requirement that the reviewer decides alone, with what could be gathered for it."""
    return {
        "rule": line.rule.id,
        "id": text(line.id),
        "fingerprint": line.fingerprint,
        "title": text(line.rule.title),
        "section": text(line.rule.section),
        "section_inferred": line.rule.section_inferred,
        "quote": text(line.rule.quote),
        "why": text(line.message),
        "place": geojson_place(line.where, site.frame),
        "override": None if line.override is None else _override(line.override),
    }


def _measured(measurement: Measurement) -> Record:
    value = plain_value(measurement.value)
    lost = value is None and measurement.value is not None
    return {
        "name": text(measurement.name),
        "value": value,
        "unit": measurement.unit,
        "plus_minus": number(measurement.plus_minus),
        "method": text(measurement.method),
        "reason": text(measurement.reason) or _NOT_A_NUMBER * lost,
    }


def _limit(limit: Limit) -> Record:
    return {
        "subject": limit.subject, "operator": limit.operator, "value": number(limit.value), "unit": limit.unit
    }  # fmt: skip


def _override(override: Override) -> Record:
    return {
        "status": override.status.value,
        "who": text(override.who),
        "when": day(override.when),
        "why": text(override.why),
    }


def _measurements(measured: Measurements) -> Record:
    record: Record = {}
    for name, measurement in measured.values.items():
        entry = {key: value for key, value in _measured(measurement).items() if key != "name"}
        entry["sources"] = source_records(measurement.sources)
        indexed = _INDEXED.match(name)
        if indexed:
            record.setdefault(indexed["name"], {})[text(indexed["index"])] = entry
        else:
            record[name] = entry
    for name, features in (
        ("waters_within_one_mile", measured.waters),
        ("wetlands_within_one_mile", measured.wetlands),
    ):
        record[name] = {
            **record.get(name, _not_measured("count")),
            "features": [_nearby(feature) for feature in features],
        }
    record["floodplain"] = [_nearby(feature) for feature in measured.floodplain]
    record["airports"] = [_nearby(feature) for feature in measured.airports]
    record["discharges"] = [_discharge(discharge) for discharge in measured.discharges]
    record["jurisdiction"] = _jurisdiction(record.get("jurisdiction", _not_measured("")), measured.jurisdiction)
    record["steep_patches"] = [_patch(patch) for patch in measured.steep_patches]
    record["open_acres"] = [
        {"from": day(since), "acres": number(acres(area_m2))} for since, area_m2 in measured.open_ground
    ]
    record["not_counted"] = {kind: int(count) for kind, count in sorted(measured.not_counted.items())}
    return record


def _faults(measured: Measurements) -> Record:
    """Steps of the measuring that crashed, with what happened."""
    return {step: text(what) for step, what in sorted(measured.faults.items())}


def _not_measured(unit: str) -> Record:
    return {
        "value": None,
        "unit": unit,
        "plus_minus": None,
        "method": "",
        "reason": "not measured with the given inputs",
        "sources": [],
    }


def _nearby(feature: NearbyFeature) -> Record:
    return {
        "id": text(feature.id),
        "name": text(feature.name),
        "kind": feature.kind,
        "code": text(feature.code),
        "layer": text(feature.layer),
        "distance_ft": feet_of(feature.distance_m),
        "shown": feature.shown,
    }


def _discharge(discharge: Discharge) -> Record:
    return {
        "id": text(discharge.id),
        "drawn": discharge.drawn,
        "receiving": text(discharge.receiving),
        "kind": discharge.kind,
        "flow_distance_ft": feet_of(discharge.flow_distance_m),
        "straight_distance_ft": feet_of(discharge.straight_distance_m),
        "within_quarter_mile": discharge.within_quarter_mile,
        "ends_because": discharge.ends_because,
        "plus_minus_ft": feet_of(discharge.plus_minus_m),
        "shown": discharge.shown,
        "explanation": text(discharge.explanation),
        "runs": discharge.runs,
        "runs_agreeing": discharge.runs_agreeing,
        "flow_range_ft": None if discharge.flow_range_m is None else [feet_of(each) for each in discharge.flow_range_m],
        "profile_ft": [[feet_of(along), feet_of(height)] for along, height in discharge.profile],
    }


def _share(share: JurisdictionShare) -> Record:
    inside = share.kind == "inside"
    area = number(acres(share.area_m2))
    return {
        "municipality": text(share.municipality) if inside else None,
        "etj_of": None if inside else text(share.municipality),
        "municipality_kind": share.municipality_kind,
        "acres_inside": area if inside else 0.0,
        "acres_in_etj": 0.0 if inside else area,
        "share": number(share.share),
    }


def _jurisdiction(entry: Record, shares: Iterable[JurisdictionShare]) -> Record:
    """Who governs the site: the municipality with the largest part inside, the one with the largest reach, and all."""
    rows = [_share(share) for share in shares]
    inside = max((row for row in rows if row["municipality"]), key=lambda row: row["acres_inside"], default=None)
    reach = max((row for row in rows if row["etj_of"]), key=lambda row: row["acres_in_etj"], default=None)
    return {
        **entry,
        "municipality": inside and inside["municipality"],
        "etj_of": reach and reach["etj_of"],
        "acres_inside": inside and inside["acres_inside"],
        "acres_in_etj": reach and reach["acres_in_etj"],
        "shares": rows,
    }


def _patch(patch: SteepPatch) -> Record:
    return {
        "acres": number(acres(patch.area_m2)),
        "median_percent": number(patch.median_percent),
        "in_disturbed_acres": number(acres(patch.in_disturbed_m2)),
    }


def _sources(site: Site) -> Record:
    return {
        "layers": [_layer(layer) for role in sorted(site.layers) for layer in site.layers[role]],
        "terrain": None if site.terrain is None else _terrain(site.terrain),
        "missing_layers": {role: text(why) for role, why in sorted(site.missing_layers.items())},
    }


def _layer(layer: ReferenceLayer) -> Record:
    return {
        "role": layer.role,
        "label": text(layer.label),
        "features": len(layer.features),
        "coverage_declared": layer.coverage_declared,
        "invented": layer.invented,
        "source": _source(layer.source),
    }


def _terrain(terrain: Terrain) -> Record:
    return {
        "reason": text(terrain.reason),
        "vertical_unit": text(terrain.vertical_unit),
        "vertical_unit_from": text(terrain.vertical_unit_from),
        "whole_units": terrain.whole_units,
        "accuracy_m": number(terrain.accuracy_m),
        "invented": terrain.invented,
        "sources": source_records(terrain.sources),
    }


def _frame(site: Site) -> Record:
    if not site.frame.placed:
        return {
            "projection": "the plan's own coordinates, metres; where they lie on the earth is not known",
            "longitude": None,
            "latitude": None,
        }
    return {
        "projection": "Lambert azimuthal equal-area, GRS 80, metres",
        "longitude": number(site.frame.longitude),
        "latitude": number(site.frame.latitude),
    }
