"""Progress as typed events: the library reports them, the caller decides what to show.

Every function that takes long has a ``progress`` parameter, a :class:`Reporter`. A room whose progress needs
more facts than the events here subclasses :class:`Event` in its own module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Stage = Literal["waiting", "resolving", "building", "ready", "testing", "done", "failed"]
"""The stages of one environment and the tests that run in it, in their order."""


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
