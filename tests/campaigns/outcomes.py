"""A table of what the program makes of files that it was not written for: no crash, no hang, nothing silent.

    python -m tests.campaigns.outcomes FOLDER... > outcomes.md

Every file that is a plan by its name, and every folder of shapefiles, goes through `inspect`, `measure` and `review`
under limits. Exit 1 where one of them did what none may do.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from siteplan_gis.ingest.submittal import PLAN_SUFFIXES
from tests.campaigns.running import siteplan

COMMANDS = (
    ("inspect",),
    ("measure", "--role", "*=disturbed_area", "--assume-crs", "EPSG:3071"),
    (
        "review",
        "--role",
        "*=disturbed_area",
        "--assume-crs",
        "EPSG:3071",
        "--ordinance",
        "saukville",
        "--on",
        "2026-05-01",
    ),
)


def outcomes(paths, tell=print):
    """Tell a row for each file, and return how often each outcome came, and the faults."""
    counts: Counter[str] = Counter()
    faults = []
    for path in paths:
        row = []
        for command, *options in COMMANDS:
            done = siteplan(command, path, *options, "--json")
            outcome = done.fault or ("refused" if done.code == 2 else f"exit {done.code}")
            counts[f"{command}: {outcome}"] += 1
            row.append(f"{outcome} ({done.seconds:.0f} s, {done.megabytes:.0f} MB)")
            if done.fault:
                faults.append(f"{path} {command}: {done.fault}: {done.stderr[-300:]}")
            last = done.stderr.strip().replace("|", "/")[:160]
        tell(f"| {'/'.join(path.parts[-2:])} | {' | '.join(row)} | {last} |")
    return counts, faults


def plans(folder):
    """Files under a folder that are plans by their names, in order."""
    return sorted(
        path for path in Path(folder).rglob("*") if path.suffix.lower() in PLAN_SUFFIXES and ".gdb/" not in str(path)
    )


def main():
    print("| file | inspect | measure | review | said |\n|---|---|---|---|---|", flush=True)
    counts, faults = outcomes(
        [path for folder in sys.argv[1:] for path in plans(folder)], lambda row: print(row, flush=True)
    )
    print("\n" + "\n".join(f"- {outcome}: {count}" for outcome, count in sorted(counts.items())))
    print("\n".join(faults))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
