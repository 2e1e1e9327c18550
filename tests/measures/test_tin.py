"""Triangles against planes by formula: slopes, areas, heights, contours."""

import numpy as np
import pytest
import shapely

from siteplan_gis.measures.surfaces.tin import clipped, heights_at, tin_contours, tin_slopes, triangle_slopes
from siteplan_gis.model.surface import Tin


def net(height, size=100.0, count=26, seed=7):
    """Triangles over a square, vertices scattered, heights by a function of x and y."""
    random = np.random.default_rng(seed)
    inner = random.uniform(1, size - 1, (count * count, 2))
    edge = np.linspace(0, size, count)
    rim = [(x, y) for x in edge for y in (0.0, size)] + [(x, y) for y in edge[1:-1] for x in (0.0, size)]
    xy = np.vstack((inner, rim))
    corners = shapely.get_coordinates(shapely.delaunay_triangles(shapely.multipoints(xy))).reshape(-1, 4, 2)[:, :3]
    place = {tuple(point): number for number, point in enumerate(xy.tolist())}
    triangles = np.array([[place[tuple(corner)] for corner in triangle] for triangle in corners.tolist()])
    return Tin(xy, height(*xy.T), triangles)


def plane(ratio, azimuth=0.6):
    return net(lambda x, y: 210 + ratio * (x * np.sin(azimuth) + y * np.cos(azimuth)))


AREA = shapely.Point(48, 52).buffer(31.7)


@pytest.mark.parametrize(
    ("ratio", "steep"), [(0.1999, False), (0.19995, True), (0.2, True), (0.21, True), (0.19, False), (0.0, False)]
)
def test_a_plane_is_steep_as_a_whole_or_not_at_all(ratio, steep):
    found = tin_slopes(plane(ratio), AREA, 0.20, 0.01)
    assert found.median_ratio == pytest.approx(ratio, abs=1e-9)
    assert found.covered_m2 == pytest.approx(AREA.area, rel=1e-12)
    assert found.steep_m2 == pytest.approx(AREA.area if steep else 0.0, rel=1e-12)
    near = 0.19 <= ratio < 0.21 + 1e-9
    assert (found.plus_minus_m2 > 0) is (near and ratio != 0.21)


def test_ground_outside_the_triangles_is_not_covered():
    found = tin_slopes(plane(0.25), shapely.box(50, 50, 150, 150), 0.20, 0.01)
    assert (found.area_m2, found.covered_m2) == (10_000, pytest.approx(2500))
    nothing = tin_slopes(plane(0.25), shapely.box(500, 500, 600, 600), 0.20, 0.01)
    assert (nothing.covered_m2, nothing.steep_m2, nothing.median_ratio) == (0, 0, None)


def test_pieces_share_out_the_area_exactly():
    area = AREA.difference(shapely.Point(40, 40).buffer(9))
    _, pieces = clipped(plane(0.1), area)
    assert shapely.area(pieces).sum() == pytest.approx(area.area, rel=1e-12)
    assert shapely.union_all(pieces).symmetric_difference(area).area < 1e-6


def test_an_area_of_thousands_of_holes_is_shared_out_exactly():
    """Each triangle is cut with what lies near it: with the whole, ten thousand holes took a minute."""
    x, y = (values.ravel() for values in np.meshgrid(np.arange(1.0, 99.0), np.arange(1.0, 99.0)))
    holes = shapely.get_exterior_ring(shapely.box(x, y, x + 0.5, y + 0.5))
    area = shapely.Polygon(shapely.box(0.5, 0.5, 99.5, 99.5).exterior, holes.tolist())
    _, pieces = clipped(plane(0.1), area)
    assert shapely.area(pieces).sum() == pytest.approx(99**2 - 98**2 / 4, rel=1e-12)
    assert shapely.area(shapely.intersection(pieces, shapely.box(1, 1, 1.5, 1.5))).sum() < 1e-9


def test_a_roof_is_half_steep():
    roof = Tin(np.array([[0, 0], [50, 0], [100, 0], [0, 100], [50, 100], [100, 100.0]]), np.array([0, 15, 20, 0, 15, 20.0]),
                np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]))  # fmt: skip
    found = tin_slopes(roof, shapely.box(20, 20, 90, 80), 0.20, 0.01)
    assert found.steep_m2 == pytest.approx(30 * 60)
    assert found.steep.symmetric_difference(shapely.box(20, 20, 50, 80)).area < 1e-9
    assert triangle_slopes(roof) == pytest.approx([0.3, 0.3, 0.1, 0.1])


def test_heights_between_vertices():
    tin = plane(0.15)
    points = np.random.default_rng(3).uniform(5, 95, (5000, 2))
    wanted = 210 + 0.15 * (points[:, 0] * np.sin(0.6) + points[:, 1] * np.cos(0.6))
    assert heights_at(tin, points) == pytest.approx(wanted, abs=1e-9)
    assert np.isnan(heights_at(tin, np.array([[-1.0, 50.0]]))).all()


def test_contours_of_a_plane_are_its_level_lines():
    tin = net(lambda x, y: 210 + 0.1 * x + 0 * y)
    levels, lines = tin_contours(tin, 2.0)
    assert levels == [210.0 + 2 * n for n in range(5)]
    for level, line in list(zip(levels, lines, strict=True))[1:]:
        x, y = shapely.get_coordinates(line).T
        assert x == pytest.approx((level - 210) / 0.1, abs=1e-4)
        assert (y.min(), y.max()) == pytest.approx((0, 100))
        assert line.geom_type == "LineString"
    with pytest.raises(ValueError, match="positive"):
        tin_contours(tin, 0.0)
