"""Our own readers over files that atheris finds, guided by what they reach in our code: each reads or refuses, soon.

    python -m tests.campaigns.guided [--seconds 600] [READER ...]

Needs `pip install atheris`. Each reader runs in a fork of its own with its share of the seconds; an input that it
did wrong over is kept and named. Exit 1 where there is one.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

SLOW_S, MEGABYTES, ENDING_S = 10, 2048, 120
LONGEST, LONGEST_TEXT = 70_000, 2000
SHORT = ("texts", "crs")
"""Readers of single texts: of long ones a campaign would try few."""


def instrumented() -> ModuleType:
    """The readers, whose every branch atheris sees; loaded once for all."""
    import atheris

    with atheris.instrument_imports(
        include=["siteplan_gis.crs", "siteplan_gis.ingest", "siteplan_gis.measures", "siteplan_gis.toml_files"]
    ):
        from tests.campaigns import readers
    return readers


def run_reader(readers: ModuleType, name: str, folder: Path, seconds: float) -> None:
    """Fuzz one reader in this process until its time is over or it does wrong; this ends the process."""
    import atheris

    from siteplan_gis.errors import InputError
    from tests.campaigns.fuzz import changed

    read, _, suffix = readers.READERS[name]
    corpus, path = folder / "corpus", folder / f"input{suffix}"
    corpus.mkdir()
    (corpus / "sound").write_bytes(readers.sound(name))

    def one_input(content: bytes) -> None:
        path.write_bytes(content)
        with contextlib.suppress(InputError):
            read(path, "input")

    def mutated(content: bytes, largest: int, seed: int) -> bytes:
        chance = random.Random(seed)
        return changed(content, chance)[:largest] if chance.random() < 0.5 else atheris.Mutate(content, largest)

    atheris.Setup(
        [
            name, str(corpus), f"-max_total_time={seconds:.0f}", f"-timeout={SLOW_S}", f"-rss_limit_mb={MEGABYTES}",
            f"-max_len={LONGEST_TEXT if name in SHORT else LONGEST}", "-seed=1", f"-artifact_prefix={folder}/wrong-",
            "-print_final_stats=1", "-verbosity=0",
        ],
        one_input,
        custom_mutator=mutated,
    )  # fmt: skip
    atheris.Fuzz()


def forked(readers: ModuleType, name: str, folder: Path, seconds: float) -> int:
    """How the fork that fuzzes a reader ended; -9 where it did not come to an end."""
    process = os.fork()
    if process == 0:
        told = os.open(folder / "told.txt", os.O_WRONLY | os.O_CREAT)
        os.dup2(told, 1)
        os.dup2(told, 2)
        os.setsid()
        run_reader(readers, name, folder, seconds)
        os._exit(0)
    watchdog = threading.Timer(seconds + ENDING_S, os.killpg, (process, signal.SIGKILL))
    watchdog.start()
    _, status = os.waitpid(process, 0)
    watchdog.cancel()
    watchdog.join()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)  # the reader of binary files that it may have started
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.guided", description="Our readers, guided by coverage."
    )
    parser.add_argument("names", nargs="*", metavar="READER", help="all by default")
    parser.add_argument("--seconds", type=float, default=600.0, help="over all readers together")
    options = parser.parse_args()
    readers = instrumented()
    chosen = options.names or [*readers.READERS]
    bad = 0
    for name in chosen:
        folder = Path(tempfile.mkdtemp(prefix=f"guided-{name.replace(' ', '-')}-"))
        code = forked(readers, name, folder, options.seconds / len(chosen))
        told = (folder / "told.txt").read_text(encoding="utf-8", errors="replace")
        runs = re.search(r"number_of_executed_units: *(\d+)", told)
        kept = sorted(map(str, folder.glob("wrong-*")))
        print(f"{name}: {runs[1] if runs else '?'} inputs, exit {code}, {kept}", flush=True)
        if kept or code:
            bad += 1
            print("\n".join(told.splitlines()[-25:])[:3000], f"\nlast input in {folder}", flush=True)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
