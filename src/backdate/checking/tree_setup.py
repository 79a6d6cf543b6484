"""A tree set up by ``backdate setup``'s loop, for those who want its best attempt and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.checking.dated_project import DatedProject
from backdate.checking.loop import Loop
from backdate.checking.loop_backend import ProjectBackend
from backdate.checking.recipe_run import RecipeRun
from backdate.checking.resources import Resources
from backdate.checking.settings import SetupOptions
from backdate.checking.starting_recipes import StartingRecipe, extracted
from backdate.progress import NO_PROGRESS, ONLY, Reporter
from backdate.recipes.recipe import Recipe

StartingPoint = Recipe | StartingRecipe
"""What a set-up begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSetup:
    """The best attempt at setting a tree up, and what all of them took."""

    recipe_run: RecipeRun
    proven: bool
    """Whether most of its tests pass, as a proven recipe's do."""
    repairs: tuple[str, ...]
    tried: tuple[RecipeRun, ...]


def set_up_tree(
    dated: DatedProject,
    recipes: Sequence[StartingPoint],
    options: SetupOptions,
    resources: Resources,
    folder: Path,
    *,
    enough: Callable[[RecipeRun], bool] | None = None,
    progress: Reporter = NO_PROGRESS,
    subject: str = ONLY,
) -> TreeSetup | None:
    """``dated`` set up until most of its tests pass, or as well as it went; None with nothing to try.

    ``recipes``: what to begin with, the most trusted first. ``folder``: for the logs of all attempts.
    ``enough``: when a recipe ends the search; None for what ``backdate setup`` calls proven.
    Raises InterpreterMissing and what else the machine lacks.
    """
    if not recipes:
        return None
    backend = ProjectBackend(
        dated=dated, resources=resources, folder=folder, progress=progress, subject=subject
    )
    loop = Loop(backend, options, dated.tree, enough=enough, progress=progress, subject=subject)
    best = loop.run([each for recipe in recipes for each in _starts(recipe)])
    if best is None:
        return None
    return TreeSetup(
        recipe_run=best.recipe_run,
        proven=best.proven,
        repairs=best.repairs,
        tried=tuple(attempt.recipe_run for attempt in loop.tried),
    )


def _starts(recipe: StartingPoint) -> tuple[StartingRecipe, ...]:
    return (recipe,) if isinstance(recipe, StartingRecipe) else extracted((recipe,))
