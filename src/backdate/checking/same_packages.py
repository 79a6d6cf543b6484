"""Whether two new sides would test the same: the same distributions, interpreter and commands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from backdate.checking.recipe_run import based_request
from backdate.environments.environment import BuildFailure, Lock
from backdate.environments.lock import is_local
from backdate.recipes.recipe import Recipe

if TYPE_CHECKING:
    from backdate.checking.side_runner import SideRunner


def has_same_packages(one: SideRunner, other: SideRunner, recipe: Recipe) -> bool:
    """Whether the two sides get the same distributions and the same interpreter with ``recipe``.

    Their trees may differ in what they declare. Nothing is built. False also where one does not resolve, so
    that each is run and says why.
    """
    recipes = [side.new_recipe(recipe) for side in (one, other)]
    choices = [side.new_choice() for side in (one, other)]
    if choices[0].interpreter != choices[1].interpreter or one.dated.instant != other.dated.instant:
        return False
    if one.dated.digest == other.dated.digest and recipes[0] == recipes[1]:
        return True
    locks = []
    for side, own, choice in zip((one, other), recipes, choices, strict=True):
        request = based_request(own, side.dated, side.resources, choice)
        if isinstance(request, BuildFailure):
            return False
        resolution = side.resources.builder.resolve(request)
        if isinstance(resolution, BuildFailure):
            return False
        locks.append(of_index(resolution.lock))
    return locks[0] == locks[1]


def of_index(lock: Lock) -> Lock:
    """The lock without the project's own distributions, whose versions may name its tree."""
    return replace(lock, distributions=tuple(one for one in lock.distributions if not is_local(one)))
