"""Raster files that are no elevations, hostile or broken."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import rasterio
import rasterio.shutil
from rasterio.enums import ColorInterp

from siteplan_gis.errors import HostileInputError, InputError
from siteplan_gis.ingest.elevation.terrain import DemFile
from tests.ingest.dems import CASES, PLACE, UTM, codes, hills, read, write

# What is no elevation


def test_pictures_and_bytes_are_refused(tmp_path):
    byte = hills().astype("uint8")
    with pytest.raises(InputError, match="uint8"):
        read(write(tmp_path / "byte.tif", byte, unit="metre"))
    with pytest.raises(InputError, match="colour picture"):
        read(write(tmp_path / "rgb.tif", np.stack([byte] * 3), photometric="RGB"))
    with pytest.raises(InputError, match="2 bands"):
        read(write(tmp_path / "two.tif", np.stack([hills()] * 2)))
    palette = tmp_path / "palette.tif"
    with rasterio.open(palette, "w", driver="GTiff", height=9, width=9, count=1, dtype="uint16", transform=PLACE,
                       crs=UTM, photometric="palette") as file:  # fmt: skip
        file.write(np.ones((1, 9, 9), "uint16"))
        file.write_colormap(1, {1: (255, 0, 0, 255)})
    with pytest.raises(InputError, match="palette"):
        read(palette)
    with pytest.raises(InputError, match="complex"):
        read(write(tmp_path / "c.tif", hills().astype("complex64")))


def test_an_alpha_band_is_a_mask(tmp_path):
    path = tmp_path / "alpha.tif"
    alpha = np.full((100, 100), 65535.0)
    alpha[:10] = 0
    write(path, np.stack([hills(), alpha]).astype("float32"), unit="metre", alpha="yes")
    with rasterio.open(path, "r+") as file:
        file.colorinterp = (ColorInterp.gray, ColorInterp.alpha)
    terrain = read(path)
    assert int(np.isnan(terrain.grid.z_m).sum()) == 1000


@pytest.mark.parametrize(
    ("file", "low", "high", "description"),
    [
        ("slope.tif", 0, 60, None),
        ("county_slope_deg.tif", 0, 60, None),
        ("aspect.tif", 0, 360, None),
        ("hillshade.tif", 0, 255, None),
        ("lake_bathymetry.tif", 0, 30, None),
        ("dem.tif", 200, 300, "slope"),
        ("dem.tif", 0, 30, "water depth (m)"),
    ],
)
def test_rasters_of_other_measures_are_refused(tmp_path, file, low, high, description):
    z = np.linspace(low, high, 10_000).reshape(100, 100)
    with pytest.raises(InputError, match="elevation"):
        read(write(tmp_path / file, z, unit="metre", description=description))


def test_a_unit_of_no_length_is_refused(tmp_path):
    with pytest.raises(InputError, match="degree"):
        read(write(tmp_path / "d.tif", hills(), unit="degree"))


@pytest.mark.parametrize("file", ["dem_slope_study.tif", "steep_slope_dem.tif", "depth_charge_hill.tif"])
def test_elevations_with_unlucky_names_are_read(tmp_path, file):
    assert read(write(tmp_path / file, hills(), unit="metre")).grid is not None


# Hostile and broken files


def test_h73_a_vrt_named_tif_is_refused_and_leaks_nothing():
    expected = json.loads((CASES / "H73" / "expected.json").read_text())
    never = next(check["strings"] for check in expected["checks"] if check["kind"] == "output_must_not_contain")
    with pytest.raises(HostileInputError) as caught:
        read(CASES / "H73" / "dem.tif")
    assert "not a TIFF" in str(caught.value)
    assert not [text for text in never if text in str(caught.value)]


@pytest.mark.parametrize("ending", [".img", ".asc", ".dem", ".bil", ".grd", ".nc", ".gpkg", ".hgt"])
def test_a_vrt_under_any_other_name_is_refused(tmp_path, ending):
    shutil.copy(CASES / "H73" / "canary.bin", tmp_path)
    path = tmp_path / f"dem{ending}"
    shutil.copy(CASES / "H73" / "dem.tif", path)
    with pytest.raises(InputError) as caught:
        read(path)
    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize("ending", [".msk", ".ovr"])
def test_a_vrt_beside_the_raster_is_refused(tmp_path, ending):
    path = write(tmp_path / "d.tif", hills(), unit="metre")
    assert read(path).grid is not None
    shutil.copy(CASES / "H73" / "dem.tif", tmp_path / f"d.tif{ending}")
    with pytest.raises(HostileInputError, match="mask or overview"):
        read(path)


def test_a_file_that_changes_is_read_anew(tmp_path):
    path = tmp_path / "d.tif"
    assert read(write(path, hills(), unit="metre")).vertical_unit == "metre"
    assert read(write(path, hills(90, 100), unit="foot")).vertical_unit == "foot"


@pytest.mark.parametrize(
    ("ending", "driver"), [(".asc", "AAIGrid"), (".img", "HFA"), (".bil", "EHdr"), (".flt", "EHdr")]
)
def test_other_kinds_of_grid_are_read(tmp_path, ending, driver):
    written = write(tmp_path / "d.tif", hills().astype("float32"))
    path = tmp_path / f"grid{ending}"
    rasterio.shutil.copy(written, path, driver=driver)
    terrain = read(DemFile(path, units="m"))
    np.testing.assert_allclose(terrain.grid.z_m, hills(), atol=1e-3)


def test_point_and_area_pixels_hold_the_same_ground(tmp_path):
    grids = []
    for kind in ("Area", "Point"):
        path = write(tmp_path / f"{kind}.tif", hills(), unit="metre")
        with rasterio.open(path, "r+") as file:
            file.update_tags(AREA_OR_POINT=kind)
        grids.append(read(path).grid)
    assert grids[0].transform == grids[1].transform
    np.testing.assert_array_equal(grids[0].z_m, grids[1].z_m)


def test_kinds_of_file_that_are_not_read(tmp_path):
    for name in ("dem.vrt", "dem.png", "dem"):
        (tmp_path / name).write_bytes(b"anything")
        with pytest.raises(InputError, match="not a kind of elevation grid"):
            read(tmp_path / name)
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "none.tif")
    with pytest.raises(InputError, match="no elevation file"):
        read()
    (tmp_path / "page.tif").write_text("<html>404</html>")
    with pytest.raises(HostileInputError, match="not a TIFF"):
        read(tmp_path / "page.tif")


def test_a_truncated_tiff_is_named(tmp_path):
    path = write(tmp_path / "d.tif", hills(), unit="metre")
    path.write_bytes(path.read_bytes()[:40_000])
    with pytest.raises(InputError, match=r"d\.tif"):
        read(path)


def test_h80_a_huge_sparse_file_is_answered_quickly():
    box = (2_050_000, 750_000, 2_050_330, 750_264)
    terrain = read(DemFile(CASES / "H80" / "dem_huge.tif", units="us-ft"), crs="EPSG:2264", box=box, margin_m=1200)
    assert terrain.grid is None
    assert "no values" in terrain.reason
    assert {"dem_empty_blocks", "dem_not_covering"} <= set(codes(terrain))
    assert any("empty" in flag.text for flag in terrain.flags)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the peak of one process alone")
def test_h80_a_huge_sparse_file_needs_little_memory():
    case = CASES / "H80"
    script = (
        "import sys; from typer.testing import CliRunner; from siteplan_gis.cli import app; "
        "done = CliRunner().invoke(app, sys.argv[1:]); "
        "print(*[line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')]); "
        "sys.exit(done.exit_code)"
    )
    arguments = ["measure", case / "site.gpkg", "--role", "*=disturbed_area", "--dem", case / "dem_huge.tif"]
    command = [sys.executable, "-c", script, *arguments, "--dem-units", "us-ft"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    # The whole program with its libraries; 600 to 800 MB when the window was filled with nothing.
    assert int(done.stdout) < 450_000


def test_blocks_never_stored_are_void_and_the_rest_is_read(tmp_path):
    path = tmp_path / "sparse.tif"
    with rasterio.open(path, "w", driver="GTiff", height=512, width=512, count=1, dtype="float32", tiled=True,
                       blockxsize=64, blockysize=64, transform=PLACE, crs=UTM, sparse_ok=True) as file:  # fmt: skip
        file.write(hills(64, 64).astype("float32")[None], window=rasterio.windows.Window(64, 64, 64, 64))
        file.set_band_unit(1, "metre")
    terrain = read(path, box=(690_070, 3_959_980, 690_120, 3_960_030), margin_m=500)
    assert int((~np.isnan(terrain.grid.z_m)).sum()) == 64 * 64
    assert "dem_empty_blocks" in codes(terrain)
    assert terrain.coverage.area == pytest.approx(64 * 64, rel=1e-3)


def test_a_grid_of_zeros_is_no_ground(tmp_path):
    terrain = read(write(tmp_path / "d.tif", np.zeros((100, 100), "float32"), unit="metre"))
    assert terrain.grid is None
    assert "dem_empty_blocks" in codes(terrain)
