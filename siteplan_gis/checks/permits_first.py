"""A permit before any land is disturbed.

What the rules ask: no land-disturbing activity without prior approval of the plan and a permit; in East Troy also no
land disturbance without a post-construction runoff permit.

How it is judged: from the dates of the village's permit record: the permit must be issued on or before the day on
which work began. Work that began while no permit is on record fails.

Limits: work that nobody recorded is not seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from siteplan_gis.checks.verdict import checklist, finding
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding


def judge_permits_first(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding; `options.permit` is "erosion_control" or "post_construction"."""
    record = case.permit
    if record is None or record.began is None:
        return [checklist(rule, "permit", "No start of work is on record: the permit comes before it.")]
    post = rule.options["permit"] == "post_construction"
    name, issued = (
        ("The post-construction runoff permit", record.post_construction_permit) if post
        else ("The erosion control permit", record.issued)
    )  # fmt: skip
    began = record.began
    if issued is None:
        text = f"Work began on {began}, but {name[0].lower()}{name[1:]} is not on record."
        return [finding(rule, "permit", Status.FAIL, text, remedy="Stop work until the permit is issued.")]
    text = f"{name} was issued on {issued.isoformat()}; work began on {began}."
    if issued <= began.day:
        return [finding(rule, "permit", Status.PASS, text)]
    return [
        finding(rule, "permit", Status.FAIL, text, remedy="Work before the permit is a violation; ask the village.")
    ]
