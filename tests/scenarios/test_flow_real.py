"""Runoff on real ground and real stream networks, against plain steepest descent and the network's own order."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyogrio
import pytest
import shapely
from shapely import Point

from siteplan_gis.crs import georeference
from siteplan_gis.frame import frame_around
from siteplan_gis.ingest.elevation.terrain import DemFile, read_terrain
from siteplan_gis.measures.runoff.flow import trace_terrain
from siteplan_gis.measures.waterways.network import trace_network
from siteplan_gis.model.layers import ReferenceFeature

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real data lie beside the project, not in it")
FOOT = 0.3048
WGS84 = georeference("EPSG:4326")


def scenario(name, site):
    """What is known of a site, the frame around it and its middle."""
    known = json.loads((DATA / "scenarios" / name / "expected.json").read_text())[site]
    frame = frame_around(np.array([known["center"]]))
    return known, frame, frame.project(Point(known["center"]), WGS84)


def read_near(path, frame, start, within_m, layer=None):
    geo = georeference(pyogrio.read_info(path, layer=layer)["crs"])
    window = tuple(frame.unproject(start.buffer(1.1 * within_m), geo).bounds)
    meta, _, wkb, values = pyogrio.raw.read(path, layer=layer, bbox=window)
    rows = [dict(zip(meta["fields"], row, strict=True)) for row in zip(*values, strict=True)]
    shapes = [shapely.force_2d(shape) for shape in shapely.from_wkb(wkb)]
    placed = [(row, frame.project(shape, geo)) for row, shape in zip(rows, shapes, strict=True) if shape is not None]
    return [(row, shape) for row, shape in placed if shape.distance(start) < within_m]


def ground_of(path, frame, start):
    return read_terrain([DemFile(DATA / "dem" / path, units="m", units_from="option")], frame, start, 3000).grid


def height_of(grid, place):
    col, row = shapely.get_coordinates(grid.pixels(place))[0]
    return grid.z_m[int(row), int(col)]


@needs_data
@pytest.mark.parametrize("site", ["L1_ravine", "L2_upland", "L3_rotated", "L4_partly_off"])
def test_mine_pits_are_closed_depressions_not_ways_out(site):
    known, frame, start = scenario("mn_lidar", site)
    grid = ground_of("mn_lidar_1m/dem.tif", frame, start)
    traced = trace_terrain(grid, start, (), 402.336)
    assert traced.ends_because in {"closed_depression", "barrier"}
    assert traced.depression_depth_m > 1.5
    plain = known["d8_trace_steepest_unfilled"]
    # Through the noise that stops plain steepest descent: never higher than where that stops.
    assert height_of(grid, Point(traced.path.coords[-1])) <= plain["end_elev"] + 0.01
    assert traced.length_m > 0.6 * plain["length_ft"] * FOOT


@needs_data
@pytest.mark.parametrize("site", ["P1_kettle_slope", "P4_in_lake"])
def test_kettle_slope_drains_to_its_lake(site):
    known, frame, start = scenario("plainfield", site)
    grid = ground_of("wi_plainfield_10m/dem10m.tif", frame, start)
    lakes = read_near(DATA / "vector/wi_plainfield_lakes/all_lakes.shp", frame, start, 2000)
    traced = trace_terrain(grid, start, [shape for _, shape in lakes], 402.336)
    crossed = known["trace_filled_crosses"][0][2]
    ids = {str(value).removesuffix(".0") for value in lakes[traced.reached][0].values()}
    assert crossed in ids
    assert traced.length_m >= traced.straight_m - 1e-6


@needs_data
@pytest.mark.parametrize("site", ["N1_steep", "N2_walnut_creek", "N4_ridge"])
def test_first_stream_met_is_the_one_that_steepest_descent_crosses(site):
    known, frame, start = scenario("nc_wake", site)
    grid = ground_of("nc_wake_30m/elev_ned_30m.tif", frame, start)
    streams = read_near(f"/vsizip/{DATA}/vector/nc_wake_streams_lakes/streams.zip", frame, start, 1500)
    # Steepest descent from cell to cell begins in the middle of one; the site N2 lies on a divide.
    col, row = np.floor(shapely.get_coordinates(grid.pixels(start))[0]) + 0.5
    traced = trace_terrain(grid, grid.placed(Point(col, row)), [shape for _, shape in streams], 402.336)
    crossed = {row[2] for row in known["trace_unfilled_crosses"]}
    ids = {str(value).removesuffix(".0") for value in streams[traced.reached][0].values()}
    assert crossed & ids


@needs_data
@pytest.mark.filterwarnings("ignore:Measured .M. geometry types")
@pytest.mark.parametrize("site", ["Y1_deforest", "Y2_token_creek", "Y4_mcfarland_wetland"])
def test_quarter_mile_along_nhdplus(site):
    known, frame, start = scenario("yahara", site)
    rows = read_near(
        DATA / "vector/wi_yahara_nhdplus/sample_natseamless.gpkg", frame, start, 4000, "NHDFlowline_Network"
    )
    begins = {}
    for row, _ in rows:
        begins.setdefault(row["FromNode"], []).append(str(int(row["COMID"])))
    lines = [
        ReferenceFeature(str(int(row["COMID"])), "", "stream", "", shape, "nhd", tuple(begins.get(row["ToNode"], ())))
        for row, shape in rows
    ]
    wanted = known["trace_from_centroid"]
    overland = wanted["overland_ft"] * FOOT
    traced = trace_network(lines, start, (), overland + 5, 20, overland + 1320 * FOOT)
    assert traced.snapped == str(wanted["comid"])
    assert traced.candidates[0][1] == pytest.approx(overland, abs=0.2)
    assert traced.ends_because == "farther_than_limit"
    end = frame.project(Point(wanted["end"]), WGS84)
    assert Point(traced.path.coords[-1]).distance(end) < 2
    followed = [segment[0] for segment in wanted["segments"]]
    for comid in followed:
        line = next(shape for row, shape in rows if int(row["COMID"]) == comid)
        assert traced.path.buffer(0.5).intersection(line).length > 20
