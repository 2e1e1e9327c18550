"""Paths that meet the rim of the window: the window is read wider, up to a stated size, or the data really end."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import rasterio
from shapely import Point, box

from siteplan_gis.frame import Frame
from siteplan_gis.ingest.elevation.terrain import DemFile, read_terrain
from siteplan_gis.measures.runoff.flow import condition_around, trace
from siteplan_gis.measures.runoff.ground import with_rim
from siteplan_gis.measures.runoff.widening import Widening
from siteplan_gis.measures.terrain.lattice import first_cell

EVERYWHERE = partial(condition_around, centre=box(-3000, -3000, 3000, 3000))


def slope(_, y):
    return 100 + 0.05 * y


def window_of(grid, half_m, **settings):
    return Widening(condition_around(grid, Point(0, 0), half_m), EVERYWHERE, **settings)


def test_a_path_that_leaves_the_window_is_followed_on_the_wider_ground(ground, home):
    grid = ground(slope)
    traced = window_of(grid, 60).follow(home, (), 250, 0.5)
    assert trace(condition_around(grid, home, 60), home, (), 250).at_window
    assert (traced.ends_because, traced.at_window, traced.edge) == ("farther_than_limit", False, None)
    assert traced.path.equals_exact(trace(condition_around(grid, home), home, (), 250).path, 1e-6)


def test_the_window_grows_no_more_than_it_must(ground, home):
    window = window_of(ground(slope), 60)
    window.follow(home, (), 50, 0.5)
    assert window.ground.z_m.shape == (122, 122)
    window.follow(home, (), 100, 0.5)
    assert window.ground.z_m.shape == (244, 244)


def test_where_the_data_end_it_says_so(ground, home):
    traced = window_of(ground(slope, half_m=120), 60).follow(home, (), 402, 0.5)
    assert (traced.ends_because, traced.at_window) == ("leaves_elevation_data", False)
    assert traced.explanation.endswith("the elevation data end there.")
    assert traced.length_m == pytest.approx(119, abs=2)


def test_a_hole_in_the_data_is_no_rim_of_the_window(ground, home):
    window = window_of(ground(lambda x, y: np.where(y < -40, np.nan, slope(x, y))), 60)
    traced = window.follow(home, (), 402, 0.5)
    assert (traced.ends_because, traced.at_window) == ("leaves_elevation_data", False)
    assert window.ground.z_m.shape == (122, 122)


@pytest.mark.parametrize(("most", "ends"), [(240 * 240, "leaves_elevation_data"), (256 * 256, "farther_than_limit")])
def test_no_more_is_read_than_the_most_cells(ground, home, most, ends):
    window = window_of(ground(slope), 60, most_cells=most)
    traced = window.follow(home, (), 125, 0.5)
    assert window.ground.z_m.size <= most
    assert traced.ends_because == ends
    assert traced.at_window == (ends == "leaves_elevation_data")
    assert ("the elevation data go on" in traced.explanation) == traced.at_window


def far_spill(x, y):
    """A pond 0.4 m deep from x = -20 to 200, closed but for a notch at its far end; the ground beyond is lower."""
    basin = (np.abs(y) < 12) & (x > -20) & (x < 200)
    return np.where(
        basin, 99.6 + 0.0005 * np.abs(x), np.where((np.abs(y) < 5) & (x >= 200), 100 - 0.01 * (x - 200), 104.0)
    )


def test_a_depression_that_spills_outside_the_window_spills_there(ground, home):
    grid = ground(far_spill)
    traced = window_of(grid, 60).follow(home, (), 230, 0.5)
    whole = trace(condition_around(grid, home), home, (), 230)
    assert whole.ends_because == traced.ends_because == "farther_than_limit"
    # The start lies on the side of a cell, where the last digit of its place tells.
    assert traced.path.hausdorff_distance(whole.path) < 0.01


def test_a_deep_depression_at_the_rim_has_its_whole_depth_in_the_end(ground, home):
    def bowl(x, y):
        return 90 + 0.04 * np.hypot(x, y)

    narrow = trace(condition_around(ground(bowl), Point(0, 0), 60), Point(20, 0), (), 402)
    assert narrow.depth_at_least
    assert narrow.depression_depth_m == pytest.approx(2.4, abs=0.1)
    traced = window_of(ground(bowl), 60).follow(Point(20, 0), (), 402, 0.5)
    # Lower than everything that is known: the data end at its rim.
    assert traced.depth_at_least
    assert not traced.at_window
    assert traced.depression_depth_m == pytest.approx(12, abs=0.2)


@pytest.mark.parametrize("cell_m", [1.0, 0.5, 0.3])
def test_a_file_is_read_wider_in_the_same_cells(tmp_path, cell_m):
    """Rough ground whose cells are averaged: the path is that of the whole file, to the last digit."""
    size = int(480 / cell_m)
    row, col = np.indices((size, size)) * cell_m
    rng = np.random.default_rng(4)
    z = 50 - 0.03 * row + 0.4 * np.sin(col / 17) * np.cos(row / 23) + rng.normal(0, 0.04, (size, size))
    crs = "+proj=laea +lat_0=43 +lon_0=-88 +ellps=GRS80 +units=m +type=crs"
    with rasterio.open(
        tmp_path / "dem.tif", "w", driver="GTiff", height=size, width=size, count=1, dtype="float32", crs=crs,
        transform=rasterio.Affine(cell_m, 0, -240, 0, -cell_m, 300),
    ) as file:  # fmt: skip
        file.set_band_unit(1, "metre")
        file.write(z.astype(np.float32), 1)
    frame, start = Frame(-88.0, 43.0), Point(3.3, 100.1)
    near, whole = (read_terrain([DemFile(tmp_path / "dem.tif")], frame, start, margin) for margin in (40, 2000))
    window = Widening(condition_around(near.grid, start, 40), EVERYWHERE, near.source)
    traced = window.follow(start, (), 200, 0.5)
    known = trace(EVERYWHERE(whole.grid), start, (), 200)
    assert traced.ends_because == known.ends_because == "farther_than_limit"
    assert window.ground.z_m.size > 4 * condition_around(near.grid, start, 40).z_m.size
    assert traced.path.hausdorff_distance(known.path) < 1e-6
    assert np.array_equal(traced.path.coords, known.path.coords)
    # So is the ground itself, in windows that begin anywhere and are looked at beyond their rim.
    everything, per = EVERYWHERE(whole.grid), window.ground.factor[0]
    for place in ((0, 0), (137, 301), (size - 200, 90)):
        part = EVERYWHERE(with_rim(near.source, (*place, 200, 150), (1, 1)))
        (west, north), (all_west, all_north) = (
            np.add(first_cell(one.grid.transform), one.first) for one in (part, everything)
        )
        col, row = (west - all_west) // per, (north - all_north) // per
        rows, cols = part.z_m.shape
        assert rows >= 150 // per - 1
        assert np.array_equal(part.z_m, everything.z_m[row : row + rows, col : col + cols])
