"""Which stretches of a line have something running along them.

A thing beside a line covers only what it runs along: it is projected on to the line, so that a fence across it covers
one point, and a fence beside it its own length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely.ops import substring

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

_STEP_M: Final = 0.5
_NOTHING_M: Final = 1e-6
_TURN: Final = 3.0
"""Around a corner of the line a thing `near_m` off may jump along it by this many times `near_m`."""


def bare_stretches(
    lines: BaseGeometry,
    things: Sequence[BaseGeometry],
    near_m: float,
    side: int = 0,
    least_m: float = 0.5,
    most: int = 20_000,
) -> shapely.MultiLineString:
    """The stretches of some lines along which no thing runs within `near_m` metres.

    Parameters
    ----------
    things
        Lines, outlines of areas, or points; a point covers the line within `near_m` of it.
    side
        1 counts only what lies to the left of the lines, -1 to the right, 0 both.
    least_m
        Shorter stretches are left out.
    most
        Samples of a thing; a longer one is looked at more coarsely.

    Examples
    --------
    >>> edge = shapely.LineString([(0, 0), (100, 0)])
    >>> beside, across = shapely.LineString([(20, 3), (60, 3)]), shapely.LineString([(80, -9), (80, 9)])
    >>> [[float(x) for x, _ in part.coords] for part in bare_stretches(edge, [beside, across], 5.0).geoms]
    [[0.0, 20.0], [60.0, 100.0]]
    """
    parts = [part for part in shapely.get_parts(shapely.get_parts([lines])) if part.length > 0]
    near = [
        part
        for thing in things
        for part in _courses(thing)
        if any(shapely.dwithin(part, line, near_m) for line in parts)
    ]
    left = []
    for line in parts:
        covered = [span for thing in near for span in _spans(line, thing, near_m, side, most)]
        at = 0.0
        for first, last in [*sorted(covered), (line.length, line.length)]:
            if first - at >= least_m:
                left.append(substring(line, at, first))
            at = max(at, last)
    return shapely.MultiLineString([part for part in left if part.geom_type == "LineString"])


def _courses(thing: BaseGeometry) -> list[BaseGeometry]:
    """Lines and points of a thing; of an area its rings."""
    found: list[BaseGeometry] = []
    for part in shapely.get_parts(shapely.get_parts([thing])):
        found += shapely.get_rings(part).tolist() if part.geom_type == "Polygon" else [part]
    return [part for part in found if not part.is_empty]


def _spans(line: BaseGeometry, thing: BaseGeometry, near_m: float, side: int, most: int) -> list[tuple[float, float]]:
    """From where to where a thing runs along a line."""
    if thing.length == 0:
        away = line.distance(thing)
        if away > near_m or (side and _sides(line, np.array([thing]))[0] not in {0, side}):
            return []
        at, half = float(line.project(thing)), float(np.sqrt(max(near_m**2 - away**2, 0.0)))
        return [(max(at - half, 0.0), min(at + half, line.length))]
    count = int(min(max(np.ceil(thing.length / _STEP_M), 2), most)) + 1
    points = shapely.line_interpolate_point(thing, np.linspace(0.0, thing.length, count))
    beside = shapely.distance(line, points) <= near_m
    if side:
        beside &= np.isin(_sides(line, points), (0, side))
    at = shapely.line_locate_point(line, points)
    low, high = np.minimum(at[:-1], at[1:]), np.maximum(at[:-1], at[1:])
    both = beside[:-1] & beside[1:] & (high - low > _NOTHING_M) & (high - low <= max(_TURN * near_m, 4 * _STEP_M))
    found = list(zip(low[both].tolist(), high[both].tolist(), strict=True))
    if line.is_closed:
        # Over the place where a ring begins and ends.
        seam = beside[:-1] & beside[1:] & (low + line.length - high <= max(_TURN * near_m, 4 * _STEP_M))
        found += [(0.0, at) for at in low[seam].tolist()] + [(at, float(line.length)) for at in high[seam].tolist()]
    return found


def _sides(line: BaseGeometry, points: np.ndarray) -> np.ndarray:
    """1 for points left of a line, -1 right of it, 0 on it."""
    at = shapely.line_locate_point(line, points)
    before = shapely.get_coordinates(shapely.line_interpolate_point(line, np.maximum(at - _STEP_M, 0.0)))
    after = shapely.get_coordinates(shapely.line_interpolate_point(line, np.minimum(at + _STEP_M, line.length)))
    course, off = after - before, shapely.get_coordinates(points) - before
    turn: np.ndarray = np.sign(np.round(course[:, 0] * off[:, 1] - course[:, 1] * off[:, 0], 9))
    return turn
