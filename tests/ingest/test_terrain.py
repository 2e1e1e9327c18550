"""Where elevations lie, how far apart they are, and real models."""

import math

import numpy as np
import pytest
import rasterio
import rasterio.shutil
import shapely
from affine import Affine
from geographiclib.geodesic import Geodesic
from rasterio.crs import CRS
from rasterio.warp import transform

from siteplan_gis.crs import georeference
from siteplan_gis.errors import CrsError, InputError
from siteplan_gis.frame import Frame, frame_around
from siteplan_gis.ingest.elevation.terrain import DemFile, read_terrain
from tests.ingest.dems import DATA, PLACE, UTM, codes, hills, read, write

# Place


def test_without_a_crs_nothing_is_read(tmp_path):
    path = write(tmp_path / "d.tif", hills(), crs=None, unit="metre")
    with pytest.raises(CrsError, match=r"d\.tif: the file has no coordinate system"):
        read(path)
    given = read(DemFile(path, crs=UTM))
    assert codes(given) == ["crs_assumed"]
    assert given.coverage.area == pytest.approx(10_000, rel=1e-3)


def test_a_raster_without_a_place_is_refused(tmp_path):
    with pytest.warns(rasterio.errors.NotGeoreferencedWarning):
        path = write(tmp_path / "d.tif", hills(), transform=Affine.identity(), unit="metre")
    with pytest.raises(CrsError, match="not georeferenced"):
        read(path)
    with pytest.raises(CrsError, match="no degrees"):
        read(write(tmp_path / "deg.tif", hills(), crs="EPSG:4269", unit="metre"))


def test_a_local_crs_names_the_file(tmp_path):
    wkt = 'LOCAL_CS["site grid",UNIT["metre",1]]'
    path = write(tmp_path / "d.tif", hills(), crs=CRS.from_wkt(wkt), unit="metre")
    with pytest.raises(CrsError, match=r"d\.tif"):
        read(path)


def test_another_place_is_told(tmp_path):
    terrain = read(write(tmp_path / "d.tif", hills(), unit="metre"), box=(700_000, 3_960_000, 700_050, 3_960_050))
    assert terrain.grid is None
    assert "elsewhere" in terrain.reason
    assert codes(terrain) == ["dem_not_covering"]


def test_the_uncovered_share_is_told(tmp_path):
    path = write(tmp_path / "d.tif", hills(), unit="metre")
    assert codes(read(path, box=(690_000, 3_960_000, 690_100, 3_960_100))) == []
    terrain = read(path, box=(690_050, 3_960_020, 690_150, 3_960_080))
    assert codes(terrain) == ["dem_not_covering"]
    assert "50.0 %" in terrain.flags[0].text


def test_only_the_window_is_read(tmp_path):
    terrain = read(write(tmp_path / "d.tif", hills(900, 900), unit="metre"), margin_m=20)
    west, north, east, south = terrain.grid.rim
    assert np.subtract(terrain.grid.shape, (north + south, west + east)) == pytest.approx((102, 102), abs=3)
    # The rim is no more than a block of noise and the widest square around a cell.
    assert max(terrain.grid.rim) < 128 + 16


def test_a_very_fine_grid_is_read_less_far(tmp_path):
    fine = Affine(0.001, 0, 690_000, 0, -0.001, 3_960_100)
    path = tmp_path / "fine.tif"
    with rasterio.open(path, "w", driver="GTiff", height=100_000, width=100_000, count=1, dtype="float32", tiled=True,
                       sparse_ok=True, transform=fine, crs=UTM, bigtiff="yes") as file:  # fmt: skip
        file.set_band_unit(1, "metre")
    terrain = read(path, box=(690_050, 3_960_050, 690_051, 3_960_051), margin_m=40)
    assert "dem_window_reduced" in codes(terrain)
    with pytest.raises(InputError, match="million cells"):
        read(path, box=(690_010, 3_960_010, 690_090, 3_960_090), margin_m=0)


# True spacing, from GeographicLib


@pytest.mark.parametrize(
    ("crs", "place"),
    [
        ("EPSG:4269", Affine(1e-4, 0, -88.0, 0, -1e-4, 43.5)),
        ("EPSG:4326", Affine(1e-4, 0, 272.0, 0, -1e-4, 43.5)),
        ("EPSG:3857", Affine(10, 0, -9_800_000, 0, -10, 5_380_000)),
        ("EPSG:26916", Affine(5, 0, 420_000, 0, -5, 4_800_000)),
        ("EPSG:2289", Affine(10, 0, 2_500_000, 0, -10, 500_000)),
        ("EPSG:5070", Affine(10, 0, 640_000, 0, -10, 2_300_000)),
        ("EPSG:26916", Affine.translation(420_000, 4_800_000) @ Affine.rotation(33) @ Affine.scale(5, -5)),
    ],
)
def test_row_spacing_is_the_geodesic_between_neighbours(tmp_path, crs, place):
    path = write(tmp_path / "d.tif", hills(200, 160), place, crs, unit="metre")
    reference = georeference(crs)
    middle = np.array([[place.a * 80 + place.b * 100 + place.c, place.d * 80 + place.e * 100 + place.f]])
    frame = frame_around(reference.lonlat(middle))
    grid = read_terrain([DemFile(path)], frame, shapely.box(-5, -5, 5, 5), 400).grid
    rows, columns = grid.z_m.shape
    a, b, c, d, e, f = grid.transform[:6]

    def lonlat(column, row):
        return reference.lonlat(np.array([[a * column + b * row + c, d * column + e * row + f]]))[0]

    def distance(one, other):
        (lon1, lat1), (lon2, lat2) = one, other
        return Geodesic.WGS84.Inverse(lat1, lon1, lat2, lon2)["s12"]

    for row in (0, rows // 2, rows - 1):
        x, y = columns / 2, row + 0.5
        assert grid.row_dx_m[row] == pytest.approx(distance(lonlat(x - 0.5, y), lonlat(x + 0.5, y)), rel=2e-5)
        assert grid.row_dy_m[row] == pytest.approx(distance(lonlat(x, y - 0.5), lonlat(x, y + 0.5)), rel=2e-5)
    site = grid.pixels(shapely.Point(0, 0))
    assert 0 < site.x < columns
    assert 0 < site.y < rows


def test_a_leaning_grid_is_refused(tmp_path):
    leaning = Affine(1, 0.2, 690_000, 0, -1, 3_960_100)
    with pytest.raises(InputError, match="right angles"):
        read(write(tmp_path / "d.tif", hills(), leaning, unit="metre"))


@pytest.mark.parametrize("turned", ["north-up", "south-up", "mirrored", "both"])
def test_turned_grids_read_the_same_ground(tmp_path, turned):
    z, place = hills(), PLACE
    if turned in {"south-up", "both"}:
        z, place = z[::-1], place @ Affine.translation(0, 100) @ Affine.scale(1, -1)
    if turned in {"mirrored", "both"}:
        z, place = z[:, ::-1], place @ Affine.translation(100, 0) @ Affine.scale(-1, 1)
    terrain = read(write(tmp_path / "d.tif", z, place, unit="metre"), margin_m=5)
    upright = read(write(tmp_path / "up.tif", hills(), unit="metre"), margin_m=5)
    np.testing.assert_array_equal(terrain.grid.z_m, upright.grid.z_m)
    assert terrain.grid.transform.almost_equals(upright.grid.transform)


def test_far_from_square_cells_are_flagged(tmp_path):
    long = Affine(1, 0, 690_000, 0, -3, 3_960_200)
    assert codes(read(write(tmp_path / "d.tif", hills(), long, unit="metre"))) == ["dem_axis_exaggerated"]


# Real elevation models

REAL = {
    "br_olinda_utm25s/olinda_dem_utm25s.tif": "crs_note dem_whole_units unit_assumed",
    "cog_rgb_3857/cogeo.tiff": InputError,
    "fr_alps_25m_3035/aspect.tif": InputError,
    "fr_alps_25m_3035/dem.tif": "unit_assumed",
    "fr_alps_25m_3035/dem_int16.tif": "dem_whole_units unit_assumed",
    "fr_alps_25m_3035/slope.tif": InputError,
    "kg_web_mercator/warp_52_dem.tif": "dem_whole_units unit_assumed",
    "mn_lidar_1m/dem.tif": "unit_assumed",
    "mn_lidar_1m/dsm.tif": "unit_assumed",
    "ms_shellmound_100m/meras_100m_dem_4269.tif": "unit_assumed",
    "nc_wake_30m/elev_ned_30m.tif": "unit_assumed",
    "tx_hydrosheds_3as/dem.tif": "dem_whole_units unit_assumed",
    "uk_dtm_2m_byte/dtm.tif": InputError,
    "wi_plainfield_10m/dem10m.tif": "crs_note unit_assumed",
    "wi_plainfield_10m/pfl_bathymetry.tif": InputError,
    "wi_taylor_100m_4269/dem.tif": "unit_assumed",
}


@pytest.mark.skipif(not DATA.is_dir(), reason="the public data are not beside the project")
@pytest.mark.parametrize("name", REAL)
def test_real_elevation_models(name):
    path = DATA / "dem" / name
    with rasterio.open(path) as file:
        place, shape, crs = file.transform, file.shape, file.crs
    middle = np.array([[place.a * shape[1] / 2 + place.c, place.e * shape[0] / 2 + place.f]])
    lon, lat = transform(crs, "EPSG:4326", middle[:, 0], middle[:, 1])
    frame, site = Frame(lon[0], lat[0]), shapely.box(-90, -90, 90, 90)
    outcome = REAL[name]
    if outcome is InputError:
        with pytest.raises(InputError, match="elevation"):
            read_terrain([DemFile(path, "m")], frame, site, 500)
        return
    assert read_terrain([DemFile(path)], frame, site, 500).grid is None
    terrain = read_terrain([DemFile(path, "m", "option")], frame, site, 500)
    assert " ".join(codes(terrain)) == outcome
    assert terrain.coverage.contains(site)
    # Pixel area on the ground is what the frame says.
    rows, columns = terrain.grid.z_m.shape
    cells = float((terrain.grid.row_dx_m * terrain.grid.row_dy_m).sum() * columns)
    assert cells == pytest.approx(terrain.grid.placed(shapely.box(0, 0, columns, rows)).area, rel=1e-4)


@pytest.mark.skipif(not DATA.is_dir(), reason="the public data are not beside the project")
def test_web_mercator_cells_are_shrunk_to_the_ground():
    path = DATA / "dem" / "kg_web_mercator" / "warp_52_dem.tif"
    frame = Frame(75.98, 38.8)
    grid = read_terrain([DemFile(path, "m")], frame, shapely.box(-500, -500, 500, 500), 2000).grid
    middle = len(grid.row_dx_m) // 2
    lat = math.radians(38.8)
    e2 = 0.00669437999014
    stretched = 1 / math.cos(lat) * math.sqrt(1 - e2 * math.sin(lat) ** 2)
    assert 160.39245277 / grid.row_dx_m[middle] == pytest.approx(stretched, rel=1e-3)
