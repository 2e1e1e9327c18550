"""Whole processes measured in turn, and the rows of the table that they give.

This module and those that import it must stay light: on Linux a child's peak memory starts at its parent's.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Row:
    """One comparison: `ours` beside `peer`, both in `unit`.

    `at_most` bounds ours / peer; where there is no peer it bounds ours itself. "Six times faster" is `1 / 6`.
    """

    what: str
    ours: float
    peer: float | None
    unit: str
    at_most: float

    @property
    def ratio(self):
        return self.ours / self.peer if self.peer is not None else None

    @property
    def met(self):
        return (self.ours if self.peer is None else self.ratio) <= self.at_most

    def __str__(self):
        peer = "" if self.peer is None else f"{self.peer:.4g}"
        ratio = "" if self.peer is None else f"{self.ratio:.3f}"
        wanted = f"<= {self.at_most:.3g}" + f" {self.unit}" * (self.peer is None)
        return f"{self.what:64} {self.ours:9.4g} {peer:>9} {self.unit:4} {ratio:>7} {wanted:>12}  {'yes' if self.met else 'NO'}"


HEADER = f"{'what':64} {'ours':>9} {'peer':>9} {'unit':4} {'ratio':>7} {'wanted':>12}  met"


@dataclass(frozen=True)
class Run:
    """Several runs of one process: median of wall seconds, largest memory in MB, and what each printed."""

    seconds: float
    memory_mb: float
    printed: list[str]


def python(script, *arguments):
    """The command that runs a script of this folder with this interpreter."""
    return [sys.executable, str(Path(__file__).with_name(script)), *map(str, arguments)]


def run_once(command):
    """Wall seconds, peak memory in MB and standard output of one process that must succeed."""
    # As installed: pip compiles the package once, and a review does not read 300 modules as text.
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    reading, writing = os.pipe()
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        os.dup2(writing, 1)
        os.execvpe(command[0], command, {**settings, "PYTHONPATH": str(ROOT)})
    os.close(writing)
    with os.fdopen(reading) as stream:
        printed = stream.read()
    _, status, usage = os.wait4(child, 0)
    if status:
        raise RuntimeError(f"failed: {' '.join(command)}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024, printed


def in_turn(commands, runs):
    """Run each named command once to warm caches, then all of them in turn `runs` times; medians by name."""
    for command in commands.values():
        run_once(command)
    done = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            done[name].append(run_once(command))
    return {
        name: Run(statistics.median(one[0] for one in each), max(one[1] for one in each), [one[2] for one in each])
        for name, each in done.items()
    }
