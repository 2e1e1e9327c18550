"""Plans that would pass without meeting the ordinance, and plans that would fail though they meet it.

Each is the sample that passes, with one thing changed.
"""

from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
import shapely

from siteplan_gis.errors import InputError
from siteplan_gis.frame import Frame
from siteplan_gis.ingest.plan.vectors import read_plan
from siteplan_gis.ingest.reference.catalogue import read_catalogue
from siteplan_gis.measuring.ground import measure_ground, shapes
from siteplan_gis.measuring.slopes import measure_slopes
from siteplan_gis.measuring.survey import take_measurements
from siteplan_gis.model.controls import control_kind
from siteplan_gis.model.plan import PlanFeature, Stated
from siteplan_gis.model.review import Case
from siteplan_gis.ordinances.reader import read_ordinance
from siteplan_gis.pipeline import Inputs, _catalogue, gather
from siteplan_gis.reviewing import judge, run

ROOT = Path(__file__).resolve().parents[1]
ON = date(2026, 5, 1)


@pytest.fixture(scope="module")
def site():
    folder = ROOT / "sample_plans" / "pass-saukville-subdivision"
    plan, frame = read_plan((folder,), roles={}, assume_crs=None)
    assert isinstance(frame, Frame)
    catalogue = read_catalogue(ROOT / "layers" / "saukville")
    law = read_ordinance("saukville")
    return gather(Inputs((folder,)), plan, frame, catalogue, law.method, lambda _: None, airports=False)


def found(site, rule, law="saukville", **changed):
    """Status and message by subject, of one rule by itself, with parts of the plan changed."""
    ordinance, drawn = read_ordinance(law), replace(site, plan=replace(site.plan, **changed))
    case = Case(drawn, take_measurements(drawn, ordinance.method), ordinance, ON)
    rules = [item for item in ordinance.rules if item.id == rule]
    return {item.subject: (item.status.value, item.message) for item in run(rules[0], case)}


def statuses(*arguments, **changed):
    return {status for status, _ in found(*arguments, **changed).values()}


def without(site, *roles):
    return tuple(item for item in site.plan.features if item.role not in roles)


def changed(site, role, change):
    return tuple(
        replace(item, geometry=change(item.geometry)) if item.role == role else item for item in site.plan.features
    )


def first(site, role):
    return next(item for item in site.plan.features if item.role == role)


@pytest.mark.parametrize("role", ["wetland", "surface_water", "pond"])
def test_one_outline_around_the_mile_shows_nothing(site, role):
    mile = shapes(site.plan)["construction_site"].buffer(1700)
    drawn = (*without(site, "surface_water", "wetland"), replace(first(site, "wetland"), role=role, geometry=mile))
    for rule in ("SAU-MAP-i", "SAU-MAP-a"):
        both = {name: status for name, (status, _) in found(site, rule, features=drawn).items()}
        assert both.pop("floodplain", "pass") == "pass"
        assert set(both.values()) <= {"needs_review", "fail"}, rule


def test_a_wetland_around_a_stream_does_not_show_the_stream(site):
    features = tuple(
        replace(item, role="wetland", geometry=item.geometry.buffer(25)) if item.role == "surface_water" else item
        for item in site.plan.features
    )
    rows = found(site, "SAU-MAP-i", features=features)
    assert rows["waters:Teasel Creek"][0] == "needs_review"


def test_a_stream_does_not_show_the_wetland_along_it(site):
    wetlands = [item.geometry for item in site.plan.of("wetland")]
    lines = tuple(
        replace(first(site, "surface_water"), geometry=shapely.LineString(shapely.get_coordinates(shape)[:-1]))
        for shape in wetlands
    )
    rows = found(site, "SAU-MAP-i", features=(*without(site, "wetland"), *lines))
    assert {status for name, (status, _) in rows.items() if name.startswith("wetlands")} <= {"needs_review", "fail"}


def test_waters_drawn_somewhat_beside_their_map_are_the_reviewers(site):
    def moved(metres):
        return changed(
            site, "surface_water", lambda shape: shapely.transform(shape, lambda xy: xy + np.array([0, metres]))
        )

    assert statuses(site, "SAU-MAP-i", features=moved(14.0)) == {"pass"}
    assert statuses(site, "SAU-MAP-i", features=moved(18.3)) == {"pass", "needs_review"}
    assert "fail" in statuses(site, "SAU-MAP-i", features=moved(60.0))


def test_a_stream_drawn_in_half_is_said_to_be(site):
    west = shapely.box(-9999, -9999, 0, 9999)
    features = changed(
        site, "surface_water", lambda shape: shape.intersection(west) if shape.intersects(west) else shape
    )
    status, message = found(site, "SAU-MAP-i", features=features)["waters:North Branch Teasel Creek"]
    assert status == "fail"
    assert "% of its course only" in message
    assert "not on the plan" not in message


def test_a_wetland_delineated_smaller_than_mapped_is_the_reviewers(site):
    features = changed(site, "wetland", lambda shape: shape.buffer(-20) if shape.buffer(-20).area else shape)
    assert statuses(site, "SAU-MAP-i", features=features) == {"pass", "needs_review"}


def test_disturbed_ground_is_construction_site_however_small_that_is_drawn(site):
    small = changed(site, "construction_site", lambda shape: shape.centroid.buffer(1))
    ground = shapes(replace(site.plan, features=small))
    assert ground["construction_site"].contains(ground["disturbed"])


def test_without_a_site_boundary_nothing_on_the_site_is_cleared(site):
    features = without(site, "site", "lot")
    assert statuses(site, "SAU-MAP-a", features=features) == {"needs_review"}
    assert found(site, "SAU-ACRES", features=features)["site"][0] == "needs_review"


def test_land_of_which_only_a_part_is_drawn_is_not_below_the_limit(site):
    features = changed(site, "disturbed_area", lambda shape: shape.centroid.buffer(20))
    features = tuple(item for item in features if item.role not in {"site", "lot", "construction_site"})
    assert found(site, "FAI-APP-1", "fairwater", features=features)["land"][0] == "needs_review"


def test_disturbed_ground_outside_the_site_is_told(site):
    features = changed(site, "site", lambda shape: shape.buffer(-150))
    status, message = found(site, "SAU-ACRES", features=features)["outside"]
    assert status == "needs_review"
    assert "8.335" in message
    assert "outside" not in found(site, "SAU-ACRES")


def outfalls(site, *places):
    one = first(site, "outfall")
    drawn = (replace(one, geometry=place, name=f"OF-{number}") for number, place in enumerate(places, 1))
    return (*without(site, "outfall"), *drawn)


def test_an_outfall_to_one_unnamed_water_hides_no_discharge_to_another(site):
    """Most waters have no name: a drawn outfall stands for the water that it reaches, not for all without a name."""
    rows = found(site, "SAU-MAP-h2", features=outfalls(site, shapely.Point(0, 180)))
    assert rows["undrawn:unnamed wetland"][0] == "needs_review"
    assert rows["undrawn:unnamed intermittent stream"][0] == "needs_review"
    only = tuple(item for item in site.plan.features if item.role != "outfall" or item.name == "OF-1")
    rows = found(site, "SAU-MAP-h2", features=only)
    assert {name: status for name, (status, _) in rows.items()} == {
        "OF-1": "pass",
        "undrawn:unnamed intermittent stream": "needs_review",
    }


def test_an_outfall_far_from_the_work_shows_no_discharge_of_it(site):
    creek = next(item for layer in site.layers["waters"] for item in layer.features if item.name == "Teasel Creek")
    far = shapely.get_point(shapely.get_geometry(creek.geometry, 0), 0)
    assert far.distance(shapes(site.plan)["construction_site"]) > 402.336
    status, message = found(site, "SAU-MAP-h2", features=outfalls(site, far))["OF-1"]
    assert status == "needs_review"
    assert "from the construction site" in message


def test_without_elevation_drawn_outfalls_clear_nothing_beside_them(site):
    rows = found(replace(site, terrain=None), "SAU-MAP-h2")
    assert rows["undrawn"][0] == "not_checked"
    grid = site.terrain.grid
    nothing = replace(site.terrain, grid=replace(grid, z_m=np.full_like(grid.z_m, np.nan)))
    assert found(replace(site, terrain=nothing), "SAU-MAP-h2")["undrawn"][0] == "not_checked"


def test_no_water_along_a_path_that_layers_do_not_cover_is_no_answer(site):
    keep = shapes(site.plan)["site"].buffer(5)
    layers = dict(site.layers)
    for role in ("waters", "wetlands", "flowlines"):
        layers[role] = tuple(
            replace(
                layer,
                coverage=keep,
                features=tuple(item for item in layer.features if item.geometry.within(keep)),
            )
            for layer in site.layers[role]
        )
    short = replace(site, layers=layers)
    rows = found(short, "SAU-MAP-h2", features=without(site, "surface_water", "wetland"))
    assert rows.pop("OF-2")[0] == "pass"  # its stream lies on the site
    assert {status for status, _ in rows.values()} == {"needs_review"}
    uphill = outfalls(site, shapely.Point(-190, -160))
    rows = found(
        short, "SAU-MAP-h2", features=[item for item in uphill if item.role not in {"surface_water", "wetland"}]
    )
    assert rows["OF-1"][0] == "needs_review"


def test_a_wetland_of_the_right_size_in_the_wrong_place_is_the_reviewers(site):
    assert statuses(site, "SAU-MAP-h1") == {"pass"}
    moved = changed(site, "wetland", lambda shape: shapely.transform(shape, lambda xy: xy + np.array([0, -40])))
    assert found(site, "SAU-MAP-h1", features=moved)["mapped"][0] == "needs_review"


def test_a_sliver_of_the_mapped_wetland_does_not_agree_with_it(site):
    ground = shapes(site.plan)["site"]
    sliver = changed(site, "wetland", lambda shape: shape.buffer(-12) if shape.within(ground) else shape)
    stated = replace(site.plan.stated, wetland_acres=0.06)
    assert found(site, "SAU-MAP-h1", features=sliver, stated=stated)["mapped"][0] == "needs_review"


def test_a_mapped_wetland_that_only_reaches_over_the_boundary_by_its_doubt_does_not_fail(site):
    reach = next(
        item for item in site.layers["wetlands"][0].features if item.geometry.within(shapes(site.plan)["site"])
    )
    west, south, east, north = reach.geometry.bounds
    over = changed(site, "site", lambda _: shapely.box(west + 3, south - 300, west + 300, north + 300))
    over = tuple(item for item in over if item.role != "wetland")
    unstated = {"stated": Stated()}
    assert found(site, "SAU-MAP-h1", features=over, **unstated)["mapped"][0] == "fail"
    edge = changed(site, "site", lambda _: shapely.box(east - 3, south - 300, east + 300, north + 300))
    edge = tuple(item for item in edge if item.role != "wetland")
    assert found(site, "SAU-MAP-h1", features=edge, **unstated)["mapped"][0] == "needs_review"


def test_declaring_that_there_is_none_takes_no_mapped_water_off_the_ground(site):
    absent = {"features": without(site, "surface_water", "wetland"), "declared_absent": frozenset({"surface_water"})}
    assert statuses(site, "SAU-MAP-a5", **absent) == {"needs_review"}
    assert statuses(
        site, "SAU-MAP-k", features=without(site, "infiltration"), declared_absent=frozenset({"infiltration"})
    ) == {"pass"}


def test_sheets_of_one_name_hide_no_scale(site):
    first_sheet, *others = site.plan.sheets[1:]
    hidden = (replace(first_sheet, scale_text="1\" = 400'"), replace(first_sheet, scale_text="1\" = 100'"), *others)
    rows = found(site, "SAU-SCALE", sheets=hidden)
    assert {status for status, _ in rows.values()} == {"pass", "needs_review"}
    assert "different scales" in rows[first_sheet.name][1]


def test_one_cell_is_no_grid(site):
    everything = shapes(site.plan)["site"].buffer(300)
    one = (*without(site, "grid"), replace(first(site, "grid"), name="A1", geometry=everything))
    assert found(site, "SAU-MAP-j", features=one)["labels"][0] == "needs_review"


def test_a_path_through_a_lake_that_no_layer_holds_is_the_reviewers(site):
    def flowlines_only(layers):
        return tuple(
            replace(layer, features=tuple(item for item in layer.features if item.kind not in {"lake", "pond"}))
            for layer in layers
        )

    bare = replace(site, layers={**site.layers, "waters": flowlines_only(site.layers["waters"])})
    features = tuple(item for item in site.plan.features if item.name != "Lantern Pond" and item.kind != "55800")
    rows = found(bare, "SAU-MAP-i", features=features)
    told = [message for status, message in rows.values() if "no layer given shows" in message]
    assert len(told) == 1
    assert {status for status, _ in rows.values()} == {"pass", "needs_review"}


@pytest.mark.parametrize(("beyond_m", "status"), [(-1.0, "needs_review"), (1.0, "needs_review"), (60.0, "pass")])
def test_a_hidden_water_about_a_mile_away_is_the_reviewers(site, beyond_m, status):
    mile = 1609.344
    ground = shapes(site.plan)["construction_site"]
    east = ground.bounds[2]
    ditch = shapely.LineString([(east + mile + beyond_m, -120), (east + mile + beyond_m, -100)])
    assert ground.distance(ditch) == pytest.approx(mile + beyond_m, abs=0.5)
    layer = site.layers["waters"][0]
    far = replace(layer.features[0], id="far", name="Far Ditch", kind="ditch", geometry=ditch)
    layers = {**site.layers, "waters": (replace(layer, features=(*layer.features, far)), *site.layers["waters"][1:])}
    rows = found(replace(site, layers=layers), "SAU-MAP-i")
    assert rows.get("waters:Far Ditch", rows.get("waters"))[0] == status


def test_a_plan_that_draws_no_ground_lies_nowhere(site):
    only = outfalls(site, shapely.Point(0, 0))[-1:]
    assert found(site, "SAU-JUR-1", features=only)["site"][0] == "not_checked"
    drawn = replace(site, plan=replace(site.plan, features=only))
    assert judge(drawn, read_ordinance("saukville"), ON).status.value not in {"pass", "not_applicable"}


def test_a_drawing_that_lies_elsewhere_shows_nothing_of_the_site(site):
    def away(shape):
        return shapely.transform(shape, lambda xy: xy + np.array([3000, 0]))

    assert statuses(site, "SAU-MAP-e", features=changed(site, "control", away)) == {"needs_review"}
    contours = changed(site, "contour_existing", away)
    assert found(site, "SAU-CONTOUR", features=contours)["cover"][0] == "needs_review"
    assert statuses(site, "SAU-MAP-a1", features=contours) == {"needs_review"}


def test_contours_of_a_corner_are_not_those_of_the_site(site):
    corner = tuple(
        item for item in site.plan.features if item.role != "contour_existing" or item.geometry.centroid.x < -150
    )
    assert found(site, "SAU-CONTOUR", features=corner)["cover"][0] == "needs_review"
    assert "cover" not in found(site, "SAU-CONTOUR")


def test_a_part_of_the_site_beyond_every_layer_is_not_cleared(site):
    """Far from the work, where no mile reaches: the site's own waters are still asked for."""
    one = first(site, "site")
    far = shapely.transform(one.geometry, lambda xy: xy + np.array([9000, 0]))
    rows = found(site, "SAU-MAP-a", features=(*site.plan.features, replace(one, geometry=far)))
    assert {status for status, _ in rows.values()} == {"needs_review"}


@pytest.mark.parametrize(("cell_m", "coarse"), [(4.9, False), (5.0, False), (5.002, False), (5.1, True)])
def test_a_grid_of_five_metres_is_not_too_coarse_for_its_projection(site, cell_m, coarse):
    grid = site.terrain.grid
    sides = np.full_like(grid.row_dx_m, cell_m)
    terrain = replace(site.terrain, source=None, grid=replace(grid, row_dx_m=sides, row_dy_m=sides))
    taken, _ = measure_slopes(replace(site, terrain=terrain), shapes(site.plan), read_ordinance("saukville").method)
    assert ("dem_cell_too_coarse" in {flag.code for flag in taken.flags}) is coarse


def test_a_floodplain_drawn_by_open_limits_does_not_fail(site):
    flood = next(
        feature for layer in site.layers["floodplain"] for feature in layer.features if feature.kind == "flood_fringe"
    )
    ground = flood.geometry.representative_point().buffer(60)
    limit = shapely.get_parts(flood.geometry.boundary)[0]
    there = [replace(item, geometry=ground) for item in site.plan.features if item.role == "site"]
    rest = without(site, "site", "floodplain")
    hidden = found(site, "SAU-MAP-a", features=(*rest, *there))
    drawn = found(site, "SAU-MAP-a", features=(*rest, *there, replace(first(site, "floodplain"), geometry=limit)))
    assert hidden["floodplain"][0] == "fail"
    assert drawn["floodplain"][0] in {"pass", "needs_review"}


def test_a_hatch_over_the_mile_shows_no_water(site):
    lines = [shapely.LineString([(-2500, at), (2500, at)]) for at in range(-2500, 2500, 28)]
    hatch = replace(first(site, "surface_water"), geometry=shapely.MultiLineString(lines))
    told = found(site, "SAU-MAP-i", features=(*without(site, "surface_water"), hatch))
    assert told.pop("wetlands")[0] == "pass"
    assert told
    assert all(status == "needs_review" and "densely" in text for status, text in told.values())


def test_a_sample_in_the_legend_is_no_stabilization_of_the_site(site):
    moved = changed(site, "stabilization", lambda shape: shapely.transform(shape, lambda xy: xy - np.array([0, 260])))
    assert statuses(site, "SAU-MAP-f", features=moved) == {"needs_review"}


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("inlet protection, to be removed after final stabilization", "inlet_protection"),
        ("Silt fence: remove when grass covers 70 %", "silt_fence"),
        ("Tracking pad, No. 3 stone", "tracking_pad"),
        ("Inlet protection NOT required", ""),
        ("no inlet protection", ""),
        ("SILT FENCE (REMOVED)", ""),
        ("existing riprap to be removed", ""),
    ],
)
def test_words_that_take_a_control_back(words, kind):
    assert control_kind(PlanFeature("control", None, "plan/inlet_protection", "1", kind=words)) == kind


@pytest.mark.parametrize(("scale", "status"), [("99", None), ("100", None), ("101", "needs_review"), ("200", "needs_review")])  # fmt: skip
def test_a_detail_smaller_than_the_map_may_be_is_none(site, scale, status):
    called = replace(site.plan.sheets[1], name="D-1", shows="detail", scale_text=f"1 inch = {scale} feet")
    rows = found(site, "SAU-SCALE", sheets=(*site.plan.sheets, called))
    assert rows.pop("D-1", (None,))[0] == status
    assert {status for status, _ in rows.values()} == {"pass"}


def test_a_site_boundary_within_another_is_told(site):
    one = first(site, "site")
    inner = replace(one, id="2", geometry=one.geometry.buffer(-30))

    def told(*drawn):
        plan = replace(site.plan, features=(*without(site, "site"), *drawn))
        taken = measure_ground(replace(site, plan=plan), shapes(plan), read_ordinance("saukville").method)
        return [flag.feature for flag in taken.flags if flag.code == "site_drawn_twice"]

    assert told(one, inner) == told(inner, one) == ["2"]
    assert told(one) == told(one, replace(one, id="2")) == []
    beside = replace(one, id="2", geometry=shapely.transform(one.geometry, lambda xy: xy + np.array([600, 0])))
    assert told(one, beside) == []


@pytest.mark.parametrize(("rest_acres", "status"), [(4.99, "not_applicable"), (5.0, "needs_review"), (5.01, "needs_review")])  # fmt: skip
def test_land_in_no_lot_may_be_the_lot(site, rest_acres, status):
    one = first(site, "site")
    west, south, east, north = one.geometry.bounds
    square = replace(one, geometry=shapely.box(west, south, west + 200, south + 200))
    width = (40_000 - rest_acres * 4046.8564224) / 200
    assert width < east - west
    assert north > south
    lots = [replace(one, role="lot", geometry=shapely.box(west + width * part / 2, south, west + width * (part + 1) / 2, south + 200)) for part in range(2)]  # fmt: skip
    activity = replace(site.plan.activity, land_use="commercial")
    drawn = {"features": (*without(site, "site", "lot"), square, *lots), "activity": activity}
    assert found(site, "FAI-APP-3", "fairwater", **drawn)["lot"][0] == status


@pytest.mark.parametrize(("rule", "role", "subject"), [("FAI-APP-2", "street_work", "street"), ("FAI-APP-5", "pipe_work", "pipe")])  # fmt: skip
@pytest.mark.parametrize(("stated_ft", "status"), [(None, "not_applicable"), (99.9, "not_applicable"), (100.0, "needs_review"), (400.0, "needs_review")])  # fmt: skip
def test_works_stated_longer_than_drawn_are_the_reviewers(site, rule, role, subject, stated_ft, status):
    short = replace(first(site, "road"), role=role, geometry=shapely.LineString([(0, 0), (20, 0)]))
    activity = replace(site.plan.activity, **{f"{role}_ft": stated_ft})
    drawn = {"features": (*site.plan.features, short), "activity": activity}
    assert found(site, rule, "fairwater", **drawn)[subject][0] == status


@pytest.mark.parametrize(("paused", "counted"), [("after Easter", True), ("5/1/2025", True), ("2025-05-01", False)])
def test_a_pause_whose_day_is_not_read_is_the_reviewers(site, paused, counted):
    features = tuple(
        replace(item, attributes={**item.attributes, "PAUSED": paused, "RESUMES": "2025-05-08"})
        if item.role == "disturbed_area" else item
        for item in site.plan.features
    )  # fmt: skip
    rule = next(rule.id for rule in read_ordinance("saukville").rules if rule.check == "pauses")
    assert ("unread" in found(site, rule, features=features)) is counted


def test_layers_inside_what_was_submitted_are_no_evidence(tmp_path, monkeypatch):
    forged = tmp_path / "sent" / "layers" / "saukville"
    forged.mkdir(parents=True)
    (forged / "layers.toml").write_text("not to be read", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "sent")
    sample = ROOT / "sample_plans" / "pass-saukville-subdivision"
    plan, _ = read_plan((sample,), roles={}, assume_crs=None)
    inside = _catalogue(Inputs((tmp_path / "sent",)), "saukville", plan)
    assert inside is None or not inside.path.is_relative_to(tmp_path)
    with pytest.raises(InputError):
        _catalogue(Inputs((sample,)), "saukville", plan)
