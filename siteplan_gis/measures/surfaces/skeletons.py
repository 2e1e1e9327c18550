"""Ridges and valleys between the arms of a contour: the skeleton of flat triangles, and heights along it.

See `contour_tin`: the middles of the inner edges of flat ground are joined through its triangles. Heights run evenly
from the tip farthest from any other contour to the contours that the flat ground faces, and along every side branch
from where it leaves the trunk to its own tip.
"""

from __future__ import annotations

import heapq
from collections import deque
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Pairs = NDArray[np.int64]

_NO_LENGTH_M: Final = 1e-4
_BALANCED: Final = 1e-18


def edges_of(triangles: NDArray[np.int64]) -> Pairs:
    """The three edges of every triangle, each opposite to the corner of its column, shape (m, 3, 2), sorted."""
    one, other = triangles[:, [1, 2, 0]], triangles[:, [2, 0, 1]]
    pairs: Pairs = np.stack((np.minimum(one, other), np.maximum(one, other)), axis=2)
    return pairs


def keys_of(pairs: Pairs) -> NDArray[np.int64]:
    """One whole number for each pair of places, shape of `pairs` without its last axis."""
    keys: NDArray[np.int64] = pairs[..., 0] * (1 << 32) + pairs[..., 1]
    return keys


class Skeleton:
    """The middles of the inner edges of flat ground, joined through its triangles."""

    def __init__(
        self,
        xy: NDArray[np.float64],
        z: NDArray[np.float64],
        triangles: NDArray[np.int64],
        flat: NDArray[np.bool_],
        segments: Pairs,
    ) -> None:
        self.xy, self.z = xy, z
        drawn = set(keys_of(segments).tolist())
        self.flat = flat
        self.chords: list[int] = []
        place: dict[int, int] = {}
        keys = keys_of(edges_of(triangles)).tolist()
        self.of_triangle: dict[int, list[int]] = {}
        self.tips: list[tuple[int, int]] = []
        for t in np.nonzero(flat)[0].tolist():
            inner = []
            for key in keys[t]:
                if key not in drawn:
                    if key not in place:
                        place[key] = len(self.chords)
                        self.chords.append(key)
                    inner.append(place[key])
            self.of_triangle[t] = inner
            if len(inner) == 1:
                apex = keys[t].index(self.chords[inner[0]])
                self.tips.append((inner[0], int(triangles[t][apex])))
        self.openings = [
            (place[key], int(triangles[t][corner]))
            for t in np.nonzero(~flat)[0].tolist()
            for corner, key in enumerate(keys[t])
            if key in place
        ]

    def heights(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]:
        """Keys of the chords, the heights of their middles, and which triangles have a height that can be told."""
        count = len(self.chords)
        told = np.ones(len(self.flat), dtype=np.bool_)
        told[self.flat] = False
        if not count:
            return np.empty(0, dtype=np.int64), np.empty(0), told
        one, other = np.array(self.chords) >> 32, np.array(self.chords) & 0xFFFFFFFF
        middles, level = (self.xy[one] + self.xy[other]) / 2, self.z[one]
        joined: list[list[tuple[int, float]]] = [[] for _ in range(count)]
        for inner in self.of_triangle.values():
            for i, first in enumerate(inner):
                for second in inner[i + 1 :]:
                    away = float(np.hypot(*(middles[first] - middles[second]))) + _NO_LENGTH_M
                    joined[first].append((second, away))
                    joined[second].append((first, away))
        fixed: dict[int, list[tuple[float, float]]] = {}
        for chord, corner in self.openings:
            away = float(np.hypot(*(middles[chord] - self.xy[corner]))) + _NO_LENGTH_M
            fixed.setdefault(chord, []).append((float(self.z[corner]), away))
        tip_of: dict[int, float] = {}
        for chord, corner in self.tips:
            away = float(np.hypot(*(middles[chord] - self.xy[corner]))) + _NO_LENGTH_M
            tip_of[chord] = max(tip_of.get(chord, 0.0), away)
        heights = level.copy()
        seen = np.zeros(count, dtype=np.bool_)
        for start in range(count):
            if seen[start]:
                continue
            members = _component(start, joined, seen)
            if any(chord in fixed for chord in members):
                _solve(members, joined, fixed, tip_of, level, heights)
        for t, inner in self.of_triangle.items():
            told[t] = any(heights[chord] != level[chord] for chord in inner)
        changed = np.nonzero(heights != level)[0]
        return np.array(self.chords, dtype=np.int64)[changed], heights[changed], told


def _component(start: int, joined: list[list[tuple[int, float]]], seen: NDArray[np.bool_]) -> list[int]:
    members, waiting = [], deque([start])
    seen[start] = True
    while waiting:
        chord = waiting.popleft()
        members.append(chord)
        for other, _ in joined[chord]:
            if not seen[other]:
                seen[other] = True
                waiting.append(other)
    return members


def _solve(
    members: list[int],
    joined: list[list[tuple[int, float]]],
    fixed: dict[int, list[tuple[float, float]]],
    tip_of: dict[int, float],
    level: NDArray[np.float64],
    heights: NDArray[np.float64],
) -> None:
    """Heights of one connected skeleton: even from its farthest tip to the contours that it faces.

    Its side branches run evenly from the trunk down (or up) to their own tips, where the line turns.
    """
    far = _distances(joined, {chord: min(away for _, away in fixed[chord]) for chord in members if chord in fixed})
    tips = [chord for chord in members if chord in tip_of]
    trunk_tip = max(tips, key=lambda chord: far[chord] + tip_of[chord], default=None)
    anchored = {chord: list(fixed[chord]) for chord in members if chord in fixed}
    if trunk_tip is not None:
        anchored.setdefault(trunk_tip, []).append((float(level[trunk_tip]), tip_of[trunk_tip]))
    order, parent, below = _pruned(members, joined, set(anchored), tip_of)
    branches = set(order)
    trunk = [chord for chord in members if chord not in branches]
    _even(trunk, joined, anchored, heights)
    for chord in reversed(order):
        other, away = parent[chord]
        share = below[chord] / (below[chord] + away)
        heights[chord] = level[chord] + (heights[other] - level[chord]) * share


def _distances(joined: list[list[tuple[int, float]]], starts: dict[int, float]) -> dict[int, float]:
    """Shortest way along the skeleton from each chord to an opening."""
    best = dict(starts)
    heap = [(away, chord) for chord, away in best.items()]
    heapq.heapify(heap)
    while heap:
        away, chord = heapq.heappop(heap)
        if away > best[chord]:
            continue
        for other, step in joined[chord]:
            if away + step < best.get(other, np.inf):
                best[other] = away + step
                heapq.heappush(heap, (away + step, other))
    return best


def _pruned(
    members: list[int], joined: list[list[tuple[int, float]]], anchored: set[int], tip_of: dict[int, float]
) -> tuple[list[int], dict[int, tuple[int, float]], dict[int, float]]:
    """Dead ends from their tips inward: their order, the neighbour that each hangs on, the way down to its tip."""
    neighbours = {chord: dict(joined[chord]) for chord in members}
    below = {chord: tip_of.get(chord, 0.0) for chord in members}
    ends = deque(chord for chord in members if len(neighbours[chord]) == 1 and chord not in anchored)
    order: list[int] = []
    parent: dict[int, tuple[int, float]] = {}
    while ends:
        chord = ends.popleft()
        if len(neighbours[chord]) != 1:
            continue
        ((other, away),) = neighbours[chord].items()
        order.append(chord)
        parent[chord] = (other, away)
        below[other] = max(below[other], below[chord] + away)
        del neighbours[other][chord]
        neighbours[chord] = {}
        if len(neighbours[other]) == 1 and other not in anchored:
            ends.append(other)
    return order, parent, below


def _even(
    trunk: list[int],
    joined: list[list[tuple[int, float]]],
    anchored: dict[int, list[tuple[float, float]]],
    heights: NDArray[np.float64],
) -> None:
    """Heights in balance: each the mean of its neighbours, weighted by nearness (conjugate gradients)."""
    place = {chord: number for number, chord in enumerate(trunk)}
    rows, columns, weights = [], [], []
    diagonal, right = np.zeros(len(trunk)), np.zeros(len(trunk))
    for chord, number in place.items():
        for other, away in joined[chord]:
            if other in place:
                rows.append(number)
                columns.append(place[other])
                weights.append(1 / away)
                diagonal[number] += 1 / away
        for height, away in anchored.get(chord, ()):
            diagonal[number] += 1 / away
            right[number] += height / away
    i, j, w = np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64), np.array(weights)

    def times(x: NDArray[np.float64]) -> NDArray[np.float64]:
        product: NDArray[np.float64] = diagonal * x - np.bincount(i, w * x[j], minlength=len(x))
        return product

    x = np.full(len(trunk), float(np.mean([height for ends in anchored.values() for height, _ in ends])))
    residual = right - times(x)
    step = residual / diagonal
    energy = float(residual @ step)
    for _ in range(4 * len(trunk) + 50):
        if energy <= _BALANCED:
            break
        along = times(step)
        share = energy / float(step @ along)
        x += share * step
        residual -= share * along
        scaled = residual / diagonal
        energy, before = float(residual @ scaled), energy
        step = scaled + energy / before * step
    heights[trunk] = x
