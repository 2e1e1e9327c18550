"""Slopes against gdaldem, against surfaces whose slope is known on paper, and against whole-number arithmetic."""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import rasterio
import shapely
from affine import Affine

from siteplan_gis.crs import georeference
from siteplan_gis.frame import Frame, frame_around
from siteplan_gis.ingest.elevation.terrain import DemFile, open_terrain, read_terrain
from siteplan_gis.measures.terrain import gradients
from siteplan_gis.measures.terrain.cells import covered_runs
from siteplan_gis.measures.terrain.slope import steep_ground, steep_shares
from siteplan_gis.measures.terrain.strips import sum_slopes
from siteplan_gis.model.terrain import ElevationGrid

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "dem"
FRAME = Frame(-88.0, 43.4)


# gdaldem


def in_grid_metres(path):
    """The whole raster with the spacing that its own CRS states, as GIS programs take it."""
    with rasterio.open(path) as file:
        z = file.read(1, masked=True).astype(float).filled(np.nan)
        place, crs = file.transform, file.crs
    reference = georeference(crs.to_wkt())
    middle = np.array([[place.c + place.a * z.shape[1] / 2, place.f + place.e * z.shape[0] / 2]])
    frame = frame_around(reference.lonlat(middle))
    return ElevationGrid(z, place, reference, frame, np.full(len(z), place.a), np.full(len(z), -place.e))


@pytest.mark.skipif(not DATA.is_dir(), reason="the public data are not beside the project")
@pytest.mark.skipif(not shutil.which("gdaldem"), reason="gdaldem is not on this machine")
@pytest.mark.parametrize(
    "name",
    [
        "wi_plainfield_10m/dem10m.tif",
        "nc_wake_30m/elev_ned_30m.tif",
        "mn_lidar_1m/dem.tif",
        "fr_alps_25m_3035/dem.tif",
        "br_olinda_utm25s/olinda_dem_utm25s.tif",
    ],
)
def test_every_cell_has_the_slope_of_gdaldem(name, tmp_path):
    grid = in_grid_metres(DATA / name)
    rows, columns = grid.shape
    runs = covered_runs(np.array([shapely.box(0, 0, columns, rows)]), rows, columns)
    edges = (0.2 * np.array([0.999, 0.9995, 1 - 1e-9, 1.0005, 1.001])) ** 2
    sums = sum_slopes(grid, runs, 1, (1, 1), edges, most_field=10**9)
    theirs = {}
    for method in ("Horn", "ZevenbergenThorne"):
        out = tmp_path / f"{method}.tif"
        subprocess.run(["gdaldem", "slope", "-q", "-p", "-alg", method, DATA / name, out], check=True)
        with rasterio.open(out) as file:
            theirs[method] = file.read(1, masked=True).astype(float).filled(np.nan)
    ours = 100 * np.sqrt(sums.field[:rows, :columns])
    # Neither gives a slope to a cell without all of its neighbours, the rim among them.
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs["Horn"]))
    # As rise over run, 1e-4: gdaldem adds heights of hundreds of metres in 32 bits.
    np.testing.assert_allclose(ours, theirs["Horn"], rtol=0, atol=0.01)
    assert np.nanmean(ours) == pytest.approx(np.nanmean(theirs["Horn"]), rel=1e-5)
    known = np.isfinite(ours).sum() * grid.row_dx_m[0] * grid.row_dy_m[0]
    cell_m2 = grid.row_dx_m[0] * grid.row_dy_m[0]
    total = sums.totals[0]
    assert total[gradients.COVERED] - total[gradients.UNKNOWN] == pytest.approx(known)
    steep = {method: (percent >= 20).sum() * cell_m2 for method, percent in theirs.items()}
    assert total[gradients.FIRST_EDGE + gradients.LIMIT_EDGE] == pytest.approx(steep["Horn"], rel=1e-4)
    assert total[gradients.OTHER] == pytest.approx(steep["ZevenbergenThorne"], rel=1e-4)


# Surfaces on paper, in the coordinate systems of the county's data


def plane(x, y):
    return 300 + 0.23 * (x * math.sin(0.7) + y * math.cos(0.7))


def cone(x, y):
    """30 % steep within 200 m, level beyond."""
    return 300 + np.maximum(0, 60 - 0.3 * np.hypot(x, y))


def sphere_cap(x, y):
    """Of 500 m radius: steeper than 20 % beyond 500 sin(atan 0.2) = 98.06 m."""
    return np.sqrt(500.0**2 - np.minimum(x**2 + y**2, 400.0**2))


PLACES = {
    "EPSG:4269": (0.9e-5, 0.9e-5),
    "EPSG:2289": (3.0, 3.0),
    "EPSG:3071": (1.0, 1.0),
    "EPSG:26916": (1.0, 1.0),
    "EPSG:26916 turned": (1.0, 1.0),
    "EPSG:3071 south-up": (1.0, -1.0),
}


def written(path, surface, place, unit_m=1.0, half_m=230):
    """A file whose cells hold a surface of the frame at their middles."""
    code, (wide, high) = place.split()[0], PLACES[place]
    reference = georeference(code)
    x, y = reference.xy(np.array([[FRAME.longitude, FRAME.latitude]]))[0]
    metres = reference.metres_per_unit or 80_000.0
    n = round(2 * half_m / (wide * metres))
    turn = 33.0 if "turned" in place else 0.0
    transform = Affine.translation(x, y) @ Affine.rotation(turn) @ Affine.scale(wide, -high)
    transform @= Affine.translation(-n / 2 - 0.3, -n / 2 + 0.2)
    row, column = np.mgrid[:n, :n] + 0.5
    own = np.column_stack([v.ravel() for v in (transform @ (column, row))])
    at = FRAME.from_lonlat(reference.lonlat(own))
    z = (surface(at[:, 0], at[:, 1]) / unit_m).reshape(n, n)
    with rasterio.open(path, "w", driver="GTiff", height=n, width=n, count=1, dtype="float64", tiled=True,
                       blockxsize=128, blockysize=128, crs=code, transform=transform) as file:  # fmt: skip
        file.write(z, 1)
        file.set_band_unit(1, "metre" if unit_m == 1 else "US survey foot")
    return path


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("cell_m", [None, 3.048])
def test_surfaces_on_paper(place, cell_m, tmp_path):
    foot = 1200 / 3937 if place == "EPSG:2289" else 1.0
    found = {}
    for surface, area in (
        (plane, shapely.box(-100, -80, 90, 120)),
        (cone, shapely.Point(0, 0).buffer(215)),
        (sphere_cap, shapely.Point(0, 0).buffer(180, quad_segs=128)),
    ):
        path = written(tmp_path / f"{surface.__name__}.tif", surface, place, foot)
        source = read_terrain([DemFile(path)], FRAME, area, 50).source
        found[surface] = steep_ground(source, area, 0.20, cell_m, outlined=False)
        assert found[surface].no_elevation_m2 == 0
    # The plane of the frame has its slope on the ground, whatever the scale of the CRS (up to 4e-4 here).
    assert found[plane].median_ratio == pytest.approx(0.23, rel=1e-5)
    assert found[plane].steep_m2 == pytest.approx(190 * 200, rel=1e-9)
    if cell_m is None:
        assert found[cone].steep_m2 == pytest.approx(math.pi * 200**2, rel=5e-3)
        ring = math.pi * (180**2 - (500 * math.sin(math.atan(0.2))) ** 2)
        assert found[sphere_cap].steep_m2 == pytest.approx(ring, rel=2e-3)
        assert found[sphere_cap].max_ratio == pytest.approx(180 / math.sqrt(500**2 - 180**2), rel=0.01)
        # What one formula calls steep and the other does not is a few cells of the rings.
        assert 0 < found[cone].plus_minus_m2 < 2 * math.pi * 200 * 2


# Whole hundredths: ties at the limit are exact


class SquareMetres:
    """A source whose cells are exactly one metre."""

    def __init__(self, source):
        self.source = source

    def __getattr__(self, name):
        return getattr(self.source, name)

    def spacing_m(self, column, row):
        return np.ones(len(column)), np.ones(len(row))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_ties_on_centimetres_are_judged_as_whole_numbers(dtype, tmp_path):
    rng = np.random.default_rng(11)
    n = 500
    row, column = np.mgrid[:n, :n]
    # Slopes around 20 %: many cells hold it exactly, as 3-4-5 triangles and along the axes.
    centimetres = 25_000 + 12 * column + 16 * row + rng.integers(-2, 3, (n, n))
    stored = centimetres if dtype == "int32" else centimetres / 100
    laea = f"+proj=laea +lat_0={FRAME.latitude} +lon_0={FRAME.longitude} +ellps=GRS80 +units=m +type=crs"
    path = tmp_path / "d.tif"
    with rasterio.open(path, "w", driver="GTiff", height=n, width=n, count=1, dtype=dtype, crs=laea,
                       transform=Affine(1, 0, -n / 2, 0, -1, n / 2)) as file:  # fmt: skip
        file.write(stored.astype(dtype), 1)
        file.set_band_unit(1, "cm" if dtype == "int32" else "metre")
    area = shapely.box(-n / 2 + 1, -n / 2 + 1, n / 2 - 1, n / 2 - 1)
    terrain = open_terrain([DemFile(path)], FRAME, [area])
    assert terrain.source.unit_m == pytest.approx(0.01)
    z = centimetres
    east = (z[:-2, 2:] + 2 * z[1:-1, 2:] + z[2:, 2:]) - (z[:-2, :-2] + 2 * z[1:-1, :-2] + z[2:, :-2])
    south = (z[2:, :-2] + 2 * z[2:, 1:-1] + z[2:, 2:]) - (z[:-2, :-2] + 2 * z[:-2, 1:-1] + z[:-2, 2:])
    squared = east**2 + south**2
    limit = 160**2  # 20 cm in a metre, eightfold
    assert (squared == limit).sum() > 500
    found = steep_shares(SquareMetres(terrain.source), [area], 0.20, None)
    assert found.steep_m2[0] == pytest.approx((squared >= limit).sum(), abs=0.5)


# Many areas at once


def test_many_areas_in_one_pass_are_each_what_they_are_alone(tmp_path):
    rng = np.random.default_rng(2)
    n = 1500
    z = rng.normal(0, 1, (n // 10 + 2, n // 10 + 2)).repeat(10, 0).repeat(10, 1)[:n, :n].cumsum(0) * 0.02
    z += rng.normal(0, 0.2, (n, n))
    z[700:760, 300:900] = np.nan
    reference = georeference("EPSG:3071")
    x, y = reference.xy(np.array([[FRAME.longitude, FRAME.latitude]]))[0]
    profile = {"driver": "GTiff", "height": n, "width": n, "count": 1, "dtype": "float64", "crs": "EPSG:3071",
               "transform": Affine(1, 0, x - n / 2, 0, -1, y + n / 2)}  # fmt: skip
    paths = []
    for name, layout in (("tiled", {"tiled": True, "blockxsize": 128, "blockysize": 64}), ("striped", {})):
        paths.append(tmp_path / f"{name}.tif")
        with rasterio.open(paths[-1], "w", **profile, **layout) as file:
            file.write(z, 1)
            file.set_band_unit(1, "metre")
    areas = [
        shapely.Point(*at).buffer(r)
        for at, r in zip(rng.uniform(-720, 720, (60, 2)), rng.uniform(5, 90, 60), strict=True)
    ]
    areas += [shapely.box(-800, -800, 800, 800), shapely.box(2000, 2000, 2010, 2010), areas[0]]
    for cell_m in (None, 3.048):
        together = [
            steep_shares(open_terrain([DemFile(path)], FRAME, areas).source, areas, 0.2, cell_m) for path in paths
        ]
        np.testing.assert_allclose(together[0].steep_m2, together[1].steep_m2, rtol=1e-6)
        for k in (0, 7, 31, 60, 61, 62):
            terrain = read_terrain([DemFile(paths[0])], FRAME, areas[k], 20)
            if k == 61:
                assert terrain.grid is None
                assert together[0].no_elevation_m2[k] == pytest.approx(100)
                continue
            alone = steep_ground(terrain.grid, areas[k], 0.2, cell_m, outlined=False)
            assert together[0].steep_m2[k] == pytest.approx(alone.steep_m2, rel=1e-4, abs=0.01)
            assert together[0].no_elevation_m2[k] == pytest.approx(alone.no_elevation_m2, rel=1e-4, abs=0.01)
            assert together[0].plus_minus_m2[k] == pytest.approx(alone.plus_minus_m2, rel=1e-3, abs=2)
