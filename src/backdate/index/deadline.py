"""A deadline for whole HTTP exchanges.

HTTP clients limit each read on its own, so that a server which sends a byte from time to time is never
given up, in its headers least of all. Here every operation on a connection gets what is left of the
deadline of the exchange that it belongs to (``connections.py``).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class _Current(threading.local):
    ends: float | None = None


_current = _Current()  # an exchange stays in one thread: the clients here are synchronous


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Limit all network operations of this thread in the block to ``seconds`` together.

    They raise httpx.TimeoutException afterwards. An outer deadline that is earlier holds.
    """
    outer = _current.ends
    ends = time.monotonic() + seconds
    _current.ends = ends if outer is None else min(ends, outer)
    try:
        yield
    finally:
        _current.ends = outer


def seconds_left() -> float | None:
    """Seconds until the deadline of this thread (0 when it has passed); None without one."""
    return None if _current.ends is None else max(0.0, _current.ends - time.monotonic())
