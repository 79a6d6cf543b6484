"""The base of a change set up as of its instant: by recipes of newer changes, then by what its files say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from backdate.checking.compare import count_outcomes, is_proven
from backdate.checking.dated_project import DatedProject
from backdate.checking.recipe_run import RecipeRun
from backdate.checking.result import Side
from backdate.checking.settings import ACCEPT
from backdate.checking.setup_class import assess
from backdate.checking.starting_recipes import StartingRecipe, usable
from backdate.checking.tree_setup import StartingPoint
from backdate.construction.candidate import Exclusion
from backdate.construction.issue.reasons import IssueReason, exclusion
from backdate.construction.job_context import JobContext, asked_of
from backdate.construction.reasons import not_built, why_of
from backdate.construction.setup_step import SetUp, set_up_kept
from backdate.recipes.defined_tests import DefinedTests, defined_tests
from backdate.recipes.extract import extract_recipes
from backdate.serial import digest
from backdate.testing.outcomes import SuiteRun


def set_up_base(
    context: JobContext, dated: DatedProject, seeds: tuple[StartingRecipe, ...]
) -> SetUp | Exclusion:
    """The base with an environment in which at least 95 % of its tests pass, or why there is none.

    The criterion is the paper's (SetupAgent, section 3): of the tests that ran. Of a repository of many parts
    it may be those of some, where ``backdate setup`` calls the result weak. Raises InterpreterMissing.
    """
    fitting = tuple(seed for seed in seeds if usable(seed, dated.tree))
    done = set_up_kept(
        context,
        dated,
        base_key(context, dated, fitting),
        lambda: _recipes_to_try(dated, fitting),
        enough=_enough if fitting else None,
    )
    if done is None:
        return exclusion(IssueReason.NO_RECIPE)
    if not done.proven and not is_proven(done.side.run):
        return _why_not(done.side)
    here = context.with_environment_here(dated, done.side)
    return exclusion(IssueReason.BASE_NOT_REPEATED) if here is None else replace(done, side=here)


def _enough(recipe_run: RecipeRun) -> bool:
    """Whether a recipe ends the search where a newer change has searched: for it few tests were enough."""
    return assess(recipe_run.run, ACCEPT, lambda: DefinedTests(names={})).setup_class.proven


def runs_few_tests(done: SetUp, tree: Path) -> bool:
    """Whether less than half of the tests that the files of ``tree`` define ran."""
    return assess(done.side.run, ACCEPT, lambda: defined_tests(tree)).weak


def base_key(context: JobContext, dated: DatedProject, seeds: tuple[StartingRecipe, ...]) -> str:
    """Equal for bases that are set up alike."""
    plan = context.plan
    return digest("base", *asked_of(plan, dated), plan.setup_attempts, plan.setup_rounds, seeds)


def _recipes_to_try(dated: DatedProject, seeds: tuple[StartingRecipe, ...]) -> tuple[StartingPoint, ...]:
    """What the files say is there for bases that are older than a seed serves."""
    return (*seeds, *extract_recipes(dated.tree).candidates)


def seed_of(done: SetUp) -> StartingRecipe:
    """What other changes of the repository may be set up by."""
    return StartingRecipe(
        recipe=done.side.recipe, source="a newer change", origin="store", python=done.python
    )


def _why_not(side: Side) -> Exclusion:
    """Why a base that was tried is not set up."""
    if side.failure is not None:
        return not_built("environment", side.failure.phase, side.failure.message[-4000:])
    assert side.run is not None
    run = side.run
    if run.status == "timeout":
        return exclusion(IssueReason.BASE_TIMED_OUT)
    if run.status == "no-tests" or not run.results:
        return exclusion(IssueReason.NOTHING_COLLECTED, why_of(run))
    if run.status != "completed":
        return exclusion(IssueReason.BASE_RUN_INCOMPLETE, f"{run.status}: {why_of(run)}")
    return exclusion(IssueReason.BASE_FAILS, f"{_share(run)}\n{why_of(run)}")


def _share(run: SuiteRun) -> str:
    counts = count_outcomes(run)
    return f"{counts.passed} of {counts.ran} tests pass"
