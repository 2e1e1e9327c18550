"""Texts of a CAD drawing as they stand in the model space, and elevations kept in an entity's extended data."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from siteplan_gis.ingest.drawn.drawing import DrawnText

if TYPE_CHECKING:
    from siteplan_gis.ingest.cad.blocks import Shown

WIDTH_OF_LETTER: Final = 0.7
"""Width of a letter as a share of its height, in the fonts of drawings."""

_LONGEST: Final = 2000
_LONGEST_WRITTEN: Final = 20_000
"""Letters with the codes that set them; the library needs minutes for a text of millions."""
_ELEVATION: Final = re.compile(r"elev|contour", re.IGNORECASE)
_NUMBER: Final = re.compile(r"elev\w*\s*[:=]\s*(-?\d+(?:\.\d+)?)", re.IGNORECASE)
_REALS: Final = frozenset({1040, 1041, 1042})


def text_of_entity(shown: Shown) -> DrawnText | None:
    """A text, multi-line text or block attribute; None for any other entity or an empty one."""
    entity = shown.entity
    kind = entity.dxftype()
    if kind in ("TEXT", "ATTRIB"):
        entity.dxf.text = str(entity.dxf.get("text", ""))[:_LONGEST_WRITTEN]
        words, height = entity.plain_text(), float(entity.dxf.get("height", 1.0))
        middle = _middle_of_line(entity, words, height)
    elif kind == "MTEXT":
        entity.text = entity.text[:_LONGEST_WRITTEN]
        words, height = entity.plain_text(), float(entity.dxf.get("char_height", 1.0))
        middle = _middle_of_block(entity, words, height)
    else:
        return None
    words = " ".join(words.split())[:_LONGEST]
    if not words:
        return None
    at = shown.moved(np.array([(*middle, 0.0)]))
    turned = float(entity.dxf.get("rotation", 0.0)) if kind != "MTEXT" else float(entity.get_rotation())
    return DrawnText(words, (float(at[0, 0]), float(at[0, 1])), height * shown.scale, turned)


def _middle_of_line(entity: Any, words: str, height: float) -> tuple[float, float]:
    halign, valign = int(entity.dxf.get("halign", 0)), int(entity.dxf.get("valign", 0))
    at = entity.dxf.get("align_point") if halign or valign else None
    at = at if at is not None else entity.dxf.insert
    along = len(words) * height * WIDTH_OF_LETTER * float(entity.dxf.get("width", 1.0)) / 2
    # 0 left, 1 centre, 2 right, 3 aligned, 4 middle, 5 fit; 0 baseline, 1 bottom, 2 middle, 3 top
    across = {0: 0.5, 1: 0.5, 2: 0.0, 3: -0.5}[valign] * height if halign != 4 else 0.0  # noqa: PLR2004
    aside = {0: along, 1: 0.0, 2: -along, 3: along, 4: 0.0, 5: along}.get(halign, 0.0)
    x, y = _turned(aside, across, float(entity.dxf.get("rotation", 0.0)))
    placed = entity.ocs().to_wcs((at.x + x, at.y + y, at.z))
    return placed[0], placed[1]


def _middle_of_block(entity: Any, words: str, height: float) -> tuple[float, float]:
    rows = words.split("\n")
    width, tall = max(map(len, rows)) * height * WIDTH_OF_LETTER, len(rows) * height * 1.6
    column, row = (
        (int(entity.dxf.get("attachment_point", 1)) - 1) % 3,
        (int(entity.dxf.get("attachment_point", 1)) - 1) // 3,
    )
    x, y = _turned((1 - column) * width / 2, (row - 1) * tall / 2, float(entity.get_rotation()))
    return entity.dxf.insert.x + x, entity.dxf.insert.y + y


def _turned(x: float, y: float, degrees: float) -> tuple[float, float]:
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return cosine * x - sine * y, sine * x + cosine * y


def xdata_level(entity: Any) -> float | None:
    """An elevation in the extended data: one number of an application, or after a word, that speaks of elevations."""
    if entity.xdata is None:
        return None
    for name, tags in entity.xdata.data.items():
        numbers = [float(tag.value) for tag in tags if tag.code in _REALS]
        words = [str(tag.value) for tag in tags if tag.code == 1000]  # noqa: PLR2004
        written = [found for found in map(_NUMBER.search, words) if found]
        if len(written) == 1:
            return float(written[0][1])
        if len(numbers) == 1 and (_ELEVATION.search(name) or any(map(_ELEVATION.search, words))):
            return numbers[0]
    return None
