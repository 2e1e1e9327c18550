"""Scale bars: a row of numbers that starts at zero, and the ticks that stand at them."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from siteplan_gis.measures.sheets.lettering import on_page
from siteplan_gis.units import FOOT_M, INCH_M, MILE_M

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from siteplan_gis.measures.sheets.lettering import Line, Word

_NUMBER: Final = re.compile(
    r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?|\.\d+)(['\u2019\u2032]|FT\.?|FEET|M|KM|MI\.?)?", re.IGNORECASE
)
_UNITS_FT: Final = {
    **dict.fromkeys(("'", "\u2019", "\u2032", "FT", "FEET", "FOOT"), 1.0),
    **dict.fromkeys(("M", "METER", "METERS", "METRE", "METRES"), 1 / FOOT_M),
    **dict.fromkeys(("KM", "KILOMETER", "KILOMETERS", "KILOMETRES"), 1000 / FOOT_M),
    **dict.fromkeys(("MI", "MILE", "MILES"), MILE_M / FOOT_M),
    **dict.fromkeys(("YD", "YARDS"), 3.0),
    **dict.fromkeys(("IN", "INCHES"), INCH_M / FOOT_M),
}
_BESIDE_IN: Final = 1.2
"""A unit stands at most this far from the numbers on their own line, and half as far above or below."""
_SHORTEST_IN, _LONGEST_IN = 0.2, 16.0
_TICK_REACH_IN: Final = 0.6
_NEAR_LABEL: Final = 0.9
"""A tick stands within this many letter sizes of the middle of its number, or of its beginning or end."""
_ON_TICK_IN: Final = 0.012
_DRAWN_TO_IN: Final = 0.004
"""How true a tick is drawn: thin lines and rounded coordinates."""
_MOST_TICKS: Final = 2000
_SAME_ROW, _SAME_LETTERS = 0.3, 1.25


class Bar(NamedTuple):
    """A measured scale bar: feet of ground per inch of page, half the doubt, its numbers, and where it stands."""

    feet_per_inch: float
    plus_minus: float
    words: str
    x: float
    y: float


class BarLabels(NamedTuple):
    """The numbers of what may be a scale bar: values (left of zero negative), middles and widths on the baseline."""

    values: tuple[float, ...]
    words: tuple[Word, ...]
    feet_per_unit: float
    angle: int
    across: float
    size: float


def bar_labels(lines: Sequence[Line]) -> list[BarLabels]:
    """Rows of evenly spaced numbers with a zero and a unit of length: where to look for ticks."""
    numbered = [line for line in lines if any(_NUMBER.fullmatch(word.text) for word in line.words)]
    found = []
    for home in numbered:
        for zero in home.words:
            if _value(zero.text) != 0:
                continue
            words = [
                word
                for line in numbered
                if line.angle == home.angle
                and abs(line.across - home.across) <= _SAME_ROW * home.size
                and max(line.size, home.size) <= _SAME_LETTERS * min(line.size, home.size)
                for word in line.words
                if _NUMBER.fullmatch(word.text)
            ]
            for run in _runs(sorted(words, key=lambda word: word.along), zero):
                values = _signed([_value(word.text) for word in run])
                unit = _unit(run, lines, home)
                if values is not None and unit is not None and _even(values, run, home.size):
                    found.append(BarLabels(values, tuple(run), unit, home.angle, home.across, home.size))
                    break
    return found


def measured_bar(labels: BarLabels, points: NDArray[np.float64]) -> Bar | None:
    """The bar at some labels, measured from what is drawn there; None where no ticks stand at the numbers.

    Parameters
    ----------
    points
        Ends of lines and corners of shapes on the page, shape (n, 2), in inches.
    """
    if not len(points):
        return None
    cos, sin = math.cos(math.radians(labels.angle)), math.sin(math.radians(labels.angle))
    along = points @ np.array([cos, sin])
    across = points @ np.array([-sin, cos])
    first, last = labels.words[0], labels.words[-1]
    near = (
        (abs(across - labels.across) <= _TICK_REACH_IN + labels.size)
        & (along >= first.along - 1)
        & (along <= last.end + 1)
    )
    ticks, counts = _distinct(np.sort(along[near]))
    if not 1 < len(ticks) <= _MOST_TICKS:
        return None
    best = _fit(labels, ticks, counts)
    if best is None:
        return None
    inches_per_unit, doubt = best
    value = labels.feet_per_unit / inches_per_unit
    x, y = on_page((first.along + last.end) / 2, labels.across, labels.angle)
    return Bar(value, value * doubt / inches_per_unit, " ".join(word.text for word in labels.words), x, y)


def _runs(numbers: Sequence[Word], zero: Word) -> Iterator[list[Word]]:
    """The numbers that rise away from a zero, the longest run first: on both sides, then on its right alone.

    Shorter runs leave out what stands farther off in the same row by chance; they have three numbers at least.
    """
    at = next(place for place, word in enumerate(numbers) if word == zero)
    right, left = [zero], [zero]
    for other in numbers[at + 1 :]:
        if _value(other.text) <= _value(right[-1].text) or other.end - zero.along > _LONGEST_IN:
            break
        right.append(other)
    for other in reversed(numbers[:at]):
        if _value(other.text) <= _value(left[-1].text) or zero.end - other.along > _LONGEST_IN:
            break
        left.append(other)
    if len(right) < 2:  # noqa: PLR2004
        return
    for parts in range(len(right), 1, -1):
        for more in range(len(left), 0, -1):
            if parts + more - 1 >= min(3, len(right) + len(left) - 1):
                yield [*reversed(left[1:more]), *right[:parts]]


def _value(text: str) -> float:
    match = _NUMBER.fullmatch(text)
    return float(match[1].replace(",", "")) if match else math.nan


def _signed(values: Sequence[float]) -> tuple[float, ...] | None:
    zero = values.index(0.0)
    signed = tuple(-value if place < zero else value for place, value in enumerate(values))
    return signed if len(set(signed)) == len(signed) and signed[-1] > signed[0] else None


def _even(values: Sequence[float], words: Sequence[Word], size: float) -> bool:
    """Whether the numbers stand where their values ask, as far as their own widths can tell."""
    span = words[-1].centre - words[0].centre
    if not _SHORTEST_IN <= span <= _LONGEST_IN:
        return False
    slope = span / (values[-1] - values[0])
    return all(
        abs(words[0].centre + slope * (value - values[0]) - word.centre) <= max(size, (word.end - word.along) / 2)
        for value, word in zip(values, words, strict=True)
    )


def _unit(run: Sequence[Word], lines: Sequence[Line], home: Line) -> float | None:
    """Feet in the unit of the numbers, where exactly one unit stands at them, beside them, above or below."""
    names = {match[2].upper().rstrip(".") for word in run if (match := _NUMBER.fullmatch(word.text)) and match[2]}
    for reach in (0.0, _BESIDE_IN / 2 + home.size):
        if not names:
            names = {
                plain
                for line in lines
                if line.angle == home.angle and abs(line.across - home.across) <= max(reach, 0.5 * home.size)
                for word in line.words
                if (plain := word.text.upper().strip("().:,-")) in _UNITS_FT
                and max(word.along - run[-1].end, run[0].along - word.end) <= _BESIDE_IN
                and not (reach and plain.startswith("IN"))
            }
    factors = {_UNITS_FT[name] for name in names}
    return factors.pop() if len(factors) == 1 else None


def _distinct(places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    if not len(places):
        return places, np.empty(0, dtype=np.int64)
    group = np.concatenate([[0], np.cumsum(np.diff(places) > _DRAWN_TO_IN)])
    counts = np.bincount(group)
    return np.bincount(group, weights=places) / counts, counts


def _fit(labels: BarLabels, ticks: NDArray[np.float64], counts: NDArray[np.int64]) -> tuple[float, float] | None:
    """Inches of page per unit of the numbers, and half its doubt; None where ticks do not stand at all numbers.

    Numbers stand centred at their ticks, or all begin or end there; so their distances from the ticks differ little.
    The pair of ticks for the first and last number is taken whose other ticks stand true and whose distances differ
    least; pairs that do as well are doubt.
    """
    centres = np.array([word.centre for word in labels.words])
    values = np.array(labels.values) - labels.values[0]
    widest = max(word.end - word.along for word in labels.words)
    reach = max(_NEAR_LABEL * labels.size, 0.6 * widest)
    starts = np.flatnonzero(abs(ticks - centres[0]) <= reach)
    ends = np.flatnonzero(abs(ticks - centres[-1]) <= reach)
    fits: list[tuple[float, int, float]] = []
    for start in starts:
        for end in ends:
            slope = (ticks[end] - ticks[start]) / values[-1]
            if slope <= 0:
                continue
            wanted = ticks[start] + slope * values
            nearest = np.abs(ticks[None, :] - wanted[:, None])
            if (nearest.min(axis=1) > _ON_TICK_IN).any():
                continue
            offsets = wanted - centres
            strength = int(counts[nearest.argmin(axis=1)].min())
            fits.append((float(np.ptp(offsets)), strength, float(slope)))
    if not fits:
        return None
    best = min(fits, key=lambda fit: (round(fit[0] / (0.15 * labels.size)), -fit[1], fit[0]))
    alike = [fit[2] for fit in fits if fit[0] <= best[0] + 0.1 * labels.size and fit[1] >= best[1]]
    slope = best[2]
    own = _DRAWN_TO_IN / values[-1]
    return slope, float(max([own, *(abs(other - slope) for other in alike)]))
