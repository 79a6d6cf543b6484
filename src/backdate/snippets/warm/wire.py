"""What the host and the process in the sandbox say to each other: JSON, its length before it.

Everything that comes out is text of a stranger: bounded, parsed, and never believed to be whole.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from backdate.diagnosis.api import AskedPython
from backdate.environments.environment import Environment
from backdate.errors import StoredDataError
from backdate.escapes import without_escapes
from backdate.serial import decoder_of, from_json, to_json
from backdate.snippets.runs import CaseOutcome, ProgramEnd, ProgramLimits, ProgramRun, SnippetProgram
from backdate.snippets.scripts import runnable

Places = Sequence[tuple[str, str]]
"""Folders of this machine that its programs see, and what is told in their place."""
_SLACK = 8 * 1024 * 1024
"""Bytes of a message beside what its program printed: JSON writes some characters as six."""
_ADDRESS = re.compile(r"(?<= at )0x[0-9a-fA-F]+")


class ConnectionEnded(Exception):
    """The other side is gone, said too much, or did not answer in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmGreeting:
    """The first message: what could be imported."""

    loaded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmCase:
    """A case as the child says it."""

    printed: str = ""
    value: str = ""
    kind: str = ""
    error: str = ""
    bases: tuple[str, ...] = ()
    message: str = ""
    lines: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmAnswer:
    """What came of one program."""

    id: str
    end: ProgramEnd
    load: msgspec.Raw
    """What loading it raised; null where it was loaded."""
    cases: tuple[msgspec.Raw, ...] = ()
    noise: str = ""
    """The end of what it wrote to standard error."""
    seconds: float = 0.0
    clean: bool = False
    """Whether the next program finds everything as this one did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmJob:
    """A program as it is sent."""

    id: str
    code: str
    entry: str
    before: str = ""
    cases: tuple[str, ...] = ()
    script: str = ""
    wall_s: float = 0.0
    memory_bytes: int = 0
    output_bytes: int = 0
    preload: tuple[str, ...] = field(default=())
    """Filled in by the process itself."""


def _as_json(text: str) -> bytes:
    """A text as the process writes it within JSON."""
    return json.dumps(text).encode("ascii")[1:-1]


def places_of(python: AskedPython) -> Places:
    """The folders of an environment, or of an interpreter alone: results must not name this machine's.

    Nothing is told in the place of the system's own ("/usr"), which every machine has.
    """
    if isinstance(python, Environment):
        own = [(str(root), "/environment") for root in python.roots]
        own.append((str(python.choice.interpreter.prefix), "/python"))
    else:
        own = [(str(python.root), "/python")]
    return [(folder, told) for folder, told in own if folder not in ("/", "/usr", "/usr/local")]


def job_of(program: SnippetProgram, limits: ProgramLimits) -> WarmJob:
    """What is sent of a program; nothing that is expected of it is among that."""
    program = runnable(program)
    return WarmJob(
        id=program.id,
        code=program.code,
        entry=program.entry,
        before=program.harness.before,
        cases=program.harness.cases,
        script=program.harness.script,
        wall_s=limits.wall_s,
        memory_bytes=limits.memory_bytes,
        output_bytes=limits.output_bytes,
    )


def send(connection: socket.socket, message: object, *, within_s: float = 60.0) -> None:
    """Send a message. Raises ConnectionEnded."""
    data = to_json(message)
    connection.settimeout(within_s)
    try:
        connection.sendall(struct.pack(">I", len(data)) + data)
    except OSError as error:
        raise ConnectionEnded(str(error)) from error


def receive(connection: socket.socket, *, most_bytes: int, within_s: float) -> bytes:
    """The next message. Raises ConnectionEnded."""
    deadline = time.monotonic() + within_s
    size = struct.unpack(">I", _exactly(connection, 4, deadline))[0]
    if size > most_bytes:
        raise ConnectionEnded(f"a message of {size} bytes")
    return _exactly(connection, size, deadline)


def _exactly(connection: socket.socket, size: int, deadline: float) -> bytes:
    parts = []
    while size:
        left = deadline - time.monotonic()
        if left <= 0:
            raise ConnectionEnded("no answer in time")
        connection.settimeout(left)
        try:
            part = connection.recv(min(size, 1 << 20))
        except OSError as error:
            raise ConnectionEnded(str(error)) from error
        if not part:
            raise ConnectionEnded("the process ended")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def most_bytes_of(limits: ProgramLimits) -> int:
    """How long an answer may be: the process passes on what is within its limits, twice as text and value."""
    return 12 * limits.output_bytes + _SLACK


def read_greeting(data: bytes) -> WarmGreeting:
    """Raises ConnectionEnded for what is none."""
    try:
        return from_json(WarmGreeting, data)
    except StoredDataError as error:
        raise ConnectionEnded(str(error)) from error


def read_answer(data: bytes, program: SnippetProgram, places: Places = ()) -> tuple[ProgramRun, bool]:
    """What came of ``program``, and whether the process can go on. Raises ConnectionEnded."""
    for own, told in places:
        data = re.sub(re.escape(_as_json(own)) + rb"(?![\w.-])", _as_json(told), data)
    try:
        answer = from_json(WarmAnswer, data)
    except StoredDataError as error:
        raise ConnectionEnded(str(error)) from error
    if answer.id != program.id:
        raise ConnectionEnded("an answer for another program")
    try:
        load = decoder_of(WarmCase | None).decode(answer.load)
        cases = tuple(map(decoder_of(WarmCase).decode, answer.cases))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        run = ProgramRun(id=program.id, end=ProgramEnd.CRASHED, detail="it garbled its own report")
        return run, answer.clean
    end, detail = answer.end, ""
    if load is not None:
        end = ProgramEnd.MEMORY if _out_of_memory(load) else ProgramEnd.LOAD_ERROR
        detail = f"{load.error}: {clean(load.message)}"
    elif end is ProgramEnd.FINISHED and any(map(_out_of_memory, cases)):
        end = ProgramEnd.MEMORY
    elif end is ProgramEnd.CRASHED:
        detail = clean(answer.noise).strip().rpartition("\n")[2]
    run = ProgramRun(
        id=program.id,
        end=end,
        detail=detail[:2000],
        cases=tuple(map(_outcome, cases)),
        seconds=answer.seconds,
    )
    return run, answer.clean


def _out_of_memory(case: WarmCase) -> bool:
    return "MemoryError" in (case.error, *case.bases)


def _outcome(case: WarmCase) -> CaseOutcome:
    return CaseOutcome(
        printed=clean(case.printed),
        value=clean(case.value),
        kind=case.kind[:200],
        error=case.error[:200],
        message=clean(case.message)[:2000],
        lines=case.lines[:100],
        warnings=tuple(dict.fromkeys(clean(line)[:500] for line in case.warnings[:50])),
    )


def clean(text: str) -> str:
    """Text of a stranger without escape sequences, and without addresses, which differ from run to run.

    >>> clean("<Thing object at 0x7f3d62217630>")
    '<Thing object at 0x…>'
    """
    return _ADDRESS.sub("0x…", without_escapes(text))
