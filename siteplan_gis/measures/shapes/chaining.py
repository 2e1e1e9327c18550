"""Short pieces of lines put end to end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from siteplan_gis.measures.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]


@compiled
def chained(pieces: Floats) -> tuple[Floats, Whole]:
    """Pieces x1, y1, x2, y2 put end to end: points, shape (n, 2), and where each line of them begins and ends.

    Two pieces meet where they have the very same end. A line ends where one or more than two pieces meet.
    """
    count = len(pieces)
    nodes = {(np.inf, np.inf): np.int64(-1)}
    ends = np.empty((count, 2), dtype=np.int64)
    places = np.empty((2 * count, 2))
    links = np.full((2 * count, 2), -1, dtype=np.int64)
    degree = np.zeros(2 * count, dtype=np.int64)
    known = np.int64(0)
    for k in range(count):
        for side in range(2):
            x, y = pieces[k, 2 * side], pieces[k, 2 * side + 1]
            if (x, y) in nodes:
                node = nodes[(x, y)]
            else:
                node = known
                nodes[(x, y)] = node
                places[node, 0], places[node, 1] = x, y
                known += 1
            ends[k, side] = node
            if degree[node] < 2:  # noqa: PLR2004
                links[node, degree[node]] = k
            degree[node] += 1
    points = np.empty((2 * count, 2))
    starts = np.empty(count + 1, dtype=np.int64)
    used = np.zeros(count, dtype=np.bool_)
    n_points, n_lines = 0, 0
    for closed in range(2):
        # From the ends and forks first; what is left are rings.
        for first in range(count):
            for side in range(2):
                if used[first] or (closed == 0 and degree[ends[first, side]] == 2):  # noqa: PLR2004
                    continue
                starts[n_lines] = n_points
                n_lines += 1
                piece, node = first, ends[first, side]
                points[n_points] = places[node]
                n_points += 1
                while piece >= 0 and not used[piece]:
                    used[piece] = True
                    node = ends[piece, 1] if ends[piece, 0] == node else ends[piece, 0]
                    points[n_points] = places[node]
                    n_points += 1
                    if degree[node] != 2:  # noqa: PLR2004
                        break
                    piece = links[node, 1] if links[node, 0] == piece else links[node, 0]
    starts[n_lines] = n_points
    return points[:n_points], starts[: n_lines + 1]
