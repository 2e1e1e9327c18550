"""Stockpiles: their distance down the slope to a road or channel, and what holds their sediment back.

What the rules ask: piles of more than 10 cubic yards "should not" lie with a downslope drainage length of less than 15
feet to a roadway or drainage channel; sediment of stockpiles that exist for more than seven days is held back.

How it is judged: the way of the runoff is followed from every point of the pile's edge down the ground to the first
drawn or mapped road or water, or to a channel of the ground; flat length, with its doubt. The volume is the plan's
(attribute `volume`, with its unit). "Should" never fails. A pile stands from its first to its last day, both counted;
without days it is taken to stand for long. Barriers (fence, bales, wattles, a berm) within 25 ft must run along its
edge all around, or a cover of mulch, seed or mat must lie over it.

Limits: the ground of today; a pile's volume and days are the applicant's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import amount, checklist, finding, held, limit_words, unseen
from siteplan_gis.measures.shapes.alongside import bare_stretches
from siteplan_gis.model.comparison import compare, show, show_share
from siteplan_gis.model.controls import BARRIERS, controls_of, labels
from siteplan_gis.model.drawn_figures import CUBIC_YARDS, figure_of
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.plan import PlanFeature
    from siteplan_gis.model.review import Case, Finding

_ALL_AROUND = 0.95


def _piles(case: Case) -> list[tuple[str, PlanFeature]]:
    piles = [pile for pile in case.site.plan.of("stockpile") if not pile.geometry.is_empty]
    return list(zip(labels(piles), piles, strict=True))


def _no_piles(rule: Rule, case: Case) -> list[Finding]:
    if case.site.plan.only_sheets:
        return [unseen(rule, "stockpiles")]
    if "stockpile" in case.site.plan.declared_absent:
        text = "The application declares that there is no stockpile."
        return [finding(rule, "stockpiles", Status.NOT_APPLICABLE, text)]
    return [checklist(rule, "stockpiles", "The plan draws no stockpile, and does not say that there is none.")]


def judge_stockpile_distance(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for each drawn pile."""
    return [_judge_distance(rule, case, name, pile) for name, pile in _piles(case)] or _no_piles(rule, case)


def _judge_distance(rule: Rule, case: Case, name: str, pile: PlanFeature) -> Finding:
    large, near = rule.limits["large"], rule.limits["too_near"]
    volume, why = figure_of(pile, "volume", CUBIC_YARDS)
    if volume is not None and not compare(volume, large.operator, large.value):
        text = f"{name}: {show(volume, 1, large.value)} cubic yards, not {limit_words(large)}."
        return finding(rule, name, Status.NOT_APPLICABLE, text, where=pile.geometry)
    size = f"{show(volume, 1, large.value)} cubic yards" if volume is not None else f"of a size not told ({why})"
    length = case.measured.values.get(f"stockpile_drainage_ft[{name}]")
    meets = case.measured.values.get(f"stockpile_drains_to[{name}]")
    if length is None or length.value is None:
        reason = length.reason if length is not None and length.reason else "the way of its runoff was not measured"
        if meets is not None and meets.value == "nothing":
            text = f"{name}, {size}: {reason}."
            return finding(rule, name, Status.PASS, text, measured=meets)
        return finding(rule, name, Status.NOT_CHECKED, f"Not checked: {name}, {size}: {reason}.", measured=length)
    goal = meets.value if meets is not None and meets.value else "road or channel"
    told = f"{name}, {size}: runoff meets a {goal} after {amount(length, near, 0)}"
    too_near = held(length, near)
    if too_near is False:
        return finding(rule, name, Status.PASS, f"{told}, not {limit_words(near)}.", measured=length, limit=near)
    remedy = "Move the pile farther up, or put a barrier below it."
    if too_near and volume is not None:
        text = f"{told}, {limit_words(near)}."
        return finding(rule, name, Status.FAIL, text, measured=length, limit=near, remedy=remedy)
    text = f"{told}: too near to {near.value:g} ft to tell." if too_near is None else f"{told}, {limit_words(near)}."
    return finding(rule, name, Status.NEEDS_REVIEW, text, measured=length, limit=near, remedy=remedy)


def judge_stockpile_standing(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for each drawn pile."""
    return [_judge_standing(rule, case, name, pile) for name, pile in _piles(case)] or _no_piles(rule, case)


def _judge_standing(rule: Rule, case: Case, name: str, pile: PlanFeature) -> Finding:
    limit = rule.limits["standing"]
    stands = f"{name}: how long it stands is not told"
    if pile.start is not None and pile.end is not None:
        days = (pile.end - pile.start).days + 1
        if days < 1:
            text = f"{name}: it goes on {pile.end.isoformat()}, before it comes on {pile.start.isoformat()}."
            return finding(rule, name, Status.NEEDS_REVIEW, text, where=pile.geometry)
        if not compare(float(days), limit.operator, limit.value):
            return finding(
                rule, name, Status.NOT_APPLICABLE, f"{name}: it stands {days} days, not {limit_words(limit)}."
            )
        stands = f"{name}: it stands {days} days"
    plan, near_m = case.site.plan, case.ordinance.method.control_near_m
    covers = [item.geometry for item in controls_of(plan, {"stabilised"}) if item.geometry.area > 0]
    if covers and shapely.union_all(covers).covers(pile.geometry):
        return finding(
            rule, name, Status.PASS, f"{stands}; it is covered by a drawn stabilisation.", where=pile.geometry
        )
    barriers = [item.geometry for item in controls_of(plan, BARRIERS)]
    edge = pile.geometry.boundary if pile.geometry.area > 0 else pile.geometry
    bare = bare_stretches(edge, barriers, near_m) if edge.length > 0 else edge
    share = 1.0 - bare.length / edge.length if edge.length > 0 else 0.0
    if share >= _ALL_AROUND:
        return finding(rule, name, Status.PASS, f"{stands}; a barrier is drawn around it.", where=pile.geometry)
    text = f"{stands}; barriers are drawn along {show_share(share)} of its edge."
    return finding(rule, name, Status.FAIL, text, where=bare, remedy="Draw the control that holds its sediment back.")
