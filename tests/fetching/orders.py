"""Files of sources and orders for the server of the tests."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pyogrio
import shapely

from siteplan_gis.fetching.connection import Manners
from siteplan_gis.fetching.gathering import Fetched, Order, fetch_layers
from siteplan_gis.fetching.registry import read_sources

if TYPE_CHECKING:
    from pathlib import Path

    from services import Service

BOX = (-87.91, 43.415, -87.893, 43.428)
QUICK = Manners(attempts=4, first_wait_s=0.01, longest_wait_s=2.0, timeout_s=0.5)
WHEN = "2026-11-30T14:05:00Z"


def sources_file(folder: Path, service: Service, *, service_keys: str = "", layer_keys: str = "") -> Path:
    """One service with one layer of small polygons."""
    file = folder / "sources.toml"
    file.write_text(
        f"""
[[service]]
id = "test"
owner = "Nobody, a server on this machine"
kind = "arcgis"
url = "{service.url}/arcgis/rest/services/Test/MapServer"
covers = "Wisconsin"
licence = "CC0-1.0"
scale_denominator = 24000
{service_keys}
[[service.layer]]
id = "small_streams"
roles = ["waters"]
title = "Small streams"
layer = "Small Streams 24K"
number = 5
geometry = "polygon"
needs = ["FCODE"]
fields = ["NAME", "EDITED"]
preferred = true
{layer_keys}
""",
        encoding="utf-8",
    )
    return file


def fetched(
    folder: Path, service: Service, box: tuple[float, ...] = BOX, manners: Manners = QUICK, **keys: str
) -> Fetched:
    """Fetch that layer into `folder/layers`."""
    sources = read_sources(sources_file(folder, service, **keys))
    (done,) = fetch_layers(Order("a box", box, sources, folder / "layers", WHEN, manners), lambda _: None)  # type: ignore[arg-type]
    return done


def stored(path: Path) -> dict[int, Any]:
    """Geometries by object id, as GDAL reads the file."""
    meta, _, wkb, data = pyogrio.raw.read(path)
    ids = data[next(i for i, name in enumerate(meta["fields"]) if name.endswith("OBJECTID"))]
    names = data[next(i for i, name in enumerate(meta["fields"]) if name.endswith("NAME"))]
    assert len(set(ids)) == len(ids)
    assert [f"No. {number}" for number in ids] == list(names)
    return dict(zip(map(int, ids), shapely.from_wkb(wkb), strict=True))


def catalogue(folder: Path) -> dict[str, Any]:
    """`layers.toml` as it stands; empty where there is none."""
    file = folder / "layers" / "layers.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
