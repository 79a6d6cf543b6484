"""Progress events of running solvers and of scoring their answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from backdate.progress import Event

if TYPE_CHECKING:
    from backdate.evaluation.scores import Score
    from backdate.solvers.records import RunRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverStarted(Event):
    """A solver begins with a task."""

    instance_id: str
    resumed: bool = False
    """Whether it goes on with the turns of an earlier session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverFinished(Event):
    """A solver is done with a task."""

    record: RunRecord
    kept: bool
    """Whether an earlier call finished it."""
    total: int
    """Tasks of this call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskScored(Event):
    """The answer to a task is scored."""

    score: Score
    kept: bool
    """Whether an earlier call scored it."""
    total: int
    """Tasks of this call."""
