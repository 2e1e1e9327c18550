"""How a command runs: clear errors, a line of progress, results on standard output."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import typer

from siteplan_gis.errors import REMEDIES, UNPRINTABLE, InputError, MachineError, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

UNUSABLE, CRASHED, INTERRUPTED = 2, 3, 130

_SHORT_OF = {
    "failed to map segment": errno.ENOMEM,
    "Cannot allocate memory": errno.ENOMEM,
    "can't start new thread": errno.EAGAIN,
    "Too many open files": errno.EMFILE,
}
"""What libraries say where the machine is short of something, whatever they raise."""

_interrupted: list[int] = []


def interrupt(number: int, _: object) -> None:
    """Take note of an interruption and stop."""
    _interrupted.append(number)
    raise KeyboardInterrupt


@contextmanager
def clear_errors() -> Iterator[None]:
    """One line for whoever runs the command, and the exit code that the contract gives it."""
    try:
        yield
    except (InputError, MachineError) as error:
        _say(f"siteplan-gis: {error}\n")
        raise typer.Exit(UNUSABLE) from None
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:  # noqa: BLE001
        if line := _told(error):
            _say(f"siteplan-gis: {line}\n")
            raise typer.Exit(UNUSABLE) from None
        if _interrupted:
            # Libraries that are just being loaded turn the interruption into errors of their own.
            raise typer.Exit(INTERRUPTED) from None
        # What it quotes may come from an applicant's file.
        _say(UNPRINTABLE.sub("\ufffd", traceback.format_exc()))
        _say("siteplan-gis: the program crashed; nothing was checked. Report this as a fault.\n")
        raise typer.Exit(CRASHED) from None


def _say(words: str) -> None:
    """Write to where errors go; the exit code stays what it is where that place is full."""
    with suppress(OSError):
        sys.stderr.write(words)
        sys.stderr.flush()


def _told(error: Exception) -> str:
    """A line about what the program is not at fault for; empty where it is.

    A file that may not be read, a full disk, a share that went away; too little memory, too few threads.
    """
    short = errno.ENOMEM if isinstance(error, MemoryError) else 0
    cause: BaseException | None = error
    while cause is not None and not short:
        short = next((number for words, number in _SHORT_OF.items() if words in str(cause)), 0)
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, OSError):
        place = f"{one_line(error.filename)}: " * bool(error.filename)
        remedy = REMEDIES.get(short or error.errno or 0, "check the file's rights")
        return f"{place}{one_line(error.strerror or error)}; {remedy}"
    return f"{os.strerror(short)}; {REMEDIES[short]}" if short else ""


def hold_standard_places() -> None:
    """Let no file that is opened take the number of a standard input, output or place for errors that is closed.

    What libraries print would be written into it. Messages then go nowhere; to print results is refused.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  (until the program ends)


@contextmanager
def printing() -> Iterator[TextIO]:
    """Standard output, written to its end here, so that what it cannot take is told and no crash."""
    if sys.stdout is None:
        raise InputError("standard output cannot be written (it is closed)")
    try:
        yield sys.stdout
        sys.stdout.flush()
    except (OSError, SystemExit) as problem:
        # Or Python would try to write the rest once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # Where nobody reads any more, rich ends the program, with the code of a plan that fails.
        why = problem.strerror if isinstance(problem, OSError) else os.strerror(errno.EPIPE)
        raise InputError(f"standard output cannot be written ({why})") from None


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """A line on stderr that says what is being done, where someone is looking."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.markup import escape  # noqa: PLC0415

    with Console(stderr=True).status("starting") as status:
        yield lambda text: status.update(escape(one_line(text)))
