"""Progress events of work on tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from backdate.progress import Event

if TYPE_CHECKING:
    from backdate.tasks.verify_task import Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRunStarted(Event):
    """A run of a task's tests begins."""

    instance_id: str
    stage: str
    """What people call the stage: "old", "new", "gold"."""
    number: int
    """From 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskVerified(Event):
    """The verification of a task is finished."""

    verification: Verification
    kept: bool
    """Whether an earlier call finished it."""
    total: int
    """Tasks of this call."""
