"""Work on tasks in threads, so that a failure or Ctrl-C ends what is under way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from backdate.sandboxes.interruption import obeying
from backdate.tasks.task import MigrationTask

T = TypeVar("T")
_POLL_S = 0.2


def in_parallel(
    tasks: Sequence[MigrationTask],
    work: Callable[[MigrationTask], T],
    told: Callable[[T], None],
    *,
    jobs: int,
    name: str,
) -> list[T]:
    """What ``work`` makes of each task, in their order; ``told`` hears of each at once, in its thread.

    After an exception no further task is begun, and it is raised when those under way are done; Ctrl-C ends
    those too. ``name``: of the threads.
    """
    stop, closing = threading.Event(), threading.Event()

    def guarded(task: MigrationTask) -> T | None:
        if closing.is_set():
            return None
        try:
            with obeying(stop):
                made = work(task)
        except BaseException:
            closing.set()
            raise
        told(made)
        return made

    with ThreadPoolExecutor(max_workers=max(1, jobs), thread_name_prefix=name) as pool:
        try:  # around the submitting too: the first tasks are under way meanwhile
            futures = [pool.submit(guarded, task) for task in tasks]
            waiting = set(futures)
            while waiting:
                # Not without a limit: a signal that reaches another thread does not wake this one.
                _, waiting = wait(waiting, timeout=_POLL_S)
        except BaseException:
            closing.set()
            stop.set()
            raise
    return [made for made in (one.result() for one in futures) if made is not None]
