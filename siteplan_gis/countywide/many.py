"""All parcels of a county or a state: partition by partition, each kept when it is finished."""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from siteplan_gis.countywide.job import Job
from siteplan_gis.countywide.one import chosen_rows, evidence_of
from siteplan_gis.countywide.partitions import MOST_PARCELS, partitioned
from siteplan_gis.countywide.workers import results
from siteplan_gis.errors import InputError
from siteplan_gis.ingest.reference.parcel_index import index_parcels
from siteplan_gis.ordinances.reader import read_ordinance, shipped
from siteplan_gis.report.moving import held_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from siteplan_gis.countywide.one import ParcelsAsked
    from siteplan_gis.countywide.partitions import Partition
    from siteplan_gis.countywide.surroundings import Evidence
    from siteplan_gis.ingest.reference.parcel_index import ParcelIndex

    Tell = Callable[[int, int], None]
    """Called with the parcels done and all of them."""

_TOO_OLD: Final = ".part"
_PATIENCE_S: Final = 5.0
_LOOK_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class Screened:
    """What a run made: the finished parts in their order, and what is to be said of the file.

    `kept` counts the parcels that an earlier run had finished.
    """

    parts: tuple[Path, ...]
    parcels: int
    kept: int
    repeated_ids: int
    without_id: int
    left_out: dict[str, int]
    work: Path
    invented: bool
    sources: tuple[dict[str, str], ...]

    def about(self) -> dict[str, Any]:
        """What is to be said of the file and its sources, as plain data."""
        return {
            "parcels": self.parcels, "repeated_ids": self.repeated_ids, "without_id": self.without_id,
            "left_out": self.left_out, "invented": self.invented, "sources": self.sources,
        }  # fmt: skip

    def forget(self) -> None:
        """Take the finished parts away, once the table is written."""
        shutil.rmtree(self.work, ignore_errors=True)


@contextmanager
def work_folder(out: Path, say: Callable[[str], None] = lambda _: None) -> Iterator[Path]:
    """Where finished partitions stand until the table at `out` is written: beside it, held by one run at a time.

    A second run waits for the end of the first: neither takes the other's parts away. What a stopped run leaves stays.

    Raises
    ------
    InputError
        If the folder cannot be made.
    """
    work = out.absolute().parent / f".{out.name}.work"
    with ExitStack() as kept:
        until = time.monotonic() + _PATIENCE_S
        while not _hold(work, kept):
            if time.monotonic() > until:
                say(f"another run works in {work}: waiting for its end")
                until = math.inf
            time.sleep(_LOOK_S)
        try:
            yield work
        finally:
            with suppress(OSError):
                work.rmdir()


def _hold(work: Path, kept: ExitStack) -> bool:
    """Make a folder and hold it; whether no other run does."""
    _make(work)
    with ExitStack() as tried:
        try:
            stands = tried.enter_context(held_folder(work))
        except (BlockingIOError, FileNotFoundError):
            return False
        except OSError:  # a share without locks is written to all the same
            return True
        if stands:
            kept.push(tried.pop_all())
        return stands


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"nothing can be written here ({problem.strerror})", file=str(folder)) from None


def screen_many(
    given: ParcelsAsked,
    work: Path,
    workers: int = 1,
    scheduler: str = "",
    tell: Tell = lambda _done, _all: None,
    most: int = MOST_PARCELS,
) -> Screened:
    """Screen every parcel of a file.

    Finished partitions stand as files in a folder of `work` that is named by a hash of all inputs: the same run goes on
    where it was stopped, another one does not take them for its own.

    Raises
    ------
    InputError
        If an input cannot be used, the folder cannot be written, or the workers cannot be had.
    """
    given = replace(given, asked=replace(given.asked, listed=False))
    evidence, path = evidence_of(given)
    index = index_parcels(path, given.id_field, given.where, given.assume_crs)
    partitions = partitioned(index.lonlat, chosen_rows(index, given), most)
    folder = work / _fingerprint(given, evidence, path, most)
    _make(folder)
    parts = {one.number: folder / f"partition-{one.number:06d}.parquet" for one in partitions}
    open_ones = [one for one in partitions if not parts[one.number].is_file()]
    total = sum(len(one.rows) for one in partitions)
    kept = done = total - sum(len(one.rows) for one in open_ones)
    tell(done, total)
    for job, rows in results(_jobs(open_ones, index, evidence, given), workers, scheduler):
        _keep(parts[job.number], rows)
        done += len(job.index)
        tell(done, total)
    reasons, counts = np.unique(index.left_out[index.left_out != ""].astype(str), return_counts=True)
    left_out = dict(zip(reasons.tolist(), counts.tolist(), strict=True))
    return Screened(
        tuple(parts.values()),
        total,
        kept,
        index.repeated,
        index.unnamed,
        left_out,
        folder,
        _invented(evidence),
        _sources(evidence),
    )


def _jobs(
    partitions: Sequence[Partition], index: ParcelIndex, evidence: Evidence, given: ParcelsAsked
) -> Iterator[Job]:  # fmt: skip
    for one in partitions:
        yield Job(one.number, index.of(one.rows), evidence, given)


def _invented(evidence: Evidence) -> bool:
    return any(one.invented for one in evidence.entries) or any(one.invented for one in evidence.dems)


def _sources(evidence: Evidence) -> tuple[dict[str, str], ...]:
    layers = [
        {"role": one.role, "title": one.label, "date": one.date, "file": one.path.name} for one in evidence.entries
    ]
    dems = [
        {"role": "elevation", "title": one.title or one.path.name, "date": one.date, "file": one.path.name}
        for one in evidence.dems
    ]
    return (*layers, *dems)


def _keep(path: Path, rows: bytes) -> None:
    """Write a finished partition so that it is there whole or not at all, even when the power fails.

    Raises
    ------
    InputError
        If it cannot be written: the disk is full, mostly.
    """
    made = path.with_suffix(f"{_TOO_OLD}{os.getpid()}")
    try:
        with made.open("wb") as file:
            file.write(rows)
            file.flush()
            os.fsync(file.fileno())
        made.replace(path)
    except OSError as problem:
        with suppress(OSError):
            made.unlink()
        raise InputError(
            f"cannot be written ({problem.strerror})", file=str(path),
            remedy="make room there and run the same command again: it goes on with the next partition",
        ) from None  # fmt: skip


def _fingerprint(given: ParcelsAsked, evidence: Evidence, path: Path, most: int) -> str:
    """A hash of everything that decides the answer: files by name, size and time of change, options, laws, program."""
    files = {path, *(entry.path for entry in evidence.entries), *(dem.path for dem in evidence.dems)}
    files |= {entry.coverage for entry in evidence.entries if isinstance(entry.coverage, Path)}
    told = [version("siteplan-gis"), repr(given), repr(evidence), str(most)]
    for file in sorted(files):
        about = file.stat() if file.exists() else None
        told.append(f"{file} {about.st_size} {about.st_mtime_ns}" if about else f"{file}")
    told += [repr(read_ordinance(one)) for one in shipped()]
    return hashlib.sha256("\n".join(told).encode(errors="backslashreplace")).hexdigest()[:16]
