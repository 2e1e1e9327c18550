"""Practices where they belong: before the water, and on upland.

What the rules ask: the practices stand before the runoff enters waters of the state, and structural measures are
installed on upland soils unless otherwise approved in writing; sediment in channelised flow is trapped.

How it is judged: every way of runoff that was followed from a drawn outfall, or from where it leaves the disturbed
ground, must pass a drawn barrier, basin, check or dissipator within 25 ft before its water; where one does not, the
reviewer looks for what stands above it. Only a plan without any practice fails. Structures must not lie in
a drawn or mapped water, wetland or floodplain: in one that the plan itself draws, or deeper inside a mapped one than
its map is accurate, that fails; nearer its edge it is the reviewer's. A dissipator or a check stands in its channel by
its nature and may touch a stream's line. Channels in the disturbed ground each need a control in them.

Limits: an approval in writing, soils, and ways that storm sewers change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import amount, checklist, finding, listed, unseen, untold
from siteplan_gis.model.controls import BARRIERS, IN_CHANNELS, STRUCTURES, control_kind, controls_of, labels
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.plan import PlanFeature
    from siteplan_gis.model.review import Case, Finding

_IN_THE_CHANNEL = {"dissipator", "ditch_check", "inlet_protection"}
_BITE_M = 0.5


def judge_places(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for the ways of the runoff, one for structures off the upland."""
    if case.site.plan.only_sheets:
        return [unseen(rule, "practices")]
    return [_judge_ways(rule, case), *_judge_upland(rule, case)]


def _judge_ways(rule: Rule, case: Case) -> Finding:
    discharges = case.measured.discharges
    if not discharges:
        count = case.measured.values.get("discharge_count")
        if count is None or count.value is None:
            return untold(rule, "before", count, "the way of the runoff")
        text = "No runoff was found to leave the disturbed ground."
        return checklist(rule, "before", text)
    near_m = case.ordinance.method.control_near_m
    things = [item.geometry for item in controls_of(case.site.plan, BARRIERS | IN_CHANNELS | {"inlet_protection"})]
    controls = shapely.union_all(things)
    bare = [
        item
        for item in discharges
        if controls.is_empty
        or not shapely.dwithin(item.path if item.path is not None else item.start, controls, near_m)
    ]
    ways = shapely.union_all([item.path if item.path is not None else item.start for item in bare or discharges])
    if bare:
        ways_told = listed([f"{item.id} to {item.receiving or 'where it was followed to'}" for item in bare])
        text = f"No drawn practice stands on the way of the runoff before its water: {ways_told}."
        remedy = "Draw the practice that treats this runoff before it enters the water."
        # What stands above an outfall, out of sight of its way down, may treat its runoff.
        status = Status.NEEDS_REVIEW if things else Status.FAIL
        return finding(rule, "before", status, text, where=ways, remedy=remedy)
    text = f"A drawn practice stands on each of the {len(discharges)} ways of the runoff, before its water."
    exits = case.measured.values.get("runoff_exit_count")
    if exits is None or exits.value is None:
        reason = exits.reason if exits is not None and exits.reason else "it was not followed from its edge"
        text = f"A drawn practice stands on each of the {len(discharges)} known ways of the runoff. Whether it leaves the disturbed ground elsewhere cannot be told: {reason}."
        return finding(rule, "before", Status.NEEDS_REVIEW, text, where=ways)
    return finding(rule, "before", Status.PASS, text, where=ways)


def _judge_upland(rule: Rule, case: Case) -> Iterator[Finding]:
    structures = controls_of(case.site.plan, STRUCTURES)
    unknown = [item for item in case.site.plan.of("control") if not control_kind(item)]
    if not structures and not unknown:
        yield checklist(rule, "upland", "The plan draws no structural control.")
        return
    certain: list[tuple[str, BaseGeometry]] = []
    doubtful: list[tuple[str, BaseGeometry]] = []
    for name, item in zip(labels(structures), structures, strict=True):
        for what, is_certain, shape in _met(case, item):
            words = f"{name}{f' ({item.kind})' if item.kind and item.kind != name else ''} in {what}"
            (certain if is_certain else doubtful).append((words, shape))
    remedy = "Move it to upland, or give the approval in writing."
    for subject, hits, status in (("upland", certain, Status.FAIL), ("edge", doubtful, Status.NEEDS_REVIEW)):
        if hits:
            more = "" if subject == "upland" else "By maps that are no more accurate than this, perhaps: "
            text = f"{more}structural controls off the upland: {listed([words for words, _ in hits])}."
            where = shapely.union_all([shape for _, shape in hits])
            yield finding(rule, subject, status, f"{text[:1].upper()}{text[1:]}", where=where, remedy=remedy)
    if not certain and not doubtful:
        unmapped = [role for role in ("waters", "wetlands", "floodplain") if not case.site.layers.get(role)]
        if unmapped or unknown:
            why = f"no layer of {', '.join(unmapped)} was given" if unmapped else f"{len(unknown)} are of no known kind"
            text = f"No structural control lies in a water, wetland or floodplain that is known; {why}."
            yield finding(rule, "upland", Status.NEEDS_REVIEW, text)
            return
        text = f"None of {len(structures)} structural controls lies in a drawn or mapped water, wetland or floodplain."
        yield finding(rule, "upland", Status.PASS, text)


def _met(case: Case, control: PlanFeature) -> Iterator[tuple[str, bool, BaseGeometry]]:
    """What a control lies in, whether that is certain, and where."""
    shape, kind = control.geometry, control_kind(control)
    for other in case.site.plan.of("surface_water", "wetland", "floodplain"):
        if other.geometry.area == 0 and kind in _IN_THE_CHANNEL:
            continue
        if other.geometry.intersects(shape) and not shape.touches(other.geometry):
            yield f"the drawn {other.role.replace('_', ' ')} {other.name}".rstrip(), True, shape
            return
    unstated_m = case.ordinance.method.unstated_accuracy_m
    for role in ("waters", "wetlands", "floodplain"):
        for layer in case.site.layers.get(role, ()):
            doubt_m = layer.source.accuracy_m or unstated_m
            for item in layer.features:
                if item.geometry.area == 0 or not shapely.intersects(item.geometry, shape) or item.kind == "other":
                    continue
                inside = item.geometry.buffer(-doubt_m).buffer(-_BITE_M).intersects(shape)
                yield f"{item.name or item.kind.replace('_', ' ')} of {layer.label}", bool(inside), shape
                return


def judge_drainageways(rule: Rule, case: Case) -> Sequence[Finding]:
    """Channels in the disturbed ground with a control in them."""
    if case.site.plan.only_sheets:
        return [unseen(rule, "channels")]
    through, bare = (case.measured.values.get(name) for name in ("channel_through_disturbed_ft", "channel_open_ft"))
    if through is None or bare is None or through.value is None or bare.value is None:
        return [untold(rule, "channels", through, "channels in the disturbed ground")]
    if not through.value and not through.reason:
        text = "No channel runs through the disturbed ground, by the program's threshold."
        return [finding(rule, "channels", Status.NOT_APPLICABLE, text, measured=through)]
    if not bare.value and not through.reason:
        text = f"Each channel in the disturbed ground ({amount(through, decimals=0)}) has a control in it."
        return [finding(rule, "channels", Status.PASS, text, measured=through)]
    why = f" {through.reason}." if through.reason else ""
    text = f"{amount(bare, decimals=0)} of channels in the disturbed ground have no check, trap, basin or dissipator in them, by the ground of today.{why}"
    remedy = "Draw what traps the sediment there, and how the drainageway is stabilised."
    return [finding(rule, "channels", Status.NEEDS_REVIEW, text, measured=bare, remedy=remedy)]
