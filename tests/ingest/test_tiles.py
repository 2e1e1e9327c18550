"""Tiles of one grid."""

import numpy as np
import pytest
import shapely
from affine import Affine

from siteplan_gis.crs import georeference
from siteplan_gis.errors import InputError
from tests.ingest.dems import UTM, around, codes, hills, read, write


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
