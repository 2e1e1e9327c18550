"""Wetland acreage on the site: stated, and right.

What the rule asks: the areal extent of wetland acreage on the site.

How it is judged: wetlands that the plan draws on the site are measured and compared with the stated acreage. They
are also compared with the reference layers: mapped wetland on the site that the plan does not draw is named. With
none mapped and none drawn the rule is met.

Limits: the mapped edge is as good as its map; only a field delineation fixes a wetland's edge, so a difference from
the map is the reviewer's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from siteplan_gis.checks.stated_acreage import judge_stated
from siteplan_gis.checks.verdict import amount, finding
from siteplan_gis.model.comparison import show
from siteplan_gis.model.review import Status
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.measurement import Measurement
    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding

_NEGLIGIBLE = 0.1


def judge_wetland_acreage(rule: Rule, case: Case) -> Sequence[Finding]:
    """Compare the stated acreage with the drawn one, and the drawn one with the map."""
    stated = case.site.plan.stated.wetland_acres
    mapped = case.measured.values.get("wetland_on_site_acres")
    drawn = case.measured.values.get("wetland_drawn_on_site_acres")
    drawn_acres = float(drawn.value) if drawn is not None and isinstance(drawn.value, int | float) else 0.0
    found: list[Finding] = []
    if drawn_acres > 0:
        if stated is None:
            assert drawn is not None
            text = f"The plan draws {amount(drawn)} of wetland on the site but states no acreage."
            found.append(
                finding(rule, "stated", Status.FAIL, text, measured=drawn, remedy="State the wetland acreage.")
            )
        else:
            found.append(judge_stated(rule, case, "wetland_drawn_on_site_acres", stated, "stated"))
    if mapped is None or mapped.value is None:
        reason = mapped.reason if mapped is not None and mapped.reason else "no layer of wetlands was given"
        found.append(finding(rule, "mapped", Status.NOT_CHECKED, f"Not checked against a map: {reason}."))
        return found
    mapped_acres = float(mapped.value)
    doubt = mapped.plus_minus or 0.0
    if mapped_acres == 0 and drawn_acres == 0:
        if stated:
            text = f"{show(stated)} acres of wetland are stated, but none is drawn or mapped on the site."
            return [
                finding(
                    rule,
                    "stated",
                    Status.FAIL,
                    text,
                    measured=mapped,
                    remedy="Draw the wetland, or correct the figure.",
                )
            ]
        if mapped.reason:
            text = f"No wetland is mapped on the site, but {mapped.reason}."
            return [finding(rule, "mapped", Status.NEEDS_REVIEW, text, measured=mapped)]
        dated = "; ".join(f"{source.title} dated {source.date or 'unknown'}" for source in mapped.sources)
        return [
            finding(rule, "mapped", Status.PASS, f"None mapped on the site in {dated}; none drawn.", measured=mapped)
        ]
    if drawn_acres == 0:
        agrees = stated is not None and abs(stated - mapped_acres) <= max(doubt, 0.05 * mapped_acres)
        text = f"{amount(mapped)} of wetland are mapped on the site; the plan draws none" + (
            f" but states {show(stated)} acres." if stated is not None else " and states none."
        )
        status = Status.FAIL if not agrees and _certainly_on_site(case, mapped) else Status.NEEDS_REVIEW
        found.append(finding(rule, "mapped", status, text, measured=mapped,
                             remedy="Draw and state the wetland, or show by a field delineation that it is not there."))  # fmt: skip
    elif abs(drawn_acres - mapped_acres) > max(min(doubt, 0.5 * mapped_acres), 0.05 * mapped_acres):
        text = f"The plan draws {show(drawn_acres)} acres of wetland on the site; the map shows {amount(mapped)}."
        found.append(
            finding(rule, "mapped", Status.NEEDS_REVIEW, text, measured=mapped, remedy="Give the delineation report.")
        )
    elif elsewhere := _elsewhere_acres(case, drawn, mapped):
        text = (
            f"The drawn wetland ({show(drawn_acres)} acres) is as large as the mapped one ({amount(mapped)}), but "
            f"{show(elsewhere)} acres of that lie where none is drawn."
        )
        found.append(
            finding(rule, "mapped", Status.NEEDS_REVIEW, text, measured=mapped, remedy="Give the delineation report.")
        )
    elif mapped.reason:
        text = f"The drawn wetland ({show(drawn_acres)} acres) agrees with the map ({amount(mapped)}), but {mapped.reason}."
        found.append(finding(rule, "mapped", Status.NEEDS_REVIEW, text, measured=mapped))
    else:
        text = f"The drawn wetland ({show(drawn_acres)} acres) agrees with the map ({amount(mapped)})."
        found.append(finding(rule, "mapped", Status.PASS, text, measured=mapped))
    return found


def _accuracy_m(case: Case) -> float:
    unstated_m = case.ordinance.method.unstated_accuracy_m
    sources = [layer.source for layer in case.site.layers.get("wetlands", ())]
    return max((source.accuracy_m or unstated_m for source in sources), default=unstated_m)


def _certainly_on_site(case: Case, mapped: Measurement) -> bool:
    """Whether the mapped wetland reaches into the site by more than its map's accuracy."""
    inner = case.measured.shape["site"].buffer(-_accuracy_m(case))
    return mapped.where is None or bool(mapped.where.intersects(inner))


def _elsewhere_acres(case: Case, drawn: Measurement | None, mapped: Measurement) -> float:
    """Mapped wetland farther from the drawn one than its map's accuracy; 0 for a negligible part of it."""
    if drawn is None or drawn.where is None or mapped.where is None:
        return 0.0
    apart_m2 = float(mapped.where.difference(drawn.where.buffer(_accuracy_m(case))).area)
    return acres(apart_m2) if apart_m2 > _NEGLIGIBLE * mapped.where.area else 0.0
