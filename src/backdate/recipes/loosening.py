"""A recipe for the new side of a check: what it writes out is loosened like the project's files.

A CI file or a tox.ini writes requirements out (``pip install django==1.11``); on the new side their pins and
upper bounds go by the same rule as those of requirement files.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from backdate.projects.unpinning.requirement import Loosened, loosen_requirement
from backdate.recipes.recipe import InstallStep, Recipe


def loosened_recipe(recipe: Recipe, kept: Collection[str] = ()) -> Recipe:
    """``recipe`` with the requirements of its ``packages`` steps without pins and upper bounds.

    ``kept``: requirements that stay as they are.
    """
    return replace(recipe, install=tuple(_loosened(step, kept) for step in recipe.install))


def declared_recipe(
    recipe: Recipe, kept: Collection[str] = (), forbidden: Callable[[str], bool] = lambda _: False
) -> Recipe:
    """``recipe`` with what files of the project write out as it stands there.

    What no file says, such as the limits of repairs, is loosened, but for the requirements in ``kept``; so is
    a requirement that is ``forbidden``.
    """
    steps = []
    for step in recipe.install:
        stated = step.provenance.file is not None
        own = {each for each in step.packages if stated and not forbidden(each)}
        steps.append(_loosened(step, {*kept, *own}))
    return replace(recipe, install=tuple(steps))


def limits_of_repairs(first: Recipe, repaired: Recipe) -> tuple[str, ...]:
    """What only ``repaired``, made from ``first``, pins or bounds from above."""
    written = {requirement for step in first.install for requirement in step.packages}
    added = (requirement for step in repaired.install for requirement in step.packages)
    return tuple(
        dict.fromkeys(
            requirement
            for requirement in added
            if requirement not in written and _loose(requirement) != requirement
        )
    )


def limits_of_no_file(recipe: Recipe) -> tuple[str, ...]:
    """The pins and upper bounds that ``recipe`` writes out, and that no file of the project states."""
    added = tuple(step for step in recipe.install if step.provenance.file is None)
    return limits_of_repairs(replace(recipe, install=()), replace(recipe, install=added))


def requirement_files_of(recipes: Iterable[Recipe]) -> tuple[str, ...]:
    """The files in pip's format that the recipes name, each once."""
    named = (
        step.file
        for recipe in recipes
        for step in recipe.install
        if step.kind in ("requirements", "constraints") and step.file
    )
    return tuple(dict.fromkeys(named))


def _loosened(step: InstallStep, kept: Collection[str]) -> InstallStep:
    if step.kind != "packages":
        return step
    packages = (each if each in kept else _loose(each) for each in step.packages)
    return replace(step, packages=tuple(packages))


def _loose(requirement: str) -> str:
    loosened = loosen_requirement(requirement)
    if not isinstance(loosened, Loosened):
        return requirement
    return requirement[: loosened.start] + loosened.replacement + requirement[loosened.end :]
