"""A fetch that is killed goes on where it stopped, and memory does not grow with the layer."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from orders import BOX, WHEN, catalogue, fetched, sources_file, stored

from siteplan_gis.fetching.ground import box_in

if TYPE_CHECKING:
    from services import Service

CHILD = """
import json, resource, sys
from pathlib import Path
from siteplan_gis.fetching.gathering import Order, fetch_layers
from siteplan_gis.fetching.registry import read_sources
box, sources, out = json.loads(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
(done,) = fetch_layers(Order("a box", box, read_sources(sources), out, sys.argv[4]), lambda _: None)
print(json.dumps([str(done.problem), str(done.path), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""


def _child(folder: Path, service: Service, box: tuple[float, ...]) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-c",
        CHILD,
        json.dumps(box),
        str(sources_file(folder, service)),
        str(folder / "layers"),
        WHEN,
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_killed_twenty_times_and_still_whole(service: Service, tmp_path: Path) -> None:
    service.layer.page = 10
    truth = service.truth(box_in("EPSG:3071", BOX))
    luck, kills = random.Random(7), 0
    while kills < 20:
        child = _child(tmp_path, service, BOX)
        last = service.count_pages + luck.randint(1, 4)

        def kill(page: int, child: subprocess.Popen[str] = child, last: int = last) -> None:
            if page == last:
                threading.Timer(luck.uniform(0, 0.01), os.kill, (child.pid, signal.SIGKILL)).start()

        service.before_page = kill
        child.communicate()
        assert child.returncode == -signal.SIGKILL
        assert catalogue(tmp_path) == {}
        assert list((tmp_path / "layers").glob("*.fgb")) == []
        kills += 1
    asked, service.before_page = service.count_pages, lambda _: None
    done = fetched(tmp_path, service)
    assert done.path is not None, done.problem
    found = stored(done.path)
    assert found.keys() == truth.keys()
    assert all(found[number].equals_exact(shape, 1e-7) for number, shape in truth.items())
    # What had come before was not asked for again.
    assert service.count_pages - asked < len(truth) / service.layer.page
    assert [path.name for path in (tmp_path / "layers").iterdir() if path.suffix == ".fgb"] == [done.path.name]


def test_pages_of_another_question_or_of_changed_data_are_thrown_away(service: Service, tmp_path: Path) -> None:
    service.faults = {"withholds"}
    assert fetched(tmp_path, service).path is None
    asked = service.count_pages
    service.faults, service.layer.about = set(), {"editingInfo": {"lastEditDate": 1_727_200_000_000}}
    assert fetched(tmp_path, service).path is not None
    assert service.count_pages - asked == 2


def test_a_damaged_page_is_asked_for_again(service: Service, tmp_path: Path) -> None:
    service.faults = {"withholds"}
    assert fetched(tmp_path, service).path is None
    (page, *_) = sorted((tmp_path / "layers" / ".fetching" / "small_streams").glob("page-*.gz"))
    page.write_bytes(page.read_bytes()[:-50])
    service.faults = set()
    done = fetched(tmp_path, service)
    assert done.path is not None, done.problem
    assert stored(done.path).keys() == service.truth(box_in("EPSG:3071", BOX)).keys()


def test_memory_stays_flat(service: Service, tmp_path: Path) -> None:
    """50,000 features take no more memory than 5,000, page for page, but for the list of their numbers."""
    service.layer.page, service.layer.across = 1000, 250
    peaks = []
    for count in (5_000, 50_000):
        service.layer.count = count
        folder = tmp_path / str(count)
        folder.mkdir()
        child = _child(folder, service, (-88.0, 43.3, -87.7, 43.6))
        problem, path, peak_kb = json.loads(child.communicate()[0])
        assert problem == "None"
        assert len(stored(Path(path))) == count
        peaks.append(peak_kb)
    assert peaks[1] - peaks[0] < 40_000, peaks
