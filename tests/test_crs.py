from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import rasterio
from geographiclib.geodesic import Geodesic
from pyproj import CRS
from pyproj.enums import WktVersion
from rasterio.windows import Window

from siteplan_gis.crs import ONE_DATUM_TOLERANCE_M, georeference
from siteplan_gis.errors import CrsError

GRIDS = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "proj_grids"
US_FOOT = 1200 / 3937
SAUKVILLE = np.array([[-87.9446, 43.3814]])

ESRI_FOOT_US = (
    'PROJCS["NAD_1983_StatePlane_North_Carolina_FIPS_3200_Feet",GEOGCS["GCS_North_American_1983",'
    'DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],'
    'UNIT["Degree",0.0174532925199433]],PROJECTION["Lambert_Conformal_Conic"],PARAMETER["False_Easting",2000000.002616666],'
    'PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-79.0],PARAMETER["Standard_Parallel_1",34.33333333333334],'
    'PARAMETER["Standard_Parallel_2",36.16666666666666],PARAMETER["Latitude_Of_Origin",33.75],'
    'UNIT["Foot_US",0.3048006096012192]]'
)
_UTM, _AXES = CRS.from_epsg(26916).to_wkt(WktVersion.WKT2_2019).split("CS[Cartesian", 1)
LINK_WKT2 = f"{_UTM}CS[Cartesian" + _AXES.replace('LENGTHUNIT["metre",1]', 'LENGTHUNIT["link",0.201168]')


@pytest.mark.parametrize(
    ("definition", "metres"),
    [("EPSG:2264", US_FOOT), ("EPSG:2273", 0.3048), ("EPSG:6512", 1.0), (ESRI_FOOT_US, US_FOOT), (LINK_WKT2, 0.201168),
     ("EPSG:2289", US_FOOT), ("EPSG:7613", US_FOOT), ("ESRI:103419", US_FOOT), ("EPSG:3071", 1.0), ("EPSG:4269", None),
     ("EPSG:6318+5703", None), ("EPSG:6512+6360", 1.0)],
)  # fmt: skip
def test_the_foot_comes_from_the_unit_factor_never_from_a_name(definition: str, metres: float | None) -> None:
    found = georeference(definition).metres_per_unit
    assert found == (None if metres is None else pytest.approx(metres, rel=1e-12))


@pytest.mark.parametrize("epsg", [2289, 6609, 7613, 3071, 26916, 5070, 3857, 4326, 4269, 2053])
def test_there_and_back(epsg: int) -> None:
    place = np.array([[25.0, -29.0]]) if epsg == 2053 else SAUKVILLE
    here = georeference(f"EPSG:{epsg}")
    assert here.lonlat(here.xy(place)) == pytest.approx(place, abs=1e-10)
    turned = georeference(f"EPSG:{epsg}", "yx")
    assert turned.xy(place)[0].tolist() == here.xy(place)[0][::-1].tolist()
    assert turned.lonlat(turned.xy(place)) == pytest.approx(place, abs=1e-10)


@pytest.mark.parametrize(("one", "other"), [("EPSG:3071", "EPSG:6610"), ("EPSG:4269", "EPSG:6318"),
                                            ("EPSG:8206", "EPSG:7594"), ("EPSG:26916", "EPSG:6345"),
                                            ("EPSG:26916", "EPSG:32616")])  # fmt: skip
def test_the_same_numbers_in_two_realisations_are_the_same_place(one: str, other: str) -> None:
    numbers = georeference(one).xy(SAUKVILLE)
    east, north = georeference(other).lonlat(numbers)[0]
    geodesic = Geodesic(6378137, 1 / 298.257222101)
    assert geodesic.Inverse(SAUKVILLE[0, 1], SAUKVILLE[0, 0], north, east)["s12"] < 0.001
    assert georeference(one).datum_tolerance_m == ONE_DATUM_TOLERANCE_M == 1.5


@pytest.mark.parametrize(
    "definition", ["", "banana", "EPSG:999999", "wisconsin", None, 0, "+proj=nothing", "PROJCS[", "@/etc/passwd"]
)
def test_what_is_no_crs_is_refused(definition: object) -> None:
    with pytest.raises(CrsError, match="is not a coordinate system"):
        georeference(definition)


@pytest.mark.parametrize(
    ("definition", "says"),
    [
        ('LOCAL_CS["site grid",UNIT["foot",0.3048]]', "local or unusual"),
        ('ENGCRS["x",EDATUM["y"],CS[Cartesian,2],AXIS["(E)",east],AXIS["(N)",north],LENGTHUNIT["metre",1]]', "local"),
        ("EPSG:4978", "local or unusual"),
        ("EPSG:5703", "local or unusual"),
        ("EPSG:4807", "Greenwich"),
        ("EPSG:27572", "Greenwich"),
        ("+proj=longlat +datum=WGS84 +pm=paris", "Greenwich"),
        ("+proj=ob_tran +o_proj=longlat +o_lon_p=0 +o_lat_p=45 +lon_0=10 +ellps=GRS80", "plain longitude"),
        ("EPSG:27700", "another datum"),
        ("+proj=utm +zone=16 +ellps=clrk66", "another datum"),
        ("+proj=utm +zone=16 +ellps=clrk66 +towgs84=-8,160,176", "another datum"),
        ("EPSG:3785", "another datum"),
    ],
)
def test_what_is_not_tied_to_the_one_datum_is_refused(definition: str, says: str) -> None:
    with pytest.raises(CrsError, match=says):
        georeference(definition)


METHOD = (
    'PROJCRS["a",BASEGEOGCRS["b",DATUM["c",ELLIPSOID["GRS 1980",6378137,298.257222101]]],CONVERSION["d",{}],'
    'CS[Cartesian,2],AXIS["e",east],AXIS["n",north],LENGTHUNIT["metre",1]]'
)
WKT1 = CRS.from_epsg(26916).to_wkt("WKT1_GDAL")[:-1]


@pytest.mark.parametrize(
    "definition",
    [
        "+init={}:1",
        "+proj=longlat +ellps=GRS80 +nadgrids=@null,{} +type=crs",
        "+proj=utm +zone=16 +ellps=GRS80 +geoidgrids={} +type=crs",
        "+proj=hgridshift +grids={} +type=crs",
        "proj = deformation grids = {} dt=1 type=crs",
        "+proj=defmodel +model={} +type=crs",
        "+proj=tinshift +file={} +type=crs",
        "+proj=ob_tran +o_proj=xyzgridshift +grids={} +type=crs",
        "+proj=pipeline +step +init={}:1 +type=crs",
        '{{"proj": "hgridshift", "grids": "{}"}}',
        '{{"proj": "hgridshift", "\\u0067rids": "{}"}}',
        WKT1 + ',EXTENSION["PROJ4","+proj=hgridshift +grids={}"]]',
        METHOD.format('METHOD["PROJ hgridshift +grids={}"]'),
        METHOD.format('METHOD["PROJ-based operation method: +proj=pipeline +step +proj=tinshift +file={}"]'),
        METHOD.format('METHOD["PROJ hgridshift"],PARAMETERFILE["grids","{}"]'),
    ],
)
@pytest.mark.parametrize("form", ["%s", " %s"])
def test_no_definition_opens_a_file(tmp_path: Path, definition: str, form: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # whoever opens it waits for ever
    with pytest.raises(CrsError, match=r"names a file to compute with|is not a coordinate system"):
        georeference(form % definition.format(pipe))


def test_definitions_that_name_files_as_old_programs_write_them() -> None:
    assert georeference("+init=epsg:3071").name == "EPSG:3071"
    mercator = (
        'EXTENSION["PROJ4","+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +units=m +nadgrids=@null +no_defs"]'
    )
    assert mercator[:40] in CRS.from_epsg(3857).to_wkt("WKT1_GDAL")
    assert georeference(CRS.from_epsg(3857).to_wkt("WKT1_GDAL")).name == "EPSG:3857"


@pytest.mark.parametrize("deep", ['{"type":"BoundCRS","source_crs":', '{"a":', "[", "PROJCS[", 'COMPOUNDCRS["a",'])
@pytest.mark.parametrize("times", [300, 3000, 100_000])
def test_a_deep_definition_is_one_line(deep: str, times: int) -> None:
    with pytest.raises(CrsError, match=r"is not a coordinate system|more than 20,000 letters"):
        georeference(deep * times)


def test_the_longest_definition() -> None:
    name = CRS.from_epsg(26916).to_wkt().replace("NAD83 / UTM zone 16N", "{}", 1)
    left = 20_000 - len(name) + 2
    assert georeference(name.format("x" * left)).metres_per_unit == 1.0
    with pytest.raises(CrsError, match="more than 20,000 letters"):
        georeference(name.format("x" * (left + 1)))


def test_degrees_that_are_grads_are_refused() -> None:
    grads = (
        CRS.from_epsg(4269).to_wkt().replace('ANGLEUNIT["degree",0.0174532925199433]', 'ANGLEUNIT["grad",0.015707963]')
    )
    with pytest.raises(CrsError, match="plain longitude"):
        georeference(grads)


def test_an_unknown_datum_is_said_and_not_given_a_code() -> None:
    here = georeference("+proj=tmerc +lat_0=0 +lon_0=-90 +k=0.9996 +x_0=520000 +y_0=-4480000 +ellps=GRS80 +units=m")
    assert not here.name.startswith("EPSG")
    assert "names no datum" in here.notes[0]
    # Wisconsin TM with its datum left out is Wisconsin TM.
    assert here.lonlat(georeference("EPSG:3071").xy(SAUKVILLE)) == pytest.approx(SAUKVILLE, abs=1e-9)


def _in_new_process(code: str, **environment: str) -> str:
    clean = {name: value for name, value in os.environ.items() if name != "SITEPLAN_PROJ_GRIDS"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=clean | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


NAD27 = """
import numpy as np
from siteplan_gis.crs import georeference
from siteplan_gis.errors import CrsError
for name in ("EPSG:32054", "EPSG:26716", "EPSG:4267"):
    try:
        place = georeference(name)
    except CrsError as error:
        print(error)
    else:
        print(name, place.datum_tolerance_m, *place.lonlat(place.xy(np.array([[-87.9446, 43.3814]])))[0].round(8))
        if name == "EPSG:4267":
            print(*place.lonlat(np.array([[-87.9446, 43.3814]]))[0])
"""


def test_nad27_without_its_grid_is_refused_in_one_line_without_a_warning() -> None:
    lines = _in_new_process(NAD27).splitlines()
    assert len(lines) == 3
    assert all("another datum (NAD27)" in line and "us_noaa_conus.tif" in line for line in lines)
    assert all("SITEPLAN_PROJ_GRIDS" in line for line in lines)


@pytest.mark.skipif(not GRIDS.is_dir(), reason="no shift grids beside the project")
def test_nad27_with_its_grid_is_shifted() -> None:
    lines = _in_new_process(NAD27, SITEPLAN_PROJ_GRIDS=str(GRIDS)).splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [
        [name, "1.65"] for name in ("EPSG:32054", "EPSG:26716", "EPSG:4267")
    ]
    for line in lines[:3]:
        assert [float(part) for part in line.split()[2:]] == pytest.approx([-87.9446, 43.3814], abs=1e-7)
    # The shift itself, read from the grid by hand: seconds of latitude and of longitude, bilinear between its nodes.
    with rasterio.open(GRIDS / "us_noaa_conus.tif") as grid:
        column = (-87.9446 - grid.transform.c) / grid.transform.a
        row = (43.3814 - grid.transform.f) / grid.transform.e
        left, top = int(column - 0.5), int(row - 0.5)
        corners = grid.read([1, 2], window=Window(left, top, 2, 2))
    across, down = column - 0.5 - left, row - 0.5 - top
    weights = np.outer([1 - down, down], [1 - across, across])
    northward, eastward = (corners * weights).sum(axis=(1, 2)) / 3600
    assert [float(part) for part in lines[3].split()] == pytest.approx(
        [-87.9446 + eastward, 43.3814 + northward], abs=1e-9
    )
    assert abs(eastward) > 1e-5
