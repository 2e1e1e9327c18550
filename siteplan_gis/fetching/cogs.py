"""A window of a cloud-optimised GeoTIFF on a server: only the parts of the file that hold it are asked for."""

from __future__ import annotations

import io
import math
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import rasterio
from affine import Affine
from pyproj import CRS
from rasterio.errors import RasterioError

from siteplan_gis.errors import HostileInputError, InputError
from siteplan_gis.fetching.connection import PassingError, shown
from siteplan_gis.fetching.elevation import Grid, Heights, piece_of, refuse_too_many, unit_of_height
from siteplan_gis.fetching.ground import box_in, box_of, common
from siteplan_gis.ingest.elevation.vertical_units import stated_unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray
    from rasterio.windows import Window

    from siteplan_gis.fetching.connection import Answer, Connection
    from siteplan_gis.fetching.ground import Box
    from siteplan_gis.fetching.registry import SourceLayer

_BLOCK: Final = 1 << 18
_NAME: Final = "remote.tif"
_EDGE: Final = 1024
_FILE_STARTS: Final = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


class _Blocks:
    """A file on a server in blocks; `problem` keeps what went wrong, for GDAL tells only that something did."""

    def __init__(self, connection: Connection, url: str) -> None:
        self._connection, self._url, self._tag = connection, url, ""
        self.size = -1
        self.problem: InputError | None = None
        self._known = lru_cache(maxsize=64)(self._fetched)
        self._known(0)

    def read(self, start: int, end: int) -> bytes:
        """The bytes from `start` to before `end`; none where they did not come."""
        parts = []
        try:
            while start < end:
                number, within = divmod(start, _BLOCK)
                part = self._known(number)[within : within + end - start]
                parts.append(part)
                start += len(part)
        except InputError as problem:
            self.problem = problem
            return b""
        return b"".join(parts)

    def _fetched(self, number: int) -> bytes:
        start = number * _BLOCK
        last = start + _BLOCK - 1 if self.size < 0 else min(start + _BLOCK, self.size) - 1

        def check(answer: Answer) -> None:
            if answer.status != 206:  # noqa: PLR2004
                raise InputError(
                    "the server does not give parts of a file", file=shown(self._url), remedy="download it"
                )
            span = answer.headers.get("content-range", "").removeprefix("bytes ").strip()
            told, _, whole = span.partition("/")
            if not whole.isdecimal():
                raise InputError("the server does not say how large the file is", file=shown(self._url))
            size, tag = int(whole), answer.headers.get("etag") or answer.headers.get("last-modified") or ""
            if self.size >= 0 and (size, tag) != (self.size, self._tag):
                raise InputError("the file changed while it was read", file=shown(self._url), remedy="fetch again")
            self.size, self._tag = size, tag
            if told != f"{start}-{min(last, size - 1)}" or len(answer.content) != min(last, size - 1) - start + 1:
                raise PassingError("another part of the file came than was asked for")

        content = self._connection.ask(self._url, headers={"Range": f"bytes={start}-{last}"}, check=check).content
        if start == 0 and not content.startswith(_FILE_STARTS):
            raise HostileInputError("the content is not that of a TIFF", file=shown(self._url))
        return content


class _Cursor(io.RawIOBase):
    """The file as GDAL reads it."""

    def __init__(self, blocks: _Blocks) -> None:
        super().__init__()
        self._blocks, self._place = blocks, 0

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._blocks.size}[whence]
        self._place = start + offset
        return self._place

    def read(self, size: int = -1) -> bytes:
        size = self._blocks.size if size < 0 else size
        found = self._blocks.read(self._place, min(self._place + size, self._blocks.size))
        self._place += len(found)
        return found


class RemoteCog:
    """One file of elevations on a server."""

    def __init__(self, connection: Connection, source: SourceLayer, given_units: str) -> None:
        self._connection, self._source, self._given = connection, source, given_units
        self._blocks = _Blocks(connection, source.url)
        self._window: Window | None = None
        self.edge = _EDGE

    def describe(self, box: Box) -> Heights:
        """Learn its cells and unit, and choose the window over `box` (degrees)."""
        place = shown(self._source.url)
        with self._open(place) as dataset:
            if dataset.crs is None:
                raise InputError("the file has no coordinate system", file=place, remedy="use another source")
            transform = dataset.transform
            if transform.b or transform.d or transform.a <= 0 or transform.e >= 0:
                raise InputError("the file's grid is turned", file=place, remedy="use another source")
            crs = CRS.from_wkt(dataset.crs.to_wkt())
            definition = dataset.crs.to_string()
            if common(box, box_of(definition, tuple(dataset.bounds))) is None:
                raise InputError("its data do not reach the asked ground", file=place, remedy="ask elsewhere")
            units = ""
            if self._source.other == "elevation":
                stated = stated_unit(dataset, crs, place)
                units = unit_of_height(stated.metres if stated else None, self._source.units, self._given, place)
            west, south, east, north = box_in(definition, box)
            left = max(math.floor((west - transform.c) / transform.a), 0)
            right = min(math.ceil((east - transform.c) / transform.a), dataset.width)
            top = max(math.floor((north - transform.f) / transform.e), 0)
            bottom = min(math.ceil((south - transform.f) / transform.e), dataset.height)
            self._window = rasterio.windows.Window(left, top, right - left, bottom - top)
            corner = Affine(
                transform.a, 0, transform.c + left * transform.a, 0, transform.e, transform.f + top * transform.e
            )
            grid = Grid(definition, corner, right - left, bottom - top)
            refuse_too_many(grid, place)
            short = left == 0 or top == 0 or right == dataset.width or bottom == dataset.height
            notes = ("the file does not reach all of the asked ground",) * short
            return Heights(place, f"window {grid.columns} by {grid.rows} cells in {definition}", grid, units, notes)

    def piece(self, heights: Heights, window: Window) -> NDArray[np.float32]:
        """One piece of the window, at full resolution; voids as NaN."""
        assert self._window is not None
        column, row = self._window.col_off + window.col_off, self._window.row_off + window.row_off
        with self._open(heights.url) as dataset:
            return piece_of(dataset, rasterio.windows.Window(column, row, window.width, window.height), heights.url)

    @contextmanager
    def _open(self, place: str) -> Iterator[Any]:
        def opened(path: str, mode: str = "rb", **_: Any) -> _Cursor:
            if not path.endswith(_NAME) or "w" in mode:
                raise FileNotFoundError(path)  # There are no files beside it.
            return _Cursor(self._blocks)

        try:
            with rasterio.Env(GDAL_DISABLE_READDIR_ON_OPEN="EMPTY_DIR"), rasterio.open(_NAME, opener=opened) as dataset:
                yield dataset
        except (RasterioError, InputError) as problem:
            if self._blocks.problem is not None:
                raise self._blocks.problem from None
            if isinstance(problem, InputError):
                raise
            raise InputError(f"the file cannot be read: {problem}", file=place, remedy="fetch again") from None
