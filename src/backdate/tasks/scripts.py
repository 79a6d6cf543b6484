"""Shell scripts for a task that has a recipe, in the form that published rows have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from backdate.editing.diff import diff_files
from backdate.recipes.recipe import Recipe, SuitePlan
from backdate.recipes.render import command_of, installing_lines
from backdate.tasks.task import ScriptSetup, Task
from backdate.testing.command import NOSE_PLUGIN, carried_modules

WRITTEN = "/tmp/backdate"  # noqa: S108 - in a container of its own
"""The folder of what has to be importable beside the project, for a run outside backdate."""


def script_names(name: str) -> ScriptSetup:
    """The file names that TimeMachine-bench gives the two scripts of ``owner/name``."""
    folder = name.replace("/", "__")
    return ScriptSetup(setup=f"setup_{folder}.sh", test=f"test_{folder}.sh")


def setup_script(recipe: Recipe) -> str:
    """What installs, with the recipe's variables and the limits of its builds."""
    lines = ["#!/bin/bash", "set -euo pipefail", *installing_lines(recipe)]
    return "\n".join(lines) + "\n"


def suite_script(recipe: Recipe) -> str:
    """What runs the tests, each command with its variables."""
    commands = (suite_command(plan) for plan in (recipe.test, *recipe.further_tests))
    return "\n".join(["#!/bin/bash", "set -euo pipefail", *commands]) + "\n"


def suite_command(plan: SuitePlan, further: Mapping[str, str] | None = None) -> str:
    """The lines that run one suite where backdate is not, with what it has from backdate itself.

    ``further`` are modules that are written beside these, by their names.
    """
    carried = {**carried_modules(plan), **(further or {})}
    if not carried:
        return command_of(plan)
    lines = [
        f"mkdir -p {WRITTEN}",
        *(
            f"cat > {WRITTEN}/{name}.py <<'END_OF_MODULE'\n{text}END_OF_MODULE"
            for name, text in carried.items()
        ),
    ]
    plan = with_variable(plan, "PYTHONPATH", ":", before=WRITTEN)
    if NOSE_PLUGIN in carried:
        plan = replace(plan, arguments=("-p", NOSE_PLUGIN, *plan.arguments))
    return "\n".join((*lines, command_of(plan)))


def with_variable(
    plan: SuitePlan, name: str, between: str, *, before: str = "", after: str = ""
) -> SuitePlan:
    """``plan`` with more in one of its variables, ``before`` or ``after`` what its own says."""
    variables = dict(plan.environment)
    variables[name] = between.join(filter(None, (before, variables.get(name), after)))
    return replace(plan, environment=tuple(variables.items()))


def scripted_patch(task: Task) -> tuple[ScriptSetup, str]:
    """The scripts' names, and the unpinning patch that adds them too, as in published rows."""
    if task.scripts is not None or task.recipe is None:
        return task.scripts or script_names(task.source.name), task.patches.preparation
    scripts = script_names(task.source.name)
    added = diff_files(
        {},
        {
            scripts.setup: setup_script(task.recipe).encode(),
            scripts.test: suite_script(task.recipe).encode(),
        },
    )
    return scripts, task.patches.preparation + added
