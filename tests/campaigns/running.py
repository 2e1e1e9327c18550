"""The program as its users run it, under limits: what came out, how long it took and how much memory it needed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS, MEGABYTES = 20.0, 2048.0


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
        out.seek(0)
        err.seek(0)
        printed, told = (file.read().decode("utf-8", "backslashreplace") for file in (out, err))
    return Done(process.returncode, printed, told, took, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)
