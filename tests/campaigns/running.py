"""The program as its users run it, under limits: what came out, how long it took and how much memory it needed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS, MEGABYTES = 20.0, 2048.0
LOADED = (
    "docx", "jsonschema", "PIL.PngImagePlugin", "siteplan_gis.api", "siteplan_gis.cli", "siteplan_gis.countywide.many",
    "siteplan_gis.countywide.one", "siteplan_gis.fetching.gathering", "siteplan_gis.pipeline", "siteplan_gis.planning",
    "siteplan_gis.report.files", "siteplan_gis.report.letter_formats", "siteplan_gis.report.parcel_files",
    "siteplan_gis.report.print_sheet", "siteplan_gis.report.rounds_page", "siteplan_gis.report.screening_files",
    "siteplan_gis.report.territory_files",
)  # fmt: skip
"""What the commands load sooner or later."""


@dataclass(frozen=True)
class Done:
    """One run; `code` is negative where a signal ended it (-9: it did not come to an end).

    `computing` counts the seconds of all processes that it waited for, however busy the machine.
    """

    code: int
    stdout: str
    stderr: str
    seconds: float
    megabytes: float
    computing: float = 0.0

    @property
    def fault(self):
        """What no run may do; empty where it did none of it."""
        if self.code not in {0, 1, 2, 3}:
            return "hangs" if self.code == -signal.SIGKILL else f"ended by {self.code}"
        if "Traceback" in self.stderr:
            return "crashed"
        if self.code == 2 and (self.stdout or len(self.stderr.strip().splitlines()) != 1):
            return "no one clear line"
        if self.code != 2 and not self.stdout.strip():
            return "silent"
        if self.megabytes > MEGABYTES:
            return f"{self.megabytes:.0f} MB"
        return ""


def forked(*arguments, seconds=SECONDS):
    """Run `siteplan-gis` as `siteplan` does, in a fork of this process, which has loaded its libraries once for all."""
    command = ["siteplan-gis", *map(str, arguments)]
    for name in LOADED:
        import_module(name)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        process = os.fork()
        if process == 0:
            os.setsid()
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            os._exit(_ran(command))
        watchdog = threading.Timer(seconds, os.killpg, (process, signal.SIGKILL))
        watchdog.start()
        _, status, used = os.wait4(process, 0)
        watchdog.cancel()
        watchdog.join()
        took = time.perf_counter() - began
        printed, told = map(_read, (out, err))
    code = os.waitstatus_to_exitcode(status)
    return Done(code, printed, told, took, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)


def _ran(command):
    """The exit code of the command line in this process, and its readers ended."""
    from siteplan_gis.cli import main
    from siteplan_gis.ingest.isolated import close

    sys.argv = command
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001  (told as a crash)
        traceback.print_exc()
        code = 70
    sys.stdout.flush()
    sys.stderr.flush()
    close()
    return code


def _read(file):
    file.seek(0)
    return file.read().decode("utf-8", "backslashreplace")


def siteplan(*arguments, folder=ROOT, seconds=SECONDS, **environment):
    """Run `siteplan-gis` with some arguments; its readers die with it."""
    command = [sys.executable, "-m", "siteplan_gis", *map(str, arguments)]
    settings = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=out, stderr=err, cwd=folder, env=settings, start_new_session=True
        )  # fmt: skip
        watchdog = threading.Timer(seconds, os.killpg, (process.pid, signal.SIGKILL))
        watchdog.start()
        _, status, used = os.wait4(process.pid, 0)
        watchdog.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        took = time.perf_counter() - began
        printed, told = map(_read, (out, err))
    return Done(process.returncode, printed, told, took, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)
