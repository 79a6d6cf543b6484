"""Work in several threads; an error in one of them or Ctrl-C ends the others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextvars import ContextVar
from typing import TypeVar

from backdate.sandboxes.interruption import check, obeying, signals_noted

S = TypeVar("S")
T = TypeVar("T")
_POLL_S = 0.1
_STARTED: ContextVar[threading.Event | None] = ContextVar("started", default=None)


def command_started() -> None:
    """Let the work after this thread's begin, where it waits for that: a command of this one runs now."""
    started = _STARTED.get()
    if started is not None:
        started.set()


def in_threads(
    works: Sequence[Callable[[], T]],
    *,
    jobs: int | None = None,
    name: str,
    ends_others: bool = True,
    in_turn: bool = False,
) -> list[T]:
    """The results of ``works``, in their order; at most ``jobs`` run at a time, a single one in this thread.

    After an exception no further work starts. It is raised when the running ones have ended: at once (their
    runs end in a KeyboardInterrupt), or, without ``ends_others``, when they are done. Ctrl-C in the calling
    thread, and the event that it watches, ends them at once in either case; another Ctrl-C meanwhile changes
    nothing. ``jobs``: None for all at once. ``name``: of the threads. ``in_turn``: each begins when the one
    before it has started a command in a sandbox, or ended: of works that all compute at first, in one
    process, the first is done soonest so, and none later.
    """
    if len(works) < 2:
        return [work() for work in works]
    stop, closing = threading.Event(), threading.Event()
    errors: list[BaseException] = []
    started = [threading.Event() for _ in works]

    def guarded(number: int) -> T | None:
        if in_turn and number:
            started[number - 1].wait()
        _STARTED.set(started[number])
        try:
            if closing.is_set():
                return None
            with obeying(stop):
                return works[number]()
        except BaseException as error:
            errors.append(error)
            closing.set()
            if ends_others:
                stop.set()
            raise
        finally:
            started[number].set()

    most = len(works) if jobs is None else max(1, jobs)
    with signals_noted() as noted, ThreadPoolExecutor(most, thread_name_prefix=name) as pool:
        futures = [pool.submit(guarded, number) for number in range(len(works))]
        waiting = set(futures)
        try:
            while waiting and not noted:
                check()
                # With a time limit, because a signal that reaches another thread does not wake this one.
                _, waiting = wait(waiting, timeout=_POLL_S)
        finally:
            if waiting:
                closing.set()
                stop.set()
    if errors:
        raise errors[0]
    return [future.result() for future in futures]  # type: ignore[misc]  # each was begun


def both(first: Callable[[], S], second: Callable[[], T], *, name: str = "side") -> tuple[S, T]:
    """As ``in_threads``, for two works with results of different types."""
    first_result: list[S] = []
    second_result: list[T] = []
    in_threads([lambda: first_result.append(first()), lambda: second_result.append(second())], name=name)
    return first_result[0], second_result[0]
