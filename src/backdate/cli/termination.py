"""SIGTERM ends a command as Ctrl-C does: what it started is ended first, and nothing half-built is left."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Terminated(KeyboardInterrupt):
    """SIGTERM came. Whoever cleans up behind a Ctrl-C does so behind this."""


class Termination:
    """Whether SIGTERM came."""

    came = False

    def arrive(self, _number: int, _frame: FrameType | None) -> None:
        """Handle the signal. Raises Terminated."""
        self.came = True
        raise Terminated


@contextmanager
def obeying_termination() -> Iterator[Termination]:
    """Within, SIGTERM raises Terminated in the main thread. Where it is ignored already it stays ignored."""
    termination = Termination()
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield termination  # somebody else decides what the signal does
        return
    signal.signal(signal.SIGTERM, termination.arrive)
    try:
        yield termination
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
