"""One table of all benchmarks beside their peers.

    python -m tests.bench [--runs N] [--size CELLS] [NAME ...]

Every `bench_NAME.py` of this folder has a function `rows(runs)` that yields rows. Exit 1 where one is not met.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from tests.bench.running import HEADER


def main():
    names = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Benchmarks beside their peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all of them by default")
    parser.add_argument("--runs", type=int, default=5, help="runs of each, in turn; medians count")
    parser.add_argument("--size", type=int, help="columns and rows of the elevations of `slope`, 10,000 by default")
    options = parser.parse_args()
    unknown = set(options.names) - set(names)
    if unknown:
        parser.error(f"no benchmark is named {', '.join(sorted(unknown))}")
    print(HEADER, flush=True)
    met = True
    for name in options.names or names:
        sized = {"size": options.size} if options.size and name == "slope" else {}
        for row in importlib.import_module(f"tests.bench.bench_{name}").rows(options.runs, **sized):
            print(row, flush=True)
            met = met and row.met
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
