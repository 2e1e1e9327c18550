"""The core: a site, an ordinance and a day give a review. No path, clock or network."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from siteplan_gis.checks.table import CHECKS
from siteplan_gis.checks.verdict import as_far_as_read, checklist, finding
from siteplan_gis.checks.vintages import warn_of_vintages
from siteplan_gis.measuring.survey import take_measurements
from siteplan_gis.model.decisions import decide, unused
from siteplan_gis.model.review import Case, Finding, Review, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from siteplan_gis.model.ordinance import Ordinance, Rule
    from siteplan_gis.model.permit import PermitRecord
    from siteplan_gis.model.review import Decision
    from siteplan_gis.model.site import Site
    from siteplan_gis.model.soil_loss import SoilLossInputs
    from siteplan_gis.model.source import Source


def judge(
    site: Site,
    ordinance: Ordinance,
    on: date,
    software: Mapping[str, str] | None = None,
    decisions: Sequence[Decision] = (),
    decisions_from: Source | None = None,
    permit: PermitRecord | None = None,
    soil_loss: SoilLossInputs | None = None,
) -> Review:
    """Review a site against an ordinance as of a day.

    A rule's check that crashes gives a finding with status "error"; the other rules are still judged. A rule with the
    option `gate` decides whether others reach the project: when every rule of the gate is not applicable, the others
    are not applicable either, and say so. The gate "content" holds the rules of its own section, any other gate all.
    A reviewer's decision can open a gate, never close one.
    """
    case = Case(site, take_measurements(site, ordinance.method), ordinance, on, permit, soil_loss)
    judged = {rule.id: decide(run(rule, case), decisions) for rule in ordinance.rules}
    closed = _closed_gates(ordinance.rules, judged)
    findings: list[Finding] = []
    for rule in ordinance.rules:
        gate = rule.options.get("gate")
        why = next((why for name, section, why in closed if name != gate and rule.section.startswith(section)), "")
        if rule.since is not None and on < rule.since and rule.check:
            text = f"Not checked: these words are in force since {rule.since.isoformat()}. What was asked for on {on.isoformat()} is not known."
            findings.append(
                finding(rule, "in_force", Status.NOT_CHECKED, text, remedy="Give the day of the review with --on.")
            )
        elif why and any(item.counted for item in judged[rule.id]):
            findings.append(finding(rule, "ordinance", Status.NOT_APPLICABLE, f"Not applicable: {why}"))
        else:
            findings.extend(judged[rule.id])
    findings = decide(findings, decisions)
    return Review(
        site,
        ordinance,
        case.measured,
        tuple(item for item in findings if item.counted),
        on,
        software or {},
        (*unused(findings, decisions), *warn_of_vintages(case)),
        decisions_from,
        tuple(item for item in findings if not item.counted),
        permit,
    )


def run(rule: Rule, case: Case) -> Sequence[Finding]:
    """The findings of one rule; a crash, here or in a measuring step it rests on, becomes a finding that says so."""
    if not rule.check:
        return [checklist(rule, "reviewer", f"{rule.why_not[:1].upper()}{rule.why_not[1:]}.")]
    try:
        check = CHECKS[rule.check]
        crashed = [f"{step} ({case.measured.faults[step]})" for step in check.rests_on if step in case.measured.faults]
        if crashed:
            text = f"Measuring crashed: {'; '.join(crashed)}. Nothing can be said about this rule."
            return [Finding(rule, "measuring", Status.ERROR, text, "Report this as a fault of the program.")]
        found = check.judge(rule, case)
        if check.of_drawing:
            found = as_far_as_read(found, case.site.plan.flags)
    except Exception as crash:  # noqa: BLE001
        text = f"The check crashed ({type(crash).__name__}: {crash}). Nothing can be said about this rule."
        return [Finding(rule, "check", Status.ERROR, text, "Report this as a fault of the program.")]
    if not found:
        text = f"The check {rule.check!r} gave no answer. Nothing can be said about this rule."
        return [Finding(rule, "check", Status.ERROR, text, "Report this as a fault of the program.")]
    return _told_apart(found)


def _told_apart(findings: Sequence[Finding]) -> list[Finding]:
    """Findings of one rule with subjects that differ: applicants name two outfalls alike."""
    seen: Counter[str] = Counter()
    apart = []
    for item in findings:
        seen[item.subject] += 1
        again = seen[item.subject] > 1
        apart.append(replace(item, subject=f"{item.subject} ({seen[item.subject]})") if again else item)
    return apart


def _closed_gates(rules: Sequence[Rule], judged: Mapping[str, Sequence[Finding]]) -> list[tuple[str, str, str]]:
    """Each closed gate: its name, the beginning of the sections that it holds, and why it is closed."""
    gates: dict[str, list[Rule]] = {}
    for rule in rules:
        if rule.options.get("gate"):
            gates.setdefault(str(rule.options["gate"]), []).append(rule)
    closed = []
    for gate, members in gates.items():
        found = [item for rule in members for item in judged[rule.id]]
        if all(item.decided is Status.NOT_APPLICABLE is item.status or _undecided(item) for item in found):
            section = members[0].section if gate == "content" else ""
            closed.append((gate, section, " ".join(item.message for item in found if item.counted)))
    return closed


def _undecided(item: Finding) -> bool:
    """Whether a finding only asks a person, and nobody has answered."""
    return not item.counted and item.override is None
