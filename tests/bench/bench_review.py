"""How long a review takes and how much memory it needs, as a whole process, beside a peer in the same run.

The peer only imports what a script for this work would import (geopandas, rasterio, folium), and does nothing. Each
command runs once to warm the caches, then in turn; medians and the ratio to the peer are printed.

    python tests/bench/bench_review.py [RUNS]
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEER = [sys.executable, "-c", "import geopandas, rasterio, folium"]


def measure(command):
    """Wall seconds and peak memory in MB of one process."""
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.execv(command[0], command)
    _, _, usage = os.wait4(child, 0)
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    plans = sorted(path.parent for path in (ROOT / "sample_plans").glob("*/siteplan.toml"))
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as out:
        review = [sys.executable, "-m", "siteplan_gis", "review", "--on", "2026-05-01", "--out", out]
        measure(PEER)
        print(f"{'plan':40} {'seconds':>8} {'peer':>6} {'ratio':>6} {'MB':>5}")
        for plan in plans:
            command = [*review, str(plan)]
            measure(command)
            pairs = [(measure(command), measure(PEER)) for _ in range(runs)]
            ours = statistics.median(pair[0][0] for pair in pairs)
            peer = statistics.median(pair[1][0] for pair in pairs)
            memory = max(pair[0][1] for pair in pairs)
            print(f"{plan.name:40} {ours:8.2f} {peer:6.2f} {ours / peer:6.2f} {memory:5.0f}")


if __name__ == "__main__":
    main()
