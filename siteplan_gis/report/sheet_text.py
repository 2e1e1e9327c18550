"""The column of words on a printed sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from siteplan_gis.report.colours import STATUS_INK, context_ink
from siteplan_gis.report.wording import STATUS_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEGEND: Final = (
    ("site", "Site"), ("disturbed_area", "Disturbed area"), ("steep_patches", "Steep ground"),
    ("runoff_paths", "Runoff path"), ("waters", "Water (map)"), ("wetlands", "Wetland (map)"),
    ("floodplain", "Floodplain (map)"), ("plan_contour_existing", "Contour (plan)"),
)  # fmt: skip
_SHAPES: Final = {"fail": "square", "needs_review": "triangle", "not_checked": "circle", "error": "diamond"}
_LEADING: Final = 1.22


class SheetText:
    """Words that run down a column until it is full; whatever a file brought is drawn as letters only."""

    def __init__(self, canvas: Any, left: float, top: float, width: float, bottom: float) -> None:
        self._canvas, self._left, self._width, self._bottom = canvas, left, width, bottom
        self._at = top

    def write(self, words: str, size: float, *, bold: bool = False, indent: float = 0.0, most: int = 6) -> None:
        """Write words in lines as long as the column is wide, at most `most` of them."""
        font = "Helvetica-Bold" if bold else "Helvetica"
        lines = list(self._lines(words, font, size, self._width - indent))
        if len(lines) > most:
            lines = [*lines[: most - 1], lines[most - 1][:-3] + "..."]
        self._canvas.setFillGray(0)
        self._canvas.setFont(font, size)
        for line in lines:
            self._at -= size * _LEADING
            self._canvas.drawString(self._left + indent, self._at, line)
        self._at -= 2

    def rule(self) -> None:
        """A line across the column."""
        self._at -= 4
        self._canvas.setStrokeGray(0.6)
        self._canvas.setLineWidth(0.5)
        self._canvas.line(self._left, self._at, self._left + self._width, self._at)
        self._at -= 2

    def legend(self) -> None:
        """What the lines and signs mean."""
        from reportlab.lib.colors import HexColor  # noqa: PLC0415

        half = self._width / 2
        for place, (key, words) in enumerate(_LEGEND):
            if place % 2 == 0:
                self._at -= 10
            x, ink = self._left + (place % 2) * half, context_ink(key)
            self._canvas.setStrokeColor(HexColor(ink.line))
            self._canvas.setFillColor(HexColor(ink.fill))
            self._canvas.setFillAlpha(ink.fill_opacity)
            self._canvas.setLineWidth(0.6 * ink.width)
            self._canvas.setDash([float(each) for each in ink.dash.split()] or [])
            self._canvas.rect(x, self._at - 1, 18, 6, fill=1)
            self._canvas.setFillAlpha(1)
            self._canvas.setDash([])
            self._canvas.setFillGray(0)
            self._canvas.setFont("Helvetica", 7)
            self._canvas.drawString(x + 22, self._at - 1, words)
        self._at -= 3
        told = ", ".join(f"{shape} {STATUS_WORDS[status]}" for status, shape in _SHAPES.items())
        self.write(f"Numbers are those of the list below: {told}.", 7)

    def finding(self, number: int, status: str, title: str, message: str) -> bool:
        """One finding with its number; False, and nothing written, where the column has no room for it."""
        lines = list(self._lines(message, "Helvetica", 7, self._width - 14))[:4]
        heads = list(self._lines(title, "Helvetica-Bold", 7.5, self._width - 14))[:2]
        if self._at - (len(lines) * 7 + len(heads) * 7.5) * _LEADING - 20 < self._bottom:
            return False
        from reportlab.lib.colors import HexColor  # noqa: PLC0415

        self._canvas.setFillColor(HexColor(STATUS_INK[status].line))
        self._canvas.setFont("Helvetica-Bold", 8)
        self._canvas.drawString(self._left, self._at - 7.5 * _LEADING, str(number))
        self.write(f"{title}", 7.5, bold=True, indent=14, most=2)
        self.write(f"{STATUS_WORDS[status]}: {message}", 7, indent=14, most=4)
        return True

    def last(self, words: str) -> None:
        """A line at the foot of the column."""
        self._at = self._bottom + 10
        self.write(words, 7.5, bold=True)

    @staticmethod
    def _lines(words: str, font: str, size: float, width: float) -> Iterator[str]:
        from reportlab.lib.utils import simpleSplit  # noqa: PLC0415

        # The fonts that every viewer has know western letters only; others become question marks.
        plain = " ".join(words.encode("cp1252", "replace").decode("cp1252").split())
        for line in simpleSplit(plain, font, size, width):
            kept = str(line)
            while kept and _width(kept, font, size) > width:
                room = max(1, int(len(kept) * width / _width(kept, font, size)) - 1)
                yield kept[:room]
                kept = kept[room:]
            yield kept


def _width(words: str, font: str, size: float) -> float:
    from reportlab.pdfbase.pdfmetrics import stringWidth  # noqa: PLC0415

    return float(stringWidth(words, font, size))
