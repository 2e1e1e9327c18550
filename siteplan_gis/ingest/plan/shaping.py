"""From drawn lines and rings, in the site frame, to the geometry that a role asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import LineString, MultiLineString, MultiPoint, Point

from siteplan_gis.frame import project_many
from siteplan_gis.ingest.repair import TangledError, as_drawn, repair_polygon
from siteplan_gis.measures.shapes.crowding import crowded
from siteplan_gis.model.plan import POINT_ROLES, POLYGON_ROLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.crs import Georeference
    from siteplan_gis.frame import Frame
    from siteplan_gis.ingest.drawn.drawing import Drawing

    Vertices = NDArray[np.float64]

PLAINLY_CLOSED: Final = ("lines_closed", "a closed line was taken as a polygon")
"""The note of a line that ends exactly where it began."""

CLOSING_M: Final = 0.1
"""Lines whose ends lie no farther apart, in metres, are closed."""

CROWDED: Final = (
    "its lines run to and fro beside each other many thousand times, as no ground does: nothing can be measured on it and "
    "it was set aside; draw its outline alone"
)
"""What is said of a feature whose measuring would not come to an end."""

_ANY_KIND: Final = frozenset({"floodplain", "grid", "wetland"})
_CONTOURS: Final = frozenset({"contour_existing", "contour_proposed"})
_FEWEST_POSITIONS: Final = 4
_METRES_PER_DEGREE: Final = 111_320.0


@dataclass(slots=True)
class Shaped:
    """Geometries of one feature, one of each kind, and what was noticed: pairs of flag code and sentence."""

    geometries: list[BaseGeometry] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def project_drawings(drawings: Sequence[Drawing], source: Georeference, frame: Frame) -> list[Drawing]:
    """Bring drawings into the frame, all positions of a layer at once; nothing is closed or repaired."""
    arrays = [array for drawing in drawings for array in drawing.arrays()]
    flat = np.empty(len(arrays), dtype=object)
    for number, array in enumerate(arrays):
        flat[number] = _carrier(array)
    projected = iter(project_many(flat, source, frame) if len(flat) else flat)
    moved = []
    for drawing in drawings:
        own = []
        for array in drawing.arrays():
            carrier = next(projected)
            positions = shapely.get_coordinates(carrier)
            own.append(positions if carrier.geom_type == "LineString" else np.repeat(positions, len(array), axis=0))
        moved.append(drawing.replaced(own))
    return moved


def _carrier(array: Vertices) -> BaseGeometry:
    """A geometry that carries positions through the projection; one that never moves is a point to GEOS."""
    if len(array) and (array == array[0]).all():
        return Point(array[0])
    return LineString(array)


def shape(
    drawing: Drawing, role: str, source: Drawing, reference: Georeference, *, assume_closed: bool = False
) -> Shaped:
    """The geometry of a drawing for a role.

    Parameters
    ----------
    drawing, source
        The drawing in the frame, and as the file writes it (a fault that only projecting made is no fault of the file).
    assume_closed
        Close open lines of a polygon role.
    """
    shaped = Shaped()
    parts = [list(part) for part in drawing.polygons if part and len(part[0])]
    lines = [line for line in map(_without_repeats, drawing.lines) if line is not None]
    drawn_lines = sum(len(line) > 0 for line in drawing.lines)
    if len(lines) < drawn_lines:
        code = "contour_zero_length" if role in _CONTOURS else "feature_empty"
        shaped.notes.append((code, f"{drawn_lines - len(lines)} line of no length was left out"))
    points = [point for point in drawing.points if len(point)]
    if crowded([*(ring for part in parts for ring in part), *lines]):
        shaped.notes.append(("feature_unreadable", CROWDED))
        return shaped
    if drawing.is_symbol and role in POINT_ROLES:
        parts, lines = [], []
    elif drawing.is_symbol:
        points = []
    closed_parts: list[list[Vertices]] = []
    if role in POLYGON_ROLES:
        closed_parts, lines = _close(lines, role, shaped, assume_closed=assume_closed)
        if points and role not in _ANY_KIND:
            shaped.notes.append(("feature_wrong_kind", f"{len(points)} point where {role} asks for a polygon"))
            points = []
    elif role in _CONTOURS:
        for what, found in (("polygon", parts), ("point", points)):
            if found:
                shaped.notes.append(("feature_wrong_kind", f"{len(found)} {what} where {role} asks for lines"))
        parts, points = [], []
    if parts or closed_parts:
        _add_polygon(parts, closed_parts, source, reference, shaped)
    if lines:
        shaped.geometries.append(LineString(lines[0]) if len(lines) == 1 else MultiLineString(lines))
    if points:
        joined = np.vstack(points)
        shaped.geometries.append(Point(joined[0]) if len(joined) == 1 else MultiPoint(joined))
    if not shaped.geometries and not shaped.notes:
        shaped.notes.append(("feature_empty", "it draws nothing"))
    return shaped


def _add_polygon(
    parts: list[list[Vertices]],
    closed_parts: list[list[Vertices]],
    source: Drawing,
    reference: Georeference,
    shaped: Shaped,
) -> None:
    if not closed_parts and (drawn := as_drawn(parts)) is not None:
        shaped.geometries.append(drawn)
        return
    try:
        repaired = repair_polygon(parts + closed_parts)
    except TangledError as error:
        shaped.notes.append(("feature_unreadable", f"{error}: it cannot be repaired and was set aside; draw it again"))
        return
    flawless = not closed_parts and as_drawn(_unwrapped(source, reference)) is not None
    if repaired.problems and not flawless:
        shaped.notes.append(("geometry_repaired", repaired.text))
    if repaired.geometry.is_empty:
        shaped.notes.append(("feature_empty", "it encloses no ground"))
    else:
        shaped.geometries.append(repaired.geometry)


def _unwrapped(source: Drawing, reference: Georeference) -> list[list[Vertices]]:
    """The rings as written, those in degrees without the jump at the 180th meridian."""
    if reference.metres_per_unit is not None:
        return source.polygons
    column = 0 if reference.axis_order == "xy" else 1
    around = next((float(ring[0, column]) for part in source.polygons for ring in part if len(ring)), 0.0)
    turned = []
    for part in source.polygons:
        rings = []
        for ring in part:
            own = ring.copy()
            own[:, column] = around + (own[:, column] - around + 180) % 360 - 180
            rings.append(own)
        turned.append(rings)
    return turned


def _close(
    lines: list[Vertices], role: str, shaped: Shaped, *, assume_closed: bool
) -> tuple[list[list[Vertices]], list[Vertices]]:
    """Closed lines as parts of a polygon, and the lines that stay lines."""
    parts: list[list[Vertices]] = []
    stay: list[Vertices] = []
    open_gaps = []
    for line in lines:
        gap = float(np.hypot(*(line[0] - line[-1])))
        enough = len(line) >= _FEWEST_POSITIONS - (gap > 0)
        if enough and (gap <= CLOSING_M or assume_closed):
            text = f"a line closed over a gap of {gap:.3f} m was taken as a polygon"
            shaped.notes.append(PLAINLY_CLOSED if gap == 0 else ("lines_closed", text))
            ring = line if gap == 0 else np.vstack((line, line[:1]))
            if 0 < gap <= CLOSING_M and len(line) >= _FEWEST_POSITIONS:
                ring = np.vstack((line[:-1], line[:1]))
            parts.append([ring])
        elif role in _ANY_KIND:
            stay.append(line)
        else:
            open_gaps.append(gap)
    if open_gaps:
        shaped.notes.append(
            ("lines_not_closed", (f"{len(open_gaps)} open line set aside: {role} asks for a polygon; the smallest gap between "
             f"its ends is {min(open_gaps):.2f} m"))
        )  # fmt: skip
    return parts, stay


def _without_repeats(line: Vertices) -> Vertices | None:
    if len(line) < 2:  # noqa: PLR2004
        return None
    kept = line[np.concatenate(([True], (np.diff(line, axis=0) != 0).any(axis=1)))]
    return kept if len(kept) > 1 else None
