"""What the search for flags takes and returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from backdate.evaluation.edits import EditedLine
from backdate.evaluation.scores import Flag
from backdate.tasks.runner import TaskRunner
from backdate.tasks.task import Task
from backdate.testing.outcomes import SuiteRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A solved task."""

    task: Task
    before: Path
    """The task's tree without the answer."""
    after: Path
    """The task's tree with the answer."""
    edits: frozenset[EditedLine]
    scratch: Path
    """A temporary folder for traces and further trees."""
    run: SuiteRun | None
    """The test run that solved the task."""
    task_runner: TaskRunner | None = None
    """What runs trees that the answer changed; None where nothing has to be run."""
    traced: Path | None = None
    """The folder with the trace of ``run``; None where it was not traced."""

    @property
    def files(self) -> tuple[str, ...]:
        """The edited files."""
        return tuple(sorted({edit.file for edit in self.edits}))


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagFindings:
    """The flags of one solved task."""

    flags: tuple[Flag, ...] = ()
    unexamined: tuple[str, ...] = ()
    """What could not be examined, and why: in strict mode it counts as a flag does."""
    notes: tuple[str, ...] = ()
    """What else a reader has to know."""
