"""Keep the memory of a process small that allocates and frees pages of megabytes (glibc only).

By default glibc keeps freed memory, for each thread. Returning every large block at once costs a page
fault for each 4 KiB of the next page, which is most of the cost of a new date. So blocks stay in the
heap, and the free ones are returned together from time to time.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from contextlib import suppress

_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8
_GIVE_BACK_EVERY_BYTES = 24 * 1024 * 1024
_RETURNED_AT_ONCE_BYTES = 4 * 1024 * 1024
"""Larger blocks are returned one by one: pages of the public index are smaller, those that attack are not."""


def settle_process() -> None:
    """Tune a process that only serves requests. Call it once, before the first request.

    Imported objects are frozen, so that the garbage collector does not scan them again. Threads switch
    often, so that the event loop is not delayed while a thread reads a page.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    sys.setswitchinterval(0.0005)
    with suppress(OSError, AttributeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_ARENA_MAX, 2)
        mallopt(_M_MMAP_THRESHOLD, _RETURNED_AT_ONCE_BYTES)


class Trimmer:
    """Counts allocated bytes and says when free memory should be returned to the system."""

    def __init__(self) -> None:
        self._made = 0

    def made(self, size: int) -> bool:
        """Count ``size`` allocated bytes; returns whether ``give_back`` is due."""
        self._made += size
        if self._made < _GIVE_BACK_EVERY_BYTES:
            return False
        self._made = 0
        return True


def give_back() -> None:
    """Return free memory to the system (malloc_trim(3)), with what only cycles of references hold.

    What fails in a task or a thread is held by the traceback of its exception, which holds the task: without
    a look of the collector, which is rare here, pages of megabytes would stay.
    """
    gc.collect()
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
