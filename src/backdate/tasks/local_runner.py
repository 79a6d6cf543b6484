"""The task runner of this machine: trees from clones, the index or the data set; environments from the cache;
tests in the sandbox."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from backdate.checking.dated_project import DatedProject
from backdate.checking.recipe_run import (
    build,
    request_for,
    run_tests,
    service_plan,
    system_notes,
    with_own_frames,
)
from backdate.checking.resources import Resources
from backdate.checking.rights import given_rights
from backdate.checking.settings import Settings
from backdate.environments.environment import (
    BuildFailure,
    Environment,
    InterpreterChoice,
    LockedDistribution,
)
from backdate.environments.interpreter_choice import choose_interpreter
from backdate.environments.script_inputs import inputs_digest
from backdate.environments.system import apt_packages
from backdate.environments.uv import find_uv
from backdate.environments.uv_downloads import UvDownloads
from backdate.errors import InterpreterMissing, UsageError
from backdate.progress import NO_PROGRESS, Reporter, StageReporter
from backdate.projects.python_constraint import PythonConstraint
from backdate.projects.sources.tree import safe_name
from backdate.projects.tree import tree_digest
from backdate.recipes.recipe import Recipe
from backdate.sandboxes.disk_budget import DiskBudget
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.sandboxes.scratch import scratch_folder
from backdate.tasks.judging import judge_run
from backdate.tasks.kinds.choose import environment_of
from backdate.tasks.notes import NoteKind, RunNote
from backdate.tasks.pending import NotSetUp, set_up_pending
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.scripted import build_by_script, not_tried, script_recipe
from backdate.tasks.task import EnvironmentName, StageName, Task, TaskEnvironment
from backdate.tasks.throwaway_trees import AskedSide, BuiltSide, ThrowawayTrees, locked_builds
from backdate.tasks.trees import Sources, make_tree
from backdate.testing.changed_tests.changed_tree import ChangedRunLimits
from backdate.testing.outcomes import SuiteRun
from backdate.text import first_line, minor_version

_NAMED = "named by the task"


class LocalRunner:
    """Makes tasks runnable here. One object serves any number of tasks, from any number of threads."""

    def __init__(
        self,
        settings: Settings,
        sources: Sources,
        *,
        sandbox: Sandbox | None = None,
        resources: Resources | None = None,
        throwaway: ThrowawayTrees | None = None,
        witness: bool = False,
        progress: Reporter = NO_PROGRESS,
    ) -> None:
        """``resources``: those of another runner with the same settings; None to open them here.

        ``throwaway``: builds every tree but the task's own; None where all trees are the task's own.
        ``witness``: whether every run looks if the bodies of passed tests ran.
        ``progress`` hears what is done for which task, by its name.

        Raises SandboxUnavailable when the sandbox that ``settings`` name cannot be had.
        """
        self.settings = settings
        self._sources = sources
        self._owns_resources = resources is None
        self.resources = resources or Resources(settings, sandbox=sandbox)
        self._throwaway = throwaway
        self._witness = witness
        self.progress = progress

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections to the index. Resources that were given stay open."""
        if self._owns_resources:
            self.resources.close()

    def over(self, change: Callable[[Sandbox], Sandbox]) -> LocalRunner:
        """The same task runner over another sandbox, made of this one's."""
        return self.again(sandbox=change(self.resources.sandbox), throwaway=self._throwaway)

    def again(
        self,
        *,
        sandbox: Sandbox | None = None,
        resources: Resources | None = None,
        throwaway: ThrowawayTrees | None = None,
    ) -> LocalRunner:
        """A task runner for the same trees over another sandbox, or what builds changed trees."""
        return LocalRunner(
            self.settings,
            self._sources,
            sandbox=sandbox,
            resources=resources,
            throwaway=throwaway,
            witness=self._witness,
            progress=self.progress,
        )

    @contextmanager
    def for_changed_trees(
        self, budget_bytes: int, answers_at_once: int = 1
    ) -> Iterator[tuple[LocalRunner, Path]]:
        """The same task runner for trees that an answer or an agent changed, and a folder for them.

        What it builds for them lies beside, and all of it is removed at the end. It is built without network,
        from what the task's own environment holds. ``budget_bytes``: for all that is kept so at a time,
        by ``answers_at_once`` such runners.
        """
        budget = DiskBudget(
            folder=self.resources.cache.folder / "throwaway",
            limit_bytes=budget_bytes,
            answers_at_once=answers_at_once,
        )
        with scratch_folder(budget.folder) as folder:
            budget.check()
            trees = folder / "trees"
            trees.mkdir()
            with ThrowawayTrees(folder, budget) as throwaway:
                yield self.again(resources=self.resources, throwaway=throwaway), trees

    @property
    def sandbox(self) -> Sandbox:
        """The one in which tests run."""
        return self.resources.sandbox

    @property
    def limits(self) -> Limits:
        """Of one run of the tests."""
        return self.resources.limits

    @cached_property
    def _downloads(self) -> UvDownloads:
        return UvDownloads(uv=find_uv(), environment=os.environ)

    def make_tree(self, task: Task, target: Path, stage: StageName | None = None) -> None:
        """See ``TaskRunner``."""
        make_tree(task, target, self._sources, stage)

    def keep_first_tree(self, task: Task, tree: Path) -> None:
        """``tree`` is one that ``make_tree`` made for a solver. It stays as it is, and is not made again."""
        if self._throwaway is not None:
            self._throwaway.keep_first_tree(task, tree)

    def run_tests(
        self,
        task: Task,
        tree: Path,
        environment: EnvironmentName,
        *,
        log_folder: Path,
        only: tuple[str, ...] = (),
    ) -> TaskRunResult:
        """See ``TaskRunner``."""
        StageReporter(self.progress, task.instance_id).enter("building")
        try:
            built = self.build(task, tree, environment)
        except InterpreterMissing as error:  # the other tasks may have theirs
            return TaskRunResult(solved=False, run=None, reason=str(error))
        if isinstance(built.answer, BuildFailure):
            reason = (
                f"the environment did not build ({built.answer.phase}): {first_line(built.answer.message)}"
            )
            return TaskRunResult(solved=False, run=None, reason=reason, notes=built.notes)
        finished = self.resources.builder.finished
        before = finished.state_before_use(built.answer) if self._witness else ""
        run = run_tests(
            built.recipe,
            built.dated,
            self.resources,
            built.answer,
            log_folder=log_folder,
            only=only or None,
            witness=self._witness,
            progress=self.progress,
            subject=task.instance_id,
        )
        run = with_own_frames(run, tree)
        solved, reason = judge_run(task, run, environment, only=only)
        return TaskRunResult(
            solved=solved,
            run=run,
            reason=reason,
            environment=built.answer,
            state_before=before,
            notes=built.notes,
        )

    def run_before_answers(self, task: Task, tree: Path, *, log_folder: Path) -> SuiteRun | None:
        """What the tests of ``tree`` say in the target environment: the tree that every answer begins with.

        No answer has a part in that run, so it is made once and kept. None where there is no environment.
        """
        try:
            built = self.build(task, tree, "target")
        except InterpreterMissing:
            return None
        environment = built.answer
        if isinstance(environment, BuildFailure):
            return None

        def run() -> SuiteRun:
            found = run_tests(built.recipe, built.dated, self.resources, environment, log_folder=log_folder)
            return with_own_frames(found, tree)

        inputs = ("tests before answers", task, environment.key, tree_digest(tree), self.limits)
        services = service_plan(built.recipe, environment.base, self.resources).key
        rights = given_rights(self.resources.settings).key
        return self.resources.run_cache.get_or_run((*inputs, self.sandbox.name, *services, *rights), run)

    def run_changed(
        self,
        task: Task,
        changed: Path,
        *,
        environment: EnvironmentName,
        built_for: Path,
        log_folder: Path,
        limits: ChangedRunLimits,
        only: tuple[str, ...] = (),
    ) -> TaskRunResult:
        """See ``judge_runs.running.ChangedTreeRunner``."""
        try:
            built = self.build(task, built_for, environment)
        except InterpreterMissing as error:
            return TaskRunResult(solved=False, run=None, reason=str(error))
        if isinstance(built.answer, BuildFailure):
            return TaskRunResult(solved=False, run=None, reason=first_line(built.answer.message))
        run = run_tests(
            built.recipe,
            replace(built.dated, tree=changed),  # with the digest of the other: it is the environment's
            self.resources,
            built.answer,
            log_folder=log_folder,
            only=only or None,
            changed_limits=limits,
            witness=self._witness,
            progress=self.progress,
            subject=task.instance_id,
        )
        run = with_own_frames(run, changed)
        solved, reason = judge_run(task, run, environment, only=only)
        return TaskRunResult(solved=solved, run=run, reason=reason, environment=built.answer)

    def set_up(self, task: Task, *, log_folder: Path) -> Task | NotSetUp:
        """See ``TaskSetter``."""
        return set_up_pending(
            task, self._sources, self.resources, log_folder=log_folder, progress=self.progress
        )

    def locked_builds(self, task: Task) -> tuple[LockedDistribution, ...] | None:
        """See ``BuildLocker``."""
        with scratch_folder(self.resources.cache.folder / "throwaway") as folder:
            return locked_builds(self, task, folder)

    def build(self, task: Task, tree: Path, environment: EnvironmentName) -> BuiltSide:
        """That environment for ``tree``, from the cache or built now, as set-ups and builds of benchmarks
        make theirs; a throw-away one where the runner is for changed trees.
        """
        if self._throwaway is not None:
            return _with_notes(self._throwaway.build(self, task, tree, environment))
        return _with_notes(self.side(task, tree, environment))

    def side(self, task: Task, tree: Path, environment: EnvironmentName) -> BuiltSide:
        """That environment for ``tree``, shared."""
        asked = self.request(task, tree, environment)
        notes = list(asked.notes)
        if task.scripts is None:
            answer = build(asked.recipe, asked.dated, self.resources, asked.request.choice)
            base = answer.base if isinstance(answer, Environment) else None
            applied = base.packages if base is not None else ()
            notes += [
                RunNote(kind=NoteKind.SYSTEM_PACKAGES, text=text)
                for text in system_notes(asked.recipe, applied)
            ]
            if isinstance(answer, BuildFailure) and not self.resources.apt:
                notes += not_tried(answer, apt_packages(asked.recipe)[0])
        else:
            scripted = build_by_script(
                self.resources,
                asked.request,
                asked.recipe,
                task.scripts.setup,
                or_a_day_later=environment == "origin",
            )
            answer = scripted.answer
            notes += scripted.notes
        return asked.built(answer, notes)

    def request(self, task: Task, tree: Path, environment: EnvironmentName) -> AskedSide:
        """What ``side`` asks for; nothing is built."""
        if task.is_pending:
            raise UsageError(f"{task.instance_id} is not set up yet; 'backdate bench verify' does that")
        named = environment_of(task, environment)
        choice = self._choose(named)
        dated = _dated_task(task, tree, named)
        recipe = _recipe(task) if task.scripts is None else script_recipe(task.scripts, dated)
        return AskedSide(
            recipe=recipe,
            dated=dated,
            request=request_for(recipe, dated, choice),
            notes=(RunNote(kind=NoteKind.INTERPRETER, text=choice.note),) if choice.note else (),
        )

    def _choose(self, environment: TaskEnvironment) -> InterpreterChoice:
        """The release that the environment names, or the nearest patch of its minor with a note."""
        return choose_interpreter(
            environment.python,
            _minor_range(environment),
            environment.instant,
            self.resources.interpreters.available,
            reason=_NAMED,
            downloads=self._downloads,
        )


def _notes_of_environment(environment: Environment) -> Iterator[RunNote]:
    if environment.installer:
        yield RunNote(kind=NoteKind.INSTALLER, text=environment.installer)
    if environment.network_note:
        yield RunNote(kind=NoteKind.NETWORK, text=environment.network_note)
    if environment.replacement_note:
        yield RunNote(kind=NoteKind.REPLACED, text=environment.replacement_note)
    if environment.lock_note:
        yield RunNote(kind=NoteKind.LOCK, text=environment.lock_note)
    yield from _notes_of_incidents(environment)
    for override in environment.lock.cutoff_overrides:
        yield RunNote(kind=NoteKind.CUTOFF, text=f"{override.name} is cut later: {override.reason}")


def _with_notes(side: BuiltSide) -> BuiltSide:
    """With what the environment says of itself, or what was seen of its failed build."""
    if isinstance(side.answer, BuildFailure):
        return replace(side, notes=(*side.notes, *_notes_of_incidents(side.answer)))
    return replace(side, notes=(*side.notes, *_notes_of_environment(side.answer)))


def _notes_of_incidents(answer: Environment | BuildFailure) -> Iterator[RunNote]:
    for text in answer.incident_notes:
        yield RunNote(kind=NoteKind.INCIDENT, text=text)


def _dated_task(task: Task, tree: Path, environment: TaskEnvironment) -> DatedProject:
    """The tree at the environment's instant, with the task's interpreter, whatever the metadata ask for."""
    known = inputs_digest(tree, task.scripts.setup) if task.scripts is not None else None
    return DatedProject(
        name=safe_name(task.source.name.rpartition("/")[2]),
        tree=tree,
        digest=known or tree_digest(tree),
        instant=environment.instant,
        python_constraint=PythonConstraint(specifier=_minor_range(environment), kind="pin", rule=_NAMED),
        version_hint=task.source.version,
    )


def _recipe(task: Task) -> Recipe:
    if task.recipe is None:
        raise UsageError(f"{task.instance_id} has neither a recipe nor scripts: nobody knows how to test it")
    return task.recipe


def _minor_range(environment: TaskEnvironment) -> str:
    return f"=={minor_version(environment.python)}.*"
