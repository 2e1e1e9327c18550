"""Extraterritorial areas of many municipalities: one holder a place, on the ellipsoid, whatever their order."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from geographiclib.geodesic import Geodesic
from shapely import Point, box

from siteplan_gis.frame import Frame
from siteplan_gis.measures.territory.division import Body, divide, main_part, reach_of, without_slivers

PLANE = Frame(-90.0, 44.0)
MILE = 1609.344
NEAR, FAR = 1.5 * MILE, 3 * MILE


def _body(key: str, shape: shapely.Geometry, reach: float = NEAR, withheld: shapely.Geometry | None = None) -> Body:
    return Body(key, shape, shape, reach, withheld=withheld if withheld is not None else shapely.Polygon())


def _held(*bodies: Body) -> dict[str, shapely.Geometry]:
    return {one.key: one.held for one in divide(bodies, PLANE).holdings}


def _disc(x: float, y: float, size: float = 800, corners: int = 11) -> shapely.Geometry:
    turns = np.linspace(0, 2 * math.pi, corners, endpoint=False)
    radius = size * (1 + 0.3 * np.cos(3 * turns + x))
    return shapely.Polygon(np.column_stack([x + radius * np.cos(turns), y + radius * np.sin(turns)]))


def test_a_square_alone_has_its_sides_and_quarter_circles() -> None:
    (held,) = _held(_body("a", box(-1600, -1600, 1600, 1600))).values()
    assert held.area == pytest.approx(4 * 3200 * NEAR + math.pi * NEAR**2, rel=5e-5)
    assert not held.intersects(Point(0, 0))


@pytest.mark.parametrize("where", [(0, 0), (260_000, -140_000), (-230_000, 330_000)], ids=["middle", "corner", "north"])
def test_the_reach_is_right_within_a_foot_of_the_ellipsoid_anywhere_in_the_state(where: tuple[float, float]) -> None:
    body = Point(*where).buffer(50, quad_segs=2)
    ring = reach_of(body, FAR, PLANE).exterior
    corners = PLANE.to_lonlat(shapely.get_coordinates(shapely.segmentize(body.exterior, 0.05)))
    for x, y in PLANE.to_lonlat(shapely.get_coordinates(ring)[::40]):
        rough = np.hypot((corners[:, 0] - x) * math.cos(math.radians(y)), corners[:, 1] - y)
        away = min(Geodesic.WGS84.Inverse(y, x, corners[k, 1], corners[k, 0])["s12"] for k in np.argsort(rough)[:40])
        assert away == pytest.approx(FAR, abs=0.15)


def test_two_are_divided_where_equally_far_and_each_keeps_to_its_own_reach() -> None:
    small, large = _body("small", box(0, 0, 500, 500), NEAR), _body("large", box(4500, -2000, 9000, 2500), FAR)
    held = _held(small, large)
    assert held["small"].contains(Point(2490, 250))
    assert held["large"].contains(Point(2510, 250))
    # Nearer to the small one, yet beyond its reach: the large one reaches it.
    beyond = Point(300, 500 + NEAR + 20)
    assert not held["small"].contains(beyond)
    assert held["large"].contains(Point(2600, 3100)) == (Point(2600, 3100).distance(large.whole) < FAR)
    assert held["large"].contains(Point(500 + NEAR + 20, 100))


def test_three_meet_in_a_point_and_leave_no_gap_and_no_common_ground() -> None:
    bodies = [_body("a", _disc(0, 0)), _body("b", _disc(3100, 300)), _body("c", _disc(1400, 2900), FAR)]
    divided = divide(bodies, PLANE)
    held = [one.held for one in divided.holdings]
    reached = shapely.union_all([one.reached for one in divided.holdings])
    assert sum(one.area for one in held) == pytest.approx(reached.area, abs=40)  # 0.01 acre
    for i in range(3):
        for j in range(i):
            assert held[i].intersection(held[j]).area < 1e-3
    assert {(one.first, one.second) for one in divided.overlaps} == {("a", "b"), ("a", "c"), ("b", "c")}


def test_points_on_the_lines_are_equally_far_by_geodesics() -> None:
    places = ((0.0, 0.0), (3000.0, 500.0), (1000.0, 3300.0))
    bodies = [_body(name, _disc(x + 180_000, y)) for name, (x, y) in zip("abc", places, strict=True)]
    shape = {body.key: shapely.segmentize(body.whole.exterior, 0.5) for body in bodies}
    rng = np.random.default_rng(3)
    for overlap in divide(bodies, PLANE).overlaps:
        for share in rng.random(8):
            at = overlap.line.interpolate(share, normalized=True)
            (lon, lat) = PLANE.to_lonlat(np.array(at.coords))[0]
            away = {}
            for name in "abc":
                ring = PLANE.to_lonlat(shapely.get_coordinates(shape[name]))
                rough = np.hypot((ring[:, 0] - lon) * math.cos(math.radians(lat)), ring[:, 1] - lat)
                away[name] = min(
                    Geodesic.WGS84.Inverse(lat, lon, ring[k, 1], ring[k, 0])["s12"] for k in np.argsort(rough)[:60]
                )
            assert away[overlap.first] == pytest.approx(away[overlap.second], abs=0.3048)
            assert away[overlap.first] <= min(away.values()) + 0.3048


def test_neither_order_nor_names_change_who_has_what() -> None:
    shapes = [_disc(0, 0), _disc(2500, 300), _disc(1400, 2600), box(800, 0, 2000, 900)]
    first = _held(*(_body(name, shape) for name, shape in zip("abcd", shapes, strict=True)))
    second = _held(*(_body(name, shape) for name, shape in zip("dxba", reversed(shapes), strict=True)))
    for one, other in zip("abcd", "abxd", strict=True):
        assert shapely.symmetric_difference(first[one], second[other]).area < 1e-3


def test_touching_bodies_share_the_ground_beyond_their_common_corner_by_halving_the_angle() -> None:
    held = _held(_body("west", box(-3000, -3000, 0, 0)), _body("east", box(0, -3000, 3000, 0)))
    assert held["west"].area == pytest.approx(held["east"].area, rel=1e-4)
    assert held["west"].contains(Point(-2, 900))
    assert held["east"].contains(Point(2, 900))
    # A corner whose boundaries run off at right angles: all ground beyond is nearest to the very corner.
    held = _held(
        _body("a", box(-3000, 0, 0, 3000)), _body("b", box(-3000, -3000, 0, 0)), _body("c", box(0, -3000, 3000, 0))
    )
    assert held["a"].contains(Point(900, 910))
    assert held["c"].contains(Point(910, 900))
    assert sum(one.area for one in held.values()) > 0


def test_interlocked_neighbours_leave_nothing_unheld() -> None:
    comb = shapely.union_all([box(0, 0, 300, 3000), *(box(300, 500 * k, 1500, 500 * k + 240) for k in range(6))])
    other = shapely.union_all(
        [box(1600, 0, 2000, 3000), *(box(420, 500 * k + 260, 1600, 500 * k + 480) for k in range(6))]
    )
    divided = divide([_body("comb", comb), _body("other", other)], PLANE)
    union = shapely.union_all([one.reached for one in divided.holdings])
    assert sum(one.held.area for one in divided.holdings) == pytest.approx(union.area, abs=40)
    rng = np.random.default_rng(5)
    west, south, east, north = union.bounds
    held = {one.key: one.held for one in divided.holdings}
    for x, y in zip(rng.uniform(west, east, 400), rng.uniform(south, north, 400), strict=True):
        near, far = Point(x, y).distance(comb), Point(x, y).distance(other)
        if abs(near - far) > 0.3 and min(near, far) > 0.3 and min(near, far) < NEAR - 0.3:
            assert held["comb" if near < far else "other"].contains(Point(x, y))


def test_no_incorporated_ground_and_no_waived_ground_is_held() -> None:
    neighbour = box(1500, 0, 2500, 1000)
    waived = box(-2000, -2000, 0, -1200)
    divided = divide([_body("a", box(0, 0, 1000, 1000), FAR, waived), _body("b", neighbour, 0.0)], PLANE)
    held = {one.key: one.held for one in divided.holdings}
    assert held["b"].is_empty
    assert held["a"].intersection(neighbour).area < 1e-6
    assert held["a"].intersection(waived).area < 1e-6


def test_one_more_municipality_costs_its_neighbourhood_only() -> None:
    many = [_body(f"m{i}{j}", _disc(9000.0 * i, 9000.0 * j)) for i in range(5) for j in range(5)]
    before = divide(many, PLANE)
    after = divide([*many, _body("new", _disc(4500, 4500))], PLANE, before.pieces)
    fresh = divide([*many, _body("new", _disc(4500, 4500))], PLANE)
    assert after.taken_over > after.made * 3
    assert after.made < 25
    for one, other in zip(after.holdings, fresh.holdings, strict=True):
        assert one.held.equals(other.held)


def test_parts_within_a_hair_are_one_main_part() -> None:
    near, far = box(0, 0, 100, 100), box(100.1, 0, 150, 100)
    whole = shapely.union_all([near, far, box(900, 0, 1010, 110)])
    main, detached = main_part(whole)
    assert main.area == pytest.approx(near.area + far.area)
    assert detached.area == pytest.approx(110 * 110)
    assert main_part(near)[0] is near


def test_slivers_are_left_out_and_narrow_strips_are_not() -> None:
    sliver, strip = box(0, 0, 0.29, 500), box(50, 0, 50.31, 500)
    assert without_slivers(shapely.union_all([sliver, strip])).area == pytest.approx(strip.area)
