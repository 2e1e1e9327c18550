"""Which waters have no outlet: no mapped line leads away from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely
from shapely import Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

__all__ = ["without_outlet"]


def without_outlet(
    waters: Sequence[BaseGeometry], lines: Sequence[BaseGeometry], near_m: float, known: Sequence[bool] = ()
) -> NDArray[np.bool_]:
    """Whether no line leads away from each water, shape (waters,); False for what has no area.

    A line leads away that touches the water or comes within `near_m` of it, and ends farther off in the direction of
    flow. Where the direction is not `known` (one for each line; all where none is given), either end counts.

    Examples
    --------
    >>> from shapely import LineString, box
    >>> lake, inflow, outflow = box(0, 0, 90, 60), LineString([(200, 30), (85, 30)]), LineString([(5, 30), (-200, 30)])
    >>> without_outlet([lake], [inflow], 5.0).tolist(), without_outlet([lake], [inflow, outflow], 5.0).tolist()
    ([True], [False])
    """
    areas = np.array([shapely.area(water) > 0 for water in waters], dtype=bool)
    parts, of = shapely.get_parts(np.asarray(lines, dtype=object), return_index=True) if len(lines) else ([], [])
    pieces = [(part, bool(known[i]) if len(known) else True) for part, i in zip(parts, of, strict=True) if part.length]
    tree = shapely.STRtree([part for part, _ in pieces])
    closed = areas.copy()
    for i in np.flatnonzero(areas).tolist():
        for k in tree.query(waters[i], predicate="dwithin", distance=near_m):
            line, flows = pieces[k]
            ends = [line.coords[-1]] if flows else [line.coords[0], line.coords[-1]]
            if any(waters[i].distance(Point(end)) > near_m for end in ends):
                closed[i] = False
                break
    return closed
