"""Controls, basins, piles and waters downstream: each limit just below, at and just above, and what is not told."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
import shapely
from shapely import LineString, MultiLineString, Point, box

from siteplan_gis.measuring.record import cannot, measured
from siteplan_gis.model.layers import ReferenceFeature
from siteplan_gis.model.measurement import Discharge, NearbyFeature
from siteplan_gis.model.plan import Activity, PlanFeature, Stated
from siteplan_gis.reviewing import run
from siteplan_gis.units import ACRE_M2, FOOT_M
from tests.checks.conftest import SQUARE, layer, make_case, rule_of

VILLAGE = {"SAU": "saukville", "FAI": "fairwater", "ETR": "east_troy"}


def drawn(role, geometry, name="", number="1", **settings):
    return PlanFeature(role, geometry, f"plan.gpkg/{role}", number, name, **settings)


def control(kind, geometry, **settings):
    return drawn("control", geometry, kind=kind, **settings)


def taken(name, value, doubt=None, where=None, reason=""):
    return cannot(name, reason) if value is None else measured(name, value, doubt, "by hand", where, (), reason)


def findings(rule, values=(), **settings):
    case = make_case(VILLAGE[rule[:3]], **settings)
    values = {item.name: item for item in values}
    case = replace(case, measured=replace(case.measured, values={**case.measured.values, **values}))
    return list(run(rule_of(case, rule), case))


def outcome(rule, values=(), **settings):
    return {
        item.subject: item.status.value if item.counted else "checklist" for item in findings(rule, values, **settings)
    }


SHEETS_ONLY = {"plan": {"sheets": (object(),)}}
BY_DRAWING = (
    "FAI-CHAN", "FAI-SHEET", "FAI-10-A", "FAI-10-B", "FAI-BASIN-1", "FAI-BASIN-2", "FAI-STOCK", "FAI-INLET", "FAI-TRACK",
    "SAU-ADJ", "SAU-BMP-LOC", "SAU-STOCK", "SAU-INLET", "SAU-TRACK", "SAU-DISSIP", "SAU-DRAINWAY",
)  # fmt: skip


@pytest.mark.parametrize("rule", BY_DRAWING)
def test_of_sheets_alone_nothing_is_judged(rule):
    assert set(outcome(rule, **SHEETS_ONLY).values()) == {"not_checked"}


@pytest.mark.parametrize("rule", ["FAI-CHAN", "FAI-SHEET", "FAI-10-B", "FAI-10-A", "FAI-APP-6", "SAU-ADJ", "SAU-BMP-LOC", "SAU-DRAINWAY"])  # fmt: skip
def test_without_elevations_nothing_passes(rule):
    values = [taken("disturbed_max_concurrent_acres", 5.0, 0.001)]
    assert set(outcome(rule, values).values()) <= {"not_checked", "checklist"}


# ---------------------------------------------------------------------------------------------------------- perimeter

GAP = MultiLineString([LineString([(0, 0), (40, 0)])])


def edge(down_bare=0.0, side_bare=0.0, doubt=0.0, acres=5.0, down=300.0, side=300.0):
    return [
        taken("disturbed_max_concurrent_acres", acres, 0.001),
        taken("perimeter_down_ft", down),
        taken("perimeter_side_ft", side),
        taken("perimeter_down_bare_ft", down_bare, doubt, GAP if down_bare else None),
        taken("perimeter_side_bare_ft", side_bare, doubt, GAP if side_bare else None),
        taken("channel_through_disturbed_ft", 0.0),
        taken("channel_edge_bare_ft", 0.0),
    ]


@pytest.mark.parametrize(
    ("facts", "down", "side"),
    [
        ({}, "pass", "pass"),
        ({"down_bare": 40.0}, "fail", "pass"),
        ({"side_bare": 40.0}, "pass", "fail"),
        ({"down_bare": 40.0, "doubt": 36.9}, "fail", "needs_review"),
        ({"down_bare": 40.0, "doubt": 37.1}, "needs_review", "needs_review"),
        ({"doubt": 3.0}, "pass", "pass"),
        ({"doubt": 3.1}, "needs_review", "needs_review"),
        ({"down": 0.0}, "not_applicable", "pass"),
        ({"down_bare": 40.0, "acres": 9.99}, "fail", "pass"),
        ({"down_bare": 40.0, "acres": 10.0}, "needs_review", "needs_review"),
    ],
)
def test_sides_of_the_disturbed_ground(facts, down, side):
    found = outcome("FAI-10-A", edge(**facts))
    assert (found["down"], found["beside"]) == (down, side)
    assert found["standard_1056"] == "checklist"


def test_above_ten_acres_fences_are_not_asked_for_and_at_ten_the_text_is_silent():
    assert outcome("FAI-10-A", edge(acres=10.01)) == {"perimeter": "not_applicable"}
    told = findings("FAI-10-A", edge(acres=10.0, down_bare=40.0))[0].message
    assert "at exactly 10 the text asks for neither" in told


def test_a_gap_is_named_drawn_and_left_open_where_a_control_of_no_known_kind_stands():
    (bare, *_) = findings("FAI-10-A", edge(down_bare=131.2))
    assert "131 ft of them, in 1 gap (the longest 131 ft)" in bare.message
    assert bare.where.equals(GAP)
    unknown = [control("EC-1", LineString([(0, 5), (40, 5)]))]
    assert outcome("FAI-10-A", edge(down_bare=131.2), features=unknown)["down"] == "needs_review"


def test_in_saukville_a_gap_never_fails():
    assert outcome("SAU-ADJ", edge(down_bare=40.0)) == {"down": "needs_review", "beside": "pass"}


@pytest.mark.parametrize(
    ("through", "bare", "status"),
    [(0.0, 0.0, "not_applicable"), (300.0, 0.0, "not_applicable"), (300.0, 600.0, "needs_review")],
)
def test_edges_of_a_channel_are_the_reviewer_s(through, bare, status):
    values = edge()[:-2]
    values += [
        taken("channel_through_disturbed_ft", through),
        taken("channel_edge_bare_ft", bare, None, GAP if bare else None),
    ]
    assert outcome("FAI-10-A", values)["channels"] == status


@pytest.mark.parametrize(("slope", "apart"), [(1.9, 100), (2.0, 75), (5.0, 50), (10.0, 25), (33.0, 20)])
def test_advice_of_the_state_s_standard(slope, apart):
    (advice,) = [
        item
        for item in findings("FAI-10-A", [*edge(), taken("slope_percent_median", slope)])
        if item.subject == "standard_1056"
    ]
    assert not advice.counted
    assert f"allows {apart} ft of slope" in advice.message
    assert "conflicts" in advice.message


# ------------------------------------------------------------------------------------------------------------- basins

BASIN = control("sediment basin", box(10, 10, 30, 30), name="P-1", attributes={"DEPTH_FT": 3.0})


def heads(count, doubt=0.0, reason=""):
    return taken("channel_heads_in_disturbed", count, doubt, Point(5, 5), reason)


def most(acres):
    return taken("disturbed_max_concurrent_acres", acres, 0.001)


@pytest.mark.parametrize(
    ("acres", "channels", "basin", "status"),
    [
        (9.99, heads(0), False, "not_applicable"),
        (10.0, heads(0), False, "needs_review"),
        (10.01, heads(0), False, "fail"),
        (10.01, heads(0), True, "pass"),
        (4.0, heads(1), False, "needs_review"),
        (4.0, heads(1), True, "pass"),
        (4.0, heads(0, 2.0), False, "needs_review"),
        (4.0, heads(0, None, "it may begin farther up"), False, "needs_review"),
        (4.0, taken("channel_heads_in_disturbed", None, reason="no elevations"), False, "not_checked"),
        (10.01, taken("channel_heads_in_disturbed", None, reason="no elevations"), False, "fail"),
    ],
)
def test_when_a_basin_is_required(acres, channels, basin, status):
    drains = taken("basin_drainage_acres[P-1]", 2.0, 0.1, box(0, 0, 80, 80))
    features = [BASIN] if basin else []
    assert outcome("FAI-10-B", [most(acres), channels, drains], features=features) == {"basins": status}


@pytest.mark.parametrize(
    ("drawn_acres", "stated", "basins", "perimeter"),
    [
        (9.0, None, "not_applicable", "pass"),
        (9.0, 10.0, "not_applicable", "needs_review"),  # exactly 10: neither less nor more
        (9.0, 9.999, "not_applicable", "pass"),
        (9.0, 10.001, "needs_review", "needs_review"),
        (12.0, None, "fail", "not_applicable"),
        (12.0, 10.001, "fail", "not_applicable"),
        (12.0, 10.0, "needs_review", "not_applicable"),
        (12.0, 9.999, "needs_review", "needs_review"),
    ],
)
def test_a_stated_figure_on_the_other_side_of_ten_acres_is_the_reviewers(drawn_acres, stated, basins, perimeter):
    plan = {"plan": {"stated": Stated(disturbed_max_concurrent_acres=stated)}}
    (found,) = findings("FAI-10-B", [most(drawn_acres), heads(0)], **plan)
    assert found.status.value == basins
    assert ("states" in found.message) == (basins == "needs_review")
    sides = outcome("FAI-10-A", edge(acres=drawn_acres), **plan)
    assert sides.get("down", sides.get("perimeter")) == perimeter


def test_a_basin_elsewhere_does_not_serve_the_disturbed_ground():
    for ground, status in ((box(500, 0, 900, 80), "needs_review"), (None, "needs_review")):
        drains = taken("basin_drainage_acres[P-1]", 2.0 if ground else None, 0.1, ground, "unknown")
        assert outcome("FAI-10-B", [most(12.0), heads(0), drains], features=[BASIN]) == {"basins": status}


@pytest.mark.parametrize(
    ("percent", "doubt", "reason", "status"),
    [
        (0.99, 0.001, "", "fail"),
        (1.0, 0.001, "", "needs_review"),
        (1.0, 0.0, "", "pass"),
        (1.01, 0.001, "", "pass"),
        (1.01, 0.02, "", "needs_review"),
        (0.9, None, "a lower bound", "fail"),
        (5.0, None, "a lower bound", "needs_review"),
        (None, None, "no elevations", "not_checked"),
    ],
)
def test_surface_of_a_basin(percent, doubt, reason, status):
    values = [taken("basin_percent[P-1]", percent, doubt, None, reason)]
    values += [taken("basin_drainage_acres[P-1]", 9.0, None, SQUARE, reason)]
    assert outcome("FAI-BASIN-1", values, features=[BASIN]) == {"P-1": status}
    assert outcome("FAI-BASIN-1", values) == {"basins": "not_applicable"}


@pytest.mark.parametrize(
    ("attributes", "status"),
    [
        ({"DEPTH_FT": 2.99}, "fail"),
        ({"DEPTH_FT": 3.0}, "pass"),
        ({"depth": "3.01 ft"}, "pass"),
        ({"DEPTH_IN": 35.9}, "fail"),
        ({"DEPTH_IN": 36}, "pass"),
        ({"depth_m": 0.914}, "fail"),
        ({"depth_m": 0.9144}, "pass"),
        ({"depth": 3.5}, "needs_review"),
        ({"depth": "deep"}, "needs_review"),
        ({"DEPTH_FT": "24 in"}, "needs_review"),
        ({"DEPTH_FT": "1.0 m"}, "needs_review"),
        ({"DEPTH_FT": "2.5 to 3.5"}, "needs_review"),
        ({"DEPTH_FT": "3.0 ft min."}, "pass"),
        ({}, "needs_review"),
    ],
)
def test_depth_of_a_basin(attributes, status):
    found = outcome("FAI-BASIN-2", features=[replace(BASIN, attributes=attributes)])
    assert found == {"P-1": status, "design": "checklist"}


# ---------------------------------------------------------------------------------------------- runoff from next door


def adjacent(sheet=(0.0, 0.0), left=None, channel=(0.0, 0.0), around=None, reason=""):
    left, around = left or sheet, around or channel
    return [
        taken("offsite_sheet_flow_sqft", *sheet, None, reason),
        taken("undiverted_sheet_flow_sqft", *left, None, reason),
        taken("offsite_channel_acres", *channel, None, reason),
        taken("undiverted_channel_acres", *around, None, reason),
        taken("slope_percent_median", 5.0),
        taken("perimeter_up_ft", 300.0),
    ]


@pytest.mark.parametrize(
    ("facts", "status"),
    [
        ({"sheet": (9_999.0, 0.5)}, "not_applicable"),
        ({"sheet": (10_000.0, 0.0)}, "not_applicable"),
        ({"sheet": (10_000.0, 50.0)}, "needs_review"),
        ({"sheet": (10_001.0, 0.5)}, "needs_review"),
        ({"sheet": (20_000.0, 50.0), "left": (500.0, 50.0)}, "pass"),
        ({"sheet": (20_000.0, 50.0), "left": (10_000.0, 50.0)}, "needs_review"),
        ({"sheet": (500.0, None), "reason": "a lower bound"}, "needs_review"),
    ],
)
def test_sheet_flow(facts, status):
    assert outcome("FAI-SHEET", adjacent(**facts)) == {"sheet": status}


def test_velocity_of_the_sheet_by_hand():
    """1.8 in/h on the slope; by Manning, v = q^0.4 S^0.3 / n^0.6."""
    sqft = 20_000.0
    told = findings("FAI-SHEET", adjacent(sheet=(sqft, 50.0)))[0].message
    length_m = (sqft * FOOT_M**2 + SQUARE.area) / (300 * FOOT_M)
    rain = 1.8 * 0.0254 / 3600
    low, high = (
        (rain * share * length_m) ** 0.4 * 0.05**0.3 / n**0.6 / FOOT_M for share, n in ((0.3, 0.05), (1.0, 0.011))
    )
    assert f"{low:.2f} to {high:.2f} ft/s" in told
    assert "a bound, no proof" in told


@pytest.mark.parametrize(
    ("facts", "status"),
    [
        ({}, "not_applicable"),
        ({"channel": (0.04, 0.0)}, "not_applicable"),
        ({"channel": (0.04, 2.0)}, "needs_review"),
        ({"channel": (3.0, 0.5)}, "needs_review"),
        ({"channel": (3.0, 0.5), "around": (0.0, 0.1)}, "pass"),
        ({"channel": (3.0, 0.5), "around": (1.0, 0.1)}, "needs_review"),
        ({"reason": "a lower bound"}, "needs_review"),
    ],
)
def test_channels_from_next_door(facts, status):
    assert outcome("FAI-CHAN", adjacent(**facts)) == {"channels": status}


# --------------------------------------------------------------------------------------------------------- stockpiles

PILE = drawn("stockpile", box(40, 40, 50, 50), "topsoil", attributes={"VOLUME_CY": 420.0})


@pytest.mark.parametrize(
    ("volume", "length", "doubt", "status"),
    [
        ({"VOLUME_CY": 420.0}, 15.1, 0.0, "pass"),
        ({"VOLUME_CY": 420.0}, 15.0, 0.0, "pass"),
        ({"VOLUME_CY": 420.0}, 14.9, 0.0, "needs_review"),  # "should" never fails
        ({"VOLUME_CY": 420.0}, 16.0, 2.0, "needs_review"),
        ({"VOLUME_CY": 10.0}, 1.0, 0.0, "not_applicable"),
        ({"VOLUME_CY": 10.01}, 1.0, 0.0, "needs_review"),
        ({"volume": "270 cf"}, 1.0, 0.0, "not_applicable"),
        ({"volume": "271 cf"}, 1.0, 0.0, "needs_review"),
        ({"volume": 5}, 1.0, 0.0, "needs_review"),
        ({}, 1.0, 0.0, "needs_review"),
        ({}, 100.0, 0.0, "pass"),
    ],
)
def test_distance_of_a_stockpile(volume, length, doubt, status):
    values = [taken("stockpile_drainage_ft[topsoil]", length, doubt), taken("stockpile_drains_to[topsoil]", "road")]
    assert outcome("FAI-STOCK", values, features=[replace(PILE, attributes=volume)]) == {"topsoil": status}


def test_a_pile_whose_water_meets_nothing_or_is_not_known():
    nothing = [
        taken("stockpile_drainage_ft[topsoil]", None, reason="its runoff meets no road"),
        taken("stockpile_drains_to[topsoil]", "nothing"),
    ]
    assert outcome("FAI-STOCK", nothing, features=[PILE]) == {"topsoil": "pass"}
    unknown = [taken("stockpile_drainage_ft[topsoil]", None, reason="no elevations")]
    assert outcome("FAI-STOCK", unknown, features=[PILE]) == {"topsoil": "not_checked"}


@pytest.mark.parametrize("rule", ["FAI-STOCK", "SAU-STOCK"])
def test_no_stockpile(rule):
    assert outcome(rule) == {"stockpiles": "checklist"}
    assert outcome(rule, plan={"declared_absent": frozenset({"stockpile"})}) == {"stockpiles": "not_applicable"}


AROUND = control("silt fence", PILE.geometry.buffer(2.0, join_style="mitre").exterior)


@pytest.mark.parametrize(
    ("end", "guards", "status"),
    [
        (date(2026, 5, 7), (), "not_applicable"),  # seven days, both counted
        (date(2026, 5, 8), (), "needs_review"),
        (date(2026, 5, 8), (AROUND,), "pass"),
        (None, (), "needs_review"),
        (None, (AROUND,), "pass"),
        (None, (replace(AROUND, kind="EC-1"),), "needs_review"),
        (None, (replace(AROUND, geometry=LineString([(38, 38), (52, 38)])),), "needs_review"),
        (None, (control("mulch", box(30, 30, 60, 60)),), "pass"),
        (None, (control("mulch", box(30, 30, 45, 60)),), "needs_review"),
        (date(2026, 4, 1), (), "needs_review"),
    ],
)
def test_a_pile_that_stands_longer_than_a_week(end, guards, status):
    pile = replace(PILE, start=date(2026, 5, 1), end=end)
    assert outcome("SAU-STOCK", features=[pile, *guards]) == {"topsoil": status}


# --------------------------------------------------------------------------------------------- inlets, exits, outfalls


def inlet(name, x, y=50.0, **settings):
    return drawn("inlet", Point(x, y), name, name, **settings)


GUARD = control("inlet protection", Point(50.5, 50))


@pytest.mark.parametrize(
    ("features", "fairwater", "saukville"),
    [
        ([inlet("CB-1", 50), GUARD], {"inlets": "pass"}, {"inlets": "pass"}),
        ([inlet("CB-1", 50)], {"bare": "fail"}, {"bare": "needs_review"}),
        ([inlet("CB-1", 50, attributes={"PROTECTION": "Type D"})], {"inlets": "pass"}, {"inlets": "pass"}),
        ([inlet("CB-1", 50, attributes={"PROTECTION": "none"})], {"bare": "fail"}, {"bare": "needs_review"}),
        # One symbol guards the nearest of two inlets only.
        ([inlet("CB-1", 50), inlet("CB-2", 53), GUARD], {"bare": "fail"}, {"bare": "needs_review"}),
        ([inlet("CB-1", 50), replace(GUARD, geometry=Point(50 + 7.61, 50))], {"inlets": "pass"}, {"inlets": "pass"}),
        ([inlet("CB-1", 50), replace(GUARD, geometry=Point(50 + 7.63, 50))], {"bare": "fail"}, {"bare": "needs_review"}),
        ([inlet("CB-1", 50), replace(GUARD, kind="silt fence")], {"bare": "fail"}, {"bare": "needs_review"}),
        ([], {"inlets": "checklist"}, {"inlets": "checklist"}),
    ],
)  # fmt: skip
def test_inlets(features, fairwater, saukville):
    assert outcome("FAI-INLET", features=features) == fairwater
    assert outcome("SAU-INLET", features=features) == saukville


@pytest.mark.parametrize(
    ("receives", "status"),
    [
        (taken("inlet_disturbed_acres[CB-9]", 0.2), {"bare": "needs_review"}),
        (taken("inlet_disturbed_acres[CB-9]", 0.0), {"inlets": "not_applicable"}),
        (taken("inlet_disturbed_acres[CB-9]", None, reason="no elevations"), {"untold": "needs_review"}),
    ],
)
def test_only_inlets_downslope_are_asked_for_in_saukville(receives, status):
    far = inlet("CB-9", 100 + 15.3)
    assert outcome("SAU-INLET", [receives], features=[far]) == status
    assert outcome("FAI-INLET", [receives], features=[far]) == {"bare": "fail"}
    assert outcome("SAU-INLET", [receives], features=[inlet("CB-9", 100 + 15.2)]) == {"bare": "needs_review"}


def test_no_inlet_as_declared():
    assert outcome("FAI-INLET", plan={"declared_absent": frozenset({"inlet"})}) == {"inlets": "not_applicable"}


DRIVE = drawn("road", LineString([(50, 50), (50, 130)]), "drive")
PAD = control("stone tracking pad", box(46, 90, 54, 105))


@pytest.mark.parametrize(
    ("features", "fairwater", "saukville"),
    [
        ([DRIVE, PAD], "pass", "pass"),
        ([DRIVE], "fail", "needs_review"),
        ([], "fail", "needs_review"),
        ([DRIVE, drawn("entrance", box(46, 90, 54, 105))], "needs_review", "needs_review"),
        ([DRIVE, drawn("entrance", box(46, 90, 54, 105), "gravel drive")], "pass", "pass"),
        ([DRIVE, PAD, drawn("road", LineString([(-50, 20), (50, 20)]), "lane")], "needs_review", "needs_review"),
        ([DRIVE, replace(PAD, geometry=box(50 + 7.6, 90, 70, 105))], "pass", "pass"),
        ([DRIVE, replace(PAD, geometry=box(50 + 7.7, 90, 70, 105))], "needs_review", "needs_review"),
    ],
)  # fmt: skip
def test_exits(features, fairwater, saukville):
    assert outcome("FAI-TRACK", features=features) == {"exits": fairwater}
    assert outcome("SAU-TRACK", features=features) == {"exits": saukville}


OUTFALL = drawn("outfall", Point(50, 0), "OF-1")


@pytest.mark.parametrize(
    ("features", "status"),
    [
        ([OUTFALL, control("riprap apron", Point(50, -7.6))], "pass"),
        ([OUTFALL, control("riprap apron", Point(50, -7.7))], "needs_review"),
        ([OUTFALL], "needs_review"),
        ([], "checklist"),
    ],
)
def test_dissipation(features, status):
    assert outcome("SAU-DISSIP", features=features) == {"outfalls": status}


def way(name="OF-1", *, drawn=True, path=((50, 0), (50, -200)), receiving="Teasel Creek"):
    line = LineString(path)
    return Discharge(name, drawn, receiving, "water", line.length, line.length, True, "reached_water", Point(path[0]), line)  # fmt: skip


def test_exits_of_runoff_without_an_outfall():
    assert outcome("SAU-DISSIP", discharges=(way("exit 1", drawn=False),)) == {"outfalls": "needs_review"}
    (line,) = findings("SAU-OUTLET", discharges=(way(),))
    assert not line.counted
    assert "OF-1 to Teasel Creek, without a drawn dissipator" in line.message


# ------------------------------------------------------------------------------------------------ places of practices

FENCE = control("silt fence", LineString([(0, -5), (100, -5)]))
LAYERS = {role: layer(role) for role in ("waters", "wetlands", "floodplain")}


@pytest.mark.parametrize(
    ("features", "status"),
    [([FENCE], "pass"), ([], "fail"), ([replace(FENCE, geometry=LineString([(300, 0), (400, 0)]))], "needs_review")],
)
def test_a_practice_before_the_water(features, status):
    followed = [measured("runoff_exit_count", 1, None, "by hand")]
    found = outcome("SAU-BMP-LOC", followed, features=features, layers=LAYERS, discharges=(way(),))
    assert found["before"] == status
    if status == "pass":
        unknown = outcome("SAU-BMP-LOC", features=features, layers=LAYERS, discharges=(way(),))
        assert unknown["before"] == "needs_review"


def wetland(geometry):
    return {**LAYERS, "wetlands": layer("wetlands", [ReferenceFeature("w", "fen", "wetland", "E2K", geometry, "wetlands")])}  # fmt: skip


@pytest.mark.parametrize(
    ("layers", "plan_features", "found"),
    [
        (LAYERS, [], {"upland": "pass"}),
        (wetland(box(0, -200, 100, -5.1)), [], {"upland": "pass"}),
        (wetland(box(0, -200, 100, 4)), [], {"edge": "needs_review"}),  # 10 m accuracy
        (wetland(box(-50, -200, 150, 50)), [], {"upland": "fail"}),
        (LAYERS, [drawn("wetland", box(0, -200, 100, -4))], {"upland": "fail"}),
        (LAYERS, [control("EC-1", Point(0, 0))], {"upland": "needs_review"}),
        ({}, [], {"upland": "needs_review"}),
    ],
)
def test_structures_on_upland(layers, plan_features, found):
    got = outcome("SAU-BMP-LOC", features=[FENCE, *plan_features], layers=layers, discharges=(way(),))
    assert {subject: status for subject, status in got.items() if subject != "before"} == found


def test_no_structure_is_a_line_of_the_checklist():
    assert outcome("SAU-BMP-LOC", layers=LAYERS, discharges=(way(),))["upland"] == "checklist"


@pytest.mark.parametrize(
    ("through", "bare", "reason", "status"),
    [
        (0.0, 0.0, "", "not_applicable"),
        (300.0, 0.0, "", "pass"),
        (300.0, 40.0, "", "needs_review"),
        (0.0, 0.0, "it may begin farther up", "needs_review"),
    ],
)
def test_channels_with_a_control_in_them(through, bare, reason, status):
    values = [taken("channel_through_disturbed_ft", through, None, None, reason), taken("channel_open_ft", bare)]
    assert outcome("SAU-DRAINWAY", values) == {"channels": status}


# -------------------------------------------------------------------------------------------------- waters downstream


def names(*found):
    return [
        taken(f"first_named_water[OF-{number}]", name or None, reason="" if name else "no line has a name")
        for number, name in enumerate(found, 1)
    ]


@pytest.mark.parametrize(
    ("stated", "found", "status"),
    [
        ("Teasel Creek", ["Teasel Creek"], "pass"),
        ("Teasel Cr.", ["TEASEL CREEK"], "pass"),
        ("unnamed tributary to Teasel Creek", ["Teasel Creek", ""], "pass"),
        ("UNT to Teasel Creek (impaired)", ["Teasel Creek"], "pass"),
        ("Marsh, then Teasel Creek", ["Teasel Creek"], "pass"),
        ("North Branch Teasel Creek", ["Teasel Creek"], "needs_review"),
        ("tributary of North Branch Teasel Creek", ["Teasel Creek"], "needs_review"),
        ("Teasel Creek", ["North Branch Teasel Creek"], "fail"),
        ("Teasel Creek or others", ["Teasel Creek"], "needs_review"),
        ("Creek", ["Teasel Creek"], "fail"),
        ("Bittern Brook", ["Teasel Creek"], "fail"),
        ("Bittern Brook", ["Teasel Creek", "Bittern Brook"], "needs_review"),
        ("Teasel Creek", [""], "needs_review"),
        ("Teasel Creek", [], "needs_review"),
        ("", ["Teasel Creek"], "needs_review"),
    ],
)
def test_name_of_the_receiving_water(stated, found, status):
    assert outcome("SAU-RECV", names(*found), plan={"stated": Stated(receiving_water=stated)}) == {"name": status}


def listed_water(y):
    return ReferenceFeature("i1", "Teasel Creek", "impaired", "", LineString([(-100, y), (300, y)]), "listed_waters")


@pytest.mark.parametrize(
    ("y", "reason", "status"),
    [
        (-300.0, "", "needs_review"),
        (-429.0, "", "needs_review"),  # 20 m of snapping and 10 m of accuracy beyond the end at -400
        (-431.0, "", "pass"),
        (-431.0, "the drainage lines go on beyond the map that was read", "needs_review"),
        (-431.0, "the drainage lines end", "pass"),
    ],
)
def test_listed_waters_downstream(y, reason, status):
    followed = taken("downstream_network_ft[OF-1]", 650.0, None, LineString([(50, -200), (50, -400)]), reason)
    layers = {"listed_waters": layer("listed_waters", [listed_water(y)])}
    assert outcome("SAU-ORW", [followed], layers=layers, discharges=(way(),)) == {"listed": status}


def test_listed_waters_without_a_layer_a_way_or_cover():
    assert outcome("SAU-ORW", discharges=(way(),)) == {"listed": "checklist"}
    layers = {"listed_waters": layer("listed_waters")}
    assert outcome("SAU-ORW", layers=layers) == {"listed": "not_checked"}
    followed = taken("downstream_network_ft[OF-1]", 650.0, None, LineString([(50, -200), (50, -400)]))
    short = {"listed_waters": layer("listed_waters", coverage=box(-100, -300, 300, 300))}
    assert outcome("SAU-ORW", [followed], layers=short, discharges=(way(),)) == {"listed": "needs_review"}


# ------------------------------------------------------------------------------- applicability, edges of waters, advice


@pytest.mark.parametrize(
    ("discharges", "status"),
    [
        ((way(),), "pass"),
        ((way(path=((50, 50), (50, -2.9))),), "needs_review"),
        ((way(path=((50, 50), (50, -3.1))),), "pass"),
    ],
)
def test_runoff_that_leaves_the_site(discharges, status):
    assert outcome("FAI-APP-6", discharges=discharges) == {"runoff": status}


def test_no_runoff_found_to_leave_is_the_reviewer_s():
    assert outcome("FAI-APP-6", [taken("discharge_count", 0)]) == {"runoff": "needs_review"}


def lots(*sizes_and_days):
    side = [(acres * ACRE_M2) ** 0.5 for acres, _ in sizes_and_days]
    return [
        drawn("lot", box(0, 0, length, length), f"Lot {n}", str(n), attributes={"CREATED": day} if day else {})
        for n, (length, (_, day)) in enumerate(zip(side, sizes_and_days, strict=True), 1)
    ]


@pytest.mark.parametrize(
    ("drawn_lots", "status"),
    [
        (lots((1.0, None), (1.0, None)), "pass"),
        (lots((1.0, None), (5.0, None)), "needs_review"),
        (lots((1.0, None), (4.99, None)), "pass"),
        (lots((1.0, None), (5.01, None)), "not_applicable"),
        (lots((1.0, date(2021, 5, 1)), (1.0, date(2026, 5, 1))), "pass"),
        (lots((1.0, date(2021, 5, 1)), (1.0, "2026-05-02")), "not_applicable"),
        (lots((1.0, date(2024, 2, 29)), (1.0, date(2029, 3, 1))), "pass"),
        (lots((1.0, date(2021, 5, 1)), (1.0, None)), "needs_review"),
        ([], "not_applicable"),
    ],
)
def test_division_of_land(drawn_lots, status):
    assert outcome("SAU-APP-5", features=drawn_lots) == {"lots": status}


def test_a_plat_without_lots_is_asked_about():
    assert outcome("SAU-APP-5", plan={"activity": Activity(needs_plat=True)}) == {"lots": "needs_review"}


def test_edges_of_waters_are_evidence_for_the_reviewer():
    creek = NearbyFeature("1", "Teasel Creek", "stream", "", "waters", 5.0, LineString([(-500, -5), (500, -5)]))
    found = findings("SAU-VEG", waters=(creek,))
    assert [item.counted for item in found] == [False, False]
    length_ft = (100 + 2 * (15.24**2 - 5**2) ** 0.5) / FOOT_M
    assert f"{length_ft:.0f} ft of mapped water's edge" in found[0].message
    assert "Advice, beyond the ordinance" in found[1].message
    assert "Teasel Creek 16 ft" in found[1].message
    far = replace(creek, geometry=shapely.affinity.translate(creek.geometry, 0, -20))
    assert "None mapped is nearer" in findings("ETR-TOC", waters=(far,))[1].message


def test_top_of_the_channel():
    assert outcome("ETR-TOC") == {"top_of_channel": "checklist", "protective_areas": "checklist"}
    values = [
        taken("top_of_channel_ft", 42.0, 3.0, GAP),
        taken("top_of_channel_untold_ft", 10.0, None, None, "data end"),
    ]
    line, _ = findings("ETR-TOC", values)
    unknown, _ = findings("ETR-TOC", [taken("top_of_channel_ft", None, reason="no elevations")])
    assert not unknown.counted
    assert "cannot be told: no elevations" in unknown.message
    assert "up to 42 ± 3 ft landward" in line.message
    assert "10 ft of the mark it cannot be told: data end" in line.message


def test_wells_and_the_flood_fringe_are_told():
    way_of = box(-50, -50, 50, 150)
    zones = [
        ReferenceFeature("a", "", "floodway", "AE", box(-50, -50, 20, 150), "floodplain"),
        ReferenceFeature("b", "", "flood_fringe", "AE", way_of, "floodplain"),
    ]
    spring = ReferenceFeature("s", "Big Spring", "spring", "", Point(110, 50), "wells")
    layers = {**LAYERS, "floodplain": layer("floodplain", zones), "wells": layer("wells", [spring])}
    found = {item.subject: item for item in findings("SAU-MAP-a", layers=layers)}
    assert not found["wells"].counted
    assert "Big Spring (spring)" in found["wells"].message
    assert f"floodway {2_000 / ACRE_M2:.2f} acres" in found["flooded"].message
    assert f"flood fringe {3_000 / ACRE_M2:.2f} acres" in found["flooded"].message
    assert {"wells", "flooded"}.isdisjoint(outcome("SAU-MAP-a", layers=LAYERS))
