"""Parcels: waters and wetlands within a mile beside DuckDB spatial, and whole screenings a second.

BENCH_PARCELS is how many parcels of a state with 1,000,000 wetlands and 250,000 streams (20,000; 200,000 take minutes),
BENCH_SCREENED how many of a county are screened whole.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

from tests.bench.running import Row, in_turn, python, run_once

_PARCELS = int(os.environ.get("BENCH_PARCELS", "20000"))
_SCREENED = int(os.environ.get("BENCH_SCREENED", "10000"))
_MANY = 200_000
"""Of fewer parcels, reading the state is most of the time, whoever does it."""


def rows(runs):
    yield from _neighbours(runs)
    yield from _whole(runs)


def _neighbours(runs):
    with tempfile.TemporaryDirectory() as folder:
        run_once(python("parcel_ways.py", "make", folder, _PARCELS))
        done = in_turn({name: python("parcel_ways.py", name, folder) for name in ("ours", "duckdb", "plain")}, runs)
    told = {name: [json.loads(text) for text in run.printed] for name, run in done.items()}
    ours, theirs = told["ours"][0], told["duckdb"][0]
    for what, name in (
        ("pairs within a mile", "pairs"),
        ("metres to the nearest, summed", "sum_m"),
        ("parcels near one", "told"),
    ):
        yield Row(
            f"{what}, {_PARCELS:,} parcels, apart from DuckDB spatial",
            abs(ours[name] / theirs[name] - 1),
            None,
            "",
            1e-9,
        )
    wanted = 1 / 5 if _PARCELS >= _MANY else 1.0
    for name, peer in (("duckdb", "DuckDB's quickest query"), ("plain", "DuckDB's plain query")):
        for key, what in (("seconds", "wall"), ("cpu_s", "CPU")):
            each = [statistics.median(one[key] for one in told[which]) for which in ("ours", name)]
            yield Row(f"counts and nearest of {_PARCELS:,} parcels, {what}, {peer}", *each, "s", wanted)
    memory = [max(one["memory_mb"] for one in told[name]) for name in ("ours", "duckdb")]
    yield Row("peak memory of all its processes, beside DuckDB's quickest query", *memory, "MB", 1.0)


def _whole(runs):
    with tempfile.TemporaryDirectory() as folder:
        run_once(python("parcel_ways.py", "county", folder, _SCREENED))
        whole = [
            sys.executable, "-m", "siteplan_gis", "prescreen", str(Path(folder) / "parcels.gpkg"), "--layers", folder,
            "--invented", "--no-runoff", "--workers", "2", "--out", str(Path(folder) / "out"),
        ]  # fmt: skip
        done = in_turn({"whole": whole}, runs)["whole"]
    yield Row(
        f"whole pre-screening of {_SCREENED:,} parcels with 2 workers, seconds for 400",
        400 * done.seconds / _SCREENED,
        None,
        "s",
        1.0,
    )
    yield Row("peak memory of its largest process", done.memory_mb, None, "MB", 2000)
