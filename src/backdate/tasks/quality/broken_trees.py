"""Whether the tests that count notice what is wrong with a tree: runs as an answer has them."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from backdate.projects.tree import copy_tree
from backdate.tasks.judge_runs.running import ChangedTreeRunner
from backdate.tasks.quality.record import CountingRole, TrialOutcome
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import Role, Task
from backdate.testing.changed_tests.changed_tree import ChangedRunLimits, limits_of

_LONGEST_S = 3600.0


def ids_of(task: Task, role: Role) -> tuple[str, ...]:
    """The ids of its tests with this role."""
    return tuple(test.id for test in task.tests if test.role == role)


@contextmanager
def copy_of(tree: Path) -> Iterator[Path]:
    """A copy beside ``tree``, to be broken; gone afterwards."""
    folder = tree.parent / "trial"
    folder.mkdir()
    try:
        copy_tree(tree, folder / "tree")
        yield folder / "tree"
    finally:
        shutil.rmtree(folder)


@dataclass(slots=True)
class Judge:
    """Runs the tests that count on broken trees."""

    task: Task
    runner: ChangedTreeRunner
    logs: Path
    deadline: float
    limits: dict[CountingRole, ChangedRunLimits] = field(default_factory=dict)
    """By role, in the order in which they run; none of a role without tests."""
    number: int = 0

    @property
    def is_late(self) -> bool:
        """Whether no trial may begin."""
        return time.monotonic() > self.deadline

    def judge(self, tree: Path) -> tuple[TrialOutcome, CountingRole | None]:
        """What the tests make of ``tree``."""
        for role in self.limits:
            result = self._run(tree, role)
            if result.run is None:
                return TrialOutcome.UNBUILT, None
            if not result.solved:
                return TrialOutcome.NOTICED, role
            if self.is_late:
                every = role == list(self.limits)[-1]
                return (TrialOutcome.MISSED if every else TrialOutcome.NOT_RUN), None
        return TrialOutcome.MISSED, None

    def learn(self, tree: Path) -> str:
        """Run the unbroken tree, for the time that its tests take; in words why that does not do."""
        for role in get_args(CountingRole):
            if not ids_of(self.task, role):
                continue
            result = self._run(tree, role)
            if result.run is None or not result.solved:
                return f"{role} tests alone do not pass with the reference patch: {result.reason}"
            self.limits[role] = limits_of(result.run)
        return ""

    def _run(self, tree: Path, role: CountingRole) -> TaskRunResult:
        self.number += 1
        folder = self.logs / str(self.number)
        folder.mkdir(parents=True, exist_ok=True)
        limits = self.limits.get(role, ChangedRunLimits(wall_s=_LONGEST_S, case_wall_s=_LONGEST_S))
        try:
            return self.runner.run_changed(
                self.task,
                tree,
                environment="target",
                built_for=tree,
                log_folder=folder,
                limits=limits,
                only=ids_of(self.task, role),
            )
        finally:
            shutil.rmtree(folder, ignore_errors=True)
