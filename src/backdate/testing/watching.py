"""Looking at an event file while it grows: progress for people, bounds on its size and each test's time."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Collection
from pathlib import Path
from types import TracebackType
from typing import Self

from backdate.progress import NO_PROGRESS, ONLY, Reporter, SuiteAdvanced
from backdate.testing.wire import Collected, parse_event

_EVERY_S = 0.2
_CHUNK = 1024 * 1024
_START = b'"event":"start"'
_END = b'"event":"end"'
_COLLECTED = b'"event":"collected"'


class EventTail:
    """Counts, chunk by chunk, the finished and the collected tests in what is appended."""

    def __init__(self, unseen: Collection[str] = ()) -> None:
        """``unseen``: parts of the ids of tests that are not counted."""
        self._unseen = tuple(text.encode() for text in unseen)
        self.finished = 0
        self.collected = 0
        self.running = 0
        """Tests that started and did not end."""
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """Take what was appended. A line longer than a few megabytes is not counted."""
        *lines, rest = (self._rest + data).split(b"\n")
        for line in lines:
            # inside a JSON string the quotes would be escaped: the marks cannot be part of a test's id
            if _START in line:
                self.running += 1
            elif _END in line:
                self.running -= 1
                self.finished += not any(text in line for text in self._unseen)
            elif _COLLECTED in line:
                event = parse_event(line)
                self.collected += len(event.ids) if isinstance(event, Collected) else 0
        self._rest = rest if len(rest) <= 4 * _CHUNK else b""


class Watch:
    """While entered, reports from a thread of its own and keeps the file below ``largest`` bytes.

    With ``case_wall_s`` it sets ``stop`` when tests are running and none has said anything for so long.
    If the reporter raises, nothing more is reported, and leaving the watch raises that exception.
    """

    def __init__(
        self,
        path: Path,
        progress: Reporter = NO_PROGRESS,
        *,
        subject: str = ONLY,
        finished: int,
        total: int | None,
        largest: int,
        unseen: Collection[str] = (),
        case_wall_s: float | None = None,
    ) -> None:
        """``finished`` tests were finished before; those whose ids hold one of ``unseen`` do not count."""
        self._path = path
        self._progress = progress
        self._subject = subject
        self._finished = finished
        self._total = total
        self._largest = largest
        self._case_wall_s = case_wall_s
        self.stop = threading.Event()
        self._changed = time.monotonic()
        """When the file was last seen to grow."""
        self._tail = EventTail(unseen)
        self._offset = 0
        self._reported: SuiteAdvanced | None = None
        self._problem: Exception | None = None
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="test progress", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._left.set()
        self._thread.join()
        self._look()
        if error is None and self._problem is not None:
            raise self._problem

    def _loop(self) -> None:
        while not self._left.wait(_EVERY_S):
            self._look()
            if self._is_hanging():
                self.stop.set()

    def _is_hanging(self) -> bool:
        if self._case_wall_s is None or self._tail.running <= 0:
            return False
        return time.monotonic() - self._changed > self._case_wall_s

    def _look(self) -> None:
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return  # a sandbox that shows the folder too may have let it be removed: the reader says so
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return
            if status.st_size > self._largest + _CHUNK:
                os.ftruncate(descriptor, self._largest + 1)
            while self._offset < self._largest and (data := os.pread(descriptor, _CHUNK, self._offset)):
                self._offset += len(data)
                self._changed = time.monotonic()
                self._tail.feed(data)
        finally:
            os.close(descriptor)
        self._report()

    def _report(self) -> None:
        total = self._tail.collected if self._total is None and self._tail.collected else self._total
        event = SuiteAdvanced(
            subject=self._subject, finished=self._finished + self._tail.finished, total=total
        )
        if self._problem is not None or event == self._reported:
            return
        self._reported = event
        try:
            self._progress.report(event)
        except Exception as error:  # noqa: BLE001 - raised again where the watch is left
            self._problem = error
