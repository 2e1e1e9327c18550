"""Commands on reference layers: layers list, layers check, layers fetch."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from siteplan_gis.commands.options import AsJson, Units, day
from siteplan_gis.commands.running import UNUSABLE, clear_errors, printing, progress
from siteplan_gis.errors import UNPRINTABLE, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from siteplan_gis.fetching.gathering import Fetched
    from siteplan_gis.fetching.ground import Box
    from siteplan_gis.fetching.registry import SourceLayer

_FOUND = 1
_VILLAGE_REACH_MI = 3.0
"""From a village's limits: 1.5 miles of extraterritorial ground, one mile around a site there, and room."""

Folder = Annotated[
    Path, typer.Argument(metavar="[FOLDER]", help="A layers.toml, its folder, or a folder of such folders.")
]
Sources = Annotated[
    Path | None,
    typer.Option("--sources", metavar="FILE", help="File of public services; by default the program's own."),
]


def list_layers(
    folder: Folder = Path("layers"),
    sources: Annotated[bool, typer.Option("--sources", help="Show the public services instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the layers of a folder: source, date, licence, coverage, how they were fetched."""
    with clear_errors():
        from siteplan_gis.fetching.checking import catalogues_in, list_stock, stock_record, stock_text  # noqa: PLC0415
        from siteplan_gis.fetching.registry import read_sources, sources_text  # noqa: PLC0415

        if sources:
            listed = read_sources()
            with printing() as stdout:
                stdout.write(_json([_source_record(one) for one in listed]) if as_json else sources_text(listed))
            return
        stocks = [list_stock(path) for path in catalogues_in(folder)]
        with printing() as stdout:
            stdout.write(
                _json([stock_record(one) for one in stocks]) if as_json else "\n".join(map(stock_text, stocks))
            )


def check(
    folder: Folder = Path("layers"),
    ordinance: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID|FILE",
            help="Say what this ordinance needs and the folder lacks; by default the one of the folder's name.",
        ),
    ] = None,
    on: Annotated[str | None, typer.Option(metavar="DATE", help="Day to reckon ages by; by default today.")] = None,
    as_json: AsJson = False,
) -> None:
    """Count and hash every layer again; tell its age and gaps, and what an ordinance needs and the folder lacks."""
    with clear_errors():
        from siteplan_gis.fetching.checking import catalogues_in, check_stock, stock_record, stock_text  # noqa: PLC0415

        stocks = [check_stock(path, _needed(ordinance or _of_folder(path)), day(on)) for path in catalogues_in(folder)]
        with printing() as stdout:
            stdout.write(
                _json([stock_record(one) for one in stocks]) if as_json else "\n".join(map(stock_text, stocks))
            )
        code = 0 if all(one.sound for one in stocks) else _FOUND
    raise typer.Exit(code)


def fetch(
    ground: Annotated[
        str, typer.Argument(metavar="VILLAGE|BBOX", help="An ordinance's village, or west,south,east,north in degrees.")
    ],
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE|ID,...",
            help="Roles or layers of `layers list --sources`; may be repeated; by default all that the village needs.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the layers; by default layers/VILLAGE.")
    ] = None,
    reach: Annotated[
        float | None,
        typer.Option(metavar="MILES", help="How far beyond, in miles; by default 3 for a village, 0 for a box."),
    ] = None,
    sources: Sources = None,
    dem_units: Units = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="Patience with one answer, in seconds.", min=1)
    ] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Fetch whole layers from public services into a folder. Run it again to go on after an interruption."""
    with clear_errors():
        from siteplan_gis.fetching.connection import Manners  # noqa: PLC0415
        from siteplan_gis.fetching.gathering import Order, fetch_layers  # noqa: PLC0415
        from siteplan_gis.fetching.registry import chosen_sources, read_sources  # noqa: PLC0415

        manners = Manners(timeout_s=timeout)
        known = read_sources(sources)
        names = [name.strip() for part in only or () for name in part.split(",") if name.strip()]
        with progress() as tell:
            name, box, wanted = _ground(ground, known, manners, reach)
            if out is None and name == ground:
                out = Path("layers") / ground
            if out is None:
                raise InputError("a box has no folder of its own", remedy="name one with --out")
            order = Order(
                name, box, chosen_sources(known, names, wanted), out,
                datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), manners, dem_units.value if dem_units else "",
            )  # fmt: skip
            done = fetch_layers(order, tell)
        with printing() as stdout:
            stdout.write(_json([_fetched_record(one) for one in done]) if as_json else _fetched_text(done))
        for one in done:
            if one.problem is not None:
                sys.stderr.write(f"siteplan-gis: {one.source.id} was not fetched: {one.problem}\n")
        code = UNUSABLE if any(one.problem is not None for one in done) else 0
    raise typer.Exit(code)


def _ground(ground: str, known: Sequence[SourceLayer], manners: Any, reach: float | None) -> tuple[str, Box, list[str]]:
    """Name and box of the asked ground, and what is fetched when nothing is named."""
    from siteplan_gis.fetching.ground import box_from_text, widened  # noqa: PLC0415
    from siteplan_gis.model.layers import LAYER_ROLES  # noqa: PLC0415
    from siteplan_gis.ordinances.reader import read_ordinance, shipped  # noqa: PLC0415

    box = box_from_text(ground)
    if box is not None:
        return "box " + ground, widened(box, reach) if reach else box, [*LAYER_ROLES, "elevation"]
    if ground not in shipped():
        raise InputError(
            f"{ground!r} is no village that is known here and no box",
            remedy=f"use {', '.join(shipped())}, or west,south,east,north in degrees",
        )
    from siteplan_gis.fetching.village import ground_of_village  # noqa: PLC0415

    limits = ground_of_village(read_ordinance(ground), known, manners)
    # Elevations of a whole village and its surroundings are gigabytes: they are fetched for the box of a site.
    wanted = [role for role in _needed([ground]) if role != "elevation"]
    return ground, widened(limits, _VILLAGE_REACH_MI if reach is None else reach), wanted


def _needed(ordinances: Sequence[str]) -> Mapping[str, Sequence[str]]:
    from siteplan_gis.checks.table import needed_layers  # noqa: PLC0415
    from siteplan_gis.ordinances.reader import read_ordinance  # noqa: PLC0415

    needed: dict[str, tuple[str, ...]] = {}
    for name in ordinances:
        for role, rules in needed_layers(read_ordinance(Path(name) if name.endswith(".toml") else name)).items():
            needed[role] = (*needed.get(role, ()), *rules)
    return needed


def _of_folder(path: Path) -> list[str]:
    """The ordinance whose name the folder bears, if any."""
    from siteplan_gis.ordinances.reader import shipped  # noqa: PLC0415

    name = (path if path.is_dir() else path.parent).resolve().name
    return [name] if name in shipped() else []


def _fetched_text(done: Sequence[Fetched]) -> str:
    lines = [
        f"{one.source.id}: {one.stamp.got} of {one.stamp.expected}, {one.path}" for one in done if one.stamp is not None
    ]
    return "".join(f"{line}\n" for line in lines)


def _fetched_record(one: Fetched) -> dict[str, Any]:
    return {
        "layer": one.source.id,
        "file": str(one.path) if one.path else None,
        "got": one.stamp.got if one.stamp else None,
        "expected": one.stamp.expected if one.stamp else None,
        "problem": str(one.problem) if one.problem else None,
    }


def _source_record(one: SourceLayer) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__slots__}


def _json(document: Any) -> str:
    told = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", told)
