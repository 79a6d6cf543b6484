"""Test runs that are traced: the same run, with the tracer loaded beside what captures outcomes."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from backdate.sandboxes.interface import Capability, Command, Mount, RunResult, Sandbox, Workspace
from backdate.serial import to_json, write_whole
from backdate.testing.watching import Watch

_FILES = Path(__file__).parent / "tracer"
_TRACER, _REQUEST, _OUT = "/backdate/trace", "/backdate/trace-request.json", "/backdate/trace.jsonl"
_TRACE, _BEGINNING = "trace.jsonl", "beginning"
"""In the folder of a trace. The beginning is a line that only this process knows, and the trace's first."""
_CAPTURING = "BACKDATE_CAPTURE_EVENTS"
_MOST_BYTES = 64 * 1024 * 1024


class TraceLine(msgspec.Struct, kw_only=True):
    """One line of a trace; which fields are there says what it is about."""

    file: str = ""
    line: int = 0
    """It ran."""
    first: int = 0
    """First line of a function that was called."""
    name: str = ""
    given: str = ""
    """Digest of the arguments."""
    gave: str | None = None
    """Digest of what it returned, or "raised TypeError"; None where it cannot be told."""
    started: str = ""
    """A process began to be traced: its version of Python."""
    lost: str = ""
    """A process had taken the trace away when it ended: its version of Python."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What a traced run tells. It was written beside foreign code: evidence, no proof."""

    started: int
    """Processes."""
    lines: frozenset[tuple[str, int]]
    """File and line, of those that ran."""
    calls: Mapping[tuple[str, int], Mapping[str, frozenset[str]]]
    """By file and first line of a function: what it gave, by what it was given."""
    lost: int = 0
    """Processes that took the trace away before they ended: what is not seen may have run."""
    spoiled: str = ""
    """What shows that something else wrote into the trace: then it says nothing, and is empty."""


class TracingSandbox:
    """A sandbox whose test runs are traced; everything else it runs as the one inside does."""

    def __init__(self, inner: Sandbox, files: Mapping[str, tuple[int, ...]], folder: Path) -> None:
        """``files`` to trace, each with the first lines of the functions whose calls are told; ``folder``,
        which is there, gets the trace."""
        self.inner = inner
        self.files = files
        self.folder = folder
        self.name = inner.name
        write_whole(folder / _BEGINNING, secrets.token_hex(16).encode() + b"\n")
        write_whole(folder / _TRACE, (folder / _BEGINNING).read_bytes())
        (folder / _TRACE).chmod(0o600)

    def probe(self) -> tuple[Capability, ...]:
        """As the inner one."""
        return self.inner.probe()

    def require(self) -> None:
        """As the inner one."""
        self.inner.require()

    def base_key(self) -> str | None:
        """As the inner one's."""
        return self.inner.base_key()

    def run(self, command: Command, workspace: Workspace, *, log: Path) -> RunResult:
        """Run ``command``, traced when it is a run of tests."""
        if _CAPTURING not in command.env:
            return self.inner.run(command, workspace, log=log)
        request, out = self.folder / "request.json", self.folder / _TRACE
        write_whole(request, to_json({"root": workspace.at, "files": self.files}))
        request.chmod(0o644)
        paths = [command.env.get("PYTHONPATH", ""), _TRACER]
        environment = {
            **command.env,
            "PYTHONPATH": ":".join(filter(None, paths)),
            "BACKDATE_TRACE_REQUEST": _REQUEST,
            "BACKDATE_TRACE_OUT": _OUT,
        }
        mounts = (
            Mount(source=_FILES, target=_TRACER),
            Mount(source=request, target=_REQUEST),
            Mount(source=out, target=_OUT, writable=True),
        )
        with Watch(out, None, finished=0, total=None, largest=_MOST_BYTES):
            return self.inner.run(
                replace(command, env=environment),
                replace(workspace, mounts=(*workspace.mounts, *mounts)),
                log=log,
            )


def read_trace(folder: Path) -> Trace:
    """The trace in ``folder``: what is no line of a trace is left out, and no link is followed.

    A trace that no longer begins as it was begun, or that is full, is not believed at all.
    """
    data = _bytes_of(folder / _TRACE)
    beginning = _bytes_of(folder / _BEGINNING)
    spoiled = ""
    if not data.startswith(beginning):
        spoiled = "it was cut off or written over while the tests ran"
    elif len(data) > _MOST_BYTES:
        spoiled = f"it is longer than {_MOST_BYTES >> 20} MiB"
    if spoiled:
        return Trace(started=0, lines=frozenset(), calls={}, spoiled=spoiled)
    started = lost = 0
    lines: set[tuple[str, int]] = set()
    calls: dict[tuple[str, int], dict[str, set[str]]] = {}
    for raw in data.split(b"\n"):
        try:
            one = msgspec.json.decode(raw, type=TraceLine)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        started += bool(one.started)
        lost += bool(one.lost)
        if one.file and one.line:
            lines.add((one.file, one.line))
        elif one.file and one.first and one.given and one.gave:
            calls.setdefault((one.file, one.first), {}).setdefault(one.given, set()).add(one.gave)
    frozen = {key: {given: frozenset(gave) for given, gave in by.items()} for key, by in calls.items()}
    return Trace(started=started, lost=lost, lines=frozenset(lines), calls=frozen)


def _bytes_of(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""  # nothing was traced, or it was put aside: that nothing is known is told by the caller
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_MOST_BYTES + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
