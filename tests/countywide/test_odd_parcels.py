"""Parcels that maps end on, that lie in pieces, or are none: each gives an answer or one line that says why not."""

from pathlib import Path

import geopandas as gpd
import pytest
import shapely
from typer.testing import CliRunner

from siteplan_gis.cli import app
from siteplan_gis.countywide.many import screen_many
from siteplan_gis.countywide.one import ParcelsAsked
from siteplan_gis.model.screening import Asked
from siteplan_gis.report.parcel_table import read_parts

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ROOT / "layers" / "saukville"
EAST = -87.93506
"""Where the invented elevations end."""


def square(lon, lat, side=0.001):
    return shapely.box(lon - side / 2, lat - side / 2, lon + side / 2, lat + side / 2)


ODD = {
    "whole": square(-87.945, 43.38),
    "dem edge": square(EAST, 43.38, 0.004),
    "beyond dem": square(EAST + 0.01, 43.38),
    "two municipalities": square(-87.9557, 43.312, 0.004),
    "beyond the state": square(-86.8, 43.4),
    "in parts": shapely.MultiPolygon([square(-87.945, 43.38), square(-87.941, 43.381)]),
    "a thread": shapely.Polygon([(-87.945, 43.38), (-87.940, 43.38), (-87.940, 43.3800005)]),
    "a speck": square(-87.945, 43.38, 1e-6),
    "crossed": shapely.Polygon([(-87.945, 43.38), (-87.944, 43.381), (-87.944, 43.38), (-87.945, 43.381)]),
    "far apart": shapely.MultiPolygon([square(-87.945, 43.38), square(-86.0, 43.385)]),
    "beyond the pole": shapely.box(-88, 90.5, -87.9, 90.6),
    "no degrees": shapely.box(-88, 8e36, -87, 9e36),
    "twice round": shapely.box(632.05, 43.38, 632.06, 43.39),
    "over all": shapely.box(-1e300, -1e300, 1e300, 1e300),
    "nothing": None,
    "a line": shapely.LineString([(-87.945, 43.38), (-87.944, 43.381)]),
    "elsewhere": square(110, 35),
}


def rows_of(path, work):
    given = ParcelsAsked(path, LAYERS, invented=True, asked=Asked(runoff=False))
    found = [row for part in read_parts(screen_many(given, work).parts) for row in part.to_pylist()]
    return {row["parcel"]: row for row in found}


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    gpd.GeoDataFrame({"PARCELID": list(ODD)}, geometry=list(ODD.values()), crs=4326).to_file(folder / "odd.gpkg")
    return rows_of(folder / "odd.gpkg", folder / "work")


def test_each_is_a_row_with_an_answer_or_a_reason(odd):
    assert set(odd) == set(ODD)
    out = {name: row["reason"] for name, row in odd.items() if row["state"] != "screened"}
    assert out == {
        "far apart": "it reaches too far to be one parcel",
        "nothing": "it has no geometry",
        "a line": "it is no area",
        "beyond the pole": "it has no place on the earth",
        "no degrees": "it has no place on the earth",
        "twice round": "it has no place on the earth",
        "over all": "its geometry cannot be read",
    }


def test_ground_that_nobody_looked_at_is_not_left_to_build_on(odd):
    assert odd["whole"]["buildable_acres"] == pytest.approx(odd["whole"]["acres"])
    for name, words in (
        ("dem edge", "acres have no elevation"),
        ("beyond dem", "the elevation model has no values there"),
        ("beyond the state", "the elevation data lie elsewhere"),
        ("elsewhere", "the elevation data lie elsewhere"),
    ):
        assert odd[name]["buildable_acres"] is None, name
        assert words in odd[name]["not_known"], name


def test_parcels_of_two_places_or_of_none(odd):
    assert odd["two municipalities"]["governed_by"].startswith("GRAFTON (town) 50 %; GRAFTON (village) 50 %")
    for name in ("beyond the state", "elsewhere"):
        assert odd[name]["governed_by"] == "unincorporated, or outside the boundary layer"
        assert odd[name]["waters_within_one_mile"] is None
    assert odd["in parts"]["acres"] == pytest.approx(2 * odd["whole"]["acres"], rel=1e-3)
    assert odd["crossed"]["acres"] == pytest.approx(odd["whole"]["acres"] / 2, rel=1e-3)


@pytest.mark.parametrize("crs", [2288, 3070])
def test_parcels_in_feet_and_in_metres_are_the_same(odd, tmp_path, crs):
    names = ["whole", "dem edge", "in parts"]
    frame = gpd.GeoDataFrame({"PARCELID": names}, geometry=[ODD[name] for name in names], crs=4326)
    frame.to_crs(crs).to_file(tmp_path / "p.gpkg")
    for name, row in rows_of(tmp_path / "p.gpkg", tmp_path / "work").items():
        for column in ("acres", "nearest_water_ft", "steep_acres", "buildable_acres"):
            if odd[name][column] is None:
                assert row[column] is None
            else:
                assert row[column] == pytest.approx(odd[name][column], rel=1e-6, abs=0.01), (name, column)


def test_a_place_outside_of_every_parcel_is_one_line():
    done = CliRunner().invoke(app, ["prescreen", "--layers", str(LAYERS), "--at=-88.5,43.0"])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "no parcel lies at -88.500000, 43.000000" in done.stderr
