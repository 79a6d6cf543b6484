"""The new side of a check whose old side only a repair set up, and what that repair holds back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from backdate.checking.recipe_run import RecipeRun
from backdate.progress import Activity
from backdate.recipes.loosening import limits_of_no_file, limits_of_repairs
from backdate.recipes.recipe import Recipe

if TYPE_CHECKING:
    from backdate.checking.side_runner import SideRunner


def run_as_proven(first: Recipe, old: RecipeRun, new_side: SideRunner) -> RecipeRun:
    """The new side with the recipe that the old one was proven with, ``first`` repaired.

    What a repair holds back was out already when the old side was taken: that it does not work is nothing
    that came since. So where tests that the old side passes fail without the repair's limits, the new side is
    run with them as well, and taken so where more of them pass.
    """
    new = new_side.run_new(old.recipe, new_side.folder / "proven")
    return _limited(limits_of_repairs(first, old.recipe), old, new, new_side)


def run_as_stored(
    written: Sequence[Recipe], old: RecipeRun, new: RecipeRun, new_side: SideRunner
) -> RecipeRun:
    """``new``, which ran with a recipe from the store, or the run with the limits that a repair gave it.

    What a check says must not depend on whether the repair was made by this check or by one before it.
    ``written``: the recipes that the project's files tell.
    """
    stated = {each for recipe in written for step in recipe.install for each in step.packages}
    limits = [limit for limit in limits_of_no_file(old.recipe) if limit not in stated]
    return _limited(limits, old, new, new_side)


def note_of_limits(recipe: Recipe) -> str:
    """For people: what a new side of ``recipe``, which ``run_as_stored`` gave, is held to."""
    limits = ", ".join(limits_of_no_file(recipe))
    return f"tests need {limits} on both sides, which an earlier repair found: no update since broke that"


def _limited(limits: Sequence[str], old: RecipeRun, new: RecipeRun, new_side: SideRunner) -> RecipeRun:
    """``new``, or the run with ``limits`` in its place where more of the tests pass that ``old`` passes."""
    if not limits or _passing(new, old) == _passing(old, old):
        return new
    text = f"tests fail without {', '.join(limits)}, which the old side needs as well: trying with it"
    new_side.progress.report(Activity(text=text))
    limited = new_side.run_new(old.recipe, new_side.folder / "limited", kept=limits)
    return limited if _passing(limited, old) > _passing(new, old) else new


def _passing(recipe_run: RecipeRun, old: RecipeRun) -> int:
    """How many of the tests that the old side passes pass."""
    passed = _passed(old)
    return len(passed & _passed(recipe_run))


def _passed(recipe_run: RecipeRun) -> set[str]:
    results = recipe_run.run.results if recipe_run.run is not None else ()
    return {result.id for result in results if result.outcome.good}
