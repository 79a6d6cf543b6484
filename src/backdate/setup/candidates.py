"""The recipes that a set-up begins with: proven ones of other commits, then what the files tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from backdate.recipes.adviser.consultation import Consultation
from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, Recipe
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.trouble import Trouble
from backdate.serial import digest


class Adviser(Protocol):
    """Whoever may know more than the rules: asked only for what those did not settle."""

    @property
    def consultation(self) -> Consultation:
        """What was asked until now."""
        ...

    def recipes(self, root: Path) -> Sequence[Recipe]:
        """Recipes for the project at ``root``, the most trusted first; asked when no other one was proven."""
        ...

    def propose(self, trouble: Trouble, recipe: Recipe, root: Path) -> Repair | None:
        """A changed recipe where no rule has anything to say; None for nothing to say."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A recipe to begin with."""

    recipe: Recipe
    source: str
    """For people: where it comes from."""
    python: str | None = None
    """The interpreter ("3.7") that it was proven with against what the project says; None as a rule."""


def extracted(recipes: Iterable[Recipe], kind: str = "") -> tuple[Start, ...]:
    """``recipes`` as they are; ``kind`` says who gave them."""
    return tuple(
        Start(recipe=recipe, source=f"{kind}{recipe.provenance.rule if recipe.provenance else 'a recipe'}")
        for recipe in recipes
    )


def usable(start: Start, root: Path) -> bool:
    """Whether all that the recipe names is in the tree at ``root``: it may come from another one."""
    files = Files(root)
    recipe = start.recipe
    named = [step.file for step in recipe.install if step.file]
    named += [plan.cwd for plan in (recipe.test, *recipe.further_tests)]
    named += [
        f"{plan.cwd}/{target.partition('::')[0]}"
        for plan in (recipe.test, *recipe.further_tests)
        if plan.runner in ("pytest", "program")
        for target in plan.targets
        if not any(mark in target for mark in "*?[")
    ]
    return all(files.has(name) for name in named)


def deed(recipe: Recipe, python: str, *, apt: bool) -> str:
    """Equal for two recipes that would do the same with that interpreter, wherever their parts come from.

    ``apt``: whether the Debian packages that they ask for are applied.
    """
    blank = Provenance(rule="")
    parts = (
        [replace(step, provenance=blank) for step in recipe.install],
        [replace(plan, provenance=blank) for plan in (recipe.test, *recipe.further_tests)],
        sorted((one.name, one.value) for one in recipe.variables),
        sorted(one.requirement for one in recipe.build_constraints),
        sorted((one.distribution, one.requirement) for one in recipe.build_requirements),
        sorted((one.name, one.until) for one in recipe.later_cuts),
        sorted(one.packages for one in recipe.system if one.manager == "apt") if apt else (),
    )
    return digest(*parts, python)
