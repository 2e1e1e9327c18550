"""The order of the works: pauses, practices before and after disturbance, bare ground at one time.

What the rules ask: Saukville, temporary stabilisation where work ceases for more than 14 calendar days, practices in
place before land is disturbed and kept until final stabilisation, and staging; Fairwater, a sequence that keeps bare
soil small at any one time.

How it is judged: from the days in the plan. A piece of disturbed ground that names `paused` and `resumes` more than
14 days apart must be covered by stabilisation that starts within 14 days of the pause. A dated control must be in
place on the first day of every phase next to it, and may not be removed before the last. The largest area open on one
day is set beside the whole for the reviewer, who judges the sequence.

Limits: dates are the applicant's. Pauses that the plan does not name are not seen.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

import shapely

from siteplan_gis.checks.verdict import amount, checklist, finding, listed
from siteplan_gis.measures.shapes.area import union_area
from siteplan_gis.model.comparison import show
from siteplan_gis.model.place_names import names_by_place
from siteplan_gis.model.review import Status
from siteplan_gis.units import acres

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Rule
    from siteplan_gis.model.plan import PlanFeature
    from siteplan_gis.model.review import Case, Finding

_DRAFTING_M2: Final = 1.0


def judge_pauses(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for each pause that is long enough to count."""
    limit, found = timedelta(days=rule.limits["idle"].value), []
    pauses = [(item, *_pause(item)) for item in case.site.plan.of("disturbed_area")]
    named = [(item, paused, resumes) for item, paused, resumes in pauses if paused is not None]
    unread = [said for item, _, _ in pauses for said in _unread(item)]
    if unread:
        text = f"Days of a pause are written in a way that is not read: {listed(unread)}."
        found.append(finding(rule, "unread", Status.NEEDS_REVIEW, text, remedy="Write them as 2026-05-31."))
    elif not named:
        text = "The plan names no pauses (attributes `paused` and `resumes` of the disturbed ground)."
        return [checklist(rule, "pauses", text)]
    stabilised = case.site.plan.of("stabilization", "revegetation")
    names = names_by_place(
        [f"phase {item.phase}" * bool(item.phase) for item, _, _ in named],
        ["ground"] * len(named),
        [item.geometry for item, _, _ in named],
    )
    for name, (item, paused, resumes) in zip(names, named, strict=True):
        idle = f"{item.phase or name}: work is paused from {paused.isoformat()}"
        if resumes is not None and resumes < paused:
            text = f"{idle}, but resumes on {resumes.isoformat()}, before that."
            found.append(finding(rule, name, Status.NEEDS_REVIEW, text, where=item.geometry))
            continue
        if resumes is not None and resumes - paused <= limit:
            text = f"{idle} to {resumes.isoformat()} ({(resumes - paused).days} days): not more than {limit.days} days."
            found.append(finding(rule, name, Status.PASS, text))
            continue
        in_time = [cover.geometry for cover in stabilised if cover.start is not None and cover.start <= paused + limit]
        undated = [cover for cover in stabilised if cover.start is None]
        bare, bare_m2 = union_area([shapely.difference(item.geometry, union_area(in_time)[0])])
        until = f"to {resumes.isoformat()}" if resumes is not None else "without a day on which it resumes"
        if bare_m2 <= _DRAFTING_M2:
            found.append(
                finding(rule, name, Status.PASS, f"{idle} {until}; all of it is stabilised for the time being.")
            )
            continue
        status = Status.NEEDS_REVIEW if undated else Status.FAIL
        doubt = " Stabilisation without a date is drawn." * bool(undated)
        text = f"{idle} {until}; {show(acres(bare_m2), 2, 0.0)} acres of it are not stabilised within {limit.days} days.{doubt}"
        found.append(
            finding(rule, name, status, text, where=bare, remedy="Stabilise ground that rests, and give the day.")
        )
    return found


def judge_order(rule: Rule, case: Case) -> Sequence[Finding]:
    """One finding for the practices that come too late or go too early."""
    phases = [item for item in case.site.plan.of("disturbed_area") if item.start is not None]
    controls = case.site.plan.of("control")
    dated = [item for item in controls if item.start is not None or item.end is not None]
    if not phases or not dated:
        lacking = "phases" if not phases else "practices"
        return [
            checklist(rule, "order", f"The {lacking} of the plan bear no dates: the order of the works is not told.")
        ]
    late, early, undated = [], [], [item for item in controls if item.start is None]
    for control in dated:
        served = [
            item
            for item in phases
            if shapely.dwithin(item.geometry, control.geometry, case.ordinance.method.adjacent_m)
        ]
        starts = [item.start for item in served if item.start is not None]
        ends = [item.end for item in served if item.end is not None]
        if starts and control.start is not None and control.start > min(starts):
            late.append(
                (control, f"{_name(control)} from {control.start.isoformat()}, work from {min(starts).isoformat()}")
            )
        if ends and control.end is not None and control.end < max(ends):
            early.append((control, f"{_name(control)} until {control.end.isoformat()}, ground open until {max(ends).isoformat()}"))  # fmt: skip
    found = []
    for subject, wrong, words in (("before", late, "after work next to it begins"), ("until", early, "before the ground next to it is closed")):  # fmt: skip
        if wrong:
            text = f"{len(wrong)} practice{'s' * (len(wrong) > 1)} {'come' if subject == 'before' else 'go'} {words}: {listed([told for _, told in wrong])}."
            place = shapely.union_all([control.geometry for control, _ in wrong])
            found.append(
                finding(rule, subject, Status.FAIL, text, where=place, remedy="Change the order of the works.")
            )
    if not found and undated:
        text = f"{len(undated)} of {len(controls)} practices bear no date of installation; the others are in order."
        return [finding(rule, "order", Status.NEEDS_REVIEW, text, remedy="Give each practice its dates.")]
    text = f"All {len(dated)} practices are in place before work next to them begins and until it is closed."
    return found or [finding(rule, "order", Status.PASS, text)]


def weigh_bare_ground(rule: Rule, case: Case) -> Sequence[Finding]:
    """A line of the checklist: the most ground open on one day beside the whole."""
    most, whole = (case.measured.values.get(name) for name in ("disturbed_max_concurrent_acres", "disturbed_acres"))
    if most is None or whole is None or most.value is None or whole.value is None:
        return [checklist(rule, "bare_ground", "The plan draws no disturbed ground with dates.")]
    days = case.measured.open_ground
    text = f"At most {amount(most)} of {amount(whole)} lie open on one day"
    if not days:
        text = f"No phase has dates: all {amount(whole)} are taken as open at once"
    return [checklist(rule, "bare_ground", f"{text}. A reviewer judges the sequence.", measured=most)]


def _pause(item: PlanFeature) -> tuple[date | None, date | None]:
    attributes = {key.lower(): value for key, value in item.attributes.items()}
    return _day(attributes.get("paused")), _day(attributes.get("resumes"))


def _unread(item: PlanFeature) -> list[str]:
    """What stands for a day of a pause and is none."""
    said = {key.lower(): value for key, value in item.attributes.items() if key.lower() in {"paused", "resumes"}}
    return [
        f"{name} {str(value)[:60]!r}"
        for name, value in said.items()
        if value is not None and str(value).strip() and _day(value) is None
    ]


def _day(value: object) -> date | None:
    if isinstance(value, date):
        return value
    if isinstance(value, str):
        try:
            return date.fromisoformat(value.strip()[:10])
        except ValueError:
            return None
    return None


def _name(control: PlanFeature) -> str:
    return control.name or control.kind.replace("_", " ") or "practice"
