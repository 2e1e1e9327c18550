"""Surfaces of contour lines against the planes, cones, valleys and spurs that the lines were drawn from."""

import numpy as np
import pytest
import shapely

from siteplan_gis.measures.surfaces.contour_tin import _thinned, surface_of_contours
from siteplan_gis.measures.surfaces.tin import clipped, heights_at, tin_slopes, triangle_slopes

TWO_FEET = 0.6096


def shares(found, area, true, points):
    """Share of an area whose slope is within so many percentage points of the true slope."""
    places, pieces = clipped(found.tin, area)
    sizes = shapely.area(pieces)
    near = np.abs(triangle_slopes(found.tin)[places] - true) <= points / 100
    return sizes[near].sum() / area.area


def turned(geometry, degrees):
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return shapely.transform(geometry, lambda xy: xy @ turn.T)


def plane(ratio, degrees=0.0, wide=100.0, rows=20):
    gap = TWO_FEET / ratio
    lines = [turned(shapely.LineString([(0, k * gap), (wide, k * gap)]), degrees) for k in range(rows)]
    area = turned(shapely.box(1, gap, wide - 1, (rows - 2) * gap), degrees)
    return lines, [k * TWO_FEET for k in range(rows)], area


def bent(side, along, ridge=False):
    """Contours of z = side |x| + along y: a valley that rises northward, or upside down a spur."""
    lines, levels = [], []
    for k in range(int((60 * side + 200 * along) / TWO_FEET) + 1):
        line = shapely.LineString([(x, (k * TWO_FEET - side * abs(x)) / along) for x in (-60.0, 0.0, 60.0)])
        for part in shapely.get_parts(line.intersection(shapely.box(-60, 0, 60, 200))):
            if part.length > 0:
                lines.append(part)
                levels.append(-k * TWO_FEET if ridge else k * TWO_FEET)
    return lines, levels, shapely.box(-45, 25, 45, 160)


@pytest.mark.parametrize("degrees", [0, 33, 90])
@pytest.mark.parametrize("ratio", [0.02, 0.15, 0.5])
def test_a_plane_is_exact(ratio, degrees):
    lines, levels, area = plane(ratio, degrees)
    found = surface_of_contours(lines, levels)
    assert shares(found, area, ratio, 0.01) == pytest.approx(1.0)


@pytest.mark.parametrize("ratio", [0.08, 0.2, 0.4])
def test_a_cone_is_exact_outside_its_highest_ring(ratio):
    radii = [k * TWO_FEET / ratio for k in range(1, int(80 * ratio / TWO_FEET))]
    lines = [shapely.Point(0, 0).buffer(radius, quad_segs=64).exterior for radius in radii]
    found = surface_of_contours(lines, [-k * TWO_FEET for k in range(1, len(radii) + 1)])
    ring = lines[-1].envelope.intersection(shapely.Polygon(lines[-1])).difference(shapely.Polygon(lines[0]))
    assert shares(found, ring, ratio, 0.2) > 0.999
    assert found.untold.area == pytest.approx(shapely.Polygon(lines[0]).area, rel=1e-3)


@pytest.mark.parametrize("ridge", [False, True])
@pytest.mark.parametrize(("side", "along"), [(0.20, 0.05), (0.25, 0.02), (0.15, 0.10), (0.30, 0.30)])
def test_valleys_and_spurs_have_no_terraces(side, along, ridge):
    lines, levels, area = bent(side, along, ridge=ridge)
    found = surface_of_contours(lines, levels)
    true = np.hypot(side, along)
    assert found.flat_m2 >= found.untold.area
    assert shares(found, area, true, 1) > 0.99
    assert shares(found, area, true, 5) > 0.995
    axis = np.column_stack((np.zeros(60), np.linspace(35, 150, 60)))
    heights = heights_at(found.tin, axis)
    assert heights == pytest.approx((-1 if ridge else 1) * along * axis[:, 1], abs=0.1 * TWO_FEET)


def test_steep_valley_sides_are_found_where_a_plain_triangulation_shows_flats():
    lines, levels, area = bent(0.205, 0.02)
    found = surface_of_contours(lines, levels)
    steep = tin_slopes(found.tin, area, 0.20, 0.02)
    assert found.flat_m2 > 0.03 * area.area
    assert steep.steep_m2 == pytest.approx(area.area, rel=0.01)


def test_lines_broken_at_labels_and_wide_spacing_change_little():
    lines, levels, area = plane(0.10)
    broken = [line.difference(shapely.box(40, -1, 52, 500)) for line in lines]
    found = surface_of_contours(broken, levels)
    assert shares(found, area, 0.10, 0.1) > 0.99


def test_a_bay_of_the_outer_edge_is_not_spanned():
    left, levels, _ = plane(0.10, wide=100, rows=30)
    right = [shapely.transform(line, lambda xy: xy + np.array([400.0, 0.0])) for line in left]
    found = surface_of_contours([*left, *right], [*levels, *levels])
    assert not len(clipped(found.tin, shapely.box(150, 20, 350, 100))[0])


def test_one_level_is_no_surface_and_a_flat_pad_is_untold():
    ring = shapely.Point(0, 0).buffer(30).exterior
    assert surface_of_contours([ring], [5.0]) is None
    assert surface_of_contours([], []) is None
    found = surface_of_contours([ring, shapely.Point(0, 0).buffer(33).exterior], [5.0, 5.0 - TWO_FEET])
    assert found.untold.area == pytest.approx(shapely.Polygon(ring).area, rel=1e-3)
    with pytest.raises(ValueError, match="one length"):
        surface_of_contours([ring], [1.0, 2.0])


def test_crossing_and_repeated_lines_do_no_harm():
    lines, levels, area = plane(0.10)
    found = surface_of_contours(
        [*lines, lines[3], shapely.LineString([(0, 0), (100, 60)])], [*levels, levels[3], levels[3]]
    )
    assert found is not None
    assert np.isfinite(triangle_slopes(found.tin)).all()
    assert tin_slopes(found.tin, area, 0.2, 0.02).covered_m2 <= area.area * (1 + 1e-9)


@pytest.mark.parametrize("dense", [0.01, 0.2])
def test_how_densely_lines_are_digitized_says_nothing(dense):
    lines = [shapely.LineString([(0, 10 * i), (40, 10 * i + 8), (80, 10 * i)]) for i in range(6)]
    levels = [float(i) for i in range(6)]
    plain = surface_of_contours(lines, levels)
    close = surface_of_contours([*shapely.segmentize(lines, dense)], levels)
    assert len(close.tin.triangles) == len(plain.tin.triangles)
    np.testing.assert_allclose(np.sort(close.tin.z_m), np.sort(plain.tin.z_m))


def wavy(count, off_m, step_m=0.1):
    """A line to and fro of so many points."""
    x = np.arange(count) * step_m
    return shapely.LineString(np.column_stack((x, np.where(np.arange(count) % 2, off_m, -off_m))))


@pytest.mark.parametrize(("count", "kept"), [(79_999, 79_999), (80_000, 80_000), (80_001, 2)])
def test_more_points_than_a_surface_is_made_of_are_thinned(count, kept):
    thinned = _thinned(np.array([wavy(count, 0.05)], dtype=object))
    assert shapely.get_num_coordinates(thinned).sum() == kept


def test_what_is_needed_to_within_the_spacing_is_never_thinned():
    thinned = _thinned(np.array([wavy(90_000, 4.0, 5.0)], dtype=object))
    assert shapely.get_num_coordinates(thinned).sum() == 90_000
