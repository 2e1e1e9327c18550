"""Ground that drains to a place, against arithmetic on planes, cones and valleys, and against GRASS."""

from __future__ import annotations

import subprocess
import time

import numpy as np
import pytest
import rasterio
import shapely
import shapely.affinity
from affine import Affine
from shapely import LineString, Point, box

from siteplan_gis.crs import georeference
from siteplan_gis.frame import frame_around
from siteplan_gis.measures.runoff.catchments import contributing_area, upslope_area
from siteplan_gis.measures.runoff.channels import find_channels
from siteplan_gis.measures.runoff.downslope import drainage_length, ways_to
from siteplan_gis.measures.runoff.drainage_field import receivers
from siteplan_gis.measures.runoff.ground import condition_around
from siteplan_gis.measures.runoff.routing import route
from siteplan_gis.model.terrain import ElevationGrid

HERE = Point(0, 0)
AZIMUTHS = [0, 10, 22.5, 30, 45, 60, 77, 135, 200, 301]


def runoff_of(grid, reach=300.0, barrier=0.5, sinks=()):
    return route(receivers(condition_around(grid, HERE, reach, sinks=sinks), barrier))


def ridge(azimuth, percent=5.0, crest=95.0):
    """A plane that falls towards an azimuth from a crest so many metres up from the middle."""
    down = np.radians(azimuth)

    def z(x, y):
        along = x * np.sin(down) + y * np.cos(down)
        return 100 + percent / 100 * (crest - np.abs(along + crest))

    return z


def valley(x, y):
    """Sides of 5 % to crests 100 m off, a bottom of 2 % northward, and a crest across 100 m south."""
    return 100 + 0.05 * np.minimum(np.abs(x), 200 - np.abs(x)) - 0.02 * (np.abs(y + 100) - 100)


def turned(shape, azimuth):
    return shapely.affinity.rotate(shape, -azimuth, origin=(0, 0))


# --- contributing area ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_a_pond_on_a_plane_has_the_strip_above_it(ground, azimuth, cell):
    """60 m wide, 30 m along the fall line; the crest lies 80 m above it: 60 x 110 m."""
    runoff = runoff_of(ground(ridge(azimuth), half_m=160, cell=(cell, cell)))
    found = contributing_area(runoff, turned(box(-30, -15, 30, 15), azimuth))
    exact = turned(box(-30, -95, 30, 15), azimuth)
    assert found.own_m2 == pytest.approx(1800)
    assert abs(found.area_m2 - 6600) <= found.plus_minus_m2
    # The rim, and 5 m or 1.5 cells beside the pond and the strip above it.
    assert found.plus_minus_m2 < 340 * cell * 0.8 + 2 * (max(1.5 * cell, 5) + cell) * 125
    assert found.area_m2 == pytest.approx(6600, rel=0.03 * max(cell, 1))
    assert found.polygon.symmetric_difference(exact).area < 340 * cell
    assert (found.at_least, found.reason) == (False, "")


@pytest.mark.parametrize(("cell", "noise_m"), [(1.0, 0.03), (1.0, 0.1), (2.0, 0.03)])
@pytest.mark.parametrize("azimuth", [0, 20, 45, 70])
def test_noise_stays_within_the_doubt(ground, azimuth, cell, noise_m):
    """Noise in every cell of a 5 % plane draws more water to a pond, and bends the way from a pile to a road."""
    size = round(320 / cell)
    noise = np.random.default_rng(azimuth).normal(0, noise_m, (size, size))
    rough = ground(lambda x, y: ridge(azimuth)(x, y) + noise, half_m=160, cell=(cell, cell))
    runoff = runoff_of(rough)
    found = contributing_area(runoff, turned(box(-30, -15, 30, 15), azimuth))
    assert abs(found.area_m2 - 6600) <= found.plus_minus_m2
    road = turned(LineString([(-90, 40), (90, 40)]), azimuth)
    way = drainage_length(ways_to(runoff, [road]), turned(box(-15, -40, 15, -20), azimuth))
    assert abs(way.length_m - 60) <= way.plus_minus_m


@pytest.mark.parametrize("cell", [1.0, 3.0, 10.0])
def test_all_of_a_cone_drains_through_a_ring_around_it(ground, cell):
    runoff = runoff_of(ground(lambda x, y: 100 - 0.1 * np.hypot(x, y), half_m=150, cell=(cell, cell)))
    ring = HERE.buffer(100, quad_segs=64)
    found = contributing_area(runoff, ring.exterior)
    assert abs(found.area_m2 - np.pi * 100**2) <= found.plus_minus_m2
    assert found.area_m2 == pytest.approx(np.pi * 100**2, rel=0.015 * cell)
    sector = shapely.Polygon([(0, 0), (0, 200), (200, 0)]).intersection(ring.buffer(1) - ring.buffer(-cell))
    quarter = contributing_area(runoff, sector)
    assert quarter.area_m2 == pytest.approx(np.pi * 101**2 / 4, rel=0.04 + 0.008 * cell)


@pytest.mark.parametrize("cell", [1.0, 3.0])
@pytest.mark.parametrize("north", [-20.0, 50.0, 120.0])
def test_a_place_in_a_valley_has_the_sides_above_it(ground, cell, north):
    """Water of the sides gains 0.4 m northward a metre: (north + 100) x 200 m less 0.4 x 100 x 100 m2."""
    runoff = runoff_of(ground(valley, half_m=160, cell=(cell, cell)))
    found = contributing_area(runoff, LineString([(-1.5 * cell, north), (1.5 * cell, north)]))
    exact = (north + 100) * 200 - 0.4 * (100 - 1.5 * cell) ** 2
    assert found.area_m2 == pytest.approx(exact, rel=0.025 * cell)
    assert abs(found.area_m2 - exact) <= found.plus_minus_m2
    assert not found.at_least


def test_ground_at_the_edge_of_the_data_makes_a_lower_bound(ground):
    runoff = runoff_of(ground(ridge(0, crest=400), half_m=150))
    found = contributing_area(runoff, box(-20, -20, 20, 20))
    assert found.at_least
    assert "lower bound" in found.reason
    assert found.area_m2 == pytest.approx(40 * 170, rel=0.03)


def test_a_crest_just_inside_the_data_is_no_lower_bound(ground):
    runoff = runoff_of(ground(ridge(0, crest=148), half_m=150))
    assert not contributing_area(runoff, box(-20, -20, 20, 20)).at_least


def test_a_hole_in_the_data_above_makes_a_lower_bound(ground):
    def torn(x, y):
        return np.where(np.hypot(x, y + 60) < 5, np.nan, ridge(0)(x, y))

    found = contributing_area(runoff_of(ground(torn, half_m=150)), box(-20, -20, 20, 20))
    assert found.at_least


def test_a_place_without_elevation_has_no_area(ground):
    found = contributing_area(runoff_of(ground(ridge(0), half_m=150)), Point(500, 0))
    assert found.area_m2 is None
    assert found.reason == "it lies where there is no elevation"


def test_a_place_partly_beyond_the_data_has_a_lower_bound(ground):
    found = contributing_area(runoff_of(ground(ridge(0), half_m=150)), box(100, -20, 200, 20))
    assert found.at_least
    assert found.own_m2 == 4000


def test_two_catchments_make_one(ground):
    runoff = runoff_of(ground(ridge(33), half_m=150))
    left = contributing_area(runoff, turned(box(-60, -5, 0, 5), 33))
    right = contributing_area(runoff, turned(box(0, -5, 60, 5), 33))
    both = contributing_area(runoff, turned(box(-60, -5, 60, 5), 33))
    # A way that runs down the common side may touch both.
    assert left.polygon.intersection(right.polygon).area < both.plus_minus_m2
    assert left.area_m2 + right.area_m2 - left.polygon.intersection(right.polygon).area == pytest.approx(both.area_m2)


# --- ground upslope ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_a_plane_above_comes_in_as_a_sheet(ground, azimuth):
    """80 m of slope above 60 m of boundary; 20 m of it on the site."""
    runoff = runoff_of(ground(ridge(azimuth), half_m=160))
    disturbed, site = turned(box(-30, -15, 30, 15), azimuth), turned(box(-50, -35, 50, 35), azimuth)
    found = upslope_area(runoff, disturbed, 10_000)
    assert abs(found.area_m2 - 4800) <= found.plus_minus_m2
    assert (found.sheet_m2, found.channel_m2) == (found.area_m2, 0)
    assert found.sheet_range_m2 == (found.area_m2, found.area_m2)
    off = upslope_area(runoff, disturbed, 10_000, site)
    assert abs(off.area_m2 - 3600) <= off.plus_minus_m2
    assert off.sheet.area == pytest.approx(off.area_m2, rel=1e-3)
    assert off.channel.is_empty
    assert sum(entry.area_m2 for entry in off.entries) == pytest.approx(off.area_m2, abs=200)
    upper = turned(LineString([(-30, -15), (30, -15)]), azimuth)
    longest = max(off.entries, key=lambda entry: entry.where.length)
    assert not longest.channelised
    assert longest.where.intersection(upper.buffer(2)).length > 50


def test_a_valley_comes_in_as_a_channel_between_sheets(ground):
    """The southern side of a 100 m square on a valley's bottom: the bottom brings the middle, the sides a sheet."""
    runoff = runoff_of(ground(valley, half_m=160))
    disturbed = box(-50, 20, 50, 120)
    found = upslope_area(runoff, disturbed, 5000)
    # All of the valley above the northern corners' fall lines, less the square itself.
    exact = (120 + 100) * 200 - 2 * 50 * (20 + 50 * 0.4) - 0
    assert found.channel_m2 == pytest.approx(120 * 200 - 0.4 * 100**2, rel=0.03)
    assert found.channel_m2 + found.sheet_m2 == found.area_m2
    assert found.area_m2 < exact
    channel = [entry for entry in found.entries if entry.channelised]
    assert len(channel) == 1
    assert channel[0].where.distance(Point(0, 20)) < 2
    assert channel[0].area_m2 == pytest.approx(found.channel_m2, rel=1e-6)
    assert upslope_area(runoff, disturbed, 25_000).channel_m2 == 0


@pytest.mark.parametrize(("factor", "channelised"), [(0.999, True), (1.0, True), (1.001, False)])
def test_a_channel_begins_at_the_threshold(ground, factor, channelised):
    runoff = runoff_of(ground(valley, half_m=160))
    disturbed = box(-50, 20, 50, 120)
    entry = upslope_area(runoff, disturbed, 5000).entries[0]
    met = runoff.first_met(runoff.cover(disturbed))
    gathered = float(runoff.gathered_m2[np.bincount(met[met >= 0]).argmax()])
    assert entry.channelised
    assert (upslope_area(runoff, disturbed, gathered * factor).channel_m2 > 0) == channelised


def test_water_that_comes_in_twice_is_counted_where_it_first_does(ground):
    runoff = runoff_of(ground(ridge(0), half_m=160))
    two = shapely.union_all([box(-30, -55, 30, -45), box(-30, 5, 30, 15)])
    found = upslope_area(runoff, two, 10_000)
    assert abs(found.area_m2 - 60 * (40 + 50)) <= found.plus_minus_m2


# --- channels ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", [8000.0, 12_000.0, 20_000.0])
def test_a_valley_has_its_head_where_the_ground_reaches_the_threshold(ground, threshold):
    """(north + 100) x 200 - 4000 m2 = threshold."""
    runoff = runoff_of(ground(valley, half_m=160))
    found = find_channels(runoff, box(-90, -90, 90, 140), threshold)
    head = (threshold + 4000) / 200 - 100
    assert len(found.heads) == 1
    assert found.heads[0].distance(Point(0, head)) < 3
    (channel,) = found.channels
    assert not channel.from_outside
    assert channel.line.length == pytest.approx(140 - head, rel=0.02)
    assert channel.gathered_m2 == pytest.approx(240 * 200 - 4000, rel=0.02)
    below = find_channels(runoff, box(-90, head + 10, 90, 140), threshold)
    assert below.heads == ()
    assert [c.from_outside for c in below.channels] == [True]
    assert below.channels[0].line.length == pytest.approx(130 - head, rel=0.02)


def test_a_plane_has_no_channel(ground):
    for azimuth in AZIMUTHS:
        runoff = runoff_of(ground(ridge(azimuth), half_m=160))
        found = find_channels(runoff, box(-100, -100, 100, 100), 4000)
        assert (found.heads, found.channels, found.heads_range) == ((), (), (0, 0))


def test_the_doubt_about_a_threshold_is_told(ground):
    runoff = runoff_of(ground(valley, half_m=160))
    assert find_channels(runoff, box(-90, -40, 90, 10), 20_000).heads_range == (0, 1)


# --- drainage length --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize("away", [4.0, 60.0])
def test_the_way_from_a_pile_to_a_road_down_a_plane(ground, azimuth, cell, away):
    runoff = runoff_of(ground(ridge(azimuth), half_m=160, cell=(cell, cell)))
    pile = turned(box(-15, -40, 15, -20), azimuth)
    road = turned(LineString([(-90, away - 20), (90, away - 20)]), azimuth)
    found = drainage_length(ways_to(runoff, [road]), pile)
    assert abs(found.length_m - away) <= found.plus_minus_m
    assert found.plus_minus_m <= 0.71 * cell + 0.08 * (away + cell)
    assert found.goal == 0
    assert found.path.distance(pile) < 0.01
    assert found.path.distance(road) < 0.01


def test_an_oblique_road_is_met_where_the_way_is_shortest(ground):
    """The road falls away from the pile's lower edge: 10 m at one corner, 40 m at the other."""
    runoff = runoff_of(ground(ridge(0), half_m=160))
    road = LineString([(-45, -5), (45, 85)])
    found = drainage_length(ways_to(runoff, [Point(100, 100), road]), box(-15, -20, 15, 0))
    assert found.goal == 1
    assert abs(found.length_m - 25) <= found.plus_minus_m


def test_a_road_above_or_beside_is_not_met(ground):
    runoff = runoff_of(ground(ridge(0), half_m=160))
    pile = box(-15, -20, 15, 0)
    above, beside = LineString([(-90, -30), (90, -30)]), LineString([(30, -90), (30, 90)])
    for road in (above, beside):
        found = drainage_length(ways_to(runoff, [road]), pile)
        assert (found.length_m, found.plus_minus_m, found.path) == (None, None, None)
        assert found.at_edge
        assert found.reason == "its runoff leaves the elevations first"


def test_a_pile_on_a_road_is_no_distance_from_it(ground):
    runoff = runoff_of(ground(ridge(0), half_m=160))
    assert drainage_length(ways_to(runoff, [LineString([(-90, -5), (90, -5)])]), box(-15, -20, 15, 0)).length_m == 0.0


def test_a_pile_that_drains_to_a_kettle_meets_no_road(ground):
    def kettle(x, y):
        return np.where(np.hypot(x, y) < 100, 95 + 0.05 * np.hypot(x, y), 100 - 0.05 * (np.hypot(x, y) - 100))

    runoff = runoff_of(ground(kettle, half_m=160))
    found = drainage_length(ways_to(runoff, [LineString([(-150, 120), (150, 120)])]), box(-10, 40, 10, 60))
    assert found.length_m is None
    assert not found.at_edge
    assert found.reason == "its runoff meets none"


def test_without_roads_there_is_no_length(ground):
    runoff = runoff_of(ground(ridge(0), half_m=160))
    assert drainage_length(ways_to(runoff, []), box(-15, -20, 15, 0)).length_m is None


# --- against GRASS, and in time ---------------------------------------------------------------------------------------


def test_catchments_on_rough_ground_are_those_of_grass(tmp_path):
    """r.watershed -s -a and r.water.outlet on the same ground (its ponding cut out first, as for us)."""
    size = 400
    transform = Affine(2, 0, 400_000, 0, -2, 4_800_800)
    geo = georeference("EPSG:26916")
    frame = frame_around(geo.lonlat(np.array([[400_400, 4_800_400]])))
    z = rough(size)
    grid = ElevationGrid(z, transform, geo, frame, np.full(size, 2.0), np.full(size, 2.0))
    runoff = route(receivers(condition_around(grid, grid.placed(box(0, 0, size, size))), np.inf))
    gathered = runoff.gathered_m2.reshape(size, size)
    flow, basins = grass(runoff.field.z_m, transform, tmp_path)
    # Outlets on cells that lie on a stem of both, far apart.
    both = np.minimum(gathered, 4 * np.abs(flow))
    both[:40], both[-40:], both[:, :40], both[:, -40:] = 0, 0, 0, 0
    outlets = []
    while len(outlets) < 9:
        row, col = divmod(int(both.argmax()), size)
        outlets.append((row, col))
        both[row - 25 : row + 26, col - 25 : col + 26] = 0
    theirs = basins(outlets)
    apart, shared = [], []
    for (row, col), basin in zip(outlets, theirs, strict=True):
        found = contributing_area(runoff, grid.placed(Point(col + 0.5, row + 0.5)))
        assert found.area_m2 > 2000
        apart.append(abs(found.area_m2 / (basin.sum() * 4.0) - 1))
        middles = np.argwhere(basin)[:, ::-1] + 0.5
        shapely.prepare(found.polygon)
        inside = shapely.intersects_xy(
            found.polygon, *shapely.get_coordinates(grid.placed(shapely.multipoints(middles))).T
        )
        shared.append(inside.mean())
    # GRASS goes to the nearest of eight neighbours alone, and bends small catchments on slopes.
    assert np.median(apart) < 0.04
    assert max(apart) < 0.08
    assert min(shared) > 0.9


def rough(size):
    """Rolling ground with 1/f**2.4 relief, tilted to the south."""
    rng = np.random.default_rng(11)
    frequency = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size)[None])
    frequency[0, 0] = 1
    relief = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((size, size))) * frequency**-2.4, s=(size, size))
    return relief / relief.std() * 5 + 0.04 * (size - np.arange(size))[:, None]


def grass(z, transform, folder):
    """GRASS's gathered cells, and how to ask it for the basins of outlets."""
    profile = {"driver": "GTiff", "height": z.shape[0], "width": z.shape[1], "count": 1, "dtype": "float64"}
    with rasterio.open(folder / "z.tif", "w", crs="EPSG:26916", transform=transform, **profile) as file:
        file.write(z, 1)

    def run(*lines):
        script = folder / "run.sh"
        script.write_text("set -e\n" + "\n".join(line + " --q" for line in lines) + "\n")
        place = [str(folder / "place")] if (folder / "place").exists() else ["-c", "EPSG:26916", str(folder / "place")]
        where = [f"{place[0]}/PERMANENT"] if len(place) == 1 else place
        subprocess.run(["grass", *where, "--exec", "sh", str(script)], check=True, capture_output=True)

    def read(name):
        with rasterio.open(folder / f"{name}.tif") as file:
            return file.read(1)

    out = "r.out.gdal input={0} output=" + str(folder) + "/{0}.tif format=GTiff type={1}"
    run(
        f"r.in.gdal -o input={folder}/z.tif output=z",
        "g.region raster=z",
        "r.watershed -s elevation=z drainage=d accumulation=a",
        out.format("a", "Float64"),
    )

    def basins(outlets):
        lines = []
        for number, (row, col) in enumerate(outlets):
            x, y = transform @ (col + 0.5, row + 0.5)
            lines += [f"r.water.outlet input=d output=b{number} coordinates={x},{y}", out.format(f"b{number}", "Byte")]
        run(*lines)
        return [read(f"b{number}") == 1 for number in range(len(outlets))]

    return read("a"), basins


def test_a_large_window_is_measured_in_time(ground):
    """2,000 x 2,000 cells; the bound leaves room for a busy machine, and nothing has to be compiled."""
    small = runoff_of(ground(valley, half_m=160))
    contributing_area(small, box(-10, 100, 10, 120))
    runoff = runoff_of(ground(lambda x, y: valley(x / 6, y / 6), half_m=1000), reach=1000)
    began = time.perf_counter()
    contributing_area(runoff, box(-60, 600, 60, 720))
    upslope_area(runoff, box(-200, 600, 200, 720), 10_000)
    find_channels(runoff, box(-200, 600, 200, 720), 10_000)
    assert time.perf_counter() - began < 6
