"""The sheets of a CAD drawing with the scales of their viewports in feet to the inch of the plotted paper."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import Polygon

from siteplan_gis.ingest.cad.texts import WIDTH_OF_LETTER
from siteplan_gis.ingest.drawn.placing import ANCHOR_ROLES
from siteplan_gis.measures.sheets.lettering import Line, Word, on_baseline
from siteplan_gis.measures.sheets.sheet_notes import read_words
from siteplan_gis.model.sheet import ScaleEvidence, Sheet
from siteplan_gis.units import FOOT_M

if TYPE_CHECKING:
    from collections.abc import Sequence

    from siteplan_gis.ingest.drawn.drawing import DrawnLayout, DrawnText, DrawnViewport
    from siteplan_gis.ingest.drawn.placing import PlacedLayer

_LOCATION: Final = re.compile(
    r"\b(?:vicinity|location|locator|key|overview|area) (?:map|plan|sketch)\b|\busgs\b", re.IGNORECASE
)
_DETAIL: Final = re.compile(r"\bdetails?\b|\bsections?\b|\bprofiles?\b|\btypical\b|\blegend\b", re.IGNORECASE)
_CAPTION_INCHES: Final = 1.0
_SPARED: Final = frozenset({"location", "detail"})
"""Kinds of sheets that the rule on scale spares. No title makes one of a sheet whose viewports show the site."""

_LONGEST_CAPTION: Final = 60
_HALF: Final = 0.5
_LARGER, _MUCH_LARGER = 1.5, 3.0
_FEET: Final = 1e-5
_DECIMALS: Final = 6


@dataclass(frozen=True, slots=True)
class _Seen:
    """A viewport of a layout, its scale in feet to the inch, and how much of the site it sees, as a share."""

    layout: DrawnLayout
    viewport: DrawnViewport
    scale: float
    share: float

    @property
    def on_paper(self) -> float:
        """Its size on the sheet."""
        return self.viewport.width * self.viewport.height


def sheets_of_layouts(layers: Sequence[PlacedLayer]) -> list[Sheet]:
    """The sheets of one drawing, given its layers with their roles and units."""
    layouts = [layout for layer in layers for layout in layer.drawn.layouts]
    unit_m = next((layer.height_m for layer in layers if layer.height_m is not None), None)
    if unit_m is not None and math.isclose(unit_m, FOOT_M, rel_tol=_FEET):
        unit_m = FOOT_M  # the law knows one foot: a sheet of 1 inch to 100 survey feet is one of 100 feet
    seen = []
    for layout in layouts:
        for viewport in layout.viewports:
            scale = None if viewport.trouble else _feet_per_inch(viewport, layout, unit_m)
            if scale is not None:
                seen.append(_Seen(layout, viewport, scale, _share_of_site(viewport, layers)))
    return [_sheet(layout, seen, unit_m, layers[0].drawn.file) for layout in layouts]


def _sheet(layout: DrawnLayout, seen: Sequence[_Seen], unit_m: float | None, file: str) -> Sheet:
    notes = []
    if layout.viewports and layout.inches_per_unit is None:
        notes.append("the sheet is set to be plotted to fit the paper: its viewports have no scale of their own")
    if layout.viewports and unit_m is None:
        notes.append("the drawing's unit is not known: its viewports tell no scale")
    notes += [f"viewport {one.name}: {one.trouble}" for one in layout.viewports if one.trouble]
    evidence = [
        ScaleEvidence(
            "viewport", one.scale, None, f"viewport {one.viewport.name} of layout {layout.name}", _subject(one, seen)
        )
        for one in seen
        if one.layout is layout
    ]
    stem = file.rpartition("/")[2].rpartition(".")[0]
    subjects = {item.subject for item in evidence}
    shows = next(iter(subjects)) if len(subjects) == 1 and subjects <= _SPARED else ""
    size_in = (layout.width_in or 0.0, layout.height_in or 0.0)
    words = read_words(
        [_line(text, layout.inches_per_unit or 1.0) for text in layout.texts], f"layout {layout.name}", size_in
    )
    return Sheet(
        f"{stem} {layout.name}".strip(),
        shows=shows or ("" if words.shows in _SPARED and subjects else words.shows),
        contour_interval_ft=words.contour_interval_ft,
        paper=words.paper,
        file=file,
        number=words.number or layout.name,
        title=words.title,
        width_in=layout.width_in,
        height_in=layout.height_in,
        half_size=words.half_size,
        north_arrow=words.north_arrow,
        evidence=(*evidence, *words.scales),
        notes=(*notes, *words.notes),
    )


def _line(text: DrawnText, inches: float) -> Line:
    """A text of the layout as a line of words on the page, in inches."""
    angle = round(text.turned) % 360
    along, across = on_baseline(text.middle[0] * inches, text.middle[1] * inches, angle)
    size = text.height * inches
    half = len(text.words) * size * WIDTH_OF_LETTER / 2
    return Line((Word(text.words, along - half, along + half),), angle, across - size / 2, size)


def _feet_per_inch(viewport: DrawnViewport, layout: DrawnLayout, unit_m: float | None) -> float | None:
    if unit_m is None or layout.inches_per_unit is None:
        return None
    feet = viewport.view_height * unit_m / FOOT_M
    return round(feet / (viewport.height * layout.inches_per_unit), _DECIMALS)


def _share_of_site(viewport: DrawnViewport, layers: Sequence[PlacedLayer]) -> float:
    """The share of the site's extent that a viewport sees; 0 where none is drawn or its layers are frozen there."""
    anchors = [layer for layer in layers if layer.role in ANCHOR_ROLES and layer.matrix is not None]
    seen = [layer for layer in anchors if layer.drawn.layer.lower() not in viewport.frozen]
    arrays = [array for layer in seen for one in layer.drawn.features if one.drawing for array in one.drawing.arrays()]
    if not arrays or seen[0].matrix is None:
        return 0.0
    matrix = seen[0].matrix
    extent = shapely.MultiPoint(np.vstack(arrays)).convex_hull
    window = Polygon(viewport.window @ matrix[:, :2].T + matrix[:, 2])
    if extent.area == 0:
        return float(window.intersects(extent))
    return float(window.intersection(extent).area / extent.area)


def _subject(one: _Seen, seen: Sequence[_Seen]) -> str:
    """What a viewport shows: what of the site it sees and how large, and the caption at it.

    A viewport is spared as a location map only if another shows the site larger, or it is the only one and says so.
    """
    caption = _caption(one, seen)
    others = [other for other in seen if other is not one and other.share >= _HALF]
    if one.share < _HALF:
        if _LOCATION.search(caption):
            return "location"
        return "site_map" if one.share > 0 and not _DETAIL.search(caption) else "detail" if others else ""
    larger = [other for other in others if other.scale * _LARGER <= one.scale]
    if _LOCATION.search(caption) and (larger or not others):
        return "location"
    beside = [other for other in larger if other.layout is one.layout and other.on_paper > one.on_paper]
    return "location" if any(other.scale * _MUCH_LARGER <= one.scale for other in beside) else "site_map"


def _caption(one: _Seen, seen: Sequence[_Seen]) -> str:
    """Words in the viewport, or close above or below it, that belong to no smaller one."""
    smaller = [other for other in seen if other.layout is one.layout and other.on_paper < one.on_paper]
    return " | ".join(
        text.words
        for text in one.layout.texts
        if _at(text, one) and len(text.words) <= _LONGEST_CAPTION and not any(_at(text, other) for other in smaller)
    )


def _at(text: DrawnText, one: _Seen) -> bool:
    reach = _CAPTION_INCHES / (one.layout.inches_per_unit or 1.0)
    x, y = text.middle[0] - one.viewport.middle[0], text.middle[1] - one.viewport.middle[1]
    return abs(x) <= one.viewport.width / 2 and abs(y) <= one.viewport.height / 2 + reach
