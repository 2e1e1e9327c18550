"""Which part of a boundary lies down slope, beside the slope or up slope, and what water crosses it.

The fall of the ground at each place is that of the plane fitted to the cells around it, so that noise does not shred
the boundary; the doubt of the fit tells where the kind is not certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely.ops import substring

from siteplan_gis.measures.compiling import compiled
from siteplan_gis.measures.runoff.catchments import along_rings, first_met_m2
from siteplan_gis.measures.runoff.routing import NOWHERE
from siteplan_gis.measures.shapes.simplifying import simplified

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    from siteplan_gis.measures.runoff.routing import Cells, Runoff

    Floats = NDArray[np.float64]

DOWN: Final = "down"
SIDE: Final = "side"
UP: Final = "up"
UNKNOWN: Final = "unknown"
KINDS: Final = (DOWN, SIDE, UP, UNKNOWN)

_LEAST_CELLS: Final = 5
_FEWEST: Final = 0.4
"""At least this share of the cells around a place must have an elevation."""
_TOO_DOUBTFUL: Final = np.pi / 3
_CONCENTRATED: Final = 2.0
_CORNER: Final = np.pi / 6
_SAMPLES_MOST: Final = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A stretch of a boundary.

    Attributes
    ----------
    kind
        "down" where the ground falls outward, "side" where it falls along the boundary, "up" where it falls inward,
        "unknown" where it is level within its doubt, or has no elevation.
    line
        In the frame, with the area on its left.
    doubtful_m
        How much of it may be down, side or up, each, while it is not certain which.
    leaves_m2, enters_m2
        The ground of the area whose water leaves here first, and the ground outside whose water comes in here first.
    """

    kind: str
    line: shapely.LineString
    doubtful_m: tuple[float, float, float]
    leaves_m2: float
    enters_m2: float

    @property
    def length_m(self) -> float:
        """Length in metres."""
        return float(self.line.length)


def classify_boundary(
    runoff: Runoff, area: BaseGeometry, side_deg: float = 30.0, over_m: float = 15.0, least_m: float = 10.0
) -> tuple[Piece, ...]:
    """The boundary of an area in pieces of one kind each, ring by ring.

    Parameters
    ----------
    side_deg
        A boundary that runs within this angle of the fall line lies beside the slope.
    over_m
        The fall of the ground is taken over a circle of this diameter (at least five cells).
    least_m
        Shorter pieces join their neighbours.

    Water decides where the fall does not show it: an up-slope piece over which more of the area's water leaves than
    comes in lies beside the slope, and a piece that takes twice its share of the area's water out lies down slope.
    """
    cell_m = runoff.ground.cell_m
    reach_m = max(over_m / 2, 2.5 * cell_m)
    cols = runoff.shape[1]
    cover = runoff.cover(area)
    inward, outward = _crossing(runoff, cover), _crossing(runoff, 1 - cover)
    crossing = np.flatnonzero((inward > 0) | (outward > 0))
    middles = runoff.ground.placed(
        shapely.multipoints(np.column_stack((crossing % cols + 0.5, crossing // cols + 0.5)))
    )
    rings, ring, along = along_rings(area, shapely.get_parts(middles))
    whole_m = float(shapely.length(rings).sum())
    sampled = _sampled(rings, min(cell_m, over_m / 5))
    kinds = _kinds(runoff, rings, sampled, reach_m, np.sin(np.radians(side_deg)))
    own_cells = _of_each(ring, len(rings))
    pieces: list[Piece] = []
    for number, line in enumerate(rings):
        own_places = sampled.own(number)
        count = own_places.stop - own_places.start
        if count == 0:
            continue
        kind, low, high = (told[own_places] for told in kinds)
        kind = _without_short(kind, line.length / count, least_m)
        cells = own_cells[number]
        spots = np.minimum((along[cells] / line.length * count).astype(int), count - 1)
        leaves, enters = (np.bincount(spots, water[crossing[cells]], count) for water in (outward, inward))
        for first, last in _runs(kind):
            which = np.arange(first, last) % count
            name = KINDS[kind[first % count]]
            out, into = float(leaves[which].sum()), float(enters[which].sum())
            if name == UP and out > into:
                name = SIDE
            share = (last - first) / count * line.length / whole_m
            if name == SIDE and out > into and out >= _CONCENTRATED * share * outward.sum():
                name = DOWN
            spread = low[which] != high[which]
            # Either end of a piece is known to half a step.
            ends = 0.5 if last - first < count else 0.0
            doubtful = tuple(
                (float((spread & (low[which] <= k) & (k <= high[which])).sum()) + ends * (KINDS[k] == name))
                * line.length
                / count
                for k in range(3)
            )
            pieces.append(Piece(name, _stretch(line, first / count, last / count), doubtful, out, into))
    return tuple(pieces)


def _crossing(runoff: Runoff, cover: Floats) -> Floats:
    """For each covered cell the ground in square metres of the cells beyond whose water first comes in there."""
    met = runoff.first_met(cover)
    comes = (cover == 0) & (met != NOWHERE)
    return first_met_m2(runoff, met, comes)


def lengths(pieces: tuple[Piece, ...]) -> dict[str, tuple[float, float]]:
    """Length and its doubt in metres for each kind: stretches that may or may not be of it.

    Stretches of unknown kind come on top: they may be of any.
    """
    found = {}
    for place, kind in enumerate(KINDS):
        length = sum(piece.length_m for piece in pieces if piece.kind == kind)
        doubt = sum(piece.doubtful_m[place] for piece in pieces) if kind != UNKNOWN else 0.0
        found[kind] = (length, doubt)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """Places at even steps along rings: metres along the ring of each, ring after ring, and where each ring's begin."""

    along_m: Floats
    ring: NDArray[np.int64]
    begin: NDArray[np.int64]

    def own(self, ring: int) -> slice:
        """Those of one ring."""
        return slice(int(self.begin[ring]), int(self.begin[ring + 1]))


def _sampled(rings: NDArray[np.object_], step_m: float) -> _Places:
    """Places at the middles of steps of that length at most, eight in a ring at least; none in a ring of no length."""
    length = shapely.length(rings)
    steps = np.ceil(length / np.maximum(step_m, length / _SAMPLES_MOST)).astype(np.int64)
    count = np.where(length > 0, np.maximum(steps, 8), 0)
    begin = np.r_[0, np.cumsum(count)]
    ring = np.repeat(np.arange(len(rings)), count)
    number = np.arange(begin[-1]) - begin[ring]
    return _Places((number + 0.5) * (length[ring] / count[ring]), ring, begin)


def _of_each(ring: Cells, rings: int) -> list[NDArray[np.int64]]:
    """Which points lie at each ring, in their order."""
    order = np.argsort(ring, kind="stable")
    return np.split(order, np.searchsorted(ring[order], np.arange(1, rings)))


def _kinds(
    runoff: Runoff, rings: NDArray[np.object_], places: _Places, reach_m: float, side: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The number in KINDS at each place, and the least and largest that it may be."""
    ground = runoff.ground
    xy = shapely.get_coordinates(shapely.line_interpolate_point(rings[places.ring], places.along_m))
    pixels = shapely.get_coordinates(ground.pixels(shapely.multipoints(xy)))
    fits = np.full((len(xy), 3), np.nan)
    # The noise that was taken out of the ground is doubt of its fall all the same.
    _fit(ground.z_m, ground.dx_m, ground.dy_m, pixels, reach_m, ground.noise_at(pixels), fits)
    # The fall as a direction in the frame: along columns and rows, whose courses turn with the grid.
    near = [shapely.get_coordinates(ground.placed(shapely.multipoints(pixels + step))) for step in np.eye(2)]
    axes = [(moved - xy) / np.linalg.norm(moved - xy, axis=1)[:, None] for moved in near]
    fall = -(fits[:, :1] * axes[0] + fits[:, 1:2] * axes[1])
    slope = np.hypot(fall[:, 0], fall[:, 1])
    outward = _outward(rings, places, ground.cell_m)
    angle = np.arctan2(
        fall[:, 0] * outward[:, 1] - fall[:, 1] * outward[:, 0], fall[:, 0] * outward[:, 0] + fall[:, 1] * outward[:, 1]
    )
    angle = np.abs(angle)
    doubt = np.arctan2(2 * fits[:, 2], slope)
    told = np.isfinite(slope) & (slope > 0) & (doubt < _TOO_DOUBTFUL)
    limits = np.array([np.arccos(side), np.pi - np.arccos(side)])
    kind = np.where(told, np.searchsorted(limits, np.nan_to_num(angle), side="right"), KINDS.index(UNKNOWN))
    low, high = (np.searchsorted(limits, np.nan_to_num(np.clip(angle + d, 0, np.pi))) for d in (-doubt, doubt))
    return kind, np.where(told, low, 0), np.where(told, high, 0)


def _outward(rings: NDArray[np.object_], places: _Places, cell_m: float) -> Floats:
    """Unit vectors out of the area on the left of rings; ragged drawing below a cell is passed over."""
    smooth = simplified(rings, min(max(cell_m / 2, 0.25), 2.0), preserve_topology=True)
    course = np.empty(len(places.along_m))
    for number, (line, drawn) in enumerate(zip(rings, smooth, strict=True)):
        own = places.own(number)
        if own.stop > own.start:
            course[own] = _courses(line, shapely.get_coordinates(drawn), places.along_m[own])
    normal: Floats = np.column_stack((np.sin(course), -np.cos(course)))
    return normal


def _courses(line: shapely.LineString, kept: Floats, places: Floats) -> Floats:
    """The course of a ring at some places, by those of its corners that are kept."""
    corners = shapely.get_coordinates(line)
    position = np.r_[0.0, np.cumsum(np.hypot(*np.diff(corners, axis=0).T))]
    where = {tuple(corner): at for corner, at in zip(corners[:-1].tolist(), position[:-1], strict=True)}
    at = np.array([where[tuple(corner)] for corner in kept[:-1].tolist()])
    chord = np.diff(kept, axis=0)
    first = int(at.argmin())
    at, chord = np.roll(at, -first), np.roll(chord, -first, axis=0)
    of = np.searchsorted(at, places, side="right") - 1
    course = np.arctan2(chord[:, 1], chord[:, 0])
    # Between the middles of two chords of one curve the course turns evenly; at a corner it jumps.
    middle = at + np.diff(np.r_[at, line.length]) / 2
    turn = (np.roll(course, -1) - course + np.pi) % (2 * np.pi) - np.pi
    turn[np.abs(turn) > _CORNER] = 0.0
    gap = np.roll(middle, -1) - middle
    gap[-1] += line.length
    past = places - middle[of]
    before = (of - 1) % at.size
    found: Floats = course[of] + np.where(past > 0, turn[of] / gap[of], turn[before] / gap[before]) * past
    return found


def _runs(kind: NDArray[np.int64]) -> list[tuple[int, int]]:
    """First and one past the last place of each run around a ring; a run over the end goes on past the count."""
    changes = (np.flatnonzero(kind[1:] != kind[:-1]) + 1).tolist()
    if kind[0] != kind[-1]:
        changes.insert(0, 0)
    if not changes:
        return [(0, kind.size)]
    return list(zip(changes, [*changes[1:], changes[0] + kind.size], strict=True))


def _without_short(kind: NDArray[np.int64], step_m: float, least_m: float) -> NDArray[np.int64]:
    """Let runs shorter than `least_m` take the kind of their longer neighbour, the shortest first."""
    kind = kind.copy()
    while True:
        runs = _runs(kind)
        if len(runs) < 2:  # noqa: PLR2004
            return kind
        size = [last - first for first, last in runs]
        shortest = int(np.argmin(size))
        if size[shortest] * step_m >= least_m:
            return kind
        before, after = shortest - 1, (shortest + 1) % len(runs)
        larger = before if size[before] >= size[after] else after
        which = np.arange(*runs[shortest]) % kind.size
        kind[which] = kind[runs[larger][0] % kind.size]


def _stretch(ring: shapely.LineString, first: float, last: float) -> shapely.LineString:
    """A part of a ring, from one share of its length to another; the last may lie past its end."""
    if (first, last) == (0, 1):
        return shapely.LineString(ring)
    if last <= 1:
        return substring(ring, first, last, normalized=True)
    parts = [substring(ring, first, 1, normalized=True), substring(ring, 0, last - 1, normalized=True)]
    xy = np.vstack([shapely.get_coordinates(part) for part in parts if part.length > 0])
    return shapely.LineString(xy[np.r_[True, (np.diff(xy, axis=0) != 0).any(axis=1)]])


@compiled
def _fit(z: Floats, dx: Floats, dy: Floats, pixels: Floats, reach_m: float, noise: Floats, fits: Floats) -> None:
    """Fit a plane around each place: its rise along columns and rows, and the standard error of its slope."""
    rows, cols = z.shape
    for i in range(pixels.shape[0]):
        x0, y0 = pixels[i, 0], pixels[i, 1]
        if not (0 <= x0 < cols and 0 <= y0 < rows):
            continue
        wide, high = dx[int(y0)], dy[int(y0)]
        n, of = 0, 0
        sx = sy = sz = sxx = syy = sxy = sxz = syz = szz = 0.0
        base = np.nan
        for row in range(int(np.floor(y0 - reach_m / high)), int(y0 + reach_m / high) + 1):
            for col in range(int(np.floor(x0 - reach_m / wide)), int(x0 + reach_m / wide) + 1):
                x, y = (col + 0.5 - x0) * wide, (row + 0.5 - y0) * high
                if x * x + y * y > reach_m * reach_m:
                    continue
                of += 1
                if not (0 <= row < rows and 0 <= col < cols) or np.isnan(z[row, col]):
                    continue
                if np.isnan(base):
                    base = z[row, col]
                h = z[row, col] - base
                n += 1
                sx += x
                sy += y
                sz += h
                sxx += x * x
                syy += y * y
                sxy += x * y
                sxz += x * h
                syz += y * h
                szz += h * h
        if n < _LEAST_CELLS or n < _FEWEST * of:
            continue
        sxx -= sx * sx / n
        syy -= sy * sy / n
        sxy -= sx * sy / n
        sxz -= sx * sz / n
        syz -= sy * sz / n
        szz -= sz * sz / n
        area = sxx * syy - sxy * sxy
        if area <= 1e-9 * sxx * syy:
            continue
        a, b = (sxz * syy - syz * sxy) / area, (syz * sxx - sxz * sxy) / area
        left = max(szz - a * sxz - b * syz, 0.0)
        fits[i, 0], fits[i, 1] = a, b
        fits[i, 2] = np.sqrt((left / (n - 3) + noise[i] ** 2) / min(sxx, syy))
