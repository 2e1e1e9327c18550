"""Pages into one layer file, page by page, so that memory does not grow with the layer."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyogrio
import shapely
from pyogrio.errors import DataLayerError, DataSourceError

from siteplan_gis.errors import InputError
from siteplan_gis.fetching.asking import ROW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from siteplan_gis.fetching.asking import Asked, FeatureService, Page
    from siteplan_gis.fetching.registry import Geometry

_DIMENSIONS: Final = {"point": 0, "line": 1, "polygon": 2}
_GEOMETRY: Final = "wkb_geometry"


class Assembly:
    """The features of all pages, each once.

    Attributes
    ----------
    got
        Different features that came, those without geometry among them.
    without_geometry
        Of these: features that lie nowhere; they are counted and not stored.
    twice
        How often a feature came again.
    """

    def __init__(self, service: FeatureService, asked: Asked, geometry: Geometry, place: str) -> None:
        self._service, self._asked, self._place = service, asked, place
        self._dimension = _DIMENSIONS.get(geometry)
        self._inside = shapely.box(*asked.box)
        self.got = self.without_geometry = self.twice = self.stored = self.met = 0

    def write(self, pages: Callable[[], Iterable[bytes]], path: Path) -> None:
        """Write them as FlatGeobuf.

        Raises
        ------
        InputError
            If a page holds what is no feature of this layer.
        """
        schema = self._schema(pages())
        problems: list[Exception] = []

        def batches() -> Iterator[pa.RecordBatch]:
            # What is raised here passes through GDAL, which tells only that something was.
            try:
                yield from self._batches(pages(), schema)
            except Exception as problem:
                problems.append(problem)
                raise

        reader = pa.RecordBatchReader.from_batches(schema, batches())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                pyogrio.raw.write_arrow(
                    reader, path, driver="FlatGeobuf", layer=path.stem, crs=self._asked.crs, geometry_type="Unknown",
                    geometry_name=_GEOMETRY,
                )  # fmt: skip
            except RuntimeError:
                if not problems:
                    raise
                raise problems[0] from None
        if self.stored and not self.met:
            raise InputError(
                "no feature lies on the asked ground: the service swaps its axes or disregards the box",
                file=self._place, remedy="use another source",
            )  # fmt: skip

    def _table(self, page: Page) -> pa.Table:
        content, options = page.readable()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _, table = pyogrio.raw.read_arrow(io.BytesIO(content), **options)
        except (DataSourceError, DataLayerError, RuntimeError) as problem:
            raise InputError(f"a page cannot be read: {problem}", file=self._place, remedy="fetch again") from None
        if _GEOMETRY not in table.column_names:
            index = next(i for i, one in enumerate(table.schema) if b"ARROW:extension:name" in (one.metadata or {}))
            table = table.rename_columns([_GEOMETRY if i == index else n for i, n in enumerate(table.column_names)])
        table = table.sort_by(ROW)
        if table.column(ROW).to_pylist() != list(range(len(table))):
            raise InputError("the features of a page cannot be told apart", file=self._place, remedy="fetch again")
        return table.drop_columns([ROW])

    def _schema(self, pages: Iterable[bytes]) -> pa.Schema:
        """Names and types that hold the values of every page."""
        kinds: dict[str, pa.DataType] = {}
        for page in map(self._service.read, pages):
            if not page.ids:
                continue
            table = self._table(page)
            for name in table.column_names:
                column = table.column(name)
                kind = pa.null() if column.null_count == len(column) else column.type
                kinds[name] = _holding_both(kinds.get(name, pa.null()), column.type if page.declared else kind)
            if page.declared:
                break
        kinds.pop(_GEOMETRY, None)
        fields = [pa.field(name, pa.string() if pa.types.is_null(kind) else kind) for name, kind in kinds.items()]
        wkb = {"ARROW:extension:name": "geoarrow.wkb"}
        return pa.schema([*fields, pa.field(_GEOMETRY, pa.binary(), metadata=wkb)])

    def _batches(self, pages: Iterable[bytes], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        seen: set[str] = set()
        for page in map(self._service.read, pages):
            ids = page.ids
            if not ids:
                continue
            table = self._table(page)
            if len(table) != len(ids):
                raise InputError(
                    f"{len(ids)} features were read as {len(table)}", file=self._place, remedy="fetch again"
                )
            new = np.zeros(len(ids), dtype=bool)
            for i, one in enumerate(ids):
                new[i] = one not in seen
                seen.add(one)
            self.twice += int((~new).sum())
            self.got += int(new.sum())
            geometries, lie = self._checked(table, ids, page.lie)
            self.without_geometry += int((new & ~lie).sum())
            kept = new & lie
            self.stored += int(kept.sum())
            if not kept.any():
                continue
            chosen = table.filter(pa.array(kept))
            self.met += int(shapely.intersects(self._inside, shapely.box(*shapely.bounds(geometries[kept]).T)).sum())
            columns = [
                pa.array(shapely.to_wkb(geometries[kept]), pa.binary()) if field.name == _GEOMETRY
                else _cast(chosen, field) for field in schema
            ]  # fmt: skip
            yield pa.RecordBatch.from_arrays([_joined(column) for column in columns], schema=schema)

    def _checked(
        self, table: pa.Table, ids: list[str], stated: list[bool]
    ) -> tuple[NDArray[np.object_], NDArray[np.bool_]]:
        """Flat geometries of one kind, and which features lie anywhere."""
        wkb = np.asarray(table.column(_GEOMETRY).to_pylist(), dtype=object)
        geometries = shapely.force_2d(shapely.from_wkb(wkb, on_invalid="ignore"))
        lie = np.array([one is not None and not one.is_empty for one in geometries], dtype=bool)
        broken = np.array(stated, dtype=bool) != lie
        finite = np.isfinite(shapely.bounds(geometries)).all(axis=1)
        wrong = lie & (
            ~finite | (shapely.get_dimensions(geometries) != self._dimension if self._dimension is not None else False)
        )
        if (broken | wrong).any():
            where = int(np.argmax(broken | wrong))
            raise InputError("a geometry cannot be read or is of another kind", file=self._place, feature=ids[where])
        return geometries, lie


def _holding_both(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """The type that holds values of both."""
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    numbers = [pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in (one, other)]
    if all(numbers):
        return pa.int64() if pa.types.is_integer(one) and pa.types.is_integer(other) else pa.float64()
    return pa.string()


def _cast(table: pa.Table, field: pa.Field) -> pa.ChunkedArray:
    if field.name not in table.column_names:
        return pa.chunked_array([pa.nulls(len(table), field.type)])
    column = table.column(field.name)
    if column.null_count == len(column):
        return pa.chunked_array([pa.nulls(len(column), field.type)])
    return column if column.type == field.type else pc.cast(column, field.type)


def _joined(column: Any) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        joined = column.combine_chunks()
        return joined.combine_chunks() if isinstance(joined, pa.ChunkedArray) else joined
    return column
