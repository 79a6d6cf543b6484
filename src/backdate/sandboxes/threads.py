"""Work in several threads, so that an error of one or Ctrl-C ends what is under way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from backdate.sandboxes.interruption import check, obeying, signals_noted

S = TypeVar("S")
T = TypeVar("T")
_POLL_S = 0.1


def in_threads(
    works: Sequence[Callable[[], T]], *, jobs: int | None = None, name: str, ends_others: bool = True
) -> list[T]:
    """What each of ``works`` gives, in their order; at most ``jobs`` at a time, one alone in this thread.

    After an exception of one no other is begun, and it is raised when those under way have ended: at once
    (their runs end in a KeyboardInterrupt), or, without ``ends_others``, when they are done. Ctrl-C in the
    calling thread, and what that one obeys, ends them at once in either case; another Ctrl-C meanwhile
    changes nothing. ``jobs``: None for all at once. ``name``: of the threads.
    """
    if len(works) < 2:
        return [work() for work in works]
    stop, closing = threading.Event(), threading.Event()
    errors: list[BaseException] = []

    def guarded(work: Callable[[], T]) -> T | None:
        if closing.is_set():
            return None
        try:
            with obeying(stop):
                return work()
        except BaseException as error:
            errors.append(error)
            closing.set()
            if ends_others:
                stop.set()
            raise

    most = len(works) if jobs is None else max(1, jobs)
    with signals_noted() as noted, ThreadPoolExecutor(most, thread_name_prefix=name) as pool:
        futures = [pool.submit(guarded, work) for work in works]
        waiting = set(futures)
        try:
            while waiting and not noted:
                check()
                # Not without a limit: a signal that reaches another thread does not wake this one.
                _, waiting = wait(waiting, timeout=_POLL_S)
        finally:
            if waiting:
                closing.set()
                stop.set()
    if errors:
        raise errors[0]
    return [future.result() for future in futures]  # type: ignore[misc]  # each was begun


def both(first: Callable[[], S], second: Callable[[], T], *, name: str = "side") -> tuple[S, T]:
    """As ``in_threads``, of two that may give different things."""
    one: list[S] = []
    other: list[T] = []
    in_threads([lambda: one.append(first()), lambda: other.append(second())], name=name)
    return one[0], other[0]
