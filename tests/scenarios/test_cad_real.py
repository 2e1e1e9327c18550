"""Public DXF files of other programs: each opens or is refused in one line, soon and within little memory."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import shapely
from pyproj import Transformer

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.cad.model_space import read_cad
from siteplan_gis.ingest.plan.vectors import inspect_plan

DATA = Path(__file__).parents[3] / "shared" / "data" / "cad"
FILES = sorted(DATA.glob("*/*.dxf"))

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the public drawings are not beside the project")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_drawing_opens_or_is_refused_in_one_line(path):
    began = time.perf_counter()
    told = ""
    try:
        layers, _ = inspect_plan([path])
    except InputError as refused:
        layers, told = (), str(refused)
    assert time.perf_counter() - began < 10
    assert bool(layers) != bool(told)
    assert "\n" not in told


def test_all_of_them_need_less_than_a_gigabyte():
    code = (
        "import sys, pathlib\n"
        "from siteplan_gis.errors import InputError\n"
        "from siteplan_gis.ingest.cad.model_space import read_cad\n"
        "for name in sys.argv[1:]:\n"
        "    try: read_cad(pathlib.Path(name), name)\n"
        "    except InputError: pass\n"
        "status = pathlib.Path('/proc/self/status').read_text()\n"
        "print(status.split('VmHWM:')[1].split()[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *map(str, FILES)], capture_output=True, text=True, check=True)
    assert int(done.stdout.splitlines()[-1]) * 1024 < 1 << 30


def test_viewports_have_the_scales_that_are_published_for_them():
    (layer, *_) = read_cad(DATA / "ezdxf_viewports" / "VP4.dxf", "VP4.dxf")
    scales = [viewport.scale for viewport in layer.layouts[0].viewports]
    assert scales == pytest.approx([2.709, 0.257, 0.0937, 1.382], rel=2e-3)


def test_frozen_layers_of_each_viewport():
    (layer, *_) = read_cad(DATA / "ezdxf_viewports" / "viewport_frozen_layers.dxf", "x.dxf")
    assert [sorted(viewport.frozen) for viewport in layer.layouts[0].viewports] == [[], ["layer1"], ["layer2"]]


@pytest.mark.parametrize(
    ("name", "crs", "latitude", "longitude"),
    [
        ("houses_of_parliament_georeferenced.dxf", "EPSG:27700", 51.4983, -0.1256),
        ("Graz_10km_3m.dxf", "EPSG:3395", 47.06667, 15.43333),
    ],
)
def test_georeferenced_drawings_land_where_they_say(name, crs, latitude, longitude):
    """The place that the drawing gives in words (GeoRSS), of its design point or its middle."""
    import ezdxf

    (layer, *_) = read_cad(DATA / "ezdxf_geodata" / name, name)
    assert layer.crs == crs
    geodata = ezdxf.readfile(DATA / "ezdxf_geodata" / name).modelspace().get_geodata()
    matrix = layer.cad.to_crs
    design = np.array(geodata.dxf.design_point)[:2]
    landed = matrix[:, :2] @ design + matrix[:, 2]
    lon, lat = Transformer.from_crs(crs, "EPSG:4326", always_xy=True).transform(*landed)
    assert (lat, lon) == pytest.approx((latitude, longitude), abs=2e-3)
    # The CAD library has a matrix of its own for the same object.
    theirs, _ = geodata.get_crs_transformation(no_checks=True)
    for point in ((0.0, 0.0), (25000.0, 5000.0), (-4000.0, 90000.0)):
        there = matrix[:, :2] @ np.array(point) + matrix[:, 2]
        assert there == pytest.approx(tuple(theirs.transform((*point, 0.0)))[:2], abs=1e-4)


@pytest.mark.filterwarnings("ignore")  # GDAL warns of rings that it leaves open
@pytest.mark.parametrize(
    "name",
    [
        "LWPOLYLINE-OCS", "block-basepoint", "block-insert-order", "closed_polyline_with_bulge", "ellipse_z_extrusion_minus_1",
        "hatch_as_multipolygon", "insert_only", "ocs2wcs1", "ocs2wcs2", "ocs2wcs3", "polyline_smooth", "spline_closed",
        "spline_qcad", "spline_weight", "solid-vertex-ordering", "3dface", "utf-8", "bin_dxf_r12",
    ],
)  # fmt: skip
def test_entities_lie_where_gdal_puts_them(name):
    """GDAL reads the same drawing by code of its own: the same extent, length of lines and area of faces."""
    import pyogrio

    path = DATA / "gdal_dxf" / f"{name}.dxf"
    frame = pyogrio.read_dataframe(path, layer="entities")
    texts = frame.SubClasses.fillna("").astype(str).str.contains("Text|Dimension|Leader|Table|Attrib")
    theirs = [shape for shape, text in zip(frame.geometry, texts, strict=True) if shape is not None and not text]
    ours = []
    for layer in read_cad(path, name):
        for feature in layer.features:
            drawing = feature.drawing
            ours += [shapely.LineString(line) for line in drawing.lines]
            ours += [shapely.Polygon(part[0], part[1:]) for part in drawing.polygons]
            ours += [] if drawing.is_symbol else [shapely.Point(point[0]) for point in drawing.points]

    def measured(shapes):
        shapes = shapely.get_parts(shapely.force_2d(np.array(shapes, dtype=object)))
        lines = sum(shape.length for shape in shapes if "Line" in shape.geom_type)
        return [*shapely.total_bounds(shapes), lines, sum(shape.area for shape in shapes)]

    assert measured(ours) == pytest.approx(measured(theirs), rel=2e-3, abs=2e-2)
