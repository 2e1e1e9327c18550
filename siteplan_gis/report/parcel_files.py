"""The results of many parcels: the table, and its summary as data, page and words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from siteplan_gis.errors import InputError, one_line
from siteplan_gis.model.comparison import show
from siteplan_gis.report.files import write_together
from siteplan_gis.report.json_report import write_json
from siteplan_gis.report.parcel_page import write_parcel_page
from siteplan_gis.report.parcel_summary import summary_record
from siteplan_gis.report.parcel_table import SUFFIXES, write_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def table_name(out: Path) -> str:
    """The name of the table in a folder, or that of the file itself.

    Raises
    ------
    InputError
        If `out` names a file of a kind that is not written.
    """
    suffix = out.suffix.lower()
    if out.is_dir() or not suffix:
        return "parcels.parquet"
    if suffix not in SUFFIXES:
        raise InputError(
            f"a {suffix} table is not written", file=str(out), remedy=f"use {', '.join(SUFFIXES)}, or a folder"
        )
    return out.name


def write_many(parts: Sequence[Path], record: Mapping[str, Any], out: Path) -> tuple[Path, ...]:
    """Write the table, `summary.json` and `summary.html`, all or none of them.

    Beside a single file they are called after it.

    Raises
    ------
    InputError
        If the folder cannot be written to, or the disk is full.
    """
    name = table_name(out)
    alone = name == out.name
    folder = out.absolute().parent if alone else out
    before = f"{out.stem}." if alone else ""
    return write_together(folder, {
        name: lambda path: write_table(parts, path),
        f"{before}summary.json": lambda path: write_json(summary_json(record), path),
        f"{before}summary.html": lambda path: write_parcel_page(record, path),
    })  # fmt: skip


def summary_of(parts: Sequence[Path], about: Mapping[str, Any]) -> dict[str, Any]:
    """The record that `write_many` and `summary_text` take."""
    return summary_record(parts, about)


def summary_json(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record as it is written: without the shapes that are only drawn."""
    return {name: value for name, value in record.items() if name != "places"}


def summary_text(record: Mapping[str, Any], paths: Sequence[Path]) -> str:
    """The summary in a few lines for a terminal."""
    lines = ["INVENTED GROUND: nothing here says anything about a real place."] * bool(record["invented"])
    lines.append(", ".join(f"{count:,} parcels {state}" for state, count in record["states"].items()) or "no parcels")
    lines += [f"  {count:,}: {why}" for why, count in record["reasons"].items()]
    if record["repeated_ids"] or record["without_id"]:
        lines.append(
            f"  {record['repeated_ids']:,} names stand on several rows, {record['without_id']:,} rows have none"
        )
    lines.append("Ordinances: " + "; ".join(
        f"{name} ({', '.join(f'{count:,} {extent}' for extent, count in each.items())})"
        for name, each in record["ordinances"].items()
    ))  # fmt: skip
    for name, acres in record["acres"].items():
        unknown = record["not_known"].get(name, 0)
        lines.append(
            f"  {name}: {show(acres or 0.0, 1)} acres" + (f" (not known of {unknown:,} parcels)" if unknown else "")
        )
    lines.append("Most ground that cannot be built on:")
    lines += [
        f"  {row['parcel']}: {show(row['taken_acres'], 2)} of {show(row['acres'], 2)} acres"
        for row in record["ranking"][:10]
    ]
    lines += [f"  {path}" for path in paths]
    return "\n".join(map(one_line, lines)) + "\n"
