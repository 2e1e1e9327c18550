"""The reader of `layers.toml`: which reference layers there are, where they come from and what ground they cover."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from siteplan_gis.errors import InputError, SeveralInputErrors
from siteplan_gis.ingest.reference.addresses import database_path, is_database
from siteplan_gis.ingest.reference.catalogue_schema import CatalogueTable
from siteplan_gis.model.layers import LAYER_ROLES
from siteplan_gis.toml_files import read_toml
from siteplan_gis.units import FOOT_M, INCH_M

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.ingest.reference.catalogue_schema import DemTable, LayerTable
    from siteplan_gis.ingest.reference.stamps import Stamp

CATALOGUE_FILE: Final = "layers.toml"
_COVERAGE_SUFFIX: Final = "_coverage"
_LARGE_SCALE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Where:
    """A filter on one field: rows with any of `any_of` (all where empty), without those of `none_of`."""

    field: str
    any_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LayerEntry:
    """One reference layer as its catalogue describes it.

    Attributes
    ----------
    path
        Where the file is; may be a zip archive or a file geodatabase.
    layer
        Its name inside the file; empty where there is only one.
    coverage
        "extent" (the ground covered is that of the data), a polygon file, four numbers (west, south, east, north in
        degrees), or None where the owner does not say.
    accuracy_m
        Horizontal accuracy in metres, as stated or from the map scale; None where unknown.
    kind
        A kind for every feature, where the layer holds one kind only; empty otherwise.
    stamp
        How it was fetched; None for a layer that somebody put there.
    database
        The PostGIS database that holds it, read live, and `layer` is the table; empty for a file. `path` then only
        names it.
    """

    path: Path
    role: str
    layer: str = ""
    title: str = ""
    source: str = ""
    date: str = ""
    licence: str = ""
    accuracy_m: float | None = None
    coverage: Literal["extent"] | Path | tuple[float, float, float, float] | None = None
    coverage_layer: str = ""
    where: Where | None = None
    crs: str = ""
    name_field: str = ""
    id_field: str = ""
    code_field: str = ""
    kind: str = ""
    invented: bool = False
    stamp: Stamp | None = None
    database: str = ""

    @property
    def label(self) -> str:
        """The layer as a reader knows it: its title, else its file and layer."""
        return self.title or "/".join(part for part in (self.path.name, self.layer) if part)


@dataclass(frozen=True, slots=True)
class DemEntry:
    """One elevation model as its catalogue describes it; `units` is "m", "ft", "us-ft" or empty (as the file says)."""

    path: Path
    title: str = ""
    source: str = ""
    date: str = ""
    licence: str = ""
    units: str = ""
    vertical_datum: str = ""
    vertical_accuracy_m: float | None = None
    crs: str = ""
    invented: bool = False
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class OtherEntry:
    """A layer that is kept for people and that no review reads; `use` says what it shows."""

    path: Path
    use: str
    title: str
    date: str
    stamp: Stamp | None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A set of reference layers and elevation models; `proj_grids` is a folder of datum shift grids."""

    name: str
    path: Path
    layers: tuple[LayerEntry, ...]
    dems: tuple[DemEntry, ...]
    invented: bool = False
    proj_grids: Path | None = None
    others: tuple[OtherEntry, ...] = ()


def read_catalogue(path: Path) -> Catalogue:
    """Read `layers.toml`, or the one in the folder `path`. Paths in it are relative to it.

    Raises
    ------
    InputError
        If there is no such file or it is no TOML.
    SeveralInputErrors
        If it says something unknown, wrong or of a file that is not there: all problems at once.
    """
    file = path / CATALOGUE_FILE if path.is_dir() else path
    if not file.is_file():
        raise InputError("there is no layer catalogue", file=str(file), remedy=f"name a {CATALOGUE_FILE} or its folder")
    described, _ = read_toml(file, CatalogueTable)
    folder = file.parent
    layers = tuple(_entry(layer, folder, invented=described.invented) for layer in described.layer)
    dems = tuple(_dem(dem, folder, invented=described.invented) for dem in described.dem)
    others = tuple(
        OtherEntry(folder / one.path, one.use, one.title, one.date, one.fetched.stamp() if one.fetched else None)
        for one in described.other
    )
    grids = folder / described.proj_grids if described.proj_grids else None
    files = [layer.path for layer in layers if not layer.database]
    needed = [*files, *(one.path for one in dems), *(one.path for one in others), *([grids] if grids else [])]
    needed += [layer.coverage for layer in layers if isinstance(layer.coverage, Path)]
    missing = [InputError(f"there is no {one}", remedy="correct the path") for one in needed if not one.exists()]
    if missing:
        raise SeveralInputErrors(missing, file=str(file))
    return Catalogue(described.name, file, layers, dems, described.invented, grids, others)


def entry_from_option(role: str, path: Path) -> LayerEntry:
    """The entry of `--layer ROLE=FILE`; `FILE#NAME` names a layer inside the file.

    Raises
    ------
    InputError
        If the role is unknown or there is no such file.
    """
    if role not in LAYER_ROLES:
        raise InputError(
            f"{role!r} is no role of a reference layer", file=str(path), remedy=f"use one of {', '.join(LAYER_ROLES)}"
        )
    file, layer = _existing(path)
    return LayerEntry(file, role, layer)


def entries_from_options(options: Sequence[tuple[str, Path]]) -> tuple[LayerEntry, ...]:
    """The entries of all `--layer` options. `ROLE_coverage=FILE` is the ground that the layers of ROLE cover.

    Raises
    ------
    InputError
        If a role is unknown, a file is missing, or a coverage has no layer to cover.
    """
    coverages: dict[str, tuple[Path, str]] = {}
    layers: list[LayerEntry] = []
    for role, path in options:
        covered = role.removesuffix(_COVERAGE_SUFFIX)
        if covered != role and covered in LAYER_ROLES:
            if covered in coverages:
                raise InputError(f"{role} is given twice", file=str(path), remedy="put both areas in one file")
            coverages[covered] = _existing(path)
        else:
            layers.append(entry_from_option(role, path))
    for role in coverages:
        if all(layer.role != role for layer in layers):
            raise InputError(
                f"{role}{_COVERAGE_SUFFIX} covers no layer",
                file=str(coverages[role][0]),
                remedy=f"give --layer {role}=FILE too",
            )
    return tuple(_covered(layer, coverages.get(layer.role)) for layer in layers)


def _covered(entry: LayerEntry, coverage: tuple[Path, str] | None) -> LayerEntry:
    if coverage is None:
        return entry
    file, layer = coverage
    return LayerEntry(entry.path, entry.role, entry.layer, coverage=file, coverage_layer=layer)


def _existing(path: Path) -> tuple[Path, str]:
    """A file and the layer named behind a `#`, if any."""
    if path.exists():
        return path, ""
    name, mark, layer = str(path).rpartition("#")
    if mark and layer and Path(name).exists():
        return Path(name), layer
    raise InputError("there is no such file", file=str(path), remedy="correct the path")


def _entry(layer: LayerTable, folder: Path, *, invented: bool) -> LayerEntry:
    coverage: Literal["extent"] | Path | tuple[float, float, float, float] | None = None
    coverage_layer = ""
    if isinstance(layer.coverage, list):
        west, south, east, north = layer.coverage
        coverage = (west, south, east, north)
    elif layer.coverage == "extent":
        coverage = "extent"
    elif layer.coverage:
        name, mark, inner = layer.coverage.rpartition("#")
        whole = folder / layer.coverage
        coverage, coverage_layer = (folder / name, inner) if mark and not whole.exists() else (whole, "")
    accuracy_m = layer.accuracy_ft * FOOT_M if layer.accuracy_ft is not None else None
    if layer.scale_denominator is not None:
        accuracy_m = map_accuracy_m(layer.scale_denominator)
    database = layer.path if is_database(layer.path) else ""
    path = database_path(database, layer.layer) if database else folder / layer.path
    where = None
    if layer.where is not None:
        any_of, none_of = (tuple(map(str, values)) for values in (layer.where.any_of, layer.where.none_of))
        where = Where(layer.where.field, any_of, none_of)
    return LayerEntry(
        path, layer.role, layer.layer, layer.title, layer.source, layer.date, layer.licence, accuracy_m,
        coverage, coverage_layer, where, layer.crs, layer.name_field, layer.id_field, layer.code_field, layer.kind,
        invented, layer.fetched.stamp() if layer.fetched else None, database,
    )  # fmt: skip


def _dem(dem: DemTable, folder: Path, *, invented: bool) -> DemEntry:
    accuracy_m = None if dem.vertical_accuracy_ft is None else dem.vertical_accuracy_ft * FOOT_M
    return DemEntry(
        folder / dem.path, dem.title, dem.source, dem.date, dem.licence, dem.units, dem.vertical_datum, accuracy_m,
        dem.crs, invented, dem.fetched.stamp() if dem.fetched else None,
    )  # fmt: skip


def map_accuracy_m(scale_denominator: float) -> float:
    """Horizontal accuracy in metres of a map of this scale, by the National Map Accuracy Standards of 1947.

    Nine of ten points lie within 1/50 inch on the map, or 1/30 inch at scales larger than 1:20,000.

    Examples
    --------
    >>> round(map_accuracy_m(24_000), 3)
    12.192
    """
    inches = 1 / 30 if scale_denominator < _LARGE_SCALE else 1 / 50
    return scale_denominator * inches * INCH_M
