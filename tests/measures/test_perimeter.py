"""Down-slope, side-slope and up-slope parts of boundaries, against arithmetic on planes, cones and valleys."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
import shapely.affinity
from shapely import Point, box

from siteplan_gis.measures.runoff.drainage_field import receivers
from siteplan_gis.measures.runoff.ground import condition_around
from siteplan_gis.measures.runoff.perimeter import classify_boundary, lengths
from siteplan_gis.measures.runoff.routing import route

HERE = Point(0, 0)


def runoff_of(grid, barrier=0.5):
    return route(receivers(condition_around(grid, HERE, 300), barrier))


def plane(azimuth, percent=5.0):
    down = np.radians(azimuth)
    return lambda x, y: 100 - percent / 100 * (x * np.sin(down) + y * np.cos(down))


def expected(azimuth, side_deg=30.0):
    """Lengths of a square of 100 m by the angle between the fall line and each side's outward course."""
    sums = {"down": 0.0, "side": 0.0, "up": 0.0}
    for outward in (0, 90, 180, 270):
        between = abs((azimuth - outward + 180) % 360 - 180)
        kind = "down" if between < 90 - side_deg else "up" if between > 90 + side_deg else "side"
        sums[kind] += 100.0
    return sums


@pytest.mark.parametrize("cell", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("azimuth", [0, 15, 25, 45, 70, 100, 190, 222, 299])
def test_sides_of_a_square_on_a_plane(ground, azimuth, cell):
    runoff = runoff_of(ground(plane(azimuth), half_m=150, cell=(cell, cell)))
    pieces = classify_boundary(runoff, box(-50, -50, 50, 50))
    found = lengths(pieces)
    for kind, length in expected(azimuth).items():
        assert found[kind][0] == pytest.approx(length, abs=max(found[kind][1], 1e-6) + 1)
    assert found["unknown"][0] == 0
    assert sum(piece.length_m for piece in pieces) == pytest.approx(400)
    assert all(max(piece.doubtful_m) <= max(cell, 3.0) for piece in pieces)


@pytest.mark.parametrize(("azimuth", "kinds"), [(29.5, 4), (30.5, 2)])
def test_the_angle_of_a_side(ground, azimuth, kinds):
    """A side within 30 degrees of the fall line lies beside the slope."""
    runoff = runoff_of(ground(plane(azimuth), half_m=150))
    pieces = classify_boundary(runoff, box(-50, -50, 50, 50))
    assert sum(piece.length_m for piece in pieces if piece.kind == "side") == pytest.approx(200 * (kinds == 4), abs=4)


def test_a_turned_grid_tells_the_same(ground):
    runoff = runoff_of(ground(plane(20), half_m=150, turned=37))
    found = lengths(classify_boundary(runoff, box(-50, -50, 50, 50)))
    for kind, length in expected(20).items():
        assert found[kind][0] == pytest.approx(length, abs=4)


def test_a_circle_on_a_plane_has_thirds(ground):
    """Down and up a sixth of a turn to either side, a sixth of a turn beside on each hand."""
    runoff = runoff_of(ground(plane(77), half_m=150))
    found = lengths(classify_boundary(runoff, HERE.buffer(100, quad_segs=90)))
    for kind in ("down", "side", "up"):
        assert found[kind][0] == pytest.approx(2 * np.pi * 100 / 3, rel=0.03)


@pytest.mark.parametrize(("sign", "kind"), [(-1, "down"), (1, "up")])
def test_a_circle_around_a_cone(ground, sign, kind):
    runoff = runoff_of(ground(lambda x, y: 100 + sign * 0.1 * np.hypot(x, y), half_m=150), barrier=np.inf)
    pieces = classify_boundary(runoff, HERE.buffer(100, quad_segs=90))
    assert [piece.kind for piece in pieces] == [kind]
    water = pieces[0].leaves_m2 if kind == "down" else pieces[0].enters_m2
    exact = np.pi * 100**2 if kind == "down" else 300**2 - np.pi * 100**2
    assert water == pytest.approx(exact, rel=0.06)


def test_a_square_across_a_valley(ground):
    """Sides of 5 % fall inward with 2 % northward: up to the west and east, beside to the south and north."""

    def valley(x, y):
        return 100 + 0.05 * np.abs(x) - 0.02 * y

    runoff = runoff_of(ground(valley, half_m=150))
    pieces = classify_boundary(runoff, box(-50, -50, 50, 50))
    found = lengths(pieces)
    assert found["up"][0] == pytest.approx(200, abs=4)
    leaving = max(pieces, key=lambda piece: piece.leaves_m2)
    assert leaving.line.distance(Point(0, 50)) < 1
    assert leaving.kind == "down"
    assert leaving.leaves_m2 > 9000


def test_noise_does_not_shred_a_boundary(ground):
    """0.1 m of noise in every cell of a 5 % plane."""
    noise = np.random.default_rng(4).normal(0, 0.1, (300, 300))
    runoff = runoff_of(ground(lambda x, y: plane(20)(x, y) + noise, half_m=150))
    pieces = classify_boundary(runoff, box(-50, -50, 50, 50))
    found = lengths(pieces)
    assert len(pieces) <= 6
    for kind, length in expected(20).items():
        assert abs(found[kind][0] - length) <= found[kind][1] + 1


def test_a_ragged_boundary_is_not_shredded(ground):
    corners = np.linspace(-50, 50, 201)
    ragged = np.column_stack((corners, -50 + 0.2 * (np.arange(201) % 2)))
    area = shapely.Polygon([*ragged.tolist(), (50, 50), (-50, 50)])
    pieces = classify_boundary(runoff_of(ground(plane(0), half_m=150)), area)
    assert [piece.kind for piece in pieces if piece.kind == "up"] == ["up"]
    assert len(pieces) == 4


def test_level_ground_is_not_told(ground):
    noise = np.random.default_rng(4).normal(0, 0.1, (300, 300))
    flat = runoff_of(ground(lambda x, _: 100 + 0 * x, half_m=150))
    assert {piece.kind for piece in classify_boundary(flat, box(-50, -50, 50, 50))} == {"unknown"}
    rough = runoff_of(ground(lambda x, _: 100 + 0 * x + noise, half_m=150))
    assert lengths(classify_boundary(rough, box(-50, -50, 50, 50)))["unknown"][0] > 150


def test_a_boundary_beyond_the_data_is_not_told(ground):
    runoff = runoff_of(ground(plane(0), half_m=150))
    found = lengths(classify_boundary(runoff, box(100, -50, 200, 50)))
    assert found["unknown"][0] == pytest.approx(200, abs=12)


def test_a_hole_has_its_own_boundary(ground):
    """Outward of the area is into the hole: its upper edge is down slope."""
    runoff = runoff_of(ground(plane(0), half_m=150))
    pieces = classify_boundary(runoff, box(-50, -50, 50, 50) - box(-20, -20, 20, 20))
    found = lengths(pieces)
    assert found["down"][0] == pytest.approx(140, abs=4)
    assert found["up"][0] == pytest.approx(140, abs=4)
    south = [piece for piece in pieces if piece.line.distance(Point(0, -20)) < 0.1]
    assert [piece.kind for piece in south] == ["down"]


def test_water_that_crosses_each_piece(ground):
    """A crest 20 m above the square: 2,000 m2 come in, all of the square leaves."""

    def z(_, y):
        return 100 - 0.05 * np.abs(y + 70)

    runoff = runoff_of(ground(z, half_m=150))
    pieces = {piece.kind: piece for piece in classify_boundary(runoff, box(-50, -50, 50, 50)) if piece.kind != "side"}
    assert pieces["up"].enters_m2 == pytest.approx(2000, rel=0.06)
    assert pieces["down"].leaves_m2 == pytest.approx(10_000, rel=0.06)
