"""Parcels along a curve that fills the plane, cut into partitions that are read and measured together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.frame import PLACE_DEGREES

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PARCELS: Final = 2000
_SHARES: Final = 8
"""Bits of a place's own curve."""

_BLOCK_BITS: Final = 1
"""A partition keeps to a quarter of a place, about 1.7 by 1.3 miles, so that its elevations fit into memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Rows of an index that are screened together; all belong to one place of the net."""

    number: int
    rows: NDArray[np.int64]


def partitioned(
    lonlat: NDArray[np.float64], rows: NDArray[np.int64], most: int = MOST_PARCELS
) -> tuple[Partition, ...]:
    """Rows in partitions of at most `most`, along the curve; those without a place (NaN) come last.

    Examples
    --------
    >>> lonlat = np.array([[-87.98, 43.42], [-87.981, 43.421], [-87.5, 43.4], [np.nan, np.nan]])
    >>> [partition.rows.tolist() for partition in partitioned(lonlat, np.arange(4))]
    [[0, 1], [2], [3]]
    """
    known = np.isfinite(lonlat[rows]).all(axis=1)
    placed, lost = rows[known], rows[~known]
    code = curve(lonlat[placed])
    order = np.lexsort((placed, code))
    placed, block = placed[order], code[order] >> (2 * (_SHARES - _BLOCK_BITS))
    edges = np.flatnonzero(np.diff(block)) + 1
    pieces: list[NDArray[np.int64]] = []
    for piece in (*np.split(placed, edges), lost):
        # In equal pieces: a small rest would cost as much reading as a full one.
        pieces += np.array_split(piece, max(-(-len(piece) // most), 1)) if len(piece) else []
    return tuple(Partition(number, piece) for number, piece in enumerate(pieces))


def curve(lonlat: NDArray[np.float64]) -> NDArray[np.int64]:
    """Place on Morton's curve of each position in degrees: neighbours on it are mostly neighbours on the ground.

    Its leading digits are those of the place of the net (see `frame.frame_of_place`).
    """
    place = np.round(lonlat / PLACE_DEGREES)
    share = lonlat / PLACE_DEGREES - place + 0.5
    within = np.clip((share * (1 << _SHARES)).astype(np.int64), 0, (1 << _SHARES) - 1)
    whole = (place.astype(np.int64) + (1 << 13)) * (1 << _SHARES) + within
    code = np.zeros(len(lonlat), dtype=np.int64)
    for bit in range(14 + _SHARES + 1):
        for axis in (0, 1):
            code |= ((whole[:, axis] >> bit) & 1) << (2 * bit + axis)
    return code
