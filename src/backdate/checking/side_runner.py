"""Running recipes on one side of a check, as the side's question asks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Semaphore
from typing import TYPE_CHECKING, Literal

from packaging.utils import canonicalize_name

from backdate.checking.compare import count_outcomes, is_proven, says_little
from backdate.checking.dated_project import DatedProject
from backdate.checking.error_identity import MISSING_MODULE
from backdate.checking.kept_interpreter import kept_interpreter, not_older
from backdate.checking.question import Question
from backdate.checking.recipe_run import RecipeRun, run_recipe, with_own_frames
from backdate.checking.resources import Resources
from backdate.checking.result import Obstacle, Side
from backdate.checking.settings import ACCEPT, SetupOptions
from backdate.checking.starting_recipes import StartingRecipe
from backdate.environments.environment import InterpreterChoice, Lock
from backdate.progress import Reporter, StageReporter
from backdate.recipes.recipe import Recipe
from backdate.testing.outcomes import Outcome, SuiteRun
from backdate.text import counted

if TYPE_CHECKING:
    from backdate.checking.attempts import Attempt
    from backdate.checking.loop_backend import ProjectBackend

_LIMITED = ("timeout", "oom", "disk-limit")
"""How a run ends that another recipe would take to the same limit."""
_AT_A_TIME = 2
"""Sides that are built at a time, and whose tests run: each does so with more than one process as it is."""
_SEVERAL = 6
"""Recipes that are tried where there is something to compare anyway."""

SideName = Literal["old", "new", "declared", "lifted"]
"""A new side is named by its question where there are two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideRunner:
    """Runs recipes on one side of a check."""

    name: SideName
    dated: DatedProject
    resources: Resources
    folder: Path
    """For the logs of this side."""
    progress: Reporter
    question: Question = Question.LIFTED
    """What a new side is."""
    moves_python: bool = False
    """Whether a new side takes the interpreter that its instant asks for, where that is no older one than the
    old side's."""
    beside: InterpreterChoice | None = None
    """The old side's interpreter, which a new side keeps while it is supported."""
    users: Lock | None = None
    """What those get who install the project alone, where the side is of the declared question."""
    building: Semaphore = field(default_factory=partial(Semaphore, _AT_A_TIME), repr=False, compare=False)
    """Held while this side is built; the sides of a check share it."""
    testing: Semaphore = field(default_factory=partial(Semaphore, _AT_A_TIME), repr=False, compare=False)
    """Held while its tests run."""

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
            building=self.building,
            testing=self.testing,
        )
        self.report_end(recipe_run)
        return recipe_run

    def new_recipe(self, recipe: Recipe, kept: Collection[str] = ()) -> Recipe:
        """The recipe of the new side: that of the old one, as its question asks.

        ``kept``: requirements that stay pinned.
        """
        from backdate.checking.users_versions import forbids
        from backdate.recipes.loosening import declared_recipe, loosened_recipe

        if self.question is Question.LIFTED:
            return loosened_recipe(recipe, kept)
        return declared_recipe(recipe, kept, lambda text: forbids(text, self.users))

    def new_choice(self) -> InterpreterChoice:
        """The interpreter of the new side. Those that a recipe was tested with do not bind it."""
        interpreters, dated = self.resources.interpreters, self.dated
        if self.beside is not None and dated.python is None and not self.moves_python:
            return kept_interpreter(self.beside, dated, interpreters)
        asked = interpreters.choose(dated.python_constraint, dated.instant, forced=dated.python)
        if self.beside is None or dated.python is not None:
            return asked
        return not_older(asked, self.beside, dated)

    def run_new(
        self,
        recipe: Recipe,
        log_folder: Path,
        choice: InterpreterChoice | None = None,
        kept: Collection[str] = (),
    ) -> RecipeRun:
        """Run the new side's form of ``recipe``, the old one's.

        ``choice``: another interpreter than ``new_choice``. ``kept``: requirements that stay pinned.
        """
        choice = choice or self.new_choice()
        recipe_run = run_recipe(
            self.new_recipe(recipe, kept),
            self.dated,
            self.resources,
            log_folder=log_folder,
            progress=self.progress,
            subject=self.name,
            choice=choice,
            building=self.building,
            testing=self.testing,
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

    def repair_build(self, failed: RecipeRun, old: RecipeRun) -> Attempt | None:
        """The environment built with a repaired recipe; None when no repair helps.

        Failing tests are what the check is about: nothing is repaired for them, nor is the interpreter
        changed. Leaving out what does not build helps nothing where all tests then fail for want of it, which
        ``old``, the old side, has.
        """
        from backdate.checking.loop import Loop

        dated = replace(self.dated, python=failed.choice.interpreter.version)
        loop = Loop(
            self._backend(dated),
            SetupOptions(),
            dated.tree,
            enough=lambda recipe_run: (
                recipe_run.environment is not None and not wants_left_out(recipe_run, old)
            ),
        )
        best = loop.run([StartingRecipe(recipe=failed.recipe, source="the old side's recipe")], known=failed)
        if best is None or best.recipe_run.environment is None or wants_left_out(best.recipe_run, old):
            return None
        return best

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
        run, is_old = recipe_run.run, self.name == "old"
        tells = run is not None and run.status == "completed" and count_outcomes(run).passed > 0
        if tells and not (is_old and says_little(run)):
            return None
        from backdate.checking.obstacles import obstacle_of

        return obstacle_of(recipe_run, self.dated, self.resources, is_old=is_old)

    def report_end(self, recipe_run: RecipeRun) -> None:
        """Report whether the side has an environment in the end."""
        stages = StageReporter(self.progress, self.name)
        if recipe_run.failure is None:
            counts, run = count_outcomes(recipe_run.run), recipe_run.run
            good = counts.passed > 0 and counts.passed == counts.ran
            stages.enter("done", passed=None if run is None else good and run.status == "completed")
        else:
            stages.enter("failed", f"no environment ({recipe_run.failure.phase})")


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


def _nothing_lacks(recipe_run: RecipeRun) -> bool:
    return not what_is_lacking(recipe_run.run)


def wants_left_out(new: RecipeRun, old: RecipeRun) -> bool:
    """Whether all tests of ``new`` fail and one wants a module of what ``old`` has and ``new`` left out."""
    if new.run is None or count_outcomes(new.run).passed:
        return False
    left_out = _installed(old) - _installed(new)
    raised = (one.message for result in new.run.results for one in result.raised)
    missing = {
        found[1] for message in (*raised, new.run.trouble) if (found := MISSING_MODULE.search(message))
    }
    if not left_out or not missing:
        return False
    from backdate.recipes.repair.missing_modules import candidates_for  # with its rules: few runs need it

    return any(canonicalize_name(name) in left_out for module in missing for name in candidates_for(module))


def _installed(one: RecipeRun) -> set[str]:
    environment = one.environment
    return set() if environment is None else {each.name for each in environment.lock.distributions}


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
