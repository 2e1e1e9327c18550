"""Connected steep ground as polygons."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import shapely

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.terrain.medians import medians_by_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.terrain.cells import Runs
    from siteplan_gis.measures.terrain.strips import SlopeSums
    from siteplan_gis.model.terrain import ElevationSource

_LONGEST_EDGE_M: Final = 100.0
_FEW_CORNERS: Final = 1000
_WAYS: Final = np.array([[0, 1, 0, 0, -1, 0], [1, 0, 0, -1, 0, 0], [0, -1, -1, -1, 0, -1], [-1, 0, -1, 0, -1, -1]])
"""East, south, west, north: the step (row, column), the cells on the right and left ahead of the corner reached."""


class SlopePatch(NamedTuple):
    """A connected piece of steep ground in the site frame, its area and the median of its slope (rise over run)."""

    geometry: BaseGeometry
    area_m2: float
    median_ratio: float


def steep_patches(
    source: ElevationSource, ground: BaseGeometry, sums: SlopeSums, runs: Runs, limit2: float, least_m2: float
) -> tuple[SlopePatch, ...]:
    """Steep cells joined by their edges, clipped to the area, largest first.

    Parameters
    ----------
    ground
        The area in the grid's pixel coordinates; `runs` are its cells, and `sums.field` holds their squared slopes.
    least_m2
        Smaller pieces are left out.
    """
    squared, every = sums.field, sums.every
    share = _shares(runs, squared.shape, (*sums.corner, every))
    labels, count = label_steep(squared, share, limit2)
    dx, dy = source.spacing_m(*(np.atleast_1d(v) for v in shapely.get_coordinates(ground.centroid)[0]))
    cell_m2 = float(dx[0] * dy[0]) * every**2
    area = np.bincount(labels.ravel(), share.ravel(), count + 1) * cell_m2
    kept = np.flatnonzero(area >= least_m2 * (1 - 1e-3))
    kept = kept[kept > 0]
    if not kept.size:
        return ()
    number = np.zeros(count + 1, dtype=np.int64)
    number[kept] = np.arange(1, kept.size + 1)
    labels = number[labels]
    cut = np.unique(labels[(labels > 0) & (share < 1)]) - 1
    shapes = shapely.transform(outlines(labels), lambda xy: xy * every + [sums.corner[1], sums.corner[0]])
    shapely.prepare(ground)
    clipped = shapely.intersection(shapes[cut], ground)
    shapes[cut] = [shapely.union_all([p for p in shapely.get_parts([g]) if p.geom_type == "Polygon"]) for g in clipped]
    # A shape of many corners has no edge long enough to bend.
    few = shapely.get_num_coordinates(shapes) < _FEW_CORNERS
    shapes[few] = shapely.segmentize(shapes[few], max(_LONGEST_EDGE_M / float(dx[0]), 1.0))
    placed = np.asarray(source.placed(shapes))
    medians = medians_by_label(labels.ravel(), squared.ravel(), share.ravel(), kept.size)
    found = [
        SlopePatch(shape, float(size), math.sqrt(median))
        for shape, size, median in zip(placed, shapely.area(placed), medians, strict=True)
        if size > 0
    ]
    return tuple(sorted(found, key=lambda patch: -patch.area_m2))


def without_stairs(shapes: Sequence[BaseGeometry], cell_m: float) -> list[BaseGeometry]:
    """Shapes of cells made fit to draw: no outline leaves its own by as much as a cell.

    Through the middles of the cells' sides, which lie in line along a slanting edge, then with fewer corners. For
    drawing only: areas are those of the cells.

    Examples
    --------
    >>> stairs = shapely.union_all([shapely.box(k, 0, k + 1, k + 1) for k in range(9)])
    >>> (shape,) = without_stairs([stairs], 1.0)
    >>> len(stairs.exterior.coords), len(shape.exterior.coords) < 8
    (29, True)
    """
    drawn = []
    for shape in shapes:
        sides = shapely.segmentize(shape, cell_m)
        middles = [
            shapely.Polygon(_middles(part.exterior), [_middles(hole) for hole in part.interiors])
            for part in shapely.get_parts(sides)
        ]
        smooth = shapely.simplify(shapely.MultiPolygon(middles), 0.6 * cell_m, preserve_topology=True)
        drawn.append(smooth if smooth.is_valid and not smooth.is_empty else shape)
    return [shape.geoms[0] if shapely.get_num_geometries(shape) == 1 and shape.geom_type == "MultiPolygon" else shape
            for shape in drawn]  # fmt: skip


def _middles(ring: BaseGeometry) -> NDArray[np.float64]:
    xy = shapely.get_coordinates(ring)
    middles = (xy[:-1] + xy[1:]) / 2
    return np.vstack((middles, middles[:1]))


def _shares(runs: Runs, shape: tuple[int, int], place: tuple[int, int, int]) -> NDArray[np.float64]:
    """Covered shares of the cells of the field of squared slopes."""
    share = np.zeros(shape)
    _fill(runs.row, runs.first, runs.end, runs.share, np.array(place), share)
    return share


@compiled
def _fill(
    row: NDArray[np.int64],
    first: NDArray[np.int64],
    end: NDArray[np.int64],
    covered: NDArray[np.float64],
    place: NDArray[np.int64],
    share: NDArray[np.float64],
) -> None:
    every = place[2]
    for i in range(row.size):
        down = row[i] - place[0]
        if down % every != every // 2:
            continue
        for c in range(first[i] - place[1], end[i] - place[1]):
            if c % every == every // 2:
                share[down // every, c // every] = covered[i]


def outlines(labels: NDArray[np.int64]) -> NDArray[np.object_]:
    """One polygon for each label from 1 on, in pixel coordinates: its cells joined."""
    padded = np.pad(labels, 1)
    steep = padded > 0
    corners = _count_corners(steep)
    xy, ring, label = np.empty((corners, 2)), np.empty(corners, dtype=np.int64), np.empty(corners // 4, dtype=np.int64)
    label = label[: _trace(padded, np.zeros(steep.shape, dtype=bool), xy, ring, label)]
    xy -= 1
    rings = shapely.linearrings(xy, indices=ring)
    # The trace keeps the ground on its right: an outline turns one way, a hole the other.
    hole = ~shapely.is_ccw(rings)
    order = np.lexsort((hole, label))
    outlines: NDArray[np.object_] = shapely.polygons(rings[order], indices=label[order] - 1)
    return outlines


def _count_corners(steep: NDArray[np.bool_]) -> int:
    """How many corners the rings around steep cells have: where one or three of four cells are steep, or two across."""
    nw, ne, sw, se = steep[:-1, :-1], steep[:-1, 1:], steep[1:, :-1], steep[1:, 1:]
    odd, across = nw ^ ne ^ sw ^ se, (nw == se) & (ne == sw) & (nw != ne)
    return int(odd.sum() + 2 * across.sum())


def label_steep(
    squared: NDArray[np.float64], weights: NDArray[np.float64], limit2: float
) -> tuple[NDArray[np.int64], int]:
    """Number steep cells of the area so that cells joined by edges share a number; others are 0."""
    labels = np.zeros(squared.shape, dtype=np.int64)
    parent = np.arange(squared.size // 2 + 2)
    number = np.zeros(_label(squared, weights, limit2, labels, parent) + 1, dtype=np.int64)
    count = _number(parent, number)
    return number[labels], count


@compiled
def _label(
    squared: NDArray[np.float64],
    weights: NDArray[np.float64],
    limit2: float,
    labels: NDArray[np.int64],
    parent: NDArray[np.int64],
) -> int:
    """First labels, row by row, and the forest of labels that turned out to be joined; returns their number."""
    rows, columns = squared.shape
    used = 0
    for r in range(rows):
        for c in range(columns):
            if not (weights[r, c] > 0.0 and squared[r, c] >= limit2):
                continue
            up = labels[r - 1, c] if r > 0 else 0
            left = labels[r, c - 1] if c > 0 else 0
            if up == 0 and left == 0:
                used += 1
                labels[r, c] = used
                continue
            a, b = max(up, left), min(up, left)
            if b == 0 or a == b:  # noqa: PLR1714
                labels[r, c] = a
                continue
            while parent[a] != a:
                parent[a] = parent[parent[a]]
                a = parent[a]
            while parent[b] != b:
                parent[b] = parent[parent[b]]
                b = parent[b]
            labels[r, c] = min(a, b)
            parent[max(a, b)] = min(a, b)
    return used


@compiled
def _number(parent: NDArray[np.int64], number: NDArray[np.int64]) -> int:
    """Consecutive numbers for the trees of the forest; a parent is always smaller than what hangs on it."""
    count = 0
    for k in range(1, number.size):
        if parent[k] == k:
            count += 1
            number[k] = count
        else:
            number[k] = number[parent[k]]
    return count


@compiled
def _trace(
    labels: NDArray[np.int64],
    seen: NDArray[np.bool_],
    xy: NDArray[np.float64],
    ring: NDArray[np.int64],
    label_of: NDArray[np.int64],
) -> int:
    """Rings around cells of one label (with an empty rim): corners, ring of each corner, label of each ring.

    Where two cells of one label meet only at a corner, the rings pass on both sides of them, so that a hole touches
    its outline in a point; cells of different labels are kept apart. Either way every ring is simple.
    Fills the corners of all rings, the ring of each corner and the label of each ring; returns the number of rings.
    """
    rows, columns = labels.shape
    n = rings = 0
    for r0 in range(1, rows - 1):
        for c0 in range(1, columns - 1):
            label = labels[r0, c0]
            if label == 0 or labels[r0 - 1, c0] > 0 or seen[r0, c0]:
                continue
            r, c, way = r0, c0, 0
            while True:
                if way == 0:
                    if seen[r, c]:
                        break
                    seen[r, c] = True
                r += _WAYS[way, 0]
                c += _WAYS[way, 1]
                right = labels[r + _WAYS[way, 2], c + _WAYS[way, 3]]
                left = labels[r + _WAYS[way, 4], c + _WAYS[way, 5]]
                if left > 0 and (right > 0 or left == label):
                    turn = 3
                elif right > 0:
                    continue
                else:
                    turn = 1
                way = (way + turn) & 3
                xy[n, 0], xy[n, 1] = c, r
                ring[n] = rings
                n += 1
            label_of[rings] = label
            rings += 1
    return rings
