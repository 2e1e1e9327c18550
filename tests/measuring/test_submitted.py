"""The plan's own ground, measured and judged: as stand-in, as second opinion, after grading, and its heights."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest
import shapely
from affine import Affine

from siteplan_gis.crs import georeference
from siteplan_gis.frame import Frame
from siteplan_gis.measuring.survey import take_measurements
from siteplan_gis.model.plan import Plan, PlanFeature
from siteplan_gis.model.site import Site
from siteplan_gis.model.source import Source
from siteplan_gis.model.surface import Surface, Tin
from siteplan_gis.model.terrain import ElevationGrid, Terrain
from siteplan_gis.ordinances.reader import read_ordinance
from siteplan_gis.pipeline import Inputs, measure_inputs
from siteplan_gis.reviewing import judge
from siteplan_gis.units import ACRE_M2, FOOT_M

CAD = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "cad"
FRAME = Frame(-88, 43)
SITE = shapely.box(-60, -60, 60, 60)
WORK = shapely.box(-40, -40, 40, 40)
TWO_FEET = 2 * FOOT_M


def dem(ratio, cell=2.0, half=150.0):
    """A plane that rises to the east, 200 m in the middle."""
    count = int(2 * half / cell)
    x = -half + cell * (np.arange(count) + 0.5)
    laea = georeference("+proj=laea +lat_0=43 +lon_0=-88 +ellps=GRS80 +type=crs")
    side = np.full(count, cell)
    z = np.broadcast_to(200 + ratio * x, (count, count)).copy()
    grid = ElevationGrid(z, Affine(cell, 0, -half, 0, -cell, half), laea, FRAME, side, side)
    cover = shapely.box(-half, -half, half, half)
    return Terrain(grid, "", cover, "metre", "band", (Source("dem", "dem.tif"),))


def contours(ratio, role="contour_existing", level=lambda z: z, interval=TWO_FEET):
    """Contours of the same plane; `level` makes what is written of what is true."""
    first, last = (int((200 + ratio * x) / interval) for x in (-100, 100))
    return [
        PlanFeature(role, shapely.LineString([((k * interval - 200) / ratio, y) for y in (-100, 100)]), "c", str(k),
                    elevation_m=level(k * interval))
        for k in range(first + 1, last + 1)
    ]  # fmt: skip


def surface(role, ratio, lift=0.0, half=100.0, name="S"):
    xy = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    tin = Tin(xy, 200 + lift + ratio * xy[:, 0], np.array([[0, 1, 2], [0, 2, 3]]))
    return Surface(role, name, f"s.xml/{name}", tin, shapely.box(-half, -half, half, half))


def case(drawn=(), surfaces=(), terrain=None):
    ground = [PlanFeature("site", SITE, "p", "1"), PlanFeature("disturbed_area", WORK, "p", "2")]
    site = Site(FRAME, Plan("test", (*ground, *drawn), (), surfaces=tuple(surfaces)), {}, terrain, {})
    measured = take_measurements(site)
    assert not {"submitted", "agreement", "isolines", "slopes"} & set(measured.faults)
    return site, measured


def values(measured, *names):
    return [measured[name].value for name in names]


def codes(measured):
    return {flag.code for flag in measured.flags}


def finding(site, rule, subject):
    review = judge(site, read_ordinance("saukville"), date(2026, 5, 1), {})
    return next((one for one in review.findings if one.rule.id == rule and one.subject == subject), None)


@pytest.mark.parametrize("ratio", [0.10, 0.175, 0.185, 0.20, 0.3])
@pytest.mark.parametrize("by", ["contours", "surface"])
def test_without_an_elevation_model_the_plan_own_ground_stands_in_and_clears_nothing(ratio, by):
    ratio += 0.007 if by == "surface" and ratio == 0.185 else 0.0
    site, measured = case(contours(ratio)) if by == "contours" else case((), [surface("surface_existing", ratio)])
    steep = measured["steep_disturbed_acres"]
    assert steep.value == pytest.approx(WORK.area / ACRE_M2 if ratio >= 0.2 else 0, abs=1e-6)
    assert measured["slope_percent_median"].value == pytest.approx(100 * ratio, abs=1e-3)
    assert measured["no_elevation_disturbed_acres"].value == pytest.approx(0, abs=1e-6)
    assert "slopes_from_plan" in codes(measured)
    assert bool(measured.steep_patches) is (ratio >= 0.2)
    found = finding(site, "SAU-SLOPE", "disturbed")
    assert found.status.value == "needs_review"
    assert "No elevation model tells the slopes" in found.message


def test_ground_that_the_surface_does_not_reach_is_never_cleared():
    site, measured = case((), [surface("surface_existing", 0.05, half=30.0)])
    wanted = (WORK.area - 3600) / ACRE_M2
    assert measured["no_elevation_disturbed_acres"].value == pytest.approx(wanted)
    assert finding(site, "SAU-SLOPE", "disturbed").status.value == "needs_review"


def test_without_levels_nothing_stands_in():
    site, measured = case(contours(0.3, level=lambda _: None))
    assert values(measured, "existing_steep_site_acres", "steep_disturbed_acres") == [None, None]
    assert finding(site, "SAU-SLOPE", "disturbed").status.value == "not_checked"


def test_ground_that_agrees_with_the_elevation_model_raises_nothing():
    _, measured = case(contours(0.12), terrain=dem(0.12))
    assert values(measured, "slope_disagreement_acres") == [0]
    assert measured["ground_height_offset_ft"].value == pytest.approx(0, abs=0.01)
    assert measured["ground_height_scale"].value == pytest.approx(1, abs=1e-3)
    assert not {"slopes_disagree", "ground_heights_off", "slopes_from_plan"} & codes(measured)
    assert measured["existing_slope_percent_median"].value == pytest.approx(12, abs=0.01)


@pytest.mark.parametrize(("drawn", "told"), [(0.165, False), (0.175, True), (0.065, True), (0.075, False)])
def test_slopes_that_differ_are_told_and_drawn(drawn, told):
    _, measured = case(contours(drawn), terrain=dem(0.12))
    where = measured["slope_disagreement_acres"]
    assert where.value == pytest.approx(SITE.area / ACRE_M2 if told else 0, rel=1e-3)
    assert (where.where.area > 0) is told
    assert ("slopes_disagree" in codes(measured)) is told


def test_steep_ground_that_only_the_plan_shows_is_the_reviewers():
    site, _ = case(contours(0.24), terrain=dem(0.12))
    found = finding(site, "SAU-SLOPE", "disturbed")
    assert found.status.value == "needs_review"
    assert "the plan's own ground shows 1.58" in found.message


@pytest.mark.parametrize(
    ("level", "words"),
    [
        (lambda z: z + 100 * FOOT_M, "100.0 ft above"),
        (lambda z: z - 100 * FOOT_M, "100.0 ft below"),
        (lambda z: z + 0.55, ""),
        (lambda z: z + 0.65, "2.1 ft above"),
        (lambda z: z * FOOT_M, "as metres do that are taken for feet"),
        (lambda z: z / FOOT_M, "as feet do that are taken for metres"),
        (lambda z: 1.08 * (z - 200) + 200, ""),
        (lambda z: 1.15 * (z - 200) + 200, "1.15 ft for each foot"),
    ],
    ids=["above", "below", "within", "beyond", "metres", "feet", "scale within", "scale beyond"],
)
def test_heights_of_contours_are_compared_with_the_elevation_model(level, words):
    # Two-foot contours may lie off by one foot, a fine elevation model by 0.3 m: together 0.605 m.
    site, measured = case(contours(0.12, level=level), terrain=dem(0.12))
    told = [flag.text for flag in measured.flags if flag.code == "ground_heights_off"]
    assert bool(told) is bool(words)
    assert all(words in text for text in told)
    found = finding(site, "SAU-CONTOUR", "heights")
    assert (found is not None) is bool(words)
    assert found is None or (found.status.value, "SAU-CONTOUR") == ("needs_review", found.rule.id)


def test_heights_of_a_surface_are_compared_too():
    _, measured = case((), [surface("surface_existing", 0.12, lift=30.0)], dem(0.12))
    assert "ground_heights_off" not in codes(measured)  # four vertices are too few to tell
    xy = np.random.default_rng(2).uniform(-90, 90, (200, 2))
    triangles = shapely.get_coordinates(shapely.delaunay_triangles(shapely.multipoints(xy))).reshape(-1, 4, 2)[:, :3]
    place = {tuple(point): number for number, point in enumerate(xy.tolist())}
    corners = np.array([[place[tuple(corner)] for corner in triangle] for triangle in triangles.tolist()])
    tin = Tin(xy, 230 + 0.12 * xy[:, 0], corners)
    ground = Surface("surface_existing", "EG", "s.xml/EG", tin, shapely.convex_hull(shapely.multipoints(xy)))
    _, measured = case((), [ground], dem(0.12))
    assert measured["ground_height_offset_ft"].value == pytest.approx(30 / FOOT_M, abs=0.01)
    assert "ground_heights_off" in codes(measured)


def test_ground_after_grading_is_measured_where_it_is_disturbed():
    _, measured = case([*contours(0.05), *contours(0.28, "contour_proposed")])
    assert measured["proposed_slope_percent_median"].value == pytest.approx(28, abs=0.01)
    assert measured["proposed_steep_acres"].value == pytest.approx(WORK.area / ACRE_M2, rel=1e-6)
    assert measured["existing_steep_disturbed_acres"].value == 0


def test_two_grounds_that_do_not_count_from_the_same_level_are_told():
    _, measured = case(
        (), [surface("surface_existing", 0.05), surface("surface_proposed", 0.05, lift=280.0, name="FG")]
    )
    assert any("FG lies 919 ft above" in flag.text for flag in measured.flags if flag.code == "ground_heights_off")
    _, measured = case((), [surface("surface_existing", 0.05), surface("surface_proposed", 0.05, lift=20.0, name="FG")])
    assert "ground_heights_off" not in codes(measured)


def test_of_several_surfaces_the_one_that_covers_most_counts():
    grounds = [surface("surface_existing", 0.3, half=20.0, name="part"), surface("surface_existing", 0.1, name="whole")]
    _, measured = case((), grounds)
    assert measured["existing_slope_percent_median"].value == pytest.approx(10)
    assert any("slopes are those of whole" in flag.text for flag in measured.flags)


@pytest.mark.skipif(not CAD.is_dir(), reason="the collection of real files is not here")
class TestRealSurfaces:
    def test_subdivision_from_file_to_slopes(self):
        measured, site = measure_inputs(Inputs((CAD / "landxml_subdivision" / "subdivision.xml",)))
        assert not site.frame.placed
        square_feet = {name: measured[name].value * 43_560 for name in
                       ("disturbed_acres", "surface_acres[subdivision.xml/EG]", "site_acres")}  # fmt: skip
        assert square_feet["surface_acres[subdivision.xml/EG]"] == pytest.approx(9_742_293.95, rel=1e-7)
        assert square_feet["disturbed_acres"] == pytest.approx(2_768_515.77, rel=1e-7)
        assert square_feet["site_acres"] == pytest.approx(4_670_666.2462, rel=1e-7)
        lots = sum(lot.geometry.area for lot in site.plan.of("lot")) / FOOT_M**2
        assert (len(site.plan.of("lot")), lots) == (82, pytest.approx(8_475_233.93 - 4_670_666.25, rel=1e-7))
        assert {"place_unknown", "disturbed_from_surface", "slopes_from_plan", "ground_heights_off"} <= codes(measured)
        assert values(measured, "existing_untold_site_acres", "proposed_untold_acres") == [0, 0]
        assert measured["slope_percent_median"].value == measured["existing_slope_percent_median"].value > 0
        assert measured["proposed_steep_acres"].value > 30

    @pytest.mark.parametrize(("name", "share"), [("S1", 0.0), ("S3", 0.0267), ("S4", 0.0017), ("S5", 0.0010)])
    def test_bridgeton_share_of_steep_ground(self, name, share):
        measured, _ = measure_inputs(Inputs((CAD / "landxml_bridgeton_ftUS" / f"{name}.xml",)))
        whole = measured[f"surface_acres[{name}.xml]"].value
        assert measured["existing_steep_site_acres"].value / whole == pytest.approx(share, abs=6e-5)
