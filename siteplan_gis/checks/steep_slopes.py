"""Disturbance on steep slopes.

What the rule asks: to minimise disturbance on slopes of 20 % or more. That is no ban, so it never fails by itself.

How it is judged: the disturbed ground at or above the limit is measured by exact cell coverage on the analysis
grid. None (within the noise of an elevation model, 0.01 acre): pass. Some: needs review, with acres, share and
place. Elevation that is missing, too coarse, whole units, stairs of resampling, stepped along a seam of tiles or made
level as water is can measure but never clear a site.

Without an elevation model the slopes are those of the surface or the contours that the plan itself gives, and the
finding says so: nobody but the applicant has measured that ground, so it never clears a site. With one, they are a
second opinion: steep ground that only they show is the reviewer's.

Limits: a bare-earth model of another year; banks narrower than a few cells are smoothed away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.checks.verdict import amount, finding, untold
from siteplan_gis.model.comparison import show, show_share
from siteplan_gis.model.review import Status
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding

_LEAST_ACRES: Final = 0.1
"""Less steep ground than this between the plan's contours is within what contours can tell."""


def judge_steep_slopes(rule: Rule, case: Case) -> Sequence[Finding]:
    """Measure disturbed steep ground and say what the elevation data can and cannot tell."""
    steep = case.measured.values.get("steep_disturbed_acres")
    if steep is None or steep.value is None:
        return [untold(rule, "disturbed", steep, "steep disturbed ground")]
    value, limit = float(steep.value), rule.limits["steep"]
    noise = acres(case.ordinance.method.steep_noise_m2)
    missing = case.measured.values.get("no_elevation_disturbed_acres")
    no_elevation = float(missing.value) if missing is not None and isinstance(missing.value, int | float) else 0.0
    doubts = [
        f"{show(no_elevation)} acres of the disturbed ground have no elevation" if no_elevation > noise else "",
        "the elevation cells are too coarse to clear a site" if _flagged(case, "dem_cell_too_coarse") else "",
        "the elevation is exactly equal over much of the site, as no ground is" if _flagged(case, "dem_flat") else "",
        _said(case, "dem_level_water", "disturbed"),
        _said(case, "dem_seam"),
        _said(case, "dem_stairs"),
        "the elevations are whole units, so slopes are steps" if _flagged(case, "dem_whole_units") else "",
        f"the doubt of the measurement is {show(steep.plus_minus)} acres"
        if steep.plus_minus and value <= noise < value + steep.plus_minus
        else "",
        _second_opinion(case, value, noise),
        "nobody but the applicant has measured this ground" if _flagged(case, "slopes_from_plan") else "",
    ]
    doubt = "; ".join(text for text in doubts if text)
    own = _flagged(case, "slopes_from_plan")
    rests = f" No elevation model tells the slopes: these are {steep.method}." if own else ""
    if value > noise:
        disturbed = float(case.measured["disturbed_acres"].value or 0)
        share = f" ({show_share(value / disturbed)} of the disturbed ground)" if disturbed else ""
        text = (
            f"{amount(steep)} at {limit.value:g} % or more are to be disturbed{share}."
            + (f" Also: {doubt}." if doubt else "")
            + rests
        )
        where = shapely.union_all(
            [patch.geometry for patch in case.measured.steep_patches if patch.in_disturbed_m2 > 0]
        )
        return [finding(rule, "disturbed", Status.NEEDS_REVIEW, text, measured=steep, where=steep.where or where,
                        remedy="Move the limits of disturbance off the steep ground, or show that its disturbance is as small as it can be.")]  # fmt: skip
    if doubt:
        text = f"No disturbed ground at {limit.value:g} % or more was found, but {doubt}.{rests}"
        return [finding(rule, "disturbed", Status.NEEDS_REVIEW, text, measured=steep,
                        remedy="Give an elevation model that covers the site with cells of 5 m or less.")]  # fmt: skip
    text = (
        f"No disturbed ground at {limit.value:g} % or more ({amount(steep)}, within the noise of the elevation model)."
    )
    return [finding(rule, "disturbed", Status.PASS, text, measured=steep)]


def _second_opinion(case: Case, value: float, noise: float) -> str:
    """Steep disturbed ground that the plan's own ground shows and the elevation model does not."""
    own = case.measured.values.get("existing_steep_disturbed_acres")
    if value > noise or own is None or not isinstance(own.value, int | float):
        return ""
    if own.value <= _LEAST_ACRES or own.value - (own.plus_minus or 0.0) <= noise:
        return ""
    return f"the plan's own ground shows {amount(own)} of it ({own.method})"


def _flagged(case: Case, code: str) -> bool:
    return any(flag.code == code for flag in case.measured.flags)


def _said(case: Case, code: str, feature: str = "") -> str:
    """What the first flag of a code says, of one feature where it is named."""
    flags = case.measured.flags
    return next((flag.text for flag in flags if flag.code == code and feature in {"", flag.feature}), "")
