"""Fingerprints that outlive a new order of features, another CRS and another name of the file."""

from __future__ import annotations

import random
from datetime import date
from typing import TYPE_CHECKING

import fiona
import pytest
import shapely
from shapely.geometry import mapping

from siteplan_gis.crs import georeference
from siteplan_gis.frame import Frame
from siteplan_gis.pipeline import Inputs, review_inputs

if TYPE_CHECKING:
    from pathlib import Path

FRAME = Frame(-88.33, 42.79)
SITE = shapely.box(-200, -200, 200, 200)
LAYERS = {
    "site": [SITE],
    "disturbed_area": [shapely.box(-150, -150, -10, 150), shapely.box(10, -150, 150, 150)],
    "pond": [shapely.box(-60, 50, -30, 80), shapely.box(40, 50, 70, 80), shapely.box(0, -90, 30, -60)],
    "stockpile": [shapely.box(-90, 0, -80, 10), shapely.box(80, 0, 90, 10)],
}
PAUSES = {"paused": "2026-05-01", "resumes": "2026-08-01"}
WATERS = [shapely.LineString([(-900, y), (900, y + 50)]) for y in (400, 600, 900)]


def written(folder: Path, crs: str = "EPSG:7613", stem: str = "plan", seed: int = 0) -> list[Path]:
    folder.mkdir()
    own = georeference(crs)
    shuffle = random.Random(seed)
    layers = list(LAYERS.items())
    shuffle.shuffle(layers)
    for layer, shapes in layers:
        features = list(enumerate(shapes)) if not seed else shuffle.sample(list(enumerate(shapes)), len(shapes))
        attributes = {"paused": "str", "resumes": "str"} if layer == "disturbed_area" else {"note": "str"}
        schema = {"geometry": "Unknown", "properties": attributes}
        with fiona.open(
            folder / f"{stem}.gpkg", "w", driver="GPKG", layer=layer, schema=schema, crs_wkt=own.crs.to_wkt("WKT1_GDAL")
        ) as target:
            for _, one in features:
                placed = FRAME.unproject(one, own)
                values = PAUSES if layer == "disturbed_area" else {"note": "x"}
                target.write({"geometry": mapping(placed), "properties": values})
    with fiona.open(
        folder.parent / f"{folder.name}-{stem}-water.gpkg",
        "w",
        driver="GPKG",
        layer="waters",
        schema={"geometry": "LineString", "properties": {}},
        crs_wkt=own.crs.to_wkt("WKT1_GDAL"),
    ) as target:
        for one in shuffle.sample(WATERS, len(WATERS)) if seed else WATERS:
            target.write({"geometry": mapping(FRAME.unproject(one, own)), "properties": {}})
    return [folder, folder.parent / f"{folder.name}-{stem}-water.gpkg"]


def prints(plan: Path, waters: Path) -> dict[str, str]:
    inputs = Inputs((plan,), layer=(("waters", waters),))
    reviews = [review_inputs(inputs, law, date(2026, 6, 1)) for law in ("east_troy", "saukville")]
    return {item.id: item.fingerprint for review in reviews for item in (*review.findings, *review.checklist)}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return prints(*written(tmp_path_factory.mktemp("plain") / "plan"))


def test_what_has_no_name_is_named_by_its_kind_and_place(plain: dict[str, str]) -> None:
    subjects = {name.partition(":")[2] for name in plain}
    assert subjects >= {"pond 1", "pond 3", "ground 1", "ground 2", "waters:water 1"}
    assert not [name for name in plain if "plan." in name or "gpkg" in name or "resubmitted" in name]


@pytest.mark.parametrize(
    "change",
    [{"seed": 7}, {"crs": "EPSG:3071"}, {"crs": "EPSG:4326"}, {"stem": "resubmitted"}, {"crs": "EPSG:3071", "seed": 3}],
    ids=str,
)
def test_fingerprints_are_the_same(plain: dict[str, str], tmp_path: Path, change: dict) -> None:
    assert prints(*written(tmp_path / "again", **change)) == plain
