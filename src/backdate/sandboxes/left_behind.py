"""Ending what a step of a build left behind when something waits for it that would wait for ever.

uv and pip read the output of each build until its end, which is when the last process that holds it has
ended. A daemon that a build starts and that keeps the output open holds them until the time limit. Seen from
outside there is a pipe from which a process that is no orphan (no child of process 1 of the sandbox) reads,
and to which none of these can write. Orphans that can are what it waits for; where none is seen to, one hides
it (as a message that a socket holds, or behind more open files than are looked at), and all of them are. They
have ``GRACE_S`` to end by themselves: some of what ends late has work to do.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from backdate.sandboxes.forwarding import FORWARDER
from backdate.sandboxes.interface import RunStatus
from backdate.sandboxes.log import BoundedLog
from backdate.text import counted

GRACE_S = 10.0
_EVERY_S = 0.5
_SHARE = 20
"""Looking takes at most one part in so many of the time: other watches wait meanwhile."""
_LATE_S = 0.2
"""What ends so soon after the command was not left behind by intention."""
_MOST_PROCESSES = 8192
_MOST_FILES = 4096
"""Of more processes, or open files of one of them, nothing is said: they have limits of their own."""
_AT_A_TIME = 256
"""Processes that are ended together: each takes an open file of ours."""
_WRITING = os.O_WRONLY | os.O_RDWR


class LeftBehind:
    """A watch on one run that objects to nothing, and ends such orphans."""

    def __init__(self, log: BoundedLog) -> None:
        self.log = log
        self.ended = 0
        """Processes that were left behind; those that the end of the sandbox ends are counted as well."""
        self._leader: int | None = None
        """Process 1 of the sandbox, by its number outside."""
        self._first: int | None = None
        """The child of process 1 below which the command runs."""
        self._known: frozenset[str] = frozenset()
        """Pipes that the command was given."""
        self._since: dict[int, float] = {}
        self._next = 0.0

    def start(self, leader: int) -> None:
        """``leader`` is process 1 of the sandbox, by its number outside; the command starts now."""
        self._leader = leader
        self._first = next(iter(_children(leader)), None)
        pipes = None if self._first is None else _pipes(self._first)
        self._known = frozenset() if pipes is None else pipes.read

    def watch(self) -> RunStatus | None:
        """See ``supervision.Watch``."""
        now = time.monotonic()
        if self._leader is not None and now >= self._next:
            holding = waited_for(self._leader, self._known)
            self._since = {one: self._since.get(one, now) for one in holding}
            if late := [one for one, since in self._since.items() if now - since >= GRACE_S]:
                self._end(self._leader, late)
            done = time.monotonic()
            self._next = done + max(_EVERY_S, _SHARE * (done - now))
        return None

    def count_left(self) -> None:
        """Count what is still there now that the command has ended; all of it ends with the sandbox."""
        deadline = time.monotonic() + _LATE_S
        while (left := self._left()) and time.monotonic() < deadline:
            time.sleep(_LATE_S / 10)
        self.ended += left

    def _left(self) -> int:
        if self._leader is None or self._first is None:
            return 0
        tops = [one for one in _children(self._leader) if one != self._first]
        return sum(_is_alive(one) for one in _below(_without_forwarder(tops)))

    def _end(self, leader: int, processes: Sequence[int]) -> None:
        ended = 0
        for at in range(0, len(processes), _AT_A_TIME):
            with ExitStack() as stack:
                opened = {}
                for process in processes[at : at + _AT_A_TIME]:
                    with suppress(OSError):  # gone meanwhile
                        opened[process] = os.pidfd_open(process)
                        stack.callback(os.close, opened[process])
                for process in opened.keys() & waited_for(leader, self._known):  # the others are gone by now
                    with suppress(OSError):  # not ours
                        signal.pidfd_send_signal(opened[process], signal.SIGKILL)
                        ended += 1
        if ended:
            self.ended += ended
            what = counted(ended, "process", "processes")
            told = f"backdate: what a build left behind held its output open; {what} ended\n"
            self.log.write(told.encode())


def waited_for(leader: int, known: frozenset[str] = frozenset()) -> frozenset[int]:
    """The orphans below ``leader`` for which its first child, or one below that, waits without an end.

    They hold open what that reads; where none is seen to, all of them may. ``known``: pipes of which the
    other end is outside of the sandbox.
    """
    first, *others = _children(leader) or [0]
    others = _without_forwarder(others)
    if not others:
        return frozenset()
    reading: set[str] = set()
    writing: set[str] = set()
    all_seen = True
    for process in _below([first]):
        pipes = _pipes(process)
        if pipes is None:
            return frozenset()  # it might hold them open itself
        all_seen = all_seen and pipes.whole
        reading |= pipes.read
        writing |= pipes.written
    endless = reading - writing - known
    if not endless:
        return frozenset()
    orphans = {process: _pipes(process) for process in _below(others)}
    holding = [process for process, pipes in orphans.items() if pipes is not None and pipes.written & endless]
    hidden = endless.difference(*(pipes.written for pipes in orphans.values() if pipes is not None))
    return frozenset(orphans if hidden and all_seen else holding)


def _without_forwarder(orphans: list[int]) -> list[int]:
    """``orphans`` but the program of ours by which builds reach the index: the first of them to be one.

    It was there before foreign code ran. Code that ends it and runs under its name hides from this watch.
    """
    try:
        words = Path(f"/proc/{orphans[0]}/cmdline").read_bytes().split(b"\0") if orphans else []
    except OSError:
        words = []
    return orphans[1:] if FORWARDER.encode() in words else orphans


def _below(processes: Iterable[int]) -> list[int]:
    """These processes and all below them."""
    found = list(processes)
    for process in found:
        if len(found) > _MOST_PROCESSES:
            return []
        found += _children(process)
    return found


def _is_alive(process: int) -> bool:
    """Whether it runs: not gone, and no zombie, of which only the status is left."""
    try:
        state = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[:1]
    except OSError:
        return False
    return state not in ([b"Z"], [b"X"])


def _children(process: int) -> list[int]:
    """In the order in which they became its children; none of a process that is gone or hidden."""
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        return [int(one) for task in tasks for one in (task / "children").read_text().split()]
    except OSError:
        return []


class _Pipes(NamedTuple):
    """The pipes that a process has open."""

    read: frozenset[str]
    written: frozenset[str]
    whole: bool
    """Whether all could be seen."""


def _pipes(process: int) -> _Pipes | None:
    """The pipes that a process has open; None for too many files."""
    read: set[str] = set()
    written: set[str] = set()
    whole = True
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
                (written if flags & _WRITING else read).add(link)
    except PermissionError:
        whole = False  # one of the sandbox's own, which an ordinary user may not look into
    except (OSError, StopIteration):
        pass  # it has ended, or closed that file
    return _Pipes(frozenset(read), frozenset(written), whole)
