"""Running a change's tests while it is built: trees made of the base at hand, runs kept when they end."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from backdate.checking.recipe_run import run_tests, service_plan, with_own_frames
from backdate.construction.job_context import JobContext
from backdate.environments.environment import BuildFailure
from backdate.errors import InterpreterMissing, SourceError
from backdate.projects.tree import copy_tree
from backdate.sandboxes.threads import in_threads
from backdate.tasks.judging import judge_run
from backdate.tasks.kinds.choose import layers_of, stages_of
from backdate.tasks.kinds.interface import Stage
from backdate.tasks.local_runner import LocalRunner
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import EnvironmentName, StageName, Task
from backdate.tasks.trees import lay_patches
from backdate.testing.outcomes import SuiteRun
from backdate.text import first_line


@dataclass(slots=True, kw_only=True)
class PatchedBaseRunner:
    """A ``TaskRunner`` for one task whose base lies in a folder. What judging and releasing a task want to
    know besides, verifying finds out."""

    context: JobContext
    local: LocalRunner
    base: Path
    _runs: Counter[str] = field(default_factory=Counter)
    """How often each tree was run, by its digest."""

    def make_tree(self, task: Task, target: Path, stage: StageName | None = None) -> None:
        """See ``TaskRunner``."""
        copy_tree(self.base, target)
        try:
            lay_patches(task, target, layers_of(task, stage))
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise

    def build_ahead(self, task: Task) -> None:
        """Build the environments of all stages of ``task`` beside each other.

        Each stage asks for its own again, which is there then. It tells as well why it has no tree or no
        environment. Raises MachineError when the machine lacks something.
        """
        with self.context.clock("build"), tempfile.TemporaryDirectory(prefix="backdate-stages-") as folder:
            in_threads(
                [
                    lambda stage=stage: self._build_stage(task, stage, Path(folder, stage.name))  # type: ignore[misc]
                    for stage in stages_of(task)
                ],
                name="stage",
            )

    def _build_stage(self, task: Task, stage: Stage, tree: Path) -> None:
        try:
            self.make_tree(task, tree, stage.name)
            self.local.build(task, tree, stage.environment)
        except (SourceError, InterpreterMissing):
            return  # the stage meets it as well when it runs, and tells it

    def run_tests(
        self,
        task: Task,
        tree: Path,
        environment: EnvironmentName,
        *,
        log_folder: Path,
        only: tuple[str, ...] = (),
    ) -> TaskRunResult:
        """See ``TaskRunner``. A run that an interrupted job finished is not made again."""
        context = self.context
        try:
            with context.clock("build"):
                built = self.local.build(task, tree, environment)
        except InterpreterMissing as error:
            return TaskRunResult(solved=False, run=None, reason=str(error))
        made = built.answer
        if isinstance(made, BuildFailure):
            reason = f"the environment did not build ({made.phase}): {first_line(made.message)}"
            return TaskRunResult(solved=False, run=None, reason=reason, notes=built.notes)
        context.uses.hold(made)
        self._runs[built.dated.digest] += 1

        def run() -> SuiteRun:
            with context.clock("test"):
                found = run_tests(
                    built.recipe,
                    built.dated,
                    context.resources,
                    made,
                    log_folder=log_folder,
                    only=only or None,
                )
            return with_own_frames(found, tree)

        services = service_plan(built.recipe, made.base, context.resources).key
        inputs = ("patched base", made.key, built.dated.digest, built.recipe, only, context.resources.limits)
        kept = context.run_cache.get_or_run((*inputs, *services), run, repeat=self._runs[built.dated.digest])
        solved, reason = judge_run(task, kept, environment, only=only)
        result = TaskRunResult(solved=solved, run=kept, reason=reason, environment=made)
        return replace(result, notes=built.notes)
