"""Where a task comes alive: its tree with patches applied, its environments, its tests.

Everything that runs a task goes through here: verifying, building, annotating, solving and scoring.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from backdate.environments.environment import Environment
from backdate.tasks.task import MigrationTask, SideName
from backdate.testing.outcomes import SuiteRun


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRunResult:
    """What a run of a task's tests says."""

    solved: bool
    """Every test that counts passed (fail-to-pass and pass-to-pass), and the suite was collected whole."""
    run: SuiteRun | None
    """None when there was no environment to run in."""
    reason: str
    """In one line, why it is not solved: "2 of 7 tests failed", "the environment did not build: …"."""
    environment: Environment | None = None
    """Where the tests ran: with its lock, interpreter and road."""
    notes: tuple[str, ...] = ()
    """What a reader has to know about it: stand-ins, cutoff_overrides, another cut than the task's."""


class TaskRunner(Protocol):
    """Tasks made runnable."""

    def make_tree(
        self, task: MigrationTask, target: Path, *, pinned: bool = False, gold: bool = False
    ) -> None:
        """A fresh tree of ``task`` at ``target`` (not there yet).

        For the new side: the source with the unpinning and the test patch, and with the gold patch when asked
        for. ``pinned``, for the old side: the source as it was published, with the task's scripts if it has
        any; what the test patch says is for the new libraries.

        Raises SourceError when the source cannot be had or a patch does not apply.
        """
        ...

    def run_tests(
        self, task: MigrationTask, tree: Path, side: SideName, *, log_folder: Path, only: tuple[str, ...] = ()
    ) -> TaskRunResult:
        """Build or find the environment of that side for ``tree``; run the tests in a fresh sandbox."""
        ...
