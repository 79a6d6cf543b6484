"""What a look for suspicions is given, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from backdate.evaluation.edits import EditedLine
from backdate.evaluation.scores import Flag
from backdate.tasks.task import Task
from backdate.testing.outcomes import SuiteRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A solved task."""

    task: Task
    before: Path
    """The new side's tree without the answer."""
    after: Path
    """With it."""
    edits: frozenset[EditedLine]
    place: Path
    """A folder for what a look needs; gone afterwards."""
    run: SuiteRun | None
    """The run that said solved."""

    @property
    def files(self) -> tuple[str, ...]:
        """The edited files."""
        return tuple(sorted({edit.file for edit in self.edits}))


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagFindings:
    """What came of it."""

    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    """What could not be looked at, and why."""
