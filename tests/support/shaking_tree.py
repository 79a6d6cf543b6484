"""A task whose tests fail with tracebacks as its files use dead names, for solvers that read failures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import builders
from dead_names import replace_names
from fake_runner import make_task

from backdate.advising.project_uses import ProjectUses
from backdate.solvers.rules.proposals import FixEvidence
from backdate.solvers.rules.solver import RulesSolver
from backdate.tasks.judging import judge_run
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import Patches
from backdate.testing.outcomes import Outcome

ALIVE = ("prod", "sum")


def task_of(name: str = "o__n-0123456789ab"):
    return replace(make_task(name), patches=Patches(), test_files=("test_all.py",))


class DeadNamesRunner:
    """Each module of the tree is one test, which ends at the first line with a dead name that runs."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = {**files, "test_all.py": "import pkg\n"}
        self.runs: list[str] = []
        self.broken = False

    def make_tree(self, task, target: Path, stage: str | None = None) -> None:
        for name, text in self.files.items():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("latin-1" if "latin-1" in text else "utf-8"))

    def run_tests(self, task, tree: Path, environment: str, *, log_folder: Path, only=()) -> TaskRunResult:
        self.runs.append(environment)
        if self.broken:
            return TaskRunResult(solved=False, run=None, reason="the environment did not build: no wheel")
        results = [self._result(tree, name) for name in self.files if name != "test_all.py"]
        log = log_folder / "tests.log"
        log.write_text("a log\n")
        run = replace(builders.run(*results), log=log)
        solved, reason = judge_run(task, run, environment, only=only)
        return TaskRunResult(solved=solved, run=run, reason=reason)

    def _result(self, tree: Path, name: str):
        test = f"test_all.py::test_{name.removesuffix('.py')}"
        for number, line in enumerate((tree / name).read_bytes().decode("latin-1").splitlines(), start=1):
            used = (
                line.rpartition("lib.")[2].strip() if "lib." in line and not line.startswith("if 0:") else ""
            )
            if used and used not in ALIVE:
                frames = (builders.frame("test_all.py", 1), builders.frame(name, number))
                error = builders.raised("AttributeError", f"module 'lib' has no attribute '{used}'", *frames)
                return builders.result(test, Outcome.FAILED, error)
        return builders.result(test)


class FixedSource:
    """Proposes what it was given, by the missing name."""

    def __init__(self, origin, proposals) -> None:
        self.origin = origin
        self.proposals = proposals

    def propose(self, group, evidence):
        return self.proposals(group, evidence)


def no_evidence(assignment, tree, groups, *, log_folder):
    return FixEvidence(tree=tree, uses=ProjectUses(), versions={"lib": ("1.0", "2.0")})


def solver(*sources) -> RulesSolver:
    return RulesSolver(
        sources=sources, gather=no_evidence, follow=lambda evidence, edited: evidence, rewrite=replace_names
    )
