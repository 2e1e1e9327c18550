"""The plan's sheets and layers as plain records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from siteplan_gis.report.plain import number, text

if TYPE_CHECKING:
    from siteplan_gis.model.plan import Plan

Record = dict[str, Any]


def sheet_records(plan: Plan) -> list[Record]:
    """The sheets with all that tells their scale."""
    return [
        {
            "name": text(sheet.name),
            "number": text(sheet.number),
            "title": text(sheet.title),
            "file": text(sheet.file),
            "page": sheet.page,
            "shows": sheet.shows,
            "width_in": number(sheet.width_in),
            "height_in": number(sheet.height_in),
            "half_size": sheet.half_size,
            "evidence": [
                {
                    "kind": each.kind,
                    "feet_per_inch": number(each.feet_per_inch),
                    "plus_minus": number(each.plus_minus),
                    "where": text(each.where),
                    "subject": each.subject,
                }
                for each in sheet.evidence
            ],
            "notes": [text(note) for note in sheet.notes],
        }
        for sheet in plan.sheets
    ]


def plan_layer_records(plan: Plan) -> list[Record]:
    """The plan's layers as they were understood."""
    return [
        {
            "label": text(layer.label),
            "role": layer.role,
            "role_from": layer.role_from,
            "crs": text(layer.crs),
            "features": layer.features,
            "set_aside": layer.set_aside,
        }
        for layer in plan.layers
    ]
