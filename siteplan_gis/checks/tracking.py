"""Tracking of sediment onto roads, at every exit of vehicles.

What the rules ask: gravelled roads, drives and parking of sufficient width and length, so that no sediment is tracked
onto roads; or tracking minimised at all entry and exit locations.

How it is judged: exits are the drawn entrances, and the places where a drawn or mapped road crosses the edge of the
disturbed ground. Each needs a tracking pad (a control or an entrance whose words say so: tracking pad, gravel or stone
entrance ...) within 25 ft. No pad at all is a failure where the text says "shall"; an exit without one, where others
have theirs, is the reviewer's, since vehicles may not use it. The size of each pad is told, not judged.

Limits: which exits vehicles use, and the cleaning of the street, are conduct of the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import checklist, finding, listed, unseen
from siteplan_gis.model.comparison import show
from siteplan_gis.model.controls import control_kind, labels
from siteplan_gis.model.review import Status
from siteplan_gis.units import feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.plan import PlanFeature
    from siteplan_gis.model.review import Case, Finding


def judge_tracking(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for the exits with a pad, or for those without."""
    plan, disturbed = case.site.plan, case.measured.shape["disturbed"]
    if plan.only_sheets:
        return [unseen(rule, "exits")]
    pads = [item for item in plan.of("control", "entrance") if control_kind(item) == "tracking_pad"]
    entrances = [item for item in plan.of("entrance") if not item.geometry.is_empty]
    crossings = _crossings(case)
    if disturbed.is_empty and not entrances:
        return [checklist(rule, "exits", "The plan draws neither disturbed ground nor entrances.")]
    near_m = case.ordinance.method.control_near_m
    covered = shapely.union_all([item.geometry for item in pads])
    bare = [
        (name, item.geometry)
        for name, item in zip(labels(entrances), entrances, strict=True)
        if not (pads and shapely.dwithin(item.geometry, covered, near_m))
    ]
    bare += [(name, point) for name, point in crossings if not (pads and shapely.dwithin(point, covered, near_m))]
    where = shapely.union_all([shape for _, shape in bare]) if bare else None
    remedy = "Draw a tracking pad (kind) at each place where vehicles leave the site."
    if not pads:
        named = f"; vehicles may leave at {listed([name for name, _ in bare])}" * bool(bare)
        text = f"No tracking pad or gravelled entrance is drawn{named}."
        status = Status.NEEDS_REVIEW if entrances else Status.FAIL
        if entrances:
            text = f"{len(entrances)} entrances are drawn; nothing says that they are gravelled or have a tracking pad{named}."
        return [finding(rule, "exits", status, text, where=where, remedy=remedy)]
    if bare:
        text = f"No tracking pad is drawn where vehicles may leave: {listed([name for name, _ in bare])}."
        return [finding(rule, "exits", Status.NEEDS_REVIEW, text, where=where, remedy=remedy)]
    sizes = [f"{name}{_size(item)}" for name, item in zip(labels(pads), pads, strict=True)]
    text = f"A tracking pad is drawn at every exit: {listed(sizes)}."
    return [finding(rule, "exits", Status.PASS, text, where=covered)]


def _crossings(case: Case) -> list[tuple[str, BaseGeometry]]:
    """Where roads cross the edge of the disturbed ground, each once."""
    disturbed = case.measured.shape["disturbed"]
    roads = [(item.name, item.geometry) for item in case.site.plan.of("road")]
    roads += [(item.name, item.geometry) for layer in case.site.layers.get("roads", ()) for item in layer.features]
    near_m = case.ordinance.method.control_near_m
    found: list[tuple[str, BaseGeometry]] = []
    for name, road in roads:
        # A road drawn as an area meets the edge along a stretch, one drawn as a line at a point.
        for part in shapely.get_parts(_merged(shapely.intersection(road, disturbed.boundary))):
            if not part.is_empty and not any(shapely.dwithin(part, other, near_m) for _, other in found):
                found.append((f"{name or 'a road'} at the edge of the disturbed ground", part))
    return found


def _merged(met: BaseGeometry) -> BaseGeometry:
    return shapely.line_merge(met) if met.geom_type == "MultiLineString" else met


def _size(pad: PlanFeature) -> str:
    box = shapely.minimum_rotated_rectangle(pad.geometry)
    if box.area <= 0:
        return ""
    corners = shapely.get_coordinates(box)
    sides = sorted(float(shapely.Point(a).distance(shapely.Point(b))) for a, b in ((corners[0], corners[1]), (corners[1], corners[2])))  # fmt: skip
    return f" ({show(feet(sides[1]), 0)} by {show(feet(sides[0]), 0)} ft)"
