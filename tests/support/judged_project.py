"""A small project whose answers are judged: its tests run in the real sandbox, by pytest or unittest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from fake_runner import make_task
from patience import PATIENCE_S
from ready_environments import environment_with_pytest
from small_runner import MIB, bubblewrap, write_files

from backdate.editing.apply import apply_patch
from backdate.editing.diff import diff_files
from backdate.evaluation.answers import Submission
from backdate.evaluation.load import Benchmark
from backdate.evaluation.score_run import Answers, score_run
from backdate.evaluation.scores import Score
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.sandboxes.interface import Limits
from backdate.tasks.judge_runs.deciding import JudgeSettings
from backdate.tasks.judging import judge_run
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import Patches, RecipeSetup, Task
from backdate.tasks.verify_task import verify_task
from backdate.testing.integrity import UNKNOWN_INTEGRITY
from backdate.testing.run import run_suite

BROKEN = "def area(w, h):\n    return w + h\n\n\ndef name(word):\n    return word.upper()\n"
MENDED = BROKEN.replace("w + h", "w * h")
PYTEST_TESTS = """\
import pytest
from shapes import area, name


def test_area():
    assert area(2, 3) == 6


@pytest.mark.parametrize("size", [3, 4])
def test_squares(size):
    assert area(size, size) == size * size


class TestNames:
    def test_upper(self):
        result = name("a")
        assert result == "A"

    def test_empty(self):
        with open(__file__):
            assert name("") == ""
"""
UNITTEST_TESTS = """\
import unittest
from shapes import area, name


class Shapes(unittest.TestCase):
    def test_area(self):
        self.assertEqual(area(2, 3), 6)

    def test_square(self):
        self.assertEqual(area(3, 3), 3 * 3, "nine")

    def test_upper(self):
        self.assertEqual("A", name("a"))

    def test_empty(self):
        self.assertFalse(name(""))
"""
SUITES = {"pytest": PYTEST_TESTS, "unittest": UNITTEST_TESTS}


def files_of(runner: str) -> dict[str, str]:
    """The tree of the project, whose tests are for ``runner``."""
    return {"shapes.py": BROKEN, "tests/__init__.py": "", "tests/test_shapes.py": SUITES[runner]}


def patch_to(text: str, file: str = "shapes.py", before: str = BROKEN) -> str:
    """The answer that makes ``file`` hold ``text``."""
    return diff_files({file: before.encode()}, {file: text.encode()})


class JudgedProject:
    """A task runner over the project, with the pytest of this interpreter."""

    def __init__(self, runner: str, files: Mapping[str, str] | None = None) -> None:
        self.files = dict(files or files_of(runner))
        self.plan = SuitePlan(
            runner=runner,
            targets=("tests",) if runner == "pytest" else ("tests.test_shapes",),
            provenance=Provenance(rule="for a test"),
        )
        self.environment = environment_with_pytest()
        self.sandbox = bubblewrap()
        self.watched = False
        """Whether what the watch of a run says is believed, so that judge runs can be tried alone."""

    def make_tree(self, task: Task, target: Path, stage: str | None = None) -> None:
        write_files(target, self.files)
        if stage == "reference":
            apply_patch(task.patches.reference, target, what="the known solution")

    def run_tests(self, task, tree, environment, *, log_folder, only=()) -> TaskRunResult:
        log_folder.mkdir(parents=True, exist_ok=True)
        run = run_suite(
            self.sandbox,
            self.environment,
            tree,
            self.plan,
            limits=Limits(wall_s=PATIENCE_S, memory_bytes=512 * MIB, disk_bytes=256 * MIB),
            log_folder=log_folder,
            only=only or None,
        )
        if not self.watched:
            run = replace(run, integrity=UNKNOWN_INTEGRITY)
        solved, reason = judge_run(task, run, environment, only=tuple(only))
        if environment == "origin":  # the project as it was
            return TaskRunResult(solved=True, run=replace(run, results=()), reason="")
        return TaskRunResult(solved=solved, run=run, reason=reason)

    def run_changed(
        self, task, changed, *, environment, built_for, log_folder, limits, only=()
    ) -> TaskRunResult:
        return self.run_tests(task, changed, environment, log_folder=log_folder, only=only)


@dataclass(frozen=True)
class Attacked:
    """A project, its verified task, and answers to it."""

    runner: str
    project: JudgedProject
    task: Task

    def scored(
        self,
        module: str,
        folder: Path,
        judge: JudgeSettings | None,
        *,
        watched: bool = False,
        flags: str = "none",
    ) -> Score:
        """The score of the answer that makes the module ``module``; as it is if nobody watches the run, or
        somebody does.
        """
        self.project.watched = watched
        return score_answer(self.project, self.task, patch_to(module), folder, judge, flags=flags)


def verified_task(project: JudgedProject, folder: Path) -> Task:
    """The task, with its tests and what verification finds for judge runs."""
    task = replace(
        make_task(),
        patches=Patches(reference=patch_to(MENDED, before=project.files["shapes.py"])),
        test_files=("tests/test_shapes.py",),
        setup=RecipeSetup(recipe=Recipe(install=(), test=project.plan)),
    )
    verification, proven = verify_task(task, project, log_folder=folder, repeats=1)
    assert verification.verified, verification.reason
    return proven


def score_answer(
    project: JudgedProject,
    task: Task,
    patch: str,
    folder: Path,
    judge: JudgeSettings | None,
    *,
    flags: str = "none",
) -> Score:
    """The score of one answer."""
    run = score_run(
        Benchmark(name="small", tasks=(task,), task_runner=project),
        Answers(model="m", by_task={task.instance_id: Submission(patch=patch)}, source="preds.jsonl"),
        folder,
        flags=flags,
        judge=judge,
    )
    return run.scores[0]
