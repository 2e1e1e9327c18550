"""A layer folder: data files and `layers.toml`, each moved into being whole, what a person wrote in it kept."""

from __future__ import annotations

import fcntl
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import tomlkit

from siteplan_gis.errors import InputError
from siteplan_gis.fetching.journal import put_whole
from siteplan_gis.ingest.reference.catalogue import CATALOGUE_FILE, read_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from siteplan_gis.fetching.registry import SourceLayer
    from siteplan_gis.ingest.reference.stamps import Stamp

PASSING_FOLDER: Final = ".fetching"
_HASH_SHOWN: Final = 10


@contextmanager
def working_in(folder: Path) -> Iterator[Path]:
    """The place for what is not whole yet, ours alone while we work.

    Raises
    ------
    InputError
        If the folder's layers are invented, are no catalogue, or another fetch works there.
    """
    if (folder / CATALOGUE_FILE).is_file() and read_catalogue(folder).invented:
        raise InputError(
            "the layers there show invented ground, and real layers are not mixed with them", file=str(folder),
            remedy="name another folder with --out",
        )  # fmt: skip
    passing = folder / PASSING_FOLDER
    passing.mkdir(parents=True, exist_ok=True)
    with (passing / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError("another fetch is at work there", file=str(folder), remedy="wait until it ends") from None
        yield passing


def put_layer(folder: Path, name: str, made: Path, source: SourceLayer, stamp: Stamp, facts: dict[str, Any]) -> Path:
    """Move a whole layer into the folder and write it into `layers.toml`, in the place of its predecessor.

    The file's name holds its hash: until the catalogue names it, nothing reads it; then nothing reads its predecessor.
    """
    target = folder / f"{source.id}-{stamp.sha256[:_HASH_SHOWN]}{made.suffix}"
    made.replace(target)
    catalogue = folder / CATALOGUE_FILE
    document = tomlkit.parse(catalogue.read_text(encoding="utf-8-sig")) if catalogue.is_file() else _new(name)
    before: set[str] = set()
    for key, use, about in _described(source, stamp, target.name, facts):
        if key not in document:
            document.append(key, tomlkit.aot())
        before |= _put(document[key], source.id, use, about)
    put_whole(catalogue, tomlkit.dumps(document).encode())
    for path in before - {target.name}:
        (folder / path).unlink(missing_ok=True)
    return target


def _new(name: str) -> tomlkit.TOMLDocument:
    document = tomlkit.document()
    document.add(
        tomlkit.comment(
            "Written by `siteplan-gis layers fetch`; `siteplan-gis layers check` compares it with the files."
        )
    )
    document.add("name", name)
    document.add(tomlkit.nl())
    return document


def _put(tables: Any, source: str, use: str, about: dict[str, Any]) -> set[str]:
    """Write one layer over what was fetched of it before, so that comments and keys that a person added stay.

    Returns the name of the file that it had.
    """
    for table in tables:
        if table.get("fetched", {}).get("source") == source and table.get("role", table.get("use", use)) == use:
            before = {str(table["path"])}
            for name, value in about.items():
                if name != "fetched":
                    table[name] = value
            for name, value in about["fetched"].items():
                table["fetched"][name] = value
            return before
    table = tomlkit.table()
    for name, value in about.items():
        table.add(name, value)
    tables.append(table)
    return set()


def _described(
    source: SourceLayer, stamp: Stamp, path: str, facts: dict[str, Any]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """For each use of a source: which array of tables it belongs in, the use, and the table."""
    for use in source.uses:
        role = use in source.roles
        key = "layer" if role else "dem" if use == "elevation" else "other"
        yield (
            key,
            use,
            {
                "path": path,
                **({"role": use} if key == "layer" else {"use": use} if key == "other" else {}),
                "title": source.title,
                "source": source.owner,
                "date": stamp.edited or source.date,
                "licence": source.licence,
                **({"scale_denominator": source.scale_denominator} if role and source.scale_denominator else {}),
                **({"accuracy_ft": source.accuracy_ft} if role and source.accuracy_ft else {}),
                **({"kind": source.feature_kind} if role and source.feature_kind else {}),
                **facts,
                "fetched": _stamp(stamp),
            },
        )


def _stamp(stamp: Stamp) -> dict[str, Any]:
    return {
        "source": stamp.source, "url": stamp.url, "query": stamp.query,
        "extent": [round(number, 7) for number in stamp.extent], "expected": stamp.expected, "got": stamp.got,
        "without_geometry": stamp.without_geometry, "when": stamp.when, "edited": stamp.edited,
        "notes": list(stamp.notes), "sha256": stamp.sha256,
    }  # fmt: skip
