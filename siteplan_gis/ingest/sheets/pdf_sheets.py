"""Sheets out of a PDF: page sizes, viewports, scale bars and words. No text recognition: a picture stays a picture.

Nothing in a file is run, followed or opened: no scripts, no attachments, no links.
"""

from __future__ import annotations

import io
import logging
import math
import warnings
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import pypdf
import pypdfium2 as pdfium

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.sheets.pdf_drawn import (
    PageFrame,
    count_contents,
    read_letters,
    read_points,
    read_stroked_words,
    text_objects,
)
from siteplan_gis.ingest.sheets.pdf_ink import inked
from siteplan_gis.ingest.sheets.pdf_places import viewport_scales
from siteplan_gis.measures.sheets.lettering import on_page, set_lines
from siteplan_gis.measures.sheets.scale_bar import bar_labels, measured_bar
from siteplan_gis.measures.sheets.sheet_notes import SheetWords, caption_of, read_words
from siteplan_gis.model.sheet import ScaleEvidence, Sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from siteplan_gis.ingest.sheets.pdf_drawn import Box
    from siteplan_gis.measures.sheets.lettering import Glyph, Line
    from siteplan_gis.measures.sheets.scale_bar import BarLabels

_MOST_PAGES: Final = 400
_LARGEST_BYTES: Final = 500 << 20
_LARGEST_PAGE_IN: Final = 400.0
_LONGEST_LETTER_IN: Final = 14.1
_MOST_BARS: Final = 12
_BAR_REACH_IN: Final = 1.2
_DAMAGED: Final = "open it, and print it to a new PDF"


def read_pdf(path: Path, label: str) -> list[Sheet]:
    """The sheets of a PDF: its pages, but for letter-size pages on which nothing tells a scale.

    Raises
    ------
    InputError
        If it is no PDF, is damaged, has no page, or asks for a password.
    """
    content = _content(path, label)
    document = _opened(content, label)
    try:
        pages = _dictionaries(document, content)
        count = len(document)
        if count < 1:
            raise InputError("has no page", file=label, remedy=_DAMAGED)
        told = _about_the_file(document, count)
        single = count == 1
        stem = PurePath(label).stem
        sheets = []
        for index in range(min(count, _MOST_PAGES)):
            name = stem if single else f"{stem} page {index + 1}"
            page = pages[index] if index < len(pages) else None
            sheets.append(_sheet(document, index, page, name, label, told if index == 0 else ()))
        drawings = [sheet for sheet in sheets if _is_drawing(sheet)]
        return drawings or sheets[:1]
    finally:
        document.close()


def _content(path: Path, label: str) -> bytes:
    if path.stat().st_size > _LARGEST_BYTES:
        raise InputError("is larger than any plan sheet", file=label, remedy="give the sheets one by one")
    content = path.read_bytes()
    if b"%PDF-" not in content[:4096]:
        raise InputError("is no PDF, whatever its name says", file=label, remedy="export it again")
    return content


def _opened(content: bytes, label: str) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            problem, remedy = "is encrypted and asks for a password", "save it without one"
            raise InputError(problem, file=label, remedy=remedy) from None
        reason = str(error).partition("PDFium:")[2].strip(" .)").replace("Success", "") or "no reason given"
        raise InputError(f"cannot be opened ({reason})", file=label, remedy=_DAMAGED) from None


def _dictionaries(document: pdfium.PdfDocument, content: bytes) -> Sequence[Mapping[str, Any]]:
    """The pages' dictionaries; none where a damaged file lets no page be found by them."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if b"/Encrypt" in content:
                # Without a password, so that it may be read: by PDFium, which can undo it.
                plain = io.BytesIO()
                document.save(plain, flags=pdfium.raw.FPDF_REMOVE_SECURITY)
                content = plain.getvalue()
            return list(pypdf.PdfReader(io.BytesIO(content)).pages)[:_MOST_PAGES]
        except (MemoryError, KeyboardInterrupt):
            raise
        except Exception:  # noqa: BLE001  (it raises of every kind on damaged files; what is drawn can still be read)
            return []


def _about_the_file(document: pdfium.PdfDocument, count: int) -> tuple[str, ...]:
    told = []
    attachments = pdfium.raw.FPDFDoc_GetAttachmentCount(document.raw)
    if attachments > 0:
        told.append(f"the file holds {attachments} attachments, which were not opened")
    if count > _MOST_PAGES:
        told.append(f"only the first {_MOST_PAGES} of {count} pages were read")
    return tuple(told)


def _sheet(
    document: pdfium.PdfDocument,
    index: int,
    dictionary: Mapping[str, Any] | None,
    name: str,
    label: str,
    told: Sequence[str],
) -> Sheet:
    where = f"page {index + 1}"
    notes = list(told)
    try:
        page = document[index]
    except pdfium.PdfiumError:
        return Sheet(name, file=label, page=index + 1, notes=(*notes, f"{where} is damaged and was not read"))
    text_page = page.get_textpage()
    try:
        frame, strange = _frame(page, dictionary)
        notes += strange
        letters = read_letters(text_page.raw, frame)
        shown, unseen = _parted(page, frame, letters.glyphs)
        notes += _told_unseen(set_lines(unseen), where, frame)
        lines = [*set_lines(shown), *read_stroked_words(page.raw, frame)]
        words = read_words(lines, where, frame.size_in)
        evidence = list(words.scales)
        if dictionary is None:
            notes.append(f"the dictionary of {where} is damaged: viewports were not looked for")
        else:
            placed, problems = _viewports(dictionary, frame, where)
            evidence += placed
            notes += problems
        bars, without = _bars(page, frame, lines, where)
        evidence += bars
        notes += [*without, *words.notes, *_unread(page, letters.invisible, letters.left_out, lines)]
    finally:
        text_page.close()
        page.close()
    return _put_together(name, label, index + 1, frame, words, evidence, notes)


def _parted(page: pdfium.PdfPage, frame: PageFrame, glyphs: Sequence[Glyph]) -> tuple[list[Glyph], list[Glyph]]:
    """The letters that the printed page shows, with the blanks between them, and those that it does not."""
    seen = inked(page.raw, text_objects(page.raw), frame.size_in, glyphs)
    shown = [one for one, ink in zip(glyphs, seen, strict=True) if ink or one.character.isspace()]
    return shown, [one for one, ink in zip(glyphs, seen, strict=True) if not ink]


def _told_unseen(lines: Sequence[Line], where: str, frame: PageFrame) -> list[str]:
    """Letters cut off by a frame are common; that they tell a scale or an interval is not."""
    words = read_words(lines, where, frame.size_in)
    if not (words.scales or words.contour_interval_ft or bar_labels(lines)):
        return []
    return [f"{where} holds words of scale or interval that its print does not show (white, covered, cut off or tiny): they were not used"]  # fmt: skip


def _put_together(
    name: str,
    label: str,
    number: int,
    frame: PageFrame,
    words: SheetWords,
    evidence: Sequence[ScaleEvidence],
    notes: Sequence[str],
) -> Sheet:
    width, height = frame.size_in
    return Sheet(
        name,
        shows=words.shows,
        contour_interval_ft=words.contour_interval_ft,
        paper=words.paper,
        number=words.number,
        title=words.title,
        file=label,
        page=number,
        width_in=width,
        height_in=height,
        half_size=words.half_size,
        north_arrow=words.north_arrow,
        evidence=tuple(evidence),
        notes=tuple(dict.fromkeys(notes)),
    )


def _frame(page: pdfium.PdfPage, dictionary: Mapping[str, Any] | None) -> tuple[PageFrame, list[str]]:
    """The page's printed part: the crop box within the media box, as Acrobat prints it."""
    left, bottom, right, top = page.get_mediabox()
    crop = page.get_cropbox()
    inner = max(left, crop[0]), max(bottom, crop[1]), min(right, crop[2]), min(top, crop[3])
    if inner[0] < inner[2] and inner[1] < inner[3]:
        left, bottom, right, top = inner
    unit, notes = 1.0, []
    try:
        unit = float(dictionary.get("/UserUnit", 1.0)) if dictionary is not None else 1.0
    except (TypeError, ValueError, OverflowError):
        unit = math.nan
    if not (math.isfinite(unit) and unit > 0):
        unit = 1.0
        notes.append("its /UserUnit is no number above zero: points were taken")
    frame = PageFrame(left, bottom, right - left, top - bottom, page.get_rotation() // 90 % 4, unit)
    if max(frame.size_in) > _LARGEST_PAGE_IN:
        notes.append(f"the page is {frame.size_in[0]:,.0f} x {frame.size_in[1]:,.0f} in: larger than any paper")
    return frame, notes


def _viewports(dictionary: Mapping[str, Any], frame: PageFrame, where: str) -> tuple[list[ScaleEvidence], list[str]]:
    try:
        return viewport_scales(dictionary, frame, where)
    except (MemoryError, KeyboardInterrupt):
        raise
    except Exception:  # noqa: BLE001  (pypdf raises of every kind where a reference is broken)
        return [], [f"the viewports of {where} are damaged and were not read"]


def _bars(
    page: pdfium.PdfPage, frame: PageFrame, lines: Sequence[Line], where: str
) -> tuple[list[ScaleEvidence], list[str]]:
    rows = bar_labels(lines)[:_MOST_BARS]
    if not rows:
        return [], []
    points = read_points(page.raw, frame, [_around(row) for row in rows])
    evidence, notes = [], []
    for row in rows:
        bar = measured_bar(row, points)
        if bar is None:
            numbers = " ".join(word.text for word in row.words)
            notes.append(f"{where} has a row of numbers like a scale bar ({numbers}), but no ticks stand at them")
            continue
        subject = caption_of((bar.x, bar.y), row.size, lines)
        place = f"{where}, scale bar {bar.words}"
        evidence.append(ScaleEvidence("bar", bar.feet_per_inch, bar.plus_minus, place, subject))
    return evidence, notes


def _around(row: BarLabels) -> Box:
    corners = [
        on_page(along, across, row.angle)
        for along in (row.words[0].along - _BAR_REACH_IN, row.words[-1].end + _BAR_REACH_IN)
        for across in (row.across - _BAR_REACH_IN, row.across + _BAR_REACH_IN)
    ]
    xs, ys = zip(*corners, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _unread(page: pdfium.PdfPage, invisible: int, left_out: int, lines: Sequence[Line]) -> list[str]:
    """What stands on the page but could not be read as words."""
    notes = []
    if invisible:
        notes.append("hidden text, as text recognition leaves it behind a picture, was not used")
    if left_out:
        notes.append(f"{left_out:,} letters were left unread: there are too many")
    if not lines:
        contents = count_contents(page.raw)
        if contents.pictures:
            notes.append("the sheet is a picture: its words were not read, for text in pictures is not recognised")
        elif contents.paths:
            notes.append("the sheet has no words: they may be drawn as lines, which are not recognised")
        else:
            notes.append("the page is empty")
    return notes


def _is_drawing(sheet: Sheet) -> bool:
    """Whether a page is a sheet rather than a page of a report."""
    large = max(sheet.width_in or 0.0, sheet.height_in or 0.0) > _LONGEST_LETTER_IN
    return large or sheet.width_in is None or any(item.feet_per_inch is not None for item in sheet.evidence)
