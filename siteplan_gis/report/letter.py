"""The letter to the applicant, as plain parts that every format writes: decision, numbered reasons, clock, enclosures.

With the reviewer's decisions at hand, only what a reviewer confirmed is asserted. Without them the letter is a draft
of what the program found, and says so.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.errors import InputError
from siteplan_gis.report.rounds import STATE_WORDS
from siteplan_gis.report.wording import STATUS_WORDS, citation
from siteplan_gis.toml_files import toml_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FOLDER: Final = Path(__file__).parent / "templates"
_OPEN: Final = ("error", "not_checked", "needs_review")
_LISTED: Final = 12
OUTCOMES: Final = ("approval", "disapproval", "more_information", "not_applicable", "undecided")


@dataclass(frozen=True, slots=True)
class Reason:
    """One numbered point: the ordinance's words, what was found, what to change."""

    number: int
    citation: str
    title: str
    quote: str
    found: tuple[str, ...]
    change: tuple[str, ...]
    confirmed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one point since the last round: `state` is "Resolved", "Still open", "New" or "Open again"."""

    state: str
    citation: str
    title: str
    told: str


@dataclass(frozen=True, slots=True)
class Letter:
    """Everything a letter holds, in its order.

    `reasons` are why it is disapproved, `questions` what is wanted besides; `clock` and `notes` are for the village,
    not for the applicant.
    """

    outcome: str
    draft: bool
    date: str
    sender: str
    address: str
    subject: str
    salutation: str
    opening: str
    reasons: tuple[Reason, ...]
    questions: tuple[Reason, ...]
    closing: str
    clock: tuple[str, ...]
    enclosures: tuple[str, ...]
    disclaimer: str
    notes: tuple[str, ...]
    since: str = ""
    changes: tuple[Change, ...] = ()


def letter_of(
    record: Mapping[str, Any], on: date, words: Path | None = None, rounds: Mapping[str, Any] | None = None
) -> Letter:
    """The letter that a review asks for, dated `on`.

    `rounds` is what `compare_reviews` tells of the last review and this one, for a section on what changed.

    Raises
    ------
    InputError
        If the village's own words cannot be read.
    """
    told = _words(words)
    confirmed = record["decisions_from"] is not None
    findings = [row for row in record["findings"] if not confirmed or row["override"]]
    findings += [_decided_line(line) for line in record["not_checked"] if line["override"]]
    failing = [row for row in findings if _status(row) == "fail"]
    wanted = [row for row in findings if _status(row) in _OPEN and _asked(row)]
    undecided = [
        row
        for row in record["findings"]
        if confirmed and not row["override"] and row["status"] in ("fail", *_OPEN) and _asked(row)
    ]
    own = [
        row for row in record["findings"] if _status(row) in _OPEN and row["severity"] == "inform" and not _asked(row)
    ]
    own = [row for row in own if row["check"] != "review_clock"]
    outcome = _outcome(record, failing, wanted, [*undecided, *own])
    clocks = [row for row in record["findings"] if row["due"] is not None and row["status"] != "not_applicable"]
    fields = {
        "municipality": record["ordinance"]["municipality"],
        "administrator": record["ordinance"]["administrator"],
        "ordinance": record["ordinance"]["title"],
        "plan": record["plan"]["name"] or "unnamed plan",
        "applicant": record["plan"]["applicant"] or "the applicant",
        "submitted": record["plan"]["submitted"] or "a date not told",
        "date": on.isoformat(),
        "due": min((row["due"] for row in clocks), default="no date on record"),
        "count": str(len(failing) + len(wanted)),
    }

    def filled(text: str) -> str:
        return Template(text).safe_substitute(fields)

    reasons = tuple(_reasons(failing, 1))
    return Letter(
        outcome=outcome,
        draft=not confirmed or outcome == "undecided",
        date=on.isoformat(),
        sender=filled(told["sender"]),
        address=filled(told["address"]),
        subject=filled(told["subject"]),
        salutation=filled(told["salutation"]),
        opening=filled(told["opening"][outcome]),
        reasons=reasons,
        questions=tuple(_reasons(wanted, 1 + len(reasons))),
        closing=filled(told["closing"][outcome]),
        clock=tuple(_clock(row, on) for row in clocks),
        enclosures=tuple(_enclosures(record)),
        disclaimer=_disclaimer(record),
        notes=tuple(_notes(record, undecided, own, on, confirmed=confirmed)),
        since="" if rounds is None else rounds["old"]["on"],
        changes=() if rounds is None else tuple(_changes(rounds, findings)),
    )


def _changes(rounds: Mapping[str, Any], findings: Iterable[Mapping[str, Any]]) -> Iterable[Change]:
    """What was resolved, and what is open of that which the letter may tell."""
    told = {row["id"] for row in findings}
    for row in rounds["findings"]:
        if row["state"] == "settled" or (row["state"] != "resolved" and row["id"] not in told):
            continue
        cited = citation(row["section"], inferred=row["section_inferred"])
        yield Change(STATE_WORDS[row["state"]], cited, row["title"], row["new_message"] or row["old_message"])


def _decided_line(line: Mapping[str, Any]) -> dict[str, Any]:
    """A line of the reviewer's checklist that the reviewer decided, as a finding."""
    inferred = line.get("section_inferred", False)
    return {
        **line, "status": "needs_review", "severity": "inform", "check": "", "section_inferred": inferred,
        "message": line["why"], "remedy": "",
    }  # fmt: skip


def _asked(row: Mapping[str, Any]) -> bool:
    """Whether an open finding is a question to the applicant: not what only the village's side can answer."""
    return row["check"] != "review_clock" and (row["severity"] != "inform" or bool(row["override"]))


def _status(row: Mapping[str, Any]) -> str:
    return str(row["override"]["status"] if row["override"] else row["status"])


def _outcome(record: Mapping[str, Any], failing: list[Any], wanted: list[Any], undecided: list[Any]) -> str:
    """What the letter tells: no approval, and no "does not apply", while anything is open, whoever has to answer it."""
    if failing:
        return "disapproval"
    if undecided:
        return "undecided"
    if wanted or record["faults"] or not record["findings"]:
        return "more_information" if wanted else "undecided"
    statuses = {_status(row) for row in record["findings"]}
    return "not_applicable" if statuses == {"not_applicable"} else "approval"


def _reasons(rows: Iterable[Mapping[str, Any]], first_number: int) -> Iterable[Reason]:
    """One reason a rule, in the order given, with everything found about it."""
    by_rule: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_rule.setdefault(row["rule"], []).append(row)
    for number, group in enumerate(by_rule.values(), first_number):
        first = group[0]
        found = [str(row["message"]) for row in group]
        left = len(found) - _LISTED
        listed = (*found[:_LISTED], f"and {left} more, listed in the enclosed review") if left > 0 else tuple(found)
        yield Reason(
            number,
            citation(first["section"], inferred=first["section_inferred"]),
            first["title"],
            first["quote"],
            listed,
            tuple(dict.fromkeys(row["remedy"] for row in group if row["remedy"])),
            tuple(
                dict.fromkeys(f"{row['override']['who']}: {row['override']['why']}" for row in group if row["override"])
            ),
        )


def _clock(row: Mapping[str, Any], on: date) -> str:
    due = date.fromisoformat(row["due"])
    days = (due - on).days
    when = f"{days} days from the date of this letter" if days > 0 else "today" if days == 0 else f"{-days} days ago"
    return f"{citation(row['section'], inferred=row['section_inferred'])}: decide by {row['due']} ({when}). {row['message']}"


def _enclosures(record: Mapping[str, Any]) -> Iterable[str]:
    yield "Review of the plan with its map (review.html)"
    for file in record["plan"]["files"]:
        yield f"Reviewed: {file['file'] or file['title']}" + (
            f", SHA-256 {file['sha256'][:16]}" if file["sha256"] else ""
        )


def _disclaimer(record: Mapping[str, Any]) -> str:
    invented = "The data show invented ground: this letter is a demonstration. " if record["plan"]["invented"] else ""
    return (
        f"{invented}Maps of waters, wetlands and floodplain are never proof that there is none on the ground; an approval of this "
        "plan is no determination of wetlands and replaces no other permit."
    )


def _notes(
    record: Mapping[str, Any], undecided: list[Any], own: list[Any], on: date, *, confirmed: bool
) -> Iterable[str]:
    if not confirmed:
        yield "Draft: no reviewer has confirmed these findings yet. Record decisions in a file, review again with --overrides FILE, and make the letter again."
    for row in undecided:
        yield f"Not confirmed, so not in the letter: {row['id']} ({STATUS_WORDS[row['status']]})"
    for row in own:
        yield f"For the village to settle before it decides: {row['id']} ({STATUS_WORDS[row['status']]}): {row['message']}"
    for flag in record["flags"]:
        if flag["code"] in {"override_stale", "override_unknown"}:
            yield flag["text"]
    late = [
        row
        for row in record["findings"]
        if row["due"] and row["status"] == "needs_review" and row["due"] < on.isoformat()
    ]
    for row in late:
        yield f"The time to decide has run out on {row['due']}: {row['message']}"


def _words(path: Path | None) -> dict[str, Any]:
    told: dict[str, Any] = tomllib.loads((_FOLDER / "letter.toml").read_text(encoding="utf-8"))
    if path is None:
        return told
    own, _ = toml_table(path)
    for key, value in own.items():
        if key not in told or type(value) is not type(told[key]):
            raise InputError(f"{key!r} is no part of a letter", file=path.name, remedy=f"use {', '.join(told)}")
        if not isinstance(value, dict):
            told[key] = value
            continue
        for outcome, text in value.items():
            if outcome not in OUTCOMES or not isinstance(text, str):
                raise InputError(
                    f"{key}.{outcome} is no part of a letter", file=path.name, remedy=f"use {', '.join(OUTCOMES)}"
                )
            told[key][outcome] = text
    return told
