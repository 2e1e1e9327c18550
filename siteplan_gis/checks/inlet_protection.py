"""Storm drain inlets with their protection.

What the rules ask: one village wants all storm drain inlets protected with a bale, filter fabric or an equivalent
barrier; another, to the maximum extent practicable, the inlets that lie downslope.

How it is judged: a drawn inlet protection protects the inlet nearest to its symbol, within 25 ft; drawn as a line or
an area, every inlet that it reaches. An inlet that names its protection itself (attribute `protection`) is protected
as stated. Where only inlets downslope are asked for, those stay out to which the ground, followed cell by cell, leads
no runoff of the disturbed area and which lie more than 50 ft from it.

Limits: inlets that nobody drew; whether the barrier is of an accepted design. Grading and curbs lead runoff elsewhere
than the ground does today.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import checklist, finding, listed, unseen
from siteplan_gis.model.controls import control_kind, labels
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.plan import PlanFeature
    from siteplan_gis.model.review import Case, Finding

_TOUCHES_M = 1.0
_NOT = {"", "no", "none", "n", "false", "0", "nan", "unprotected"}


def judge_inlets(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for the protected inlets, one for the bare ones, one for those whose place in the flow is unknown."""
    plan = case.site.plan
    if plan.only_sheets:
        return [unseen(rule, "inlets")]
    inlets = [item for item in plan.of("inlet") if not item.geometry.is_empty]
    if not inlets:
        if "inlet" in plan.declared_absent:
            text = "The application declares that there is no storm drain inlet."
            return [finding(rule, "inlets", Status.NOT_APPLICABLE, text)]
        text = "The plan draws no storm drain inlet. Whether the site or the road beside it has one is to be looked at."
        return [checklist(rule, "inlets", text)]
    asked, unknown = inlets, []
    if rule.options.get("only_downslope"):
        asked = [item for name, item in zip(labels(inlets), inlets, strict=True) if _downslope(case, name, item)]
        unknown = [
            item
            for name, item in zip(labels(inlets), inlets, strict=True)
            if item not in asked and _downslope(case, name, item) is None
        ]
    guarded = _protected(case, inlets)
    bare = [item for item in asked if item not in guarded]
    untold = [item for item in unknown if item not in guarded]
    if not asked and not unknown:
        text = f"None of the {len(inlets)} drawn inlets takes runoff of the disturbed ground."
        return [finding(rule, "inlets", Status.NOT_APPLICABLE, text)]
    found = []
    if bare:
        text = f"{len(bare)} of {len(asked)} storm drain inlets are drawn without protection: {listed(labels(bare, inlets))}."
        place = shapely.union_all([item.geometry for item in bare])
        remedy = "Draw an inlet protection (kind) at each inlet."
        found.append(finding(rule, "bare", Status.FAIL, text, where=place, remedy=remedy))
    if untold:
        text = f"Whether {listed(labels(untold, inlets))} take runoff of the disturbed ground cannot be told, and no protection is drawn there."
        place = shapely.union_all([item.geometry for item in untold])
        found.append(finding(rule, "untold", Status.NEEDS_REVIEW, text, where=place))
    if not found:
        others = f"; {len(inlets) - len(asked)} others lie upslope" * (len(asked) < len(inlets) and not unknown)
        text = f"Protection is drawn at all {len(asked) or len(unknown)} storm drain inlets{others}."
        place = shapely.union_all([item.geometry for item in asked or unknown])
        found.append(finding(rule, "inlets", Status.PASS, text, where=place))
    return found


def _downslope(case: Case, name: str, inlet: PlanFeature) -> bool | None:
    """Whether an inlet takes runoff of the disturbed ground; None where it cannot be told."""
    disturbed = case.measured.shape["disturbed"]
    if shapely.dwithin(inlet.geometry, disturbed, case.ordinance.method.adjacent_m):
        return True
    measured = case.measured.values.get(f"inlet_disturbed_acres[{name}]")
    if measured is None or measured.value is None:
        return None
    return bool(measured.value)


def _protected(case: Case, inlets: Sequence[PlanFeature]) -> list[PlanFeature]:
    near_m = case.ordinance.method.control_near_m
    places = [item.geometry for item in inlets]
    tree = shapely.STRtree(places)
    reached: set[int] = set()
    for control in case.site.plan.of("control"):
        shape = control.geometry
        if control_kind(control) != "inlet_protection" or shape.is_empty:
            continue
        if shapely.get_dimensions(shape):
            touched = tree.query(shape, predicate="dwithin", distance=_TOUCHES_M)
            if touched.size:
                reached.update(touched.tolist())
                continue
        for part in shapely.get_parts(shape):
            reached.update(tree.query_nearest(part, max_distance=near_m, all_matches=False).tolist())
    return [item for number, item in enumerate(inlets) if number in reached or _says_so(item)]


def _says_so(inlet: PlanFeature) -> bool:
    stated = [value for key, value in inlet.attributes.items() if key.casefold().startswith("protect")]
    return any(value is not None and str(value).strip().casefold() not in _NOT for value in stated)
