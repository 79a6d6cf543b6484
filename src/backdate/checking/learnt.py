"""What repairs of one recipe show of the project itself, so that its other recipes begin with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from backdate.recipes.recipe import Recipe, SuitePlan

_T = TypeVar("_T")


def with_learnt(recipe: Recipe, before: Recipe, after: Recipe) -> Recipe:
    """``recipe`` with what a repair added to ``before`` that is not of one recipe alone.

    Variables, limits and requirements of builds, and later cutoffs: they tell what the project, or the
    index, is like. What is installed and which tests run is each recipe's own, and so is what it sets itself.
    """
    own = {variable.name for variable in recipe.variables}
    variables = tuple(one for one in _new(before.variables, after.variables) if one.name not in own)
    moved = {override.name for override in recipe.extra_cutoff_overrides}
    overrides = _new(before.extra_cutoff_overrides, after.extra_cutoff_overrides)

    def told(plan: SuitePlan) -> SuitePlan:
        values = {variable.name: variable.value for variable in variables if not variable.builds_only}
        return replace(plan, environment=tuple({**values, **dict(plan.environment)}.items()))

    return replace(
        recipe,
        test=told(recipe.test),
        further_tests=tuple(map(told, recipe.further_tests)),
        variables=(*recipe.variables, *variables),
        build_constraints=_joined(
            recipe.build_constraints, _new(before.build_constraints, after.build_constraints)
        ),
        build_requirements=_joined(
            recipe.build_requirements, _new(before.build_requirements, after.build_requirements)
        ),
        extra_cutoff_overrides=(
            *recipe.extra_cutoff_overrides,
            *(override for override in overrides if override.name not in moved),
        ),
    )


def _new(before: tuple[_T, ...], after: tuple[_T, ...]) -> tuple[_T, ...]:
    return tuple(one for one in after if one not in before)


def _joined(own: tuple[_T, ...], new: tuple[_T, ...]) -> tuple[_T, ...]:
    return (*own, *(one for one in new if one not in own))
