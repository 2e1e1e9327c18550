"""`site_map.pdf`: the findings on one sheet of paper at a true scale, for a table and a ruler.

The page holds a viewport with its measure, so that a viewer of PDF files can measure on it, too.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely

from siteplan_gis.errors import InputError
from siteplan_gis.report.colours import STATUS_INK, context_ink
from siteplan_gis.report.drawing import display_geometries
from siteplan_gis.report.lettered_grid import grid_over
from siteplan_gis.report.map_layers import context_layers
from siteplan_gis.report.paper import fitting_scale, paper_size
from siteplan_gis.report.records import sorted_findings
from siteplan_gis.report.sheet_text import SheetText
from siteplan_gis.report.wording import STATUS_WORDS, VERDICTS, citation
from siteplan_gis.units import FOOT_M

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.review import Review
    from siteplan_gis.report.colours import Ink

NAME: Final = "site_map.pdf"
_INCH: Final = 72.0
_MARGIN_IN: Final = 0.4
_LABELS_IN: Final = 0.22
_GROUND_MARGIN: Final = 0.04
_BAR_STEPS_FT: Final = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000, 10_000)
_LEFT_OUT: Final = {"isolines", "plan_grid", "uncovered", "municipality_shares", "airports", "downstream_network"}
_QUIET: Final = {"pass", "not_applicable"}


def write_print_sheet(
    review: Review, record: Mapping[str, Any], path: Path, size: str, feet_per_inch: float | None = None
) -> None:
    """Write the sheet; without a scale, the largest of an engineer's ruler at which the site fits.

    Raises
    ------
    InputError
        If the paper is not known, the site does not fit, or there is no site to draw.
    """
    from reportlab.pdfgen.canvas import Canvas  # noqa: PLC0415

    width_in, height_in = paper_size(size)
    column_in = min(4.2, max(3.0, 0.24 * width_in))
    frame_in = (
        _MARGIN_IN + _LABELS_IN,
        _MARGIN_IN,
        width_in - 2 * _MARGIN_IN - _LABELS_IN - column_in - 0.15,
        height_in - 2 * _MARGIN_IN - _LABELS_IN,
    )
    bounds = _ground(review)
    wide_ft, high_ft = ((bounds[k + 2] - bounds[k]) * (1 + _GROUND_MARGIN) / FOOT_M for k in (0, 1))
    scale = fitting_scale((wide_ft, high_ft), frame_in[2:], feet_per_inch)
    view = _View(bounds, frame_in, scale)
    written = io.BytesIO()
    canvas = Canvas(written, pagesize=(width_in * _INCH, height_in * _INCH), invariant=1, pageCompression=1)
    canvas.setTitle("Site map with findings")
    _draw_map(canvas, review, record, view)
    _draw_frame(canvas, review, view)
    places = [_place_words(finding.where, view, bounds) for finding in sorted_findings(review)]
    _draw_column(canvas, record, scale, (width_in, height_in, column_in), places)
    canvas.showPage()
    canvas.save()
    _with_viewport(written, path, view)


class _View:
    """From metres of the site frame to points of the page."""

    def __init__(
        self, bounds: tuple[float, ...], frame_in: tuple[float, float, float, float], feet_per_inch: float
    ) -> None:
        self.feet_per_inch = feet_per_inch
        self.left, self.bottom, self.width, self.height = (side * _INCH for side in frame_in)
        self.points_per_m = _INCH / (feet_per_inch * FOOT_M)
        self.middle = ((bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2)

    def points(self, xy: Any) -> Any:
        """Points of the page, shape (n, 2), of coordinates in the frame."""
        centre = (self.left + self.width / 2, self.bottom + self.height / 2)
        return (np.asarray(xy) - self.middle) * self.points_per_m + centre

    @property
    def window(self) -> tuple[float, float, float, float]:
        """The ground that the map shows: west, south, east, north in metres."""
        half = (self.width / 2 / self.points_per_m, self.height / 2 / self.points_per_m)
        x, y = self.middle
        return x - half[0], y - half[1], x + half[0], y + half[1]


def _ground(review: Review) -> tuple[float, float, float, float]:
    shapes = [review.measured.shape.get(part) for part in ("site", "construction_site")]
    drawn = [shape for shape in shapes if shape is not None and not shape.is_empty]
    if not drawn:
        raise InputError("there is no site to draw on a sheet", remedy="leave out --print-sheet")
    west, south, east, north = shapely.total_bounds(np.array(drawn, dtype=object))
    return float(west), float(south), float(east), float(north)


def _draw_map(canvas: Any, review: Review, record: Mapping[str, Any], view: _View) -> None:
    canvas.saveState()
    clip = canvas.beginPath()
    clip.rect(view.left, view.bottom, view.width, view.height)
    canvas.clipPath(clip, stroke=0, fill=0)
    for layer in reversed(context_layers(review)):
        if layer.key in _LEFT_OUT:
            continue
        ink = context_ink(layer.key)
        for shape in _shown([item.geometry for item in layer.items], view):
            _draw_shape(canvas, shape, ink, view)
    rows = list(zip(sorted_findings(review), record["findings"], strict=True))
    numbers: list[tuple[int, str, BaseGeometry]] = []
    for number, (finding, row) in reversed(list(enumerate(rows, start=1))):
        if row["status"] in _QUIET:
            continue
        for shape in _shown([finding.where], view):
            _draw_shape(canvas, shape, STATUS_INK[finding.status], view)
            numbers.append((number, row["status"], shape))
    taken: list[tuple[float, float]] = []
    for number, status, shape in reversed(numbers):
        _draw_number(canvas, number, status, _free_place(view.points(_mark(shape))[0], taken))
    canvas.restoreState()


def _place_words(where: BaseGeometry | None, view: _View, bounds: tuple[float, float, float, float]) -> str:
    if where is None or where.is_empty:
        return ""
    if not where.intersects(shapely.box(*view.window)):
        return " (off this map)"
    square = grid_over(bounds).square(where)
    return f" ({square})" if square else ""


def _shown(geometries: Sequence[BaseGeometry | None], view: _View) -> list[BaseGeometry]:
    given = [each for each in geometries if each is not None and not each.is_empty]
    if not given:
        return []
    # A twentieth of a millimetre on paper.
    simplified_m = 0.00005 * view.feet_per_inch * 12
    return [each for each in display_geometries(given, view.window, simplified_m) if not each.is_empty]


def _mark(shape: BaseGeometry) -> Any:
    return shapely.get_coordinates(shapely.point_on_surface(shape))


def _free_place(at: Any, taken: list[tuple[float, float]]) -> tuple[float, float]:
    """The wanted place, moved to the right until no other number lies there."""
    x, y = float(at[0]), float(at[1])
    while any(abs(x - other[0]) < 15 and abs(y - other[1]) < 15 for other in taken):  # noqa: PLR2004
        x += 15
    taken.append((x, y))
    return x, y


def _draw_shape(canvas: Any, shape: BaseGeometry, ink: Ink, view: _View) -> None:
    from reportlab.lib.colors import HexColor  # noqa: PLC0415

    canvas.setStrokeColor(HexColor(ink.line))
    canvas.setFillColor(HexColor(ink.fill))
    canvas.setFillAlpha(max(ink.fill_opacity, 0.0))
    canvas.setLineWidth(0.6 * ink.width)
    canvas.setDash([float(each) for each in ink.dash.split()] or [])
    pending = [shape]
    while pending:
        part = pending.pop(0)
        if hasattr(part, "geoms"):
            pending = [*part.geoms, *pending]
        elif part.geom_type == "Point":
            x, y = view.points(part.coords)[0]
            canvas.circle(x, y, 3, fill=1)
        else:
            rings = [part.exterior, *part.interiors] if part.geom_type == "Polygon" else [part]
            path = canvas.beginPath()
            for ring in rings:
                (x, y), *others = view.points(ring.coords)
                path.moveTo(x, y)
                for x, y in others:
                    path.lineTo(x, y)
                if part.geom_type == "Polygon":
                    path.close()
            filled = part.geom_type == "Polygon" and ink.fill_opacity > 0
            canvas.drawPath(path, stroke=1, fill=int(filled), fillMode=0)
    canvas.setFillAlpha(1)
    canvas.setDash([])


def _draw_number(canvas: Any, number: int, status: str, at: tuple[float, float]) -> None:
    """A finding's number in the shape of its status: square fails, triangle asks, diamond crashed, circle is open."""
    from reportlab.lib.colors import HexColor, white  # noqa: PLC0415

    x, y = at
    corners = {
        "fail": [(-7, -7), (7, -7), (7, 7), (-7, 7)],
        "needs_review": [(-9, -6), (9, -6), (0, 11)],
        "error": [(-9, 0), (0, -9), (9, 0), (0, 9)],
    }.get(status)
    canvas.setFillColor(HexColor(STATUS_INK[status].line))
    canvas.setStrokeColor(white)
    canvas.setLineWidth(1)
    if corners is None:
        canvas.circle(x, y, 7.5, fill=1)
    else:
        path = canvas.beginPath()
        path.moveTo(x + corners[0][0], y + corners[0][1])
        for across, up in corners[1:]:
            path.lineTo(x + across, y + up)
        path.close()
        canvas.drawPath(path, fill=1)
    canvas.setFillColor(white)
    canvas.setFont("Helvetica-Bold", 7)
    canvas.drawCentredString(x, y - 2.5, str(number))


def _draw_frame(canvas: Any, review: Review, view: _View) -> None:
    from reportlab.lib.colors import HexColor, black, white  # noqa: PLC0415

    canvas.setStrokeColor(black)
    canvas.setFillColor(black)
    canvas.setLineWidth(1.2)
    canvas.rect(view.left, view.bottom, view.width, view.height)
    grid = grid_over(_ground(review))
    canvas.setStrokeColor(HexColor("#555c63"))
    canvas.setLineWidth(0.35)
    canvas.setFont("Helvetica-Bold", 8)
    for line in grid.lines():
        (x1, y1), (x2, y2) = view.points(line.coords)
        canvas.line(x1, y1, x2, y2)
    for word, place in grid.labels():
        x, y = view.points(place.coords)[0]
        if word.isdigit():
            canvas.drawRightString(view.left - 4, y - 3, word)
        else:
            canvas.drawCentredString(x, view.bottom + view.height + 4, word)
    _draw_bar(canvas, view)
    # The frame's y runs to the true north at the middle of the site.
    x, y = view.left + view.width - 26, view.bottom + view.height - 58
    canvas.setFillColor(white)
    canvas.rect(x - 18, y - 10, 36, 62, stroke=0, fill=1)
    canvas.setFillColor(black)
    arrow = canvas.beginPath()
    arrow.moveTo(x, y + 34)
    for across, up in ((-8, 0), (0, 8), (8, 0)):
        arrow.lineTo(x + across, y + up)
    arrow.close()
    canvas.drawPath(arrow, fill=1)
    canvas.setFont("Helvetica-Bold", 11)
    canvas.drawCentredString(x, y + 38, "N")
    if not review.site.frame.placed:
        canvas.setFont("Helvetica", 5.5)
        canvas.drawCentredString(x, y - 8, "as drawn")


def _draw_bar(canvas: Any, view: _View) -> None:
    """A graphic scale of four parts, at most a third of the map long."""
    from reportlab.lib.colors import black, white  # noqa: PLC0415

    longest_ft = view.width / _INCH * view.feet_per_inch / 3
    step = max((each for each in _BAR_STEPS_FT if 4 * each <= longest_ft), default=_BAR_STEPS_FT[0])
    length = step / view.feet_per_inch * _INCH
    x, y = view.left + 16, view.bottom + 16
    canvas.setFillColor(white)
    canvas.rect(x - 10, y - 10, 4 * length + 58, 38, stroke=0, fill=1)
    canvas.setStrokeColor(black)
    canvas.setLineWidth(0.8)
    canvas.setFillColor(black)
    canvas.setFont("Helvetica", 8)
    canvas.line(x, y, x + 4 * length, y)
    for part in range(5):
        end = x + part * length
        canvas.line(end, y, end, y + 7)
        canvas.drawCentredString(end, y + 11, f"{part * step:g}")
    canvas.drawString(x + 4 * length + 14, y + 11, "FEET")
    canvas.setFont("Helvetica-Bold", 7)
    canvas.drawString(x, y - 8, f"SCALE: 1\" = {view.feet_per_inch:g}'")


def _draw_column(
    canvas: Any,
    record: Mapping[str, Any],
    feet_per_inch: float,
    size: tuple[float, float, float],
    places: Sequence[str],
) -> None:
    width_in, height_in, column_in = size
    left, top = (width_in - _MARGIN_IN - column_in) * _INCH, (height_in - _MARGIN_IN) * _INCH
    block = SheetText(canvas, left, top, column_in * _INCH, _MARGIN_IN * _INCH)
    if record["plan"]["invented"]:
        block.write("INVENTED GROUND: nothing here says anything about a real place.", 8, bold=True)
    block.write(record["plan"]["name"] or "Unnamed plan", 13, bold=True, most=3)
    block.write(f"{STATUS_WORDS[record['status']].upper()}: {VERDICTS[record['status']]}", 9.5, bold=True)
    if record["decisions_from"]:
        block.write(f"With the reviewer's decisions: {STATUS_WORDS[record['decided_status']]}", 9)
    block.write(f"{record['ordinance']['title']}, reviewed as of {record['on']}", 8)
    block.write(f"Applicant: {record['plan']['applicant'] or 'not stated'}", 8, most=2)
    counts = ", ".join(f"{count} {STATUS_WORDS[status]}" for status, count in record["counts"].items() if count)
    block.write(f"Findings: {counts or 'none'}.", 8)
    block.write(f"Scale as printed at full size: 1 inch = {feet_per_inch:g} ft", 8)
    block.rule()
    block.legend()
    block.rule()
    listed = [(number, row) for number, row in enumerate(record["findings"], start=1) if row["status"] not in _QUIET]
    for told, (number, row) in enumerate(listed):
        cited = citation(row["section"], inferred=row["section_inferred"])
        if not block.finding(number, row["status"], f"{row['title']} {cited}{places[number - 1]}", row["message"]):
            block.last(f"{len(listed) - told} more in review.html")
            break


def _with_viewport(written: io.BytesIO, path: Path, view: _View) -> None:
    """The finished page with a viewport that tells the scale of its map (ISO 32000-1, 12.9)."""
    import pypdf  # noqa: PLC0415
    from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, TextStringObject  # noqa: PLC0415

    def format_of(unit: str, factor: float) -> ArrayObject:
        number = {NameObject("/Type"): NameObject("/NumberFormat"), NameObject("/U"): TextStringObject(unit),
                  NameObject("/C"): FloatObject(factor)}  # fmt: skip
        return ArrayObject([DictionaryObject(number)])

    measure = DictionaryObject({
        NameObject("/Type"): NameObject("/Measure"), NameObject("/Subtype"): NameObject("/RL"),
        NameObject("/R"): TextStringObject(f"1 in = {view.feet_per_inch:g} ft"),
        NameObject("/X"): format_of("ft", view.feet_per_inch / _INCH),
        NameObject("/D"): format_of("ft", 1.0), NameObject("/A"): format_of("sq ft", 1.0),
    })  # fmt: skip
    box = (view.left, view.bottom, view.left + view.width, view.bottom + view.height)
    viewport = DictionaryObject({
        NameObject("/Type"): NameObject("/Viewport"), NameObject("/Name"): TextStringObject("Site map"),
        NameObject("/BBox"): ArrayObject([FloatObject(side) for side in box]), NameObject("/Measure"): measure,
    })  # fmt: skip
    writer = pypdf.PdfWriter(clone_from=written)
    writer.pages[0][NameObject("/VP")] = ArrayObject([viewport])
    with path.open("wb") as file:
        writer.write(file)
