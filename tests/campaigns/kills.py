"""The program killed at random moments while it writes into a folder that holds an older result.

    python -m tests.campaigns.kills [--runs 500] [--seed 1] [COMMAND ...]

After each kill the folder must hold the whole old result or the whole new one. A third of the kills come anywhere in
the run, a third while the results are written, a third while they are moved into place. The libraries are loaded once:
each run is a fork of this process (Linux only). Exit 1 where a folder held a mixture.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import tomllib
import warnings
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path

from tests.campaigns.running import LOADED, ROOT

PLAN = ROOT / "sample_plans" / "pass-saukville-subdivision" / "plan.gpkg"
LAYERS = ROOT / "layers" / "saukville"
PARCELS = ("prescreen", "--layers", LAYERS, "--no-runoff")
NAMES = ("write", "review", "compare", "letter", "etj", "prescreen", "county", "fetch")
WRITTEN = ("review.json", "findings.gpkg", "review.html")
_BECOME_SUBREAPER = 36


def write(folder, letter):
    """Nothing but the writing: hundreds of kills hit it in a minute."""
    from siteplan_gis.report.moving import move_together, staging_folder

    with staging_folder(folder) as made:
        for name in WRITTEN:
            (made / name).write_bytes(letter.encode() * 500_000)
        move_together(made, folder, WRITTEN)


def commands(work, sources=()):
    """For each command its words for the old and for the new result, which go into the folder that OUT stands for."""
    reviews = work / "old" / "review.json", work / "new" / "review.json"
    days = ("2026-05-01", "2026-05-02")
    return {
        "write": [("write", "OUT", day) for day in days],
        "review": [
            ("review", PLAN, "--ordinance", "saukville", "--layers", LAYERS, "--on", day, "--fail-on", "never",
             "--print-sheet", "letter", "--out", "OUT") for day in days
        ],
        "compare": [("compare", *pair, "--out", "OUT") for pair in (reviews, reviews[::-1])],
        "letter": [("letter", reviews[1], "--on", day, "--out", "OUT/letter.docx") for day in days],
        "etj": [("etj", LAYERS, "--on", day, "--out", "OUT") for day in days],
        "prescreen": [
            (*PARCELS, "--parcel", "4301-02", "--water-width", width, "--out", "OUT") for width in ("75", "90")
        ],
        "county": [(*PARCELS, "--water-width", width, "--out", "OUT") for width in ("75", "90")],
        "fetch": [("fetch", file, "OUT") for file in sources],
    }  # fmt: skip


class Run:
    """A command in a process forked from this one, with all that it starts in a session of its own."""

    def __init__(self, words, out):
        self.others = _children()
        self.told = os.memfd_create("told")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # what other threads hold is not asked for
            self.process = os.fork()
        if self.process == 0:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(self.told, 2)
            _become([str(word).replace("OUT", str(out)) for word in words])

    @property
    def over(self):
        """Whether the command itself has ended."""
        return os.waitid(os.P_PID, self.process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def kill(self):
        """Kill it, and all that it started but those who move its files."""
        try:
            os.killpg(self.process, signal.SIGKILL)
        except ProcessLookupError:  # it has no session of its own yet, and has started nothing
            os.kill(self.process, signal.SIGKILL)

    def wait(self):
        """Wait for its end and that of all it started; what it said where it failed."""
        _, status = os.waitpid(self.process, 0)
        for orphan in _children() - self.others:
            os.waitpid(orphan, 0)
        said = os.pread(self.told, 1 << 20, 0).decode("utf-8", "replace")
        os.close(self.told)
        return said if os.waitstatus_to_exitcode(status) not in {0, -signal.SIGKILL} else ""


def _children():
    """Processes that this one is to wait for."""
    found = set()
    for file in Path("/proc/self/task").glob("*/children"):
        with suppress(FileNotFoundError):  # a thread that has just ended
            found |= set(map(int, file.read_text().split()))
    return found


@contextmanager
def orphans_kept():
    """Those who move files outlive their command: let them be children of this process, which waits for them."""
    ctypes.CDLL(None).prctl(_BECOME_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        ctypes.CDLL(None).prctl(_BECOME_SUBREAPER, 0, 0, 0, 0)


def _become(words):
    """Be the program, and end as it does."""
    code = 70
    try:
        if words[0] == "write":
            write(Path(words[1]), words[2])
        elif words[0] == "fetch":
            _fetch(Path(words[1]), Path(words[2]))
        else:
            from siteplan_gis.cli import main

            sys.argv = ["siteplan-gis", *words]
            main()
        code = 0
    except SystemExit as end:
        code = end.code
    finally:
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0)


def _fetch(sources, out):
    """Fetch one layer from a server on this machine, as of a set moment."""
    from siteplan_gis.fetching.gathering import Order, fetch_layers
    from siteplan_gis.fetching.registry import read_sources
    from tests.fetching.orders import BOX

    (done,) = fetch_layers(Order("a box", BOX, read_sources(sources), out, "2026-11-30T14:05:00Z"), lambda _: None)
    if done.problem:
        raise RuntimeError(str(done.problem))


def contents(folder):
    """What the folder shows: its files by name, without what is hidden and what a catalogue there does not name."""
    found = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if not path.name.startswith(".")}
    if "layers.toml" in found:
        layers = tomllib.loads(found["layers.toml"].decode())["layer"]
        return {name: found[name] for name in ("layers.toml", *(layer["path"] for layer in layers)) if name in found}
    return found


def whole(words, folder):
    """The result of an undisturbed run, its seconds, and at which of them the writing began."""
    folder.mkdir(parents=True, exist_ok=True)
    began, writing = time.perf_counter(), 0.0
    run = Run(words, folder)
    while not run.over:
        if not writing and any(folder.glob(".[sf]*")):
            writing = time.perf_counter() - began
        time.sleep(0.002)
    said = run.wait()
    if said:
        raise RuntimeError(said)
    return contents(folder), time.perf_counter() - began, writing


def kill_at_random(pair, work, runs, chance, tell=lambda _: None):
    """Kill some runs of a command; how often the old and the new result stood there after it, and mixtures found."""
    out = work / "out"
    before, after = pair
    whole(after, work / "loaded")  # what is loaded late is then loaded for both
    old, _, _ = whole(before, work / "a")
    new, seconds, writing = whole(after, work / "b")
    if old == new:
        raise RuntimeError(f"{after[0]}: the old and the new result are alike")
    counts = {"old": 0, "new": 0}
    mixtures = []
    shutil.copytree(work / "a", out)
    for number in range(runs):
        if contents(out) != old:
            shutil.rmtree(out)
            shutil.copytree(work / "a", out)
        run = Run(after, out)
        if number % 3 == 0:
            time.sleep(chance.random() * seconds)
        elif number % 3 == 1:
            _wait_for(run, lambda: any(out.glob(".siteplan-*")) or any(out.glob(".fetching")))
            time.sleep(chance.random() * (seconds - writing))
        else:
            _wait_for(run, lambda: any(path.name == "before" for path in out.glob(".siteplan-*/before")))
            time.sleep(chance.random() * 0.003)
        if not run.over:
            run.kill()
        said = run.wait()
        found = contents(out)
        state = "old" if found == old else "new" if found == new else ""
        if state:
            counts[state] += 1
        else:
            mixtures.append(f"run {number}: {sorted(name for name in found if found[name] != old.get(name))} are new")
        mixtures += [f"run {number} failed: {said[-300:]}"] * bool(said)
        tell(f"run {number}: {state or 'MIXTURE'}")
    whole(after, out)
    left = sorted(path.name for path in out.iterdir() if path.name.startswith(".siteplan-"))
    return counts, mixtures + [f"left behind: {left}"] * bool(left)


def _wait_for(run, happened):
    """Wait until something happens, or the run is over."""
    while not run.over and not happened():
        time.sleep(0.001)


def served(work, stack):
    """Files of sources for two servers on this machine that hold different features."""
    sys.path.insert(0, str(ROOT / "tests" / "fetching"))
    from services import running

    from tests.fetching.orders import sources_file

    files = []
    for count in (200, 260):
        service = stack.enter_context(running())
        service.layer.count, service.layer.page = count, 40
        folder = work / f"served-{count}"
        folder.mkdir()
        files.append(sources_file(folder, service))
    return files


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.kills", description="Kills while results are written."
    )
    parser.add_argument("names", nargs="*", metavar="COMMAND", help=f"{', '.join(NAMES)}; all by default")
    parser.add_argument("--runs", type=int, default=500, help="over all commands together")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    for name in LOADED:
        import_module(name)
    work = Path(tempfile.mkdtemp())
    names = options.names or NAMES
    bad = []
    with ExitStack() as stack:
        stack.enter_context(orphans_kept())
        known = commands(work, served(work, stack) if "fetch" in names else ())
        if {"compare", "letter"} & set(names):
            for words, name in zip(known["review"], ("old", "new"), strict=True):
                whole(words, work / name)
        for name in names:
            counts, mixtures = kill_at_random(known[name], work / name / "runs", options.runs // len(names), chance)
            print(f"{name}: {counts}, {len(mixtures)} faults", flush=True)
            bad += [f"{name}: {mixture}" for mixture in mixtures]
    shutil.rmtree(work)
    print("\n".join(bad))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
