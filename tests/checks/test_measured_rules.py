"""Slopes, contours, scale, grid, stated acreage and wetlands: each limit just below, at and just above."""

import pytest
import shapely

from siteplan_gis.model.flag import Flag
from siteplan_gis.model.plan import Stated
from siteplan_gis.model.sheet import ScaleEvidence, Sheet
from tests.checks.conftest import SQUARE, feature, layer, make_case

SLOPES = {"disturbed_acres": 2.0, "no_elevation_disturbed_acres": 0.0}


@pytest.mark.parametrize(
    ("acres", "status"), [(0.0, "pass"), (0.0098, "pass"), (0.0101, "needs_review"), (1.5, "needs_review")]
)
def test_steep_disturbance_is_measured_but_never_fails(judge, acres, status):
    assert judge(make_case("saukville", SLOPES | {"steep_disturbed_acres": acres}), "SAU-SLOPE") == [
        ("disturbed", status)
    ]


@pytest.mark.parametrize("code", ["dem_cell_too_coarse", "dem_whole_units"])
def test_poor_elevation_never_clears(judge, code):
    case = make_case("saukville", SLOPES | {"steep_disturbed_acres": 0.0}, flags=(Flag(code, "x"),))
    assert judge(case, "SAU-SLOPE") == [("disturbed", "needs_review")]


def test_elevation_missing_in_part_never_clears(judge):
    values = SLOPES | {"steep_disturbed_acres": 0.0, "no_elevation_disturbed_acres": 0.5}
    assert judge(make_case("saukville", values), "SAU-SLOPE") == [("disturbed", "needs_review")]


def test_no_elevation_is_not_checked(judge):
    case = make_case("saukville", SLOPES | {"steep_disturbed_acres": "the unit of the elevations is not known"})
    assert judge(case, "SAU-SLOPE") == [("disturbed", "not_checked")]


@pytest.mark.parametrize(
    ("interval", "status"),
    [(1.0, "pass"), (2.0, "pass"), (2.001, "fail"), (5.0, "fail"), (3.281, "fail"), (1.64, "pass")],
)
def test_contour_interval_not_over_two_feet(judge, interval, status):
    assert judge(make_case("saukville", {"contour_interval_ft": interval}), "SAU-CONTOUR") == [("contours", status)]


def test_contours_without_levels_are_not_checked_whatever_the_note_says(judge):
    plan = {"sheets": (Sheet("C-1", "site_map", contour_interval_ft=2.0),)}
    case = make_case("saukville", {"contour_interval_ft": "no contour has a readable elevation"}, plan=plan)
    assert judge(case, "SAU-CONTOUR") == [("contours", "not_checked")]


def test_coarser_contours_in_a_part_of_the_map_are_the_reviewers(judge):
    case = make_case("saukville", {"contour_interval_ft": 2.0, "contour_coarsest_interval_ft": 5.0})
    assert judge(case, "SAU-CONTOUR") == [("contours", "pass"), ("part", "needs_review")]
    case = make_case("saukville", {"contour_interval_ft": 2.0, "contour_coarsest_interval_ft": 2.0})
    assert judge(case, "SAU-CONTOUR") == [("contours", "pass")]


def test_stated_interval_that_is_not_drawn_is_named(judge):
    plan = {"sheets": (Sheet("C-1", "site_map", contour_interval_ft=2.0),)}
    case = make_case("saukville", {"contour_interval_ft": 10.0}, plan=plan)
    assert judge(case, "SAU-CONTOUR") == [("contours", "fail"), ("stated", "needs_review")]


@pytest.mark.parametrize(
    ("scale", "status"), [(20.0, "pass"), (99.99, "pass"), (100.0, "pass"), (100.01, "fail"), (200.0, "fail")]
)
def test_no_more_than_a_hundred_feet_per_inch(judge, scale, status):
    plan = {"sheets": (Sheet("C-1", "site_map", "a note"),)}
    case = make_case("saukville", {"feet_per_inch[C-1]": scale}, plan=plan)
    assert judge(case, "SAU-SCALE") == [("C-1", status)]


@pytest.mark.parametrize(
    ("scales", "status"), [((20.0, 60.0), "pass"), ((20.0, 120.0), "needs_review"), ((110.0, 120.0), "fail")]
)
def test_several_viewports_on_one_sheet(judge, scales, status):
    evidence = tuple(ScaleEvidence("viewport", value, None, f"viewport {value}") for value in scales)
    plan = {"sheets": (Sheet("C-1", "site_map", evidence=evidence, width_in=36.0, height_in=24.0),)}
    case = make_case("saukville", {"feet_per_inch[C-1]": max(scales)}, plan=plan)
    assert judge(case, "SAU-SCALE") == [("C-1", status)]


def test_location_map_is_spared_and_silence_is_not_checked(judge):
    plan = {"sheets": (Sheet("C-0", "location", "1\" = 2000'"),)}
    assert judge(make_case("saukville", {"feet_per_inch[C-0]": 2000.0}, plan=plan), "SAU-SCALE") == [
        ("sheet", "not_checked")
    ]
    plan = {"sheets": (Sheet("C-1", "site_map", "AS NOTED"), Sheet("C-2", "site_map", ""))}
    rows = judge(
        make_case("saukville", {"feet_per_inch[C-1]": "no scale", "feet_per_inch[C-2]": "none"}, plan=plan), "SAU-SCALE"
    )
    assert rows == [("C-1", "needs_review"), ("C-2", "not_checked")]


@pytest.mark.parametrize(
    ("final", "status"),
    [
        (50.0, "pass"),
        (50.9, "pass"),
        (51.1, "fail"),
        (100.0, "fail"),
        ((50.2, 0.3), "pass"),
        ((51.5, 2.0), "needs_review"),
        ((50.0, 50.0), "needs_review"),
        ("several scales", "needs_review"),
    ],
)
def test_final_plan_on_the_same_scale(judge, final, status):
    plan = {"sheets": (Sheet("C-1", "existing", "x"), Sheet("C-2", "final", "x"))}
    case = make_case("fairwater", {"feet_per_inch[C-1]": 50.0, "feet_per_inch[C-2]": final}, plan=plan)
    assert judge(case, "FAI-SCALE-2") == [("sheets", status)]


def test_grid_must_cover_the_site(judge):
    grid = [feature("grid", name="A1")]
    none = {"grid_uncovered_acres": 0.0, "grid_label_faults": 0}
    assert judge(make_case("saukville", none, features=grid), "SAU-MAP-j") == [("cover", "pass")]
    gap = {"grid_uncovered_acres": 0.002, "grid_label_faults": 1}
    assert judge(make_case("saukville", gap, features=grid), "SAU-MAP-j") == [
        ("cover", "fail"),
        ("labels", "needs_review"),
    ]
    assert judge(make_case("saukville"), "SAU-MAP-j") == [("cover", "fail")]


@pytest.mark.parametrize(
    ("stated", "status"),
    [(10.0, "pass"), (10.1, "pass"), (10.11, "needs_review"), (10.5, "needs_review"), (10.51, "fail"), (9.4, "fail")],
)
def test_stated_acreage_within_one_and_five_percent(judge, stated, status):
    plan = {"stated": Stated(site_acres=20.0, disturbed_acres=stated)}
    case = make_case("saukville", {"site_acres": 20.0, "disturbed_acres": 10.0}, plan=plan)
    assert judge(case, "SAU-ACRES") == [("site", "pass"), ("disturbed", status)]


def test_acreage_that_is_not_stated_is_not_checked(judge):
    case = make_case("saukville", {"site_acres": 20.0, "disturbed_acres": 10.0})
    assert judge(case, "SAU-ACRES") == [("site", "not_checked"), ("disturbed", "not_checked")]


def test_wetland_acreage(judge):
    wetlands = {"wetlands": layer("wetlands")}
    none = {"wetland_on_site_acres": 0.0, "wetland_drawn_on_site_acres": 0.0}
    assert judge(make_case("saukville", none, layers=wetlands), "SAU-MAP-h1") == [("mapped", "pass")]
    hidden = {"wetland_on_site_acres": (0.8, 0.1), "wetland_drawn_on_site_acres": 0.0}
    assert judge(make_case("saukville", hidden, layers=wetlands), "SAU-MAP-h1") == [("mapped", "fail")]
    both = {"wetland_on_site_acres": (0.8, 0.1), "wetland_drawn_on_site_acres": 0.82}
    assert judge(make_case("saukville", both, layers=wetlands), "SAU-MAP-h1") == [
        ("stated", "fail"),
        ("mapped", "pass"),
    ]
    said = {"stated": Stated(wetland_acres=0.82)}
    assert judge(make_case("saukville", both, layers=wetlands, plan=said), "SAU-MAP-h1") == [
        ("stated", "pass"),
        ("mapped", "pass"),
    ]
    unknown = {"wetland_on_site_acres": "no layer of wetlands was given", "wetland_drawn_on_site_acres": 0.0}
    assert judge(make_case("saukville", unknown), "SAU-MAP-h1") == [("mapped", "not_checked")]


def test_map_items(judge):
    assert judge(make_case("saukville"), "SAU-MAP-b")[0][1] == "fail"
    assert judge(make_case("saukville", features=[feature("construction_site")]), "SAU-MAP-b")[0][1] == "pass"
    assert judge(make_case("saukville"), "SAU-MAP-k")[0][1] == "needs_review"
    absent = {"declared_absent": frozenset({"infiltration"})}
    assert judge(make_case("saukville", plan=absent), "SAU-MAP-k")[0][1] == "pass"
    assert shapely.area(SQUARE) == 10_000


@pytest.mark.parametrize(("code", "status"), [("feature_unreadable", "needs_review"), ("file_unreadable", "needs_review"),
                                              ("feature_too_small", "fail"), ("crs_note", "fail")])  # fmt: skip
def test_what_is_missing_may_be_among_what_could_not_be_read(judge, code, status):
    plan = {"flags": (Flag(code, "x"),)}
    assert judge(make_case("saukville", plan=plan), "SAU-MAP-b")[0][1] == status
    assert judge(make_case("saukville", plan=plan), "SAU-MAP-k")[0][1] == "needs_review"


def test_exactly_level_elevations_clear_no_slope(judge):
    values = {"steep_disturbed_acres": 0.0, "no_elevation_disturbed_acres": 0.0, "disturbed_acres": 2.0}
    assert judge(make_case("saukville", values), "SAU-SLOPE") == [("disturbed", "pass")]
    flat = make_case("saukville", values, flags=(Flag("dem_flat", "exactly equal"),))
    assert judge(flat, "SAU-SLOPE") == [("disturbed", "needs_review")]
