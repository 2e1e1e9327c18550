"""Cells without elevation, steps of elevations, and ground of one height."""

import numpy as np
import pytest
import rasterio
import rasterio.shutil

from tests.ingest.dems import codes, hills, read, write

# Voids


@pytest.mark.parametrize("sentinel", [-9999.0, -32768.0, -99999.0, -3.4028235e38, 3.4e38, 9999.0, 0.0, -999.0, 1e20])
def test_undeclared_sentinels_are_void(tmp_path, sentinel):
    z = hills().astype("float32")
    z[40:50, 40:60] = sentinel
    terrain = read(write(tmp_path / "d.tif", z, unit="metre"))
    assert int(np.isnan(terrain.grid.z_m).sum()) == 200
    assert "dem_nodata_undeclared" in codes(terrain)
    np.testing.assert_allclose(terrain.grid.z_m[0], z[0])
    assert terrain.coverage.area == pytest.approx(9800, rel=1e-3)


@pytest.mark.parametrize(("value", "void"), [(32767, False), (65535, False), (-9999, True), (99999, True)])
def test_sentinels_of_heights_in_centimetres(tmp_path, value, void):
    # 327.67 m is ground among heights of 300 to 660 m; -99.99 m and 999.99 m stand alone.
    z = np.linspace(30_000, 66_000, 10_000).reshape(100, 100).astype("int32")
    z[50, 50] = value
    terrain = read(write(tmp_path / "d.tif", z, unit="cm"))
    assert np.isnan(terrain.grid.z_m).any() == void
    assert ("dem_nodata_undeclared" in codes(terrain)) == void


def test_scaled_heights_may_be_large_numbers(tmp_path):
    stored = np.round(hills() * 1000).astype("int32")
    terrain = read(write(tmp_path / "d.tif", stored, unit="metre", scale=(0.001, 0.0)))
    np.testing.assert_allclose(terrain.grid.z_m, hills(), atol=6e-4)


def test_blurred_edges_of_a_void_are_void_too(tmp_path):
    z = hills()
    z[40:50, 40:60] = -9999.0
    z[39, 40:60] = 0.5 * (z[38, 40:60] - 9999.0)
    assert int(np.isnan(read(write(tmp_path / "d.tif", z, unit="metre")).grid.z_m).sum()) == 220


@pytest.mark.parametrize(
    ("low", "high", "value"), [(-1, 90, 0.0), (20, 120, 0.0), (9800, 10200, 9999.0), (-2, 40, -1.0)]
)
def test_true_elevations_are_kept(tmp_path, low, high, value):
    z = np.linspace(low, high, 10_000).reshape(100, 100)
    z[50, 50] = value
    terrain = read(write(tmp_path / "d.tif", z, unit="foot"))
    assert not np.isnan(terrain.grid.z_m).any()
    assert "dem_nodata_undeclared" not in codes(terrain)


def test_declared_nodata_and_nan_are_void_without_a_flag(tmp_path):
    z = hills().astype("float32")
    z[:5] = -9999
    z[-5:] = np.nan
    terrain = read(write(tmp_path / "d.tif", z, unit="metre", nodata=-9999))
    assert int(np.isnan(terrain.grid.z_m).sum()) == 1000
    assert codes(terrain) == []


def test_an_internal_mask_is_honoured(tmp_path):
    path = tmp_path / "d.tif"
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
        write(path, hills(), unit="metre")
        with rasterio.open(path, "r+") as file:
            mask = np.full((100, 100), 255, "uint8")
            mask[:7] = 0
            file.write_mask(mask)
    assert int(np.isnan(read(path).grid.z_m).sum()) == 700


# Steps and flats


@pytest.mark.parametrize(
    ("z", "unit"),
    [
        (np.round(hills()).astype("int16"), "metre"),
        (np.round(hills()), "metre"),
        (np.round(hills() * 3), "foot"),
        ((np.round(hills() * 3) * 0.3048).astype("float32"), "metre"),
        ((np.round(hills() * 3) * 1200 / 3937).astype("float32"), "metre"),
    ],
)
def test_whole_units_are_flagged(tmp_path, z, unit):
    terrain = read(write(tmp_path / "d.tif", z, unit=unit))
    assert terrain.whole_units
    assert codes(terrain) == ["dem_whole_units"]


def test_centimetres_are_no_whole_units(tmp_path):
    terrain = read(write(tmp_path / "d.tif", np.round(hills() * 100).astype("int32"), unit="cm"))
    assert not terrain.whole_units
    assert codes(terrain) == []


@pytest.mark.parametrize(("flat_rows", "flagged"), [(100, True), (70, True), (30, False), (0, False)])
def test_exactly_flat_ground_is_flagged(tmp_path, flat_rows, flagged):
    z = hills()
    z[:flat_rows] = 251.37
    terrain = read(write(tmp_path / "d.tif", z, unit="metre"))
    assert ("dem_flat" in codes(terrain)) is flagged
