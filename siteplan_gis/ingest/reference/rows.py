"""Rows of big vector files by bounding box: what format it is, which layer, and what lies in a box.

A file is opened only when its first bytes are those of the format that its name says, so a "waters.geojson" that is
in truth a virtual dataset pointing elsewhere is never opened.
"""

from __future__ import annotations

import warnings
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyogrio
import shapely
from pyogrio.errors import DataLayerError, DataSourceError

from siteplan_gis.errors import CrsError, HostileInputError, InputError
from siteplan_gis.ingest.reference import postgis

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from numpy.typing import NDArray

Box = tuple[float, float, float, float]

_DRIVERS: Final = {
    ".gpkg": ("GPKG",),
    ".geojson": ("GeoJSON", "GeoJSONSeq"),
    ".json": ("GeoJSON", "GeoJSONSeq", "ESRIJSON"),
    ".shp": ("ESRI Shapefile",),
    ".gdb": ("OpenFileGDB",),
    ".fgb": ("FlatGeobuf",),
}
_MAGIC: Final = {".gpkg": b"SQLite format 3\0", ".shp": b"\x00\x00\x27\x0a", ".fgb": b"fgb\x03"}
_PARQUET: Final = frozenset({".parquet", ".geoparquet"})
_SUFFIXES: Final = (*_DRIVERS, *sorted(_PARQUET), ".zip")
_JSON_STARTS: Final = (b"{", b"\x1e{")


@dataclass(frozen=True, slots=True)
class VectorLayer:
    """One layer of a vector file, known but not read.

    Attributes
    ----------
    address
        What the reader opens (a path, or one inside a zip archive).
    crs
        As the file states it; empty where it states none.
    bounds
        Data extent (west, south, east, north) in `crs`; None where the layer is empty.
    features
        How many; of a table of a database only whether there are any (1) or none (0).
    table
        Where the layer is one of a database.
    """

    path: Path
    address: str
    layer: str
    crs: str
    bounds: Box | None
    fields: tuple[str, ...]
    features: int
    table: postgis.Table | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows as read: flat geometries in the file's CRS, `columns` and `fids` in step with them.

    `unreadable` holds row numbers whose geometry could not be decoded, `empty` those without one; neither is in
    `geometries`.
    """

    geometries: NDArray[np.object_]
    fids: NDArray[np.int64]
    columns: dict[str, NDArray[Any]]
    unreadable: tuple[int, ...] = ()
    empty: tuple[int, ...] = ()
    text_replaced: bool = False


def find_layer(path: Path, layer: str = "", database: str = "", *, extent: bool = True) -> VectorLayer:
    """Find the layer named `layer`, or the only one, of a file; or a table of `database`, its extent only if asked.

    Raises
    ------
    InputError
        If there is no such file or layer, it is of no kind read here, or several layers are there and none is named.
    HostileInputError
        If its content is not what its name says.
    """
    if database:
        table = postgis.describe(database, layer, extent=extent)
        return VectorLayer(path, "", table.label, table.crs, table.bounds, table.fields, int(not table.empty), table)
    if not path.exists():
        raise InputError("there is no such file", file=str(path), remedy="correct the path")
    suffix = _suffix(path)
    if suffix in _PARQUET:
        stated = _geoparquet().describe(path)
        return VectorLayer(path, str(path), "", stated.crs, stated.bounds, stated.fields, stated.rows)
    address = _zipped(path, layer) if suffix == ".zip" else str(path.resolve())
    inner = PurePosixPath(address).suffix.lower() if suffix == ".zip" else suffix
    if suffix != ".zip":
        _refuse_disguise(path, suffix)
    try:
        with _quiet():
            names = [str(name) for name, kind in pyogrio.list_layers(address) if kind is not None]
            # A zipped shapefile is chosen by its own name, so its only layer is the one meant.
            name = names[0] if len(names) == 1 and suffix == ".zip" else _choose(path, names, layer)
            info = pyogrio.read_info(address, layer=name, force_feature_count=True, force_total_bounds=True)
    except (DataSourceError, DataLayerError, UnicodeDecodeError) as error:
        raise InputError(f"the file cannot be opened: {error}", file=path.name, remedy="export it again") from None
    if info["driver"] not in _DRIVERS[inner]:
        raise HostileInputError(
            f"the content is {info['driver']}, not what is read as {inner}",
            file=path.name,
            remedy="export it as GeoPackage or GeoJSON",
        )
    bounds = None if info["total_bounds"] is None else _finite(info["total_bounds"])
    fields = tuple(str(field) for field in info["fields"])
    return VectorLayer(path, address, name, info["crs"] or "", bounds, fields, max(int(info["features"]), 0))


def _geoparquet() -> ModuleType:
    """Its reader, which is not loaded where no such file is read: that takes a sixth of a second."""
    return import_module("siteplan_gis.ingest.reference.geoparquet")


def read_rows(found: VectorLayer, boxes: Sequence[Box], columns: Sequence[str]) -> Rows:
    """All rows whose bounds meet one of `boxes` (in the layer's CRS), each once.

    Raises
    ------
    InputError
        If the file cannot be read to its end.
    """
    if found.table is not None:
        return _decoded(*postgis.read(found.table, boxes, columns))
    if _suffix(found.path) in _PARQUET:
        return _decoded(*_geoparquet().read(found.path, boxes, columns))
    if not boxes:
        return Rows(
            np.empty(0, dtype=object), np.empty(0, dtype=np.int64), {name: np.empty(0, object) for name in columns}
        )
    parts = [_raw(found, columns, bbox=box) for box in boxes]
    return parts[0] if len(parts) == 1 else _once(parts)


def read_whole(found: VectorLayer, columns: Sequence[str]) -> Rows:
    """All rows of the layer, as `read_rows` reads them."""
    if _suffix(found.path) in _PARQUET:
        return _decoded(*_geoparquet().read(found.path, [(-np.inf, -np.inf, np.inf, np.inf)], columns))
    return _raw(found, columns)


def read_fids(found: VectorLayer, fids: Sequence[int], columns: Sequence[str]) -> Rows:
    """The rows of these numbers."""
    if found.table is not None:
        return _decoded(*postgis.read(found.table, None, columns, fids))
    if _suffix(found.path) in _PARQUET:
        return _decoded(*_geoparquet().read(found.path, None, columns, np.asarray(fids, dtype=np.int64)))
    return _raw(found, columns, fids=np.asarray(fids, dtype=np.int64))


def read_column(found: VectorLayer, columns: Sequence[str]) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
    """Some columns of the whole layer, without geometry, and the row numbers."""
    if found.table is not None:
        return postgis.read(found.table, None, columns, geometry=False)[1:]
    if _suffix(found.path) in _PARQUET:
        told: tuple[NDArray[np.int64], dict[str, NDArray[Any]]] = _geoparquet().read_columns(found.path, columns)
        return told
    rows = _raw(found, columns, read_geometry=False)
    return rows.fids, rows.columns


def read_bounds(found: VectorLayer) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Row numbers and bounds (west, south, east, north) of the whole layer, shape (n, 4); NaN without a geometry."""
    if found.table is not None or _suffix(found.path) in _PARQUET:
        rows = read_whole(found, ())
        away = np.array([*rows.unreadable, *rows.empty], dtype=np.int64)
        fids = np.concatenate([rows.fids, away])
        bounds = np.vstack([shapely.bounds(rows.geometries).reshape(-1, 4), np.full((len(away), 4), np.nan)])
        order = np.argsort(fids)
        return fids[order], bounds[order]
    try:
        with _quiet():
            fids, bounds = pyogrio.read_bounds(found.address, layer=found.layer)
    except (DataSourceError, DataLayerError, RuntimeError) as error:
        raise InputError(
            f"the layer cannot be read: {error}", file=found.path.name, layer=found.layer, remedy="export it again"
        ) from None
    return np.asarray(fids, dtype=np.int64), np.ascontiguousarray(np.asarray(bounds, dtype=np.float64).T)


def no_crs(found: VectorLayer) -> CrsError:
    """The refusal of a layer that does not say where on the earth it lies."""
    return CrsError(
        "the layer has no coordinate system",
        file=found.path.name,
        layer=found.layer,
        remedy='write crs = "EPSG:n" for it in layers.toml',
    )


def _raw(found: VectorLayer, columns: Sequence[str], **what: Any) -> Rows:
    asked: dict[str, Any] = {
        "layer": found.layer, "columns": list(columns), "force_2d": True, "return_fids": True, **what,
    }  # fmt: skip
    replaced = False
    try:
        with _quiet():
            try:
                meta, fids, wkb, data = pyogrio.raw.read(found.address, **asked)
            except UnicodeDecodeError:
                replaced = True
                meta, fids, wkb, data = _read_in_any_letters(found, asked)
    except (DataSourceError, DataLayerError, RuntimeError) as error:
        raise InputError(
            f"the layer cannot be read: {error}", file=found.path.name, layer=found.layer, remedy="export it again"
        ) from None
    named = dict(zip((str(name) for name in meta["fields"]), data, strict=True))
    if wkb is None:
        wkb = np.full(len(fids), None, dtype=object)
        return Rows(wkb, fids, named)
    return _decoded(wkb, fids, named, replaced=replaced)


def _read_in_any_letters(found: VectorLayer, asked: dict[str, Any]) -> Any:
    """The rows of a layer whose text is not what it says: as offices write it, else so that no byte is wrong."""
    try:
        return pyogrio.raw.read(found.address, encoding="windows-1252", **asked)
    except UnicodeDecodeError:
        return pyogrio.raw.read(found.address, encoding="latin-1", **asked)


def _decoded(
    wkb: NDArray[np.object_], fids: NDArray[np.int64], columns: dict[str, NDArray[Any]], *, replaced: bool = False
) -> Rows:
    absent = np.array([one is None for one in wkb], dtype=bool)
    geometries = shapely.force_2d(shapely.from_wkb(wkb, on_invalid="ignore"))
    bad = shapely.is_missing(geometries) & ~absent
    empty = absent | (shapely.is_empty(geometries) & ~bad)
    kept = ~(bad | empty)
    return Rows(
        geometries[kept], fids[kept], {name: values[kept] for name, values in columns.items()},
        tuple(map(int, fids[bad])), tuple(map(int, fids[empty])), replaced,
    )  # fmt: skip


def _once(parts: Sequence[Rows]) -> Rows:
    fids, first = np.unique(np.concatenate([part.fids for part in parts]), return_index=True)
    return Rows(
        np.concatenate([part.geometries for part in parts])[first],
        fids,
        {name: np.concatenate([part.columns[name] for part in parts])[first] for name in parts[0].columns},
        tuple(sorted({fid for part in parts for fid in part.unreadable})),
        tuple(sorted({fid for part in parts for fid in part.empty})),
        any(part.text_replaced for part in parts),
    )


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise InputError(f"a {suffix or 'nameless'} file is no reference layer", file=path.name,
                         remedy=f"use one of {' '.join(_SUFFIXES)}")  # fmt: skip
    return suffix


def _refuse_disguise(path: Path, suffix: str) -> None:
    if suffix == ".gdb":
        if not path.is_dir() or not any(path.glob("*.gdbtable")):
            raise InputError("this is no file geodatabase", file=path.name, remedy="name the .gdb folder")
        return
    with path.open("rb") as file:
        start = file.read(4096)
    if suffix in _MAGIC:
        honest = start.startswith(_MAGIC[suffix])
    else:
        honest = start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_JSON_STARTS)
    if not honest:
        raise HostileInputError(
            f"the content is not that of a {suffix} file", file=path.name, remedy="export it again from its source"
        )


def _zipped(path: Path, layer: str) -> str:
    """The address of the one readable file inside a zip archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:
        raise HostileInputError(
            "the content is not that of a .zip file", file=path.name, remedy="zip it again"
        ) from None
    found: dict[str, None] = {}
    for name in names:
        parts = PurePosixPath(name).parts
        if name.startswith("/") or ".." in parts or "\\" in name or "__MACOSX" in parts:
            continue
        database = next((i for i, part in enumerate(parts) if part.lower().endswith(".gdb")), None)
        if database is not None:
            found["/".join(parts[: database + 1])] = None
        elif PurePosixPath(name).suffix.lower() in _DRIVERS and not parts[-1].startswith("."):
            found[name] = None
    chosen = [name for name in found if PurePosixPath(name).stem == layer] or list(found)
    if len(chosen) != 1:
        what = f"holds {', '.join(sorted(chosen))}" if chosen else "holds no layer that is read here"
        raise InputError(f"the archive {what}", file=path.name, remedy="name one with layer, or unpack it")
    return f"/vsizip/{{{path.resolve()}}}/{chosen[0]}"


def _choose(path: Path, names: Sequence[str], layer: str) -> str:
    if layer in names:
        return layer
    if layer:
        raise InputError(
            f"there is no layer {layer!r}", file=path.name, remedy=f"it holds {', '.join(names) or 'no layer'}"
        )
    if len(names) != 1:
        raise InputError(
            f"the file holds {len(names)} layers: {', '.join(names[:12])}",
            file=path.name,
            remedy=f'name one: {path.name}#LAYER with --layer, or layer = "LAYER" in layers.toml',
        )
    return names[0]


def _finite(bounds: Sequence[float]) -> Box | None:
    west, south, east, north = (float(number) for number in bounds)
    return (west, south, east, north) if np.isfinite([west, south, east, north]).all() else None


@contextmanager
def _quiet() -> Iterator[None]:
    """No warnings about measures (M), which are dropped on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
