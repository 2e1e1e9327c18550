"""The letter as a Word document and as Markdown."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.errors import InputError
from siteplan_gis.report.wording import humanised

if TYPE_CHECKING:
    from pathlib import Path

    from siteplan_gis.report.letter import Letter, Reason

_COLUMNS: Final = ("No.", "Requirement and finding", "What to change", "Response")
_CHANGE_COLUMNS: Final = ("Since then", "Requirement", "Finding")
_LONGEST_PROPERTY: Final = 255
_BESIDES: Final = "Besides, the following is wanted:"
_WIDTHS_IN: Final = (0.5, 2.6, 1.5, 1.4)
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|~$&])")
_BEGINS_A_LIST: Final = re.compile(r"^([#+=-]|\d+(?=[.)]))")


def write_docx(letter: Letter, path: Path, template: Path | None = None) -> None:
    """Write a letter as a Word document, in the styles and with the letterhead of a template where one is given.

    Raises
    ------
    InputError
        If the template is no Word document.
    """
    import docx  # noqa: PLC0415

    try:
        document = docx.Document(str(template) if template is not None else None)
    except Exception as error:  # noqa: BLE001 - the library raises what its parts raise
        name = template.name if template is not None else "template"
        raise InputError(f"is no Word document ({type(error).__name__})", file=name, remedy="give a .docx") from None
    # The same review gives the same bytes.
    properties = document.core_properties
    day = datetime.fromisoformat(letter.date).replace(tzinfo=UTC)
    properties.author, properties.title = letter.sender[:_LONGEST_PROPERTY], letter.subject[:_LONGEST_PROPERTY]
    properties.created = properties.modified = day
    if letter.draft:
        document.add_paragraph("DRAFT").runs[0].bold = True
    document.add_paragraph(letter.sender + "\n" + letter.address)
    document.add_paragraph(letter.date)
    document.add_paragraph(letter.subject).runs[0].bold = True
    document.add_paragraph(letter.salutation)
    document.add_paragraph(letter.opening)
    _table(document, letter.reasons)
    if letter.reasons and letter.questions:
        document.add_paragraph(_BESIDES)
    _table(document, letter.questions)
    _changes_table(document, letter)
    if letter.closing:
        document.add_paragraph(letter.closing)
    document.add_paragraph(letter.sender)
    _listed(document, "Enclosures", letter.enclosures)
    document.add_paragraph(letter.disclaimer).runs[0].italic = True
    _listed(document, "For the village only; remove before sending", (*letter.clock, *letter.notes))
    written = io.BytesIO()
    document.save(written)
    _pack(written, path)


def _table(document: Any, reasons: tuple[Reason, ...]) -> None:
    from docx.shared import Inches  # noqa: PLC0415

    if not reasons:
        return
    table = document.add_table(rows=1, cols=len(_COLUMNS))
    if "Table Grid" in [style.name for style in document.styles]:
        table.style = "Table Grid"
    table.autofit = False
    for cell, words in zip(table.rows[0].cells, _COLUMNS, strict=True):
        cell.paragraphs[0].add_run(words).bold = True
    _repeat_heading(table.rows[0])
    for reason in reasons:
        _fill(table.add_row().cells, reason)
    for column, width in zip(table.columns, _WIDTHS_IN, strict=True):
        column.width = Inches(width)
        for cell in column.cells:
            cell.width = Inches(width)
    document.add_paragraph()


def _changes_table(document: Any, letter: Letter) -> None:
    if not letter.since:
        return
    document.add_paragraph(_since(letter)).runs[0].bold = True
    if not letter.changes:
        return
    table = document.add_table(rows=1, cols=len(_CHANGE_COLUMNS))
    if "Table Grid" in [style.name for style in document.styles]:
        table.style = "Table Grid"
    for cell, words in zip(table.rows[0].cells, _CHANGE_COLUMNS, strict=True):
        cell.paragraphs[0].add_run(words).bold = True
    _repeat_heading(table.rows[0])
    for change in letter.changes:
        cells = table.add_row().cells
        cells[0].text, cells[1].text, cells[2].text = (
            change.state, f"{change.citation} {change.title}".strip(), change.told,
        )  # fmt: skip
    document.add_paragraph()


def _since(letter: Letter) -> str:
    counts = Counter(change.state for change in letter.changes)
    told = ", ".join(f"{count} {state.lower()}" for state, count in counts.items())
    return f"Since the review of {letter.since}: {told or 'nothing changed'}"


def _pack(written: io.BytesIO, path: Path) -> None:
    """Pack the parts again without the time of day, so that the same letter is the same file."""
    with zipfile.ZipFile(written) as parts, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in parts.namelist():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, parts.read(name))


def _repeat_heading(row: Any) -> None:
    from docx.oxml import OxmlElement  # noqa: PLC0415

    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))  # noqa: SLF001


def _fill(cells: Any, reason: Reason) -> None:
    cells[0].text = str(reason.number)
    first = cells[1].paragraphs[0]
    first.add_run(f"{reason.citation} {reason.title}".strip()).bold = True
    if reason.quote:
        cells[1].add_paragraph().add_run(f"\u201c{reason.quote}\u201d").italic = True
    for told in (*reason.found, *(f"Confirmed by {who}" for who in reason.confirmed)):
        cells[1].add_paragraph(told)
    cells[2].text = "\n".join(reason.change)


def _listed(document: Any, title: str, items: tuple[str, ...]) -> None:
    if not items:
        return
    document.add_paragraph(title).runs[0].bold = True
    for item in items:
        document.add_paragraph(f"\u2022 {item}")


def letter_markdown(letter: Letter) -> str:
    """A letter as Markdown; what a file brought is escaped, so that it stays text."""
    lines = ["**DRAFT**", ""] if letter.draft else []
    lines += [
        _plain(letter.sender) + "\\",
        _plain(letter.address),
        "",
        letter.date,
        "",
        f"**{_plain(letter.subject)}**",
        "",
    ]
    lines += [_plain(letter.salutation), "", _plain(letter.opening), ""]
    lines += _rows(letter.reasons)
    lines += [_BESIDES, ""] if letter.reasons and letter.questions else []
    lines += _rows(letter.questions)
    if letter.since:
        lines += [f"**{_plain(_since(letter))}**", ""]
    if letter.changes:
        lines += ["| " + " | ".join(_CHANGE_COLUMNS) + " |", "|---|---|---|"]
        lines += [
            f"| {each.state} | {_plain(f'{each.citation} {each.title}'.strip())} | {_plain(each.told)} |"
            for each in letter.changes
        ]
        lines += [""]
    lines += [_plain(letter.closing), ""] if letter.closing else []
    lines += [_plain(letter.sender), "", "**Enclosures**", ""] + [f"- {_plain(item)}" for item in letter.enclosures]
    lines += ["", f"*{_plain(letter.disclaimer)}*", ""]
    private = (*letter.clock, *letter.notes)
    if private:
        lines += (
            ["**For the village only; remove before sending**", ""] + [f"- {_plain(item)}" for item in private] + [""]
        )
    return "\n".join(lines)


def _rows(reasons: tuple[Reason, ...]) -> list[str]:
    if not reasons:
        return []
    return ["| " + " | ".join(_COLUMNS) + " |", "|---|---|---|---|", *map(_row, reasons), ""]


def _row(reason: Reason) -> str:
    words = [f"**{_plain(f'{reason.citation} {reason.title}'.strip())}**"]
    words += [f"*\u201c{_plain(reason.quote)}\u201d*"] if reason.quote else []
    words += [_plain(told) for told in (*reason.found, *(f"Confirmed by {who}" for who in reason.confirmed))]
    change = "<br>".join(_plain(item) for item in reason.change)
    return f"| {reason.number} | {'<br>'.join(words)} | {change} | |"


def _plain(words: str) -> str:
    return _BEGINS_A_LIST.sub(r"\\\1", _SPECIAL.sub(r"\\\1", " ".join(words.split())))


def outcome_words(letter: Letter) -> str:
    """The decision in a word or two."""
    return humanised(letter.outcome) + " (draft)" * letter.draft
