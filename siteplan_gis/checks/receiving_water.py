"""The immediate named receiving water, and listed waters downstream.

What the rules ask: the name of the immediate named receiving water, from the 7.5-minute topographic maps; and which
receiving waters, downstream ones too, are outstanding or exceptional resource waters, or impaired.

How it is judged: the first named water downstream of each discharge, along its path and the mapped drainage lines, is
set beside the name that the application states. Every discharge with another name is named; where no name is known
downstream, the reviewer compares. Listed waters (layer role `listed_waters`) are looked for along every drainage line
downstream, to the method's distance, which the text does not give.

Limits: names are those of the layers given, not of the printed map; lines end where their map ends.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.checks.verdict import checklist, finding, listed
from siteplan_gis.model.comparison import show
from siteplan_gis.model.review import Status
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.layers import ReferenceFeature
    from siteplan_gis.model.measurement import Measurement
    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding


def judge_receiving_water(rule: Rule, case: Case) -> Sequence[Finding]:
    """The stated name against the names found downstream."""
    stated, names = case.site.plan.stated.receiving_water, _indexed(case, "first_named_water")
    known = {discharge: item for discharge, item in names.items() if isinstance(item.value, str)}
    found = listed([f"{discharge}: {item.value}" for discharge, item in known.items()])
    places = [item.where for item in known.values() if item.where is not None]
    where = shapely.union_all(places) if places else None
    sources = tuple(layer.source for layer in case.site.layers.get("flowlines", ()))
    if not stated:
        text = f"The application states no receiving water (stated.receiving_water). Downstream by the maps: {found or 'no named water'}."
        remedy = "State the name of the receiving water."
        return [finding(rule, "name", Status.NEEDS_REVIEW, text, where=where, sources=sources, remedy=remedy)]
    others = [f"{discharge}: {item.value}" for discharge, item in known.items() if not _same(stated, str(item.value))]
    if others:
        text = f"Stated: {stated}. The first named water downstream is another: {listed(others)}."
        alike = any(_alike(stated, str(item.value)) for item in known.values())
        status = Status.FAIL if len(others) == len(names) and not alike else Status.NEEDS_REVIEW
        return [finding(rule, "name", status, text, where=where, sources=sources, remedy="State the water that is reached first.")]  # fmt: skip
    if not known:
        reasons = sorted({item.reason for item in names.values() if item.reason})
        text = f"Stated: {stated}. No named water is known downstream to compare with: {listed(reasons) or 'no discharge was followed'}."
        return [finding(rule, "name", Status.NEEDS_REVIEW, text, sources=sources)]
    unknown = [discharge for discharge in names if discharge not in known]
    rest = f" No name is known downstream of {listed(unknown)}." * bool(unknown)
    text = f"Stated: {stated}; the first named water downstream by the maps is the same ({found}).{rest}"
    return [finding(rule, "name", Status.PASS, text, where=where, sources=sources)]


def _indexed(case: Case, name: str) -> dict[str, Measurement]:
    opening = f"{name}["
    return {
        key.removeprefix(opening).removesuffix("]"): item
        for key, item in case.measured.values.items()
        if key.startswith(opening)
    }


_TRIBUTARY: Final = r"(?:(?:an? |the )?(?:(?:unnamed|intermittent|perennial|small) )*(?:tributary|trib|unt|ut|stream|ditch|wetlands?|swale)(?: (?:of|to|into))? )?(?:the )?"  # fmt: skip


def _same(stated: str, name: str) -> bool:
    """Whether two names mean one water; an unnamed tributary "of" a water or "to" it is named by that water.

    "North Branch Teasel Creek" is not Teasel Creek. Of several names ("Teasel Creek, Milwaukee River") one is enough.
    """
    theirs = _words(name)
    parts = re.split(r"[,;/()&]| and | then ", stated.casefold())
    return bool(theirs) and any(re.fullmatch(_TRIBUTARY + re.escape(theirs), _words(part)) for part in parts)


def _alike(stated: str, name: str) -> bool:
    """Whether a name holds another, as that of a branch or of a doubt ("Teasel Creek or others") does."""
    ours, theirs = (_words(text) for text in (stated, name))
    return bool(theirs) and f" {theirs} " in f" {ours} "


def _words(text: str) -> str:
    plain = re.sub(r"[^\w ]+", " ", text.casefold())
    short = {"cr": "creek", "crk": "creek", "r": "river", "riv": "river", "br": "branch", "lk": "lake", "n": "north", "s": "south", "e": "east", "w": "west"}  # fmt: skip
    return " ".join(short.get(word, word) for word in plain.split())


def judge_listed_waters(rule: Rule, case: Case) -> Sequence[Finding]:
    """Listed waters along the ways downstream."""
    layers = case.site.layers.get("listed_waters", ())
    reach = show(feet(case.ordinance.method.named_water_m) / 5280, 1)
    if not layers:
        reason = case.site.missing_layers.get("listed_waters", "no layer of listed waters was given")
        text = f"{reason[:1].upper()}{reason[1:]} (role listed_waters): compare the receiving waters with the state's lists by hand."
        return [checklist(rule, "listed", text)]
    sources = tuple(layer.source for layer in layers)
    ways, open_ends = [], []
    for discharge in case.measured.discharges:
        followed = case.measured.values.get(f"downstream_network_ft[{discharge.id}]")
        ways += [discharge.path] if discharge.path is not None else []
        if followed is None or followed.value is None:
            open_ends.append(discharge.id)
            continue
        ways += [followed.where] if followed.where is not None else []
        open_ends += [discharge.id] if followed.reason.startswith("the drainage lines go on") else []
    if not ways:
        text = "Not checked: no runoff was followed downstream."
        return [finding(rule, "listed", Status.NOT_CHECKED, text, sources=sources)]
    way = shapely.union_all(ways)
    along, touching = _along(case, way)
    first = listed(
        [f"{name}: {item.value}" for name, item in _indexed(case, "first_named_water").items() if item.value]
    )
    opening = f"First named water downstream: {first or 'none known'}."
    part = ""
    uncovered = way.difference(shapely.union_all([layer.coverage for layer in layers]))
    if open_ends or uncovered.length > 1.0:
        part = (
            f" The ways of {listed(open_ends)} go on unseen." if open_ends else " The layer does not cover all of it."
        )
    dated = "; ".join(f"{source.title} dated {source.date or 'unknown'}" for source in sources)
    found = [*along, *touching]
    if not found:
        where_not = (
            "on the part of the way that the maps show" if part else f"within {reach} miles along the drainage lines"
        )
        text = f"{opening} No listed water {where_not}, in {dated}. The text gives no distance.{part}"
        return [finding(rule, "listed", Status.NEEDS_REVIEW if part else Status.PASS, text, where=way, sources=sources)]
    stated = case.site.plan.stated.listed_waters
    where = shapely.union_all([item.geometry for item in found])
    names = listed([_described(item, case) for item in found])
    text = f"{opening} Listed waters on the way downstream, within {reach} miles along the drainage lines: {names} ({dated})."
    if stated is None:
        text += f" The application does not say which it names (stated.listed_waters).{part}"
        remedy = "Name the listed waters in the plan and in the manifest."
        return [finding(rule, "listed", Status.NEEDS_REVIEW, text, where=where, sources=sources, remedy=remedy)]
    left = [
        [item for item in items if not any(_same(name, item.name) for name in stated)] for items in (along, touching)
    ]
    if any(left):
        missing = sorted({item.name or item.id for items in left for item in items})
        named = listed(stated) or "no listed water"
        certain = [item for item in left[0] if item.name and not any(_alike(name, item.name) for name in stated)]
        status = Status.FAIL if certain else Status.NEEDS_REVIEW
        text += f" The application names {named}: {listed(missing)} is missing.{part}"
        remedy = "Name every listed water downstream."
        return [finding(rule, "listed", status, text, where=where, sources=sources, remedy=remedy)]
    text += f" The application names them ({listed(stated)}).{part}"
    return [finding(rule, "listed", Status.NEEDS_REVIEW if part else Status.PASS, text, where=where, sources=sources)]


_TOUCHES: Final = 4.0
"""A line that stays beside the way for less than so many times the tolerance may only end at it."""


def _along(case: Case, way: BaseGeometry) -> tuple[list[ReferenceFeature], list[ReferenceFeature]]:
    """Listed waters that lie along the ways downstream, and those that touch them."""
    along: list[ReferenceFeature] = []
    touching: list[ReferenceFeature] = []
    for layer in case.site.layers.get("listed_waters", ()):
        near_m = case.ordinance.method.network_snap_m + (
            layer.source.accuracy_m or case.ordinance.method.unstated_accuracy_m
        )
        for item in layer.features:
            if not shapely.dwithin(item.geometry, way, near_m):
                continue
            beside = way.intersection(item.geometry.buffer(near_m))
            whole = item.geometry.length if item.geometry.area == 0 else beside.length
            certain = beside.length > _TOUCHES * near_m or beside.length > 0.5 * whole > 0
            (along if certain else touching).append(item)
    return along, touching


def _described(item: ReferenceFeature, case: Case) -> str:
    away = shapely.distance(item.geometry, case.measured.shape["construction_site"])
    return (
        f"{item.name or item.id} ({item.kind or 'listed'}, {show(feet(float(away)), 0)} ft from the construction site)"
    )
