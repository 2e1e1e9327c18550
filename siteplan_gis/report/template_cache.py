"""Templates compiled once for each user: our own, and those that folium compiles each time that it is loaded.

They lie beside the kernels in the user's cache folder. It is used only where nobody else can write to it: what is in
it runs. Without it templates are compiled in every process, with the same result.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, FileSystemBytecodeCache

from siteplan_gis.measures.compiling import cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jinja2.bccache import Bucket

_OTHERS_WRITE: Final = 0o022
_OPTIONS: Final = (
    "block_start_string", "block_end_string", "variable_start_string", "variable_end_string", "comment_start_string",
    "comment_end_string", "line_statement_prefix", "line_comment_prefix", "trim_blocks", "lstrip_blocks",
    "newline_sequence", "keep_trailing_newline", "optimized", "autoescape", "finalize", "extensions",
)  # fmt: skip


class _Kept(FileSystemBytecodeCache):
    """A cache that is never worth an error."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """What is kept of a template; nothing if the file is damaged or cannot be read."""
        try:
            super().load_bytecode(bucket)
        except Exception:  # noqa: BLE001  (a damaged pickle raises anything)
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template where there is room for it."""
        try:
            super().dump_bytecode(bucket)
        except OSError:
            return


@cache
def kept_templates() -> FileSystemBytecodeCache | None:
    """The cache of compiled templates, named by all that they are compiled with; None where no safe folder is."""
    digest = hashlib.sha256("".join(version(name) for name in ("jinja2", "folium", "branca")).encode())
    # A filter of ours that is applied to a constant is applied when the template is compiled.
    for module in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(module.read_bytes())
    folder = Path(cache_folder()).parent / f"templates-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    if os.name == "posix" and (found.st_uid != os.getuid() or found.st_mode & _OTHERS_WRITE or folder.is_symlink()):
        return None
    return _Kept(str(folder))


@contextmanager
def templates_kept() -> Iterator[None]:
    """Templates that a library compiles from texts meanwhile are taken from the cache."""
    kept, ordinary = kept_templates(), Environment.compile
    if kept is None:
        yield
        return

    def compile_once(self: Environment, source: Any, *more: Any, **named: Any) -> Any:
        if not isinstance(source, str) or more or named:
            return ordinary(self, source, *more, **named)
        kind = type(self)
        options = [str(getattr(self, option)) for option in _OPTIONS]
        bucket = kept.get_bucket(self, "|".join([kind.__module__, kind.__qualname__, *options, source]), None, source)
        if bucket.code is None:
            bucket.code = ordinary(self, source)
            kept.set_bucket(bucket)
        return bucket.code

    Environment.compile = compile_once  # type: ignore[method-assign]
    try:
        yield
    finally:
        Environment.compile = ordinary  # type: ignore[method-assign]
