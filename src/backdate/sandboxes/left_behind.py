"""Ending what a step of a build left behind when something waits for it that would wait for ever.

uv and pip read the output of each build until its end, which is when the last process that holds it has
ended. A daemon that a build starts and that keeps the output open holds them until the time limit. Seen from
outside it is an orphan (a child of process 1 of the sandbox) that alone holds the writing end of a pipe from
which a process that is no orphan reads. It has ``GRACE_S`` to end by itself: some of what ends late has work
to do.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path

from backdate.sandboxes.interface import RunStatus
from backdate.sandboxes.log import BoundedLog
from backdate.text import counted

GRACE_S = 10.0
_EVERY_S = 0.5
_SHARE = 20
"""Looking takes at most one part in so many of the time: other watches wait meanwhile."""
_MOST_PROCESSES = 512
_MOST_FILES = 4096
"""Of more processes, or open files of one of them, nothing is said: they have limits of their own."""
_WRITING = os.O_WRONLY | os.O_RDWR


class LeftBehind:
    """A watch on one run that objects to nothing, and ends such orphans. ``leader``: set when it starts."""

    def __init__(self, log: BoundedLog) -> None:
        self._log = log
        self.leader: int | None = None
        """Process 1 of the sandbox, by its number outside."""
        self._since: dict[int, float] = {}
        self._next = 0.0

    def watch(self) -> RunStatus | None:
        """See ``supervision.Watch``."""
        now = time.monotonic()
        if self.leader is not None and now >= self._next:
            holding = waited_for(self.leader)
            self._since = {one: self._since.get(one, now) for one in holding}
            if late := [one for one, since in self._since.items() if now - since >= GRACE_S]:
                self._end(self.leader, late)
            done = time.monotonic()
            self._next = done + max(_EVERY_S, _SHARE * (done - now))
        return None

    def _end(self, leader: int, processes: Iterable[int]) -> None:
        ended = 0
        for process in processes:
            with suppress(OSError):  # gone meanwhile, or not ours
                descriptor = os.pidfd_open(process)
                try:
                    if process in waited_for(leader):  # the number may be another's by now
                        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                        ended += 1
                finally:
                    os.close(descriptor)
        if ended:
            what = counted(ended, "process", "processes")
            told = f"backdate: what a build left behind held its output open; {what} ended\n"
            self._log.write(told.encode())


def waited_for(leader: int) -> frozenset[int]:
    """The orphans below ``leader`` that alone hold open what its first child, or one below that, reads."""
    first, *others = _children(leader) or [0]
    if not others:
        return frozenset()
    reading: set[str] = set()
    writing: set[str] = set()
    for process in _below([first]):
        pipes = _pipes(process)
        if pipes is None:
            return frozenset()  # it might hold them open itself
        for pipe, writes in pipes:
            (writing if writes else reading).add(pipe)
    endless = reading - writing
    return frozenset(
        process
        for process in _below(others)
        if any(writes and pipe in endless for pipe, writes in _pipes(process) or ())
    )


def _below(processes: Iterable[int]) -> list[int]:
    """These processes and all below them."""
    found = list(processes)
    for process in found:
        if len(found) > _MOST_PROCESSES:
            return []
        found += _children(process)
    return found


def _children(process: int) -> list[int]:
    """In the order in which they became its children; none of a process that is gone or hidden."""
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        return [int(one) for task in tasks for one in (task / "children").read_text().split()]
    except OSError:
        return []


def _pipes(process: int) -> list[tuple[str, bool]] | None:
    """The pipes that a process has open, and whether it can write to them; None for too many files."""
    found = []
    try:
        with os.scandir(f"/proc/{process}/fd") as entries:
            opened = [one.name for one in islice(entries, _MOST_FILES + 1)]
        if len(opened) > _MOST_FILES:
            return None
        for name in opened:
            link = os.readlink(f"/proc/{process}/fd/{name}")  # noqa: PTH115
            if link.startswith("pipe:"):
                lines = Path(f"/proc/{process}/fdinfo/{name}").read_text().splitlines()
                flags = next(int(line.split()[1], 8) for line in lines if line.startswith("flags:"))
                found.append((link, bool(flags & _WRITING)))
    except (OSError, StopIteration):
        return found  # it has ended, or is one of the sandbox's own, which an ordinary user may not look into
    return found
