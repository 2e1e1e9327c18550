"""Slopes of real ground against answers computed independently, against QGIS and against gdaldem."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import rasterio
import shapely
from geographiclib.geodesic import Geodesic
from shapely.geometry import shape

from siteplan_gis.crs import georeference
from siteplan_gis.frame import frame_around
from siteplan_gis.ingest.elevation.terrain import DemFile, read_terrain
from siteplan_gis.measures.terrain.slope import steep_ground
from siteplan_gis.model.terrain import ElevationGrid
from siteplan_gis.units import ACRE_M2

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the public data are not beside the project")

DEMS = {
    "plainfield": "wi_plainfield_10m/dem10m.tif",
    "taylor": "wi_taylor_100m_4269/dem.tif",
    "nc_wake": "nc_wake_30m/elev_ned_30m.tif",
    "mn_lidar": "mn_lidar_1m/dem.tif",
}


def sites():
    for story in DEMS:
        folder = DATA / "scenarios" / story
        if not folder.is_dir():
            continue
        expected = json.loads((folder / "expected.json").read_text())
        features = json.loads((folder / "sites.geojson").read_text())["features"]
        for feature in features:
            name = next(v for v in feature["properties"].values() if v in expected)
            if "slope" in expected[name]:
                yield pytest.param(story, shape(feature["geometry"]), expected[name], id=name)


def measured(story, drawn, cell_m=None):
    reference = georeference("EPSG:4326")
    frame = frame_around(reference.lonlat(shapely.get_coordinates(drawn)))
    area = frame.project(drawn, reference)
    terrain = read_terrain([DemFile(DATA / "dem" / DEMS[story], "m")], frame, area, 300)
    return terrain, steep_ground(terrain.grid, area, 0.20, cell_m)


@pytest.mark.parametrize(("story", "drawn", "expected"), list(sites()))
def test_scenarios(story, drawn, expected):
    terrain, found = measured(story, drawn)
    horn, other = expected["slope"]["Horn"], expected["slope"]["ZevenbergenThorne"]
    known_m2 = found.area_m2 - found.no_elevation_m2
    assert found.area_m2 / ACRE_M2 == pytest.approx(expected["acres"], abs=2e-4)
    whole = expected["site_in_dem"] == 1.0
    assert found.steep_m2 / known_m2 == pytest.approx(horn["frac_ge20"], abs=2e-4 if whole else 0.005)
    if story != "taylor":  # whose means were taken on a resampled grid: see the next test
        assert found.mean_ratio * 100 == pytest.approx(horn["slope_mean"], abs=0.02 if whole else 0.1)
        assert found.max_ratio * 100 == pytest.approx(horn["slope_max"], abs=0.1)
    assert found.plus_minus_m2 / known_m2 >= abs(horn["frac_ge20"] - other["frac_ge20"]) - (5e-4 if whole else 2e-3)
    if whole:
        assert found.no_elevation_m2 == 0
        assert not {flag.code for flag in terrain.flags} & {"dem_not_covering", "dem_empty_blocks"}


@pytest.mark.parametrize("name", ["T2_yellow_river", "T3_wetland", "T4_upland"])
def test_slopes_on_degrees_by_hand(name):
    drawn = next(p for p in sites() if p.id == name).values[1]
    _, found = measured("taylor", drawn)
    with rasterio.open(DATA / "dem" / DEMS["taylor"]) as file:
        z, place = file.read(1).astype(float), file.transform
    lat, lon = drawn.centroid.y, drawn.centroid.x
    dx = Geodesic.WGS84.Inverse(lat, lon, lat, lon + place.a)["s12"]
    dy = Geodesic.WGS84.Inverse(lat, lon, lat + place.e, lon)["s12"]
    pixels = shapely.transform(drawn, lambda xy: (xy - [place.c, place.f]) / [place.a, place.e])
    weights, slopes, horn = [], [], np.array([1, 2, 1])
    left, top, right, bottom = (int(v) for v in pixels.bounds)
    for row in range(top, bottom + 1):
        for column in range(left, right + 1):
            near = z[row - 1 : row + 2, column - 1 : column + 2]
            east, south = horn @ (near[:, 2] - near[:, 0]) / 8 / dx, horn @ (near[2] - near[0]) / 8 / dy
            weights.append(pixels.intersection(shapely.box(column, row, column + 1, row + 1)).area)
            slopes.append(np.hypot(east, south))
    assert found.mean_ratio == pytest.approx(np.average(slopes, weights=weights), rel=1e-3)
    assert found.max_ratio == pytest.approx(max(slopes), rel=1e-3)


def test_how_much_of_a_site_partly_off_the_grid_has_no_elevation():
    param = next(p for p in sites() if p.id == "L4_partly_off")
    terrain, found = measured(*param.values[:2])
    without = found.no_elevation_m2 / found.area_m2
    assert without == pytest.approx(1 - param.values[2]["site_in_dem"], abs=0.02)
    # The grid's outermost cells have no slope either.
    assert without > 1 - param.values[2]["site_in_dem"]
    (flag,) = [flag for flag in terrain.flags if flag.code == "dem_not_covering"]
    assert flag.text.startswith("33.3 %")


def in_grid_metres(path):
    """The whole raster with the spacing that its own CRS states, as GIS programs take it."""
    with rasterio.open(path) as file:
        z = file.read(1, masked=True).astype(float).filled(np.nan)
        place, crs = file.transform, file.crs
    rows, columns = z.shape
    reference = georeference(crs.to_wkt())
    middle = np.array([[place.c + place.a * columns / 2, place.f + place.e * rows / 2]])
    frame = frame_around(reference.lonlat(middle))
    return ElevationGrid(z, place, reference, frame, np.full(rows, place.a), np.full(rows, -place.e))


def share(grid, limit, columns=slice(5, -5), rows=slice(5, -5)):
    """Steep share of a block of whole cells."""
    height, width = grid.z_m.shape
    box = shapely.box(columns.start, rows.start, width + columns.stop, height + rows.stop)
    found = steep_ground(grid, grid.placed(shapely.segmentize(box, 20)), limit, None, outlined=False)
    return found.steep_m2 / found.area_m2, found


def test_slopes_agree_with_qgis():
    grid = in_grid_metres(DATA / "dem" / "fr_alps_25m_3035" / "dem.tif")
    with rasterio.open(DATA / "dem" / "fr_alps_25m_3035" / "slope.tif") as file:
        degrees = file.read(1)[5:-5, 5:-5]
    for limit in (0.2, 0.4, 0.6, 0.8, 1.0):
        ours, _ = share(grid, limit)
        assert ours == pytest.approx((np.tan(np.radians(degrees)) >= limit).mean(), abs=1e-4)
    _, found = share(grid, 0.2)
    assert found.median_ratio == pytest.approx(float(np.median(np.tan(np.radians(degrees)))), abs=1e-4)
    assert found.max_ratio == pytest.approx(float(np.tan(np.radians(degrees)).max()), abs=1e-4)


@pytest.mark.skipif(not shutil.which("gdaldem"), reason="gdaldem is not on this machine")
@pytest.mark.parametrize("name", [DEMS["plainfield"], DEMS["nc_wake"], DEMS["mn_lidar"], "fr_alps_25m_3035/dem.tif"])
def test_slopes_agree_with_gdaldem(name, tmp_path):
    path = DATA / "dem" / name
    subprocess.run(["gdaldem", "slope", "-q", "-p", str(path), str(tmp_path / "s.tif")], check=True)
    with rasterio.open(tmp_path / "s.tif") as file:
        percent = file.read(1)[5:-5, 5:-5]
    theirs = (percent >= 20).mean()
    ours, found = share(in_grid_metres(path), 0.2)
    assert ours == pytest.approx(theirs, rel=1e-4)
    assert found.mean_ratio * 100 == pytest.approx(percent.mean(), rel=1e-4)
