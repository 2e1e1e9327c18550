"""What the program sees in a plan, for a terminal and as JSON."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from siteplan_gis.report.json_report import json_text
from siteplan_gis.report.plain import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.model.flag import Flag
    from siteplan_gis.model.plan import PlanLayer

_UNCUT: Final = 1000
_SAMPLE_WIDTH: Final = 80


def inspection_json(layers: Sequence[PlanLayer], flags: Sequence[Flag]) -> str:
    """Layers and flags as JSON."""
    record = {
        "schema": "siteplan-gis/inspection/1",
        "layers": [_plain(layer) for layer in layers],
        "flags": [_plain(flag) for flag in flags],
    }
    return json_text(record)


def print_inspection(layers: Sequence[PlanLayer], flags: Sequence[Flag]) -> None:
    """A table of layers and a list of flags on stdout; text from files is never markup."""
    # A file or a pipe has no width: there a name is never cut in two.
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _UNCUT)
    table = Table(title=f"{len(layers)} layer{'s' * (len(layers) != 1)}", title_justify="left")
    for heading in ("layer", "role", "from", "features", "set aside", "geometry", "CRS", "fields", "sample"):
        table.add_column(heading, overflow="fold")
    for layer in layers:
        cells = (
            layer.label, layer.role or "?", layer.role_from, str(layer.features), str(layer.set_aside),
            ", ".join(layer.geometry_types), layer.crs or "none", ", ".join(layer.fields),
            "; ".join(layer.sample)[:_SAMPLE_WIDTH],
        )  # fmt: skip
        table.add_row(*(Text(text(cell)) for cell in cells))
    console.print(table)
    for flag in flags:
        place = f" ({flag.layer}{' ' + flag.feature if flag.feature else ''})" if flag.layer else ""
        console.print(Text(f"{flag.code}: {text(flag.text)}{text(place)}"), soft_wrap=True)


def _plain(record: PlanLayer | Flag) -> dict[str, object]:
    values = {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
    return {
        name: [text(item) for item in value]
        if isinstance(value, tuple)
        else text(value)
        if isinstance(value, str)
        else value
        for name, value in values.items()
    }
