"""Courses of parcels and plan features in LandXML: lines, curves and spirals joined to runs of positions.

A curve becomes chords whose corners lie so little outside the arc that the chords enclose exactly the arc's area:
acreages of lots are those of the true curves, and every chord keeps within a hundredth of a foot of its arc
(for radii up to 1000 ft).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from siteplan_gis.ingest.vector_files.landxml import positions, tag_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from xml.etree.ElementTree import Element

    from numpy.typing import NDArray

    Vertices = NDArray[np.float64]

CHORD_SHARE: Final = 1e-5
"""How far a chord may lie from its arc, as a share of the radius: 0.003 ft at 300 ft."""

_JOINED: Final = 0.005
_SPIRAL_POINTS: Final = 17
_FIT_SHARE: Final = 1e-3


@dataclass(slots=True)
class Course:
    """Runs of positions (easting, northing), each shape (n, 2), and what could not be read as drawn."""

    runs: list[Vertices] = field(default_factory=list)
    spirals: int = 0
    left_out: list[str] = field(default_factory=list)


def read_course(element: Element, survey_points: Mapping[str, str]) -> Course:
    """Join the courses below an element; a run ends where the next course does not begin at its end."""
    course = Course()
    for geometry in element:
        if tag_of(geometry) != "CoordGeom":
            continue
        for part in geometry:
            try:
                run = _run(part, survey_points, course)
            except ValueError as error:
                course.left_out.append(f"a {tag_of(part)} was left out: {error}")
                continue
            if run is None:
                continue
            if course.runs and np.hypot(*(course.runs[-1][-1] - run[0])) <= _JOINED:
                course.runs[-1] = np.vstack((course.runs[-1], run[1:]))
            else:
                course.runs.append(run)
    course.runs = [_closed(run) for run in course.runs]
    return course


def _closed(run: Vertices) -> Vertices:
    """A run that comes back to its beginning within the rounding of its text ends exactly there."""
    if len(run) > 3 and 0 < np.hypot(*(run[-1] - run[0])) <= _JOINED:  # noqa: PLR2004
        run = run.copy()
        run[-1] = run[0]
    return run


def _run(part: Element, survey_points: Mapping[str, str], course: Course) -> Vertices | None:
    tag = tag_of(part)
    if tag not in ("Line", "Curve", "Spiral", "IrregularLine", "Chain"):
        return None
    if tag == "Chain":
        raise ValueError("chains of points are not read")
    ends = {tag_of(child): child for child in part}
    start, end = (_position(ends, name, survey_points) for name in ("Start", "End"))
    if start is None or end is None:
        raise ValueError("it has no start or no end")
    if tag == "IrregularLine":
        for name, width in (("PntList2D", 2), ("PntList3D", 3)):
            if name in ends:
                return positions(ends[name].text, width)[:, :2]
    if tag == "Curve":
        centre = _position(ends, "Center", survey_points)
        return arc(start, end, centre, part.get("rot", ""), part.get("radius", ""))
    if tag == "Spiral":
        course.spirals += 1
        corner = _position(ends, "PI", survey_points)
        if corner is not None:
            share = np.linspace(0, 1, _SPIRAL_POINTS)[:, None]
            curve: Vertices = (1 - share) ** 2 * start + 2 * share * (1 - share) * corner + share**2 * end
            return curve
    return np.vstack((start, end))


def _position(ends: Mapping[str, Element], name: str, survey_points: Mapping[str, str]) -> Vertices | None:
    element = ends.get(name)
    if element is None:
        return None
    text = (element.text or "").strip() or survey_points.get(element.get("pntRef", ""), "")
    numbers = text.split()
    if not numbers:
        raise ValueError(f"its {name} refers to no point of the file")
    return positions(" ".join(numbers[:2]), 2).ravel()


def arc(start: Vertices, end: Vertices, centre: Vertices | None, turn: str, radius: str = "") -> Vertices:
    """An arc as chords that enclose its exact area.

    Parameters
    ----------
    start, end, centre
        Positions, shape (2,); without a centre the radius tells it, for an arc of less than half a turn.
    turn
        "cw" or "ccw".

    Raises
    ------
    ValueError
        If the parts do not make one arc.

    Examples
    --------
    >>> ring = arc(np.array([1.0, 0.0]), np.array([-1.0, 0.0]), np.zeros(2), "ccw")
    >>> x, y = ring.T
    >>> area = abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2
    >>> bool(abs(area - np.pi / 2) < 1e-12)
    True
    """
    if turn not in ("cw", "ccw"):
        raise ValueError("a curve says neither cw nor ccw")
    sign = 1.0 if turn == "ccw" else -1.0
    chord = end - start
    length = float(np.hypot(*chord))
    if centre is None:
        centre = _centre_from_radius(start, chord, length, sign, radius)
    if length > 0:
        # The centre as written is rounded: it is brought to equal distances from both ends.
        normal = np.array([-chord[1], chord[0]]) / length
        middle = (start + end) / 2
        away = abs(float((centre - middle) @ chord)) / length
        centre = middle + normal * float((centre - middle) @ normal)
        if away > _FIT_SHARE * max(float(np.hypot(*(start - centre))), length):
            raise ValueError("the centre of a curve is not equally far from its ends")
    first, last = start - centre, end - centre
    size = float(np.hypot(*first))
    if not size:
        raise ValueError("a curve has no radius")
    begin = np.arctan2(first[1], first[0])
    angle = float((sign * (np.arctan2(last[1], last[0]) - begin)) % (2 * np.pi)) or 2 * np.pi
    parts = max(2, int(np.ceil(angle / (2 * np.arccos(1 - CHORD_SHARE)))))
    step = np.sin(angle / parts)
    # Equal triangles around the centre, all corners but the two ends at radius r: (n - 2) s r^2 + 2 R s r = R^2 angle.
    inner = parts - 2
    outer = angle / (2 * step) if not inner else (np.sqrt(step**2 + inner * step * angle) - step) / (inner * step)
    turned = begin + sign * angle * np.arange(1, parts) / parts
    corners = centre + outer * size * np.column_stack((np.cos(turned), np.sin(turned)))
    return np.vstack((start, corners, end))


def _centre_from_radius(start: Vertices, chord: Vertices, length: float, sign: float, radius: str) -> Vertices:
    try:
        size = float(radius)
    except ValueError:
        raise ValueError("a curve has neither centre nor radius") from None
    if not length or not size >= length / 2 * (1 - _FIT_SHARE):
        raise ValueError("the radius of a curve is too small for its ends")
    normal = np.array([-chord[1], chord[0]]) / length
    centre: Vertices = start + chord / 2 + sign * normal * np.sqrt(max(size**2 - length**2 / 4, 0.0))
    return centre
