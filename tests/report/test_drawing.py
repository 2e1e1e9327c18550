from __future__ import annotations

import numpy as np
import shapely
import synthetic
from hypothesis import given
from hypothesis import strategies as st

from siteplan_gis.frame import Frame
from siteplan_gis.report.drawing import SIMPLIFIED_M, coded, display_geometries


def encoded(geometry: shapely.Geometry, frame: Frame) -> list:
    (shapes,) = coded(np.array([geometry], dtype=object), frame)
    return shapes


def decoded(shape: list, frame: Frame) -> list[np.ndarray]:
    """What the page's script makes of a coded shape."""
    return [
        np.cumsum(np.reshape(ring, (-1, 2)), axis=0) / 1e6 + (frame.longitude, frame.latitude) for ring in shape[1:]
    ]


CENTIMETRES = st.integers(-200_000, 200_000).map(lambda centimetres: centimetres / 100)


@given(st.lists(st.tuples(CENTIMETRES, CENTIMETRES), min_size=2, max_size=30, unique=True))
def test_coding_loses_less_than_a_tenth_of_a_metre(points: list[tuple[float, float]]) -> None:
    frame = synthetic.FRAME
    line = shapely.LineString(points)
    (shape,) = encoded(line, frame)
    assert shape[0] == 1
    (ring,) = decoded(shape, frame)
    back = shapely.LineString(frame.from_lonlat(ring)) if len(ring) > 1 else shapely.Point(frame.from_lonlat(ring)[0])
    assert shapely.hausdorff_distance(line, back) < 0.1


def test_holes_parts_and_collections_are_kept() -> None:
    frame = synthetic.FRAME
    holed = shapely.box(0, 0, 100, 100).difference(shapely.box(40, 40, 60, 60))
    mixed = shapely.GeometryCollection(
        [
            shapely.MultiPolygon([holed, shapely.box(200, 0, 300, 100)]),
            shapely.Point(5, 5),
            shapely.LineString([(0, 0), (9, 9)]),
        ]
    )
    shapes = encoded(mixed, frame)
    assert [shape[0] for shape in shapes] == [2, 2, 0, 1]
    assert [len(shape) - 1 for shape in shapes] == [2, 1, 1, 1]
    assert encoded(shapely.GeometryCollection(), frame) == []


def test_display_is_within_a_metre_and_loses_nothing_small() -> None:
    circle = shapely.Point(0, 0).buffer(300, quad_segs=500)
    speck = shapely.box(10, 10, 10.4, 10.4)
    shown = display_geometries([circle, speck])
    assert shapely.hausdorff_distance(circle, shown[0]) <= SIMPLIFIED_M
    assert len(shown[0].exterior.coords) < 200
    assert not shown[1].is_empty


def test_display_is_clipped_to_the_window() -> None:
    window = (-100.0, -100.0, 100.0, 100.0)
    long, outside, bow = display_geometries(
        [shapely.LineString([(-900, 0), (900, 0)]), shapely.box(500, 500, 600, 600), shapely.Point(3, 3)], window
    )
    assert long.length == 200
    assert outside.is_empty
    assert bow.equals(shapely.Point(3, 3))


def test_the_180th_meridian_is_no_jump() -> None:
    frame = Frame(180.0, 52.0)
    (shape,) = encoded(shapely.box(-500, -500, 500, 500), frame)
    assert np.abs(np.reshape(shape[1], (-1, 2))).max() < 20_000
