"""What must not change an answer: another CRS, split polygons, another order of features, another run."""

import hashlib
import os
import random
import subprocess
import sys
from datetime import date
from pathlib import Path

import fiona
import pytest
import shapely
from shapely.geometry import mapping, shape

from siteplan_gis.crs import georeference
from siteplan_gis.model.comparison import show
from siteplan_gis.pipeline import Inputs, review_inputs

ROOT = Path(__file__).resolve().parents[1]
PLAN = ROOT / "sample_plans" / "pass-fairwater-commercial"
LAYERS = ROOT / "layers" / "fairwater"
ON = date(2026, 5, 1)


def review(plan):
    return review_inputs(Inputs((plan,), LAYERS), None, ON)


def rows(reviewed):
    """Every finding, and every figure as it is shown."""
    findings = [(item.id, item.status.value) for item in reviewed.findings]
    decimals = {"acre": 2, "ft": 0, "%": 1}
    figures = {
        name: show(item.value, decimals.get(item.unit, 2)) if isinstance(item.value, float) else item.value
        for name, item in reviewed.measured.values.items()
        if not name.startswith(("jurisdiction", "contour_count"))
    }
    figures["discharges"] = [
        (
            item.id,
            item.receiving,
            item.within_quarter_mile,
            item.flow_distance_m and show(item.flow_distance_m / 0.3048, 0),
        )
        for item in reviewed.measured.discharges
    ]
    return findings, figures


def rewritten(folder, crs=None, change=lambda layer, features: features):
    """A copy of the plan with its geometry in another CRS, or changed."""
    folder.mkdir()
    for file in PLAN.iterdir():
        if file.suffix == ".gpkg":
            for layer in fiona.listlayers(file):
                with fiona.open(file, layer=layer) as source:
                    features = [(shape(item.geometry), dict(item.properties)) for item in source if item.geometry]
                    here, schema, wkt = source.crs.to_wkt(), source.schema.copy(), source.crs_wkt
                if crs is not None:
                    old, new = georeference(here), georeference(crs)
                    features = [
                        (shapely.transform(one, lambda xy, old=old, new=new: new.xy(old.lonlat(xy))), own)
                        for one, own in features
                    ]
                    wkt = new.crs.to_wkt("WKT1_GDAL")
                schema["geometry"] = "Unknown"
                with fiona.open(
                    folder / file.name, "w", driver="GPKG", layer=layer, schema=schema, crs_wkt=wkt
                ) as target:
                    for one, own in change(layer, features):
                        target.write({"geometry": mapping(one), "properties": own})
        elif file.name != "expected.toml":
            (folder / file.name).write_bytes(file.read_bytes())
    return folder


@pytest.fixture(scope="module")
def plain():
    return rows(review(PLAN))


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3071", "EPSG:26916", "EPSG:2289", "EPSG:3857"])
def test_another_crs_changes_nothing(crs, plain, tmp_path):
    assert rows(review(rewritten(tmp_path / "plan", crs))) == plain


def test_another_order_changes_nothing(plain, tmp_path):
    def shuffled(layer, features):
        return random.Random(layer).sample(features, len(features))

    assert rows(review(rewritten(tmp_path / "plan", change=shuffled))) == plain


def test_split_polygons_change_nothing(plain, tmp_path):
    def halved(layer, features):
        cut = []
        for one, own in features:
            if one.area > 0 and "grid" not in layer.lower():
                west, south, east, north = one.bounds
                left = shapely.box(west - 1, south - 1, (west + east) / 2, north + 1)
                cut += [(part, own) for part in (one.intersection(left), one.difference(left)) if part.area > 0]
            else:
                cut.append((one, own))
        return cut

    findings, figures = rows(review(rewritten(tmp_path / "plan", change=halved)))
    assert {finding[0].split(":")[0]: finding[1] for finding in findings} == {
        finding[0].split(":")[0]: finding[1] for finding in plain[0]
    }
    # Two halves of one lot are two lots: that figure alone is about the pieces themselves.
    figures["lot_largest_acres"] = plain[1]["lot_largest_acres"]
    assert figures == plain[1]


def test_same_inputs_and_date_give_the_same_bytes(tmp_path):
    digests = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        command = [
            sys.executable,
            "-m",
            "siteplan_gis",
            "review",
            str(PLAN),
            "--layers",
            str(LAYERS),
            "--on",
            "2026-05-01",
            "--out",
            str(out),
        ]
        done = subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=False
        )
        assert done.returncode in {0, 1, 3}, done.stderr
        digests.append({file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(out.iterdir())})
    assert set(digests[0]) >= {"review.json", "findings.gpkg", "review.html"}
    assert digests[0] == digests[1]
