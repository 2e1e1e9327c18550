"""A file that crashes GDAL ends the reading of that file and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

from siteplan_gis.errors import CrsError, HostileInputError, InputError
from siteplan_gis.ingest import isolated
from siteplan_gis.ingest.isolated import close, read_isolated
from siteplan_gis.ingest.plan.vectors import read_plan

CASES = Path(__file__).parents[1] / "cases"
LOD = CASES / "H14" / "lod.gpkg"


def test_a_file_that_crashes_gdal_is_refused_and_the_next_one_is_read():
    # Found by changing bytes of a good GeoPackage: fiona 1.10 with GDAL 3.9 ends with a segmentation fault over it.
    with pytest.raises(InputError, match=r"^lod.gpkg: "):
        read_plan([CASES / "gdal_crash" / "submittal.zip"])
    assert len(read_plan([LOD])[0].features) == 1


def test_a_reader_that_was_ended_is_replaced():
    read_isolated("vector_files.databases.read_database", LOD, "lod.gpkg")
    isolated._readers[0].process.kill()
    isolated._readers[0].process.wait()
    assert read_isolated("vector_files.databases.read_database", LOD, "lod.gpkg")[0].layer == "lod"


def test_one_reader_serves_many_files():
    read_isolated("vector_files.databases.read_database", LOD, "lod.gpkg")
    first = isolated._readers[0].process.pid
    read_isolated("vector_files.databases.read_database", CASES / "H15" / "lod.gpkg", "lod.gpkg")
    assert isolated._readers[0].process.pid == first
    close()
    assert isolated._readers == []


def test_reading_that_never_ends_is_ended(monkeypatch):
    monkeypatch.setattr(isolated, "_LONGEST_READ_S", 0.0)
    close()
    with pytest.raises(InputError, match="not read to its end within 0 s, the limit"):
        read_isolated("vector_files.databases.read_database", LOD, "lod.gpkg")


def test_a_reader_of_the_parent_is_not_used_after_a_fork(monkeypatch):
    read_isolated("vector_files.databases.read_database", LOD, "lod.gpkg")
    reader = isolated._readers[0]
    monkeypatch.setattr(isolated.os, "getpid", lambda: -1)
    assert not reader.usable
    reader.close()  # and is not ended by the child either
    monkeypatch.undo()
    assert reader.usable


def test_problems_come_back_as_they_are(tmp_path):
    path = tmp_path / "lod.gpkg"
    path.write_bytes(b"<OGRVRTDataSource/>")
    with pytest.raises(HostileInputError) as caught:
        read_isolated("vector_files.databases.read_database", path, "label.gpkg")
    assert (caught.value.file, caught.value.remedy) == ("label.gpkg", "export it again")
    with pytest.raises(CrsError):
        read_plan([CASES / "H09" / "LOD.shp"])


def test_a_module_lying_in_the_current_folder_is_not_run(tmp_path):
    (tmp_path / "fiona.py").write_text("raise SystemExit('CANARY')")
    code = (
        "from pathlib import Path; from siteplan_gis.ingest.isolated import read_isolated; "
        f"print(read_isolated('vector_files.databases.read_database', Path({str(LOD)!r}), 'lod.gpkg')[0].layer)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "lod"


def test_fiona_is_not_loaded_here():
    code = (
        "import sys; from pathlib import Path; from siteplan_gis.ingest.plan.vectors import read_plan; "
        f"read_plan([Path({str(LOD)!r})]); print('fiona' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    assert done.stderr == ""
