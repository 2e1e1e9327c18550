"""The command line as a user meets it: exit codes, one clear line for what is wrong, nothing but JSON on stdout."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from siteplan_gis import pipeline
from siteplan_gis.cli import app
from siteplan_gis.commands import plans
from siteplan_gis.model.controls import CONTROL_KINDS, control_kind
from siteplan_gis.model.drawn_figures import CUBIC_YARDS, FEET
from siteplan_gis.model.plan import PlanFeature

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases"


def run(*arguments, folder=ROOT):
    command = [sys.executable, "-m", "siteplan_gis", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["review", "no/such/plan"], "no such file"),
        (["review", CASES / "H09" / "LOD.shp", "--ordinance", "saukville"], "coordinate system"),
        (["review", CASES / "H15" / "lod.gpkg"], "no ordinance is named"),
        (["review", CASES / "H15" / "lod.gpkg", "--ordinance", "nowhere"], "nowhere"),
        (["review", CASES / "H15" / "lod.gpkg", "--ordinance", "saukville", "--on", "yesterday"], "YYYY-MM-DD"),
        (["review", CASES / "H15" / "lod.gpkg", "--ordinance", "saukville", "--layer", "waters"], "ROLE=FILE"),
        (["review", CASES / "H15" / "lod.gpkg", "--ordinance", "saukville", "--layer", "rivers=x.shp"], "x.shp"),
        (
            [
                "review",
                CASES / "H15" / "lod.gpkg",
                "--ordinance",
                "saukville",
                "--layers",
                ROOT / "layers" / "saukville",
            ],
            "invented",
        ),
        (["measure", CASES / "H10" / "lod_latlon.geojson"], "swap"),
        (
            ["measure", CASES / "H15" / "lod.gpkg", "--layer", f"waters={CASES / 'H75' / 'plan.gpkg'}"],
            "plan.gpkg#LAYER",
        ),
        (["measure", CASES / "H15" / "lod.gpkg", "--layer", "waters=nowhere.gpkg#ponds"], "nowhere.gpkg#ponds"),
        (["measure", CASES / "H15" / "lod.gpkg", "--layer", f"waters={CASES / 'H09' / 'LOD.shp'}"], "in layers.toml"),
        (["measure", CASES / "H50" / "sites.gpkg", "--role", "*=site"], "1 point where site asks for a polygon"),
        (["measure", CASES / "H15" / "lod.gpkg", "--dem", CASES / "H30"], "name each GeoTIFF"),
        (["measure", CASES / "H15" / "lod.gpkg", "--assume-crs", "EPSG:nonsense"], "coordinate system"),
        (["measure", CASES / "H15" / "lod.gpkg", "--role", "lod=lake"], "lake"),
        (["measure", CASES / "H15" / "lod.gpkg", "--dem", CASES / "H73" / "dem.tif"], "TIFF"),
        (["rules", "nowhere"], "nowhere"),
    ],
)
def test_unusable_input_is_one_clear_line_and_exit_2(arguments, words):
    done = run(*arguments)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_review_writes_its_files_and_says_where(tmp_path):
    layers = ROOT / "layers" / "saukville"
    arguments = ["review", ROOT / "sample_plans" / "fail-scale-200", "--layers", layers, "--on", "2026-05-01"]
    done = run(*arguments, "--json", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["status"] == "fail"
    assert list(tmp_path.iterdir()) == []
    done = run(*arguments, "--fail-on", "never", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {file.name for file in (tmp_path / "review").iterdir()} == {"review.json", "findings.gpkg", "review.html"}
    assert "review.html" in done.stdout
    assert "FAIL" in done.stdout


def test_real_plan_never_meets_invented_layers_by_default(tmp_path):
    done = run(
        "review",
        CASES / "H15" / "lod.gpkg",
        "--ordinance",
        "saukville",
        "--on",
        "2026-05-01",
        "--json",
        "--role",
        "*=disturbed_area",
    )
    record = json.loads(done.stdout)
    assert done.returncode in {1, 3}
    assert record["sources"]["layers"] == []
    assert not record["plan"]["invented"]


def test_measure_and_inspect_as_json():
    record = json.loads(run("measure", CASES / "H15" / "lod.gpkg", "--role", "*=disturbed_area", "--json").stdout)
    assert record["measurements"]["disturbed_acres"]["value"] == pytest.approx(2.3416, rel=1e-3)
    seen = json.loads(run("inspect", CASES / "H75" / "plan.gpkg", "--json").stdout)
    assert [layer["layer"] for layer in seen["layers"]] == ["EX_ROAD", "Bldg", "Limits_of_Disturbance", "waters"]


def test_a_layer_inside_a_file_is_named_behind_a_hash():
    layer = f"waters={CASES / 'H75' / 'plan.gpkg'}#waters"
    done = run("measure", CASES / "H75" / "plan.gpkg", "--layer", layer, "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["measurements"]["nearest_water_ft"]["value"] is not None


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("arguments", [["rules"], ["inspect", CASES / "H75" / "plan.gpkg"],
                                       ["measure", CASES / "H75" / "plan.gpkg", "--json"]])  # fmt: skip
def test_a_full_standard_output_is_one_clear_line(arguments):
    command = [sys.executable, "-m", "siteplan_gis", *map(str, arguments)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    assert done.returncode == 2
    assert done.stderr == "siteplan-gis: standard output cannot be written (No space left on device)\n"


@pytest.mark.parametrize("arguments", [["inspect", CASES / "H75" / "plan.gpkg"], ["rules"]])
def test_a_reader_of_standard_output_that_went_away_is_no_plan_that_fails(arguments):
    # What prints tables would end the program with 1, which says that the plan fails.
    ours, theirs = os.pipe()
    os.close(ours)
    command = [sys.executable, "-m", "siteplan_gis", *map(str, arguments)]
    done = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    os.close(theirs)
    assert done.returncode == 2
    assert done.stderr == "siteplan-gis: standard output cannot be written (Broken pipe)\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no shell with these redirections")
@pytest.mark.parametrize(("closed", "code", "said"), [
    (">&-", 2, "siteplan-gis: standard output cannot be written (it is closed)\n"),
    ("2>&-", 0, ""),
    ("<&- >&- 2>&-", 2, ""),
    ("| true", 0, "siteplan-gis: standard output cannot be written (Broken pipe)\n"),
])  # fmt: skip
def test_closed_standard_places_are_told_by_the_exit_code(closed, code, said):
    command = f"(sleep 0.1; '{sys.executable}' -m siteplan_gis rules) {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (code, said)


def test_what_the_machine_is_short_of_is_told_in_a_line(monkeypatch, capsys):
    for raised, words in (
        (MemoryError(), "Cannot allocate memory; allow more memory (ulimit -v), or end other programs"),
        (ImportError("libgdal.so: failed to map segment from shared object"), "Cannot allocate memory; allow more memory"),
        (RuntimeError("can't start new thread"), "Resource temporarily unavailable; allow more processes and threads"),
        (OSError(24, "Too many open files", "a.gpkg"), "a.gpkg: Too many open files; allow more open files (ulimit -n)"),
    ):  # fmt: skip
        monkeypatch.setattr(pipeline, "measure_inputs", lambda *_, raised=raised: (_ for _ in ()).throw(raised))
        with pytest.raises(typer.Exit) as ended:
            plans.measure([CASES / "H15" / "lod.gpkg"])
        told = capsys.readouterr().err
        assert ended.value.exit_code == 2
        assert told.startswith(f"siteplan-gis: {words}")
        assert told.count("\n") == 1


def test_an_interruption_while_libraries_load_is_no_crash(tmp_path):
    # numpy turns an interruption while it is loaded into an ImportError of its own.
    (tmp_path / "shapely.py").write_text(
        "import os, signal\n"
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n    signal.pause()\n"
        "except KeyboardInterrupt:\n    raise ImportError('numpy failed to import')\n"
    )
    command = [sys.executable, "-m", "siteplan_gis", "measure", str(CASES / "H15" / "lod.gpkg")]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert "crashed" not in done.stderr


def test_rules_print_the_matrix():
    done = run("rules", "saukville")
    assert done.returncode == 0
    assert "SAU-SLOPE" in done.stdout
    rows = json.loads(run("rules", "--json").stdout)
    assert "FAI-BASIN-1" in json.dumps(rows)


def test_inspect_never_cuts_a_name_in_a_file_or_pipe(tmp_path):
    plan = tmp_path / ("a_long_name_" * 9 + "limits_of_disturbance.geojson")
    plan.write_bytes((CASES / "H08" / "lod_3857.geojson").read_bytes())
    told = run("inspect", plan).stdout
    assert told.startswith("1 layer ")
    assert plan.name in told


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("waters.gpkg", ["--layer", "waters=waters.gpkg"]),
        ("waters.geojson", ["--layer", "waters=waters.geojson"]),
        ("waters.shp", ["--layer", "waters=waters.shp"]),
        ("waters.zip", ["--layer", "waters=waters.zip"]),
        ("waters.parquet", ["--layer", "waters=waters.parquet"]),
        ("dem.tif", ["--dem", "dem.tif"]),
        ("layers.toml", ["--layers", "."]),
    ],
)
def test_a_folder_where_a_file_is_meant_is_one_clear_line(tmp_path, name, options):
    # It stands for all that the system refuses to open: a locked file, a lost share, a broken disk.
    (tmp_path / "lod.gpkg").write_bytes((CASES / "H15" / "lod.gpkg").read_bytes())
    (tmp_path / name).mkdir()
    done = run("measure", "lod.gpkg", "--role", "*=disturbed_area", *options, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.strip().splitlines()) == 1
    assert name in done.stderr


def test_a_refusal_of_the_system_is_told_without_a_traceback(monkeypatch, capsys):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied", "waters.gpkg")

    monkeypatch.setattr(pipeline, "measure_inputs", refused)
    with pytest.raises(typer.Exit) as ended:
        plans.measure([CASES / "H15" / "lod.gpkg"])
    assert ended.value.exit_code == 2
    assert capsys.readouterr().err == ("siteplan-gis: waters.gpkg: Permission denied; check the file's rights\n")


def test_libraries_that_are_kept_away_are_missed_by_nobody():
    """pyarrow asks for pandas where it makes an array: it must hear that there is none, not find an empty place."""
    script = (
        "import sys; from siteplan_gis.cli import main; sys.argv = ['siteplan-gis', 'rules', 'saukville', '--json']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "import numpy, pyarrow; print(len(pyarrow.array(numpy.array([True]))), 'pandas' in sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr == "1 False\n"


def _options(command, path=()):
    for name, inner in getattr(command, "commands", {}).items():
        yield from _options(inner, (*path, name))
    for option in command.params:
        if option.param_type_name == "option" and not getattr(option, "is_flag", False) and option.name != "help":
            yield " ".join((*path, option.opts[0])), option


def test_every_option_tells_its_default_and_its_unit():
    """A flag is off; any other option says what holds without it, and a number in which unit it is."""
    options = dict(_options(typer.main.get_command(app)))
    assert "review --layers" in options
    silent = [
        name for name, option in options.items()
        if "by default" not in option.help and not (option.show_default and option.default not in (None, ""))
    ]  # fmt: skip
    assert silent == []
    units = {
        "review --sheet-scale": "FEET", "prescreen --disturb": "ACRES", "prescreen --water-width": "FT",
        "prescreen --wetland-width": "FT", "etj --reach-miles": "MILES", "layers fetch --reach": "MILES",
        "layers fetch --timeout": "SECONDS",
    }  # fmt: skip
    assert {name: options[name].metavar for name in units} == units


_README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_words_for_controls_in_the_readme_are_those_of_the_program():
    rows = dict(
        re.findall(r"^\| `(\w+)` \| ([^|`]+) \|$", _README.partition("Controls are recognised")[2], re.MULTILINE)
    )
    assert tuple(row for row in rows if row in CONTROL_KINDS) == CONTROL_KINDS
    for kind in CONTROL_KINDS:
        for word in rows[kind].split(", "):
            assert control_kind(PlanFeature("control", None, "plan/EC", "1", kind=word)) == kind, word
    taken_back = re.search(r'^"Not required".*$', _README, re.MULTILINE)
    for words in re.findall(r'"([^"]+)"', taken_back[0]):
        assert control_kind(PlanFeature("control", None, "plan/EC", "1", kind=f"silt fence {words.lower()}")) == ""


@pytest.mark.parametrize(("opening", "units"), [("Of a depth:", FEET), ("volume:", CUBIC_YARDS)])
def test_the_units_in_the_readme_are_those_of_the_program(opening, units):
    listed = _README.partition("Figures on features")[2].partition(opening)[2].partition(".")[0]
    assert {unit.replace(" ", "").replace("\n", "") for unit in listed.split(",")} == set(units)
