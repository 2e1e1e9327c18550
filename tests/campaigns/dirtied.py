"""Plans dirtied in every known way, alone and together: none crashes or hangs the program, or comes out cleaner.

    python -m tests.campaigns.dirtied [--minutes 15] [--seed 1] [WAY ...]

Each plan is reviewed in another process, whose time and memory (and its reader's) are measured. Exit 1 at any fault.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from siteplan_gis.errors import InputError
from tests.campaigns.dirt_of_files import KINDS, WAYS
from tests.campaigns.drawn import BASES, write_evidence, write_plan

ON = date(2026, 5, 1)
CPU_S, WALL_S, START_S, MEGABYTES = 20.0, 600.0, 900.0, 2048.0
CLEAN = frozenset({"pass", "not_applicable"})


@dataclass
class Seen:
    """What came of one plan: refused in one line, crashed, or the status of every finding."""

    refused: str = ""
    crashed: str = ""
    statuses: dict[tuple[str, str], str] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    told: frozenset[tuple[str, str, str, str]] = frozenset()
    faults: dict[str, str] = field(default_factory=dict)
    code: int = 2
    seconds: float = 0.0
    megabytes: float = 0.0

    def rules(self) -> dict[str, set[str]]:
        """Statuses by rule."""
        found: dict[str, set[str]] = {}
        for (rule, _), status in self.statuses.items():
            found.setdefault(rule, set()).add(status)
        return found


def dirtied(base: str, ways: list[str], seed: int) -> Any:
    """A plan with some dirt."""
    given = BASES[base]()
    for name in ways:
        WAYS[name](given, random.Random(f"{seed} {name}"))
    return given


def seen(base: str, ways: list[str], seed: int, *, outputs: bool = False) -> Seen:
    """Review a dirtied plan in this process; with `outputs`, write everything that a review writes, too."""
    from siteplan_gis.pipeline import Inputs, exit_code, review_inputs  # slow to load
    from siteplan_gis.report.files import write_outputs

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what writes the dirt
        try:
            given = dirtied(base, ways, seed)
            plan, evidence = write_plan(given, Path(folder) / "plan"), write_evidence(given, Path(folder) / "layers")
        except Exception as error:  # noqa: BLE001  (dirt that its own writer does not take is no plan)
            return Seen(refused=f"unwritable: {error}")
        try:
            reviewed = review_inputs(Inputs((plan,), evidence), given.options.get("ordinance"), ON)
            if outputs:
                write_outputs(reviewed, Path(folder) / "out")
        except InputError as error:
            lines = str(error).splitlines()
            return Seen(refused=str(error)) if len(lines) == 1 else Seen(crashed=f"no one line: {error!r}")
        except Exception:  # noqa: BLE001
            return Seen(crashed=traceback.format_exc())
    return Seen(
        statuses={(item.rule.id, item.subject): item.status.value for item in reviewed.findings},
        figures={name: item.value for name, item in reviewed.measured.values.items()},
        told=frozenset(
            (flag.code, flag.text, flag.layer, flag.feature) for flag in (*reviewed.measured.flags, *reviewed.flags)
        ),
        faults=dict(reviewed.measured.faults),
        code=exit_code(reviewed),
    )


def faults(dirty: Seen, clean: Seen, ways: list[str]) -> list[str]:
    """What a dirty plan may not come to."""
    found = [f"crashed: {dirty.crashed}"] * bool(dirty.crashed) + [f"measuring crashed: {dirty.faults}"] * bool(
        dirty.faults
    )
    if dirty.seconds > CPU_S:
        found.append(f"took {dirty.seconds:.0f} s")
    if dirty.megabytes > MEGABYTES:
        found.append(f"took {dirty.megabytes:.0f} MB")
    if dirty.refused or dirty.crashed:
        return found
    found += [f"a check crashed: {key}" for key, status in dirty.statuses.items() if status == "error"]
    if any(KINDS[name] == "other" for name in ways):
        return found
    before, after = clean.rules(), dirty.rules()
    new = [rule for rule, statuses in after.items() if statuses <= CLEAN and not before[rule] <= CLEAN]
    new += [f"{rule}:{subject}" for (rule, subject), status in dirty.statuses.items()
            if status in CLEAN and clean.statuses.get((rule, subject), "pass") not in CLEAN]  # fmt: skip
    found += [f"comes out clean: {name}" for name in new]
    if dirty.code == 0 != clean.code:
        found.append("passes as a whole")
    if dirty.told == clean.told and after == before:
        found += [
            f"silently {name} {value} for {clean.figures.get(name)}"
            for name, value in dirty.figures.items() if _differ(value, clean.figures.get(name))
        ]  # fmt: skip
    return found


def _differ(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float | int):
        return abs(one - other) > 0.001 * max(abs(other), 1.0)
    return False


class Reviewer:
    """Another process that reviews plans one after the other; replaced if one hangs it."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Reviewer:  # noqa: PYI034  (as above)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self.process is not None:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
            for pipe in filter(None, (self.process.stdin, self.process.stdout)):
                with contextlib.suppress(OSError):
                    pipe.close()
            self.process = None

    def ask(self, base: str, ways: list[str], seed: int, *, outputs: bool = False) -> Seen:
        """What comes of a plan, with the time and the memory that it took."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-c", "from tests.campaigns.dirtied import serve; serve()"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip
            # What is loaded and compiled once is not counted.
            self._ask(self.process, ("faulty", [], 0, False), START_S)
        with _Watch(self.process.pid) as watched:
            answer = self._ask(self.process, (base, ways, seed, outputs), WALL_S)
        answer.seconds, answer.megabytes = watched.used, watched.most
        if self.process.poll() is not None:
            self.close()
        return answer

    @staticmethod
    def _ask(process: subprocess.Popen[bytes], question: tuple[Any, ...], longest_s: float) -> Seen:
        assert process.stdin is not None
        assert process.stdout is not None
        watchdog = threading.Timer(longest_s, os.killpg, (process.pid, signal.SIGKILL))
        watchdog.start()
        try:
            pickle.dump(question, process.stdin)
            process.stdin.flush()
            answer: Seen = pickle.load(process.stdout)  # noqa: S301  (our own process)
        except (EOFError, OSError):
            process.wait()
            return Seen(crashed=f"the process ended or hung for {longest_s:.0f} s")
        finally:
            watchdog.cancel()
        return answer


class _Watch:
    """Seconds that a process and its children used, and the most memory that they held together."""

    def __init__(self, pid: int) -> None:
        self.pid, self.most, self.done = pid, 0.0, threading.Event()
        self.before, self.used = self._used(), 0.0
        self.thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:  # noqa: PYI034  (Self is of no use to readers)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.thread.join()
        self.used = max(self.used, self._used() - self.before)

    def _family(self) -> list[int]:
        try:
            children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text(encoding="ascii").split()
        except OSError:
            return []
        return [self.pid, *map(int, children)]

    def _used(self) -> float:
        ticks = 0
        for pid in self._family():
            try:
                fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            # The children that have ended count with their parent.
            ticks += sum(map(int, fields[11:15] if pid == self.pid else fields[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def _look(self) -> None:
        while not self.done.wait(0.05):
            held = 0
            for pid in self._family():
                try:
                    held += int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
                except OSError:
                    continue
            self.most = max(self.most, held * os.sysconf("SC_PAGE_SIZE") / 2**20)
            self.used = max(self.used, self._used() - self.before)
            if self.used > 2 * CPU_S:
                os.killpg(self.pid, signal.SIGKILL)


def serve() -> None:
    """Review what is asked for until nobody asks."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # ends with whoever asks
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            base, ways, seed, outputs = pickle.load(sys.stdin.buffer)  # noqa: S301
        except EOFError:
            return
        pickle.dump(seen(base, ways, seed, outputs=outputs), answers)
        answers.flush()


def smallest(reviewer: Reviewer, base: str, ways: list[str], seed: int, clean: Seen) -> list[str]:
    """The last of the ways that is needed for a fault, where one is enough."""
    for name in ways:
        if len(ways) > 1 and faults(reviewer.ask(base, [name], seed), clean, [name]):
            return [name]
    return ways


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.dirtied", description="Reviews of dirtied plans.")
    parser.add_argument("ways", nargs="*", metavar="WAY", help=f"of {', '.join(WAYS)}; all by default")
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wanted, queue = options.ways or [*WAYS], list[str]()
    chance, until, bad = random.Random(options.seed), time.monotonic() + 60 * options.minutes, 0
    counts: Counter[str] = Counter()
    most_s = most_mb = 0.0
    with Reviewer() as reviewer:
        clean = {base: reviewer.ask(base, [], 0) for base in BASES}
        while time.monotonic() < until:
            base, seed = chance.choice([*BASES, "faulty", "faulty"]), chance.randrange(1 << 30)
            queue = queue or chance.sample(wanted, len(wanted))  # each way comes as often as any other
            ways = list(dict.fromkeys([queue.pop(), *chance.sample(wanted, chance.choice((0, 0, 1, 2)) % len(wanted))]))
            dirty = reviewer.ask(base, ways, seed, outputs=chance.random() < 0.25)
            counts[
                "unwritable"
                if dirty.refused[:10] == "unwritable"
                else "refused"
                if dirty.refused
                else f"exit {dirty.code}"
            ] += 1
            counts.update(f"way {name}" for name in ways)
            most_s, most_mb = max(most_s, dirty.seconds), max(most_mb, dirty.megabytes)
            found = faults(dirty, clean[base], ways)
            if found:
                bad += 1
                print(f"{base} {smallest(reviewer, base, ways, seed, clean[base])} of {ways} seed {seed}:", flush=True)
                print("\n".join(f"  {one[-1500:]}" for one in found[:6]), flush=True)
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")
    print(f"at most {most_s:.1f} s of computing and {most_mb:.0f} MB; {bad} plans with faults")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
