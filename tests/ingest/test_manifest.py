"""siteplan.toml is read strictly: what is right comes through, and every problem is named at once."""

from datetime import date

import pytest

from siteplan_gis.errors import SeveralInputErrors
from siteplan_gis.ingest.records.manifest import LayerSettings, Manifest, read_manifest
from siteplan_gis.model.plan import Activity, Stated
from siteplan_gis.model.sheet import Sheet

FULL = r"""
[plan]
name = "Quarry Ridge"
applicant = "A. Builder"
submitted = 2026-05-01
ordinance = "saukville"
invented = true
none = ["infiltration", "wetland"]

[stated]
site_acres = 5
disturbed_acres = 2.5
wetland_acres = 0
disturbed_max_concurrent_acres = 1.25
receiving_water = "Milwaukee River"

[activity]
land_use = "commercial"
needs_plat = false
state_funded = true
exemption = ""
street_work_ft = 300

[[sheet]]
name = "C-101"
shows = "site_map"
scale = "1\" = 50'"
contour_interval_ft = 2
paper = "ANSI D"

[[sheet]]
name = "C-102"

[roles]
"lod*" = "disturbed_area"
"notes" = "ignore"

[layer."EX_CONTOUR"]
crs = "EPSG:7613"
axis_order = "yx"
elevation_field = "ELEV"
elevation_units = "us-ft"
assume_closed = true
"""


def manifest(tmp_path, text):
    path = tmp_path / "siteplan.toml"
    path.write_text(text, encoding="utf-8")
    return read_manifest(path)


def problems(tmp_path, text):
    with pytest.raises(SeveralInputErrors) as caught:
        manifest(tmp_path, text)
    assert caught.value.file == "siteplan.toml"
    return [str(problem) for problem in caught.value.problems]


def test_everything_comes_through(tmp_path):
    read = manifest(tmp_path, FULL)
    assert read == Manifest(
        name="Quarry Ridge",
        applicant="A. Builder",
        submitted=date(2026, 5, 1),
        ordinance="saukville",
        invented=True,
        none=frozenset({"infiltration", "wetland"}),
        stated=Stated(5.0, 2.5, 0.0, 1.25, "Milwaukee River"),
        activity=Activity("commercial", needs_plat=False, state_funded=True, street_work_ft=300.0),
        sheets=(Sheet("C-101", "site_map", "1\" = 50'", 2.0, "ANSI D"), Sheet("C-102")),
        roles={"lod*": "disturbed_area", "notes": "ignore"},
        layers={
            "EX_CONTOUR": LayerSettings("EPSG:7613", "yx", "ELEV", "us-ft", assume_closed=True),
        },
    )


def test_an_empty_manifest_says_nothing(tmp_path):
    assert manifest(tmp_path, "") == Manifest()


@pytest.mark.parametrize("submitted", ["2026-05-01", '"2026-05-01"'])
def test_a_day_may_be_quoted(tmp_path, submitted):
    assert manifest(tmp_path, f"[plan]\nsubmitted = {submitted}").submitted == date(2026, 5, 1)


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("[plan]\nsubmitted = '5/1/2026'", "plan.submitted", "not a date"),
        ("[plan]\nsubmitted = 2026-05-01T10:00:00", "plan.submitted", "day alone"),
        ("[plan]\nsubmitted = 20260501", "plan.submitted", "valid date"),
        ("[plan]\nname = 5", "plan.name", "valid string"),
        ("[plan]\ninvented = 'yes'", "plan.invented", "boolean"),
        ("[plan]\nnone = ['dirt']", "plan.none.1", "'dirt' is not a role"),
        ("[plan]\nnone = ['ignore']", "plan.none.1", "'ignore' is not a role"),
        ("[plan]\nnone = 'wetland'", "plan.none", "list"),
        ("[stated]\nsite_acres = -0.1", "stated.site_acres", "greater than or equal to 0"),
        ("[stated]\nsite_acres = '5'", "stated.site_acres", "number"),
        ("[stated]\nsite_acres = nan", "stated.site_acres", "finite"),
        ("[stated]\nsite_acres = inf", "stated.site_acres", "finite"),
        ("[stated]\nsite_acres = true", "stated.site_acres", "number"),
        ("[activity]\nland_use = 'farm'", "activity.land_use", "one_family"),
        ("[activity]\nexemption = 'mine'", "activity.exemption", "npdes_exempt"),
        ("[activity]\nneeds_plat = 1", "activity.needs_plat", "boolean"),
        ("[activity]\npipe_work_ft = -1", "activity.pipe_work_ft", "greater"),
        ("[[sheet]]\nshows = 'final'", "sheet.1.name", "missing"),
        ("[[sheet]]\nname = 'a'\nshows = 'cover'", "sheet.1.shows", "site_map"),
        ("[[sheet]]\nname = 'a'\ncontour_interval_ft = 0", "sheet.1.contour_interval_ft", "greater than 0"),
        ("[roles]\nLOD = 'dirt'", "roles.LOD", "'dirt' is not a role"),
        ("[roles]\nLOD = 1", "roles.LOD", "string"),
        ("[layer.a]\ncrs = 'EPSG:99999999'", "layer.a.crs", "not a coordinate system"),
        ("[layer.a]\naxis_order = 'ne'", "layer.a.axis_order", "'xy' or 'yx'"),
        ("[layer.a]\nelevation_units = 'yards'", "layer.a.elevation_units", "not a length unit"),
        ("[layer.a]\nassume_closed = 1", "layer.a.assume_closed", "boolean"),
        ("[plan]\ncolour = 'red'", "plan.colour", "unknown key"),
        ("[paln]\nname = 'a'", "paln", "unknown key"),
        ("plan = 'a'", "plan", "dictionary"),
    ],
)
def test_each_wrong_thing_is_named(tmp_path, text, place, word):
    (problem,) = problems(tmp_path, text)
    assert problem.startswith(f"{place}: ")
    assert word in problem


def test_all_problems_come_at_once(tmp_path):
    found = problems(
        tmp_path, "[plan]\nname = 1\nx = 2\n[stated]\nsite_acres = -1\n[roles]\na = 'b'\n[layer.c]\nd = 1\n"
    )
    assert sorted(problem.split(":")[0] for problem in found) == [
        "layer.c.d", "plan.name", "plan.x", "roles.a", "stated.site_acres",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "[layers]\nwaters = 'mine.gpkg'",
        "dem = 'mine.tif'",
        "[plan]\ndem = 'mine.tif'",
        "[reference]\na = 1",
        "[plan]\ncatalogue = 'x'",
    ],
)
def test_the_applicant_does_not_choose_the_evidence(tmp_path, text):
    (problem,) = problems(tmp_path, text)
    assert "a plan must not name reference layers or elevation models" in problem
    assert "--dem" in problem
