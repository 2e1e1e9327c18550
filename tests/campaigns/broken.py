"""What a review or a screening calls of its libraries made to raise, to hang until a bound ends it, or to find nothing.

    python -m tests.campaigns.broken [--minutes 120] [--seed N] [--at-once 2] [--tried LIST] [SAMPLE ...]

One call at a time is broken, where one file of ours makes it: functions, methods and compiled loops of shapely,
rasterio, pyogrio, fiona, pyproj, ezdxf, pypdfium2, pypdf, Pillow, pyarrow and scipy. With `--tried LIST` runs add up.
Exit 1 where a fault makes something pass, or changes a figure in silence.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from siteplan_gis.errors import InputError
from tests.campaigns.library_calls import Broken, Call, Fault, Met, calls_of, modules, replaced
from tests.campaigns.running import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ON: Final = date(2026, 5, 1)
SAMPLES: Final = (
    "fail-east-troy-wet-pond", "unclear-steep-surface", "pass-saukville-drawing", "fail-scale-200", "fail-missed-wetland",
    "fail-undeclared-discharge", "unclear-steep-ravine", "unclear-no-vertical-unit", "fail-half-size-print", "unclear-partly-in-etj",
)  # fmt: skip
PARCELS: Final = "parcels"
HANG_S: Final = 0.001
CLEAN: Final = frozenset({"pass", "not_applicable"})


@dataclass
class Seen:
    """What came of a run: the status of every finding by rule and subject, figures, and what was told."""

    refused: str = ""
    code: int = 2
    statuses: dict[str, str] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    told: frozenset[Any] = frozenset()
    faults: tuple[str, ...] = ()

    def all_rules(self) -> set[str]:
        """Every rule that was judged."""
        return {name.partition(":")[0] for name in self.statuses}

    def rules(self) -> set[str]:
        """Those of whose findings nothing is in doubt."""
        doubtful = {name.partition(":")[0] for name, status in self.statuses.items() if status not in CLEAN}
        return self.all_rules() - doubtful


def nothing(value: Any) -> Any:
    """The same kind of thing with nothing in it, no number for a number.

    A yes or no, a place in a list and a geometry stay: that there is none is mostly the truth, and no program can tell
    that it is a lie.
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            return np.full_like(value, np.nan)
        return value
    if isinstance(value, np.floating | float):
        return type(value)(np.nan)
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(map(nothing, value))
    return type(value)() if isinstance(value, list | dict | str | bytes) else value


def loses(value: Any) -> bool:
    """Whether there is anything in it to lose."""
    lost = nothing(value)
    if type(value) is tuple:
        return any(map(loses, value))
    if isinstance(value, np.ndarray):
        return lost is not value and not np.isnan(value).all()
    return lost is not value and bool(value != lost)


def raises(real: Any, *given: Any, **named: Any) -> Any:
    message = "injected"
    raise RuntimeError(message)


def hangs(real: Any, *given: Any, **named: Any) -> Any:
    time.sleep(HANG_S)
    raise TimeoutError(110, "injected")


def finds_nothing(real: Any, *given: Any, **named: Any) -> Any:
    return nothing(real(*given, **named))


FAULTS: Final = (raises, hangs, finds_nothing)


def here(reader: str, path: Path, label: str, _limits: Any, *more: str) -> Any:
    """A file read in this process, where its reader's libraries can be broken, and told as the other process does."""
    from siteplan_gis.ingest import isolated

    module, function = reader.rsplit(".", 1)
    try:
        return getattr(importlib.import_module(f"{isolated.__package__}.{module}"), function)(path, label, *more)
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001
        raise InputError(f"cannot be read ({type(error).__name__})", file=label) from None


def forget() -> None:
    """Let nothing that an earlier run had learned stand in for a call."""
    for module in modules():
        for value in list(vars(module).values()):
            if hasattr(value, "cache_clear") and getattr(value, "__module__", "").startswith("siteplan_gis"):
                value.cache_clear()


def reviewed(sample: str) -> Seen:
    """What comes of a sample's review in this process."""
    from siteplan_gis.ingest.plan import sheets, vectors
    from siteplan_gis.pipeline import Inputs, exit_code, review_inputs

    folder = ROOT / "sample_plans" / sample
    named = next(
        line.split('"')[1]
        for line in (folder / "siteplan.toml").read_text().splitlines()
        if line.startswith("ordinance")
    )
    forget()
    with replaced(lambda *_: here, [(sheets, "ask")]), replaced(lambda *_: _layers_here, [(vectors, "read_isolated")]):
        try:
            review = review_inputs(Inputs((folder,), ROOT / "layers" / named), None, ON)
        except Exception as error:  # noqa: BLE001  (told as a refusal or a crash: see test_cli)
            return Seen(refused=f"{type(error).__name__}: {error}")
    return Seen(
        "", exit_code(review), {f"{one.rule.id}:{one.subject}": one.status.value for one in review.findings},
        {name: one.value for name, one in review.measured.values.items()},
        frozenset((flag.code, flag.text) for flag in (*review.measured.flags, *review.flags)), tuple(review.measured.faults),
    )  # fmt: skip


def _layers_here(reader: str, path: Path, label: str, *more: str) -> Any:
    return here(reader, path, label, None, *more)


def screened(*, runoff: bool = True) -> Seen:
    """What comes of screening many parcels in this process: every row of the table, in words."""
    import pyarrow as pa
    import pyarrow.parquet

    from siteplan_gis.countywide.job import Job, done
    from siteplan_gis.countywide.one import ParcelsAsked, evidence_of
    from siteplan_gis.ingest.reference.parcel_index import index_parcels
    from siteplan_gis.model.screening import Asked

    forget()
    try:
        given = ParcelsAsked(None, ROOT / "layers" / "saukville", asked=Asked(listed=False, runoff=runoff))
        evidence, path = evidence_of(given)
        job = Job(1, index_parcels(path, "", "", ""), evidence, given)
        table = pyarrow.parquet.read_table(pa.BufferReader(done(job)))
    except Exception as error:  # noqa: BLE001
        return Seen(refused=f"{type(error).__name__}: {error}")
    figures = {f"{number} {name}": value for number, row in enumerate(table.to_pylist()) for name, value in row.items()}
    told = frozenset(
        item for item in figures.items() if item[0].endswith((" reason", " not_known", " flags", " state"))
    )
    return Seen("", 0, {}, {name: value for name, value in figures.items() if (name, value) not in told}, told)


def wrongs(seen: Seen, before: Seen, fault: Fault) -> list[str]:
    """What a fault may not come to."""
    if seen.refused:
        return []
    clean = seen.rules()
    found = [f"comes out clean: {name}" for name in sorted(clean - before.rules()) if name in before.all_rules()]
    found += [f"comes out clean: {name}" for name, status in seen.statuses.items()
              if status in CLEAN and before.statuses.get(name, "pass") not in CLEAN]  # fmt: skip
    if seen.code == 0 != before.code:
        found.append("passes as a whole")
    # That a library finds nothing is mostly the truth; what it then comes to is another figure, not one in doubt.
    if fault is finds_nothing or seen.faults or seen.told != before.told or "error" in seen.statuses.values():
        return found
    found += [f"silently {name}: {status} for {before.statuses.get(name)}" for name, status in seen.statuses.items()
              if status not in {before.statuses.get(name), "not_checked"}]  # fmt: skip
    found += [f"silently {name}: {value} for {before.figures.get(name)}" for name, value in seen.figures.items()
              if value is not None and not _same(value, before.figures.get(name))]  # fmt: skip
    return found


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-9 * max(abs(other), 1.0)
    return bool(one == other)


def bases(names: list[str]) -> dict[str, Callable[[], Seen]]:
    """What is run: reviews of samples, and a screening of many parcels."""
    found: dict[str, Callable[[], Seen]] = {name: partial(reviewed, name) for name in names if name != PARCELS}
    return found | {PARCELS: screened} if PARCELS in names else found


@dataclass
class Campaign:
    """What was tried so far, with its outcomes; a list of them, where one is kept, is added to line by line."""

    until: float
    list_path: Path | None
    tried: dict[tuple[str, str], str] = field(default_factory=dict)
    bad: int = 0

    def reread(self) -> None:
        """Look at the list, to which others may have added."""
        if self.list_path and self.list_path.exists():
            lines = [line.split("\t") for line in self.list_path.read_text(encoding="utf-8").splitlines()]
            self.tried = {(call, fault): outcome for call, fault, outcome, _ in lines}

    def left(self, call: Call, faults: Sequence[Fault]) -> list[Fault]:
        """What it has not been broken by."""
        return [fault for fault in faults if (str(call), fault.__name__) not in self.tried]

    def try_all(self, name: str, run: Callable[[], Seen], before: Seen, wanted: dict[Call, list[Fault]]) -> None:
        """A sample's run with each of the calls broken in each way that is left."""

        def tell(call: Call, fault: Fault, seen: Seen | str) -> None:
            found = [seen] if isinstance(seen, str) else wrongs(seen, before, fault)
            outcome = "wrong" if found or isinstance(seen, str) else "refused" if seen.refused else f"exit {seen.code}"
            self.tried[str(call), fault.__name__] = outcome
            if self.list_path:
                with self.list_path.open("a", encoding="utf-8") as file:
                    file.write(f"{call}\t{fault.__name__}\t{outcome}\t{name}\n")
            if found:
                self.bad += 1
                print(f"{name}: {fault.__name__}: {call}:", *found[:4], sep="\n  ", flush=True)

        seen = Broken(run, _Until(self.until, wanted), tell).try_all()
        if seen != before:
            self.bad += 1
            print(f"{name}: what came of its forks is worth nothing: the run itself changed", flush=True)


class _Until(dict[Call, list[Fault]]):
    """Calls of which none is wanted any more when the time is over."""

    def __init__(self, until: float, wanted: dict[Call, list[Fault]]) -> None:
        super().__init__(wanted)
        self.until = until

    def __contains__(self, call: object) -> bool:
        return time.monotonic() < self.until and super().__contains__(call)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.broken", description="Reviews whose libraries break."
    )
    parser.add_argument(
        "samples", nargs="*", metavar="SAMPLE", help=f"of sample_plans, or {PARCELS}; ten and these by default"
    )
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--seed", type=int, help="chooses the sample that each call is broken in; else the quickest")
    parser.add_argument("--at-once", type=int, default=1, metavar="N", help="processes; with --tried")
    parser.add_argument("--tried", type=Path, help="a list of what was tried, left out and added to")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    runs = bases(options.samples or [*SAMPLES, PARCELS])
    before, met = {}, dict[Call, dict[str, Met]]()
    for run in runs.values():
        run()  # compiles and loads
    for name, run in runs.items():
        before[name], calls = calls_of(run, loses)
        print(f"{name}: {len(calls)} calls; exit {before[name].code} {before[name].refused}", flush=True)
        for call, found in calls.items():
            met.setdefault(call, {})[name] = found
    campaign = Campaign(time.monotonic() + 60 * options.minutes, options.tried)
    campaign.reread()
    number = next((one for one in range(1, options.at_once) if os.fork() == 0), 0)
    chance, share = random.Random(options.seed), dict[str, dict[Call, list[Fault]]]()
    for call in sorted(met, key=str)[number :: options.at_once]:
        for fault in campaign.left(call, FAULTS):
            where = {name: one.rest_s for name, one in met[call].items() if one.altered or fault is not finds_nothing}
            if where:
                name = min(where, key=where.__getitem__) if options.seed is None else chance.choice([*where])
                share.setdefault(name, {}).setdefault(call, []).append(fault)
    for name, wanted in share.items():
        campaign.try_all(name, runs[name], before[name], wanted)
    if number:
        os._exit(bool(campaign.bad))
    bad = campaign.bad + sum(os.wait()[1] != 0 for _ in range(1, options.at_once))
    campaign.reread()
    altering = {
        (str(call), fault.__name__)
        for call, places in met.items()
        for fault in FAULTS
        if fault is not finds_nothing or any(one.altered for one in places.values())
    }
    counts = Counter(outcome for one, outcome in campaign.tried.items() if one in altering)
    print(
        f"{len(met)} calls; {len(FAULTS) * len(met)} faults, of which {len(altering)} alter anything; "
        f"{counts.total()} of them tried: {dict(counts)}"
    )
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
