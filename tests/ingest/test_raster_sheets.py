"""Pictures of sheets: resolution tags of every kind, places of every kind, and nothing assumed."""

import math
import struct
import warnings

import numpy as np
import pytest
import rasterio
from PIL import Image
from rasterio import Affine
from rasterio.control import GroundControlPoint
from rasterio.errors import NotGeoreferencedWarning

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.plan.vectors import read_plan
from siteplan_gis.ingest.sheets.raster_sheets import read_picture
from siteplan_gis.measures.sheets.scale import settled_scale
from siteplan_gis.model.comparison import compare
from siteplan_gis.pipeline import Inputs, measure_inputs

FEET = "EPSG:2289"  # Wisconsin South, survey feet
METRES = "EPSG:26916"


def north_up(west, north, pixel):
    return Affine(pixel, 0, west, 0, -pixel, north)


def tiff(path, pixel, resolution=None, unit=2, *, crs=FEET, size=(400, 300), dtype="uint8", transform=None, gcps=None):
    wide, high = size
    placed = transform or north_up(2_500_000, 400_000, pixel)
    settings = {"gcps": gcps, "crs": crs} if gcps else {"crs": crs, "transform": placed}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(
            path, "w", driver="GTiff", width=wide, height=high, count=1, dtype=dtype, **settings
        ) as file:
            file.write(np.zeros((1, high, wide), dtype=dtype))
            if resolution is not None:
                file.update_tags(
                    TIFFTAG_XRESOLUTION=str(resolution),
                    TIFFTAG_YRESOLUTION=str(resolution),
                    TIFFTAG_RESOLUTIONUNIT=str(unit),
                )
    return path


def scale_of(path, **settings):
    (sheet,) = read_picture(path, path.name, **settings)
    return sheet, settled_scale(sheet)


@pytest.mark.parametrize(("resolution", "unit"), [(300, 2), (300 / 2.54, 3)], ids=["to the inch", "to the centimetre"])
def test_units_of_resolution(tmp_path, resolution, unit):
    sheet, scale = scale_of(tiff(tmp_path / "a.tif", 1 / 6, resolution, unit))
    assert scale.printed == pytest.approx(50, rel=3e-4)
    assert (sheet.width_in, sheet.height_in) == pytest.approx((400 / 300, 1.0), rel=1e-5)
    assert "picture" in sheet.notes[0]


@pytest.mark.parametrize(
    ("resolution", "unit", "why"),
    [
        (None, 2, "no resolution tag"),
        (300, 1, "no unit"),
        (0, 2, "no number above zero"),
        (1, 2, "larger than plan paper"),
    ],
)
def test_no_resolution_is_made_up(tmp_path, resolution, unit, why):
    sheet, scale = scale_of(tiff(tmp_path / "a.tif", 1 / 6, resolution, unit))
    assert (scale.printed, sheet.width_in) == (None, None)
    assert why in " ".join(sheet.notes)


@pytest.mark.parametrize(("pixel", "holds"), [(0.3330, True), (1 / 3, None), (0.3337, False)])
def test_at_the_limit(tmp_path, pixel, holds):
    _, scale = scale_of(tiff(tmp_path / "a.tif", pixel, 300))
    assert compare(scale.printed, "<=", 100.0, scale.plus_minus) is holds


def test_pixels_in_metres_turned_and_in_degrees(tmp_path):
    pixel = 50 / 300 * 0.3048
    _, scale = scale_of(tiff(tmp_path / "m.tif", pixel, 300, crs=METRES, transform=north_up(430_000, 4_770_000, pixel)))
    assert scale.printed == pytest.approx(50, rel=5e-4)
    turned = Affine(
        pixel * math.cos(0.5), pixel * math.sin(0.5), 430_000, pixel * math.sin(0.5), -pixel * math.cos(0.5), 4_770_000
    )
    _, scale = scale_of(tiff(tmp_path / "t.tif", pixel, 300, crs=METRES, transform=turned))
    assert scale.printed == pytest.approx(50, rel=5e-4)
    _, scale = scale_of(tiff(tmp_path / "d.tif", 1e-6, 300, crs="EPSG:4326", transform=north_up(-88, 43, 1e-6)))
    # A degree of longitude is shorter: such a picture has no one scale, and the doubt says so.
    assert scale.plus_minus > 0.1 * scale.printed


def test_another_datum_does_not_matter_for_a_length(tmp_path):
    _, scale = scale_of(tiff(tmp_path / "a.tif", 1 / 6, 300, crs="EPSG:32054"))
    assert scale.printed == pytest.approx(50, rel=5e-4)


def test_ground_control_points(tmp_path):
    pixel = 50 / 300 * 0.3048
    corners = [(0, 0), (0, 400), (300, 400), (300, 0)]
    points = [GroundControlPoint(row, col, 430_000 + col * pixel, 4_770_000 - row * pixel) for row, col in corners]
    _, scale = scale_of(tiff(tmp_path / "a.tif", pixel, 300, crs=METRES, gcps=points))
    assert scale.printed == pytest.approx(50, rel=5e-4)


@pytest.mark.parametrize(("suffix", "world"), [(".png", ".pgw"), (".jpg", ".jgw"), (".tif", ".tfw")])
def test_world_file(tmp_path, suffix, world):
    path = tmp_path / f"C-1{suffix}"
    Image.new("L", (3000, 2400)).save(path, dpi=(300, 300))
    sheet, scale = scale_of(path)
    assert scale.printed is None
    assert "not placed" in " ".join(sheet.notes)
    path.with_suffix(world).write_text(f"{1 / 6}\n0\n0\n{-1 / 6}\n2500000\n400000\n")
    sheet, scale = scale_of(path)
    assert scale.printed is None
    assert "unit of its pixels is not known" in " ".join(sheet.notes)
    _, scale = scale_of(path, crs=FEET)
    assert scale.printed == pytest.approx(50, rel=5e-4)
    sheet, scale = scale_of(path, crs=METRES)
    assert scale.printed is None
    assert "far outside the area of EPSG:26916" in " ".join(sheet.notes)


def test_coordinate_system_from_the_manifest_or_the_command_line(tmp_path):
    Image.new("L", (3000, 2400)).save(tmp_path / "C-1.png", dpi=(300, 300))
    (tmp_path / "C-1.pgw").write_text(f"{1 / 6}\n0\n0\n{-1 / 6}\n2500000\n400000\n")
    measured, _ = measure_inputs(Inputs((tmp_path,), assume_crs=FEET))
    assert measured["feet_per_inch[C-1]"].value == pytest.approx(50, rel=5e-4)
    (tmp_path / "siteplan.toml").write_text(f'[[sheet]]\nname = "C-1"\nfile = "C-1.png"\ncrs = "{FEET}"\n')
    measured, _ = measure_inputs(Inputs((tmp_path,)))
    assert measured["feet_per_inch[C-1]"].value == pytest.approx(50, rel=5e-4)


def test_default_of_a_library_is_no_resolution(tmp_path):
    path = tmp_path / "a.jpg"
    Image.new("L", (3000, 2400)).save(path)
    with Image.open(path) as image:
        exif = image.getexif()
        exif[0x9003] = "2026:01:01 00:00:00"
        image.save(tmp_path / "b.jpg", exif=exif)
    Image.new("L", (3000, 2400)).save(tmp_path / "c.png")
    Image.new("L", (3000, 2400)).save(tmp_path / "d.tif")
    for name in ("a.jpg", "b.jpg", "c.png", "d.tif"):
        (sheet,) = read_picture(tmp_path / name, name)
        assert sheet.width_in is None, name
        assert "resolution" in " ".join(sheet.notes), name


def test_png_whose_pixels_have_a_shape_but_no_size(tmp_path):
    path = tmp_path / "a.png"
    Image.new("L", (3000, 2400)).save(path, dpi=(300, 300))
    data = path.read_bytes()
    at = data.index(b"pHYs")
    import zlib

    chunk = b"pHYs" + struct.pack(">IIB", 11811, 11811, 0)
    path.write_bytes(data[:at] + chunk + struct.pack(">I", zlib.crc32(chunk)) + data[at + 17 :])
    (sheet,) = read_picture(path, path.name)
    assert sheet.width_in is None


@pytest.mark.parametrize("dtype", ["float32", "int16", "float64"])
def test_an_elevation_model_is_no_sheet(tmp_path, dtype):
    with pytest.raises(InputError, match="not a picture of a sheet; give elevation models with --dem"):
        read_plan([tiff(tmp_path / "dem.tif", 1.0, dtype=dtype)])


@pytest.mark.parametrize("content", [b"", b"II*\0", b"\x89PNG\r\n\x1a\n", b"MZ"])
@pytest.mark.parametrize("suffix", [".tif", ".png", ".jpg"])
def test_damaged_pictures_are_refused_in_one_line(tmp_path, suffix, content):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_plan([path])
    assert "\n" not in str(caught.value)


def test_photographs_beside_a_plan_are_no_sheets(tmp_path):
    Image.new("RGB", (640, 480)).save(tmp_path / "site visit.jpg", dpi=(96, 96))
    tiff(tmp_path / "C-1.tif", 1 / 6, 300)
    plan, _ = read_plan([tmp_path])
    assert [sheet.name for sheet in plan.sheets] == ["C-1"]
    assert any(flag.code == "file_ignored" and "site visit.jpg" in flag.text for flag in plan.flags)
