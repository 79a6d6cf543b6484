"""Progress as typed events: the library reports them, the caller decides what to show.

Every function that takes long has a ``progress`` parameter, a :class:`Reporter`. A room whose progress needs
more facts than the events here subclasses :class:`Event` in its own module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Stage = Literal["waiting", "resolving", "building", "ready", "testing", "done", "failed"]
"""The stages of one environment and the tests that run in it, in their order."""
ONLY = "only"
"""The subject where there is just one environment."""
SIDES = ("old", "new", "declared", "lifted")
"""The subjects of a comparison's two sides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The base of all progress events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity(Event):
    """What the library does now, as one line for people: "opening https://…"."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark(Event):
    """Something that did not go as it should and stops nothing, as one line for people."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEntered(Event):
    """An environment entered a stage, or got further in it."""

    subject: str
    """Which environment: "old", "new", or "only" where there is just one."""
    stage: Stage
    detail: str = ""
    """How far it is: "12 of 40 tests"."""
    passed: bool | None = None
    """With "done": whether all of its tests passed; None where none ran."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteAdvanced(Event):
    """Another test of a suite finished, or how many there are became known."""

    subject: str
    """The environment it runs in, as in ``StageEntered``."""
    finished: int
    total: int | None
    """All tests of the suite; None until they are collected."""


class Reporter(Protocol):
    """Receives progress events. Called from several threads."""

    def report(self, event: Event) -> None:
        """Take in one event. Must return soon and must not raise."""


class NoProgress:
    """Ignores all progress events."""

    def report(self, event: Event) -> None:
        """Do nothing."""


NO_PROGRESS = NoProgress()
"""The default where a function takes a reporter."""


@dataclass(frozen=True, slots=True)
class StageReporter:
    """Reports the stages of one environment."""

    progress: Reporter
    subject: str

    def enter(self, stage: Stage, detail: str = "", *, passed: bool | None = None) -> None:
        """Report that the environment entered ``stage``."""
        self.progress.report(StageEntered(subject=self.subject, stage=stage, detail=detail, passed=passed))
