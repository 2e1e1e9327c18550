"""Map scale.

What the rules ask: Saukville, "a scale not greater than 100 feet per inch"; Fairwater, "at least one inch equals
100 feet", and the final plan "on the same scale". Both mean that one inch on paper shows no more than 100 ft of
ground, so feet per inch are compared, never representative fractions, which would turn the words around.

How it is judged: everything on a sheet that tells its scale is weighed: viewports, georeferenced pages and pictures,
drawn bars, and notes in their many spellings. What is measured outranks what is written, and the paper as printed is
what counts: a sheet drawn for 24 x 36 in and printed at half size has twice the feet per inch of its note; both
figures are given. Evidence that differs by more than 2 % is named, and is doubt; two sheets are on one scale where
they differ by less. Location maps and details are not held to the rule; what is called a detail and drawn smaller
than the site map may be is the reviewer's. A sheet that tells no scale, or no sheet at
all: not checked.

Limits: a note is what the applicant says. Where a page may be a half-size copy and nothing on it is measured, a note
clears only if it would at half size, too.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from siteplan_gis.checks.verdict import amount, finding, held, limit_words
from siteplan_gis.measures.sheets.scale import AGREES, settled_scale
from siteplan_gis.model.comparison import compare, show
from siteplan_gis.model.review import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.measurement import Measurement
    from siteplan_gis.model.ordinance import Limit, Rule
    from siteplan_gis.model.review import Case, Finding
    from siteplan_gis.model.sheet import Sheet


_SPARED = frozenset({"location", "detail"})


def judge_scale(rule: Rule, case: Case) -> Sequence[Finding]:
    """The findings of each sheet that the rule holds."""
    limit, shows = rule.limits["most"], rule.options.get("shows", ())
    assert isinstance(shows, tuple)
    plan = case.site.plan
    sheets = [
        sheet for sheet in plan.sheets if sheet.shows not in _SPARED and (not shows or sheet.shows in (*shows, ""))
    ]
    if not sheets:
        spared = ", ".join(sheet.name for sheet in plan.sheets)
        text = f"Not checked: none of the sheets ({spared}) shows the site map." if spared else "Not checked: there is no sheet, and none is described."  # fmt: skip
        remedy = "Give the plan's sheets (PDF, GeoTIFF) or describe them under [[sheet]] in siteplan.toml; say what each shows."  # fmt: skip
        return [finding(rule, "sheet", Status.NOT_CHECKED, text, limit=limit, remedy=remedy)]
    # A sheet that the program itself took for a location map or details is named, so that nothing is spared in silence.
    coarse = [sheet for sheet in plan.sheets if sheet.shows == "detail" and _coarser(case, sheet, limit)]
    spared_by_title = [sheet for sheet in plan.sheets if sheet.shows in _SPARED and sheet.file and sheet not in coarse]
    names = _subjects(plan.sheets)
    found = [(sheet, item) for sheet in sheets for item in _judge_sheet(rule, case, sheet, limit)]
    found += [(sheet, _no_detail(rule, case, sheet, limit)) for sheet in coarse]
    found += [(sheet, _spared(rule, sheet)) for sheet in spared_by_title]
    return [replace(item, subject=names[sheet.name] + item.subject.removeprefix(sheet.name)) for sheet, item in found]


def _subjects(sheets: Sequence[Sheet]) -> dict[str, str]:
    """For each sheet's name what a finding calls it: a name that holds its file's gives way to its number or title."""
    called: dict[str, str] = {}
    for sheet in sheets:
        stem = PurePath(sheet.file).stem
        own = not stem or stem not in sheet.name
        called[sheet.name] = (
            sheet.name if own else sheet.number or sheet.title or (f"page {sheet.page}" if sheet.page else "sheet")
        )
    for first in [name for name, count in Counter(called.values()).items() if count > 1]:
        alike = [sheet for sheet in sheets if called[sheet.name] == first]
        kinds = [PurePath(sheet.file).suffix.lower().removeprefix(".") for sheet in alike]
        for number, (sheet, kind) in enumerate(
            sorted(zip(alike, kinds, strict=True), key=lambda one: (one[1], one[0].page, one[0].title)), 1
        ):
            called[sheet.name] = f"{first} ({kind})" if kinds.count(kind) == 1 else f"{first} ({kind} {number})"
    return called


def _spared(rule: Rule, sheet: Sheet) -> Finding:
    what = "a location map" if sheet.shows == "location" else "details"
    text = f"Sheet {_called(sheet)} shows {what}; the rule speaks of the site map."
    return finding(
        rule, sheet.name, Status.NOT_APPLICABLE, text, remedy="If it is the site map, say so under [[sheet]]."
    )


def _coarser(case: Case, sheet: Sheet, limit: Limit) -> bool:
    scale = _scale(case, sheet)
    return scale is not None and scale.value is not None and held(scale, limit) is False


def _no_detail(rule: Rule, case: Case, sheet: Sheet, limit: Limit) -> Finding:
    """A detail shows a part of the map larger: what is drawn smaller than a map may be is none."""
    measured = _scale(case, sheet)
    assert measured is not None
    text = f"Sheet {_called(sheet)} is called a detail, but has {amount(measured, limit, 1)} ({limit_words(limit)} is asked of the site map): it shows more ground than a detail does."
    remedy = "Say under [[sheet]] what it shows."
    return finding(rule, sheet.name, Status.NEEDS_REVIEW, text, measured=measured, limit=limit, remedy=remedy)


def _judge_sheet(rule: Rule, case: Case, sheet: Sheet, limit: Limit) -> list[Finding]:
    measured, scale = _scale(case, sheet), settled_scale(sheet)
    name = f"Sheet {_called(sheet)}"
    if measured is None or measured.value is None:
        reason = measured.reason if measured is not None else "its scale was not measured"
        remedy = "Write the scale as 1 in = N ft, name the paper size that it holds for, and draw a scale bar."
        if not (sheet.scale_text.strip() or sheet.evidence):
            text = f"Not checked: sheet {_called(sheet)}: {reason}.{_notes(sheet)}"
            return [finding(rule, sheet.name, Status.NOT_CHECKED, text, limit=limit, remedy=remedy)]
        text = f"{name}: {reason}.{_notes(sheet)}"
        return [finding(rule, sheet.name, Status.NEEDS_REVIEW, text, limit=limit, remedy=remedy)]
    assert isinstance(measured.value, int | float)
    shown, holds = show(float(measured.value), 1, limit.value), held(measured, limit)
    paper = (
        f" as printed on {sheet.width_in:.4g} x {sheet.height_in:.4g} in" if sheet.width_in and sheet.height_in else ""
    )
    said = f"{shown} ft per inch{paper} ({measured.method}){_at_full_size(case, sheet)}"
    untaken = "" if paper or scale.kind not in {"", "stated"} else " The paper itself was not measured."
    found = []
    if holds is False and scale.finest is not None and compare(scale.finest, limit.operator, limit.value):
        # Several drawings on one sheet: whether the coarse one is the site map, a person sees at once.
        holds = None
    if holds is None:
        text = f"{name}: {said}; the evidence reaches across the limit: {limit_words(limit)}."
        remedy = "Draw a scale bar and name the paper size that the written scale holds for."
        found.append(
            finding(rule, sheet.name, Status.NEEDS_REVIEW, text, measured=measured, limit=limit, remedy=remedy)
        )
    elif holds:
        text = f"{name}: {said}; {limit_words(limit)}.{untaken}"
        found.append(finding(rule, sheet.name, Status.PASS, text, measured=measured, limit=limit))
    else:
        text = f"{name}: {said}, but {limit_words(limit)} is asked for."
        found.append(finding(rule, sheet.name, Status.FAIL, text, measured=measured, limit=limit,
                             remedy=_larger(case, sheet, limit)))  # fmt: skip
    if scale.disagreements:
        text = f"{name}: its scale is told in ways that differ: {'; '.join(scale.disagreements)}."
        remedy = "Correct what is wrong; a sheet printed at another size needs its own scale note."
        found.append(
            finding(rule, f"{sheet.name}: evidence", Status.NEEDS_REVIEW, text, measured=measured, remedy=remedy)
        )
    return found


def _called(sheet: Sheet) -> str:
    more = ", ".join(part for part in (sheet.number, sheet.title) if part and part.casefold() != sheet.name.casefold())
    return f"{sheet.name} ({more})" if more else sheet.name


def _notes(sheet: Sheet) -> str:
    return "".join(f" {note[:1].upper()}{note[1:]}." for note in sheet.notes)


def _at_full_size(case: Case, sheet: Sheet) -> str:
    full, printed = case.measured.values.get(f"feet_per_inch_full_size[{sheet.name}]"), _scale(case, sheet)
    if full is None or printed is None or full.value is None or printed.value is None:
        return ""
    if math.isclose(float(full.value), float(printed.value), rel_tol=1e-3):
        return ""
    size = f" ({sheet.paper})" if sheet.paper else ""
    return f"; at full size{size} {show(float(full.value), 1)} ft per inch"


def _larger(case: Case, sheet: Sheet, limit: Limit) -> str:
    full = case.measured.values.get(f"feet_per_inch_full_size[{sheet.name}]")
    if full is not None and full.value is not None and float(full.value) <= limit.value:
        size = f" ({sheet.paper})" if sheet.paper else ""
        return (
            f"Submit the sheet printed at its full size{size}, where it has {show(float(full.value), 1)} ft per inch."
        )
    return f"Draw the map larger: 1 in = {limit.value:g} ft or less on the paper that is submitted."


def judge_same_scale(rule: Rule, case: Case) -> Sequence[Finding]:
    """The final plan on the scale of the existing site map."""
    sheets = {
        shows: [sheet for sheet in case.site.plan.sheets if sheet.shows == shows] for shows in ("existing", "final")
    }
    lacking = [shows for shows, listed in sheets.items() if not listed]
    if lacking:
        text = f"Not checked: no sheet that shows {' or '.join(lacking)} conditions was described."
        remedy = "Say under [[sheet]] in siteplan.toml which sheet shows what."
        return [finding(rule, "sheets", Status.NOT_CHECKED, text, remedy=remedy)]
    both = [sheet for listed in sheets.values() for sheet in listed]
    scales = {sheet.name: _scale(case, sheet) for sheet in both}
    words = "; ".join(f"{sheet.name}: {_scale_words(scales[sheet.name])}{_at_full_size(case, sheet)}" for sheet in both)
    told = [scale for scale in scales.values() if scale is not None and isinstance(scale.value, int | float)]
    if len(told) < len(scales):
        return [finding(rule, "sheets", Status.NEEDS_REVIEW, f"A sheet gives no one scale ({words}).",
                        remedy="Write the scale of both, and draw a scale bar on each.")]  # fmt: skip
    numbers = [float(scale.value) for scale in told if scale.value is not None]
    apart, doubt = max(numbers) - min(numbers), sum(sorted(scale.plus_minus or 0.0 for scale in told)[-2:])
    if apart <= AGREES * min(numbers) and doubt <= AGREES * min(numbers):
        return [finding(rule, "sheets", Status.PASS, f"Existing and final plan are on one scale ({words}).")]
    if apart <= max(doubt, AGREES * min(numbers)):
        text = f"Whether existing and final plan are on one scale is in doubt ({words})."
        return [finding(rule, "sheets", Status.NEEDS_REVIEW, text, remedy="Draw a scale bar on each sheet.")]
    return [finding(rule, "sheets", Status.FAIL, f"Existing and final plan are on different scales ({words}).",
                    remedy="Draw and print the plan of final conditions on the scale of the existing site map.")]  # fmt: skip


def _scale_words(scale: Measurement | None) -> str:
    return amount(scale, None, 1) if scale is not None and scale.value is not None else "no scale"


def _scale(case: Case, sheet: Sheet) -> Measurement | None:
    return case.measured.values.get(f"feet_per_inch[{sheet.name}]")
