"""Tests that are installed with their package and imported from there: runners refuse the files of the tree.

In a namespace package (``zope``, ``sphinxcontrib``) the installed part goes before the source folder, so
``zope.thing.tests`` is the installed module whatever folder the runner starts in. What is installed was built
from the same tree: pytest runs its modules under the names of the tree's files when it is told to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from backdate.recipes.command import read_options
from backdate.recipes.recipe import SuitePlan
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import (
    RepairContext,
    failure_text,
    first_match,
    marked,
    with_environment,
    with_packages,
    with_plans,
)
from backdate.recipes.repair.signs import IMPORTED_FROM_INSTALLED

_RULE = "the installed tests, by the files of the tree"
_DISCOVERY = ("-s", "--start-directory", "-p", "--pattern", "-t", "--top-level-directory")
_ABOVE = re.compile(r"/\S*(?=/(?:site|dist)-packages/)")
"""Where an environment lies."""
_ACCEPTS = {"PY_IGNORE_IMPORTMISMATCH": "1"}


def installed_test_modules(context: RepairContext) -> Iterator[Repair]:
    """The suite by pytest, which takes the installed module of a test file for the file itself."""
    if context.failure.phase != "tests" or not any(s.kind == "project" for s in context.recipe.install):
        return
    evidence = installed_copy(failure_text(context.failure))
    if evidence is None:
        return
    changed = with_plans(context.recipe, _by_pytest)
    if changed == context.recipe:
        return
    if changed.test.runner == "pytest":
        changed = with_packages(changed, ("pytest",), _RULE, "the runner")
    yield context.repaired(ErrorClass.NOT_IMPORTABLE, _RULE, f"as it says: {evidence}", changed)


def installed_copy(text: str) -> str | None:
    """What tells that a test module was imported from what is installed, not from the tree."""
    match = first_match(IMPORTED_FROM_INSTALLED, text)
    return _ABOVE.sub("…", match[0]) if match is not None else None


def _by_pytest(plan: SuitePlan) -> SuitePlan:
    if plan.runner not in ("pytest", "unittest"):
        return plan
    if plan.runner == "unittest":
        targets, arguments = _as_pytest(plan)
        plan = replace(plan, runner="pytest", targets=targets, arguments=arguments)
    kept = tuple(word for word in plan.arguments if not word.startswith("--import-mode"))
    if kept == plan.arguments and dict(plan.environment).items() >= _ACCEPTS.items():
        return plan
    return marked(with_environment(replace(plan, arguments=kept), _ACCEPTS), _RULE)


def _as_pytest(plan: SuitePlan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The targets and arguments of pytest for what unittest was told."""
    if plan.arguments[:1] != ("discover",):
        return tuple(f"{module.replace('.', '/')}.py" for module in plan.targets), ()
    options = read_options(plan.arguments[1:], _DISCOVERY)
    words = dict(zip(("-s", "-p"), options.positional, strict=False))
    words |= {
        name.replace("--start-directory", "-s").replace("--pattern", "-p"): value
        for name, value in options.values
    }
    pattern = words.get("-p")
    return ((words["-s"],) if "-s" in words else ()), (("-o", f"python_files={pattern}") if pattern else ())
