"""A table of what the program makes of files that it was not written for: no crash, no hang, nothing silent.

    python -m tests.campaigns.outcomes FOLDER... > outcomes.md

Every file that is a plan by its name goes through `inspect`, `measure` and `review` under limits: first as it is, then
again and again as the message of the last time asked for (roles, a coordinate system, units), until it is measured or
refused for good. A sheet is reviewed beside the drawing of a sample. Exit 1 where one of them did what none may do.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from siteplan_gis.ingest.formats import SHEET_SUFFIXES
from siteplan_gis.ingest.plan.submittal import PLAN_SUFFIXES
from tests.campaigns.running import ROOT, forked

LAYERS = ROOT / "layers" / "fairwater"
DRAWING = ROOT / "sample_plans" / "pass-saukville-subdivision" / "plan.gpkg"
REVIEW = ("--ordinance", "saukville", "--on", "2026-05-01", "--layers")
SYSTEMS = ("EPSG:2289", "EPSG:4326", "EPSG:3071", "EPSG:3857", "EPSG:32616")
"""Those in which a file may be that tells none: the village's feet, degrees, the state's metres, and others."""
SECONDS, LONGEST_S = 20.0, 120.0
"""Of computing, and of waiting on a machine that is busy with other things."""


@dataclass(frozen=True)
class Advice:
    """What was told to the user so far; `system` counts the coordinate systems tried."""

    roles: bool = False
    system: int = 0
    units: bool = False

    @classmethod
    def of(cls, message, before):
        """With what a message asks for; unchanged where it asks for nothing new."""
        if "--role" in message:
            return replace(before, roles=True)
        if 'units = "us-ft"' in message and not before.units:
            return replace(before, units=True, system=before.system or 1)
        if re.search(r"EPSG:n|--assume-crs|CRS|coordinate system", message) and before.system < len(SYSTEMS):
            return replace(before, system=before.system + 1)
        return before

    @property
    def options(self):
        return ("--role", "*=disturbed_area") * self.roles + (
            ("--assume-crs", SYSTEMS[self.system - 1]) if self.system else ()
        )  # fmt: skip


def follow(path, work):
    """Outcomes of one file: command, outcome, what was said and what ran, in order."""
    sheet = path.suffix.lower() in SHEET_SUFFIXES
    yield "inspect", "as it is", _run("inspect", path)
    advice, message = Advice(), ""
    for _ in range(2 + len(SYSTEMS)):
        given = _with_units(path, work) if advice.units else path
        done = _run("measure", given, *advice.options)
        yield "measure", _how(advice), done
        message = done.stderr if done.code == 2 else done.stdout
        asked = Advice.of(message, advice) if done.code == 2 else advice
        if asked == advice:
            break
        advice = asked
    given = _with_units(path, work) if advice.units else path
    layers = _taken_for_real(work)
    yield "review", _how(advice), _run("review", given, *advice.options, *REVIEW, layers)
    if sheet:
        yield "review", "beside a drawing", _run("review", path, DRAWING, *REVIEW, layers)


def _how(advice):
    return " ".join(map(str, (*advice.options, "units" * advice.units))).strip() or "as it is"


def _run(command, *arguments):
    return forked(command, *arguments, "--json", seconds=LONGEST_S)


def _taken_for_real(work):
    """The invented layers of a sample without their mark, without which no other plan is reviewed with them."""
    folder = work / "layers"
    if not folder.is_dir():
        shutil.copytree(LAYERS, folder)
        catalogue = folder / "layers.toml"
        marked = catalogue.read_text()
        catalogue.write_text(re.sub(r"(?m)^invented = true$", "", marked))
    return folder


def _with_units(path, work):
    """The file, with all that belongs to it, in a folder with a manifest that tells its unit."""
    folder = work / "told"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for part in path.parent.glob(path.stem + ".*"):
        if part.is_file():
            shutil.copy(part, folder / part.name)
    (folder / "siteplan.toml").write_text(f'[drawing."{path.name}"]\nunits = "us-ft"\n')
    return folder / path.name


def outcomes(paths, tell=print):
    """Tell a row for each run, and return how often each outcome came, and the faults."""
    counts: Counter[str] = Counter()
    faults = []
    with tempfile.TemporaryDirectory() as work:
        for path in paths:
            last = {}
            for command, how, done in follow(path, Path(work)):
                fault = done.fault or ("computes too long" if done.computing > SECONDS else "")
                last[command] = outcome = fault or ("refused" if done.code == 2 else f"exit {done.code}")
                said = done.stderr.strip().replace("|", "/")[:300]
                tell(
                    f"| {'/'.join(path.parts[-2:])} | {command} | {how} | {outcome} | {done.computing:.1f} s "
                    f"| {done.megabytes:.0f} MB | {said} |"
                )
                if fault:
                    faults.append(f"{path} {command} {how}: {fault}: {done.stderr[-300:]}")
            counts.update(f"{command}: {outcome}" for command, outcome in last.items())
    return counts, faults


def plans(folder):
    """Files under a folder that are plans by their names, in order."""
    return sorted(
        path for path in Path(folder).rglob("*") if path.suffix.lower() in PLAN_SUFFIXES and ".gdb/" not in str(path)
    )


def main():
    print("| file | command | how | outcome | computing | memory | said |\n|---|---|---|---|---|---|---|", flush=True)
    counts, faults = outcomes(
        [path for folder in sys.argv[1:] for path in plans(folder)], lambda row: print(row, flush=True)
    )
    print("\nAt last, of each file:\n")
    print("\n".join(f"- {outcome}: {count}" for outcome, count in sorted(counts.items())))
    print("\n".join(faults))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
