"""Work in several threads, so that an error of one or Ctrl-C ends what is under way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

from backdate.sandboxes.interruption import check, obeying

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
    crew = _Crew()

    def guarded(work: Callable[[], T]) -> T | None:
        with crew.member(ends_others=ends_others) as wanted:
            return work() if wanted else None

    most = len(works) if jobs is None else max(1, jobs)
    pool = ThreadPoolExecutor(max_workers=most, thread_name_prefix=name)
    try:
        futures = [pool.submit(guarded, work) for work in works]
        waiting = set(futures)
        while waiting:
            check()
            # Not without a limit: a signal that reaches another thread does not wake this one.
            _, waiting = wait(waiting, timeout=_POLL_S)
    except BaseException:
        crew.end(pool)
        raise
    pool.shutdown()
    if crew.errors:
        raise crew.errors[0]
    return [future.result() for future in futures]  # type: ignore[misc]  # each was begun


def both(first: Callable[[], S], second: Callable[[], T], *, name: str) -> tuple[S, T]:
    """As ``in_threads``, of two that may give different things."""
    one: list[S] = []
    other: list[T] = []
    in_threads([lambda: one.append(first()), lambda: other.append(second())], name=name)
    return one[0], other[0]


class _Crew:
    """Who is at work, and whether they are to go on."""

    def __init__(self) -> None:
        self.closing, self.stop = threading.Event(), threading.Event()
        self.errors: list[BaseException] = []
        self._come: list[None] = []
        self._gone: list[None] = []

    @contextmanager
    def member(self, *, ends_others: bool) -> Iterator[bool]:
        """One that works; gives whether work is still to be begun."""
        self._come.append(None)  # before looking: whoever closes sees all that may have begun
        try:
            with obeying(self.stop):
                yield not self.closing.is_set()
        except BaseException as error:
            self.errors.append(error)
            self.closing.set()
            if ends_others:
                self.stop.set()
            raise
        finally:
            self._gone.append(None)

    def end(self, pool: ThreadPoolExecutor) -> None:
        """End what is under way, and return when it has ended, however often Ctrl-C is pressed meanwhile."""
        while True:
            try:
                self.stop.set()
                self.closing.set()
                pool.shutdown(wait=False, cancel_futures=True)
                # Not by joining: a join that is interrupted takes the thread for ended (CPython 3.11).
                while len(self._gone) < len(self._come):
                    time.sleep(_POLL_S / 5)
            except KeyboardInterrupt:
                continue
            return
