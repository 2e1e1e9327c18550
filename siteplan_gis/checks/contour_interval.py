"""Contour interval.

What the rule asks: a contour interval not to exceed two feet.

How it is judged: the interval is measured from the drawn contours (the usual step between their levels), whatever
the note says. A stated interval that is not the drawn one is named. Levels missing between others, or off the step,
are the reviewer's; so are contours that reach over less than four fifths of the site. Contours without readable
levels, or none at all: not checked. Where heights of the plan's existing ground lie off the elevation model's by more
than both may err, or rise by another measure, as metres that are taken for feet do, that is the reviewer's too.
Where more than a fifth of the drawn length has no level (only index contours are labelled), the interval is doubtful:
the reviewer's.

Limits: where the ground is flat no contour need run; on it absence proves nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from siteplan_gis.checks.verdict import amount, finding, held, limit_words
from siteplan_gis.model.comparison import show, show_share
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding


_LEAST_COVER = 0.8


def judge_contour_interval(rule: Rule, case: Case) -> Sequence[Finding]:
    """Compare the drawn interval with the limit, and the stated with the drawn."""
    limit, measured = rule.limits["most"], case.measured.values.get("contour_interval_ft")
    stated = [
        sheet.contour_interval_ft
        for sheet in case.site.plan.sheets
        if sheet.contour_interval_ft is not None and sheet.shows != "location"
    ]
    if measured is None or measured.value is None:
        reason = measured.reason if measured is not None and measured.reason else "no contours are drawn"
        said = f" The sheets state {', '.join(f'{value:g} ft' for value in stated)}." if stated else ""
        return [finding(rule, "contours", Status.NOT_CHECKED, f"Not checked: {reason}.{said}", limit=limit,
                        remedy="Give the contours with their elevations.")]  # fmt: skip
    value = float(measured.value)
    found = []
    settled = held(measured, limit)
    if settled is None:
        text = f"Contours are drawn every {show(value, 2, limit.value)} ft {measured.method}: finer ones may be drawn between; {limit_words(limit)} is asked for."
        remedy = "Give every contour its elevation, not the index contours alone."
        found.append(
            finding(rule, "contours", Status.NEEDS_REVIEW, text, measured=measured, limit=limit, remedy=remedy)
        )
    elif settled:
        text = f"Contours are drawn every {show(value, 2, limit.value)} ft; {limit_words(limit)}."
        found.append(finding(rule, "contours", Status.PASS, text, measured=measured, limit=limit))
    else:
        text = f"Contours are drawn every {show(value, 2, limit.value)} ft, but {limit_words(limit)} is asked for."
        found.append(
            finding(
                rule,
                "contours",
                Status.FAIL,
                text,
                measured=measured,
                limit=limit,
                remedy=f"Draw contours every {limit.value:g} ft or less.",
            )
        )
    wrong = [number for number in stated if not math.isclose(number, value, rel_tol=1e-3)]
    if wrong:
        text = f"The sheets state a contour interval of {', '.join(f'{number:g} ft' for number in wrong)}; drawn: {amount(measured)}."
        found.append(
            finding(
                rule,
                "stated",
                Status.NEEDS_REVIEW,
                text,
                measured=measured,
                remedy="Correct the note, or give all contours.",
            )
        )
    coarsest = case.measured.values.get("contour_coarsest_interval_ft")
    if (
        coarsest is not None
        and isinstance(coarsest.value, int | float)
        and held(measured, limit)
        and not held(coarsest, limit)
    ):
        text = f"In a part of the map contours are drawn only every {show(float(coarsest.value), 2, limit.value)} ft."
        remedy = f"Draw contours every {limit.value:g} ft or less on the whole map."
        found.append(finding(rule, "part", Status.NEEDS_REVIEW, text, measured=coarsest, limit=limit, remedy=remedy))
    site = case.measured.shape["site"]
    if measured.where is not None and site.area:
        share = measured.where.convex_hull.intersection(site).area / site.area
        if share < _LEAST_COVER:
            text = f"The contours reach over {show_share(share)} of the site only."
            remedy = "Draw the contours of the whole site, or say why none runs on the rest."
            found.append(finding(rule, "cover", Status.NEEDS_REVIEW, text, measured=measured, remedy=remedy))
    found += [
        finding(rule, "heights", Status.NEEDS_REVIEW, f"{flag.text[:1].upper()}{flag.text[1:]}.",
                measured=case.measured.values.get("ground_height_offset_ft"),
                remedy="State the datum and the unit of the elevations, and correct the contours.")
        for flag in case.measured.flags
        if flag.code == "ground_heights_off"
    ][:1]  # fmt: skip
    missing = case.measured.values.get("contour_missing_levels")
    if missing is not None and isinstance(missing.value, int) and missing.value > 0:
        text = f"{missing.value} levels between the lowest and the highest contour are not drawn: {missing.method}."
        found.append(finding(rule, "levels", Status.NEEDS_REVIEW, text, measured=missing, remedy="Give all contours."))
    return found
