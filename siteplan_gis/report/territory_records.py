"""Extraterritorial areas as plain records: one set of rows feeds the table, the JSON, the GeoPackage and the map."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.report.plain import number, text
from siteplan_gis.report.spreadsheet import write_rows
from siteplan_gis.units import FOOT_M, MILE_M, acres

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.limits import Territory, TerritoryMap
    from siteplan_gis.model.parcels import ParcelShare

SCHEMA: Final = "urn:siteplan-gis:schema:etj:1"
CAUTION: Final = (
    "Reach and division by the state's law as data. No zoning boundary, no survey, no legal advice: a municipality may "
    "have waived its power, and needs an ordinance or official map to use it."
)
ROW_COLUMNS: Final[Mapping[str, type]] = {
    "municipality": str, "name": str, "kind": str, "counties": str, "city_class": str, "class_source": str,
    "reach_miles": float, "reach_source": str, "acres_inside": float, "etj_acres": float, "reached_acres": float,
    "shared_acres": float, "detached_only_acres": float, "undecided_acres": float, "towns_touched": str,
    "counties_touched": str,
}  # fmt: skip
"""Columns of the table of municipalities, with their type."""

OVERLAP_COLUMNS: Final[Mapping[str, type]] = {"first": str, "second": str, "acres": float, "line_miles": float}
PARCEL_COLUMNS: Final[Mapping[str, type]] = {
    "parcel": str, "acres": float, "municipality": str, "municipality_share": float, "etj_of": str, "etj_share": float,
    "limits_ft": float, "all_shares": str,
}  # fmt: skip


def territory_rows(mapped: TerritoryMap) -> list[dict[str, Any]]:
    """One row a municipality, by name; what the limits cannot tell is None."""
    return [_row(one) for one in mapped.territories]


def _row(one: Territory) -> dict[str, Any]:
    place = one.municipality
    return {
        "municipality": text(place.label),
        "name": text(place.name),
        "kind": place.kind,
        "counties": "; ".join(map(text, place.counties)),
        "city_class": place.city_class or ("unknown" if place.kind == "city" else ""),
        "class_source": text(place.class_source),
        "reach_miles": number(one.reach_m / MILE_M),
        "reach_source": text(one.reach_source),
        "acres_inside": _acres(place.geometry),
        "etj_acres": _acres(one.held),
        "reached_acres": _acres(one.reached),
        "shared_acres": _acres(one.shared),
        "detached_only_acres": _acres(one.detached_only),
        "undecided_acres": _acres(one.undecided),
        "towns_touched": None if one.towns is None else "; ".join(map(text, one.towns)),
        "counties_touched": None if one.counties is None else "; ".join(map(text, one.counties)),
    }


def overlap_rows(mapped: TerritoryMap) -> list[dict[str, Any]]:
    """One row a pair of municipalities that reach the same ground."""
    return [
        {
            "first": text(one.first),
            "second": text(one.second),
            "acres": _acres(one.ground),
            "line_miles": number(one.line.length / MILE_M),
        }
        for one in mapped.overlaps
    ]


def parcel_rows(parcels: Sequence[ParcelShare]) -> list[dict[str, Any]]:
    """One row a parcel; shares are of its area."""
    return [
        {
            "parcel": text(one.id),
            "acres": number(acres(one.area_m2)),
            "municipality": text(one.municipality),
            "municipality_share": number(one.municipality_share),
            "etj_of": text(one.etj_of),
            "etj_share": number(one.etj_share),
            "limits_ft": None if one.limits_m is None else number(one.limits_m / FOOT_M),
            "all_shares": "; ".join(f"{text(name)} {share:.1%}" for name, share in one.shares),
        }
        for one in parcels
    ]


def territory_record(mapped: TerritoryMap, parcels: Sequence[ParcelShare] | None = None) -> dict[str, Any]:
    """Everything but the geometry, as `etj.json` holds it."""
    source = mapped.limits.source
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "on": mapped.on.isoformat(),
        "caution": CAUTION,
        "state": {
            "id": mapped.profile.id,
            "title": mapped.profile.title,
            "detached_parts": mapped.profile.detached_parts,
            "overlaps": "equidistant",
            "reaches": [
                {"kind": rule.kind, "classes": list(rule.classes), "miles": number(rule.metres / MILE_M),
                 "source": rule.source} for rule in mapped.profile.reaches
            ],
            "sources": dict(mapped.profile.sources),
        },
        "limits": {"title": text(source.title), "file": text(source.file), "date": source.date, "crs": source.crs,
                   "sha256": source.sha256, "invented": mapped.limits.invented},
        "municipalities": territory_rows(mapped),
        "overlaps": overlap_rows(mapped),
        "flags": [{"code": flag.code, "text": text(flag.text), "layer": text(flag.layer),
                   "feature": text(flag.feature)} for flag in mapped.flags],
    }  # fmt: skip
    if parcels is not None:
        record["parcels"] = parcel_rows(parcels)
    return record


def csv_text(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, type]) -> str:
    r"""Rows as CSV; a text that a spreadsheet would run as a formula is given an apostrophe.

    Examples
    --------
    >>> csv_text([{"name": "=1+1", "acres": 2.5}], {"name": str, "acres": float})
    '"name","acres"\r\n"\'=1+1",2.5\r\n'
    """
    written = io.StringIO()
    write_rows(written, columns, ([row[name] for name in columns] for row in rows))
    return written.getvalue()


def write_csv(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, type], path: Path) -> None:
    """Write `csv_text` in UTF-8, marked so that spreadsheets know it."""
    path.write_text(csv_text(rows, columns), encoding="utf-8-sig", newline="")


def _acres(geometry: BaseGeometry) -> float | None:
    return number(acres(float(geometry.area)))
