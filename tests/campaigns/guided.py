"""Our own readers over files that atheris finds, guided by what they reach in our code: each reads or refuses, soon.

    python -m tests.campaigns.guided [--seconds 600] [READER ...]

Needs `pip install atheris`. Each reader runs in a process of its own with its share of the seconds; an input that it
did wrong over is kept and named. Exit 1 where there is one.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SLOW_S, MEGABYTES, ENDING_S = 10, 2048, 60
LONGEST, LONGEST_TEXT = 70_000, 2000
SHORT = ("texts", "crs")
"""Readers of single texts: over long ones a campaign would try few."""


def run_reader(name: str, corpus: Path, seconds: float) -> None:
    """Fuzz one reader in this process until its time is over or it does wrong."""
    import atheris

    with atheris.instrument_imports(
        include=["siteplan_gis.ingest", "siteplan_gis.measures", "siteplan_gis.toml_files"]
    ):
        from tests.campaigns.readers import READERS, sound
    from siteplan_gis.errors import InputError
    from tests.campaigns.fuzz import changed

    read, _, suffix = READERS[name]
    (corpus / "sound").write_bytes(sound(name))
    path = corpus.with_name(f"input{suffix}")

    def one_input(content: bytes) -> None:
        path.write_bytes(content)
        try:
            read(path, "input")
        except InputError:
            return

    def mutated(content: bytes, largest: int, seed: int) -> bytes:
        chance = random.Random(seed)
        return changed(content, chance)[:largest] if chance.random() < 0.5 else atheris.Mutate(content, largest)

    atheris.Setup(
        [
            name, str(corpus), f"-max_total_time={seconds:.0f}", f"-timeout={SLOW_S}", f"-rss_limit_mb={MEGABYTES}",
            f"-max_len={LONGEST_TEXT if name in SHORT else LONGEST}", "-seed=1", f"-artifact_prefix={corpus.parent}/wrong-", "-print_final_stats=1", "-verbosity=0",
        ],
        one_input,
        custom_mutator=mutated,
    )  # fmt: skip
    atheris.Fuzz()


def main() -> None:
    names = ["landxml", "manifest", "dxf", "geojson", "kml", "texts", "crs", "labels", "overrides", "permit", "rain", "soil loss",
             "layers", "review", "words", "limits", "classes"]  # fmt: skip
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.guided", description="Our readers, guided by coverage."
    )
    parser.add_argument("names", nargs="*", metavar="READER", help=f"of {', '.join(names)}; all by default")
    parser.add_argument("--seconds", type=float, default=600.0, help="over all readers together")
    parser.add_argument("--one", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    chosen = options.names or names
    if options.one:
        run_reader(chosen[0], Path(options.one), options.seconds)
        return
    bad = 0
    for name in chosen:
        folder = Path(tempfile.mkdtemp(prefix=f"guided-{name.replace(' ', '-')}-"))
        (folder / "corpus").mkdir()
        command = [sys.executable, "-m", "tests.campaigns.guided", name, "--seconds", str(options.seconds / len(chosen)),
                   "--one", str(folder / "corpus")]  # fmt: skip
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", check=False,
                timeout=options.seconds / len(chosen) + ENDING_S,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            # Its alarm over a slow input waits for ever where that input was just being allocated memory.
            print(f"{name}: hung; the input that it stuck at is in {folder}", flush=True)
            bad += 1
            continue
        runs = re.search(r"number_of_executed_units: *(\d+)", done.stderr)
        kept = sorted(folder.glob("wrong-*"))
        print(
            f"{name}: {runs[1] if runs else '?'} inputs, exit {done.returncode}, {[str(one) for one in kept]}",
            flush=True,
        )
        if kept or done.returncode:
            bad += 1
            print("\n".join(done.stderr.splitlines()[-25:])[:3000], flush=True)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
