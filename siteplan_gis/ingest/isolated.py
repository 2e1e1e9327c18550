"""Database files are read in a process of their own, so that a damaged file can crash GDAL but not the review.

The process is started when the first such file is read and serves all later ones. It ends with this one, and is
replaced if a file has crashed it.
"""

from __future__ import annotations

import atexit
import os
import pickle
import struct
import subprocess
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from siteplan_gis import errors

if TYPE_CHECKING:
    from siteplan_gis.ingest.drawing import DrawnLayer

LONGEST_READ_S: Final = 600.0

_MOST_MEMORY: Final = 8 << 30
_LENGTH: Final = struct.Struct(">Q")
_REMEDY: Final = "the file is damaged: export it again"
_lock: Final = threading.Lock()


class _Reader:
    """The other process, as this one sees it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        # Without the current folder on the path: a plan's folder may hold a file named like a module.
        path = os.pathsep.join(part for part in sys.path if part)
        self.process = subprocess.Popen(  # noqa: S603  (our own module, by our own interpreter)
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )

    @property
    def usable(self) -> bool:
        """Whether it still runs and was started by this very process (not by the one that forked it)."""
        return self.owner == os.getpid() and self.process.poll() is None

    def ask(self, path: Path, label: str) -> Any:
        """What the other process makes of a file; EOFError if it dies over it."""
        if self.process.stdin is None or self.process.stdout is None:
            raise EOFError
        watchdog = threading.Timer(LONGEST_READ_S, self.process.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            _send(self.process.stdin, (str(path), label))
            while _meanwhile:
                import_module(_meanwhile.pop(0))
            return _receive(self.process.stdout)
        except OSError:
            raise EOFError from None
        finally:
            watchdog.cancel()

    def close(self) -> None:
        """End it."""
        if self.owner == os.getpid():
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    try:
                        pipe.close()
                    except OSError:  # what could not be written to the dead is lost with it
                        continue


_readers: Final[list[_Reader]] = []


def read_isolated(path: Path, label: str) -> list[DrawnLayer]:
    """Read every layer of a database file (see `databases.read_database`) in the other process.

    Raises
    ------
    InputError
        As the reader does; and if the reader crashes over the file or does not come to an end.
    """
    with _lock:
        try:
            answer = _reader().ask(path.absolute(), label)
        except EOFError:
            close()
            raise errors.InputError("crashes its reader or never ends", file=label, remedy=_REMEDY) from None
    if isinstance(answer, list):
        return answer
    kind, details = answer
    raise getattr(errors, kind)(details.pop("problem"), **details)


_meanwhile: Final[list[str]] = []
"""Modules to load while the other process reads its first file."""


def begin(*meanwhile: str) -> None:
    """Start the other process now; while it reads its first file, this one loads the modules it will need next."""
    _meanwhile.extend(meanwhile)
    with _lock:
        _reader()


def _reader() -> _Reader:
    if _readers and not _readers[0].usable:
        _readers.pop().close()
    if not _readers:
        _readers.append(_Reader())
    return _readers[0]


@atexit.register
def close() -> None:
    """End the other process; the next file starts a new one."""
    while _readers:
        _readers.pop().close()


def _send(pipe: IO[bytes], message: Any) -> None:
    content = pickle.dumps(message, protocol=5)
    pipe.write(_LENGTH.pack(len(content)))
    pipe.write(content)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> Any:
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    content = pipe.read(length)
    if len(content) < length:
        raise EOFError
    return pickle.loads(content)  # noqa: S301  (written by our own process)


def _limit_memory() -> None:
    """A file that unfolds into more memory than any plan needs ends the reading, not the machine."""
    if sys.platform == "linux":
        import resource  # noqa: PLC0415  (exists on Unix only)

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = _MOST_MEMORY if hard == resource.RLIM_INFINITY else min(_MOST_MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def _serve() -> None:
    """Answer questions until the asking process ends."""
    from siteplan_gis.ingest.databases import read_database  # noqa: PLC0415  (fiona is loaded in this process only)

    _limit_memory()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not come between the answers
    while True:
        try:
            path, label = _receive(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer: Any = read_database(Path(path), label)
        except errors.InputError as error:
            names = ("problem", "file", "layer", "feature", "remedy")
            answer = type(error).__name__, {name: getattr(error, name) for name in names}
        except MemoryError:
            answer = "InputError", {"problem": "needs more memory than there is", "file": label, "remedy": _REMEDY}
        except Exception as error:  # noqa: BLE001  (a fault here must be told there, not end the reading)
            problem = f"cannot be read ({type(error).__name__}: {str(error)[:160]})"
            answer = "InputError", {"problem": problem, "file": label, "remedy": _REMEDY}
        _send(answers, answer)


if __name__ == "__main__":
    _serve()
