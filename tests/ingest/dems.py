"""Elevation rasters for the tests, and how they are read."""

from pathlib import Path

import numpy as np
import rasterio
import rasterio.shutil
import shapely
from affine import Affine

from siteplan_gis.crs import georeference
from siteplan_gis.frame import frame_around
from siteplan_gis.ingest.elevation.terrain import DemFile, read_terrain

CASES = Path(__file__).resolve().parents[1] / "cases"
DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
UTM = "EPSG:26917"
PLACE = Affine(1, 0, 690_000, 0, -1, 3_960_100)


def write(path, z, transform=PLACE, crs=UTM, *, unit=None, description=None, tags=None, scale=None, **profile):
    bands = z if z.ndim == 3 else z[None]
    profile = {"driver": "GTiff", "dtype": bands.dtype, "count": len(bands), **profile}
    with rasterio.open(
        path, "w", height=bands.shape[1], width=bands.shape[2], transform=transform, crs=crs, **profile
    ) as file:
        file.write(bands)
        if unit:
            file.set_band_unit(1, unit)
        if description:
            file.set_band_description(1, description)
        if tags:
            file.update_tags(1, **tags)
        if scale:
            file.scales, file.offsets = (scale[0],), (scale[1],)
    return path


def around(crs=UTM, box=(690_020, 3_960_020, 690_080, 3_960_080)):
    reference = georeference(crs)
    drawn = shapely.box(*box)
    frame = frame_around(reference.lonlat(shapely.get_coordinates(drawn)))
    return frame, frame.project(drawn, reference)


def read(*files, crs=UTM, box=(690_020, 3_960_020, 690_080, 3_960_080), margin_m=100.0):
    frame, site = around(crs, box)
    return read_terrain([f if isinstance(f, DemFile) else DemFile(f) for f in files], frame, site, margin_m)


def codes(terrain):
    return sorted({flag.code for flag in terrain.flags})


def hills(rows=100, columns=100):
    y, x = np.mgrid[:rows, :columns]
    return 250 + 0.05 * x + 3 * np.sin(y / 9)
