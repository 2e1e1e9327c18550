"""Quarter-mile paths on several grounds like that of lidar, against GRASS: `python -m tests.campaigns.grass_paths`.

GRASS spills over the rim of every depression, so ours do here too; how many stop in one by the program's own rule is
told beside it. Prints, for each ground and for all, in how many of the traces both ends lie within 10, 20 and 30 m of
the other's way; a trace of either that is no quarter mile long counts as not agreeing.
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
        found = [
            (apart(directions, near, row, col, np.inf), apart(directions, near, row, col)) for row, col in starts()
        ]
        every += found
        told(f"ground {seed}", np.array(found))
    told("all", np.array(every))


def told(name, found):
    """Print one line."""
    spilling, own = found.T
    counts = ", ".join(f"{int((spilling <= near).sum())} within {near:.0f} m" for near in WITHIN_M)
    stopped = int((np.isinf(own) & ~np.isinf(spilling)).sum())
    said = f"{name}: of {len(found)} traces {counts}; {int(np.isinf(spilling).sum())} are no quarter mile long"
    sys.stdout.write(f"{said}; {stopped} stop in a depression by our own rule\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
