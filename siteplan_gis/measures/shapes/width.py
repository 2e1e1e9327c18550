"""How wide ground is where it is widest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CLOSE_ENOUGH: Final = 0.25
"""Of half the width: the circle that is looked for first may be smaller than the largest by so much."""


def wider_than(shapes: NDArray[np.object_], width_m: float) -> NDArray[np.bool_]:
    """Whether each of some geometries is somewhere wider than `width_m` metres; points and lines are not.

    Most ground holds a circle of that width, which is found at once; only where none is found is a whole strip along
    the outline taken off, which takes long where it has thousands of holes.

    Examples
    --------
    >>> strips = shapely.box(0, 0, 100, [0.04, 0.06])
    >>> wider_than(np.array([*strips, shapely.LineString([(0, 0), (9, 9)])]), 0.05).tolist()
    [False, True, False]
    """
    wide = np.zeros(len(shapes), dtype=bool)
    half_m = width_m / 2
    areas = (shapely.get_dimensions(shapes) == 2) & ~shapely.is_empty(shapes)  # noqa: PLR2004
    low_x, low_y, high_x, high_y = shapely.bounds(shapes).T
    for place in np.flatnonzero(areas & (np.minimum(high_x - low_x, high_y - low_y) > width_m)):
        circle = shapely.maximum_inscribed_circle(shapes[place], tolerance=_CLOSE_ENOUGH * half_m)
        wide[place] = circle.length > half_m or not shapely.buffer(shapes[place], -half_m).is_empty
    return wide
