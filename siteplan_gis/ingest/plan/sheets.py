"""The sheets of a plan: read from PDF and pictures in the other process, and joined with what the manifest says."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.isolated import Limits, ask
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.plan import PlanLayer
from siteplan_gis.model.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.ingest.plan.submittal import PlanFile
    from siteplan_gis.ingest.records.manifest import Manifest

SHORTEST_LIMIT_S: Final = 8.0
_SECONDS_PER_MB: Final = 6.0
_LONGEST_LIMIT_S: Final = 300.0
"""A small file that is not read in a few seconds is made to hang the program; a large set of sheets has its time."""

_MEMORY: Final = 1 << 30
_SMALLEST_PICTURE_IN: Final = 7.5


def read_sheets(file: PlanFile, crs: str, flags: list[Flag], *, alone: bool) -> list[Sheet]:
    """The sheets of one file; a file that cannot be read is told, and is itself a sheet of which nothing is known.

    Parameters
    ----------
    crs
        Coordinate system of a picture that names none.
    alone
        Whether the file is all that was submitted: then what is wrong with it is raised.

    Raises
    ------
    InputError
        If it is alone and cannot be read.
    """
    reader = "sheets.pdf_sheets.read_pdf" if file.path.suffix.lower() == ".pdf" else "sheets.raster_sheets.read_picture"
    more = [crs] if crs and not reader.endswith("pdf") else []
    seconds = min(SHORTEST_LIMIT_S + _SECONDS_PER_MB * file.path.stat().st_size / 1e6, _LONGEST_LIMIT_S)
    try:
        sheets: list[Sheet] = ask(reader, file.path, file.label, Limits(seconds, _MEMORY), *more)
    except InputError as error:
        if alone:
            raise
        flags.append(Flag("sheet_unreadable", str(error), file.label))
        return [Sheet(_stem(file.label), file=file.label, notes=(f"the file cannot be read: {error.problem}",))]
    if alone or not _is_mere_picture(file, sheets):
        return sheets
    text = f"{file.label} is a picture that is neither placed on the earth nor of the size of a sheet"
    flags.append(Flag("file_ignored", text, file.label))
    return []


def joined_sheets(manifest: Manifest, found: Sequence[Sheet]) -> tuple[Sheet, ...]:
    """Every sheet once: those of the files with what the manifest says of them, and those that are only described.

    A table of the manifest speaks of the sheet of its `file` (and `page`), else of the sheet whose name or number is
    its name. Where several sheets answer to it (one at full and one at half size), each has its facts and its own name.

    Raises
    ------
    InputError
        If a table names a file that is not there, or two speak of one sheet.
    """
    told: dict[int, Sheet] = {}
    described: list[Sheet] = []
    for table in manifest.sheets:
        answering = [number for number, sheet in enumerate(found) if _speaks_of(table, sheet)]
        if table.file and not answering:
            page = f" page {table.page}" if table.page else ""
            raise InputError(
                f"sheet {table.name!r} names {table.file}{page}, which the plan does not hold",
                file="siteplan.toml",
                remedy="correct the name or send the file",
            )
        if not answering:
            described.append(table)
        for number in answering:
            if number in told:
                raise InputError(
                    f"sheets {told[number].name!r} and {table.name!r} both speak of {found[number].name}",
                    file="siteplan.toml",
                    remedy="say which with file and page",
                )
            told[number] = table if len(answering) == 1 else replace(table, name=found[number].name)
    sheets = [_joined(told[number], sheet) if number in told else sheet for number, sheet in enumerate(found)]
    return tuple(_with_own_names([*described, *sheets]))


def sheet_rows(sheets: Sequence[Sheet]) -> list[PlanLayer]:
    """Sheets as rows of what `inspect` shows."""
    return [
        PlanLayer(
            label=sheet.name,
            file=sheet.file,
            layer=" ".join(part for part in (sheet.number, sheet.title) if part),
            role=f"sheet: {sheet.shows}" if sheet.shows else "sheet",
            role_from="name" if sheet.shows and sheet.file else "",
            crs="",
            geometry_types=(f"{sheet.width_in:.4g} x {sheet.height_in:.4g} in",)
            if sheet.width_in and sheet.height_in
            else (),
            features=len(sheet.evidence),
            set_aside=0,
            fields=(),
            sample=tuple(
                f"{item.where}: " + (f"{item.feet_per_inch:g} ft per inch" if item.feet_per_inch else "no one scale")
                for item in sheet.evidence
            ),
        )
        for sheet in sheets
    ]


def _is_mere_picture(file: PlanFile, sheets: Sequence[Sheet]) -> bool:
    """Whether it is a photograph or a logo rather than a sheet. A TIFF is what scanners make of sheets."""
    if file.path.suffix.lower() in {".pdf", ".tif", ".tiff"}:
        return False
    return all(
        not sheet.evidence and max(sheet.width_in or 0.0, sheet.height_in or 0.0) < _SMALLEST_PICTURE_IN
        for sheet in sheets
    )


def _speaks_of(table: Sheet, sheet: Sheet) -> bool:
    if table.file:
        wanted, label = table.file.casefold(), sheet.file.casefold()
        return (label == wanted or label.endswith(f"/{wanted}")) and table.page in (0, sheet.page)
    return _plain(table.name) in {_plain(sheet.name), _plain(sheet.number)} - {""}


def _plain(name: str) -> str:
    return re.sub(r"[\s._-]+", "", name).casefold()


def _joined(table: Sheet, sheet: Sheet) -> Sheet:
    """What the manifest says, then what the sheet itself shows."""
    notes = list(sheet.notes)
    if None not in (table.contour_interval_ft, sheet.contour_interval_ft) and (
        table.contour_interval_ft != sheet.contour_interval_ft
    ):
        notes.append(
            f"the application states a contour interval of {table.contour_interval_ft:g} ft, the sheet notes "
            f"{sheet.contour_interval_ft:g} ft"
        )
    return replace(
        sheet,
        name=table.name,
        shows=table.shows or sheet.shows,
        scale_text=table.scale_text,
        contour_interval_ft=_first(table.contour_interval_ft, sheet.contour_interval_ft),
        paper=", ".join(dict.fromkeys(part for part in (table.paper, sheet.paper) if part)),
        number=table.number or sheet.number,
        title=table.title or sheet.title,
        notes=tuple(notes),
    )


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _with_own_names(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Sheets of files that have one name get the file's whole label; the manifest's names stay as they are."""
    counts = Counter(sheet.name for sheet in sheets)
    renamed = []
    for sheet in sheets:
        own = sheet.name.startswith(_stem(sheet.file)) and bool(sheet.file)
        name = sheet.name.replace(_stem(sheet.file), sheet.file, 1) if own and counts[sheet.name] > 1 else sheet.name
        renamed.append(replace(sheet, name=name))
    return renamed


def _stem(label: str) -> str:
    name = label.rpartition("/")[2]
    return name.rpartition(".")[0] or name
