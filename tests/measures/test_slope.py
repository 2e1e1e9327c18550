from __future__ import annotations

import json
import math
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyogrio
import pytest
import shapely
from affine import Affine
from hypothesis import given, settings
from hypothesis import strategies as st

from siteplan_gis.crs import georeference
from siteplan_gis.frame import Frame, frame_around
from siteplan_gis.ingest.elevation.terrain import DemFile, read_terrain
from siteplan_gis.measures.terrain.cells import covered_runs
from siteplan_gis.measures.terrain.medians import weighted_median
from siteplan_gis.measures.terrain.slope import TIE_SHARE, steep_ground, steep_shares
from siteplan_gis.model.terrain import ElevationGrid
from siteplan_gis.units import ACRE_M2

CASES = Path(__file__).resolve().parents[1] / "cases"
FRAME = Frame(-88.0, 43.0)
LAEA = georeference("+proj=laea +lat_0=43 +lon_0=-88 +ellps=GRS80 +units=m +type=crs")


def grid_of(surface, *, cell=1.0, size=100, turn=0.0, down=True, dtype=float, unit=1.0):
    """A square grid around the frame's origin whose elevations are `surface(x, y)` in metres of the frame."""
    half = size * cell / 2
    place = Affine.rotation(turn) @ Affine.translation(-half, half if down else -half)
    place @= Affine.scale(cell, -cell if down else cell)
    row, column = np.mgrid[:size, :size] + 0.5
    x = place.a * column + place.b * row + place.c
    y = place.d * column + place.e * row + place.f
    z = (surface(x, y) / unit).astype(dtype).astype(float) * unit
    spacing = np.full(size, cell)
    return ElevationGrid(z, place, LAEA, FRAME, spacing, spacing)


def plane(ratio, bearing=0.0):
    return lambda x, y: 300 + ratio * (x * math.sin(bearing) + y * math.cos(bearing))


def case(name, *dems, site="site.gpkg", cell_m=None):
    """Slopes of a case's site, and what is expected there by quantity."""
    folder = CASES / name
    expected = json.loads((folder / "expected.json").read_text())
    layer = pyogrio.read_dataframe(folder / site)
    reference = georeference(layer.crs.to_wkt())
    drawn = layer.union_all()
    frame = frame_around(reference.lonlat(shapely.get_coordinates(drawn)))
    area = frame.project(drawn, reference)
    terrain = read_terrain([DemFile(folder / dem) for dem in dems], frame, area, 1000)
    return terrain, steep_ground(terrain.grid, area, 0.20, cell_m), expected["checks"]


def check(checks, quantity, value):
    found = [c for c in checks if c.get("quantity") == quantity]
    assert found
    for one in found:
        near = max(one.get("tol_abs", 0.0), min(one.get("tol_rel", 0.0), 0.9) * abs(one["value"]))
        if one["kind"] == "value":
            assert value == pytest.approx(one["value"], abs=near)
        elif one["kind"] == "must_not_equal":
            assert abs(value - one["value"]) > near


def flagged(terrain, checks):
    texts = " ".join(f"{flag.code} {flag.text}" for flag in terrain.flags).lower()
    return all(any(word in texts for word in c["any_word"]) for c in checks if c["kind"] == "must_flag")


# Cases of practice

CELLS = pytest.mark.parametrize("cell_m", [None, 3.048])


@CELLS
def test_h01_elevations_in_feet_over_metre_cells(cell_m):
    _, found, checks = case("H01", "dem_m_xy_ft_z.tif", site="site.geojson", cell_m=cell_m)
    check(checks, "slope_percent_median", 100 * found.median_ratio)
    check(checks, "acres_slope_ge_20pct_in_site", found.steep_m2 / ACRE_M2)


@CELLS
def test_h02_degrees_are_ground_by_latitude(cell_m):
    expected = json.loads((CASES / "H02" / "expected.json").read_text())
    frame = Frame(-78.8444, 36.0044)
    area = shapely.box(-300, -300, 300, 300)
    grid = read_terrain([DemFile(CASES / "H02" / "dem_lonlat.tif", "m")], frame, area, 500).grid
    assert grid.row_dx_m[60] == pytest.approx(expected["setup"]["cell"]["dx_m"], abs=1e-3)
    assert grid.row_dy_m[60] == pytest.approx(expected["setup"]["cell"]["dy_m"], abs=1e-3)
    found = steep_ground(grid, area, 0.20, cell_m)
    check(expected["checks"], "slope_percent_median", 100 * found.median_ratio)
    assert found.steep_m2 == pytest.approx(found.area_m2, rel=1e-12)


@CELLS
def test_h30_undeclared_holes_are_no_elevation(cell_m):
    terrain, found, checks = case("H30", "dem.tif", cell_m=cell_m)
    check(checks, "acres_slope_ge_20pct_in_site", found.steep_m2 / ACRE_M2)
    check(checks, "acres_no_elevation", found.no_elevation_m2 / ACRE_M2)
    assert flagged(terrain, checks)


@CELLS
def test_h31_south_up(cell_m):
    _, north, checks = case("H31", "dem_southup.tif", site="site_north.gpkg", cell_m=cell_m)
    _, south, _ = case("H31", "dem_southup.tif", site="site_south.gpkg", cell_m=cell_m)
    check(checks, "acres_slope_ge_20pct[site_north]", north.steep_m2 / ACRE_M2)
    check(checks, "acres_slope_ge_20pct[site_south]", south.steep_m2 / ACRE_M2)
    check(checks, "slope_percent[site_north]", 100 * north.median_ratio)


@CELLS
def test_h32_exactly_twenty_per_cent_is_steep(cell_m):
    _, found, checks = case("H32", "dem_20.tif", cell_m=cell_m)
    check(checks, "acres_slope_ge_20pct_in_site", found.steep_m2 / ACRE_M2)


def test_h33_whole_metres_are_flagged_and_averaged_away():
    terrain, found, checks = case("H33", "dem_int.tif", cell_m=3.048)
    assert terrain.whole_units
    assert flagged(terrain, checks)
    check(checks, "acres_slope_ge_20pct_in_site", found.steep_m2 / ACRE_M2)
    # The grid's own cells say otherwise, and the doubt says so.
    assert found.plus_minus_m2 / ACRE_M2 == pytest.approx(2.0757, abs=1e-3)


@CELLS
def test_h34_tiles_in_two_units(cell_m):
    terrain, found, checks = case("H34", "tile_west.tif", "tile_east.tif", cell_m=cell_m)
    check(checks, "slope_percent_median", 100 * found.median_ratio)
    check(checks, "acres_slope_ge_20pct_in_site", found.steep_m2 / ACRE_M2)
    assert flagged(terrain, checks)


@CELLS
def test_h35_steep_acres_are_the_sites_acres(cell_m):
    _, found, checks = case("H35", "dem10.tif", cell_m=cell_m)
    check(checks, "acres_slope_ge_20pct_in_site", found.steep_m2 / ACRE_M2)
    assert found.steep_m2 <= found.area_m2


# Surfaces whose slope is known


@pytest.mark.parametrize("turn", [0.0, 33.0, -120.0])
@pytest.mark.parametrize("down", [True, False])
@pytest.mark.parametrize("cell_m", [None, 3.0])
@pytest.mark.parametrize("bearing", [0.0, 0.7, 2.5])
def test_planes_have_their_slope_on_any_grid(turn, down, cell_m, bearing):
    grid = grid_of(plane(0.23, bearing), turn=turn, down=down)
    area = shapely.Point(2.3, -1.7).buffer(30)
    found = steep_ground(grid, area, 0.20, cell_m)
    assert found.median_ratio == pytest.approx(0.23, rel=1e-9)
    assert found.mean_ratio == pytest.approx(0.23, rel=1e-9)
    assert found.steep_m2 == pytest.approx(area.area, rel=1e-12)
    assert (found.no_elevation_m2, found.plus_minus_m2) == (0, pytest.approx(0, abs=1e-6))
    assert (found.native, found.cell_m) == ((True, 1.0) if cell_m is None else (False, 3.0))


def test_cells_of_degrees_differ_along_the_two_axes():
    size = 60
    place = Affine(2e-5, 0, -88 - 30 * 2e-5, 0, -1e-5, 43 + 30 * 1e-5)
    dx, dy = np.full(size, 1.6299), np.full(size, 1.1109)
    z = np.add.outer(0.15 * 1.1109 * np.arange(size), 0.20 * 1.6299 * np.arange(size))
    grid = ElevationGrid(z, place, georeference("EPSG:4269"), FRAME, dx, dy)
    for cell_m, side in ((None, 1.6299), (3.3, 3.3327)):
        found = steep_ground(grid, shapely.box(-10, -10, 10, 10), 0.2, cell_m)
        assert found.median_ratio == pytest.approx(0.25, rel=1e-6)
        assert found.cell_m == pytest.approx(side)


def test_a_cone_steepens_from_a_ring_outward():
    # z = 0.5 r^2 / 50: the slope is r / 50, so 20 % begins at r = 10 m; outside r = 30 m nothing is asked.
    grid = grid_of(lambda x, y: 0.01 * (x**2 + y**2), cell=0.25, size=400)
    found = steep_ground(grid, shapely.Point(0, 0).buffer(30, quad_segs=64), 0.20, None)
    ring = math.pi * (30**2 - 10**2)
    assert found.steep_m2 == pytest.approx(ring, rel=3e-3)
    assert found.max_ratio == pytest.approx(0.6, abs=0.01)
    (patch,) = found.patches
    assert len(patch.geometry.interiors) == 1
    assert patch.geometry.interiors[0].area == 0
    assert shapely.Polygon(patch.geometry.interiors[0]).area == pytest.approx(math.pi * 100, rel=0.01)
    assert patch.area_m2 == pytest.approx(found.steep_m2, rel=1e-7)
    assert found.median_ratio == pytest.approx(30 / 50 / math.sqrt(2), rel=0.005)


@pytest.mark.parametrize(
    ("ratio", "steep"), [(0.1990, False), (0.19985, False), (0.2, True), (0.20002, True), (0.21, True)]
)
@pytest.mark.parametrize(("dtype", "unit"), [(float, 1.0), ("float32", 1.0), ("float32", 0.3048)])
def test_just_below_at_and_above_the_limit(ratio, steep, dtype, unit):
    grid = grid_of(plane(ratio, 0.4), dtype=dtype, unit=unit)
    found = steep_ground(grid, shapely.box(-20, -20, 20, 20), 0.20, None)
    assert found.steep_m2 == (pytest.approx(1600) if steep else 0)


def test_a_plane_of_twenty_per_cent_in_utm_metres_is_steep():
    # On the central meridian a UTM metre is 1.0004 m of ground, so 20 % drawn there is 19.992 % on the ground.
    grid = grid_of(plane(0.2))
    wide = ElevationGrid(grid.z_m, grid.transform, LAEA, FRAME, grid.row_dx_m * 1.0004, grid.row_dy_m * 1.0004)
    assert steep_ground(wide, shapely.box(-20, -20, 20, 20), 0.2, None).steep_m2 == pytest.approx(1600)
    assert pytest.approx(0.19991) == 0.2 * (1 - TIE_SHARE)


def test_ground_that_only_passes_through_the_limit_gains_nothing():
    # The slope grows along x from 15 % to 25 %: 20 % is reached in the middle, and no tie moves it.
    grid = grid_of(lambda x, y: 0.2 * x + 0.0005 * x**2, size=200)
    found = steep_ground(grid, shapely.box(-49.5, -40, 49.5, 40), 0.20, None)
    assert found.steep_m2 == pytest.approx(80 * 50, abs=80.01)


# Voids and edges


def test_a_hole_is_never_flat_nor_steep_and_its_neighbours_are_unknown():
    grid = grid_of(plane(0.3))
    grid.z_m[50, 50] = np.nan
    found = steep_ground(grid, shapely.box(-20, -20, 20, 20), 0.2, None)
    assert found.no_elevation_m2 == pytest.approx(9)
    assert found.steep_m2 == pytest.approx(1600 - 9)
    coarse = steep_ground(grid, shapely.box(-20, -20, 20, 20), 0.2, 3.0)
    assert coarse.no_elevation_m2 == pytest.approx(9)


def test_the_rim_of_the_grid_is_no_elevation():
    grid = grid_of(plane(0.3), size=40)
    found = steep_ground(grid, shapely.box(-30, -10, 10, 10), 0.2, None)
    assert found.area_m2 == 800
    assert found.no_elevation_m2 == pytest.approx(20 * 10 + 20)
    assert found.steep_m2 == pytest.approx(800 - 220)
    away = steep_ground(grid, shapely.box(200, 200, 210, 210), 0.2, None)
    assert (away.no_elevation_m2, away.steep_m2, away.median_ratio, away.patches) == (100, 0, None, ())
    touching = steep_ground(grid, shapely.box(20, 0, 30, 10), 0.2, None)
    assert touching.no_elevation_m2 == 100


def test_nothing_but_holes():
    grid = grid_of(plane(0.3))
    grid.z_m[:] = np.nan
    found = steep_ground(grid, shapely.box(-5, -5, 5, 5), 0.2, 3.0)
    assert found.no_elevation_m2 == pytest.approx(100)
    assert (found.median_ratio, found.mean_ratio, found.max_ratio) == (None, None, None)


def test_an_empty_area():
    found = steep_ground(grid_of(plane(0.3)), shapely.Polygon(), 0.2, None)
    assert (found.area_m2, found.steep_m2, found.no_elevation_m2, found.patches) == (0, 0, 0, ())


def test_a_site_smaller_than_a_cell():
    grid = grid_of(plane(0.3), cell=30, size=20)
    found = steep_ground(grid, shapely.box(3, 3, 5, 4), 0.2, 3.048)
    assert found.steep_m2 == pytest.approx(2.0)
    assert found.patches == ()
    assert (found.cell_m, found.native) == (30.0, True)


# Analysis cells


@pytest.mark.parametrize(
    ("cell", "asked", "used"),
    [(1, 3.048, 3), (0.5, 3.048, 3), (2, 3.048, 4), (3, 3.048, 3), (10, 3.048, 10), (1, 1, 1)],
)
def test_cells_are_joined_to_come_nearest(cell, asked, used):
    found = steep_ground(grid_of(plane(0.3), cell=cell), shapely.box(-9, -9, 9, 9), 0.2, asked)
    assert found.cell_m == pytest.approx(used)
    assert found.native is (used == cell)


def test_averaging_quietens_noise_and_the_doubt_tells():
    noise = np.random.default_rng(7).normal(0, 0.10, (300, 300))
    grid = grid_of(plane(0.15), size=300)
    grid.z_m[:] += noise
    area = shapely.box(-100, -100, 100, 100)
    own, joined = steep_ground(grid, area, 0.2, None), steep_ground(grid, area, 0.2, 3.0)
    assert own.steep_m2 > 3 * joined.steep_m2
    assert joined.plus_minus_m2 >= own.steep_m2 - joined.steep_m2 - 1e-6


def test_the_window_read_does_not_move_the_blocks():
    rng = np.random.default_rng(3)
    grid = grid_of(plane(0.2), size=120)
    grid.z_m[:] += rng.normal(0, 0.3, (120, 120))
    area = shapely.box(-20, -20, 20, 20)
    whole = steep_ground(grid, area, 0.2, 3.0)
    for column, row in ((1, 0), (2, 5), (7, 4)):
        place = grid.transform @ Affine.translation(column, row)
        part = ElevationGrid(
            grid.z_m[row:, column:].copy(), place, LAEA, FRAME, grid.row_dx_m[row:], grid.row_dy_m[row:]
        )
        assert steep_ground(part, area, 0.2, 3.0).steep_m2 == pytest.approx(whole.steep_m2, rel=1e-9)


class Tiled(ElevationGrid):
    """A grid in blocks of 16 rows and 8 columns that tells which of them were read."""

    read: ClassVar = set()

    @property
    def block(self):
        return 16, 8

    @contextmanager
    def reader(self):
        def part(column, row, columns, rows):
            high, wide = self.block
            self.read.update(
                (i, j)
                for i in range(row // high, (row + rows - 1) // high + 1)
                for j in range(column // wide, (column + columns - 1) // wide + 1)
            )
            return np.ascontiguousarray(self.z_m[row : row + rows, column : column + columns])

        yield part


@pytest.mark.parametrize(
    ("middle", "radius"),
    [((13, -13), 12), ((-24, -5), 13), ((22, -12), 11), ((28, 27), 18), ((-20, 3), 10)],
)
def test_no_block_is_read_that_no_slope_needs(middle, radius):
    grid = rough()
    tiled = Tiled(*(getattr(grid, field.name) for field in fields(grid)))
    Tiled.read.clear()
    areas = [shapely.Point(middle).buffer(radius)]
    found, whole = (steep_shares(source, areas, 0.2, None) for source in (tiled, grid))
    assert found.steep_m2 == pytest.approx(whole.steep_m2, rel=1e-12)
    assert found.no_elevation_m2 == pytest.approx(whole.no_elevation_m2, rel=1e-12)
    runs = covered_runs(shapely.intersection(grid.pixels(np.array(areas)), shapely.box(0, 0, 80, 80)), 80, 80)
    needed = {
        (row // 16, column // 8)
        for r, first, end in zip(runs.row.tolist(), runs.first.tolist(), runs.end.tolist(), strict=True)
        for row in range(max(r - 1, 0), min(r + 2, 80))
        for column in range(max(first - 1, 0), min(end + 1, 80))
    }
    assert Tiled.read == needed


# Patches


def rough(seed=5, size=80):
    rng = np.random.default_rng(seed)
    grid = grid_of(plane(0.2, 0.3), size=size)
    grid.z_m[:] += rng.normal(0, 0.15, (size, size))
    return grid


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cell_m", [None, 3.0])
def test_patches_are_the_steep_cells(seed, cell_m):
    grid = rough(seed)
    area = shapely.difference(shapely.Point(3, 2).buffer(30), shapely.box(0, 0, 10, 8))
    found = steep_ground(grid, area, 0.2, cell_m)
    shapes = np.array([patch.geometry for patch in found.patches])
    assert shapely.is_valid(shapes).all()
    assert sum(patch.area_m2 for patch in found.patches) <= found.steep_m2 + 1e-6
    assert sum(patch.area_m2 for patch in found.patches) > 0.9 * found.steep_m2
    together = shapely.union_all(shapes)
    assert together.area == pytest.approx(sum(patch.area_m2 for patch in found.patches), rel=1e-9)
    # PROJ's inverse of the frame is true to a millimetre.
    assert shapely.difference(together, shapely.buffer(area, 0.002)).area < 1e-6
    assert all(patch.median_ratio >= 0.2 * (1 - TIE_SHARE) for patch in found.patches)
    assert [p.area_m2 for p in found.patches] == sorted((p.area_m2 for p in found.patches), reverse=True)
    least = (found.cell_m) ** 2
    assert min(patch.area_m2 for patch in found.patches) >= least * 0.999
    assert steep_ground(grid, area, 0.2, cell_m, outlined=False).patches == ()


def test_patches_hold_steep_ground_and_only_that():
    grid = rough(9)
    area = shapely.box(-30, -30, 30, 30)
    found = steep_ground(grid, area, 0.2, None)
    shapes = shapely.union_all([patch.geometry for patch in found.patches])
    gy, gx = np.gradient(grid.z_m)  # another formula, only to find cells that are clearly steep or not
    slope = np.hypot(gx, gy)
    rows, columns = np.nonzero(slope > 0)
    x, y = columns + 0.5 - 40, 40 - rows - 0.5
    inside = shapely.contains_xy(shapes, x, y)
    # Horn by hand at a sample of middles.
    for i in np.flatnonzero((abs(x) < 29) & (abs(y) < 29))[::97]:
        z = grid.z_m[rows[i] - 1 : rows[i] + 2, columns[i] - 1 : columns[i] + 2]
        weights = np.array([1, 2, 1])
        horn = math.hypot(weights @ (z[:, 2] - z[:, 0]) / 8, weights @ (z[2] - z[0]) / 8)
        assert inside[i] == (horn >= 0.2)


@pytest.mark.parametrize("cell_m", [None, 3.0])
def test_drawn_outlines_have_no_stairs(cell_m):
    from siteplan_gis.measures.terrain.patches import without_stairs

    # The steep side of a slanting ridge: its edge is a line at 30 degrees, its cells are stairs.
    grid = grid_of(lambda x, y: 0.4 * np.maximum(0, x * math.cos(0.5) + y * math.sin(0.5)), size=120)
    found = steep_ground(grid, shapely.box(-40, -40, 40, 40), 0.2, cell_m)
    (patch,) = found.patches
    (shape,) = without_stairs([patch.geometry], found.cell_m)
    assert shape.is_valid
    assert shapely.hausdorff_distance(shape.exterior, patch.geometry.exterior) < found.cell_m
    xy = shapely.get_coordinates(shape)
    slanting = np.array([math.cos(0.5), math.sin(0.5)])
    inner = (np.abs(xy) < 38).all(axis=1)
    # What is left along the edge are a few corners, none farther from the true line than its cells.
    assert np.abs(xy[inner] @ slanting).max(initial=0) <= 1.5 * found.cell_m
    # Where cells turn by 90 degrees at every step, the drawn line hardly turns.
    way = np.unwrap(np.arctan2(*np.diff(xy, axis=0).T[::-1]))
    turns = np.abs(np.diff(way))[inner[1:-1]]
    assert turns.max(initial=0) < math.radians(50)
    assert len(xy) < shapely.get_num_coordinates(patch.geometry) * 0.75
    assert found.steep_m2 == pytest.approx(patch.geometry.area, rel=1e-6)


def test_cells_that_touch_at_a_corner():
    # Two steep squares meet at a corner only: two patches; joined elsewhere: one patch with a hole that touches it.
    from siteplan_gis.measures.terrain.patches import label_steep, outlines

    apart = np.array([[1, 0], [0, 1.0]])
    ring = np.array([[1, 1, 1, 1], [1, 0, 0, 1], [1, 1, 0, 1], [1, 1, 1, 0.0]])
    for steep, count in ((apart, 2), (ring, 1)):
        labels, found = label_steep(steep, np.ones(steep.shape), 0.5)
        assert found == count
        shapes = outlines(labels)
        assert shapely.is_valid(shapes).all()
        assert shapely.area(shapes).sum() == steep.sum()


# Exact shares of cells


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 12), st.floats(0, 9)), min_size=3, max_size=9),
    st.integers(0, 3),
)
def test_shares_of_cells_are_those_of_an_overlay(points, holes):
    ground = shapely.convex_hull(shapely.MultiPoint(points))
    for k in range(holes):
        ground = ground.difference(shapely.box(2 * k + 0.3, 1.1 + k, 2 * k + 1.9, 2.6 + k))
    if not ground.area > 1e-6:
        return
    runs, shares = covered_runs(np.array([ground]), 9, 12), np.zeros((9, 12))
    for row, first, end, share in zip(runs.row, runs.first, runs.end, runs.share, strict=True):
        shares[row, first:end] += share
    cells = shapely.box(*np.meshgrid(np.arange(12), np.arange(9)), *np.meshgrid(np.arange(1, 13), np.arange(1, 10)))
    np.testing.assert_allclose(shares, shapely.area(shapely.intersection(cells, ground)), atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.05, 0.4), st.sampled_from([None, 3.0]))
def test_steep_ground_never_exceeds_the_area(seed, limit, cell_m):
    rng = np.random.default_rng(seed)
    grid = rough(seed, 60)
    grid.z_m[rng.random((60, 60)) < 0.02] = np.nan
    area = shapely.convex_hull(shapely.MultiPoint(rng.uniform(-40, 40, (6, 2))))
    found = steep_ground(grid, area, limit, cell_m)
    assert 0 <= found.steep_m2 <= found.area_m2
    assert found.steep_m2 + found.no_elevation_m2 <= found.area_m2 * (1 + 1e-9)
    more = steep_ground(grid, area, limit * 0.8, cell_m)
    assert more.steep_m2 >= found.steep_m2 - 1e-9


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40))
def test_the_median_has_half_the_weight_on_each_side(values):
    numbers = np.array(values)
    middle = weighted_median(numbers, np.ones(numbers.size))
    slack = 1e-9 * max(np.ptp(numbers), 1e-9)
    assert (numbers < middle - slack).sum() <= numbers.size / 2
    assert (numbers > middle + slack).sum() <= numbers.size / 2
