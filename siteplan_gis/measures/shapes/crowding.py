"""How closely the stretches of one drawing lie beside each other.

A zigzag of 100,000 teeth within a lot is valid, yet whatever is asked of it (is it valid, what is common to it and
other ground, what lies within so many feet of it) looks at each stretch beside all the others: their number squared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Vertices = NDArray[np.float64]

NEAR_M: Final = 0.25
"""Stretches are beside each other where their boxes come as near as this."""

MOST_PAIRS: Final = 10_000
PAIRS_PER_STRETCH: Final = 6
"""What may be: so many pairs in any drawing, and in one of very many stretches so many for each. Mapped lakes and
village limits have one or two for each."""

MOST_TOGETHER: Final = 3_000_000
"""What may be between all drawings of one kind: 20,000 needles across each other have a thousand times as many."""

_STEP_M: Final = 0.1
_ASKED: Final = 256


def crowded(lines: Sequence[Vertices], most_pairs: int = MOST_PAIRS) -> bool:
    """Whether stretches of some lines or rings, shape (n, 2) in metres, lie beside each other more often than may be.

    Of corners that follow each other within 10 cm one counts, so a curve may be drawn as densely as anyone likes.
    `most_pairs` is what may be in any drawing; of very many stretches each may have `PAIRS_PER_STRETCH`.

    Examples
    --------
    >>> x = np.linspace(0, 100, 20_000)
    >>> crowded([np.column_stack((x, np.sin(x)))])
    False
    >>> crowded([np.column_stack((x, np.where(np.arange(len(x)) % 2, 100.0, 0.0)))])
    True
    """
    # Fewer stretches than this have no more pairs.
    fewest = int(np.sqrt(2 * most_pairs))
    lines = [line for line in lines if len(line) > 1]
    if sum(map(len, lines)) <= fewest:
        return False
    first, last = _stepped(lines)
    if len(first) <= fewest:
        return False
    pairs = _pairs(first, last)
    return pairs > max(most_pairs, PAIRS_PER_STRETCH * len(first))


def _stepped(lines: Sequence[Vertices]) -> tuple[Vertices, Vertices]:
    """Where the stretches of lines begin and end, of which each has its ends and one corner for each step at most."""
    xy = np.concatenate(lines)
    line = np.repeat(np.arange(len(lines)), [len(one) for one in lines])
    ends = np.r_[True, line[1:] != line[:-1], True]
    length = np.where(ends[1:-1], 0.0, np.hypot(*np.diff(xy, axis=0).T))
    along = np.r_[0.0, np.cumsum(np.nan_to_num(length, posinf=0.0))]
    step = np.floor((along - along[np.flatnonzero(ends[:-1])][line]) / _STEP_M)
    kept = ends[:-1] | ends[1:] | (np.diff(step, prepend=0.0) > 0)
    xy, line = xy[kept], line[kept]
    same = line[1:] == line[:-1]
    return xy[:-1][same], xy[1:][same]


def _pairs(first: Vertices, last: Vertices) -> float:
    """How many pairs of stretches lie beside each other, by a few hundred of them."""
    low, high = np.minimum(first, last), np.maximum(first, last)
    asked = np.unique(np.linspace(0, len(low) - 1, _ASKED).astype(np.int64))
    beside = 0
    for one in asked:
        near = (low <= high[one] + NEAR_M) & (high >= low[one] - NEAR_M)
        beside += int(near.all(axis=1).sum()) - 1
    return beside / len(asked) * len(low) / 2
