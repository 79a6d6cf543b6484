"""The host's side of one warm process: started in the sandbox, asked one program at a time, ended."""

from __future__ import annotations

import contextlib
import socket
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from backdate.diagnosis.api import AskedPython
from backdate.environments.environment import Environment
from backdate.sandboxes.identity import HOME
from backdate.sandboxes.interface import (
    MIB,
    UNSAFE_LOCAL,
    Command,
    Limits,
    Mount,
    RunResult,
    RunStatus,
    Sandbox,
    Workspace,
)
from backdate.sandboxes.interruption import check
from backdate.sandboxes.quiet import QUIET_VARIABLES
from backdate.snippets.runs import ProgramLimits, ProgramRun, SnippetProgram
from backdate.snippets.warm import wire

_INSIDE = Path(__file__).parent / "inside"
_AT = "/backdate/warm"
_SOCKET = "/backdate/socket"
_POLL_S = 0.1
START_S = 180.0
"""To start and to import what is preloaded: TensorFlow from a cold disk takes a minute."""
_GRACE_S = 20.0
"""Beside a program's own limit: for what clears up after it."""
_LIBRARY_BYTES = 6144 * MIB
"""What the imported library may take besides a program."""
_ENDING_S = 5.0


@dataclass(slots=True)
class WarmServer:
    """A process that waits for programs. Made by ``started``; not safe to share between threads."""

    connection: socket.socket
    loaded: tuple[str, ...] = ()
    """What it could import."""
    places: wire.Places = ()
    """Folders that answers do not name."""
    asked: int = 0
    """Programs so far."""
    clean: bool = True
    """Whether it can be asked again: every answer came, and said so."""
    result: list[RunResult] = field(default_factory=list)
    """How its sandbox ended, once it has."""
    sandbox_ended: threading.Event = field(default_factory=threading.Event)

    def ask(self, program: SnippetProgram, limits: ProgramLimits) -> tuple[ProgramRun, bool]:
        """What came of ``program``, and whether this process can be asked again.

        Raises ConnectionEnded where it did not answer: then it is of no more use.
        """
        self.asked += 1
        self.clean = False
        wire.send(self.connection, wire.job_of(program, limits))
        data = wire.receive(
            self.connection, most_bytes=wire.most_bytes_of(limits), within_s=limits.wall_s + _GRACE_S
        )
        run, self.clean = wire.read_answer(data, program, self.places)
        return run, self.clean

    def why_it_ended(self) -> RunStatus | None:
        """The limit of the sandbox that ended it, waited for shortly; None while it still runs."""
        self.sandbox_ended.wait(_ENDING_S)
        return self.result[0].status if self.result else None


@contextlib.contextmanager
def started(
    sandbox: Sandbox,
    python: AskedPython,
    modules: Sequence[str],
    limits: ProgramLimits,
    programs: int,
    *,
    mounts: Sequence[Mount] = (),
) -> Iterator[WarmServer]:
    """A process of ``python`` that has imported ``modules`` as far as it could, for so many programs.

    ``mounts``: what its programs see beside the environment.

    Raises ConnectionEnded where it did not come so far, and SandboxUnavailable.
    """
    with (
        tempfile.TemporaryDirectory(prefix="backdate-warm-") as temporary,
        socket.socket(socket.AF_UNIX) as listening,
    ):
        folder = Path(temporary)
        folder.chmod(0o711)
        path = folder / "socket"
        listening.bind(str(path))
        path.chmod(0o666)  # the user of the sandbox
        listening.listen(1)
        running = _SandboxedServer(
            sandbox=sandbox,
            command=_command(python, sandbox.name, limits, programs),
            workspace=_workspace(python, path, mounts),
            log=folder / "server.log",
        )
        running.start()
        try:
            with running.accepted(listening) as connection:
                path.unlink()  # nobody else connects
                wire.send(connection, {"preload": list(modules)})
                greeting = wire.read_greeting(wire.receive(connection, most_bytes=MIB, within_s=START_S))
                yield WarmServer(
                    connection=connection,
                    loaded=greeting.loaded,
                    places=wire.places_of(python),
                    result=running.result,
                    sandbox_ended=running.ended,
                )
        finally:
            running.end()


class _SandboxedServer:
    """A run of the sandbox in a thread of its own."""

    def __init__(self, *, sandbox: Sandbox, command: Command, workspace: Workspace, log: Path) -> None:
        self.result: list[RunResult] = []
        self.ended = threading.Event()
        self._errors: list[BaseException] = []
        self._stop = command.stop
        self._thread = threading.Thread(
            target=lambda: self._run(sandbox, command, workspace, log), name="warm"
        )

    def _run(self, sandbox: Sandbox, command: Command, workspace: Workspace, log: Path) -> None:
        try:
            self.result.append(sandbox.run(command, workspace, log=log))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self._errors.append(error)
        finally:
            self.ended.set()

    def start(self) -> None:
        self._thread.start()

    def accepted(self, listening: socket.socket) -> socket.socket:
        """The connection of the process inside. Raises ConnectionEnded, and what the sandbox raised."""
        listening.settimeout(_POLL_S)
        deadline = time.monotonic() + START_S
        while True:
            check()
            with contextlib.suppress(TimeoutError):
                return listening.accept()[0]
            if self._errors:
                raise self._errors[0]
            if self.ended.is_set() or time.monotonic() > deadline:
                raise wire.ConnectionEnded("the process did not start")

    def end(self) -> None:
        """End the run, and wait until nothing of it is left."""
        if self._stop is not None:
            self._stop.set()
        self._thread.join()


def _command(python: AskedPython, sandbox: str, limits: ProgramLimits, programs: int) -> Command:
    # Without isolation these folders are everybody's.
    folders = () if sandbox == UNSAFE_LOCAL else ("/tmp", "/dev/shm", "/dev/mqueue", HOME)  # noqa: S108
    return Command(
        argv=(str(python.python), "-s", f"{_AT}/backdate_warm_server.py", _SOCKET, *folders),
        cwd="/tmp",  # noqa: S108 - private to the sandbox
        env={
            "PATH": f"{python.root / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONIOENCODING": "utf-8",
            # One thread each: a fork has none of its parent's, and sums come in one order.
            **dict.fromkeys(
                ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
            ),
            "TF_DETERMINISTIC_OPS": "1",
            "CUDA_VISIBLE_DEVICES": "-1",
            "MPLBACKEND": "Agg",
            **QUIET_VARIABLES,
        },
        limits=Limits(
            wall_s=START_S + programs * (limits.wall_s + _GRACE_S),
            memory_bytes=_LIBRARY_BYTES + limits.memory_bytes,
            processes=256,
            disk_bytes=512 * MIB,
            log_bytes=MIB,
        ),
        stop=threading.Event(),
    )


def _workspace(python: AskedPython, path: Path, mounts: Sequence[Mount]) -> Workspace:
    return Workspace(
        base=python.base if isinstance(python, Environment) else None,
        mounts=(
            *(mount for mount in python.mounts if not mount.source.is_relative_to("/usr")),
            Mount(source=_INSIDE, target=_AT),
            Mount(source=path, target=_SOCKET),
            *mounts,
        ),
    )
