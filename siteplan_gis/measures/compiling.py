"""Kernels: plain loops compiled by numba, cached where a folder for it can be written."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., object]")


def compiled(function: F) -> F:
    """Compile a function of arrays and numbers when it is first called; it runs without the interpreter's lock."""
    try:
        kernel = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:
        # No folder for the cache can be written: compile in every process.
        kernel = numba.njit(nogil=True, error_model="numpy")(function)
    return cast("F", kernel)
