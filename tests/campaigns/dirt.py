"""Ways in which the geometry of a plan is dirty in practice; each changes a plan in place.

A way is of one kind. After "same" dirt every figure stays what it was. After "lossy" dirt something that was drawn
cannot be known any more. After "other" dirt it is another plan that draws and says something else.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely
from shapely import LineString, MultiPolygon, Point, Polygon
from shapely.affinity import translate

from siteplan_gis.crs import georeference
from tests.campaigns.drawn import Layer, many_wkb, rings_of, wkb

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from shapely.geometry.base import BaseGeometry

    from tests.campaigns.drawn import Given

    Way = Callable[[Given, random.Random], None]

WAYS: Final[dict[str, Way]] = {}
KINDS: Final[dict[str, str]] = {}
_MATTERING: Final = ("limits_of_disturbance", "site", "construction_site", "grid", "wetlands", "basin")


def way(kind: str) -> Callable[[Way], Way]:
    def listed(function: Way) -> Way:
        WAYS[function.__name__] = function
        KINDS[function.__name__] = kind
        return function

    return listed


def layer_of(given: Given, chance: random.Random) -> Layer | None:
    """A layer that still draws something, as often one that matters much as any other."""
    drawn = [name for name, layer in given.layers.items() if any(_plain(shape) for shape in layer.shapes)]
    chosen = [name for name in _MATTERING if name in drawn] if chance.random() < 0.6 else drawn
    return given.layers[chance.choice(chosen or drawn)] if drawn else None


def _plain(shape: Any) -> bool:
    return shape is not None and not isinstance(shape, bytes) and not shape.is_empty


def _one(kind: str, *, polygon: bool = False) -> Callable[[Callable[[Any, random.Random], Any]], Way]:
    """A way that changes one feature of a layer."""

    def made(function: Callable[[Any, random.Random], Any]) -> Way:
        def change(given: Given, chance: random.Random) -> None:
            layer = layer_of(given, chance)
            numbers = [] if layer is None else [
                number for number, shape in enumerate(layer.shapes)
                if _plain(shape) and (not polygon or shape.geom_type in {"Polygon", "MultiPolygon"})
            ]  # fmt: skip
            if layer is not None and numbers:
                number = chance.choice(numbers)
                layer.shapes[number] = function(layer.shapes[number], chance)

        change.__name__ = function.__name__
        change.__doc__ = function.__doc__
        return way(kind)(change)

    return made


def _all(kind: str) -> Callable[[Callable[[Any, random.Random], Any]], Way]:
    """A way that changes all features of a layer."""

    def made(function: Callable[[Any, random.Random], Any]) -> Way:
        def change(given: Given, chance: random.Random) -> None:
            layer = layer_of(given, chance)
            if layer is not None:
                layer.shapes = [function(shape, chance) if _plain(shape) else shape for shape in layer.shapes]

        change.__name__ = function.__name__
        return way(kind)(change)

    return made


def _with_number(shape: BaseGeometry, chance: random.Random, number: float) -> Any:
    if shape.geom_type == "Point":
        return b"\x01\x01\x00\x00\x00" + np.array([number, shape.y]).tobytes()
    rings = rings_of(shape)
    ring = chance.choice(rings)
    at = chance.randrange(len(ring))
    spot = [*ring[at]]
    spot[chance.randrange(2)] = number
    ring[at] = tuple(spot)
    return wkb(3 if "Polygon" in shape.geom_type else 2, rings)


@_one("lossy")
def nan_coordinate(shape, chance):
    return _with_number(shape, chance, math.nan)


@_one("lossy")
def infinite_coordinate(shape, chance):
    return _with_number(shape, chance, chance.choice((math.inf, -math.inf)))


@_one("lossy")
def huge_coordinate(shape, chance):
    return _with_number(shape, chance, chance.choice((1e300, -1e18, 1e12)))


@_one("lossy")
def zero_coordinate(shape, chance):
    return _with_number(shape, chance, 0.0)


@_one("lossy")
def empty_geometry(shape, chance):
    return chance.choice((None, shapely.from_wkt(f"{shape.geom_type.upper()} EMPTY"), shapely.GeometryCollection()))


@_one("lossy", polygon=True)
def bow_tie(shape, chance):
    rings = rings_of(shape)
    ring = rings[0]
    if len(ring) > 4:
        at = chance.randrange(1, len(ring) - 2)
        ring[at], ring[at + 1] = ring[at + 1], ring[at]
    return wkb(3, rings)


@_one("lossy", polygon=True)
def one_way_crossing_of_its_own_edge(shape, chance):
    (west, south, east, north), rings = shape.bounds, rings_of(shape)
    middle = ((west + east) / 2, (south + north) / 2)
    beyond = (east + (east - west) * 0.2, north + (north - south) * 0.1)
    rings[0][1:1] = [beyond, middle]
    return wkb(3, rings)


@_one("same", polygon=True)
def self_touching_ring(shape, chance):
    """A ring that comes back to a vertex of its own along a line without area."""
    rings = rings_of(shape)
    at = chance.randrange(1, len(rings[0]))
    (x, y), middle = rings[0][at], shape.representative_point()
    rings[0][at:at] = [(x, y), ((x + middle.x) / 2, (y + middle.y) / 2)]
    rest = [] if shape.geom_type == "Polygon" else [*shape.geoms][1:]
    return many_wkb(6, [wkb(3, rings), *(shapely.to_wkb(one) for one in rest)])


@_all("same")
def repeated_vertices(shape, chance):
    def twice(coordinates):
        return np.repeat(coordinates, 3, axis=0)

    if shape.geom_type == "LineString":
        return LineString(twice(shapely.get_coordinates(shape)))
    if shape.geom_type == "Polygon":
        return Polygon(twice(shape.exterior.coords), [twice(ring.coords) for ring in shape.interiors])
    return shape


@_one("same", polygon=True)
def spike(shape, chance):
    """A line out and back along the same way: no ground."""
    rings = rings_of(shape)
    at = chance.randrange(1, len(rings[0]))
    x, y = rings[0][at]
    rings[0][at:at] = [(x, y), (x + chance.uniform(-900, 900), y + chance.uniform(-900, 900))]
    rest = [] if shape.geom_type == "Polygon" else [*shape.geoms][1:]
    return many_wkb(6, [wkb(3, rings), *(shapely.to_wkb(one) for one in rest)])


@_one("lossy", polygon=True)
def collapsed_ring(shape, chance):
    x, y = rings_of(shape)[0][0]
    flat = [[(x, y)] * 4, [(x, y), (x + 50, y), (x, y), (x, y)], [(x, y)], [(x, y), (x + 9, y)], []]
    return wkb(3, [chance.choice(flat)])


@_one("same", polygon=True)
def collapsed_part(shape, chance):
    x, y = rings_of(shape)[0][0]
    whole = [shape] if shape.geom_type == "Polygon" else shape.geoms
    flat = wkb(3, [[(x, y), (x + 30, y + 30), (x, y), (x, y)]])
    return many_wkb(6, [*(shapely.to_wkb(one) for one in whole), flat])


@_one("lossy", polygon=True)
def ring_not_closed(shape, chance):
    rings = rings_of(shape)
    del rings[0][-1]
    return wkb(3, rings)


@_all("same")
def rings_turned(shape, chance):
    return shapely.reverse(shape)


@_one("lossy", polygon=True)
def hole_outside_its_shell(shape, chance):
    west, south, east, north = shape.bounds
    away = translate(shapely.box(west, south, (west + east) / 2, (south + north) / 2), 3 * (east - west), 0)
    rings = rings_of(shape)
    return wkb(3, [*rings, [*map(tuple, shapely.get_coordinates(away))]])


@_one("lossy", polygon=True)
def hole_larger_than_its_shell(shape, chance):
    west, south, east, north = shape.bounds
    around = shapely.box(west - 20, south - 20, east + 20, north + 20)
    return wkb(3, [*rings_of(shape), [*map(tuple, shapely.get_coordinates(around))]])


@_one("lossy", polygon=True)
def hole_of_its_own_shell(shape, chance):
    rings = rings_of(shape)
    return wkb(3, [*rings, rings[0]])


@_one("same")
def heights(shape, chance):
    return shapely.force_3d(shape, chance.choice((0.0, 850.0, -9999.0, 1e30)))


@_one("same")
def measures(shape, chance):
    """M values, alone or beside Z."""
    if shape.geom_type not in {"Polygon", "LineString"}:
        return shape
    code, more = chance.choice(((2000, (7.0,)), (3000, (850.0, math.nan))))
    rings = [[(*spot, *more) for spot in ring] for ring in rings_of(shape)]
    return wkb(code + (3 if shape.geom_type == "Polygon" else 2), rings)


@_one("lossy")
def mixed_kinds(shape, chance):
    spot = shape.representative_point()
    line = LineString([(spot.x - 10, spot.y), (spot.x + 10, spot.y + 4)])
    parts = [shape, spot, line] if chance.random() < 0.5 else [spot, line]
    return shapely.GeometryCollection(parts) if chance.random() < 0.5 else chance.choice([spot, line])


@_one("other", polygon=True)
def curves(shape, chance):
    """A circle of five points, or a compound curve with an arc of three."""
    west, south, east, north = shape.bounds
    x, y, half = (west + east) / 2, (south + north) / 2, min(east - west, north - south) / 2
    circle = [(x - half, y), (x, y + half), (x + half, y), (x, y - half), (x - half, y)]
    arc = many_wkb(9, [wkb(8, [circle[:3]]), wkb(2, [[*circle[2:]]])])
    return many_wkb(10, [wkb(8, [circle]) if chance.random() < 0.5 else arc])


@_one("lossy", polygon=True)
def curves_of_too_few_points(shape, chance):
    x, y = rings_of(shape)[0][0]
    return many_wkb(10, [wkb(8, [[(x, y), (x + 9, y)][: chance.randint(0, 2)]])])


@_one("other", polygon=True)
def triangles(shape, chance):
    """A TIN or a polyhedral surface in place of a polygon."""
    west, south, east, north = shape.bounds
    corners = [(west, south, 1.0), (east, south, 2.0), (east, north, 3.0), (west, south, 1.0)]
    code, part = chance.choice(((1016, 1017), (1015, 1003)))
    return many_wkb(code, [wkb(part, [corners])] * chance.randint(1, 3))


@way("same")
def duplicates(given, chance):
    layer = layer_of(given, chance)
    if layer is not None:
        numbers = [*range(len(layer.shapes))]
        doubled = layer.copied(numbers + numbers[: chance.randint(1, len(numbers))])
        layer.shapes, layer.fields = doubled.shapes, doubled.fields


@way("same")
def parts_split(given, chance):
    """Polygons cut in two along a straight line, each part a feature."""
    _split(given, chance, 0.0)


@way("same")
def sliver_gaps(given, chance):
    """Polygons cut in two with a hundredth of a foot between them."""
    _split(given, chance, 0.01)


def _split(given, chance, gap):
    layer = layer_of(given, chance)
    if layer is None:
        return
    numbers, shapes = [], []
    for number, shape in enumerate(layer.shapes):
        numbers.append(number)
        shapes.append(shape)
        if _plain(shape) and shape.geom_type == "Polygon" and shape.is_valid:
            west, south, east, north = shape.bounds
            middle = west + (east - west) * chance.uniform(0.3, 0.7)
            small = gap if east - west > 1 else gap / 3e5
            left = shape.intersection(shapely.box(west - 1, south - 1, middle, north + 1))
            right = shape.intersection(shapely.box(middle + small, south - 1, east + 1, north + 1))
            if left.geom_type == right.geom_type == "Polygon" and not left.is_empty and not right.is_empty:
                shapes[-1:] = [left, right]
                numbers.append(number)
    layer.fields = layer.copied(numbers).fields
    layer.shapes = shapes


@way("same")
def joined_into_one(given, chance):
    """All polygons of a layer as one feature of many parts."""
    layer = layer_of(given, chance)
    if layer is None:
        return
    parts = [
        part
        for shape in layer.shapes
        if _plain(shape)
        for part in shapely.get_parts(shape)
        if part.geom_type == "Polygon"
    ]
    if len(parts) == len(layer.shapes) and len(set(map(str, zip(*layer.fields.values(), strict=True)))) == 1:
        layer.fields = layer.copied([0]).fields
        layer.shapes = [MultiPolygon(parts)]


@_one("lossy", polygon=True)
def open_limits(shape, chance):
    """The limit as a line that stops before it comes back."""
    ring = rings_of(shape)[0]
    return LineString(ring[:-1]) if len(ring) > 3 else shape


@_one("lossy", polygon=True)
def gap_in_the_limits(shape, chance):
    ring = shapely.LinearRing(rings_of(shape)[0])
    gap = ring.length * chance.choice((0.0001, 0.01, 0.1))
    return shapely.ops.substring(LineString(ring.coords), 0, ring.length - gap)


@_one("lossy", polygon=True)
def limits_in_pieces(shape, chance):
    """Every edge of the limit a line of its own, in any order."""
    ring = rings_of(shape)[0]
    edges = [LineString(edge) for edge in pairwise(ring) if edge[0] != edge[1]]
    chance.shuffle(edges)
    return shapely.MultiLineString(edges)


@_one("other")
def far_outlier(shape, chance):
    away = chance.choice((1e4, 1e5, 1e6, 1e7))
    return translate(shape, away, chance.uniform(-away, away))


@_one("other", polygon=True)
def tiny(shape, chance):
    spot = shape.representative_point()
    return Point(spot).buffer(chance.choice((1e-9, 1e-4, 0.3)))


@_all("same")
def shaken(shape, chance):
    return shapely.transform(shape, lambda xy: xy * (1 + chance.uniform(-1, 1) * 2e-15))


@_one("same")
def very_many_vertices(shape, chance):
    return shapely.segmentize(shape, shape.length / 20_000) if shape.length else shape


@way("same")
def in_another_crs(given, chance):
    layer = layer_of(given, chance)
    if layer is None or layer.crs is None or not all(map(_plain, layer.shapes)):
        return
    here, there = georeference(layer.crs), georeference(chance.choice(("EPSG:3071", "EPSG:26916", "EPSG:2289")))
    layer.shapes = [shapely.transform(shape, lambda xy: there.xy(here.lonlat(xy))) for shape in layer.shapes]
    layer.crs = there.crs.to_wkt("WKT1_GDAL")


@_all("lossy")
def axes_swapped(shape, chance):
    return shapely.transform(shape, lambda xy: xy[:, ::-1])
