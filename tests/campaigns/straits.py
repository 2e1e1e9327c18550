"""A disk that is full, and two runs into one folder at once: the old result stays whole, and results do not mix.

    python -m tests.campaigns.straits [COMMAND ...]

Needs the right to mount a small file system (Linux, administrator). Exit 1 where a folder held a mixture or a run that
could not write did not say so in one line.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from tests.campaigns.kills import NAMES, Run, commands, contents, orphans_kept, whole
from tests.campaigns.running import LOADED

LEFT = (0, 20_000, 200_000)
"""Bytes that are left on the disk: for nothing, for the first file, for most of them."""


def on_a_full_disk(pair, work, left):
    """What goes wrong where so many bytes are left beside an old result."""
    disk = work / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk], check=True)
    try:
        out = disk / "out"
        old, _, _ = whole(pair[0], out)
        with (disk / "filler").open("wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(4096))
            except OSError:
                filler.truncate(max(filler.tell() - left, 0))
        run = Run(pair[1], out)
        said = run.wait()
        found = contents(out)
        new, _, _ = whole(pair[1], work / f"new-{left}")
    finally:
        subprocess.run(["umount", disk], check=True)
        disk.rmdir()
    if found == new and not said:
        return "written"
    if found != old:
        return f"FAULT: {sorted(name for name in found.keys() | old.keys() if found.get(name) != old.get(name))}"
    lines = said.strip().splitlines()
    return f"old kept: {lines[-1][:120]}" if said and "Traceback" not in said else f"FAULT: {said[-300:]!r}"


def at_once(pair, work):
    """What goes wrong where two runs write into one folder at once."""
    alone = [whole(words, work / f"alone-{number}")[0] for number, words in enumerate(pair)]
    out = work / "together"
    out.mkdir()
    runs = [Run(words, out) for words in (*pair, *pair)]
    for run in runs:
        run.others |= {other.process for other in runs}
    said = [run.wait() for run in runs]
    found = contents(out)
    return "whole" if found in alone and not any(said) else f"FAULT: {found.keys()}: {said}"


def main():
    for name in LOADED:
        import_module(name)
    names = sys.argv[1:] or [name for name in NAMES if name not in {"write", "fetch"}]
    faults = 0
    with tempfile.TemporaryDirectory() as place, orphans_kept():
        work = Path(place)
        known = commands(work)
        if {"compare", "letter"} & set(names):
            for words, name in zip(known["review"], ("old", "new"), strict=True):
                whole(words, work / name)
        for name in names:
            (work / name).mkdir(exist_ok=True)
            told = [f"{left} bytes left: {on_a_full_disk(known[name], work / name, left)}" for left in LEFT]
            told.append(f"at once: {at_once(known[name], work / name)}")
            faults += sum("FAULT" in each for each in told)
            print(f"{name}: " + "; ".join(told), flush=True)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
