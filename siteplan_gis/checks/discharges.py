"""Discharges to waters and wetlands, on site or within a quarter mile downstream, shown on the plan.

What the rule asks: the locations where stormwater is discharged to a surface water or wetland on the site or within
a quarter mile downstream of the construction site.

How it is judged: runoff is followed from each drawn outfall along the ground and the mapped drainage lines, never
as the crow flies. Where a path meets a ditch, an artificial path or another mapped line that is no counted water, it
is followed along it. Where no outfall is drawn, it is followed from where runoff leaves the disturbed area: what then
reaches a water within the quarter mile was not shown. Where some are drawn, a water that only undrawn runoff reaches
is the reviewer's; so is a second place where a twentieth of the disturbed ground (or a channel) discharges to a water
that a drawn outfall reaches elsewhere, since each location must be shown. A path that stops in a closed depression, at
a barrier without a known culvert, or where the elevation data end, is the reviewer's: it is never taken as "no water".

Limits: storm sewers and culverts that no layer shows; the elevation model's own year.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import finding
from siteplan_gis.model.comparison import compare, show, show_share
from siteplan_gis.model.measurement import AGREEING
from siteplan_gis.model.review import Status
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.measurement import Discharge
    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding
    from siteplan_gis.model.source import Source


def judge_discharges(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for each outfall, one for each water that undrawn runoff reaches."""
    discharges, layers = case.measured.discharges, case.site.layers
    sources = tuple(layer.source for role in ("waters", "wetlands", "flowlines") for layer in layers.get(role, ()))
    if not discharges:
        reason = case.measured.values["discharge_count"].reason if "discharge_count" in case.measured.values else ""
        if reason:
            return [finding(rule, "runoff", Status.NOT_CHECKED, f"Not checked: {reason}.")]
        text = "No outfall is drawn, and no runoff was found to leave the disturbed area."
        return [finding(rule, "runoff", Status.NEEDS_REVIEW, text)]
    unmapped = [role for role in ("waters", "wetlands") if not layers.get(role)]
    found = [_judge(rule, case, discharge, unmapped, sources) for discharge in discharges if discharge.drawn]
    undrawn = [item for item in discharges if not item.drawn]
    found.extend(_judge_undrawn(rule, case, undrawn, unmapped, sources, some_drawn=len(undrawn) < len(discharges)))
    exits = case.measured.values.get("runoff_exit_count")
    told = all(item.status is not Status.PASS for item in found if item.subject.startswith("undrawn"))
    if exits is not None and exits.value is None and not (undrawn and told):
        text = f"Not checked whether runoff leaves elsewhere than at the drawn outfalls: {exits.reason}."
        found = [item for item in found if item.subject != "undrawn"]
        found.append(finding(rule, "undrawn", Status.NOT_CHECKED, text, sources=sources))
    return found


def _unlooked(case: Case, discharges: Sequence[Discharge]) -> str:
    """Why "no water was reached" would say nothing: layers that are empty, or end before the paths do."""
    for role in ("waters", "wetlands"):
        gap = case.measured.uncovered.get(role)
        if gap is not None and any(gap.intersects(_looked_at(discharge, case)) for discharge in discharges):
            return f"the {role} given do not cover the ground along the path"
        for layer in case.site.layers.get(role, ()):
            if any(flag.code == "layer_empty" for flag in layer.flags):
                return f"{layer.label} holds no feature at all"
    return ""


def _looked_at(discharge: Discharge, case: Case) -> BaseGeometry:
    """The ground that must hold no water for the answer no: the path, or where it is not known, all around."""
    if discharge.ends_because in {"farther_than_limit", "reached_water", "reached_wetland"}:
        if discharge.runs_agreeing == discharge.runs:
            return _drawn(discharge)
        return shapely.union_all([_drawn(discharge), *discharge.rivals])
    return shapely.union_all([_drawn(discharge), discharge.start.buffer(case.ordinance.method.downstream_m)])


def _judge(rule: Rule, case: Case, discharge: Discharge, unmapped: list[str], sources: tuple[Source, ...]) -> Finding:
    where, away_m = _drawn(discharge), discharge.start.distance(case.measured.shape["construction_site"])
    if compare(away_m, ">", case.ordinance.method.downstream_m):
        text = f"{discharge.id}: lies {show(feet(away_m), 0)} ft from the construction site. Whose runoff it discharges cannot be told."
        return finding(rule, discharge.id, Status.NEEDS_REVIEW, text, where=where, sources=sources)
    if discharge.within_quarter_mile is True:
        text = f"{discharge.id}: reaches {_receiving(discharge)}. The plan shows the discharge."
        return finding(rule, discharge.id, Status.PASS, text, where=where, sources=sources)
    if discharge.within_quarter_mile is None:
        text = f"{discharge.id}: it cannot be told whether a water lies within a quarter mile downstream: {discharge.explanation}"
        return finding(rule, discharge.id, Status.NEEDS_REVIEW, text, where=where, sources=sources)
    if unmapped:
        text = f"{discharge.id}: reaches no water that was given within a quarter mile, but no layer of {' or '.join(unmapped)} was given."
        return finding(rule, discharge.id, Status.NOT_CHECKED, text, where=where, sources=sources)
    if unlooked := _unlooked(case, [discharge]):
        text = f"{discharge.id}: no water was reached within a quarter mile, but {unlooked}."
        return finding(rule, discharge.id, Status.NEEDS_REVIEW, text, where=where, sources=sources)
    text = f"{discharge.id}: no mapped water or wetland within a quarter mile downstream" + (
        f"; the first is {_receiving(discharge)}." if discharge.receiving else "."
    )
    return finding(rule, discharge.id, Status.PASS, text, where=where, sources=sources)


def _judge_undrawn(
    rule: Rule,
    case: Case,
    undrawn: list[Discharge],
    unmapped: list[str],
    sources: tuple[Source, ...],
    *,
    some_drawn: bool,
) -> list[Finding]:
    found = []
    reached: dict[str, list[Discharge]] = {}
    untold = [item for item in undrawn if item.within_quarter_mile is None]
    for item in undrawn:
        if item.within_quarter_mile is True:
            reached.setdefault(item.receiving, []).append(item)
    for receiving, items in reached.items():
        nearest = min(items, key=lambda item: item.flow_distance_m or 0.0)
        lacking = "no outfall there" if some_drawn else "no outfall or discharge location"
        text = f"Runoff leaves the disturbed area and reaches {_receiving(nearest)}, but the plan draws {lacking}."
        found.append(
            finding(
                rule,
                f"undrawn:{receiving}",
                Status.NEEDS_REVIEW if some_drawn else Status.FAIL,
                text,
                where=shapely.union_all([_drawn(item) for item in items]),
                sources=sources,
                remedy="Draw every place where stormwater is discharged to this water.",
            )
        )
    if untold:
        reasons = "; ".join(sorted({item.explanation for item in untold}))
        text = f"From {len(untold)} place{'s' * (len(untold) > 1)} where runoff leaves the disturbed area it cannot be told where it goes: {reasons}"
        found.append(finding(rule, "undrawn:untold", Status.NEEDS_REVIEW, text, where=shapely.union_all([_drawn(item) for item in untold]), sources=sources,
                             remedy="Draw the outfalls and culverts."))  # fmt: skip
    if undrawn and not found:
        if unmapped:
            text = f"No layer of {' or '.join(unmapped)} was given."
            return [finding(rule, "undrawn", Status.NOT_CHECKED, f"Not checked: {text}", sources=sources)]
        if unlooked := _unlooked(case, undrawn):
            text = f"No undrawn runoff was found to reach a water, but {unlooked}."
            return [finding(rule, "undrawn", Status.NEEDS_REVIEW, text, sources=sources)]
        text = f"From {len(undrawn)} places where runoff leaves the disturbed area it reaches no mapped water within a quarter mile."
        return [
            finding(
                rule,
                "undrawn",
                Status.PASS,
                text,
                where=shapely.union_all([_drawn(item) for item in undrawn]),
                sources=sources,
            )
        ]
    return found


def _receiving(discharge: Discharge) -> str:
    assert discharge.flow_distance_m is not None
    doubt = f" ± {show(feet(discharge.plus_minus_m), 0)}" if discharge.plus_minus_m else ""
    straight = (
        f", {show(feet(discharge.straight_distance_m), 0)} ft straight"
        if discharge.straight_distance_m is not None
        else ""
    )
    runs = ""
    if discharge.runs:
        runs = f" ({discharge.runs_agreeing} of {discharge.runs} runs over elevations wrong by their error"
        if discharge.flow_range_m is not None:
            least, most = (show(feet(length), 0) for length in discharge.flow_range_m)
            runs += f" reach it, at {least} to {most} ft"
            if discharge.within_quarter_mile and discharge.runs_agreeing < AGREEING * discharge.runs:
                # Which water it is may be open where that it is one within the quarter mile stands fast.
                runs += f"; with those that reach another water within the quarter mile, {show_share(AGREEING)} or more"
            runs += ")"
        else:
            runs += " agree)"
    return f"{discharge.receiving} after {show(feet(discharge.flow_distance_m), 0)}{doubt} ft along its path{straight}{runs}"


def _drawn(discharge: Discharge) -> BaseGeometry:
    parts = (discharge.start, discharge.path, discharge.barrier)
    return shapely.union_all([part for part in parts if part is not None])
