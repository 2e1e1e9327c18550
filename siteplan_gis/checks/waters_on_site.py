"""Waters and floodplain on and next to the site shown.

What the rules ask: lakes, streams, wetlands, channels, ditches and other watercourses on and immediately adjacent
to the site, and any identified 100-year floodplain, flood fringe and floodway.

How it is judged: each reference feature on the site or within 50 ft of it must lie near one that the plan draws.
The texts give no distance for "immediately adjacent"; 50 ft is the program's, in the ordinance's method block. What
is not drawn fails where it touches the site by its map; farther off, and where the plan draws something else in its
place, the reviewer decides. Floodplain fails where it lies on the site by more than its map's accuracy. Acres of
floodway and of flood fringe (the 100-year floodplain less the floodway), and wells and springs where a layer holds
them, are told to the reviewer.

Limits: as of the maps; a floodplain is compared with the effective map only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import checklist, finding, listed
from siteplan_gis.measures.shapes.coverage import uncovered
from siteplan_gis.model.comparison import show
from siteplan_gis.model.review import Status
from siteplan_gis.units import acres, feet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.measurement import NearbyFeature
    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding


_BESIDE_M = 1.5
_COVERAGE_NOISE_M = 1.0


def judge_waters_on_site(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for each role: waters, wetlands, floodplain."""
    measured = case.measured
    nearby = {**measured.adjoining, "floodplain": measured.floodplain}
    found = [_judge(rule, case, role, nearby.get(role, ())) for role in ("waters", "wetlands", "floodplain")]
    return [*found, *_wells(rule, case), *_flooded(rule, case)]


def _wells(rule: Rule, case: Case) -> list[Finding]:
    """Wells and springs on or next to the site, where a layer holds them: they are waters of the state, too."""
    ground, beside_m = _ground(case), case.ordinance.method.adjacent_m
    layers = case.site.layers.get("wells", ())
    near = [item for layer in layers for item in layer.features if shapely.dwithin(item.geometry, ground, beside_m)]
    if not layers:
        return []
    names = sorted(f"{item.name or item.id} ({item.kind or 'well or spring'})" for item in near)
    text = f"Wells and springs mapped on or next to the site: {listed(names) or 'none'}."
    where = shapely.union_all([item.geometry for item in near]) if near else None
    return [checklist(rule, "wells", text, where=where, sources=tuple(layer.source for layer in layers))]


def _flooded(rule: Rule, case: Case) -> list[Finding]:
    """Acres of floodway and of flood fringe, on the site and disturbed; the fringe is what is no floodway."""
    layers = case.site.layers.get("floodplain", ())
    site, disturbed = _ground(case), case.measured.shape["disturbed"]
    zones = {
        kind: shapely.union_all([item.geometry for layer in layers for item in layer.features if item.kind == kind])
        for kind in ("floodway", "flood_fringe")
    }
    zones["flood_fringe"] = zones["flood_fringe"].difference(zones["floodway"])
    told = [
        f"{kind.replace('_', ' ')} {show(acres(zone.intersection(site).area), 2, 0.0)} acres, {show(acres(zone.intersection(disturbed).area), 2, 0.0)} of them disturbed"
        for kind, zone in zones.items()
        if zone.intersects(site)
    ]
    if not told:
        return []
    text = (
        f"On the site by the maps: {'; '.join(told)}. The fringe is derived: the 100-year floodplain less the floodway."
    )
    where = shapely.union_all([zone.intersection(site) for zone in zones.values()])
    return [checklist(rule, "flooded", text, where=where, sources=tuple(layer.source for layer in layers))]


def _judge(rule: Rule, case: Case, role: str, nearby: Sequence[NearbyFeature]) -> Finding:
    layers = case.site.layers.get(role, ())
    sources = tuple(layer.source for layer in layers)
    if not layers and not nearby:
        reason = case.site.missing_layers.get(role, f"no layer of {role} was given")
        return finding(rule, role, Status.NOT_CHECKED, f"Not checked: {reason}.")
    missing = [item for item in nearby if item.shown is not True]
    if missing:
        names = ", ".join(
            f"{item.name or 'unnamed ' + item.kind.replace('_', ' ')} ({show(feet(item.distance_m), 0)} ft){': ' + item.note.rstrip('.') if item.note else ''}"
            for item in missing[:8]
        )
        more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""  # noqa: PLR2004
        certain = any(item.shown is False and _on_site(case, role, item) for item in missing)
        absent = any(item.shown is False for item in missing)
        opening = (
            "On or next to the site, but not on the plan"
            if absent
            else "On or next to the site, to be compared with the plan"
        )
        status = Status.FAIL if certain else Status.NEEDS_REVIEW
        where = shapely.union_all([item.geometry for item in missing])
        return finding(rule, role, status, f"{opening}: {names}{more}.", where=where, sources=sources,
                       remedy="Draw them on the site map.")  # fmt: skip
    acreage = case.measured.values.get("site_acres")
    if acreage is not None and acreage.reason:
        text = f"None found unshown on the ground that is drawn, but {acreage.reason}."
        return finding(rule, role, Status.NEEDS_REVIEW, text, sources=sources, remedy="Draw the boundary of the site.")
    gap = uncovered(_ground(case), [layer.coverage for layer in layers], _COVERAGE_NOISE_M) if layers else _ground(case)
    if gap is not None:
        text = f"None found unshown, but the {role} given do not cover the whole site."
        return finding(rule, role, Status.NEEDS_REVIEW, text, where=gap, sources=sources)
    if any(flag.code == "layer_empty" for layer in layers for flag in layer.flags):
        return finding(rule, role, Status.NEEDS_REVIEW, f"The {role} layer holds no feature at all.", sources=sources)
    dated = "; ".join(f"{source.title} dated {source.date or 'unknown'}" for source in sources)
    text = (
        f"All {len(nearby)} on or next to the site are shown ({dated})."
        if nearby
        else f"None mapped on or next to the site in {dated}."
    )
    return finding(rule, role, Status.PASS, text, sources=sources)


def _ground(case: Case) -> BaseGeometry:
    return shapely.union_all([case.measured.shape["site"], case.measured.shape["construction_site"]])


def _on_site(case: Case, role: str, item: NearbyFeature) -> bool:
    """Whether the feature certainly lies on the site, or for waters and wetlands on it or at its edge."""
    if role != "floodplain":
        return item.distance_m <= _BESIDE_M
    unstated_m = case.ordinance.method.unstated_accuracy_m
    doubt_m = max(
        (layer.source.accuracy_m or unstated_m for layer in case.site.layers.get(role, ())), default=unstated_m
    )
    return bool(item.geometry.intersects(_ground(case).buffer(-doubt_m)))
