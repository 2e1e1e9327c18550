"""One piece of work on runoff, as one process: `flow_ways.py WAY FOLDER`. Prints JSON.

`make` writes rough ground of 4,000 by 4,000 cells of 1 m, tilted to the south, with 3 cm of noise.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

SIZE = 4_000
CRS = "+proj=laea +lat_0=43 +lon_0=-88 +ellps=GRS80 +units=m +type=crs"


def make(folder):
    import numpy as np
    import rasterio

    rng = np.random.default_rng(3)
    frequency = np.hypot(np.fft.fftfreq(SIZE)[:, None], np.fft.rfftfreq(SIZE)[None])
    frequency[0, 0] = 1
    relief = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((SIZE, SIZE))) * frequency**-2.2, s=(SIZE, SIZE))
    z = relief / relief.std() * 10 + 0.02 * (SIZE - np.arange(SIZE))[:, None] + rng.normal(0, 0.03, (SIZE, SIZE))
    profile = {
        "driver": "GTiff", "height": SIZE, "width": SIZE, "count": 1, "dtype": "float32", "crs": CRS, "tiled": True,
        "transform": rasterio.Affine(1, 0, -SIZE / 2, 0, -1, SIZE / 2), "compress": "deflate", "predictor": 3,
    }  # fmt: skip
    with rasterio.open(folder / "dem.tif", "w", **profile) as file:
        file.set_band_unit(1, "metre")
        file.write(z.astype(np.float32), 1)


def ground_of(folder, margin_m=900.0):
    from shapely import Point

    from siteplan_gis.frame import Frame
    from siteplan_gis.ingest.terrain import DemFile, read_terrain
    from siteplan_gis.measures.ground import condition_around

    terrain = read_terrain([DemFile(folder / "dem.tif")], Frame(-88.0, 43.0), Point(0, 0), margin_m)
    return condition_around(terrain.grid, Point(0, 0), margin_m)


def starts(count):
    import numpy as np
    from shapely import Point

    return [Point(xy) for xy in np.random.default_rng(5).uniform(-200, 200, (count, 2))]


def outfall(folder):
    """Seconds to read, condition and trace one outfall to a quarter mile, and for its 20 runs."""
    import numpy as np

    from siteplan_gis.ingest import terrain  # noqa: F401 (start-up is not counted)
    from siteplan_gis.measures.ensemble import repeat
    from siteplan_gis.measures.flow import trace

    (start,) = starts(1)
    began = time.perf_counter()
    ground = ground_of(folder)
    traced = trace(ground, start, (), 402.336, np.inf)
    after = time.perf_counter()
    repeat(ground, [start], (), 402.336, 0.1, 0.5, 0.0)
    return {"seconds": after - began, "runs": time.perf_counter() - after, "length_m": traced.length_m}


def first(folder):
    """Seconds of the first use, everything compiled, beyond those of the second."""
    began = time.perf_counter()
    outfall(folder)
    between = time.perf_counter()
    outfall(folder)
    return {"seconds": between - began - (time.perf_counter() - between)}


def windows(folder):
    """Of 300 starts: how many paths of the window are those of the whole, say that they end, or are wrong."""
    from shapely import Point

    from siteplan_gis.measures.flow import condition_around, trace

    whole = ground_of(folder, 1200.0)
    window = condition_around(whole.grid, Point(0, 0), 450.0)
    same = told = wrong = 0
    for start in starts(300):
        traced, known = (trace(ground, start, (), 402.336, 3.0) for ground in (window, whole))
        if traced.ends_because == "leaves_elevation_data" or traced.depth_at_least:
            told += 1
        elif traced.ends_because == known.ends_because and (
            traced.path is None or traced.path.hausdorff_distance(known.path) < traced.plus_minus_m
        ):
            same += 1
        else:
            wrong += 1
    return {"same": same, "told": told, "wrong": wrong}


if __name__ == "__main__":
    way = {"make": make, "outfall": outfall, "first": first, "windows": windows}[sys.argv[1]]
    print(json.dumps(way(Path(sys.argv[2]))))
