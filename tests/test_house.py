"""The rules of the house: who may import whom, what lies where, what words are in use."""

from __future__ import annotations

import ast
import fnmatch
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import siteplan_gis
from siteplan_gis.model.flag import FLAG_CODES, Flag

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "siteplan_gis"
SOURCES = sorted(PACKAGE.rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

HEAVY = {
    "branca", "fiona", "folium", "geopandas", "jinja2", "numba", "numpy", "pandas", "pyarrow", "pyogrio", "pyproj",
    "rasterio", "scipy", "shapely",
}  # fmt: skip
TOP_LEVEL = {
    "siteplan_gis", "layers", "sample_plans", "tests", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md",
    "CONTRIBUTING.md", "constraints.txt",
}  # fmt: skip


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def _loaded(*arguments: str) -> set[str]:
    """Top names of all modules that a new interpreter imports."""
    done = _run("-X", "importtime", *arguments)
    assert done.returncode == 0, done.stderr
    return {found[1] for found in re.finditer(r"^import time:.*\| +(\w+)[\w.]*$", done.stderr, re.MULTILINE)}


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = _loaded("-c", "import siteplan_gis")
    assert "siteplan_gis" in loaded
    assert not loaded & (HEAVY | {"pydantic", "rich", "typer"})


@pytest.mark.parametrize("command", [["--help"], ["rules"], ["rules", "saukville", "--json"], ["review", "--help"]])
def test_help_and_rules_load_no_geometry(command: list[str]) -> None:
    loaded = _loaded("-m", "siteplan_gis", *command)
    assert "typer" in loaded
    assert not loaded & HEAVY


def test_the_public_names_are_there() -> None:
    assert set(siteplan_gis.__all__) >= {"__version__", "measure", "review"}
    for name in siteplan_gis.__all__:
        assert name in dir(siteplan_gis)
        assert getattr(siteplan_gis, name) is not None
    with pytest.raises(AttributeError, match="no attribute"):
        _ = siteplan_gis.nothing_of_the_kind


def test_imports_only_go_down() -> None:
    done = _run("-c", "from importlinter.cli import lint_imports_command as lint; lint(['--no-cache'])")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_every_room_has_its_floor() -> None:
    (floors, *_) = PROJECT["tool"]["importlinter"]["contracts"]
    assert floors["exhaustive"] is True
    named = {room.strip() for floor in floors["layers"] for room in floor.split("|")}
    rooms = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert named == rooms - {"__init__", "__main__"}


def _imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize(
    ("libraries", "room"),
    [
        ({"rasterio", "fiona", "pyogrio"}, "ingest"),
        ({"folium", "branca", "jinja2"}, "report"),
        ({"httpx", "tenacity", "tomlkit"}, "fetching"),
    ],
    ids=["files", "pages", "network"],
)
def test_heavy_libraries_stay_in_their_room(libraries: set[str], room: str) -> None:
    # The report writes its GeoPackage, a fetch its layers, the workbench names the versions; none opens what an
    # applicant hands in.
    written = {
        "report/geopackage.py",
        "report/parcel_table.py",
        "pipeline.py",
        "fetching/assembling.py",
        "fetching/elevation.py",
        "fetching/images.py",
        "fetching/cogs.py",
    }
    allowed = written if room == "ingest" else set()
    strangers = [
        _name(path)
        for path in SOURCES
        if _imports(path) & libraries
        and path.relative_to(PACKAGE).parts[0] != room
        and path.relative_to(PACKAGE).as_posix() not in allowed
    ]
    assert strangers == []


def test_measures_know_no_file_and_no_law() -> None:
    strangers = {"pathlib", "os", "json", "rasterio", "fiona", "pyogrio", "geopandas", "pyproj"}
    # The kernels' own cache is no file that a user hands in.
    modules = set((PACKAGE / "measures").rglob("*.py")) - {PACKAGE / "measures" / "compiling.py"}
    assert [_name(path) for path in modules if _imports(path) & strangers] == []
    villages = re.compile("saukville|fairwater|east.troy", re.IGNORECASE)
    rooms = ("measures", "measuring", "checks", "ingest", "report", "model")
    named = [path for room in rooms for path in (PACKAGE / room).rglob("*.py") if villages.search(_code(path))]
    assert [_name(path) for path in named] == []


def _code(path: Path) -> str:
    """The source without its docstrings and comments: an example may name a village."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]
                part for part in body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
            ] or [ast.Pass()]
    return ast.unparse(tree)


def test_no_clock_is_read_below_the_doors() -> None:
    clock = re.compile(r"\b(?:date\.today|datetime\.(?:now|utcnow|today)|time\.time)\(")
    assert [_name(path) for path in SOURCES if path.parent.stem != "commands" and clock.search(_code(path))] == []


def _flag_codes(path: Path) -> set[str]:
    codes = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Flag":
            given = [*node.args[:1], *(word.value for word in node.keywords if word.arg == "code")]
            codes |= {part.value for part in given if isinstance(part, ast.Constant)}
    return codes


def test_every_flag_code_in_use_is_known() -> None:
    raised = {code for path in SOURCES for code in _flag_codes(path)}
    assert raised
    assert raised - set(FLAG_CODES) == set()
    with pytest.raises(ValueError, match="unknown flag code"):
        Flag("no_such_code", "text")


def test_every_known_flag_code_is_in_use() -> None:
    written = {
        node.value
        for path in SOURCES
        if path.name != "flag.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert sorted(set(FLAG_CODES) - written) == []
    assert all(meaning and not meaning.endswith(".") for meaning in FLAG_CODES.values())


def _ignored() -> set[str]:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    return {line.strip().strip("/") for line in lines if line.strip() and not line.startswith("#")}


def test_the_top_level_holds_only_what_was_agreed() -> None:
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    made = {name for name in found if any(fnmatch.fnmatch(name, pattern) for pattern in _ignored())}
    assert found - made == TOP_LEVEL


def test_no_file_hides_what_it_is_for() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "base", "misc", "core"}
    folders = [PACKAGE, ROOT / "tests", ROOT / "sample_plans"]
    found = [_name(path) for folder in folders for path in folder.rglob("*") if path.stem in vague]
    assert [name for name in found if "__pycache__" not in name] == []


def test_files_stay_small() -> None:
    lengths = {_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {name: lines for name, lines in lengths.items() if lines > 400} == {}


def test_no_public_function_shares_the_name_of_a_module_beside_it() -> None:
    """`siteplan_gis.review` is a function: no module may hide it, in its own room or at the top."""
    top = {path.stem for path in PACKAGE.iterdir()} | set(siteplan_gis.__all__)
    doors = {
        PACKAGE / "api.py",
        PACKAGE / "planners_api.py",
        PACKAGE / "parcels_api.py",
        *(PACKAGE / "commands").glob("*.py"),
    }
    shared = [
        f"{_name(path)}: {node.name}"
        for path in SOURCES
        if path not in doors
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name in top | {near.stem for near in path.parent.glob("*.py")}
    ]
    assert shared == []
    assert not {path.stem for path in PACKAGE.iterdir()} & set(siteplan_gis.__all__)


def test_nothing_is_left_undone() -> None:
    undone = re.compile(r"\b(?:TODO|FIXME|XXX)\b|raise NotImplementedError|mark\.xfail|mark\.skip\(|pytest\.skip\(")
    # Without a browser or a database on the machine their tests say so; .ci/run brings both.
    exempt = {Path(__file__).resolve(), *(ROOT / "tests" / room / "conftest.py" for room in ("browser", "postgis"))}
    files = [path for path in (*SOURCES, *(ROOT / "tests").rglob("*.py")) if path not in exempt]
    assert [_name(path) for path in files if undone.search(path.read_text(encoding="utf-8"))] == []


def test_the_version_is_the_same_everywhere() -> None:
    number = PROJECT["project"]["version"]
    assert siteplan_gis.__version__ == number == version("siteplan-gis")
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == number


def test_the_readme_starts_with_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first, second = re.findall(r"^```sh\n(.+?)\n```", readme, re.MULTILINE | re.DOTALL)[:2]
    assert "\n" not in first + second
    sample = re.search(r"siteplan-gis review (sample_plans/\S+)", first)
    assert sample is not None
    assert (ROOT / sample[1] / "siteplan.toml").is_file()
    assert second.endswith("-m pytest -n auto")
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_what_the_pages_point_to_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    pointed = set(re.findall(r"`((?:siteplan_gis|layers|sample_plans|tests|\.ci)/[\w./-]*)`", text))
    assert pointed
    assert [path for path in sorted(pointed) if not (ROOT / path).exists()] == []


def test_every_option_in_the_readme_is_one_of_the_program() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = (
        "review",
        "measure",
        "inspect",
        "etj",
        "prescreen",
        "rules",
        "layers list",
        "layers check",
        "layers fetch",
    )
    offered = "".join(_run("-m", "siteplan_gis", *command.split(), "--help").stdout for command in commands)
    used = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", "\n".join(re.findall(r"siteplan-gis [^\n`]*", readme))))
    assert used
    assert [option for option in sorted(used) if option not in offered] == []


def test_the_constraints_pin_every_requirement_once() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [re.fullmatch(r"([A-Za-z0-9_.-]+)==([0-9][\w.+!-]*)", line) for line in lines if not line.startswith("#")]
    assert all(pinned)
    names = [_plain(found[1]) for found in pinned if found]
    assert len(names) == len(set(names))
    project = PROJECT["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"], *PROJECT["build-system"]["requires"]]
    assert {_plain(re.split(r"[<>=!~ \[]", need)[0]) for need in wanted} - set(names) == set()


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
