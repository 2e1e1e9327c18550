"""Bare edges, diversions, inlets and channels on a plane and in a valley, against arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from shapely import LineString, Point, box

from siteplan_gis.model.measurement import Method
from siteplan_gis.units import ACRE_M2, FOOT_M
from tests.measuring.test_drainage import DISTURBED, SITE, feature, take

SMALL_CHANNELS = Method(channel_m2=3000.0)


def control(kind, geometry, number="1"):
    return feature("control", geometry, kind=kind, **({} if number == "1" else {"name": number}))


def fence(*places):
    return control("silt fence", LineString(places))


def bare(*features, **more):
    values = take(SITE, DISTURBED, *features, **more)
    return [round(values[f"perimeter_{kind}_bare_ft"].value * FOOT_M) for kind in ("down", "side")]


def test_bare_edges_of_a_square_on_a_roof():
    """The square's north edge (100 m) lies down slope, the other two (100 m each) beside it."""
    assert bare() == pytest.approx([100, 200], abs=8)
    assert bare(fence((-52, 52), (52, 52))) == pytest.approx([0, 200], abs=8)
    assert bare(fence((-52, -50), (-52, 52), (52, 52), (52, -50))) == [0, 0]
    assert bare(fence((-52, 52), (0, 52))) == pytest.approx([50, 200], abs=8)
    assert bare(fence((-52, 58), (52, 58))) == pytest.approx([100, 200], abs=8)  # 8 m off: over 25 ft
    assert bare(control("EC-1", LineString([(-52, 52), (52, 52)]))) == pytest.approx([100, 200], abs=8)


def test_a_pad_closes_the_gap_that_a_fence_leaves_for_it():
    with_gap = (fence((-52, 52), (-5, 52)), fence((5, 52), (52, 52)))
    pad = feature("entrance", box(-5, 45, 5, 60), "stone tracking pad")
    assert bare(*with_gap)[0] == pytest.approx(10, abs=1)
    assert bare(*with_gap, pad)[0] == 0


def test_where_the_bare_edge_lies():
    values = take(SITE, DISTURBED, fence((-52, 52), (0, 52)))
    west, south, east, north = values["perimeter_down_bare_ft"].where.bounds
    assert (west, east) == (pytest.approx(0, abs=1), pytest.approx(50, abs=4))
    assert south == pytest.approx(50, abs=4)
    assert north == 50


@pytest.mark.parametrize(("places", "left_m2"), [(((-60, -90), (60, -90)), 0.0), (((0, -90), (60, -90)), 3500.0)])
def test_a_diversion_leads_the_sheet_around(places, left_m2):
    """70 m of slope above the site, 100 m wide; half a berm takes half of it."""
    values = take(SITE, DISTURBED, control("diversion berm", LineString(places)))
    assert values["offsite_sheet_flow_sqft"].value * FOOT_M**2 == pytest.approx(7000, rel=0.04)
    left = values["undiverted_sheet_flow_sqft"]
    # Below the berm the strip between it and the site's edge still comes in.
    between = 100 * 10 if left_m2 == 0 else 50 * 10
    assert left.value * FOOT_M**2 == pytest.approx(left_m2 + between, abs=400)


def test_without_a_diversion_nothing_is_led_around():
    values = take(SITE, DISTURBED, fence((-60, -90), (60, -90)))
    assert values["undiverted_sheet_flow_sqft"].value == values["offsite_sheet_flow_sqft"].value


def test_inlets_take_the_ground_above_them():
    """On the roof a strip as wide as the inlet's reach (10 m) drains to it: 100 m of the square above."""
    values = take(
        SITE,
        DISTURBED,
        feature("inlet", Point(0, 60), "below"),
        feature("inlet", Point(0, -60), "above"),
        feature("inlet", Point(500, 500), "off"),
    )
    assert values["inlet_disturbed_acres[below]"].value == pytest.approx(10 * 100 / ACRE_M2, rel=0.15)
    assert values["inlet_disturbed_acres[above]"].value == 0
    assert values["inlet_disturbed_acres[off]"].value is None


def valley(x, y):
    """A V whose bottom runs north along x = 0."""
    return 100 + 0.05 * np.abs(x) - 0.03 * y


def test_channel_through_the_square():
    edges, through = (
        [take(SITE, DISTURBED, *drawn, ground=valley, method=SMALL_CHANNELS)[name].value * FOOT_M for drawn in (
            (),
            (fence((-5, -50), (-5, 50)),),
            (fence((-5, -50), (-5, 50)), fence((5, -50), (5, 50))),
            (control("ditch check", Point(1, 0)),),
        )]
        for name in ("channel_edge_bare_ft", "channel_open_ft")
    )  # fmt: skip
    assert edges == pytest.approx([200, 100, 0, 200], abs=8)
    assert through == pytest.approx([100, 100, 100, 0], abs=8)


def test_basin_of_a_known_share():
    """A pond of 10 m by 10 m below a roof of 150 m less its own: 10 / 210 of the strip above it."""
    pond = feature("pond", box(-5, 60, 5, 70), "P-1")
    values = take(SITE, DISTURBED, pond)
    share = values["basin_percent[P-1]"]
    assert share.value == pytest.approx(100 * 10 / (70 + 150), rel=0.08)
    assert share.plus_minus > 0


def test_a_sewer_leads_the_ground_above_its_inlet_to_the_basin():
    """An inlet at the foot of the square takes 10 m by 210 m of the roof; two joined pipes lead it to a pond aside."""
    pond = feature("pond", box(100, 100, 110, 110), "P-1")
    inlet = feature("inlet", Point(0, 60), "CB-1")
    pipes = [
        feature("storm_sewer", LineString([(0, 60), (50, 80)])),
        feature("storm_sewer", LineString([(50, 80.9), (100, 105)])),
    ]
    alone, piped, broken = (
        take(SITE, DISTURBED, pond, inlet, *drawn)["basin_drainage_acres[P-1]"].value * ACRE_M2
        for drawn in ((), pipes, pipes[:1])
    )
    assert piped - alone == pytest.approx(10 * 210, rel=0.12)
    assert broken == alone
