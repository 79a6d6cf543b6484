"""The one place that says how a candidate is set up: ``backdate setup``'s loop on the old side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from backdate.checking.dated_project import DatedProject
from backdate.checking.loop import Loop
from backdate.checking.loop_backend import ProjectBackend
from backdate.checking.recipe_run import RecipeRun
from backdate.checking.resources import Resources
from backdate.checking.settings import SetupOptions
from backdate.checking.starting_recipes import extracted
from backdate.construction.plan import BuildPlan
from backdate.recipes.extract import extract_recipes
from backdate.recipes.loosening import loosened_recipe
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


def set_up_tree(dated: DatedProject, plan: BuildPlan, resources: Resources, folder: Path) -> SetUp | None:
    """``dated`` set up until most of its tests pass, or as well as it went; None with nothing to try.

    Raises InterpreterMissing and what else the machine lacks.
    """
    recipes = recipes_to_try(dated.tree)
    if not recipes:
        return None
    backend = ProjectBackend(dated=dated, resources=resources, folder=folder)
    options = SetupOptions(attempts=plan.setup_attempts, rounds=plan.setup_rounds)
    loop = Loop(backend, options, dated.tree)
    best = loop.run(tuple(extracted(recipes)))
    if best is None:
        return None
    return SetUp(
        recipe_run=best.recipe_run,
        repairs=best.repairs,
        tried=tuple(attempt.recipe_run for attempt in loop.tried),
    )
