"""Geometries taken apart into flat arrays of coordinates, for kernels that look at many of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """Geometries as flat arrays.

    Attributes
    ----------
    xy
        Coordinates of all of them, shape (n, 2).
    lines
        Where each ring, line or point begins in `xy`, and the end; shape (lines + 1,).
    first_line
        Where the lines of each geometry begin in `lines`, and the end; shape (geometries + 1,).
    outer
        True for lines that begin a part: a point, a line, or the outer ring of a polygon; shape (lines,).
    areal
        True for polygons; shape (geometries,).
    boxes
        Bounds, shape (geometries, 4); not a number for empty ones, which are near nothing.
    """

    xy: Floats
    lines: Ints
    first_line: Ints
    outer: NDArray[np.bool_]
    areal: NDArray[np.bool_]
    boxes: Floats

    def __len__(self) -> int:
        return len(self.boxes)


def take_apart(geometries: Sequence[BaseGeometry] | NDArray[np.object_]) -> Shapes:
    """Geometries, each of one dimension, as flat arrays.

    Examples
    --------
    >>> shapes = take_apart([shapely.box(0, 0, 1, 1), shapely.Point(5, 5)])
    >>> shapes.lines.tolist(), shapes.first_line.tolist()
    ([0, 5, 6], [0, 1, 2])
    """
    drawn = np.asarray(geometries, dtype=object)
    parts, of_geometry = drawn, np.arange(len(drawn))
    while (shapely.get_type_id(parts) > shapely.GeometryType.POLYGON).any():
        parts, inner = shapely.get_parts(parts, return_index=True)
        of_geometry = of_geometry[inner]
    # Rings are made only of what has several: as objects they cost ten times as much as their coordinates.
    size, rings = shapely.get_num_coordinates(parts), 1 + shapely.get_num_interior_rings(parts)
    rings[size == 0] = 0
    several = np.repeat(rings > 1, rings)
    length = np.empty(len(several), np.int64)
    length[~several] = size[rings == 1]
    length[several] = shapely.get_num_coordinates(shapely.get_rings(parts[rings > 1]))
    first_of_part = _ends(rings)
    outer = np.zeros(len(several), dtype=bool)
    outer[first_of_part[:-1][rings > 0]] = True
    first = first_of_part[np.searchsorted(of_geometry, np.arange(len(drawn) + 1))]
    areal = shapely.get_dimensions(drawn) == 2  # noqa: PLR2004
    boxes = np.ascontiguousarray(shapely.bounds(drawn)).reshape(-1, 4)
    xy = np.ascontiguousarray(shapely.get_coordinates(parts))
    return Shapes(xy, _ends(length), first, outer, np.asarray(areal, dtype=bool), boxes)


def _ends(sizes: Ints) -> Ints:
    """Where each of some runs of these sizes begins, and the end."""
    ends = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    return ends
