"""Two reviews of one project: what was resolved, what is still open, what is new, and how the drawing changed.

Findings are matched by their id (rule and subject). What is left of a rule on both sides is matched by place, so that
a feature that got another name is not told as resolved and new at once.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from siteplan_gis.frame import Frame
from siteplan_gis.report.plain import geojson_place, number
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shapely.geometry.base import BaseGeometry

ROUNDS_SCHEMA: Final = "siteplan-gis/rounds/1"
STATE_WORDS: Final = {
    "new": "New",
    "reopened": "Open again",
    "still_open": "Still open",
    "resolved": "Resolved",
    "settled": "Not open in either round",
}
STATES: Final = tuple(STATE_WORDS)
"""In the order of the report; "settled" was not open before and is not open now."""

_OPEN: Final = {"error", "fail", "not_checked", "needs_review"}
_SAME_PLACE_M: Final = 15.0
_NOISE_M2: Final = 1.0
_NOISE_SHARE: Final = 1e-4
_PARTS: Final = ("site", "construction_site", "disturbed")


def compare_reviews(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """What changed from one record of `review_record` to a later one, as plain data."""
    frame = Frame(new["frame"]["longitude"], new["frame"]["latitude"])
    geometry = {part: _changed_ground(old, new, part, frame) for part in _PARTS}
    unchanged = all(entry["unchanged"] for entry in geometry.values())
    rows = [_row(before, after, unchanged=unchanged) for before, after in _pairs(old, new, frame)]
    order = {row["rule"]: place for place, row in enumerate([*new["findings"], *old["findings"]][::-1])}
    rows.sort(key=lambda row: (STATES.index(row["state"]), -order.get(row["rule"], 0), row["id"]))
    return {
        "schema": ROUNDS_SCHEMA,
        "old": _side(old),
        "new": _side(new),
        "counts": {state: sum(row["state"] == state for row in rows) for state in STATES},
        "findings": rows,
        "geometry": geometry,
        "geometry_unchanged": unchanged,
        "warnings": list(_warnings(old, new, rows, unchanged=unchanged)),
    }


def _side(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "plan": record["plan"]["name"],
        "on": record["on"],
        "ordinance": record["ordinance"]["id"],
        "status": record["status"],
        "decided_status": record["decided_status"],
        "files": record["plan"]["files"],
    }


def _decided(row: Mapping[str, Any]) -> str:
    return str(row["override"]["status"] if row["override"] else row["status"])


def _pairs(
    old: Mapping[str, Any], new: Mapping[str, Any], frame: Frame
) -> Iterable[tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]]:
    """Each finding of both rounds once: before and after."""
    before = {row["id"]: row for row in old["findings"]}
    after = {row["id"]: row for row in new["findings"]}
    for name in sorted(before.keys() & after.keys()):
        yield before[name], after[name]
    left = [row for name, row in sorted(before.items()) if name not in after]
    fresh = [row for name, row in sorted(after.items()) if name not in before]
    places = {id(row): _place(row["place"], frame) for row in (*left, *fresh)}
    for row in left:
        here = places[id(row)]
        alike = [(places[id(other)], other) for other in fresh if other["rule"] == row["rule"]]
        near = [
            (here.distance(there), other["id"], other)
            for there, other in alike
            if here is not None and there is not None
        ]
        match = min(near, default=None, key=lambda item: item[:2])
        if match is not None and match[0] <= _SAME_PLACE_M:
            fresh.remove(match[2])
            yield row, match[2]
        else:
            yield row, None
    for row in fresh:
        yield None, row


def _row(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, *, unchanged: bool) -> dict[str, Any]:
    was = before is not None and _decided(before) in _OPEN
    is_open = after is not None and _decided(after) in _OPEN
    if is_open:
        state = "still_open" if was else "new" if before is None else "reopened"
    else:
        state = "resolved" if was else "settled"
    shown = after if after is not None else before
    assert shown is not None
    return {
        "id": shown["id"],
        "rule": shown["rule"],
        "title": shown["title"],
        "section": shown["section"],
        "section_inferred": shown["section_inferred"],
        "state": state,
        "old_status": None if before is None else _decided(before),
        "new_status": None if after is None else _decided(after),
        "old_message": "" if before is None else before["message"],
        "new_message": "" if after is None else after["message"],
        "remedy": "" if after is None else after["remedy"],
        "place": shown["place"],
        "new_on_unchanged_geometry": unchanged and state in {"new", "reopened"},
    }


def _changed_ground(old: Mapping[str, Any], new: Mapping[str, Any], part: str, frame: Frame) -> dict[str, Any]:
    before, after = (_ground(record["shapes"][part], frame) for record in (old, new))
    added, removed = after.difference(before), before.difference(after)
    noise = max(_NOISE_M2, _NOISE_SHARE * max(before.area, after.area))
    return {
        "old_acres": number(acres(before.area)),
        "new_acres": number(acres(after.area)),
        "added_acres": number(acres(added.area)),
        "removed_acres": number(acres(removed.area)),
        "unchanged": added.area + removed.area <= noise,
        "added": geojson_place(added, frame) if added.area > noise / 2 else None,
        "removed": geojson_place(removed, frame) if removed.area > noise / 2 else None,
    }


def _place(place: Mapping[str, Any] | None, frame: Frame) -> BaseGeometry | None:
    if place is None:
        return None
    geometry = shapely.geometry.shape(place)
    return shapely.transform(geometry, lambda lonlat: frame.from_lonlat(np.asarray(lonlat)))


def _ground(place: Mapping[str, Any] | None, frame: Frame) -> BaseGeometry:
    geometry = _place(place, frame)
    return shapely.Polygon() if geometry is None else shapely.make_valid(geometry)


def _warnings(
    old: Mapping[str, Any], new: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], *, unchanged: bool
) -> Iterable[str]:
    sides = (old, new)
    for (name, one), (_, other) in pairwise([("ordinance", side["ordinance"]["id"]) for side in sides]):
        if one != other:
            yield f"The two reviews are held to different law: {name} {one} and {other}."
    if new["on"] < old["on"]:
        yield f"The new review ({new['on']}) is of an earlier day than the old one ({old['on']})."
    if old["plan"]["name"] != new["plan"]["name"]:
        yield f"The plans have different names: {old['plan']['name']!r} and {new['plan']['name']!r}."
    late = [row["id"] for row in rows if row["new_on_unchanged_geometry"]]
    if late:
        yield (
            f"{len(late)} finding{'s are' if len(late) > 1 else ' is'} new although the drawing did not change: "
            f"{', '.join(late[:8])}{' ...' * (len(late) > 8)}."  # noqa: PLR2004
        )
    if unchanged and _hashes(old) == _hashes(new):
        yield "Both reviews were made of the same files."


def _hashes(record: Mapping[str, Any]) -> list[str]:
    return sorted(file["sha256"] for file in record["plan"]["files"])
