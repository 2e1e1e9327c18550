"""Every mapped water and wetland within one mile shown on the plan.

What the rule asks: the locations of all surface waters and wetlands within one mile of the construction site.

How it is judged: each feature of the reference layers within one mile (true distance, never a buffer polygon) must
lie near a water or wetland that the plan draws: within 50 ft for most of its course inside the mile. Those missing
are named and drawn. A feature whose distance differs from the mile by less than its map's accuracy is the
reviewer's; so is one that the plan draws in another shape, farther off by no more than the map's accuracy, or only
as a part of a large area that no map knows as water or wetland. Ground that no layer covers is said.

Limits: maps of waters and wetlands are never proof of absence; wetlands too small for the map are not in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import finding
from siteplan_gis.model.comparison import compare, show, show_share
from siteplan_gis.model.place_names import names_by_place
from siteplan_gis.model.review import Status
from siteplan_gis.units import acres, feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.measurement import NearbyFeature
    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding
    from siteplan_gis.model.source import Source

_MOST_SEPARATE = 40


def judge_nearby_waters(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for each missing feature, one for each uncovered role, one where all is shown."""
    found: list[Finding] = []
    for role, nearby in (("waters", case.measured.waters), ("wetlands", case.measured.wetlands)):
        if not _mapped(case, role, nearby):
            reason = case.site.missing_layers.get(role, f"no layer of {role} was given")
            found.append(finding(rule, role, Status.NOT_CHECKED, f"Not checked: {reason}."))
            continue
        found.extend(_judge_role(rule, case, role, (*nearby, *case.measured.beyond.get(role, ()))))
    return found


def _mapped(case: Case, role: str, nearby: Sequence[NearbyFeature]) -> bool:
    return bool(case.site.layers.get(role)) or bool(nearby)


def _judge_role(rule: Rule, case: Case, role: str, nearby: Sequence[NearbyFeature]) -> list[Finding]:
    layers = case.site.layers.get(role, ())
    sources = tuple(layer.source for layer in layers)
    limit = rule.limits["within"]
    mile_m = case.ordinance.method.search_m
    unstated_m = case.ordinance.method.unstated_accuracy_m
    doubt_m = max((source.accuracy_m or unstated_m for source in sources), default=unstated_m)
    found = []
    missing = [feature for feature in nearby if feature.shown is not True]
    names = _subjects(nearby)
    for group in _grouped(missing):
        first = group[0]
        near = compare(first.distance_m, "<=", mile_m, doubt_m)
        told = first.shown is False and near is True
        name = first.name or f"unnamed {first.kind.replace('_', ' ')} {first.id}"
        more = f" ({len(group)} pieces)" if len(group) > 1 else ""
        why = "" if near else ": within the map's accuracy of the mile"
        text = (
            f"{name}{more}, {show(feet(first.distance_m), 0)} ft from the construction site{why}, is in {first.layer}"
            + (f". {first.note}" if first.note else ", not on the plan." if first.shown is False else ".")
        )
        found.append(
            finding(
                rule,
                f"{role}:{names[id(first)]}",
                Status.FAIL if told else Status.NEEDS_REVIEW,
                text,
                limit=limit,
                where=shapely.union_all([feature.geometry for feature in group]),
                sources=sources,
                remedy="Draw it on the site map, or show by a field delineation that it is not there.",
            )
        )
    found.extend(_coverage(rule, case, role, sources))
    nearby = [feature for feature in nearby if compare(feature.distance_m, "<=", mile_m)]
    if not found:
        dated = "; ".join(f"{source.title} dated {source.date or 'unknown'}" for source in sources)
        text = (
            f"All {len(nearby)} {role} mapped within one mile are shown on the plan ({dated})."
            if nearby
            else f"None mapped within one mile in {dated}."
        )
        found.append(finding(rule, role, Status.PASS, text, limit=limit, sources=sources))
    return found


def _coverage(rule: Rule, case: Case, role: str, sources: tuple[Source, ...]) -> list[Finding]:
    uncovered = case.measured.uncovered.get(role)
    empty = [
        layer for layer in case.site.layers.get(role, ()) if any(flag.code == "layer_empty" for flag in layer.flags)
    ]
    if uncovered is not None:
        mile = case.measured.shape["construction_site"].buffer(case.ordinance.method.search_m, quad_segs=32)
        share = uncovered.area / mile.area
        text = (
            f"{show(acres(uncovered.area), 0)} acres ({show_share(share)}) of the ground within one mile are not covered by the {role} "
            f"given: none found there means nothing."
        )
        status = Status.NOT_CHECKED if share > 0.999 else Status.NEEDS_REVIEW  # noqa: PLR2004
        return [finding(rule, f"{role}:coverage", status, text, where=uncovered, sources=sources,
                        remedy=f"Give a {role} layer that covers the whole mile.")]  # fmt: skip
    if empty:
        text = f"{empty[0].label} holds no feature at all: an empty file is no proof that there are no {role}."
        return [finding(rule, f"{role}:coverage", Status.NEEDS_REVIEW, text, sources=sources)]
    return []


def _subjects(features: Sequence[NearbyFeature]) -> dict[int, str]:
    """For each feature what a finding calls it: its name, its permanent identifier, else its kind and a number.

    An identifier that the program made itself holds the name of the file and the place in it.
    """
    own = [each.name or each.id * (not each.id.startswith(f"{each.layer}:")) for each in features]
    kinds = [each.kind.replace("_", " ") for each in features]
    found = names_by_place(
        ["" if name in own[:k] else name for k, name in enumerate(own)], kinds, [each.geometry for each in features]
    )
    return {id(each): name or found[k] for k, (each, name) in enumerate(zip(features, own, strict=True))}


def _grouped(features: Sequence[NearbyFeature]) -> list[list[NearbyFeature]]:
    """Pieces of one named feature together; beyond a number, the unnamed of a kind together."""
    groups: dict[str, list[NearbyFeature]] = {}
    for feature in features:
        groups.setdefault(
            f"{feature.name}|{feature.kind}|{feature.shown}|{feature.note}" if feature.name else feature.id, []
        ).append(feature)
    if len(groups) > _MOST_SEPARATE:
        groups = {}
        for feature in features:
            groups.setdefault(f"{feature.name}|{feature.kind}|{feature.shown}|{feature.note}", []).append(feature)
    return list(groups.values())
