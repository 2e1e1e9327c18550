"""A layer of so many vertices that a review would need more memory than it may is one clear line."""

import geopandas
import numpy as np
import pytest
import shapely

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.plan.vectors import inspect_plan

MOST = 1_500_000


@pytest.mark.parametrize("over", [0, 1])
def test_the_limit_of_vertices(tmp_path, over):
    count = MOST + over
    wave = np.column_stack((np.linspace(0, 300, count), np.sin(np.arange(count) / 50)))
    # In two features: it is the layer that is counted.
    lines = [shapely.LineString(half) for half in np.array_split(wave, 2)]
    path = tmp_path / "plan.gpkg"
    geopandas.GeoDataFrame(geometry=lines, crs="EPSG:26916").to_file(path, layer="contours_existing")
    if over:
        with pytest.raises(InputError, match=r"contours_existing: .*holds more than 1,500,000 vertices; simplify it"):
            inspect_plan([path])
    else:
        layers, _ = inspect_plan([path])
        assert [layer.label for layer in layers] != []


@pytest.mark.parametrize("over", [0, 1])
def test_the_limit_of_rings_of_a_feature(tmp_path, over):
    x, y = (values.ravel() for values in np.meshgrid(np.arange(100.0), np.arange(100.0)))
    whole = shapely.MultiPolygon(list(shapely.box(x, y, x + 0.5, y + 0.5)[: 5_000 + over]))
    path = tmp_path / "plan.gpkg"
    geopandas.GeoDataFrame(geometry=[whole], crs="EPSG:26916").to_file(path, layer="wetlands")
    if over:
        with pytest.raises(InputError, match=r"wetlands / feature .*more than 5,000 rings in one feature; split it"):
            inspect_plan([path])
    else:
        layers, _ = inspect_plan([path])
        assert len(layers) == 1
