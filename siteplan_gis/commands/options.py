"""Options that several commands share, and what they mean together."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from siteplan_gis.errors import InputError

if TYPE_CHECKING:
    from siteplan_gis.pipeline import Inputs


class FailOn(StrEnum):
    """From which status on the exit code is 1."""

    fail = "fail"
    needs_review = "needs_review"
    never = "never"


class DemUnits(StrEnum):
    """Vertical units that can be given."""

    metre = "m"
    foot = "ft"
    survey_foot = "us-ft"


PlanPaths = Annotated[
    list[Path], typer.Argument(metavar="PLAN...", help="Folders, zips or files; several make one common plan.")
]
LayersPath = Annotated[
    Path | None,
    typer.Option(
        "--layers",
        metavar="FILE|DIR",
        help="Catalogue of reference layers (layers.toml or its folder); by default none.",
    ),
]
LayerFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--layer", metavar="ROLE=FILE", help="A reference layer without a catalogue; may be repeated; by default none."
    ),
]
DemFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--dem", metavar="FILE", help="Elevation model; may be repeated for tiles; by default the catalogue's."
    ),
]
Units = Annotated[
    DemUnits | None,
    typer.Option(
        "--dem-units", help="Vertical unit of the elevation model; by default what its file or the catalogue says."
    ),
]
Roles = Annotated[
    list[str] | None,
    typer.Option(
        "--role",
        metavar="LAYER=ROLE",
        help="Role of a layer of the plan; may be repeated; by default the manifest's, else by its name.",
    ),
]
AssumeCrs = Annotated[
    str | None,
    typer.Option(
        "--assume-crs", metavar="CRS", help="CRS of files that name none, like EPSG:7613; by default they are refused."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout and nothing else.")]


def given_inputs(
    plan: list[Path], layers: Path | None, layer: list[str] | None, dem: list[Path] | None, dem_units: DemUnits | None,
    role: list[str] | None, assume_crs: str | None, overrides: Path | None = None,
    permit: Path | None = None, soil_loss: Path | None = None,
) -> Inputs:  # fmt: skip
    """The files that were given, each looked for, so that a slip is told before anything is read."""
    from siteplan_gis.ingest.reference.catalogue import entries_from_options  # noqa: PLC0415
    from siteplan_gis.pipeline import Inputs  # noqa: PLC0415

    for path in [*plan, *(dem or ()), *(file for file in (layers, overrides, permit, soil_loss) if file)]:
        if not path.exists():
            raise InputError("there is no such file or folder", file=str(path))
    files = tuple((name, Path(file)) for name, file in listed(layer, "--layer", "ROLE=FILE"))
    entries_from_options(files)  # refuses what cannot be used before the plan is read
    roles = pairs(role, "--role", "LAYER=ROLE")
    return Inputs(
        tuple(plan),
        layers,
        files,
        tuple(dem or ()),
        dem_units.value if dem_units else None,
        roles,
        assume_crs,
        overrides,
        permit,
        soil_loss,
    )


def sheet_options(size: str | None, feet_per_inch: float | None) -> None:
    """Refuse paper or a scale that cannot be, before anything is read."""
    from siteplan_gis.report.paper import paper_size  # noqa: PLC0415

    if size is not None:
        paper_size(size)
    elif feet_per_inch is not None:
        raise InputError("--sheet-scale is the scale of a sheet to print", remedy="give --print-sheet, too")
    if feet_per_inch is not None and not feet_per_inch > 0:
        raise InputError(f"--sheet-scale {feet_per_inch:g} is no scale", remedy="give the feet to an inch, like 50")


def listed(values: list[str] | None, option: str, form: str) -> list[tuple[str, str]]:
    """Both sides of every `LEFT=RIGHT` that was given."""
    pairs = []
    for value in values or ():
        left, equals, right = value.rpartition("=") if option == "--role" else value.partition("=")
        if not (left and equals and right):
            raise InputError(f"{option} {value!r} is not of the form {form}")
        pairs.append((left, right))
    return pairs


def pairs(values: list[str] | None, option: str, form: str) -> dict[str, str]:
    """The right side by the left one of every `LEFT=RIGHT` that was given."""
    return dict(listed(values, option, form))


def day(text: str | None) -> date:
    """The day that was given as YYYY-MM-DD; today where none was."""
    if text is None:
        return datetime.now().astimezone().date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError(f"--on {text!r} is not a date", remedy="write YYYY-MM-DD") from None
