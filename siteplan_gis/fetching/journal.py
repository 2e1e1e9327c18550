"""Pages of a fetch on disk: each whole or not there, so that an interrupted fetch goes on where it stopped."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import zlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_PLAN: Final = "asked.json"


class Journal:
    """The pages of one layer, in order.

    Parameters
    ----------
    folder
        Where they lie; made when needed.
    asked
        Everything that the pages answer: address, query, count, ids. Pages that answer anything else are thrown away.
    """

    def __init__(self, folder: Path, asked: Mapping[str, Any]) -> None:
        self._folder = folder
        text = json.dumps(asked, sort_keys=True)
        plan = folder / _PLAN
        if not plan.is_file() or plan.read_text(encoding="utf-8") != text:
            if folder.exists():
                shutil.rmtree(folder)
            folder.mkdir(parents=True)
            put_whole(plan, text.encode())
        self._next = 1 + max((int(path.name.partition("-")[2].partition(".")[0]) for path in self._files()), default=-1)

    @property
    def count(self) -> int:
        """How many pages were added, damaged ones among them."""
        return self._next

    def add(self, page: bytes) -> None:
        """Keep one page."""
        put_whole(self._folder / f"page-{self._next:06}.gz", gzip.compress(page, 1))
        self._next += 1

    def pages(self) -> Iterator[bytes]:
        """All pages kept so far; a damaged one is removed."""
        for path in self._files():
            try:
                page = gzip.decompress(path.read_bytes())
            except (OSError, EOFError, zlib.error):
                path.unlink()
            else:
                yield page

    def clear(self) -> None:
        """Forget everything."""
        shutil.rmtree(self._folder)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("page-*.gz"))


def put_whole(path: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all, whatever interrupts."""
    passing = path.with_name(f".{path.name}.part")
    with passing.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    passing.replace(path)
