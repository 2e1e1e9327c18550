"""Runoff followed from one outfall on a grid of 1 m, its runs, the first use, and windows beside the whole grid.

How far paths agree with GRASS's stands in tests/oracles/test_flow_oracles.py, as a test, and for more grounds in
tests/campaigns/grass_paths.py.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile

from tests.bench.running import Row, in_turn, python, run_once


def rows(runs):
    with tempfile.TemporaryDirectory() as folder:
        run_once(python("flow_ways.py", "make", folder))
        done = in_turn({"outfall": python("flow_ways.py", "outfall", folder)}, runs)["outfall"]
        told = [json.loads(text) for text in done.printed]
        yield Row("one outfall, 1 m: read, conditioned, traced", median(told, "seconds"), None, "s", 0.8)
        yield Row("20 runs over shaken ground", median(told, "runs"), None, "s", 3.0)
        yield Row("peak memory, one outfall and its runs", done.memory_mb, None, "MB", 400)
        with tempfile.TemporaryDirectory() as empty:
            os.environ["NUMBA_CACHE_DIR"] = empty
            _, _, printed = run_once(python("flow_ways.py", "first", folder))
            del os.environ["NUMBA_CACHE_DIR"]
        yield Row("first use, kernels compiled", json.loads(printed)["seconds"], None, "s", 15)
        _, _, printed = run_once(python("flow_ways.py", "windows", folder))
        counted = json.loads(printed)
        told = f"{counted['widened']} read wider, {counted['told']} say that the data go on"
        yield Row(f"paths of 300 unlike those of the whole file ({told})", counted["wrong"], None, "", 0)


def median(told, key):
    return statistics.median(each[key] for each in told)
