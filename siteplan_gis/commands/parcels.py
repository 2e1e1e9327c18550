"""The applicants' and counties' command: prescreen."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from siteplan_gis.commands.options import AsJson, AssumeCrs, DemFiles, LayerFiles, LayersPath, Units, listed
from siteplan_gis.commands.running import CRASHED, clear_errors, printing, progress
from siteplan_gis.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from siteplan_gis.countywide.one import ParcelsAsked
    from siteplan_gis.model.screening import Asked

_EVERY_S: Final = 60.0


def prescreen(
    parcels: Annotated[
        Path | None, typer.Argument(metavar="[PARCELS]", help="File of parcels; by default the catalogue's layer of them.")
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="LON,LAT", help="Only the parcel at this place, in degrees; by default all.")
    ] = None,
    parcel: Annotated[str | None, typer.Option(metavar="ID", help="Only the parcel of this name; by default all.")] = None,
    id_field: Annotated[str | None, typer.Option("--id", metavar="FIELD", help="Field with the parcels' names; by default found by its name.")] = None,
    where: Annotated[
        str | None, typer.Option(metavar="EXPR", help="Only rows with FIELD=VALUE,... (also !=, <, <=, >, >=, IN (...), "
                     "IS NULL, IS NOT NULL; several joined by AND); by default all.")
    ] = None,
    layers: LayersPath = None,
    layer: LayerFiles = None,
    dem: DemFiles = None,
    dem_units: Units = None,
    ordinance: Annotated[
        str | None, typer.Option(metavar="ID|FILE", help="Tell of this ordinance, too, wherever the parcel lies; by default those that reach it.")
    ] = None,
    disturb: Annotated[
        float | None, typer.Option(metavar="ACRES", min=0, help="Acres of ground that you mean to disturb; by default not told.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="WHAT", help="Do not take this out of the buildable remainder: steep, wetlands, "
                     "floodplain, widths; may be repeated; by default nothing is kept."),
    ] = None,
    water_width: Annotated[float, typer.Option(metavar="FT", min=0, help="Protective width along waters, in feet.")] = 75.0,
    wetland_width: Annotated[float, typer.Option(metavar="FT", min=0, help="Protective width along wetlands, in feet.")] = 75.0,
    no_runoff: Annotated[bool, typer.Option("--no-runoff", help="Do not follow runoff.")] = False,
    invented: Annotated[
        bool, typer.Option("--invented", help="The parcels lie on invented ground, as the samples do.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes of this machine that share many parcels.")] = 1,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask cluster that runs already, in place of --workers; by default none.")
    ] = None,
    assume_crs: AssumeCrs = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR|FILE", help="Folder for the results, by default ./prescreen unless --json; of many "
                     "parcels also a .parquet, .gpkg or .csv file."),
    ] = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Tell what is known of a parcel before a plan is drawn: one, or all of a county."""
    with clear_errors():
        from siteplan_gis.countywide.one import ParcelsAsked, asked_rows  # noqa: PLC0415

        if scheduler and workers != 1:
            raise InputError("--workers and --scheduler exclude each other", remedy="give one of them")
        given = ParcelsAsked(
            parcels, layers, tuple((role, Path(file)) for role, file in listed(layer, "--layer", "ROLE=FILE")),
            tuple(dem or ()), dem_units.value if dem_units else None, _place(at), parcel or "", id_field or "", where or "",
            assume_crs or "", ordinance or "", invented,
            _asked(disturb, keep, water_width, wetland_width, no_runoff=no_runoff),
        )  # fmt: skip
        folder = out if out is not None or as_json else Path("prescreen")
        if asked_rows(given) == 1:
            crashed = _one(given, folder, as_json=as_json)
        else:
            crashed = _many(given, folder, workers, scheduler or "", as_json=as_json)
    raise typer.Exit(CRASHED if crashed else 0)


def _one(given: ParcelsAsked, folder: Path | None, *, as_json: bool) -> bool:
    """Screen one parcel, write and print it; whether it crashed."""
    from siteplan_gis.countywide.one import screen_few  # noqa: PLC0415
    from siteplan_gis.report.json_report import json_text  # noqa: PLC0415
    from siteplan_gis.report.screening_records import screening_record  # noqa: PLC0415
    from siteplan_gis.report.screening_terminal import screening_text  # noqa: PLC0415

    with progress() as tell:
        found = screen_few(given, tell)[0]
        paths: tuple[Path, ...] = ()
        if folder is not None:
            from siteplan_gis.report.screening_files import write_screening  # noqa: PLC0415

            tell("writing the results")
            paths = write_screening(found, folder)
    with printing() as stdout:
        record = screening_record(found)
        stdout.write(json_text(record) if as_json else screening_text(record))
        stdout.writelines(f"  {path}\n" for path in paths if not as_json)
    return bool(found.fault)


def _many(given: ParcelsAsked, folder: Path | None, workers: int, scheduler: str, *, as_json: bool) -> bool:
    """Screen many parcels, write their table and summary; whether one crashed."""
    from siteplan_gis.countywide.many import screen_many, work_folder  # noqa: PLC0415
    from siteplan_gis.report.json_report import json_text  # noqa: PLC0415
    from siteplan_gis.report.parcel_files import summary_json, summary_of, summary_text, table_name, write_many  # noqa: PLC0415

    if folder is None:
        raise InputError(
            "the table of many parcels needs a place", remedy="give --out FOLDER, or a .parquet, .gpkg or .csv"
        )
    table_name(folder)  # refuses what cannot be written before hours of work
    with work_folder(folder, _say) as work:
        with _rate() as tell:
            made = screen_many(given, work, workers, scheduler, tell)
        record = summary_of(made.parts, made.about())
        paths = write_many(made.parts, record, folder)
        made.forget()
    with printing() as stdout:
        stdout.write(json_text(summary_json(record)) if as_json else summary_text(record, paths))
    return "failed" in record["states"]


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


@contextmanager
def _rate() -> Iterator[Callable[[int, int], None]]:
    """How many parcels are done, how fast, how long it takes: a bar where someone looks, else a line a minute."""
    begun, told = time.monotonic(), [0.0, -1.0]

    def words(done: int, total: int) -> str:
        if told[1] < 0:
            told[1] = done  # what an earlier run had finished tells nothing of this one's rate
        passed = time.monotonic() - begun
        rate = (done - told[1]) / passed if passed > 0 else 0.0
        left = f"{(total - done) / rate / 60:.0f} min left" if rate > 0 else "time left not known yet"
        return f"{done:,} of {total:,} parcels, {rate:.0f} a second, {left}"

    if not sys.stderr.isatty():

        def line(done: int, total: int) -> None:
            text = words(done, total)
            if time.monotonic() - told[0] >= _EVERY_S or done == total:
                told[0] = time.monotonic()
                sys.stderr.write(f"{text}\n")

        yield line
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

    with Progress(BarColumn(), TextColumn("{task.description}"), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading the parcels", total=None)
        yield lambda done, total: bar.update(task, description=words(done, total), completed=done, total=total)


def _asked(
    disturb: float | None, keep: list[str] | None, water_width: float, wetland_width: float, *, no_runoff: bool
) -> Asked:  # fmt: skip
    from siteplan_gis.model.screening import TAKEN_OUT, Asked  # noqa: PLC0415
    from siteplan_gis.units import FOOT_M  # noqa: PLC0415

    unknown = set(keep or ()) - set(TAKEN_OUT)
    if unknown:
        raise InputError(f"--keep {min(unknown)!r} is nothing that is taken out", remedy=f"use {', '.join(TAKEN_OUT)}")
    taken = tuple(name for name in TAKEN_OUT if name not in (keep or ()))
    return Asked(disturb, taken, water_width * FOOT_M, wetland_width * FOOT_M, runoff=not no_runoff)


def _place(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        longitude, latitude = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--at {text!r} is not two numbers", remedy="write LON,LAT, as in --at=-87.95,43.38") from None
    if not (-180 <= longitude <= 180 and -90 <= latitude <= 90):  # noqa: PLR2004
        raise InputError(f"--at {text!r} is no place in degrees", remedy="write the longitude first")
    return longitude, latitude
