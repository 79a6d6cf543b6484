"""A recipe as settings (``configuration/keys.py``), so that a project can keep the one that was proven."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from backdate.configuration.configuration import SettingOrigin, SettingSource
from backdate.configuration.keys import read_table
from backdate.recipes.configured import configured_recipes
from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.recipes.render import command_of

SettingValues = Mapping[str, "str | list[str] | dict[str, str]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRecipe:
    """The settings that a recipe comes to."""

    values: SettingValues
    left_out: tuple[str, ...]
    """What of the recipe no setting says, in a few words each."""


def settings_of(recipe: Recipe, read: Sequence[Recipe], files: Files, *, python: str | None) -> WrittenRecipe:
    """The settings with which the project's files come to ``recipe``.

    ``read``: the recipes that the files come to without settings. The test command is always written; of the
    rest what differs from the first of them. ``python``: the interpreter that the recipe was proven with,
    where it is not the one that the project asks for.
    """
    plain = read[0] if read else None
    values: dict[str, str | list[str] | dict[str, str]] = {
        "test-command": " && ".join(_command(plan, recipe) for plan in (recipe.test, *recipe.further_tests))
    }
    mine, theirs = _installed(recipe, files), _installed(plain, files) if plain is not None else {}
    values |= {key: names for key, names in mine.items() if names != theirs.get(key, [])}
    limits = [limit.requirement for limit in recipe.build_constraints]
    if limits and (plain is None or recipe.build_constraints != plain.build_constraints):
        values["build-constraints"] = limits
    variables = {each.name: each.value for each in recipe.variables if not each.builds_only}
    known = {each.name: each.value for each in plain.variables} if plain is not None else {}
    changed = {name: value for name, value in variables.items() if known.get(name) != value}
    if changed:
        values["environment"] = changed
    if python is not None:
        values["python"] = python
    return WrittenRecipe(values=values, left_out=tuple(_left_out(recipe, read, values, files)))


def _command(plan: SuitePlan, recipe: Recipe) -> str:
    """A test command, as short as people write it."""
    return command_of(plan, recipe).replace("python -m pytest", "pytest", 1)


def _installed(recipe: Recipe, files: Files) -> dict[str, list[str]]:
    """What a recipe installs, by the key that says it; only keys with a meaning for it."""
    groups = {packages: name for name, packages, _ in files.declared().groups if packages}
    found: dict[str, list[str]] = {
        key: [] for key in ("extras", "groups", "requirements", "constraints", "packages")
    }
    for step in recipe.install:
        if step.kind == "project":
            found["extras"] += step.extras if step.file == "." else ()
        elif step.kind == "packages" and step.packages in groups:
            found["groups"].append(groups[step.packages])
        elif step.kind == "packages":
            found["packages"] += step.packages
        elif step.file is not None:
            found[step.kind].append(step.file)
    return {key: sorted(set(names)) for key, names in found.items()}


def _left_out(
    recipe: Recipe, read: Sequence[Recipe], values: Mapping[str, object], files: Files
) -> list[str]:
    """What of ``recipe`` the project's files do not come to with the settings ``values``."""
    configuration, problems = read_table(
        dict(values), lambda name: SettingOrigin(source=SettingSource.PROJECT, name=name)
    )
    if problems:
        return list(problems)
    again = configured_recipes(read, configuration, files)[0]
    found = []
    if _plans(again) != _plans(recipe):
        found.append("the test command is not read as it was proven")
    if _installed(again, files) != _installed(recipe, files) or _projects(again) != _projects(recipe):
        found.append("what is installed is not read as it was proven")
    if recipe.build_requirements:
        found.append("requirements of builds that their distributions do not declare")
    if recipe.extra_cutoff_overrides:
        found.append("distributions with a later cutoff")
    return found


def _plans(recipe: Recipe) -> list[SuitePlan]:
    """What the test commands run, without who said so: a setting is asked for, what files say is not."""
    return [
        replace(
            plan,
            provenance=Provenance(rule=""),
            environment=tuple(sorted(plan.environment)),
            asked=False,
            asked_arguments=(),
        )
        for plan in (recipe.test, *recipe.further_tests)
    ]


def _projects(recipe: Recipe) -> set[str]:
    return {step.file or "" for step in recipe.install if step.kind == "project"}
