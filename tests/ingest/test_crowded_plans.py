"""A feature that nobody could measure to the end is set aside, and the plan says so."""

import geopandas
import numpy as np
import pytest
import shapely

from siteplan_gis.ingest.plan.vectors import read_plan

X, Y = 690_000.0, 330_000.0


def _zigzag(teeth):
    x = np.linspace(0, 100, teeth)
    return np.column_stack((X + x, Y + np.where(np.arange(teeth) % 2, 100.0, 1.0)))


@pytest.mark.parametrize("kind", ["disturbed_area", "silt_fence"])
def test_a_crowded_feature_is_set_aside_and_told(kind, tmp_path):
    line = _zigzag(20_000)
    drawn = shapely.Polygon([*line, (X + 100, Y), (X, Y)]) if kind == "disturbed_area" else shapely.LineString(line)
    plain = shapely.box(X, Y, X + 50, Y + 50)
    plan = tmp_path / "plan.gpkg"
    role = "control" if kind == "silt_fence" else kind
    for name, geometry in (
        ("site", [shapely.box(X, Y, X + 100, Y + 100)]),
        (role, [plain.exterior if role == "control" else plain, drawn]),
    ):
        geopandas.GeoDataFrame(geometry=geometry, crs=3070).to_file(plan, layer=name)
    read, _ = read_plan([plan], roles={"site": "site", role: role})
    told = [flag for flag in read.flags if flag.code == "feature_unreadable"]
    assert [(flag.layer, flag.feature) for flag in told] == [(f"plan.gpkg/{role}", "2")]
    assert "to and fro" in told[0].text
    assert [len(read.of(name)) for name in ("site", role)] == [1, 1]


def test_drawings_that_crowd_each_other_are_set_aside_together(tmp_path):
    ends = np.array((X, Y)) + np.random.default_rng(1).uniform(1, 99, (4_000, 2, 2))
    plan = tmp_path / "plan.gpkg"
    for name, geometry in (
        ("site", [shapely.box(X, Y, X + 100, Y + 100)]),
        ("disturbed_area", shapely.buffer(shapely.linestrings(ends), 0.5, cap_style="flat")),
    ):
        geopandas.GeoDataFrame(geometry=geometry, crs=3070).to_file(plan, layer=name)
    read, _ = read_plan([plan], roles={"site": "site", "disturbed_area": "disturbed_area"})
    (told,) = (flag for flag in read.flags if flag.code == "feature_unreadable")
    assert told.text.startswith("4,000 drawings of the role disturbed area lie across each other")
    assert [len(read.of(name)) for name in ("site", "disturbed_area")] == [1, 0]
