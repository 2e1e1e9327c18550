"""The samples: each review comes out as its expected.toml says, and the invented ground hangs together."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import ezdxf
import numpy as np
import pyogrio
import pypdfium2 as pdfium
import pytest
import rasterio
import shapely
from jsonschema import Draft202012Validator
from pyogrio.raw import read
from typer.testing import CliRunner

from siteplan_gis.checks.table import CHECKS
from siteplan_gis.cli import app
from siteplan_gis.model.review import Status, total
from siteplan_gis.ordinances.reader import read_ordinance, shipped
from siteplan_gis.report.schema import review_schema

ROOT = Path(__file__).resolve().parents[1]
STORIES = sorted(path.parent.name for path in ROOT.glob("sample_plans/*/expected.toml"))
PLANS = sorted(path.parent.name for path in ROOT.glob("sample_plans/*/siteplan.toml"))
CHECK_OF = {rule.id: rule.check for name in shipped() for rule in read_ordinance(name).rules}
VILLAGES = ("saukville", "fairwater", "east_troy")


def expected(story):
    return tomllib.loads((ROOT / "sample_plans" / story / "expected.toml").read_text(encoding="utf-8"))


def measured(measurements, name):
    """`name`, `name[key]` or `name[key].field` of the measurements of a review."""
    base, _, rest = name.partition("[")
    found = measurements[base]
    if rest:
        key, _, field = rest.partition("]")
        if isinstance(found, list):
            (found,) = [item for item in found if item["id"] == key]
            return found[field.lstrip(".")]
        found = found[key]
    return found["value"]


def assert_it_rests_on(review, checks):
    """With any one of the checks and those that are not named the verdict is the same, with none of them another."""
    rows = [(CHECK_OF[row["rule"]], Status((row["override"] or row)["status"])) for row in review["findings"]]
    rows += [
        (CHECK_OF[row["rule"]], Status(row["override"]["status"])) for row in review["not_checked"] if row["override"]
    ]
    verdict, rest = review["decided_status"], [status for check, status in rows if check not in checks]
    assert not checks or total(rest) != verdict
    for one in checks:
        assert total([*rest, *(status for check, status in rows if check == one)]) == verdict, one


def test_every_check_decides_a_sample():
    deciding = {check for story in STORIES for check in expected(story)["decided_by"]}
    assert deciding == set(CHECKS)


@pytest.mark.parametrize("story", STORIES)
def test_sample_comes_out_as_expected(story, monkeypatch):
    monkeypatch.chdir(ROOT)
    wanted = expected(story)
    plan = f"sample_plans/{wanted['plan']}"
    done = CliRunner().invoke(app, ["review", plan, "--on", wanted["on"], "--json", *wanted["args"]])
    assert done.exit_code == wanted["exit_code"], done.stderr
    review = json.loads(done.stdout)
    Draft202012Validator(review_schema()).validate(review)  # or no letter could be written of it
    rows = [(finding["id"], finding["status"]) for finding in review["findings"]]
    assert sorted(rows) == sorted(wanted["findings"].items())
    assert review["status"] == wanted["status"]
    assert review["decided_status"] == wanted.get("decided_status", wanted["status"])
    assert_it_rests_on(review, wanted["decided_by"])
    for name, value in wanted["measurements"].items():
        tolerance = value.get("tol_abs", 0.0) + value.get("tol_rel", 0.0) * abs(value["value"])
        assert measured(review["measurements"], name) == pytest.approx(value["value"], abs=tolerance or 1e-9), name
    assert set(wanted["flags"]["must"]) <= {flag["code"] for flag in review["flags"]}


def test_there_is_a_story_for_each_way_to_fail():
    failing = {row for story in STORIES for row, status in expected(story)["findings"].items() if status == "fail"}
    rules = {row.split(":")[0] for row in failing}
    assert rules >= {
        "SAU-MAP-i", "SAU-MAP-h2", "SAU-SCALE", "SAU-CONTOUR", "SAU-MAP-j", "SAU-ACRES", "FAI-SCALE-2",
        "FAI-10-A", "FAI-BASIN-1", "FAI-BASIN-2",
    }  # fmt: skip
    assert {expected(story)["status"] for story in STORIES} == {"pass", "fail", "needs_review", "not_checked"}


@pytest.mark.parametrize("story", STORIES)
def test_name_of_the_story_is_its_outcome(story):
    wanted = expected(story)
    status = wanted.get("decided_status", wanted["status"])
    outcomes = {"pass": {"pass", "needs_review"}, "fail": {"fail"}, "unclear": {"needs_review", "not_checked"}}
    assert status in outcomes[story.split("-")[0]]
    lines = (ROOT / "sample_plans" / story / "README.md").read_text(encoding="utf-8").split("\n")
    assert lines[0] == f"# {story}"
    assert len([line for line in lines[1:] if line]) == 2


def test_everything_says_that_it_is_invented():
    for path in ROOT.glob("layers/*/*.toml"):
        catalogue = tomllib.loads(path.read_text(encoding="utf-8"))
        assert catalogue["invented"] is True
        assert all("Invented" in layer["source"] for layer in [*catalogue["layer"], *catalogue.get("dem", ())])
    for story in PLANS:
        assert (
            tomllib.loads((ROOT / "sample_plans" / story / "siteplan.toml").read_text(encoding="utf-8"))["plan"][
                "invented"
            ]
            is True
        )


def test_samples_stay_small():
    assert sum(path.stat().st_size for path in ROOT.glob("layers/**/*")) < 6_000_000
    for path in ROOT.glob("sample_plans/*/*"):
        # An engineer's surface is many lines of text, which pack well.
        assert path.stat().st_size < (1_500_000 if path.name == "surfaces.xml" else 300_000), path


# The invented ground


def layer(village, name):
    """Geometries and attribute columns of a reference layer."""
    meta, _, geometry, columns = read(ROOT / "layers" / village / f"{name}.fgb")
    return shapely.from_wkb(geometry), dict(zip(meta["fields"], columns, strict=True))


def elevations(village, xy):
    with rasterio.open(ROOT / "layers" / village / "dem.tif") as file:
        left, bottom, right, top = file.bounds
        inside = (xy[:, 0] > left) & (xy[:, 0] < right) & (xy[:, 1] > bottom) & (xy[:, 1] < top)
        return np.array([value[0] for value in file.sample(xy[inside])])


def along(line, step):
    return shapely.get_coordinates(shapely.line_interpolate_point(line, np.arange(0.0, line.length, step)))


@pytest.mark.parametrize("village", VILLAGES)
def test_streams_run_downhill(village):
    lines, fields = layer(village, "flowlines")
    for line, code in zip(lines, fields["FCODE"], strict=True):
        bed = elevations(village, along(line, 15.0))
        if code in {46006, 46003, 55800} and len(bed) > 5:
            lowest = np.minimum.accumulate(bed)
            assert np.all(bed - lowest < 0.8), f"{code} climbs {np.max(bed - lowest):.2f} ft"
            assert bed[0] >= bed[-1]


@pytest.mark.parametrize("village", VILLAGES)
def test_streams_lie_in_their_valleys(village):
    lines, fields = layer(village, "flowlines")
    for line, code in zip(lines, fields["FCODE"], strict=True):
        middle = along(line, 40.0)
        if code not in {46006, 46003} or len(elevations(village, middle)) < 5:
            continue
        bed = elevations(village, middle)
        for side in (60.0, -60.0):
            bank = elevations(village, along(line.offset_curve(side), 40.0))
            assert np.median(bank) > np.median(bed) + 1.0


@pytest.mark.parametrize("village", VILLAGES)
def test_road_dams_its_valleys_and_a_culvert_goes_under_it(village):
    culverts, _ = layer(village, "culverts")
    roads, _ = layer(village, "roads")
    assert len(culverts) >= 2
    for culvert in culverts:
        assert sum(culvert.crosses(roads)) == 1
        profile = elevations(village, along(culvert, 2.0))
        ends = max(profile[0], profile[-1])
        assert profile.max() > ends + 1.5
        assert profile[0] > profile[-1]


@pytest.mark.parametrize("village", VILLAGES)
def test_pond_is_level(village):
    ponds, fields = layer(village, "waterbodies")
    (pond,) = ponds[(fields["FCODE"] == 39004) & (fields["GNIS_NAME"] != "Farthing Pond")]
    west, south, east, north = pond.buffer(-12.0).bounds
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(west, east, 20.0), np.arange(south, north, 20.0)))
    inside = shapely.contains_xy(pond.buffer(-12.0), x, y)
    assert inside.sum() > 100
    assert np.ptp(elevations(village, np.column_stack((x[inside], y[inside])))) == 0.0


@pytest.mark.parametrize("village", VILLAGES)
def test_elevations_say_their_unit_and_datum(village):
    with rasterio.open(ROOT / "layers" / village / "dem.tif") as file:
        assert file.units == ("US survey foot",)
        assert "NAVD88" in file.crs.to_wkt()
        assert np.isfinite(file.read(1)).all()


def test_one_elevation_file_says_nothing():
    with rasterio.open(ROOT / "layers" / "saukville" / "dem_no_unit.tif") as file:
        assert file.units in {(None,), ("",)}
        assert "NAVD88" not in file.crs.to_wkt()


@pytest.mark.parametrize("village", VILLAGES)
def test_layers_are_valid_and_lie_inside_their_coverage(village):
    (square,), _ = layer(village, "coverage")
    for path in (ROOT / "layers" / village).glob("*.fgb"):
        shapes, _ = layer(village, path.stem)
        assert shapely.is_valid(shapes).all(), path.name
        if path.stem not in {"municipalities", "airports"}:
            assert shapely.covers(square.buffer(1.0), shapes).all(), path.name


def test_script_draws_the_cad_sample_that_is_kept(tmp_path):
    """Written anew, entity by entity the same drawing, and a plot of the same size with the same words."""
    story = "pass-saukville-drawing"
    command = [sys.executable, "sample_plans/make_samples.py", "--to", str(tmp_path), story]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    fresh, kept = (folder / "sample_plans" / story for folder in (tmp_path, ROOT))
    assert {path.name for path in fresh.iterdir()} == {path.name for path in kept.iterdir()}
    for name in ("siteplan.toml", "expected.toml", "README.md"):
        assert (fresh / name).read_text(encoding="utf-8") == (kept / name).read_text(encoding="utf-8")
    drawings = [ezdxf.readfile(folder / "plan.dxf") for folder in (fresh, kept)]
    spaces = [[(one.dxftype(), one.dxf.layer) for one in drawing.modelspace()] for drawing in drawings]
    assert spaces[0] == spaces[1]
    ones, others = (
        [list(one.get_points("xy")) for one in drawing.modelspace().query("LWPOLYLINE")] for drawing in drawings
    )
    assert all(np.abs(np.subtract(one, other)).max() < 0.02 for one, other in zip(ones, others, strict=True))
    pages = [pdfium.PdfDocument(folder / "C-1.pdf") for folder in (fresh, kept)]
    sizes = [page[0].get_size() for page in pages]
    words = [page[0].get_textpage().get_text_bounded() for page in pages]
    for page in pages:
        page.close()
    assert sizes[0] == sizes[1] == (36 * 72, 24 * 72)
    assert words[0] == words[1]


def test_script_writes_what_is_kept(tmp_path):
    """One village and one plan written anew: the same words, the same corners, the same elevations."""
    story = "pass-saukville-subdivision"
    command = [sys.executable, "sample_plans/make_samples.py", "--to", str(tmp_path), "saukville", story]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    fresh = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(fresh) > 20
    for path in fresh:
        kept = ROOT / path.relative_to(tmp_path)
        if path.suffix in {".toml", ".md"}:
            assert path.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8")
        elif path.suffix == ".tif":
            with rasterio.open(path) as one, rasterio.open(kept) as other:
                assert np.abs(one.read(1) - other.read(1)).max() <= 1 / 32
        else:
            names = [name for name, _ in pyogrio.list_layers(path)]
            assert names == [name for name, _ in pyogrio.list_layers(kept)]
            for name in names:
                one, other = (shapely.from_wkb(read(file, layer=name)[2]) for file in (path, kept))
                assert shapely.equals_exact(one, other, 0.02).all(), name
