from __future__ import annotations

import math
from pathlib import Path

import geopandas
import numpy as np
import pytest
import shapely
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from shapely import LineString, MultiPolygon, Point, box

from siteplan_gis.crs import georeference
from siteplan_gis.frame import frame_around, project_many
from siteplan_gis.measures.territory.jurisdiction import Reach, doubts, governing, reach_by_class, shares, territories
from siteplan_gis.model.layers import ReferenceFeature
from siteplan_gis.units import FOOT_M, MILE_M, acres

CASES = Path(__file__).resolve().parents[1] / "cases"


def _place(name, geometry, kind="village", code="", identity=""):
    return ReferenceFeature(identity or name, name, kind, code, geometry, "limits")


def _reach(metres):
    return lambda _feature: Reach(metres)


def _told(found):
    return [(share.kind, share.municipality, round(share.share, 6)) for share in found]


def _case(name, sites, kinds):
    data, places = (geopandas.read_file(CASES / name / file) for file in (sites, "municipalities.gpkg"))
    source = georeference(data.crs)
    frame = frame_around(source.lonlat(shapely.get_coordinates(data.geometry.values)))
    limits = project_many(places.geometry.values, source, frame)
    municipalities = [_place(name, shape, kinds[name]) for name, shape in zip(places["NAME"], limits, strict=True)]
    grounds = project_many(data.geometry.values, source, frame)
    return dict(zip(data["sid"], grounds, strict=True)), municipalities


def test_h50_a_hole_is_reached_and_a_neighbouring_town_taken_out():
    sites, places = _case("H50", "sites.gpkg", {"Alpha City": "city", "Beta Town": "incorporated_town"})

    def reach(feature):
        return Reach(MILE_M if feature.name == "Alpha City" else 0.0)

    ground = shapely.union_all([place.geometry for place in places]).buffer(2 * MILE_M)
    alpha, beta = territories(ground, places, reach)
    assert acres(alpha.etj.area) == pytest.approx(7130.619298297468, rel=1e-3)
    assert beta.etj.is_empty
    assert {name: governing(site, places, reach) for name, site in sites.items()} == {
        "in_hole": ((), "Alpha City"),
        "in_town": (("Beta Town",), ""),
        "in_etj": ((), "Alpha City"),
        "in_city": (("Alpha City",), ""),
    }


def test_h51_a_satellite_does_not_reach_out():
    sites, places = _case("H51", "sites.gpkg", {"Alpha City": "city"})
    ground = places[0].geometry.buffer(2 * MILE_M)
    (main,) = territories(ground, places, _reach(MILE_M), main_part_only=True)
    (every,) = territories(ground, places, _reach(MILE_M))
    assert acres(main.etj.area) == pytest.approx(7130.619298297468, rel=1e-3)
    assert acres(every.etj.area) == pytest.approx(9653.238596594936, rel=1e-3)
    near, inside = sites["near_satellite"], sites["in_satellite"]
    assert governing(near, places, _reach(MILE_M), main_part_only=True) == ((), "")
    assert governing(near, places, _reach(MILE_M)) == ((), "Alpha City")
    assert governing(inside, places, _reach(MILE_M), main_part_only=True) == (("Alpha City",), "")


def test_h52_a_shared_edge_is_no_share_and_a_straddling_site_is_split():
    sites, places = _case("H52", "site.gpkg", {"Alpha": "city"})
    assert _told(shares(sites["touches"], places, _reach(MILE_M))) == [("etj", "Alpha", 1.0)]
    inside, outside = shares(sites["straddles"], places, _reach(MILE_M))
    assert (inside.kind, outside.kind) == ("inside", "etj")
    assert acres(inside.area_m2) == pytest.approx(1.3774104683195592, rel=0.002)
    assert inside.share + outside.share == pytest.approx(1)


@pytest.mark.parametrize(("gap_ft", "strip"), [(0.05, False), (0.9, False), (1.1, True)])
def test_h54_a_sliver_between_annexations_is_no_strip(gap_ft, strip):
    gap = gap_ft * FOOT_M
    pieces = [
        _place("Alpha", box(-500, 0, 0, 1000 * FOOT_M), identity="1"),
        _place("Alpha", box(gap, 0, 500, 1000 * FOOT_M), identity="2"),
    ]
    found = shares(box(-100, 10, 100, 200), pieces)
    assert [share.kind for share in found] == (["inside", "etj"] if strip else ["inside"])
    assert found[0].share == pytest.approx(1 - gap / 200 * strip, abs=1e-9)


def test_a_sliver_between_two_villages_is_nobodys_strip():
    places = [_place("Alpha", box(-500, 0, 0, 300)), _place("Beta", box(0.02, 0, 500, 300))]
    assert [share.kind for share in shares(box(-100, 10, 100, 200), places)] == ["inside", "inside"]


def test_a_sites_hair_over_the_line_is_no_share():
    village = [_place("Alpha", box(-500, 0, 0, 300))]
    assert _told(shares(box(-0.2, 10, 100, 200), village, _reach(0.0))) == []
    assert len(shares(box(-0.4, 10, 100, 200), village, _reach(0.0))) == 1


def test_a_town_and_a_village_of_one_name_are_two():
    places = [_place("Saukville", box(0, 0, 1000, 1000)), _place("Saukville", box(-9000, -9000, 9000, 9000), "town")]
    found = shares(box(1100, 100, 1200, 200), places)
    assert [(share.kind, share.municipality_kind) for share in found] == [("inside", "town"), ("etj", "village")]
    assert [share.share for share in found] == pytest.approx([1, 1])


def test_a_village_in_two_counties_is_one():
    places = [
        _place("Newburg", box(-1000, 0, 0, 1000), identity="a"),
        _place("Newburg", box(0, 0, 1000, 1000), identity="b"),
    ]
    assert _told(shares(box(-50, 10, 50, 110), places)) == [("inside", "Newburg", 1.0)]
    (one,) = territories(box(-5000, -5000, 5000, 5000), places, _reach(500.0), main_part_only=True)
    assert one.etj.area == pytest.approx(2 * (2000 + 1000) * 500 + math.pi * 500**2, rel=1e-4)


@pytest.mark.parametrize(("distance", "expected"), [(2414.015, "Alpha"), (2414.016, "Alpha"), (2414.017, "")])
def test_the_reach_is_met_just_below_at_and_not_just_above(distance, expected):
    places = [_place("Alpha", box(-100, -100, 0, 100))]
    assert governing(Point(distance, 0), places) == ((), expected)


def test_ground_within_two_reaches_is_the_nearers():
    # Different sizes: the line is equidistant from the boundaries (x = 500), not from the middles.
    places = [_place("Alpha", box(-4000, -3000, 0, 3000)), _place("Beta", box(1000, -200, 1200, 200))]
    found = shares(box(400, -10, 700, 10), places)
    assert {share.municipality: share.area_m2 for share in found} == pytest.approx(
        {"Alpha": 2000.0, "Beta": 4000.0}, rel=1e-3
    )
    assert governing(Point(499.99, 0), places).etj == "Alpha"
    assert governing(Point(500.01, 0), places).etj == "Beta"


def test_each_side_is_limited_by_its_own_reach():
    def reach(feature):
        return Reach(3000.0 if feature.name == "City" else 300.0)

    places = [_place("City", box(-1000, -500, 0, 500), "city"), _place("Village", box(1000, -500, 1500, 500))]
    found = {share.municipality: share.area_m2 for share in shares(box(500, -10, 1000, 10), places, reach)}
    # The village is nearer from x = 500, but reaches only to x = 700.
    assert found == pytest.approx({"City": 200 * 20, "Village": 300 * 20}, rel=1e-3)
    assert governing(Point(650, 0), places, reach).etj == "City"


def test_neighbours_that_touch_share_the_ground_beyond_their_common_end():
    places = [_place("Alpha", box(-1000, -1000, 0, 0)), _place("Beta", box(0, -1000, 1000, 0))]
    found = {share.municipality: share.share for share in shares(box(-100, 0, 100, 200), places)}
    assert found == pytest.approx({"Alpha": 0.5, "Beta": 0.5}, abs=0.005)


def test_three_reaches_leave_no_ground_twice():
    places = [
        _place("A", box(-3000, -200, -1000, 200)),
        _place("B", box(1000, -200, 3000, 200)),
        _place("C", box(-200, 900, 200, 2000)),
    ]
    ground = box(-800, -300, 800, 800)
    found = territories(ground, places)
    assert sum(one.etj.area for one in found) == pytest.approx(ground.area, rel=1e-6)
    rng = np.random.default_rng(1)
    by_name = {one.municipality: one.etj for one in found}
    for x, y in rng.uniform((-800, -300), (800, 800), (200, 2)):
        owner = governing(Point(x, y), places).etj
        assert by_name[owner].distance(Point(x, y)) < 0.5


@settings(max_examples=40, deadline=None, phases=(Phase.explicit, Phase.generate))
@example(kind=0, gap=1358.86328125, corner=(979.5, 181.0), size=369.0)
@given(
    st.integers(0, 3),
    st.floats(200, 2000),
    st.tuples(st.floats(-3000, 3000), st.floats(-3000, 3000)),
    st.floats(20, 400),
)
def test_shares_never_overlap_or_exceed_the_site(kind, gap, corner, size):
    places = [
        _place("Alpha", box(-2000, -1000, 0, 1000), ("city", "village", "", "town")[kind]),
        _place("Beta", box(gap, -800, gap + 700, 900)),
        _place("Around", box(-9000, -9000, 9000, 9000), "town"),
    ]
    site = box(*corner, corner[0] + size, corner[1] + size)
    found = [share for share in shares(site, places) if share.municipality_kind != "town"]
    assert sum(share.share for share in found) <= 1 + 1e-9
    for share in found:
        assert share.area_m2 == pytest.approx(share.share * site.area)
        assert share.where.difference(site.buffer(1e-6)).area < 1e-6


def test_lines_are_shared_by_length_and_points_by_number():
    village = [_place("Alpha", box(-1000, -1000, 0, 1000))]
    assert _told(shares(LineString([(-30, 0), (70, 0)]), village)) == [("inside", "Alpha", 0.3), ("etj", "Alpha", 0.7)]
    assert _told(shares(Point(100, 0), village)) == [("etj", "Alpha", 1.0)]
    assert shares(Point(5000, 0), village) == ()
    assert shares(shapely.Polygon(), village) == ()
    assert shares(box(0, 0, 1, 1), []) == ()


def test_the_class_of_a_city_sets_its_reach_and_an_unknown_one_is_told():
    square = box(0, 0, 1, 1)
    reach = reach_by_class({"Ripon": "4", "Madison": "2nd"})
    assert reach(_place("Ripon", square, "city")).metres == pytest.approx(1.5 * MILE_M)
    assert reach(_place("MADISON", square, "city")).metres == pytest.approx(3 * MILE_M)
    assert reach(_place("Monona", square, "city", "3")).metres == pytest.approx(3 * MILE_M)
    assert reach(_place("Fairwater", square, "village")) == (1.5 * MILE_M, "")
    assert reach(_place("Metomen", square, "town")).metres == 0
    # 25 is the Census's code for a city, not a class.
    assert "not known" in reach(_place("Monona", square, "city", "25")).note
    assert reach(_place("Cary", square, "incorporated_town", "reach_m=1609.344")) == (1609.344, "")
    unknown = reach(_place("Cedarburg", square, "city"))
    assert unknown.metres == pytest.approx(1.5 * MILE_M)
    assert "class of the city of Cedarburg is not known" in unknown.note


def test_a_sliver_does_not_part_a_city_in_two():
    city = _place("Alpha", MultiPolygon([box(0, 0, 500, 500), box(500.01, 0, 900, 500)]), "city")
    (one,) = territories(box(901, 0, 1000, 100), [city], _reach(200.0), main_part_only=True)
    assert one.etj.area == pytest.approx(99 * 100)


def test_doubts_are_told_where_they_matter():
    city = [_place("Cedarburg", box(-1000, -500, 0, 500), "city")]
    assert doubts(box(3000, 0, 3100, 100), city) == (
        "the class of the city of Cedarburg is not known; the smaller reach was taken",
    )
    assert doubts(box(1000, 0, 1100, 100), city) == ()
    assert doubts(box(5000, 0, 5100, 100), city) == ()
    assert doubts(box(3000, 0, 3100, 100), city, reach_by_class({"Cedarburg": "4"})) == ()
    village = [_place("Alpha", box(-500, 0, 0, 300)), _place("Alpha", box(0.02, 0, 500, 300))]
    (told,) = doubts(box(-100, 0, 100, 200), village)
    assert told == "4.00 square metres between pieces of Alpha are narrower than 0.3 m and were taken as inside it"
