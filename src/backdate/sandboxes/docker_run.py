"""Watching over one container: its output, its time, its limits, and its end.

The shell that is started in it writes ``ready`` to standard error, waits for ``go`` on standard input,
and at the end reports there how the command ended (as under bubblewrap: the exit code, or 256 + the signal).
The command's own output is all on standard output. When this process dies, the engine closes standard
input, and a second shell, which waits for that, kills everything in the container.
"""

from __future__ import annotations

import contextlib
import selectors
import shlex
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from backdate.errors import MachineError
from backdate.sandboxes import cgroups, interruption
from backdate.sandboxes.cgroups import ControlGroup
from backdate.sandboxes.docker_engine import Engine
from backdate.sandboxes.interface import RunStatus
from backdate.sandboxes.layout import COMMAND_FILE
from backdate.sandboxes.log import BoundedLog
from backdate.sandboxes.secret import IN_CONTAINER, NAMED_PIPE
from backdate.sandboxes.supervision import SETUP_S, ProcessEnd, Watch
from backdate.sandboxes.threads import command_started

_POLL_S = 0.05
_CHUNK = 1024 * 1024
_HEADER = 8
"""Bytes before each frame of output: 1 or 2 for standard output or error, three zeros, the length
(Docker Engine API, "Attach to a container", stream format)."""
_HEARD_BYTES = 64 * 1024
_DRAIN_S = 10.0


def shim(cwd: str, *, secret: bool = False) -> list[str]:
    """The first program in the container, below Docker's own init. ``secret``: it opens the named pipe."""
    opened = f"exec {IN_CONTAINER}<{NAMED_PIPE} || exit 70\n" if secret else ""
    return [
        "/bin/sh",
        "-c",
        f"""cd -- {shlex.quote(cwd)} || exit 70
echo ready >&2; read -r word && [ "$word" = go ] || exit 70
exec 4<&0
{{ read -r word <&4; kill -KILL -1; }} >/dev/null 2>&1 &
{opened}exec awk 'BEGIN {{ print system("exec /bin/sh {COMMAND_FILE} </dev/null >&3 2>&3 3>&-") }}' \
3>&1 >&2 4<&- </dev/null""",
    ]


class Frames:
    """Takes the engine's multiplexed stream apart, wherever it is cut."""

    def __init__(self, output: Callable[[bytes], None]) -> None:
        self._output = output
        self._header = b""
        self._left = 0
        self.heard = b""
        """The beginning of standard error."""

    def take(self, data: bytes) -> None:
        """Pass on what ``data`` holds of the command's output."""
        while data:
            if self._left == 0:
                missing = _HEADER - len(self._header)
                self._header, data = self._header + data[:missing], data[missing:]
                if len(self._header) < _HEADER:
                    return
                self._left = int.from_bytes(self._header[4:], "big")
            part, data = data[: self._left], data[self._left :]
            self._left -= len(part)
            if self._header[0] == 2:
                self.heard = (self.heard + part)[:_HEARD_BYTES]
            else:
                self._output(part)
            if self._left == 0:
                self._header = b""


class Container:
    """One container from its start to its end."""

    def __init__(self, engine: Engine, name: str, connection: socket.socket, log: BoundedLog) -> None:
        self._engine = engine
        self._name = name
        self._connection = connection
        self._log = log
        self._frames = Frames(log.write)
        self._group = ControlGroup((), "")
        self.peak_memory_bytes: int | None = None

    def follow(
        self, *, wall_s: float, watches: Sequence[Watch], on_start: Callable[[int], None]
    ) -> ProcessEnd:
        """Watch the run until it ends; when this returns or raises, no process of it is left."""
        try:
            self._engine.start(self._name)
        except MachineError as error:
            self._log.write(f"backdate: {error}\n".encode())
            return ProcessEnd(status=RunStatus.SANDBOX_ERROR, duration_s=0.0)
        command_started()
        status, duration = self._watch(wall_s, watches, on_start)
        if status is not None:
            self._kill()
        self._drain()
        return self._ending(status, duration)

    def _kill(self) -> None:
        """Kill the container and read on meanwhile: the engine waits until the output has been read."""
        with ThreadPoolExecutor(1, thread_name_prefix="kill") as pool:
            killing = pool.submit(self._engine.kill, self._name)
            while not killing.done():
                self._drain(_POLL_S)
            killing.result()

    def _watch(
        self, wall_s: float, watches: Sequence[Watch], on_start: Callable[[int], None]
    ) -> tuple[RunStatus | None, float | None]:
        """Wait until it ends or must be ended; why it must, and for how long the command has run."""
        started: float | None = None
        deadline = time.monotonic() + SETUP_S
        watching = 0.0
        with selectors.DefaultSelector() as selector:
            selector.register(self._connection, selectors.EVENT_READ)
            while True:
                ready = selector.select(min(_POLL_S, max(0.0, deadline - time.monotonic())))
                interruption.check()
                now = time.monotonic()
                if ready and not self._read():
                    return None, None if started is None else now - started
                if started is None and self._frames.heard.startswith(b"ready\n"):
                    process = self._engine.state(self._name).process
                    self._group = cgroups.group_of(process)
                    on_start(process)
                    started = time.monotonic()
                    deadline = started + wall_s
                    with contextlib.suppress(OSError):  # it has ended: that is seen at once
                        self._connection.sendall(b"go\n")
                elif now >= deadline:
                    late = RunStatus.SANDBOX_ERROR if started is None else RunStatus.TIMEOUT
                    return late, None if started is None else now - started
                elif started is not None and now >= watching + _POLL_S:
                    watching = now
                    for status in (self._memory(), *(watch() for watch in watches)):
                        if status is not None:
                            return status, now - started

    def _memory(self) -> RunStatus | None:
        peak = self._group.peak_memory_bytes()
        if peak is not None:
            self.peak_memory_bytes = max(peak, self.peak_memory_bytes or 0)
        return RunStatus.OOM if self._group.out_of_memory() else None

    def _read(self) -> bool:
        """Take some output; False at its end, which is the container's."""
        try:
            data = self._connection.recv(_CHUNK)
        except BlockingIOError:
            return True
        except ConnectionError:
            return False
        self._frames.take(data)
        return bool(data)

    def _drain(self, patience_s: float = _DRAIN_S) -> None:
        """Read the rest of the output; it ends with the container."""
        deadline = time.monotonic() + patience_s
        with selectors.DefaultSelector() as selector:
            selector.register(self._connection, selectors.EVENT_READ)
            while time.monotonic() < deadline:
                if selector.select(_POLL_S) and not self._read():
                    time.sleep(min(_POLL_S / 5, patience_s))
                    return

    def _ending(self, status: RunStatus | None, duration: float | None) -> ProcessEnd:
        state = self._engine.state(self._name)
        deadline = time.monotonic() + _DRAIN_S
        while state.running and time.monotonic() < deadline:  # its output has ended a moment before it
            time.sleep(_POLL_S / 5)
            state = self._engine.state(self._name)
        heard = self._frames.heard.removeprefix(b"ready\n")
        if duration is None:
            self._log.write(heard + state.error.encode())
            return ProcessEnd(status=RunStatus.SANDBOX_ERROR, duration_s=0.0)
        if status is not None:
            return ProcessEnd(status=status, duration_s=duration)
        if state.out_of_memory:
            return ProcessEnd(status=RunStatus.OOM, duration_s=duration)
        last = heard.split(b"\n")[-2:-1]
        if last and last[0].isdigit() and len(last[0]) < 6:
            reported = int(last[0])
        else:
            # The reporting process was killed, for example by ``kill -9 -1``.
            reported = 128 + state.exit_code if state.exit_code > 128 else state.exit_code
        if reported >= 256:
            return ProcessEnd(status=RunStatus.EXITED, signal=reported & 0x7F, duration_s=duration)
        return ProcessEnd(status=RunStatus.EXITED, exit_code=reported, duration_s=duration)
