"""Commands that a model gave, as a recipe: parsed like those of any file, and never executed as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from backdate.errors import ConfigurationError
from backdate.recipes.actions import Action, DeclaredJob
from backdate.recipes.adviser.formats import WrongFormat
from backdate.recipes.basic import basic_recipe
from backdate.recipes.commands import is_other_command, read_commands
from backdate.recipes.compose import compose
from backdate.recipes.files import Files
from backdate.recipes.recipe import (
    DeclaredPythons,
    InstallStep,
    Provenance,
    Recipe,
    SkippedInstruction,
    SuitePlan,
)
from backdate.serial import digest


def make_recipe(
    root: Path,
    *,
    who: str,
    phase: str,
    install: Sequence[str],
    test: Sequence[str],
    pythons: Sequence[str] = (),
) -> Recipe:
    """The recipe that the commands ``install`` and ``test`` mean for the project at ``root``.

    ``who``: the model, for the provenance; ``pythons``: the interpreters it names, oldest first. Raises
    WrongFormat, saying what cannot be followed, when no recipe comes of them.
    """
    files = Files(root)
    rule = f"{who}, {phase}"
    actions: list[Action] = []
    if pythons:
        actions.append(DeclaredPythons(versions=tuple(pythons), provenance=Provenance(rule=rule)))
    # One text for both lists: a cd or an export of the first counts in the second, as it would be typed.
    actions += read_commands("\n".join([*install, *test]), files=files, file=None, rule=rule)
    try:
        basic = basic_recipe(root)
    except ConfigurationError:
        basic = None  # the files' own recipe is only lent: a broken file leaves the model's commands alone
    candidate = DeclaredJob(kind=who, name=phase, actions=tuple(actions), provenance=Provenance(rule=rule))
    made = compose(candidate, files, basic=basic)
    if made.recipe is None:
        raise WrongFormat(f"no test command of it can be followed{_reasons(made.skipped)}")
    if install and not any(isinstance(action, InstallStep) for action in actions) and not _delegates(actions):
        raise WrongFormat(f"no install command of it can be followed{_reasons(made.skipped)}")
    return made.recipe


def change_recipe(
    recipe: Recipe,
    root: Path,
    *,
    who: str,
    install: Sequence[str] | None = None,
    test: Sequence[str] | None = None,
) -> Recipe:
    """``recipe`` with other install commands, or other test commands. Raises WrongFormat."""
    if install is not None:
        placeholder = "python -m unittest" if recipe.test.runner != "pytest" else "pytest"
        made = make_recipe(root, who=who, phase="repair", install=install, test=[placeholder])
        kept = [
            variable
            for variable in recipe.variables
            if variable.name not in {new.name for new in made.variables}
        ]
        return replace(
            recipe,
            install=made.install,
            system=made.system or recipe.system,
            variables=(*kept, *made.variables),
        )
    made = make_recipe(root, who=who, phase="repair", install=[], test=test or [])
    # The runner's own distribution comes with the commands; all else that is installed stays.
    new = [step for step in made.install if step.packages == ("pytest",) and not _has_pytest(recipe)]
    return replace(
        recipe,
        install=(*recipe.install, *new),
        test=_with_environment(made.test, recipe),
        further_tests=tuple(_with_environment(plan, recipe) for plan in made.further_tests),
    )


def proposal_key(recipe: Recipe, python: str | None) -> str:
    """Equal for two recipes that would do the same, wherever their parts come from."""
    blank = Provenance(rule="")
    return digest(
        [replace(step, provenance=blank) for step in recipe.install],
        [replace(plan, provenance=blank) for plan in (recipe.test, *recipe.further_tests)],
        sorted((variable.name, variable.value) for variable in recipe.variables),
        sorted((wanted.manager, *wanted.packages) for wanted in recipe.system),
        sorted(constraint.requirement for constraint in recipe.build_constraints),
        python,
    )


def _has_pytest(recipe: Recipe) -> bool:
    return any(
        package.partition("=")[0].strip("<>~! ") == "pytest" for s in recipe.install for package in s.packages
    )


def _with_environment(plan: SuitePlan, recipe: Recipe) -> SuitePlan:
    return replace(plan, environment=tuple((dict(recipe.test.environment) | dict(plan.environment)).items()))


def _delegates(actions: Sequence[Action]) -> bool:
    return any(hasattr(action, "to") for action in actions)


def _reasons(skipped: Sequence[SkippedInstruction]) -> str:
    likeliest_first = sorted(skipped, key=is_other_command)
    lines = [f"{skip.provenance.text or 'a command'}: {skip.reason}" for skip in likeliest_first[:3]]
    return f" ({'; '.join(lines)})" if lines else ""
