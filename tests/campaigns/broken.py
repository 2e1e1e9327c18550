"""What a review or a screening calls of its libraries made to raise, to hang until a bound ends it, or to find nothing.

    python -m tests.campaigns.broken [--minutes 60] [--seed 1] [SAMPLE ...]

The calls are found by looking at the program's own code, and counted in an undisturbed run. One call at a time is
broken, where one file of ours makes it: functions, methods and compiled loops of shapely, rasterio, pyogrio, fiona,
pyproj, ezdxf, pypdfium2, pypdf, Pillow, pyarrow and scipy. Exit 1 where a fault makes something pass, or changes a
figure in silence.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import pkgutil
import random
import sys
import time
import warnings
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

import siteplan_gis
from siteplan_gis.errors import InputError
from tests.campaigns.running import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ON: Final = date(2026, 5, 1)
SAMPLES: Final = (
    "fail-east-troy-wet-pond", "unclear-steep-surface", "pass-saukville-drawing", "fail-scale-200", "fail-missed-wetland",
    "fail-undeclared-discharge", "unclear-steep-ravine", "unclear-no-vertical-unit", "fail-half-size-print", "unclear-partly-in-etj",
)  # fmt: skip
PARCELS: Final = "parcels"
LIBRARIES: Final = frozenset({
    "shapely", "rasterio", "pyogrio", "fiona", "pyproj", "ezdxf", "pypdfium2", "pypdf", "PIL", "pyarrow", "scipy", "numba", "geopandas",
})  # fmt: skip
_IMMUTABLE, _ON_THE_HEAP = 1 << 8, 1 << 9
HANG_S: Final = 0.02
CLEAN: Final = frozenset({"pass", "not_applicable"})


class Call(NamedTuple):
    """A function or method of a library, and the file of ours that calls it."""

    owner: Any
    name: str
    caller: str

    def __str__(self) -> str:
        return f"{getattr(self.owner, '__name__', self.owner)}.{self.name} in {self.caller}"


@dataclass
class Seen:
    """What came of a run: the status of every finding by rule and subject, figures, and what was told."""

    refused: str = ""
    code: int = 2
    statuses: dict[str, str] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    told: frozenset[Any] = frozenset()
    faults: tuple[str, ...] = ()

    def all_rules(self) -> set[str]:
        """Every rule that was judged."""
        return {name.partition(":")[0] for name in self.statuses}

    def rules(self) -> set[str]:
        """Those of whose findings nothing is in doubt."""
        doubtful = {name.partition(":")[0] for name, status in self.statuses.items() if status not in CLEAN}
        return self.all_rules() - doubtful


@cache
def modules() -> tuple[ModuleType, ...]:
    """Every module of the program."""
    names = [
        one.name for one in pkgutil.walk_packages(siteplan_gis.__path__, "siteplan_gis.") if "__main__" not in one.name
    ]
    return tuple(importlib.import_module(name) for name in names)


def _of_library(value: Any) -> bool:
    home = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    return str(home).split(".")[0] in LIBRARIES


def _changeable(owner: type) -> bool:
    return not owner.__flags__ & _IMMUTABLE and bool(owner.__flags__ & _ON_THE_HEAP)


def _compiled(value: Any) -> bool:
    return hasattr(value, "py_func")


@cache
def callable_ones() -> tuple[tuple[Any, str], ...]:
    """Owners and names of everything of a library that a file of ours names before a parenthesis."""
    methods, found = set[str](), dict[tuple[int, str], tuple[Any, str]]()
    for module in modules():
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        scope = dict(vars(module))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] in LIBRARIES:
                home = importlib.import_module(str(node.module))
                scope |= {
                    alias.asname or alias.name: getattr(home, alias.name)
                    for alias in node.names
                    if hasattr(home, alias.name)
                }
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.split(".")[0] in LIBRARIES:
                        whole = importlib.import_module(alias.name)
                        scope[alias.asname or alias.name.split(".")[0]] = (
                            whole if alias.asname else sys.modules[alias.name.split(".")[0]]
                        )
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            if isinstance(node.func, ast.Name):
                value = scope.get(node.func.id)
                if value is not None and not inspect.isclass(value) and (_compiled(value) or _of_library(value)):
                    owner = module if vars(module).get(node.func.id) is value else inspect.getmodule(value)
                    if owner is not None and getattr(owner, node.func.id, None) is value:
                        found[id(owner), node.func.id] = (owner, node.func.id)
            elif isinstance(node.func, ast.Attribute):
                owner = _resolved(node.func.value, scope)
                if (isinstance(owner, ModuleType) and owner.__name__.split(".")[0] in LIBRARIES) or (
                    inspect.isclass(owner) and _of_library(owner) and _changeable(owner)
                ):
                    if not inspect.isclass(getattr(owner, node.func.attr, type)):
                        found[id(owner), node.func.attr] = (owner, node.func.attr)
                elif not node.func.attr.startswith("__"):
                    methods.add(node.func.attr)
    for owner in filter(_changeable, classes()):
        for name in methods:
            if inspect.isroutine(getattr(owner, name, None)) and not isinstance(
                inspect.getattr_static(owner, name), classmethod | staticmethod
            ):
                found[id(owner), name] = (owner, name)
    return tuple(sorted(found.values(), key=lambda one: (one[0].__name__, one[1])))


def classes() -> list[type]:
    """Classes of the libraries whose objects the program asks."""
    import ezdxf.document
    import ezdxf.layouts
    import fiona
    import PIL.Image
    import pypdf
    import pypdfium2
    import pyproj
    import pyproj.transformer
    import rasterio.io

    return [
        BaseGeometry, shapely.Polygon, shapely.LineString, shapely.Point, shapely.STRtree, pyproj.Transformer, pyproj.CRS, pyproj.Geod,
        rasterio.io.DatasetReader, rasterio.io.MemoryFile, fiona.Collection, pypdfium2.PdfDocument, pypdfium2.PdfPage,
        pypdf.PdfReader, PIL.Image.Image, ezdxf.document.Drawing, ezdxf.layouts.Modelspace,
    ]  # fmt: skip


def _resolved(node: ast.expr, scope: dict[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return scope.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _resolved(node.value, scope)
        return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
    return None


def nothing(value: Any) -> Any:
    """The same kind of thing with nothing in it, no number for a number.

    A yes or no, a place in a list and a geometry stay: that there is none is mostly the truth, and no program can tell
    that it is a lie.
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            return np.full_like(value, np.nan)
        return value
    if isinstance(value, np.floating | float):
        return type(value)(np.nan)
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(map(nothing, value))
    return type(value)() if isinstance(value, list | dict | str | bytes) else value


def raises(real: Any, *given: Any, **named: Any) -> Any:
    message = "injected"
    raise RuntimeError(message)


def hangs(real: Any, *given: Any, **named: Any) -> Any:
    time.sleep(HANG_S)
    raise TimeoutError(110, "injected")


def finds_nothing(real: Any, *given: Any, **named: Any) -> Any:
    return nothing(real(*given, **named))


FAULTS: Final = (raises, hangs, finds_nothing)


@contextmanager
def replaced(made: Callable[[Any, Any, str], Any], wanted: Iterator[tuple[Any, str]] | Any) -> Iterator[None]:
    """Everything of `wanted` replaced by what `made` makes of it, and brought back."""
    kept: list[tuple[Any, str, Any, bool]] = []
    try:
        for owner, name in wanted:
            own = name in vars(owner)
            real = getattr(owner, name)
            kept.append((owner, name, vars(owner).get(name), own))
            setattr(owner, name, made(real, owner, name))
        yield
    finally:
        for owner, name, before, own in reversed(kept):
            if own:
                setattr(owner, name, before)
            else:
                delattr(owner, name)


def _caller(depth: int = 2) -> str:
    return str(sys._getframe(depth).f_globals.get("__name__", ""))


def calls_of(run: Callable[[], Seen]) -> tuple[Seen, list[Call]]:
    """What comes of an undisturbed run, and every call of a library that a file of ours makes in it."""
    met: dict[tuple[int, str, str], Call] = {}

    def counting(real: Any, owner: Any, name: str) -> Any:
        def counted(*given: Any, **named: Any) -> Any:
            caller = _caller()
            if caller.startswith("siteplan_gis"):
                met[id(owner), name, caller] = Call(owner, name, caller)
            return real(*given, **named)

        return counted

    with replaced(counting, callable_ones()):
        seen = run()
    return seen, sorted(met.values(), key=str)


@contextmanager
def broken(call: Call, fault: Callable[..., Any]) -> Iterator[list[bool]]:
    """One call broken where one file makes it; the list tells whether it was met."""
    met: list[bool] = []

    def breaking(real: Any, _owner: Any, _name: str) -> Any:
        def maybe(*given: Any, **named: Any) -> Any:
            if _caller() != call.caller:
                return real(*given, **named)
            met.append(True)
            return fault(real, *given, **named)

        return maybe

    with replaced(breaking, [(call.owner, call.name)]):
        yield met


def here(reader: str, path: Path, label: str, _limits: Any, *more: str) -> Any:
    """A file read in this process, where its reader's libraries can be broken, and told as the other process does."""
    from siteplan_gis.ingest import isolated

    module, function = reader.rsplit(".", 1)
    try:
        return getattr(importlib.import_module(f"{isolated.__package__}.{module}"), function)(path, label, *more)
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001
        raise InputError(f"cannot be read ({type(error).__name__})", file=label) from None


def forget() -> None:
    """Let nothing that an earlier run had learned stand in for a call."""
    for module in modules():
        for value in list(vars(module).values()):
            if hasattr(value, "cache_clear") and getattr(value, "__module__", "").startswith("siteplan_gis"):
                value.cache_clear()


def reviewed(sample: str) -> Seen:
    """What comes of a sample's review in this process."""
    from siteplan_gis.ingest.plan import sheets, vectors
    from siteplan_gis.pipeline import Inputs, exit_code, review_inputs

    folder = ROOT / "sample_plans" / sample
    named = next(
        line.split('"')[1]
        for line in (folder / "siteplan.toml").read_text().splitlines()
        if line.startswith("ordinance")
    )
    forget()
    with replaced(lambda *_: here, [(sheets, "ask")]), replaced(lambda *_: _layers_here, [(vectors, "read_isolated")]):
        try:
            review = review_inputs(Inputs((folder,), ROOT / "layers" / named), None, ON)
        except Exception as error:  # noqa: BLE001  (told as a refusal or a crash: see test_cli)
            return Seen(refused=f"{type(error).__name__}: {error}")
    return Seen(
        "", exit_code(review), {f"{one.rule.id}:{one.subject}": one.status.value for one in review.findings},
        {name: one.value for name, one in review.measured.values.items()},
        frozenset((flag.code, flag.text) for flag in (*review.measured.flags, *review.flags)), tuple(review.measured.faults),
    )  # fmt: skip


def _layers_here(reader: str, path: Path, label: str, *more: str) -> Any:
    return here(reader, path, label, None, *more)


def screened(*, runoff: bool = True) -> Seen:
    """What comes of screening many parcels in this process: every row of the table, in words."""
    import pyarrow as pa
    import pyarrow.parquet

    from siteplan_gis.countywide.job import Job, done
    from siteplan_gis.countywide.one import ParcelsAsked, evidence_of
    from siteplan_gis.ingest.reference.parcel_index import index_parcels
    from siteplan_gis.model.screening import Asked

    forget()
    try:
        given = ParcelsAsked(None, ROOT / "layers" / "saukville", asked=Asked(listed=False, runoff=runoff))
        evidence, path = evidence_of(given)
        job = Job(1, index_parcels(path, "", "", ""), evidence, given)
        table = pyarrow.parquet.read_table(pa.BufferReader(done(job)))
    except Exception as error:  # noqa: BLE001
        return Seen(refused=f"{type(error).__name__}: {error}")
    figures = {f"{number} {name}": value for number, row in enumerate(table.to_pylist()) for name, value in row.items()}
    told = frozenset(
        item for item in figures.items() if item[0].endswith((" reason", " not_known", " flags", " state"))
    )
    return Seen("", 0, {}, {name: value for name, value in figures.items() if (name, value) not in told}, told)


def wrongs(seen: Seen, before: Seen, fault: Callable[..., Any]) -> list[str]:
    """What a fault may not come to."""
    if seen.refused:
        return []
    clean = seen.rules()
    found = [f"comes out clean: {name}" for name in sorted(clean - before.rules()) if name in before.all_rules()]
    found += [f"comes out clean: {name}" for name, status in seen.statuses.items()
              if status in CLEAN and before.statuses.get(name, "pass") not in CLEAN]  # fmt: skip
    if seen.code == 0 != before.code:
        found.append("passes as a whole")
    # That a library finds nothing is mostly the truth; what it then comes to is another figure, not one in doubt.
    if fault is finds_nothing or seen.faults or seen.told != before.told or "error" in seen.statuses.values():
        return found
    found += [f"silently {name}: {status} for {before.statuses.get(name)}" for name, status in seen.statuses.items()
              if status not in {before.statuses.get(name), "not_checked"}]  # fmt: skip
    found += [f"silently {name}: {value} for {before.figures.get(name)}" for name, value in seen.figures.items()
              if value is not None and not _same(value, before.figures.get(name))]  # fmt: skip
    return found


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-9 * max(abs(other), 1.0)
    return bool(one == other)


def bases(names: list[str]) -> dict[str, Callable[[], Seen]]:
    """What is run: reviews of samples, and a screening of many parcels."""
    found: dict[str, Callable[[], Seen]] = {name: partial(reviewed, name) for name in names if name != PARCELS}
    return found | {PARCELS: screened} if PARCELS in names else found


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.broken", description="Reviews whose libraries break."
    )
    parser.add_argument(
        "samples", nargs="*", metavar="SAMPLE", help=f"of sample_plans, or {PARCELS}; ten and these by default"
    )
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    runs = bases(options.samples or [*SAMPLES, PARCELS])
    chance, until, bad = random.Random(options.seed), time.monotonic() + 60 * options.minutes, 0
    before, reached = {}, dict[Call, list[str]]()
    for name, run in runs.items():
        run()  # compiles and loads
        before[name], calls = calls_of(run)
        print(f"{name}: {len(calls)} calls; exit {before[name].code} {before[name].refused}", flush=True)
        for call in calls:
            reached.setdefault(call, []).append(name)
    todo = [(call, fault) for call in reached for fault in FAULTS]
    chance.shuffle(todo)
    counts = Counter[str]()
    for call, fault in todo:
        if time.monotonic() > until:
            break
        name = chance.choice(reached[call])
        with broken(call, fault) as met:
            seen = runs[name]()
        counts["not met" if not met else "refused" if seen.refused else f"exit {seen.code}"] += 1
        found = wrongs(seen, before[name], fault)
        if found:
            bad += 1
            print(f"{name}: {fault.__name__}: {call}:", *found[:4], sep="\n  ", flush=True)
    print(f"{len(reached)} calls, {sum(counts.values())} of {len(todo)} faults tried: {dict(counts)}; {bad} went wrong")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
