"""Work that several threads share, on a machine that may grant none.

`threading` waits for a new thread to say that it runs. One that the machine has no memory for dies before, and whoever
started it waits for ever. So whoever shares work out works too, and waits only for what another thread has taken.
"""

from __future__ import annotations

import _thread
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def in_threads(work: Callable[[int], T], many: int, threads: int) -> list[T]:
    """What some work makes of the numbers below `many`, several at a time, in their order.

    Where some of it fails, no more is begun, and the failure of the lowest number is raised. Nothing may be imported or
    compiled in a thread for the first time.

    Examples
    --------
    >>> in_threads(lambda number: number**2, 4, 2)
    [0, 1, 4, 9]
    """
    made: dict[int, T] = {}
    failed: dict[int, BaseException] = {}
    left = iter(range(many))

    def take_all() -> None:
        # Whoever is first past the end, or fails, ends it for all: the numbers are nobody's then.
        for number in left:
            try:
                made[number] = work(number)
            except BaseException as problem:  # noqa: BLE001  (raised again below)
                failed[number] = problem
            if failed:
                return

    def help_out(busy: _thread.LockType) -> None:
        with busy:
            take_all()

    helpers = [_thread.allocate_lock() for _ in range(min(threads, many) - 1)]
    for busy in helpers:
        with suppress(RuntimeError):  # the machine grants no thread
            _thread.start_new_thread(help_out, (busy,))
    try:
        take_all()
    finally:
        for busy in helpers:
            # One that has not begun finds nothing left to do.
            with busy:
                pass
    if failed:
        raise failed[min(failed)]
    return [made[number] for number in range(many)]
