"""Whether runoff leaves the site: some criteria bind only there.

What the rule asks: the criteria for the erosion of the site apply only to activities that result in runoff leaving
the site.

How it is judged: "pass" means that a way of runoff, followed from a drawn outfall or from where it leaves the
disturbed ground, crosses the boundary of the site: the criteria bind. Where none was seen to cross it, the reviewer
decides; the other rules are judged all the same.

Limits: ways that end in a depression, or where the elevations end, show nothing about what lies beyond.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from siteplan_gis.checks.verdict import finding, listed, untold
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding

_ACROSS_M = 3.0


def judge_runoff_leaves(rule: Rule, case: Case) -> Sequence[Finding]:
    """Whether a way of runoff crosses the boundary of the site."""
    site, discharges = case.measured.shape["site"], case.measured.discharges
    if not discharges:
        count = case.measured.values.get("discharge_count")
        if count is None or count.value is None or site.is_empty:
            return [untold(rule, "runoff", count, "the way of the runoff")]
        text = "No runoff was found to leave the disturbed ground; whether any leaves the site is the reviewer's."
        return [finding(rule, "runoff", Status.NEEDS_REVIEW, text)]
    leaving = [
        item for item in discharges if item.path is not None and shapely.difference(item.path, site).length > _ACROSS_M
    ]
    if leaving:
        text = f"Runoff leaves the site ({listed([item.id for item in leaving])}): the criteria bind."
        where = shapely.union_all([item.path for item in leaving])
        return [finding(rule, "runoff", Status.PASS, text, where=where)]
    text = f"None of {len(discharges)} ways of runoff was seen to cross the boundary of the site: whether the criteria bind is the reviewer's."
    ways = [item.path if item.path is not None else item.start for item in discharges]
    return [finding(rule, "runoff", Status.NEEDS_REVIEW, text, where=shapely.union_all(ways))]
