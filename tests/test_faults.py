"""Everything that the workbench calls, made to raise, to hang until a bound ends it, or to come back empty.

What is called is found by looking at the workbench itself, so that a new call is tried from its first day.
"""

import ast
import inspect
import json
import time
from dataclasses import fields, is_dataclass, replace
from datetime import date
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from shapely import Polygon
from typer.testing import CliRunner

from siteplan_gis import pipeline
from siteplan_gis.cli import app
from siteplan_gis.commands import parcels, rounds, territory
from siteplan_gis.errors import InputError
from siteplan_gis.pipeline import Inputs, exit_code, review_inputs
from siteplan_gis.report.records import review_record
from tests.report.synthetic import make_review

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "sample_plans" / "fail-east-troy-wet-pond"
INPUTS = Inputs((SAMPLE,), ROOT / "layers" / "east_troy")
ON = date(2026, 5, 1)


def called():
    """Every function of this package that the workbench imports: its module and its name, and where it looks it up."""
    tree = ast.parse(inspect.getsource(pipeline))
    typing_only = {
        id(node)
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and isinstance(test.test, ast.Name) and test.test.id == "TYPE_CHECKING"
        for node in ast.walk(test)
    }
    found = {}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and id(node) not in typing_only
            and str(node.module).startswith("siteplan_gis")
        ):
            for alias in node.names:
                if inspect.isfunction(getattr(import_module(node.module), alias.name)):
                    at_top = node in tree.body
                    found[alias.name] = "siteplan_gis.pipeline" if at_top else node.module
    return found


def emptied(value):
    """The same kind of thing with nothing in it."""
    if isinstance(value, tuple) and value and all(map(is_dataclass, value)) and len({*map(type, value)}) == len(value):
        return tuple(map(emptied, value))
    if isinstance(value, (tuple, list, dict, str, frozenset)):
        return type(value)()
    if isinstance(value, np.ndarray):
        return np.full_like(value, np.nan) if value.dtype.kind == "f" else value
    if is_dataclass(value):
        # A reader that finds nothing finds no covered ground either (see test_never_pass).
        changed = {one.name: emptied(getattr(value, one.name)) for one in fields(value) if one.init}
        kept = ("id", "title", "role", "crs", "file", "unit", "name")
        return replace(value, **{name: new for name, new in changed.items() if name not in kept})
    return Polygon() if isinstance(value, Polygon) else value


def raises(_):
    def fail(*_, **__):
        raise RuntimeError("injected")

    return fail


def hangs(_):
    def wait(*_, **__):
        time.sleep(0.02)
        raise TimeoutError(110, "injected")

    return wait


def comes_back_empty(real):
    return lambda *given, **named: emptied(real(*given, **named))


def clean_rules(reviewed):
    """Rules of which nothing is in doubt."""
    statuses = {}
    for item in reviewed.findings:
        statuses.setdefault(item.rule.id, set()).add(item.status.value)
    return {rule for rule, found in statuses.items() if found <= {"pass", "not_applicable"}}


@pytest.fixture(scope="module")
def undisturbed():
    reviewed = review_inputs(INPUTS, None, ON)
    assert exit_code(reviewed) == 1
    return clean_rules(reviewed)


def test_the_calls_are_found():
    assert set(called()) >= {"read_plan", "read_layer", "read_terrain", "judge", "read_catalogue", "take_measurements"}


@pytest.mark.parametrize("fault", [raises, hangs, comes_back_empty])
@pytest.mark.parametrize("name", sorted(called()))
def test_no_fault_of_what_is_called_makes_a_plan_pass(undisturbed, monkeypatch, name, fault):
    module = import_module(called()[name])
    monkeypatch.setattr(module, name, fault(getattr(module, name)))
    try:
        reviewed = review_inputs(INPUTS, None, ON)
        clean, code = clean_rules(reviewed), exit_code(reviewed)
    except (RuntimeError, TimeoutError, InputError, TypeError, AttributeError, ValueError, KeyError):
        return  # told as a crash or a refusal: see test_cli
    assert code != 0
    assert clean <= undisturbed


# The commands on what is finished or far from a plan: each call that they make themselves.
RECORD = json.dumps(review_record(make_review()))
RING = [[-88.0, 43.4], [-88.0, 43.41], [-87.99, 43.41], [-87.99, 43.4], [-88.0, 43.4]]
COMMANDS = {
    "compare": (rounds, ["compare", "review.json", "review.json", "--out", "out"]),
    "letter": (rounds, ["letter", "review.json", "--on", "2026-05-01", "--out", "out/letter.md"]),
    "letter since": (rounds, ["letter", "review.json", "--since", "review.json", "--on", "2026-05-01", "--out", "out/letter.docx"]),
    "prescreen": (parcels, ["prescreen", "parcels.geojson", "--no-runoff", "--out", "out"]),
    "etj": (territory, ["etj", "limits.geojson", "--kind", "village", "--field", "name=NAME", "--on", "2026-05-01", "--out", "out"]),
}  # fmt: skip


def calls_of(command):
    """Functions of this package that a command's file imports when it runs."""
    tree = ast.parse(inspect.getsource(COMMANDS[command][0]))
    own = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == command.split()[0]]
    # `prescreen` asks for one parcel through a function beside it.
    own += [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "_one"]
    return {
        (node.module, alias.name)
        for function in own
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("siteplan_gis")
        for alias in node.names
        if inspect.isfunction(getattr(import_module(node.module), alias.name))
    }


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_command_whose_call_raises_tells_a_crash_and_writes_nothing(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "review.json").write_text(RECORD, encoding="utf-8")
    one = {"type": "Feature", "properties": {"NAME": "Alpha"}, "geometry": {"type": "Polygon", "coordinates": [RING]}}
    for name in ("parcels.geojson", "limits.geojson"):
        (tmp_path / name).write_text(json.dumps({"type": "FeatureCollection", "features": [one]}), encoding="utf-8")
    given = COMMANDS[command][1]
    reached = set()
    for module, name in sorted(calls_of(command)):
        with monkeypatch.context() as patched:
            hit = []

            def fail(*_, hit=hit, **__):
                hit.append(True)
                raise RuntimeError("injected")

            patched.setattr(import_module(module), name, fail)
            done = CliRunner().invoke(app, given)
        if hit:
            reached.add(name)
            assert done.exit_code == 3, (name, done.output)
            if not name.endswith(("_text", "print_territories", "_record", "outcome_words")):
                assert not [*tmp_path.glob("out/*")], name
        for path in tmp_path.glob("out/*"):
            path.unlink()
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    assert len(reached) >= 4, reached
