from __future__ import annotations

import re
from pathlib import Path

import pytest

from siteplan_gis.errors import InputError, SeveralInputErrors
from siteplan_gis.ingest.reference.catalogue import (
    LayerEntry,
    Where,
    entries_from_options,
    entry_from_option,
    map_accuracy_m,
    read_catalogue,
)
from siteplan_gis.units import FOOT_M


def _write(folder: Path, text: str) -> Path:
    file = folder / "layers.toml"
    file.write_text(text, encoding="utf-8")
    return file


def _touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_bytes(b"")


def test_a_whole_catalogue_is_read_from_its_file_or_its_folder(tmp_path):
    _touch(tmp_path, "streams.gpkg", "edge.gpkg", "dem.tif")
    (tmp_path / "grids").mkdir()
    file = _write(
        tmp_path,
        """
        name = "Saukville"
        invented = true
        proj_grids = "grids"
        [[layer]]
        path = "streams.gpkg"
        layer = "flowlines"
        role = "waters"
        title = "Streams"
        date = 2024-05-01
        licence = "public domain"
        scale_denominator = 24000
        coverage = "edge.gpkg#county"
        crs = "EPSG:3071"
        id_field = "HYDROID"
        kind = "stream"
        where = { field = "HYDROTYPE", any_of = [508, "509"] }
        [[layer]]
        path = "streams.gpkg"
        role = "wetlands"
        coverage = [-88, 43, -87.5, 44]
        accuracy_ft = 10
        [[dem]]
        path = "dem.tif"
        units = "us-ft"
        vertical_accuracy_ft = 0.5
        """,
    )
    catalogue = read_catalogue(file)
    assert catalogue == read_catalogue(tmp_path)
    streams, wetlands = catalogue.layers
    assert streams.path == tmp_path / "streams.gpkg"
    assert (streams.layer, streams.title, streams.date, streams.id_field) == (
        "flowlines",
        "Streams",
        "2024-05-01",
        "HYDROID",
    )
    assert (streams.coverage, streams.coverage_layer) == (tmp_path / "edge.gpkg", "county")
    assert streams.where == Where("HYDROTYPE", ("508", "509"))
    # 1/50 inch at 1:24,000 is 40 ft.
    assert streams.accuracy_m == pytest.approx(40 * FOOT_M)
    assert wetlands.coverage == (-88, 43, -87.5, 44)
    assert wetlands.accuracy_m == pytest.approx(3.048)
    assert streams.invented
    assert catalogue.dems[0].units == "us-ft"
    assert catalogue.dems[0].vertical_accuracy_m == pytest.approx(0.1524)
    assert catalogue.proj_grids == tmp_path / "grids"


def test_every_problem_is_told_at_once(tmp_path):
    file = _write(
        tmp_path,
        """
        proj_grids = 3
        [[layer]]
        path = "a.shp"
        role = "water"
        coverage = [1, 2, 3]
        colour = "blue"
        [[layer]]
        path = "b.shp"
        role = "waters"
        kind = "town"
        scale_denominator = 24000
        accuracy_ft = 40
        where = { field = "x" }
        [[dem]]
        path = "dem.tif"
        units = "feet"
        """,
    )
    with pytest.raises(SeveralInputErrors) as caught:
        read_catalogue(file)
    told = str(caught.value)
    for part in (
        "name: is missing", "proj_grids", "layer.1.role: 'water'", "layer.1.coverage", "layer.1.colour",
        "layer.2.kind: 'town'", "layer.2.accuracy_ft", "layer.2.where", "dem.1.units",
    ):  # fmt: skip
        assert part in told
    assert len(caught.value.problems) == 9


def test_all_missing_files_are_named(tmp_path):
    file = _write(
        tmp_path,
        'name = "x"\n[[layer]]\npath = "a.shp"\nrole = "waters"\ncoverage = "b.gpkg"\n[[dem]]\npath = "c.tif"\n',
    )
    with pytest.raises(SeveralInputErrors, match=r"a\.shp.*c\.tif.*b\.gpkg"):
        read_catalogue(file)


def test_a_folder_without_a_catalogue_is_refused(tmp_path):
    with pytest.raises(InputError, match="no layer catalogue"):
        read_catalogue(tmp_path)


@pytest.mark.parametrize("box", ["[-88, 44, -87, 43]", "[-87, 43, -88, 44]", "[-88, 43, -87, 91]", "[-88, 43, -87]"])
def test_a_box_must_be_one(tmp_path, box):
    _touch(tmp_path, "a.shp")
    file = _write(tmp_path, f'name = "x"\n[[layer]]\npath = "a.shp"\nrole = "waters"\ncoverage = {box}\n')
    with pytest.raises(SeveralInputErrors, match=re.escape("[west, south, east, north]")):
        read_catalogue(file)


def test_large_scale_maps_are_held_to_a_thirtieth_of_an_inch():
    # 1/30 in at 1:12,000 is 33.3 ft; 1/50 in at exactly 1:20,000 is 33.3 ft as well.
    assert map_accuracy_m(12_000) == pytest.approx(100 / 3 * FOOT_M)
    assert map_accuracy_m(20_000) == pytest.approx(100 / 3 * FOOT_M)
    assert map_accuracy_m(19_999) == pytest.approx(19_999 / 360 * FOOT_M)


def test_options_name_a_role_a_file_and_a_layer_inside_it(tmp_path):
    _touch(tmp_path, "waters.gpkg", "edge.gpkg", "odd#name.gpkg")
    assert entry_from_option("waters", tmp_path / "waters.gpkg") == LayerEntry(tmp_path / "waters.gpkg", "waters")
    inner = entry_from_option("waters", Path(f"{tmp_path / 'waters.gpkg'}#lakes"))
    assert (inner.path, inner.layer) == (tmp_path / "waters.gpkg", "lakes")
    assert entry_from_option("waters", tmp_path / "odd#name.gpkg").layer == ""
    found = entries_from_options(
        [("waters_coverage", tmp_path / "edge.gpkg"), ("waters", tmp_path / "waters.gpkg"),
         ("wetlands", tmp_path / "waters.gpkg")]
    )  # fmt: skip
    assert [(entry.role, entry.coverage) for entry in found] == [
        ("waters", tmp_path / "edge.gpkg"),
        ("wetlands", None),
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([("water", "a.gpkg")], "no role"),
        ([("waters", "none.gpkg")], "no such file"),
        ([("waters_coverage", "a.gpkg")], "covers no layer"),
        ([("waters", "a.gpkg"), ("waters_coverage", "a.gpkg"), ("waters_coverage", "a.gpkg")], "given twice"),
    ],
)
def test_unusable_options_are_refused(tmp_path, options, told):
    _touch(tmp_path, "a.gpkg")
    with pytest.raises(InputError, match=told):
        entries_from_options([(role, tmp_path / name) for role, name in options])
