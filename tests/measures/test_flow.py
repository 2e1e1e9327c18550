"""Runoff down the ground: surfaces whose fall lines are known on paper, barriers, depressions, edges and exits."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
import shapely
from pyproj import CRS
from shapely import LineString, MultiPoint, Point, box

from siteplan_gis.crs import georeference
from siteplan_gis.frame import frame_around
from siteplan_gis.ingest.elevation.terrain import DemFile, read_terrain
from siteplan_gis.measures.runoff.exits import runoff_exits
from siteplan_gis.measures.runoff.flow import condition_around, trace, trace_terrain
from tests.campaigns.fall_lines import CLEAN, HALF_DIAGONAL, NOISE_M, QUARTER_MILE, missed

CASES = Path(__file__).resolve().parents[1] / "cases"


def plane(azimuth, slope=0.05):
    east, north = np.sin(np.radians(azimuth)), np.cos(np.radians(azimuth))
    return lambda x, y: 100 - slope * (x * east + y * north)


def end_of(traced):
    return np.array(traced.path.coords[-1])


# --- direction and length on smooth ground ----------------------------------------------------------------------------


@pytest.mark.parametrize("azimuth", [0, 20, 45, 67, 90, 110, 135, 163, 180, 200, 213, 225, 248, 270, 300, 338])
def test_path_keeps_to_the_fall_line_of_a_plane(ground, home, azimuth):
    traced = trace_terrain(ground(plane(azimuth)), home, (), 200)
    fall = np.array([np.sin(np.radians(azimuth)), np.cos(np.radians(azimuth))])
    along, aside = end_of(traced) @ fall, float(np.cross(np.append(end_of(traced), 0), np.append(fall, 0))[2])
    assert traced.ends_because == "farther_than_limit"
    assert traced.length_m == pytest.approx(200)
    assert abs(aside) < 1.5
    assert along == pytest.approx(200, abs=1.5)
    assert traced.plus_minus_m < 4


@pytest.mark.parametrize(
    "form",
    [
        {"cell": (1.0, 2.5)},
        {"cell": (2.5, 1.0)},
        {"turned": 30.0, "cell": (2.0, 2.0)},
        {"turned": 180.0},
        {"cell": (2.0, 2.0), "crs": "EPSG:4269"},
        {"cell": (4.0, 4.0), "crs": "EPSG:2289"},
        {"cell": (0.4, 0.4), "half_m": 150.0},
    ],
    ids=["wide cells", "tall cells", "turned", "south up", "degrees", "feet", "fine"],
)
@pytest.mark.parametrize("azimuth", [200, 290])
def test_the_grids_own_shape_and_course_do_not_matter(ground, home, form, azimuth):
    if "crs" in form and form["crs"] == "EPSG:2289":
        form = {**form, "half_m": 600.0}
    traced = trace_terrain(ground(plane(azimuth), **form), home, (), 120)
    fall = 120 * np.array([np.sin(np.radians(azimuth)), np.cos(np.radians(azimuth))])
    assert np.hypot(*(end_of(traced) - fall)) < 3.5


def test_path_runs_straight_down_a_cone(ground):
    grid = ground(lambda x, y: 100 - 0.1 * np.hypot(x, y))
    for azimuth in (15, 100, 190, 305):
        out = np.array([np.sin(np.radians(azimuth)), np.cos(np.radians(azimuth))])
        traced = trace_terrain(grid, Point(40 * out), (), 180)
        # An error at the start grows with the distance from the top.
        assert np.hypot(*(end_of(traced) - 220 * out)) < 220 / 40 * 1.0
        assert traced.length_m == pytest.approx(180)


def test_path_turns_into_a_valley_and_follows_it(ground):
    grid = ground(lambda x, y: 100 + 0.02 * y + 0.05 * np.abs(x))
    traced = trace_terrain(grid, Point(60, 150), [box(-20, -160, 20, -150)], 500)
    # Down the side at a slope of 5 % across and 2 % along, then along the bottom.
    side = 60 * np.hypot(5, 2) / 5
    assert traced.reached == 0
    assert traced.length_m == pytest.approx(side + (300 - 60 * 2 / 5), abs=4)


def rolling(x, y):
    return 100 - 0.02 * x - 0.03 * y + 1.2 * np.sin(x / 45) * np.cos(y / 60)


def fall_line(start, length_m, step_m=0.1):
    """The steepest way down `rolling`, by its own derivatives and Heun's rule."""

    def downhill(place):
        x, y = place
        slope = np.array([
            -0.02 + 1.2 / 45 * np.cos(x / 45) * np.cos(y / 60), -0.03 - 1.2 / 60 * np.sin(x / 45) * np.sin(y / 60)
        ])  # fmt: skip
        return -slope / np.hypot(*slope)

    places = [np.array(start, dtype=float)]
    for _ in range(round(length_m / step_m)):
        first = downhill(places[-1])
        places.append(places[-1] + step_m / 2 * (first + downhill(places[-1] + step_m * first)))
    return LineString(places)


def test_path_keeps_to_the_fall_line_of_rolling_ground(ground):
    near = condition_around(ground(rolling), Point(0, 0))
    for start in ((-150, -150), (-150, 0), (-100, -120), (0, -200), (-40, 20), (30, -60), (-200, -60)):
        traced = trace(near, Point(start), (), 150)
        true = fall_line(start, 150)
        assert traced.ends_because == "farther_than_limit"
        assert Point(traced.path.coords[-1]).distance(true.interpolate(150)) < 5
        assert traced.path.hausdorff_distance(true) < 5


def winding(amplitude, wave, noise):
    y = np.linspace(-320, 320, 6401)
    channel = np.column_stack((amplitude * np.sin(2 * np.pi * y / wave), y))
    along = np.r_[0, np.cumsum(np.hypot(*np.diff(channel, axis=0).T))]

    def surface(x, north):
        away = np.full(x.shape, np.inf)
        where = np.zeros(x.shape)
        for part in np.array_split(np.arange(0, len(y), 10), 64):
            near = np.abs(north - channel[part].mean(axis=0)[1]) < 60
            gap = np.hypot(x[near][:, None] - channel[part, 0], north[near][:, None] - channel[part, 1])
            best = gap.argmin(axis=1)
            gap = gap[np.arange(len(best)), best]
            closer = gap < away[near]
            away[near] = np.where(closer, gap, away[near])
            where[near] = np.where(closer, along[part][best], where[near])
        rough = np.random.default_rng(1).normal(0, noise, x.shape) if noise else 0.0
        return 50 + 0.01 * where + np.minimum(0.08 * away, 3) + rough

    return surface, channel, along


@pytest.mark.parametrize(("amplitude", "wave", "noise"), [(20, 150, 0.0), (10, 60, 0.0), (20, 150, 0.04), (4, 40, 0.0)])
def test_length_along_a_winding_valley_is_the_channels(ground, amplitude, wave, noise):
    surface, channel, along = winding(amplitude, wave, noise)
    top, bottom = 5400, 1400
    traced = trace_terrain(ground(surface), Point(channel[top]), [box(-300, -300, 300, channel[bottom, 1])], 1000)
    assert traced.reached == 0
    assert traced.length_m == pytest.approx(along[top] - along[bottom], rel=0.03)
    assert abs(traced.length_m - (along[top] - along[bottom])) <= traced.plus_minus_m


# --- where a path ends ------------------------------------------------------------------------------------------------


def test_start_in_or_at_a_water_is_no_distance(ground, home):
    grid = ground(plane(180))
    for water in (box(-5, -5, 5, 5), box(0, 0, 5, 5), LineString([(-5, 0), (5, 0)])):
        traced = trace_terrain(grid, home, [box(90, 90, 91, 91), water], 100)
        assert (traced.reached, traced.length_m, traced.ends_because) == (1, 0.0, "reached")


@pytest.mark.parametrize("water", [box(-30, -90, 30, -80), LineString([(-30, -80), (30, -80)]), Point(0, -80)])
def test_path_is_cut_at_the_water(ground, home, water):
    traced = trace_terrain(ground(plane(180)), home, [water], 100)
    assert traced.reached == 0
    assert traced.length_m == pytest.approx(80, abs=0.6)
    assert traced.straight_m == pytest.approx(80)
    assert traced.path.distance(water) < 1e-6


def test_the_nearest_of_several_waters_along_the_path_counts(ground, home):
    waters = [box(-30, -90, 30, -80), LineString([(-30, -40), (30, -41)]), box(-3, 2, 3, 9)]
    assert trace_terrain(ground(plane(180)), home, waters, 100).reached == 1


def test_an_empty_geometry_among_the_waters_hides_none(ground, home):
    waters = [Point(), box(-30, -90, 30, -80), shapely.Polygon()]
    assert trace_terrain(ground(plane(180)), home, waters, 100).reached == 1
    assert trace_terrain(ground(plane(180)), Point(0, -85), waters, 100).length_m == 0


def test_a_hole_of_a_wetland_is_not_wetland(ground, home):
    marsh = box(-100, -200, 100, 100).difference(box(-20, -60, 20, 20))
    traced = trace_terrain(ground(plane(180)), home, [marsh], 100)
    assert traced.length_m == pytest.approx(60, abs=0.6)


def test_overlapping_waters_do_not_cancel_each_other(ground, home):
    traced = trace_terrain(ground(plane(180)), home, [box(-30, -90, 30, -50), box(-20, -95, 20, -60)], 100)
    assert (traced.reached, round(traced.length_m)) == (0, 50)


@pytest.mark.parametrize(("near", "reached"), [(0.0, None), (8.0, None), (12.0, 0)])
def test_a_stream_mapped_beside_its_channel_is_reached_within_the_tolerance(ground, near, reached):
    grid = ground(lambda x, y: 100 + 0.02 * y + 0.05 * np.abs(x))
    stream = LineString([(10, 100), (10, -250)])
    ground_near = condition_around(grid, Point(-60, 200))
    traced = trace(ground_near, Point(-60, 200), [stream], 400, near_m=near)
    assert traced.reached == reached
    if reached == 0:
        assert Point(traced.path.coords[-1]).distance(stream) < 1e-6
        assert traced.plus_minus_m > near


@pytest.mark.parametrize(("limit", "ends"), [(79.0, "farther_than_limit"), (81.0, "reached")])
def test_limit_just_below_and_just_above(ground, home, limit, ends):
    traced = trace_terrain(ground(plane(180)), home, [box(-30, -90, 30, -80)], limit)
    assert traced.ends_because == ends
    assert traced.length_m <= limit


def test_path_off_the_data_says_so(ground, home):
    # H49: the elevations end 100 m below the outfall.
    for azimuth in (180, 200, 90, 315):
        traced = trace_terrain(ground(plane(azimuth), half_m=100), home, (), 402)
        assert traced.ends_because == "leaves_elevation_data"
        assert 95 < traced.length_m < 145
        assert "leaves the elevation data" in traced.explanation


def test_a_path_along_the_edge_stays_on_the_data(ground):
    grid = ground(plane(180), half_m=100)
    assert trace_terrain(grid, Point(-98, 90), (), 150).ends_because == "farther_than_limit"


def test_path_into_a_hole_of_the_data_says_so(ground, home):
    def surface(x, y):
        return np.where((np.abs(x) < 15) & (np.abs(y + 60) < 10), np.nan, plane(180)(x, y))

    traced = trace_terrain(ground(surface), home, (), 150)
    assert traced.ends_because == "leaves_elevation_data"
    assert traced.length_m == pytest.approx(50, abs=2)


def test_start_without_elevation(ground):
    grid = ground(lambda x, y: np.where(y < 0, np.nan, 100 + y), half_m=50)
    assert trace_terrain(grid, Point(0, -20), (), 50).ends_because == "no_elevation"
    assert trace_terrain(grid, Point(0, 900), (), 50).ends_because == "no_elevation"


# --- ponding, barriers, flats -----------------------------------------------------------------------------------------


def dammed(height, width=8.0):
    """A valley falling 2 % to the south, with an embankment of even height over its bottom at y = -100."""

    def surface(x, y):
        valley = 100 + 0.02 * y + 0.05 * np.abs(x)
        crest = 100 + 0.02 * (-100 + width / 2) + height
        return np.where(np.abs(y + 100) <= width / 2, np.maximum(valley, crest), valley)

    return surface


POND = box(-20, -220, 20, -200)


@pytest.mark.parametrize(("height", "ends"), [(0.25, "reached"), (0.45, "reached"), (0.56, "barrier")])
def test_ponding_is_crossed_up_to_the_barrier_height(ground, home, height, ends):
    traced = trace_terrain(ground(dammed(height)), home, [POND], 402, barrier_m=0.5)
    assert traced.ends_because == ends
    if ends == "reached":
        assert traced.length_m == pytest.approx(200, abs=12)
    # Only ponding deeper than noise is worth telling.
    assert len(traced.breached) == (height == 0.45)


def test_barrier_height_is_a_parameter(ground, home):
    grid = ground(dammed(1.5))
    assert trace_terrain(grid, home, [POND], 402).ends_because == "barrier"
    assert trace_terrain(grid, home, [POND], 402, barrier_m=2.0).reached == 0


def test_a_road_without_its_culvert_stops_the_path_and_is_named(ground, home):
    traced = trace_terrain(ground(dammed(3.0)), home, [POND], 402)
    assert (traced.ends_because, traced.reached) == ("barrier", None)
    assert traced.depression_depth_m == pytest.approx(3.0, abs=0.1)
    assert traced.barrier_width_m == pytest.approx(8, abs=2)
    assert "road-like barrier" in traced.explanation
    assert "culvert" in traced.explanation


@pytest.mark.parametrize(
    "culvert",
    [
        LineString([(0, -92), (0, -108)]),
        LineString([(0, -108), (0, -92)]),
        LineString([(1.5, -95), (-1, -105)]),
        LineString([(-8, -93), (8, -107)]),
    ],
    ids=["drawn down", "drawn up", "ends in the fill", "skew"],
)
def test_a_culvert_carries_the_path_through(ground, home, culvert):
    traced = trace_terrain(ground(dammed(3.0)), home, [POND], 402, culverts=[culvert])
    assert traced.reached == 0
    assert traced.length_m == pytest.approx(200, abs=12)
    assert len(traced.culverts) == 1
    assert traced.breached == ()


@pytest.mark.parametrize(
    "place", [Point(0, -100), Point(1.5, -97), box(-2, -104, 2, -96)], ids=["middle", "beside", "area"]
)
def test_a_culvert_known_only_as_a_place_is_laid_across_the_road(ground, home, place):
    traced = trace_terrain(ground(dammed(3.0)), home, [POND], 402, culverts=[place])
    assert traced.reached == 0
    assert traced.length_m == pytest.approx(200, abs=12)
    assert len(traced.culverts) == 1


def test_a_culvert_elsewhere_changes_nothing(ground, home):
    traced = trace_terrain(ground(dammed(3.0)), home, [POND], 402, culverts=[LineString([(90, -92), (90, -108)])])
    assert traced.ends_because == "barrier"
    assert traced.culverts == ()


def test_a_drawn_ditch_is_cut_through_too(ground, home):
    ditch = LineString([(0, -60), (0, -150)])
    assert trace_terrain(ground(dammed(3.0)), home, [POND], 402, lines=[ditch]).reached == 0


def kettle(x, y):
    return np.where(np.hypot(x, y) < 100, 90 + 0.1 * np.hypot(x, y), 100 - 0.02 * (np.hypot(x, y) - 100))


def test_a_kettle_is_a_closed_depression_and_no_road(ground):
    traced = trace_terrain(ground(kettle), Point(60, 10), (), 402)
    assert traced.ends_because == "closed_depression"
    assert traced.depression_depth_m == pytest.approx(10, abs=0.3)
    assert traced.barrier_width_m is None
    assert "road" not in traced.explanation


def test_noise_on_the_side_of_a_kettle_is_not_taken_for_the_kettle(ground):
    def surface(x, y):
        dent = np.where(np.hypot(x - 50, y) < 2.5, 0.3, 0)
        return kettle(x, y) - dent

    traced = trace_terrain(ground(surface), Point(60, 0), [Point(0, 0).buffer(5)], 402)
    assert traced.reached == 0
    assert traced.length_m == pytest.approx(55, abs=3)


def test_a_lake_at_the_bottom_of_a_kettle_is_reached(ground):
    traced = trace_terrain(
        ground(lambda x, y: np.maximum(kettle(x, y), 93.0)), Point(60, 10), [Point(0, 0).buffer(20)], 402
    )
    # The mapped lake is smaller than the level water surface of the elevations.
    assert traced.reached == 0
    assert traced.length_m == pytest.approx(np.hypot(60, 10) - 20, abs=2)


def test_level_ground_is_crossed_straight_and_told(ground, home):
    def surface(x, y):
        return np.where(y < -150, 100 + 0.05 * (y + 150), np.where(y > -20, 100 + 0.05 * (y + 20), 100.0))

    traced = trace_terrain(ground(surface), home, [box(-250, -210, 250, -200)], 402)
    assert traced.reached == 0
    assert traced.length_m == pytest.approx(200, abs=2)
    assert "exactly level" in traced.explanation
    assert traced.plus_minus_m > 25


def test_noise_alone_never_stops_a_path(ground):
    rng = np.random.default_rng(7)

    def surface(x, y):
        return plane(200, 0.03)(x, y) + rng.normal(0, 0.05, x.shape)

    grid = ground(surface)
    for start in ((0, 0), (30, 40), (-60, 10), (80, -20)):
        traced = trace_terrain(grid, Point(start), (), 150)
        assert traced.ends_because == "farther_than_limit"
        fall = np.array([np.sin(np.radians(200)), np.cos(np.radians(200))])
        assert (end_of(traced) - start) @ fall > 110


@pytest.mark.parametrize(
    ("cell", "noise", "azimuth", "place"),
    [(1.0, NOISE_M, 80.0, 0), (1.0, NOISE_M, 85.0, 0), (3.0, NOISE_M, 290.0, 2), (3.0, 0.0, 115.0, 2), (10.0, 0.0, 30.0, 2)],
)  # fmt: skip
def test_a_steep_sided_valley_neither_stops_a_path_nor_leads_it_back(cell, noise, azimuth, place):
    """Of all that the campaign of fall lines tries, those that noise once dammed, and that once ran up the valley."""
    chance = np.random.default_rng([int(azimuth * 10), place])
    shift = chance.uniform(-cell, cell, 2) if place else np.zeros(2)
    made = CLEAN["valley 10/1, 60 m up"](cell, azimuth + 0.5, shift)
    length, end, doubt = missed(made, cell, noise, place)
    assert abs(length) < (0.05 if noise else max(0.01, HALF_DIAGONAL * cell / QUARTER_MILE))
    assert noise or end <= 1
    assert doubt <= 1


def test_the_answer_is_the_same_twice(ground, home):
    rng = np.random.default_rng(3)
    grid = ground(lambda x, y: plane(200, 0.03)(x, y) + rng.normal(0, 0.05, x.shape))
    first, second = (trace_terrain(grid, home, (), 150) for _ in range(2))
    assert first.path.equals_exact(second.path, 0)


def test_paths_share_one_conditioned_ground(ground):
    near = condition_around(ground(plane(180)), MultiPoint([(0, 0), (100, 100)]))
    assert trace(near, Point(0, 0), (), 50).length_m == pytest.approx(50)
    assert trace(near, Point(100, 100), (), 50).length_m == pytest.approx(50)


def test_culverts_leave_the_grid_itself_alone(ground, home):
    grid = ground(dammed(3.0))
    before = grid.z_m.copy()
    trace_terrain(grid, home, [POND], 402, culverts=[LineString([(0, -92), (0, -108)])])
    assert np.array_equal(grid.z_m, before)


# --- where runoff leaves ----------------------------------------------------------------------------------------------


def exits_of(*ground_and_area, **settings):
    return tuple(place for place, _ in runoff_exits(*ground_and_area, **settings))


def test_a_plane_slope_is_stood_for_by_a_few_places_on_its_low_side(ground):
    exits = exits_of(ground(plane(180)), box(-50, -30, 50, 30))
    assert 3 <= len(exits) <= 12
    assert all(point.y < -28 for point in exits)
    assert max(point.x for point in exits) - min(point.x for point in exits) > 50


def test_each_valley_gets_a_place_the_larger_first(ground):
    def surface(x, y):
        return 100 + 0.03 * y + 0.06 * np.minimum(np.abs(x + 60), np.abs(x - 40))

    exits = exits_of(ground(surface), box(-100, -50, 100, 50), limit=2)
    assert [round(point.x, -1) for point in exits] == [40, -60]
    assert all(point.y == pytest.approx(-50, abs=1.5) for point in exits)


def test_every_water_that_runoff_reaches_gets_a_place_even_beyond_the_limit(ground):
    ponds = [box(x, -140, x + 6, -130) for x in (-80, -40, 0, 40, 76)] + [box(0, 60, 5, 70), box(200, -140, 210, -130)]
    grid = ground(plane(180))
    exits = exits_of(grid, box(-100, -50, 100, 50), limit=2, targets=ponds)
    assert {trace_terrain(grid, point, ponds, 402).reached for point in exits} - {None} == {0, 1, 2, 3, 4}


def test_a_wetland_on_the_site_is_a_discharge(ground):
    marsh = box(-10, -5, 10, 5)
    exits = exits_of(ground(plane(180)), box(-50, -30, 50, 30), targets=[marsh])
    assert any(point.intersects(marsh) for point in exits)


def test_a_site_that_drains_into_itself_ends_in_its_depression(ground):
    grid = ground(kettle)
    exits = exits_of(grid, box(-60, -60, 60, 60))
    assert len(exits) == 1
    assert exits[0].distance(Point(0, 0)) < 2
    assert trace_terrain(grid, exits[0], (), 402).ends_because == "closed_depression"


def test_a_level_pond_is_flooded_once(ground):
    """Flooded from each of its 40,000 cells it would take an hour."""

    def terrace(x, y):
        z = 100 - 0.05 * y
        return np.where((np.abs(x) < 100) & (np.abs(y) < 100), 105.0, np.where(y >= 100, z + 15, z))

    began = time.perf_counter()
    exits = exits_of(ground(terrace), box(-120, -120, 120, 120))
    assert time.perf_counter() - began < 30
    assert exits


def test_level_ground_drains_where_its_rim_is_lowest(ground):
    """All of a level floor leaves through the notch in its south wall, and so reaches the pond below."""

    def floor(x, y):
        wall = np.maximum(np.abs(x), np.abs(y)) >= 20
        notch = (np.abs(x) < 1) & (y < 0)
        return np.where(wall & ~notch, 101 + 0.1 * np.hypot(x, y), np.where(notch & (y < -20), 99.9 + 0.01 * y, 100.0))

    grid, pond = ground(floor, half_m=100), box(-5, -70, 5, -60)
    exits = exits_of(grid, box(-20, -20, 20, 20), targets=[pond])
    assert exits
    assert all(trace_terrain(grid, point, [pond], 402).reached == 0 for point in exits)


def test_no_elevations_no_exits(ground):
    assert exits_of(ground(plane(180), half_m=50), box(500, 500, 600, 600)) == ()


def test_exits_lie_on_the_boundary_of_every_part(ground):
    disturbed = shapely.union_all([box(-100, -20, -40, 20), box(40, -20, 100, 20)])
    exits = exits_of(ground(plane(90)), disturbed)
    assert {round(point.x, -1) for point in exits} == {-40, 100}
    assert all(point.distance(disturbed.boundary) < 1e-6 for point in exits)


# --- the cases --------------------------------------------------------------------------------------------------------


def read_case(name):
    """Grid, start, waters and culverts of a case, and what it expects."""
    folder = CASES / name
    expected = json.loads((folder / "expected.json").read_text())
    shapes = {}
    for key in ("outfall", "waters", "culverts"):
        if key in expected["setup"]:
            shapes[key] = read_shapes(folder / expected["setup"][key])
    geo = georeference("EPSG:26917")
    frame = frame_around(geo.lonlat(shapely.get_coordinates(np.array(shapes["outfall"][0], dtype=object))))
    placed = {key: [frame.project(shape, geo) for shape in found] for key, (found, _) in shapes.items()}
    start = placed["outfall"][0]
    terrain = read_terrain([DemFile(folder / "dem.tif")], frame, start, 1000)
    checks = {check["quantity"]: check for check in expected["checks"] if check["kind"] in {"equals", "value"}}
    names = [row.get("name") for row in shapes["waters"][1]]
    return terrain.grid, start, placed["waters"], names, placed.get("culverts", []), checks


def read_shapes(path):
    import fiona

    with fiona.open(path) as layer:
        assert CRS.from_wkt(layer.crs_wkt).to_epsg() == 26917
        rows = list(layer)
    return [shapely.geometry.shape(row.geometry.__geo_interface__) for row in rows], [
        dict(row.properties) for row in rows
    ]


@pytest.mark.parametrize("name", ["H40", "H42", "H47"])
def test_case(name):
    grid, start, waters, names, culverts, checks = read_case(name)
    traced = trace_terrain(grid, start, waters, 1000, culverts=culverts)
    assert names[traced.reached] == checks["receiving_water"]["value"]
    wanted = checks["flow_distance_m"]
    assert traced.length_m == pytest.approx(wanted["value"], abs=wanted["tol_abs"])


def test_case_without_its_culvert_never_says_that_no_water_is_near():
    grid, start, waters, *_ = read_case("H40")
    traced = trace_terrain(grid, start, waters, 402.336)
    assert traced.ends_because == "barrier"
    # On paper: the pond behind the road is 4 m deep.
    assert traced.depression_depth_m == pytest.approx(4, abs=0.2)
    assert "road-like barrier" in traced.explanation


def test_what_fills_spills_over_its_lowest_pass_and_through_no_wall(ground):
    """A hollow 4 m deep behind a wall to the south; its rim is a metre lower in the east, 75 m from its bottom."""

    def surface(x, y):
        away = np.hypot(x, y)
        inside = np.where((x > 0) & (np.abs(y) < 6), np.minimum(96 + 0.06 * away, 99.0), 96 + 0.06 * away)
        beyond = np.where((x > 0) & (np.abs(y) < 6), 99.0, 100.5) - 0.05 * (away - 75)
        north = np.where((y <= -40) & (y > -46), 100.5, np.where(away < 75, inside, beyond))
        return np.where(y <= -46, 95 + 0.02 * (y + 46), north)

    near = condition_around(ground(surface), Point(0, 0))
    stopped = trace(near, Point(-20, 30), (), 402)
    assert stopped.ends_because == "closed_depression" or stopped.barrier is not None
    spilt = trace(near, Point(-20, 30), (), 200, np.inf)
    assert spilt.path.distance(Point(75, 0)) < 6
    assert spilt.path.distance(LineString([(-30, -43), (30, -43)])) > 20
