"""Applicants' binary files are read in a process of their own: a damaged one can crash its reader, not the review.

The process is started when the first such file is read and serves all later ones. It ends with this one, and is
replaced if a file has crashed it.
"""

from __future__ import annotations

import _thread
import atexit
import errno
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from siteplan_gis import errors
from siteplan_gis.ingest.offline import leave_network

if TYPE_CHECKING:
    from siteplan_gis.ingest.drawn.drawing import DrawnLayer

_SECONDS: Final = 20.0
_SECONDS_PER_MB: Final = 10.0
_LONGEST_READ_S: Final = 600.0
_MEMORY: Final = 2 << 30
_MEMORY_PER_BYTE: Final = 60
_MOST_MEMORY: Final = 8 << 30
_LENGTH: Final = struct.Struct(">Q")
_REMEDY: Final = "the file is damaged or made to hurt: export it again, with what the plan needs"
_NO_READER: Final = "the program that reads plans' files cannot be started"
_MACHINE: Final = "allow more processes, open files and memory (ulimit -u, -n, -v), or end other programs"
_TIME: Final = "allow more computing and memory (ulimit -t, -v), or end other programs"
_DYING_S: Final = 10.0
_TAKEN_AWAY: Final = frozenset(-getattr(signal, name) for name in ("SIGKILL", "SIGXCPU") if hasattr(signal, name))
"""How a process ends that no file has ended."""
_SHORT: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOSPC, errno.EDQUOT})
"""What the machine is short of, whatever the file is; memory see `_limit_memory`."""
_lock: Final = threading.Lock()


class _Reader:
    """The other process, as this one sees it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.started = False
        """Whether it has said that it reads."""
        self.ended = False
        """Whether a file took longer than it may."""
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

    @property
    def taken_away(self) -> bool:
        """Whether the system killed it, which is short of memory or gives it no more time."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_DYING_S)
        return not self.ended and self.process.returncode in _TAKEN_AWAY

    def ask(self, question: tuple[Any, ...], longest_s: float) -> Any:
        """What the other process makes of a file; EOFError if it dies over it."""
        if self.process.stdin is None or self.process.stdout is None:
            raise EOFError
        self.ended = False
        over = _thread.allocate_lock()
        over.acquire()
        # Not by `threading`, which waits for ever for a thread that the machine had no memory to bring to life.
        _thread.start_new_thread(self._watch, (over, longest_s))
        try:
            _send(self.process.stdin, question)
            while _meanwhile:
                import_module(_meanwhile.pop(0))
            if not self.started:
                self.started = bool(_receive(self.process.stdout))
            return _receive(self.process.stdout)
        except OSError:
            raise EOFError from None
        finally:
            over.release()

    def _watch(self, over: _thread.LockType, longest_s: float) -> None:
        if not over.acquire(timeout=longest_s):
            self.ended = True
            self.process.kill()

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


@dataclass(frozen=True, slots=True)
class Limits:
    """What the reading of one file may take: seconds, and bytes of memory."""

    seconds: float
    memory: int

    @classmethod
    def of(cls, path: Path) -> Limits:
        """Those of a file, or of a folder read as one, by its size: a small one that needs long is made to hang."""
        if path.is_dir():
            size = sum(member.stat().st_size for member in path.iterdir())
        else:
            # A shapefile's attributes are often larger than its shapes.
            size = sum(part.stat().st_size for part in (path, path.with_suffix(".dbf")) if part.exists())
        seconds = min(_SECONDS + _SECONDS_PER_MB * size / 1e6, _LONGEST_READ_S)
        return cls(seconds, min(_MEMORY + _MEMORY_PER_BYTE * size, _MOST_MEMORY))


def read_isolated(reader: str, path: Path, label: str, *more: str) -> list[DrawnLayer]:
    """Every layer of a file, by a reader of this room, in the other process.

    Raises
    ------
    InputError
        As the reader does; and if the reader crashes over the file or does not come to an end.
    MachineError
        If the machine is too short of something to read any file.
    """
    layers: list[DrawnLayer] = ask(reader, path, label, Limits.of(path), *more)
    return layers


def ask(reader: str, path: Path, label: str, limits: Limits, *more: str) -> Any:
    """What a reader of this room, named "folder.module.function", makes of a file, in the other process.

    Parameters
    ----------
    limits
        After which the reading is ended.
    more
        What else the reader takes.

    Raises
    ------
    InputError
        As the reader does; and if the reader crashes over the file or does not come to an end.
    MachineError
        If the machine is too short of something to read any file.
    """
    with _lock:
        asked = _reader()
        try:
            answer = asked.ask((reader, str(path.absolute()), label, limits.memory, more), limits.seconds)
        except EOFError:
            taken_away = asked.taken_away
            close()
            if asked.started and taken_away:
                raise errors.MachineError(f"the system ended the program that read {label}", remedy=_TIME) from None
            if not (asked.started or asked.ended):
                raise errors.MachineError(_NO_READER, remedy=_MACHINE) from None
            what = (
                f"is not read to its end within {limits.seconds:.0f} s, the limit for a file of its size"
                if asked.ended
                else f"crashes its reader, or needs more than {limits.memory / (1 << 30):.3g} GB of memory"
            )
            raise errors.InputError(what, file=label, remedy=_REMEDY) from None
    if isinstance(answer, _Problem):
        details = dict(answer.details)
        raise getattr(errors, answer.kind)(details.pop("problem"), **details)
    return answer


@dataclass(frozen=True, slots=True)
class _Problem:
    """An input error, as it travels between the processes."""

    kind: str
    details: dict[str, str]


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


def _limit_memory(more: int) -> bool:
    """A file that unfolds into more memory than any plan needs ends the reading, not the machine.

    Gives whether the machine allows that much.
    """
    if sys.platform != "linux":
        return True
    import resource  # noqa: PLC0415  (exists on Unix only)

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    allowed = hard == resource.RLIM_INFINITY or taken + more <= hard
    resource.setrlimit(resource.RLIMIT_AS, (taken + more if allowed else hard, hard))
    return allowed


def _serve() -> None:
    """Answer questions until the asking process ends."""
    leave_network()
    # Most plans hold such a file: its reader is loaded while the asking process still starts.
    import_module("siteplan_gis.ingest.vector_files.databases")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not come between the answers
    _send(answers, True)  # what went wrong before this is no fault of a file
    while True:
        try:
            question = _receive(sys.stdin.buffer)
        except EOFError:
            return
        _send(answers, _answer(*question))


def _answer(reader: str, path: str, label: str, memory: int, more: tuple[str, ...]) -> Any:
    """What a reader makes of a file, or the problem that it has with it."""
    module, _, function = reader.rpartition(".")
    try:
        read = getattr(import_module(f"siteplan_gis.ingest.{module}"), function)
        allowed = _limit_memory(memory)
    except Exception as error:  # noqa: BLE001
        return _shortage(f"{_NO_READER} ({type(error).__name__})")
    try:
        return read(Path(path), label, *more)
    except errors.InputError as error:
        names = ("problem", "file", "layer", "feature", "remedy")
        return _Problem(type(error).__name__, {name: getattr(error, name) for name in names})
    except Exception as error:  # noqa: BLE001  (a fault here must be told there, not end the reading)
        number = error.errno if isinstance(error, OSError) else None
        if isinstance(error, MemoryError) or number == errno.ENOMEM:
            if not allowed:
                return _shortage(f"{label} needs more memory to be read than there is")
            what = f"needs more than {memory / (1 << 30):.3g} GB of memory, the limit for a file of its size"
        elif number in _SHORT:
            return _shortage(f"{label} cannot be read now ({os.strerror(number)})")
        else:
            what = f"cannot be read ({type(error).__name__}: {str(error)[:160]})"
        return _Problem("InputError", {"problem": what, "file": label, "remedy": _REMEDY})


def _shortage(problem: str) -> _Problem:
    return _Problem("MachineError", {"problem": problem, "remedy": _MACHINE})


if __name__ == "__main__":
    # Under its own name, or what it sends would be of a class that the asking process does not know.
    from siteplan_gis.ingest.isolated import _serve as serve

    serve()
