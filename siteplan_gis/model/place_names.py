"""Names for things that have none, which hang neither on the order of a file nor on its name or coordinate system."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import shapely

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry


def names_by_place(names: Sequence[str], kinds: Sequence[str], places: Sequence[BaseGeometry]) -> list[str]:
    """A name for each thing, each once: its own, else its kind and a number.

    Numbers count things of one kind from north to south, then from west to east, by the middles of their extents
    rounded to 1 m. What shares its own name with things before it in that order gets a number in brackets.

    Examples
    --------
    >>> places = [shapely.Point(0, 0), shapely.Point(5, 90), shapely.Point(-5, 90), shapely.Point(9, 9)]
    >>> names_by_place(["", "", "OF-1", "OF-1"], ["outfall"] * 4, places)
    ['outfall 2', 'outfall 1', 'OF-1', 'OF-1 (2)']
    """
    taken = Counter(name for name in names if name)
    counts: Counter[str] = Counter()
    found = [""] * len(names)
    for k in sorted(range(len(names)), key=lambda k: (*_place(places[k]), names[k])):
        own = names[k]
        counts[own or kinds[k]] += 1
        name = (
            own if own and counts[own] == 1 else f"{own} ({counts[own]})" if own else f"{kinds[k]} {counts[kinds[k]]}"
        )
        while name != own and name in taken:
            counts[own or kinds[k]] += 1
            name = f"{own} ({counts[own]})" if own else f"{kinds[k]} {counts[kinds[k]]}"
        found[k] = name
    return found


def _place(geometry: BaseGeometry) -> tuple[float, float, float]:
    if geometry.is_empty:
        return 0.0, 0.0, 0.0
    west, south, east, north = geometry.bounds
    size = shapely.area(geometry) or shapely.length(geometry)
    return -round((south + north) / 2), round((west + east) / 2), round(size)
