"""Archives: nothing leaves the folder, nothing swells, nothing links elsewhere, nothing is lost in silence."""

import io
import stat
import struct
import tempfile
import zipfile
from pathlib import Path

import pytest

from siteplan_gis.errors import HostileInputError, InputError
from siteplan_gis.ingest.plan.archives import Budget, is_clutter, unpack
from siteplan_gis.ingest.plan.vectors import inspect_plan, read_plan

CASES = Path(__file__).parents[1] / "cases"

LOD = (CASES / "H08" / "lod_3857.geojson").read_bytes()


def zipped(path, entries, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return path


def inner(entries):
    buffer = io.BytesIO()
    zipped(buffer, entries)
    return buffer.getvalue()


def target(tmp_path):
    folder = tmp_path / "deep" / "er" / "site"
    folder.mkdir(parents=True)
    return folder


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "name",
    [
        "../slip.txt",
        "../../.profile",
        "../../slip.txt",
        "gis/../../slip.txt",
        "gis/..",
        "/tmp/slip_abs.txt",  # noqa: S108
        "//host/share/slip.txt",
        "..\\..\\slip.txt",
        "gis\\slip.txt",
        "C:\\slip.txt",
        "C:slip.txt",
        "gis/a:stream",
        "new\nline.txt",
        "x" * 300 + ".txt",
    ],
)
def test_unsafe_names_are_skipped_by_name(tmp_path, name):
    folder = target(tmp_path)
    archive = zipped(tmp_path / "plan.zip", [(name, b"slip"), ("gis/lod.geojson", LOD)])
    flags = unpack(archive, folder, "plan.zip")
    assert [flag.code for flag in flags] == ["archive_entry_skipped"]
    assert name[:20].encode("unicode_escape").decode()[:10] in flags[0].text
    assert "unsafe path" in flags[0].text or "too long" in flags[0].text
    assert files(tmp_path) == ["deep/er/site/gis/lod.geojson", "plan.zip"]


def test_case_h72(tmp_path):
    before = set(Path(tempfile.gettempdir()).glob("*slip*"))
    _, flags = inspect_plan([CASES / "H72" / "submittal.zip"])
    skipped = [flag.text for flag in flags if flag.code == "archive_entry_skipped"]
    assert len(skipped) == 5
    assert all("unsafe path" in text and "slip" in text for text in skipped)
    assert set(Path(tempfile.gettempdir()).glob("*slip*")) == before
    assert not Path("/tmp/slip_abs_siteplan.txt").exists()  # noqa: S108
    with pytest.raises(InputError, match=r"slip_up.txt: unsafe path"):  # its one good file holds no feature
        read_plan([CASES / "H72" / "submittal.zip"])


def test_links_and_devices_are_skipped(tmp_path):
    for kind in (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO):
        entry = zipfile.ZipInfo("gis/lod.geojson")
        entry.external_attr = (kind | 0o777) << 16
        archive = tmp_path / f"{kind}.zip"
        with zipfile.ZipFile(archive, "w") as opened:
            opened.writestr(entry, "/etc/passwd")
        folder = tmp_path / str(kind)
        folder.mkdir()
        flags = unpack(archive, folder, "plan.zip")
        assert ["link" in flags[0].text, "plain file" in flags[0].text] == [kind == stat.S_IFLNK, kind != stat.S_IFLNK]
        assert files(folder) == []


def test_a_bomb_is_refused_by_its_ratio(tmp_path):
    archive = zipped(tmp_path / "plan.zip", [("gis/lod.geojson", bytes(40 << 20))])
    assert archive.stat().st_size < 100_000
    with pytest.raises(HostileInputError, match=r"plan.zip: gis/lod.geojson swells"):
        unpack(archive, target(tmp_path), "plan.zip")


def test_small_well_packed_files_are_no_bomb(tmp_path):
    folder = target(tmp_path)
    assert unpack(zipped(tmp_path / "plan.zip", [("a.txt", bytes(7 << 20))]), folder, "plan.zip") == []
    assert (folder / "a.txt").stat().st_size == 7 << 20


@pytest.mark.parametrize(("allowed", "refused"), [(1999, True), (2000, False), (2001, False)])
def test_the_total_size_counts_what_comes_out(tmp_path, allowed, refused):
    archive = zipped(tmp_path / "plan.zip", [("a.txt", b"x" * 1000), ("b.txt", b"y" * 1000)])
    folder = target(tmp_path)
    if refused:
        with pytest.raises(HostileInputError, match="swells"):
            unpack(archive, folder, "plan.zip", Budget(bytes_left=allowed))
    else:
        assert unpack(archive, folder, "plan.zip", Budget(bytes_left=allowed)) == []


@pytest.mark.parametrize(("allowed", "refused"), [(4, True), (5, False)])
def test_the_number_of_entries_counts_inner_archives_too(tmp_path, allowed, refused):
    archive = zipped(
        tmp_path / "plan.zip", [("a.txt", b""), ("b.txt", b""), ("in.zip", inner([("c", b""), ("d", b"")]))]
    )
    folder = target(tmp_path)
    if refused:
        with pytest.raises(HostileInputError, match=r"more than 20,000 entries"):
            unpack(archive, folder, "plan.zip", Budget(entries_left=allowed))
    else:
        assert unpack(archive, folder, "plan.zip", Budget(entries_left=allowed)) == []
        assert "in.zip/c" in files(folder)


def test_a_lying_size_in_the_directory_does_not_help(tmp_path):
    archive = zipped(tmp_path / "plan.zip", [("a.txt", bytes(40 << 20))])
    content = bytearray(archive.read_bytes())
    directory = content.rindex(b"PK\x01\x02")
    struct.pack_into("<I", content, directory + 24, 10)  # says that ten bytes come out
    archive.write_bytes(content)
    folder = target(tmp_path)
    flags = unpack(archive, folder, "plan.zip")
    assert [flag.code for flag in flags] == ["archive_entry_skipped"]
    assert files(folder) == []


def test_archives_in_archives_are_opened_three_deep(tmp_path):
    deepest = inner([("lod.geojson", LOD)])
    fourth = inner([("four.zip", deepest)])
    archive = zipped(tmp_path / "plan.zip", [("two.zip", inner([("three.zip", fourth)])), ("ok.zip", deepest)])
    folder = target(tmp_path)
    flags = unpack(archive, folder, "plan.zip")
    assert len(flags) == 1
    assert "two.zip/three.zip/four.zip: an archive more than 3 levels deep" in flags[0].text
    assert "ok.zip/lod.geojson" in files(folder)


def test_damaged_and_encrypted_entries_are_named_and_the_rest_is_read(tmp_path):
    archive = zipped(tmp_path / "plan.zip", [("bad.txt", b"damaged here"), ("ok.txt", b"ok")], zipfile.ZIP_STORED)
    content = bytearray(archive.read_bytes())
    content[content.index(b"damaged")] ^= 0xFF
    archive.write_bytes(content)
    folder = target(tmp_path)
    flags = unpack(archive, folder, "plan.zip")
    assert "bad.txt: damaged" in flags[0].text
    assert files(folder) == ["ok.txt"]
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.rindex(signature)
        content[at + offset] |= 1
    archive.write_bytes(content)
    other = tmp_path / "other"
    other.mkdir()
    assert [flag.text.split(":")[-1].strip() for flag in unpack(archive, other, "plan.zip")][1:] == ["encrypted"]


def test_a_name_that_comes_twice_is_read_once_and_said(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        archive = zipped(tmp_path / "plan.zip", [("a.txt", b"first"), ("a.txt", b"second")])
    folder = target(tmp_path)
    flags = unpack(archive, folder, "plan.zip")
    assert "twice" in flags[0].text
    assert (folder / "a.txt").read_bytes() == b"first"


@pytest.mark.parametrize("content", [b"", b"no zip at all", b"PK\x05\x06"])
def test_what_is_no_archive_is_refused(tmp_path, content):
    archive = tmp_path / "plan.zip"
    archive.write_bytes(content)
    with pytest.raises(InputError, match=r"plan.zip: .*cannot be opened as a zip archive"):
        read_plan([archive])


def test_an_entry_without_a_name_is_skipped(tmp_path):
    archive = zipped(tmp_path / "plan.zip", [("a", b"x"), ("ok.txt", b"ok")], zipfile.ZIP_STORED)
    content = archive.read_bytes().replace(b"a", b"\x00")
    archive.write_bytes(content)
    folder = target(tmp_path)
    assert [flag.code for flag in unpack(archive, folder, "plan.zip")] == ["archive_entry_skipped"]
    assert files(folder) == ["ok.txt"]


def test_an_archive_cut_short_is_refused(tmp_path):
    archive = zipped(tmp_path / "plan.zip", [("lod.geojson", LOD)])
    archive.write_bytes(archive.read_bytes()[:-40])
    with pytest.raises(InputError, match="cannot be opened as a zip archive"):
        read_plan([archive])


def test_clutter_is_left_out_in_silence(tmp_path):
    folder = target(tmp_path)
    names = ["__MACOSX/GIS/._LOD.shp", "GIS/.DS_Store", "GIS/Thumbs.db", "desktop.ini", ".git/config"]
    archive = zipped(tmp_path / "plan.zip", [(name, b"x") for name in [*names, "GIS/LOD.txt"]])
    assert unpack(archive, folder, "plan.zip") == []
    assert files(folder) == ["GIS/LOD.txt"]
    assert all(is_clutter(name) for name in names)


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    archive = zipped(tmp_path / "plan.zip", [("lod.geojson", LOD), ("in.zip", inner([("lod.geojson", LOD)]))])
    plan, _ = read_plan([archive])
    assert len(plan.features) == 2
    with pytest.raises(InputError):
        read_plan([zipped(tmp_path / "bad.zip", [("lod.geojson", b"{")])])
    assert list((tmp_path / "temporary").iterdir()) == []
