"""Elevations read strip by strip under polygons, and their slopes summed on the way: memory does not grow with them."""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.terrain import gradients
from siteplan_gis.measures.terrain.lattice import first_cell
from siteplan_gis.measures.threads import in_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from siteplan_gis.measures.terrain.cells import Runs
    from siteplan_gis.model.terrain import ElevationSource

_CELLS_AT_ONCE: Final = 2_000_000
_ROWS_AT_LEAST: Final = 64
_WIDEST_SPAN: Final = 4096
_THREADS: Final = 2
"""Fixed, so that sums are the same to the last digit on every machine."""

_WORTH_A_THREAD: Final = 1_000_000
_KNOTS: Final = 33
_KNOT_M: Final = 2000.0


@dataclass(frozen=True, slots=True, eq=False)
class SlopeSums:
    """Sums for each polygon, by `terrain.gradients`; a histogram and a field of squared slopes where asked for.

    `field` holds every `every`-th cell's squared slope of the window whose first row and column are `corner`.
    """

    totals: NDArray[np.float64]
    bins: NDArray[np.float64]
    field: NDArray[np.float64]
    corner: tuple[int, int] = (0, 0)
    every: int = 1


def sum_slopes(
    source: ElevationSource,
    runs: Runs,
    many: int,
    per_block: tuple[int, int],
    edges: NDArray[np.float64],
    *,
    detailed: bool = False,
    most_field: int = 0,
) -> SlopeSums:
    """Sum the slopes under the runs of many polygons, reading each block that they touch once.

    Parameters
    ----------
    many
        How many polygons there are.
    per_block
        Columns and rows averaged into one analysis cell, counted from the origin of the CRS.
    edges
        Five rising squared limits.
    detailed
        Keep a histogram (of all polygons together), the sum and the highest.
    most_field
        Keep a field of at most so many cells.
    """
    jobs = _jobs(source, runs)
    sums = _empty(runs, many, detailed=detailed, most_field=most_field)
    if not jobs.size:
        return sums
    spacing = _Spacing(source, jobs)
    cells = (jobs[:, 3] - jobs[:, 2]) * (jobs[:, 5] - jobs[:, 4])
    threads = _THREADS if cells.sum() > _WORTH_A_THREAD and len(jobs) > 1 else 1
    # Shared out by blocks: each is decoded whole, however little of it is looked at.
    high, wide = source.block
    blocks = ((jobs[:, 3] - 1) // high - jobs[:, 2] // high + 1) * ((jobs[:, 5] - 1) // wide - jobs[:, 4] // wide + 1)
    parts = np.searchsorted(np.cumsum(blocks), blocks.sum() * np.arange(1, threads) / threads) + 1
    shares = np.split(jobs, parts) if threads > 1 else [jobs]
    own = [sums] + [_empty(runs, many, detailed=detailed, most_field=0, field=sums) for _ in range(threads - 1)]
    with ExitStack() as stack:
        readers = [stack.enter_context(source.reader()) for _ in shares]

        def work(part: int) -> None:
            for job in shares[part]:
                _measure(source, readers[part], job, runs, spacing, per_block, edges, own[part])

        # Whatever has to be compiled or imported is so before there are threads.
        _measure(source, readers[0], shares[0][0], runs, spacing, per_block, edges, own[0])
        shares[0] = shares[0][1:]
        in_threads(work, threads, threads)
    for other in own[1:]:
        highest = np.maximum(sums.totals[:, gradients.HIGHEST], other.totals[:, gradients.HIGHEST])
        sums.totals[:] += other.totals
        sums.totals[:, gradients.HIGHEST] = highest
        sums.bins[:] += other.bins
    return sums


def _empty(runs: Runs, many: int, *, detailed: bool, most_field: int, field: SlopeSums | None = None) -> SlopeSums:
    totals, bins = np.zeros((many, gradients.TOTALS)), np.zeros((2, gradients.BINS if detailed else 0))
    if field is not None:
        return SlopeSums(totals, bins, field.field, field.corner, field.every)
    if not most_field or not runs.row.size:
        return SlopeSums(totals, bins, np.empty((0, 0)))
    top, left = int(runs.row.min()), int(runs.first.min())
    rows, columns = int(runs.row.max()) + 1 - top, int(runs.end.max()) - left
    every = math.ceil(math.sqrt(rows * columns / most_field)) if rows * columns > most_field else 1
    return SlopeSums(totals, bins, np.full((rows // every + 1, columns // every + 1), np.nan), (top, left), every)


def _jobs(source: ElevationSource, runs: Runs) -> NDArray[np.int64]:
    """Windows to read, in reading order: first and last run, rows and columns of the cells measured there."""
    rows, columns = source.shape
    high, wide = source.block
    wide = max(1, min(wide, columns))
    span = columns if wide >= columns else max(1, _WIDEST_SPAN // wide) * wide
    fit = max(_CELLS_AT_ONCE // span, 1)
    strip = high * max(_ROWS_AT_LEAST // high, 1) if wide < columns else fit // high * high or fit
    if not runs.row.size:
        return np.empty((0, 6), dtype=np.int64)
    strips = np.arange(int(runs.row[0]) // strip, int(runs.row[-1]) // strip + 1) * strip
    bounds = np.searchsorted(runs.row, np.append(strips, rows))
    block_columns = -(-columns // wide)
    jobs = np.empty((strips.size * block_columns, 6), dtype=np.int64)
    count = _spans(bounds, runs.row, runs.first, runs.end, wide, span // wide, np.empty(block_columns, np.int64), jobs)
    jobs = jobs[:count]
    return jobs[np.lexsort((jobs[:, 2], jobs[:, 4] // span))]


@compiled
def _spans(
    bounds: NDArray[np.int64],
    row: NDArray[np.int64],
    first: NDArray[np.int64],
    end: NDArray[np.int64],
    wide: int,
    most: int,
    group: NDArray[np.int64],
    jobs: NDArray[np.int64],
) -> int:
    """For each strip the groups of neighbouring blocks that runs touch, as tightly as the runs fill them.

    `group` has a place for each block of a row. `jobs` receives the groups; returns how many there are.
    """
    n = 0
    for s in range(bounds.size - 1):
        i0, i1 = bounds[s], bounds[s + 1]
        if i0 == i1:
            continue
        for b in range(group.size):
            group[b] = -1
        for i in range(i0, i1):
            for b in range(first[i] // wide, (end[i] - 1) // wide + 1):
                group[b] = 0
        length = 0
        for b in range(group.size):
            if group[b] < 0:
                length = 0
                continue
            if length == 0 or b % most == 0:
                jobs[n, 0], jobs[n, 1] = i0, i1
                jobs[n, 2], jobs[n, 3], jobs[n, 4], jobs[n, 5] = 1 << 60, -1, 1 << 60, -1
                n += 1
                length = 0
            length += 1
            group[b] = n - 1
        for i in range(i0, i1):
            b, last = first[i] // wide, (end[i] - 1) // wide
            while b <= last:
                g = group[b]
                stop = b
                while stop <= last and group[stop] == g:
                    stop += 1
                jobs[g, 2] = min(jobs[g, 2], row[i])
                jobs[g, 3] = max(jobs[g, 3], row[i] + 1)
                jobs[g, 4] = min(jobs[g, 4], max(first[i], b * wide))
                jobs[g, 5] = max(jobs[g, 5], min(end[i], stop * wide))
                b = stop
    return n


class _Spacing:
    """True ground spacing of any row, from a coarse lattice of geodesics: it bends by 1e-7 between two knots."""

    def __init__(self, source: ElevationSource, jobs: NDArray[np.int64]) -> None:
        box = jobs[:, 2].min() - 1, jobs[:, 3].max() + 1, jobs[:, 4].min(), jobs[:, 5].max()
        middle = np.array([(box[2] + box[3]) / 2]), np.array([(box[0] + box[1]) / 2])
        dx, dy = (float(size[0]) for size in source.spacing_m(*middle))
        self.rows = self._knots(box[0] + 0.5, box[1] - 0.5, dy)
        self.columns = self._knots(box[2], box[3], dx)
        column, row = np.meshgrid(self.columns, self.rows)
        self.size = [size.reshape(column.shape) for size in source.spacing_m(column.ravel(), row.ravel())]

    @staticmethod
    def _knots(low: float, high: float, size_m: float) -> NDArray[np.float64]:
        count = int(min(max(math.ceil((high - low) * size_m / _KNOT_M) + 1, 2), _KNOTS))
        return np.linspace(low, high, count)

    def at(self, column: float, rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Spacing in metres of rows, along a column."""
        j = min(max(int(np.searchsorted(self.columns, column)) - 1, 0), self.columns.size - 2)
        part = (column - self.columns[j]) / (self.columns[j + 1] - self.columns[j])
        dx, dy = (np.interp(rows, self.rows, size[:, j] + part * (size[:, j + 1] - size[:, j])) for size in self.size)
        return dx, dy


def _measure(
    source: ElevationSource,
    read: Callable[[int, int, int, int], NDArray[np.float64]],
    job: NDArray[np.int64],
    runs: Runs,
    spacing: _Spacing,
    per_block: tuple[int, int],
    edges: NDArray[np.float64],
    sums: SlopeSums,
) -> None:
    i0, i1, r0, r1, c0, c1 = (int(number) for number in job)
    rows, columns = source.shape
    across, down = per_block
    first_block = r0, c0
    top, bottom, left, right = r0 - 1, r1 + 1, c0 - 1, c1 + 1
    if across > 1 or down > 1:
        first_column, first_row = first_cell(source.transform)
        # The first block that reaches into the window, and one more around it.
        first_block = (
            (first_row + r0) // down * down - first_row - down,
            (first_column + c0) // across * across - first_column - across,
        )
        high = (r1 - 1 - first_block[0]) // down + 2
        wide = (c1 - 1 - first_block[1]) // across + 2
        top, left = first_block
        bottom, right = top + high * down, left + wide * across
    top, left, bottom, right = max(top, 0), max(left, 0), min(bottom, rows), min(right, columns)
    if across > 1 or down > 1:
        z = read(left, top, right - left, bottom - top)
    else:
        z = _with_rim(read, source.block, (left, top, right, bottom), job, runs)
    middle = (c0 + c1) / 2
    dx, dy = spacing.at(middle, np.arange(top + 0.5, bottom))
    horn, other = _NO_BLOCKS, _NO_BLOCKS
    if across > 1 or down > 1:
        means = np.empty((high, wide))
        gradients.block_means(z, np.array([first_block[0] - top, first_block[1] - left, across, down]), means)
        block_dx, block_dy = spacing.at(middle, first_block[0] + down * np.arange(0.5, high))
        horn, other = np.empty_like(means), np.empty_like(means)
        eighth = source.unit_m / 8
        gradients.block_slopes(means, eighth / (block_dx * across), eighth / (block_dy * down), horn, other)
    gradients.add_slopes(
        z,
        np.array([top, left]),
        source.unit_m / (8 * dx),
        source.unit_m / (8 * dy),
        dx * dy,
        np.array([*first_block, across, down]),
        horn,
        other,
        runs.row,
        runs.first,
        runs.end,
        runs.polygon,
        runs.share,
        np.array([i0, i1, c0, c1]),
        edges,
        sums.totals,
        sums.bins,
        sums.field,
        np.array([*sums.corner, sums.every]),
    )


def _with_rim(
    read: Callable[[int, int, int, int], NDArray[np.float64]],
    block: tuple[int, int],
    window: tuple[int, int, int, int],
    job: NDArray[np.int64],
    runs: Runs,
) -> NDArray[np.float64]:
    """The cells of a job and those around them; those not read are not a number.

    Of the rows above and below only what lies beside runs is read where that spares the decoding of a block.
    """
    i0, i1, r0, r1, c0, c1 = (int(number) for number in job)
    left, top, right, bottom = window
    high, wide = block
    rims, first, last = [], top, bottom
    for row, rim in ((r0, top), (r1 - 1, bottom - 1)):
        if row // high == rim // high:
            continue
        beside = slice(*(i0 + np.searchsorted(runs.row[i0:i1], (row, row + 1))))
        begins, ends = np.maximum(runs.first[beside], c0), np.minimum(runs.end[beside], c1)
        here = begins < ends
        begin, end = max(int(begins[here].min()) - 1, left), min(int(ends[here].max()) + 1, right)
        if (begin // wide, (end - 1) // wide) != (left // wide, (right - 1) // wide):
            rims.append((rim, begin, end))
            first, last = (row, last) if rim < row else (first, row + 1)
    z = read(left, first, right - left, last - first)
    if not rims:
        return z
    whole = np.full((bottom - top, right - left), np.nan, z.dtype)
    whole[first - top : last - top] = z
    for rim, begin, end in rims:
        whole[rim - top, begin - left : end - left] = read(begin, rim, end - begin, 1)[0]
    return whole


_NO_BLOCKS: Final = np.empty((0, 0))
