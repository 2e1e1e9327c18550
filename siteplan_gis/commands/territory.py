"""The planners' command: etj."""

from __future__ import annotations

from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from siteplan_gis.commands.options import AsJson, AssumeCrs, day, pairs
from siteplan_gis.commands.running import clear_errors, printing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class DetachedParts(StrEnum):
    """Whether parts apart from the main one reach out too."""

    counted = "count"
    main_only = "main_only"


class Kind(StrEnum):
    """Kind of every row of a layer that does not say it."""

    city = "city"
    village = "village"
    town = "town"


def etj(
    limits: Annotated[
        Path, typer.Argument(metavar="LIMITS", help="Municipal limits: a file, or a catalogue of layers (its folder).")
    ],
    name: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Map only this municipality; may be repeated; by default all.")
    ] = None,
    on: Annotated[str | None, typer.Option(metavar="DATE", help="Limits as of this day, YYYY-MM-DD; by default today.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for the results; by default ./etj unless --json.")] = None,
    state: Annotated[str, typer.Option(metavar="ID|FILE", help="The state's law on reach.")] = "wisconsin",
    detached_parts: Annotated[
        DetachedParts | None, typer.Option(help="Whether detached parts reach out; by default as the state's profile says.")
    ] = None,
    classes: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Classes of cities: a CSV file with name, class, source; by default those of LIMITS.")
    ] = None,
    waivers: Annotated[Path | None, typer.Option(metavar="FILE", help="Ground where a municipality waived its power; by default none.")] = None,
    agreements: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Ground that a boundary agreement gives to a municipality; by default none.")
    ] = None,
    parcels: Annotated[Path | None, typer.Option(metavar="FILE", help="List these parcels with who has them; by default none.")] = None,
    parcel_id: Annotated[str | None, typer.Option(metavar="FIELD", help="The parcels' identifier; by default found by its name.")] = None,
    layer: Annotated[str, typer.Option(metavar="LAYER", help="Layer of LIMITS; by default its only one.")] = "",
    fields: Annotated[
        list[str] | None,
        typer.Option("--field", metavar="WHAT=FIELD", help="What a field of LIMITS tells: name, kind, county, class, "
                     "class_source, reach_miles, from, until; by default found by their names."),
    ] = None,
    kind: Annotated[Kind | None, typer.Option(help="Kind of every row, where LIMITS does not say it; by default what LIMITS says.")] = None,
    reach_miles: Annotated[
        float | None, typer.Option(metavar="MILES", min=0, max=20, help="Reach of every municipality in miles; by default the law's.")
    ] = None,
    assume_crs: AssumeCrs = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Map extraterritorial areas: reach, overlaps divided where equally far, whose land is whose."""
    with clear_errors():
        from siteplan_gis.ingest.reference.limits import LimitsAsked  # noqa: PLC0415
        from siteplan_gis.planning import TerritoriesAsked, list_parcels, map_territories  # noqa: PLC0415
        from siteplan_gis.report.territory_files import write_territories  # noqa: PLC0415
        from siteplan_gis.report.territory_records import territory_record  # noqa: PLC0415

        asked = TerritoriesAsked(
            LimitsAsked(
                limits, layer, pairs(fields, "--field", "WHAT=FIELD"), kind.value if kind else "", reach_miles,
                assume_crs, classes,
            ),
            state, tuple(name or ()), detached_parts.value if detached_parts else "", waivers, agreements,
        )  # fmt: skip
        with _bar() as tell:
            mapped = map_territories(asked, day(on), tell)
            listed = None if parcels is None else list_parcels(parcels, mapped, parcel_id, assume_crs, tell)
            folder = out if out is not None or as_json else Path("etj")
            paths: tuple[Path, ...] = ()
            if folder is not None:
                tell("writing the results", 0.0)
                paths = write_territories(mapped, folder, listed)
        record = territory_record(mapped, listed)
        with printing() as stdout:
            if as_json:
                from siteplan_gis.report.json_report import json_text  # noqa: PLC0415

                stdout.write(json_text(record))
            else:
                from siteplan_gis.report.territory_terminal import print_territories  # noqa: PLC0415

                print_territories(record, paths)


@contextmanager
def _bar() -> Iterator[Callable[[str, float], None]]:
    """A bar on stderr for each step, where someone is looking."""
    import sys  # noqa: PLC0415

    if not sys.stderr.isatty():
        yield lambda _text, _share: None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=1.0)
        yield lambda text, share: bar.update(task, description=text, completed=share)
