"""`layers list` and `layers check`: what a layer folder holds, whether it is what was fetched, its age and its gaps."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from siteplan_gis.errors import InputError, one_line
from siteplan_gis.fetching.folder import PASSING_FOLDER
from siteplan_gis.ingest.reference.catalogue import CATALOGUE_FILE, LayerEntry, read_catalogue
from siteplan_gis.ingest.reference.stamps import file_hash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from siteplan_gis.ingest.reference.catalogue import Catalogue, DemEntry, OtherEntry
    from siteplan_gis.ingest.reference.stamps import Stamp

SHIPPED: tuple[str, ...] = ("airports",)
"""Roles that the program brings itself."""


@dataclass(frozen=True, slots=True)
class Held:
    """One layer of a folder.

    Attributes
    ----------
    use
        Its role, "elevation", or what else it shows.
    covers
        The ground in degrees, a file that tells it, or "" where nothing does.
    problems
        What is wrong with it: then no review should rest on it.
    remarks
        What its user should know: its age, its gaps.
    """

    use: str
    title: str
    file: str
    date: str
    licence: str
    covers: str
    stamp: Stamp | None
    features: int | None = None
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stock:
    """A folder's layers; `lacking` are roles with the rules that need them; `unfinished` are fetches cut short."""

    name: str
    path: str
    held: tuple[Held, ...]
    lacking: Mapping[str, Sequence[str]]
    unfinished: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether every layer is what it says, and none is lacking."""
        return not self.lacking and not any(one.problems for one in self.held)


def list_stock(path: Path) -> Stock:
    """What the catalogue says, without opening the layers."""
    catalogue = read_catalogue(path)
    return Stock(catalogue.name, str(catalogue.path), tuple(_told(entry) for entry in _entries(catalogue)), {})


def check_stock(path: Path, needed: Mapping[str, Sequence[str]], on: dt.date) -> Stock:
    """Open every layer, count and hash it again, and say how old it is and what is lacking."""
    catalogue = read_catalogue(path)
    held = tuple(_checked(entry, on) for entry in _entries(catalogue))
    there = {one.use for one in held if not one.problems}
    lacking = {role: rules for role, rules in needed.items() if role not in there and role not in SHIPPED}
    passing = catalogue.path.parent / PASSING_FOLDER
    unfinished = tuple(sorted(one.name for one in passing.iterdir() if one.is_dir())) if passing.is_dir() else ()
    return Stock(catalogue.name, str(catalogue.path), held, lacking, unfinished)


def stock_record(stock: Stock) -> dict[str, Any]:
    """The same as plain values, for JSON."""
    return {
        "name": stock.name, "catalogue": stock.path, "sound": stock.sound, "unfinished": list(stock.unfinished),
        "lacking": {role: list(rules) for role, rules in stock.lacking.items()},
        "layers": [_record(one) for one in stock.held],
    }  # fmt: skip


def stock_text(stock: Stock) -> str:
    """The same for people."""
    lines = [f"{stock.name} ({stock.path})"]
    for one in stock.held:
        lines += ["", f"{one.use}: {one.title or one.file}", f"  file      {one.file}"]
        lines.append(f"  date      {one.date or 'unknown'}")
        lines.append(f"  licence   {one.licence or 'unknown'}")
        lines.append(f"  covers    {one.covers or 'not declared'}")
        if one.features is not None:
            lines.append(f"  features  {one.features}")
        if one.stamp is not None:
            stamp = one.stamp
            lines.append(f"  fetched   {stamp.when}, {stamp.got} of {stamp.expected}, from {stamp.url}")
            lines.append(f"  query     {stamp.query}")
            lines.append(f"  hash      {stamp.sha256}")
        lines += [f"  note      {text}" for text in one.remarks]
        lines += [f"  WRONG     {text}" for text in one.problems]
    if not stock.held:
        lines += ["", "no layers"]
    for role, rules in stock.lacking.items():
        lines += ["", f"LACKING   {role}: needed by {', '.join(rules)}"]
    if stock.unfinished:
        lines += ["", f"UNFINISHED {', '.join(stock.unfinished)}: fetch again to go on"]
    return "\n".join(map(one_line, lines)) + "\n"


def catalogues_in(folder: Path) -> list[Path]:
    """The catalogue of a folder, or those of its folders."""
    if folder.is_file() or (folder / CATALOGUE_FILE).is_file():
        return [folder]
    found = sorted(one.parent for one in folder.glob(f"*/{CATALOGUE_FILE}"))
    if not found:
        raise InputError(
            "there is no layer catalogue", file=str(folder), remedy=f"name a {CATALOGUE_FILE} or its folder"
        )
    return found


def _entries(catalogue: Catalogue) -> list[LayerEntry | DemEntry | OtherEntry]:
    return [*catalogue.layers, *catalogue.dems, *catalogue.others]


def _told(entry: LayerEntry | DemEntry | OtherEntry) -> Held:
    covers, licence = "", getattr(entry, "licence", "")
    if isinstance(entry, LayerEntry):
        use, place = entry.role, entry.coverage
        covers = "its own extent" if place == "extent" else getattr(place, "name", "") or _box(place)
    else:
        use = getattr(entry, "use", "elevation")
        covers = _box(entry.stamp.extent) if entry.stamp is not None else ""
    file = f"{entry.path.as_posix()} {entry.layer}" if getattr(entry, "database", "") else entry.path.name  # type: ignore[union-attr]
    return Held(use, entry.title, file, entry.date, licence, covers, entry.stamp)


def _checked(entry: LayerEntry | DemEntry | OtherEntry, on: dt.date) -> Held:
    told = _told(entry)
    problems, remarks, features = [], [], None
    stamp = entry.stamp
    raster = told.use == "elevation"
    try:
        if not raster:
            features = _features(entry)
        if stamp is not None:
            if file_hash(entry.path) != stamp.sha256:
                problems.append("the file is not the one that was fetched: its hash differs")
            if features is not None and features != stamp.got - stamp.without_geometry:
                problems.append(
                    f"it holds {features} features, not the {stamp.got - stamp.without_geometry} that were fetched"
                )
            if stamp.got != stamp.expected:
                problems.append(f"{stamp.got} of {stamp.expected} were fetched")
    except (InputError, OSError) as problem:
        problems.append(str(problem))
    if features == 0 and not problems:
        remarks.append("it holds no features")
    if stamp is None:
        remarks.append("not fetched by this program: nothing tells whether it is whole")
    else:
        remarks.append(f"fetched {_age(stamp.when[:10], on)} ago")
        remarks += stamp.notes
        if stamp.without_geometry:
            remarks.append(f"{stamp.without_geometry} features have no geometry and are not in the file")
    if told.date and (age := _age(told.date[:10], on)):
        remarks.append(f"its data are {age} old")
    if not told.date:
        remarks.append("nobody wrote down of what date it is")
    if isinstance(entry, LayerEntry) and entry.coverage is None:
        remarks.append("nobody wrote down what ground it covers")
    return Held(
        told.use, told.title, told.file, told.date, told.licence, told.covers, stamp, features, tuple(problems),
        tuple(dict.fromkeys(remarks)),
    )  # fmt: skip


def _features(entry: LayerEntry | DemEntry | OtherEntry) -> int | None:
    from siteplan_gis.ingest.reference.rows import find_layer  # noqa: PLC0415

    if isinstance(entry, LayerEntry) and entry.database:
        find_layer(entry.path, entry.layer, entry.database, extent=False)
        return None
    if entry.path.suffix == ".tif":
        return None
    return find_layer(entry.path, getattr(entry, "layer", "")).features


def _age(day: str, on: dt.date) -> str:
    try:
        days = (on - dt.date.fromisoformat(day)).days
    except ValueError:
        return ""
    return f"{days} day{'s' * (days != 1)}" if days < 730 else f"{days / 365.25:.0f} years"  # noqa: PLR2004


def _box(box: Any) -> str:
    return ", ".join(f"{number:.5f}" for number in box) if isinstance(box, tuple) else ""


def _record(one: Held) -> dict[str, Any]:
    stamp = one.stamp
    fetched = None if stamp is None else {name: getattr(stamp, name) for name in stamp.__slots__}
    if fetched is not None:
        fetched = {name: list(value) if isinstance(value, tuple) else value for name, value in fetched.items()}
    return {
        "use": one.use, "title": one.title, "file": one.file, "date": one.date, "licence": one.licence,
        "covers": one.covers, "features": one.features, "problems": list(one.problems), "remarks": list(one.remarks),
        "fetched": fetched,
    }  # fmt: skip
