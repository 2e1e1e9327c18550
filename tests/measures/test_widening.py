"""Paths that meet the rim of the window: the window is read wider, up to a stated size, or the data really end."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import rasterio
from shapely import Point, box

from siteplan_gis.frame import Frame
from siteplan_gis.ingest.elevation.terrain import DemFile, read_terrain
from siteplan_gis.measures.runoff.ensemble import repeat
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


def pond_at_the_rim(x, y):
    """A slope of 3 % to the south with a shallow pond from y = -100 to -160 that spills to the east at x = 25."""
    slope = 100 + 0.03 * y
    pond = (np.hypot(x, (y + 130)) < 30) & (y < -100 - np.abs(x) / 3)
    notch = (np.abs(y + 130) < 3) & (x >= 0) & (x < 90)
    floor = np.where(pond, 96.6 + 0.01 * np.hypot(x, y + 130), np.where(notch, 96.9 - 0.005 * x, slope))
    return np.where((y < -160) & (np.abs(x) < 60), 99.0, floor)


def test_a_path_over_a_pond_that_reaches_beyond_the_window_is_the_wholes(ground, home):
    """The window's flood ends at its rim, with the path down on the pond's bottom already longer than the limit."""
    grid = ground(pond_at_the_rim)
    narrow = condition_around(grid, home, 150)
    known = trace(condition_around(grid, home), home, (), 128)
    assert known.ends_because == "farther_than_limit"
    window = Widening(condition_around(grid, home, 150), EVERYWHERE)
    traced = window.follow(home, (), 128, 0.5)
    assert window.ground.z_m.size > narrow.z_m.size
    assert traced.ends_because == known.ends_because
    assert traced.path.hausdorff_distance(known.path) < 1e-6


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(("half_m", "wider"), [(60.0, True), (120.0, False)])
def test_a_path_along_the_rim_is_followed_on_the_wider_ground(ground, home, half_m, wider, side):
    """The ground beyond the rim falls off steeply, which nothing inside tells."""
    near = condition_around(ground(slope), home, 60)
    rows, columns = near.z_m.shape
    start = near.placed(Point(columns / 2 + side * (columns - 1) / 2, rows / 3))
    rim = side * start.x

    def surface(x, y):
        return 100 + 0.05 * y + 0.01 * side * x - 0.4 * np.clip(side * x - rim - 0.1, 0, None)

    window = window_of(ground(surface), half_m)
    before = window.ground.z_m.size
    traced = window.follow(start, (), 40, 0.5)
    assert (window.ground.z_m.size > before) == wider
    assert traced.path.hausdorff_distance(trace(condition_around(ground(surface), home), start, (), 40).path) < 1e-6


def test_a_path_that_begins_beyond_the_last_middles_of_cells(ground, home):
    near = condition_around(ground(slope), home, 60)
    rows, columns = near.z_m.shape
    traced = trace(near, near.placed(Point(columns / 2, rows - 0.1)), (), 40)
    assert traced.ends_because == "leaves_elevation_data"
    assert traced.length_m < 1


@pytest.mark.parametrize("half_m", [100.0, 130.0, 200.0])
def test_a_barrier_beyond_the_rim_is_seen(ground, home, half_m):
    """Lower ground behind an embankment lies 10 m to 18 m behind the depression, outside of the smallest window."""

    def surface(x, y):
        valley = 100 + 0.02 * y + 0.05 * np.abs(x)
        return np.where(np.abs(y + 100) <= 4, np.maximum(valley, 102), valley)

    traced = window_of(ground(surface), half_m).follow(home, (), 300, 0.5)
    assert traced.ends_because == "barrier"
    assert not traced.at_window


def test_a_row_has_one_spacing_in_every_window(tmp_path):
    crs = "EPSG:26916"
    with rasterio.open(
        tmp_path / "dem.tif", "w", driver="GTiff", height=60, width=900, count=1, dtype="float32", crs=crs,
        transform=rasterio.Affine(10, 0, 400_000, 0, -10, 4_790_000),
    ) as file:  # fmt: skip
        file.set_band_unit(1, "metre")
        file.write(np.zeros((60, 900), np.float32) + np.arange(900, dtype=np.float32), 1)
    site = Frame(-88.2, 43.257)
    source = read_terrain([DemFile(tmp_path / "dem.tif")], site, Point(0, 0), 100).source
    whole, part = (source.grid(window, (1, 1)) for window in ((0, 0, 900, 60), (700, 20, 90, 30)))
    assert np.array_equal(part.row_dx_m, whole.row_dx_m[20:50])
    assert np.array_equal(part.row_dy_m, whole.row_dy_m[20:50])


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


# --- runs over shaken ground ------------------------------------------------------------------------------------------


def told(runs):
    return [(run.ends_because, round(run.length_m, 6)) for run in runs]


def test_the_runs_do_not_hang_on_the_window(ground, home):
    grid = ground(lambda x, y: 100 + 0.03 * y + 0.3 * np.sin(x / 9))
    goal = [box(-200, -110, 200, -100)]
    (whole,), (part,) = (
        repeat(condition_around(grid, home, half_m), [home], goal, 200, 0.1, 0.5, 0.0, [6]) for half_m in (900, 150)
    )
    assert told(part) == told(whole)
    assert len({run.length_m for run in whole}) == 6


def test_runs_that_leave_the_window_are_followed_on_wider_ground(ground, home):
    grid = ground(slope)
    goal = [box(-200, -110, 200, -100)]
    window = window_of(grid, 60)
    (runs,) = repeat(window, [home], goal, 200, 0.1, 0.5, 0.0, [6])
    (whole,) = repeat(condition_around(grid, home), [home], goal, 200, 0.1, 0.5, 0.0, [6])
    assert window.ground.z_m.shape == (244, 244)
    assert told(runs) == told(whole)
    assert {run.ends_because for run in runs} == {"reached"}


@pytest.mark.parametrize(("limit_m", "ends"), [(50, "farther_than_limit"), (80, "leaves_window")])
def test_runs_that_cannot_be_followed_on_say_so(ground, home, limit_m, ends):
    window = window_of(ground(slope), 60, most_cells=1)
    (runs,) = repeat(window, [home], [], limit_m, 0.1, 0.5, 0.0, [4])
    assert {run.ends_because for run in runs} == {ends}


def test_runs_off_the_data_leave_the_data(ground, home):
    (runs,) = repeat(window_of(ground(slope, half_m=80), 60), [home], [], 120, 0.1, 0.5, 0.0, [4])
    assert {run.ends_because for run in runs} == {"leaves_elevation_data"}
