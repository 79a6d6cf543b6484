"""A recipe for the new side of a check: what it writes out is loosened like the project's files.

A CI file or a tox.ini writes requirements out (``pip install django==1.11``); on the new side their pins and
upper bounds go by the same rule as those of requirement files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from backdate.projects.unpinning.requirement import Loosened, loosen_requirement
from backdate.recipes.recipe import InstallStep, Recipe


def loosened_recipe(recipe: Recipe) -> Recipe:
    """``recipe`` with the requirements of its ``packages`` steps without pins and upper bounds."""
    return replace(recipe, install=tuple(_loosened(step) for step in recipe.install))


def requirement_files_of(recipes: Iterable[Recipe]) -> tuple[str, ...]:
    """The files in pip's format that the recipes name, each once."""
    named = (
        step.file
        for recipe in recipes
        for step in recipe.install
        if step.kind in ("requirements", "constraints") and step.file
    )
    return tuple(dict.fromkeys(named))


def _loosened(step: InstallStep) -> InstallStep:
    if step.kind != "packages":
        return step
    return replace(step, packages=tuple(_loose(requirement) for requirement in step.packages))


def _loose(requirement: str) -> str:
    loosened = loosen_requirement(requirement)
    if not isinstance(loosened, Loosened):
        return requirement
    return requirement[: loosened.start] + loosened.replacement + requirement[loosened.end :]
