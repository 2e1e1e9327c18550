"""Commands on one plan: review, measure, inspect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from siteplan_gis.commands.options import (
    AsJson,
    AssumeCrs,
    DemFiles,
    FailOn,
    LayerFiles,
    LayersPath,
    PlanPaths,
    Roles,
    Units,
    day,
    given_inputs,
    pairs,
    sheet_options,
)
from siteplan_gis.commands.running import CRASHED, clear_errors, printing, progress
from siteplan_gis.ingest.isolated import begin

_NEXT = ("siteplan_gis.ingest.reference.layers", "siteplan_gis.ingest.elevation.terrain")
"""What is loaded while another process reads the plan."""


def review(
    plan: PlanPaths,
    ordinance: Annotated[
        str | None, typer.Option(metavar="ID|FILE", help="Ordinance; by default the one the manifest names.")
    ] = None,
    layers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR",
            help="Catalogue of reference layers (layers.toml or its folder); by default layers/ORDINANCE beside you, where there is no --layer.",
        ),
    ] = None,
    layer: LayerFiles = None,
    dem: DemFiles = None,
    dem_units: Units = None,
    on: Annotated[
        str | None, typer.Option(metavar="DATE", help="Day of the review, YYYY-MM-DD; by default today.")
    ] = None,
    role: Roles = None,
    assume_crs: AssumeCrs = None,
    overrides: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The reviewer's decisions (TOML); by default overrides.toml beside a folder or zip."
        ),
    ] = None,
    permit: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The village's file on the application: dates, notices, inspections (TOML); by default none.",
        ),
    ] = None,
    soil_loss: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Factors of the soil loss equation and their source (TOML); by default none."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the results; by default ./review unless --json.")
    ] = None,
    print_sheet: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Also a sheet to print, site_map.pdf: letter, tabloid, 22x34 in inches ...; by default none.",
        ),
    ] = None,
    sheet_scale: Annotated[
        float | None,
        typer.Option(
            metavar="FEET", help="Its scale, 1 inch = FEET of ground; by default the largest at which the site fits."
        ),
    ] = None,
    fail_on: Annotated[FailOn, typer.Option(help="Exit with 1 from this status on.")] = FailOn.fail,
    as_json: AsJson = False,
) -> None:
    """Check a site map against an ordinance."""
    with clear_errors():
        begin(*_NEXT, "siteplan_gis.reviewing", "siteplan_gis.report.files")
        from siteplan_gis.pipeline import exit_code, review_inputs  # noqa: PLC0415

        sheet_options(print_sheet, sheet_scale)
        inputs = given_inputs(plan, layers, layer, dem, dem_units, role, assume_crs, overrides, permit, soil_loss)
        chosen: str | Path | None = Path(ordinance) if ordinance and ordinance.endswith(".toml") else ordinance
        with progress() as tell:
            reviewed = review_inputs(inputs, chosen, day(on), tell)
            folder = out if out is not None or (as_json and print_sheet is None) else Path("review")
            paths: tuple[Path, ...] = ()
            if folder is not None:
                tell("writing the results")
                from siteplan_gis.report.files import write_outputs  # noqa: PLC0415

                paths = tuple(write_outputs(reviewed, folder, print_sheet, sheet_scale))
        if as_json:
            from siteplan_gis.report.json_report import json_text  # noqa: PLC0415
            from siteplan_gis.report.records import review_record  # noqa: PLC0415

            with printing() as stdout:
                stdout.write(json_text(review_record(reviewed)))
        else:
            from siteplan_gis.report.terminal import print_summary  # noqa: PLC0415

            with printing():
                print_summary(reviewed, paths)
        code = exit_code(reviewed, fail_on.value)
    raise typer.Exit(code)


def measure(
    plan: PlanPaths,
    layers: LayersPath = None,
    layer: LayerFiles = None,
    dem: DemFiles = None,
    dem_units: Units = None,
    role: Roles = None,
    assume_crs: AssumeCrs = None,
    as_json: AsJson = False,
) -> None:
    """Measure what the inputs allow; no law."""
    with clear_errors():
        begin(*_NEXT, "siteplan_gis.measuring.survey")
        from siteplan_gis.pipeline import measure_inputs  # noqa: PLC0415

        inputs = given_inputs(plan, layers, layer, dem, dem_units, role, assume_crs)
        with progress() as tell:
            measured, site = measure_inputs(inputs, tell)
        if as_json:
            from siteplan_gis.report.json_report import json_text  # noqa: PLC0415
            from siteplan_gis.report.records import measurements_record  # noqa: PLC0415

            with printing() as stdout:
                stdout.write(json_text(measurements_record(measured, site)))
        else:
            from siteplan_gis.report.terminal import print_measurements  # noqa: PLC0415

            with printing():
                print_measurements(measured, site)
        crashed = bool(measured.faults)
    raise typer.Exit(CRASHED if crashed else 0)


def inspect(plan: PlanPaths, role: Roles = None, assume_crs: AssumeCrs = None, as_json: AsJson = False) -> None:
    """Show what the program sees in a plan: layers, roles, CRS, fields."""
    with clear_errors():
        from siteplan_gis.ingest.plan.vectors import inspect_plan  # noqa: PLC0415
        from siteplan_gis.report.inspection import inspection_json, print_inspection  # noqa: PLC0415

        layers, flags = inspect_plan(plan, roles=pairs(role, "--role", "LAYER=ROLE"), assume_crs=assume_crs)
        with printing() as stdout:
            if as_json:
                stdout.write(inspection_json(layers, flags))
            else:
                print_inspection(layers, flags)
