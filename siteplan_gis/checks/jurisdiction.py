"""Whose land the site is.

What the rules ask: all three ordinances reach land inside the village. Saukville also reaches "select sites" in its
extraterritorial jurisdiction, Fairwater may do so, East Troy does not.

How it is judged: by the share of the site's area inside the village and inside its reach. All inside: pass. A part
in the extraterritorial area: needs review, since the village chooses. No part in either: not applicable, and who
has it is said, another's extraterritorial area included.
A strip narrower than the boundary's own accuracy decides nothing.

Limits: annexations later than the boundary layer are unknown to it; its date is shown beside the application's, and a
warning says where they differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from siteplan_gis.checks.verdict import finding
from siteplan_gis.checks.vintages import applied_on
from siteplan_gis.model.comparison import show
from siteplan_gis.model.review import Status
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.measurement import JurisdictionShare
    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding

_WHOLE = 0.999
_SLIVER = 0.001


def judge_jurisdiction(rule: Rule, case: Case) -> Sequence[Finding]:
    """Compare the site's shares with what the ordinance reaches."""
    layers = case.site.layers.get("municipalities", ())
    if not layers:
        reason = case.site.missing_layers.get("municipalities", "no layer of municipal boundaries was given")
        return [finding(rule, "site", Status.NOT_CHECKED, f"Not checked: {reason}.")]
    sources = tuple(layer.source for layer in layers)
    if case.measured.shape["site"].is_empty:
        text = "Not checked: the plan draws no ground whose place could be told."
        return [
            finding(rule, "site", Status.NOT_CHECKED, text, sources=sources, remedy="Draw the boundary of the site.")
        ]
    ordinance, site_m2 = case.ordinance, case.measured.shape["site"].area
    ours = [share for share in case.measured.jurisdiction if _is_ours(share, case)]
    inside = sum(share.share for share in ours if share.kind == "inside")
    reach = sum(share.share for share in ours if share.kind == "etj")
    others = _words([share for share in case.measured.jurisdiction if not _is_ours(share, case)])
    day, of = applied_on(case)
    dated = f"boundaries dated {layers[0].source.date or 'unknown'}; {of} is of {day.isoformat()}"
    uncovered = case.measured.uncovered.get("municipalities")
    if uncovered is not None and uncovered.intersection(case.measured.shape["site"]).area > _SLIVER * site_m2:
        text = f"The boundary layer does not cover the whole site ({dated}); inside {ordinance.municipality}: {inside:.1%}."
        return [finding(rule, "site", Status.NEEDS_REVIEW, text, where=uncovered, sources=sources)]
    if inside >= _WHOLE:
        text = f"The whole site ({show(acres(site_m2))} acres) lies in the {_name(case)} ({dated})."
        return [finding(rule, "site", Status.PASS, text, where=case.measured.shape["site"], sources=sources)]
    where = next((share.where for share in ours), case.measured.shape["site"])
    if inside > _SLIVER:
        rest = others + (f"; {reach:.1%} in its extraterritorial area" if reach > _SLIVER else "")
        text = f"{inside:.1%} of the site lies in the {_name(case)}; the rest: {rest or 'unincorporated'} ({dated})."
        return [finding(rule, "site", Status.NEEDS_REVIEW, text, where=where, sources=sources,
                        remedy="Ask each municipality for its own approval of its part.")]  # fmt: skip
    if reach > _SLIVER:
        rule_words = {
            "select_sites": "The village applies its ordinance there to sites that it selects",
            "optional": "The village may apply its ordinance there",
            "none": "The ordinance does not reach beyond the village",
        }[ordinance.extraterritorial]
        status = Status.NOT_APPLICABLE if ordinance.extraterritorial == "none" else Status.NEEDS_REVIEW
        text = (
            f"{reach:.1%} of the site lies in the extraterritorial area of the {_name(case)} ({dated}). {rule_words}."
            + f" Besides: {others}." * bool(others)
        )
        return [finding(rule, "site", status, text, where=where, sources=sources)]
    if doubt := _doubt(case):
        text = f"It cannot be told whether the site lies in the {_name(case)}: {doubt} ({dated})."
        return [finding(rule, "site", Status.NEEDS_REVIEW, text, sources=sources,
                        remedy="Give a boundary layer that holds the village and names its kind.")]  # fmt: skip
    text = f"The site lies outside the {_name(case)} and its reach: {others or 'unincorporated land'} ({dated})."
    return [finding(rule, "site", Status.NOT_APPLICABLE, text, sources=sources,
                    remedy="Name the ordinance of the municipality that has the land.")]  # fmt: skip


def _doubt(case: Case) -> str:
    """Why the boundary layer cannot say that the site lies elsewhere; empty where it can."""
    name, kind = case.ordinance.municipality.casefold(), case.ordinance.municipality_kind
    features = [feature for layer in case.site.layers["municipalities"] for feature in layer.features]
    namesakes = [feature for feature in features if feature.name.casefold() == name]
    if any(
        share.municipality.casefold() == name and not share.municipality_kind for share in case.measured.jurisdiction
    ):
        return f"the boundary layer does not say whether its {namesakes[0].name if namesakes else name} is the {kind}"
    governed = sum(share.share for share in case.measured.jurisdiction if share.kind == "inside")
    if not any(feature.kind == kind for feature in namesakes) and governed < _WHOLE:
        return f"the boundary layer holds no {kind} of that name near the site, and names nobody who has the land"
    return ""


def _name(case: Case) -> str:
    return f"{case.ordinance.municipality_kind.title()} of {case.ordinance.municipality}"


def _is_ours(share: JurisdictionShare, case: Case) -> bool:
    return (
        share.municipality.casefold() == case.ordinance.municipality.casefold()
        and share.municipality_kind == case.ordinance.municipality_kind
    )


def _words(shares: Sequence[JurisdictionShare]) -> str:
    kinds = {"inside": "in", "etj": "in the extraterritorial area of"}
    return "; ".join(
        f"{share.share:.1%} {kinds[share.kind]} the {share.municipality_kind.title()} of {share.municipality}".replace(
            "the  of", ""
        )
        for share in shares
        if share.share > _SLIVER
    )
