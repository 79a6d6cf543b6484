"""The request log: a line for each request, written in batches so that no request waits for it."""

from __future__ import annotations

import asyncio
import time
from typing import TextIO


class RequestLog:
    """Writes ``TIME CLIENT METHOD PATH STATUS BYTES`` lines to ``stream``."""

    _BATCH = 512
    _DELAY_S = 0.25

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines: list[str] = []
        self._second = 0
        self._time = ""
        self._flushing: asyncio.TimerHandle | None = None

    def record(self, client: str, method: str, path: bytes, status: int, size: int) -> None:
        """Record a request. Call it on the event loop."""
        second = int(time.time())
        if second != self._second:
            self._second = second
            self._time = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))
        shown = path.decode("ascii", errors="backslashreplace")
        self._lines.append(f"{self._time} {client} {method} {shown} {status} {size}\n")
        if len(self._lines) >= self._BATCH:
            self.flush()
        elif self._flushing is None:
            self._flushing = asyncio.get_running_loop().call_later(self._DELAY_S, self.flush)

    def flush(self) -> None:
        """Write the recorded requests."""
        if self._flushing is not None:
            self._flushing.cancel()
            self._flushing = None
        lines, self._lines = self._lines, []
        if lines:
            self._stream.write("".join(lines))
            self._stream.flush()
