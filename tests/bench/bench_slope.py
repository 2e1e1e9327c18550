"""Acres at 20 % or more: beside gdaldem with exactextract, numpy with rasterstats, and the mere reading of the data."""

from __future__ import annotations

import json
import statistics
import tempfile

from tests.bench.running import Row, in_turn, python, run_once

MOST_IN_MEMORY = 10_000


def rows(runs, size=10_000):
    with tempfile.TemporaryDirectory() as folder:
        run_once(python("slope_ways.py", "make", folder, size))

        def ways(*names):
            return in_turn({name: python("slope_ways.py", name, folder, size) for name in names}, runs)

        # One peer takes the whole raster, of 30,000^2 cells more than 20 GB, into memory.
        peers = ("gdaldem", "rasterstats") if size <= MOST_IN_MEMORY else ("gdaldem",)
        done = ways("ours-large", *peers)
        ours, gdal = (json.loads(done[name].printed[0])["acres"] for name in ("ours-large", "gdaldem"))
        # In all: of the ties at 20 % gdaldem, which counts in 32 bits, misjudges every second one.
        error = abs(sum(ours) / sum(gdal) - 1)
        yield Row("steep acres of 12 areas, beside gdaldem + exactextract", error, None, "", 1e-4)
        mine = done["ours-large"]
        yield Row(f"beside gdaldem + exactextract, {size:,}^2", mine.seconds, done["gdaldem"].seconds, "s", 1 / 6)
        if "rasterstats" in done:
            yield Row("beside numpy Horn + rasterstats", mine.seconds, done["rasterstats"].seconds, "s", 1 / 3)
        yield Row("peak memory, areas", mine.memory_mb, None, "MB", 300)
        done = ways("ours-small", "windows")
        ours, theirs = (json.loads(done[name].printed[0]) for name in ("ours-small", "windows"))
        error = abs(sum(ours["acres"]) / sum(theirs["acres"]) - 1)
        yield Row("steep acres of 200 sites, beside windowed numpy", error, None, "", 1e-4)
        yield Row("200 sites, beside windowed numpy + exactextract", *seconds(done, "ours-small", "windows"), "s", 0.35)
        done = ways("ours-whole", "decode")
        yield Row(
            "whole raster, beside rasterio's decoding by 2 threads", *seconds(done, "ours-whole", "decode"), "s", 1.25
        )
        yield Row("peak memory, whole raster", done["ours-whole"].memory_mb, None, "MB", 300)


def seconds(done, *names):
    """Medians of the seconds that the processes themselves counted: without start-up."""
    return [statistics.median(json.loads(text)["seconds"] for text in done[name].printed) for name in names]
