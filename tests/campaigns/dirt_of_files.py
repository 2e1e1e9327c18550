"""Ways in which a plan's files, its names and numbers, and what it is compared with are dirty in practice."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import rasterio

from siteplan_gis.ingest.records.manifest import MANIFEST_NAME
from tests.campaigns.dirt import KINDS, WAYS, layer_of, way

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["KINDS", "WAYS"]

NASTY = (
    "\x1b[2J", "a\x00b", "\u202egpj", "<script>alert(1)</script>", "=1+1", "x" * 30_000, "\ud7ff\uffff", "", " ", "'; --",
    "{{7*7}}", "a\r\nb", "C-TOPO-MAJR" * 20, "..\\..\\x", "/etc/passwd", "nan", "-1e999", "\u0661\u0662", "\U0001f6a7",
)  # fmt: skip


def _a_layer_name(given, chance):
    return chance.choice(sorted(given.layers)) if given.layers else None


@way("lossy")
def no_crs(given, chance):
    layer = layer_of(given, chance)
    if layer is not None:
        layer.crs = None


@way("lossy")
def wrong_crs(given, chance):
    layer = layer_of(given, chance)
    if layer is not None:
        layer.crs = chance.choice(
            ("EPSG:4326", "EPSG:3857", "EPSG:2264", "EPSG:32616", "EPSG:3071", "EPSG:4978", "EPSG:5703")
        )


@way("lossy")
def metres_for_feet(given, chance):
    """A system of the same zone that counts in another unit, for one layer or for all."""
    other = chance.choice(("EPSG:7612", "EPSG:3071", "EPSG:2289", "EPSG:8179"))
    for layer in given.layers.values() if chance.random() < 0.5 else filter(None, [layer_of(given, chance)]):
        layer.crs = other


@way("other")
def layer_renamed(given, chance):
    name = _a_layer_name(given, chance)
    if name is not None:
        new = chance.choice(
            (name.upper(), name[:4], "a0000001", "Layer 1", "EXISTING", "limits", *NASTY[3:6], *NASTY[11:])
        )
        given.layers[new.replace("\x00", "")[:60] or "-"] = given.layers.pop(name)
        if chance.random() < 0.5:
            given.manifest["roles"].pop(name, None)
            given.manifest["layer"].pop(name, None)


@way("other")
def role_of_another(given, chance):
    roles = given.manifest["roles"]
    if len(roles) > 1:
        one, other = chance.sample(sorted(roles), 2)
        roles[one] = roles[other]


@way("other")
def fields_renamed(given, chance):
    layer = layer_of(given, chance)
    if layer is not None and layer.fields:
        names = [*layer.fields]
        chance.shuffle(names)
        layer.fields = dict(zip(names, layer.fields.values(), strict=True))


@way("other")
def nasty_texts(given, chance):
    layer = layer_of(given, chance)
    if layer is not None and layer.fields:
        name = chance.choice(sorted(layer.fields))
        texts = [None if value is None else str(value) for value in layer.fields[name]]
        texts[chance.randrange(len(texts))] = chance.choice((*NASTY, None)) if chance.random() < 0.9 else None
        layer.fields[name] = [text if text is None else text.replace("\x00", "") for text in texts]


@way("other")
def nasty_numbers(given, chance):
    layer = layer_of(given, chance)
    name = None if layer is None else chance.choice([*layer.fields, "-"])
    if layer is not None and name in layer.fields:
        layer.fields[name] = [chance.choice((np.nan, np.inf, -1e308, 1e308, 0.0, -1.0, 1e-300)) for _ in layer.shapes]


@way("other")
def superseded(given, chance):
    layer = layer_of(given, chance)
    if layer is not None:
        layer.fields["STATUS"] = [chance.choice(("void", "superseded", "2", "current", None)) for _ in layer.shapes]


@way("other")
def bad_days(given, chance):
    layer = given.layers.get("limits_of_disturbance")
    if layer is not None and layer.shapes:
        for name in {"OPEN", "CLOSED"} & {*layer.fields}:
            layer.fields[name] = [
                chance.choice(("", "0000-00-00", "2025-02-30", "9999-12-31", "soon", "1.4.25")) for _ in layer.shapes
            ]


@way("other")
def bytes_of_no_encoding(given, chance):
    """Text that is not UTF-8, where the format says that it is."""

    def change(folder: Path) -> None:
        for path in folder.glob("*.gpkg"):
            with closing(sqlite3.connect(path)) as database:
                try:
                    tables = [row[0] for row in database.execute("SELECT table_name FROM gpkg_contents")]
                    for table in tables:
                        columns = [
                            row[1] for row in database.execute(f'PRAGMA table_info("{table}")') if "TEXT" in row[2]
                        ]
                        for column in columns:
                            database.execute(f'UPDATE "{table}" SET "{column}" = CAST(x\'e9ff61\' AS TEXT)')  # noqa: S608
                    database.commit()
                except sqlite3.Error:
                    continue

    given.after.append(change)


@way("lossy")
def bytes_cut_off(given, chance):
    share = chance.choice((0.0, 0.01, 0.5, 0.9, 0.999))

    def change(folder: Path) -> None:
        for path in folder.glob("plan.*"):
            if path.is_file():
                path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])

    given.after.append(change)


@way("lossy")
def bytes_changed(given, chance):
    seed = chance.randrange(1 << 30)

    def change(folder: Path) -> None:
        picked = np.random.default_rng(seed)
        for path in folder.glob("plan.*"):
            if path.is_file() and path.stat().st_size:
                content = bytearray(path.read_bytes())
                for at in picked.integers(0, len(content), int(picked.choice([1, 20, 400]))):
                    content[at] = picked.integers(0, 256)
                path.write_bytes(content)

    given.after.append(change)


@way("other")
def wrong_extension(given, chance):
    given.name = "plan" + chance.choice(
        (".shp", ".dxf", ".xml", ".geojson", ".kml", ".fgb", ".pdf", ".tif", ".zip", ".GPKG", "")
    )


@way("same")
def file_twice(given, chance):
    def change(folder: Path) -> None:
        for path in [*folder.glob("plan.*")]:
            if path.is_file() and not path.with_name(f"copy of {path.name}").exists():
                shutil.copy(path, path.with_name(f"copy of {path.name}"))

    given.after.append(change)


@way("other")
def layer_removed(given, chance):
    name = _a_layer_name(given, chance)
    if name is not None and len(given.layers) > 1:
        del given.layers[name]


@way("other")
def only_one_layer(given, chance):
    name = chance.choice(("limits_of_disturbance", "site", "contours_existing", "grid"))
    if name in given.layers:
        given.layers = {name: given.layers[name]}


@way("same")
def layers_in_another_order(given, chance):
    names = [*given.layers]
    chance.shuffle(names)
    given.layers = {name: given.layers[name] for name in names}


@way("other")
def manifest_of_other_types(given, chance):
    table = given.manifest[chance.choice(["plan", "stated", "activity", "roles"])]
    key = chance.choice(sorted(table)) if table else "name"
    table[key] = chance.choice((True, 3, -1.5, "x" * 5000, [], {}, "2025-13-45", 10**18, "\u202e<b>", [[[]]]))


@way("other")
def stated_figures_nasty(given, chance):
    for key in ("site_acres", "disturbed_acres", "wetland_acres"):
        given.manifest.setdefault("stated", {})[key] = chance.choice((0.0, 1e-300, 1e308, 1e9, 0.009))


@way("other")
def sheets_nasty(given, chance):
    for sheet in given.manifest.get("sheet", []):
        sheet["scale"] = chance.choice(
            ("1:0", "1\" = 1e400'", "NTS", "1:1:1", "1\" = 20' = 40'", "9" * 4000, "\u2153\" = 1'")
        )


@way("lossy")
def no_manifest(given, chance):
    given.after.append(lambda folder: (folder / MANIFEST_NAME).unlink(missing_ok=True))
    given.options["ordinance"] = given.evidence


def _catalogue(given, edit):
    def change(folder: Path) -> None:
        path = folder / "layers.toml"
        path.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8")

    given.evidence_after.append(change)


def _without(text, *wanted):
    first, *blocks = text.split("[[")
    return "[[".join([first, *(block for block in blocks if not any(one in block for one in wanted))])


@way("lossy")
def no_elevation(given, chance):
    _catalogue(given, lambda text: _without(text, "dem]]"))


@way("lossy")
def reference_layer_removed(given, chance):
    role = chance.choice(("waters", "wetlands", "floodplain", "flowlines", "parcels", "municipalities"))
    _catalogue(given, lambda text: _without(text, f'role = "{role}"'))


@way("lossy")
def reference_layer_emptied(given, chance):
    role = chance.choice(("waters", "wetlands", "floodplain", "flowlines", "municipalities"))

    def edit(text: str) -> str:
        blocks = text.split("[[")
        for number, block in enumerate(blocks):
            if f'role = "{role}"' in block:
                name = block.split('path = "')[1].split('"')[0]
                blocks[number] = block.replace(name, "empty.geojson")
        return "[[".join(blocks)

    given.evidence_after.append(
        lambda folder: (
            (folder / "empty.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": []})) and None
        )
    )
    _catalogue(given, edit)


@way("lossy")
def reference_bytes_cut_off(given, chance):
    name, share = (
        chance.choice(("flowlines", "waterbodies", "wetlands", "floodplain", "coverage")),
        chance.choice((0.0, 0.3, 0.9)),
    )

    def change(folder: Path) -> None:
        path = folder / f"{name}.fgb"
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])

    given.evidence_after.append(change)


def _elevation(given, edit):
    def change(folder: Path) -> None:
        path = folder / "dem.tif"
        with rasterio.open(path) as source:
            z, profile, unit = source.read(1), source.profile, source.units[0]
        profile |= {"dtype": "float32", "nodata": np.nan, "predictor": 3}
        z = edit(z.astype("float32"))
        with rasterio.open(path, "w", **profile) as sink:
            sink.write(z, 1)
            if unit:
                sink.units = (unit,)

    given.evidence_after.append(change)


@way("lossy")
def elevation_with_holes(given, chance):
    seed, share = chance.randrange(1 << 30), chance.choice((0.01, 0.5, 1.0))

    def edit(z):
        z[np.random.default_rng(seed).random(z.shape) < share] = chance.choice((np.nan, -9999.0, np.inf, 1e30))
        return z

    _elevation(given, edit)


@way("lossy")
def elevation_cut_short(given, chance):
    def edit(z):
        z[:, z.shape[1] // 2 :] = np.nan
        return z

    _elevation(given, edit)


@way("other")
def elevation_flat_or_wild(given, chance):
    seed, kind = chance.randrange(1 << 30), chance.choice(("flat", "noise", "whole", "stairs", "cliff"))

    def edit(z):
        if kind == "flat":
            z[:] = 850
        elif kind == "noise":
            z += np.random.default_rng(seed).normal(0, 300, z.shape).astype("float32")
        elif kind == "whole":
            z = np.rint(z / 10) * 10
        elif kind == "stairs":
            z = z[(np.arange(len(z)) // 7) * 7 % len(z)]
        else:
            z[len(z) // 2 :] += 5000
        return z.astype("float32")

    _elevation(given, edit)


@way("lossy")
def elevation_bytes_cut_off(given, chance):
    share = chance.choice((0.0, 0.2, 0.9))

    def change(folder: Path) -> None:
        path = folder / "dem.tif"
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])

    given.evidence_after.append(change)


@way("lossy")
def elevation_of_no_unit(given, chance):
    _catalogue(given, lambda text: text.replace('units = "us-ft"\n', ""))
