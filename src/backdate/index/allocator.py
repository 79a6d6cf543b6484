"""Keeping a process small that makes and drops pages of megabytes (glibc; elsewhere nothing happens).

Left alone, glibc keeps what was freed, for each thread. Handing every large block back at once costs
a page fault for each 4 KiB of the next page, which is most of what a new date costs. So blocks stay in
the heap, and now and then the free ones are given back together.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from contextlib import suppress

_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8
_GIVE_BACK_EVERY_BYTES = 24 * 1024 * 1024


def settle_process() -> None:
    """Settings of a process that only serves: call it once, before the first request.

    What was imported stays, so that the collector need not look at it again. The event loop gets its
    turn soon while a thread reads a page.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    sys.setswitchinterval(0.0005)
    with suppress(OSError, AttributeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_ARENA_MAX, 2)
        mallopt(_M_MMAP_THRESHOLD, 16 * 1024 * 1024)


class Trimmer:
    """Counts what was made, and says when it is time to give free memory back."""

    def __init__(self) -> None:
        self._made = 0

    def made(self, size: int) -> bool:
        """Note that ``size`` bytes were made; whether ``give_back`` is due."""
        self._made += size
        if self._made < _GIVE_BACK_EVERY_BYTES:
            return False
        self._made = 0
        return True


def give_back() -> None:
    """Give free memory back to the system (malloc_trim(3))."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
