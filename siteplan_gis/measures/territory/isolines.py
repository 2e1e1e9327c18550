"""Lines where a difference of distances is zero, traced in a tree of squares that cannot lose them.

f(p) is the distance from p to the segments `a` less that to the segments `b`, or less a fixed length where `b` is
empty. A square is left out only where f cannot be zero in it: f changes at most by |n_a - n_b| along a metre, n being
the directions from the nearest points. The others are quartered down to a side that keeps a chord within three
centimetres of the line. The squares left are cut into triangles from their middles to every corner that lies on their
edge, so that the line runs on from one to the next; where it crosses an edge of a triangle is found to a tenth of a
millimetre. Lengths in metres.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.measures.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

FINEST_M: Final = 0.25
"""Side of the smallest square."""
CHORD_M: Final = 0.03
"""How far f may be from zero between two found points of a line."""

_SHIFT: Final = 2**31
_SLACK: Final = 1e-7
_ROOT_M: Final = 1e-4


@compiled
def _squared(px: float, py: float, segments: Floats, k: int) -> float:
    """Squared distance of a point from one of the segments x1, y1, x2, y2."""
    x, y = segments[k, 0], segments[k, 1]
    dx, dy = segments[k, 2] - x, segments[k, 3] - y
    ex, ey = px - x, py - y
    along = dx * ex + dy * ey
    if along > 0.0:
        whole = dx * dx + dy * dy
        share = min(along / whole, 1.0)
        ex -= share * dx
        ey -= share * dy
    return float(ex * ex + ey * ey)


@compiled
def _nearest(px: float, py: float, segments: Floats, chosen: Whole, start: int, count: int) -> float:
    """Distance of a point from the nearest of the chosen segments."""
    least = np.inf
    for k in range(start, start + count):
        least = min(least, _squared(px, py, segments, chosen[k]))
    return float(np.sqrt(least))


@compiled
def _kept(
    px: float, py: float, half: float, segments: Floats, chosen: Whole, start: int, count: int, far: Floats, box: Floats
) -> tuple[float, int]:
    """Choose anew, behind the chosen, which segments can be nearest to a point of a square; widen `box` by them.

    `far` is room for their distances. Returns the distance of the middle and how many were chosen.
    """
    radius = half * np.sqrt(2.0)
    end = start + count
    least = np.inf
    for k in range(count):
        far[k] = _squared(px, py, segments, chosen[start + k])
        least = min(least, far[k])
    least = np.sqrt(least)
    most = (least + 2.0 * radius + _SLACK) ** 2
    reach = least + 3.0 * radius
    kept = 0
    for k in range(count):
        if far[k] <= most:
            one = chosen[start + k]
            chosen[end + kept] = one
            kept += 1
            x1, y1, x2, y2 = segments[one, 0], segments[one, 1], segments[one, 2], segments[one, 3]
            box[0] = min(box[0], max(min(x1, x2), px - reach))
            box[1] = min(box[1], max(min(y1, y2), py - reach))
            box[2] = max(box[2], min(max(x1, x2), px + reach))
            box[3] = max(box[3], min(max(y1, y2), py + reach))
    return least, kept


@compiled
def _difference(
    px: float, py: float, a: Floats, b: Floats, of_a: Whole, a0: int, an: int, of_b: Whole, b0: int, bn: int,
    length: float,
) -> float:  # fmt: skip
    near = _nearest(px, py, a, of_a, a0, an)
    return near - (_nearest(px, py, b, of_b, b0, bn) if bn > 0 else length)


@compiled
def _crossing(
    p: Floats, q: Floats, a: Floats, b: Floats, of_a: Whole, a0: int, an: int, of_b: Whole, b0: int, bn: int,
    length: float,
) -> tuple[float, float]:  # fmt: skip
    """Where f is zero between two points (x, y, f) on both sides, by the Illinois rule; the same from either end."""
    if p[0] > q[0] or (p[0] == q[0] and p[1] > q[1]):
        p, q = q, p
    low, high, f_low, f_high = 0.0, 1.0, p[2], q[2]
    span = max(abs(q[0] - p[0]), abs(q[1] - p[1]))
    side = 0
    share = 0.5
    for _ in range(60):
        share = low + (high - low) * (f_low / (f_low - f_high))
        x, y = p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])
        f = _difference(x, y, a, b, of_a, a0, an, of_b, b0, bn, length)
        if f == 0.0:
            break
        if (f >= 0.0) == (f_high >= 0.0):
            high, f_high = share, f
            if side == 1:
                f_low *= 0.5
            side = 1
        else:
            low, f_low = share, f
            if side == -1:
                f_high *= 0.5
            side = -1
        if (high - low) * span < _ROOT_M or abs(f) < 1e-10:  # noqa: PLR2004
            break
    return p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])


@compiled
def _fan(
    ring: Floats, count: int, middle: Floats, found: Floats, a: Floats, b: Floats, of_a: Whole, a0: int, an: int,
    of_b: Whole, b0: int, bn: int, length: float,
) -> int:  # fmt: skip
    """Pieces of the line in the triangles between `middle` and a ring of points (x, y, f): count and x1, y1, x2, y2."""
    pieces = 0
    for k in range(count):
        p, q = ring[k], ring[(k + 1) % count]
        pm, qm, pq = (p[2] >= 0.0) != (middle[2] >= 0.0), (q[2] >= 0.0) != (middle[2] >= 0.0), False
        pq = (p[2] >= 0.0) != (q[2] >= 0.0)
        if not (pm or qm or pq):
            continue
        at = 0
        if pm:
            x, y = _crossing(p, middle, a, b, of_a, a0, an, of_b, b0, bn, length)
            found[pieces, at], found[pieces, at + 1] = x, y
            at += 2
        if qm:
            x, y = _crossing(q, middle, a, b, of_a, a0, an, of_b, b0, bn, length)
            found[pieces, at], found[pieces, at + 1] = x, y
            at += 2
        if pq:
            x, y = _crossing(p, q, a, b, of_a, a0, an, of_b, b0, bn, length)
            found[pieces, at], found[pieces, at + 1] = x, y
        pieces += 1
    return pieces


@compiled
def _grown(held: Floats, wanted: int) -> Floats:
    if wanted <= len(held):
        return held
    more = np.empty((max(wanted, 2 * len(held)), held.shape[1]))
    more[: len(held)] = held
    return more


@compiled
def _longer(held: Whole, wanted: int) -> Whole:
    if wanted <= len(held):
        return held
    more = np.empty(max(wanted, 2 * len(held)), dtype=np.int64)
    more[: len(held)] = held
    return more


@compiled
def zero_line(a: Floats, b: Floats, length: float, farthest_a: float, farthest_b: float, window: Floats) -> Floats:
    """Pieces x1, y1, x2, y2 of the line f = 0 within `window` (west, south, east, north), shape (n, 4).

    Ground farther than `farthest_a` from `a`, or than `farthest_b` from `b`, is left out.
    """
    levels = 0
    while FINEST_M * 2.0**levels < max(window[2] - window[0], window[3] - window[1]):
        levels += 1
    x0, y0 = window[0], window[1]
    of_a = np.empty((levels + 3) * len(a) + 1, dtype=np.int64)
    of_b = np.empty((levels + 3) * len(b) + 1, dtype=np.int64)
    of_a[: len(a)] = np.arange(len(a))
    of_b[: len(b)] = np.arange(len(b))
    stack = np.empty((4 * (levels + 2), 7), dtype=np.int64)
    stack[0] = np.array([0, 0, levels, 0, len(a), 0, len(b)])
    depth = 1
    corners = {np.int64(-1)}
    leaves = np.empty((64, 7), dtype=np.int64)
    n_leaves = 0
    leaf_a, leaf_b = np.empty(1024, dtype=np.int64), np.empty(1024, dtype=np.int64)
    n_a, n_b = 0, 0
    ring, found = np.empty((4, 3)), np.empty((8, 4))
    middle = np.empty(3)
    box, far = np.empty(4), np.empty(max(len(a), len(b)))
    while depth > 0:
        depth -= 1
        i, j, level, a0, an, b0, bn = stack[depth]
        side = FINEST_M * 2.0**level
        half = 0.5 * side
        px, py = x0 + FINEST_M * i + half, y0 + FINEST_M * j + half
        if px - half > window[2] or py - half > window[3]:
            continue
        radius = half * np.sqrt(2.0)
        box[0], box[1], box[2], box[3] = np.inf, np.inf, -np.inf, -np.inf
        near_a, kept_a = _kept(px, py, half, a, of_a, a0, an, far, box)
        if near_a - radius > farthest_a:
            continue
        a0, an = a0 + an, kept_a
        near = near_a
        steepness = 1.0
        if bn > 0:
            near_b, kept_b = _kept(px, py, half, b, of_b, b0, bn, far, box)
            if near_b - radius > farthest_b:
                continue
            b0, bn = b0 + bn, kept_b
            near = min(near_a, near_b)
            f = near_a - near_b
            steepness = 2.0
            if near > radius:
                apart = np.sqrt((box[2] - box[0]) ** 2 + (box[3] - box[1]) ** 2)
                steepness = min(2.0, apart / (near - radius))
        else:
            f = near_a - length
        if abs(f) > steepness * radius + _SLACK:
            continue
        fine = level == 0
        if not fine and side <= np.sqrt(0.5 * max(near - radius, 0.0)):
            for k in range(4):
                x = px + (half if k in (1, 2) else -half)
                y = py + (half if k >= 2 else -half)  # noqa: PLR2004
                ring[k, 0], ring[k, 1] = x, y
                ring[k, 2] = _difference(x, y, a, b, of_a, a0, an, of_b, b0, bn, length)
            middle[0], middle[1], middle[2] = px, py, f
            fine = True
            for k in range(_fan(ring, 4, middle, found, a, b, of_a, a0, an, of_b, b0, bn, length)):
                for share in (0.3, 0.7):
                    x = found[k, 0] + share * (found[k, 2] - found[k, 0])
                    y = found[k, 1] + share * (found[k, 3] - found[k, 1])
                    if abs(_difference(x, y, a, b, of_a, a0, an, of_b, b0, bn, length)) > CHORD_M:
                        fine = False
        if fine:
            if n_leaves == len(leaves):
                more = np.empty((2 * n_leaves, 7), dtype=np.int64)
                more[:n_leaves] = leaves
                leaves = more
            leaf_a, leaf_b = _longer(leaf_a, n_a + an), _longer(leaf_b, n_b + bn)
            leaf_a[n_a : n_a + an] = of_a[a0 : a0 + an]
            leaf_b[n_b : n_b + bn] = of_b[b0 : b0 + bn]
            leaves[n_leaves] = np.array([i, j, level, n_a, an, n_b, bn])
            n_leaves, n_a, n_b = n_leaves + 1, n_a + an, n_b + bn
            continue
        step = np.int64(1) << (level - 1)
        for u in range(3):
            for v in range(3):
                corners.add((i + u * step) * _SHIFT + j + v * step)
        for u in range(2):
            for v in range(2):
                stack[depth] = np.array([i + u * step, j + v * step, level - 1, a0, an, b0, bn])
                depth += 1
    return _pieces(leaves[:n_leaves], leaf_a, leaf_b, corners, a, b, length, x0, y0)


@compiled
def _pieces(
    leaves: Whole, leaf_a: Whole, leaf_b: Whole, corners: set[np.int64], a: Floats, b: Floats, length: float, x0: float,
    y0: float,
) -> Floats:  # fmt: skip
    pieces = np.empty((256, 4))
    n_pieces = 0
    around = np.empty((64, 2), dtype=np.int64)
    pending = np.empty((64, 4), dtype=np.int64)
    ring, middle = np.empty((64, 3)), np.empty(3)
    found = np.empty((64, 4))
    for leaf in range(len(leaves)):
        i, j, level, a0, an, b0, bn = leaves[leaf]
        size = np.int64(1) << level
        count = 0
        for edge in range(4):
            # Along the edge from corner to corner, divided at every corner of a neighbour.
            pending[0, 0] = i + (size if edge in (1, 2) else 0)
            pending[0, 1] = j + (size if edge >= 2 else 0)  # noqa: PLR2004
            pending[0, 2] = i + (size if edge in (0, 1) else 0)
            pending[0, 3] = j + (size if edge in (1, 2) else 0)
            waiting = 1
            while waiting > 0:
                waiting -= 1
                u0, v0, u1, v1 = pending[waiting]
                um, vm = (u0 + u1) // 2, (v0 + v1) // 2
                if max(abs(u1 - u0), abs(v1 - v0)) > 1 and (um * _SHIFT + vm) in corners:
                    if waiting + 2 > len(pending):
                        longer = np.empty((2 * len(pending), 4), dtype=np.int64)
                        longer[: len(pending)] = pending
                        pending = longer
                    pending[waiting] = np.array([um, vm, u1, v1])
                    pending[waiting + 1] = np.array([u0, v0, um, vm])
                    waiting += 2
                else:
                    if count == len(around):
                        wider = np.empty((2 * count, 2), dtype=np.int64)
                        wider[:count] = around
                        around = wider
                    around[count, 0], around[count, 1] = u0, v0
                    count += 1
        if count > len(ring):
            ring, found = np.empty((2 * count, 3)), np.empty((2 * count, 4))
        for k in range(count):
            x, y = x0 + FINEST_M * around[k, 0], y0 + FINEST_M * around[k, 1]
            ring[k, 0], ring[k, 1] = x, y
            ring[k, 2] = _difference(x, y, a, b, leaf_a, a0, an, leaf_b, b0, bn, length)
        middle[0] = x0 + FINEST_M * (i + 0.5 * size)
        middle[1] = y0 + FINEST_M * (j + 0.5 * size)
        middle[2] = _difference(middle[0], middle[1], a, b, leaf_a, a0, an, leaf_b, b0, bn, length)
        new = _fan(ring, count, middle, found, a, b, leaf_a, a0, an, leaf_b, b0, bn, length)
        pieces = _grown(pieces, n_pieces + new)
        for k in range(new):
            if found[k, 0] != found[k, 2] or found[k, 1] != found[k, 3]:
                pieces[n_pieces] = found[k]
                n_pieces += 1
    return pieces[:n_pieces]


@compiled
def distances(points: Floats, segments: Floats) -> Floats:
    """Distance of each point, shape (n, 2), from the nearest segment."""
    found = np.empty(len(points))
    for i in range(len(points)):
        least = np.inf
        for k in range(len(segments)):
            least = min(least, _squared(points[i, 0], points[i, 1], segments, k))
        found[i] = np.sqrt(least)
    return found
