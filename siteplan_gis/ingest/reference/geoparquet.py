"""GeoParquet files by bounding box, read with Arrow alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely

from siteplan_gis.errors import HostileInputError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from siteplan_gis.ingest.reference.rows import Box


@dataclass(frozen=True, slots=True)
class Description:
    """What the file's own metadata say; `bounds` is None where they do not tell the extent."""

    crs: str
    bounds: tuple[float, float, float, float] | None
    fields: tuple[str, ...]
    rows: int
    column: str
    covering: dict[str, list[str]] | None


def describe(path: Path) -> Description:
    """Read the metadata of a GeoParquet file.

    Raises
    ------
    HostileInputError
        If its content is not Parquet.
    InputError
        If it is Parquet without the "geo" metadata, or its geometries are not stored as WKB.
    """
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowInvalid, OSError):
        raise HostileInputError("the content is not that of a .parquet file", file=path.name) from None
    try:
        geo = json.loads((file.schema_arrow.metadata or {})[b"geo"])
        name = geo["primary_column"]
        about = geo["columns"][name]
    except (KeyError, ValueError, TypeError):
        raise InputError(
            "the Parquet file holds no geometries", file=path.name, remedy="write it as GeoParquet"
        ) from None
    if about.get("encoding") != "WKB":
        raise InputError(
            f"geometries are stored as {about.get('encoding')!r}", file=path.name, remedy="write them as WKB"
        )
    # The standard: no "crs" means longitude and latitude on WGS 84; null means unknown.
    crs = json.dumps(about["crs"]) if about.get("crs") else ("" if "crs" in about else "OGC:CRS84")
    covering = about.get("covering", {}).get("bbox")
    bounds = about.get("bbox")
    if bounds is not None:
        half = len(bounds) // 2
        bounds = (bounds[0], bounds[1], bounds[half], bounds[half + 1])
    else:
        bounds = _extent(file, name)
    hidden = {name} | ({paths[0] for paths in covering.values()} if covering else set())
    fields = tuple(field for field in file.schema_arrow.names if field not in hidden)
    return Description(crs, bounds, fields, file.metadata.num_rows, name, covering)


def read(
    path: Path, boxes: Sequence[Box] | None, columns: Sequence[str], fids: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.object_], NDArray[np.int64], dict[str, NDArray[Any]]]:
    """Geometries as WKB, row numbers and columns of the rows that meet one of `boxes`, or of the rows `fids`."""
    about = describe(path)
    file = pq.ParquetFile(path)
    found: list[tuple[NDArray[np.object_], NDArray[np.int64], dict[str, NDArray[Any]]]] = []
    start = 0
    for group in range(file.num_row_groups):
        count = file.metadata.row_group(group).num_rows
        numbers = np.arange(start, start + count)
        start += count
        chosen = _meeting(file, group, about, boxes) if fids is None else np.isin(numbers, fids)
        if not chosen.any():
            continue
        table = file.read_row_group(group, columns=[about.column, *columns]).filter(pa.array(chosen))
        wkb = np.asarray(table.column(about.column).to_pylist(), dtype=object)
        found.append((wkb, numbers[chosen], {name: _values(table, name) for name in columns}))
    if not found:
        return np.empty(0, dtype=object), np.empty(0, dtype=np.int64), {name: np.empty(0, object) for name in columns}
    return (
        np.concatenate([part[0] for part in found]),
        np.concatenate([part[1] for part in found]),
        {name: np.concatenate([part[2][name] for part in found]) for name in columns},
    )


def read_columns(path: Path, columns: Sequence[str]) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
    """Some columns of the whole file, and the row numbers."""
    table = pq.read_table(path, columns=list(columns))
    return np.arange(table.num_rows), {name: _values(table, name) for name in columns}


def _meeting(file: pq.ParquetFile, group: int, about: Description, boxes: Sequence[Box] | None) -> NDArray[np.bool_]:
    """Which rows of a row group meet one of `boxes`: by the covering columns where there are some."""
    boxes = boxes or ()
    if about.covering is None:
        table = file.read_row_group(group, columns=[about.column])
        bounds = shapely.bounds(shapely.from_wkb(table.column(0).to_pylist(), on_invalid="ignore"))
    else:
        if not any(_group_may_meet(file, group, about.covering, box) for box in boxes):
            return np.zeros(file.metadata.row_group(group).num_rows, dtype=bool)
        paths = [about.covering[side] for side in ("xmin", "ymin", "xmax", "ymax")]
        table = file.read_row_group(group, columns=[".".join(path) for path in paths])
        bounds = np.column_stack([_nested(table, path) for path in paths])
    met = np.zeros(len(bounds), dtype=bool)
    for west, south, east, north in boxes:
        met |= (bounds[:, 0] <= east) & (bounds[:, 2] >= west) & (bounds[:, 1] <= north) & (bounds[:, 3] >= south)
    return met


def _group_may_meet(file: pq.ParquetFile, group: int, covering: dict[str, list[str]], box: Box) -> bool:
    """Whether the statistics of a row group leave room for a row in `box`."""
    west, south, east, north = box
    least = {"xmin": east, "ymin": north}
    most = {"xmax": west, "ymax": south}
    metadata = file.metadata.row_group(group)
    ranges = {metadata.column(i).path_in_schema: metadata.column(i).statistics for i in range(metadata.num_columns)}
    for side, limit in (*least.items(), *most.items()):
        statistics = ranges.get(".".join(covering[side]))
        if statistics is None or not statistics.has_min_max:
            continue
        if (side in least and statistics.min > limit) or (side in most and statistics.max < limit):
            return False
    return True


def _nested(table: pa.Table, path: Sequence[str]) -> NDArray[np.float64]:
    values = table.column(path[0])
    for part in path[1:]:
        values = pc.struct_field(values, part)
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)


def _values(table: pa.Table, name: str) -> NDArray[np.object_]:
    values = np.empty(table.num_rows, dtype=object)
    values[:] = table.column(name).to_pylist()
    return values


def _extent(file: pq.ParquetFile, column: str) -> tuple[float, float, float, float] | None:
    table = file.read(columns=[column])
    bounds = shapely.total_bounds(shapely.from_wkb(table.column(0).to_pylist(), on_invalid="ignore"))
    if not np.isfinite(bounds).all():
        return None
    return (float(bounds[0]), float(bounds[1]), float(bounds[2]), float(bounds[3]))
