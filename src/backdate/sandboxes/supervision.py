"""Watching over one run: its output, its time, its limits, and its end.

The started program reports over its standard input, a socket: it writes ``ready`` when it is set
up, waits for ``go``, and at the end writes how the command ended: the exit code, or 256 + the signal
that killed it. If this process dies before ``go``, the program reads the end of the file and gives up; if
it dies later, the kernel kills the program (PR_SET_PDEATHSIG). One thread does everything, and leaves no
process running, whichever way it ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.errors import MachineError
from backdate.sandboxes import interruption
from backdate.sandboxes.interface import RunStatus
from backdate.sandboxes.log import BoundedLog
from backdate.sandboxes.threads import command_started

LAUNCHER = Path(__file__).with_name("launcher.py")
"""What keeps a run's processes together."""
_STARTS_LAUNCHER = (
    "import sys; file = sys.argv[1]; sys.path.append(file.rpartition('/')[0]); "
    "import launcher; launcher.start(sys.argv[2:])"
)
"""A module is compiled once, a script each time. Its folder is last: none of it hides a module of Python."""
SETUP_S = 60.0
"""Seconds that setting up may take, also on a very busy machine."""

_KILLING_S = 10.0
_LETTING_END_S = 0.5
_POLL_S = 0.05
_CHUNK = 1024 * 1024
_STATUS_BYTES = 64 * 1024
_HEARD_BYTES = 4096


def launching(keys: Sequence[str], program: Sequence[str]) -> list[str]:
    """The command that runs ``program``, prepared as ``keys`` say (``launcher.py``)."""
    # -I: it is a Python program too, and variables of the command's must not affect it.
    return [sys.executable, "-I", "-S", "-c", _STARTS_LAUNCHER, str(LAUNCHER), *keys, "--", *program]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The program to start, and the descriptors that it gets."""

    argv: list[str]
    env: dict[str, str]
    cwd: str
    pass_fds: tuple[int, ...] = ()
    status_fd: int | None = None
    """Where bubblewrap's own report is read; None when the program is its own keeper."""
    owner: tuple[int, int] | None = None
    """The user and group who may reopen its output; None for the current user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEnd:
    """How a run ended."""

    status: RunStatus
    exit_code: int | None = None
    signal: int | None = None
    duration_s: float


Watch = Callable[[], RunStatus | None]
"""Called regularly; a status other than None ends the run with it."""


def supervise(
    program: Program,
    log: BoundedLog,
    *,
    wall_s: float,
    watches: Sequence[Watch] = (),
    on_start: Callable[[int], None] | None = None,
    on_end: Callable[[], None] | None = None,
) -> ProcessEnd:
    """Run ``program`` to its end, or to the end of ``wall_s`` seconds, or until a watch objects.

    ``on_start`` is given the id of the process whose death ends the whole tree, before the command
    starts. ``on_end`` is called when the command has ended by itself, before what it left is. When this
    returns or raises, no process of the run is left.
    """
    ours, theirs = socket.socketpair()
    output, output_end = os.pipe()
    with contextlib.closing(ours), _closing(output):
        try:
            if program.owner is not None:
                # Otherwise the command could not open /dev/stdout, which opens the pipe again.
                os.fchown(output_end, *program.owner)
            with contextlib.suppress(OSError):  # above the user's soft limit: the pipe stays smaller
                fcntl.fcntl(output, fcntl.F_SETPIPE_SZ, _CHUNK)
            process = subprocess.Popen(
                program.argv,
                stdin=theirs.fileno(),
                stdout=output_end,
                stderr=output_end,
                env=program.env,
                cwd=program.cwd,
                pass_fds=program.pass_fds,
                start_new_session=True,  # Ctrl-C reaches this process only, which ends the run
            )
        finally:
            theirs.close()
            os.close(output_end)
        command_started()
        run = _Run(process, ours, output, log, program.status_fd)
        try:
            ending = run.follow(wall_s, watches, on_start)
            if ending.status is RunStatus.EXITED and on_end is not None:
                on_end()
            return ending
        finally:
            run.end()


class _Run:
    """One started program."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        talk: socket.socket,
        output: int,
        log: BoundedLog,
        status: int | None,
    ) -> None:
        self._process = process
        self._talk = talk
        self._output = output
        self._log = log
        self._status = status
        self._heard = b""
        self._init: int | None = None
        """A pidfd of process 1 of the sandbox; when that dies, all its processes die."""
        talk.setblocking(False)
        os.set_blocking(output, False)

    def follow(
        self, wall_s: float, watches: Sequence[Watch], on_start: Callable[[int], None] | None
    ) -> ProcessEnd:
        """Watch the run until it ends."""
        started: float | None = None
        deadline = time.monotonic() + SETUP_S
        watching = 0.0
        process = os.pidfd_open(self._process.pid)
        with _closing(process), selectors.DefaultSelector() as selector:
            for source in (process, self._talk, self._output):
                selector.register(source, selectors.EVENT_READ)
            while True:
                ready = {
                    key.fileobj
                    for key, _ in selector.select(min(_POLL_S, max(0.0, deadline - time.monotonic())))
                }
                interruption.check()
                now = time.monotonic()
                if self._output in ready and not self._take_output():
                    selector.unregister(self._output)
                if self._talk in ready and not self._listen():
                    selector.unregister(self._talk)
                if started is None and self._heard.startswith(b"ready\n"):
                    started = now
                    deadline = now + wall_s
                    self._start(on_start)
                elif (started is not None and self._reported() is not None) or process in ready:
                    return self._ending(started, now, watches)
                elif now >= deadline:
                    late = RunStatus.SANDBOX_ERROR if started is None else RunStatus.TIMEOUT
                    return ProcessEnd(status=late, duration_s=now - (started or now))
                elif started is not None and now >= watching + _POLL_S:
                    watching = now
                    if (status := _objection(watches)) is not None:
                        return ProcessEnd(status=status, duration_s=now - started)

    def _take_output(self) -> bool:
        """Move some output to the log; False at its end."""
        try:
            data = os.read(self._output, _CHUNK)
        except BlockingIOError:
            return True
        self._log.write(data)
        return bool(data)

    def _listen(self) -> bool:
        """Read what the program reports; False when it has closed the socket."""
        try:
            data = self._talk.recv(_HEARD_BYTES)
        except BlockingIOError:
            return True
        except ConnectionError:
            return False
        self._heard += data
        return bool(data) and len(self._heard) < _HEARD_BYTES

    def _start(self, on_start: Callable[[int], None] | None) -> None:
        leader = self._process.pid
        if self._status is not None:
            # Written before the sandbox is set up; process 1 waits for the program, which waits for ``go``.
            leader = int(json.loads(os.read(self._status, _STATUS_BYTES).splitlines()[0])["child-pid"])
            self._init = os.pidfd_open(leader)
        if on_start is not None:
            on_start(leader)
        with contextlib.suppress(ConnectionError):  # it has died, which the loop notices
            self._talk.send(b"go\n")

    def _reported(self) -> int | None:
        """The status as the program has reported it."""
        lines = self._heard.split(b"\n")
        return int(lines[1]) if len(lines) > 2 and lines[1].isdigit() and len(lines[1]) < 6 else None

    def _ending(self, started: float | None, now: float, watches: Sequence[Watch]) -> ProcessEnd:
        self._listen()
        if started is None:
            return ProcessEnd(status=RunStatus.SANDBOX_ERROR, duration_s=0.0)
        duration = now - started
        if (status := _objection(watches)) is not None:
            return ProcessEnd(status=status, duration_s=duration)
        reported = self._reported()
        if reported is None:
            # The reporting process was killed, for example by ``kill -9 -1``.
            code = self._process.wait(_KILLING_S)
            reported = (
                256 - code if code < 0 else 128 + code if code > 128 else code
            )  # bubblewrap reports 128 + signal
        if reported >= 256:
            # Some awks add 256 more, others 128, when a core was dumped.
            return ProcessEnd(status=RunStatus.EXITED, signal=reported & 0x7F, duration_s=duration)
        return ProcessEnd(status=RunStatus.EXITED, exit_code=reported, duration_s=duration)

    def end(self) -> None:
        """Kill what is left of the tree, and return when it is gone.

        The started program is the keeper (``launcher.py``), which ends when all others are gone.
        """
        try:
            if self._init is not None:
                if self._reported() is not None:
                    self._let_end(self._init)
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._init, signal.SIGKILL)
                _wait_for(self._init)
            else:
                self._process.terminate()
            self._talk.close()
            if self._process.poll() is None:
                keeper = os.pidfd_open(self._process.pid)  # ``wait`` with a limit would sleep in between
                with _closing(keeper):
                    if not _ends_within(keeper, _KILLING_S):
                        self._process.kill()
                self._process.wait()
            self._drain()
        finally:
            if self._init is not None:
                os.close(self._init)
                self._init = None

    def _let_end(self, init: int) -> None:
        """Let what reported the end of the command end by itself, so that its parents count what it used.

        A moment only: the command could have stopped it.
        """
        with contextlib.suppress(OSError):
            self._talk.shutdown(socket.SHUT_WR)
        _ends_within(init, _LETTING_END_S)

    def _drain(self) -> None:
        """Read what is left in the pipe, without waiting for processes that may still hold it open."""
        while True:
            try:
                data = os.read(self._output, _CHUNK)
            except BlockingIOError:
                return
            if not data:
                return
            self._log.write(data)


def _objection(watches: Sequence[Watch]) -> RunStatus | None:
    return next((status for watch in watches if (status := watch()) is not None), None)


def _ends_within(process: int, seconds: float) -> bool:
    """Whether the process behind a pidfd, and all of the namespace it is process 1 of, is gone by then."""
    with selectors.DefaultSelector() as selector:
        selector.register(process, selectors.EVENT_READ)
        return bool(selector.select(seconds))


def _wait_for(process: int) -> None:
    """Wait until the process behind a pidfd is gone."""
    if not _ends_within(process, _KILLING_S):
        raise MachineError("a killed sandbox does not end; is a file system hanging? See the kernel's log")


@contextlib.contextmanager
def _closing(descriptor: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(descriptor)
