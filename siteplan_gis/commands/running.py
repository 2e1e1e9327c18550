"""How a command runs: clear errors, a line of progress, results on standard output."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

import typer

from siteplan_gis.errors import UNPRINTABLE, InputError, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

UNUSABLE, CRASHED, INTERRUPTED = 2, 3, 130

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

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
    except InputError as error:
        sys.stderr.write(f"siteplan-gis: {error}\n")
        raise typer.Exit(UNUSABLE) from None
    except (typer.Exit, typer.Abort, BrokenPipeError):
        raise
    except OSError as error:
        # A file that may not be read, a full disk, a share that went away: the program is not at fault.
        place, reason = f"{one_line(error.filename)}: " * bool(error.filename), one_line(error.strerror or error)
        remedy = "make room on the disk" if error.errno in _NO_ROOM else "check the file's rights"
        sys.stderr.write(f"siteplan-gis: {place}{reason}; {remedy}\n")
        raise typer.Exit(UNUSABLE) from None
    except Exception:  # noqa: BLE001
        if _interrupted:
            # Libraries that are just being loaded turn the interruption into errors of their own.
            raise typer.Exit(INTERRUPTED) from None
        # What it quotes may come from an applicant's file.
        sys.stderr.write(UNPRINTABLE.sub("\ufffd", traceback.format_exc()))
        sys.stderr.write("siteplan-gis: the program crashed; nothing was checked. Report this as a fault.\n")
        raise typer.Exit(CRASHED) from None


@contextmanager
def printing() -> Iterator[TextIO]:
    """Standard output, written to its end here, so that what it cannot take is told and no crash."""
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as problem:
        # Or Python would try to write the rest once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise InputError(f"standard output cannot be written ({problem.strerror})") from None


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
