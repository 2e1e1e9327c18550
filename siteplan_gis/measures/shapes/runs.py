"""Lengths of streets and trenches: stretches that touch are one run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import shapely

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A connected stretch: what is drawn of it, its length in metres, and how far that may err for what is an area."""

    course: BaseGeometry
    length_m: float
    doubt_m: float


def connected_runs(drawn: Sequence[BaseGeometry], apart_m: float) -> list[Run]:
    """Lines and areas, each stretch once, put together where no more than `apart_m` metres lie between them.

    An area counts with the length of the strip that has its area and its outline, give or take the strip's width.

    Examples
    --------
    >>> from shapely import LineString, box
    >>> lines = [LineString([(0, 0), (20, 0)]), LineString([(20, 0), (35, 0)]), LineString([(90, 0), (99, 0)])]
    >>> [run.length_m for run in connected_runs(lines, 0.3)]
    [35.0, 9.0]
    >>> (run,) = connected_runs([box(0, 0, 60, 8)], 0.3)
    >>> run.length_m, run.doubt_m
    (60.0, 8.0)
    """
    areas = shapely.union_all([shape for shape in drawn if shape.area > 0])
    lines = shapely.union_all([shape for shape in drawn if shape.area == 0]).difference(areas)
    whole = shapely.union_all([lines, areas])
    runs = []
    for ground in shapely.get_parts(whole.buffer(apart_m / 2)):
        line, strips = lines.intersection(ground), [_strip(part) for part in _areas(areas.intersection(ground))]
        length_m = line.length + sum(length for length, _ in strips)
        runs.append(Run(whole.intersection(ground), length_m, sum(width for _, width in strips)))
    return sorted(runs, key=lambda run: (-run.length_m, run.course.bounds))


def _areas(shape: BaseGeometry) -> list[BaseGeometry]:
    return [part for part in shapely.get_parts(shape) if part.area > 0]


def _strip(area: BaseGeometry) -> tuple[float, float]:
    """Length and width of the rectangle with the area and the perimeter of a shape."""
    half = area.length / 2
    length = (half + math.sqrt(max(half**2 - 4 * area.area, 0.0))) / 2
    return length, half - length
