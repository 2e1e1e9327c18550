"""Where the cells of a grid are counted from, so that no result depends on the window or the tiles that were read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from affine import Affine


def first_cell(transform: Affine) -> tuple[int, int]:
    """Column and row of a grid's first cell, counted from the origin of the CRS in cells of this size.

    Examples
    --------
    >>> from affine import Affine
    >>> first_cell(Affine(2, 0, 600_001, 0, -2, 4_800_000)), first_cell(Affine(2, 0, 600_003, 0, -2, 4_799_000))
    ((300001, -2400000), (300002, -2399500))
    """
    a, b, c, d, e, f = transform[:6]
    turn = a * e - b * d
    return math.floor(round((e * c - b * f) / turn, 3) + 0.5), math.floor(round((a * f - d * c) / turn, 3) + 0.5)
