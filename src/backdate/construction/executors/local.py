"""Processes of this machine, one for each job at a time.

A process that is lost (killed by the system for its memory, crashed by what it read) costs the pool its life:
all that ran are handed back as lost, and a new pool takes their place.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress

from backdate.construction.executors.interface import FinishedJob
from backdate.construction.job import run_bytes

_PR_SET_PDEATHSIG = 1


class LocalPool:
    """An executor with ``jobs`` processes."""

    def __init__(self, jobs: int) -> None:
        self.width = jobs
        self._pool = self._new_pool()
        self._running: dict[Future[bytes], int] = {}

    def _new_pool(self) -> ProcessPoolExecutor:
        # Spawned, not forked: the driver may have threads, whose locks a fork would copy as they are.
        return ProcessPoolExecutor(
            self.width,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start_worker,
            initargs=(os.getpid(),),
        )

    def submit(self, number: int, job: bytes) -> None:
        """Take a job."""
        try:
            future = self._pool.submit(_run_interruptibly, job)
        except BrokenProcessPool:  # it broke while nobody was looking
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = self._new_pool()
            future = self._pool.submit(_run_interruptibly, job)
        self._running[future] = number

    def collect(self, timeout_s: float) -> tuple[FinishedJob, ...]:
        """What finished, waiting up to ``timeout_s`` for the first."""
        done, _ = wait(self._running, timeout=timeout_s, return_when=FIRST_COMPLETED)
        found = []
        for future in done:
            number = self._running.pop(future)
            try:
                found.append(FinishedJob(number=number, answer=future.result()))
            except BrokenProcessPool as error:
                found.append(FinishedJob(number=number, answer=None, lost=str(error)))
        return tuple(found)

    def close(self, *, at_once: bool) -> None:
        """End; ``at_once`` ends the processes as Ctrl-C does, so that they clean up behind them."""
        if at_once:
            for process in multiprocessing.active_children():
                if process.pid is not None:
                    with suppress(ProcessLookupError):
                        os.kill(process.pid, signal.SIGINT)
        self._pool.shutdown(wait=True, cancel_futures=at_once)


def _start_worker(driver: int) -> None:
    """A worker dies with its driver: what it would find out nobody would note."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != driver:
        os.kill(os.getpid(), signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run_interruptibly(job: bytes) -> bytes:
    """A job that ends at Ctrl-C; between jobs a worker has nothing to clean up, and waits."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return run_bytes(job)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
