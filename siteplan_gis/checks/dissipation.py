"""Velocity dissipation at discharge locations and along outfall channels.

What the rules ask: devices that slow the water at each discharge location and along the length of any outfall
channel, as necessary, so that the flow does not erode; and no sediment from erosive flows at outlets.

How it is judged: each drawn outfall needs a drawn dissipator (riprap, apron, level spreader, ...) within 25 ft.
Whether one is necessary, and along which channel, depends on flows that a map does not hold: an outfall without one is
the reviewer's, never a failure.

Limits: velocities are a computation to be looked at by hand. Where no outfall is drawn, the places where runoff was
found to leave the disturbed ground are given instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import checklist, finding, listed, unseen
from siteplan_gis.model.controls import controls_of, labels
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding


def judge_dissipation(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for the outfalls with a dissipator, or for those without."""
    plan, near_m = case.site.plan, case.ordinance.method.control_near_m
    if plan.only_sheets:
        return [unseen(rule, "outfalls")]
    outfalls = [item for item in plan.of("outfall") if not item.geometry.is_empty]
    devices = shapely.union_all([item.geometry for item in controls_of(plan, {"dissipator"})])
    if not outfalls:
        exits = [item for item in case.measured.discharges if not item.drawn]
        if not exits:
            return [checklist(rule, "outfalls", "The plan draws no outfall, and no runoff was found to leave.")]
        bare = [item for item in exits if devices.is_empty or not shapely.dwithin(item.start, devices, near_m)]
        text = f"No outfall is drawn. Runoff leaves the disturbed ground at {len(exits)} places, {len(bare)} of them without a drawn dissipator."
        place = shapely.union_all([item.start for item in exits])
        return [finding(rule, "outfalls", Status.NEEDS_REVIEW, text, where=place, remedy="Draw the outfalls.")]
    bare_ones = [item for item in outfalls if devices.is_empty or not shapely.dwithin(item.geometry, devices, near_m)]
    if bare_ones:
        text = f"{len(bare_ones)} of {len(outfalls)} outfalls have no drawn velocity dissipation: {listed(labels(bare_ones, outfalls))}."
        place = shapely.union_all([item.geometry for item in bare_ones])
        remedy = "Draw the dissipator, or show that the flow does not erode."
        return [finding(rule, "outfalls", Status.FAIL, text, where=place, remedy=remedy)]
    text = f"Velocity dissipation is drawn at all {len(outfalls)} outfalls."
    return [finding(rule, "outfalls", Status.PASS, text, where=shapely.union_all([o.geometry for o in outfalls]))]


def weigh_outlets(rule: Rule, case: Case) -> Sequence[Finding]:
    """A line of the checklist: the discharges, where each goes, and what stands there."""
    near_m = case.ordinance.method.control_near_m
    devices = shapely.union_all([item.geometry for item in controls_of(case.site.plan, {"dissipator"})])
    told = []
    for item in case.measured.discharges:
        guarded = not devices.is_empty and shapely.dwithin(item.start, devices, near_m)
        to = f"to {item.receiving}" if item.receiving else "to no water that is known"
        told.append(f"{item.id} {to}, {'with' if guarded else 'without'} a drawn dissipator")
    text = f"{listed(told)}. Rates and velocities are not on a map." if told else "No discharge was found."
    places = [item.path if item.path is not None else item.start for item in case.measured.discharges]
    return [checklist(rule, "outlets", text, where=shapely.union_all(places) if places else None)]
