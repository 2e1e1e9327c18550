"""Waters within a mile, waters on the site, discharges: what is missing, what is uncovered, what cannot be told."""

from dataclasses import replace

import pytest
import shapely
from shapely import LineString, Point

from siteplan_gis.model.flag import Flag
from siteplan_gis.model.measurement import Discharge, NearbyFeature
from siteplan_gis.reviewing import run
from tests.checks.conftest import SQUARE, layer, make_case, rule_of

MILE = 1609.344


def water(distance_m=100.0, *, shown=True, name="Mill Creek", kind="stream"):
    return NearbyFeature("w1", name, kind, "46006", "waters", distance_m, LineString([(0, 200), (100, 200)]), shown)


def both(**waters):
    return {"layers": {"waters": layer("waters", **waters), "wetlands": layer("wetlands")}}


def test_shown_waters_pass(judge):
    case = make_case("saukville", waters=(water(),), **both())
    assert judge(case, "SAU-MAP-i") == [("waters", "pass"), ("wetlands", "pass")]


@pytest.mark.parametrize(
    ("distance", "shown", "status"),
    [
        (100.0, False, "fail"),
        (MILE - 10.1, False, "fail"),
        (MILE - 9.9, False, "needs_review"),
        (MILE, False, "needs_review"),
        (100.0, None, "needs_review"),
    ],
)
def test_missing_water_fails_unless_the_map_cannot_tell_the_mile(judge, distance, shown, status):
    case = make_case("saukville", waters=(water(distance, shown=shown),), **both())
    assert judge(case, "SAU-MAP-i") == [("waters:Mill Creek", status), ("wetlands", "pass")]


def test_no_layer_is_not_checked(judge):
    assert judge(make_case("saukville"), "SAU-MAP-i") == [("waters", "not_checked"), ("wetlands", "not_checked")]


def test_uncovered_ground_never_passes(judge):
    everything = SQUARE.buffer(MILE, quad_segs=32)
    strip = everything.intersection(shapely.box(50, -3000, 3000, 3000))
    case = make_case("saukville", uncovered={"waters": strip}, **both())
    assert judge(case, "SAU-MAP-i") == [("waters:coverage", "needs_review"), ("wetlands", "pass")]
    case = make_case("saukville", uncovered={"waters": everything}, **both())
    assert judge(case, "SAU-MAP-i") == [("waters:coverage", "not_checked"), ("wetlands", "pass")]


def test_empty_layer_never_passes(judge):
    case = make_case("saukville", **both(flags=(Flag("layer_empty", "no features"),)))
    assert judge(case, "SAU-MAP-i") == [("waters:coverage", "needs_review"), ("wetlands", "pass")]


def test_pieces_of_one_stream_are_one_finding(judge):
    case = make_case("saukville", waters=(water(10.0, shown=False), water(20.0, shown=False)), **both())
    assert judge(case, "SAU-MAP-i")[0] == ("waters:Mill Creek", "fail")
    assert len(judge(case, "SAU-MAP-i")) == 2


def test_waters_on_or_next_to_the_site(judge):
    layers = {"waters": layer("waters"), "wetlands": layer("wetlands"), "floodplain": layer("floodplain")}
    hidden = water(0.0, shown=False)
    case = make_case(
        "saukville", adjoining={"waters": (hidden,)}, floodplain=(water(0.0, kind="floodway"),), layers=layers
    )
    assert judge(case, "SAU-MAP-a") == [("waters", "fail"), ("wetlands", "pass"), ("floodplain", "pass")]
    unclear = water(0.0, shown=None)
    case = make_case("saukville", adjoining={"wetlands": (unclear,)}, layers={"wetlands": layer("wetlands")})
    assert judge(case, "SAU-MAP-a") == [
        ("waters", "not_checked"),
        ("wetlands", "needs_review"),
        ("floodplain", "not_checked"),
    ]


def discharge(within, *, drawn=True, receiving="Mill Creek", name="OF-1", why="reached_water"):
    distance = 100.0 if receiving else None
    return Discharge(
        name,
        drawn,
        receiving,
        "water",
        distance,
        distance,
        within,
        why,
        Point(0, 0),
        LineString([(0, 0), (0, -100)]),
        2.0,
        drawn,
        "it ends in a hole",
    )


def test_discharges(judge):
    count = {"discharge_count": 1}
    assert judge(make_case("saukville", count, discharges=(discharge(True),), **both()), "SAU-MAP-h2") == [
        ("OF-1", "pass")
    ]
    assert judge(make_case("saukville", count, discharges=(discharge(None),), **both()), "SAU-MAP-h2") == [
        ("OF-1", "needs_review")
    ]
    assert judge(make_case("saukville", count, discharges=(discharge(False),), **both()), "SAU-MAP-h2") == [
        ("OF-1", "pass")
    ]


def test_far_water_is_no_answer_without_the_other_layer(judge):
    case = make_case(
        "saukville",
        {"discharge_count": 1},
        discharges=(discharge(False, receiving=""),),
        layers={"waters": layer("waters")},
    )
    assert judge(case, "SAU-MAP-h2") == [("OF-1", "not_checked")]


def test_undrawn_runoff_that_reaches_a_water_fails(judge):
    two = (discharge(True, drawn=False, name="runoff exit 1"), discharge(True, drawn=False, name="runoff exit 2"))
    case = make_case("saukville", {"discharge_count": 2}, discharges=two, **both())
    assert judge(case, "SAU-MAP-h2") == [("undrawn:Mill Creek", "fail")]
    beside = (discharge(True), discharge(True, drawn=False, receiving="Fen", name="runoff exit 1"))
    case = make_case("saukville", {"discharge_count": 2}, discharges=beside, **both())
    assert judge(case, "SAU-MAP-h2") == [("OF-1", "pass"), ("undrawn:Fen", "needs_review")]
    lost = (discharge(None, drawn=False, receiving="", why="closed_depression"),)
    case = make_case("saukville", {"discharge_count": 1}, discharges=lost, **both())
    assert judge(case, "SAU-MAP-h2") == [("undrawn:untold", "needs_review")]


def test_runoff_that_cannot_be_followed_is_not_checked(judge):
    case = make_case("saukville", {"discharge_count": "no elevation model was given"}, **both())
    assert judge(case, "SAU-MAP-h2") == [("runoff", "not_checked")]


@pytest.mark.parametrize(("agreeing", "told"), [(20, False), (19, False), (18, True)])
def test_runs_that_reach_another_water_as_near_are_told_apart(agreeing, told):
    each = replace(discharge(True, drawn=False), runs=20, runs_agreeing=agreeing, flow_range_m=(90.0, 110.0))
    case = make_case("saukville", {"discharge_count": 1}, discharges=(each,), **both())
    (found,) = [one for one in run(rule_of(case, "SAU-MAP-h2"), case) if "Mill Creek" in one.message]
    assert f"({agreeing} of 20 runs" in found.message
    assert ("another water within the quarter mile, 95 % or more" in found.message) is told
