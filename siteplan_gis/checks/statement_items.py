"""What the plan statement must tell in words: owner, dates, sequence, soils, depth to groundwater and more.

What the rules ask: facts and descriptions that stand in the application's text, not on the map.

How it is judged: the manifest declares each item present (and where) or absent, under `[narrative]`. Declared present
passes as a declaration; declared absent fails; an item that is not declared is the reviewer's, and so is one declared
with words that name no place ("TBD", "none", "n/a"). A manifest without any
declaration leaves the whole rule on the reviewer's checklist.

Limits: nothing of the text is read. That an item is there does not make it right.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from siteplan_gis.checks.verdict import checklist, finding
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.review import Case, Finding

_NO_PLACE: Final = re.compile(
    r"(?:t ?b ?d|to be (?:determined|decided|provided|submitted|added|done|announced)|to (?:follow|come)|pending|later|unknown|"
    r"n ?a|none|nil|no|missing|not (?:\w+ )?(?:provided|available|applicable|included|known|yet|done|given|required|needed|in it)|"
    r"x+|tk)?(?: (?:yet|at this time))?"
)
"""What people write where they have nothing to say yet; the whole of a declaration, without its signs."""


def judge_statement_items(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding an item of `options.items`."""
    items, narrative = rule.options["items"], case.site.plan.narrative
    assert isinstance(items, tuple)
    if not any(item in narrative for item in items):
        words = ", ".join(item.replace("_", " ") for item in items)
        return [
            checklist(rule, "statement", f"{rule.why_not[:1].upper()}{rule.why_not[1:]}. To be looked for: {words}.")
        ]
    found = []
    for item in items:
        words, where = item.replace("_", " "), narrative.get(item)
        if where is None:
            text = f"Nothing is declared about {words}."
            remedy = f"Declare it under [narrative] in siteplan.toml: {item} = true, false, or where it stands."
            found.append(finding(rule, item, Status.NEEDS_REVIEW, text, remedy=remedy))
        elif where == "":
            text = f"The application declares that this is not in it: {words}."
            found.append(finding(rule, item, Status.FAIL, text, remedy=f"Add to the plan statement: {words}."))
        elif _NO_PLACE.fullmatch(" ".join(re.findall(r"\w+", where.casefold()))):
            text = f"Of {words} the application says {where!r}: that tells neither that it is in it nor where."
            remedy = f"Say under [narrative] in siteplan.toml where it stands, or {item} = false."
            found.append(finding(rule, item, Status.NEEDS_REVIEW, text, remedy=remedy))
        else:
            text = f"The application declares that this is in it: {words} ({where}); the program does not read it."
            found.append(finding(rule, item, Status.PASS, text))
    return found
