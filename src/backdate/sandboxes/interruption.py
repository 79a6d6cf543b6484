"""Ending the runs of other threads.

Ctrl-C reaches the main thread only. A thread that works for it watches an event of the main thread:
once the event is set, the thread's run ends, with its whole process tree, in a KeyboardInterrupt.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

_POLL_S = 0.1
_STOP: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


@contextmanager
def obeying(stop: threading.Event) -> Iterator[None]:
    """A context in which the runs of this thread end when ``stop`` is set."""
    token = _STOP.set(stop)
    try:
        yield
    finally:
        _STOP.reset(token)


def check() -> None:
    """Raise KeyboardInterrupt when the event that this thread watches is set."""
    stop = _STOP.get()
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt


def wait_for(work: Callable[[], T]) -> T:
    """What ``work`` returns or raises; KeyboardInterrupt as soon as the event of this thread is set.

    For work that cannot be ended, such as waiting for a foreign server: it then goes on in a daemon thread,
    and its result is lost. A thread that watches no event does the work itself.
    """
    if _STOP.get() is None:
        return work()
    done: Future[T] = Future()

    def do() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again by the waiting thread
            done.set_exception(error)

    context = copy_context()
    threading.Thread(target=lambda: context.run(do), name="waited for", daemon=True).start()
    return result_of(done)


def result_of(done: Future[T]) -> T:
    """What another thread returns or raises; KeyboardInterrupt once the event of this thread is set."""
    while True:
        check()
        # With a time limit, because a signal that reaches another thread does not wake this one.
        with signals_noted():
            ended = wait([done], timeout=_POLL_S).done
        if ended:
            return done.result()


@contextmanager
def signals_noted() -> Iterator[Sequence[int]]:
    """A context that only notes Ctrl-C and SIGTERM; at its end the first of them takes effect.

    Their exception in the middle of a lock's code would leave that lock held for ever, and in the middle of a
    clean-up would leave the rest running. Only the main thread receives signals.
    """
    noted: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield noted
        return

    def note(number: int, _frame: FrameType | None) -> None:
        noted.append(number)

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    handlers = {number: handler for number, handler in before.items() if callable(handler)}
    try:
        for number in handlers:
            signal.signal(number, note)
        yield noted
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if noted:
            handlers[signal.Signals(noted[0])](noted[0], None)
