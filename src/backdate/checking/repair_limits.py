"""The new side of a check whose old side only a repair set up, and what that repair holds back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backdate.checking.recipe_run import RecipeRun
from backdate.progress import Activity
from backdate.recipes.loosening import limits_of_repairs
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
    limits = limits_of_repairs(first, old.recipe)
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
