"""The output folder: every file appears whole, and all of them or none."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from siteplan_gis.errors import InputError
from siteplan_gis.report.geopackage import write_geopackage
from siteplan_gis.report.json_report import write_json
from siteplan_gis.report.page import write_page
from siteplan_gis.report.records import review_record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from siteplan_gis.model.review import Review

NAMES: Final = ("review.json", "findings.gpkg", "review.html")


def write_outputs(
    review: Review, folder: Path, paper: str | None = None, feet_per_inch: float | None = None
) -> tuple[Path, ...]:
    """Write `review.json`, `findings.gpkg` and `review.html` into a folder, which is made where it is missing.

    With `paper` (a size of `paper_size`) there is a sheet to print, `site_map.pdf`, too, at `feet_per_inch` or the
    largest scale that fits.

    The files are made in a hidden folder there and moved out when all are ready; where a move fails or is interrupted,
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
    names = tuple(writers)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".siteplan-", dir=folder))
    except OSError as problem:
        raise _unwritable(folder, problem.strerror or str(problem)) from None
    try:
        for name, write in writers.items():
            write(made / name)
        return _moved(made, folder, names)
    except OSError as problem:
        raise _unwritable(folder, problem.strerror or str(problem)) from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _unwritable(folder: Path, reason: str) -> InputError:
    return InputError(
        f"results cannot be written here ({reason})", file=str(folder), remedy="make room, or choose another --out"
    )


def _moved(made: Path, folder: Path, names: Sequence[str]) -> tuple[Path, ...]:
    before = made / "before"
    before.mkdir()
    try:
        for name in names:
            if (folder / name).exists():
                (folder / name).replace(before / name)
            (made / name).replace(folder / name)
    except BaseException as problem:
        stuck = next((name for name in names if (made / name).exists()), names[-1])
        _put_back(made, before, folder, names)
        if not isinstance(problem, OSError):
            raise
        raise InputError(
            f"cannot be replaced ({problem.strerror})",
            file=str(folder / stuck),
            remedy="close the program that has it open, or choose another --out",
        ) from None
    return tuple(folder / name for name in names)


def _put_back(made: Path, before: Path, folder: Path, names: Sequence[str]) -> None:
    """What stood in the folder before, wherever the moving stopped."""
    for name in names:
        if not (made / name).exists():
            (folder / name).unlink(missing_ok=True)
        if (before / name).exists():
            (before / name).replace(folder / name)
