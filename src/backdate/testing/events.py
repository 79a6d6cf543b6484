"""Reading the event file that a suite's process wrote, and believing as little of it as possible.

The file was written beside hostile code: lines may be garbage, cut, huge, or forged. What is well
formed is kept, everything else is counted; nothing here raises because of what a file holds.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from backdate.testing.assembly import Assembly, Capture
from backdate.testing.authenticity import Authenticator
from backdate.testing.wire import LARGEST_LINE, parse_event

LARGEST_FILE = 256 * 1024 * 1024
"""Bytes of an event file that are read."""


def read_events(
    source: bytes | Iterable[bytes],
    *,
    truncated: bool = False,
    secret: bytes | None = None,
    canaries: Collection[str] = (),
) -> Capture:
    """What the lines of an event file (or its whole content) say.

    Never raises because of their content; every well-formed event of the session's process counts, with a
    ``secret`` only those that it authenticates. ``canaries``: last names of tests that are none of its.
    """
    lines = source.split(b"\n") if isinstance(source, bytes) else source
    assembly = Assembly(canaries)
    authenticator = Authenticator(secret)
    malformed = 0
    for line in lines:
        if line.strip():
            event = parse_event(line)
            if event is None:
                malformed += 1
            elif authenticator.believes(line, event):
                assembly.add(event)
    return assembly.capture(malformed=malformed, truncated=truncated, authenticity=authenticator.result())


def read_event_file(
    path: Path,
    *,
    largest: int = LARGEST_FILE,
    secret: bytes | None = None,
    canaries: Collection[str] = (),
) -> Capture:
    """What the event file at ``path`` says: at most its first ``largest`` bytes, and no link is followed.

    A file that is gone or was replaced by something else is a capture that knows nothing. The rest is as
    for ``read_events``.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return Capture(malformed=1)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        return Capture(malformed=1)
    with os.fdopen(descriptor, "rb") as file:
        lines = _bounded_lines(file, largest)
        return read_events(lines, truncated=status.st_size > largest, secret=secret, canaries=canaries)


def _bounded_lines(file: BinaryIO, largest: int) -> Iterator[bytes]:
    """The lines of ``file``; one that is too long comes cut, and so malformed: it costs no more memory."""
    left = largest
    while left > 0:
        line = file.readline(min(LARGEST_LINE + 1, left))
        if not line:
            return
        left -= len(line)
        yield line
        while not line.endswith(b"\n") and left > 0:  # the rest of a line that was too long
            line = file.readline(min(LARGEST_LINE + 1, left))
            if not line:
                return
            left -= len(line)
