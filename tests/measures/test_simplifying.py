"""Lines and outlines simplified as shapely does, and where shapely would end the process."""

import numpy as np
import pytest
import shapely

from siteplan_gis.measures.shapes.simplifying import simplified


def wavy(count, off_m):
    """A line to and fro of so many points, none of which can be spared to within `off_m`."""
    x = np.arange(count) * 0.1
    return shapely.LineString(np.column_stack((x, np.where(np.arange(count) % 2, off_m, -off_m))))


def array(*geometries):
    return np.array([*geometries, None], dtype=object)[:-1]


@pytest.mark.parametrize("count", [999, 1000, 1001, 1999, 2000, 200_000])
def test_a_line_to_and_fro(count):
    line = wavy(count, 0.05)
    (kept,) = simplified(array(line), 0.01)
    assert kept.equals_exact(line, 0)
    (straight,) = simplified(array(line), 0.2)
    assert shapely.get_num_coordinates(straight) == 2
    assert shapely.hausdorff_distance(straight, shapely.LineString([line.coords[0], line.coords[-1]])) < 0.2


@pytest.mark.parametrize("preserve", [False, True])
def test_short_ones_are_as_shapely_has_them(preserve):
    ring = shapely.Point(0, 0).buffer(100, quad_segs=200)
    given = array(ring, wavy(300, 0.2), shapely.Point(1, 1), shapely.Polygon())
    theirs = shapely.simplify(given, 0.1, preserve_topology=preserve)
    assert shapely.equals_exact(simplified(given, 0.1, preserve_topology=preserve), theirs, 0).all()


def test_outlines_keep_their_ground():
    ring = shapely.Point(0, 0).buffer(100, quad_segs=3000)
    holed = ring.difference(shapely.Point(0, 0).buffer(50, quad_segs=2000))
    few = holed.difference(shapely.Point(75, 0).buffer(0.01))
    many = shapely.MultiPolygon([few, shapely.box(300, 0, 310, 10), shapely.box(320, 0, 320.01, 0.01)])
    mixed = shapely.GeometryCollection([holed, wavy(6000, 0.2), shapely.Point(1, 1)])
    one, two, three = simplified(array(holed, many, mixed), 0.05)
    assert one.is_valid
    assert len(one.interiors) == 1
    assert one.area == pytest.approx(holed.area, rel=1e-3)
    assert shapely.get_num_coordinates(one) < 500
    # What is smaller than the tolerance is nothing, a hole too.
    assert [len(part.interiors) for part in two.geoms] == [1, 0]
    assert two.area == pytest.approx(holed.area + 100, rel=1e-3)
    assert [part.geom_type for part in three.geoms] == ["Polygon", "LineString", "Point"]
