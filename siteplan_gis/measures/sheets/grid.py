"""The alphanumeric grid over a site map: its cells, their labels, and what ground it leaves out.

A grid may be drawn as cells, as lettered and numbered bands, or as crossing lines; labels may stand on cells, in
cells, on lines, or in the margin beside rows and columns.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import Point, STRtree

from siteplan_gis.measures.shapes.area import polygons_of, union_area, without_slivers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from shapely import Polygon
    from shapely.geometry.base import BaseGeometry

_LETTER: Final = re.compile(r"[A-Z]{1,2}")
_FIGURE: Final = re.compile(r"\d{1,3}")
_ALPHANUMERIC: Final = re.compile(r"[A-Z]{1,2}\d{1,3}|\d{1,3}[A-Z]{1,2}")


@dataclass(frozen=True, slots=True, eq=False)
class GridFacts:
    """Facts of a reference grid.

    Attributes
    ----------
    cells, labels
        The cells in the site frame and the label of each, "" where it has none.
    uncovered, uncovered_m2
        The part of the map area that no cell covers, and its area in square metres.
    duplicate_labels, odd_labels
        Labels of several cells, and labels that are not a letter with a number.
    unlabelled_cells
        Number of cells without a label.
    """

    cells: tuple[Polygon, ...]
    labels: tuple[str, ...]
    uncovered: BaseGeometry
    uncovered_m2: float
    duplicate_labels: tuple[str, ...]
    odd_labels: tuple[str, ...]
    unlabelled_cells: int


def grid_facts(
    geometries: Sequence[BaseGeometry],
    labels: Sequence[str],
    map_area: BaseGeometry,
    noise_m: float,
    *,
    equivalent: bool = False,
) -> GridFacts:
    """Facts of a grid drawn as polygons, as lines, or as either with labelled points, in the site frame.

    Gaps nowhere wider than `noise_m` metres are not counted, and lines that stop short of each other by no more than
    it are taken to meet. With `equivalent`, another system of labels is declared and no label is odd.

    Raises
    ------
    ValueError
        If there is not one label (maybe empty) for each geometry.

    Examples
    --------
    >>> facts = grid_facts([shapely.box(0, 0, 50, 50), shapely.box(50, 0, 100, 50)], ["A1", "A2"],
    ...                    shapely.box(0, 0, 120, 50), noise_m=0.5)
    >>> facts.uncovered_m2, facts.duplicate_labels
    (1000.0, ())
    """
    if len(geometries) != len(labels):
        message = "every part of a grid needs a label, which may be empty"
        raise ValueError(message)
    marks = [(geometry, _plain(label)) for geometry, label in zip(geometries, labels, strict=True)]
    cells = _cells(marks, noise_m)
    named = _labelled(cells, marks, noise_m)
    counts = Counter(label for _, label in named if label)
    missing = union_area([map_area])[0].difference(union_area(cell for cell, _ in named)[0])
    uncovered = without_slivers(missing, noise_m)
    return GridFacts(
        cells=tuple(cell for cell, _ in named),
        labels=tuple(label for _, label in named),
        uncovered=uncovered,
        uncovered_m2=float(uncovered.area),
        duplicate_labels=tuple(sorted(label for label, count in counts.items() if count > 1)),
        odd_labels=tuple(sorted(label for label in counts if not equivalent and not _ALPHANUMERIC.fullmatch(label))),
        unlabelled_cells=sum(not label for _, label in named),
    )


def _plain(label: str) -> str:
    """One spelling: "a-01", "A 1" and "A1" name the same cell."""
    text = re.sub(r"[\s._/-]+", "", label.upper())
    return re.sub(r"(?<!\d)0+(?=\d)", "", text) if re.fullmatch("[A-Z]{0,2}[0-9]+[A-Z]{0,2}", text) else text


def _cells(marks: Sequence[tuple[BaseGeometry, str]], noise_m: float) -> list[tuple[Polygon, str]]:
    """The cells, each with the label that it bears itself."""
    drawn: dict[tuple[bytes, str], tuple[Polygon, str]] = {}
    for geometry, label in marks:
        for polygon in polygons_of(geometry):
            drawn.setdefault((shapely.normalize(polygon).wkb, label), (polygon, label))
    polygons = list(drawn.values())
    if not polygons:
        lines = [_lengthened(line, noise_m) for geometry, _ in marks for line in _lines_of(geometry)]
        faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(shapely.union_all(lines)))) if lines else ()
        return [(face, "") for face in faces if not face.buffer(-noise_m / 2).is_empty]
    rows = [mark for mark in polygons if _LETTER.fullmatch(mark[1])]
    columns = [mark for mark in polygons if _FIGURE.fullmatch(mark[1])]
    if rows and columns and len(rows) + len(columns) == len(polygons):
        crossings = [(row.intersection(column), a + b) for row, a in rows for column, b in columns]
        bands = [(cell, label) for crossing, label in crossings for cell in polygons_of(crossing)]
        bands = [(cell, label) for cell, label in bands if not cell.buffer(-noise_m / 2).is_empty]
        if bands:
            return bands
    return polygons


def _labelled(
    cells: Sequence[tuple[Polygon, str]], marks: Sequence[tuple[BaseGeometry, str]], noise_m: float
) -> list[tuple[Polygon, str]]:
    """Cells with their labels: their own, else of a point inside, else of their row and column."""
    points = [(point, label) for point, label in marks if label and point.geom_type == "Point"]
    lines = [(line, label) for geometry, label in marks if label for line in _lines_of(geometry)]
    bare = [cell for cell, label in cells if not label]
    if not bare or not (points or lines):
        return list(cells)
    inside: dict[int, list[str]] = {}
    tree = STRtree([cell for cell, _ in cells])
    for point, label in points:
        if not (_LETTER.fullmatch(label) or _FIGURE.fullmatch(label)) or not lines:
            for place in tree.query(point, predicate="intersects").tolist():
                inside.setdefault(place, []).append(label)
    along = _axes(bare, lines, points, noise_m)
    named = []
    for place, (cell, own) in enumerate(cells):
        full = [label for label in inside.get(place, ()) if not _is_part(label)]
        named.append((cell, own or (full[0] if full else "") or along(cell) or "".join(inside.get(place, ())[:1])))
    return named


def _is_part(label: str) -> bool:
    return bool(_LETTER.fullmatch(label) or _FIGURE.fullmatch(label))


def _axes(
    cells: Sequence[Polygon],
    lines: Sequence[tuple[BaseGeometry, str]],
    points: Sequence[tuple[BaseGeometry, str]],
    noise_m: float,
) -> Callable[[Polygon], str]:
    """How to name a cell from letters and numbers that stand on lines or in the margin."""
    turn = _turned(cells)
    axes: list[tuple[int, bool, NDArray[np.float64], list[str]]] = []
    found = []
    for pattern in (_LETTER, _FIGURE):
        courses = [(turn(line), label) for line, label in lines if pattern.fullmatch(label)]
        marks = courses or [(turn(point), label) for point, label in points if pattern.fullmatch(label)]
        if not marks:
            return lambda _: ""
        found.append((bool(courses), np.array([mark.bounds for mark, _ in marks]), [label for _, label in marks]))
    # Lines are counted across their course, margin labels along their margin; positive: along the first axis.
    leanings = [_leaning(boxes, on_lines=on_lines) for on_lines, boxes, _ in found]
    for place, (on_lines, boxes, labels) in enumerate(found):
        axis = int((leanings[place] or -leanings[1 - place]) <= 0)
        axes.append((axis, on_lines, (boxes[:, axis] + boxes[:, axis + 2]) / 2, labels))
    if axes[0][0] == axes[1][0]:
        return lambda _: ""

    def name(cell: Polygon) -> str:
        low_x, low_y, high_x, high_y = turn(cell).bounds
        spans = ((low_x, high_x), (low_y, high_y))
        text = ""
        for axis, on_lines, positions, labels in axes:
            low, high = spans[axis]
            tolerance = max(noise_m, (high - low) / 100)
            if on_lines:
                # A cell is named after the line at its lower side.
                away = np.abs(positions - low)
                nearest = int(away.argmin())
                fits = away[nearest] <= tolerance
            else:
                nearest = int(np.abs(positions - (low + high) / 2).argmin())
                fits = low <= positions[nearest] <= high
            if not fits:
                return ""
            text += labels[nearest]
        return text

    return name


def _leaning(boxes: NDArray[np.float64], *, on_lines: bool) -> float:
    """Whether marks follow each other along the first axis (positive) or the second (negative); 0 cannot tell."""
    if on_lines:
        across = np.mean(boxes[:, 2:] - boxes[:, :2], axis=0)
        return float(across[1] - across[0])
    spread = np.ptp((boxes[:, :2] + boxes[:, 2:]) / 2, axis=0)
    return float(spread[0] - spread[1])


def _turned(cells: Sequence[Polygon]) -> Callable[[BaseGeometry], BaseGeometry]:
    """A rotation that lays the sides of the cells along the axes."""
    corners = shapely.get_coordinates(max(cells, key=lambda cell: cell.area))
    sides = np.diff(corners, axis=0)
    longest = sides[np.hypot(sides[:, 0], sides[:, 1]).argmax()]
    angle = np.arctan2(longest[1], longest[0])
    # By the smallest turn, so that rows stay rows.
    angle -= np.round(angle / (np.pi / 2)) * (np.pi / 2)
    cosine, sine = np.cos(angle), np.sin(angle)
    matrix = np.array([[cosine, sine], [-sine, cosine]])
    origin = corners[0]

    def turn(geometry: BaseGeometry) -> BaseGeometry:
        turned: BaseGeometry = shapely.transform(geometry, lambda xy: (xy - origin) @ matrix.T)
        return turned

    return turn


def _lines_of(geometry: BaseGeometry) -> list[BaseGeometry]:
    return [part for part in shapely.get_parts(geometry) if "Line" in part.geom_type and part.length > 0]


def _lengthened(line: BaseGeometry, by_m: float) -> BaseGeometry:
    """A line drawn on at both ends, so that lines that stop just short of each other meet."""
    corners = shapely.get_coordinates(line)
    if line.is_closed:
        return line
    first, last = _onward(corners[1], corners[0], by_m), _onward(corners[-2], corners[-1], by_m)
    return shapely.linestrings(np.vstack((first, corners, last)))


def _onward(start: NDArray[np.float64], end: NDArray[np.float64], by_m: float) -> NDArray[np.float64]:
    length = Point(start).distance(Point(end))
    return end if length == 0 else end + (end - start) / length * by_m
