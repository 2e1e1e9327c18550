from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyproj
import pytest
import rasterio
import rasterio.shutil
import shapely
from affine import Affine
from geographiclib.geodesic import Geodesic
from rasterio.crs import CRS
from rasterio.enums import ColorInterp
from rasterio.warp import transform

from siteplan_gis.crs import georeference
from siteplan_gis.errors import CrsError, HostileInputError, InputError, UnitError
from siteplan_gis.frame import Frame, frame_around
from siteplan_gis.ingest.elevation.terrain import DemFile, read_terrain

CASES = Path(__file__).resolve().parents[1] / "cases"
DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
UTM = "EPSG:26917"
PLACE = Affine(1, 0, 690_000, 0, -1, 3_960_100)


def write(path, z, transform=PLACE, crs=UTM, *, unit=None, description=None, tags=None, scale=None, **profile):
    bands = z if z.ndim == 3 else z[None]
    profile = {"driver": "GTiff", "dtype": bands.dtype, "count": len(bands), **profile}
    with rasterio.open(
        path, "w", height=bands.shape[1], width=bands.shape[2], transform=transform, crs=crs, **profile
    ) as file:
        file.write(bands)
        if unit:
            file.set_band_unit(1, unit)
        if description:
            file.set_band_description(1, description)
        if tags:
            file.update_tags(1, **tags)
        if scale:
            file.scales, file.offsets = (scale[0],), (scale[1],)
    return path


def around(crs=UTM, box=(690_020, 3_960_020, 690_080, 3_960_080)):
    reference = georeference(crs)
    drawn = shapely.box(*box)
    frame = frame_around(reference.lonlat(shapely.get_coordinates(drawn)))
    return frame, frame.project(drawn, reference)


def read(*files, crs=UTM, box=(690_020, 3_960_020, 690_080, 3_960_080), margin_m=100.0):
    frame, site = around(crs, box)
    return read_terrain([f if isinstance(f, DemFile) else DemFile(f) for f in files], frame, site, margin_m)


def codes(terrain):
    return sorted({flag.code for flag in terrain.flags})


def hills(rows=100, columns=100):
    y, x = np.mgrid[:rows, :columns]
    return 250 + 0.05 * x + 3 * np.sin(y / 9)


# Vertical units


@pytest.mark.parametrize(
    ("stated", "name", "metres"),
    [
        ("metre", "metre", 1.0),
        ("m", "metre", 1.0),
        ("Meters", "metre", 1.0),
        ("US survey foot", "US survey foot", 1200 / 3937),
        ("ftUS", "US survey foot", 1200 / 3937),
        ("us_survey_feet", "US survey foot", 1200 / 3937),
        ("foot", "foot", 0.3048),
        ("Feet (NAVD88)", "foot", 0.3048),
        ("cm", "unit of 0.01 m", 0.01),
    ],
)
def test_the_bands_unit_is_used(tmp_path, stated, name, metres):
    z = hills()
    terrain = read(write(tmp_path / "d.tif", z / metres, unit=stated))
    assert (terrain.vertical_unit, terrain.vertical_unit_from) == (name, "band")
    np.testing.assert_allclose(terrain.grid.z_m, z, rtol=1e-12)


def compound(tmp_path, code):
    reference = georeference(code)
    lonlat = np.array([[-87.95, 43.38]])
    x, y = reference.xy(lonlat)[0]
    crs = CRS.from_wkt(pyproj.CRS(code).to_wkt())
    path = write(tmp_path / "d.tif", hills(), Affine(3, 0, x - 150, 0, -3, y + 150), crs)
    return read_terrain([DemFile(path)], frame_around(lonlat), shapely.box(-10, -10, 10, 10), 10)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("EPSG:26916+5703", "metre"),
        ("EPSG:26916+6360", "US survey foot"),
        ("EPSG:26916+8228", "foot"),
        ("EPSG:2289+6360", "US survey foot"),
    ],
)
def test_the_vertical_axis_of_a_compound_crs_is_used(tmp_path, code, name):
    terrain = compound(tmp_path, code)
    assert terrain.vertical_unit == name
    assert terrain.vertical_unit_from in {"crs", "band"}
    assert terrain.grid is not None


def test_a_foot_crs_that_comes_back_in_metres_is_not_believed(tmp_path):
    terrain = compound(tmp_path, "EPSG:8796")
    assert terrain.grid is None or terrain.vertical_unit == "US survey foot"
    if terrain.grid is None:
        assert "ftUS" in terrain.reason


@pytest.mark.parametrize(
    ("description", "tags", "unit"),
    [
        ("elevation (ft)", {}, "foot"),
        ("Elevation in US survey feet", {}, "US survey foot"),
        (None, {"UNITS": "meters"}, "metre"),
        (None, {"vertical_units": "US_survey_foot"}, "US survey foot"),
        (None, {"altunits": "Feet"}, "foot"),
    ],
)
def test_description_and_metadata_tell_the_unit_last(tmp_path, description, tags, unit):
    terrain = read(write(tmp_path / "d.tif", hills(), description=description, tags=tags))
    assert (terrain.vertical_unit, terrain.vertical_unit_from) == (unit, "metadata")


@pytest.mark.parametrize("description", [None, "Band 1", "elevation above m.s.l.", "feet to metres (m) (ft)"])
def test_an_unknown_unit_gives_no_grid(tmp_path, description):
    terrain = read(write(tmp_path / "d.tif", hills(), description=description))
    assert terrain.grid is None
    assert "--dem-units m, ft or us-ft" in terrain.reason
    assert "dem_vertical_unit_unknown" in codes(terrain)
    assert terrain.coverage.area > 9000


def test_units_that_contradict_within_a_file_are_not_guessed(tmp_path):
    crs = CRS.from_wkt(pyproj.CRS("EPSG:26917+5703").to_wkt())
    path = write(tmp_path / "d.tif", hills(), crs=crs, unit="foot")
    terrain = read(path)
    assert terrain.grid is None
    assert "foot" in terrain.reason
    assert "metre" in terrain.reason
    assert read(DemFile(path, units="ft")).vertical_unit == "foot"


def test_a_given_unit_wins_and_is_flagged(tmp_path):
    silent = write(tmp_path / "silent.tif", hills())
    metres = write(tmp_path / "metres.tif", hills(), unit="metre")
    given = read(DemFile(silent, units="ft", units_from="option"))
    assert (given.vertical_unit, given.vertical_unit_from) == ("foot", "option")
    assert codes(given) == ["unit_assumed"]
    assert codes(read(DemFile(silent, units="ft", units_from="catalogue"))) == []
    against = read(DemFile(metres, units="us-ft", units_from="catalogue"))
    assert codes(against) == ["unit_assumed"]
    np.testing.assert_allclose(against.grid.z_m, hills() * 1200 / 3937)
    assert codes(read(DemFile(metres, units="m", units_from="option"))) == []
    with pytest.raises(UnitError, match=r"metres\.tif.*furlong"):
        read(DemFile(metres, units="furlong"))


def test_scale_and_offset_are_honoured(tmp_path):
    stored = np.round((hills() - 200) * 100).astype("int16")
    terrain = read(write(tmp_path / "d.tif", stored, unit="metre", scale=(0.01, 200.0)))
    np.testing.assert_allclose(terrain.grid.z_m, hills(), atol=0.006)
    assert not terrain.whole_units


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


# Tiles


def tiles(tmp_path, size=1.0, shift=0.0, **east):
    z = hills(100, 200)
    west = write(tmp_path / "west.tif", z[:, :100], unit="metre")
    place = Affine(size, 0, 690_100 + shift, 0, -size, 3_960_100)
    metres = 1200 / 3937 if east.get("unit") else 1.0
    return z, west, write(tmp_path / "east.tif", z[:, 100:] / metres, place, **{"unit": "metre", **east})


BOTH = (690_060, 3_960_020, 690_140, 3_960_080)


@pytest.mark.parametrize("size", [1.0, 1.0000000000000349, 1 + 1e-9])
def test_h39_tiles_whose_cells_differ_in_the_last_digits_are_joined(tmp_path, size):
    z, west, east = tiles(tmp_path, size)
    for order in ((west, east), (east, west)):
        np.testing.assert_allclose(read(*order, box=BOTH).grid.z_m, z)


@pytest.mark.parametrize(("size", "shift"), [(1.01, 0.0), (1.0, 0.5), (1.0, 0.01), (2.0, 0.0)])
def test_tiles_off_the_grid_are_refused(tmp_path, size, shift):
    _, west, east = tiles(tmp_path, size, shift)
    with pytest.raises(InputError, match="not on one grid"):
        read(west, east, box=BOTH)


def test_tiles_of_another_crs_are_refused_but_another_name_is_not(tmp_path):
    _, west, east = tiles(tmp_path, crs="EPSG:26916")
    frame, site = around(UTM, BOTH)
    reference = georeference("EPSG:26916")
    assert np.isfinite(reference.xy(frame.to_lonlat(shapely.get_coordinates(site)))).all()
    terrain = read(west, east, box=BOTH)
    assert "east.tif" not in terrain.flags[-1].layer
    z, west, east = tiles(tmp_path, crs="EPSG:6346")
    np.testing.assert_allclose(read(west, east, box=BOTH).grid.z_m, z)


def test_h34_tiles_in_different_units_are_each_read_in_their_own(tmp_path):
    z, west, east = tiles(tmp_path, unit="US survey foot")
    terrain = read(west, east, box=BOTH)
    np.testing.assert_allclose(terrain.grid.z_m, z)
    assert codes(terrain) == ["dem_tiles_units_differ"]
    assert terrain.vertical_unit == "metre and US survey foot"
    assert len(terrain.sources) == 2


def test_tiles_that_do_not_fit_are_told(tmp_path):
    z, west, east = tiles(tmp_path)
    write(east, z[:, 100:] + 0.5, Affine(1, 0, 690_100, 0, -1, 3_960_100), unit="metre")
    terrain = read(west, east, box=BOTH)
    assert codes(terrain) == ["dem_seam"]
    assert "1.64 ft" in terrain.flags[0].text
    # Feet that claim to be metres: nothing is told from them.
    write(east, z[:, 100:] / 0.3048, Affine(1, 0, 690_100, 0, -1, 3_960_100), unit="metre")
    terrain = read(west, east, box=BOTH)
    assert (terrain.grid, terrain.source) == (None, None)
    assert "feet and metres" in terrain.reason


def test_resampled_heights_are_told(tmp_path):
    rough = hills(50, 50) + np.random.default_rng(1).normal(0, 0.2, (50, 50))
    terrain = read(write(tmp_path / "d.tif", rough.repeat(2, 0).repeat(2, 1), unit="metre"))
    assert codes(terrain) == ["dem_stairs"]


def test_one_tile_of_unknown_unit_spoils_the_grid_only_where_it_is_used(tmp_path):
    _, west, _ = tiles(tmp_path)
    silent = write(tmp_path / "silent.tif", hills(), Affine(1, 0, 690_100, 0, -1, 3_960_100))
    assert read(west, silent, box=BOTH).grid is None
    assert read(west, silent, box=(690_020, 3_960_020, 690_060, 3_960_080), margin_m=10).grid is not None


def test_a_gap_between_tiles_is_void(tmp_path):
    _, west, _ = tiles(tmp_path)
    far = write(tmp_path / "far.tif", hills(), Affine(1, 0, 690_120, 0, -1, 3_960_100), unit="metre")
    terrain = read(west, far, box=BOTH)
    assert np.isnan(terrain.grid.z_m[:, 100:120]).all()
    assert "dem_not_covering" in codes(terrain)


def test_where_tiles_overlap_the_first_with_a_value_counts(tmp_path):
    first, second = hills(), hills() + 7
    first[:, :50] = np.nan
    one = write(tmp_path / "one.tif", first, unit="metre")
    two = write(tmp_path / "two.tif", second, unit="metre")
    z = read(one, two).grid.z_m
    np.testing.assert_allclose(z[:, :50], second[:, :50])
    np.testing.assert_allclose(z[:, 50:], first[:, 50:])


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
