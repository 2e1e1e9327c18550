"""What is drawn on a page of a PDF: its letters and its lines, in inches of the page as it is read (by PDFium)."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pypdfium2.raw as pdfium

from siteplan_gis.measures.sheets.lettering import Glyph, Line, Word, on_baseline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

POINTS_PER_INCH: Final = 72.0

_MOST_CHARACTERS: Final = 400_000
_MOST_OBJECTS: Final = 3_000_000
_MOST_POINTS: Final = 400_000
_DEEPEST: Final = 12
_MOST_ANNOTATIONS: Final = 50_000
_LONGEST_ANNOTATION: Final = 2_000
_LONG_WORD: Final = 3
_STROKED: Final = "AutoCAD SHX Text"
_INVISIBLE: Final = 3
"""The text rendering mode of letters that are not drawn, as text recognition leaves them behind a picture."""

Box = tuple[float, float, float, float]
Matrix = tuple[float, float, float, float, float, float]
_SAME: Final[Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class PageFrame:
    """How a page's own units become inches of the page as it is read: crop box, quarter turns, unit size.

    `left`, `bottom`, `width` and `height` are in the page's own units, `turns` are clockwise quarter turns.
    """

    left: float
    bottom: float
    width: float
    height: float
    turns: int = 0
    user_unit: float = 1.0

    @property
    def inches_per_unit(self) -> float:
        """Inches of paper in one unit of the page."""
        return self.user_unit / POINTS_PER_INCH

    @property
    def size_in(self) -> tuple[float, float]:
        """Width and height of the page as it is read, in inches."""
        size = self.width * self.inches_per_unit, self.height * self.inches_per_unit
        return size if self.turns % 2 == 0 else (size[1], size[0])

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Inches from the lower left corner of the page as it is read."""
        across, up = x - self.left, y - self.bottom
        turned = (
            (across, up),
            (up, self.width - across),
            (self.width - across, self.height - up),
            (self.height - up, across),
        )[self.turns % 4]
        return turned[0] * self.inches_per_unit, turned[1] * self.inches_per_unit

    def on_page(self, x_in: float, y_in: float) -> tuple[float, float]:
        """The place in the page's own units of a place in inches; undoes `place`."""
        x, y = x_in / self.inches_per_unit, y_in / self.inches_per_unit
        across, up = ((x, y), (self.width - y, x), (self.width - x, self.height - y), (y, self.height - x))[
            self.turns % 4
        ]
        return across + self.left, up + self.bottom


@dataclass(slots=True)
class Letters:
    """The letters of a page, and how many of them are invisible or were left unread because there are too many."""

    glyphs: list[Glyph]
    invisible: int = 0
    left_out: int = 0


def read_letters(text_page: Any, frame: PageFrame) -> Letters:
    """Every visible character of a page with its place."""
    count = max(pdfium.FPDFText_CountChars(text_page), 0)
    letters = Letters([], left_out=max(count - _MOST_CHARACTERS, 0))
    x, y = ctypes.c_double(), ctypes.c_double()
    box, matrix = pdfium.FS_RECTF(), pdfium.FS_MATRIX()
    modes: dict[int, int] = {}
    for index in range(min(count, _MOST_CHARACTERS)):
        code = pdfium.FPDFText_GetUnicode(text_page, index)
        if pdfium.FPDFText_IsGenerated(text_page, index) == 1 or not 32 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004
            continue
        drawn = pdfium.FPDFText_GetTextObject(text_page, index)
        if drawn:
            key = ctypes.cast(drawn, ctypes.c_void_p).value or 0
            if key not in modes:
                modes[key] = pdfium.FPDFTextObj_GetTextRenderMode(drawn)
            if modes[key] == _INVISIBLE:
                letters.invisible += 1
                continue
        if not pdfium.FPDFText_GetCharOrigin(text_page, index, x, y) or not pdfium.FPDFText_GetMatrix(
            text_page, index, matrix
        ):
            continue
        points = pdfium.FPDFText_GetFontSize(text_page, index)
        size = points * math.hypot(matrix.c, matrix.d)
        angle = math.degrees(math.atan2(matrix.b, matrix.a))
        advance = 0.6 * size
        if pdfium.FPDFText_GetLooseCharBox(text_page, index, box):
            wide, high = box.right - box.left, box.top - box.bottom
            if round(angle) % 180 == 0:
                advance = wide
            elif round(angle) % 90 == 0:
                advance = high
        start = frame.place(x.value, y.value)
        ahead = math.radians(angle)
        end = frame.place(x.value + advance * math.cos(ahead), y.value + advance * math.sin(ahead))
        letters.glyphs.append(
            Glyph(chr(code), *start, *end, angle - 90.0 * frame.turns, abs(size) * frame.inches_per_unit)
        )
    return letters


def read_stroked_words(page: Any, frame: PageFrame) -> list[Line]:
    """Words whose letters are drawn as strokes, and which AutoCAD therefore repeats in annotations of their own.

    Long words run along the longer side of their box; short ones run as most of the long ones do.
    """
    found: list[tuple[list[str], Box]] = []
    box = pdfium.FS_RECTF()
    for index in range(min(max(pdfium.FPDFPage_GetAnnotCount(page), 0), _MOST_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        if _string(annotation, b"T") == _STROKED and pdfium.FPDFAnnot_GetRect(annotation, box):
            words, bounds = _string(annotation, b"Contents").split(), (box.left, box.bottom, box.right, box.top)
            if words and box.right > box.left and box.top > box.bottom:
                found.append((words, bounds))
        pdfium.FPDFPage_CloseAnnot(annotation)
    long = [_is_upright(bounds) for words, bounds in found if len(" ".join(words)) >= _LONG_WORD]
    mostly_upright = sum(long) * 2 > len(long)
    lines = []
    for words, bounds in found:
        text = " ".join(words)
        upright = _is_upright(bounds) if len(text) >= _LONG_WORD else mostly_upright
        angle = (90 * upright - 90 * frame.turns) % 360
        # A line that reads upwards begins at the lower right corner of its box.
        first, last = (
            ((bounds[2], bounds[1]), (bounds[2], bounds[3])) if upright else (bounds[:2], (bounds[2], bounds[1]))
        )
        start, across = on_baseline(*frame.place(*first), angle)
        step = (on_baseline(*frame.place(*last), angle)[0] - start) / len(text)
        placed = []
        for word in words:
            placed.append(Word(word, start, start + len(word) * step))
            start += (len(word) + 1) * step
        size = (bounds[2] - bounds[0] if upright else bounds[3] - bounds[1]) * frame.inches_per_unit
        lines.append(Line(tuple(placed), angle, across, size))
    return lines


def _is_upright(bounds: Box) -> bool:
    return bounds[3] - bounds[1] > bounds[2] - bounds[0]


def _string(annotation: Any, key: bytes) -> str:
    length = pdfium.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    if not 2 < length <= _LONGEST_ANNOTATION:  # noqa: PLR2004
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFAnnot_GetStringValue(annotation, key, ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), length)
    return buffer.raw[: length - 2].decode("utf-16-le", "replace")


@dataclass(slots=True)
class Contents:
    """How many objects of each kind a page holds, forms within it included."""

    texts: int = 0
    paths: int = 0
    pictures: int = 0
    others: int = 0
    left_out: int = 0


def count_contents(page: Any) -> Contents:
    """Count the objects of a page."""
    contents = Contents()
    for drawn, kind, _ in _objects(page):
        if drawn is None:
            contents.left_out += 1
        elif kind == pdfium.FPDF_PAGEOBJ_TEXT:
            contents.texts += 1
        elif kind == pdfium.FPDF_PAGEOBJ_PATH:
            contents.paths += 1
        elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            contents.pictures += 1
        elif kind != pdfium.FPDF_PAGEOBJ_FORM:
            contents.others += 1
    return contents


def text_objects(page: Any) -> list[Any]:
    """The objects of a page that are text, forms within it included."""
    return [drawn for drawn, kind, _ in _objects(page) if drawn is not None and kind == pdfium.FPDF_PAGEOBJ_TEXT]


def read_points(page: Any, frame: PageFrame, windows: Sequence[Box]) -> NDArray[np.float64]:
    """Corners and ends of the lines drawn within some windows of the page (west, south, east, north in inches)."""
    wanted = [_around([frame.on_page(x, y) for x in window[::2] for y in window[1::2]]) for window in windows]
    found: list[tuple[float, float]] = []
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    x, y = ctypes.c_float(), ctypes.c_float()
    for drawn, kind, outer in _objects(page):
        if drawn is None or kind != pdfium.FPDF_PAGEOBJ_PATH:
            continue
        if not pdfium.FPDFPageObj_GetBounds(drawn, left, bottom, right, top):
            continue
        bounds = left.value, bottom.value, right.value, top.value
        if outer is not _SAME:
            bounds = _around([_moved(outer, a, b) for a in bounds[::2] for b in bounds[1::2]])
        near = [window for window in wanted if _overlap(bounds, window)]
        if not near:
            continue
        matrix = _after(_matrix(drawn), outer)
        for number in range(max(pdfium.FPDFPath_CountSegments(drawn), 0)):
            segment = pdfium.FPDFPath_GetPathSegment(drawn, number)
            if segment and pdfium.FPDFPathSegment_GetPoint(segment, x, y):
                place = _moved(matrix, x.value, y.value)
                if any(_overlap((*place, *place), window) for window in near):
                    found.append(frame.place(*place))
            if len(found) >= _MOST_POINTS:
                return np.array(found)
    return np.array(found, dtype=float).reshape(-1, 2)


def _around(places: Sequence[tuple[float, float]]) -> Box:
    xs, ys = zip(*places, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _objects(page: Any) -> Iterator[tuple[Any, int, Matrix]]:
    """Every object of a page with its kind and the matrix of the forms around it; None where there are too many."""
    seen = 0
    waiting: list[tuple[Callable[[int], Any], int, Matrix, int]] = [
        (lambda index: pdfium.FPDFPage_GetObject(page, index), pdfium.FPDFPage_CountObjects(page), _SAME, 0)
    ]
    while waiting:
        get, count, outer, depth = waiting.pop()
        for index in range(max(count, 0)):
            drawn = get(index)
            if not drawn:
                continue
            seen += 1
            if seen > _MOST_OBJECTS:
                yield None, 0, outer
                return
            kind = pdfium.FPDFPageObj_GetType(drawn)
            yield drawn, kind, outer
            if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
                inner = _after(_matrix(drawn), outer)
                waiting.append((_getter(drawn), pdfium.FPDFFormObj_CountObjects(drawn), inner, depth + 1))


def _getter(form: Any) -> Callable[[int], Any]:
    return lambda index: pdfium.FPDFFormObj_GetObject(form, index)


def _matrix(drawn: Any) -> Matrix:
    matrix = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(drawn, matrix):
        return _SAME
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _moved(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _after(first: Matrix, then: Matrix) -> Matrix:
    a, b = _moved((*then[:4], 0.0, 0.0), first[0], first[1])
    c, d = _moved((*then[:4], 0.0, 0.0), first[2], first[3])
    e, f = _moved(then, first[4], first[5])
    return a, b, c, d, e, f


def _overlap(one: Box, other: Box) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]
