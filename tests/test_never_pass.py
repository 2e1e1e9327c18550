"""What must never show as pass: an empty layer, a layer that stops short, a missing vertical unit, a missing layer."""

import json
import shutil
from datetime import date
from pathlib import Path

import numpy as np
import pytest
import rasterio

from siteplan_gis.pipeline import Inputs, exit_code, review_inputs

ROOT = Path(__file__).resolve().parents[1]
PLAN = ROOT / "sample_plans" / "pass-saukville-subdivision"
UNSURE = {"error", "not_checked", "needs_review"}


def statuses(layers, **settings):
    reviewed = review_inputs(Inputs((PLAN,), layers, **settings), None, date(2026, 5, 1))
    found = {}
    for item in reviewed.findings:
        found.setdefault(item.rule.id, set()).add(item.status.value)
    return found, reviewed


@pytest.fixture
def layers(tmp_path):
    """A copy of the sample layers to be spoiled."""
    return Path(shutil.copytree(ROOT / "layers" / "saukville", tmp_path / "layers"))


def test_the_whole_layers_do_pass(layers):
    found, _ = statuses(layers)
    assert found["SAU-MAP-i"] == found["SAU-SLOPE"] == found["SAU-MAP-h2"] == {"pass"}


def without(layers, *kinds):
    text = (layers / "layers.toml").read_text()
    blocks = text.split("[[")
    kept = [
        block
        for block in blocks
        if not any(f'role = "{kind}"' in block or block.startswith(f"{kind}]]") for kind in kinds)
    ]
    (layers / "layers.toml").write_text("[[".join(kept))


def test_missing_waters_are_not_checked(layers):
    without(layers, "waters")
    found, reviewed = statuses(layers)
    assert "not_checked" in found["SAU-MAP-i"]
    assert "not_checked" in found["SAU-MAP-a"]
    assert exit_code(reviewed) == 3


def test_empty_waters_never_pass(layers):
    empty = {"type": "FeatureCollection", "features": []}
    (layers / "empty.geojson").write_text(json.dumps(empty))
    without(layers, "waters")
    found, _ = statuses(layers, layer=(("waters", layers / "empty.geojson"),))
    assert found["SAU-MAP-i"] & UNSURE
    assert found["SAU-MAP-a"] & UNSURE


def test_empty_waters_that_declare_what_they_cover_never_pass(layers):
    """An export that came out empty, in place of the files of a catalogue."""
    (layers / "empty.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": []}))
    catalogue = (layers / "layers.toml").read_text()
    for name in ("flowlines.fgb", "waterbodies.fgb"):
        assert f'path = "{name}"\nrole = "waters"' in catalogue
        catalogue = catalogue.replace(f'path = "{name}"\nrole = "waters"', 'path = "empty.geojson"\nrole = "waters"')
    (layers / "layers.toml").write_text(catalogue)
    found, _ = statuses(layers)
    assert found["SAU-MAP-i"] & UNSURE
    assert found["SAU-MAP-a"] & UNSURE


def test_missing_elevation_is_not_checked(layers):
    without(layers, "dem")
    found, reviewed = statuses(layers)
    assert found["SAU-SLOPE"] == {"needs_review"}  # the plan's own contours stand in, for a person to weigh
    assert found["SAU-MAP-h2"] <= UNSURE
    assert exit_code(reviewed) == 3


def test_missing_vertical_unit_is_not_checked(layers, tmp_path):
    with rasterio.open(layers / "dem.tif") as source:
        profile, z = source.profile, source.read(1)
        profile["crs"] = rasterio.crs.CRS.from_epsg(7613)
    with rasterio.open(tmp_path / "bare.tif", "w", **profile) as target:
        target.write(z, 1)
    without(layers, "dem")
    found, _ = statuses(layers, dem=(tmp_path / "bare.tif",))
    assert found["SAU-SLOPE"] == {"needs_review"}
    given, _ = statuses(layers, dem=(tmp_path / "bare.tif",), dem_units="us-ft")
    assert given["SAU-SLOPE"] == {"pass"}


def test_elevation_that_stops_within_the_site_never_clears(layers, tmp_path):
    with rasterio.open(layers / "dem.tif") as source:
        profile, z = source.profile, source.read(1).astype("float32")
        unit = source.units[0]
    profile.update(dtype="float32", nodata=np.nan, predictor=3)
    z[:, z.shape[1] // 2 :] = np.nan
    with rasterio.open(tmp_path / "half.tif", "w", **profile) as target:
        target.write(z, 1)
        target.units = (unit,)
    without(layers, "dem")
    found, _ = statuses(layers, dem=(tmp_path / "half.tif",))
    assert found["SAU-SLOPE"] <= UNSURE
