"""The sheets of a CAD drawing as it holds them: paper, plot scale, texts, and viewports onto the model space."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from siteplan_gis.ingest.cad.blocks import Unfolding, unfolded
from siteplan_gis.ingest.cad.texts import text_of_entity
from siteplan_gis.ingest.drawn.drawing import DrawnLayout, DrawnViewport

_MM_PER_INCH: Final = 25.4
_SHEET_ITSELF: Final = 1
_PERSPECTIVE, _OFF = 0x1, 0x20000
_STANDARD_SCALE: Final = 16
_TO_FIT: Final = 0
_SAME: Final = 1e-6


def read_layouts(doc: Any, label: str) -> list[DrawnLayout]:
    """Every sheet that shows something."""
    found = []
    for name in doc.layout_names_in_taborder():
        if name == "Model":
            continue
        layout = doc.layouts.get(name)
        viewports = [one for one in map(_viewport, layout.query("VIEWPORT")) if one is not None]
        shown = unfolded(layout, doc, Unfolding(), label)
        texts = [text for text in map(text_of_entity, shown) if text is not None]
        if viewports or texts:
            found.append(DrawnLayout(name, *_paper(layout), tuple(viewports), tuple(texts)))
    return found


def _paper(layout: Any) -> tuple[float | None, float | None, float | None]:
    """Width and height in inches, and inches of plotted paper for a unit of the paper space."""
    dxf = layout.dxf_layout.dxf
    width, height = (
        float(dxf.get("paper_width", 0.0)) / _MM_PER_INCH,
        float(dxf.get("paper_height", 0.0)) / _MM_PER_INCH,
    )
    if int(dxf.get("plot_rotation", 0)) % 2:
        width, height = height, width
    unit = {0: 1.0, 1: 1 / _MM_PER_INCH}.get(int(dxf.get("plot_paper_units", 0)))  # 2: pixels, of no known size
    numerator, denominator = float(dxf.get("scale_numerator", 1.0)), float(dxf.get("scale_denominator", 1.0))
    standard = int(dxf.get("plot_layout_flags", 0)) & _STANDARD_SCALE
    fits = bool(standard) and int(dxf.get("standard_scale_type", 16)) == _TO_FIT
    usable = not fits and numerator > 0 and denominator > 0
    inches = unit * numerator / denominator if usable and unit is not None else None
    return (width, height, inches) if width > 0 and height > 0 else (None, None, inches)


def _viewport(entity: Any) -> DrawnViewport | None:
    """A viewport; None for the sheet itself, for one that is off or has no size."""
    dxf = entity.dxf
    width, height, view = float(dxf.width), float(dxf.height), float(dxf.view_height)
    flags = int(dxf.get("flags", 0))
    if int(dxf.get("id", 2)) == _SHEET_ITSELF or flags & _OFF or int(dxf.get("status", 1)) == 0:
        return None
    if not (width > 0 and height > 0 and view > 0 and math.isfinite(width * height * view)):
        return None
    centre, looked_at, target = dxf.center, dxf.view_center_point, dxf.get("view_target_point", (0.0, 0.0, 0.0))
    if abs(view / height - 1) < _SAME and abs(looked_at[0] - centre.x) + abs(looked_at[1] - centre.y) < _SAME * height:
        return None  # the sheet itself, in files that do not number their viewports
    across = view * width / height
    corners = np.array([(-across, -view), (across, -view), (across, view), (-across, view)]) / 2
    middle = np.array([looked_at[0], looked_at[1]])
    twist = math.radians(float(dxf.get("view_twist_angle", 0.0)))
    turn = np.array([[math.cos(twist), -math.sin(twist)], [math.sin(twist), math.cos(twist)]])
    window = (corners + middle) @ turn + np.array([target[0], target[1]])
    trouble = "" if entity.is_top_view and not flags & _PERSPECTIVE else "it does not look straight down"
    frozen = frozenset(str(name).lower() for name in entity.frozen_layers)
    handle = str(dxf.get("handle", ""))
    return DrawnViewport(handle, (centre.x, centre.y), width, height, view, window, frozen, trouble)
