"""The one place that says how a candidate is set up: ``backdate setup``'s loop on the old side."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from backdate.checking.loop import Loop
from backdate.checking.loop_backend import ProjectBackend, index_names
from backdate.checking.loosening import loosened_recipe
from backdate.checking.options import SetupOptions
from backdate.checking.recipe_run import DatedProject, Means, RecipeRun
from backdate.checking.settings import Settings
from backdate.checking.starting_recipes import extracted
from backdate.construction.plan import BuildPlan
from backdate.environments.cache import Cache
from backdate.recipes.extract import extract_recipes
from backdate.recipes.recipe import Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """The best attempt at setting a tree up, and what all of them took."""

    recipe_run: RecipeRun
    repairs: tuple[str, ...]
    tried: tuple[RecipeRun, ...]


def recipes_to_try(tree: Path) -> tuple[Recipe, ...]:
    """What to try, the most trusted first.

    A task has one recipe for both its sides: requirements that a recipe writes out are loosened on the old
    side too, where the instant bounds them.
    """
    return tuple(loosened_recipe(recipe) for recipe in extract_recipes(tree).candidates)


def set_up_tree(ground: DatedProject, plan: BuildPlan, means: Means, folder: Path) -> SetUp | None:
    """``ground`` set up until most of its tests pass, or as well as it went; None with nothing to try.

    Raises InterpreterMissing and what else the machine lacks.
    """
    recipes = recipes_to_try(ground.tree)
    if not recipes:
        return None
    cache = means.builder.cache
    with ExitStack() as stack:
        bench = ProjectBackend(
            ground=ground,
            means=means,
            folder=folder,
            names=index_names(settings_of(plan, cache), cache, stack),
        )
        options = SetupOptions(attempts=plan.setup_attempts, rounds=plan.setup_rounds)
        loop = Loop(bench, options, ground.tree)
        best = loop.run(tuple(extracted(recipes)))
    if best is None:
        return None
    return SetUp(
        recipe_run=best.recipe_run, repairs=best.repairs, tried=tuple(one.recipe_run for one in loop.tried)
    )


def settings_of(plan: BuildPlan, cache: Cache) -> Settings:
    """The plan in the words of checks and set-ups. What is proven on the way is not remembered: a build must
    not depend on what was built before."""
    return Settings(
        cache=cache.folder,
        sandbox=plan.sandbox,
        index_url=plan.index_url,
        test_limits=plan.test_limits,
        build_limits=plan.build_limits,
        store=False,
        apt=plan.apt,
    )
