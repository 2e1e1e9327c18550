from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from siteplan_gis.errors import InputError
from siteplan_gis.report import files
from siteplan_gis.report.files import NAMES, write_outputs

if TYPE_CHECKING:
    from siteplan_gis.model.review import Review


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_all_outputs_appear_and_nothing_else(review: Review, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "out"
    paths = write_outputs(review, folder)
    assert [path.name for path in paths] == list(NAMES)
    assert all(path.is_file() for path in paths)
    assert set(contents(folder)) == set(NAMES)
    assert json.loads((folder / "review.json").read_text("utf-8"))["schema"] == "siteplan-gis/review/1"


def test_outputs_are_the_same_every_time(review: Review, tmp_path: Path) -> None:
    write_outputs(review, tmp_path / "a")
    write_outputs(review, tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_other_files_stay_and_older_outputs_are_replaced(review: Review, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "review.html").write_text("old")
    write_outputs(review, tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert (tmp_path / "review.html").read_bytes().startswith(b"<!DOCTYPE html>")


@pytest.mark.parametrize("step", ["write_json", "write_geopackage", "write_page"])
def test_nothing_appears_when_one_output_fails(
    review: Review, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError(step)

    for name in NAMES:
        (tmp_path / name).write_text("old")
    before = contents(tmp_path)
    monkeypatch.setattr(files, step, fails)
    with pytest.raises(RuntimeError, match=step):
        write_outputs(review, tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("stuck", NAMES)
def test_what_stood_there_comes_back_when_a_file_cannot_be_replaced(
    review: Review, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stuck: str
) -> None:
    for name in NAMES[:2]:
        (tmp_path / name).write_text("old")
    before = contents(tmp_path)
    replace = Path.replace

    def held(self: Path, target: Path) -> Path:
        if self.name == stuck and target.parent == tmp_path and self.parent.name != "before":
            raise PermissionError(13, "Permission denied")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", held)
    with pytest.raises(InputError, match=f"{stuck}: cannot be replaced"):
        write_outputs(review, tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("blow", [KeyboardInterrupt(), SystemExit(1)])
@pytest.mark.parametrize("step", range(1, 6))
def test_what_stood_there_comes_back_when_the_moving_is_interrupted(
    review: Review, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int, blow: BaseException
) -> None:
    for name in NAMES[:2]:
        (tmp_path / name).write_text("old")
    before = contents(tmp_path)
    replace = Path.replace
    moves: list[Path] = []

    def interrupted(self: Path, target: Path) -> Path:
        moved = replace(self, target)
        moves.append(target)
        if len(moves) == step:
            raise blow
        return moved

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(type(blow)):
        write_outputs(review, tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no file sizes")
@pytest.mark.parametrize("most_bytes", [1_000, 60_000, 200_000])
def test_a_full_disk_is_told_and_leaves_nothing(review: Review, tmp_path: Path, most_bytes: int) -> None:
    import resource

    (tmp_path / "review.html").write_text("old")
    before = contents(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, hard))
    try:
        with pytest.raises(InputError, match=r"cannot be written here \(File too large\)"):
            write_outputs(review, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert contents(tmp_path) == before


def test_a_folder_that_is_a_file_is_refused(review: Review, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(InputError, match="choose another --out"):
        write_outputs(review, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
