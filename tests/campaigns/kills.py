"""The program killed at random moments while it writes into a folder that holds an older result.

    python -m tests.campaigns.kills [--runs 500] [--seed 1] [COMMAND ...]

After each kill the folder must hold the whole old result or the whole new one. Half of the kills come while the results
are being moved into place, where they could do harm. Exit 1 where a folder held a mixture.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "sample_plans" / "pass-saukville-subdivision"
LAYERS = ROOT / "layers" / "saukville"

WRITE = """
import sys
from pathlib import Path
from siteplan_gis.report.moving import move_together, staging_folder
names = ("review.json", "findings.gpkg", "review.html")
with staging_folder(Path(sys.argv[1])) as made:
    for name in names:
        (made / name).write_bytes(sys.argv[2].encode() * 500_000)
    move_together(made, Path(sys.argv[1]), names)
"""
"""Nothing but the writing: hundreds of kills hit it in a minute."""


def commands(work):
    """Command lines by name; each writes into the folder that is put in place of OUT."""
    review = ["review", SAMPLE, "--layers", LAYERS, "--on", "{day}", "--fail-on", "never", "--out", "OUT"]
    old, new = work / "old" / "review.json", work / "new" / "review.json"
    return {
        "write": [sys.executable, "-c", WRITE, "OUT", "{day}"],
        "review": review,
        "compare": ["compare", old, new, "--out", "OUT"],
        "letter": ["letter", new, "--on", "{day}", "--out", "OUT/letter.docx"],
        "etj": ["etj", LAYERS, "--on", "{day}", "--out", "OUT"],
    }


def started(command, folder, day):
    """The process of a command that writes into a folder, with all that it starts in a session of its own."""
    words = [str(word).replace("OUT", str(folder)).replace("{day}", day) for word in command]
    if words[0] != sys.executable:
        words = [sys.executable, "-m", "siteplan_gis", *words]
    settings = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT, env=settings, start_new_session=True
    )  # fmt: skip


def contents(folder):
    """What the folder shows: its files by name, without what is hidden."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if not path.name.startswith(".")}


def whole(command, folder, day):
    """The result of an undisturbed run, and its seconds."""
    began = time.perf_counter()
    process = started(command, folder, day)
    _, told = process.communicate()
    if process.returncode:
        raise RuntimeError(told.decode())
    return contents(folder), time.perf_counter() - began


def kill_at_random(command, work, runs, chance, tell=lambda _: None):
    """Kill some runs of a command; how often the old and the new result stood there after it, and mixtures found."""
    out = work / "out"
    for folder in ("a", "b", "out"):
        (work / folder).mkdir(parents=True)
    old, _ = whole(command, work / "a", "2026-05-01")
    new, seconds = whole(command, work / "b", "2026-05-02")
    counts = {"old": 0, "new": 0}
    mixtures = []
    for number in range(runs):
        for name in set(contents(out)) | set(old):
            (out / name).write_bytes(old[name])
        process = started(command, out, "2026-05-02")
        if number % 2:
            _wait_for_move(out, process, seconds * 3)
            time.sleep(chance.random() * 0.003)
        else:
            time.sleep(chance.random() * seconds)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        time.sleep(0.1)  # those who move the files need no more than that
        found = contents(out)
        state = "old" if found == old else "new" if found == new else ""
        if state:
            counts[state] += 1
        else:
            mixtures.append(f"run {number}: {sorted(name for name in found if found[name] != old.get(name))} are new")
        tell(f"run {number}: {state or 'MIXTURE'}")
    whole(command, out, "2026-05-02")
    left = sorted(path.name for path in out.iterdir() if path.name.startswith("."))
    return counts, mixtures + [f"left behind: {left}"] * bool(left)


def _wait_for_move(out, process, longest):
    """Wait until all files of the new result are written."""
    until = time.perf_counter() + longest
    while time.perf_counter() < until and process.poll() is None:
        if any(path.name == "before" for path in out.glob(".siteplan-*/before")):
            return
        time.sleep(0.0002)


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.kills", description="Kills while results are written."
    )
    parser.add_argument(
        "names", nargs="*", metavar="COMMAND", help="write, review, compare, letter, etj; all by default"
    )
    parser.add_argument("--runs", type=int, default=500, help="over all commands together")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    work = Path(tempfile.mkdtemp())
    names = options.names or [*commands(work)]
    for day, name in (("2026-05-01", "old"), ("2026-05-02", "new")) if {"compare", "letter"} & set(names) else ():
        (work / name).mkdir()
        whole(commands(work)["review"], work / name, day)
    bad = []
    for name in names:
        counts, mixtures = kill_at_random(
            commands(work)[name], work / name / "runs", options.runs // len(names), chance
        )
        print(f"{name}: {counts}, {len(mixtures)} faults", flush=True)
        bad += [f"{name}: {mixture}" for mixture in mixtures]
    shutil.rmtree(work)
    print("\n".join(bad))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
