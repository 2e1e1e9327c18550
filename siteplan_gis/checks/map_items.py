"""Each item that the site map must include.

What the rules ask: a list of things to be drawn; one rule for each.

How it is judged: the item is present when the plan has features of one of its roles. An item that every site has
(its boundary, the disturbed ground, controls) fails when it is absent; where parts of the drawing could not be read,
it may be among them and is the reviewer's. An item that a site may lack (`may_be_absent`) passes when the manifest
declares that there is none, and is the reviewer's when nothing is said or when a reference map shows it on or next to
the site: a declaration does not take a stream off the ground.

Where only sheets were given, nothing is judged: what they show is for eyes.

Limits: that something is drawn does not make it right; only what lies nowhere near the site is told, or beside it
where it has to lie on it, as the samples of a legend do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.checks.verdict import LOSSES, SEND_AGAIN, finding, unseen
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding

_ON_THE_GROUND: Final = frozenset(
    {"construction_site", "disturbed_area", "control", "stabilization", "revegetation", "infiltration",
     "contour_existing", "contour_proposed", "surface_existing", "surface_proposed"}
)  # fmt: skip
"""Roles that have to be drawn on the site itself: beside it they are the samples of a legend."""


def judge_map_item(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for each group of roles: `roles`, or `each_of` for items that must all be there."""
    plan, found = case.site.plan, []
    if plan.only_sheets:
        return [unseen(rule, "sheets")]
    all_read = LOSSES.isdisjoint(flag.code for flag in plan.flags)
    groups: list[tuple[str, ...]] = [(role,) for role in _tuple(rule, "each_of")] or [_tuple(rule, "roles")]
    for roles in groups:
        subject = "+".join(roles) if len(groups) == 1 else roles[0]
        words = " or ".join(role.replace("_", " ") for role in roles)
        drawn = plan.of(*roles)
        if drawn:
            layers = sorted({feature.layer for feature in drawn})
            ground = _ground(case)
            on_site = _ON_THE_GROUND.issuperset(roles)
            reach_m = case.ordinance.method.shown_within_m if on_site else case.ordinance.method.downstream_m
            if not ground.is_empty and not any(shapely.dwithin(item.geometry, ground, reach_m) for item in drawn):
                text = f"{len(drawn)} feature{'s' * (len(drawn) > 1)} ({words}) are drawn in {', '.join(layers)}, but none {'on the site' if on_site else 'within a quarter mile of the site'}."
                remedy = "Place the drawing where the site is."
                found.append(finding(rule, subject, Status.NEEDS_REVIEW, text, remedy=remedy))
                continue
            text = f"Drawn: {len(drawn)} feature{'s' * (len(drawn) > 1)} ({words}) in {', '.join(layers)}."
            found.append(finding(rule, subject, Status.PASS, text))
        elif mapped := _mapped(case, roles):
            text = f"Nothing is drawn ({words}), but maps show it on or next to the site: {', '.join(mapped)}."
            status = Status.NEEDS_REVIEW if rule.options.get("may_be_absent") or not all_read else Status.FAIL
            found.append(finding(rule, subject, status, text, remedy="Draw it on the site map."))
        elif plan.declared_absent.intersection(roles) and rule.options.get("may_be_absent"):
            found.append(finding(rule, subject, Status.PASS, f"The application declares that there is none ({words})."))
        elif rule.options.get("may_be_absent"):
            text = f"Nothing is drawn ({words}), and nothing is said about it."
            found.append(
                finding(
                    rule, subject, Status.NEEDS_REVIEW, text, remedy=f'Draw it, or declare `none = ["{roles[0]}"]`.'
                )
            )
        elif not all_read:
            text = f"Nothing that can be read is drawn ({words}): look whether it is among the parts that could not be."
            found.append(finding(rule, subject, Status.NEEDS_REVIEW, text, remedy=SEND_AGAIN))
        else:
            found.append(
                finding(rule, subject, Status.FAIL, f"Nothing is drawn ({words}).", remedy="Draw it on the site map.")
            )
    return found


def _ground(case: Case) -> BaseGeometry:
    return shapely.union_all([case.measured.shape["site"], case.measured.shape["construction_site"]])


def _mapped(case: Case, roles: tuple[str, ...]) -> list[str]:
    """Names of what reference maps show of some roles on or next to the site."""
    measured = case.measured
    maps = {
        "surface_water": measured.adjoining.get("waters", ()),
        "wetland": measured.adjoining.get("wetlands", ()),
        "floodplain": measured.floodplain,
    }
    items = [item for role in roles for item in maps.get(role, ())]
    return sorted({item.name or f"unnamed {item.kind.replace('_', ' ')}" for item in items})[:8]


def _tuple(rule: Rule, option: str) -> tuple[str, ...]:
    value = rule.options.get(option, ())
    assert isinstance(value, tuple)
    return value
