"""The journal of a task under way: each turn as it ends, so that a killed run asks nothing twice.

::

    {"opening": {…}}                  what the turns answer: only a task that asks the same is gone on with
    {"answer": {…}}                   the given run of the tests
    {"asked": {…}}                    that a request to a model is about to be sent
    {"reply": {…}}                    what the model said, before anything is done with it
    {"unanswered": {…}}               in the place of a reply: why there is none
    {"answer": {…}}                   what its tool answered; a reply without a tool has none
    {"usage": {…}}                    of a command: what one of its requests to a model took

One JSON object a line, on the disk before the work goes on. A process that is killed while it writes leaves a
last line without its end, which is cut off by the next one. A request without an end was under way when a
session was ended: nobody here knows whether it was answered (``SolverUsage.lost``).
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from backdate.errors import StoredDataError, UsageError
from backdate.serial import from_builtins
from backdate.solvers.conversation import AgentReply, Observation
from backdate.solvers.records import SolverUsage, SuiteCall
from backdate.solvers.tools.logs import SuiteReport
from backdate.timeline.instants import Instant

JOURNAL_FORMAT = 2
_READ_FORMATS = (1, JOURNAL_FORMAT)
"""Format 1 does not say when requests were sent, so none of its own is known to be lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalOpening:
    """The first entry."""

    format: int = JOURNAL_FORMAT
    question: str
    """Digest of what the turns depend on besides the replies: task, tree, rules, tools, settings."""
    started: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class JournaledRequest:
    """A request to a model's endpoint, written before it is sent."""

    sent: Instant
    """For whoever looks it up in the provider's own log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournaledFailure:
    """The end of a request without a reply."""

    kind: str
    """The failure's name: "timeout", …; of a command's request "refused" or "left"."""
    usage: SolverUsage = field(default_factory=SolverUsage)
    """What it took nevertheless."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournaledReply:
    """What a model said."""

    reply: AgentReply
    model: str
    """Its name, as far as it was known then."""
    asked_s: float
    """Seconds that it took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournaledAnswer:
    """What a tool answered."""

    observation: Observation
    patch_sha256: str
    """Of all edits that stood afterwards; empty for a tool that changes none."""
    suite: SuiteCall | None = None
    """The run of the tests, where it was one, …"""
    report: SuiteReport | None = None
    """… and what came of it, with the whole log: later calls search it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One line; it holds one of the parts."""

    worked_s: float
    """Seconds of work on the task until then, in all sessions."""
    opening: JournalOpening | None = None
    asked: JournaledRequest | None = None
    reply: JournaledReply | None = None
    unanswered: JournaledFailure | None = None
    answer: JournaledAnswer | None = None
    usage: SolverUsage | None = None


class Journal:
    """The file at ``path``, made with the first entry. Raises StoredDataError for one that is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        data = path.read_bytes() if path.is_file() else b""
        self._whole = data.rfind(b"\n") + 1
        self.entries = tuple(_read(line, path) for line in data[: self._whole].splitlines())
        """Those of earlier sessions, in their order."""
        self.before_s = self.entries[-1].worked_s if self.entries else 0.0
        """Seconds of work in earlier sessions."""
        self._opened, self._clock = datetime.now(UTC), time.monotonic()
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    @property
    def started(self) -> Instant:
        """When the first session began."""
        opening = self.entries[0].opening if self.entries else None
        return self._opened if opening is None else opening.started

    @property
    def worked_s(self) -> float:
        """Seconds of work on the task, in all sessions."""
        return self.before_s + time.monotonic() - self._clock

    def begin(self, question: str) -> None:
        """Write the opening, or see that the one of before asks the same. Raises UsageError if not."""
        if not self.entries:
            self.append(opening=JournalOpening(question=question, started=self._opened))
            return
        opening = self.entries[0].opening
        if opening is None or opening.format not in _READ_FORMATS or opening.question != question:
            raise UsageError(
                f"{self.path} was begun for another task of this name, or by another version of backdate: "
                "its turns cannot be gone on with; --retry starts the task again"
            )

    def append(
        self,
        *,
        opening: JournalOpening | None = None,
        asked: JournaledRequest | None = None,
        reply: JournaledReply | None = None,
        unanswered: JournaledFailure | None = None,
        answer: JournaledAnswer | None = None,
        usage: SolverUsage | None = None,
    ) -> None:
        """Write an entry, and return when it is on the disk."""
        entry = JournalEntry(
            worked_s=self.worked_s,
            opening=opening,
            asked=asked,
            reply=reply,
            unanswered=unanswered,
            answer=answer,
            usage=usage,
        )
        # ASCII, because a reply may hold halves of surrogate pairs, which JSON can escape but UTF-8 not hold.
        line = json.dumps(msgspec.to_builtins(entry), ensure_ascii=True).encode("ascii") + b"\n"
        descriptor = self._file()
        while line:
            line = line[os.write(descriptor, line) :]
        os.fsync(descriptor)

    def _file(self) -> int:
        if self._descriptor is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            self._descriptor = os.open(self.path, flags, 0o644)
            os.ftruncate(self._descriptor, self._whole)
            folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)  # the file's name is on the disk, too
            finally:
                os.close(folder)
        return self._descriptor


def _read(line: bytes, path: Path) -> JournalEntry:
    try:
        return from_builtins(JournalEntry, json.loads(line))
    except (ValueError, RecursionError) as error:  # msgspec's ValidationError is one
        raise StoredDataError(
            f"the journal {path} is damaged ({error}); remove it, and the task starts again"
        ) from error
