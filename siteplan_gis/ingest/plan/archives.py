"""Zip archives and KMZ files, opened with care: nothing leaves the folder, nothing swells, nothing links elsewhere."""

from __future__ import annotations

import errno
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from siteplan_gis.errors import HostileInputError, InputError
from siteplan_gis.model.flag import Flag

if TYPE_CHECKING:
    from collections.abc import Iterator

ARCHIVE_SUFFIXES: Final = frozenset({".zip", ".kmz"})

_CHUNK: Final = 1 << 20
_RATIO_COUNTS_FROM: Final = 8 << 20
_TOTAL_RATIO_COUNTS_FROM: Final = 64 << 20
_MOST_ENTRIES: Final = 20_000
_MOST_BYTES: Final = 4 << 30
_LONGEST_DIRECTORY: Final = 16 << 20
_END: Final = struct.Struct("<4s4H2LH")
_ZIP64_END: Final = struct.Struct("<4sQ2H2L4Q")
_LONGEST_COMMENT: Final = 1 << 16
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_DEEPEST: Final = 3
_LONGEST_NAME: Final = 200


@dataclass(slots=True)
class Budget:
    """What may still be unpacked, over an archive and the archives inside it.

    Attributes
    ----------
    bytes_left, entries_left
        Unpacked bytes and number of entries that may still come.
    largest_ratio
        Times that an entry of more than 8 MiB may grow, and all of more than 64 MiB together. Deflate reaches 1032;
        real plans stay below 100.
    bytes_given, bytes_taken
        Bytes of the archives that were given, and unpacked bytes so far.
    """

    bytes_left: int = _MOST_BYTES
    entries_left: int = _MOST_ENTRIES
    largest_ratio: float = 200.0
    bytes_given: int = 0
    bytes_taken: int = 0


def unpack(archive: Path, folder: Path, label: str, budget: Budget | None = None, depth: int = 1) -> list[Flag]:
    """Unpack an archive into an empty folder, inner archives too, each into a folder named after it.

    Entries with unsafe names, links, encrypted and damaged entries are skipped, each named by a flag.

    Raises
    ------
    HostileInputError
        If it swells beyond the budget.
    InputError
        If the file is no readable zip archive.
    """
    budget = budget or Budget()
    flags: list[Flag] = []
    if depth == 1:
        budget.bytes_given += archive.stat().st_size
    try:
        if _too_long(archive):
            raise _too_many(label)
        with zipfile.ZipFile(archive) as opened:
            budget.entries_left -= len(opened.infolist())
            if budget.entries_left < 0:
                raise _too_many(label)
            for entry in opened.infolist():
                if entry.filename.endswith("/"):
                    continue
                problem = _unsafe(entry)
                if not problem and not is_clutter(entry.filename):
                    problem = _write(opened, entry, folder, label, budget)
                if problem:
                    flags.append(Flag("archive_entry_skipped", f"{_shown(entry.filename)}: {problem}", label))
    except OSError as error:
        raise InputError(
            f"cannot be unpacked ({error.strerror or error})", file=label, remedy="make room for temporary files"
        ) from None
    except (zipfile.BadZipFile, EOFError, ValueError, LookupError, RuntimeError, struct.error) as error:
        raise InputError(
            f"cannot be opened as a zip archive ({error})", file=label, remedy="zip the plan again"
        ) from None
    for inner in sorted(_files(folder)):
        if inner.suffix.lower() == ".zip":
            flags += _unpack_inner(inner, folder, label, budget, depth)
    return flags


def _too_many(label: str) -> HostileInputError:
    problem = f"the archive holds more than {_MOST_ENTRIES:,} entries"
    return HostileInputError(problem, file=label, remedy="send fewer files")


def _too_long(archive: Path) -> bool:
    """Whether the archive's directory is longer than one of so many entries: the library would read all of it first."""
    with archive.open("rb") as file:
        file.seek(max(archive.stat().st_size - _LONGEST_COMMENT - _ZIP64_END.size - _END.size, 0))
        tail = file.read()
    at, at64 = tail.rfind(b"PK\5\6"), tail.rfind(b"PK\6\6")
    lengths = [_END.unpack_from(tail, at)[5]] if 0 <= at <= len(tail) - _END.size else []
    if 0 <= at64 <= len(tail) - _ZIP64_END.size:
        lengths = [_ZIP64_END.unpack_from(tail, at64)[8]]
    return any(length > _LONGEST_DIRECTORY for length in lengths)


def _unpack_inner(inner: Path, folder: Path, label: str, budget: Budget, depth: int) -> list[Flag]:
    name = f"{label}/{inner.relative_to(folder).as_posix()}"
    if depth >= _DEEPEST:
        return [Flag("archive_entry_skipped", f"{name}: an archive more than {_DEEPEST} levels deep", label)]
    target = inner.with_name(inner.name + ".unpacked")
    try:
        target.mkdir()
        flags = unpack(inner, target, name, budget, depth + 1)
    except HostileInputError:
        raise
    except (InputError, OSError) as error:
        return [Flag("archive_entry_skipped", f"{name}: {error}", label)]
    inner.unlink()
    target.rename(inner)
    return flags


def is_clutter(name: str) -> bool:
    """Whether a path belongs to an operating system, not to the plan: hidden, or a resource fork of a Mac.

    Examples
    --------
    >>> is_clutter("__MACOSX/GIS/._LOD.SHP"), is_clutter("GIS/.DS_Store"), is_clutter("GIS/../LOD.shp")
    (True, True, False)
    """
    parts = [part for part in name.replace("\\", "/").split("/") if part not in (".", "..")]
    return any(
        part == "__MACOSX" or part.startswith(".") or part.lower() in ("thumbs.db", "desktop.ini")
        for part in parts
        if part
    )


def _unsafe(entry: zipfile.ZipInfo) -> str:
    """Why an entry must not be written; empty where it may."""
    name = entry.filename
    if not name:
        return "it has no name"
    parts = PurePosixPath(name).parts
    if "\\" in name or name.startswith("/") or ".." in parts or ":" in name or any(ord(letter) < 32 for letter in name):  # noqa: PLR2004
        return "unsafe path: the name points outside the archive's folder"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "a link to another place"
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind and kind not in (stat.S_IFREG, stat.S_IFDIR):
        return "not a plain file"
    if entry.flag_bits & 0x1:
        return "encrypted"
    if any(len(part.encode()) > _LONGEST_NAME for part in parts):
        return "the name is too long"
    return ""


def _write(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, label: str, budget: Budget) -> str:
    """Write one entry, counting what really comes out; what hinders it, or nothing."""
    target = folder.joinpath(*PurePosixPath(entry.filename).parts)
    if not target.resolve().is_relative_to(folder.resolve()):
        return "unsafe path: the name points outside the archive's folder"
    written = 0
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with opened.open(entry) as source, target.open("xb") as sink:
            while chunk := source.read(_CHUNK):
                written += len(chunk)
                budget.bytes_left -= len(chunk)
                budget.bytes_taken += len(chunk)
                swells = _swelling(written, entry.compress_size, budget)
                if swells:
                    raise HostileInputError(
                        f"{_shown(entry.filename)} swells when unpacked: {swells}",
                        file=label,
                        remedy="send the plan without it",
                    )
                sink.write(chunk)
    except FileExistsError:
        return "the archive holds this name twice; the first was taken"
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        ValueError,
        LookupError,
        RuntimeError,
        struct.error,
    ) as error:
        target.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            raise
        if "Overlapped" in str(error):
            raise HostileInputError(
                f"{_shown(entry.filename)} hides another entry ({error})", file=label, remedy="send the plan without it"
            ) from None
        return f"damaged ({str(error)[:80]})"
    return ""


def _swelling(written: int, packed: int, budget: Budget) -> str:
    """Which limit is passed by an entry of which so many bytes were written; empty where none is."""
    most = budget.largest_ratio
    if budget.bytes_left < 0:
        return f"all together make more than {_MOST_BYTES >> 30} GB"
    if written > _RATIO_COUNTS_FROM and written > most * max(packed, 1):
        return f"more than {most:g} times what it was"
    if budget.bytes_taken > _TOTAL_RATIO_COUNTS_FROM and budget.bytes_taken > most * max(budget.bytes_given, 1):
        return f"all together make more than {most:g} times the archive"
    return ""


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _shown(name: str) -> str:
    return name.encode("unicode_escape").decode()[:_LONGEST_NAME]
