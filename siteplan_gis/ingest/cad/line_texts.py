"""Which line of a drawing a text belongs to: the one that it interrupts, that it stands on, or that runs beside it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import LineString, Point, STRtree

from siteplan_gis.ingest.cad.texts import WIDTH_OF_LETTER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from siteplan_gis.ingest.drawn.drawing import DrawnText

    Vertices = NDArray[np.float64]

_ABOUT_AS_NEAR: Final = 1.3
_LONGEST_GAP: Final = 2.0
_OFF_MIDDLE: Final = 0.4
_MOST_ENDS: Final = 100
"""Ends of lines that are looked at for a gap, nearest first: a large text over a drawing has thousands about it."""


def texts_at_lines(lines: Sequence[Vertices], texts: Sequence[DrawnText]) -> dict[int, list[DrawnText]]:
    """Texts by the place of their line in `lines` (arrays of shape (n, 2)); pieces that join end to end share them.

    A text in the gap between two ends of lines labels both, however near another line passes; else the nearest line
    within about half the text's length, and any that is about as near, unless a text of its own interrupts it.
    """
    said: dict[int, list[DrawnText]] = defaultdict(list)
    if not lines or not texts:
        return said
    shapes = np.array([LineString(line) for line in lines])
    tree = STRtree(shapes)
    ends = np.array([line[place] for line in lines for place in (0, -1)])
    closed = np.repeat([bool((line[0] == line[-1]).all()) for line in lines], 2)
    end_tree = STRtree(shapely.points(ends))
    beside: list[tuple[DrawnText, float]] = []
    for text in texts:
        reach = len(text.words) * text.height * WIDTH_OF_LETTER / 2 + text.height
        near_ends = end_tree.query(Point(text.middle), predicate="dwithin", distance=_LONGEST_GAP * reach)
        pair = _interrupted(ends, near_ends[~closed[near_ends]], text)
        if pair:
            for number in {end // 2 for end in pair}:
                said[number].append(text)
        else:
            beside.append((text, max(reach, 1.5 * text.height)))
    interrupted = set(said)
    for text, reach in beside:
        at = Point(text.middle)
        near = tree.query(at, predicate="dwithin", distance=reach)
        if not len(near):
            continue
        away = shapely.distance(shapes[near], at)
        closest = float(away.min())
        near_enough = away <= max(_ABOUT_AS_NEAR * closest, closest + 0.25 * text.height)
        for number in near[near_enough].tolist():
            if number not in interrupted:
                said[number].append(text)
    _share(said, lines)
    return said


def _interrupted(ends: Vertices, near: NDArray[np.intp], text: DrawnText) -> tuple[int, int] | None:
    """The two ends between which a text stands in the middle; of several pairs the closest."""
    middle = np.array(text.middle)
    if len(near) > _MOST_ENDS:
        near = near[np.sort(np.argsort(np.hypot(*(ends[near] - middle).T), kind="stable")[:_MOST_ENDS])]
    one, other = np.triu_indices(len(near), 1)
    first, second = ends[near[one]], ends[near[other]]
    gap, off = np.hypot(*(first - second).T), np.hypot(*((first + second) / 2 - middle).T)
    between = np.flatnonzero((gap > 0) & (off <= np.maximum(_OFF_MIDDLE * gap, text.height / 2)))
    if not len(between):
        return None
    best = between[np.argmin(off[between] + gap[between] / 2)]
    return int(near[one[best]]), int(near[other[best]])


def _share(said: dict[int, list[DrawnText]], lines: Sequence[NDArray[np.float64]]) -> None:
    """Pass texts on to lines that join a line with a text end to end, no third one meeting there."""
    meeting: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        for end in (line[0], line[-1]):
            meeting[round(end[0] * 1000), round(end[1] * 1000)].append(number)
    waiting = list(said)
    while waiting:
        number = waiting.pop()
        for end in (lines[number][0], lines[number][-1]):
            others = meeting[round(end[0] * 1000), round(end[1] * 1000)]
            for other in others if len(others) == 2 else ():  # noqa: PLR2004
                if other != number and other not in said:
                    said[other] = list(said[number])
                    waiting.append(other)
