"""The applicants' and counties' command: prescreen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from siteplan_gis.commands.options import AsJson, AssumeCrs, DemFiles, LayerFiles, LayersPath, Units, listed
from siteplan_gis.commands.running import CRASHED, clear_errors, printing, progress
from siteplan_gis.errors import InputError

if TYPE_CHECKING:
    from siteplan_gis.model.screening import Asked


def prescreen(
    parcels: Annotated[
        Path | None, typer.Argument(metavar="[PARCELS]", help="File of parcels; by default the catalogue's layer of them.")
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="LON,LAT", help="Only the parcel at this place, in degrees.")
    ] = None,
    parcel: Annotated[str | None, typer.Option(metavar="ID", help="Only the parcel of this name.")] = None,
    id_field: Annotated[str | None, typer.Option("--id", metavar="FIELD", help="Field with the parcels' names.")] = None,
    where: Annotated[
        str | None, typer.Option(metavar="EXPR", help="Only rows with FIELD=VALUE,... (or FIELD!=VALUE,...).")
    ] = None,
    layers: LayersPath = None,
    layer: LayerFiles = None,
    dem: DemFiles = None,
    dem_units: Units = None,
    ordinance: Annotated[
        str | None, typer.Option(metavar="ID|FILE", help="Tell of this ordinance, too, wherever the parcel lies.")
    ] = None,
    disturb: Annotated[
        float | None, typer.Option(metavar="ACRES", min=0, help="Ground that you mean to disturb.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="WHAT", help="Do not take this out of the buildable remainder: steep, wetlands, "
                     "floodplain, widths; may be repeated."),
    ] = None,
    water_width: Annotated[float, typer.Option(metavar="FT", min=0, help="Protective width along waters.")] = 75.0,
    wetland_width: Annotated[float, typer.Option(metavar="FT", min=0, help="Protective width along wetlands.")] = 75.0,
    no_runoff: Annotated[bool, typer.Option("--no-runoff", help="Do not follow runoff.")] = False,
    invented: Annotated[
        bool, typer.Option("--invented", help="The parcels lie on invented ground, as the samples do.")
    ] = False,
    assume_crs: AssumeCrs = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Tell what is known of a parcel before a plan is drawn: one, or all of a county."""
    with clear_errors():
        from siteplan_gis.countywide.one import ParcelsAsked, screen_few  # noqa: PLC0415
        from siteplan_gis.report.screening_records import screening_record  # noqa: PLC0415

        given = ParcelsAsked(
            parcels, layers, tuple((role, Path(file)) for role, file in listed(layer, "--layer", "ROLE=FILE")),
            tuple(dem or ()), dem_units.value if dem_units else None, _place(at), parcel or "", id_field or "", where or "",
            assume_crs or "", ordinance or "", invented, _asked(disturb, keep, water_width, wetland_width, no_runoff=no_runoff),
        )  # fmt: skip
        with progress() as tell:
            found = screen_few(given, tell)
        records = [screening_record(one) for one in found]
        with printing() as stdout:
            if as_json:
                from siteplan_gis.report.json_report import json_text  # noqa: PLC0415

                stdout.write(json_text(records[0] if len(records) == 1 else {"parcels": records}))
            else:
                from siteplan_gis.report.screening_terminal import screening_text  # noqa: PLC0415

                stdout.write("\n".join(screening_text(record) for record in records))
        crashed = any(one.fault for one in found)
    raise typer.Exit(CRASHED if crashed else 0)


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
