"""Names for the things of a CAD drawing: the one text that stands in a closed line, a hatch or a symbol's place."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import shapely
from shapely import LinearRing, Point, Polygon, STRtree

from siteplan_gis.ingest.roles import without_annotation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.ingest.drawn.drawing import DrawnFeature, DrawnLayer, DrawnText

_LABEL: Final = "label"
_FEWEST: Final = 4
_LETTER_SIZES: Final = 4.0
_LONGEST: Final = 60


def name_by_texts(layers: Sequence[DrawnLayer]) -> None:
    """Give each closed thing the text in it, and each lone point the one beside it, as attribute `label`.

    Only texts of the layer itself and of the layer for its annotation count ("C-GRID" and "C-GRID-TEXT"), and only
    where one text stands in one thing: of several nobody can tell which is the name.
    """
    texts: dict[str, list[DrawnText]] = defaultdict(list)
    for layer in layers:
        texts[without_annotation(layer.layer)] += [text for text in layer.texts if len(text.words) <= _LONGEST]
    for layer in layers:
        own = texts[without_annotation(layer.layer)]
        if own and layer.features:
            _name(layer, own)


def _name(layer: DrawnLayer, texts: Sequence[DrawnText]) -> None:
    things = [(feature, shape) for feature in layer.features if (shape := _closed(feature)) is not None]
    if not things:
        return
    points = [Point(text.middle) for text in texts]
    tree = STRtree([shape for _, shape in things])
    within: dict[int, list[int]] = defaultdict(list)
    for number, (text, point) in enumerate(zip(texts, points, strict=True)):
        reach = _LETTER_SIZES * text.height
        near = tree.query(point, predicate="dwithin", distance=reach).tolist()
        inside = [thing for thing in near if things[thing][1].area > 0 and things[thing][1].covers(point)]
        beside = [thing for thing in near if things[thing][1].area == 0]
        if inside:
            within[min(inside, key=lambda thing: things[thing][1].area)].append(number)
        elif beside:
            within[min(beside, key=lambda thing: shapely.distance(things[thing][1], point))].append(number)
    for thing, numbers in within.items():
        feature = things[thing][0]
        if len(numbers) == 1 and _LABEL not in feature.attributes:
            feature.attributes[_LABEL] = texts[numbers[0]].words
            if _LABEL not in layer.fields:
                layer.fields = (*layer.fields, _LABEL)


def _closed(feature: DrawnFeature) -> BaseGeometry | None:
    drawing = feature.drawing
    if drawing is None:
        return None
    if drawing.points and (drawing.is_symbol or not (drawing.lines or drawing.polygons)):
        return Point(drawing.points[0][0])
    rings = [part[0] for part in drawing.polygons if len(part[0]) >= _FEWEST]
    rings += [line for line in drawing.lines if len(line) >= _FEWEST and (line[0] == line[-1]).all()]
    return Polygon(LinearRing(rings[0])) if len(rings) == 1 else None
