"""The top of a channel's bank: where land beside a bank line begins to be gentle for a stated run.

Two limits that differ at the very value, as the definition has it: where no slope of the first run is above the limit,
the bank line itself is the top; else the top is the first place from where every slope of a run is below the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import LineString, MultiLineString

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.model.terrain import ElevationGrid

    Floats = NDArray[np.float64]

_SAME: Final = 1e-9
"""Slopes that differ by less are equal: 12 % computed from heights is 12 %."""
_ACROSS: Final = 5
_LEVEL_M: Final = 0.2
_BESIDE_M: Final = (3.0, 10.0)


@dataclass(frozen=True, slots=True, eq=False)
class Transect:
    """A line from the bank landward.

    Attributes
    ----------
    line
        From the bank as far as the ground was looked at, in the frame.
    top_m
        From the bank to the top of the channel along it; 0 where the bank is the top; None where it cannot be told.
    plus_minus_m
        Its doubt: what the doubt of the slopes changes, and half a step; None where it may lie anywhere beyond.
    reason
        Why there is no top, or no bound to its doubt; else empty.
    """

    line: LineString
    top_m: float | None
    plus_minus_m: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ChannelTop:
    """The top of a channel along a bank.

    Attributes
    ----------
    transects
        Along the bank, in its order.
    line
        Through the tops of neighbouring transects; empty where none is told.
    told_m, untold_m
        Length of the bank where the top could be told, and could not.
    """

    transects: tuple[Transect, ...]
    line: MultiLineString
    told_m: float
    untold_m: float


def first_gentle(heights_m: Floats, step_m: float, limit_ratio: float, run_m: float) -> float | None:
    """Distance in metres from the first height to the top of the channel; None where the heights show none.

    `heights_m` stand at even steps; slopes are taken between neighbours, up or down. A height that is not a number
    ends what is known.

    Examples
    --------
    A bank of 50 % over 4 m, then level ground:

    >>> first_gentle(np.minimum(np.arange(40.0), 4.0) / 2, 1.0, 0.12, 15.24)
    4.0
    """
    slopes = np.abs(np.diff(heights_m)) / step_m
    long = max(int(np.ceil(run_m / step_m - _SAME)), 1)
    initial = slopes[:long]
    if initial.size == long and (initial <= limit_ratio + _SAME).all():
        return 0.0
    if initial.size < long or np.isnan(initial[initial <= limit_ratio + _SAME]).any():
        return None
    gentle = np.where(np.isnan(slopes), False, slopes < limit_ratio - _SAME)
    known = np.isfinite(slopes)
    last = int(np.argmin(known)) if not known.all() else known.size
    counts = np.cumsum(np.r_[0, gentle[:last]])
    runs = np.flatnonzero(counts[long:] - counts[:-long] == long)
    return float(runs[0]) * step_m if runs.size else None


def top_of_channel(
    grid: ElevationGrid,
    bank: BaseGeometry,
    water: BaseGeometry | None,
    limit_ratio: float,
    run_m: float,
    step_m: float = 1.0,
    spacing_m: float = 10.0,
    reach_m: float = 100.0,
    doubt_ratio: float = 0.01,
) -> ChannelTop:
    """Transects normal to a bank line, landward, and the top of the channel on each.

    Parameters
    ----------
    bank
        Lines, or areas of water whose outline is the bank, in the frame.
    water
        Lies on the other side. Without one, the higher side of each line is landward; where both disagree, neither is.
    limit_ratio, run_m
        Rise over run, and how far the land must stay gentle.
    step_m
        Slopes are taken over this length (at least one cell), between means of five heights across.
    reach_m
        How far landward to look; the run has to fit in.
    doubt_ratio
        Doubt of a slope.
    """
    step_m = max(step_m, grid.cell_m)
    count = int(np.ceil(reach_m / step_m)) + 1
    transects: list[Transect] = []
    tops: list[LineString] = []
    told = untold = 0.0
    whole = [bank, water] if water is not None else [bank]
    wet = shapely.union_all([*whole, *[part for part in whole if part.area > 0]])
    for line in _banks(bank):
        pieces = max(int(np.ceil(line.length / spacing_m)), 1)
        places = (np.arange(pieces) + 0.5) * (line.length / pieces)
        start, normal = _normals(line, places, min(spacing_m, line.length / 2))
        side = _landward(grid, start, normal, bank, water)
        tip: list[tuple[float, float]] = []
        for xy, away in zip(start, normal * side[:, None], strict=True):
            found = _transect(grid, xy, away, wet, limit_ratio, run_m, step_m, count, doubt_ratio)
            transects.append(found)
            if found.top_m is None:
                untold += line.length / pieces
                tops += [LineString(tip)] if len(tip) > 1 else []
                tip = []
            else:
                told += line.length / pieces
                tip.append(tuple((xy + away * found.top_m).tolist()))
        tops += [LineString(tip)] if len(tip) > 1 else []
    return ChannelTop(tuple(transects), MultiLineString(tops), told, untold)


def _banks(bank: BaseGeometry) -> list[LineString]:
    parts = shapely.get_parts([part.boundary if part.area > 0 else part for part in shapely.get_parts([bank])])
    lines = shapely.get_parts(shapely.line_merge(shapely.union_all(parts)))
    return [line for line in lines if isinstance(line, LineString) and line.length > 0]


def _normals(line: LineString, places: Floats, over_m: float) -> tuple[Floats, Floats]:
    """Places on a line, and unit vectors to its left, normal to the chord around each."""
    before, after = np.maximum(places - over_m / 2, 0), np.minimum(places + over_m / 2, line.length)
    start, first, last = (
        shapely.get_coordinates(shapely.line_interpolate_point(line, at)) for at in (places, before, after)
    )
    chord = last - first
    length = np.hypot(chord[:, 0], chord[:, 1])
    length[length == 0] = 1.0
    return start, np.column_stack((-chord[:, 1], chord[:, 0])) / length[:, None]


def _landward(
    grid: ElevationGrid, start: Floats, normal: Floats, bank: BaseGeometry, water: BaseGeometry | None
) -> Floats:
    """1 where land lies to the left, -1 to the right, 0 where it cannot be told."""
    wet = water if water is not None else bank if bank.area > 0 else None
    side = np.zeros(len(start))
    if wet is not None and not wet.is_empty:
        left, right = (shapely.distance(shapely.points(start + normal * way), wet) for way in (1.0, -1.0))
        side = np.sign(np.round(left - right, 6))
    beside = np.linspace(*_BESIDE_M, 8)
    means = [
        np.array([_mean(_heights(grid, xy + way * beside[:, None] * n)) for xy, n in zip(start, normal, strict=True)])
        for way in (1.0, -1.0)
    ]
    above = (means[0] - means[1])[~np.isnan(means[0] - means[1])]
    higher = float(np.median(above)) if above.size else 0.0
    rises = np.sign(higher) if abs(higher) > _LEVEL_M else 0.0
    if rises == 0:
        return side
    # Land rises from the water: where the drawing has it the other way, something is wrong.
    told: Floats = np.where(side == 0, rises, np.where(side == rises, side, 0.0))
    return told


def _mean(heights: Floats) -> float:
    known = heights[~np.isnan(heights)]
    return float(known.mean()) if known.size else np.nan


def _transect(
    grid: ElevationGrid, xy: Floats, away: Floats, wet: BaseGeometry, limit: float, run_m: float, step_m: float,
    count: int, doubt: float,
) -> Transect:  # fmt: skip
    if not away.any():
        return Transect(LineString([xy, xy]), None, None, "which side is landward cannot be told")
    along = np.arange(count) * step_m
    line = LineString([xy, xy + away * along[-1]])
    # Beyond the first step the way may not come back to the water.
    again = shapely.intersection(LineString([xy + away * min(step_m, 0.5), xy + away * along[-1]]), wet)
    ends = float(shapely.distance(shapely.points(xy), again)) if not again.is_empty else np.inf
    across = np.linspace(-0.5, 0.5, _ACROSS) * step_m
    sideways = np.array([-away[1], away[0]])
    points = xy + along[:, None, None] * away + across[None, :, None] * sideways
    heights = _heights(grid, points.reshape(-1, 2)).reshape(count, _ACROSS).mean(axis=1)
    heights[along >= ends] = np.nan
    top = first_gentle(heights, step_m, limit, run_m)
    near, far = (first_gentle(heights, step_m, limit + sign * doubt, run_m) for sign in (1, -1))
    if top is None:
        if not np.isnan(heights).any():
            return Transect(line, None, None, "the land stays steep as far as was looked")
        why = "the water is met again first" if np.isfinite(ends) else "the elevations end first"
        return Transect(line, None, None, why)
    if near is None or far is None:
        return Transect(line, top, None, "the slope stays too near the limit to tell how far the top may lie")
    return Transect(line, top, max(abs(far - top), abs(top - near)) + step_m / 2)


def _heights(grid: ElevationGrid, xy: Floats) -> Floats:
    """Elevations between the middles of cells, linear both ways; not a number where one of four is missing."""
    rows, cols = grid.z_m.shape
    pixels = shapely.get_coordinates(grid.pixels(shapely.multipoints(xy))) - 0.5
    col, row = np.floor(pixels).astype(int).T
    inside = (col >= 0) & (row >= 0) & (col < cols - 1) & (row < rows - 1)
    heights = np.full(len(xy), np.nan)
    c, r = col[inside], row[inside]
    u, v = (pixels[inside] - np.column_stack((c, r))).T
    z = grid.z_m
    heights[inside] = (1 - v) * ((1 - u) * z[r, c] + u * z[r, c + 1]) + v * (
        (1 - u) * z[r + 1, c] + u * z[r + 1, c + 1]
    )
    return heights
