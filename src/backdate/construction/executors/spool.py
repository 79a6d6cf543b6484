"""A folder that workers of a batch system share: jobs in files, claimed by one worker at a time.

::

    SPOOL/jobs/NUMBER.json      to be done, written by the driver
    SPOOL/claims/NUMBER         made by the worker that does it (exclusively), touched while it is at work
    SPOOL/answers/NUMBER.json   the answer, written whole
    SPOOL/clock                 touched by the driver: the shared file system's own time

Nothing but renaming and exclusive creation is asked of the file system, which NFS gives too; SQLite's
locks are not. A claim that was not touched for a while is its worker's end: the job is open again.

Whoever may write to the folder may answer: give it to nobody else. What is no file in it is refused, so that
a mistake in that reads and touches nothing else of this machine.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backdate.construction.executors.interface import FinishedJob
from backdate.construction.job import run_bytes
from backdate.errors import ConfigurationError
from backdate.projects.hostile import Folder
from backdate.serial import write_whole

LEASE_S = 120.0
"""A claim that is older belongs to a worker that is gone."""
_TOUCH_S = 15.0
_POLL_S = 0.2
_MOST_BYTES = 256 * 1024 * 1024
"""Of a job or an answer."""


class Spool:
    """The driver's side: an executor whose workers are elsewhere."""

    def __init__(self, folder: Path, *, width: int = 64, lease_s: float = LEASE_S) -> None:
        self.folder = folder
        self.width = width
        self._lease_s = lease_s
        self._running: set[int] = set()
        for name in ("jobs", "claims", "answers"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "closed").unlink(missing_ok=True)

    def submit(self, number: int, job: bytes) -> None:
        """Take a job. One of an earlier driver that was answered meanwhile is not done again."""
        self._running.add(number)
        if not _answer(self.folder, number).exists():
            write_whole(self.folder / "jobs" / f"{number}.json", job)

    def collect(self, timeout_s: float) -> tuple[FinishedJob, ...]:
        """What finished, waiting up to ``timeout_s`` for the first."""
        until = time.monotonic() + timeout_s
        while True:
            self._reopen_lost()
            found = []
            for number in sorted(self._running):
                answer = _read(self.folder / "answers", number)
                if answer is not None:
                    found.append(FinishedJob(number=number, answer=answer))
                    self._forget(number)
            if found or time.monotonic() >= until:
                return tuple(found)
            time.sleep(_POLL_S)

    def close(self, *, at_once: bool) -> None:
        """Tell the workers that there is nothing more; ``at_once`` takes open jobs back."""
        for number in list(self._running) if at_once else ():
            (self.folder / "jobs" / f"{number}.json").unlink(missing_ok=True)
        (self.folder / "closed").touch()

    def _forget(self, number: int) -> None:
        self._running.discard(number)
        (self.folder / "jobs" / f"{number}.json").unlink(missing_ok=True)
        (self.folder / "claims" / str(number)).unlink(missing_ok=True)
        _answer(self.folder, number).unlink(missing_ok=True)

    def _reopen_lost(self) -> None:
        now = _time_of(self.folder / "clock")
        for claim in (self.folder / "claims").iterdir():
            try:
                if now - claim.lstat().st_mtime > self._lease_s:
                    claim.unlink()
            except FileNotFoundError:
                continue


def work(folder: Path, *, stay: bool = False, most: int | None = None) -> int:
    """A worker: claim jobs and do them until the driver says that there are no more; how many were done.

    With ``stay`` it waits for further builds. ``most``: as many jobs at the most.
    """
    done = 0
    while most is None or done < most:
        number = _claim(folder)
        if number is None:
            if (folder / "closed").exists() and not stay:
                break
            time.sleep(_POLL_S)
            continue
        with _touching(folder / "claims" / str(number)):
            try:
                job = _read(folder / "jobs", number)
                if job is None:  # the driver took it back, or has its answer
                    (folder / "claims" / str(number)).unlink(missing_ok=True)
                    continue
                write_whole(_answer(folder, number), run_bytes(job))
            except BaseException:
                (folder / "claims" / str(number)).unlink(missing_ok=True)
                raise
        done += 1
    return done


def _answer(folder: Path, number: int) -> Path:
    return folder / "answers" / f"{number}.json"


def _read(folder: Path, number: int) -> bytes | None:
    """A job or an answer; None when there is none. Raises ConfigurationError for what is no file."""
    with Folder.at(folder) as opened:
        return opened.read(f"{number}.json", limit=_MOST_BYTES)


def _time_of(clock: Path) -> float:
    """The shared file system's own time, which may not be this machine's."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(clock, flags, 0o644)
    except OSError as error:
        raise ConfigurationError(f"{clock} cannot be touched: {error.strerror}") from error
    try:
        os.utime(descriptor)
        return os.fstat(descriptor).st_mtime
    finally:
        os.close(descriptor)


def _claim(folder: Path) -> int | None:
    """The number of a job that is this worker's now; None when there is none to claim."""
    jobs = folder / "jobs"
    numbers = sorted(int(path.stem) for path in jobs.glob("*.json") if path.stem.isdecimal())
    for number in numbers:
        if _answer(folder, number).exists():
            continue
        try:
            descriptor = os.open(folder / "claims" / str(number), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        except FileExistsError:
            continue
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"process {os.getpid()} on {os.uname().nodename}\n")
        return number
    return None


@contextmanager
def _touching(claim: Path) -> Iterator[None]:
    """Say again and again that this worker is alive."""
    over = threading.Event()

    def touch() -> None:
        while not over.wait(_TOUCH_S):
            try:
                os.utime(claim, follow_symlinks=False)
            except FileNotFoundError:
                return

    thread = threading.Thread(target=touch, name="claim", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
