"""Commands on finished reviews: letter."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from siteplan_gis.commands.options import day
from siteplan_gis.commands.running import clear_errors, printing

ReviewFile = Annotated[Path, typer.Argument(metavar="REVIEW.json", help="A finished review.")]


def letter(
    review: ReviewFile,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="letter.docx or letter.md; by default letter.docx beside the review."),
    ] = None,
    words: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The village's own words (TOML), instead of those shipped.")
    ] = None,
    template: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A Word document whose letterhead and styles are used.")
    ] = None,
    on: Annotated[str | None, typer.Option(metavar="DATE", help="Date of the letter; by default today.")] = None,
) -> None:
    """Write the letter to the applicant: the decision and its numbered reasons."""
    with clear_errors():
        from siteplan_gis.errors import InputError  # noqa: PLC0415
        from siteplan_gis.ingest.review_records import read_review_record  # noqa: PLC0415
        from siteplan_gis.report.files import write_together  # noqa: PLC0415
        from siteplan_gis.report.letter import letter_of  # noqa: PLC0415
        from siteplan_gis.report.letter_formats import letter_markdown, outcome_words, write_docx  # noqa: PLC0415
        from siteplan_gis.report.schema import review_schema  # noqa: PLC0415

        target = out if out is not None else review.parent / "letter.docx"
        if target.suffix.lower() not in {".docx", ".md"}:
            raise InputError(f"a letter is written as .docx or .md, not as {target.name!r}")
        written = letter_of(read_review_record(review, review_schema()), day(on), words)
        if target.suffix.lower() == ".docx":
            write_together(target.parent, {target.name: lambda path: write_docx(written, path, template)})
        else:
            text = letter_markdown(written)
            write_together(target.parent, {target.name: lambda path: path.write_text(text, encoding="utf-8")})
        with printing() as stdout:
            stdout.write(f"{outcome_words(written)}: {target}\n")
        for note in (*written.clock, *written.notes):
            sys.stderr.write(f"{note}\n")
