"""The results of one parcel: page, record and text, all or none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from siteplan_gis.report.files import write_together
from siteplan_gis.report.json_report import write_json
from siteplan_gis.report.parcel_page import write_screening_page
from siteplan_gis.report.screening_records import screening_record
from siteplan_gis.report.screening_terminal import screening_text

if TYPE_CHECKING:
    from pathlib import Path

    from siteplan_gis.model.screening import Screening


def write_screening(screening: Screening, folder: Path) -> tuple[Path, ...]:
    """Write `prescreen.html`, `prescreen.json` and `prescreen.txt` into a folder.

    Raises
    ------
    InputError
        If the folder cannot be written to, or the disk is full.
    """
    record = screening_record(screening)
    return write_together(folder, {
        "prescreen.json": lambda path: write_json(record, path),
        "prescreen.txt": lambda path: path.write_text(screening_text(record), encoding="utf-8", newline="\n"),
        "prescreen.html": lambda path: write_screening_page(screening, path),
    })  # fmt: skip
