"""Measurements that need the way of the water, on a plane and a valley, against arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from affine import Affine
from shapely import LineString, box

from siteplan_gis.crs import georeference
from siteplan_gis.frame import Frame
from siteplan_gis.measuring.banks import measure_banks
from siteplan_gis.measuring.drainage import measure_drainage
from siteplan_gis.measuring.ground import shapes
from siteplan_gis.measuring.receiving import measure_receiving
from siteplan_gis.model.controls import basins
from siteplan_gis.model.layers import ReferenceFeature, ReferenceLayer
from siteplan_gis.model.measurement import Discharge, Method
from siteplan_gis.model.plan import Plan, PlanFeature
from siteplan_gis.model.site import Site
from siteplan_gis.model.source import Source
from siteplan_gis.model.terrain import ElevationGrid, Terrain
from siteplan_gis.units import ACRE_M2, FOOT_M

FRAME = Frame(-87.9446, 43.3814)
WINDOW = box(-2000, -2000, 2000, 2000)


def roof(_, y):
    """Falls 5 % to the north from a crest 150 m south of the middle."""
    return 100 - 0.05 * np.abs(y + 150)


def terrain(surface, half_m=200, **more):
    geo = georeference("EPSG:26916")
    size = 2 * half_m
    x0, y0 = geo.xy(np.array([[FRAME.longitude, FRAME.latitude]]))[0]
    transform = Affine(1, 0, x0 - half_m, 0, -1, y0 + half_m)
    col, row = np.meshgrid(np.arange(size) + 0.5, np.arange(size) + 0.5)
    xy = np.column_stack((transform.c + col.ravel(), transform.f - row.ravel()))
    placed = FRAME.from_lonlat(geo.lonlat(xy)).reshape(size, size, 2)
    z = surface(placed[..., 0], placed[..., 1])
    grid = ElevationGrid(z, transform, geo, FRAME, np.ones(size), np.ones(size))
    cover = box(-half_m + 3, -half_m + 3, half_m - 3, half_m - 3)
    return Terrain(grid, "", cover, "metre", "band", (Source("dem", "dem.tif"),), **more)


def feature(role, geometry, name="", **more):
    return PlanFeature(role, geometry, f"plan.gpkg/{role}", "1", name, **more)


def layer(role, *features):
    return ReferenceLayer(role, role, features, WINDOW, WINDOW, True, Source(role, f"{role}.fgb"))


def take(*features, ground=roof, layers=None, relief=None, method=None):
    relief = terrain(ground) if relief is None and ground is not None else relief
    found = Plan("test", features, ())
    site = Site(FRAME, found, layers or {}, relief, {})
    return measure_drainage(site, shapes(found), method or Method()).values


SITE = feature("site", box(-80, -80, 80, 80))
DISTURBED = feature("disturbed_area", box(-50, -50, 50, 50))


def test_the_square_on_a_roof():
    values = take(SITE, DISTURBED)
    upslope = values["offsite_upslope_acres"]
    assert upslope.value == pytest.approx(100 * 70 / ACRE_M2, rel=0.04)
    assert abs(upslope.value - 100 * 70 / ACRE_M2) <= upslope.plus_minus
    assert upslope.where.area / ACRE_M2 == pytest.approx(upslope.value, rel=1e-3)
    assert values["offsite_sheet_flow_sqft"].value == pytest.approx(7000 / FOOT_M**2, rel=0.04)
    assert values["offsite_channel_acres"].value == 0
    assert values["channel_heads_in_disturbed"].value == 0
    assert values["channel_through_disturbed_ft"].value == 0
    for kind, length_m in (("down", 100), ("side", 200), ("up", 100), ("unknown", 0)):
        measured = values[f"perimeter_{kind}_ft"]
        assert measured.value == pytest.approx(length_m / FOOT_M, abs=12)
        assert (measured.where is None) == (length_m == 0)
    assert values["perimeter_down_ft"].where.centroid.y == pytest.approx(50, abs=1)


def test_ground_beyond_the_elevations_makes_lower_bounds():
    values = take(SITE, DISTURBED, ground=lambda _, y: 100 - 0.05 * y)
    upslope = values["offsite_upslope_acres"]
    assert upslope.plus_minus is None
    assert "lower bound" in upslope.reason
    assert values["offsite_sheet_flow_sqft"].plus_minus is None


def valley(x, y):
    return 100 + 0.05 * np.minimum(np.abs(x), 200 - np.abs(x)) - 0.02 * np.abs(y + 150)


def test_a_channel_that_begins_on_the_disturbed_ground():
    """200 m of valley between its crests: 1 ha less the 4,000 m2 of the ends is gathered 70 m below the crest."""
    disturbed = feature("disturbed_area", box(-50, -100, 50, 100))
    values = take(SITE, disturbed, ground=valley)
    heads = values["channel_heads_in_disturbed"]
    assert heads.value == 1
    assert shapely.get_y(
        heads.where.geoms[0] if heads.where.geom_type == "MultiPoint" else heads.where
    ) == pytest.approx(-80, abs=4)
    assert values["channel_through_disturbed_ft"].value == pytest.approx(180 / FOOT_M, rel=0.03)
    assert take(SITE, disturbed, ground=valley, method=Method(channel_m2=1e6))["channel_heads_in_disturbed"].value == 0


def test_each_basin_has_its_drainage():
    """Two basins 40 m wide, with 150 m and 190 m of slope above their northern edges."""
    west = feature("pond", box(-60, -20, -20, 0), "Pond W")
    east = feature("control", box(20, 20, 60, 40), "", kind="Sediment basin")
    fence = feature("control", box(-5, -5, 5, 5), "SF", kind="silt fence")
    values = take(SITE, DISTURBED, west, east, fence)
    for name, length_m in (("Pond W", 150), ("sediment basin 1", 190)):
        measured = values[f"basin_drainage_acres[{name}]"]
        assert measured.value == pytest.approx(40 * length_m / ACRE_M2, rel=0.06)
        assert abs(measured.value - 40 * length_m / ACRE_M2) <= measured.plus_minus
        assert values[f"basin_acres[{name}]"].value == pytest.approx(800 / ACRE_M2)
    assert len([name for name in values if name.startswith("basin_acres[")]) == 2


@pytest.mark.parametrize(("away", "name"), [(4.0, "near"), (60.0, "far")])
def test_a_pile_above_a_road(away, name):
    pile = feature("stockpile", box(-10, -10, 10, 10), name)
    road = feature("road", LineString([(-90, 10 + away), (90, 10 + away)]))
    values = take(pile, road)
    found = values[f"stockpile_drainage_ft[{name}]"]
    assert abs(found.value * FOOT_M - away) <= found.plus_minus * FOOT_M
    assert values[f"stockpile_drains_to[{name}]"].value == "road"
    assert found.where.length == pytest.approx(away, abs=2)


def test_a_pile_whose_water_meets_nothing():
    pile = feature("stockpile", box(-10, -100, 10, -90), "p")
    values = take(pile, feature("road", LineString([(-90, -120), (90, -120)])))
    assert values["stockpile_drainage_ft[p]"].value is None
    assert "no drawn or mapped road or channel" in values["stockpile_drainage_ft[p]"].reason
    assert values["stockpile_drains_to[p]"].value == "nothing"


def test_a_pile_at_the_edge_of_the_elevations_cannot_be_told():
    values = take(feature("stockpile", box(-10, 150, 10, 170), "p"))
    assert values["stockpile_drains_to[p]"].value is None
    assert "cannot be told" in values["stockpile_drains_to[p]"].reason


def test_mapped_waters_are_channels_too():
    creek = ReferenceFeature("c", "Mill Creek", "stream", "", LineString([(-90, 30), (90, 30)]), "waters")
    values = take(feature("stockpile", box(-10, -10, 10, 10), "p"), layers={"waters": (layer("waters", creek),)})
    assert values["stockpile_drains_to[p]"].value == "water"
    assert values["stockpile_drainage_ft[p]"].value == pytest.approx(20 / FOOT_M, abs=4)


@pytest.mark.parametrize(
    ("relief", "reason"),
    [
        (None, "no elevation model was given"),
        (Terrain(None, "its unit is not known", None, "", "", ()), "its unit is not known"),
        (terrain(roof, whole_units=True), "whole units"),
    ],
)
def test_without_elevations_nothing_is_told(relief, reason):
    pile, pond = feature("stockpile", box(-10, -10, 10, 10), "p"), feature("pond", box(20, 20, 60, 40), "b")
    values = take(SITE, DISTURBED, pile, pond, ground=None, relief=relief)
    untold = [value for name, value in values.items() if not name.startswith("basin_acres")]
    assert len(untold) == 19
    for value in untold:
        assert value.value is None
        assert reason in value.reason


def test_a_site_off_the_elevations_tells_nothing_false():
    far = [feature(role, box(5000, 0, 5100, 100), role) for role in ("disturbed_area", "pond", "stockpile")]
    values = take(*far)
    assert values["basin_drainage_acres[pond]"].value is None
    assert values["stockpile_drainage_ft[stockpile]"].value is None
    assert values["stockpile_drains_to[stockpile]"].value is None
    for name in ("offsite_upslope_acres", "channel_heads_in_disturbed", "perimeter_down_ft", "perimeter_unknown_ft"):
        assert values[name].value is None
        assert "no values on the disturbed ground" in values[name].reason


def test_disturbed_ground_partly_off_the_elevations_has_lower_bounds():
    values = take(feature("disturbed_area", box(100, -50, 300, 50)))
    for name in ("offsite_upslope_acres", "offsite_sheet_flow_sqft", "channel_heads_in_disturbed"):
        assert values[name].plus_minus is None
        assert "no elevation" in values[name].reason
    assert values["perimeter_unknown_ft"].value == pytest.approx(300 / FOOT_M, rel=0.05)


def test_names_of_basins():
    drawn = [
        feature("control", box(0, 0, 9, 9), kind=kind)
        for kind in ("Sediment_Basin", "wet pond", "sediment trap", "silt fence", "ponding", "inlet protection")
    ]
    assert [found.kind for found in basins(Plan("", tuple(drawn), ()))] == [
        "Sediment_Basin",
        "wet pond",
        "sediment trap",
    ]


# --- banks ------------------------------------------------------------------------------------------------------------


def bank(x, y):
    return 100 + np.where(x < 0, 0.0, np.where(x < 12, 0.3 * x, 3.6 + 0.03 * (x - 12))) + 0 * y


def take_banks(*features, **more):
    found = Plan("test", features, ())
    return measure_banks(Site(FRAME, found, {}, terrain(bank, **more), {}), Method()).values


def test_the_top_of_a_bank():
    values = take_banks(feature("ohwm", LineString([(0, -60), (0, 60)])))
    top = values["top_of_channel_ft"]
    assert abs(top.value * FOOT_M - 12) <= top.plus_minus * FOOT_M
    assert top.where.distance(LineString([(0, -60), (0, 60)])) == pytest.approx(12, abs=3)
    assert values["top_of_channel_untold_ft"].value == 0
    assert take_banks() == {}


def test_a_bank_at_the_edge_of_the_elevations():
    values = take_banks(feature("ohwm", LineString([(195, -60), (195, 60)])))
    assert values["top_of_channel_ft"].value is None
    assert values["top_of_channel_untold_ft"].value == pytest.approx(120 / FOOT_M)


# --- downstream -------------------------------------------------------------------------------------------------------


def discharge(name, xy, receiving="", kind=None):
    start = shapely.Point(xy)
    return Discharge(name, True, receiving, kind, None, None, None, "farther_than_limit", start, None)


def stream(name, *xy, water=""):
    return ReferenceFeature(name, water, "stream", "", LineString(xy), "flowlines")


def test_the_first_named_water_and_all_lines_downstream():
    lines = [stream("a", (0, 0), (300, 0)), stream("b", (300, 0), (900, 0), water="Mill Creek")]
    site = Site(FRAME, Plan("test", (), ()), {"flowlines": (layer("flowlines", *lines),)}, None, {})
    found = [discharge("1", (0, 5)), discharge("2", (0, 900)), discharge("3", (850, 0), "Old Mill Race", "water")]
    values = measure_receiving(site, tuple(found), Method()).values
    assert values["first_named_water[1]"].value == "Mill Creek"
    assert values["first_named_water[1]"].where.length == pytest.approx(600)
    assert values["downstream_network_ft[1]"].value == pytest.approx(900 / FOOT_M)
    assert values["downstream_network_ft[1]"].reason == "the drainage lines end"
    assert values["first_named_water[2]"].value is None
    assert "no drainage line lies within" in values["downstream_network_ft[2]"].reason
    assert values["first_named_water[3]"].value == "Old Mill Race"
    assert values["downstream_network_ft[3]"].value == pytest.approx(50 / FOOT_M)


def test_runoff_that_ends_in_a_wetland_goes_on_by_the_lines_that_meet_it():
    """The marsh reaches from y = 60 to y = 200, the stream runs 15 m below it and is entered at its nearest point."""
    lines = [
        stream("a", (-300, 45), (900, 45), water="Mill Creek"),
        stream("b", (-300, 900), (900, 900), water="Far Run"),
    ]
    marsh = ReferenceFeature("m", "", "wetland", "", box(0, 60, 400, 200), "wetlands")
    layers = {"flowlines": (layer("flowlines", *lines),), "wetlands": (layer("wetlands", marsh),)}
    found = (discharge("1", (100, 200)), discharge("2", (100, 300)))
    values = measure_receiving(Site(FRAME, Plan("test", (), ()), layers, None, {}), found, Method()).values
    assert values["first_named_water[1]"].value == "Mill Creek"
    assert "the wetland or pond that it reaches" in values["first_named_water[1]"].method
    assert values["downstream_network_ft[1]"].value == pytest.approx(800 / FOOT_M)
    assert values["first_named_water[2]"].value is None


def test_without_drainage_lines_nothing_is_named():
    site = Site(FRAME, Plan("test", (), ()), {}, None, {"flowlines": "flowlines.fgb could not be read"})
    values = measure_receiving(site, (discharge("1", (0, 5)),), Method()).values
    assert {value.reason for value in values.values()} == {"flowlines.fgb could not be read"}
    assert measure_receiving(site, (), Method()).values == {}
