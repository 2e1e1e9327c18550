"""What each ordinance asks, what of it is checked, and why the rest is not: the published matrix.

One row per rule, in the order of the ordinance's file. Nothing is left out: a rule that nobody checks has its row.
"""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.ordinances.quantities import suffix_of_subject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Limit, Ordinance, Rule

COLUMNS: Final = (
    "id",
    "title",
    "section",
    "severity",
    "mode",
    "source_status",
    "limit",
    "check",
    "why_not",
)

_WIDTH: Final = 120
_HEADINGS: Final = {
    "id": "rule",
    "section": "section",
    "mode": "decided by",
    "severity": "severity",
    "source_status": "text",
}
_COUNTED: Final = frozenset({"acre", "mile", "hour", "day", "week", "month", "year", "micron", "dollar"})
_DECIDED_BY: Final = {
    "automatic": "the program",
    "judgement": "a reviewer, from the program's evidence",
    "declared": "a reviewer, from the applicant's declaration",
    "not_checked": "nobody yet",
}
_OPERATOR_WORDS: Final = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than", "==": "exactly"}
_SHORT: Final = {
    "automatic": "program",
    "judgement": "reviewer",
    "declared": "declaration",
    "not_checked": "NOT CHECKED",
}


def matrix_rows(ordinance: Ordinance) -> list[dict[str, str]]:
    """One plain record per rule, with the keys of `COLUMNS`, in the order of the ordinance's file.

    An inferred section number ends in " (inferred)".

    Examples
    --------
    >>> from siteplan_gis.ordinances.reader import read_ordinance
    >>> rows = {row["id"]: row for row in matrix_rows(read_ordinance("fairwater"))}
    >>> rows["FAI-APP-3"]["limit"]
    'plat: site more than 5 acres; lot: lot at least 5 acres'
    """
    return [_row(rule) for rule in ordinance.rules]


def matrix_text(ordinances: Sequence[Ordinance], width: int = _WIDTH) -> str:
    """The matrix of one or several ordinances as plain text, no line longer than `width` characters.

    Each ordinance has its counts, one line per rule with the title, limits and reason below it, and at the end the
    parts that its supplied text lacks.
    """
    return "\n\n".join(_text(ordinance, width) for ordinance in ordinances) + "\n"


def matrix_json(ordinances: Sequence[Ordinance]) -> str:
    """The matrix as JSON: a list of ordinances, each with its rules in full (words, notes, limits as numbers)."""
    return json.dumps([_record(ordinance) for ordinance in ordinances], indent=2, ensure_ascii=False) + "\n"


def _record(ordinance: Ordinance) -> dict[str, Any]:
    return {
        "id": ordinance.id,
        "title": ordinance.title,
        "administrator": ordinance.administrator,
        "extraterritorial": ordinance.extraterritorial,
        "source": ordinance.source,
        "amended": list(ordinance.amended),
        "missing_text": list(ordinance.missing_text),
        "rules": [
            {
                **_row(rule),
                "section": rule.section,
                "section_inferred": rule.section_inferred,
                "since": rule.since.isoformat() if rule.since else None,
                "quote": rule.quote,
                "note": rule.note,
                "limits": {
                    name: {
                        "subject": limit.subject,
                        "operator": limit.operator,
                        "value": limit.value,
                        "unit": limit.unit,
                    }
                    for name, limit in rule.limits.items()
                },
                "options": {
                    name: list(value) if isinstance(value, tuple) else value for name, value in rule.options.items()
                },
            }
            for rule in ordinance.rules
        ],
        "passages": [
            {
                "begins": one.begins,
                "ends": one.ends,
                "kind": one.kind,
                "why": one.why,
                "rules": list(one.rules),
            }
            for one in ordinance.passages
        ],
    }


def _row(rule: Rule) -> dict[str, str]:
    return {
        "id": rule.id,
        "title": rule.title,
        "section": rule.section + " (inferred)" * rule.section_inferred,
        "severity": rule.severity,
        "mode": rule.mode,
        "source_status": rule.source_status,
        "limit": "; ".join(
            f"{name.replace('_', ' ')}: " * (len(rule.limits) > 1) + limit_text(limit)
            for name, limit in rule.limits.items()
        ),
        "check": rule.check,
        "why_not": rule.why_not,
    }


def limit_text(limit: Limit) -> str:
    """A limit in words, with the number and unit as the ordinance writes them.

    Examples
    --------
    >>> from siteplan_gis.model.ordinance import Limit
    >>> limit_text(Limit("airport_ft", "<=", 10000.0, "ft"))
    'airport at most 10,000 ft'
    """
    subject = limit.subject.removesuffix(suffix_of_subject(limit.subject)).replace("_", " ")
    unit = limit.unit + "s" * (limit.value != 1 and limit.unit.split()[-1] in _COUNTED)
    words = (subject, _OPERATOR_WORDS[limit.operator], f"{limit.value:,.12g}", "" if limit.unit == "count" else unit)
    return " ".join(word for word in words if word)


def _text(ordinance: Ordinance, width: int) -> str:
    rows = matrix_rows(ordinance)
    counts = {mode: sum(row["mode"] == mode for row in rows) for mode in _DECIDED_BY}
    missing = sum(row["source_status"] != "text" for row in rows)
    cells = [
        {
            **{key: row[key] for key in _HEADINGS},
            "mode": _SHORT[row["mode"]],
            "severity": row["severity"].replace("_", " "),
        }
        for row in rows
    ]
    wide = {key: max(len(heading), *(len(cell[key]) for cell in cells)) for key, heading in _HEADINGS.items()}
    lines = [ordinance.title, "=" * min(len(ordinance.title), width)]
    lines += _wrapped(f"Source: {ordinance.source}. Amended: {'; '.join(ordinance.amended)}.", width)
    lines += _wrapped(
        f"{len(rows)} rule{'s' * (len(rows) != 1)}: "
        + ", ".join(f"{count} decided by {_DECIDED_BY[mode]}" for mode, count in counts.items() if count)
        + f". The words of {missing} are missing or assumed.",
        width,
    )
    lines += ["", _line(_HEADINGS, wide), _line({key: "-" * size for key, size in wide.items()}, wide)]
    for row, cell in zip(rows, cells, strict=True):
        lines.append(_line(cell, wide))
        lines += _below(row["title"], width)
        lines += _below(f"limit: {row['limit']}" if row["limit"] else "", width)
        label = "not checked" if row["mode"] == "not_checked" else "the program does not read it"
        lines += _below(f"{label}: {row['why_not']}" if row["why_not"] else "", width)
    if ordinance.missing_text:
        lines += ["", "Missing from the text as supplied:"]
        for part in ordinance.missing_text:
            lines += _wrapped(part, width, "- ", "  ")
    return "\n".join(lines)


def _line(cell: dict[str, str], wide: dict[str, int]) -> str:
    return "  ".join(f"{cell[key]:{size}}" for key, size in wide.items()).rstrip()


def _below(text: str, width: int) -> list[str]:
    return _wrapped(text, width, "    ", "      ")


def _wrapped(text: str, width: int, first: str = "", later: str = "") -> list[str]:
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)
