"""A task runner over a small real project: its tests run in the real sandbox, in bare interpreters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from diagnosis_environments import environment_of, find_interpreter
from patience import PATIENCE_S

from backdate.environments.environment import Environment
from backdate.errors import SandboxUnavailable
from backdate.recipes.recipe import Provenance, SuitePlan
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.tasks.runner import TaskRunResult
from backdate.testing.outcomes import SuiteRun
from backdate.testing.run import run_suite

MIB = 1024 * 1024
PLAN = SuitePlan(runner="unittest", targets=("tests.test_all",), provenance=Provenance(rule="for a test"))


def bubblewrap() -> Sandbox:
    """The real sandbox; skips where it cannot be had."""
    found = Bubblewrap()
    try:
        found.require()
    except SandboxUnavailable as error:
        pytest.skip(f"no bubblewrap: {error}")
    return found


def bare_environment(version: str) -> Environment:
    """The bare interpreter of a version, which stands for an environment with nothing in it."""
    executable = find_interpreter(version)
    return environment_of(executable.parent.parent, executable)


def write_files(tree: Path, files: Mapping[str, str]) -> Path:
    """``files`` at ``tree``."""
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tree


class SmallProjectRunner:
    """Does for ``files`` what the real task runner does for a task's repository."""

    def __init__(
        self,
        files: Mapping[str, str],
        versions: Mapping[str, str],
        *,
        sandbox: Sandbox | None = None,
        environment: Callable[[str], Environment] = bare_environment,
    ) -> None:
        self.files = files
        self.environment = environment
        self.versions = versions
        self.sandbox = sandbox or bubblewrap()

    def over(self, change: Callable[[Sandbox], Sandbox]) -> SmallProjectRunner:
        return SmallProjectRunner(
            self.files, self.versions, sandbox=change(self.sandbox), environment=self.environment
        )

    def make_tree(self, task, target: Path, stage: str | None = None) -> None:
        write_files(target, self.files)

    def run_before_answers(self, task, tree: Path, *, log_folder: Path) -> SuiteRun | None:
        return self.run_tests(task, tree, "target", log_folder=log_folder).run

    def run_tests(self, task, tree: Path, environment: str, *, log_folder: Path, only=()) -> TaskRunResult:
        run = run_suite(
            self.sandbox,
            self.environment(self.versions[environment]),
            tree,
            PLAN,
            limits=Limits(wall_s=PATIENCE_S, memory_bytes=512 * MIB, disk_bytes=256 * MIB),
            log_folder=log_folder,
        )
        bad = [one.id for one in run.results if one.outcome.bad]
        solved = run.status == "completed" and not bad
        return TaskRunResult(solved=solved, run=run, reason="" if solved else f"{run.status}: {bad}")
