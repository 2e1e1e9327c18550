"""Kernels are compiled once for each user, wherever the package lies; loading them does not load the compiler."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import siteplan_gis
from siteplan_gis.measures import compiling

USE = """
import json, sys
import numpy as np
import siteplan_gis
from siteplan_gis.measures.terrain.medians import weighted_median as kernel

found = kernel(np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 5.0]))
print(json.dumps({
    "package": siteplan_gis.__file__,
    "found": found,
    "loaded": sum(kernel.stats.cache_hits.values()),
    "compiled": sum(kernel.stats.cache_misses.values()),
    "kept in": kernel.stats.cache_path,
    "compiler": "numba.np.linalg" in sys.modules,
}))
"""
DROP_FROM_BOUNDING_SET, OVERRIDE_PERMISSIONS = 24, 1


def obey_permissions():
    """Root, too, may then write only where the permissions say so."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(DROP_FROM_BOUNDING_SET, OVERRIDE_PERMISSIONS, 0, 0, 0)


def use(site, home, program=USE, *more):
    names = {"NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "PYTHONDONTWRITEBYTECODE"}
    settings = {name: value for name, value in os.environ.items() if name not in names}
    done = subprocess.run(
        [sys.executable, "-c", program, *more],
        capture_output=True, text=True, check=True, cwd=home, preexec_fn=obey_permissions,
        env={**settings, "HOME": str(home), "PYTHONPATH": str(site)},
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert told["package"].startswith(str(site))
    assert told["found"] == pytest.approx(9.0)
    return told


def files_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def lock(folder):
    """Nobody may write below a folder; returns what is there."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    return files_in(folder)


@pytest.fixture
def site(tmp_path):
    """The package, installed where nobody may write."""
    folder = tmp_path / "site"
    package = Path(siteplan_gis.__file__).parent
    shutil.copytree(package, folder / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    lock(folder)
    yield folder
    for path in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        path.chmod(0o755)


def test_kernels_of_a_read_only_package_stay_in_the_users_cache(site, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    before = files_in(site)
    first, second = use(site, home), use(site, home)
    assert (first["loaded"], first["compiled"], first["compiler"]) == (0, 1, True)
    assert (second["loaded"], second["compiled"], second["compiler"]) == (1, 0, False)
    assert Path(first["kept in"]).is_relative_to(home / ".cache" / "siteplan_gis")
    assert second["kept in"] == first["kept in"]
    assert files_in(site) == before


def test_kernels_work_where_nothing_can_be_written(site, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    lock(home)
    told = use(site, home)
    assert (told["loaded"], told["kept in"]) == (0, None)
    home.chmod(0o755)


WITHOUT = """
import json, sys
import numba
from numba.core.caching import Cache
from numba.core.runtime import nrt

lacking = sys.argv[1]
if lacking == "the part that loads":
    Cache.load_only = Cache._load_overload
    del Cache._load_overload
    Cache.load_overload = lambda self, sig, context: (context.refresh(), self.load_only(sig, context))[1]
elif lacking == "the runtime's start":
    nrt.rtsys = type("Runtime", (), {})()
"""


@pytest.mark.parametrize("lacking", ["the part that loads", "the runtime's start"])
def test_kernels_are_kept_by_a_numba_that_is_built_otherwise(lacking, site, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    first, second = (use(site, home, WITHOUT + USE, lacking) for _ in range(2))
    assert (first["loaded"], first["compiled"]) == (0, 1)
    # Its ordinary cache loads the compiler, too.
    assert (second["loaded"], second["compiled"], second["compiler"]) == (1, 0, True)


def test_loading_kernels_leaves_the_garbage_of_a_program_alone():
    told = subprocess.run(
        [sys.executable, "-c", "import gc; import siteplan_gis.measures.terrain.medians; print(gc.isenabled(), gc.get_freeze_count())"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout.split() == ["True", "0"]


def test_an_edit_in_any_folder_with_kernels_compiles_them_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(compiling, "__file__", str(tmp_path / "compiling.py"))
    kernels = tmp_path / "folder" / "kernels.py"
    kernels.parent.mkdir()
    kernels.write_text("@compiled\ndef one(): ...\n")
    before = compiling.cache_folder.__wrapped__()
    assert compiling.cache_folder.__wrapped__() == before
    kernels.write_text("@compiled\ndef two(): ...\n")
    assert compiling.cache_folder.__wrapped__() != before


@pytest.mark.skipif(sys.platform == "win32", reason="its processes have no such limit")
def test_a_kernel_that_cannot_be_kept_on_a_full_disk_is_used_all_the_same(tmp_path):
    full = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    site = Path(siteplan_gis.__file__).parents[1]
    assert use(site, tmp_path, full + USE)["compiled"] == 1
    assert not list(tmp_path.rglob("*.nb?"))
