"""Hatches that only fill what a closed line of the same layer draws already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import shapely
from shapely import Polygon, STRtree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.ingest.drawn.drawing import Drawing, DrawnFeature

_FEWEST: Final = 4
_SAME_SHARE: Final = 0.005
"""A hatch and a line differ by no more than this share of their area: the hatch is drawn to the line's inner edge."""


def without_fills(features: Sequence[DrawnFeature]) -> tuple[list[DrawnFeature], int]:
    """The features without hatches that repeat closed lines among them, and how many those were.

    Such a pair is one piece of ground: taken as two it would overlap itself.
    """
    outlines = [shape for feature in features if (shape := _outline(feature.drawing)) is not None]
    if not outlines:
        return list(features), 0
    tree = STRtree(outlines)
    kept = [feature for feature in features if not _fills(feature.drawing, outlines, tree)]
    return kept, len(features) - len(kept)


def _outline(drawing: Drawing | None) -> BaseGeometry | None:
    if drawing is None or drawing.polygons or drawing.is_symbol or len(drawing.lines) != 1:
        return None
    line = drawing.lines[0]
    if len(line) < _FEWEST or (line[0] != line[-1]).any():
        return None
    return Polygon(line).buffer(0)


def _fills(drawing: Drawing | None, outlines: Sequence[BaseGeometry], tree: STRtree) -> bool:
    if drawing is None or drawing.kinds != ["HATCH"] or not drawing.polygons:
        return False
    parts = [Polygon(part[0], part[1:]).buffer(0) for part in drawing.polygons]
    for part in parts:
        near = [outlines[place] for place in tree.query(part, predicate="intersects")]
        if not any(shapely.area(part.symmetric_difference(one)) <= _SAME_SHARE * part.area for one in near):
            return False
    return True
