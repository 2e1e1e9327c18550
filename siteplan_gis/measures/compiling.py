"""Kernels: plain loops compiled by numba when first called, cached in the user's own cache folder.

A package folder is often read-only, and a cached kernel does not notice an edit in another module that it calls. So the
cache lies in a folder named by the content of all modules with kernels.
"""

from __future__ import annotations

import gc
import hashlib
import os
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

F = TypeVar("F", bound="Callable[..., object]")


@contextmanager
def _lasting() -> Iterator[None]:
    """What is loaded stays: looking for waste among its half a million objects, now and when the program ends, is vain.

    Half a second of each process went into it.
    """
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if searching:
            gc.enable()


with _lasting():
    import numba
    from numba.core.caching import FunctionCache
    from numba.core.runtime.nrt import rtsys
    from numba.misc.appdirs import user_cache_dir


class _Cache(FunctionCache):
    """A kernel's cache that loads machine code and not the compiler: what only compiling needs, compiling loads."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for a signature, or None where it has to be compiled."""
        # Memory for arrays that kernels make.
        rtsys.initialize(target_context)
        return super()._load_overload(sig, target_context)  # type: ignore[no-untyped-call]


def compiled(function: F) -> F:
    """Compile a function of arrays and numbers when it is first called; it runs without the interpreter's lock."""
    kernel: Any = numba.njit(nogil=True, error_model="numpy")(function)
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = cache_folder()
    try:
        kernel._cache = _Cache(function)  # type: ignore[no-untyped-call]  # noqa: SLF001
    except RuntimeError:
        # No folder for the cache can be written: compile in every process.
        pass
    finally:
        settings.CACHE_DIR = before
    return cast("F", kernel)


@cache
def cache_folder() -> str:
    """Where compiled kernels are kept: below NUMBA_CACHE_DIR if it is set, else below the user's cache folder."""
    digest = hashlib.sha256()
    for module in sorted(Path(__file__).parent.glob("*.py")):
        source = module.read_bytes()
        if b"@compiled" in source:
            digest.update(source)
    cache_dir: Callable[..., str] = user_cache_dir
    above = os.environ.get("NUMBA_CACHE_DIR") or cache_dir("siteplan_gis", appauthor=False)
    return str(Path(above) / f"kernels-{digest.hexdigest()[:16]}")
