"""Running a command in a sandbox at a person's terminal.

The command never gets that terminal (it could type into it what is run once it has ended): inside it has one
of its own, and what is typed and shown passes between the two through a Unix socket, as bytes.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import socket
import struct
import sys
import tempfile
import termios
import threading
import tty
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from backdate.sandboxes.interface import Command, Mount, RunResult, Sandbox, Workspace
from backdate.sandboxes.interruption import obeying
from backdate.sandboxes.terminal_output import ControlStringFilter

_SOCKET = "/run/backdate/terminal"
_PROGRAM = "/run/backdate/terminal.py"
_POLL_S = 0.2
_CHUNK = 64 * 1024
_END_OF_INPUT = b"\x04"
_AFTERWARDS = b"\x1b[0m\x1b[?25h\x1b[?47l\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1l\x1b>"
"""Colours, cursor, screen, pasting, mouse and keys as a shell has them, whatever the command left."""


def run_at_terminal(
    sandbox: Sandbox, command: Command, workspace: Workspace, interpreter: Path, *, log: Path
) -> RunResult:
    """Run ``command`` with the standard input and output of this process as its terminal.

    ``interpreter``: any Python in the sandbox. ``log`` gets what the sandbox itself says. Raises as
    ``Sandbox.run`` does.
    """
    with tempfile.TemporaryDirectory(prefix="backdate-terminal-") as folder:
        path = Path(folder, "socket")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
            path.chmod(0o666)  # the user of the sandbox; the folder is this user's alone
            listening.listen(1)
            inner = replace(
                command, argv=(str(interpreter), "-E", "-s", "-S", _PROGRAM, _SOCKET, *command.argv)
            )
            program = Path(__file__).with_name("inside") / "backdate_terminal.py"
            mounts = (Mount(source=path, target=_SOCKET), Mount(source=program, target=_PROGRAM))
            shown = replace(workspace, mounts=(*workspace.mounts, *mounts))
            with _beside(sandbox, inner, shown, log) as run:
                # One connection: the program's, which is there before anything foreign runs.
                connection = _accepted(listening, run)
                listening.close()
                if connection is not None:
                    with connection, _raw_terminal():
                        _between(connection, run)
                return run.result()


@contextlib.contextmanager
def _beside(
    sandbox: Sandbox, command: Command, workspace: Workspace, log: Path
) -> Iterator[Future[RunResult]]:
    """The run, in another thread; it is ended when the block is left before it has ended."""
    stop = threading.Event()
    done: Future[RunResult] = Future()

    def work() -> None:
        try:
            with obeying(stop):
                done.set_result(sandbox.run(command, workspace, log=log))
        except BaseException as error:  # noqa: BLE001 - raised again by whoever asks for the result
            done.set_exception(error)

    thread = threading.Thread(target=work, name="shell")
    thread.start()
    try:
        yield done
    finally:
        stop.set()
        thread.join()


def _accepted(listening: socket.socket, run: Future[RunResult]) -> socket.socket | None:
    """The program's connection; None when the run ended without one."""
    while not run.done():
        if select.select([listening], [], [], _POLL_S)[0]:
            return listening.accept()[0]
    return None


@contextlib.contextmanager
def _raw_terminal() -> Iterator[None]:
    """Standard input without editing of lines and signals of keys: the terminal inside has those."""
    if not os.isatty(0):
        yield
        return
    before = termios.tcgetattr(0)
    tty.setraw(0, termios.TCSADRAIN)  # what was typed ahead is for the command
    try:
        yield
    finally:
        if os.isatty(1):
            os.write(1, _AFTERWARDS)
        # What is typed, or answered by the terminal, after the end is for nobody.
        termios.tcsetattr(0, termios.TCSAFLUSH, before)


def _between(connection: socket.socket, run: Future[RunResult]) -> None:
    """Pass on what is typed and shown until the program goes away."""
    sys.stdout.flush()
    shown = ControlStringFilter()
    sources = [connection.fileno(), 0]
    size: tuple[int, int] | None = None
    while True:
        now = shutil.get_terminal_size()
        if (now.lines, now.columns) != size:
            size = now.lines, now.columns
            if not _send(connection, b"w", struct.pack("!HH", *(min(number, 0xFFFF) for number in size))):
                return
        ready = select.select(sources, [], [], _POLL_S)[0]
        if connection.fileno() in ready:
            data = _received(connection)
            if not data:
                return
            _write(shown.feed(data))
        if 0 in ready:
            typed = os.read(0, _CHUNK)
            if not typed:
                sources.remove(0)
            if not _send(connection, b"d", typed or _END_OF_INPUT):
                return
        if not ready and run.done():
            return  # it was killed


def _send(connection: socket.socket, kind: bytes, content: bytes) -> bool:
    """Send a frame; False when the program is gone."""
    try:
        connection.sendall(kind + struct.pack("!I", len(content)) + content)
    except OSError:
        return False
    return True


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(_CHUNK)
    except OSError:
        return b""


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]
