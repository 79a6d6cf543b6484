"""What a test's own code leaves behind, apart from what tests before it in the same process left."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from pathlib import Path

from patience import PATIENCE_S


@contextmanager
def no_thread_left() -> Iterator[None]:
    """Fails unless every thread that began in the block has ended, or does so soon after it."""
    before = _threads()
    yield
    _wait_for_none(lambda: _threads() - before, "threads")


@contextmanager
def no_descriptor_left() -> Iterator[None]:
    """Fails unless every descriptor that was opened in the block is closed, or is so soon after it."""
    gc.collect()
    before = _descriptors()
    yield
    _wait_for_none(lambda: _descriptors() - before, "descriptors")


def _threads() -> set[threading.Thread]:
    """Those begun by ``threading``; it also lists foreign ones, such as a test worker's, once they use it."""
    return {thread for thread in threading.enumerate() if not isinstance(thread, threading._DummyThread)}


def _descriptors() -> set[tuple[str, str]]:
    """Every open descriptor, with what it is."""
    opened = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            opened.add((descriptor.name, str(descriptor.readlink())))
        except FileNotFoundError:
            continue  # that of the listing itself
    return opened


def _wait_for_none(left: Callable[[], AbstractSet[object]], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while remaining := left():
        assert time.monotonic() < deadline, f"{what} are left: {remaining}"
        gc.collect()
        time.sleep(0.01)
