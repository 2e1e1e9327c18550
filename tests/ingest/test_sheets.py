"""Sheets from files and from the manifest, joined; and every file of the collection opened or refused."""

import time
from datetime import date
from pathlib import Path

import pytest

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.plan.sheets import joined_sheets
from siteplan_gis.ingest.plan.vectors import inspect_plan, read_plan
from siteplan_gis.ingest.records.manifest import Manifest
from siteplan_gis.model.flag import Flag
from siteplan_gis.model.sheet import ScaleEvidence, Sheet
from siteplan_gis.pipeline import Inputs, measure_inputs, review_inputs
from siteplan_gis.report.files import write_outputs
from tests.ingest.pdfs import FULL, bar, one_page, pages_to_pdf, said

CASES = Path(__file__).parents[1] / "cases"
DATA = Path(__file__).parents[3] / "shared" / "data" / "pdf"
DAY = date(2026, 11, 1)


def found_in(review, rule):
    return {finding.subject: finding for finding in review.findings if finding.rule.id == rule}


def review(*paths, law="saukville"):
    return review_inputs(Inputs(tuple(paths)), law, DAY)


def test_half_size_note_is_not_trusted():
    (sheet,) = read_plan([CASES / "H60" / "C-101_half.pdf"])[0].sheets
    measured, _ = measure_inputs(Inputs((CASES / "H60" / "C-101_half.pdf",)))
    assert measured["feet_per_inch[C-101_half]"].value == pytest.approx(100, rel=3e-3)
    assert measured["feet_per_inch_stated[C-101_half]"].value == 50
    assert measured["feet_per_inch_full_size[C-101_half]"].value == 50
    (geospatial,) = [item for item in sheet.evidence if item.kind == "geospatial"]
    assert geospatial.feet_per_inch == pytest.approx(100, rel=3e-3)
    assert sheet.contour_interval_ft == 2
    assert any(flag.code == "sheet_reduced" and "half" in flag.text for flag in measured.flags)


def test_no_resolution_is_assumed():
    paths = tuple(CASES / "H61" / f"{name}.tif" for name in ("sheet_300dpi", "sheet_nodpi"))
    measured, _ = measure_inputs(Inputs(paths))
    assert measured["feet_per_inch[sheet_300dpi]"].value == pytest.approx(50, rel=3e-3)
    assert measured["feet_per_inch[sheet_nodpi]"].value is None
    assert any("no resolution tag" in flag.text for flag in measured.flags)
    findings = found_in(review(*paths), "SAU-SCALE")
    assert {name: item.status.value for name, item in findings.items()} == {
        "sheet (tif 1)": "pass",
        "sheet (tif 2)": "not_checked",
    }
    assert "no resolution tag" in findings["sheet (tif 2)"].message


@pytest.mark.skipif(not DATA.is_dir(), reason="the collection of real files is not here")
@pytest.mark.parametrize(
    "path", sorted(DATA.glob("*/*.[pt][di]f")) if DATA.is_dir() else [], ids=lambda path: path.name
)
def test_every_real_file_is_read_or_refused_in_one_line(path):
    start = time.perf_counter()
    try:
        plan, frame = read_plan([path])
    except InputError as refusal:
        told = str(refusal)
    else:
        told = ""
        assert plan.sheets
        assert not frame.placed
    assert "\n" not in told
    assert path.name != "byte_enc.pdf" or "password" in told
    assert time.perf_counter() - start < 10


def test_sheets_alone_are_judged_and_all_else_is_not_checked(tmp_path):
    path = tmp_path / "C-1.pdf"
    path.write_bytes(one_page(bar([0, 60, 120], 72) + said("SCALE: 1\" = 60'  SHEET SIZE 24x36")))
    reviewed = review(path)
    statuses = {finding.status.value for finding in reviewed.findings if finding.rule.id != "SAU-SCALE"}
    assert not statuses & {"pass", "fail", "error"}
    assert [item.status.value for item in found_in(reviewed, "SAU-SCALE").values()] == ["pass"]
    assert any(flag.code == "place_unknown" for flag in reviewed.measured.flags)
    assert {path.name for path in write_outputs(reviewed, tmp_path / "out")} >= {"review.json", "review.html"}


@pytest.mark.parametrize(("feet", "status"), [(99, "pass"), (100, "pass"), (101, "fail")])
def test_the_whole_way_at_the_limit(tmp_path, feet, status):
    content = bar([0, feet, 2 * feet], 72) + said(f"SCALE: 1\" = {feet}'  SHEET SIZE 24x36")
    (tmp_path / "C-1.pdf").write_bytes(one_page(content))
    found = found_in(review(tmp_path / "C-1.pdf"), "SAU-SCALE")
    assert [item.status.value for item in found.values()] == [status]


def test_full_size_passes_and_half_size_fails(tmp_path):
    content = bar([0, 60, 120], 72) + said("SCALE: 1\" = 60'  SHEET SIZE 24x36", 900, 60)
    (tmp_path / "full.pdf").write_bytes(one_page(content))
    (tmp_path / "half.pdf").write_bytes(one_page(f"q 0.5 0 0 0.5 0 0 cm {content} Q", (0, 0, 1296, 864)))
    findings = found_in(review(tmp_path), "SAU-SCALE").values()
    full, half = (next(item for item in findings if f"Sheet {name}" in item.message) for name in ("full", "half"))
    assert full.status.value == "pass"
    assert half.status.value == "fail"
    assert "120.0 ft per inch as printed on 18 x 12 in" in half.message
    assert "at full size (24x36) 60.0 ft per inch" in half.message
    assert "printed at its full size" in half.remedy


def test_quadrangle_is_exempt_and_existing_and_final_agree(tmp_path):
    pages = [
        (said("EXISTING CONDITIONS", 2000, 160, 18) + said("SCALE: 1\" = 50'  SHEET SIZE 24x36"), FULL, ""),
        (said("GRADING PLAN", 2000, 160, 18) + said("SCALE: 1\" = 100'  SHEET SIZE 24x36"), FULL, ""),
        (said("USGS TOPOGRAPHIC MAP", 2000, 160, 18) + said("SCALE: 1:24,000  SHEET SIZE 24x36"), FULL, ""),
    ]
    (tmp_path / "plan.pdf").write_bytes(pages_to_pdf(*pages))
    reviewed = review(tmp_path / "plan.pdf")
    assert {name: item.status.value for name, item in found_in(reviewed, "SAU-SCALE").items()} == {
        "EXISTING CONDITIONS": "pass",
        "GRADING PLAN": "pass",
        "USGS TOPOGRAPHIC MAP": "not_applicable",
    }
    reviewed = review(tmp_path / "plan.pdf", law="fairwater")
    assert [item.status.value for item in found_in(reviewed, "FAI-SCALE-2").values()] == ["fail"]


def test_a_file_that_cannot_be_read_is_a_sheet_of_which_nothing_is_known(tmp_path):
    (tmp_path / "good.pdf").write_bytes(one_page(said("SCALE: 1\" = 50'  SHEET SIZE 24x36")))
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    findings = found_in(review(tmp_path), "SAU-SCALE")
    assert {name: item.status.value for name, item in findings.items()} == {"sheet": "not_checked", "page 1": "pass"}
    assert "cannot be read" in findings["sheet"].message
    with pytest.raises(InputError, match=r"bad\.pdf: cannot be opened"):
        read_plan([tmp_path / "bad.pdf"])


def test_manifest_names_sheets(tmp_path):
    (tmp_path / "set.pdf").write_bytes(pages_to_pdf((said("A"), FULL, ""), (said("B"), FULL, "")))
    (tmp_path / "siteplan.toml").write_text(
        '[[sheet]]\nname = "C-1"\nshows = "existing"\nfile = "set.pdf"\npage = 2\nscale = "1 in = 40 ft"\npaper = "24x36"\n'
        '[[sheet]]\nname = "C-0"\nshows = "location"\nfile = "set.pdf"\npage = 1\n'
    )
    sheets = {sheet.name: sheet for sheet in read_plan([tmp_path])[0].sheets}
    assert (sheets["C-1"].page, sheets["C-1"].shows, sheets["C-1"].width_in) == (2, "existing", 36)
    assert sheets["C-0"].shows == "location"
    (tmp_path / "siteplan.toml").write_text('[[sheet]]\nname = "C-1"\nfile = "other.pdf"\n')
    with pytest.raises(InputError, match=r"'C-1' names other.pdf, which the plan does not hold"):
        read_plan([tmp_path])


def test_joined_by_name_or_number():
    found = [
        Sheet(
            "plan page 1",
            file="plan.pdf",
            number="C-101",
            width_in=36,
            height_in=24,
            evidence=(ScaleEvidence("bar", 50.0),),
        )
    ]
    told = Manifest(sheets=(Sheet("C 101", "site_map", "1 in = 50 ft", 2.0), Sheet("C-9", "location")))
    other, sheet = joined_sheets(told, found)
    assert (other.name, other.evidence) == ("C-9", ())
    assert (sheet.name, sheet.shows, sheet.width_in, sheet.scale_text) == ("C 101", "site_map", 36, "1 in = 50 ft")
    assert sheet.evidence
    twice = Manifest(sheets=(Sheet("C-101"), Sheet("plan page 1")))
    with pytest.raises(InputError, match="both speak of plan page 1"):
        joined_sheets(twice, found)


def test_full_and_half_size_copies_of_one_sheet_have_its_facts():
    found = [Sheet(f"{name}/C-1", file=f"{name}/C-1.pdf", number="C-1") for name in ("full", "half")]
    sheets = joined_sheets(Manifest(sheets=(Sheet("C-1", "site_map", paper="24x36"),)), found)
    assert [(sheet.name, sheet.shows, sheet.paper) for sheet in sheets] == [
        ("full/C-1", "site_map", "24x36"),
        ("half/C-1", "site_map", "24x36"),
    ]


def test_files_of_one_name_are_told_apart(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "C-1.pdf").write_bytes(one_page(said("SCALE: 1\" = 50'")))
    assert [sheet.name for sheet in read_plan([tmp_path])[0].sheets] == ["a/C-1.pdf", "b/C-1.pdf"]


def test_sheets_beside_a_drawing(tmp_path):
    (tmp_path / "lod.gpkg").write_bytes((CASES / "H14" / "lod.gpkg").read_bytes())
    (tmp_path / "C-1.pdf").write_bytes(one_page(bar([0, 60, 120], 72)))
    plan, frame = read_plan([tmp_path], roles={"lod": "disturbed_area"})
    assert frame.placed
    assert plan.features
    assert [sheet.name for sheet in plan.sheets] == ["C-1"]
    assert {source.file for source in plan.sources} == {"lod.gpkg", "C-1.pdf"}


def test_inspect_shows_sheets(tmp_path):
    (tmp_path / "C-1.pdf").write_bytes(one_page(said("GRADING PLAN", 2000, 160, 18) + said("SCALE: 1\" = 50'")))
    (row,), flags = inspect_plan([tmp_path / "C-1.pdf"])
    assert (row.label, row.role, row.geometry_types) == ("C-1", "sheet: final", ("36 x 24 in",))
    assert "50 ft per inch" in row.sample[0]
    assert all(isinstance(flag, Flag) for flag in flags)
