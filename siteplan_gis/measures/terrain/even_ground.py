"""What the elevations under a parcel cannot prove: ground of one height, stairs of resampling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from siteplan_gis.measures.terrain.artefacts import LEVEL_M2, has_stairs, is_level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from siteplan_gis.model.terrain import ElevationSource

    Reader = Callable[[int, int, int, int], NDArray[np.float64]]

_AROUND_CELLS: Final = 16
_MOST_AT_ONCE: Final = 24_000_000


class Evenness(NamedTuple):
    """Square metres of one exact height (as water is made), and whether heights come in stairs."""

    level_m2: float
    stairs: bool


def evenness_of_parcels(source: ElevationSource, parcels: NDArray[np.object_]) -> list[Evenness]:
    """Look at the source's own cells under each parcel (polygons in the frame), and some cells around it."""
    rows, columns = source.shape
    drawn = np.asarray(source.pixels(parcels))
    boxes = shapely.bounds(drawn)
    boxes[~np.isfinite(boxes).all(axis=1)] = -1e9
    windows = np.column_stack([
        np.clip(boxes[:, :2] - _AROUND_CELLS, 0, (columns, rows)),
        np.clip(boxes[:, 2:] + _AROUND_CELLS + 1, 0, (columns, rows)),
    ]).astype(np.int64)  # fmt: skip
    kept_m = abs(source.unit_m) if source.unit_m != 1.0 else 0.0
    middle_x, middle_y = (windows[:, :2] + windows[:, 2:]).T / 2
    cells_m2 = np.multiply(*source.spacing_m(middle_x, middle_y))
    with source.reader() as read:
        return [
            _evenness(shape, window, z, cell_m2, source.unit_m, kept_m)
            for shape, window, z, cell_m2 in zip(drawn, windows, _pieces(read, windows), cells_m2.tolist(), strict=True)
        ]


def _pieces(read: Reader, windows: NDArray[np.int64]) -> Iterator[NDArray[np.float64]]:
    """The elevations of each window: out of one reading where all of them lie together."""
    there = windows[(windows[:, 2] > windows[:, 0]) & (windows[:, 3] > windows[:, 1])]
    if len(there):
        left, top = there[:, :2].min(axis=0).tolist()
        right, bottom = there[:, 2:].max(axis=0).tolist()
    else:
        left = top = right = bottom = 0
    together = (
        read(left, top, right - left, bottom - top) if 0 < (right - left) * (bottom - top) <= _MOST_AT_ONCE else None
    )
    for c0, r0, c1, r1 in windows.tolist():
        if c1 <= c0 or r1 <= r0:
            yield np.empty((0, 0))
        elif together is not None:
            yield together[r0 - top : r1 - top, c0 - left : c1 - left]
        else:
            yield read(c0, r0, c1 - c0, r1 - r0)


def _evenness(
    shape: object, window: NDArray[np.int64], z: NDArray[np.float64], cell_m2: float, unit_m: float, kept_m: float
) -> Evenness:
    if not z.size:
        return Evenness(0.0, stairs=False)
    level = is_level(z)
    level_m2 = 0.0
    if np.count_nonzero(level) * cell_m2 >= LEVEL_M2:
        row, column = np.nonzero(level)
        x, y = column + window[0] + 0.5, row + window[1] + 0.5
        level_m2 = float(shapely.contains_xy(shape, x, y).sum()) * cell_m2
    return Evenness(level_m2, has_stairs(z * unit_m if unit_m != 1.0 else z, kept_m))
