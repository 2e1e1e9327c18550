"""Glyphs on a page set together into lines of words, whichever way they run and however finely they were split."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SAME_BASELINE: Final = 0.3
_SAME_PLACE: Final = 0.12
_NEW_WORD: Final = 0.18
_NEW_LINE: Final = 1.3
"""Shares of the letter size: how far baselines differ, where a letter is printed twice, gaps of words and of lines."""


class Glyph(NamedTuple):
    """One character: where its baseline begins and ends in inches, its direction in degrees, its size in inches."""

    character: str
    x: float
    y: float
    end_x: float
    end_y: float
    angle: float
    size: float


class Word(NamedTuple):
    """Characters without a gap, from `along` to `end` on the line's baseline."""

    text: str
    along: float
    end: float

    @property
    def centre(self) -> float:
        """The middle of the word on the baseline."""
        return (self.along + self.end) / 2


class Line(NamedTuple):
    """Words on one baseline, in inches.

    Attributes
    ----------
    angle
        Direction of the baseline in whole degrees, counter-clockwise from the right.
    across
        Distance of the baseline from the origin, to the left of its direction.
    """

    words: tuple[Word, ...]
    angle: int
    across: float
    size: float

    @property
    def text(self) -> str:
        """The words with single blanks between them."""
        return " ".join(word.text for word in self.words)

    @property
    def along(self) -> float:
        """Where the line begins on its baseline."""
        return self.words[0].along

    @property
    def end(self) -> float:
        """Where the line ends on its baseline."""
        return self.words[-1].end

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of the line on the page: x to the right and y up."""
        return on_page((self.along + self.end) / 2, self.across, self.angle)


def on_page(along: float, across: float, angle: float) -> tuple[float, float]:
    """The place on the page of a place on a baseline.

    Examples
    --------
    >>> tuple(round(number, 9) for number in on_page(2.0, 1.0, 90))
    (-1.0, 2.0)
    """
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return along * cos - across * sin, along * sin + across * cos


def on_baseline(x: float, y: float, angle: float) -> tuple[float, float]:
    """Along and across of a place on the page, for baselines that run at `angle`; undoes `on_page`."""
    return on_page(x, y, -angle)


def set_lines(glyphs: Iterable[Glyph]) -> list[Line]:
    """Lines in reading order: from the top down, then from the left."""
    by_angle: dict[int, list[tuple[float, float, float, Glyph]]] = defaultdict(list)
    for glyph in glyphs:
        numbers = glyph[1:]
        if not all(math.isfinite(number) for number in numbers) or glyph.size <= 0:
            continue
        angle = round(glyph.angle) % 360
        along, across = on_baseline(glyph.x, glyph.y, angle)
        end, _ = on_baseline(glyph.end_x, glyph.end_y, angle)
        by_angle[angle].append((across, along, max(end, along), glyph))
    lines: list[Line] = []
    for angle, placed in by_angle.items():
        for row in _rows(placed):
            lines += _split(row, angle)
    return sorted(lines, key=lambda line: (-round(line.centre[1], 2), line.centre[0]))


def _rows(
    placed: list[tuple[float, float, float, Glyph]],
) -> list[list[tuple[float, float, float, Glyph]]]:
    placed.sort(key=lambda one: (one[0], one[1]))
    rows: list[list[tuple[float, float, float, Glyph]]] = []
    for one in placed:
        if rows and one[0] - rows[-1][-1][0] <= _SAME_BASELINE * min(one[3].size, rows[-1][-1][3].size):
            rows[-1].append(one)
        else:
            rows.append([one])
    return rows


def _split(row: list[tuple[float, float, float, Glyph]], angle: int) -> list[Line]:
    row.sort(key=lambda one: one[1])
    lines: list[Line] = []
    words: list[Word] = []
    letters: list[tuple[float, float, float, Glyph]] = []
    broken = False

    def end_word() -> None:
        if letters:
            text = "".join(one[3].character for one in letters)
            words.append(Word(text, letters[0][1], max(one[2] for one in letters)))
            letters.clear()

    def end_line(members: Sequence[tuple[float, float, float, Glyph]]) -> None:
        end_word()
        if words and members:
            across = sum(one[0] for one in members) / len(members)
            lines.append(Line(tuple(words), angle, across, max(one[3].size for one in members)))
        words.clear()

    members: list[tuple[float, float, float, Glyph]] = []
    for one in row:
        _, along, _, glyph = one
        if glyph.character.isspace():
            broken = True
            continue
        if members:
            last = members[-1]
            size = max(glyph.size, last[3].size)
            if glyph.character == last[3].character and along - last[1] < _SAME_PLACE * size:
                continue
            gap = along - last[2]
            if gap > _NEW_LINE * size:
                end_line(members)
                members = []
            elif gap > _NEW_WORD * size or broken:
                end_word()
        broken = False
        letters.append(one)
        members.append(one)
    end_line(members)
    return lines
