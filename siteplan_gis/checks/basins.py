"""Sedimentation basins: whether they are required, large enough and deep enough.

What the rules ask: with more than 10 acres disturbed at one time, or where a channel originates in the disturbed area,
one or more basins; each with a surface of at least 1 % of the area that drains to it and at least three feet deep.

How it is judged: the largest area open on one day against the limit; exactly 10 acres is neither less nor more than
10, so that the text asks for neither kind of control: the reviewer decides. A channel originates where the ground
that drains through one cell first reaches the program's threshold; the texts give none, so a channel alone asks the
reviewer where no basin is drawn. The ground that drains to a basin, on and off the site, is found cell by cell, with
that of the inlets that drawn storm sewers lead to it; where it may be larger than the elevations show, a basin never
passes. Depth is the plan's own figure (attribute `depth`). Where the application states a figure on the other side of
10 acres, one of the two is wrong: the reviewer's.

Limits: today's ground, not the graded one, leads the water; which particles a basin traps, its outlet and its upkeep
are computations and conduct to be looked at by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import amount, checklist, contradiction, finding, held, limit_words, unseen, untold
from siteplan_gis.model.comparison import compare, show, show_share
from siteplan_gis.model.controls import basins, labels
from siteplan_gis.model.drawn_figures import FEET, figure_of
from siteplan_gis.model.review import Status
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.plan import PlanFeature
    from siteplan_gis.model.review import Case, Finding


def judge_basins_required(rule: Rule, case: Case) -> Sequence[Finding]:
    """Whether a basin is required, and whether one is drawn that takes runoff of the disturbed ground."""
    limit, values = rule.limits["above"], case.measured.values
    most, heads = values.get("disturbed_max_concurrent_acres"), values.get("channel_heads_in_disturbed")
    if case.site.plan.only_sheets:
        return [unseen(rule, "basins")]
    if most is None or most.value is None:
        return [untold(rule, "basins", most, "the largest area open on one day")]
    opened = f"{amount(most, limit)} open at one time"
    above = held(most, limit)
    other = contradiction(case.site.plan.stated.disturbed_max_concurrent_acres, most, limit)
    if other:
        remedy = "State what the drawing and its dates show, or correct them."
        return [finding(rule, "basins", Status.NEEDS_REVIEW, f"{opened}.{other}", measured=most, limit=limit, remedy=remedy)]  # fmt: skip
    if above is not True and (heads is None or heads.value is None):
        reason = heads.reason if heads is not None and heads.reason else "channels were not looked for"
        text = f"Not checked: {opened}, and whether a channel originates there is not told: {reason}."
        return [finding(rule, "basins", Status.NOT_CHECKED, text, measured=most, limit=limit)]
    begins = float(heads.value) if heads is not None and isinstance(heads.value, int | float) else 0.0
    maybe = heads is not None and bool(heads.plus_minus or heads.reason)
    if above is None and not begins:
        text = f"{opened}: too near 10 acres to tell. Exactly {limit.value:g} acres is neither less nor more, and the text asks for neither fences nor a basin."
        return [finding(rule, "basins", Status.NEEDS_REVIEW, text, measured=most, limit=limit)]
    if not above and not begins and not maybe:
        text = f"{opened}, not {limit_words(limit)}, and no channel originates there."
        return [finding(rule, "basins", Status.NOT_APPLICABLE, text, measured=most, limit=limit)]
    why = f"{opened}, {limit_words(limit)}" if above else f"{opened}; {_origins(begins)}"
    drawn = basins(case.site.plan)
    if not drawn:
        status = Status.FAIL if above else Status.NEEDS_REVIEW
        where = heads.where if heads is not None and not above else None
        text = f"{why}: a sedimentation basin is required, and none is drawn as an area."
        return [finding(rule, "basins", status, text, measured=most, limit=limit, where=where, remedy="Draw the basin and what drains to it.")]  # fmt: skip
    disturbed = case.measured.shape["disturbed"]
    drains = [values.get(f"basin_drainage_acres[{name}]") for name in labels(drawn)]
    ground = [item.where for item in drains if item is not None and item.where is not None and item.value is not None]
    if not ground:
        text = f"{why}: {len(drawn)} basins are drawn; what drains to them cannot be told."
        return [finding(rule, "basins", Status.NEEDS_REVIEW, text, measured=most, limit=limit)]
    taken = shapely.union_all(ground).intersection(disturbed).area
    share = taken / disturbed.area if disturbed.area > 0 else 0.0
    named = ", ".join(labels(drawn))
    text = f"{why}. Drawn: {named}, with {show(acres(taken), 2)} acres ({show_share(share)}) of the disturbed ground above."
    status = Status.PASS if share > _SOME else Status.NEEDS_REVIEW
    return [finding(rule, "basins", status, text, measured=most, limit=limit, where=shapely.union_all([item.geometry for item in drawn]))]  # fmt: skip


_SOME = 0.1


def _origins(count: float) -> str:
    if not count:
        return "a channel may originate there"
    return f"{count:g} channel{'s' * (count != 1)} originate{'s' * (count == 1)} there (by the program's threshold)"


def judge_basin_sizes(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for each drawn basin."""
    limit, found = rule.limits["least"], []
    drawn = basins(case.site.plan)
    for name, basin in zip(labels(drawn), drawn, strict=True):
        share = case.measured.values.get(f"basin_percent[{name}]")
        if share is None or share.value is None:
            found.append(untold(rule, name, share, "the ground that drains to it"))
            continue
        ground = case.measured.values[f"basin_drainage_acres[{name}]"]
        enough = held(share, limit)
        opening = f"{name}: {show(acres(basin.geometry.area), 2)} acres for {amount(ground)} that drain to it, {amount(share, limit)}"
        remedy = "Enlarge the basin, or lead less ground to it."
        if enough is False:
            text = f"{opening}, not {limit_words(limit)}."
            found.append(finding(rule, name, Status.FAIL, text, measured=share, limit=limit, where=ground.where, remedy=remedy))  # fmt: skip
        elif enough is None or ground.reason:
            doubt = ground.reason or f"too near {limit.value:g} % to tell"
            text = f"{opening}: {doubt}."
            found.append(finding(rule, name, Status.NEEDS_REVIEW, text, measured=share, limit=limit, where=ground.where))  # fmt: skip
        else:
            text = f"{opening} ({limit_words(limit)})."
            found.append(finding(rule, name, Status.PASS, text, measured=share, limit=limit, where=ground.where))
    return found or [_none_drawn(rule, case)]


def judge_basin_depths(rule: Rule, case: Case) -> Sequence[Finding]:
    """The depth of each drawn basin, and a line of the checklist for what a map cannot show."""
    drawn = basins(case.site.plan)
    if not drawn:
        return [_none_drawn(rule, case)]
    found = [_judge_depth(rule, name, basin) for name, basin in zip(labels(drawn), drawn, strict=True)]
    text = "That it traps what the text names for all the design storms, that its discharge does not erode, and that sediment is removed in time: computations and conduct."
    return [*found, checklist(rule, "design", text, where=shapely.union_all([item.geometry for item in drawn]))]


def _judge_depth(rule: Rule, name: str, basin: PlanFeature) -> Finding:
    limit = rule.limits["depth"]
    depth, why = figure_of(basin, "depth", FEET)
    if depth is None:
        text = f"{name}: {why}; {limit_words(limit)} deep."
        remedy = "Give the basin's depth with its unit (attribute `depth_ft`)."
        return finding(rule, name, Status.NEEDS_REVIEW, text, where=basin.geometry, remedy=remedy)
    deep = compare(depth, limit.operator, limit.value)
    text = f"{name}: {show(depth, 2, limit.value)} ft deep, as stated; {'' if deep else 'not '}{limit_words(limit)}."
    status = Status.PASS if deep else Status.FAIL
    return finding(rule, name, status, text, where=basin.geometry, remedy="" if deep else "Make it deeper.")


def _none_drawn(rule: Rule, case: Case) -> Finding:
    if case.site.plan.only_sheets:
        return unseen(rule, "basins")
    return finding(rule, "basins", Status.NOT_APPLICABLE, "No basin is drawn as an area.")
