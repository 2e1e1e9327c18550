"""OGC API Features and WFS: whole collections, or a clear refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from ogc_services import BOX, OgcServer, truth
from orders import QUICK, WHEN, catalogue, stored

from siteplan_gis.fetching.gathering import Fetched, Order, fetch_layers
from siteplan_gis.fetching.registry import read_sources

if TYPE_CHECKING:
    from pathlib import Path

    from services import Service

WHOLE = {
    "ogc": ("", "error_500", "json_cut", "no_ids", "nothing"),
    "wfs": ("", "exception", "overlaps", "no_limit", "no_ids", "nothing"),
    "gml": ("", "exception", "overlaps", "xml_cut", "nothing"),
}
REFUSED = {
    "ogc": {
        "no_count": "numberMatched", "drops_next": "features came where the service counted", "circles": "round in circles",
        "next_elsewhere": "sends on to localhost", "told_wrong": "says that it holds", "error_500_always": "status 500",
        "other_crs": "not in CRS84", "swapped": "swaps its axes",
    },
    "wfs": {
        "no_count": "numberMatched", "ignores_start": "150 features came where the service counted",
        "withholds": "features came where the service counted", "exception_always": "Busy & tired", "old": "speaks WFS 1.1.0",
        "other_crs": "does not answer in EPSG:4326", "swapped": "swaps its axes",
    },
    "gml": {
        "ignores_start": "150 features came where the service counted", "withholds": "features came where the service counted",
        "entities": "document type or entities", "told_wrong": "says that it holds", "xml_cut_always": "no whole XML",
        "swapped": "swaps its axes",
    },
}  # fmt: skip


def _fetch(folder: Path, service: Service, kind: str, needs: str = "NAME") -> Fetched:
    url, layer = (f"{service.url}/ogc", "squares") if kind == "ogc" else (f"{service.url}/wfs", "t:squares")
    file = folder / "sources.toml"
    file.write_text(
        f"""
[[service]]
id = "test"
owner = "Nobody, a server on this machine"
kind = "{"ogc_features" if kind == "ogc" else "wfs"}"
url = "{url}"
covers = "Wisconsin"
licence = "CC0-1.0"
[[service.layer]]
id = "squares"
roles = ["wetlands"]
title = "Small squares"
layer = "{layer}"
geometry = "polygon"
needs = ["{needs}"]
""",
        encoding="utf-8",
    )
    OgcServer(service, gml=kind == "gml")
    (done,) = fetch_layers(Order("a box", BOX, read_sources(file), folder / "layers", WHEN, QUICK), lambda _: None)
    return done


@pytest.mark.parametrize(("kind", "fault"), [(kind, fault) for kind, faults in WHOLE.items() for fault in faults])
def test_a_whole_collection_comes_in_spite_of(kind: str, fault: str, service: Service, tmp_path: Path) -> None:
    service.faults = {fault}
    done = _fetch(tmp_path, service, kind)
    assert done.path is not None, done.problem
    wanted, found = truth(), stored(done.path)
    assert len(wanted) > 500
    if fault == "nothing":
        assert done.stamp is not None
        assert done.stamp.without_geometry == 1
        del wanted[1230]
    assert found.keys() == wanted.keys()
    assert all(found[number].normalize().equals_exact(shape.normalize(), 1e-9) for number, shape in wanted.items())
    assert service.count_pages > 1 or fault == "no_limit"


@pytest.mark.parametrize(("kind", "fault"), [(kind, fault) for kind, faults in REFUSED.items() for fault in faults])
def test_no_collection_comes_from(kind: str, fault: str, service: Service, tmp_path: Path) -> None:
    service.faults = {fault}
    done = _fetch(tmp_path, service, kind)
    assert done.path is None
    assert REFUSED[kind][fault] in str(done.problem)
    assert "\n" not in str(done.problem)
    assert catalogue(tmp_path) == {}


@pytest.mark.parametrize("kind", ["ogc", "wfs", "gml"])
def test_a_property_that_is_needed_and_missing_is_told(kind: str, service: Service, tmp_path: Path) -> None:
    assert "there is no property WETCODE" in str(_fetch(tmp_path, service, kind, needs="WETCODE").problem)
