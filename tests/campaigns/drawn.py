"""A plan in memory, with its evidence: read from a sample, to be dirtied and written where the program reads it."""

from __future__ import annotations

import copy
import shutil
import struct
import zipfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyogrio
import rasterio
import shapely
import tomlkit
from pyogrio.raw import read, write
from rasterio.enums import Resampling

from siteplan_gis.ingest.records.manifest import MANIFEST_NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from shapely.geometry.base import BaseGeometry

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_plans"
COARSER = 4
"""Cells of the coarse elevation model, along one side of which this many of the sample's lie."""


@dataclass
class Layer:
    """A layer: what is drawn (shapely geometries, or WKB of what shapely cannot draw, or None) and its fields."""

    shapes: list[Any]
    fields: dict[str, list[Any]]
    crs: str | None

    def copied(self, numbers: list[int]) -> Layer:
        """Some of its features, in some order."""
        fields = {name: [values[number] for number in numbers] for name, values in self.fields.items()}
        return Layer([self.shapes[number] for number in numbers], fields, self.crs)


@dataclass
class Given:
    """What the program is given: plan, manifest and evidence, and what is done to the files once written."""

    layers: dict[str, Layer]
    manifest: dict[str, Any]
    evidence: str
    coarse: bool = False
    name: str = "plan.gpkg"
    after: list[Callable[[Path], None]] = field(default_factory=list)
    evidence_after: list[Callable[[Path], None]] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)


def wkb(code: int, rings: list[list[tuple[float, ...]]]) -> bytes:
    """A line (2), circular string (8), polygon (3), ... of numbers as they are, by its code in WKB."""
    kind = code % 1000
    body = b"" if kind in {2, 8} else struct.pack("<I", len(rings))
    for ring in rings:
        body += struct.pack("<I", len(ring)) + b"".join(struct.pack(f"<{len(spot)}d", *spot) for spot in ring)
    return b"\x01" + struct.pack("<I", code) + body


def many_wkb(code: int, parts: list[bytes]) -> bytes:
    """A collection (7), TIN (16), curve polygon (10), compound curve (9), ... of parts."""
    return b"\x01" + struct.pack("<II", code, len(parts)) + b"".join(parts)


def rings_of(shape: BaseGeometry) -> list[list[tuple[float, ...]]]:
    """The rings of a shape's first polygon, or its first line as one."""
    first = shapely.get_geometry(shape, 0)
    if first.geom_type == "Polygon":
        return [[*map(tuple, shapely.get_coordinates(ring))] for ring in (first.exterior, *first.interiors)]
    return [[*map(tuple, shapely.get_coordinates(first))]]


@cache
def _layers(sample: str) -> dict[str, Layer]:
    folder = SAMPLES / sample
    path = folder / "plan.gpkg"
    if path.exists():
        places = {name: (str(path), name) for name, _ in pyogrio.list_layers(path)}
    else:
        archive = folder / "plan.zip"
        inside = [Path(one) for one in zipfile.ZipFile(archive).namelist() if one.endswith((".shp", ".geojson"))]
        places = {one.stem: (f"/vsizip/{archive}/{one}", one.stem) for one in inside}
    found = {}
    for name, (source, layer) in places.items():
        told, _, shapes, columns = read(source, layer=layer)
        fields = {str(one): values.tolist() for one, values in zip(told["fields"], columns, strict=True)}
        found[name] = Layer([*shapely.from_wkb(shapes)], fields, told["crs"])
    return found


def sample(name: str, *, but: dict[str, str] | None = None, coarse: bool = False) -> Given:
    """A sample, with some layers as another sample draws them; None of them: without."""
    layers = dict(_layers(name))
    for layer, other in (but or {}).items():
        layers.pop(layer, None)
        if layer in _layers(other):
            layers[layer] = _layers(other)[layer]
    manifest = tomlkit.parse((SAMPLES / name / MANIFEST_NAME).read_text(encoding="utf-8")).unwrap()
    roles = {layer: role for layer, role in manifest["roles"].items() if layer in layers}
    settings = {layer: told for layer, told in manifest.get("layer", {}).items() if layer in layers}
    manifest |= {"roles": roles, "layer": settings}
    village = manifest["plan"]["ordinance"]
    return Given(copy.deepcopy(layers), manifest, village, coarse=coarse)


def faulty() -> Given:
    """The sample subdivision with every fault of the samples that fail, so that there is much to pass wrongly."""
    given = sample(
        "pass-saukville-subdivision",
        but={"grid": "fail-grid-gap", "contours_existing": "fail-contours-5ft", "contours_proposed": "fail-contours-5ft",
             "wetlands": "fail-missed-wetland", "outfalls": "fail-undeclared-discharge"},
        coarse=True,
    )  # fmt: skip
    for layer in ("contours_existing", "contours_proposed"):  # quick to review: half of the time goes into contours
        given.layers[layer].shapes = [*shapely.simplify(given.layers[layer].shapes, 3.0)]
    given.manifest["stated"]["disturbed_acres"] = 7.0
    for sheet in given.manifest["sheet"][1:]:
        sheet["scale"] = "1\" = 200'"
    return given


BASES: dict[str, Callable[[], Given]] = {
    "faulty": faulty,
    "passes": lambda: sample("pass-saukville-subdivision"),
    "fairwater": lambda: sample("pass-fairwater-commercial"),
    "short fence": lambda: sample("fail-fairwater-short-fence", but={"basin": "fail-fairwater-small-basin"}),
    "wet pond": lambda: sample("fail-east-troy-wet-pond"),
    "ravine": lambda: sample("unclear-steep-ravine"),
}
"""Plans to dirty; the first is the cheapest to review."""


def _written(path: Path, name: str, layer: Layer, **options: Any) -> None:
    shapes = [
        shape if shape is None or isinstance(shape, bytes) else shapely.to_wkb(shape, include_srid=False)
        for shape in layer.shapes
    ]
    columns = [
        np.array(values, dtype=object) if _is_text(values) else np.array(values) for values in layer.fields.values()
    ]
    write(
        path, np.array(shapes, dtype=object), columns, [*layer.fields], layer=name, crs=layer.crs,
        geometry_type="Unknown", layer_options={"SPATIAL_INDEX": "NO"}, **options,
    )  # fmt: skip


def _is_text(values: list[Any]) -> bool:
    return any(value is None or isinstance(value, str) for value in values)


def write_plan(given: Given, folder: Path) -> Path:
    """Write the plan and its manifest, and do to the files what was to be done to them."""
    folder.mkdir()
    path = folder / given.name
    plain = path.with_name("plan.gpkg")
    for name, layer in given.layers.items():
        if layer.shapes:
            _written(plain, name, layer, driver="GPKG", append=plain.exists())
    if plain.exists():
        plain.rename(path)
    (folder / MANIFEST_NAME).write_text(tomlkit.dumps(given.manifest), encoding="utf-8")
    for change in given.after:
        change(folder)
    return folder


@cache
def _coarse(village: str) -> tuple[Any, dict[str, Any], Any]:
    with rasterio.open(ROOT / "layers" / village / "dem.tif") as source:
        height, width = source.height // COARSER, source.width // COARSER
        heights = source.read(1, out_shape=(height, width), resampling=Resampling.average)
        profile, unit = source.profile, source.units[0]
        profile["transform"] *= rasterio.Affine.scale(source.width / width, source.height / height)
    return heights, {**profile, "width": width, "height": height}, unit


def write_evidence(given: Given, folder: Path) -> Path:
    """The reference layers and the elevation model; the samples' own where nothing is done to them."""
    original = ROOT / "layers" / given.evidence
    if not given.coarse and not given.evidence_after:
        return original
    shutil.copytree(original, folder)
    if given.coarse:
        heights, profile, unit = _coarse(given.evidence)
        with rasterio.open(folder / "dem.tif", "w", **profile) as sink:
            sink.write(heights, 1)
            sink.units = (unit,)
    for change in given.evidence_after:
        change(folder)
    return folder
