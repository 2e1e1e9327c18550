"""The review and the measurements in a few lines for a terminal.

Texts of applicants are never read as markup, and control characters have been taken out of the record.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Final, TextIO

from rich.console import Console
from rich.text import Text

from siteplan_gis.model.review import Status
from siteplan_gis.report.records import measurements_record, review_record
from siteplan_gis.report.wording import (
    STATUS_SIGNS,
    STATUS_WORDS,
    VERDICTS,
    citation,
    humanised,
    limit_words,
    quantity,
    quantity_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from siteplan_gis.model.measurement import Measurements
    from siteplan_gis.model.review import Review
    from siteplan_gis.model.site import Site

_STYLES: Final = {
    Status.ERROR: "bold magenta", Status.FAIL: "bold red", Status.NOT_CHECKED: "bold blue",
    Status.NEEDS_REVIEW: "bold yellow", Status.PASS: "green", Status.NOT_APPLICABLE: "dim",
}  # fmt: skip
_QUIET: Final = {Status.PASS, Status.NOT_APPLICABLE}
_MOST_LINES: Final = 40
_TURNS: Final = re.compile("[\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\n\t]+")
"""Marks that turn the reading direction or break a line: they could make a terminal show something else."""


def summary_text(review: Review, paths: Sequence[Path] = ()) -> str:
    """The verdict, every finding that is no pass, and where the files are, as plain text."""
    return "".join(line.plain + "\n" for line in _summary(review_record(review), paths))


def print_summary(review: Review, paths: Sequence[Path] = (), stream: TextIO | None = None) -> None:
    """Print `summary_text` in colour where the terminal has it."""
    _print(_summary(review_record(review), paths), stream)


def measurements_text(measured: Measurements, site: Site) -> str:
    """Every measurement with its doubt, and every warning, as plain text."""
    return "".join(line.plain + "\n" for line in _measurements(measurements_record(measured, site)))


def print_measurements(measured: Measurements, site: Site, stream: TextIO | None = None) -> None:
    """Print `measurements_text` in colour where the terminal has it."""
    _print(_measurements(measurements_record(measured, site)), stream)


def _summary(record: Mapping[str, Any], paths: Sequence[Path]) -> Iterator[Text]:
    status = record["status"]
    if record["plan"]["invented"]:
        yield Text("INVENTED GROUND: nothing here says anything about a real place.", "bold")
    yield Text.assemble(
        (f"{STATUS_SIGNS[status]} {STATUS_WORDS[status].upper()}", _STYLES[status]), "  ", (VERDICTS[status], "bold")
    )
    yield Text(
        _one_line(
            f"{record['plan']['name'] or 'Unnamed plan'}; {record['ordinance']['title']}, "
            f"{record['ordinance']['municipality']}; as of {record['on']}"
        )
    )
    if record["decisions_from"] is not None:
        decided = record["decided_status"]
        yield Text(
            _one_line(
                f"With the reviewer's decisions ({record['decisions_from']['file']}): "
                f"{STATUS_SIGNS[decided]} {STATUS_WORDS[decided]}"
            ),
            _STYLES[decided],
        )
    yield Text(", ".join(f"{count} {STATUS_WORDS[each]}" for each, count in record["counts"].items() if count))
    for step, what in record["faults"].items():
        yield Text(_one_line(f"! measuring {step} crashed: {what}"), _STYLES[Status.ERROR])
    told = [finding for finding in record["findings"] if finding["status"] not in _QUIET]
    if status == Status.NOT_APPLICABLE.value:
        # Only what decides that the ordinance does not apply is news; every other finding repeats it.
        told = [finding for finding in record["findings"] if finding["subject"] != "ordinance"]
    for finding in told[:_MOST_LINES]:
        yield from _finding(finding)
    if len(told) > _MOST_LINES:
        yield Text(f"... and {len(told) - _MOST_LINES} more in the files")
    if record["not_checked"]:
        yield Text(f"Left to the reviewer: {_count(record['not_checked'], 'requirement')} (see review.html)", "dim")
    if record["flags"]:
        yield Text(f"About the inputs: {_count(record['flags'], 'warning')} (see review.html)", "dim")
    alike: dict[str, list[Mapping[str, Any]]] = {}
    for flag in record["flags"]:
        alike.setdefault(flag["code"], []).append(flag)
    for first, *others in alike.values():
        yield Text(f"    {_flag(first)}" + f" (and {len(others)} more of this kind)" * bool(others), "dim")
    for path in paths:
        yield Text(f"  {_one_line(str(path))}")


def _finding(finding: Mapping[str, Any]) -> Iterator[Text]:
    status = finding["status"]
    cited = citation(finding["section"], inferred=finding["section_inferred"])
    yield Text.assemble(
        (f"{STATUS_SIGNS[status]} {STATUS_WORDS[status]}", _STYLES[status]),
        "  ",
        _one_line(f"{finding['title']} ({cited or finding['rule']}): {finding['message']}"),
    )
    if finding["override"]:
        decision = finding["override"]
        words = f"{STATUS_WORDS[decision['status']]}, {decision['who']}, {decision['when']}: {decision['why']}"
        yield Text("    " + _one_line(f"Reviewer's decision: {words}"))
    measured, limit = finding["measured"], finding["limit"]
    compared = ""
    if measured and limit and measured["value"] is not None:
        shown = quantity(measured["value"], measured["unit"], measured["plus_minus"], limit["value"])
        compared = f"{shown}; the limit is {limit_words(limit)}."
    if compared or finding["remedy"]:
        yield Text("    " + _one_line(f"{compared} {finding['remedy']}"), "dim")


def _measurements(record: Mapping[str, Any]) -> Iterator[Text]:
    if record["plan"]["invented"]:
        yield Text("INVENTED GROUND: nothing here says anything about a real place.", "bold")
    untold: dict[str, list[str]] = {}
    for name, entry in _entries(record["measurements"]):
        if entry["value"] is None:
            untold.setdefault(entry["reason"], []).append(name)
        else:
            yield _measured(name, entry)
    for discharge in record["measurements"]["discharges"]:
        yield Text(_one_line(_discharge(discharge)))
    for reason, names in untold.items():
        # One line for all that the same thing keeps from being told: a missing layer alone hides a handful.
        yield _measured(", ".join(names), {"value": None, "unit": "", "plus_minus": None, "reason": reason})
    for step, what in record["faults"].items():
        yield Text(_one_line(f"! measuring {step} crashed: {what}"), _STYLES[Status.ERROR])
    for flag in record["flags"]:
        yield Text(_flag(flag), "yellow")


def _entries(measurements: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every single measurement with its name in words, the indexed ones too."""
    for name, entry in measurements.items():
        if isinstance(entry, list) or not entry or name == "not_counted":
            continue
        if "reason" in entry:
            yield quantity_name(name), entry
        else:
            for index, each in entry.items():
                yield quantity_name(f"{name}[{index}]"), each


def _discharge(discharge: Mapping[str, Any]) -> str:
    """Where runoff goes: how far along its path and straight, and whether that is within a quarter mile."""
    within = discharge["within_quarter_mile"]
    none = "reaches no water that was given" if within is False else "where it goes cannot be told"
    told = f"Discharge {discharge['id']}: {discharge['receiving'] or none}"
    for name, where in (("flow_distance_ft", "along the flow"), ("straight_distance_ft", "straight")):
        if discharge[name] is not None:
            told += f", {quantity(discharge[name], 'ft')} {where}"
    why = discharge["explanation"] or humanised(discharge["ends_because"])
    answer = {True: "yes", False: "no", None: "cannot be told"}[within]
    return f"{told}; within a quarter mile: {answer} ({why.rstrip('.')})"


def _flag(flag: Mapping[str, Any]) -> str:
    where = " / ".join(part for part in (flag["layer"], flag["feature"]) if part)
    return _one_line(f"{flag['code']}: {flag['text']}" + f" [{where}]" * bool(where))


def _measured(name: str, entry: Mapping[str, Any]) -> Text:
    shown = quantity(entry["value"], entry["unit"], entry["plus_minus"])
    why = f"({entry['reason']})" if entry["reason"] else ""
    return Text.assemble(
        _one_line(name), ": ", (_one_line(shown or "cannot be told"), "bold"), why and " " + _one_line(why)
    )


def _count(things: Sequence[Any], name: str) -> str:
    return f"{len(things)} {name}{'s' * (len(things) != 1)}"


def _one_line(line: str) -> str:
    """A line without marks that a terminal would act on."""
    return " ".join(_TURNS.sub(" ", line).split())


def _print(lines: Iterator[Text], stream: TextIO | None) -> None:
    console = Console(file=stream or sys.stdout, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in lines:
        console.print(line)
