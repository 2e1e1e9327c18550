"""The sheet of a sample's CAD drawing plotted as PDF, at full size or at half."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import ezdxf
from cad import SCALE_FT, SHEET_IN, SITE_VIEW, VICINITY_FT, VICINITY_VIEW, title_block
from reportlab.lib.units import inch
from reportlab.pdfgen.canvas import Canvas

if TYPE_CHECKING:
    from pathlib import Path

_GREY: Final = 0.45
_BAR_AT: Final = (28.2, 7.2)
_BAR_FT: Final = (0, 60, 120, 180)
_ONLY_ON_THE_SITE_MAP: Final = ("TOPO", "GRID", "TEXT", "LOTS")


def plot_sheet(drawing: Path, path: Path, name: str, size: float = 1.0) -> None:
    """Plot the one sheet; `size` 0.5 gives half the paper, and everything on it half as large."""
    doc = ezdxf.readfile(drawing)
    canvas = Canvas(
        str(path), pagesize=(SHEET_IN[0] * inch * size, SHEET_IN[1] * inch * size), invariant=1, pageCompression=1
    )
    canvas.setTitle(name)
    canvas.scale(size, size)
    (viewports,) = [list(layout.query("VIEWPORT")) for layout in doc.layouts if layout.name == "C-1"]
    middle = viewports[-1].dxf.view_center_point
    _plot(canvas, doc, SITE_VIEW, SCALE_FT, middle, everything=True)
    _plot(canvas, doc, VICINITY_VIEW, VICINITY_FT, middle, everything=False)
    for words in title_block(name):
        canvas.setFont("Helvetica", words.height * inch * 1.35)
        canvas.drawString(words.x * inch, words.y * inch, words.text)
    canvas.rect(0.5 * inch, 0.5 * inch, (SHEET_IN[0] - 1) * inch, (SHEET_IN[1] - 1) * inch)
    _bar(canvas)
    canvas.showPage()
    canvas.save()


def _plot(canvas: Canvas, doc: Any, view: tuple[float, float, float, float], scale: float, middle: Any, *,
          everything: bool) -> None:  # fmt: skip
    x, y, width, height = view
    canvas.saveState()
    canvas.rect((x - width / 2) * inch, (y - height / 2) * inch, width * inch, height * inch)
    frame = canvas.beginPath()
    frame.rect((x - width / 2) * inch, (y - height / 2) * inch, width * inch, height * inch)
    canvas.clipPath(frame, stroke=0, fill=0)

    def on_page(point: Any) -> tuple[float, float]:
        return (x + (point[0] - middle[0]) / scale) * inch, (y + (point[1] - middle[1]) / scale) * inch

    for entity in doc.modelspace():
        layer, kind = entity.dxf.layer, entity.dxftype()
        if not everything and any(word in layer for word in _ONLY_ON_THE_SITE_MAP):
            continue
        canvas.setStrokeGray(_GREY if "TOPO" in layer or "GRID" in layer else 0.0)
        canvas.setLineWidth(1.6 if "LOD" in layer or "PROP-LINE" in layer else 0.5)
        if kind == "LWPOLYLINE":
            _line(canvas, [on_page(point) for point in entity.get_points("xy")], closed=entity.closed)
        elif kind == "HATCH":
            for ring in entity.paths:
                _line(canvas, [on_page(point) for point in ring.vertices], closed=True)
        elif kind == "INSERT":
            canvas.circle(*on_page(entity.dxf.insert), 0.06 * inch)
            if everything:
                canvas.setFont("Helvetica", 7)
                canvas.drawString(*(at + 6 for at in on_page(entity.dxf.insert)), entity.get_attrib_text("NAME"))
        elif kind == "TEXT":
            canvas.saveState()
            canvas.translate(*on_page(entity.dxf.align_point))
            canvas.rotate(entity.dxf.rotation)
            canvas.setFont("Helvetica", entity.dxf.height / scale * inch * 1.35)
            canvas.drawCentredString(0, -entity.dxf.height / scale * inch / 2, entity.dxf.text)
            canvas.restoreState()
    canvas.restoreState()


def _line(canvas: Canvas, points: list[tuple[float, float]], *, closed: bool) -> None:
    path = canvas.beginPath()
    path.moveTo(*points[0])
    for point in points[1:]:
        path.lineTo(*point)
    if closed:
        path.close()
    canvas.drawPath(path)


def _bar(canvas: Canvas) -> None:
    """A graphic scale: one inch for 60 feet."""
    x, y = _BAR_AT
    canvas.setLineWidth(1.0)
    ends = [(x + feet / SCALE_FT) * inch for feet in _BAR_FT]
    canvas.line(ends[0], y * inch, ends[-1], y * inch)
    canvas.setFont("Helvetica", 10)
    for feet, end in zip(_BAR_FT, ends, strict=True):
        canvas.line(end, y * inch, end, (y + 0.15) * inch)
        canvas.drawCentredString(end, (y + 0.22) * inch, str(feet))
    canvas.drawString(ends[-1] + 0.25 * inch, (y + 0.22) * inch, "FEET")
