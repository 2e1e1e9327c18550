"""Which letters of a page leave ink on paper: white, covered, clipped, transparent and tiny ones are for no reader."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from siteplan_gis.measures.sheets.lettering import Glyph

_DOTS_PER_INCH: Final = 100.0
_MOST_DOTS: Final = 40_000_000
_MOST_ACROSS: Final = 20_000
_LEAST_CONTRAST: Final = 24
"""Of 255 shades of grey: what differs less from its ground is read by nobody."""
_LEAST_LETTER_IN: Final = 0.02
_WHITE: Final = 0xFFFFFFFF
_INVISIBLE: Final = pdfium.FPDF_TEXTRENDERMODE_INVISIBLE


def inked(page: Any, texts: Sequence[Any], size_in: tuple[float, float], glyphs: Sequence[Glyph]) -> NDArray[np.bool_]:
    """For each letter whether it is seen on the printed page: the page is drawn with and without its text.

    Whatever hides a letter hides it here, too. A blank is never seen. The text objects are invisible afterwards.

    Parameters
    ----------
    page
        The page, of PDFium.
    texts
        Its text objects, those within forms too.
    size_in
        Width and height of the page as it is read, in inches.
    """
    if not glyphs or min(size_in) <= 0:
        return np.zeros(len(glyphs), dtype=np.bool_)
    per_inch = min(_DOTS_PER_INCH, math.sqrt(_MOST_DOTS / (size_in[0] * size_in[1])), _MOST_ACROSS / max(size_in))
    wide, high = (max(1, math.ceil(side * per_inch)) for side in size_in)
    with_text = _drawn(page, wide, high)
    for text in texts:
        pdfium.FPDFTextObj_SetTextRenderMode(text, _INVISIBLE)
    differs = np.abs(with_text - _drawn(page, wide, high)) >= _LEAST_CONTRAST
    dots = np.zeros((high + 1, wide + 1), dtype=np.int32)
    dots[1:, 1:] = differs.cumsum(axis=0, dtype=np.int32).cumsum(axis=1, dtype=np.int32)
    box = _boxes(glyphs) * per_inch
    west, east = (np.clip(side, 0, wide).astype(int) for side in (np.floor(box[0]), np.ceil(box[2])))
    north, south = (np.clip(high - side, 0, high).astype(int) for side in (np.ceil(box[3]), np.floor(box[1])))
    count = dots[south, east] - dots[north, east] - dots[south, west] + dots[north, west]
    large = np.array([glyph.size >= _LEAST_LETTER_IN for glyph in glyphs])
    return np.asarray((count > 0) & large, dtype=np.bool_)


def _drawn(page: Any, wide: int, high: int) -> NDArray[np.int16]:
    """The page in shades of grey, its first row on top."""
    bitmap = pdfium.FPDFBitmap_CreateEx(wide, high, pdfium.FPDFBitmap_Gray, None, 0)
    if not bitmap:
        raise MemoryError
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, wide, high, _WHITE)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, wide, high, 0, pdfium.FPDF_PRINTING | pdfium.FPDF_GRAYSCALE)
        stride = pdfium.FPDFBitmap_GetStride(bitmap)
        address = pdfium.FPDFBitmap_GetBuffer(bitmap)
        rows = np.ctypeslib.as_array((ctypes.c_ubyte * (stride * high)).from_address(address))
        return rows.reshape(high, stride)[:, :wide].astype(np.int16)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)


def _boxes(glyphs: Sequence[Glyph]) -> NDArray[np.float64]:
    """West, south, east and north of each letter in inches, from below its baseline to the top of a capital."""
    baseline = np.array([[(one.x, one.y), (one.end_x, one.end_y)] for one in glyphs])
    angle = np.radians([one.angle for one in glyphs])
    up = (np.array([-np.sin(angle), np.cos(angle)]) * [one.size for one in glyphs]).T[:, None, :]
    corners = np.concatenate([baseline - 0.2 * up, baseline + 0.7 * up], axis=1)
    return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1).T
