"""Small files that unfold without end, and archives that cheat: one clear line each, and soon."""

import json
import re
import time

import pytest

from siteplan_gis.errors import InputError
from siteplan_gis.ingest.plan.archives import Budget, unpack
from siteplan_gis.ingest.plan.vectors import inspect_plan
from tests.campaigns import attacks, bombs
from tests.campaigns.running import siteplan

LONGEST_S = 20.0
REFUSED = {
    **{f"{kind}.zip": rf"plan.{kind} swells when unpacked: more than 200 times what it was" for kind in bombs.SUFFIXES},
    "swelling.kmz": r"doc.kml swells when unpacked: more than 200 times",
    "gdb.zip": r"plan.gdb/a00000001.gdbtable swells when unpacked: more than 200 times",
    "matryoshka.zip": r"/in.zip: plan.dxf swells when unpacked: more than 200 times",
    "overlapping.zip": r"all together make more than 200 times the archive|Overlapped entries",
    "small.zip": r"all together make more than 200 times the archive",
    "many.zip": r"holds more than 20,000 entries",
    "directory.zip": r"holds more than 20,000 entries",
    "encrypted.zip": r"plan.dxf: encrypted, lod.geojson: encrypted",
}
TOLD = {
    "entities.zip": ("a.xml: has a DOCTYPE", "b.kml: has a DOCTYPE", "c.kmz: has a DOCTYPE", "d.xml is not LandXML"),
    "names.zip": (
        "../up.geojson: unsafe", "/abs.geojson: unsafe", r"C:\\win.geojson: unsafe", r"a\\b.geojson: unsafe",
        r"\\\\host\\share.geojson: unsafe", r"a\x1b[2J.geojson: unsafe", r"a\nb.geojson: unsafe", "xxx", "d/d/d/",
        "con.geojson:stream: unsafe",
    ),
    "twins.zip": (),
    "clash.zip": ("a/lod.geojson: the archive holds this name twice", "a is of no kind"),
    "twice.zip": ("lod.geojson: the archive holds this name twice; the first was taken",),
    "nested.zip": (),
}  # fmt: skip
SLOW = {"twice.pdf", "forms.pdf", "letters.pdf", "pages.pdf"}
"""Ended by the limits of seconds and memory, or long to read: in `tests.campaigns` and at the limits' own tests."""


@pytest.fixture(scope="module")
def archives():
    return bombs.archives()


def test_each_archive_is_told_of(archives):
    assert set(archives) == {*REFUSED, *TOLD}


@pytest.mark.parametrize("name", REFUSED)
def test_an_archive_that_swells_or_hides_is_one_line_with_the_limit(tmp_path, archives, name):
    path = tmp_path / name
    path.write_bytes(archives[name])
    began = time.process_time()
    with pytest.raises(InputError, match=rf"^{name}.*({REFUSED[name]})") as refused:
        inspect_plan([path])
    assert len(str(refused.value).splitlines()) == 1
    assert time.process_time() - began < LONGEST_S


@pytest.mark.parametrize("name", TOLD)
def test_what_an_archive_holds_besides_is_told_and_the_rest_is_read(tmp_path, archives, name):
    path = tmp_path / name
    path.write_bytes(archives[name])
    layers, flags = inspect_plan([path])
    told = [flag.text for flag in flags if flag.code in {"archive_entry_skipped", "file_ignored", "file_unreadable"}]
    assert len(told) == len(TOLD[name])
    assert all(any(text.startswith(start) for text in told) for start in TOLD[name]), told
    assert any(layer.label.lower().endswith("lod.geojson") for layer in layers)


@pytest.mark.parametrize(("files", "refused"), [(9, False), (10, True)])
def test_all_entries_together_are_held_to_the_ratio(tmp_path, files, refused):
    path = tmp_path / "plan.zip"
    path.write_bytes(attacks.zipped(**{f"{number}__txt": bytes(7 << 20) for number in range(files)}))
    folder = tmp_path / "out"
    folder.mkdir()
    if refused:
        with pytest.raises(InputError, match="more than 200 times the archive"):
            unpack(path, folder, "plan.zip", Budget())
    else:
        assert unpack(path, folder, "plan.zip", Budget()) == []


def test_sheets_and_drawings_that_unfold_without_end_are_told_and_the_rest_is_read(tmp_path):
    files = {**bombs.pdfs(), **bombs.pictures(), **bombs.drawings()}
    files = {name: content for name, content in files.items() if name not in SLOW}
    folder = attacks.write(tmp_path / "plan", {**files, "lod.geojson": json.dumps(attacks.GOOD)})
    done = siteplan("inspect", folder, "--json", seconds=240)
    assert done.fault == "", done.stderr
    assert done.code == 0
    assert done.computing < 2 * LONGEST_S
    seen = json.loads(done.stdout)
    shown = json.dumps(seen)
    assert [name for name in files if name not in shown] == []
    assert "lod.geojson" in {layer["file"] for layer in seen["layers"]}
    told = {flag["layer"]: flag["text"] for flag in seen["flags"] if flag["code"].endswith("unreadable")}
    for name in ("blocks.dxf", "grid.dxf"):
        assert re.search(r"unfold into more than 2,000,000 entities", told[name]), told
