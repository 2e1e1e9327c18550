"""A file that crashes GDAL ends the reading of that file and nothing else."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from siteplan_gis.errors import CrsError, HostileInputError, InputError, MachineError
from siteplan_gis.ingest import isolated
from siteplan_gis.ingest.isolated import close, read_isolated
from siteplan_gis.ingest.plan.vectors import read_plan
from siteplan_gis.ingest.vector_files import databases

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


def test_a_reader_that_cannot_start_is_no_fault_of_the_file(monkeypatch, tmp_path):
    false = tmp_path / "python"
    false.write_text("#!/bin/sh\nexit 1\n")
    false.chmod(0o755)
    close()
    monkeypatch.setattr(sys, "executable", str(false))
    # Among other files, too: else one after the other would be set aside as unreadable.
    with pytest.raises(MachineError, match=r"^the program that reads .* cannot be started; allow more processes"):
        read_plan([LOD, CASES / "H15" / "lod.gpkg"])
    monkeypatch.undo()
    assert len(read_plan([LOD])[0].features) == 1


def raised(error):
    """What the other process answers where its reader raises this."""

    def read(*_):
        raise error

    return read


@pytest.mark.parametrize(
    ("error", "allowed", "kind", "words"),
    [
        (OSError(errno.EMFILE, "Too many open files"), True, "MachineError", "a.gpkg cannot be read now (Too many"),
        (MemoryError(), False, "MachineError", "a.gpkg needs more memory to be read than there is"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), False, "MachineError", "a.gpkg needs more memory to be"),
        (MemoryError(), True, "InputError", "needs more than 2 GB of memory, the limit"),
        (OSError(errno.EIO, "Input/output error"), True, "InputError", "cannot be read (OSError"),
    ],
)
def test_what_the_machine_is_short_of_is_not_blamed_on_the_file(monkeypatch, error, allowed, kind, words):
    monkeypatch.setattr(databases, "read_database", raised(error))
    monkeypatch.setattr(isolated, "_limit_memory", lambda more: allowed)
    answer = isolated._answer("vector_files.databases.read_database", "a.gpkg", "a.gpkg", 2 << 30, ())
    assert answer.kind == kind
    assert answer.details["problem"].startswith(words)


def test_a_reader_that_cannot_be_loaded_is_no_fault_of_the_file(monkeypatch):
    monkeypatch.setattr(isolated, "import_module", raised(ImportError("failed to map segment")))
    assert isolated._answer("cad.model_space.read_cad", "a.dxf", "a.dxf", 2 << 30, ()).kind == "MachineError"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
def test_a_reader_that_the_system_ends_is_no_fault_of_the_file(monkeypatch):
    close()
    reader = isolated._reader()
    monkeypatch.setattr(isolated, "_receive", lambda pipe: _killed(reader.process))
    reader.started = True
    with pytest.raises(MachineError, match=r"^the system ended the program that read lod.gpkg; allow more"):
        read_plan([LOD, CASES / "H15" / "lod.gpkg"])


def _killed(process):
    process.kill()
    raise EOFError
