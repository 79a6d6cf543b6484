"""What a solver is: something that is given a task and hands in a patch, with or without a conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from backdate.solvers.atif import Trajectory
from backdate.solvers.journal import Journal
from backdate.solvers.loop import Budget
from backdate.solvers.reasons import CaughtError, HunkReason, ProposalOrigin
from backdate.solvers.records import MODEL_CALLS, RunSettings, SolverUsage, StopReason, SuiteCall
from backdate.solvers.tools.interface import Tool
from backdate.tasks.edit_policy import EditPolicy
from backdate.tasks.kinds.choose import edit_policy_of
from backdate.tasks.runner import TaskRunner
from backdate.tasks.task import Task

ExtraTools = Callable[[Task, Path], Sequence[Tool]]
"""Further tools for a task whose tree lies at that path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One task, and what a solver needs to work on it."""

    task: Task
    settings: RunSettings
    task_runner: TaskRunner
    scratch: Path
    """A folder of the solver's own, there and empty; gone afterwards."""
    logs: Path
    """Where the logs of test runs are kept."""
    extra_tools: ExtraTools | None = None
    tree: Path | None = None
    """The task's fresh tree, where somebody made it already."""
    journal: Journal | None = None
    """Where each turn is kept as it ends; None when the work cannot be gone on with."""

    @property
    def budget(self) -> Budget:
        """What a model may use for the task."""
        calls = self.settings.calls
        return Budget(calls=MODEL_CALLS if calls is None else calls, tests=self.settings.tests)

    def rules_in(self, tree: Path) -> EditPolicy:
        """Which files of ``tree``, the task's as it was given, may be changed."""
        return edit_policy_of(self.task, tree, allow_test_edits=self.settings.allow_test_edits)

    def make_tree(self) -> Path:
        """The task's tree, as the solver gets it. Raises SourceError."""
        if self.tree is not None:
            return self.tree
        tree = self.scratch / "tree"
        self.task_runner.make_tree(self.task, tree)
        return tree


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverResult:
    """What came of it. See ``RunRecord`` for the fields of the same names."""

    ending: StopReason
    detail: str = ""
    patch: str = ""
    dropped: tuple[str, ...] = ()
    calls: int = 0
    runs: tuple[SuiteCall, ...] = ()
    sequence: tuple[str, ...] = ()
    refused: int = 0
    usage: SolverUsage = field(default_factory=SolverUsage)
    reasons: tuple[HunkReason, ...] = ()
    caught: tuple[CaughtError, ...] = ()
    """What the tests that still fail catch on the way, where that was looked for."""
    side_runs: int = 0
    proposed_by: tuple[ProposalOrigin, ...] | None = None
    ready_at_first: tuple[ProposalOrigin, ...] | None = None
    elsewhere: str = ""
    """A patch after ``patch``: the same names where no failing test ran them; where that was asked for."""
    model: str = ""
    trajectory: Trajectory | None = None
    waited_s: float = 0.0
    """Seconds that the model, the tests and a survey took; the rest is our own."""


class Solver(Protocol):
    """One way to solve tasks. Safe to share between threads."""

    @property
    def name(self) -> str:
        """As it stands in predictions: "gold", "model:NAME", …"""
        ...

    def attempt(self, assignment: Assignment) -> SolverResult:
        """Work on one task. Raises SourceError when its tree cannot be had, and what a machine lacks."""
        ...
