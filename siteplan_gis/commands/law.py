"""Commands on the ordinances themselves: rules."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from siteplan_gis.commands.options import AsJson
from siteplan_gis.commands.running import clear_errors, printing


class Form(StrEnum):
    """How the rules are printed."""

    text = "text"
    md = "md"
    json = "json"


def rules(
    ordinance: Annotated[str | None, typer.Argument(metavar="[ORDINANCE]", help="Id or file; by default all.")] = None,
    form: Annotated[Form, typer.Option("--format", help="How to print it.")] = Form.text,
    as_json: AsJson = False,
) -> None:
    """Print what is checked of each ordinance, and what is not and why."""
    with clear_errors():
        from siteplan_gis.ordinances.markdown import matrix_markdown  # noqa: PLC0415
        from siteplan_gis.ordinances.matrix import matrix_json, matrix_text  # noqa: PLC0415
        from siteplan_gis.ordinances.reader import read_ordinance, shipped  # noqa: PLC0415

        ordinances = [read_ordinance(name) for name in ([ordinance] if ordinance else shipped())]
        with printing() as stdout:
            if as_json or form is Form.json:
                stdout.write(matrix_json(ordinances))
            elif form is Form.md:
                stdout.write(matrix_markdown(ordinances))
            else:
                stdout.write(matrix_text(ordinances))
