"""Compiled kernels: the line of steepest descent over a grid of elevations.

The middles of the cells, and the middle of each square of four of them, span triangles. The middle of a square lies on
the lower of its diagonals, so that no channel across a corner is dammed. On a
plane triangle the steepest way down is a straight line, so the path is exact on them: it crosses triangles, runs along
an edge that both sides fall towards, and goes on from a corner along the steepest way around it. (The facets of
Tarboton 1997, doi:10.1029/96WR03137, without leading the path back to the middle of a cell.) On smooth ground its
course turns from place to place as the ground does, not from triangle to triangle.

Places are in columns and rows from the middle of the first cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.runoff.allowances import depth_allowed
from siteplan_gis.measures.runoff.conditioning import (
    AT_EDGE,
    AT_GOAL,
    AT_LIMIT,
    AT_SINK,
    COL,
    GOAL,
    IN_DEPRESSION,
    LINE,
    ROW,
    SINK,
    TOO_WIDE,
    falls_off,
    leave,
    way_out,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bytes = NDArray[np.uint8]
    Ints = NDArray[np.int64]

_GRAINS = 2.0**30
"""Places are whole numbers of grains of a cell, so that they round alike wherever columns and rows are counted from."""

_SMOOTH = 0.985
"""Cosine of the turn, ten degrees, up to which two courses are of one smooth ground."""

_NEAR = 1e-6
"""Nearer to a corner or an edge than this, in cells, a place lies on it."""


@compiled
def _whole(z: Floats, r: int, c: int) -> bool:
    """Whether all four corners of the square that begins at the middle of a cell have an elevation."""
    rows, cols = z.shape
    if not (0 <= r < rows - 1 and 0 <= c < cols - 1):
        return False
    return not np.isnan(z[r, c] + z[r, c + 1] + z[r + 1, c] + z[r + 1, c + 1])


@compiled
def _grained(v: float) -> float:
    return float(np.rint(v * _GRAINS)) / _GRAINS


@compiled
def _turned(p: float, q: float, quarter: int) -> tuple[float, float]:
    """A place turned by so many right angles, so that the triangle of that number comes to lie at the top."""
    if quarter == 0:
        return p, q
    if quarter == 1:
        return q, -p
    if quarter == 2:  # noqa: PLR2004
        return -p, -q
    return -q, p


@compiled
def _fall(z: Floats, r: int, c: int, quarter: int, dx: float, dy: float) -> tuple[float, float, float]:
    """Course of steepest descent of a triangle in columns and rows, and its slope; zeros where it is level."""
    a, b, d, e = z[r, c], z[r, c + 1], z[r + 1, c], z[r + 1, c + 1]
    middle = min(a + e, b + d) / 2
    if quarter == 0:
        gu, gv = b - a, 2 * middle - a - b
    elif quarter == 1:
        gu, gv = b + e - 2 * middle, e - b
    elif quarter == 2:  # noqa: PLR2004
        gu, gv = e - d, d + e - 2 * middle
    else:
        gu, gv = 2 * middle - a - d, d - a
    slope = np.hypot(gu / dx, gv / dy)
    if slope == 0:
        return 0.0, 0.0, 0.0
    size = np.hypot(gu / dx**2, gv / dy**2)
    return -gu / dx**2 / size, -gv / dy**2 / size, slope


@compiled
def _bent(
    z: Floats, r: int, c: int, u: float, v: float, dx: float, dy: float, fu: float, fv: float
) -> tuple[float, float]:  # fmt: skip
    """The course of steepest descent in a square between middles of cells, where the ground around it is smooth.

    A triangle has one course, that of its middle: down a cone, a path that stays in one kind of triangles errs by up
    to half a cell's turn all the way. Between the courses of the square's corners, each by its neighbours on both
    sides, it turns as the ground does. Where they lead elsewhere than the triangle (`fu`, `fv`), as in a channel, the
    triangle counts, and beside missing elevations. A course within ten degrees of the steepest falls on it.
    """
    rows, cols = z.shape
    if not (1 <= r < rows - 2 and 1 <= c < cols - 2):
        return fu, fv
    p, q = u - c, v - r
    east, south = 0.0, 0.0
    for i in range(2):
        for j in range(2):
            share = (p if j == 1 else 1 - p) * (q if i == 1 else 1 - q)
            east += share * (z[r + i, c + j + 1] - z[r + i, c + j - 1])
            south += share * (z[r + i + 1, c + j] - z[r + i - 1, c + j])
    du, dv = -east / (2 * dx**2), -south / (2 * dy**2)
    size = np.hypot(du, dv)
    if not size > 0:
        return fu, fv
    du, dv = du / size, dv / size
    # In metres, so that a turn is one whatever the cells' shape.
    along = (du * fu * dx**2 + dv * fv * dy**2) / (np.hypot(du * dx, dv * dy) * np.hypot(fu * dx, fv * dy))
    if not along >= _SMOOTH:
        return fu, fv
    return du, dv


@compiled
def _enters(p: float, q: float, du: float, dv: float) -> bool:
    """Whether a place lies in the top triangle and a step on its course stays in it."""
    if q < -0.5 - _NEAR or abs(p) > -q + _NEAR:
        return False
    if q < -0.5 + _NEAR and dv < 0:
        return False
    if p > -q - _NEAR and du + dv > 0:
        return False
    return not (p < q + _NEAR and dv - du > 0)


@compiled
def _leaves(p: float, q: float, du: float, dv: float) -> tuple[float, float]:
    """Where a course from a place leaves the top triangle."""
    steps = np.inf
    if dv < 0:
        steps = min(steps, max(q + 0.5, 0.0) / -dv)
    if du + dv > 0:
        steps = min(steps, max(-q - p, 0.0) / (du + dv))
    if dv - du > 0:
        steps = min(steps, max(p - q, 0.0) / (dv - du))
    p, q = p + steps * du, q + steps * dv
    if q < -0.5 + _NEAR:
        q = -0.5
    if abs(abs(p) + q) < _NEAR:
        p = -q if p > 0 else q
    if q > -_NEAR:
        p, q = 0.0, 0.0
    return p, q


@compiled
def _edge_course(z: Floats, u: float, v: float, dx: float, dy: float) -> tuple[float, float, float]:
    """The steepest edge that a place lies on: the corner at its lower end, and its slope (0 where none falls)."""
    rows, cols = z.shape
    row, col = int(np.floor(v + 0.5)), int(np.floor(u + 0.5))
    on_row, on_col = abs(v - row) < _NEAR, abs(u - col) < _NEAR
    best, to_u, to_v = 0.0, u, v
    if on_row and on_col:
        here = z[row, col]
        for k in range(8):
            down, right = ROW[k], COL[k]
            r, c = row + down, col + right
            if not (0 <= r < rows and 0 <= c < cols) or np.isnan(z[r, c]):
                continue
            far, share, height = np.hypot(right * dx, down * dy), 1.0, z[r, c]
            top, left = row + min(down, 0), col + min(right, 0)
            if k % 2 == 1 and _whole(z, top, left):
                height = min(z[top, left] + z[top + 1, left + 1], z[top, left + 1] + z[top + 1, left]) / 2
                share = 0.5
            slope = (here - height) / (share * far)
            if slope > best:
                best, to_u, to_v = slope, col + share * right, row + share * down
        return to_u, to_v, best
    if on_row or on_col:
        r, c = (row, int(u)) if on_row else (int(v), col)
        r2, c2 = (row, c + 1) if on_row else (r + 1, col)
        slope = (z[r, c] - z[r2, c2]) / (dx if on_row else dy)
        if slope > 0:
            return float(c2), float(r2), slope
        return float(c), float(r), -slope
    r, c = int(v), int(u)
    middle = min(z[r, c] + z[r + 1, c + 1], z[r, c + 1] + z[r + 1, c]) / 2
    p, q = u - c - 0.5, v - r - 0.5
    for down in range(2):
        for right in range(2):
            in_middle = abs(p) < _NEAR and abs(q) < _NEAR
            if in_middle or (abs(abs(p) - abs(q)) < _NEAR and (p > 0) == (right == 1) and (q > 0) == (down == 1)):
                slope = (middle - z[r + down, c + right]) / (np.hypot(dx, dy) / 2)
                if slope > best:
                    best, to_u, to_v = slope, float(c + right), float(r + down)
                elif not in_middle and -slope > best:
                    best, to_u, to_v = -slope, c + 0.5, r + 0.5
    return to_u, to_v, best


@compiled
def _onward(z: Floats, u: float, v: float, dx: float, dy: float) -> tuple[float, float, int]:
    """Where the steepest descent from a place leads to next: 0, or AT_EDGE, or IN_DEPRESSION where it stays."""
    best, to_u, to_v = 0.0, u, v
    off, broken = 0.0, False
    top, left = int(np.ceil(v - _NEAR)) - 1, int(np.ceil(u - _NEAR)) - 1
    for r in range(top, int(np.floor(v + _NEAR)) + 1):
        for c in range(left, int(np.floor(u + _NEAR)) + 1):
            if not _whole(z, r, c):
                broken = True
                continue
            for quarter in range(4):
                p, q = _turned(u - c - 0.5, v - r - 0.5, quarter)
                if q < -0.5 - _NEAR or abs(p) > -q + _NEAR:
                    continue
                fu, fv, slope = _fall(z, r, c, quarter, dx, dy)
                if slope <= best and slope <= off:
                    continue
                du, dv = _turned(fu, fv, quarter)
                if not _enters(p, q, du, dv):
                    off = max(off, slope)
                    continue
                if slope > best:
                    fu, fv = _bent(z, r, c, u, v, dx, dy, fu, fv)
                    bu, bv = _turned(fu, fv, quarter)
                    if _enters(p, q, bu, bv):
                        du, dv = bu, bv
                    p, q = _leaves(p, q, du, dv)
                    p, q = _turned(p, q, (4 - quarter) % 4)
                    best, to_u, to_v = slope, c + (0.5 + _grained(p)), r + (0.5 + _grained(q))
    if best == 0:
        to_u, to_v, best = _edge_course(z, u, v, dx, dy)
    else:
        edge_u, edge_v, slope = _edge_course(z, u, v, dx, dy)
        if slope > best * (1 + _NEAR):
            best, to_u, to_v = slope, edge_u, edge_v
    if not broken:
        return to_u, to_v, (0 if best > 0 else IN_DEPRESSION)
    row, col = int(np.floor(v + 0.5)), int(np.floor(u + 0.5))
    if abs(v - row) < _NEAR and abs(u - col) < _NEAR:
        if falls_off(z, row, col, dx, dy, best):
            return u, v, AT_EDGE
    elif off > best:
        return u, v, AT_EDGE
    return to_u, to_v, (0 if best > 0 else IN_DEPRESSION)


@compiled
def run_down(
    z: Floats, marks: Bytes, dx: Floats, dy: Floats, u: float, v: float, length_m: float, limit_m: float, path: Floats
) -> tuple[int, int, float]:
    """Follow the line of steepest descent from a place.

    It ends in a cell marked as GOAL (AT_GOAL) or SINK (AT_SINK), where no ground around it is lower (IN_DEPRESSION), at
    missing elevations that the ground falls towards (AT_EDGE), or once it is longer than `limit_m` (AT_LIMIT).
    `length_m` is what has been gone before. `path` receives the places from the start on, shape (n, 2).

    Returns
    -------
    The number of places, how it ends, and the whole length. A full `path` ends it as a depression does.
    """
    rows, cols = z.shape
    u, v = _grained(min(max(u, 0.0), cols - 1.0)), _grained(min(max(v, 0.0), rows - 1.0))
    row, col = int(np.floor(v + 0.5)), int(np.floor(u + 0.5))
    if not _whole(z, min(int(v), rows - 2), min(int(u), cols - 2)):
        u, v = float(col), float(row)
    path[0, 0], path[0, 1] = u, v
    size = 1
    while True:
        if marks[row, col] & GOAL:
            return size, AT_GOAL, length_m
        if marks[row, col] & SINK:
            return size, AT_SINK, length_m
        if length_m > limit_m:
            return size, AT_LIMIT, length_m
        if size >= path.shape[0]:
            return size, IN_DEPRESSION, length_m
        to_u, to_v, how = _onward(z, u, v, dx[row], dy[row])
        if how != 0:
            return size, how, length_m
        length_m += np.hypot((to_u - u) * dx[row], (to_v - v) * dy[row])
        row, col = int(np.floor((v + to_v) / 2 + 0.5)), int(np.floor((u + to_u) / 2 + 0.5))
        if not marks[row, col] & (GOAL | SINK):
            row, col = int(np.floor(to_v + 0.5)), int(np.floor(to_u + 0.5))
        u, v = to_u, to_v
        path[size, 0], path[size, 1] = u, v
        size += 1


@compiled
def carry_down(
    z: Floats, marks: Bytes, dx: Floats, dy: Floats, u: float, v: float, length_m: float, limit_m: float,
    barrier_m: float, noise: Floats, noise_first: tuple[int, int], mark: int, seen: NDArray[np.int32],
    came_from: NDArray[np.int8], height: Floats, far: Floats, cell: Ints, way: Ints, path: Floats, ponds: Floats,
) -> tuple[int, int, float, float, int, int, int]:  # fmt: skip
    """Follow water from a place like `run_down`, and out of every depression up to `barrier_m` deep.

    By noise, and between the middles of coarse cells, it may look deeper (see `allowances.depth_allowed`).

    `seen` to `way` are scratch (see `conditioning.Scratch`). `ponds` receives for every depression its place in the
    path, depth and length, and the height of the ground on a mapped line that water was let through.

    Returns
    -------
    The number of places, how it ends (as `run_down`, or TOO_WIDE), the whole length, the depth of the depression it
    ends in, the number of depressions passed, the last mark, and the cell at an edge of the elevations that was met
    (-1 for none).
    """
    cols = z.shape[1]
    size, ponded = 0, 0
    while True:
        count, how, length_m = run_down(z, marks, dx, dy, u, v, length_m, limit_m, path[size:])
        size += count
        if how != IN_DEPRESSION:
            edge = -1
            if how == AT_EDGE:
                edge = int(np.floor(path[size - 1, 1] + 0.5)) * cols + int(np.floor(path[size - 1, 0] + 0.5))
            return size, how, length_m, 0.0, ponded, mark, edge
        row, col = int(np.floor(path[size - 1, 1] + 0.5)), int(np.floor(path[size - 1, 0] + 0.5))
        mark += 1
        deep_m = depth_allowed(z, row, col, dx[row], barrier_m, noise, noise_first)
        found, end, water, mark = leave(
            z, marks, dx, dy, row * cols + col, deep_m, np.inf, mark, seen, came_from, height, far, cell
        )
        depth = water - z[row, col]
        if depth > deep_m or found == TOO_WIDE:
            how = TOO_WIDE if found in (TOO_WIDE, AT_EDGE) else IN_DEPRESSION
            return size, how, length_m, depth, ponded, mark, end if found == AT_EDGE else -1
        if found == AT_EDGE:
            # What lies beyond the edge may be lower: nothing can be told of the way on.
            return size, AT_EDGE, length_m, 0.0, ponded, mark, end
        steps, under, left = way_out(z, row * cols + col, end, water, came_from, seen, mark, path, size, cell, way)
        if left + steps >= path.shape[0] or ponded >= ponds.shape[0]:
            return size, AT_LIMIT, length_m, 0.0, ponded, mark, -1
        for place in range(left, size):
            length_m -= np.hypot(
                (path[place, 0] - path[place - 1, 0]) * dx[row], (path[place, 1] - path[place - 1, 1]) * dy[row]
            )
        size = left
        while ponded > 0 and ponds[ponded - 1, 0] >= size - 1:
            ponded -= 1
        ponds[ponded, 0], ponds[ponded, 1], ponds[ponded, 2], ponds[ponded, 3] = size - 1, depth, 0.0, 0.0
        u, v = path[size - 1, 0], path[size - 1, 1]
        for place in range(steps):
            r, c = way[place] // cols, way[place] % cols
            step = np.hypot((c - u) * dx[row], (r - v) * dy[row])
            length_m += step
            if place < under:
                ponds[ponded, 2] += step
            if marks[r, c] & LINE:
                ponds[ponded, 3] = max(ponds[ponded, 3], z[r, c] - z[row, col])
            u, v = float(c), float(r)
            path[size, 0], path[size, 1] = u, v
            size += 1
        ponded += 1
        size -= 1
