"""What a reader has to know about the run of a task, each note with its kind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class NoteKind(StrEnum):
    """What a note is about."""

    INTERPRETER = "interpreter"
    """Which release of Python stands in for the one that the task names."""
    INSTALLER = "installer"
    """Another installer than uv, and why."""
    NETWORK = "network"
    """A build that reached more than the package index."""
    REPLACED = "replaced"
    """An environment that was kept and had been changed since it was made."""
    LOCK = "lock"
    """A lock that does not agree with the index."""
    CUTOFF = "cutoff"
    """A distribution that is cut at another instant than the task's."""
    LATER_DAY = "later-day"
    """The whole environment is cut a day later."""
    SYSTEM_PACKAGES = "system-packages"
    """Packages of the system that were applied, or asked for and not applied."""
    UNTRIED_PACKAGES = "untried-packages"
    """Packages of the system with which a failed build would have been tried again."""
    RETRIED = "retried"
    """A first run ended in its time limit."""
    INCIDENT = "incident"
    """What a build did that came to nothing."""
    NOT_WITNESSED = "not-witnessed"
    """Why runs that were watched are not witnessed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNote:
    """One note."""

    kind: NoteKind
    text: str
    """For people, one sentence."""


def texts(notes: tuple[RunNote, ...]) -> tuple[str, ...]:
    """The notes as people read them."""
    return tuple(note.text for note in notes)
