"""Elevations from image services and cloud-optimised files: the cells that were asked, their unit told, or nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import rasterio
import shapely
from affine import Affine
from orders import QUICK, WHEN, catalogue
from rasterio.io import MemoryFile
from services import Reply, Service

from siteplan_gis.fetching.gathering import Fetched, Order, fetch_layers
from siteplan_gis.fetching.ground import box_in
from siteplan_gis.fetching.registry import read_sources
from siteplan_gis.frame import Frame
from siteplan_gis.ingest.elevation.terrain import DemFile, read_terrain

if TYPE_CHECKING:
    from pathlib import Path

CORNER, CELL = (690_001.5, 331_000.5), 2.0
BOX = (-87.898, 43.4255, -87.882, 43.436)


def height(x: Any, y: Any) -> Any:
    return 250 + 8 * np.sin(x / 37) + 5 * np.cos(y / 53)


def _picture(
    west: float, north: float, columns: int, rows: int, faults: set[str], *, unit: str = "", **profile: Any
) -> bytes:
    x, y = np.meshgrid(west + CELL * (np.arange(columns) + 0.5), north - CELL * (np.arange(rows) + 0.5))
    z = height(x, y)
    z[(x > 690_500) & (x < 690_520)] = -9999 if "void" not in faults else z[0, 0]
    if "all_void" in faults:
        z[:] = -9999
    if "all_zero" in faults:
        z[:] = 0
    bands, kind = (3 if "three_bands" in faults else 1), ("uint8" if "bytes" in faults else "float32")
    transform = Affine(CELL, 0, west + ("shifted" in faults) * 0.6, 0, -CELL, north)
    made = {"driver": "GTiff", "width": columns, "height": rows, "count": bands, "dtype": kind, "crs": "EPSG:3071",
            "transform": transform, **({} if kind == "uint8" else {"nodata": -9999.0})} | profile  # fmt: skip
    with MemoryFile() as file:
        with file.open(**made) as target:
            for band in range(1, bands + 1):
                target.write(z.astype(kind) if kind != "uint8" else np.ones(z.shape, np.uint8), band)
            if unit:
                target.units = (unit,) * bands
        return bytes(file.read())


class Heights:
    """An image service at /image and a file at /dem.tif."""

    def __init__(self, service: Service, kind: str = "image", fault: str = "") -> None:
        service.faults = {fault}
        self.service, self.about = service, {"latestVcsWkid": 5703, "vcsWkid": 105703}
        if kind == "cog":
            self.file = _picture(*CORNER, 1000, 1000, service.faults, unit="metre", driver="COG", compress="DEFLATE")
        service.routes |= {"/image": self.image, "/dem.tif": self.cog}

    def image(self, asked: dict[str, str], _: dict[str, str]) -> Reply:
        faults = self.service.faults
        if not asked["path"].endswith("exportImage"):
            extent = {"xmin": CORNER[0], "ymax": CORNER[1], "xmax": CORNER[0] + 2000, "ymin": CORNER[1] - 2000}
            about = {"pixelSizeX": CELL, "pixelSizeY": CELL, "extent": extent, "bandCount": 1, "maxImageWidth": 300,
                     "maxImageHeight": 4000, "spatialReference": {"wkid": 3071, "latestWkid": 3071, **self.about}}  # fmt: skip
            return Reply(json.dumps(about).encode())
        self.service.count_pages += 1
        self.service.before_page(self.service.count_pages)
        if self.service.once("error_200", 2):
            return Reply(b'{"error":{"code":500,"message":"Error exporting image","details":[]}}')
        west, _, _, north = map(float, asked["bbox"].split(","))
        columns, rows = map(int, asked["size"].split(","))
        if "smaller" in faults:
            columns //= 2
        body = _picture(west, north, columns, rows, faults)
        if self.service.once("cut_picture"):
            body = body[: len(body) // 2]
        return Reply(body, headers={"Content-Type": "image/tiff"})

    def cog(self, asked: dict[str, str], headers: dict[str, str]) -> Reply:
        faults = self.service.faults
        self.service.count_pages += 1
        if "no_parts" in faults:
            return Reply(self.file)
        start, last = (int(one) for one in headers["Range"].removeprefix("bytes=").split("-"))
        last = min(last, len(self.file) - 1)
        part = self.file[start : last + 1]
        if "not_a_tiff" in faults:
            part = b"<html>" + part[6:]
        if self.service.once("wrong_part"):
            part = part[5:]
        tag = '"b"' if "changes" in faults and self.service.count_pages > 2 else '"a"'
        return Reply(part, 206, {"Content-Range": f"bytes {start}-{last}/{len(self.file)}", "ETag": tag})


def _fetch(
    folder: Path, service: Service, kind: str, *, keys: str = "", given: str = "", use: str = "elevation"
) -> Fetched:
    path = "image/rest/services/DEM/ImageServer" if kind == "image" else "dem.tif"
    file = folder / "sources.toml"
    file.write_text(
        f"""
[[service]]
id = "test"
owner = "Nobody, a server on this machine"
kind = "{kind}"
url = "{service.url}/{path}"
covers = "Wisconsin"
licence = "CC0-1.0"
date = "2020-05-01"
vertical_datum = "NAVD88"
[[service.layer]]
id = "heights"
other = "{use}"
title = "Heights"
geometry = "raster"
{keys}
""",
        encoding="utf-8",
    )
    order = Order("a box", BOX, read_sources(file), folder / "layers", WHEN, QUICK, given)
    (done,) = fetch_layers(order, lambda _: None)
    return done


def _centres(dataset: Any) -> Any:
    west, north = dataset.bounds.left, dataset.bounds.top
    return np.meshgrid(west + CELL * (np.arange(dataset.width) + 0.5), north - CELL * (np.arange(dataset.height) + 0.5))


@pytest.mark.parametrize(
    ("kind", "fault"),
    [("image", ""), ("image", "error_200"), ("image", "cut_picture"), ("cog", ""), ("cog", "wrong_part")],
)
def test_the_cells_are_those_that_were_asked(kind: str, fault: str, service: Service, tmp_path: Path) -> None:
    Heights(service, kind, fault)
    done = _fetch(tmp_path, service, kind)
    assert done.path is not None, done.problem
    with rasterio.open(done.path) as dataset:
        z, bounds = dataset.read(1, masked=True), dataset.bounds
        x, y = _centres(dataset)
        assert dataset.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
        assert dataset.block_shapes == [(512, 512)]
        assert (dataset.nodata, dataset.units[0], dataset.crs.to_epsg()) == (-9999.0, "metre", 3071)
    assert np.abs(z - height(x, y)).max() < 1e-4
    assert (z.mask == ((x > 690_500) & (x < 690_520))).all()
    west, _, east, north = box_in("EPSG:3071", BOX)
    assert bounds.left <= max(west, CORNER[0])
    assert bounds.right >= min(east, CORNER[0] + 2000)
    assert bounds.top >= min(north, CORNER[1])
    (dem,) = catalogue(tmp_path)["dem"]
    assert (dem["units"], dem["vertical_datum"], dem["fetched"]["got"]) == ("m", "NAVD88", z.size)
    frame = Frame(-87.89, 43.43)
    terrain = read_terrain(
        [DemFile(done.path, dem["units"], "catalogue")], frame, shapely.box(-100, -100, 100, 100), 100
    )
    assert terrain.grid is not None
    assert terrain.grid.cell_m == pytest.approx(CELL, rel=1e-3)


REFUSED = {
    "image": {
        "smaller": "cells were asked", "shifted": "0.30 cells from where it was asked", "all_void": "no cell has an elevation",
        "all_zero": "an empty picture", "three_bands": "3 bands", "bytes": "values are bytes",
        "error_200_always": "Error exporting image", "cut_picture_always": "no whole picture",
    },
    "cog": {
        "no_parts": "does not give parts", "changes": "changed while it was read", "not_a_tiff": "not that of a TIFF",
        "wrong_part_always": "another part of the file came", "bytes": "values are bytes", "three_bands": "3 bands",
    },
}  # fmt: skip


@pytest.mark.parametrize(("kind", "fault"), [(kind, fault) for kind, faults in REFUSED.items() for fault in faults])
def test_no_elevations_come_from(kind: str, fault: str, service: Service, tmp_path: Path) -> None:
    Heights(service, kind, fault)
    done = _fetch(tmp_path, service, kind)
    assert done.path is None
    assert REFUSED[kind][fault] in str(done.problem)
    assert catalogue(tmp_path) == {}


@pytest.mark.parametrize(
    ("vertical", "keys", "given", "unit", "problem"),
    [
        ({"latestVcsWkid": 6360}, "", "", "us-ft", ""),
        ({"latestVcsWkid": 8228}, "", "", "ft", ""),
        ({}, 'units = "ft"', "", "ft", ""),
        ({}, "", "us-ft", "us-ft", ""),
        ({"latestVcsWkid": 6360}, 'units = "ft"', "us-ft", "us-ft", ""),
        ({}, "", "", "", "nothing tells the unit of height"),
        (
            {"latestVcsWkid": 5703},
            'units = "ft"',
            "",
            "",
            "told in two ways: the service says m, the file of sources says ft",
        ),
        ({"latestVcsWkid": 5703}, "", "us-ft", "", "told in two ways"),
    ],
)
def test_the_unit_of_height_is_told_or_the_fetch_refused(
    vertical: dict[str, int], keys: str, given: str, unit: str, problem: str, service: Service, tmp_path: Path
) -> None:
    Heights(service).about = vertical
    done = _fetch(tmp_path, service, "image", keys=keys, given=given)
    if problem:
        assert problem in str(done.problem)
        assert catalogue(tmp_path) == {}
    else:
        assert done.path is not None, done.problem
        assert catalogue(tmp_path)["dem"][0]["units"] == unit


def test_an_interrupted_raster_goes_on(service: Service, tmp_path: Path) -> None:
    Heights(service)

    def stop(page: int) -> None:
        service.faults = {"error_200_always"} if page > 3 else set()

    service.before_page = stop
    assert _fetch(tmp_path, service, "image").path is None
    asked, service.before_page, service.faults = service.count_pages, lambda _: None, set()
    done = _fetch(tmp_path, service, "image")
    assert done.path is not None, done.problem
    with rasterio.open(done.path) as dataset:
        z = dataset.read(1, masked=True)
        x, y = _centres(dataset)
    assert np.abs(z - height(x, y)).max() < 1e-4
    pieces = -(-z.shape[0] // 300) * -(-z.shape[1] // 300)
    assert service.count_pages - asked == pieces - 3


def test_a_box_that_is_too_large_is_refused_before_anything_is_asked(service: Service, tmp_path: Path) -> None:
    Heights(service)
    done = _fetch(tmp_path, service, "image", keys='image_crs = "EPSG:26916"\ncell_m = 0.01')
    assert "million cells" in str(done.problem)
    assert service.count_pages == 0


def test_another_raster_is_kept_for_people_and_no_review_reads_it(service: Service, tmp_path: Path) -> None:
    Heights(service).about = {}
    assert _fetch(tmp_path, service, "image", use="slope").path is not None
    assert catalogue(tmp_path).keys() == {"name", "other"}
