"""What part of a searched area no layer covers: where nothing was found because nothing was there to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry


def uncovered(search: BaseGeometry, coverages: Sequence[BaseGeometry], noise_m: float) -> BaseGeometry | None:
    """The part of `search` that none of `coverages` reaches; None where all is covered.

    A gap that is nowhere wider than `noise_m` (metres) is no gap: tiles of one map meet with a hair between them.

    Examples
    --------
    >>> from shapely import box
    >>> uncovered(box(0, 0, 10, 10), [box(0, 0, 10, 4), box(0, 4.5, 10, 10)], noise_m=1.0) is None
    True
    >>> uncovered(box(0, 0, 10, 10), [box(0, 0, 10, 4)], noise_m=1.0).area
    60.0
    """
    left = shapely.difference(search, in_one([coverage for coverage in coverages if not coverage.is_empty]))
    parts = [part for part in shapely.get_parts(left) if not shapely.buffer(part, -noise_m / 2).is_empty]
    return in_one(parts) if parts else None


def in_one(areas: Sequence[BaseGeometry]) -> BaseGeometry:
    """Areas united; one alone as it is."""
    return areas[0] if len(areas) == 1 else shapely.union_all(areas)
