"""A command on a machine that is short of something: it says so in a line or brings its whole result.

    python -m tests.campaigns.shortages [--command review] [WORD ...]

Memory, time, open files, processes, places to write and to print to are taken away one by one, of the program as it is
started from a terminal; with words, only the shortages that have one of them in their names. The folder holds an older
result, which stays whole unless a whole new one stands there; what is printed is whole or nothing. Linux only, as
administrator. Exit 1 where a run did anything else.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.campaigns.kills import contents
from tests.campaigns.running import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MB: Final = 1 << 20
NOBODY: Final = (
    "setpriv", "--reuid", "65534", "--clear-groups", "--inh-caps", "+dac_override", "--ambient-caps", "+dac_override",
)  # fmt: skip
"""To be someone whose processes are counted, who may still read the program wherever it lies."""
LONGEST_S: Final = 400.0
SAMPLE: Final = ROOT / "sample_plans" / "pass-saukville-drawing"
LAYERS: Final = ROOT / "layers" / "saukville"
ON: Final = ("--on", "2026-05-02")
COMMANDS: Final[dict[str, tuple[Any, ...]]] = {
    "review": ("review", SAMPLE, "--layers", LAYERS, *ON, "--out", "OUT"),
    "measure": ("measure", SAMPLE, "--layers", LAYERS),
    "inspect": ("inspect", SAMPLE),
    "etj": ("etj", LAYERS, *ON, "--out", "OUT"),
    "prescreen": ("prescreen", "--layers", LAYERS, "--parcel", "4301-02", "--out", "OUT"),
    "county": ("prescreen", "--layers", LAYERS, "--out", "OUT"),
    "compare": ("compare", "REVIEWED/review.json", "REVIEWED/review.json", "--out", "OUT"),
    "letter": ("letter", "REVIEWED/review.json", *ON, "--out", "OUT/letter.docx"),
}
"""By name; OUT stands for the folder of the older result, REVIEWED for that of a review."""
ENDED: Final = {-signal.SIGXCPU, -signal.SIGKILL}
"""How the system ends who took its time: no program can say a word then."""


@dataclass(frozen=True)
class Shortage:
    """What is missing: limits and closed files of the process, its surroundings, and how it may end for it."""

    name: str
    before: tuple[Callable[[], Any], ...] = ()
    settings: dict[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    output: str = ""
    started_by: tuple[str, ...] = ()
    ends: frozenset[int] = frozenset()


def shortages(work: Path) -> Iterator[Shortage]:
    """Every shortage that is tried, from the narrowest on."""
    for megabytes in (128, 256, 384, 512, 640, 768, 896, 1024, 1280, 1536, 2048, 3072):
        yield Shortage(f"memory {megabytes} MB", (_limited(resource.RLIMIT_AS, megabytes * MB),))
    for seconds in (1, 2, 3, 4, 6, 10):
        yield Shortage(f"computing {seconds} s", (_limited(resource.RLIMIT_CPU, seconds),), ends=frozenset(ENDED))
    for files in (6, 8, 10, 12, 16, 20, 24, 32, 48, 64):
        yield Shortage(f"open files {files}", (_limited(resource.RLIMIT_NOFILE, files),))
    for size in (0, 1000, 20_000, 100_000, 300_000):
        yield Shortage(f"size of a file {size}", (_limited(resource.RLIMIT_FSIZE, size),))
    for count in (1, 2, 3):  # with more, the reader of files would lose its right to read the program
        yield Shortage(f"processes and threads {count}", (_limited(resource.RLIMIT_NPROC, count),), started_by=NOBODY)
    yield Shortage("no thread", (_limited(resource.RLIMIT_STACK, 4 << 30), _limited(resource.RLIMIT_AS, 5 << 30)))
    yield Shortage("stack 256 kB", (_limited(resource.RLIMIT_STACK, 256 << 10),))
    none = {"HOME": "/proc/none", "XDG_CACHE_HOME": "/proc/none/cache", "NUMBA_CACHE_DIR": ""}
    yield Shortage("no home and no cache", settings=none)
    blocked = work / "blocked"
    blocked.write_text("a file, and no folder")
    yield Shortage("a cache that is a file", settings={"XDG_CACHE_HOME": str(blocked), "NUMBA_CACHE_DIR": str(blocked)})
    for name in ("/proc/none", str(blocked)):
        yield Shortage(f"TMPDIR {Path(name).name}", settings=dict.fromkeys(("TMPDIR", "TEMP", "TMP"), name))
    full = work / "full"
    yield Shortage(
        "a full TMPDIR and cache", settings={"TMPDIR": str(full), "XDG_CACHE_HOME": str(full), "NUMBA_CACHE_DIR": ""}
    )
    yield Shortage("nowhere to write but --out", (partial(os.chdir, "/proc"),), none | {"TMPDIR": "/proc/none"})
    yield Shortage("an empty environment", settings={"": ""})
    for number, name in enumerate(("input", "output", "errors")):
        yield Shortage(f"standard {name} closed", (partial(os.close, number),))
    yield Shortage("all three closed", tuple(partial(os.close, number) for number in range(3)))
    yield Shortage("standard output full", output="/dev/full")
    yield Shortage("standard output full, --json", output="/dev/full", words=("--json",))
    yield Shortage("standard output closed, --json", (partial(os.close, 1),), words=("--json",))
    yield Shortage("nobody reads what is printed", output="|")
    yield Shortage("nobody reads what is printed, --json", output="|", words=("--json",))
    yield Shortage("the current folder taken away", (_nowhere,))


def _limited(kind: int, most: int) -> Callable[[], None]:
    return partial(resource.setrlimit, kind, (most, most))


def _nowhere() -> None:
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    Path(folder).rmdir()


@dataclass(frozen=True)
class Came:
    """How a run came out: its code (negative: a signal), what it said, seconds of computing."""

    code: int
    printed: str
    said: str
    seconds: float


def run(command: str, shortage: Shortage, out: Path) -> Came:
    """A command under a shortage."""
    places = {"OUT": str(out), "REVIEWED": str(out.parent / "reviewed")}
    asked = [re.sub("OUT|REVIEWED", lambda found: places[found[0]], str(word)) if isinstance(word, str) else str(word) for word in COMMANDS[command]]  # fmt: skip
    words = [*shortage.started_by, sys.executable, "-m", "siteplan_gis", *asked, *shortage.words]
    paths = os.environ["PATH"]
    settings = {"PYTHONPATH": str(ROOT), "PATH": paths}
    if shortage.settings != {"": ""}:
        settings |= {**os.environ, **shortage.settings, "PYTHONPATH": str(ROOT)}

    def prepare() -> None:
        for one in shortage.before:
            one()

    # Pipes: a limit of the size of files is none of what is printed on a terminal.
    (shown, printing), (told, telling) = os.pipe(), os.pipe()
    output = printing
    if shortage.output == "|":
        nobody, output = os.pipe()
        os.close(nobody)
    elif shortage.output:
        output = os.open(shortage.output, os.O_WRONLY)
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=output, stderr=telling, env=settings, start_new_session=True, preexec_fn=prepare  # noqa: PLW1509  (this process has one thread)
    )  # fmt: skip
    for end in {output, printing, telling}:
        os.close(end)
    read = {shown: b"", told: b""}
    for end in read:
        os.set_blocking(end, False)
    until, ended = time.monotonic() + LONGEST_S, 0
    while not ended:
        time.sleep(0.02)
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
        if not ended and time.monotonic() > until:
            os.killpg(process.pid, signal.SIGKILL)
            ended, status, used = os.wait4(process.pid, 0)
            status = signal.SIGALRM
        for end in read:
            with contextlib.suppress(BlockingIOError):
                while more := os.read(end, 1 << 16):
                    read[end] += more
    process.returncode = os.waitstatus_to_exitcode(status)
    for end in read:
        os.close(end)
    return Came(process.returncode, read[shown].decode(), read[told].decode("utf-8", "replace"), used.ru_utime + used.ru_stime)  # fmt: skip


def judged(
    came: Came, shortage: Shortage, left: Path, old: dict[str, bytes], new: dict[str, bytes], whole: Came
) -> str:
    """What is wrong with how a run came out; empty where nothing is."""
    found = contents(left)
    if came.code == 3 and found.keys() == old.keys() and not any(found[name] == old[name] for name in old):
        return ""  # a whole result that tells what could not be checked
    if came.code in {0, 1} and came.code != whole.code:
        return f"exit {came.code} where it is {whole.code} without any shortage"
    if came.code in {0, 1} and not shortage.words and came.printed != whole.printed:
        return "printed something else"
    if came.code == 2 and came.printed:
        return "printed half of it"
    if found not in (old, new):
        return f"a mixture: {sorted(name for name in found.keys() | old.keys() if found.get(name) != old.get(name))}"
    if came.code < 0:
        return "" if came.code in shortage.ends and found == old else f"ended by {signal.Signals(-came.code).name}"
    lines = came.said.strip().splitlines()
    told = any("close" in str(one) and one.args == (2,) for one in shortage.before if isinstance(one, partial))
    if came.code in {0, 1}:
        return "" if found == new else "whole by its code, and the old result stands there"
    if came.code == 2 and (told or len(lines) == 1):
        return ""
    return f"exit {came.code} with {len(lines)} lines"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.shortages", description="A machine short of something."
    )
    parser.add_argument("words", nargs="*", metavar="WORD", help="in the names of what it is short of")
    parser.add_argument("--command", default="review", choices=COMMANDS)
    options = parser.parse_args()
    command, wrong = options.command, 0
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        work.chmod(0o777)
        out = work / "out"
        for name, place in (("review", "reviewed"), (command, "new")):
            out.mkdir()
            whole = run(name, Shortage("nothing"), out)
            if whole.code not in {0, 1}:
                sys.exit(f"without any shortage: {whole}")
            new = contents(out)
            out.rename(work / place)
        old = {name: b"old " + content for name, content in new.items()}
        full = work / "full"
        full.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", full], check=True)
        with contextlib.suppress(OSError):
            (full / "filler").write_bytes(bytes(4096))
        try:
            print("| short of | exit | computing | said | result | |\n|---|---|---|---|---|---|", flush=True)
            for shortage in shortages(work):
                if options.words and not any(word in shortage.name for word in options.words):
                    continue
                if shortage.words and command == "letter":  # it prints no record
                    continue
                out = work / "out"
                shutil.rmtree(out, ignore_errors=True)
                out.mkdir()
                out.chmod(0o777)
                for name, content in old.items():
                    (out / name).write_bytes(content)
                came = run(command, shortage, out)
                problem = judged(came, shortage, out, old, new, whole)
                wrong += bool(problem)
                said = " / ".join(came.said.strip().splitlines()[-3:])[-400:].replace("|", "¦")
                result = (
                    "none"
                    if not new
                    else "new"
                    if contents(out) == new
                    else "old"
                    if contents(out) == old
                    else "new, in part not checked"
                )
                print(
                    f"| {shortage.name} | {came.code} | {came.seconds:.1f} s | {said} | {result} | {problem} |",
                    flush=True,
                )
        finally:
            subprocess.run(["umount", full], check=True)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
