"""What a set of contour lines shows: interval, levels that are missing or odd, duplicates.

The interval is the modal difference of the sorted distinct levels. It is a property of what was drawn: where only
index contours were handed in, it is their interval.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely

from siteplan_gis.units import FOOT_M, US_SURVEY_FOOT_M

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

NO_LENGTH_M: Final = 0.001
"""A line shorter than a millimetre is a point that a contour writer left on a plateau."""

SAME_LEVEL_M: Final = 0.025
"""Levels closer together than this are one level, written with noise."""

_LEVELS_ON_EARTH_M: Final = (-500.0, 9000.0)
_EXACT_RATIO: Final = 1e-5
_EXACT_M: Final = 1e-4
_RUN: Final = 3
_MOST_LOOKED_AT: Final = 1000
_MOST_LEVELS: Final = 500
_ABOUT_EQUALLY: Final = 1.5
_FEWEST_BESIDE_FAR: Final = 5
_FAR_RANGES: Final = 3.0
_MISTYPED_STEPS: Final = 3
_USUAL: Final = np.array(
    [0.1, 0.2, 0.25, 0.3, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 8, 10, 20, 25, 40, 50, 80, 100, 200, 250, 500]
)


@dataclass(frozen=True, slots=True)
class ContourFacts:
    """Facts of a set of contour lines; levels and intervals in metres.

    Attributes
    ----------
    interval_m
        None where it cannot be told; `reason` then says why. A whole number of survey feet counts as international
        feet, since the law knows one foot.
    interval_plus_minus_m
        Half the spread of the differences behind the interval: zero for exact levels.
    further_intervals_m
        Coarser intervals that stretches of three steps or more, or three levels in some part of the map, keep to:
        the interval is not the same everywhere.
    index_interval_m
        Of the lines marked as index contours; None where none are marked or fewer than two levels are.
    lines, levels
        Number of lines (of some length, a duplicate counted once), with and without elevation, and of distinct levels.
    missing_levels_m
        Levels that the interval calls for between the lowest and the highest, and that nothing draws.
    odd_levels_m
        Drawn levels that do not fit the interval.
    far_levels_m
        Levels so far from all others that a digit must be wrong; nothing else here counts them.
    misplaced
        Places of lines whose level is three intervals or more from every line around them: levels mistyped.
    duplicates, without_length, without_elevation
        Places in the given sequences: repeated lines (all but the first), lines of no length, lines of no known level.
    """

    interval_m: float | None
    reason: str
    lines: int
    levels: int
    interval_plus_minus_m: float = 0.0
    further_intervals_m: tuple[float, ...] = ()
    index_interval_m: float | None = None
    lowest_m: float | None = None
    highest_m: float | None = None
    missing_levels_m: tuple[float, ...] = ()
    odd_levels_m: tuple[float, ...] = ()
    far_levels_m: tuple[float, ...] = ()
    misplaced: tuple[int, ...] = ()
    duplicates: tuple[int, ...] = ()
    without_length: tuple[int, ...] = ()
    without_elevation: tuple[int, ...] = ()


def contour_facts(
    levels_m: Sequence[float | None],
    lines: Sequence[BaseGeometry],
    unit_m: float = FOOT_M,
    is_index: Sequence[bool] | None = None,
) -> ContourFacts:
    """Facts of contour lines in the site frame, given the level of each in metres (None where unknown).

    A drawing whose levels are all zero has no levels: zero is then "unknown". A zero far below all other levels is
    one unknown level. `unit_m` is the length in metres of the unit that the levels were written in.

    Raises
    ------
    ValueError
        If the sequences are not of one length.

    Examples
    --------
    >>> lines = [shapely.LineString([(0, y), (9, y)]) for y in range(4)]
    >>> facts = contour_facts([100.0, 100.5, 101.0, 102.0], lines, unit_m=1.0)
    >>> facts.interval_m, facts.missing_levels_m
    (0.5, (101.5,))
    """
    if len(levels_m) != len(lines) or (is_index is not None and len(is_index) != len(lines)):
        message = "levels, lines and index marks must be of one length"
        raise ValueError(message)
    without_length = tuple(place for place, line in enumerate(lines) if line.is_empty or line.length < NO_LENGTH_M)
    known = _known_levels(levels_m, frozenset(without_length))
    drawn = [place for place in range(len(lines)) if place not in set(without_length)]
    duplicates = _duplicates(drawn, lines, known)
    without_elevation = tuple(place for place in drawn if place not in known)
    far = _far_levels(_distinct(list(known.values())))
    known = {place: level for place, level in known.items() if all(abs(level - one) > SAME_LEVEL_M for one in far)}
    levels = _distinct(list(known.values()))
    misplaced: tuple[int, ...] = ()
    found = _Interval(None, 0.0)
    index_interval_m = None
    further: set[float] = set()
    if len(levels) > 1:
        found = _interval(levels, unit_m)
        coarser, misplaced = _coarser_parts(known, lines, levels, found, unit_m)
        further = {*found.further_m, *coarser}
        if is_index is not None:
            index = _distinct([level for place, level in known.items() if is_index[place]])
            index_interval_m = _interval(index, unit_m).interval_m if len(index) > 1 else None
    return ContourFacts(
        interval_m=found.interval_m,
        reason=_reason(len(drawn), len(levels)),
        lines=len(drawn) - len(duplicates),
        levels=len(levels),
        interval_plus_minus_m=found.plus_minus_m,
        further_intervals_m=tuple(sorted(further)),
        index_interval_m=index_interval_m,
        lowest_m=float(levels[0]) if len(levels) else None,
        highest_m=float(levels[-1]) if len(levels) else None,
        missing_levels_m=found.missing_m,
        odd_levels_m=found.odd_m,
        far_levels_m=far,
        misplaced=misplaced,
        duplicates=duplicates,
        without_length=without_length,
        without_elevation=without_elevation,
    )


@dataclass(frozen=True, slots=True)
class _Interval:
    interval_m: float | None
    plus_minus_m: float
    further_m: tuple[float, ...] = ()
    missing_m: tuple[float, ...] = ()
    odd_m: tuple[float, ...] = ()


def _reason(drawn: int, levels: int) -> str:
    if not drawn:
        return "there are no contour lines"
    if not levels:
        return "no contour line has a known elevation"
    return "" if levels > 1 else "all contour lines are at one level"


def _known_levels(levels_m: Sequence[float | None], skipped: frozenset[int]) -> dict[int, float]:
    """Levels by place, without what stands for "unknown"."""
    low, high = _LEVELS_ON_EARTH_M
    known = {
        place: float(level)
        for place, level in enumerate(levels_m)
        if level is not None and place not in skipped and low <= level <= high
    }
    others = np.array(sorted({level for level in known.values() if level != 0}))
    if len(others) == 0:
        return {}
    # Near the sea a contour lies at zero; a zero farther off than the whole range of the others means unknown.
    nearest = float(np.abs(others).min())
    steps = np.diff(others)
    if nearest > max(np.ptp(others), 10 * float(np.median(steps)) if len(steps) else 0.0, 10 * SAME_LEVEL_M):
        return {place: level for place, level in known.items() if level != 0}
    return known


def _far_levels(levels: NDArray[np.float64]) -> tuple[float, ...]:
    """Lone levels farther from the rest than three times the rest's whole range: a digit too many or too few."""
    far: list[float] = []
    while len(levels) >= _FEWEST_BESIDE_FAR:
        low, high = levels[1:], levels[:-1]
        if levels[1] - levels[0] > _FAR_RANGES * np.ptp(low):
            far.append(float(levels[0]))
            levels = low
        elif levels[-1] - levels[-2] > _FAR_RANGES * np.ptp(high):
            far.append(float(levels[-1]))
            levels = high
        else:
            break
    return tuple(sorted(far))


def _distinct(levels: Sequence[float]) -> NDArray[np.float64]:
    """Sorted distinct levels; those within `SAME_LEVEL_M` of the next lower one are one level, at their commonest."""
    if not levels:
        return np.array([])
    ordered = np.sort(np.asarray(levels, dtype=np.float64))
    groups = np.split(ordered, np.nonzero(np.diff(ordered) > SAME_LEVEL_M)[0] + 1)
    return np.array([_commonest(group) for group in groups])


def _commonest(group: NDArray[np.float64]) -> float:
    values, counts = np.unique(np.round(group, 9), return_counts=True)
    often = values[counts == counts.max()]
    return float(often[0]) if len(often) == 1 else float(np.median(group))


def _interval(levels: NDArray[np.float64], unit_m: float) -> _Interval:
    steps = np.diff(levels)
    modal = _modal_step(steps, unit_m)
    near = np.abs(steps - modal) <= _doubt(modal)
    spread = float(np.ptp(steps[near])) / 2
    exact = spread <= _EXACT_M
    interval = _usual(float(np.median(steps[near])), unit_m, None if exact else SAME_LEVEL_M)
    plus_minus = 0.0 if exact else spread
    true_interval = float(np.median(steps[near])) if exact else interval
    fits, phase = _fitting(levels, true_interval)
    further, missing = _gaps(levels[fits], true_interval, phase, unit_m)
    return _Interval(interval, plus_minus, further, missing, tuple(float(level) for level in levels[~fits]))


def _doubt(interval: float) -> float:
    return min(SAME_LEVEL_M, 0.1 * interval)


def _modal_step(steps: NDArray[np.float64], unit_m: float) -> float:
    """The commonest step; among equals a usual one, then one that divides the others, then the smallest."""
    centres = [float(group.mean()) for group in np.split(np.sort(steps), _breaks(np.sort(steps)))]
    counts = [int((np.abs(steps - centre) <= _doubt(centre)).sum()) for centre in centres]
    best = [centre for centre, count in zip(centres, counts, strict=True) if count == max(counts)]

    def rank(centre: float) -> tuple[bool, int, float]:
        ratios = steps / centre
        divided = int((np.abs(ratios - np.round(ratios)) <= 0.1).sum())  # noqa: PLR2004
        return (not _is_usual(centre, unit_m), -divided, centre)

    return min(best, key=rank)


def _breaks(ordered: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.nonzero(np.diff(ordered) > np.minimum(SAME_LEVEL_M, 0.1 * ordered[:-1]))[0] + 1


def _units(unit_m: float) -> tuple[tuple[float, float], ...]:
    """Units that an interval may be a round number of, each with the metres that the law gives it."""
    lawful = FOOT_M if abs(unit_m - FOOT_M) < _EXACT_M else unit_m
    return ((unit_m, lawful), (FOOT_M, FOOT_M), (US_SURVEY_FOOT_M, FOOT_M), (1.0, 1.0))


def _usual(step: float, unit_m: float, doubt: float | None) -> float:
    """The round interval that a step stands for, or the step itself."""
    for unit, lawful in _units(unit_m):
        usual = float(_USUAL[np.abs(_USUAL - step / unit).argmin()])
        if abs(usual * unit - step) <= max(_EXACT_RATIO * step, min(doubt or 0.0, 0.05 * step)):
            return usual * lawful
    return step


def _is_usual(step: float, unit_m: float) -> bool:
    return any(abs(float(np.abs(_USUAL - step / unit).min())) * unit <= _doubt(step) / 2 for unit, _ in _units(unit_m))


def _fitting(levels: NDArray[np.float64], interval: float) -> tuple[NDArray[np.bool_], float]:
    """Which levels lie on the commonest ladder of steps of the interval, and where that ladder starts."""
    best = np.zeros(len(levels), dtype=bool)
    phase = 0.0
    for start in dict.fromkeys(np.round(np.mod(levels, interval), 3).tolist()):
        away = np.mod(levels - start + interval / 2, interval) - interval / 2
        fits = np.abs(away) <= _doubt(interval)
        if fits.sum() > best.sum():
            best, phase = fits, start + float(np.median(away[fits]))
    return best, phase


def _gaps(
    levels: NDArray[np.float64], interval: float, phase: float, unit_m: float
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Coarser intervals kept over a stretch, and the levels missing elsewhere."""
    rungs = np.round((levels - phase) / interval).astype(np.int64)
    jumps = np.diff(rungs)
    coarse: set[int] = set()
    missing: list[float] = []
    start = 0
    while start < len(jumps):
        end = start
        while end < len(jumps) and jumps[end] == jumps[start]:
            end += 1
        if jumps[start] > 1 and end - start >= _RUN:
            coarse.add(int(jumps[start]))
        elif jumps[start] > 1:
            absent = set(range(int(rungs[start]), int(rungs[end]))) - set(rungs.tolist())
            missing.extend(phase + rung * interval for rung in sorted(absent))
        start = end
    further = tuple(_usual(jump * interval, unit_m, None) for jump in sorted(coarse))
    return further, tuple(round(level, 6) for level in missing)


def _coarser_parts(
    known: dict[int, float],
    lines: Sequence[BaseGeometry],
    levels: NDArray[np.float64],
    found: _Interval,
    unit_m: float,
) -> tuple[set[float], tuple[int, ...]]:
    """Coarser intervals that lines keep to their neighbours in some part of the map, though other parts are finer.

    And the places of lines that stand alone, three intervals or more from all around them.
    """
    if found.interval_m is None or not _RUN < len(levels) <= _MOST_LEVELS:
        return set(), ()
    places = list(known)[:: max(1, len(known) // _MOST_LOOKED_AT)]
    own = np.abs(np.array([known[place] for place in known])[:, None] - levels).argmin(axis=1)
    member = dict(zip(known, own.tolist(), strict=True))
    middles = shapely.line_interpolate_point([_linear(lines[place]) for place in places], 0.5, normalized=True)
    away = np.full((len(places), len(levels)), np.inf)
    by_level: list[list[BaseGeometry]] = [[] for _ in levels]
    for place, level in member.items():
        line = lines[place]
        by_level[level].append(line.boundary if "Polygon" in line.geom_type else line)
    for level, members in enumerate(by_level):
        drawn = shapely.geometrycollections(members)
        shapely.prepare(drawn)
        away[:, level] = shapely.distance(middles, drawn)
    steps = np.abs(levels - levels[[member[place] for place in places]][:, None])
    away[steps < SAME_LEVEL_M] = np.inf
    # Among neighbours about equally near, on both sides of a line, the one closer in level counts.
    nearby = away <= _ABOUT_EQUALLY * away.min(axis=1)[:, None]
    times = np.round(np.where(nearby, steps, np.inf).min(axis=1) / found.interval_m)
    at: dict[float, set[int]] = {}
    for place, ratio in zip(places, times.tolist(), strict=True):
        at.setdefault(ratio, set()).add(member[place])
    coarser = {
        _usual(ratio * found.interval_m, unit_m, None) for ratio, of in at.items() if ratio > 1 and len(of) >= _RUN
    }
    alone = tuple(
        place
        for place, ratio in zip(places, times.tolist(), strict=True)
        if _MISTYPED_STEPS <= ratio < np.inf and len(at[ratio]) < _RUN
    )
    return coarser, alone


def _linear(line: BaseGeometry) -> BaseGeometry:
    """The longest line of a geometry."""
    parts = [part.exterior if part.geom_type == "Polygon" else part for part in shapely.get_parts(line)]
    return max(parts, key=lambda part: part.length)


def _duplicates(drawn: Sequence[int], lines: Sequence[BaseGeometry], known: dict[int, float]) -> tuple[int, ...]:
    """Places of lines whose level and course were drawn before, in either direction."""
    seen: Counter[tuple[float | None, bytes]] = Counter()
    repeated = []
    for place in drawn:
        level = known.get(place)
        key = (None if level is None else round(level, 3), _course(lines[place]))
        if seen[key]:
            repeated.append(place)
        seen[key] += 1
    return tuple(repeated)


def _course(line: BaseGeometry) -> bytes:
    """The same bytes for the same course to a millimetre, whichever way and wherever it starts."""
    parts = []
    for part in shapely.get_parts(line):
        ring = part.exterior if part.geom_type == "Polygon" else part
        corners = np.round(shapely.get_coordinates(ring), 3) + 0.0
        if len(corners) > 2 and (corners[0] == corners[-1]).all():  # noqa: PLR2004
            corners = corners[:-1]
            first = np.lexsort((corners[:, 1], corners[:, 0]))[0]
            onward = np.roll(corners, -first, axis=0)
            backward = np.roll(onward[::-1], 1, axis=0)
        else:
            onward, backward = corners, corners[::-1]
        parts.append(min(onward.tobytes(), backward.tobytes()))
    return b"|".join(sorted(parts))
