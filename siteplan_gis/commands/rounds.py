"""Commands on finished reviews: compare, letter."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from siteplan_gis.commands.options import AsJson, day
from siteplan_gis.commands.running import clear_errors, printing

OldFile = Annotated[Path, typer.Argument(metavar="OLD.json", help="The review of the round before.")]
NewFile = Annotated[Path, typer.Argument(metavar="NEW.json", help="The review of this round.")]
ReviewFile = Annotated[Path, typer.Argument(metavar="REVIEW.json", help="A finished review.")]


def compare(
    old: OldFile,
    new: NewFile,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for rounds.html and rounds.json; by default ./rounds.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare two reviews of one project: resolved, still open, new, and how the drawing changed."""
    with clear_errors():
        from siteplan_gis.ingest.records.review_records import read_review_record  # noqa: PLC0415
        from siteplan_gis.report.files import write_together  # noqa: PLC0415
        from siteplan_gis.report.json_report import json_text  # noqa: PLC0415
        from siteplan_gis.report.rounds import STATE_WORDS, compare_reviews  # noqa: PLC0415
        from siteplan_gis.report.rounds_page import page_of_rounds  # noqa: PLC0415
        from siteplan_gis.report.schema import review_schema  # noqa: PLC0415

        before, after = (read_review_record(path, review_schema()) for path in (old, new))
        record = compare_reviews(before, after)
        text = json_text(record)
        folder = out if out is not None or as_json else Path("rounds")
        paths: tuple[Path, ...] = ()
        if folder is not None:
            page = page_of_rounds(record, before, after)
            writers = {
                "rounds.json": lambda path: path.write_text(text, encoding="utf-8", newline="\n"),
                "rounds.html": lambda path: path.write_text(page, encoding="utf-8", newline="\n"),
            }
            paths = write_together(folder, writers)
        with printing() as stdout:
            if as_json:
                stdout.write(text)
            else:
                counts = (f"{count} {STATE_WORDS[state].lower()}" for state, count in record["counts"].items() if count)
                stdout.write(", ".join(counts) + "\n")
                stdout.writelines(f"{warning}\n" for warning in record["warnings"])
                stdout.writelines(f"{path}\n" for path in paths)


def letter(
    review: ReviewFile,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="letter.docx or letter.md; by default letter.docx beside the review."),
    ] = None,
    words: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The village's own words (TOML); by default those shipped.")
    ] = None,
    template: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A Word document whose letterhead and styles are used; by default plain."),
    ] = None,
    since: Annotated[
        Path | None,
        typer.Option(
            metavar="OLD.json", help="The review of the last round: a section tells what changed; by default none."
        ),
    ] = None,
    on: Annotated[str | None, typer.Option(metavar="DATE", help="Date of the letter; by default today.")] = None,
) -> None:
    """Write the letter to the applicant: the decision and its numbered reasons."""
    with clear_errors():
        from siteplan_gis.errors import InputError  # noqa: PLC0415
        from siteplan_gis.ingest.records.review_records import read_review_record  # noqa: PLC0415
        from siteplan_gis.report.files import write_together  # noqa: PLC0415
        from siteplan_gis.report.letter import letter_of  # noqa: PLC0415
        from siteplan_gis.report.letter_formats import letter_markdown, outcome_words, write_docx  # noqa: PLC0415
        from siteplan_gis.report.rounds import compare_reviews  # noqa: PLC0415
        from siteplan_gis.report.schema import review_schema  # noqa: PLC0415

        target = out if out is not None else review.parent / "letter.docx"
        if target.suffix.lower() not in {".docx", ".md"}:
            raise InputError(f"a letter is written as .docx or .md, not as {target.name!r}")
        record = read_review_record(review, review_schema())
        rounds = None if since is None else compare_reviews(read_review_record(since, review_schema()), record)
        written = letter_of(record, day(on), words, rounds)
        if target.suffix.lower() == ".docx":
            write_together(target.parent, {target.name: lambda path: write_docx(written, path, template)})
        else:
            text = letter_markdown(written)
            write_together(target.parent, {target.name: lambda path: path.write_text(text, encoding="utf-8")})
        with printing() as stdout:
            stdout.write(f"{outcome_words(written)}: {target}\n")
        for note in (*written.clock, *written.notes):
            sys.stderr.write(f"{note}\n")
