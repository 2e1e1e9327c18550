"""Parcels: waters and wetlands within a mile beside DuckDB spatial, and whole screenings a second."""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

from tests.bench.running import Row, in_turn, python, run_once

_PARCELS = int(os.environ.get("BENCH_PARCELS", "5000"))


def rows(runs):
    with tempfile.TemporaryDirectory() as folder:
        run_once(python("parcel_ways.py", "make", folder, _PARCELS))
        done = in_turn({name: python("parcel_ways.py", name, folder) for name in ("ours", "duckdb")}, runs)
        ours, theirs = (json.loads(done[name].printed[0]) for name in ("ours", "duckdb"))
        yield Row(
            f"pairs within a mile of {_PARCELS:,} parcels, beside DuckDB spatial",
            abs(ours["pairs"] / theirs["pairs"] - 1),
            None,
            "",
            1e-9,
        )
        yield Row(
            "metres to the nearest, summed, beside DuckDB spatial",
            abs(ours["sum_m"] / theirs["sum_m"] - 1),
            None,
            "",
            1e-9,
        )
        seconds = [
            statistics.median(json.loads(text)["seconds"] for text in done[name].printed) for name in ("ours", "duckdb")
        ]
        yield Row(f"counts and nearest of {_PARCELS:,} parcels, beside DuckDB spatial", *seconds, "s", 1 / 5)
        yield Row("peak memory of it", done["ours"].memory_mb, done["duckdb"].memory_mb, "MB", 1.0)
        whole = [
            sys.executable, "-m", "siteplan_gis", "prescreen", str(Path(folder) / "parcels.gpkg"), "--layers", folder,
            "--invented", "--no-runoff", "--workers", "2", "--out", str(Path(folder) / "out"),
        ]  # fmt: skip
        wall, memory, _ = run_once(whole)
        yield Row(
            f"whole pre-screening of {_PARCELS:,} parcels with 2 workers, seconds for 400",
            400 * wall / _PARCELS,
            None,
            "s",
            1.0,
        )
        yield Row("peak memory of the process that gathers", memory, None, "MB", 2000)
