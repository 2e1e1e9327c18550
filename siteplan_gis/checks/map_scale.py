"""Map scale.

What the rules ask: Saukville, "a scale not greater than 100 feet per inch"; Fairwater, "at least one inch equals
100 feet", and the final plan "on the same scale". Both mean that one inch on paper shows no more than 100 ft of
ground, so feet per inch are compared, never representative fractions, which would turn the words around.

How it is judged: the scale note of each sheet is read (in its many spellings) and compared. A location map is not
held to the rule. A note that gives no scale, or two, is the reviewer's. A sheet without a note, or no sheet at all:
not checked.

Limits: a note is what the applicant says. A sheet printed at another size has another scale; the paper itself is
not measured here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from siteplan_gis.checks.verdict import amount, finding, held, limit_words
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.measurement import Measurement
    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.plan import Sheet
    from siteplan_gis.model.review import Case, Finding


def judge_scale(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for each sheet that the rule holds."""
    limit, shows = rule.limits["most"], rule.options.get("shows", ())
    assert isinstance(shows, tuple)
    sheets = [
        sheet
        for sheet in case.site.plan.sheets
        if sheet.shows != "location" and (not shows or sheet.shows in (*shows, ""))
    ]
    if not sheets:
        text = "Not checked: no sheet with a scale note was described."
        return [
            finding(
                rule,
                "sheet",
                Status.NOT_CHECKED,
                text,
                limit=limit,
                remedy="Describe the sheet under [[sheet]] in siteplan.toml.",
            )
        ]
    found = []
    for sheet in sheets:
        measured = _scale(case, sheet)
        if measured is None or measured.value is None:
            if not sheet.scale_text.strip():
                found.append(
                    finding(
                        rule,
                        sheet.name,
                        Status.NOT_CHECKED,
                        f"Not checked: sheet {sheet.name} has no scale note.",
                        limit=limit,
                    )
                )
                continue
            reason = measured.reason if measured is not None else "its scale was not measured"
            text = f"Sheet {sheet.name}: {reason}."
            found.append(
                finding(
                    rule, sheet.name, Status.NEEDS_REVIEW, text, limit=limit, remedy="Write the scale as 1 in = N ft."
                )
            )
            continue
        if held(measured, limit):
            text = f"Sheet {sheet.name}: {amount(measured, limit, 1)} stated; {limit_words(limit)}. The paper itself was not measured."
            found.append(finding(rule, sheet.name, Status.PASS, text, measured=measured, limit=limit))
        else:
            text = f"Sheet {sheet.name}: {amount(measured, limit, 1)} stated, but {limit_words(limit)} asked for."
            found.append(finding(rule, sheet.name, Status.FAIL, text, measured=measured, limit=limit,
                                 remedy=f"Draw the map larger: 1 in = {limit.value:g} ft or less."))  # fmt: skip
    return found


def judge_same_scale(rule: Rule, case: Case) -> Sequence[Finding]:
    """The final plan on the scale of the existing site map."""
    sheets = {
        shows: [sheet for sheet in case.site.plan.sheets if sheet.shows == shows] for shows in ("existing", "final")
    }
    lacking = [shows for shows, listed in sheets.items() if not listed]
    if lacking:
        text = f"Not checked: no sheet that shows {' or '.join(lacking)} conditions was described."
        return [finding(rule, "sheets", Status.NOT_CHECKED, text)]
    scales = {sheet.name: _scale(case, sheet) for listed in sheets.values() for sheet in listed}
    values = [scale.value if scale is not None else None for scale in scales.values()]
    words = "; ".join(
        f"{name}: {amount(scale, None, 1) if scale is not None and scale.value is not None else 'no scale'}"
        for name, scale in scales.items()
    )
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    if len(numbers) < len(values):
        return [finding(rule, "sheets", Status.NEEDS_REVIEW, f"A sheet gives no one scale ({words}).")]
    if all(math.isclose(number, numbers[0], rel_tol=1e-6) for number in numbers):
        return [finding(rule, "sheets", Status.PASS, f"Existing and final plan are on one scale ({words}).")]
    return [finding(rule, "sheets", Status.FAIL, f"Existing and final plan are on different scales ({words}).",
                    remedy="Draw the plan of final conditions on the scale of the existing site map.")]  # fmt: skip


def _scale(case: Case, sheet: Sheet) -> Measurement | None:
    return case.measured.values.get(f"feet_per_inch[{sheet.name}]")
