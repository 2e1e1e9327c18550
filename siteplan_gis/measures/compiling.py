"""Kernels: plain loops compiled by numba when first called, cached in the user's own cache folder.

A package folder is often read-only, and a cached kernel does not notice an edit in another module that it calls. So the
cache lies in a folder named by the content of all modules with kernels.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
from numba.core.runtime.nrt import rtsys
from numba.misc.appdirs import user_cache_dir

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., object]")


def compiled(function: F) -> F:
    """Compile a function of arrays and numbers when it is first called; it runs without the interpreter's lock."""
    kernel: Any = numba.njit(nogil=True, error_model="numpy")(function)
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = cache_folder()
    try:
        kernel.enable_caching()
    except RuntimeError:
        # No folder for the cache can be written: compile in every process.
        pass
    else:
        _without_compiler(kernel)
        _without_room(kernel)
    finally:
        settings.CACHE_DIR = before
    return cast("F", kernel)


def _without_compiler(kernel: Any) -> None:
    """Let a kernel's cache load machine code and not the compiler: what only compiling needs, compiling loads.

    The ordinary cache loads all of it, a second for each process. A numba that is built otherwise keeps that one.
    """
    try:
        kept = kernel._cache  # noqa: SLF001
        load, initialize = kept._load_overload, rtsys.initialize  # noqa: SLF001
    except AttributeError:
        return

    def load_overload(sig: Any, target_context: Any) -> Any:
        # Memory for arrays that kernels make.
        initialize(target_context)
        return load(sig, target_context)

    kept.load_overload = load_overload


def _without_room(kernel: Any) -> None:
    """Let a full disk cost the next process its time, and not this one its result."""
    kept = kernel._cache  # noqa: SLF001
    save = kept.save_overload

    def save_overload(sig: Any, data: Any) -> None:
        with suppress(OSError):
            save(sig, data)

    kept.save_overload = save_overload


@cache
def cache_folder() -> str:
    """Where compiled kernels are kept: below NUMBA_CACHE_DIR if it is set, else below the user's cache folder."""
    digest = hashlib.sha256()
    for module in sorted(Path(__file__).parent.rglob("*.py")):
        source = module.read_bytes()
        if b"@compiled" in source:
            digest.update(source)
    cache_dir: Callable[..., str] = user_cache_dir
    above = os.environ.get("NUMBA_CACHE_DIR") or cache_dir("siteplan_gis", appauthor=False)
    return str(Path(above) / f"kernels-{digest.hexdigest()[:16]}")
