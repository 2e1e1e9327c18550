"""Kernels: plain loops compiled by numba when first called, cached in the user's own cache folder.

A package folder is often read-only, and a cached kernel does not notice an edit in another module that it calls. So the
cache lies in a folder named by the content of all modules with kernels.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
from numba.misc.appdirs import user_cache_dir

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., object]")


def compiled(function: F) -> F:
    """Compile a function of arrays and numbers when it is first called; it runs without the interpreter's lock."""
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = cache_folder()
    try:
        kernel = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:
        # No folder for the cache can be written: compile in every process.
        kernel = numba.njit(nogil=True, error_model="numpy")(function)
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
