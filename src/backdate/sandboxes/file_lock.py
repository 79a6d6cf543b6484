"""A file that one thread of one process at a time holds, so that others wait for what is being made."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backdate.sandboxes import interruption

_POLL_S = 0.05


@contextmanager
def held_file(path: Path, *, remove: bool = False) -> Iterator[None]:
    """Hold ``path``, which is made where it is missing; the others wait for it.

    ``remove``: it is removed in the end, so that nothing stays in a folder that people see.
    Raises OSError where it cannot be made (also where it is a link: it may lead to anybody's file), and
    KeyboardInterrupt when what the thread obeys is set meanwhile.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        try:
            wait_for_lock(descriptor)
            if not _is_still(path, descriptor):
                continue  # whoever held it removed it: another may hold its successor
            try:
                yield
            finally:
                if remove:
                    path.unlink(missing_ok=True)
            return
        finally:
            os.close(descriptor)


@contextmanager
def tried_file(path: Path) -> Iterator[bool]:
    """Whether nobody holds ``path``; where so, it is held meanwhile. Raises OSError as ``held_file`` does."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield _is_still(path, descriptor)
    finally:
        os.close(descriptor)


def wait_for_lock(descriptor: int, kind: int = fcntl.LOCK_EX) -> None:
    """Take the lock of an open file (``kind``: flock's). Raises KeyboardInterrupt as ``held_file`` does."""
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            interruption.check()  # whoever holds it may build for half an hour
            time.sleep(_POLL_S)
        else:
            return


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
