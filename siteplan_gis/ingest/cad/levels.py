"""Levels of the contours of a CAD drawing: from heights, extended data, texts at the lines, or the layer's name.

For each line the first of these that tells counts. A layer whose lines all lie at zero says nothing by its heights.
Where a line's text and its height differ, that is named: one of the two is a typing error.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from siteplan_gis.ingest.cad.line_texts import texts_at_lines
from siteplan_gis.ingest.drawn.attributes import elevation_of
from siteplan_gis.ingest.drawn.elevations import height_of
from siteplan_gis.ingest.roles import guess_role, without_annotation
from siteplan_gis.model.flag import Flag
from siteplan_gis.units import FOOT_M, metres_per

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.ingest.drawn.drawing import DrawnFeature, DrawnText
    from siteplan_gis.ingest.drawn.placing import PlacedLayer

CONTOURS: Final = ("contour_existing", "contour_proposed")
SOURCES: Final = ("heights of the lines", "extended data", "text labels", "layer names")

_LEVELS_IN_NAMES: Final = 3
_SAME_M: Final = 0.01
_SHOWN: Final = 5
_IN_NAME: Final = re.compile(r"(?:^|[-_ ])(?:EL(?:EV)?[-_ ]?)?(\d{1,5}(?:\.\d+)?)(?:FT|M|')?$", re.IGNORECASE)


def label_contours(layers: Sequence[PlacedLayer]) -> None:
    """Give every contour of a file the text that labels it.

    Texts that may label are those on contour layers and on layers whose name without its word for annotation is a
    contour layer's ("V-TOPO-TEXT"). All contours of the file are looked at together, so that none takes a text that
    stands at a nearer one of another layer. Lines with texts that contradict each other get none.
    """
    speaking = [
        layer
        for layer in layers
        if (layer.role in CONTOURS or guess_role(without_annotation(layer.drawn.layer)) in CONTOURS)
        and not layer.drawn.hidden
    ]
    texts = [text for layer in speaking for text in layer.drawn.texts if elevation_of(text.words) is not None]
    contours = [layer for layer in layers if layer.role in CONTOURS and layer.drawn.cad is not None]
    named = Counter(_name_stem(layer) for layer in contours)
    lines = []
    owners = []
    for layer in contours:
        layer.level_in_name = _level_in_name(layer, named)
        for feature in layer.drawn.features:
            for line in feature.drawing.lines if feature.drawing is not None else ():
                if len(line) > 1:
                    lines.append(line)
                    owners.append((layer, feature))
    for number, found in texts_at_lines(lines, texts).items():
        if len({elevation_of(text.words) for text in found}) == 1:
            layer, feature = owners[number]
            layer.labels[id(feature)] = found[0]


def drawn_levels(layer: PlacedLayer, features: Sequence[DrawnFeature]) -> tuple[dict[int, float | None], list[Flag]]:
    """Levels in metres by the `id()` of each feature, and what the reviewer must know about them."""
    height_m, label_m, assumed = _units(layer)
    flat = not any(feature.drawing is not None and feature.drawing.has_z for feature in features)
    found: dict[int, float | None] = {}
    used: Counter[str] = Counter()
    unlike = []
    for feature in features:
        drawing = feature.drawing
        height = None if drawing is None or flat else height_of(drawing)
        if height is None and not flat and drawing is not None and not drawing.has_z:
            height = 0.0
        written = layer.labels.get(id(feature))
        text_level = None if written is None else _metres_of(written, label_m)
        extended = feature.attributes.get("xdata elevation")
        levels = (
            None
            if height is None or height_m is None or (height == 0 and text_level is not None)
            else height * height_m,
            extended * height_m if isinstance(extended, float) and height_m is not None else None,
            text_level,
            None if layer.level_in_name is None or label_m is None else layer.level_in_name * label_m,
        )
        level, source = next(
            ((level, SOURCES[number]) for number, level in enumerate(levels) if level is not None), (None, "")
        )
        found[id(feature)] = level
        if level is not None:
            used[source] += 1
        by_drawing = level is not None and source in SOURCES[:2]
        if by_drawing and written and text_level is not None and abs(text_level - (level or 0.0)) > _SAME_M:
            unlike.append(
                f"{feature.id} lies at {(level or 0.0) / (label_m or 1.0):.6g}, its text says {written.words}"
            )
    flags = [Flag("contour_level_odd", f"text and height differ: {one}", layer.label) for one in unlike]
    if used:
        words = "; ".join(f"{count} lines from {source}" for source, count in used.most_common())
        flags.append(Flag("contour_elevation_source", f"elevations of {words}", layer.label))
    if used and assumed:
        flags.append(Flag("unit_assumed", assumed, layer.label))
    unread = [feature.id for feature in features if found[id(feature)] is None]
    if unread:
        why = (
            "all of the layer lies at height zero, which means unknown"
            if flat
            else "they are not level, or of no known unit"
        )
        text = f"{len(unread)} lines have no readable elevation: {why}, and no text stands at them; {', '.join(unread[:_SHOWN])}"
        flags.append(Flag("contour_elevation_missing", text + ", ..." * (len(unread) > _SHOWN), layer.label))
    return found, flags


def _units(layer: PlacedLayer) -> tuple[float | None, float | None, str]:
    """Metres of the unit of heights and of the unit of texts, and what was assumed."""
    if layer.settings.elevation_units is not None:
        told = metres_per(layer.settings.elevation_units)
        return told, told, ""
    unit = layer.height_m
    if unit is None:
        return None, None, ""
    imperial = any(math.isclose(unit * number, FOOT_M, rel_tol=1e-5) for number in (12, 1, 1 / 3, 1 / 5280))
    if math.isclose(unit, FOOT_M, rel_tol=1e-5):
        # The two feet differ by 1.4 thousandths of a foot at 700 ft; a 2-ft interval stays 2 ft.
        unit = FOOT_M
    cad = layer.drawn.cad
    assumed = (
        ""
        if cad is not None and cad.unit_m is not None
        else "heights have no unit; that of the plan coordinates was taken"
    )
    return unit, FOOT_M if imperial else 1.0, assumed


def _metres_of(text: DrawnText, label_m: float | None) -> float | None:
    told = elevation_of(text.words)
    if told is None:
        return None
    metres = told[1] or label_m
    return None if metres is None else told[0] * metres


def _name_stem(layer: PlacedLayer) -> str:
    return _IN_NAME.sub("", layer.drawn.layer).lower()


def _level_in_name(layer: PlacedLayer, named: Counter[str]) -> float | None:
    """The level that the layer's name ends with, where at least three contour layers differ by nothing else."""
    found = _IN_NAME.search(layer.drawn.layer)
    return float(found[1]) if found and named[_name_stem(layer)] >= _LEVELS_IN_NAMES else None
