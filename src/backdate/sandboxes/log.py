"""A log of bounded size: of what a command prints, the beginning and the end are kept."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType


class BoundedLog:
    """Writes at most ``limit`` bytes of output to a file: the first half and the last half.

    The last half is a ring buffer in the file itself, which :meth:`close` puts in order; so neither disk nor
    memory fills, however much is printed. A marker line says how much was left out.
    """

    def __init__(self, path: Path, limit: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptor = os.open(path, flags, 0o644)
        self._head = max(limit, 2) // 2
        self._ring = max(limit, 2) - self._head
        self._seen = 0
        self.dropped = 0
        """Bytes left out of the middle; final after :meth:`close`."""

    def __enter__(self) -> BoundedLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(self, data: bytes) -> None:
        """Take ``data``, which may be cut anywhere."""
        view = memoryview(data)
        if self._seen < self._head:
            part = view[: self._head - self._seen]
            self._put(part, self._seen)
            self._seen += len(part)
            view = view[len(part) :]
        if len(view) > self._ring:
            self._seen += len(view) - self._ring
            view = view[len(view) - self._ring :]
        while view:
            offset = (self._seen - self._head) % self._ring
            part = view[: self._ring - offset]
            self._put(part, self._head + offset)
            self._seen += len(part)
            view = view[len(part) :]

    def _put(self, data: memoryview, offset: int) -> None:
        while data:
            written = os.pwrite(self._descriptor, data, offset)
            offset += written
            data = data[written:]

    def close(self) -> None:
        """Put the file in order. Closing twice is allowed."""
        if self._descriptor < 0:
            return
        try:
            self.dropped = max(0, self._seen - self._head - self._ring)
            if self.dropped:
                self._unroll()
        finally:
            os.close(self._descriptor)
            self._descriptor = -1

    def _unroll(self) -> None:
        start = (self._seen - self._head) % self._ring
        ring = b""
        while len(ring) < self._ring:
            ring += os.pread(self._descriptor, self._ring - len(ring), self._head + len(ring))
        marker = b"\n[... %d bytes of output were left out here ...]\n" % self.dropped
        self._put(memoryview(marker + ring[start:] + ring[:start]), self._head)
