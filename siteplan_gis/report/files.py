"""The output folder: every file appears whole, and all of them or none."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Final

from siteplan_gis.errors import REMEDIES, InputError
from siteplan_gis.report.geopackage import write_geopackage
from siteplan_gis.report.json_report import write_json
from siteplan_gis.report.moving import move_together, staging_folder
from siteplan_gis.report.page import write_page
from siteplan_gis.report.records import review_record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from siteplan_gis.model.review import Review

NAMES: Final = ("review.json", "findings.gpkg", "review.html")


def write_outputs(
    review: Review, folder: Path, paper: str | None = None, feet_per_inch: float | None = None
) -> tuple[Path, ...]:
    """Write `review.json`, `findings.gpkg` and `review.html` into a folder, which is made where it is missing.

    With `paper` (a size of `paper_size`) there is a sheet to print, `site_map.pdf`, too, at `feet_per_inch` or the
    largest scale that fits.

    The files are made in a hidden folder there and moved out when all are ready (see `moving`); where a move fails,
    what stood there before is put back. Other files of the folder are left alone.

    Raises
    ------
    InputError
        If the folder cannot be written to, the disk is full, or the site does not fit on the paper.
    """
    record = review_record(review)
    writers: dict[str, Callable[[Path], object]] = {
        "review.json": lambda path: write_json(record, path),
        "findings.gpkg": lambda path: write_geopackage(review, path, record),
        "review.html": lambda path: write_page(review, path, record),
    }
    if paper is not None:
        from siteplan_gis.report.print_sheet import NAME, write_print_sheet  # noqa: PLC0415

        writers[NAME] = lambda path: write_print_sheet(review, record, path, paper, feet_per_inch)
    return write_together(folder, writers)


def write_together(folder: Path, writers: Mapping[str, Callable[[Path], object]]) -> tuple[Path, ...]:
    """Write files into a folder, all or none of them; each writer is given the path to write to.

    Raises
    ------
    InputError
        If the folder cannot be written to, or the disk is full.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with staging_folder(folder) as made:
            for name, write in writers.items():
                write(made / name)
            return move_together(made, folder, tuple(writers))
    except OSError as problem:
        raise _unwritable(folder, problem) from None


def _unwritable(folder: Path, problem: OSError) -> InputError:
    full = problem.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
    return InputError(
        f"results cannot be written here ({problem.strerror or problem})",
        file=str(folder),
        remedy="make room, or choose another --out"
        if full
        else REMEDIES.get(problem.errno or 0, "choose another --out"),
    )
