from __future__ import annotations

import numpy as np
import pytest
import shapely
from geographiclib.geodesic import Geodesic
from hypothesis import given
from hypothesis import strategies as st
from shapely import LineString, MultiPolygon, Point, Polygon, box

from siteplan_gis.crs import Georeference, georeference
from siteplan_gis.frame import FARTHEST_M, Frame, frame_around, project_many
from siteplan_gis.units import MILE_M

EARTH = Geodesic(6378137, 1 / 298.257222101)
VILLAGES = {"Saukville": (43.3814, -87.9446), "East Troy": (42.7868, -88.4036), "Fairwater": (43.7410, -88.8689)}
CODES = (2289, 6609, 7613, 3071, 26916, 5070, 3857, 4326, 4269)


def _geodesic_area(lonlat: np.ndarray) -> float:
    ring = EARTH.Polygon()
    for longitude, latitude in lonlat[:-1]:
        ring.AddPoint(latitude, longitude)
    return abs(ring.Compute()[2])


def _place(epsg: int, village: str) -> tuple[Georeference, np.ndarray, float]:
    """CRS, the village in it, and how many of its units make a metre."""
    latitude, longitude = VILLAGES[village]
    source = georeference(f"EPSG:{epsg}")
    return source, source.xy(np.array([[longitude, latitude]]))[0], 1 / (source.metres_per_unit or 111_320)


@pytest.mark.parametrize("village", VILLAGES)
@pytest.mark.parametrize("epsg", CODES)
@pytest.mark.parametrize("size_m", [60.0, MILE_M, 5 * MILE_M])
def test_areas_and_distances_are_those_of_the_ellipsoid(epsg: int, village: str, size_m: float) -> None:
    source, corner, unit = _place(epsg, village)
    shape = np.array([[0, 0], [1, 0], [1.1, 0.7], [0, 1]]) * size_m * unit
    plan = Polygon(corner + shape)
    # The course of an edge is that of its own CRS: the oracle divides it there, much finer than the frame does.
    fine = source.lonlat(shapely.get_coordinates(shapely.segmentize(plan, size_m / 100 * unit)))
    frame = frame_around(source.lonlat(shapely.get_coordinates(plan)))
    assert frame.project(plan, source).area == pytest.approx(_geodesic_area(fine), rel=1e-6)

    ends = source.lonlat(np.array([corner, corner + np.array([0.8, 0.6]) * size_m * unit]))
    (west, south), (east, north) = ends
    ground_m = EARTH.Inverse(south, west, north, east)["s12"]
    start, end = frame.from_lonlat(ends)
    assert float(np.hypot(*(end - start))) == pytest.approx(ground_m, rel=1e-6)


@given(st.sampled_from(sorted(VILLAGES)), st.floats(0, 360), st.floats(1, 5 * MILE_M))
def test_any_direction_from_the_site_is_true(village: str, azimuth: float, distance_m: float) -> None:
    latitude, longitude = VILLAGES[village]
    there = EARTH.Direct(latitude, longitude, azimuth, distance_m)
    x, y = Frame(longitude, latitude).from_lonlat(np.array([[there["lon2"], there["lat2"]]]))[0]
    assert np.hypot(x, y) == pytest.approx(distance_m, rel=1e-6)


def test_the_farthest_distance_errs_by_no_more_than_a_part_in_a_hundred_thousand() -> None:
    there = EARTH.Direct(43.38, -87.94, 40, FARTHEST_M)
    x, y = Frame(-87.94, 43.38).from_lonlat(np.array([[there["lon2"], there["lat2"]]]))[0]
    assert np.hypot(x, y) == pytest.approx(FARTHEST_M, rel=1e-5)


def test_the_same_ground_in_every_crs_is_the_same_in_the_frame() -> None:
    latitude, longitude = VILLAGES["Fairwater"]
    frame = Frame(longitude, latitude)
    square = shapely.segmentize(box(-300, -200, 300, 200), 1.0)
    for epsg in CODES:
        source = georeference(f"EPSG:{epsg}")
        back = frame.project(frame.unproject(square, source), source)
        assert back.area == pytest.approx(square.area, rel=1e-6)
        assert back.hausdorff_distance(square) < 0.001


def test_a_long_edge_keeps_the_course_of_its_own_crs() -> None:
    """A parallel drawn by two points in degrees bends away from the straight line of the frame."""
    source = georeference("EPSG:4326")
    line = LineString([(-88.2, 43.4), (-87.8, 43.4)])
    placed = Frame(-88.0, 43.4).project(line, source)
    middle = placed.interpolate(0.5, normalized=True)
    chord = LineString([placed.coords[0], placed.coords[-1]])
    assert middle.distance(chord) == pytest.approx(19.4, abs=0.5)
    assert Point(0, 0).distance(middle) < 0.01


def test_every_kind_of_geometry_is_flattened_and_kept() -> None:
    source = georeference("EPSG:26916")
    frame = Frame(-87.0, 43.4)
    shapes = np.array(
        [Point(5e5, 4.805e6, 250), LineString([(5e5, 4.805e6, 1), (5.001e5, 4.805e6, 2)]), MultiPolygon([box(5e5, 4.805e6, 500010, 4805010), box(500020, 4.805e6, 500030, 4805010)]),
         Polygon(), None],
        dtype=object,
    )  # fmt: skip
    placed = project_many(shapes, source, frame)
    assert [None if shape is None else shape.geom_type for shape in placed] == [
        "Point",
        "LineString",
        "MultiPolygon",
        "Polygon",
        None,
    ]
    assert not shapely.has_z(placed[:2]).any()
    assert placed[3].is_empty


@pytest.mark.parametrize("size", [1e11, 1e300])
def test_numbers_from_nowhere_are_not_divided_without_end(size: float) -> None:
    source = georeference("EPSG:7613")
    placed = Frame(-87.9446, 43.3814).project(box(0, 0, size, size), source)
    assert shapely.get_num_coordinates(placed) == 5


def test_longitudes_across_the_date_line_lie_together() -> None:
    source = georeference("EPSG:4326")
    island = np.array(
        [Polygon([(179.99, 52), (-179.99, 52), (-179.99, 52.01), (179.99, 52.01)]), box(180.0, 52, 180.01, 52.01)]
    )
    frame = frame_around(shapely.get_coordinates(island[:1]))
    assert frame.longitude == pytest.approx(180)
    turned = shapely.transform(island[:1], lambda xy: np.where(xy < -100, xy + 360, xy))
    placed = project_many(turned, source, frame)[0]
    assert placed.area == pytest.approx(_geodesic_area(shapely.get_coordinates(turned[0])), rel=1e-4)


def test_the_frame_does_not_depend_on_the_crs() -> None:
    corner = np.array([[-87.9446, 43.3814], [-87.9421, 43.3832]])
    frames = {
        frame_around(georeference(f"EPSG:{epsg}").lonlat(georeference(f"EPSG:{epsg}").xy(corner))) for epsg in CODES
    }
    assert len(frames) == 1


def test_latitude_first_files_land_in_the_same_place() -> None:
    frame = Frame(-87.9446, 43.3814)
    placed = frame.project(Point(43.3814, -87.9446), georeference("EPSG:4326", "yx"))
    assert (placed.x, placed.y) == pytest.approx((0, 0), abs=1e-6)
