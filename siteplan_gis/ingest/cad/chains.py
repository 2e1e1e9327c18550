"""Boundaries drawn in pieces: lines and arcs of one layer that meet end to end and come back to where they began."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.ingest.drawn.drawing import Drawing, DrawnFeature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Vertices = NDArray[np.float64]

_SAME: Final = 1e-3
"""Ends this near to each other, in the drawing's unit, are one point."""

_PIECES: Final = frozenset({"LINE", "ARC", "LWPOLYLINE", "POLYLINE", "SPLINE", "ELLIPSE"})


def chained(features: Sequence[DrawnFeature]) -> list[DrawnFeature]:
    """The features, with every ring of open pieces at one height joined into one closed line.

    Only rings without a fork are joined: where three ends meet, nobody can tell which way the boundary runs.
    """
    pieces = {number: feature for number, feature in enumerate(features) if _is_piece(feature)}
    meeting: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    ends = {number: _ends(feature) for number, feature in pieces.items()}
    for number, both in ends.items():
        for end in both:
            meeting[end].append(number)
    joined: dict[int, DrawnFeature] = {}
    used: set[int] = set()
    seen: set[int] = set()
    for first in pieces:
        if first in seen:
            continue
        ring, closes = _walk(first, ends, meeting)
        seen.update(ring)
        if closes:
            used.update(ring)
            joined[first] = _joined([pieces[number] for number in ring])
    return [
        joined.get(number, feature) for number, feature in enumerate(features) if number not in used - joined.keys()
    ]


def _is_piece(feature: DrawnFeature) -> bool:
    drawing = feature.drawing
    if drawing is None or drawing.is_symbol or len(drawing.lines) != 1 or drawing.polygons or drawing.points:
        return False
    line = drawing.lines[0]
    return (
        drawing.kinds[0] in _PIECES
        and "xdata elevation" not in feature.attributes
        and len(line) > 1
        and bool(np.hypot(*(line[0] - line[-1])) > _SAME)
    )


def _ends(feature: DrawnFeature) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    assert feature.drawing is not None
    line, heights = feature.drawing.lines[0], feature.drawing.line_z[0]
    first, last = (0.0, 0.0) if heights is None else (float(heights[0]), float(heights[-1]))
    return _key(line[0], first), _key(line[-1], last)


def _key(point: Vertices, height: float) -> tuple[int, int, int]:
    return round(point[0] / _SAME), round(point[1] / _SAME), round(height / _SAME)


def _walk(
    first: int,
    ends: dict[int, tuple[tuple[int, int, int], tuple[int, int, int]]],
    meeting: dict[tuple[int, int, int], list[int]],
) -> tuple[list[int], bool]:
    """Pieces in order from one on, and whether they come back to where it began without a fork."""
    begin, at = ends[first]
    ring, here = {first: None}, first
    while at != begin:
        others = [number for number in meeting[at] if number != here]
        if len(meeting[at]) != 2 or len(others) != 1 or others[0] in ring:  # noqa: PLR2004
            return list(ring), False
        here = others[0]
        ring[here] = None
        at = ends[here][1] if ends[here][0] == at else ends[here][0]
    return list(ring), len(meeting[begin]) == 2 and len(ring) > 1  # noqa: PLR2004


def _joined(pieces: list[DrawnFeature]) -> DrawnFeature:
    lines: list[Vertices] = []
    heights: list[Vertices] = []
    for number, piece in enumerate(pieces):
        assert piece.drawing is not None
        line = piece.drawing.lines[0]
        z = piece.drawing.line_z[0]
        z = np.zeros(len(line)) if z is None else z
        if number == 0:
            following = pieces[1].drawing
            assert following is not None
            ends = following.lines[0][[0, -1]]
            turn = np.hypot(*(ends - line[-1]).T).min() > np.hypot(*(ends - line[0]).T).min()
        else:
            turn = np.hypot(*(line[0] - lines[-1][-1])) > np.hypot(*(line[-1] - lines[-1][-1]))
        lines.append(line[::-1] if turn else line)
        heights.append(z[::-1] if turn else z)
    course = np.vstack([lines[0], *(line[1:] for line in lines[1:])])
    course[-1] = course[0]
    joined_z = np.concatenate([heights[0], *(z[1:] for z in heights[1:])])
    kinds = list(dict.fromkeys(kind for piece in pieces if piece.drawing for kind in piece.drawing.kinds))
    drawing = Drawing(lines=[course], line_z=[joined_z], kinds=kinds, has_z=bool((joined_z != 0).any()))
    name = f"{pieces[0].id} and {len(pieces) - 1} more"
    return DrawnFeature(name, drawing, {**pieces[0].attributes, "joined": len(pieces)})
