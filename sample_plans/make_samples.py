"""Write `layers/` and `sample_plans/` anew: invented ground, one site in each village, one story in each folder.

Run `python sample_plans/make_samples.py` from anywhere, with the package's own dependencies installed (numpy, shapely,
pyproj, pyogrio, rasterio, ezdxf) and, for the plotted sheets, reportlab. Names of villages and stories after it write
only those; `--to FOLDER` writes elsewhere.
Everything is seeded: a second run writes the same ground. Nothing here is a survey of a real place; the villages' names
say only which ordinance is read.
"""

from __future__ import annotations

import argparse
import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import maps
import shapely
from cad import TOLD, write_drawing
from drawing import complete
from ground import CELL, DEM_HALF, MAP_HALF, VILLAGES, Ground, Village, relief
from municipal import airports, municipalities
from pyproj import Transformer
from stories import STORIES
from terrain_models import landxml
from writing import pack, toml_text, write_archive, write_elevations, write_vector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapely.geometry.base import BaseGeometry
    from story import Story

ROOT: Final = Path(__file__).resolve().parents[1]
OWNER: Final = "Invented by the siteplan_gis authors"
LICENCE: Final = "CC0-1.0"
SHORT_HALF: Final = 4000.0


@cache
def origin(village: Village) -> tuple[float, float]:
    """The middle of the invented ground in the village's CRS, to whole hundreds of feet."""
    to_village = Transformer.from_crs("EPSG:6318", f"EPSG:{village.epsg}", always_xy=True)
    east, north = to_village.transform(village.longitude, village.latitude)
    return round(east, -2), round(north, -2)


def write_layers(village: Village, root: Path) -> None:
    """The reference layers of one village with their catalogue."""
    folder = root / "layers" / village.id
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    ground, at, crs = Ground(village), origin(village), f"EPSG:{village.epsg}"

    def shifted(shape: BaseGeometry) -> BaseGeometry:
        return shapely.transform(shape, lambda xy: xy + at)

    layers = [*maps.reference_layers(ground), *municipalities(village), *airports(village, at)]
    entries = []
    for layer in layers:
        place = shifted if layer.in_village_feet else lambda shape: ground.placed(shape, at)
        write_vector(folder / layer.file, [(place(shape), values) for shape, values in layer.features], crs)
        coverage = "extent" if layer.in_village_feet else "coverage.fgb"
        entries += [
            ("[[layer]]", {"path": layer.file, "role": role, "title": layer.title, "source": OWNER, "date": layer.date,
                           "licence": LICENCE, "scale_denominator": layer.scale, "coverage": coverage})
            for role in (layer.role, *layer.also)
        ]  # fmt: skip
    square = shapely.box(-MAP_HALF, -MAP_HALF, MAP_HALF, MAP_HALF)
    write_vector(folder / "coverage.fgb", [(shifted(square), {"WHAT": "ground covered by the maps"})], crs)
    feet = relief(ground)
    corner = (at[0] - DEM_HALF, at[1] + DEM_HALF)
    write_elevations(folder / "dem.tif", feet, *corner, CELL, village.epsg)
    dem = {"path": "dem.tif", "title": "Invented bare-earth elevations, 5 ft cells", "source": OWNER,
           "date": "2024-04-20", "licence": LICENCE, "units": "us-ft", "vertical_datum": "NAVD88",
           "vertical_accuracy_ft": 0.3}  # fmt: skip
    _catalogue(folder / "layers.toml", village, "", [*entries, ("[[dem]]", dem)])
    if village.id == "saukville":
        _variants(folder, village, entries, dem, feet)


def _variants(folder: Path, village: Village, entries: list, dem: dict, feet) -> None:  # type: ignore[no-untyped-def,type-arg] # noqa: ANN001
    """Catalogues of the same maps with one fault or one gap each."""
    at, crs = origin(village), f"EPSG:{village.epsg}"
    short = shapely.transform(shapely.box(-SHORT_HALF, -SHORT_HALF, SHORT_HALF, SHORT_HALF), lambda xy: xy + at)
    write_vector(folder / "coverage_short.fgb", [(short, {"WHAT": "ground covered by the maps"})], crs)
    ground = Ground(village)
    for layer in maps.reference_layers(ground):
        if layer.role in {"waters", "wetlands"}:
            inside = [(ground.placed(shape, at).intersection(short), values) for shape, values in layer.features]
            write_vector(folder / _short(layer.file), [item for item in inside if not item[0].is_empty], crs)
    shorter = [
        (kind, values | ({"path": _short(values["path"]), "coverage": "coverage_short.fgb"}
                         if values["role"] in {"waters", "wetlands", "flowlines"} else {}))
        for kind, values in entries
    ]  # fmt: skip
    _catalogue(
        folder / "short.toml", village, " (waters and wetlands mapped only near the site)", [*shorter, ("[[dem]]", dem)]
    )
    margin = round((DEM_HALF - 1000.0) / CELL)
    inner = feet[margin:-margin, margin:-margin]
    write_elevations(
        folder / "dem_no_unit.tif", inner, at[0] - 1000.0, at[1] + 1000.0, CELL, village.epsg, with_unit=False
    )
    _catalogue(folder / "no_elevation.toml", village, " (no elevation model)", entries)
    unknown = {key: value for key, value in dem.items() if key not in {"units", "vertical_datum"}} | {
        "path": "dem_no_unit.tif"
    }
    _catalogue(
        folder / "no_vertical_unit.toml",
        village,
        " (elevations whose unit nobody wrote down)",
        [*entries, ("[[dem]]", unknown)],
    )


def _short(file: str) -> str:
    return file.replace(".fgb", "_short.fgb")


def _catalogue(path: Path, village: Village, remark: str, tables: list) -> None:  # type: ignore[type-arg]
    name = f"Invented ground at {village.name}{remark}"
    heading = "Invented ground: no survey of any real place. Written by sample_plans/make_samples.py."
    path.write_text(toml_text([("", {"name": name, "invented": True}), *tables], heading), encoding="utf-8")


def write_story(story: Story, root: Path) -> None:
    """The folder of one story: plan, manifest, expected outcome, two lines of story."""
    folder = root / "sample_plans" / story.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if not story.plan_of:
        _write_plan(story, folder)
    for name, text in story.files:
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "expected.toml").write_text(toml_text(story.expected_tables(), story.on_paper), encoding="utf-8")
    (folder / "README.md").write_text(f"# {story.name}\n\n{story.story}\n", encoding="utf-8")


def _write_plan(story: Story, folder: Path) -> None:
    """What an applicant would send: the drawing and its manifest."""
    village = VILLAGES[story.village]
    ground, at, crs = Ground(village), origin(village), f"EPSG:{village.epsg}"
    drawing = complete(ground, story.design(), story.interval)
    for change in story.changes:
        change(drawing)
    placed = {
        name: [(ground.placed(shape, at), values) for shape, values in drawn.features]
        for name, drawn in drawing.items()
    }
    if story.format == ".gpkg":
        for name, features in placed.items():
            write_vector(folder / "plan.gpkg", features, crs, name)
        pack(folder / "plan.gpkg")
    elif story.format == ".dxf":
        _write_cad(story, folder, placed)
    else:
        write_archive(folder / "plan.zip", placed, crs, story.format)
    if story.surfaces:
        (folder / "surfaces.xml").write_text(landxml(ground, story.design(), at), encoding="utf-8")
    roles = {name: drawn.role for name, drawn in drawing.items()}
    settings = [(f'layer."{name}"', dict(drawn.settings)) for name, drawn in drawing.items() if drawn.settings]
    if story.format == ".dxf":
        roles = dict(TOLD)
        settings = _cad_settings(story, crs)
    tables = [
        ("plan", story.plan | {"invented": True}), ("stated", story.stated), ("activity", story.activity),
        *([("narrative", story.narrative)] if story.narrative else []), *(("[[sheet]]", sheet) for sheet in story.sheets), ("roles", roles), *settings
    ]  # fmt: skip
    heading = "An invented plan on invented ground. Written by sample_plans/make_samples.py."
    (folder / "siteplan.toml").write_text(toml_text(tables, heading), encoding="utf-8")


def _write_cad(story: Story, folder: Path, placed: Mapping[str, list]) -> None:  # type: ignore[type-arg]
    """The plan as a CAD drawing, and its sheet as plotted."""
    write_drawing(folder / "plan.dxf", placed, story.plan["name"])
    for file, size in story.plots:
        from plotting import plot_sheet  # noqa: PLC0415  (needs reportlab)

        plot_sheet(folder / "plan.dxf", folder / file, story.plan["name"], size)


def _cad_settings(story: Story, crs: str) -> list[tuple[str, dict[str, object]]]:
    """What a CAD drawing cannot say of itself: where it lies, and what its layers for phases mean."""
    phases = [
        (f'layer."C-LOD-PH{name}"', {"phase": name, "start": start, "end": end})
        for name, _, start, end in story.design().phases
    ]
    return [('drawing."plan.dxf"', {"crs": crs}), *phases]


def main() -> None:
    options = argparse.ArgumentParser(description="Write the invented layers and sample plans.")
    options.add_argument("names", nargs="*", help="villages and stories; by default all")
    options.add_argument("--to", type=Path, default=ROOT, help="folder to write in; by default the project")
    chosen = options.parse_args()
    for village in VILLAGES.values():
        if not chosen.names or village.id in chosen.names:
            write_layers(village, chosen.to)
            print(f"layers/{village.id}")
    for story in STORIES:
        if not chosen.names or story.name in chosen.names:
            write_story(story, chosen.to)
            print(f"sample_plans/{story.name}")


if __name__ == "__main__":
    main()
