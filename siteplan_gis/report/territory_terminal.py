"""Extraterritorial areas in a few lines for a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, TextIO

from rich.console import Console
from rich.table import Table

from siteplan_gis.report.plain import text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_MOST_ROWS: Final = 40
_HEADS: Final = {
    "municipality": "municipality", "reach_miles": "reach (mi)", "acres_inside": "inside (ac)", "etj_acres": "ETJ (ac)",
    "shared_acres": "shared (ac)", "towns_touched": "towns touched",
}  # fmt: skip


def print_territories(record: Mapping[str, Any], paths: Sequence[Path], stream: TextIO | None = None) -> None:
    """The table of municipalities, overlaps, warnings, and where the files are."""
    console = Console(file=stream or sys.stdout, highlight=False, markup=False, emoji=False)
    if record["limits"]["invented"]:
        console.print("INVENTED GROUND: nothing here says anything about a real place.", style="bold")
    limits = record["limits"]
    console.print(f"Extraterritorial areas after the law of {record['state']['title']}, limits of {limits['title']} "
                  f"dated {limits['date'] or 'unknown'}, as of {record['on']}")  # fmt: skip
    rows = record["municipalities"]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, head in _HEADS.items():
        table.add_column(head, justify="right" if "(" in head else "left", no_wrap=name != "towns_touched")
    for row in rows[:_MOST_ROWS]:
        table.add_row(*(_shown(row[name]) for name in _HEADS))
    console.print(table)
    if len(rows) > _MOST_ROWS:
        console.print(f"and {len(rows) - _MOST_ROWS} more municipalities, in etj.csv")
    pairs = record["overlaps"]
    for pair in pairs[:_MOST_ROWS]:
        console.print(
            f"Overlap: {pair['first']} and {pair['second']}, {pair['acres']:,.1f} acres, divided where equally far"
        )
    if len(pairs) > _MOST_ROWS:
        console.print(f"and {len(pairs) - _MOST_ROWS} more overlaps")
    for flag in record["flags"][:_MOST_ROWS]:
        console.print(f"! {flag['code']}: {_line(flag['text'])}", style="yellow")
    if len(record["flags"]) > _MOST_ROWS:
        console.print(f"and {len(record['flags']) - _MOST_ROWS} more warnings, in etj.json", style="yellow")
    if "parcels" in record:
        held = sum(1 for row in record["parcels"] if row["etj_of"])
        console.print(f"{len(record['parcels'])} parcels, {held} of them wholly or partly in an extraterritorial area")
    for path in paths:
        console.print(f"Written: {path}", soft_wrap=True)


def _shown(value: Any) -> str:
    if value is None:
        return "not told"
    return f"{value:,.1f}" if isinstance(value, (int, float)) else _line(value)


def _line(value: str) -> str:
    return " ".join(text(value).split())
