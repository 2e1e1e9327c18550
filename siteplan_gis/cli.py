"""The command line: options in, exit code out. Results go to stdout, progress and errors to stderr."""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback
from contextlib import contextmanager
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.isolated import begin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from siteplan_gis.pipeline import Inputs

app = typer.Typer(
    add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None,
    help="Checks a construction site's erosion-control site map against a village's ordinance.",
)  # fmt: skip

UNUSABLE, CRASHED, INTERRUPTED = 2, 3, 130


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


_NEXT = ("siteplan_gis.ingest.layers", "siteplan_gis.ingest.terrain")
"""What is loaded while another process reads the plan."""

PlanPaths = Annotated[
    list[Path], typer.Argument(metavar="PLAN...", help="Folders, zips or files; several make one common plan.")
]
LayersPath = Annotated[
    Path | None,
    typer.Option("--layers", metavar="FILE|DIR", help="Catalogue of reference layers (layers.toml or its folder)."),
]
LayerFiles = Annotated[
    list[str] | None,
    typer.Option("--layer", metavar="ROLE=FILE", help="A reference layer without a catalogue; may be repeated."),
]
DemFiles = Annotated[
    list[Path] | None, typer.Option("--dem", metavar="FILE", help="Elevation model; may be repeated for tiles.")
]
Units = Annotated[DemUnits | None, typer.Option("--dem-units", help="Vertical unit of the elevation model.")]
Roles = Annotated[
    list[str] | None, typer.Option("--role", metavar="LAYER=ROLE", help="Role of a layer of the plan; may be repeated.")
]
AssumeCrs = Annotated[str | None, typer.Option("--assume-crs", metavar="CRS", help="CRS of plan files that name none.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout and nothing else.")]


@app.command()
def review(
    plan: PlanPaths,
    ordinance: Annotated[
        str | None, typer.Option(metavar="ID|FILE", help="Ordinance; by default the one the manifest names.")
    ] = None,
    layers: LayersPath = None,
    layer: LayerFiles = None,
    dem: DemFiles = None,
    dem_units: Units = None,
    on: Annotated[
        str | None, typer.Option(metavar="DATE", help="Day of the review, YYYY-MM-DD; by default today.")
    ] = None,
    role: Roles = None,
    assume_crs: AssumeCrs = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the results; by default ./review unless --json.")
    ] = None,
    fail_on: Annotated[FailOn, typer.Option(help="Exit with 1 from this status on.")] = FailOn.fail,
    as_json: AsJson = False,
) -> None:
    """Check a site map against an ordinance."""
    with _clear_errors():
        begin(*_NEXT, "siteplan_gis.reviewing", "siteplan_gis.report.files")
        from siteplan_gis.pipeline import exit_code, review_inputs  # noqa: PLC0415

        inputs = _inputs(plan, layers, layer, dem, dem_units, role, assume_crs)
        chosen: str | Path | None = Path(ordinance) if ordinance and ordinance.endswith(".toml") else ordinance
        with _progress() as tell:
            reviewed = review_inputs(inputs, chosen, _day(on), tell)
            folder = out if out is not None or as_json else Path("review")
            paths: tuple[Path, ...] = ()
            if folder is not None:
                tell("writing the results")
                from siteplan_gis.report.files import write_outputs  # noqa: PLC0415

                paths = tuple(write_outputs(reviewed, folder))
        if as_json:
            from siteplan_gis.report.json_report import json_text  # noqa: PLC0415
            from siteplan_gis.report.records import review_record  # noqa: PLC0415

            with _printing() as stdout:
                stdout.write(json_text(review_record(reviewed)))
        else:
            from siteplan_gis.report.terminal import print_summary  # noqa: PLC0415

            with _printing():
                print_summary(reviewed, paths)
        code = exit_code(reviewed, fail_on.value)
    raise typer.Exit(code)


@app.command()
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
    with _clear_errors():
        begin(*_NEXT, "siteplan_gis.measuring.survey")
        from siteplan_gis.pipeline import measure_inputs  # noqa: PLC0415

        inputs = _inputs(plan, layers, layer, dem, dem_units, role, assume_crs)
        with _progress() as tell:
            measured, site = measure_inputs(inputs, tell)
        if as_json:
            from siteplan_gis.report.json_report import json_text  # noqa: PLC0415
            from siteplan_gis.report.records import measurements_record  # noqa: PLC0415

            with _printing() as stdout:
                stdout.write(json_text(measurements_record(measured, site)))
        else:
            from siteplan_gis.report.terminal import print_measurements  # noqa: PLC0415

            with _printing():
                print_measurements(measured, site)
        crashed = bool(measured.faults)
    raise typer.Exit(CRASHED if crashed else 0)


@app.command()
def inspect(plan: PlanPaths, role: Roles = None, assume_crs: AssumeCrs = None, as_json: AsJson = False) -> None:
    """Show what the program sees in a plan: layers, roles, CRS, fields."""
    with _clear_errors():
        from siteplan_gis.ingest.vectors import inspect_plan  # noqa: PLC0415
        from siteplan_gis.report.inspection import inspection_json, print_inspection  # noqa: PLC0415

        layers, flags = inspect_plan(plan, roles=_pairs(role, "--role", "LAYER=ROLE"), assume_crs=assume_crs)
        with _printing() as stdout:
            if as_json:
                stdout.write(inspection_json(layers, flags))
            else:
                print_inspection(layers, flags)


@app.command()
def rules(
    ordinance: Annotated[str | None, typer.Argument(metavar="[ORDINANCE]", help="Id or file; by default all.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print what is checked of each ordinance, and what is not and why."""
    with _clear_errors():
        from siteplan_gis.ordinances.matrix import matrix_json, matrix_text  # noqa: PLC0415
        from siteplan_gis.ordinances.reader import read_ordinance, shipped  # noqa: PLC0415

        listed = [read_ordinance(name) for name in ([ordinance] if ordinance else shipped())]
        with _printing() as stdout:
            stdout.write(matrix_json(listed) if as_json else matrix_text(listed))


def main() -> None:
    """Run the command line."""
    # Where they are installed, pyogrio, folium and numba import these only to offer them: two seconds and 60 MB that no
    # command needs. The process is ours alone, so nobody else misses them.
    for unneeded in ("geopandas", "pandas", "scipy"):
        sys.modules.setdefault(unneeded, None)  # type: ignore[arg-type]
    # Loading libraries makes hundreds of thousands of lasting objects: looking among them for waste takes a third of a
    # second and finds none.
    gc.set_threshold(200_000)
    signal.signal(signal.SIGINT, _interrupt)
    app()


_interrupted: list[int] = []


def _interrupt(number: int, _: object) -> None:
    _interrupted.append(number)
    raise KeyboardInterrupt


def _inputs(
    plan: list[Path], layers: Path | None, layer: list[str] | None, dem: list[Path] | None, dem_units: DemUnits | None,
    role: list[str] | None, assume_crs: str | None,
) -> Inputs:  # fmt: skip
    from siteplan_gis.ingest.catalogue import entries_from_options  # noqa: PLC0415
    from siteplan_gis.pipeline import Inputs  # noqa: PLC0415

    for path in [*plan, *(dem or ()), *([layers] if layers else ())]:
        if not path.exists():
            raise InputError("there is no such file or folder", file=str(path))
    files = tuple((name, Path(file)) for name, file in _listed(layer, "--layer", "ROLE=FILE"))
    entries_from_options(files)  # refuses what cannot be used before the plan is read
    roles = _pairs(role, "--role", "LAYER=ROLE")
    return Inputs(
        tuple(plan), layers, files, tuple(dem or ()), dem_units.value if dem_units else None, roles, assume_crs
    )


def _listed(values: list[str] | None, option: str, form: str) -> list[tuple[str, str]]:
    pairs = []
    for value in values or ():
        left, equals, right = value.rpartition("=") if option == "--role" else value.partition("=")
        if not (left and equals and right):
            raise InputError(f"{option} {value!r} is not of the form {form}")
        pairs.append((left, right))
    return pairs


def _pairs(values: list[str] | None, option: str, form: str) -> dict[str, str]:
    return dict(_listed(values, option, form))


def _day(text: str | None) -> date:
    if text is None:
        return datetime.now().astimezone().date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError(f"--on {text!r} is not a date", remedy="write YYYY-MM-DD") from None


@contextmanager
def _clear_errors() -> Iterator[None]:
    try:
        yield
    except InputError as error:
        sys.stderr.write(f"siteplan-gis: {error}\n")
        raise typer.Exit(UNUSABLE) from None
    except (typer.Exit, typer.Abort, BrokenPipeError):
        raise
    except OSError as error:
        # A file that may not be read, a full disk, a share that went away: the program is not at fault.
        place, reason = f"{error.filename}: " * bool(error.filename), error.strerror or error
        sys.stderr.write(f"siteplan-gis: {place}{reason}; check the file's rights and the room on the disk\n")
        raise typer.Exit(UNUSABLE) from None
    except Exception:  # noqa: BLE001
        if _interrupted:
            # Libraries that are just being loaded turn the interruption into errors of their own.
            raise typer.Exit(INTERRUPTED) from None
        traceback.print_exc()
        sys.stderr.write("siteplan-gis: the program crashed; nothing was checked. Report this as a fault.\n")
        raise typer.Exit(CRASHED) from None


@contextmanager
def _printing() -> Iterator[TextIO]:
    """Standard output, written to its end here, so that what it cannot take is told and no crash."""
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as problem:
        # Or Python would try to write the rest once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise InputError(f"standard output cannot be written ({problem.strerror})") from None


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A line on stderr that says what is being done, where someone is looking."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415

    with Console(stderr=True).status("starting") as status:
        yield lambda text: status.update(text.replace("[", "\\["))
