"""The published matrix as Markdown: what each ordinance asks, who decides it, and what asks nothing of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from siteplan_gis.ordinances.matrix import matrix_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.ordinance import Ordinance, Passage

_DECIDED: Final = {
    "automatic": "the program",
    "judgement": "a reviewer, from the program's evidence",
    "declared": "a reviewer, from the applicant's declaration",
    "not_checked": "a reviewer alone",
}
_LEGEND: Final = (
    "`(inferred)`: the text as supplied lost the number, which was told from its place. `[...]`: words left out. Where the "
    "program decides, it still leaves to a reviewer what lies within its doubt, rests on an assumption, or is no duty by the "
    "text; what it lacks an input for is not checked. A name in `code` is the check, followed by its limits."
)


def matrix_markdown(ordinances: Sequence[Ordinance]) -> str:
    """Every rule and every other passage of the given ordinances, with how it is checked or why it is not."""
    return "\n".join("\n".join(_ordinance(ordinance)) for ordinance in ordinances)


def _ordinance(ordinance: Ordinance) -> list[str]:
    quotes = {rule.id: rule.quote for rule in ordinance.rules}
    lines = [f"# {_cell(ordinance.title)}", "", f"Source: {_cell(ordinance.source)}.", "", _LEGEND, ""]
    lines += ["| rule | section | the words | decided by | how, or why not |", "|---|---|---|---|---|"]
    for row in matrix_rows(ordinance):
        how = [f"`{row['check']}`"] if row["check"] else []
        how += [row["limit"]] if row["limit"] else []
        how += [row["why_not"]] if row["why_not"] else []
        words = quotes[row["id"]] or "(missing from the text as supplied)"
        cells = (row["id"], row["section"], f"**{row['title']}** {words}", _DECIDED[row["mode"]], "; ".join(how))
        lines.append(_line(cells))
    lines += ["", "## Passages that ask nothing of a plan by themselves", ""]
    lines += ["| words | kind | why | rules |", "|---|---|---|---|"]
    lines += [_line((_span(one), one.kind, one.why, ", ".join(one.rules))) for one in ordinance.passages]
    if ordinance.missing_text:
        lines += ["", "## Missing from the text as supplied", ""]
        lines += [f"- {_cell(part)}" for part in ordinance.missing_text]
    return [*lines, ""]


def _span(passage: Passage) -> str:
    return passage.begins if passage.begins == passage.ends else f"{passage.begins} ... {passage.ends}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(words: str) -> str:
    return " ".join(words.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
