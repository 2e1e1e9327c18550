"""How far paths are from fall lines that are known on paper: the worst of each shape, size of cell and course.

    python -m tests.campaigns.fall_lines [--every DEGREES] [--shifts N] [--seeds N] [SHAPE...]

Every path runs for a quarter mile, or to its target. Its length is held against the part of the true line up to the
foot of its end, its end against the true line's end. Exit 1 where a limit is broken: length 1 % and end one cell on
clean ground, length 5 % with noise and on a level pad, and an error beyond `plus_minus_m` anywhere.

Into a valley from its side the length is told to half the diagonal of a cell where that is more: 1.8 % at 10 m. Where
the bottom runs between the middles of four cells, the elevations are the same for a narrow ditch anywhere between
them, so no method can tell on which side of the square's middle the way down the side ends; and that way is longer or
shorter by as much as the bottom lies off, half the diagonal at the most. `plus_minus_m` holds a whole cell for it.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from affine import Affine
from shapely import LineString, Point

from siteplan_gis.crs import georeference
from siteplan_gis.frame import Frame
from siteplan_gis.measures.runoff.flow import condition_around, trace
from siteplan_gis.model.terrain import ElevationGrid

if TYPE_CHECKING:
    from collections.abc import Callable

    from shapely.geometry.base import BaseGeometry

HOME = Frame(-87.9446, 43.3814)
QUARTER_MILE = 402.336
CELLS = (1.0, 3.0, 10.0)
NOISE_M = 0.1
HALF_DIAGONAL = 0.5**0.5


@dataclass(frozen=True)
class Fall:
    """A surface of metres in the frame, and its fall line from its start on, as long as it matters."""

    surface: Callable
    line: LineString
    targets: tuple[BaseGeometry, ...] = ()
    half_m: float = 480.0


@cache
def _grid(cell: float, half_m: float) -> tuple[np.ndarray, ElevationGrid]:
    """The places of the cells' middles in the frame, and a grid that lacks its elevations."""
    geo = georeference("EPSG:26916")
    count = round(2 * half_m / cell)
    x0, y0 = geo.xy(np.array([[HOME.longitude, HOME.latitude]]))[0]
    transform = Affine(cell, 0, x0 - cell * count / 2, 0, -cell, y0 + cell * count / 2)
    col, row = np.meshgrid(np.arange(count) + 0.5, np.arange(count) + 0.5)
    xy = np.column_stack((transform.a * col.ravel() + transform.c, transform.e * row.ravel() + transform.f))
    placed = HOME.from_lonlat(geo.lonlat(xy)).reshape(count, count, 2)
    dx = np.linalg.norm(np.diff(placed, axis=1), axis=2).mean(axis=1)
    down = np.linalg.norm(np.diff(placed, axis=0), axis=2).mean(axis=1)
    return placed, ElevationGrid(np.empty((0, 0)), transform, geo, HOME, dx, np.append(down, down[-1]))


def ground(surface: Callable, cell: float, half_m: float, noise_m: float = 0.0, seed: int = 0) -> ElevationGrid:
    """Elevations `surface(east, north)` at the middles of cells, with independent errors."""
    placed, bare = _grid(cell, half_m)
    z = np.asarray(surface(placed[..., 0], placed[..., 1]), dtype=float)
    if noise_m:
        z = z + np.random.default_rng(seed).normal(0, noise_m, z.shape)
    return ElevationGrid(z, bare.transform, bare.georeference, HOME, bare.row_dx_m, bare.row_dy_m)


def course(degrees: float) -> np.ndarray:
    return np.array([np.sin(np.radians(degrees)), np.cos(np.radians(degrees))])


def plane(cell: float, azimuth: float, shift: np.ndarray, slope: float = 0.05) -> Fall:
    fall, start = course(azimuth), -200 * course(azimuth) + shift
    return Fall(
        lambda x, y: 100 - slope * (x * fall[0] + y * fall[1]), LineString([start, start + 500 * fall]), half_m=290
    )


def down_a_cone(cell: float, azimuth: float, shift: np.ndarray) -> Fall:
    # The error of the first steps grows with the distance from the top.
    out = course(azimuth)
    return Fall(
        lambda x, y: 100 - 0.1 * np.hypot(x - shift[0], y - shift[1]),
        LineString([20 * cell * out + shift, (20 * cell + 500) * out + shift]), half_m=640,
    )  # fmt: skip


def into_a_cone(cell: float, azimuth: float, shift: np.ndarray) -> Fall:
    out = course(azimuth)
    return Fall(lambda x, y: 100 + 0.1 * np.hypot(x - shift[0], y - shift[1]), LineString([450 * out + shift, shift]))


def valley(side: float, bottom: float, aside_m: float) -> Callable:
    """A V-valley whose sides fall `side` across and whose thalweg falls `bottom`, from so far up its side."""

    def made(cell: float, azimuth: float, shift: np.ndarray) -> Fall:
        along, across = course(azimuth), course(azimuth + 90)
        on = shift - 200 * along + aside_m * bottom / side * along
        return Fall(
            lambda x, y: (
                100
                - bottom * (x * along[0] + y * along[1])
                + side * np.abs((x - shift[0]) * across[0] + (y - shift[1]) * across[1])
            ),
            LineString([shift - 200 * along + aside_m * across, on, on + 500 * along]),
        )

    return made


def trough(depth_m: float, wide_m: float, turned: float) -> Callable:
    """A slope of 4 % with a rounded, shallow valley that runs obliquely to the slope, from beside it."""

    def made(cell: float, azimuth: float, shift: np.ndarray) -> Fall:
        from scipy.integrate import solve_ivp

        down, along, across = course(azimuth), course(azimuth + turned), course(azimuth + turned + 90)

        def surface(x, y):
            away = (x - shift[0]) * across[0] + (y - shift[1]) * across[1]
            return 100 - 0.04 * (x * down[0] + y * down[1]) - depth_m * np.exp(-((away / wide_m) ** 2))

        def falls(_, place):
            away = (place - shift) @ across
            rise = -0.04 * down + depth_m * np.exp(-((away / wide_m) ** 2)) * 2 * away / wide_m**2 * across
            return -rise / np.hypot(*rise)

        start = shift - 200 * along - 25 * across * np.sign(turned)
        found = solve_ivp(falls, (0, 450), start, max_step=1, rtol=1e-8, atol=1e-8)
        return Fall(surface, LineString(found.y.T))

    return made


def pad(cell: float, azimuth: float, shift: np.ndarray) -> Fall:
    """A pad of one height, 120 m square, behind a bank with a gap of four cells; below it a slope of 5 %."""
    out, across = course(azimuth), course(azimuth + 90)

    def surface(x, y):
        along = (x - shift[0]) * out[0] + (y - shift[1]) * out[1]
        aside = (x - shift[0]) * across[0] + (y - shift[1]) * across[1]
        edge = np.maximum(np.abs(along), np.abs(aside)) - 60
        gap = (np.abs(aside - 20) <= 2 * cell) & (along > 0)
        return np.where((edge <= 0) | (gap & (edge <= 80)), 100 - 0.05 * np.maximum(along - 60, 0), 101 + 0.0 * x)

    start, gap = shift - 50 * out - 30 * across, shift + 60 * out + 20 * across
    end = gap + 40 * out
    target = LineString([end - 200 * across, end + 200 * across]).buffer(0.01)
    return Fall(surface, LineString([start, gap, end]), (target,), half_m=190)


CLEAN: dict[str, Callable] = {
    "plane 5 %": plane,
    "down a cone": down_a_cone,
    "into a cone": into_a_cone,
    "valley 5/2, in it": valley(0.05, 0.02, 0),
    "valley 5/2, 20 m up": valley(0.05, 0.02, 20),
    "valley 5/2, 60 m up": valley(0.05, 0.02, 60),
    "valley 2/2, 60 m up": valley(0.02, 0.02, 60),
    "valley 10/1, 60 m up": valley(0.10, 0.01, 60),
    "trough 0.5 m": trough(0.5, 20.0, 30.0),
    "trough 2 m": trough(2.0, 30.0, 30.0),
    "pad": pad,
}
NOISY: dict[str, Callable] = {
    "plane 5 % + noise": plane,
    "plane 3 % + noise": lambda cell, azimuth, shift: plane(cell, azimuth, shift, 0.03),
    "into a cone + noise": into_a_cone,
    "valley 5/2, in it + noise": valley(0.05, 0.02, 0),
    "valley 5/2, 60 m up + noise": valley(0.05, 0.02, 60),
    "valley 10/1, 60 m up + noise": valley(0.10, 0.01, 60),
    "trough 2 m + noise": trough(2.0, 30.0, 30.0),
}


def missed(fall: Fall, cell: float, noise_m: float, seed: int) -> tuple[float, float, float]:
    """Error of a path's length as a share of the truth, of its end in cells, and of its length in `plus_minus_m`."""
    start = Point(fall.line.coords[0])
    near = condition_around(ground(fall.surface, cell, fall.half_m, noise_m, seed), Point(0, 0))
    limit_m = min(QUARTER_MILE, fall.line.length - 5 * cell) if not fall.targets else 2 * fall.line.length
    traced = trace(near, start, fall.targets, limit_m)
    if traced.path is None or traced.ends_because != ("reached" if fall.targets else "farther_than_limit"):
        return np.inf, np.inf, np.inf
    end = Point(traced.path.coords[-1])
    true_m = fall.line.project(end) if not fall.targets else fall.line.length
    away = end.distance(fall.line.interpolate(traced.length_m if not fall.targets else true_m))
    error_m = traced.length_m - true_m
    return error_m / true_m, away / cell, abs(error_m) / traced.plus_minus_m


def campaign(shapes, noise_m, every, shifts, seeds, tell=print):
    """Tell a row for each shape and cell; return the broken limits."""
    broken = []
    for name, made in shapes.items():
        for cell in CELLS:
            began, rows = time.process_time(), []
            for azimuth in np.arange(0, 360, every):
                for place in range(shifts * seeds):
                    rng = np.random.default_rng([int(azimuth * 10), place])
                    shift = rng.uniform(-cell, cell, 2) if place else np.zeros(2)
                    rows.append((azimuth, *missed(made(cell, azimuth + 0.5, shift), cell, noise_m, place)))
            found = np.array(rows)
            worst = found[np.abs(found[:, 1]).argmax()]
            spent = (time.process_time() - began) / len(rows) * 1000
            ends, shares = found[:, 2], found[:, 3]
            tell(
                f"| {name} | {cell:g} | {len(rows)} | {100 * np.median(found[:, 1]):.2f} | {100 * worst[1]:.2f} | "
                f"{worst[0]:g} | {np.median(ends):.2f} | {ends.max():.2f} | {np.median(shares):.2f} | "
                f"{shares.max():.2f} | {spent:.0f} |", flush=True,
            )  # fmt: skip
            clean = max(0.01, HALF_DIAGONAL * cell / QUARTER_MILE) if "m up" in name else 0.01
            if (
                abs(worst[1]) > (0.05 if noise_m or name == "pad" else clean)
                or (not noise_m and name != "pad" and ends.max() > 1)
                or shares.max() > 1
            ):
                broken.append((name, cell))
    return broken


HEAD = """| shape | cell m | paths | length off, median % | worst % | at azimuth | end off, median cells | worst cells |\
 of plus_minus, median | worst | ms each |
|---|---|---|---|---|---|---|---|---|---|---|"""


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.fall_lines")
    parser.add_argument("shapes", nargs="*", help="part of a shape's name")
    parser.add_argument("--every", type=float, default=5.0)
    parser.add_argument("--shifts", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args(arguments)
    print(HEAD, flush=True)
    broken = []
    for shapes, noise_m, seeds in ((CLEAN, 0.0, 1), (NOISY, NOISE_M, asked.seeds)):
        chosen = {k: v for k, v in shapes.items() if not asked.shapes or any(part in k for part in asked.shapes)}
        broken += campaign(chosen, noise_m, asked.every, asked.shifts if not noise_m else 1, seeds)
    print("beyond a limit:", "; ".join(f"{name} at {cell:g} m" for name, cell in broken) or "none")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
