"""The lowest interpreter that a project allows, and what its tests say there with the newest versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.checking.compare import count_outcomes
from backdate.checking.dated_project import DatedProject, choose
from backdate.checking.recipe_run import RecipeRun, run_recipe
from backdate.checking.resources import Resources
from backdate.checking.settings import SetupOptions
from backdate.checking.starting_recipes import StartingRecipes
from backdate.environments.environment import BuildFailure
from backdate.lowest.bounds import minors_to_try
from backdate.lowest.declared import declaring_files
from backdate.lowest.trials import declared_resolution
from backdate.progress import Activity, Reporter
from backdate.projects.tree import copy_tree
from backdate.recipes.loosening import loosened_recipe, requirement_files_of
from backdate.recipes.recipe import Recipe
from backdate.serial import write_whole
from backdate.text import minor_version
from backdate.timeline.calendar import releases_before

_METADATA = ("pyproject.toml", "setup.cfg", "setup.py")
_ENOUGH = 0.5
"""The part of the tests that has to pass on an interpreter, so that it is one that the project works on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestRun:
    """The run with the newest versions, on the lowest interpreter on which most tests pass."""

    recipe_run: RecipeRun | None
    """None where nothing passes anywhere."""
    tried: RecipeRun | None
    """The last run, where none was good enough."""
    rejected: tuple[RecipeRun, ...] = ()
    """Runs on lower interpreters."""
    not_here: tuple[str, ...] = ()
    """Lower minors that this machine neither has nor can download."""


def loosen_test_requirements(root: Path, target: Path, recipes: Iterable[Recipe]) -> None:
    """Copy the tree at ``root`` to ``target`` with the pins of requirement files loosened.

    What a project declares stays as it is: its metadata or, without any, its requirement files. A file of
    pins for its tests would hold the distributions where the pins are, whatever is declared.
    """
    recipes = list(recipes)
    declaring = (file for recipe in recipes for file in declaring_files(root, recipe))
    from backdate.projects.unpinning import apply_unpinning, unpin_tree

    copy_tree(root, target)
    unpinning = unpin_tree(target, requirements=requirement_files_of(recipes))
    apply_unpinning(unpinning, target)
    for path in {*_METADATA, *declaring}:
        if path in unpinning.files:
            write_whole(target / path, unpinning.originals[path])


def newest_run(
    dated: DatedProject,
    starting: StartingRecipes,
    resources: Resources,
    folder: Path,
    progress: Reporter,
) -> NewestRun:
    """Run the tests with the newest versions on one minor after the other, the lowest that is allowed first.

    ``dated.python``: the only one, where the user names it. Without a declared range it is the one that the
    instant asks for. Raises InterpreterMissing and what else the machine lacks.
    """
    recipe = loosened_recipe(starting.starts[0].recipe)
    usual = choose(recipe, dated, resources.interpreters)
    minors, not_here = _minors(dated, resources, usual.interpreter.version)
    rejected: list[RecipeRun] = []
    for minor in minors:
        progress.report(Activity(text=f"the newest versions on Python {minor}"))
        recipe_run = run_recipe(
            recipe,
            replace(dated, python=minor),
            resources,
            log_folder=folder / f"newest-{minor}",
            progress=progress,
        )
        if _is_enough(recipe_run):
            return NewestRun(
                recipe_run=recipe_run, tried=recipe_run, rejected=tuple(rejected), not_here=not_here
            )
        rejected.append(recipe_run)
    from backdate.checking.tree_setup import set_up_tree

    forced = replace(dated, python=minors[-1])
    progress.report(Activity(text="trying other recipes and repairs"))
    best = set_up_tree(
        forced, starting.starts, SetupOptions(), resources, folder / "set-up", progress=progress
    )
    tried = best.recipe_run if best is not None else rejected[-1]
    works = best is not None and _is_enough(best.recipe_run)
    return NewestRun(
        recipe_run=tried if works else None,
        tried=tried,
        rejected=tuple(rejected[:-1]),
        not_here=not_here,
    )


def conflict_on(
    rejected: RecipeRun, dated: DatedProject, resources: Resources, requirements: Sequence[str]
) -> str:
    """Why what the project declares cannot be installed with the Python of ``rejected``; "" where it can."""
    resolved = declared_resolution(dated, rejected.choice, resources, requirements, lowest=False)
    if not isinstance(resolved, BuildFailure):
        return ""
    from backdate.recipes.repair.telling import telling_line

    return telling_line(resolved.message)


def _minors(dated: DatedProject, resources: Resources, usual: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The minors to try, ascending, and those before them that cannot be had."""
    if dated.python is not None:
        return (dated.python,), ()
    constraint = dated.python_constraint
    if constraint.kind not in ("requires", "classifiers"):
        return (minor_version(usual),), ()
    released = [release.minor for release in releases_before(dated.instant)]
    allowed = minors_to_try(constraint.specifier, released, usual)
    here = tuple(minor for minor in allowed if resources.interpreters.obtainable(minor))
    first = allowed.index(here[0]) if here else len(allowed)
    return here or (minor_version(usual),), allowed[:first]


def _is_enough(recipe_run: RecipeRun) -> bool:
    counts = count_outcomes(recipe_run.run)
    return bool(counts.passed) and counts.share >= _ENOUGH
