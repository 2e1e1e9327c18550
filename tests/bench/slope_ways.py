"""One way to measure steep ground, as one process: `slope_ways.py WAY FOLDER [SIZE]`. Prints JSON: acres and seconds.

`make` writes the data: rough hills of SIZE by SIZE cells of 1 m, heights in whole centimetres, tiled deflate.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ACRE_M2 = 4046.8564224
SIZE = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
CRS = "+proj=laea +lat_0=43 +lon_0=-88 +ellps=GRS80 +units=m +type=crs"
LIMIT = 0.2


def circles(kind):
    """x, y and radius: a dozen large areas, 200 small sites, or (no circle) the whole raster within its rim."""
    import numpy as np

    rng = np.random.default_rng(7)
    if kind == "large":
        return np.column_stack((rng.uniform(-4300, 4300, (12, 2)), rng.uniform(300, 600, 12)))
    return np.column_stack((rng.uniform(-4850, 4850, (200, 2)), rng.uniform(40, 110, 200)))


def areas(kind):
    import shapely

    if kind == "whole":
        rim = SIZE / 2 - 1
        return [shapely.box(-rim, -rim, rim, rim)]
    return [shapely.Point(x, y).buffer(r, quad_segs=16) for x, y, r in circles(kind)]


def make(folder):
    import numpy as np
    import rasterio
    from rasterio.windows import Window

    rng = np.random.default_rng(4)
    waves = [(30.0, 13), (12.0, 41), (3.0, 161), (0.8, 641)]
    knots = [height * rng.normal(0, 1, (count, count)) for height, count in waves]
    profile = {
        "driver": "GTiff", "height": SIZE, "width": SIZE, "count": 1, "dtype": "float32", "crs": CRS,
        "transform": rasterio.Affine(1, 0, -SIZE / 2, 0, -1, SIZE / 2),
        "tiled": True, "blockxsize": 256, "blockysize": 256, "compress": "deflate", "predictor": 3,
        "bigtiff": "IF_SAFER",
    }  # fmt: skip
    with rasterio.open(folder / "dem.tif", "w", **profile) as file:
        file.set_band_unit(1, "metre")
        for top in range(0, SIZE, 256):
            rows = np.arange(top, min(top + 256, SIZE))
            z = 260 + rng.normal(0, 0.03, (rows.size, SIZE))
            for grid in knots:
                scale = (len(grid) - 1.001) / (SIZE - 1)
                i, j = (rows * scale).astype(int), (np.arange(SIZE) * scale).astype(int)
                v, u = (rows * scale - i)[:, None], np.arange(SIZE) * scale - j
                upper, lower = grid[i], grid[i + 1]
                z += (1 - v) * (upper[:, j] * (1 - u) + upper[:, j + 1] * u)
                z += v * (lower[:, j] * (1 - u) + lower[:, j + 1] * u)
            file.write(np.round(z, 2).astype("float32"), 1, window=Window(0, top, SIZE, rows.size))
    return {}


def ours(folder, kind):
    import numpy as np
    import shapely

    from siteplan_gis.crs import georeference
    from siteplan_gis.frame import frame_around
    from siteplan_gis.ingest.elevation.terrain import DemFile, open_terrain
    from siteplan_gis.measures.terrain.slope import steep_shares

    reference = georeference(CRS)
    frame = frame_around(np.array([[-88.0, 43.0]]))
    drawn = [frame.project(area, reference) for area in areas(kind)]
    source = open_terrain([DemFile(folder / "dem.tif")], frame, drawn).source
    if kind != "large":
        # Of that one the whole process counts; for the others kernels are loaded before the clock starts.
        steep_shares(source, [shapely.box(-90, -90, 90, 90)], LIMIT, None)
    start = time.perf_counter()
    found = steep_shares(source, drawn, LIMIT, None)
    return {"seconds": time.perf_counter() - start, "acres": (found.steep_m2 / ACRE_M2).tolist()}


def horn(z):
    """Slope of a grid of 1 m cells by Horn's weights, the outermost cells not a number."""
    import numpy as np

    slope = np.full(z.shape, np.nan, dtype=np.float32)
    west = z[:-2, :-2] + 2 * z[1:-1, :-2] + z[2:, :-2]
    east = z[:-2, 2:] + 2 * z[1:-1, 2:] + z[2:, 2:]
    north = z[:-2, :-2] + 2 * z[:-2, 1:-1] + z[:-2, 2:]
    south = z[2:, :-2] + 2 * z[2:, 1:-1] + z[2:, 2:]
    slope[1:-1, 1:-1] = np.hypot(east - west, south - north) / 8
    return slope


def gdaldem(folder):
    import geopandas
    import numpy as np
    from exactextract import exact_extract

    slopes = folder / "slope.tif"
    command = ["gdaldem", "slope", "-q", "-p", folder / "dem.tif", slopes, "-co", "TILED=YES"]
    subprocess.run(command, check=True)
    zones = geopandas.GeoDataFrame(geometry=areas("large"), crs=CRS)
    acres = []
    for feature in exact_extract(str(slopes), zones, ["values", "coverage"]):
        values, shares = (np.asarray(feature["properties"][name]) for name in ("values", "coverage"))
        acres.append(float(shares[values >= 100 * LIMIT].sum()) / ACRE_M2)
    return {"acres": acres}


def rasterstats(folder):
    import rasterio
    from rasterstats import zonal_stats

    with rasterio.open(folder / "dem.tif") as file:
        slope, place = horn(file.read(1)), file.transform
    steep = (slope >= LIMIT).astype("uint8")
    found = zonal_stats(areas("large"), steep, affine=place, stats=["sum"], nodata=255)
    return {"acres": [zone["sum"] / ACRE_M2 for zone in found]}


def windows(folder):
    """Each site by its own window with a halo, its cells weighted by their exact coverage."""
    import math

    import numpy as np
    import rasterio
    import shapely
    from exactextract import exact_extract
    from exactextract.raster import NumPyRasterSource
    from rasterio.windows import Window

    acres = []
    drawn = areas("small")
    start = time.perf_counter()
    with rasterio.open(folder / "dem.tif") as file:
        for area in drawn:
            left, bottom, right, top = area.bounds
            c0, r0 = math.floor(left + SIZE / 2) - 1, math.floor(SIZE / 2 - top) - 1
            window = Window(c0, r0, math.ceil(right - left) + 3, math.ceil(top - bottom) + 3)
            slope = horn(file.read(1, window=window))
            west, south, east, north = file.window_bounds(window)
            steep = NumPyRasterSource(np.where(slope >= LIMIT, 1.0, 0.0), xmin=west, ymin=south, xmax=east, ymax=north)
            zone = {"type": "Feature", "properties": {}, "geometry": shapely.geometry.mapping(area)}
            acres.append(exact_extract(steep, zone, ["sum"])[0]["properties"]["sum"] / ACRE_M2)
    return {"seconds": time.perf_counter() - start, "acres": acres}


def decode(folder):
    """What rasterio needs to decode every block with two threads, and no arithmetic."""
    import rasterio
    from rasterio.windows import Window

    half = SIZE // 512 * 256

    def read(top):
        with rasterio.open(folder / "dem.tif") as file:
            for row in range(top, half if top == 0 else SIZE, 256):
                file.read(1, window=Window(0, row, SIZE, min(256, SIZE - row)))

    start = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(read, (0, half)))
    return {"seconds": time.perf_counter() - start}


WAYS = {
    "make": make,
    "ours-large": lambda folder: ours(folder, "large"),
    "ours-small": lambda folder: ours(folder, "small"),
    "ours-whole": lambda folder: ours(folder, "whole"),
    "gdaldem": gdaldem,
    "rasterstats": rasterstats,
    "windows": windows,
    "decode": decode,
}

if __name__ == "__main__":
    print(json.dumps(WAYS[sys.argv[1]](Path(sys.argv[2]))))
