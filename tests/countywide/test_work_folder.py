"""The folder of finished partitions: one run at a time holds it, and a full disk is told as one."""

import errno
import os
import threading
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from siteplan_gis.cli import app
from siteplan_gis.countywide import many
from siteplan_gis.countywide.many import screen_many, work_folder
from siteplan_gis.countywide.one import ParcelsAsked
from siteplan_gis.errors import InputError
from siteplan_gis.model.screening import Asked
from siteplan_gis.report.parcel_table import read_parts

LAYERS = Path(__file__).resolve().parents[2] / "layers" / "saukville"
GIVEN = ParcelsAsked(None, LAYERS, asked=Asked(runoff=False))


def test_a_second_run_waits_for_the_first_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(many, "_PATIENCE_S", 0.0)
    out, events = tmp_path / "out", []

    def second():
        with work_folder(out, events.append) as work:
            events.append("second")
            (work / "part").touch()
            (work / "part").unlink()

    with work_folder(out) as work:
        other = threading.Thread(target=second)
        other.start()
        until = time.monotonic() + 10
        while not events and time.monotonic() < until:
            time.sleep(0.01)
        events.append("first")
    other.join(10)
    assert events == [f"another run works in {work}: waiting for its end", "first", "second"]
    assert list(tmp_path.iterdir()) == []


def test_another_table_beside_it_does_not_wait(tmp_path):
    with work_folder(tmp_path / "one.csv") as one, work_folder(tmp_path / "other.csv") as other:
        assert one != other
        assert one.is_dir()
        assert other.is_dir()


def test_what_a_stopped_run_finished_stays(tmp_path):
    with work_folder(tmp_path / "out") as work:
        (work / "part").write_text("finished")
    with work_folder(tmp_path / "out") as again:
        assert (again / "part").read_text() == "finished"


def full(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_names_the_file_and_not_its_rights(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(many.os, "fsync", full)
        done = CliRunner().invoke(app, ["prescreen", "--layers", str(LAYERS), "--no-runoff", "--out", str(tmp_path)])
    assert done.exit_code == 2
    line = done.stderr.splitlines()[-1]
    assert "partition-000000.parquet" in line
    assert "No space left on device" in line
    assert "make room" in line
    assert "rights" not in done.stderr
    assert not list(tmp_path.rglob("*.part*[0-9]"))


def test_the_run_goes_on_when_there_is_room_again(tmp_path, monkeypatch):
    real, kept = os.fsync, []

    def second_time(place):
        kept.append(place)
        return real(place) if len(kept) < 2 else full()

    with monkeypatch.context() as patch:
        patch.setattr(many.os, "fsync", second_time)
        with pytest.raises(InputError, match="goes on with the next partition"):
            screen_many(GIVEN, tmp_path, most=4)
    made = screen_many(GIVEN, tmp_path, most=4)
    assert made.kept == 3
    assert sum(len(table) for table in read_parts(made.parts)) == 9
