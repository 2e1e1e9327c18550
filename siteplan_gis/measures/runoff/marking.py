"""Cells of a grid that a geometry touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from siteplan_gis.measures.compiling import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.ground import Conditioned

    Floats = NDArray[np.float64]
    Bytes = NDArray[np.uint8]


def cells_touched(ground: Conditioned, targets: Sequence[BaseGeometry]) -> NDArray[np.uint8]:
    """Non-zero where a geometry of the frame touches a cell of the window, shape (rows, columns)."""
    rows, cols = ground.z_m.shape
    goal = np.zeros((rows, cols), np.uint8)
    if not len(targets):
        return goal
    window = ground.placed(shapely.segmentize(shapely.box(0, 0, cols, rows), max(rows, cols) / 8))
    shapely.prepare(window)
    near = np.asarray(targets, dtype=object)
    near = near[shapely.intersects(window, near)]
    if not near.size:
        return goal
    for shape in shapely.get_parts(shapely.get_parts(ground.pixels(shapely.GeometryCollection(list(near))))):
        if shape.geom_type == "Polygon":
            for ring in shapely.get_rings(shape):
                draw(goal, shapely.get_coordinates(ring))
                mark_right(goal, shapely.get_coordinates(ring))
            left, top, right, bottom = shapely.bounds(shape)
            fill(
                goal, max(0, int(top) - 1), min(rows, int(bottom) + 2), max(0, int(left) - 1), min(cols, int(right) + 2)
            )
        else:
            xy = shapely.get_coordinates(shape)
            draw(goal, xy if len(xy) > 1 else np.vstack([xy, xy]))
    return goal


@compiled
def draw(cells: Bytes, xy: Floats) -> None:
    """Set bit 1 of every cell that a line in pixel coordinates runs through."""
    rows, cols = cells.shape
    for i in range(xy.shape[0] - 1):
        x1, y1, x2, y2 = xy[i, 0], xy[i, 1], xy[i + 1, 0], xy[i + 1, 1]
        if max(x1, x2) < 0 or min(x1, x2) > cols or max(y1, y2) < 0 or min(y1, y2) > rows:
            continue
        steps = int(np.ceil(max(abs(x2 - x1), abs(y2 - y1)) * 5)) + 1
        for step in range(steps + 1):
            x, y = x1 + step / steps * (x2 - x1), y1 + step / steps * (y2 - y1)
            if 0 <= x < cols and 0 <= y < rows:
                cells[int(y), int(x)] |= 1


@compiled
def mark_right(cells: Bytes, xy: Floats) -> None:
    """In each row turn bit 4 of the first cell whose middle lies right of a closed line (see `fill`)."""
    rows, cols = cells.shape
    for i in range(xy.shape[0] - 1):
        x1, y1, x2, y2 = xy[i, 0], xy[i, 1], xy[i + 1, 0], xy[i + 1, 1]
        low, high = min(y1, y2), max(y1, y2)
        for row in range(max(0, int(np.ceil(low - 0.5))), min(rows, int(np.ceil(high - 0.5)))):
            x = x1 + (row + 0.5 - y1) / (y2 - y1) * (x2 - x1)
            col = max(0, int(np.ceil(x - 0.5)))
            if col < cols:
                cells[row, col] ^= 4


@compiled
def fill(cells: Bytes, top: int, bottom: int, left: int, right: int) -> None:
    """Set bit 2 of the cells between the marks that closed lines left in some rows and columns; clear the marks."""
    for row in range(top, bottom):
        inside = False
        for col in range(left, right):
            if cells[row, col] & 4:
                inside = not inside
                cells[row, col] &= 3
            if inside:
                cells[row, col] |= 2
