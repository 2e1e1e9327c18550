"""What the program calls of its libraries, found by looking at its own code; counted, and broken, while something runs.

A run comes to each of its calls for the first time: there it is forked, and goes on in the fork with that call broken
wherever that file makes it, which is the same as if it had been broken from the start.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import pickle
import pkgutil
import select
import signal
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

import shapely
from shapely.geometry.base import BaseGeometry

import siteplan_gis

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

LIBRARIES: Final = frozenset({
    "shapely", "rasterio", "pyogrio", "fiona", "pyproj", "ezdxf", "pypdfium2", "pypdf", "PIL", "pyarrow", "scipy", "numba", "geopandas",
})  # fmt: skip
_IMMUTABLE, _ON_THE_HEAP = 1 << 8, 1 << 9
LONGEST_S: Final = 300.0
T = TypeVar("T")
Fault: TypeAlias = "Callable[..., Any]"


class Call(NamedTuple):
    """A function or method of a library, and the file of ours that calls it."""

    owner: Any
    name: str
    caller: str

    def __str__(self) -> str:
        home = "" if isinstance(self.owner, ModuleType) else f"{self.owner.__module__}."
        return f"{home}{self.owner.__name__}.{self.name} in {self.caller}"


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


class Kept(NamedTuple):
    """What stood under a name before it was replaced; `own` where the owner itself had it."""

    owner: Any
    name: str
    before: Any
    own: bool

    def put_back(self) -> None:
        if self.own:
            setattr(self.owner, self.name, self.before)
        else:
            delattr(self.owner, self.name)


@contextmanager
def replaced(made: Callable[[Any, Any, str], Any], wanted: Iterable[tuple[Any, str]]) -> Iterator[list[Kept]]:
    """Everything of `wanted` replaced by what `made` makes of it; what is in the list at the end is brought back."""
    kept: list[Kept] = []
    try:
        for owner, name in wanted:
            real = getattr(owner, name)
            kept.append(Kept(owner, name, vars(owner).get(name), name in vars(owner)))
            setattr(owner, name, made(real, owner, name))
        yield kept
    finally:
        for one in reversed(kept):
            one.put_back()


def _caller() -> str:
    return str(sys._getframe(2).f_globals.get("__name__", ""))


class Met(NamedTuple):
    """A call as an undisturbed run meets it: what it computes from there on (s), and whether a fault alters it."""

    rest_s: float
    altered: bool


def calls_of(run: Callable[[], T], alters: Callable[[Any], bool] = lambda _: True) -> tuple[T, dict[Call, Met]]:
    """What comes of an undisturbed run, and every call of ours in it; `alters` is asked about what the calls return."""
    first: dict[Call, float] = {}
    altered: set[Call] = set()

    def counting(real: Any, owner: Any, name: str) -> Any:
        def counted(*given: Any, **named: Any) -> Any:
            call = Call(owner, name, _caller())
            if not call.caller.startswith("siteplan_gis"):
                return real(*given, **named)
            first.setdefault(call, time.process_time())
            value = real(*given, **named)
            if call not in altered and alters(value):
                altered.add(call)
            return value

        return counted

    with replaced(counting, callable_ones()):
        seen = run()
    end = time.process_time()
    return seen, {call: Met(end - first[call], call in altered) for call in sorted(first, key=str)}


@dataclass
class Broken(Generic[T]):
    """A run, and what comes of it with each of some calls broken in each of some ways.

    `tell` is given what came of each, or how the process ended that nothing came of.
    """

    run: Callable[[], T]
    wanted: Mapping[Call, Collection[Fault]]
    tell: Callable[[Call, Fault, T | str], None]
    _call: Call | None = None
    _fault: Fault | None = None
    _pipe: int | None = None
    _kept: list[Kept] = field(default_factory=list)
    _met: set[Call] = field(default_factory=set)
    _in_threads: list[Call] = field(default_factory=list)

    def try_all(self) -> T:
        """What came of the run itself, which may be no other than it was, for the forks to be worth anything."""
        seen = self._replaced_run()
        for call in self._in_threads:  # a fork has no other thread than the one that forked: it begins at the start
            for fault in self.wanted[call]:
                if self._goes_on_broken(call, fault):
                    self._replaced_run()
        return seen

    def _replaced_run(self) -> T:
        seen: T | str = ""
        with replaced(self._watching, callable_ones()) as self._kept:
            if self._call:
                self._leave_only(self._call)
            try:
                seen = self.run()
            except BaseException as error:
                if self._pipe is None:
                    raise
                seen = f"crashed: {type(error).__name__}: {error}"
            if self._pipe is not None:
                with os.fdopen(self._pipe, "wb") as file:
                    pickle.dump(seen, file)
                os._exit(0)
        return seen  # type: ignore[return-value]  # a text only where a fork ends above

    def _watching(self, real: Any, owner: Any, name: str) -> Any:
        def watched(*given: Any, **named: Any) -> Any:
            call = Call(owner, name, _caller())
            if self._pipe is None and call in self.wanted and call not in self._met:
                self._met.add(call)
                self._branch(call)
            if self._fault and call == self._call:
                return self._fault(real, *given, **named)
            return real(*given, **named)

        return watched

    def _branch(self, call: Call) -> None:
        if threading.current_thread() is not threading.main_thread() or threading.active_count() > 1:
            self._in_threads.append(call)
            return
        for fault in self.wanted[call]:
            if self._goes_on_broken(call, fault):
                self._leave_only(call)
                return

    def _goes_on_broken(self, call: Call, fault: Fault) -> bool:
        """Whether this is the fork, to go on with a broken call; else what came of it is told."""
        reading, writing = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(reading)
            self._call, self._fault, self._pipe = call, fault, writing
            return True
        os.close(writing)
        content, until, hung = b"", time.monotonic() + LONGEST_S, False
        while select.select([reading], [], [], max(until - time.monotonic(), 0.0))[0]:
            part = os.read(reading, 1 << 20)
            if not part:
                break
            content += part
        else:
            hung = True
            os.kill(process, signal.SIGKILL)
        os.close(reading)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        self.tell(
            call,
            fault,
            f"hangs {LONGEST_S:.0f} s" if hung else f"ended by {code}" if code else pickle.loads(content),  # noqa: S301  (of our own fork)
        )
        return False

    def _leave_only(self, call: Call) -> None:
        """Put the rest of the libraries back: what is compiled while they are replaced would be compiled wrong."""
        for one in reversed(self._kept):
            if (one.owner, one.name) != (call.owner, call.name):
                one.put_back()
        self._kept.clear()
