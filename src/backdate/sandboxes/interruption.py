"""Ending the runs of other threads.

Ctrl-C reaches the main thread alone. A thread that does work for it obeys an event of the main
thread's: once that is set, the thread's run ends, with its whole process tree, in a KeyboardInterrupt.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_STOP: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


@contextmanager
def obeying(stop: threading.Event) -> Iterator[None]:
    """Within, runs of this thread end when ``stop`` is set."""
    token = _STOP.set(stop)
    try:
        yield
    finally:
        _STOP.reset(token)


def check() -> None:
    """Raise KeyboardInterrupt when what this thread obeys has been set."""
    stop = _STOP.get()
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt
