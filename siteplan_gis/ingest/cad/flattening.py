"""Curves of CAD drawings as vertices: arcs, bulges, ellipses and splines, none farther off than an asked distance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Vertices = NDArray[np.float64]

_MOST_CHORDS: Final = 20_000
_FEWEST_CHORDS_OF_CIRCLE: Final = 16
_FULL_TURN: Final = 2 * math.pi


def arc_points(centre: tuple[float, float], radius: float, start: float, turn: float, off: float) -> Vertices:
    """Vertices of an arc, shape (n, 2), both ends included; angles in radians, `turn` > 0 counter-clockwise.

    `off` is the longest distance between the arc and its chords: the sagitta r (1 - cos(step / 2)).

    Examples
    --------
    >>> arc_points((0.0, 0.0), 1.0, 0.0, math.pi / 2, 0.5).round(3).tolist()[::4]
    [[1.0, 0.0], [0.0, 1.0]]
    """
    step = 2 * math.acos(max(1 - off / radius, -1.0)) if radius > off else math.pi
    chords = max(math.ceil(abs(turn) / step), math.ceil(abs(turn) / _FULL_TURN * _FEWEST_CHORDS_OF_CIRCLE), 1)
    angles = start + turn * np.linspace(0.0, 1.0, min(chords, _MOST_CHORDS) + 1)
    return np.column_stack((centre[0] + radius * np.cos(angles), centre[1] + radius * np.sin(angles)))


def bulged(corners: Sequence[tuple[float, float, float]], off: float, *, closed: bool) -> Vertices:
    """Vertices, shape (n, 2), of a polyline whose corners are x, y and the bulge of the segment that follows.

    A bulge is the tangent of a quarter of the arc's angle, positive where the arc runs counter-clockwise. A closed
    polyline ends where it began, and the bulge of its last corner is that of the closing segment.

    Examples
    --------
    >>> half_circle = bulged([(0, 0, 1), (2, 0, 0)], 0.001, closed=False)
    >>> float(half_circle[:, 1].min().round(3))
    -1.0
    """
    ends = [*corners[1:], corners[0]] if closed else corners[1:]
    pieces = [np.array([corners[0][:2]], dtype=np.float64)]
    for (x0, y0, bulge), (x1, y1, _) in zip(corners, ends, strict=False):
        chord = math.hypot(x1 - x0, y1 - y0)
        if abs(bulge) < 1e-9 or chord == 0:  # noqa: PLR2004
            pieces.append(np.array([[x1, y1]]))
            continue
        radius = chord * (1 + bulge * bulge) / (4 * abs(bulge))
        aside = (1 - bulge * bulge) / (4 * bulge)
        centre = ((x0 + x1) / 2 - aside * (y1 - y0), (y0 + y1) / 2 + aside * (x1 - x0))
        start = math.atan2(y0 - centre[1], x0 - centre[0])
        arc = arc_points(centre, radius, start, 4 * math.atan(bulge), off)
        arc[-1] = x1, y1
        pieces.append(arc[1:])
    return np.vstack(pieces)


def positions(points: Iterable[Any]) -> Vertices:
    """Points of the CAD library as an array of shape (n, 3)."""
    return np.array([(point.x, point.y, point.z) for point in points], dtype=np.float64).reshape(-1, 3)


def spline_points(curve: Any, off: float) -> Vertices:
    """Vertices, shape (n, 3), of an ellipse or spline of the CAD library."""
    return positions(curve.flattening(off, 8))
