"""The ground that a hatch of a CAD drawing fills: several outer loops, islands, and islands in islands.

Flags of the loops are not trusted to tell shells from holes (two loops side by side may both be called outer, or the
second merely "default"): a loop inside an odd number of others is a hole.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from shapely import Polygon, STRtree

from siteplan_gis.ingest.cad.flattening import arc_points, bulged, positions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vertices = NDArray[np.float64]

_TEXT_BOX: Final = 8
_IGNORE_ISLANDS: Final = 2
_FEWEST: Final = 4
_FULL_TURN: Final = 2 * math.pi


def hatched(hatch: Any, off: float) -> list[list[Vertices]]:
    """Faces of a hatch, each a list of closed rings (shell first) of shape (n, 2) in the hatch's own plane.

    Raises
    ------
    ValueError
        If no loop closes.
    """
    loops = []
    for path in hatch.paths:
        if path.path_type_flags & _TEXT_BOX:
            continue  # the hatch leaves room for a text; the ground under it is meant all the same
        ring = bulged(list(path.vertices), off, closed=True) if hasattr(path, "vertices") else _joined(path.edges, off)
        if len(ring) >= _FEWEST:
            loops.append(ring)
    if not loops:
        raise ValueError("no loop of the hatch closes")
    return _nested(loops, int(hatch.dxf.get("hatch_style", 0)))


def _joined(edges: list[Any], off: float) -> Vertices:
    """One closed ring of edges that follow one another, each turned to begin where the one before it ended."""
    ring: list[Vertices] = []
    for number, edge in enumerate(edges):
        line = _edge(edge, off)
        if not len(line):
            continue
        if ring:
            end = ring[-1][-1]
            if np.hypot(*(line[-1] - end)) < np.hypot(*(line[0] - end)):
                line = line[::-1]
        elif len(edges) > number + 1:
            following = _edge(edges[number + 1], off)
            ends = following[[0, -1]] if len(following) else line[[-1]]
            if _away(line[0], ends) < _away(line[-1], ends):
                line = line[::-1]
        ring.append(line)
    if not ring:
        return np.empty((0, 2))
    return np.vstack((*ring, ring[0][:1]))


def _away(point: Vertices, others: Vertices) -> float:
    return float(np.hypot(*(others - point).T).min())


def _edge(edge: Any, off: float) -> Vertices:
    kind = type(edge).__name__
    if kind == "LineEdge":
        return np.array([tuple(edge.start)[:2], tuple(edge.end)[:2]])
    if kind == "ArcEdge":
        start, end = math.radians(edge.start_angle), math.radians(edge.end_angle)
        turn = (end - start) % _FULL_TURN or _FULL_TURN
        return arc_points((edge.center.x, edge.center.y), edge.radius, start, turn, off)
    return positions(edge.construction_tool().flattening(off, 8))[:, :2]


def _nested(loops: list[Vertices], style: int) -> list[list[Vertices]]:
    shapes = [Polygon(loop).buffer(0) for loop in loops]
    order = sorted(
        (place for place, shape in enumerate(shapes) if shape.area > 0), key=lambda place: (-shapes[place].area, place)
    )
    rank = {place: number for number, place in enumerate(order)}
    insides = [shapes[place].representative_point() for place in order]
    around: dict[int, list[int]] = {place: [] for place in order}
    for inner, outer in STRtree([shapes[place] for place in order]).query(insides, predicate="within").T.tolist():
        if outer < inner:
            around[order[inner]].append(order[outer])
    # A loop that is there twice, as some programs write the boundary, is one loop.
    twice = {
        place
        for place, others in around.items()
        for other in others
        if math.isclose(shapes[place].area, shapes[other].area, rel_tol=1e-9)
    }
    outside = {place: [other for other in others if other not in twice] for place, others in around.items()}
    faces = {
        place: [loops[place]]
        for place in order
        if place not in twice and len(outside[place]) % 2 == 0 and (style == 0 or not outside[place])
    }
    for place in order:
        if place not in twice and len(outside[place]) % 2 and style != _IGNORE_ISLANDS:
            parent = max(outside[place], key=lambda other: rank[other])
            if parent in faces:
                faces[parent].append(loops[place])
    return list(faces.values())
