"""One piece of work on runoff, as one process: `flow_ways.py WAY FOLDER`. Prints JSON.

`make` writes rough ground of 4,000 by 4,000 cells of 1 m, tilted to the south, with 3 cm of noise.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

SIZE = 4_000
SAME_M = 1e-3
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
    from siteplan_gis.ingest.elevation.terrain import DemFile, read_terrain
    from siteplan_gis.measures.runoff.ground import condition_around

    terrain = read_terrain([DemFile(folder / "dem.tif")], Frame(-88.0, 43.0), Point(0, 0), margin_m)
    return condition_around(terrain.grid, Point(0, 0), margin_m)


def starts(count):
    import numpy as np
    from shapely import Point

    return [Point(xy) for xy in np.random.default_rng(5).uniform(-200, 200, (count, 2))]


def outfall(folder):
    """Seconds to read, condition and trace one outfall to a quarter mile, and for its 20 runs."""
    import numpy as np

    from siteplan_gis.ingest.elevation import terrain  # noqa: F401 (start-up is not counted)
    from siteplan_gis.measures.runoff.ensemble import repeat
    from siteplan_gis.measures.runoff.flow import trace

    (start,) = starts(1)
    began, cpu = time.perf_counter(), time.process_time()
    ground = ground_of(folder)
    traced = trace(ground, start, (), 402.336, np.inf)
    after, used = time.perf_counter(), time.process_time() - cpu
    repeat(ground, [start], (), 402.336, 0.1, 0.5, 0.0)
    runs = time.perf_counter() - after
    return {"seconds": after - began, "cpu_seconds": used, "runs": runs, "length_m": traced.length_m}


def first(folder):
    """Seconds of the first use, everything compiled, beyond those of the second."""
    began = time.perf_counter()
    outfall(folder)
    between = time.perf_counter()
    outfall(folder)
    return {"seconds": between - began - (time.perf_counter() - between)}


def windows(folder):
    """Of 300 starts all over the file: how many paths are those of the whole, say why not, or are wrong.

    Each begins in a window of 450 m around it, which is read wider where the path meets its rim.
    """
    import numpy as np
    from shapely import Point, box

    from siteplan_gis.frame import Frame
    from siteplan_gis.ingest.elevation.terrain import DemFile, read_terrain
    from siteplan_gis.measures.runoff.ground import condition_around, with_rim
    from siteplan_gis.measures.runoff.widening import Widening

    terrain = read_terrain([DemFile(folder / "dem.tif")], Frame(-88.0, 43.0), Point(0, 0), 900.0)
    reach = SIZE / 2 + 10

    def ready(grid):
        return condition_around(grid, box(-reach, -reach, reach, reach), 0.0)

    everything = Widening(ready(terrain.source.grid((0, 0, SIZE, SIZE), (1, 1))))
    counts = dict.fromkeys(("same", "told", "wrong", "widened"), 0)
    for xy in np.random.default_rng(5).uniform(-1400, 1400, (300, 2)):
        start = Point(xy)
        column, row = (int(v) for v in terrain.source.pixels(start).coords[0])
        window = Widening(
            ready(with_rim(terrain.source, (column - 450, row - 450, 900, 900), (1, 1))), ready, terrain.source
        )
        traced, known = (ground.follow(start, (), 402.336, 3.0) for ground in (window, everything))
        counts["widened"] += window.ground.z_m.size > 900 * 900
        if traced.at_window:
            counts["told"] += 1
        elif (traced.ends_because, traced.depth_at_least) == (known.ends_because, known.depth_at_least) and (
            traced.path is None or traced.path.hausdorff_distance(known.path) < SAME_M
        ):
            counts["same"] += 1
        else:
            counts["wrong"] += 1
    return counts


if __name__ == "__main__":
    way = {"make": make, "outfall": outfall, "first": first, "windows": windows}[sys.argv[1]]
    print(json.dumps(way(Path(sys.argv[2]))))
