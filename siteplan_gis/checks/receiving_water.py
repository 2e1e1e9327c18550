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
from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import checklist, finding, listed
from siteplan_gis.model.comparison import show
from siteplan_gis.model.review import Status
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        status = Status.FAIL if len(others) == len(names) else Status.NEEDS_REVIEW
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


def _same(stated: str, name: str) -> bool:
    """Whether two names mean one water; a tributary "of" a water or "to" it is named by that water."""
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
    unstated_m = case.ordinance.method.unstated_accuracy_m
    hits = [
        item
        for layer in layers
        for item in layer.features
        if shapely.dwithin(
            item.geometry, way, case.ordinance.method.network_snap_m + (layer.source.accuracy_m or unstated_m)
        )
    ]
    if hits:
        names = sorted({f"{item.name or item.id} ({item.kind or 'listed'})" for item in hits})
        text = f"On the way downstream, within {reach} miles along the drainage lines: {listed(names)}. Compare with what the plan identifies."
        where = shapely.union_all([item.geometry for item in hits])
        return [finding(rule, "listed", Status.NEEDS_REVIEW, text, where=where, sources=sources)]
    dated = "; ".join(f"{source.title} dated {source.date or 'unknown'}" for source in sources)
    uncovered = way.difference(shapely.union_all([layer.coverage for layer in layers]))
    if open_ends or uncovered.length > 1.0:
        part = f"the ways of {listed(open_ends)} go on unseen" if open_ends else "the layer does not cover all of it"
        text = f"None found on the part of the way downstream that the maps show ({dated}); {part}."
        return [finding(rule, "listed", Status.NEEDS_REVIEW, text, where=way, sources=sources)]
    text = f"None on the way downstream within {reach} miles along the drainage lines, in {dated}. The text gives no distance."
    return [finding(rule, "listed", Status.PASS, text, where=way, sources=sources)]
