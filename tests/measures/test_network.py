"""Downstream along drawn drainage: lengths added up on paper, divergences, gaps, loops, snapping."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import fiona
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import LineString, MultiLineString, Point, box

from siteplan_gis.crs import georeference
from siteplan_gis.frame import frame_around
from siteplan_gis.measures.waterways.drainage import Network
from siteplan_gis.measures.waterways.network import trace_network
from siteplan_gis.measures.waterways.reaches import downstream_reaches
from siteplan_gis.model.layers import ReferenceFeature

CASES = Path(__file__).resolve().parents[1] / "cases"


def stream(name, *xy, downstream=()):
    return ReferenceFeature(name, "", "stream", "", LineString(xy), "flowlines", downstream)


def follow(lines, start=(0, 0), targets=(), snap=20.0, gap=20.0, limit=1000.0, **more):
    if "height" in more:
        more["height"] = np.vectorize(more["height"], otypes=[float])
    return trace_network(lines, Point(start), targets, snap, gap, limit, **more)


LAKE = box(300, -20, 400, 20)

# --- one way ----------------------------------------------------------------------------------------------------------


def test_length_is_the_way_to_the_line_and_along_it():
    traced = follow([stream("a", (0, 3), (150, 3), (150, 0), (400, 0))], targets=[LAKE])
    assert (traced.reached, traced.ends_because, traced.snapped) == (0, "reached", "a")
    assert traced.length_m == pytest.approx(3 + 150 + 3 + 150)
    assert traced.path.length == pytest.approx(traced.length_m)
    assert traced.straight_m == pytest.approx(300)
    assert traced.candidates == (("a", 3.0),)


def test_start_in_a_water_is_no_distance():
    assert follow([], targets=[box(-1, -1, 1, 1)]).length_m == 0.0


def test_an_empty_geometry_among_the_waters_hides_none():
    line = [stream("a", (0, 0), (400, 0)), ReferenceFeature("e", "", "stream", "", LineString(), "l")]
    assert follow(line, targets=[Point(), LAKE]).reached == 1
    assert follow(line, start=(350, 0), targets=[Point(), LAKE]).length_m == 0


def test_a_water_on_the_way_to_the_line_counts():
    traced = follow([stream("a", (0, 15), (400, 15))], targets=[LAKE, box(-5, 8, 5, 10)])
    assert (traced.reached, traced.length_m) == (1, pytest.approx(8))


def test_upstream_of_the_start_is_not_followed():
    traced = follow([stream("a", (-100, 0), (250, 0))], targets=[box(-60, -5, -50, 5)], gap=10)
    assert (traced.reached, traced.ends_because) == (None, "network_ends")
    assert traced.length_m == pytest.approx(250)


def test_lines_are_followed_in_the_direction_drawn():
    traced = follow([stream("a", (250, 0), (-100, 0))], targets=[box(-60, -5, -50, 5)])
    assert traced.length_m == pytest.approx(50)


@pytest.mark.parametrize(("limit", "ends"), [(299.9, "farther_than_limit"), (300.0, "reached"), (300.1, "reached")])
def test_limit(limit, ends):
    traced = follow([stream("a", (0, 0), (400, 0))], targets=[LAKE], limit=limit)
    assert traced.ends_because == ends
    assert traced.length_m <= limit


@pytest.mark.parametrize(("away", "found"), [(19.99, True), (20.0, True), (20.01, False)])
def test_snapping_distance(away, found):
    traced = follow([stream("a", (0, away), (400, away))])
    assert (traced.ends_because == "no_line") is not found


def test_no_lines_at_all():
    traced = follow([], targets=[LAKE])
    assert (traced.ends_because, traced.path, traced.reached) == ("no_line", None, None)


def test_pieces_of_one_feature_are_joined():
    pieces = MultiLineString([[(0, 0), (100, 0)], [(100, 0), (400, 0)]])
    traced = follow([ReferenceFeature("a", "", "stream", "", pieces, "l")], targets=[LAKE])
    assert traced.length_m == pytest.approx(300)


def test_heights_of_vertices_do_not_add_to_the_length():
    line = LineString([(0, 0, 300), (200, 0, 250), (400, 0, 200)])
    traced = follow([ReferenceFeature("a", "", "stream", "", line, "l")], targets=[LAKE])
    assert traced.length_m == pytest.approx(300)


# --- branches, gaps, loops --------------------------------------------------------------------------------------------


def test_every_branch_of_a_divergence_is_followed():
    lines = [
        stream("a", (0, 0), (100, 0)),
        stream("b", (100, 0), (200, 60), (300, 0)),
        stream("c", (100, 0), (200, -60), (300, 0)),
        stream("d", (100, 0), (100, 90)),
    ]
    for number, target in enumerate([box(195, 50, 205, 90), box(195, -90, 205, -50), box(90, 80, 110, 100)]):
        traced = follow(lines, targets=[box(-500, 0, -400, 5), target], gap=1)
        assert traced.reached == 1, number
    assert traced.followed.length > 100 + 4 * np.hypot(100, 60)


def test_the_nearest_target_over_all_branches_counts_not_the_first_drawn():
    lines = [stream("a", (0, 0), (50, 0)), stream("b", (50, 0), (300, 0)), stream("c", (50, 0), (50, 90))]
    traced = follow(lines, targets=[LAKE, box(40, 60, 60, 70)])
    assert (traced.reached, traced.length_m) == (1, pytest.approx(110))


def test_a_branch_that_leaves_along_a_line_is_followed():
    lines = [stream("a", (0, 0), (200, 0)), stream("b", (80, 0), (80, 90))]
    traced = follow(lines, targets=[box(70, 60, 90, 70)], gap=1)
    assert traced.length_m == pytest.approx(140)


def test_a_line_that_joins_along_another_goes_on_from_there():
    lines = [stream("a", (0, 50), (0, 0)), stream("b", (-200, 0), (400, 0))]
    traced = follow(lines, start=(0, 50), targets=[LAKE, box(-110, -5, -100, 5)])
    assert (traced.reached, traced.length_m) == (0, pytest.approx(350))


@pytest.mark.parametrize(("gap", "reached"), [(11.9, None), (12.0, 0), (12.1, 0)])
def test_a_gap_is_bridged_up_to_its_limit_and_told(gap, reached):
    lines = [stream("a", (0, 0), (100, 0)), stream("b", (112, 0), (400, 0))]
    traced = follow(lines, targets=[LAKE], gap=gap)
    assert traced.reached == reached
    if reached == 0:
        assert traced.length_m == pytest.approx(300)
        assert traced.gaps_m == (pytest.approx(12),)
        assert "bridged gap" in traced.explanation
        assert traced.plus_minus_m > 4
    else:
        assert traced.gaps_m == ()


def test_a_line_that_stops_just_short_of_the_water_reaches_it():
    traced = follow([stream("a", (0, 0), (290, 0))], targets=[LAKE])
    assert (traced.reached, traced.length_m) == (0, pytest.approx(300))
    assert traced.gaps_m == (pytest.approx(10),)


def test_a_gap_is_not_bridged_backwards():
    # Both lines end at the gap: nothing takes the water on.
    lines = [stream("a", (0, 0), (100, 0)), stream("b", (300, 0), (110, 0))]
    assert follow(lines, targets=[box(200, -5, 210, 5)]).reached is None


def test_rounding_between_ends_is_no_gap():
    lines = [stream("a", (0, 0), (100, 0)), stream("b", (100.2, 0.1), (400, 0))]
    assert follow(lines, targets=[LAKE]).gaps_m == ()


def test_loops_end():
    ring = [(0, 0), (100, 0), (100, 100), (0, 100), (0, 0)]
    lines = [stream(str(i), *pair) for i, pair in enumerate(pairwise(ring))]
    traced = follow(lines, targets=[LAKE], limit=5000)
    assert (traced.reached, traced.ends_because) == (None, "network_ends")
    assert traced.length_m <= 400


def test_a_closed_line_ends():
    traced = follow([stream("a", (0, 0), (100, 0), (100, 100), (0, 100), (0, 0))], limit=5000)
    assert traced.ends_because == "network_ends"


def test_names_of_downstream_lines_count_before_geometry():
    lines = [
        stream("a", (0, 0), (100, 0), downstream=("c",)),
        stream("b", (100, 0), (100, 90)),
        stream("c", (100, 5), (400, 5)),
    ]
    traced = follow(lines, targets=[LAKE, box(90, 80, 110, 85)])
    assert (traced.reached, traced.length_m) == (0, pytest.approx(305))


def test_names_that_were_not_read_fall_back_to_geometry():
    lines = [stream("a", (0, 0), (100, 0), downstream=("z",)), stream("b", (100, 0), (400, 0))]
    assert follow(lines, targets=[LAKE]).reached == 0


def test_network_that_ends_at_the_edge_of_its_coverage_is_not_at_an_end():
    line = [stream("a", (0, 0), (250, 0))]
    assert follow(line, coverage=box(-500, -500, 500, 500)).ends_because == "network_ends"
    assert follow(line, coverage=box(-500, -500, 250, 500)).ends_because == "at_edge_of_coverage"
    assert follow(line, coverage=box(-500, -500, 200, 500)).ends_because == "at_edge_of_coverage"


@given(
    turns=st.lists(st.tuples(st.floats(5, 80), st.floats(-80, 80)), min_size=2, max_size=12),
    cuts=st.sets(st.integers(1, 11)),
)
@settings(max_examples=40, deadline=None)
def test_splitting_a_line_changes_no_length(turns, cuts):
    xy = np.vstack([[0, 0], np.cumsum(turns, axis=0)])
    whole = follow([stream("a", *xy)], targets=[Point(xy[-1])], gap=1, limit=5000)
    bounds = [0, *sorted(cut for cut in cuts if cut < len(xy) - 1), len(xy) - 1]
    pieces = [stream(str(first), *xy[first : last + 1]) for first, last in pairwise(bounds)]
    split = follow(pieces, targets=[Point(xy[-1])], gap=1, limit=5000)
    assert split.reached == whole.reached == 0
    assert split.length_m == pytest.approx(whole.length_m)


# --- which way a line runs --------------------------------------------------------------------------------------------


def falling(point):
    """Ground that falls to the east by 1 %."""
    return 100 - point.x * 0.01


def test_a_reversed_line_is_followed_where_the_ground_tells():
    lines = [stream("a", (0, 0), (100, 0)), stream("b", (200, 0), (100, 0)), stream("c", (200, 0), (400, 0))]
    assert follow(lines, targets=[LAKE]).reached is None
    traced = follow(lines, targets=[LAKE], height=falling)
    assert (traced.reached, traced.length_m) == (0, pytest.approx(300))
    assert any("b" in doubt and "drawn uphill" in doubt and "both ways" in doubt for doubt in traced.doubts)


def test_a_network_drawn_upstream_is_followed_where_the_ground_tells():
    lines = [stream("a", (100, 0), (0, 0)), stream("b", (200, 0), (100, 0)), stream("c", (400, 0), (200, 0))]
    traced = follow(lines, start=(50, 3), targets=[LAKE], height=falling)
    assert (traced.reached, traced.length_m) == (0, pytest.approx(3 + 250))


def test_the_order_of_the_network_outranks_the_ground():
    """An embankment at the end of a rightly drawn line."""
    lines = [stream("a", (0, 0), (100, 0), downstream=("b",)), stream("b", (100, 0), (400, 0))]
    up = follow(lines, targets=[LAKE, box(-60, -5, -50, 5)], height=lambda p: 100 + (3 if 95 < p.x < 105 else 0))
    assert (up.reached, up.length_m) == (0, pytest.approx(300))
    assert any("the order of its network agrees" in doubt for doubt in up.doubts)


def test_a_line_drawn_against_its_own_order_is_turned():
    lines = [
        stream("a", (0, 0), (100, 0)),
        stream("b", (200, 0), (100, 0), downstream=("c",)),
        stream("c", (200, 0), (400, 0)),
    ]
    traced = follow(lines, targets=[LAKE])
    assert (traced.reached, traced.length_m) == (0, pytest.approx(300))
    assert any("against the order of its network" in doubt for doubt in traced.doubts)


def ranked(name, *xy, **more):
    return replace(stream(name, *xy), **more)


def test_sequence_numbers_fall_downstream():
    lines = [
        ranked("a", (0, 0), (100, 0), sequence=30.0),
        ranked("b", (200, 0), (100, 0), sequence=20.0),
        ranked("c", (200, 0), (400, 0), sequence=10.0),
    ]
    assert follow(lines, targets=[LAKE]).reached == 0
    right = [replace(line, sequence=-line.sequence) for line in lines]
    assert follow(right, targets=[LAKE]).reached is None


def test_the_order_of_streams_never_falls_downstream():
    lines = [
        ranked("a", (0, 0), (100, 0), order=1),
        ranked("b", (200, 0), (100, 0), order=2),
        ranked("c", (200, 0), (400, 0), order=3),
    ]
    assert follow(lines, targets=[LAKE]).reached == 0


def test_a_direction_that_the_data_call_unknown_is_followed_both_ways():
    lines = [
        ranked("a", (100, 0), (0, 0), flow_known=False),
        stream("c", (100, 0), (400, 0)),
        stream("d", (0, 0), (-90, 0)),
    ]
    traced = follow(lines, start=(50, 0), targets=[LAKE, box(-90, -5, -60, 5)])
    assert (traced.reached, traced.length_m) == (1, pytest.approx(110))
    assert traced.others == ((0, pytest.approx(250)),)
    assert any("no known direction" in doubt for doubt in traced.doubts)


def test_a_line_drawn_twice_counts_once_and_drawn_both_ways_runs_both():
    twice = [stream("a", (0, 0), (100, 0)), stream("e", (0, 0), (100, 0)), stream("b", (100, 0), (400, 0))]
    traced = follow(twice, targets=[LAKE])
    assert (traced.reached, traced.length_m, traced.doubts) == (0, pytest.approx(300), ())
    both = [stream("a", (100, 0), (0, 0)), stream("e", (0, 0), (100, 0)), stream("b", (100, 0), (400, 0))]
    traced = follow(both, start=(50, 0), targets=[LAKE])
    assert (traced.reached, traced.length_m) == (0, pytest.approx(250))
    assert any("drawn twice" in doubt for doubt in traced.doubts)


def test_the_waters_of_all_branches_are_told():
    lines = [stream("a", (0, 0), (50, 0)), stream("b", (50, 0), (300, 0)), stream("c", (50, 0), (50, 90))]
    traced = follow(lines, targets=[LAKE, box(40, 60, 60, 70)])
    assert (traced.reached, traced.length_m) == (1, pytest.approx(110))
    assert traced.others == ((0, pytest.approx(300)),)
    assert follow(lines, targets=[LAKE, box(40, 60, 60, 70)], limit=200).others == ()


def test_a_line_that_touches_itself_ends():
    lines = [stream("a", (0, 0), (100, 0), (100, 50), (50, 50), (50, 0)), stream("b", (100, 0), (400, 0))]
    traced = follow(lines, targets=[LAKE], limit=5000)
    assert (traced.reached, traced.length_m) == (0, pytest.approx(300))


def test_lines_of_several_parts_that_do_not_meet():
    parts = MultiLineString([[(0, 0), (100, 0)], [(112, 0), (400, 0)]])
    traced = follow([ReferenceFeature("a", "", "stream", "", parts, "l")], targets=[LAKE])
    assert (traced.reached, traced.length_m, traced.gaps_m) == (0, pytest.approx(300), (pytest.approx(12),))


# --- all reaches downstream -------------------------------------------------------------------------------------------


def named(name, *xy, water=""):
    return replace(stream(name, *xy), name=water)


RIVERS = [
    named("a", (0, 0), (100, 0)),
    named("b", (100, 0), (300, 0), water="Mill Creek"),
    named("c", (100, 0), (100, 150), water="Old Mill Race"),
    named("d", (300, 0), (900, 0), water="Milwaukee River"),
    named("up", (-500, 0), (0, 0), water="Upper Creek"),
]


def test_reaches_to_a_distance():
    found = downstream_reaches(Network(RIVERS, 20), Point(0, 4), 400, 20)
    assert [(reach.feature.id, reach.from_m) for reach in found.reaches] == [
        ("a", pytest.approx(4)), ("b", pytest.approx(104)), ("c", pytest.approx(104)), ("d", pytest.approx(304)),
    ]  # fmt: skip
    assert [reach.line.length for reach in found.reaches] == pytest.approx([100, 200, 150, 96])
    assert [name for name, _ in found.named] == ["Mill Creek", "Old Mill Race", "Milwaukee River"]
    assert found.named[0][1] == pytest.approx(104)
    assert found.ends_because == "farther_than_limit"
    assert downstream_reaches(Network(RIVERS, 20), Point(0, 4), 5000, 20).ends_because == "network_ends"


@pytest.mark.parametrize(("distance", "last"), [(303.9, "c"), (304.1, "d")])
def test_the_distance_is_a_limit(distance, last):
    assert downstream_reaches(Network(RIVERS, 20), Point(0, 4), distance, 20).reaches[-1].feature.id == last


def test_no_line_near_has_no_reaches():
    found = downstream_reaches(Network(RIVERS, 20), Point(0, 400), 400, 20)
    assert (found.reaches, found.named, found.ends_because) == ((), (), "no_line")


def test_a_loop_has_each_line_once():
    ring = [(0, 0), (100, 0), (100, 100), (0, 100), (0, 0)]
    lines = [stream(str(i), *pair) for i, pair in enumerate(pairwise(ring))]
    found = downstream_reaches(Network(lines, 20), Point(0, 0), 5000, 20)
    assert sorted(reach.feature.id for reach in found.reaches) == ["0", "1", "2", "3"]


def test_gaps_on_the_way_are_told():
    found = downstream_reaches(
        Network([stream("a", (0, 0), (100, 0)), stream("b", (107, 0), (400, 0))], 20), Point(0, 0), 900, 20
    )
    assert found.gaps_m == (pytest.approx(7),)


def test_fifty_thousand_lines():
    """A comb of 250 rivers of 200 lines."""
    lines = [
        stream(f"{r}-{i}", (10.0 * i, 60.0 * r), (10.0 * i + 5, 60.0 * r + 2), (10.0 * (i + 1), 60.0 * r))
        for r in range(250)
        for i in range(200)
    ]
    traced = follow(lines, start=(0, 0), targets=[box(1500, -5, 1510, 5)], limit=5000, height=lambda p: 100 - p.x / 100)
    assert traced.reached == 0
    assert traced.length_m == pytest.approx(300 * np.hypot(5, 2))


# --- where it begins --------------------------------------------------------------------------------------------------


def ridge(point):
    """H48: creek A 20 m north behind a ridge, creek B 60 m south and downhill."""
    return 100 + min(point.y, 10) * 0.2 - max(point.y - 10, 0) * 0.3 if point.y > 0 else 100 + 0.05 * point.y


H48 = [stream("A", (-200, 20), (400, 20)), stream("B", (-200, -60), (400, -60))]


def test_the_line_behind_a_ridge_is_not_taken():
    traced = follow(H48, snap=100, height=ridge)
    assert traced.snapped == "B"
    assert traced.candidates == (("A", 20.0), ("B", 60.0))
    assert any("A" in doubt and "rises 2.0 m" in doubt for doubt in traced.doubts)


def test_without_heights_the_nearest_line_is_taken_and_the_others_told():
    traced = follow(H48, snap=100)
    assert traced.snapped == "A"
    assert traced.candidates == (("A", 20.0), ("B", 60.0))
    assert "Other drainage lines" in traced.explanation


def test_neighbours_of_the_same_drainage_are_no_doubt():
    lines = [stream("a", (-200, 5), (-5, 5)), stream("b", (-5, 5), (400, 5)), stream("c", (0, 15), (0, 5))]
    traced = follow(lines, targets=[LAKE])
    assert len(traced.candidates) == 3
    assert traced.doubts == ()


def test_all_lines_uphill_is_no_line():
    traced = follow(H48, snap=40, height=ridge)
    assert (traced.ends_because, traced.snapped) == ("no_line", "")
    assert "rises" in traced.explanation


def test_unknown_heights_exclude_nothing():
    assert follow(H48, snap=100, height=lambda _: float("nan")).snapped == "A"


def test_start_at_a_fork_follows_both_legs():
    lines = [stream("u", (-50, 0), (0, 0)), stream("b", (0, 0), (100, 80)), stream("c", (0, 0), (100, -80))]
    for target in (box(90, 60, 110, 90), box(90, -90, 110, -60)):
        assert follow(lines, targets=[target], gap=1).reached == 0


def test_a_line_drawn_uphill_is_named():
    traced = follow([stream("a", (0, 0), (400, 0))], targets=[LAKE], height=lambda point: 100 + point.x * 0.01)
    assert any("drawn uphill" in doubt and "4.0 m" in doubt for doubt in traced.doubts)
    assert "drawn uphill" in traced.explanation
    down = follow([stream("a", (0, 0), (400, 0))], targets=[LAKE], height=lambda point: 100 - point.x * 0.01)
    assert down.doubts == ()


# --- the cases --------------------------------------------------------------------------------------------------------


def read_case(name):
    folder = CASES / name
    expected = json.loads((folder / "expected.json").read_text())
    geo = georeference("EPSG:26917")
    shapes = {key: read_shapes(folder / file) for key, file in expected["setup"].items() if isinstance(file, str)}
    frame = frame_around(geo.lonlat(shapely.get_coordinates(np.array(shapes["outfall"][0], dtype=object))))
    placed = {key: [frame.project(shape, geo) for shape in found] for key, found in shapes.items()}
    lines = [
        ReferenceFeature(f"flowlines:{row}", "", "stream", "", shape, "flowlines")
        for row, shape in enumerate(placed["flowlines"])
    ]
    targets = placed.get("waters", []) + placed.get("wetlands", [])
    checks = {check["quantity"]: check for check in expected["checks"] if check["kind"] in {"equals", "value"}}
    return lines, placed["outfall"][0], targets, expected["setup"].get("gap_tolerance_m", 20), checks


def read_shapes(path):
    with fiona.open(path) as layer:
        return [shapely.geometry.shape(row.geometry.__geo_interface__) for row in layer]


@pytest.mark.parametrize(("name", "quantity", "metres"), [
    ("H41", "flow_distance_ft", 0.3048), ("H41", "straight_distance_ft", 0.3048),
    ("H43", "flow_distance_m", 1.0), ("H44", "flow_distance_m", 1.0),
])  # fmt: skip
def test_case(name, quantity, metres):
    lines, start, targets, gap, checks = read_case(name)
    traced = trace_network(lines, start, targets, 20, gap, 1609.344)
    assert traced.reached == 0
    length = traced.straight_m if "straight" in quantity else traced.length_m
    assert length / metres == pytest.approx(checks[quantity]["value"], abs=checks[quantity]["tol_abs"])


def test_case_beyond_the_quarter_mile():
    lines, start, targets, gap, _ = read_case("H41")
    traced = trace_network(lines, start, targets, 20, gap, 402.336)
    assert (traced.reached, traced.ends_because) == (None, "farther_than_limit")


def test_case_gap_is_told():
    lines, start, targets, gap, _ = read_case("H43")
    assert trace_network(lines, start, targets, 20, gap, 402.336).gaps_m == (pytest.approx(12, abs=0.01),)
