"""The two sides of a check as a pair: one recipe run at both instants, proven on the old one where needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from backdate.checking.compare import compare_runs, count_outcomes, is_proven
from backdate.checking.dated_project import DatedProject, dated_project
from backdate.checking.recipe_run import RecipeRun, notes_of, request_for, run_recipe, with_own_frames
from backdate.checking.repeated import NOT_REPEATED, RepeatedTests
from backdate.checking.resources import Resources
from backdate.checking.result import BrokenPlugin, CheckResult, Comparison, Obstacle, OlderPython, Side
from backdate.checking.settings import ACCEPT, SetupOptions
from backdate.checking.starting_recipes import StartingRecipe, StartingRecipes, keep_proven
from backdate.environments.environment import InterpreterChoice
from backdate.environments.inputs import EnvironmentRequest
from backdate.progress import Activity, Reporter, StageReporter
from backdate.projects.project import Origin, Project
from backdate.recipes.recipe import Recipe
from backdate.sandboxes.threads import both
from backdate.testing.outcomes import Outcome, SuiteRun
from backdate.text import counted

if TYPE_CHECKING:
    from backdate.checking.attempts import Attempt
    from backdate.checking.loop_backend import ProjectBackend

_LIMITED = ("timeout", "oom", "disk-limit")
"""How a run ends that another recipe would take to the same limit."""
_SEVERAL = 6
"""Recipes that are tried where there is something to compare anyway."""


@dataclass(frozen=True, kw_only=True)
class SidePair:
    """Both sides of a project. The trees have to stay where they are for as long as the pair is used."""

    origin: Origin
    old_project: DatedProject
    new_project: DatedProject
    """The unpinned copy; its ``python_constraint`` has no upper bound."""
    old: Side
    """Its environment, where it has one, has to exist: nothing is built for it again."""
    new: Side
    notes: tuple[str, ...] = ()
    """Where the recipe comes from, when that is not the project's own files, and what else is to be known."""

    older_python: OlderPython | None = None
    """The new side with the old one's interpreter, where that was tried."""
    broken_plugin: BrokenPlugin | None = None
    """The new side without a plugin of pytest that hid what its tests say."""
    repeated: RepeatedTests = NOT_REPEATED
    """What came of running tests again."""

    @cached_property
    def comparison(self) -> Comparison | None:
        """The tests of the two sides; None unless both ran."""
        if self.old.run is None or self.new.run is None:
            return None
        return compare_runs(self.old.run, self.new.run, self.repeated)

    @property
    def old_request(self) -> EnvironmentRequest:
        """What the old side's environment was asked for with."""
        return _request(self.old, self.old_project)

    @property
    def new_request(self) -> EnvironmentRequest:
        """What the new side's environment was asked for with."""
        return _request(self.new, self.new_project)


def pair_of_check(checked: CheckResult, trees: Path) -> SidePair:
    """The sides of a check that kept its trees in ``trees``."""

    def dated(name: str, side: Side) -> DatedProject:
        root = trees / name / "tree"
        return dated_project(Project(name=checked.project, root=root, origin=checked.origin), side.instant)

    return SidePair(
        origin=checked.origin,
        old=checked.old,
        new=checked.new,
        old_project=dated("old", checked.old),
        new_project=dated("new", checked.new),
        notes=checked.notes,
        repeated=checked.repeated,
    )


def side_of(
    dated: DatedProject,
    recipe_run: RecipeRun,
    repairs: tuple[str, ...] = (),
    obstacle: Obstacle | None = None,
) -> Side:
    """The side that ``recipe_run`` on ``dated`` is. ``repairs``: what was changed in the first recipe."""
    return Side(
        instant=dated.instant,
        choice=recipe_run.choice,
        recipe=recipe_run.recipe,
        compromise="; ".join(repairs),
        environment=recipe_run.environment,
        failure=recipe_run.failure,
        run=None if recipe_run.run is None else with_own_frames(recipe_run.run, dated.tree),
        obstacle=obstacle,
    )


def _request(side: Side, dated: DatedProject) -> EnvironmentRequest:
    base = side.environment.base if side.environment is not None else None
    return replace(request_for(side.recipe, dated, side.choice), base=base)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideRunner:
    """Runs recipes on one side of a check."""

    name: Literal["old", "new"]
    dated: DatedProject
    resources: Resources
    folder: Path
    """For the logs of this side."""
    progress: Reporter

    def run_starting(self, start: StartingRecipe) -> RecipeRun:
        """Run a recipe as it is, with the interpreter that it was tested with."""
        recipe_run = run_recipe(
            start.recipe,
            self.dated,
            self.resources,
            log_folder=self.folder,
            progress=self.progress,
            subject=self.name,
            python=start.python,
        )
        self.report_end(recipe_run)
        return recipe_run

    def run_loosened(
        self,
        recipe: Recipe,
        log_folder: Path,
        choice: InterpreterChoice | None = None,
        kept: Collection[str] = (),
    ) -> RecipeRun:
        """Run ``recipe`` without its pins. The interpreters that it was tested with do not bind it either.

        ``choice``: another interpreter than the instant asks for. ``kept``: requirements that stay pinned.
        """
        from backdate.recipes.loosening import loosened_recipe

        choice = choice or self.resources.interpreters.choose(
            self.dated.python_constraint, self.dated.instant, forced=self.dated.python
        )
        recipe_run = run_recipe(
            loosened_recipe(recipe, kept),
            self.dated,
            self.resources,
            log_folder=log_folder,
            progress=self.progress,
            subject=self.name,
            choice=choice,
        )
        self.report_end(recipe_run)
        return recipe_run

    def set_up(self, starts: Sequence[StartingRecipe], first: RecipeRun) -> Attempt | None:
        """The best attempt at a recipe whose tests pass, as ``backdate setup`` seeks it.

        ``first``: the run of the first of ``starts``.
        """
        from backdate.checking.loop import Loop  # with all rules of repair, which few checks need

        options = SetupOptions()
        if count_outcomes(first.run).passed:
            options = replace(options, attempts=_SEVERAL)
        # by the share of tests alone a run that lost whole files may be proven
        enough = _nothing_lacks if is_proven(first.run) else None
        loop = Loop(
            self._backend(self.dated),
            options,
            self.dated.tree,
            enough=enough,
            progress=self.progress,
            subject=self.name,
        )
        return loop.run(starts, known=first)

    def repair_build(self, failed: RecipeRun) -> Attempt | None:
        """The environment built with a repaired recipe; None when no repair helps.

        Failing tests are what the check is about: nothing is repaired for them, nor is the interpreter
        changed.
        """
        from backdate.checking.loop import Loop

        dated = replace(self.dated, python=failed.choice.interpreter.version)
        loop = Loop(
            self._backend(dated),
            SetupOptions(),
            dated.tree,
            enough=lambda recipe_run: recipe_run.environment is not None,
        )
        best = loop.run([StartingRecipe(recipe=failed.recipe, source="the old side's recipe")], known=failed)
        return best if best is not None and best.recipe_run.environment is not None else None

    def _backend(self, dated: DatedProject) -> ProjectBackend:
        from backdate.checking.loop_backend import ProjectBackend

        return ProjectBackend(
            dated=dated,
            resources=self.resources,
            folder=self.folder,
            progress=self.progress,
            subject=self.name,
        )

    def finished(
        self, recipe_run: RecipeRun, repairs: tuple[str, ...] = (), obstacle: Obstacle | None = None
    ) -> Side:
        """The side that ``recipe_run`` is, with what stood in its way. ``obstacle``: that, where known."""
        return side_of(self.dated, recipe_run, repairs, obstacle or self.obstacle(recipe_run))

    def obstacle(self, recipe_run: RecipeRun) -> Obstacle | None:
        """What stood in the way of ``recipe_run``, if anything."""
        run = recipe_run.run
        if run is not None and run.status == "completed" and count_outcomes(run).passed:
            return None
        from backdate.checking.obstacles import obstacle_of

        return obstacle_of(recipe_run, self.dated, self.resources)

    def report_end(self, recipe_run: RecipeRun) -> None:
        """Report whether the side has an environment in the end."""
        stages = StageReporter(self.progress, self.name)
        if recipe_run.failure is None:
            stages.enter("done")
        else:
            stages.enter("failed", f"no environment ({recipe_run.failure.phase})")


def run_both_sides(
    project: Project,
    old_side: SideRunner,
    begin_new: Callable[[], SideRunner],
    starting: StartingRecipes,
    on_new_failures: Callable[[], object] = lambda: None,
) -> SidePair:
    """Both sides with one recipe: the first of ``starting``, unless that tests little on the old side.

    Then the old side is set up as ``backdate setup`` does it, and both sides use the recipe that was found. A
    new side that does not build with that recipe is repaired as far as building goes. ``begin_new``: the new
    side, for which the old one does not wait. ``on_new_failures``: see ``check_project``.
    """
    first = starting.starts[0]

    def run_new() -> tuple[SideRunner, RecipeRun, Obstacle | None]:
        side = begin_new()
        run = side.run_loosened(first.recipe, side.folder)
        obstacle = side.obstacle(run)  # while the old side, which nothing stops, is still tested
        if obstacle is not None or count_outcomes(run.run).failed:
            on_new_failures()
        return side, run, obstacle

    old, (new_side, unrepaired, obstacle) = both(lambda: old_side.run_starting(first), run_new)
    best, new = first, unrepaired
    repairs: tuple[str, ...] = ()
    lack = what_is_lacking(old.run)
    if lack:
        text = f"{lack} with the first recipe: trying others and repairs"
        old_side.progress.report(Activity(text=text))
        attempt = old_side.set_up(starting.starts, old)
        if attempt is not None and attempt.recipe_run is not old:
            old, repairs = attempt.recipe_run, attempt.repairs
            best = starting.starts[attempt.record.candidate - 1]
            if old.environment is not None:
                from backdate.checking.repair_limits import run_as_proven

                new = run_as_proven(best.recipe, old, new_side)
    resources = old_side.resources
    if resources.settings.store and is_proven(old.run):
        keep_proven(project, old, old_side.dated.instant, resources.cache)
    new_repairs = repairs
    if new.failure is not None and old.run is not None:
        repaired = new_side.repair_build(new)
        if repaired is not None:
            new, new_repairs = repaired.recipe_run, (*repairs, *repaired.repairs)
    notes = list(starting.notes)
    if best.origin == "store":
        notes.append(f"the recipe is from the {best.source}")
    if best is not first:
        notes.append(f"{lack} with the first recipe ({first.source}); this one is from {best.source}")
    old_side.report_end(old)
    new_side.report_end(new)
    finished_old = old_side.finished(old, repairs)
    finished_new = new_side.finished(new, new_repairs, obstacle if new is unrepaired else None)
    return SidePair(
        origin=project.origin,
        old_project=old_side.dated,
        new_project=new_side.dated,
        old=finished_old,
        new=finished_new,
        notes=tuple(notes),
        older_python=_with_older_python(finished_old, finished_new, new_side),
        broken_plugin=_without_broken_plugin(finished_old, finished_new, new_side),
    )


def _without_broken_plugin(old: Side, new: Side, new_side: SideRunner) -> BrokenPlugin | None:
    """The new side without the plugin of pytest that hides its tests; None where none does, or in vain."""
    if new.obstacle is None or new.run is None or new.environment is None or old.run is None:
        return None
    if new.recipe.test.runner != "pytest" or not count_outcomes(old.run).passed:
        return None
    from backdate.checking.broken_plugin import plugin_at_fault, without_plugin

    fault = plugin_at_fault(new.run, new.environment)
    if fault is None:
        return None
    name = fault.plugin.name
    text = f"the plugin {name} of pytest does not work on the new side: trying without it"
    new_side.progress.report(Activity(text=text))
    for options in (True, False):  # what it adds to the command line may be among the project's own options
        recipe = without_plugin(new.recipe, name, options=options)
        folder = new_side.folder / ("without-plugin" if options else "without-plugin-and-options")
        side = new_side.finished(new_side.run_loosened(recipe, folder, new.choice))
        if side.run is not None and count_outcomes(side.run).passed:
            return BrokenPlugin(
                name=name,
                distribution=fault.plugin.distribution,
                line=fault.line,
                side=side,
                comparison=compare_runs(old.run, side.run),
            )
    return None


def _with_older_python(old: Side, new: Side, new_side: SideRunner) -> OlderPython | None:
    """The new side with the old one's interpreter; None where the project builds or they do not differ."""
    if new.obstacle is None or not new.obstacle.own_build or old.run is None:
        return None
    if new.choice.interpreter.version == old.choice.interpreter.version or new_side.dated.python is not None:
        return None
    version = old.choice.interpreter.version
    text = f"the project itself does not build on the new side: trying Python {version} there"
    new_side.progress.report(Activity(text=text))
    recipe_run = new_side.run_loosened(old.recipe, new_side.folder / "older-python", old.choice)
    side = new_side.finished(recipe_run)
    return OlderPython(side=side, comparison=None if side.run is None else compare_runs(old.run, side.run))


def _nothing_lacks(recipe_run: RecipeRun) -> bool:
    return not what_is_lacking(recipe_run.run)


def what_is_lacking(run: SuiteRun | None) -> str:
    """Why other recipes and repairs are tried on an old side; empty where it shows what an update breaks.

    It does when at least 95 % of what was collected passes, and at least 95 % of the files are collected.
    Of what fails, and of files that cannot be collected, nothing can be told: it may be that something is not
    installed.
    """
    counts = count_outcomes(run)
    if run is None or not counts.passed:
        return "no test passes"
    lost = counts.not_collected
    collected = (result for result in run.results if result.outcome is not Outcome.NOT_COLLECTED)
    files = {result.file or result.id.rpartition(".")[0] for result in collected}
    whole = len(files) >= ACCEPT * (len(files) + lost)
    if (counts.share >= ACCEPT and whole) or run.status in _LIMITED:
        return ""
    also = f" and {counted(lost, 'file')} cannot be collected" if lost else ""
    return f"only {counts.passed} of {counts.passed + counts.failed} tests pass{also}"


def collect_notes(old: Side, new: Side) -> tuple[str, ...]:
    """Repairs, substitutes, cutoff overrides, weaker protections and suspicions, each in a sentence."""
    notes: list[str] = []
    for name, side in (("old", old), ("new", new)):
        if side.compromise:
            notes.append(f"{name} side: {side.compromise}")
        notes += [
            f"{name} side: {note}" for note in notes_of(side.recipe, side.choice, side.environment, side.run)
        ]
    return tuple(notes)
