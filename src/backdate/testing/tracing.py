"""Traced test runs: the same run, with the tracer loaded beside the plugin that captures outcomes."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from backdate.sandboxes.interface import Command, Mount, RunResult, Sandbox, Workspace
from backdate.sandboxes.wrapped import WrappedSandbox
from backdate.serial import decoder_of, to_json, write_whole
from backdate.testing.outcomes import Raised
from backdate.testing.watching import Watch
from backdate.testing.wire import cut_chain

_FILES = Path(__file__).parent / "tracer"
_TRACER, _REQUEST, _OUT = "/backdate/trace", "/backdate/trace-request.json", "/backdate/trace.jsonl"
_TRACE, _BEGINNING = "trace.jsonl", "beginning"
"""Names in the folder of a trace. The beginning is a secret line, and the first line of the trace."""
_CAPTURING = "BACKDATE_CAPTURE_EVENTS"
_MOST_BYTES = 64 * 1024 * 1024
_ALL_WARNINGS = {"PYTHONWARNINGS": "default", "SQLALCHEMY_WARN_20": "1"}
"""What makes interpreters and libraries give the warnings that they hide."""


class TraceLine(msgspec.Struct, kw_only=True):
    """One line of a trace; its fields tell which kind of event it holds."""

    file: str = ""
    line: int = 0
    """A line that ran."""
    first: int = 0
    """First line of a function that was called."""
    name: str = ""
    given: str = ""
    """Digest of the arguments."""
    gave: str | None = None
    """Digest of the returned value, or "raised TypeError"; None when it cannot be determined."""
    started: str = ""
    """The tracing of a process starts: its Python version."""
    lost: str = ""
    """A process ends without our trace function, which it has replaced: its Python version."""
    expression: str = ""
    """What stood for an object on a line: "frame", "self.data"."""
    module: str = ""
    """Of that object's class."""
    qualified: str = ""
    """That class's name in its module."""
    member: str = ""
    """What the object has from that class, which its own class is made from."""
    category: str = ""
    """The class of a warning that a line gave, or what it called."""
    message: str = ""
    source: str = ""
    """The file that gave the warning, as the interpreter names it."""
    error: tuple[Raised, ...] = ()
    """An error that reached a line, as a chain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenObject:
    """What an expression stood for when its line ran."""

    file: str
    line: int
    expression: str
    class_name: str
    """Dotted, with the module that defines the class."""
    member: str = ""
    """Where its own class is the project's: what it has from ``class_name``, which is a library's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenWarning:
    """A warning, and the innermost traced line that was running when it was given."""

    category: str
    message: str
    file: str
    line: int
    source: str
    """The file that gave it, as the interpreter names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenError:
    """An error that reached a traced line, whether anything caught it later or not."""

    file: str
    line: int
    """Of the innermost traced frame."""
    chain: tuple[Raised, ...]
    """As of ``CaseResult``; the frames of the last one begin with that line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The trace of a run. Foreign code ran beside the tracer: this is evidence, not proof."""

    started: int
    """Processes."""
    lines: frozenset[tuple[str, int]]
    """File and number of each line that ran."""
    calls: Mapping[tuple[str, int], Mapping[str, frozenset[str]]]
    """By file and first line of a function: digests of its results by digest of its arguments."""
    lost: int = 0
    """Processes that replaced the trace function: lines that are not in the trace may have run."""
    objects: tuple[SeenObject, ...] = ()
    warnings: tuple[SeenWarning, ...] = ()
    errors: tuple[SeenError, ...] = ()
    spoiled: str = ""
    """What shows that something else wrote into the trace; everything else is then empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRequest:
    """What a run is traced for."""

    files: Mapping[str, tuple[int, ...]]
    """The traced files, each with the first lines of the functions whose calls are recorded."""
    objects: Mapping[str, Mapping[int, tuple[str, ...]]] = field(default_factory=dict)
    """By file and line: names and attributes of names ("frame", "self.data") whose classes are recorded."""
    members: Mapping[str, Mapping[int, tuple[str, ...]]] = field(default_factory=dict)
    """By file and line: attributes of these ("self.data.append"). Where an object's class is the project's,
    and it has one from a library's, that class is recorded."""
    calls: Mapping[str, Mapping[int, tuple[str, ...]]] = field(default_factory=dict)
    """By file and line: methods and properties of which the object's class, and those of what they are given,
    are recorded: as ".append", ".append(0)", and ".append(0)[0]" for the first item of a list."""
    warnings: bool = False
    """Whether warnings are recorded; they are then shown as well."""
    errors: bool = False
    """Whether errors that reach traced lines are recorded."""


class TracingSandbox(WrappedSandbox):
    """A sandbox that traces test runs and leaves every other command as it is."""

    def __init__(self, inner: Sandbox, request: TraceRequest, folder: Path) -> None:
        """Trace what ``request`` names into ``folder``, which exists."""
        super().__init__(inner)
        self.request = request
        self.folder = folder
        write_whole(folder / _BEGINNING, secrets.token_hex(16).encode() + b"\n")
        write_whole(folder / _TRACE, (folder / _BEGINNING).read_bytes())
        (folder / _TRACE).chmod(0o600)

    def run(self, command: Command, workspace: Workspace, *, log: Path) -> RunResult:
        """Run ``command``, traced when it is a run of tests."""
        if _CAPTURING not in command.env:
            return self.inner.run(command, workspace, log=log)
        request, out = self.folder / "request.json", self.folder / _TRACE
        asked = self.request
        what = {
            "root": workspace.at,
            "files": asked.files,
            "objects": _with_text_keys(asked.objects),
            "members": _with_text_keys(asked.members),
            "calls": _with_text_keys(asked.calls),
            "warnings": asked.warnings,
            "errors": asked.errors,
        }
        write_whole(request, to_json(what))
        request.chmod(0o644)
        paths = [command.env.get("PYTHONPATH", ""), _TRACER]
        environment = {
            **(_ALL_WARNINGS if asked.warnings else {}),
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
        with Watch(out, finished=0, total=None, largest=_MOST_BYTES):
            return self.inner.run(
                replace(command, env=environment),
                replace(workspace, mounts=(*workspace.mounts, *mounts)),
                log=log,
            )


def _with_text_keys(
    asked: Mapping[str, Mapping[int, tuple[str, ...]]],
) -> dict[str, dict[str, tuple[str, ...]]]:
    """By file and line, as JSON has it."""
    return {file: {str(line): names for line, names in at.items()} for file, at in asked.items()}


def read_trace(folder: Path) -> Trace:
    """Read the trace in ``folder``. Lines that are no trace are skipped; symbolic links are not followed.

    A trace with another first line than the secret one, or that is too long, is rejected as a whole.
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
    objects: dict[SeenObject, None] = {}
    warnings: dict[SeenWarning, None] = {}
    errors: dict[SeenError, None] = {}
    decoder = decoder_of(TraceLine)
    for raw in data.split(b"\n"):
        try:
            entry = decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        started += bool(entry.started)
        lost += bool(entry.lost)
        if entry.file and entry.expression:
            objects[_object_of(entry)] = None
        elif entry.file and entry.category:
            warnings[_warning_of(entry)] = None
        elif entry.file and entry.error:
            errors[SeenError(file=entry.file, line=entry.line, chain=cut_chain(entry.error))] = None
        elif entry.file and entry.line:
            lines.add((entry.file, entry.line))
        elif entry.file and entry.first and entry.given and entry.gave:
            calls.setdefault((entry.file, entry.first), {}).setdefault(entry.given, set()).add(entry.gave)
    frozen = {
        function: {arguments: frozenset(results) for arguments, results in by_arguments.items()}
        for function, by_arguments in calls.items()
    }
    return Trace(
        started=started,
        lost=lost,
        lines=frozenset(lines),
        calls=frozen,
        objects=tuple(objects),
        warnings=tuple(warnings),
        errors=tuple(errors),
    )


def _object_of(entry: TraceLine) -> SeenObject:
    return SeenObject(
        file=entry.file,
        line=entry.line,
        expression=entry.expression,
        class_name=f"{entry.module}.{entry.qualified}",
        member=entry.member,
    )


def _warning_of(entry: TraceLine) -> SeenWarning:
    return SeenWarning(
        category=entry.category,
        message=entry.message,
        file=entry.file,
        line=entry.line,
        source=entry.source,
    )


def _bytes_of(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""  # nothing was traced, or the file was moved away: the caller reports that nothing is known
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_MOST_BYTES + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
