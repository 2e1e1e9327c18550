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
_OVERLAP: Final = 0.75
"""A letter may begin this much of its size before the end of the last one: printed twice, or set tight."""
_SAME_SIZES: Final = 2.0
_FARTHEST_IN: Final = 1e6
"""No sheet is so large; also no angle."""
_BUCKET_IN: Final = 0.05
_MOST_BUCKETS: Final = 200


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
    """Lines in reading order: from the top down, then from the left.

    A letter continues the line whose last letter stands just before it on about the same baseline. What stands
    elsewhere on that baseline, or crosses it, is another line. Letters off any sheet, or of no size, are none.
    """
    by_angle: dict[int, list[_Placed]] = defaultdict(list)
    for glyph in glyphs:
        if not all(abs(number) <= _FARTHEST_IN for number in glyph[1:]) or glyph.size <= 0:
            continue
        angle = round(glyph.angle) % 360
        along, across = on_baseline(glyph.x, glyph.y, angle)
        end, _ = on_baseline(glyph.end_x, glyph.end_y, angle)
        by_angle[angle].append(_Placed(along, across, max(end, along), glyph.size, glyph.character))
    lines = [
        line for angle, placed in by_angle.items() for row in _rows(placed) if (line := _line(row, angle)) is not None
    ]
    return sorted(lines, key=lambda line: (-round(line.centre[1], 2), line.centre[0]))


class _Placed(NamedTuple):
    """A letter on its baseline."""

    along: float
    across: float
    end: float
    size: float
    character: str


def _rows(placed: list[_Placed]) -> list[list[_Placed]]:
    """Letters of each line, in order; only lines that end in the neighbourhood of a letter are looked at."""
    rows: list[list[_Placed]] = []
    open_rows: dict[int, list[list[_Placed]]] = defaultdict(list)
    for letter in sorted(placed):
        low, high = (_bucket(letter.across + sign * _SAME_BASELINE * letter.size) for sign in (-1, 1))
        best, least = None, math.inf
        for bucket in range(low, min(high, low + _MOST_BUCKETS) + 1):
            still = [
                row
                for row in open_rows[bucket]
                if letter.along - row[-1].end <= _NEW_LINE * max(letter.size, row[-1].size)
            ]
            open_rows[bucket] = still
            for row in still:
                away = _distance(row[-1], letter)
                if away < least:
                    best, least = row, away
        if best is None:
            best = []
            rows.append(best)
        elif _bucket(best[-1].across) != _bucket(letter.across):
            open_rows[_bucket(best[-1].across)] = [
                row for row in open_rows[_bucket(best[-1].across)] if row is not best
            ]
        if not best or _bucket(best[-1].across) != _bucket(letter.across):
            open_rows[_bucket(letter.across)].append(best)
        best.append(letter)
    return rows


def _bucket(across: float) -> int:
    return math.floor(across / _BUCKET_IN)


def _distance(last: _Placed, letter: _Placed) -> float:
    """How far a letter stands from the end of a line; infinite where it does not continue it."""
    size = max(last.size, letter.size)
    gap, off = letter.along - last.end, abs(letter.across - last.across)
    if size > _SAME_SIZES * min(last.size, letter.size) or off > _SAME_BASELINE * min(last.size, letter.size):
        return math.inf
    return math.inf if not -_OVERLAP * size <= gap <= _NEW_LINE * size else abs(gap) + off


def _line(row: list[_Placed], angle: int) -> Line | None:
    words: list[Word] = []
    letters: list[_Placed] = []
    shown: list[_Placed] = []
    broken = False
    for letter in row:
        if letter.character.isspace():
            broken = True
            continue
        if shown:
            last, size = shown[-1], max(letter.size, shown[-1].size)
            if letter.character == last.character and letter.along - last.along < _SAME_PLACE * size:
                continue
            if letters and (broken or letter.along - last.end > _NEW_WORD * size):
                words.append(_word(letters))
                letters = []
        broken = False
        letters.append(letter)
        shown.append(letter)
    if not shown:
        return None
    words.append(_word(letters))
    return Line(tuple(words), angle, sum(one.across for one in shown) / len(shown), max(one.size for one in shown))


def _word(letters: Sequence[_Placed]) -> Word:
    return Word("".join(one.character for one in letters), letters[0].along, max(one.end for one in letters))
