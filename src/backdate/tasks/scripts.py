"""Shell scripts for a task that has a recipe, in the form that published rows have them."""

from __future__ import annotations

from backdate.editing.diff import diff_files
from backdate.recipes.recipe import Recipe
from backdate.recipes.render import command_of, installing_lines
from backdate.tasks.task import ScriptSetup, Task


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
    commands = (command_of(plan) for plan in (recipe.test, *recipe.further_tests))
    return "\n".join(["#!/bin/bash", "set -euo pipefail", *commands]) + "\n"


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
