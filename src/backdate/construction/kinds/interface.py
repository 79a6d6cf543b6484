"""What a kind of task decides about its construction: its stages, what is examined, how a task is built."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from backdate.construction.candidate import Candidate, Exclusion
from backdate.construction.duplicates import Sketch
from backdate.construction.plan import BuildPlan, WorkerConfig
from backdate.construction.store import Store
from backdate.tasks.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFacts:
    """The part of an examination that the shared code reads; each kind stores it with facts of its own."""

    revision: str
    digest: str
    """Of the source tree; the store keeps the tree under it."""
    sketch: Sketch


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRule:
    """One stage of the funnel."""

    name: str
    title: str
    """What is true of the candidates that pass: "tests pass in the old environment"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTools:
    """What a worker gives a builder for one job."""

    plan: BuildPlan
    config: WorkerConfig
    store: Store
    scratch: Path
    """A folder that is removed after the job."""
    seconds: dict[str, float] = field(default_factory=dict)
    """The builder adds the duration of its steps here, by name."""


class TaskBuilder(Protocol):
    """Builds the tasks of one kind. Without state: everything that differs between builds is in the plan."""

    @property
    def description(self) -> str:
        """One sentence for the card of a data set."""
        ...

    @property
    def stages(self) -> tuple[StageRule, ...]:
        """The kind's own stages, in order, between the shared ones (``choose.stages_of``)."""
        ...

    def exclude_by_row(self, candidate: Candidate, plan: BuildPlan) -> Exclusion | None:
        """Why the candidate's row alone excludes it from this kind; None when it does not."""
        ...

    def examine(self, candidate: Candidate, tools: JobTools) -> bytes | Exclusion:
        """Examine the candidate's files without running them.

        Returns JSON with the fields of ``SourceFacts`` and the kind's own, or the reason for an exclusion.
        """
        ...

    def build_task(self, candidate: Candidate, examined: bytes, tools: JobTools) -> Task | Exclusion:
        """Run the candidate and assemble its task; ``examined`` is what ``examine`` returned."""
        ...
