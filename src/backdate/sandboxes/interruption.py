"""Ending the runs of other threads.

Ctrl-C reaches the main thread alone. A thread that does work for it obeys an event of the main
thread's: once that is set, the thread's run ends, with its whole process tree, in a KeyboardInterrupt.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")

_POLL_S = 0.1
_STOP: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


@contextmanager
def obeying(stop: threading.Event) -> Iterator[None]:
    """Within, runs of this thread end when ``stop`` is set."""
    token = _STOP.set(stop)
    try:
        yield
    finally:
        _STOP.reset(token)


def check() -> None:
    """Raise KeyboardInterrupt when what this thread obeys has been set."""
    stop = _STOP.get()
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt


def wait_for(work: Callable[[], T]) -> T:
    """What ``work`` gives or raises; KeyboardInterrupt as soon as what this thread obeys has been set.

    For work that nothing ends, such as waiting for somebody else's server: it then goes on in a thread of its
    own, which does not keep the process, and what comes of it is lost. A thread that obeys nothing does the
    work itself.
    """
    if _STOP.get() is None:
        return work()
    done: Future[T] = Future()

    def do() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
            done.set_exception(error)

    context = copy_context()
    threading.Thread(target=lambda: context.run(do), name="waited for", daemon=True).start()
    return result_of(done)


def result_of(done: Future[T]) -> T:
    """What another thread gives or raises; KeyboardInterrupt once what this thread obeys has been set."""
    while True:
        check()
        # Not without a limit: a signal that reaches another thread does not wake this one.
        if wait([done], timeout=_POLL_S).done:
            return done.result()


def side_by_side(works: Sequence[Callable[[], T]], *, name: str = "side") -> list[T]:
    """What each of ``works`` gives, in their order; they are done at the same time, one alone in this thread.

    The first error of one is raised, and ends the runs of the others; so does Ctrl-C, and what this thread
    obeys. All have ended when this returns or raises. ``name``: of the threads.
    """
    if len(works) < 2:
        return [work() for work in works]
    stop = threading.Event()

    def obedient(work: Callable[[], T]) -> T:
        with obeying(stop):
            return work()

    with ThreadPoolExecutor(max_workers=len(works), thread_name_prefix=name) as pool:
        try:  # around the submitting too: the first is under way meanwhile
            running = [pool.submit(obedient, work) for work in works]
            waiting = set(running)
            while waiting:
                check()
                done, waiting = wait(waiting, timeout=_POLL_S, return_when=FIRST_EXCEPTION)
                for one in running:
                    if one in done:
                        one.result()
        except BaseException:  # an interrupt, or a machine that lacks something: nobody goes on
            stop.set()
            raise
    return [one.result() for one in running]


def both(first: Callable[[], S], second: Callable[[], T], *, name: str = "side") -> tuple[S, T]:
    """As ``side_by_side``, of two that give different things."""
    one: list[S] = []
    other: list[T] = []
    side_by_side([lambda: one.append(first()), lambda: other.append(second())], name=name)
    return one[0], other[0]
