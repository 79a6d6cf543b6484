"""The recipe of a repository whose projects lie in folders below its root, which is none itself.

``backend/pyproject.toml`` alone, or the packages of one family beside each other: each is installed and
tested as if its folder were the root, all of them in one environment.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from backdate.errors import ConfigurationError
from backdate.recipes.basic import basic_recipe, install_steps, requirement_steps
from backdate.recipes.declared import read_declared
from backdate.recipes.files import Files
from backdate.recipes.recipe import MOST_PLANS, InstallStep, Provenance, Recipe, SuitePlan
from backdate.recipes.suite import find_suite

_DEEPEST = 3
_MOST_FOLDERS = 400
_MOST_PROJECTS = 24
"""More are a collection, of which each is a project of its own."""
_NOT_OURS = re.compile(
    r"(?:.*[-_])?(?:examples?|docs?|templates?|vendor\w*|third[-_]party|samples?|demos?)\Z",
    re.IGNORECASE,
)
"""Folders whose projects are tried out or copied, and not what the repository is about."""
_FOR_TESTS = re.compile(r"tests?\Z", re.IGNORECASE)
"""Folders whose projects help the tests of others: they are installed, and not tested."""
_METADATA = ("pyproject.toml", "setup.py", "setup.cfg")


def nested_recipe(files: Files) -> Recipe | None:
    """How the projects below the root, which is none itself, are installed and tested.

    None where they have no tests, or less than half of those that the repository's files define.
    """
    folders = tuple(_projects(files))
    if not 0 < len(folders) <= _MOST_PROJECTS:
        return None
    steps: list[InstallStep] = []
    suites: list[tuple[int, tuple[SuitePlan, ...]]] = []
    for folder in folders:
        recipe = None if _helps_tests(folder) else _recipe_of(files.root / folder)
        own = install_steps(files.root / folder) if recipe is None else recipe.install
        steps += [_step_below(step, folder) for step in own]
        if recipe is not None:
            plans_of = (recipe.test, *recipe.further_tests)
            defined = sum(len(file.names) for file in find_suite(files.root / folder))
            suites.append((defined, tuple(_plan_below(plan, folder) for plan in plans_of)))
    largest = sorted(suites, key=lambda suite: -suite[0])  # of more than are run the ones with few tests stay
    plans = [plan for _, several in largest for plan in several][:MOST_PLANS]
    everywhere = sum(len(file.names) for file in find_suite(files.root))
    if not plans or 2 * sum(defined for defined, _ in suites) < everywhere:
        return None  # most tests are of the repository itself
    if any(plan.runner == "pytest" for plan in plans):
        plans = [plan if plan.runner == "pytest" else _by_pytest(plan) for plan in plans]
    of_root = requirement_steps(files.root)
    return Recipe(
        install=tuple(dict.fromkeys((*of_root, *steps))),
        test=plans[0],
        further_tests=tuple(plans[1:]),
        provenance=Provenance(rule="the projects in folders of their own", file=folders[0]),
    )


def _projects(files: Files) -> Iterator[str]:
    """Folders with an installable project, none of them within another; what is tried out is left out."""
    found: list[str] = []
    for folder in files.folders_below(depth=_DEEPEST, most=_MOST_FOLDERS):
        inside = any(folder.startswith(f"{outer}/") for outer in found)
        if inside or any(_NOT_OURS.match(part) for part in folder.split("/")):
            continue
        if set(_METADATA) & set(files.names(folder)) and _installable(files.root / folder):
            found.append(folder)
            yield folder


def _helps_tests(folder: str) -> bool:
    return any(_FOR_TESTS.match(part) for part in folder.split("/"))


def _installable(root: Path) -> bool:
    try:
        return read_declared(root).installable is not None
    except ConfigurationError:
        return False


def _recipe_of(root: Path) -> Recipe | None:
    try:
        return basic_recipe(root)
    except ConfigurationError:
        return None


def _step_below(step: InstallStep, folder: str) -> InstallStep:
    if step.file is None:
        return step
    where = step.provenance.file
    provenance = replace(step.provenance, file=f"{folder}/{where}") if where else step.provenance
    return replace(step, file=_below(folder, step.file), provenance=provenance)


def _plan_below(plan: SuitePlan, folder: str) -> SuitePlan:
    where = plan.provenance.file
    provenance = replace(plan.provenance, file=f"{folder}/{where}") if where else plan.provenance
    below = replace(plan, cwd=_below(folder, plan.cwd), provenance=provenance)
    return _named_by_root(below) if plan.runner == "pytest" else below


def _by_pytest(plan: SuitePlan) -> SuitePlan:
    """The tests of unittest by pytest, which another project of the repository needs: one form of names."""
    if plan.runner != "unittest":
        return plan
    return _named_by_root(replace(plan, runner="pytest", targets=(), arguments=()))


def _named_by_root(plan: SuitePlan) -> SuitePlan:
    """pytest names tests by the folder of its settings: those of two projects would have the same names."""
    above = f"--rootdir={posixpath.relpath('.', plan.cwd)}"
    return replace(plan, arguments=(*plan.arguments, above))


def _below(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path))
