"""Units of elevations: what the file tells, what is given, and what contradicts."""

import numpy as np
import pyproj
import pytest
import shapely
from affine import Affine
from rasterio.crs import CRS

from siteplan_gis.crs import georeference
from siteplan_gis.errors import UnitError
from siteplan_gis.frame import frame_around
from siteplan_gis.ingest.elevation.terrain import DemFile, read_terrain
from tests.ingest.dems import codes, hills, read, write


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
