"""Invented ground: one valley with a stream, a ravine, a road on a fill, a pond and wetlands, in three variants.

Everything is written in the feet of a canonical frame (u runs down the main valley, v to its left, the site around the
origin) and then turned or mirrored onto a village. Elevations are a formula of the place, so that the drawn waters, the
contours and the elevation model tell one story.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from shapely import LineString, Point, Polygon

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from shapely.geometry.base import BaseGeometry

    Array = NDArray[np.float64]

SITE: Final = (-680.0, -790.0, 640.0, 530.0)
"""West, south, east and north side of the site: 1,320 ft square, a quarter of a quarter section, 40.000 acres."""

ROAD_V: Final = -823.0
"""Centreline of the county road: its right of way, 66 ft wide, ends on the south side of the site."""

MAP_HALF: Final = 9_500.0
"""Half the side of the square that the reference layers cover, over a mile and a half around the site."""

DITCH_END: Final = 1_150.0
"""How far the ditch beside the road is drawn, either way."""

DEM_HALF: Final = 2_500.0
"""Half the side of the square that the elevation model covers."""

CELL: Final = 5.0
LAKE_WEST: Final = 1500.0
LAKE_EAST: Final = 2380.0
GRADE: Final = 0.003


@dataclass(frozen=True)
class Village:
    """Where the valley lies, how it is turned, and what its waters are called."""

    id: str
    name: str
    county: str
    epsg: int
    longitude: float
    latitude: float
    seed: int
    stream: str
    lake: str
    road: str
    base_ft: float
    turn: tuple[tuple[int, int], tuple[int, int]]
    """(x, y) = turn . (u, v), a rotation or mirror image by whole right angles."""
    sag_u: float | None = None
    """Where the road has a low place of its own, with a third culvert."""


VILLAGES: Final = {
    village.id: village
    for village in (
        Village("saukville", "Saukville", "OZAUKEE", 7613, -87.9446, 43.3814, 4301, "Teasel Creek", "Lantern Pond",
                "County Road QX", 762.0, ((1, 0), (0, 1))),
        Village("fairwater", "Fairwater", "FOND DU LAC", 7594, -88.8689, 43.7410, 4302, "Quillfeather Creek",
                "Mirror Flowage", "County Road YE", 896.0, ((-1, 0), (0, 1)), -850.0),
        Village("east_troy", "East Troy", "WALWORTH", 7639, -88.4036, 42.7868, 4303, "Bittern Brook", "Dry Oar Lake",
                "County Road ZJ", 812.0, ((0, -1), (1, 0))),
    )
}  # fmt: skip


def smoothstep(t: Array) -> Array:
    t = np.clip(t, 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def lower_of(a: Array, b: Array, blend: float) -> Array:
    """The lower of two surfaces, with their edge rounded over a height of `blend`."""
    apart = np.minimum(np.abs(a - b), blend)
    h = (blend - apart) / blend
    return np.minimum(a, b) - h * h * blend * 0.25


def blob(u: float, v: float, half_u: float, half_v: float, seed: int, points: int = 40) -> Polygon:
    """A rounded, uneven outline."""
    rng = np.random.default_rng(seed)
    angle = np.linspace(0.0, 2.0 * np.pi, points, endpoint=False)
    radius = np.ones(points)
    for harmonic in (2, 3, 5):
        radius += 0.16 / harmonic * np.cos(harmonic * angle + rng.uniform(0.0, 2.0 * np.pi)) * 2.0
    ring = np.column_stack((u + half_u * radius * np.cos(angle), v + half_v * radius * np.sin(angle)))
    return Polygon(np.round(ring, 1))


@dataclass
class Ground:
    """The ground of one village."""

    village: Village
    waves: Array = field(init=False)
    phases: Array = field(init=False)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.village.seed)
        length = np.concatenate((rng.uniform(520.0, 1900.0, 26), rng.uniform(130.0, 400.0, 16)))
        course = rng.uniform(0.0, 2.0 * np.pi, length.size)
        height = np.where(length > 500.0, 0.00085, 0.0006) * length
        start = rng.uniform(0.0, 2.0 * np.pi, length.size)
        self.waves = np.column_stack((2 * np.pi * np.cos(course) / length, 2 * np.pi * np.sin(course) / length,
                                      start, height))  # fmt: skip
        self.phases = rng.uniform(0.0, 2.0 * np.pi, 6)
        shapely.prepare(self.lake)

    # The main valley

    def stream_v(self, u: Array) -> Array:
        """The main stream's place across the valley."""
        a, b, c = self.phases[:3]
        bend = 75.0 * np.sin(2 * np.pi * u / 2300.0 + a) + 34.0 * np.sin(2 * np.pi * u / 870.0 + b)
        return -1190.0 + bend + 240.0 * np.sin(2 * np.pi * u / 14_000.0 + c) * smoothstep((np.abs(u) - 2200) / 2500)

    def bed(self, u: Array) -> Array:
        """Elevation of the main stream's bed in feet."""
        return self.village.base_ft - GRADE * u

    @property
    def lake(self) -> Polygon:
        """The pond on the stream: its outlet is a low dam at the east end."""
        u = np.linspace(LAKE_WEST, LAKE_EAST, 45)
        t = (u - LAKE_WEST) / (LAKE_EAST - LAKE_WEST)
        half = 165.0 * np.sin(np.pi * t) ** 0.55 * (1.0 + 0.22 * np.sin(7.0 * t + self.phases[3]))
        v = self.stream_v(u)
        north, south = np.column_stack((u, v + half)), np.column_stack((u, v - 0.75 * half))
        return Polygon(np.round(np.vstack((north, south[::-1][1:-1])), 1))

    @property
    def lake_level(self) -> float:
        """Elevation of the pond in feet."""
        return float(self.bed(np.array(LAKE_WEST))) - 0.2

    def stream(self, from_u: float, to_u: float) -> LineString:
        """The main stream between two places along the valley."""
        u = np.arange(from_u, to_u + 1.0, 40.0)
        u[-1] = to_u
        return LineString(np.round(np.column_stack((u, self.stream_v(u))), 1))

    # The side valleys

    def _side_valley(self, top: tuple[float, float], foot_u: float, wiggle: float, phase: float) -> LineString:
        """From its head to the middle of the main stream."""
        foot = (foot_u, float(self.stream_v(np.array(foot_u))))
        t = np.linspace(0.0, 1.0, 60)
        off = wiggle * (np.sin(2 * np.pi * 1.6 * t + phase) + 0.38 * np.sin(2 * np.pi * 4.3 * t)) * np.sin(np.pi * t)
        u = top[0] + (foot[0] - top[0]) * t + off
        v = top[1] + (foot[1] - top[1]) * t
        return LineString(np.round(np.column_stack((u, v)), 1))

    @property
    def ravine(self) -> LineString:
        """The steep-sided valley through the site, from its head to the main stream."""
        return self._side_valley((372.0, 470.0), 452.0, 44.0, self.phases[4])

    @property
    def swale(self) -> LineString:
        """The shallow valley through the site that no map draws as a stream."""
        return self._side_valley((-190.0, 330.0), -330.0, 42.0, self.phases[5])

    def _upland(self, u: Array, v: Array) -> Array:
        across = v - self.stream_v(u)
        rise = np.sqrt(across**2 + 300.0**2) - 300.0
        hills = sum(w[3] * np.sin(w[0] * u + w[1] * v + w[2]) for w in self.waves)
        return self.bed(u) + 15.0 + 0.026 * rise + np.asarray(hills) * smoothstep((np.abs(across) - 150.0) / 500.0)

    def _in_side_valley(self, points: NDArray[np.object_], line: LineString, depth: float, power: float,
                        floor: float, side: float) -> Array:  # fmt: skip
        head, foot = np.array(line.coords[0]), np.array(line.coords[-1])
        top = float(self._upland(head[:1], head[1:])[0]) - depth
        bottom = float(self.bed(foot[:1])[0])
        surface = np.full(points.shape, np.inf)
        near = shapely.intersects(shapely.box(*line.buffer(700.0).bounds), points)
        along = shapely.line_locate_point(line, points[near], normalized=True)
        away = shapely.distance(line, points[near])
        surface[near] = bottom + (top - bottom) * (1.0 - along) ** power + side * np.maximum(away - floor, 0.0)
        return surface

    def natural(self, u: Array, v: Array) -> Array:
        """The ground in feet before any road or pond."""
        points = shapely.points(u, v)
        away = np.abs(v - self.stream_v(u))
        channel = self.bed(u) + 2.6 * smoothstep((away - 6.0) / 14.0)
        valley = channel + 0.008 * np.maximum(away - 20.0, 0.0) + 0.085 * np.maximum(away - 190.0, 0.0)
        z = lower_of(self._upland(u, v), valley, 6.0)
        z = lower_of(z, self._in_side_valley(points, self.ravine, 3.0, 1.75, 5.0, 0.40), 1.2)
        z = lower_of(z, self._in_side_valley(points, self.swale, 1.0, 0.92, 10.0, 0.055), 3.0)
        kettle_u, kettle_v = self.kettle_at
        floor = float(self._upland(np.array(kettle_u), np.array(kettle_v))) - 3.5
        around = np.hypot((u - kettle_u) / 1.15, v - kettle_v)
        return lower_of(z, floor + 0.07 * np.maximum(around - 70.0, 0.0), 1.5)

    kettle_at: Final = (-545.0, 385.0)

    # The road and the pond

    def road_v(self, u: Array) -> Array:
        """Place of the road's middle across the valley."""
        return ROAD_V + 420.0 * smoothstep((np.abs(u) - 1300.0) / 4200.0)

    @property
    def road(self) -> LineString:
        """The county road along the valley side."""
        u = np.arange(-MAP_HALF, MAP_HALF + 1.0, 100.0)
        return LineString(np.round(np.column_stack((u, self.road_v(u))), 1))

    def _road_grade(self, u: Array) -> Array:
        """Height of the road's middle: the ground smoothed along it, so that it cuts knolls and fills side valleys."""
        along = np.arange(-MAP_HALF, MAP_HALF + 1.0, 10.0)
        ground = np.pad(self.natural(along, self.road_v(along)), 60, mode="edge")
        kernel = np.exp(-0.5 * (np.arange(-60, 61) / 22.0) ** 2)
        return np.interp(u, along, np.convolve(ground, kernel / kernel.sum(), mode="valid") + 2.0)

    def _ditch(self) -> tuple[Array, Array, Array]:
        """The ditch on the upper side of the road, falling to a culvert: place, distance from the road, bottom."""
        u = np.arange(-DITCH_END, DITCH_END + 1.0, 10.0)
        middle = self._road_grade(u)
        fill = middle - self.natural(u, self.road_v(u) + 34.0)
        away = np.convolve(
            np.pad(np.clip(22.0 + 2.0 * fill, 26.0, 62.0), 2, mode="edge"), np.full(5, 0.2), mode="valid"
        )
        surface = np.clip(
            self.natural(u, self.road_v(u) + away), middle - 0.5 * (away - 17.0), middle + 0.3 * (away - 17.0)
        )
        pipes = np.sort([line.coords[0][0] for line in self.culverts().values()])
        distance = np.abs(u[:, None] - pipes).min(axis=1)
        low = surface - 1.5 * smoothstep(distance / 140.0) - 0.002 * distance
        # From the watersheds between the culverts, and from both ends, the bottom only falls on its way to a pipe.
        at = [int(np.abs(u - pipe).argmin()) for pipe in pipes]
        divides = [a + int(np.argmax(surface[a : b + 1])) for a, b in itertools.pairwise(at)]
        bottom = low.copy()
        for pipe, west, east in zip(at, [0, *divides], [*divides, len(u) - 1], strict=True):
            bottom[west : pipe + 1] = np.minimum.accumulate(low[west : pipe + 1])
            bottom[pipe : east + 1] = np.minimum.accumulate(low[pipe : east + 1][::-1])[::-1]
        inlet = surface[at][np.abs(u[:, None] - pipes).argmin(axis=1)]
        return u, away, np.maximum(bottom, inlet) + 0.002 * distance

    def elevation(self, u: Array, v: Array) -> Array:
        """The ground in feet above NAVD88, road and pond included, as a survey would find it."""
        z = self.natural(u, v)
        middle = self._road_grade(u)
        shoulder = np.maximum(np.abs(v - self.road_v(u)) - 17.0, 0.0)
        z = np.clip(z, middle - 0.5 * shoulder, middle + 0.3 * shoulder)
        place, away, bottom = self._ditch()
        beside = np.abs(v - self.road_v(u) - np.interp(u, place, away))
        side = np.maximum(beside - 2.5, 0.0) / 3.0
        z = np.where(np.abs(u) < DITCH_END, np.minimum(z, np.interp(u, place, bottom) + side), z)
        near = shapely.intersects(shapely.box(*self.lake.buffer(120.0).bounds), shapely.points(u, v))
        shore = np.full(u.shape, np.inf)
        shore[near] = shapely.distance(self.lake, shapely.points(u[near], v[near]))
        level = self.lake_level
        in_stream = np.abs(v - self.stream_v(u)) < 16.0
        bank = np.where(in_stream | (shore > 120.0), -np.inf, level + 0.4 + 0.03 * np.minimum(shore, 40.0))
        return np.where(shore == 0.0, level, np.maximum(z, bank))

    def culverts(self) -> dict[str, LineString]:
        """Pipes under the road where the two side valleys meet it, and at its sag."""
        lines = {"ravine": (self.ravine, 58.0), "swale": (self.swale, 38.0)}
        if self.village.sag_u is not None:
            lines["sag"] = (LineString([(self.village.sag_u, 0.0), (self.village.sag_u, -1150.0)]), 38.0)
        pipes = {
            name: line.intersection(self.road.buffer(half, cap_style="flat")) for name, (line, half) in lines.items()
        }
        return {name: LineString([line.coords[0], line.coords[-1]]) for name, line in pipes.items()}

    # Onto the village

    def placed(self, geometry: BaseGeometry, origin: tuple[float, float]) -> BaseGeometry:
        """A canonical geometry in the coordinates of the village's CRS, in feet."""
        turn, start = np.array(self.village.turn, dtype=float), np.array(origin)
        placed = shapely.transform(geometry, lambda uv: np.round(uv @ turn.T + start, 2))
        return shapely.orient_polygons(placed) if "Polygon" in placed.geom_type else placed

    def canonical(self, x: Array, y: Array) -> tuple[Array, Array]:
        """(u, v) of feet east and north of the origin."""
        turn = np.array(self.village.turn, dtype=float)
        return turn[0, 0] * x + turn[1, 0] * y, turn[0, 1] * x + turn[1, 1] * y


def relief(ground: Ground, half: float = DEM_HALF, cell: float = CELL,
           change: Callable[[Array, Array, Array], Array] | None = None) -> Array:  # fmt: skip
    """Elevations in feet, north up, of the cells of the square of half side `half` around the origin."""
    count = round(2 * half / cell)
    axis = (np.arange(count) + 0.5) * cell - half
    x, y = np.meshgrid(axis, -axis)
    u, v = ground.canonical(x, y)
    z = ground.elevation(u, v)
    return z if change is None else change(u, v, z)


def square(half: float) -> Polygon:
    return shapely.box(-half, -half, half, half)


def point(u: float, v: float) -> Point:
    return Point(u, v)
