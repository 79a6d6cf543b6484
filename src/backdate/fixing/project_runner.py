"""A checked project as a task: its two trees, its two environments, its tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from backdate.checking.compare import blocks
from backdate.checking.recipe_run import build
from backdate.checking.resources import Resources
from backdate.checking.result import CheckResult
from backdate.checking.sides import SidePair
from backdate.diagnosis.frames import files_of_tests
from backdate.diagnosis.result import Cluster
from backdate.environments.environment import BuildFailure
from backdate.fixing.further_requirements import FurtherRequirement, declarations, further_requirements
from backdate.progress import NO_PROGRESS, Reporter
from backdate.projects.tree import copy_tree, tree_digest
from backdate.recipes.recipe import InstallStep, Provenance
from backdate.sandboxes.interface import Sandbox
from backdate.tasks.local_runner import LocalRunner
from backdate.tasks.task import (
    EnvironmentName,
    MigrationFacts,
    RecipeSetup,
    Role,
    StageName,
    Task,
    TaskEnvironment,
    TaskSource,
    TaskTest,
)
from backdate.tasks.throwaway_trees import AskedSide, ThrowawayTrees
from backdate.tasks.trees import sources_of
from backdate.testing.outcomes import SuiteRun


def task_of_check(checked: CheckResult, pair: SidePair) -> Task:
    """The task to make the tests pass again that ``checked`` saw break. Both sides have run."""
    old, new = pair.old, pair.new
    assert old.run is not None
    assert new.run is not None
    return Task(
        instance_id=checked.project,
        source=TaskSource(
            kind="git",
            name=checked.project,
            url="",
            revision=checked.origin.revision or tree_digest(pair.old_project.tree),
        ),
        facts=MigrationFacts(
            old=TaskEnvironment(
                instant=old.instant,
                python=old.choice.interpreter.version,
                distributions=old.environment.lock.distributions if old.environment else (),
            )
        ),
        environment=TaskEnvironment(
            instant=new.instant,
            python=new.choice.interpreter.version,
            distributions=new.environment.lock.distributions if new.environment else (),
        ),
        setup=RecipeSetup(recipe=new.recipe),
        test_files=tuple(sorted(files_of_tests(old.run) | files_of_tests(new.run))),
        tests=roles_of_tests(
            old.run, new.run, frozenset(checked.comparison.broke if checked.comparison else ())
        ),
    )


def roles_of_tests(old: SuiteRun, new: SuiteRun, broke: frozenset[str]) -> tuple[TaskTest, ...]:
    """The tests that count: those that broke, and those that are good on both sides."""
    after = {result.id: result.outcome for result in new.results}
    tests: list[TaskTest] = []
    for result in old.results:
        now = after.get(result.id)
        role: Role
        if result.id in broke:
            role, why = "fail-to-pass", ""
        elif result.outcome.good and now is not None and now.good:
            role, why = "pass-to-pass", ""
        else:
            role, why = "excluded", f"{result.outcome.value} before"
        tests.append(TaskTest(id=result.id, role=role, why=why, origin=result.outcome, start=now))
    seen = {test.id for test in tests}
    tests += [
        TaskTest(id=name, role="excluded", why="not there before", start=outcome)
        for name, outcome in after.items()
        if name not in seen and not any(blocks(name, each) for each in broke)
    ]
    return tuple(tests)


def pair_with_further(
    checked: CheckResult,
    pair: SidePair,
    resources: Resources,
    clusters: Sequence[Cluster],
    own: frozenset[str],
    known: Sequence[FurtherRequirement] = (),
    *,
    may_edit: Callable[[str], bool] = lambda _: True,
) -> tuple[SidePair, tuple[FurtherRequirement, ...]]:
    """The sides, of which the new one also has what it lacks; as they are where that cannot be installed.

    ``clusters``: what fails there. ``own``: top-level names of the project's modules. ``known``: what it was
    given before. ``may_edit`` as of ``further_requirements``.
    """
    named = {one.requirement for one in known}
    found = further_requirements(
        clusters,
        pair.new_project.tree,
        checked.changes,
        (pair.old.choice.interpreter.version, pair.new.choice.interpreter.version),
        declarations(pair.new_project.tree),
        own,
        may_edit=may_edit,
    )
    further = tuple(one for one in found if one.requirement not in named)
    if not further:
        return pair, ()
    step = InstallStep(
        kind="packages",
        packages=tuple(one.requirement for one in further),
        provenance=Provenance(rule="what the code, or the code in its place, imports"),
    )
    recipe = replace(pair.new.recipe, install=(*pair.new.recipe.install, step))
    built = build(recipe, pair.new_project, resources, pair.new_request.choice)
    if isinstance(built, BuildFailure):
        return pair, ()
    return replace(pair, new=replace(pair.new, recipe=recipe)), further


class ProjectRunner(LocalRunner):
    """Runs the tests of a checked project as those of a task."""

    def __init__(
        self,
        pair: SidePair,
        resources: Resources,
        *,
        throwaway: ThrowawayTrees | None = None,
        progress: Reporter = NO_PROGRESS,
    ) -> None:
        super().__init__(
            resources.settings,
            sources_of(resources.settings),
            resources=resources,
            throwaway=throwaway,
            progress=progress,
        )
        self._pair = pair

    def again(
        self,
        *,
        sandbox: Sandbox | None = None,
        resources: Resources | None = None,
        throwaway: ThrowawayTrees | None = None,
    ) -> ProjectRunner:
        """See ``LocalRunner``."""
        if sandbox is not None:
            resources = Resources(self.settings, sandbox=sandbox)
        return ProjectRunner(
            self._pair, resources or self.resources, throwaway=throwaway, progress=self.progress
        )

    def make_tree(self, task: Task, target: Path, stage: StageName | None = None) -> None:  # noqa: ARG002
        """A copy of the side's tree; see ``TaskRunner``. The new side's is the unpinned one."""
        side = self._pair.old_project if stage == "origin" else self._pair.new_project
        copy_tree(side.tree, target)

    def request(self, task: Task, tree: Path, environment: EnvironmentName) -> AskedSide:  # noqa: ARG002
        """What the check asked for, of another tree."""
        pair = self._pair
        old = environment == "origin"
        side, dated = (pair.old, pair.old_project) if old else (pair.new, pair.new_project)
        digest = tree_digest(tree)
        request = replace(pair.old_request if old else pair.new_request, tree=tree, digest=digest)
        return AskedSide(
            recipe=side.recipe, dated=replace(dated, tree=tree, digest=digest), request=request, notes=()
        )
