"""Results that stay whole whoever is ended when, and whoever else writes there."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from siteplan_gis.report.moving import move_together, staging_folder
from tests.campaigns.kills import WRITTEN, commands, kill_at_random, orphans_kept

ROOT = Path(__file__).resolve().parents[2]
WRITE = "import sys; from pathlib import Path; from tests.campaigns.kills import write; write(Path(sys.argv[1]), sys.argv[2])"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="who outlives a command is kept on Linux only")


def test_after_kills_the_folder_holds_one_whole_result_and_nothing_is_left_behind(tmp_path):
    with orphans_kept():
        counts, mixtures = kill_at_random(commands(tmp_path)["write"], tmp_path / "work", 12, random.Random(7))
    assert mixtures == []
    assert sum(counts.values()) == 12
    assert counts["old"] > 0


def test_two_runs_into_one_folder_do_not_mix(tmp_path):
    letters = "abcdef"
    for _ in range(3):
        runs = [subprocess.Popen([sys.executable, "-c", WRITE, str(tmp_path), letter], cwd=ROOT) for letter in letters]
        assert [run.wait() for run in runs] == [0] * len(letters)
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(WRITTEN)
        assert len({(tmp_path / name).read_bytes()[:1] for name in WRITTEN}) == 1


def test_a_moving_that_was_ended_is_brought_to_its_end_by_the_next_run(tmp_path):
    left = tmp_path / ".siteplan-left"
    (left / "before").mkdir(parents=True)
    (left / "before" / "a.txt").write_text("old")
    (tmp_path / "a.txt").write_text("new")
    (left / "b.txt").write_text("new")
    (tmp_path / "b.txt").write_text("old")
    (tmp_path / ".siteplan-half").mkdir()
    (tmp_path / ".siteplan-half" / "a.txt").write_text("half")
    with staging_folder(tmp_path) as made:
        (made / "c.txt").write_text("other")
        assert move_together(made, tmp_path, ("c.txt",)) == (tmp_path / "c.txt",)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "a.txt": "new",
        "b.txt": "new",
        "c.txt": "other",
    }


def test_a_folder_in_use_is_not_swept(tmp_path):
    with staging_folder(tmp_path) as one:
        (one / "a.txt").write_text("one")
        with staging_folder(tmp_path) as other:
            (other / "b.txt").write_text("other")
            move_together(other, tmp_path, ("b.txt",))
        move_together(one, tmp_path, ("a.txt",))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]
