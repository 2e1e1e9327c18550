"""Quarter-mile paths on several grounds like that of lidar, against GRASS: `python -m tests.campaigns.grass_paths`.

Prints, for each ground and for all, in how many of the traces both ends lie within 10, 20 and 30 m of the other's way.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.oracles.test_flow_oracles import apart, made, starts

SEEDS = (3, 4, 5)
WITHIN_M = (10.0, 20.0, 30.0)


def main():
    """Compare on each ground."""
    every = []
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            directions, near = made(Path(folder), seed)
        found = [apart(directions, near, row, col) for row, col in starts()]
        every += found
        told(f"ground {seed}", found)
    told("all", every)


def told(name, found):
    """Print one line."""
    counts = (f"{int((np.array(found) <= near).sum())} within {near:.0f} m" for near in WITHIN_M)
    sys.stdout.write(f"{name}: of {len(found)} traces " + ", ".join(counts) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
