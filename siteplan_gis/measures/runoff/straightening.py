"""The course of a path without what only the grid makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.measures.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

TUBE_CELLS: Final = 0.5
"""A path in a channel that runs between the middles of cells swings from side to side by half a cell at most."""

_NOISE_SWINGS: Final = 0.2
"""Noise as high as the fall over a cell swings a path by this many cells; measured on valleys of known course."""

_MOST_CELLS: Final = 2.0
_FREE_CELLS: Final = 0.05
_LONGEST: Final = 120
"""Places that one line stands for at most."""

_ONE_COURSE: Final = 0.05
_NEAR: Final = 1e-4
_TRIED: Final = 8
_JOINT_CELLS: Final = 0.5
"""Two lines meet no farther than this, beyond their tubes, from the path."""


def straightened(xy: Floats, tube: float = TUBE_CELLS) -> Floats:
    """A path in pixel coordinates as the fewest straight lines within `tube` cells of it; both ends stay.

    Each line is the best through its part of the path (least squares), and two lines meet where they cross, so that a
    bend is neither cut nor rounded. Where the path runs across cells, not along a line between their middles, it is
    the fall line itself, and is kept to a twentieth of a cell.

    Examples
    --------
    A staircase is a straight line that lies between the middles of cells:

    >>> from shapely import LineString
    >>> steps = np.array([[0, 0], [1, 0], [2, 1], [3, 1], [4, 2], [5, 2], [6, 3], [7, 3], [8, 4]], dtype=float)
    >>> bool(abs(LineString(straightened(steps + 0.5)).length - np.hypot(8, 4)) < 0.02)
    True
    """
    # From a corner of a cell near it, so that it rounds alike wherever columns and rows are counted from.
    corner = np.floor(xy[0])
    xy = xy - corner
    far = np.r_[0.0, np.cumsum(np.hypot(*np.diff(xy, axis=0).T))]
    count = max(2, round(far[-1]) + 1)
    away = np.linspace(0, far[-1], count)
    even = np.column_stack((np.interp(away, far, xy[:, 0]), np.interp(away, far, xy[:, 1])))
    within = _tubes(xy, far, away, tube)
    ends = np.empty(count, dtype=np.int64)
    places = ends[: _fewest(even, within, ends)][::-1]
    joints = _joined(even, np.ascontiguousarray(places), tube)
    course: Floats = _without_recoils(joints, 2 * (tube + _JOINT_CELLS)) + corner
    return course


def _without_recoils(joints: Floats, most: float) -> Floats:
    """Lines without those of at most `most` cells that run back: their neighbours meet where they cross.

    Where a path comes into a channel, the nearest lower middle of a cell may lie up the channel: the way there and
    back is the grid's. A true bend so narrow is not to be seen in such cells.

    Examples
    --------
    >>> _without_recoils(np.array([[0.0, 9.0], [0.0, 1.0], [-1.0, 0.0], [40.0, 0.0]]), 2.0).tolist()
    [[0.0, 9.0], [0.0, 0.0], [40.0, 0.0]]
    """
    k = 1
    while k < len(joints) - 2:
        into, back, onward = np.diff(joints[k - 1 : k + 3], axis=0)
        long = float(np.hypot(*back))
        across = into[0] * onward[1] - into[1] * onward[0]
        if (
            long <= most
            and min(into @ back, back @ onward) < 0
            and abs(across) > _ONE_COURSE * np.hypot(*into) * np.hypot(*onward)
        ):
            ahead = joints[k + 1] - joints[k]
            meets = joints[k] + into * (ahead[0] * onward[1] - ahead[1] * onward[0]) / across
            if max(np.hypot(*(meets - joints[k])), np.hypot(*(meets - joints[k + 1]))) <= long:
                joints = np.vstack([joints[:k], meets, joints[k + 2 :]])
                k = max(k - 1, 1)
                continue
        k += 1
    return joints


def tube_cells(z: Floats, xy: Floats, noise_m: float) -> float:
    """How far a path may swing from side to side for no better reason than the grid and noise of its elevations."""
    if noise_m == 0:
        return TUBE_CELLS
    (first, above), (last, below) = xy[[0, -1]].astype(np.int64)
    fall_m = float(z[above, first] - z[below, last]) / max(float(np.hypot(*(xy[-1] - xy[0]))), 1.0)
    return TUBE_CELLS + (min(_NOISE_SWINGS * noise_m / fall_m, _MOST_CELLS) if fall_m > 0 else _MOST_CELLS)


def _tubes(xy: Floats, far: Floats, away: Floats, tube: float) -> Floats:
    """How far a line may pass from each place: `tube` near a step between middles of cells or of squares of them."""
    middles = xy - 0.5
    step = np.diff(middles, axis=0)
    on = np.abs(middles[:-1] - np.round(middles[:-1])) < _NEAR
    level, upright = (np.abs(step) < _NEAR).T
    half = np.abs(2 * middles - np.round(2 * middles)).max(axis=1) < 2 * _NEAR
    along = (level & on[:, 0]) | (upright & on[:, 1]) | (half[:-1] & half[1:])
    begins, stops = far[:-1][along] - 2.5, far[1:][along] + 2.5
    inside = np.searchsorted(begins, away, side="right") - np.searchsorted(stops, away, side="left") > 0
    return np.where(inside, tube, min(tube, _FREE_CELLS))


@compiled
def _fewest(xy: Floats, within: Floats, ends: Ints) -> int:
    """Part a path into the fewest lines within their tubes, and of those the best; gives their ends, last to first."""
    count = xy.shape[0]
    cost, came = np.full(count, np.inf), np.zeros(count, np.int64)
    cost[0] = 0.0
    for i in range(1, count):
        n, sx, sy, sxx, sxy, syy = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
        x0, y0 = xy[i, 0], xy[i, 1]
        missed = 0
        for j in range(i - 1, max(-1, i - 1 - _LONGEST), -1):
            x, y = xy[j, 0] - x0, xy[j, 1] - y0
            n, sx, sy = n + 1, sx + x, sy + y
            sxx, sxy, syy = sxx + x * x, sxy + x * y, syy + y * y
            if cost[j] + 1 >= cost[i] + 1:
                continue
            mx, my = sx / n, sy / n
            a, b, c = sxx - n * mx * mx, sxy - n * mx * my, syy - n * my * my
            turn = 0.5 * np.arctan2(2 * b, a - c)
            nx, ny = -np.sin(turn), np.cos(turn)
            fits = True
            for k in range(j, i + 1):
                if abs((xy[k, 0] - x0 - mx) * nx + (xy[k, 1] - y0 - my) * ny) > within[k]:
                    fits = False
                    break
            if not fits:
                missed += 1
                if missed > _TRIED:
                    break
                continue
            missed = 0
            square = max(a * nx * nx + 2 * b * nx * ny + c * ny * ny, 0.0)
            new = cost[j] + 1.0 + 1e-6 * square
            if new < cost[i]:
                cost[i], came[i] = new, j
    size, at = 0, count - 1
    ends[0] = at
    while at > 0:
        at = came[at]
        size += 1
        ends[size] = at
    return size + 1


@compiled
def _joined(xy: Floats, places: Ints, tube: float) -> Floats:
    """The start, where each line crosses the next, and the end; each line is the best through its places."""
    count = places.size
    middle, course = np.empty((count - 1, 2)), np.empty((count - 1, 2))
    for k in range(count - 1):
        first, last = places[k], places[k + 1]
        n = last - first + 1
        x0, y0, sx, sy = xy[first, 0], xy[first, 1], 0.0, 0.0
        for i in range(first, last + 1):
            sx, sy = sx + xy[i, 0] - x0, sy + xy[i, 1] - y0
        mx, my = sx / n, sy / n
        a, b, c = 0.0, 0.0, 0.0
        for i in range(first, last + 1):
            x, y = xy[i, 0] - x0 - mx, xy[i, 1] - y0 - my
            a, b, c = a + x * x, b + x * y, c + y * y
        turn = 0.5 * np.arctan2(2 * b, a - c)
        dx, dy = np.cos(turn), np.sin(turn)
        if dx * (xy[last, 0] - xy[first, 0]) + dy * (xy[last, 1] - xy[first, 1]) < 0:
            dx, dy = -dx, -dy
        middle[k, 0], middle[k, 1] = x0 + mx, y0 + my
        course[k, 0], course[k, 1] = dx, dy
    joints = np.empty((count, 2))
    # Number by number: whole rows take the compiler three times as long.
    for axis in range(2):
        joints[0, axis], joints[count - 1, axis] = xy[places[0], axis], xy[places[count - 1], axis]
    for k in range(count - 2):
        x, y = xy[places[k + 1], 0], xy[places[k + 1], 1]
        ux, uy, vx, vy = course[k, 0], course[k, 1], course[k + 1, 0], course[k + 1, 1]
        px, py, qx, qy = middle[k, 0], middle[k, 1], middle[k + 1, 0], middle[k + 1, 1]
        one, other = (x - px) * ux + (y - py) * uy, (x - qx) * vx + (y - qy) * vy
        jx, jy = (px + one * ux + qx + other * vx) / 2, (py + one * uy + qy + other * vy) / 2
        across = ux * vy - uy * vx
        if abs(across) > _ONE_COURSE:
            along = ((qx - px) * vy - (qy - py) * vx) / across
            if np.hypot(px + along * ux - x, py + along * uy - y) <= tube + _JOINT_CELLS:
                jx, jy = px + along * ux, py + along * uy
        joints[k + 1, 0], joints[k + 1, 1] = jx, jy
    return joints
