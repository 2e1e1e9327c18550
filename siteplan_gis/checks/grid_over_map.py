"""An alphanumeric grid over the entire map.

What the rule asks: an alphanumeric or equivalent grid overlying the entire construction site map.

How it is judged: the drawn cells (or the cells between drawn lines) must cover the site and the construction site,
and their labels must be letter and number, each once. Ground outside every cell fails; odd or repeated labels are
the reviewer's.

Limits: "equivalent" grids are for the reviewer to accept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from siteplan_gis.checks.verdict import amount, finding, unseen
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding

_NOISE_ACRES = 0.001


def judge_grid(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for the cover, one for the labels."""
    if case.site.plan.only_sheets:
        return [unseen(rule, "cover")]
    if not case.site.plan.of("grid"):
        text = "The plan draws no grid over the construction site map."
        return [
            finding(rule, "cover", Status.FAIL, text, remedy="Draw a lettered and numbered grid over the entire map.")
        ]
    uncovered = case.measured.values["grid_uncovered_acres"]
    if uncovered.value is None:
        return [finding(rule, "cover", Status.NEEDS_REVIEW, f"The grid could not be measured: {uncovered.reason}.")]
    found = []
    if float(uncovered.value) <= _NOISE_ACRES:
        found.append(finding(rule, "cover", Status.PASS, "The grid covers the whole site.", measured=uncovered))
    else:
        text = f"{amount(uncovered)} of the construction site map lie outside the grid."
        found.append(
            finding(rule, "cover", Status.FAIL, text, measured=uncovered, remedy="Extend the grid over the entire map.")
        )
    labels = case.measured.values["grid_label_faults"]
    if labels.value:
        found.append(finding(rule, "labels", Status.NEEDS_REVIEW, f"Grid labels: {labels.method}.", measured=labels,
                             remedy="Label each cell once, with letter and number."))  # fmt: skip
    return found
