"""Distances to many features at once, beside GEOS."""

import numpy as np
import pytest
import shapely

from siteplan_gis.measures.shapes.flat_shapes import take_apart
from siteplan_gis.measures.shapes.neighbours import find_neighbours, near_pairs

MILE = 1609.344


def blobs(rng, count, size, corners):
    found = []
    for x, y in rng.uniform(0, 4000, (count, 2)):
        angle = np.sort(rng.uniform(0, 2 * np.pi, corners))
        away = rng.uniform(0.3, 1, corners) * size * rng.exponential()
        found.append(shapely.convex_hull(shapely.MultiPoint(np.c_[x + away * np.cos(angle), y + away * np.sin(angle)])))
    return found


@pytest.fixture(scope="module")
def ground():
    rng = np.random.default_rng(7)
    features = blobs(rng, 240, 80, 20)
    for k in range(0, 240, 4):
        features[k] = shapely.LineString(rng.uniform(0, 4000, 2) + np.cumsum(rng.normal(0, 30, (30, 2)), 0))
    for k in range(1, 240, 9):
        features[k] = shapely.Point(rng.uniform(0, 4000, 2))
    for k in range(2, 240, 11):
        features[k] = shapely.union(shapely.box(x := rng.uniform(0, 4000), 9, x + 9, 30), shapely.box(9000, 0, 9009, 9))
    # A ring of wetland around dry ground: what lies in the hole is not in it.
    features[3] = shapely.difference(shapely.box(500, 500, 900, 900), shapely.box(550, 550, 850, 850))
    parcels = [*blobs(rng, 60, 40, 6), shapely.box(600, 600, 620, 620), shapely.box(-1e4, -1e4, -9e3, -9e3)]
    return np.array(parcels), np.array(features)


def test_counts_and_nearest_are_those_of_geos(ground):
    parcels, features = ground
    away = shapely.distance(parcels[:, None], features[None])
    found = find_neighbours(take_apart(parcels), take_apart(features), MILE)
    assert found.count.tolist() == (away <= MILE).sum(axis=1).tolist()
    assert found.nearest.tolist() == away.argmin(axis=1).tolist()
    assert found.nearest_m == pytest.approx(away.min(axis=1), abs=1e-9)


def test_pairs_are_those_of_geos(ground):
    parcels, features = ground
    away = shapely.distance(parcels[:, None], features[None])
    parcel, feature, metres = near_pairs(take_apart(parcels), take_apart(features), 100.0)
    assert set(zip(parcel.tolist(), feature.tolist(), strict=True)) == set(
        zip(*map(list, np.nonzero(away <= 100.0)), strict=True)
    )
    assert metres == pytest.approx(away[parcel, feature], abs=1e-9)


def test_exactly_at_the_distance_counts_and_a_hair_beyond_does_not():
    home = take_apart([shapely.box(0, 0, 10, 10)])
    ponds = take_apart([shapely.Point(10 + MILE + step, 5) for step in (-1e-3, 0.0, 1e-3)])
    assert find_neighbours(home, ponds, MILE).count.tolist() == [2]


def test_of_equally_near_ones_the_first_is_told():
    home = take_apart([shapely.box(0, 0, 10, 10)])
    assert find_neighbours(home, take_apart([shapely.Point(-5, 5), shapely.Point(15, 5)]), 1.0).nearest.tolist() == [0]


def test_of_many_equally_near_ones_in_any_order_the_first_is_told():
    home = take_apart([shapely.box(0, 0, 10, 10)])
    turns = np.random.default_rng(3).permutation(500) * np.pi / 500 + np.pi / 2
    round_about = shapely.linestrings(
        [[(5 + 300 * np.cos(a), 5 + 300 * np.sin(a)), (-295, 5), (-5, 5)] for a in turns.tolist()]
    )
    farther = np.full(70, shapely.Point(40, 5))
    found = find_neighbours(home, take_apart(np.concatenate([farther, round_about])), 5.0)
    assert (found.nearest.tolist(), found.nearest_m.tolist(), found.count.tolist()) == ([70], [5.0], [500])
    parcel, feature, _ = near_pairs(home, take_apart(np.concatenate([farther, round_about])), 5.0)
    assert (parcel.tolist(), feature.tolist()) == ([0] * 500, list(range(70, 570)))


def test_geometries_of_every_kind_taken_apart():
    holed = shapely.box(0, 0, 9, 9) - shapely.box(1, 1, 2, 2) - shapely.box(4, 4, 5, 5)
    line, place = shapely.LineString([(0, 0), (3, 4)]), shapely.Point(7, 7)
    several = shapely.MultiPolygon([shapely.box(20, 0, 21, 1), holed])
    nested = shapely.GeometryCollection([shapely.MultiLineString([line, line]), shapely.LineString()])
    shapes = take_apart([holed, shapely.Polygon(), line, None, several, shapely.MultiPoint([place, place]), nested])
    assert shapes.first_line.tolist() == [0, 3, 3, 4, 4, 8, 10, 12]
    assert np.diff(shapes.lines).tolist() == [5, 5, 5, 2, 5, 5, 5, 5, 1, 1, 2, 2]
    assert shapes.outer.tolist() == [True, False, False, True, True, True, False, False, True, True, True, True]
    assert shapes.areal.tolist() == [True, True, False, False, True, False, False]
    assert len(shapes.xy) == shapes.lines[-1]
    assert shapes.xy[shapes.lines[2] :][:5].tolist() == shapely.get_coordinates(holed.interiors[1]).tolist()
    assert np.isnan(shapes.boxes).any(axis=1).tolist() == [False, True, False, True, False, False, False]


def test_the_nearest_may_lie_farther_than_a_nearer_box():
    # The box of the bent line holds the home; the line itself runs far around it.
    home = take_apart([shapely.box(490, 490, 510, 510)])
    bent = shapely.LineString([(0, 0), (0, 1000), (1000, 1000)])
    found = find_neighbours(home, take_apart([bent, shapely.Point(700, 500)]), 1.0)
    assert (found.nearest.tolist(), found.nearest_m.tolist()) == ([1], [190.0])


def test_empty_geometries_are_near_nothing():
    home = take_apart([shapely.box(0, 0, 10, 10), shapely.Polygon()])
    found = find_neighbours(home, take_apart([shapely.Polygon(), shapely.Point(5, 5)]), 1.0)
    assert (found.count.tolist(), found.nearest.tolist()) == ([1, 0], [1, -1])
    assert find_neighbours(home, take_apart([]), 1.0).nearest.tolist() == [-1, -1]


def test_areas_alone_are_measured_as_among_others(ground):
    parcels, features = ground
    areas = features[shapely.get_dimensions(features) == 2]
    areas = np.array([*areas, shapely.MultiPolygon(), shapely.Polygon(), shapely.force_3d(areas[0], 7.0)], dtype=object)
    for some in (areas, areas[shapely.get_type_id(areas) == shapely.GeometryType.POLYGON]):
        away = np.nan_to_num(shapely.distance(parcels[:, None], some[None]), nan=np.inf)
        found = find_neighbours(take_apart(parcels), take_apart(some), MILE)
        assert found.count.tolist() == (away <= MILE).sum(axis=1).tolist()
        assert found.nearest.tolist() == away.argmin(axis=1).tolist()
        assert found.nearest_m == pytest.approx(away.min(axis=1), abs=1e-9)
