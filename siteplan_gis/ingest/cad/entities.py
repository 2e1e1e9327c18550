"""What one entity of a CAD drawing draws: lines and faces in three dimensions, in the drawing's own numbers.

Entities that lie in a plane of their own (an extrusion of 0, 0, -1 turns a drawing over) are brought into the world's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from siteplan_gis.ingest.cad.flattening import arc_points, bulged, positions, spline_points
from siteplan_gis.ingest.cad.hatches import hatched

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Vertices = NDArray[np.float64]

SILENT: Final = frozenset({
    "TEXT", "MTEXT", "ATTDEF", "ATTRIB", "DIMENSION", "ARC_DIMENSION", "LARGE_RADIAL_DIMENSION", "LEADER", "MULTILEADER",
    "MLEADER", "TOLERANCE", "ACAD_TABLE", "TABLE", "VIEWPORT", "SEQEND", "RAY", "XLINE", "WIPEOUT", "SHAPE", "LIGHT", "SUN",
    "GEOPOSITIONMARKER", "CAMERA", "RTEXT", "ARCALIGNEDTEXT",
})  # fmt: skip
"""Entities that say something and draw no thing on the ground."""

_FULL_TURN: Final = 2 * math.pi
_SPLINE_FRAME: Final = 16


@dataclass(slots=True)
class Drawn:
    """Lines, faces (each a list of rings, shell first) and points of an entity; arrays of shape (n, 3)."""

    lines: list[Vertices] = field(default_factory=list)
    faces: list[list[Vertices]] = field(default_factory=list)
    points: list[Vertices] = field(default_factory=list)

    def moved(self, move: Callable[[Vertices], Vertices]) -> Drawn:
        """The same, with every array moved."""
        return Drawn(
            [move(line) for line in self.lines],
            [[move(ring) for ring in face] for face in self.faces],
            [move(point) for point in self.points],
        )


def drawn_by(entity: Any, off: float) -> Drawn | None:
    """What an entity draws, its curves no farther than `off` from the chords; None where it is of no kind read here.

    Raises
    ------
    ValueError, ArithmeticError
        Or another error of the CAD library, where the entity is damaged.
    """
    read = _READERS.get(entity.dxftype())
    return None if read is None else read(entity, off)


def _in_world(entity: Any, flat: Vertices, elevation: float) -> Vertices:
    """Vertices, shape (n, 3), of ones in the entity's own plane, shape (n, 2)."""
    raised = np.column_stack((flat, np.full(len(flat), elevation)))
    ocs = entity.ocs()
    if not ocs.transform:
        return raised
    axes = np.array([tuple(ocs.ux), tuple(ocs.uy), tuple(ocs.uz)])
    turned: Vertices = raised @ axes
    return turned


def _line(entity: Any, off: float) -> Drawn:  # noqa: ARG001
    return Drawn(lines=[positions((entity.dxf.start, entity.dxf.end))])


def _point(entity: Any, off: float) -> Drawn:  # noqa: ARG001
    return Drawn(points=[positions((entity.dxf.location,))])


def _arc(entity: Any, off: float) -> Drawn:
    centre, radius = entity.dxf.center, abs(entity.dxf.radius)
    start, turn = 0.0, _FULL_TURN
    if entity.dxftype() == "ARC":
        start = math.radians(entity.dxf.start_angle)
        turn = (math.radians(entity.dxf.end_angle) - start) % _FULL_TURN or _FULL_TURN
    flat = arc_points((centre.x, centre.y), radius, start, turn, off)
    if turn == _FULL_TURN:
        flat[-1] = flat[0]
    return Drawn(lines=[_in_world(entity, flat, centre.z)])


def _spline(entity: Any, off: float) -> Drawn:
    tool = entity.construction_tool()
    line = spline_points(tool, off)
    if entity.dxftype() == "SPLINE" and entity.closed and len(line) and not (line[0] == line[-1]).all():
        line = np.vstack((line, line[:1]))
    if entity.dxftype() == "ELLIPSE" and len(line) and np.allclose(line[0], line[-1], rtol=0, atol=off):
        line[-1] = line[0]
    return Drawn(lines=[line])


def _light_polyline(entity: Any, off: float) -> Drawn:
    corners = np.array(entity.lwpoints.values, dtype=np.float64).reshape(-1, 5)[:, [0, 1, 4]]
    if len(corners) == 0:
        return Drawn()
    if corners[:, 2].any():
        flat = bulged(corners.tolist(), off, closed=entity.closed)
    else:
        flat = np.vstack((corners[:, :2], corners[:1, :2])) if entity.closed else corners[:, :2]
    return Drawn(lines=[_in_world(entity, flat, float(entity.dxf.elevation))])


def _heavy_polyline(entity: Any, off: float) -> Drawn:
    if entity.is_polygon_mesh or entity.is_poly_face_mesh:
        return Drawn(faces=[[_ring(positions(face.wcs_vertices()))] for face in entity.virtual_entities()])
    fitted = [vertex for vertex in entity.vertices if not vertex.dxf.flags & _SPLINE_FRAME]
    if not fitted:
        return Drawn()
    if entity.is_3d_polyline:
        line = positions(vertex.dxf.location for vertex in fitted)
        return Drawn(lines=[_ring(line) if entity.is_closed else line])
    corners = [(v.dxf.location.x, v.dxf.location.y, float(v.dxf.get("bulge", 0.0))) for v in fitted]
    # The standard keeps the height with the polyline; some programs write it with each vertex only.
    elevation = entity.dxf.elevation.z or fitted[0].dxf.location.z
    return Drawn(lines=[_in_world(entity, bulged(corners, off, closed=entity.is_closed), elevation)])


def _face(entity: Any, off: float) -> Drawn:  # noqa: ARG001
    return Drawn(faces=[[_ring(positions(entity.wcs_vertices()))]])


def _mesh(entity: Any, off: float) -> Drawn:  # noqa: ARG001
    corners = np.array([tuple(corner) for corner in entity.vertices], dtype=np.float64)
    return Drawn(faces=[[_ring(corners[list(face)])] for face in entity.faces])


def _hatch(entity: Any, off: float) -> Drawn:
    elevation = entity.dxf.elevation.z
    faces = [[_in_world(entity, ring, elevation) for ring in face] for face in hatched(entity, off)]
    return Drawn(faces=faces)


def _multi_line(entity: Any, off: float) -> Drawn:  # noqa: ARG001
    """The line that the parallel lines accompany."""
    line = positions(vertex.location for vertex in entity.vertices)
    return Drawn(lines=[_ring(line) if entity.is_closed else line])


def _ring(line: Vertices) -> Vertices:
    return line if len(line) and (line[0] == line[-1]).all() else np.vstack((line, line[:1]))


_READERS: Final[dict[str, Callable[[Any, float], Drawn]]] = {
    "LINE": _line, "POINT": _point, "ARC": _arc, "CIRCLE": _arc, "ELLIPSE": _spline, "SPLINE": _spline, "HELIX": _spline,
    "LWPOLYLINE": _light_polyline, "POLYLINE": _heavy_polyline, "3DFACE": _face, "SOLID": _face, "TRACE": _face,
    "MESH": _mesh, "HATCH": _hatch, "MPOLYGON": _hatch, "MLINE": _multi_line,
}  # fmt: skip
