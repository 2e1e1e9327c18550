"""Files moved into a folder together: whoever looks finds all of the old ones or all of the new ones.

Each is moved by a rename. The renames are made by a process of their own, so that an end of the program at that very
moment does not leave the half of them done; and one run at a time moves into a folder. What a run left behind that was
ended while it wrote is swept up by the next one; where even the moving was ended, the next run brings it to its end.
"""

from __future__ import annotations

import os
import pickle
import shutil
import sys
import tempfile
import warnings
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from siteplan_gis.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PREFIX: Final = ".siteplan-"
_BEFORE: Final = "before"


@contextmanager
def staging_folder(folder: Path) -> Iterator[Path]:
    """A hidden folder inside `folder` to write into, removed at the end; leftovers of ended runs are swept up."""
    with ExitStack() as held:
        with held_folder(folder, wait=True):
            _sweep(folder)
            made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
            held.enter_context(held_folder(made))
        try:
            yield made
        finally:
            _clear_up(made)


def _clear_up(made: Path) -> None:
    # Where an interruption comes while the files are being moved, who moves them also clears up.
    if not (made / _BEFORE).exists():
        shutil.rmtree(made, ignore_errors=True)


def move_together(made: Path, folder: Path, names: Sequence[str]) -> tuple[Path, ...]:
    """Move files from the staging folder into the folder.

    Raises
    ------
    InputError
        If one of those that stand there cannot be replaced; all are then as they were.
    """
    if sys.platform == "win32":
        _move(made, folder, names)
    else:
        _apart(made, folder, names)
    return tuple(folder / name for name in names)


def _apart(made: Path, folder: Path, names: Sequence[str]) -> None:
    """Move in another process, which an end of this one, or of all in its terminal, does not reach."""
    ours, theirs = os.pipe()
    with warnings.catch_warnings():
        # It makes a few renames and ends: no lock of another thread is asked for.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setsid()
            os.close(ours)
            problem: BaseException | None = None
            try:
                with held_folder(folder, wait=True):
                    _move(made, folder, names)
            except BaseException as raised:  # noqa: BLE001  (raised again by the asking process)
                problem = raised
            os.write(theirs, pickle.dumps(_sendable(problem)))
            status = 0
        finally:
            os._exit(status)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    if not answer:
        raise OSError(0, "the moving was ended", str(folder))
    problem = pickle.loads(answer)  # noqa: S301  (written by our own process)
    if isinstance(problem, dict):
        raise InputError(**problem)
    if problem is not None:
        raise problem


def _sendable(problem: BaseException | None) -> BaseException | dict[str, str] | None:
    if isinstance(problem, InputError):
        return {"problem": problem.problem, "file": problem.file, "remedy": problem.remedy}
    return problem


def _move(made: Path, folder: Path, names: Sequence[str]) -> None:
    before = made / _BEFORE
    before.mkdir()
    try:
        _rename(made, before, folder, names)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _rename(made: Path, before: Path, folder: Path, names: Sequence[str]) -> None:
    try:
        for name in names:
            if (folder / name).exists():
                (folder / name).replace(before / name)
            (made / name).replace(folder / name)
    except BaseException as problem:
        stuck = next((name for name in names if (made / name).exists()), names[-1])
        _put_back(made, before, folder, names)
        if not isinstance(problem, OSError):
            raise
        raise InputError(
            f"cannot be replaced ({problem.strerror})",
            file=str(folder / stuck),
            remedy="close the program that has it open, or choose another --out",
        ) from None


def _put_back(made: Path, before: Path, folder: Path, names: Sequence[str]) -> None:
    """What stood in the folder before, wherever the moving stopped."""
    for name in names:
        if not (made / name).exists():
            (folder / name).unlink(missing_ok=True)
        if (before / name).exists():
            (before / name).replace(folder / name)


def _sweep(folder: Path) -> None:
    """Remove what ended runs left behind; all files of a run whose moving had begun were written, so move the rest."""
    if sys.platform == "win32":
        return
    for left in sorted(folder.glob(_PREFIX + "*")):
        try:
            with held_folder(left):
                if (left / _BEFORE).is_dir():
                    for path in sorted(left.iterdir()):
                        if path.is_file():
                            path.replace(folder / path.name)
                shutil.rmtree(left, ignore_errors=True)
        except OSError:  # another run is writing there, or has just ended
            continue


@contextmanager
def held_folder(folder: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold a folder, so that other runs see it in use; it is let go whatever ends this process.

    Gives whether it still stands: who held it before may have taken it away.

    Raises
    ------
    OSError
        If another process holds it (BlockingIOError), or it cannot be held, unless this one waits.
    """
    if sys.platform == "win32":
        yield True
        return
    import fcntl  # noqa: PLC0415  (exists on Unix only)

    place = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            if not wait:  # a share without locks is written to all the same
                raise
        yield folder.exists() and os.path.samestat(os.fstat(place), folder.stat())
    finally:
        os.close(place)
