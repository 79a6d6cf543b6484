"""Who is at work with a cache, so that nothing is removed that somebody uses.

``CACHE/workers/PID-RANDOM`` is held by a process for as long as it works with the cache: the kernel lets go
of it when the process dies, however it dies. Its time of change is when that began. What was last used before
the oldest of these is used by nobody: a use of an environment or a wheel sets the time of its record.
What has no such time (downloads, results) is removed only while nobody is at work.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from backdate.environments.cache import Cache
from backdate.sandboxes.file_lock import held_file

_CLOCK_S = 0.02
"""A file's time may be that much older than the moment: the kernel's clock for them ticks."""


@contextmanager
def at_work(cache: Cache) -> Iterator[None]:
    """Say that this process works with ``cache``, for as long as the context lasts.

    Waits while somebody removes what only an unused cache may lose. Raises KeyboardInterrupt as
    ``held_file``.
    """
    with _registration(cache):
        descriptor, name = tempfile.mkstemp(dir=_workers(cache), prefix=f"{os.getpid()}-")
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        Path(name).unlink(missing_ok=True)
        os.close(descriptor)


def used_since(cache: Cache) -> float | None:
    """When the oldest process began that is at work now (seconds since 1970); None where there is none.

    The files of processes that died are removed.
    """
    with _registration(cache):
        return _oldest(cache)


@contextmanager
def nobody_at_work(cache: Cache) -> Iterator[bool]:
    """Whether nobody is at work. Where so, whoever begins waits until the context ends."""
    with _registration(cache):
        yield _oldest(cache) is None


def note_use(record: Path) -> None:
    """Note that what ``record`` tells of is used now."""
    try:
        os.utime(record)
    except FileNotFoundError:
        return  # a cache that holds no such record does not keep it either


def _oldest(cache: Cache) -> float | None:
    begun = []
    for path in _workers(cache).iterdir():
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            continue  # it has just ended
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
        except BlockingIOError:
            begun.append(os.fstat(descriptor).st_mtime - _CLOCK_S)
        finally:
            os.close(descriptor)
    return min(begun, default=None)


def _workers(cache: Cache) -> Path:
    return cache.folder / "workers"


def _registration(cache: Cache) -> AbstractContextManager[None]:
    return held_file(cache.folder / "guards" / "workers")
